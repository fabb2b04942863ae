//! Figure 5: three greedy rules on 3x3 with 3 pieces.
//!
//! Published: mean rounds and scores of 20 games each. Differs: ours are exact.

use afterstate_learn::solve::Chain;
use afterstate_values::GreedyRule;

use super::{Found, board, findings};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const ROUNDS: Quantity = Quantity::Decimal("rounds");
const SCORE: Quantity = Quantity::Decimal("score");

const CASES: [&str; 3] =
    ["algorithm 1, most lines", "algorithm 2, best survival", "algorithm 3, either by a coin"];

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-figure5",
    title: "Three greedy rules on 3x3 with 3 pieces",
    source: "Tang 2019, figure 5: means of 20 games",
    published: &[
        Published::new(CASES[0], ROUNDS, 4_221.3),
        Published::new(CASES[0], SCORE, 32_052.2),
        Published::new(CASES[1], ROUNDS, 321.5),
        Published::new(CASES[1], SCORE, 2_919.9),
        Published::new(CASES[2], ROUNDS, 648.42),
        Published::new(CASES[2], SCORE, 5_269.4),
    ],
    differences: "Ours are exact expectations, by policy evaluation. Lengths are nearly geometric, so a mean of 20 games is off by 22%: the published ones lie within that. The score counts cells + 10 n^2 for n lines, which fits two of the three rules of the study.",
    rules: "1010:3x3,pieces=3,score=square",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let game = board(3, "3")?;
    let mut found = Vec::new();
    for (case, (_, rule)) in CASES.into_iter().zip(GreedyRule::ALL) {
        let chain = Chain::new(&game, |state, offer| rule.odds(&game, state, offer));
        let expected = chain.ok_or(Error::TooLarge)?.expected();
        let exact = |value: Option<f64>| Value::exact(value.unwrap_or(f64::INFINITY));
        found.push(Found::new(case, &ROUNDS, exact(expected.rounds)));
        found.push(Found::new(case, &SCORE, exact(expected.score)));
    }
    Ok(findings(&session.form, published, &found, Vec::new(), Vec::new()))
}
