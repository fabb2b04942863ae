//! `docs/keys.md` lists the keys that the terminal shows.

#[path = "../../src/terminal/keys.rs"]
mod shown;

use std::path::Path;

use afterstate_games::picture::Kind;
use shown::{COMMON, QUIT, by_hand};

/// A key and what it does.
type Key = (&'static str, &'static str);

/// The tables of `docs/keys.md`.
fn tables() -> String {
    let table = |heading: &str, keys: &[Key]| {
        let row = |(key, does): &Key| {
            let keys: Vec<String> = key.split(' ').map(|key| format!("`{key}`")).collect();
            format!("| {} | {does} |\n", keys.join(" "))
        };
        let rows: String = keys.iter().map(row).collect();
        format!("| {heading} | |\n|---|---|\n{rows}")
    };
    let quit = [("q esc", "quit (terminal only)")];
    assert_eq!(quit[0].0, QUIT.0);
    [
        table("2048 by hand", by_hand(Kind::Tiles)),
        table("Tetris by hand", by_hand(Kind::Well)),
        table("1010! by hand", by_hand(Kind::Blocks)),
        table("every game", &[&COMMON[..], &quit].concat()),
    ]
    .join("\n")
}

#[test]
fn the_guide_lists_the_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/keys.md");
    let guide = std::fs::read_to_string(path).unwrap();
    assert!(guide.contains(&tables()), "docs/keys.md must have:\n{}", tables());
}
