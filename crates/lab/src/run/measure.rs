//! What a trained agent is worth: games without learning, written into its file.

use afterstate_values::Strength;
use afterstate_values::file;

use super::folder::{Folder, RunError};
use crate::evaluate::EvaluateError;
use crate::{Agent, Evaluation, Plan, evaluate};

/// Some agents play for ever: the games that follow a training are cut off after so many moves.
pub const LONGEST: u64 = 50_000;

/// Plays games with the agent of a run and writes into its file what came out.
pub fn measure(
    folder: &Folder,
    games: u64,
    threads: usize,
) -> Result<(Plan, Evaluation), RunError> {
    let agent = Agent::File(folder.agent());
    let spec = folder.spec()?;
    // Games of an evaluation are never games of the training.
    let seed = folder.recipe().seed ^ 0x5eed;
    let plan = Plan { games, seed, threads: Some(threads), max_moves: Some(LONGEST) };
    let evaluation = evaluate(&spec, &agent, &plan).map_err(|error| match error {
        EvaluateError::Threads(error) => RunError::Threads(error),
        error => RunError::Measure(error.to_string()),
    })?;
    let (score, reach) = (evaluation.score, evaluation.reach.iter());
    let strength = Strength {
        games: plan.games,
        seed: plan.seed,
        mean: score.mean,
        ci95: score.ci95,
        median: score.median,
        max: score.max,
        search: match evaluation.cut_off {
            0 => "greedy".to_owned(),
            cut_off => format!("greedy, {cut_off} games cut off after {LONGEST} moves"),
        },
        reach: reach.map(|(tile, rate)| (tile.to_string(), rate.rate)).collect(),
    };
    file::save_strength(&folder.agent(), strength)?;
    Ok((plan, evaluation))
}
