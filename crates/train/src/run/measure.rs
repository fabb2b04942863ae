//! Evaluation of a trained agent, written into its file.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use afterstate_agents::evaluate::evaluate_observed;
use afterstate_agents::{Agent, Evaluation, EvaluationSettings, evaluation_seed};
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

/// The time between two looks for a request to stop.
const POLL: Duration = Duration::from_millis(50);

/// Plays games with the agent of a run and writes its strength into its file, until `stop` is set or
/// a stop of the run is requested: then nothing is written.
pub fn measure<G: Spec>(
    game: &G,
    folder: &Folder,
    games: u64,
    hardware: Hardware,
    stop: &AtomicBool,
) -> Result<(EvaluationSettings, Evaluation), RunError> {
    let seed = evaluation_seed(folder.recipe().seed);
    let Hardware { threads, device } = hardware;
    let (threads, max_moves) = (Some(threads), Some(MAX_MOVES));
    let settings = EvaluationSettings { games, seed, threads, max_moves, device };
    let (stopped, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let evaluation = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if stop.load(Ordering::Relaxed) || folder.stop_requested() {
                    stopped.store(true, Ordering::Relaxed);
                    break;
                }
                thread::park_timeout(POLL);
            }
        });
        let agent = Agent::File(folder.agent());
        let evaluation =
            evaluate_observed(game, &agent, &Search::GREEDY, &settings, &stopped, &mut |_| {});
        done.store(true, Ordering::Relaxed);
        evaluation
    });
    folder.clear_stop();
    let evaluation = evaluation?;
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
