//! Contour agents in wells that are small enough to be solved: how far they are from the truth.
//!
//! Published: nothing, the thesis has no exact results. Ours show what contours leave out.

use afterstate_core::{Episode, Game, Rng};
use afterstate_games::tetris::contour::{Pay, SeenMoves};
use afterstate_games::tetris::{Setup, melax_pieces};
use afterstate_games::{StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::table::{Control, Exploration, Sarsa, TableTd, Task};
use afterstate_values::{ActionTablePolicy, AfterstateTablePolicy};

use super::melax::{optimum, seen, table, well};
use super::seeds::{each, mean};
use super::{Found, findings, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-exact",
    title: "Contour agents in wells three rows high, beside the exact optimum",
    source: "Carr 2005, chapter 5, in wells small enough to be solved",
    published: &[
        Published::not("4x3, exact optimum", ROWS),
        Published::not("4x3, TD(0)", ROWS),
        Published::not("4x3, Sarsa(lambda)", ROWS),
        Published::not("5x3, exact optimum", ROWS),
        Published::not("5x3, TD(0)", ROWS),
        Published::not("5x3, Sarsa(lambda)", ROWS),
    ],
    differences: "The wells of the thesis are twenty rows high and cannot be written out. The \
        agents see differences capped at two, mirrored; the optimum sees every cell.",
    rules: "tetris:4x3,pieces=melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 50, 3_000, 20_000);
    let play = sized(&session.form, 2, 400, 2_000);
    let mut found = Vec::new();
    for (width, names) in [
        (4, ["4x3, exact optimum", "4x3, TD(0)", "4x3, Sarsa(lambda)"]),
        (5, ["5x3, exact optimum", "5x3, TD(0)", "5x3, Sarsa(lambda)"]),
    ] {
        let game = well(Setup { pieces: melax_pieces(), ..Setup::sized(width, 3) })?;
        let most = optimum(&game, None)?;
        found.push(Found::learning(names[0], "rows", Value::exact(most)));
        let view = seen("heights,differences,cap=2,mirror", &game)?;
        let rows = each(session, names[1], |seed| {
            let values =
                table(StateAggregation::<afterstate_games::tetris::Tetris>::size(&view), 5.0)?;
            let pay = Pay::points(1.0);
            let task = Task {
                table: &values,
                entries: &view,
                reward: &pay,
                discount: 0.8,
                end: Some(0.0),
                max_moves: 10_000,
            };
            let mut learner = TableTd::new(&game, task, Td { rate: 0.1 }, Exploration::Greedy);
            for number in 0..games {
                let mut rng = Rng::stream(seed, number);
                let start = game.start(&mut rng);
                learner.episode(start, &mut rng);
            }
            let mut player = AfterstateTablePolicy::new(&values, &view, &pay, 0.8);
            let scores = (0..play).map(|number| {
                Episode::play(&game, &mut player, &mut Rng::stream(!seed, number)).score
            });
            Ok::<f64, Error>(scores.sum::<f64>() / play as f64)
        })?;
        let rows: Vec<f64> = rows.into_iter().collect::<Result<_, _>>()?;
        found.push(Found::played(names[1], "rows", mean(&rows)));
        let pairs = SeenMoves(view);
        let rows = each(session, names[2], |seed| {
            let values = table(pairs.size(), 0.0)?;
            let task = Task {
                table: &values,
                entries: &pairs,
                reward: &Pay::CARR,
                discount: 0.8,
                end: Some(-1_000.0),
                max_moves: 10_000,
            };
            let explore = Exploration::Greedy;
            let mut learner = Sarsa::new(&game, task, Control::Sarsa, 0.1, 0.5, explore);
            for number in 0..games {
                let mut rng = Rng::stream(seed, number);
                let start = game.start(&mut rng);
                learner.episode(start, &mut rng);
            }
            let mut player = ActionTablePolicy::new(&values, &pairs);
            let scores = (0..play).map(|number| {
                Episode::play(&game, &mut player, &mut Rng::stream(!seed, number)).score
            });
            Ok::<f64, Error>(scores.sum::<f64>() / play as f64)
        })?;
        let rows: Vec<f64> = rows.into_iter().collect::<Result<_, _>>()?;
        found.push(Found::played(names[2], "rows", mean(&rows)));
    }
    let shape = "none; no agent can be above the optimum of its well.";
    Ok(findings(&session.form, published, &found, Vec::new(), shape))
}
