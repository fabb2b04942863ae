//! `Expectimax`: the searches by which a GPU plays 2048.

use std::fmt::Write;

use afterstate_search::{Algorithm, Depth, Search, max_surprisal, surprisal};

/// The largest depth.
const MAX_PLIES: u32 = 6;

/// The threads of the largest team, and how many such teams a multiprocessor has.
pub(crate) const LARGEST_TEAM: u32 = 512;
pub(crate) const TEAMS: u32 = 2;

/// A search that a GPU has: expectimax to a depth, over all moves and chance outcomes, or as far as
/// they are likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectimax {
    plies: u32,
    max_surprisal: Option<u32>,
    /// The power of the smallest tile that is downgraded.
    downgrade: Option<u32>,
}

/// A search that a GPU does not have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "--device cuda plays greedily or by expectimax of 2 to {MAX_PLIES} plies, with probability=P \
     and downgrade=TILE, not by {0}: use --device cpu"
)]
pub struct UnsupportedSearch(pub Search);

impl Expectimax {
    /// Greedy play, without search.
    pub const GREEDY: Expectimax = Expectimax { plies: 1, max_surprisal: None, downgrade: None };

    /// The form of a search for a GPU.
    pub fn new(search: &Search) -> Result<Expectimax, UnsupportedSearch> {
        if search.is_greedy() {
            return Ok(Expectimax::GREEDY);
        }
        match search.depth {
            Depth::Plies(plies @ 2..=MAX_PLIES)
                if search.algorithm == Algorithm::Expectimax
                    && search.beam.is_none()
                    && search.time_limit.is_none() =>
            {
                Ok(Expectimax {
                    plies,
                    max_surprisal: max_surprisal(search.min_probability),
                    downgrade: search.downgrade.map(u64::ilog2),
                })
            }
            _ => Err(UnsupportedSearch(*search)),
        }
    }

    pub(crate) fn is_greedy(self) -> bool {
        self.plies == 1
    }

    /// The entries of the transposition table, a power of two; fewer plies have no use for it.
    pub(crate) fn table_entries(self) -> usize {
        if self.plies > 3 { 1 << 22 } else { 1 }
    }

    /// The constants of the kernel, for rules with this probability of a 4.
    pub(crate) fn settings(self, four: f64) -> String {
        let kinds = [1.0 - four, four];
        let first = usize::from(kinds[0] <= 0.0);
        let last = usize::from(kinds[1] > 0.0);
        let mut text = format!(
            "#define PLIES {}\n#define LARGEST_TEAM {LARGEST_TEAM}\n#define TEAMS {TEAMS}\n\
             #define FIRST_KIND {first}\n#define LAST_KIND {last}\n#define CUTOFF {}\n\
             #define MAX_SURPRISAL {}u\n#define DOWNGRADE {}u\n",
            self.plies,
            u8::from(self.max_surprisal.is_some()),
            self.max_surprisal.unwrap_or(0),
            self.downgrade.unwrap_or(0),
        );
        // As `try_chance` of the rules computes them; no board has no empty cell.
        let of_cells = |cells: u32| kinds.map(|kind| 1.0 / f64::from(cells.max(1)) * kind);
        let rows = |entry: &dyn Fn(f64) -> String| {
            let row = |cells| of_cells(cells).map(entry).join(", ");
            (0..=16).map(|cells| format!("{{{}}}, ", row(cells))).collect::<String>()
        };
        let probabilities = rows(&|p| format!("{:?}f", p as f32));
        let surprisals =
            rows(&|p| if p > 0.0 { format!("{}u", surprisal(p)) } else { "0u".into() });
        let _ = writeln!(text, "CONSTANT float PROBABILITIES[17][2] = {{{probabilities}}};");
        let _ = writeln!(text, "CONSTANT u32 SURPRISALS[17][2] = {{{surprisals}}};");
        text
    }
}
