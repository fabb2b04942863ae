//! Figure 8: score of 10,000 rounds against the discount, 3 pieces on 3x3 and 4x4.
//!
//! Published: curves without numbers, and their trends in words. Differs: exact expectations.

use afterstate_lab::chart::Axis;
use afterstate_learn::solve::Chain;

use super::gammas::{chart, curves, rows};
use super::{board, findings};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

/// Rounds of a game.
const ROUNDS: u64 = 10_000;

const CASES: [&str; 4] = ["3x3, r1", "3x3, r2", "4x4, r1", "4x4, r2"];

const ROWS: [Published; 40] = rows(&CASES);

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-figure8",
    title: "3 pieces: score of 10,000 rounds against the discount",
    source: "Tang 2019, figure 8",
    published: &ROWS,
    differences: "Ours are expectations over all games, also of those that end early where a policy can die; the study's are means of a few games. Its values come from about 20 sweeps, ours from as many as converge; at gamma 1, where values grow for ever, their differences do.",
    rules: "1010:3x3,pieces=3,score=square and 1010:4x4,pieces=3,score=square",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let mut found = Vec::new();
    let mut lines = Vec::new();
    // Where no game ends the mean score of a move is enough; the way there is forgotten soon.
    let worth = |chain: &Chain| {
        let expected = chain.expected();
        match expected.rounds {
            Some(rounds) if rounds < 1e9 => chain.first(ROUNDS).0,
            _ => expected.score_a_move * ROUNDS as f64,
        }
    };
    for (side, cases) in
        [(3, [(CASES[0], "r1"), (CASES[1], "r2")]), (4, [(CASES[2], "r1"), (CASES[3], "r2")])]
    {
        lines.extend(curves(&board(side, "3")?, &cases, worth, &mut found)?);
    }
    let chart = chart("3 pieces: score of 10,000 rounds", Axis::linear("score"), lines);
    let note = "Published in words: on 3x3 scores rise between gamma 0.3 and 0.5, on 4x4 between 0.5 and 0.9, and stay; 0.9 is the best; gamma hardly matters for r1, which drops at 1; r2 scores more than r1, and 3x3 more than 4x4.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], vec![note.to_owned()]))
}
