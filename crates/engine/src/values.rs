//! Values of boards that are given by their cells, many in one call.

use afterstate_agents::{LoadedAgent, OtherRules};
use afterstate_games::RewardMixture;
use afterstate_games::spec::Spec;
use afterstate_values::Scratch;

/// Boards that are evaluated in one call of the model.
const BATCH: usize = 1_024;

/// Boards that an agent cannot value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValuesError {
    /// The agent was loaded for other rules.
    #[error(transparent)]
    OtherRules(#[from] OtherRules),
    /// The agent values moves, or nothing at all.
    #[error("{0} has no values of boards alone")]
    NoValues(String),
    /// A cell is out of range.
    #[error("board {board} has a cell of {cell}: expected 0 to {max}")]
    Cell {
        /// The number of the board.
        board: usize,
        /// Its first cell that is too large.
        cell: u8,
        /// The largest value of a cell.
        max: u32,
    },
}

/// Writes the value of each board; there are as many boards as values.
pub(crate) fn values_of_boards<G: Spec>(
    game: &G,
    agent: &LoadedAgent,
    cells: &[u8],
    values: &mut [f32],
) -> Result<(), ValuesError> {
    let model = agent.model(game)?;
    let solved = model.solved().filter(|table| *table.reward() == RewardMixture::SCORE);
    if model.afterstate_values().is_none() && solved.is_none() {
        return Err(ValuesError::NoValues(agent.name().to_owned()));
    }
    let (count, max) = (game.cell_count(), game.board_values() - 1);
    assert_eq!(cells.len(), count * values.len(), "one value per board");
    let (mut scratch, mut afters) = (Scratch::default(), Vec::with_capacity(BATCH));
    let parts = cells.chunks(count * BATCH).zip(values.chunks_mut(BATCH)).enumerate();
    for (part, (cells, values)) in parts {
        afters.clear();
        for (number, cells) in cells.chunks_exact(count).enumerate() {
            let after = game.read_board(cells).ok_or_else(|| ValuesError::Cell {
                board: part * BATCH + number,
                cell: cells.iter().copied().find(|&cell| u32::from(cell) > max).unwrap_or(0),
                max,
            })?;
            afters.push(after);
        }
        match (model.afterstate_values(), solved) {
            (Some(model), _) => model.evaluate(game, &afters, &mut scratch, values),
            (None, Some(table)) => {
                let pairs = values.iter_mut().zip(&afters);
                pairs.for_each(|(value, after)| *value = table.value(game, after));
            }
            (None, None) => {}
        }
    }
    Ok(())
}
