//! The keys of a game, in one place: the terminal's help shows them, `docs/keys.md` lists them, and
//! the page has the same.

use afterstate_games::picture::Kind;

/// A key and what it does.
type Key = (&'static str, &'static str);

/// The keys that play a move by hand.
pub(crate) fn by_hand(kind: Kind) -> &'static [Key] {
    match kind {
        Kind::Tiles => &[("← ↑ → ↓", "slide the tiles")],
        Kind::Well => {
            &[("← →", "move the piece"), ("↑", "rotate it"), ("space enter ↓", "drop it")]
        }
        Kind::Blocks => &[
            ("← ↑ → ↓", "move the piece"),
            ("1 2 3 tab", "select another"),
            ("space enter", "place it"),
        ],
    }
}

/// The keys of all games.
pub(crate) const COMMON: [Key; 9] = [
    ("h", "hints: the value of every move"),
    ("a", "play by agent or by hand"),
    ("space p", "pause the agent"),
    ("n .", "play one move of the agent"),
    ("+ -", "change the speed of the agent"),
    ("[ ]", "change the search depth"),
    ("u r", "undo, redo"),
    ("N", "start a new game"),
    ("?", "show the keys"),
];

/// The key that the page does not have.
pub(crate) const QUIT: Key = ("q esc", "quit");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

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
}
