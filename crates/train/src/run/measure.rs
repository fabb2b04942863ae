//! Evaluation of a trained agent, written into its file.

use afterstate_agents::{Agent, Evaluation, EvaluationSettings, evaluate, evaluation_seed};
use afterstate_games::spec::Spec;
use afterstate_search::Search;
use afterstate_values::Strength;
use afterstate_values::file::save_strength;

use super::{Folder, RunError};
use crate::Hardware;

/// Games that evaluate a trained agent unless another number is asked for.
pub const EVALUATION_GAMES: u64 = 1_000;

/// Games are truncated after this many moves: some agents never lose.
pub const MAX_MOVES: u64 = 50_000;

/// Plays games with the agent of a run and writes its strength into its file.
pub fn measure<G: Spec>(
    game: &G,
    folder: &Folder,
    games: u64,
    hardware: Hardware,
) -> Result<(EvaluationSettings, Evaluation), RunError> {
    let seed = evaluation_seed(folder.recipe().seed);
    let Hardware { threads, device } = hardware;
    let (threads, max_moves) = (Some(threads), Some(MAX_MOVES));
    let settings = EvaluationSettings { games, seed, threads, max_moves, device };
    let evaluation = evaluate(game, &Agent::File(folder.agent()), &Search::GREEDY, &settings)?;
    save_strength(&folder.agent(), strength(&Search::GREEDY, &settings, &evaluation))?;
    Ok((settings, evaluation))
}

/// An evaluation as the strength in the file of an agent.
pub fn strength(
    search: &Search,
    settings: &EvaluationSettings,
    evaluation: &Evaluation,
) -> Strength {
    let (score, reach) = (evaluation.score, evaluation.reach.iter());
    let truncated = match (evaluation.truncated, settings.max_moves) {
        (0, _) => String::new(),
        (games, None) => format!(", {games} games truncated by the rules"),
        (games, Some(moves)) => format!(", {games} games truncated after {moves} moves"),
    };
    Strength {
        games: settings.games,
        seed: settings.seed,
        mean: score.mean,
        ci95: score.ci95,
        median: score.median,
        max: score.max,
        search: format!("{search}{truncated}"),
        reach: reach.map(|(tile, rate)| (tile.to_string(), rate.rate)).collect(),
    }
}
