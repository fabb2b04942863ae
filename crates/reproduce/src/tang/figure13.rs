//! Figure 13: states and edges.
//!
//! Published: 3,584 and 3,317 on 3x3, 458,752 and 892,062 on 4x4. Differs: two edges on 4x4.

use afterstate_games::TransitionModel;
use afterstate_games::tenten::BitTransitionModel;

use super::{Found, board, findings};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const STATES: Quantity = Quantity::Named("states: boards with or without full lines, times pieces");
const BOARDS: Quantity = Quantity::Named("boards without a full line");
const EDGES: Quantity = Quantity::Named("edges");

const CASES: [&str; 3] = ["3x3", "4x4", "5x5"];

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-figure13",
    title: "States and edges with 7 pieces",
    source: "Tang 2019, figure 13",
    published: &[
        Published::new(CASES[0], STATES, 3_584.0),
        Published::not(CASES[0], BOARDS),
        Published::new(CASES[0], EDGES, 3_317.0),
        Published::new(CASES[1], STATES, 458_752.0),
        Published::not(CASES[1], BOARDS),
        Published::new(CASES[1], EDGES, 892_062.0),
        Published::not(CASES[2], STATES),
        Published::not(CASES[2], BOARDS),
        Published::not(CASES[2], EDGES),
    ],
    differences: "The study counts 892,062 edges on 4x4, which is two fewer than there are. It calls 5x5 impossible, for it would store every state; one value a board is enough.",
    rules: "1010:3x3,pieces=7, 4x4 and 5x5",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let mut found = Vec::new();
    for (side, case) in (3..).zip(CASES) {
        let game = board(side, "7")?;
        let states = 2f64.powi((side * side) as i32) * 7.0;
        found.push(Found::new(case, &STATES, Value::exact(states)));
        // Tests need not wait for the 25 million boards.
        let size = if side == 5 && session.form.tuples.is_some() {
            Default::default()
        } else {
            TransitionModel::<f32>::size(&BitTransitionModel::of(&game).ok_or(Error::TooLarge)?)
        };
        found.push(Found::new(case, &BOARDS, Value::exact(size.boards as f64)));
        found.push(Found::new(case, &EDGES, Value::exact(size.edges as f64)));
    }
    Ok(findings(&session.form, published, &found, Vec::new(), Vec::new()))
}
