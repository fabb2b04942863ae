//! What chapters 5 and 6 say of contour agents.

use super::{ARRIVED, between, most_below, played, scatter};
use crate::carr::{END, JUMP, ROWS};
use crate::experiment::Quantity;
use crate::measure::Value;
use crate::verdict::{Figures, Statement, all, not};

const SARSA: &str = "Sarsa(lambda)";
const PENALTIES: &str = "Sarsa(lambda), penalties only";
const HOLES: &str = "TD(0), holes punished";

/// The rewards as the thesis prints them, without one for lost height.
const BY_PENALTIES: Statement = Statement {
    says: "We settled on a reward scheme where the agent is punished one hundred points for each block in \
        height the well is increased and forty points for every hole that is covered",
    // The agent learns by them: as many rows as the thesis has of five columns.
    holds: |figures| played(figures, PENALTIES, END)?.exceeds(FIVER_ROWS),
};

/// The rows of Sarsa(lambda) fiver in its own well, as published.
const FIVER_ROWS: f64 = 10_000.0;

/// The same of our agents.
const OUR_FIVER_ROWS: f64 = 54_617.0;

/// The rows of our TD(0) fiver in its own well without learning.
const OUR_TD_FIVER_ROWS: f64 = 295.0;

/// The rows of our four in a well of five, by the largest value.
const FOUR_IN_FIVE: Value = Value { value: 379.0, ci95: Some((322.0, 436.0)), at_least: false };

/// Figures that sentences of one page take from another, as that page shows those without learning: the
/// experiment, the case, what is measured. A test compares them.
pub const FIGURES_OF_OTHER_PAGES: [(&str, &str, Quantity, Value); 3] = [
    ("carr-figure5-6", SARSA, END, Value { value: OUR_FIVER_ROWS, ci95: None, at_least: false }),
    (
        "carr-figure5-2",
        "TD(0)",
        END,
        Value { value: OUR_TD_FIVER_ROWS, ci95: None, at_least: false },
    ),
    ("carr-figure6-1", "largest", ROWS, FOUR_IN_FIVE),
];

/// No game of learning of figure 5.1 has more rows: it is truncated after 200,000 pieces, of 2.4 cells on average,
/// four to a row.
const MOST_ROWS: f64 = 1.01 * 200_000.0 * 2.4 / 4.0;

pub(in crate::carr) const FIGURE_5_1: &[Statement] = &[
    Statement {
        says: "the performance jumps two orders of magnitude",
        holds: |figures| {
            let untrained = figures.value("untrained", END)?;
            figures.value("TD(0)", END)?.above(untrained.times(100.0))
        },
    },
    Statement {
        // After the jump, of games that are truncated after some 120,000 rows. By the means alone it is nearly
        // half of them, by their scatter more.
        says: "over a hundred thousand rows the majority of the time",
        holds: |figures| {
            let most = most_below(figures, "TD(0)", 50.0, 100_000.0, MOST_ROWS)?;
            (most < 0.5).then_some(true)
        },
    },
    Statement {
        says: "and occasionally manages to complete almost a million rows",
        // Truncated games have fifteen million rows.
        holds: |figures| Some(figures.truncated("TD(0)")? > 0),
    },
    Statement {
        says: "If the untrained TD(0) agent has its learning ability disabled [...] it still \
            completes rows",
        holds: |figures| figures.value("untrained", END)?.exceeds(1.0),
    },
    Statement {
        says: "the introduction of the covered hole penalty actually had a negative impact on the \
            agent playing in the well of width four",
        holds: |figures| played(figures, "TD(0)", END)?.above(played(figures, HOLES, END)?),
    },
];

pub(in crate::carr) const FIGURE_5_2: &[Statement] = &[
    Statement {
        says: "As the well width is increased the performance of the TD(0) agent deteriorates \
            drastically",
        // A tenth of what the thesis has of four columns.
        holds: |figures| not(played(figures, "TD(0)", END)?.exceeds(100_000.0 / 10.0)),
    },
    Statement {
        says: "The agent in the well of width five started to avoid introducing holes, but did not \
            improve appreciably",
        holds: |figures| {
            let rows = |case| figures.value(case, END);
            not(rows(HOLES)?.above(rows("TD(0)")?.times(1.0 + ARRIVED)))
        },
    },
];

pub(in crate::carr) const FIGURE_5_4: &[Statement] = &[
    Statement {
        says: "The agent was left to play for a day and had to be forcibly terminated",
        holds: |figures| played(figures, SARSA, END)?.exceeds(12_000_000.0),
    },
    Statement {
        // The thesis' own TD(0) jumps after nineteen.
        says: "the Sarsa(lambda) agent takes longer to train then the TD(0) player",
        holds: |figures| figures.value(SARSA, JUMP)?.exceeds(19.0),
    },
    BY_PENALTIES,
];

pub(in crate::carr) const FIGURE_5_6: &[Statement] = &[
    Statement {
        // Twice the rows of the games before.
        says: "After around seven hundred games the rate of improvement increases",
        holds: |figures| {
            let before = between(figures, SARSA, 500.0, 700.0)?;
            between(figures, SARSA, 700.0, 900.0)?.above(before.times(2.0))
        },
    },
    Statement {
        says: "steadily improving over the course of its lifespan",
        holds: |figures| {
            let blocks = [(0.0, 1_000.0), (1_000.0, 2_000.0), (2_000.0, 4_000.0)];
            let rows = blocks.map(|(from, to)| between(figures, SARSA, from, to));
            all(rows.windows(2).map(|pair| pair[1]?.above(pair[0]?)))
        },
    },
    BY_PENALTIES,
];

pub(in crate::carr) const FIGURE_6_1: &[Statement] = &[
    Statement {
        says: "the averaging of the subtransitions offers a distinct advantage over taking the \
            largest subtransition alone",
        holds: |figures| figures.more(ROWS, "average", "largest"),
    },
    Statement {
        says: "the extended agent lacks the abilities of either of its target agents",
        holds: |figures| {
            let less = |case| not(figures.value(case, ROWS)?.exceeds(FIVER_ROWS));
            all(["average", "largest"].map(less))
        },
    },
];

pub(in crate::carr) const FIGURE_6_2: &[Statement] = &[
    Statement {
        says: "the selection of the biggest subtransitions inspires the best performance",
        holds: |figures| figures.more(ROWS, "largest", "average"),
    },
    Statement {
        says: "Sarsa(lambda) fiver still exhibits ability",
        holds: |figures| figures.more(ROWS, "largest", "at random"),
    },
    Statement {
        says: "any comparison with its original results makes the extended results seem \
            numerically unacceptable",
        // Of the same agents, which `carr-figure5-6` measures.
        holds: |figures| not(figures.value("largest", ROWS)?.exceeds(0.1 * OUR_FIVER_ROWS)),
    },
];

const FIVER: Statement = Statement {
    says: "Both investigations revealed a distinct advantage to Sarsa(lambda) fiver",
    holds: |figures| figures.more(ROWS, "fiver", "four"),
};

pub(in crate::carr) const FIGURE_6_3: &[Statement] = &[
    FIVER,
    Statement {
        // The four by the same method in a well of five, which `carr-figure6-1` measures.
        says: "the further we extrapolate the less accurate the results obtained become",
        holds: |figures| FOUR_IN_FIVE.above(figures.value("four", ROWS)?),
    },
    Statement {
        // Four columns by the mean of the five reduced pieces, which have 1, 2, 2, 3 and 4 cells.
        says: "In narrow wells there is a rapid turnover of rows since two tetrominoes on average \
            complete a row",
        holds: |_| Some((4.0_f64 / (f64::from(1 + 2 + 2 + 3 + 4) / 5.0)).round() == 2.0),
    },
];

/// Whether an agent of standard pieces clears more rows than random moves, and fewer than the agent of
/// reduced pieces in the same well.
fn retained(figures: &Figures, reduced: f64) -> Option<bool> {
    let rows = figures.value("five columns", ROWS)?;
    all([rows.above(figures.value("at random", ROWS)?), not(rows.exceeds(reduced))])
}

const RETAINED: &str = "We assumed that if learning was attained, it would be retained when using different \
    tetromino sets, although almost certainly to a lesser extent.";

/// Figure 6.7. What `carr-figure5-2` measures is the agent of reduced pieces.
pub(in crate::carr) const FIGURE_6_7: &[Statement] =
    &[Statement { says: RETAINED, holds: |figures| retained(figures, OUR_TD_FIVER_ROWS) }];

/// Figure 6.8. What `carr-figure5-6` measures is the agent of reduced pieces.
pub(in crate::carr) const FIGURE_6_8: &[Statement] =
    &[Statement { says: RETAINED, holds: |figures| retained(figures, OUR_FIVER_ROWS) }];

/// Games scatter by more than half of their mean.
const SCATTER: Statement = Statement {
    says: "Both figure 6.6 and [6.5] show a great deal of scatter",
    holds: |figures| Some(scatter(figures, "largest")? > 0.5),
};

/// Figure 6.4.
pub(in crate::carr) const FIVER_IS_BETTER: &[Statement] = &[FIVER];

/// The approach that should clear more rows.
const BIGGEST: Statement = Statement {
    says: "We therefore adopt the biggest transition approach",
    holds: |figures| figures.more(ROWS, "largest", "average"),
};

pub(in crate::carr) const FIGURE_6_5: &[Statement] = &[
    BIGGEST,
    SCATTER,
    Statement {
        says: "The results shown for TD(0) are fairly unimpressive",
        holds: |figures| not(figures.value("largest", ROWS)?.exceeds(10.0)),
    },
];

pub(in crate::carr) const FIGURE_6_6: &[Statement] = &[SCATTER, BIGGEST];
