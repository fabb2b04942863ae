//! 1010!: greedy games and batches of learning on a GPU, against the processor.

use std::sync::atomic::{AtomicU32, Ordering};

use afterstate_agents::EvaluationSettings;
use afterstate_agents::evaluate::evaluate_policy;
use afterstate_core::policy::Choice;
use afterstate_core::{Rng, threads};
use afterstate_cuda::{
    BatchLaunch, BatchNeeds, BatchTrainer, Device, Evaluation, TenTenGame, TenTenNetwork,
    TenTenPlayer,
};
use afterstate_games::Tuples;
use afterstate_games::reward::Objective;
use afterstate_games::spec::parse_rules;
use afterstate_games::tenten::TenTen;
use afterstate_learn::{Batch, BatchGame, BatchLearner, Coherence};
use afterstate_train::learners::ntuple::patterns::{Pattern, tuples};
use afterstate_values::weights::load;
use afterstate_values::{Network, NetworkPolicy};

use super::{Check, VerifyError, network_error};

/// Games that both play, up to so many moves.
const GAMES: u64 = 500;
const MOVES: u64 = 300;

/// Games and batches that both learn.
const BATCH: u32 = 64;
const BATCHES: u32 = 200;

/// Rules with all symmetries and with few, and the stages of their networks.
const RULES: [(&str, &[u64]); 4] = [
    ("1010:10x10,pieces=19", &[32, 42]),
    ("1010:10x10,pieces=18", &[]),
    ("1010:7x7,pieces=18", &[10, 20]),
    ("1010:5x6,pieces=7", &[12]),
];

pub(super) fn checks(device: &Device) -> Result<Vec<Check>, VerifyError> {
    let mut checks = Vec::new();
    for (spec, stages) in RULES {
        let game: TenTen = parse_rules(spec).map_err(network_error)?;
        let sets = ["rectangles 3x3", "rectangles 4x4", "rectangles 5x1"];
        let sets = sets.map(|set| Pattern::Word(set.to_owned()));
        let all = tuples(&game, &sets).map_err(network_error)?;
        let all = all.with_stages(stages.to_vec()).map_err(network_error)?;
        let kernels = TenTenNetwork::new(&game, &all).map_err(network_error)?;
        checks.push(same_games(device, spec, &game, &all, &kernels)?);
        for coherent in [false, true] {
            checks.push(same_batches(device, spec, &game, &all, &kernels, coherent)?);
        }
    }
    Ok(checks)
}

fn network_with(
    game: &TenTen,
    tuples: &Tuples,
    weights: &[f32],
) -> Result<Network<TenTen>, VerifyError> {
    let network = Network::new(game, tuples.clone(), 0.0).map_err(network_error)?;
    for (word, weight) in network.weights().iter().zip(weights) {
        word.store(weight.to_bits(), Ordering::Relaxed);
    }
    Ok(network)
}

/// Greedy games by weights that are whole numbers, whose sums are exact in any order.
fn same_games(
    device: &Device,
    spec: &str,
    game: &TenTen,
    tuples: &Tuples,
    kernels: &TenTenNetwork,
) -> Result<Check, VerifyError> {
    let mut rng = Rng::stream(3, 0);
    let weights: Vec<f32> = (0..tuples.weights()).map(|_| rng.below(60) as f32 - 20.0).collect();
    let network = network_with(game, tuples, &weights)?;
    let settings = EvaluationSettings {
        games: GAMES,
        max_moves: Some(MOVES),
        ..EvaluationSettings::default()
    };
    let here = evaluate_policy(game, || NetworkPolicy::new(&network), &settings)?;
    let plays = Evaluation { seed: settings.seed, games: 0..GAMES, max_moves: Some(MOVES) };
    let there = TenTenPlayer::new(device, kernels, &weights)?.play(&plays)?;
    let scores = there.iter().map(|game| f64::from(game.score));
    let equal = here.scores.iter().zip(scores).filter(|(a, b)| *a == b).count();
    let moves: u64 = there.iter().map(|game| u64::from(game.moves)).sum();
    Ok(Check {
        what: format!("{spec}: greedy games"),
        found: format!("{equal} of {GAMES} have the same score, {moves} moves"),
        agrees: Some(equal as u64 == GAMES && moves == here.moves && moves > GAMES),
    })
}

/// Batches of survival learning. The processor makes the moves of the device, if they lose nothing:
/// rounding decides between images of a placement.
fn same_batches(
    device: &Device,
    spec: &str,
    game: &TenTen,
    tuples: &Tuples,
    kernels: &TenTenNetwork,
    coherent: bool,
) -> Result<Check, VerifyError> {
    let first = tuples.stage_weights();
    let mut rng = Rng::stream(2, 0);
    let weight = |at| if at < first { rng.unit() as f32 * 5.0 } else { 0.0 };
    let weights: Vec<f32> = (0..tuples.weights()).map(weight).collect();
    let needs = BatchNeeds { td: !coherent, tc: coherent, games: BATCH, average: false };
    let mut trainer = BatchTrainer::new(device, kernels, needs, 5)?;
    let mut bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    let sums = vec![0u8; 2 * bytes.len()];
    trainer.network.upload(&bytes, coherent.then_some(&sums[..]), 0)?;
    let objective = Objective::Survival { points: 20.0, discount: 0.9 };
    let rate = if coherent { 1.0 } else { 0.3 };
    let launch = BatchLaunch { coherent, rate, objective, batches: 1 };

    let network = network_with(game, tuples, &weights)?;
    let coherence = Coherence::new(tuples.weights()).map_err(network_error)?;
    let mut learner = BatchLearner::new(weights.len());
    let new = |number| BatchGame::new(game, number, Rng::stream(5, number));
    let mut games: Vec<BatchGame<TenTen>> = (0..u64::from(BATCH)).map(new).collect();
    let (mut ends, mut played) = (0, 0);
    let worst = AtomicU32::new(0);
    for _ in 0..BATCHES {
        played += trainer.launch(&launch)?.games.len();
        let memory = trainer.network.games()?;
        let select = |i: usize, choices: &[Choice<TenTen>], values: &[f32]| {
            let own = &memory[i * kernels.game_bytes() + 4 * TenTenGame::BOARD..];
            let chosen = choices.iter().position(|(_, step)| is_board(game, own, step.after.board));
            let best = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let lost = chosen.map_or(1e9, |chosen| (best - values[chosen]) / best.abs().max(10.0));
            // Bits of floats that are not negative have their order.
            worst.fetch_max(lost.max(0.0).to_bits(), Ordering::Relaxed);
            chosen.unwrap_or(0)
        };
        let coherence = coherent.then_some(&coherence);
        let threads = threads::cores();
        let batch = Batch { game, network: &network, rate, coherence, objective, threads };
        learner.step_by(&batch, &mut games, select, |number, _| {
            ends += 1;
            new(number + u64::from(BATCH))
        });
    }
    trainer.network.download(&mut bytes, None)?;
    let words = bytes.as_chunks::<4>().0.iter().map(|&word| f32::from_le_bytes(word));
    let difference = words.zip(network.weights()).map(|(found, word)| (found - load(word)).abs());
    let difference = difference.fold(0.0, f32::max);
    let worst = f32::from_bits(worst.into_inner());
    let method = if coherent { "TC" } else { "TD" };
    Ok(Check {
        what: format!("{spec}: {method} in batches of {BATCH} games"),
        found: format!(
            "{played} games ended, weights differ by at most {difference:.1e}, moves by {worst:.1e} \
             of their value"
        ),
        agrees: Some(played == ends && difference < 5e-3 && worst < 1e-4),
    })
}

/// Whether the board of a game on the device is this one: two rows per word, 16 bits apart.
fn is_board(game: &TenTen, bytes: &[u8], board: afterstate_games::tenten::Board) -> bool {
    (0..game.cells()).all(|cell| {
        let bit = 16 * (cell / game.width()) + cell % game.width();
        (bytes[bit / 8] >> (bit % 8) & 1 == 1) == board.get(cell)
    })
}
