//! Games of 2048 by expectimax, on a GPU and on the processor.

use afterstate_agents::EvaluationSettings;
use afterstate_agents::evaluate::evaluate_policy;
use afterstate_cuda::{Device, Evaluation, Expectimax, Player};
use afterstate_games::Tuples;
use afterstate_games::twenty48::Twenty48;
use afterstate_search::{Search, Searcher};
use afterstate_values::NetworkEvaluator;

use super::{Check, VerifyError, network_error, whole_weights, with_weights};

/// Searches, and the games by each: few enough for a processor, and many and few for the teams of
/// warps that share a game.
const SEARCHES: [(&str, u64); 5] = [
    ("expectimax:2", 2_000),
    ("expectimax:2,downgrade=64", 200),
    ("expectimax:3", 100),
    ("expectimax:4,probability=0.02", 20),
    ("expectimax:4", 2),
];

/// Games by weights that are whole numbers: sums over weights are exact, and those over chance
/// outcomes have one order, so that games are the same to the end.
pub(super) fn same_games(
    device: &Device,
    name: &str,
    game: &Twenty48,
    tuples: &Tuples,
) -> Result<Vec<Check>, VerifyError> {
    let weights = whole_weights(tuples);
    let network = with_weights(game, tuples, &weights)?;
    let kernels = afterstate_cuda::Network::new(game, tuples).map_err(network_error)?;
    let mut checks = Vec::new();
    for (text, games) in SEARCHES {
        let search: Search = text.parse().map_err(network_error)?;
        let settings = EvaluationSettings { games, ..EvaluationSettings::default() };
        let searcher = || Searcher::new(NetworkEvaluator::new(&network), search);
        let here = evaluate_policy(game, searcher, &settings)?;
        let kernel = Expectimax::new(&search).map_err(network_error)?;
        let plays = Evaluation { seed: settings.seed, games: 0..games, max_moves: None };
        let there = Player::new(device, &kernels, &weights, kernel)?.play(&plays, &mut |_| {})?;
        let pairs = here.scores.iter().zip(&there);
        let equal = pairs.filter(|(here, there)| **here == f64::from(there.score)).count();
        let moves: u64 = there.iter().map(|game| u64::from(game.moves)).sum();
        checks.push(Check {
            what: format!("{name}: games by {text}"),
            found: format!("{equal} of {games} have the same score"),
            agrees: Some(equal as u64 == games && here.moves == moves && moves > games),
        });
    }
    Ok(checks)
}
