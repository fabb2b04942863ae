//! Section 11.2, table 3: LSPI on the full board, with and without the 3x3 piece.
//!
//! Published: rounds of 20 games, 204.473 and 517.736 on average. Differs: more games.

use afterstate_core::{Episode, Rng};
use afterstate_values::{Linear, LinearPlayer};

use super::{Found, board, findings, lspi, payoffs};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const MEAN: Quantity = Quantity::Decimal("mean rounds");
const MAX: Quantity = Quantity::Named("most rounds");

const CASES: [&str; 2] = ["with the 3x3 piece", "without it"];

/// No game is longer.
const LONGEST: u64 = 1_000_000;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-table3",
    title: "LSPI on 10x10, with and without the 3x3 piece",
    source: "Tang 2019, section 11.2, table 3: 20 games",
    published: &[
        Published::new(CASES[0], MEAN, 204.473),
        Published::new(CASES[0], MAX, 517.0),
        Published::new(CASES[1], MEAN, 517.736),
        Published::new(CASES[1], MAX, 1_047.0),
    ],
    differences: "The study does not say for how long it trained; we train for 20,000 moves (2,000 in the quick form) and play without learning, 1,000 games (100). A maximum grows with the number of games.",
    rules: "1010:10x10,pieces=19 and 1010:10x10,pieces=18",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let tiny = session.form.tuples.is_some();
    let (moves, games) = match (session.form.is_full(), tiny) {
        (true, _) => (20_000, 1_000),
        (_, true) => (100, 2),
        _ => (2_000, 100),
    };
    let mut found = Vec::new();
    for (number, (case, set)) in CASES.into_iter().zip(["19", "18"]).enumerate() {
        let game = board(10, set)?;
        let r2 = payoffs()[1].1;
        let (features, weights) =
            lspi::learn(session, &game, "tang", r2, moves, 100 + number as u64)?;
        let linear = Linear::new("tang", features, 0.0, weights).map_err(|_| Error::TooLarge)?;
        let mut player = LinearPlayer::new(&linear);
        let rounds: Vec<f64> = (0..games)
            .map(|episode| {
                let mut rng = Rng::stream(session.seed ^ 0x5eed, episode);
                Episode::play_up_to(LONGEST, &game, &mut player, &mut rng).moves as f64
            })
            .collect();
        found.push(Found::new(case, &MEAN, Value::mean(&rounds)));
        let most = rounds.iter().copied().fold(0.0, f64::max);
        found.push(Found::new(case, &MAX, Value::exact(most)));
    }
    Ok(findings(&session.form, published, &found, Vec::new(), Vec::new()))
}
