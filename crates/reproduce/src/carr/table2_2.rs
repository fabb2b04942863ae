//! Table 2.2: relational reinforcement learning on full Tetris, as context.
//!
//! Published (Driessens 2004): 10, 12 and 30 to 40 rows. Ours beside it: contour agents on the
//! same game.

use afterstate_games::Combine::Largest;

use super::contour::{sarsa, td};
use super::sized;
use super::wide::{Place, wider};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-table2-2",
    title: "Relational reinforcement learning on full Tetris, as context",
    source: "Carr 2005, table 2.2 (Driessens 2004): average rows after 5,000, 50 and 10 to 20 games",
    published: &[
        Published::new("RRL-TG", ROWS, 10.0),
        Published::new("RRL-RIB", ROWS, 12.0),
        Published::new("RRL-KBR, 30 to 40", ROWS, 35.0),
        Published::not("Sarsa(lambda) fiver, mirrored", ROWS),
        Published::not("TD(0) fiver", ROWS),
        Published::not("at random", ROWS),
    ],
    differences: "The three relational results are quoted, not measured again: they are not \
        learned by tables. Ours are the contour agents of figure 6.9 on the same game.",
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 2, 20, 100);
    let cut = sized(&session.form, 50, 20_000, 1_000_000);
    let place = Place { width: 10, standard: true, combine: Largest, games, cut };
    let cases = [
        ("Sarsa(lambda) fiver, mirrored", sarsa(session, 5, true, true), place),
        ("TD(0) fiver", td(session, 5, true), place),
    ];
    let shape = "three numbers, of which RRL-KBR's fell again after 20 to 30 games more.";
    wider(session, published, "Contour agents on full Tetris", &cases, shape)
}
