//! Figure 4.4: ways to explore, optimistic, while learning.
//!
//! Published as a picture, see the shape. Differs: averages over seeds, and the exact optimum.

use super::explore::{ROWS, explore};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure4-4",
    title: "Exploration from values of 0, optimistic: learning",
    source: "Carr 2005, figure 4.4: 100 games of learning, 50 without",
    published: &[
        Published::not("greedy", ROWS),
        Published::not("epsilon-greedy", ROWS),
        Published::not("softmax", ROWS),
        Published::not("exact optimum", ROWS),
    ],
    differences: "The thesis gives an epsilon of 5% and no temperatures; ours cool from 30 to 1 over 30 games from optimistic values, and from 100 to 1 otherwise. Melax's rules and ours agree as far as the thesis tells them; the exact optimum is that of ours, so that no agent of ours can be below it.",
    rules: "tetris:6x2,melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    explore(
        session,
        published,
        0.0,
        true,
        "all three fall within forty games; greedy is the fastest and ends lowest, softmax and epsilon-greedy end together above it.",
    )
}
