//! `docs/keys.md` and the page list the keys that the terminal shows.

#[path = "../../src/terminal/keys.rs"]
mod shown;

use std::path::Path;

use afterstate_games::picture::Kind;
use shown::{COMMON, QUIT, by_hand};

/// A key and what it does.
type Key = (&'static str, &'static str);

/// The keys that the page does not have, and those that only the page has.
const TERMINAL_ONLY: [&str; 2] = ["tab", QUIT.0];
const PAGE_ONLY: [Key; 1] = [("e", "edit the board")];

/// The tables of `docs/keys.md`.
fn tables() -> String {
    let table = |heading: &str, keys: &[Key]| {
        let row = |key: &Key| {
            let keys: Vec<String> = key.0.split(' ').map(|key| format!("`{key}`")).collect();
            let only = match key {
                key if TERMINAL_ONLY.contains(&key.0) => " (terminal only)",
                key if PAGE_ONLY.contains(key) => " (page only)",
                _ => "",
            };
            format!("| {} | {}{only} |\n", keys.join(" "), key.1)
        };
        let rows: String = keys.iter().map(row).collect();
        format!("| {heading} | |\n|---|---|\n{rows}")
    };
    [
        table("2048 by hand", by_hand(Kind::Tiles)),
        table("Tetris by hand", by_hand(Kind::Well)),
        table("1010! by hand", by_hand(Kind::Blocks)),
        table("every game", &[&COMMON[..], &PAGE_ONLY, &[QUIT]].concat()),
    ]
    .join("\n")
}

#[test]
fn the_guide_lists_the_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/keys.md");
    let guide = std::fs::read_to_string(path).unwrap();
    assert!(guide.contains(&tables()), "docs/keys.md must have:\n{}", tables());
}

#[test]
fn the_page_lists_the_same_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/page/keys.js");
    let page = std::fs::read_to_string(path).unwrap();
    let kinds = [Kind::Tiles, Kind::Well, Kind::Blocks];
    let own = kinds.into_iter().flat_map(by_hand).chain(&COMMON);
    let shared: Vec<&Key> = own.filter(|key| !TERMINAL_ONLY.contains(&key.0)).collect();
    for (key, does) in shared.iter().copied().chain(&PAGE_ONLY) {
        assert!(page.contains(&format!("[\"{key}\", \"{does}\"]")), "{key}: {does}");
    }
    assert_eq!(page.matches("[\"").count(), shared.len() + PAGE_ONLY.len(), "no others");
}
