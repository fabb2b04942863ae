//! Section 11.1, table 2: value iteration against LSPI on 4x4 with 7 pieces.
//!
//! Published: mean rounds of 10 games at gamma 0.8. Differs: both are evaluated exactly here.

use afterstate_learn::solve::Chain;

use super::{Found, best_play, board, findings, lspi, payoffs};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const MDP: Quantity = Quantity::Decimal("rounds, value iteration");
const LSPI: Quantity = Quantity::Decimal("rounds, LSPI");

/// Seeds that LSPI is averaged over.
const SEEDS: u64 = 8;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-table2",
    title: "Value iteration against LSPI, 4x4 with 7 pieces, gamma 0.8",
    source: "Tang 2019, section 11.1, table 2: means of 10 games",
    published: &[
        Published::new("r1", MDP, 1_450.7),
        Published::new("r1", LSPI, 307.2),
        Published::new("r2", MDP, 115.5),
        Published::new("r2", LSPI, 276.05),
        Published::new("r3", MDP, 307.2),
        Published::new("r3", LSPI, 302.2),
        Published::not("1 a move", MDP),
        Published::not("best survival", MDP),
    ],
    differences: "Exact expectations of the policies; LSPI's is the mean over eight seeds of the exact worth of its last weights. The study's r3 for value iteration repeats its r1 for LSPI and looks like a slip of copying. Its rewards are the bottleneck: a reward of 1 a move lives twenty times longer.",
    rules: "1010:4x4,pieces=7,score=square",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let game = board(4, "7")?;
    let moves = if session.form.is_full() { 20_000 } else { 4_000 };
    let seeds = if session.form.tuples.is_some() { 1 } else { SEEDS };
    let rounds = |chain: &Chain| chain.expected().rounds.unwrap_or(f64::INFINITY);
    let mut found = Vec::new();
    for (number, (name, payoff)) in payoffs().into_iter().enumerate() {
        let best = best_play(&game, payoff, 0.8)?;
        found.push(Found::new(name, &MDP, Value::exact(rounds(&best))));
        let set = ["tang-r1", "tang", "tang-r3"][number];
        let mut each = Vec::new();
        for seed in 0..seeds {
            let part = 10 * number as u64 + seed;
            let (features, weights) = lspi::learn(session, &game, set, payoff, moves, part)?;
            let chain = Chain::new(&game, |state, offer| {
                if let Some((choice, _)) = features.best(&game, state, 0.0, &weights) {
                    offer(choice, 1.0);
                }
            });
            each.push(rounds(&chain.ok_or(Error::TooLarge)?));
        }
        found.push(Found::new(name, &LSPI, Value::mean(&each)));
    }
    let step = best_play(&game, afterstate_games::RewardMixture::STEP, 0.8)?;
    found.push(Found::new("1 a move", &MDP, Value::exact(rounds(&step))));
    let plan = afterstate_lab::solve::estimate(&game, None, 1.0).map_err(|_| Error::TooLarge)?;
    let best = afterstate_lab::solve::solve(&game, &plan, |_| {}).map_err(|_| Error::TooLarge)?;
    let optimum = best.optimum.unwrap_or(f64::INFINITY);
    found.push(Found::new("best survival", &MDP, Value::exact(optimum)));
    Ok(findings(&session.form, published, &found, Vec::new(), Vec::new()))
}
