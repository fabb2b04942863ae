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
            ("1 2 3", "select a piece of the hand"),
            ("tab", "select the next one"),
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

/// The end of the program; on the page the tab key moves the focus, too.
pub(crate) const QUIT: Key = ("q esc", "quit");
