//! What the thesis says of discounts, traces, softmax, differences and of its agents side by side.

use super::{ARRIVED, SAME, played};
use crate::carr::asides::{ALL_HOLES, EMPTY, FILLED, FOUR, LASTING, ROWS_ONLY, THESIS};
use crate::carr::melax_figures::TRACES;
use crate::carr::studies::{FROM_0, FROM_BELOW};
use crate::carr::{END, GAMES, JUMP, PUSHED_END, ROWS, TRACED};
use crate::measure::Value;
use crate::verdict::{Figures, Statement, all, any, not};

/// Rows that a learner of Melax's well pushes out when it plays.
fn pushed(figures: &Figures, case: &str) -> Option<Value> {
    played(figures, case, PUSHED_END)
}

/// The same while it learns.
fn learning(figures: &Figures, case: &str) -> Option<Value> {
    figures.value(case, PUSHED_END)
}

/// Both.
type Rows = fn(&Figures, &str) -> Option<Value>;
const BOTH: [Rows; 2] = [pushed, learning];

pub(in crate::carr) const DISCOUNT: &[Statement] = &[
    Statement {
        // The least rows of all discounts at this rate, or as few.
        says: "Melax found that the optimal policy was discovered with a gamma term of 0.8",
        holds: |figures| {
            let others = ["0", "0.5", "0.7", "0.9", "0.95", "0.99"];
            let rows = |discount: &str| figures.value(&format!("discount {discount}"), PUSHED_END);
            let best = rows("0.8")?;
            all(others.map(|discount| not(best.above(rows(discount)?.times(1.0 + SAME)))))
        },
    },
    Statement {
        // From 0.7 to 0.9, beside the rate from 0.02 to 0.2.
        says: "Adjusting the gamma term has far less tangible results",
        holds: |figures| {
            let rows = |case: &str| figures.of(case, PUSHED_END);
            let base = rows("discount 0.8")?;
            let by_rate = (rows("rate 0.2")? - base).abs();
            let low = (rows("discount 0.7")? - base).abs();
            Some(low.max((rows("discount 0.9")? - base).abs()) < 0.5 * by_rate)
        },
    },
];

/// Whether one of some learners with traces comes to the end of the one without, which is the first, in fewer
/// games, and ends as low.
fn accelerated(figures: &Figures, learners: [(&str, f32); 4], rows: Rows) -> Option<bool> {
    let [(without, _), traced @ ..] = learners;
    let end = rows(figures, without)?;
    any(traced.map(|(with, _)| {
        let as_low = not(rows(figures, with)?.above(end.times(1.0 + SAME)));
        all([figures.more(TRACED, without, with), as_low])
    }))
}

pub(in crate::carr) const LAMBDA: &[Statement] = &[
    Statement {
        // Of state-action pairs, which Sarsa learns.
        says: "Learning can be accelerated through the use of eligibility traces that update all state-action \
            pairs following every transition.",
        holds: |figures| accelerated(figures, TRACES[1], learning),
    },
    Statement {
        // They do in TD what they do in Sarsa.
        says: "Eligibility traces can be equally validly applied within the TD approach, resulting in TD(lambda).",
        holds: |figures| accelerated(figures, TRACES[0], pushed),
    },
];

pub(in crate::carr) const SOFTMAX: &[Statement] = &[
    Statement {
        says: "Softmax seems like an incredibly useful approach to exploring the state space",
        holds: |figures| {
            let better = |(rows, cases): (Rows, [&str; 4])| {
                rows(figures, cases[3])?.above(rows(figures, cases[0])?)
            };
            all(BOTH.into_iter().flat_map(|rows| [(rows, FROM_0), (rows, FROM_BELOW)]).map(better))
        },
    },
    Statement {
        // One setting for both initial values, against a schedule for each; softmax has its power while
        // it learns, too.
        says: "Redefining the method in terms of tangible values [...] would provide the power of \
            Softmax without the implementation overhead",
        holds: |figures| {
            let as_good = |number: usize| {
                let near = |(rows, cases): (Rows, [&str; 4])| {
                    let softmax = rows(figures, cases[0])?.times(1.0 + SAME);
                    not(rows(figures, cases[number])?.above(softmax))
                };
                let both = BOTH.into_iter();
                all(both.flat_map(|rows| [(rows, FROM_0), (rows, FROM_BELOW)]).map(near))
            };
            any([as_good(1), as_good(2)])
        },
    },
];

pub(in crate::carr) const FUZZY: &[Statement] = &[Statement {
    says: "The agent will therefore generalise for any height difference greater than three [...] \
        this assumption seems fair to make",
    holds: |figures| {
        let rows = |case: &str| played(figures, case, END);
        let others = ["capped at 4", "four sets", "five sets"];
        let capped = rows("capped at 3")?;
        all(others.map(|case| not(rows(case)?.times(1.0 - ARRIVED).above(capped))))
    },
}];

pub(in crate::carr) const AGENTS: &[Statement] = &[
    Statement {
        says: "As the well width is increased the performance of the TD(0) agent deteriorates \
            drastically",
        holds: |figures| {
            let rows = |case| played(figures, case, END);
            rows("TD(0) four")?.above(rows("TD(0) fiver")?.times(10.0))
        },
    },
    Statement {
        says: "the Sarsa(lambda) agent takes longer to train then the TD(0) player",
        holds: |figures| {
            let later = |width: &str| {
                let games = |agent: &str| figures.value(&format!("{agent} {width}"), JUMP);
                games("Sarsa(lambda)")?.above(games("TD(0)")?)
            };
            all([later("four"), later("fiver")])
        },
    },
    Statement {
        says: "the same agent [Sarsa], functioning within a different Tetris definition and [...] with \
            the aid of eligibility traces, completely outperforms the competing TD(0) agent",
        holds: |figures| {
            let more = |width: &str| {
                let rows = |agent: &str| played(figures, &format!("{agent} {width}"), END);
                rows("Sarsa(lambda)")?.above(rows("TD(0)")?.times(2.0))
            };
            all([more("four"), more("fiver")])
        },
    },
    Statement {
        says: "The performance was still impressive as the well width was increased, although the \
            required training time greatly increased",
        holds: |figures| {
            let games = |case| figures.value(case, JUMP);
            let later =
                games("Sarsa(lambda) fiver")?.above(games("Sarsa(lambda) four")?.times(2.0));
            all([played(figures, "Sarsa(lambda) fiver", END)?.exceeds(1_000.0), later])
        },
    },
];

pub(in crate::carr) const SAME_GAMES: &[Statement] = &[Statement {
    says: "Driessens results are not impressive in light of the competition",
    holds: |figures| figures.value("200 games, beside RRL-TG after 5,000", ROWS)?.exceeds(35.0),
}];

pub(in crate::carr) const FIGURE_2_5: &[Statement] = &[
    Statement {
        says: "The mirror symmetry results are far superior to the results achieved by any other method",
        holds: |figures| {
            let rows = |case| figures.value(case, PUSHED_END);
            rows("cells")?.times(1.0 - SAME).above(rows("cells, mirrored")?)
        },
    },
    Statement {
        // Figures 2.5 and 4.3 tell it twice; the thesis' own is the expectation.
        says: "This optimisation [...] should have sped up the learning process while converging on the \
            same solution",
        holds: |figures| {
            let rows = |case| figures.value(case, PUSHED_END);
            let alike = rows("cells, mirrored")?.same(rows("cells")?, SAME);
            all([alike, figures.more(GAMES, "cells", "cells, mirrored")])
        },
    },
    Statement {
        says: "by the end of the first game, the agent [that sees contours] settles on a policy that \
            produces a result far superior to the original Melax result",
        holds: |figures| {
            let better = |view| {
                let soon = not(figures.value(view, GAMES)?.exceeds(1.0));
                let rows = |case| figures.value(case, PUSHED_END);
                all([soon, rows("cells")?.times(1.0 - SAME).above(rows(view)?)])
            };
            any(["signs of differences", "differences"].map(better))
        },
    },
];

pub(in crate::carr) const FIGURE_5_5: &[Statement] = &[Statement {
    says: "The agent had completed twelve million rows and had an almost empty well",
    // That games last is a count; how full they are is a mean.
    holds: |figures| {
        let lasts = figures.of(FOUR, LASTING).map(|part| part > 0.0);
        all([lasts, not(figures.value(FOUR, FILLED)?.exceeds(10.0))])
    },
}];

pub(in crate::carr) const REWARDS: &[Statement] = &[
    Statement {
        says: "the Sarsa(lambda) agent performed poorly due to the sparsity of rewards [for rows]",
        holds: |figures| {
            figures.value(THESIS, END)?.times(0.5).above(figures.value(ROWS_ONLY, END)?)
        },
    },
    Statement {
        says: "Without this restriction [to three holes] these vallies become too formidable to be \
            contained and therefor lead to the eventual termination of the agent",
        holds: |figures| {
            let rows = |case| played(figures, case, END);
            rows(THESIS)?.times(0.5).above(rows(ALL_HOLES)?)
        },
    },
];

pub(in crate::carr) const SECTION_6_1: &[Statement] = &[Statement {
    says: "[The averaging approach] resulted in the agent achieving zero rows regularly, and completing a \
        flood of rows alternatively",
    holds: |figures| figures.value("average", EMPTY)?.exceeds(10.0),
}];
