//! Figures 8 to 12, scores and rounds against the discount: what the study says of their curves.

use super::REWARDS;
use super::discounts::{
    AT_ONE, BEST, CONVERGED, CREST, ENDLESS, LEAST, MOST, NOT_ITERATED, SIZES, Shown, three_pieces,
    with_7_pieces,
};
use crate::experiment::{Experiment, published};
use crate::verdict::{Figures, Statement};

/// Figures within this factor of each other count as equal.
const SIMILAR: f64 = 1.1;

const LIMITED: &str = "Rewards: r1 is the square of the lines cleared plus the number of moves in the \
    next state, r2 the square alone, r3 the moves alone; the study stopped after the iterations that its \
    section 5 gives, so we do; dashed curves are converged.";
const EXACT: &str = "Each of its points is a mean of a few games, of ten as in table 2 with an error \
    of 32%; ours are exact expectations.";
const TIES: &str = "Ties go to the first placement, row by row.";

/// The curve of a figure at a discount in tenths.
fn at(figures: &Figures, curve: &str, tenth: usize) -> Option<f64> {
    figures.curve(curve)?.get(tenth - 1).copied()
}

/// Whether something holds for every curve.
fn every(curves: &[&str], holds: impl Fn(&str) -> Option<bool>) -> Option<bool> {
    curves.iter().try_fold(true, |all, curve| Some(holds(curve)? && all))
}

/// Whether something holds at every discount, in tenths.
fn at_every(holds: impl Fn(usize) -> Option<bool>) -> Option<bool> {
    (1..=10).try_fold(true, |all, tenth| Some(holds(tenth)? && all))
}

/// Whether a curve rises from one discount to a later one, by more than a tenth.
fn rises(figures: &Figures, curve: &str, from: usize, to: usize) -> Option<bool> {
    Some(at(figures, curve, to)? > SIMILAR * at(figures, curve, from)?)
}

/// Whether the points of a curve between two discounts are similar.
fn stable(figures: &Figures, curve: &str, from: usize, to: usize) -> Option<bool> {
    let all = figures.curve(curve)?;
    let (low, high) = range(all.get(from - 1..to)?);
    Some(high <= SIMILAR * low)
}

fn range(all: &[f64]) -> (f64, f64) {
    all.iter().fold((f64::MAX, f64::MIN), |(low, high), &one| (low.min(one), high.max(one)))
}

/// Whether a curve is highest at a discount, or within a hundredth of it.
fn highest_at(figures: &Figures, curve: &str, tenth: usize) -> Option<bool> {
    Some(at(figures, curve, tenth)? * 1.01 >= range(&figures.curve(curve)?).1)
}

/// Whether the largest rise between neighbours of a curve is the last.
fn jumps_last(figures: &Figures, curve: &str) -> Option<bool> {
    let curve = figures.curve(curve)?;
    let rises: Vec<f64> = curve.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Some(*rises.last()? >= range(&rises).1 && *rises.last()? > 0.0)
}

/// Whether r1 is the highest curve at every discount, and by so much.
fn r1_leads(figures: &Figures, factor: f64) -> Option<bool> {
    at_every(|tenth| {
        let first = at(figures, "r1", tenth)?;
        Some(first >= factor * at(figures, "r2", tenth)?.max(at(figures, "r3", tenth)?))
    })
}

const JUMP: Statement = Statement {
    says: "Scores and rounds jump rapidly between values of gamma 0.9 and 1.",
    holds: |figures| every(&REWARDS, |curve| jumps_last(figures, curve)),
};

const HIGHEST_AT_ONE: Statement = Statement {
    says: "They attain the highest with gamma value 1.",
    holds: |figures| every(&REWARDS, |curve| highest_at(figures, curve, 10)),
};

const R1_AT_ONE: Statement = Statement {
    says: "Applying reward function 1 with gamma value 1 performs the best.",
    holds: |figures| {
        let best = at(figures, "r1", 10)?;
        every(&REWARDS, |curve| Some(best >= range(&figures.curve(curve)?).1))
    },
};

const PROPORTIONAL: Statement = Statement {
    says: "The score is directly proportional to the number of rounds survived.",
    holds: |figures| {
        every(&REWARDS, |case| Some(figures.of(case, MOST)? <= SIMILAR * figures.of(case, LEAST)?))
    },
};

const HUNDREDS: Statement = Statement {
    says: "Given seven pieces, [games] are able to survive at most hundreds of rounds.",
    holds: |figures| every(&REWARDS, |curve| Some(range(&figures.curve(curve)?).1 < 1_000.0)),
};

const ON_3X3: [Statement; 6] = [
    JUMP,
    HIGHEST_AT_ONE,
    R1_AT_ONE,
    Statement {
        says: "[That] of reward function 2 increased under values of gamma 0.3 and decreased \
            instantly under values of gamma 0.4.",
        holds: |figures| {
            let at = |tenth| at(figures, "r2", tenth);
            Some(at(3)? > at(2)? && at(4)? < at(3)?)
        },
    },
    Statement {
        says: "There is no remarkable trend between values of gamma 0.1 and 0.9, the scores rose \
            and fell without sequence.",
        holds: |figures| {
            every(&REWARDS, |curve| {
                let curve = figures.curve(curve)?;
                let both = curve.get(..9)?.windows(2).map(|pair| pair[1] / pair[0]);
                let (low, high) = range(&both.collect::<Vec<f64>>());
                Some(low < 0.99 && high > 1.01)
            })
        },
    },
    Statement {
        says: "Reward function 1 got the highest scores and survived the largest number of \
            round, though the difference between the three of them is small.",
        holds: |figures| {
            let similar = at_every(|tenth| {
                let all = [at(figures, "r1", tenth)?, at(figures, "r2", tenth)?];
                let (low, high) = range(&[all[0], all[1], at(figures, "r3", tenth)?]);
                Some(high <= 1.25 * low)
            });
            Some(r1_leads(figures, 1.0)? && similar?)
        },
    },
];

const ON_4X4: [Statement; 6] = [
    JUMP,
    HIGHEST_AT_ONE,
    R1_AT_ONE,
    Statement {
        says: "It rose between values of gamma 0.1 and 0.3 and fell [between] 0.3 and 0.5: a \
            little crest when the value of gamma is 0.3.",
        holds: |figures| {
            every(&REWARDS, |curve| {
                let at = |tenth| at(figures, curve, tenth);
                Some(at(3)? > at(1)? && at(4)? < at(3)? && at(5)? < at(3)?)
            })
        },
    },
    Statement {
        says: "Reward function 1 will get the highest score and survive the largest number of \
            rounds under any values of gamma.",
        holds: |figures| r1_leads(figures, 1.0),
    },
    Statement {
        says: "The difference with reward function 1 and other two reward function is quite \
            large.",
        holds: |figures| r1_leads(figures, 1.25),
    },
];

const fn with_rounds(all: [Statement; 6]) -> [Statement; 8] {
    let [a, b, c, d, e, f] = all;
    [a, b, c, d, e, f, PROPORTIONAL, HUNDREDS]
}

const ROUNDS_3X3: [Statement; 8] = with_rounds(ON_3X3);
const ROUNDS_4X4: [Statement; 8] = with_rounds(ON_4X4);

const REASONS_3X3: &[(&str, &str)] = &[
    ("Scores and rounds", "r1 does; r2 rises more between 0.8 and 0.9, and r3 between 0.7 and 0.8"),
    ("Applying reward function 1", "r2 scores 5% more at gamma 1"),
    ("There is no remarkable trend", "r1 and r3 never fall; a few games make noise"),
    (
        "Reward function 1 got",
        "r2 falls to about half of r1 between gamma 0.4 and 0.8, and r1 is not always the first",
    ),
    (
        "The score is directly",
        "r2 clears more lines at once: it makes 11.7 to 15.8 points per round",
    ),
];

/// Why the scores differ, and the rounds.
const SCORES_4X4: [(&str, &str); 4] = [
    ("r2", "its scores at 0.2 and 0.3 differ by a hundredth, which a few games cannot tell"),
    CREST_4X4,
    (
        "Reward function 1 will",
        "r3 is as good as r1, and a little better at 0.4 and 0.7; r3 after one iteration, which fits \
         table 2, is below r1 at every discount",
    ),
    BEYOND_4X4,
];

const CREST_4X4: (&str, &str) =
    ("It rose", "r2 falls to 0.5 as published, r1 to 0.4 only, and r3 rises all along");
const BEYOND_4X4: (&str, &str) =
    ("The difference with", "r1 and r3 differ by 13% at most; r2 is far below from 0.4 on");

const ROUNDS_REASONS_4X4: [(&str, &str); 7] = [
    (
        "r2",
        "its figures at 0.2 and 0.3 differ by a hundredth, and that of gamma 1 by a tenth, which a \
         few games cannot tell",
    ),
    ("They attain", "r2 has 417 rounds at gamma 1 and 466 at 0.2, which a few games cannot tell"),
    CREST_4X4,
    (
        "Reward function 1 will",
        "r3 is as good as r1, and better at 0.4, 0.5 and 0.7; r3 after one iteration, which fits \
         table 2, is below r1 at every discount",
    ),
    BEYOND_4X4,
    ("The score is directly", "r2 makes 8.3 points per round at small discounts and 13.8 at large"),
    (
        "Given seven pieces",
        "r1 and r3 have more than 2,000 rounds at gamma 1, and the study's own table 2 \
         (`tang-table2`) has 1,450.7 with r1 at gamma 0.8",
    ),
];

const ON_3X3_SCORES: Experiment = Experiment {
    name: "tang-figure9",
    title: "3x3 with 7 pieces: expected score against the discount",
    source: "Tang 2019, section 6.2.1, figure 9: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, AT_ONE; "r2" => BEST = 1.0, CREST = 0.3, AT_ONE;
        "r3" => BEST = 1.0, AT_ONE;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
    ],
    reasons: REASONS_3X3,
    statements: &ON_3X3,
    differences: &[LIMITED, EXACT, TIES],
    rules: "1010:3x3,pieces=7,score=square",
    measure: |experiment, cache| with_7_pieces(experiment, cache, 3, Shown::Score),
    ..Experiment::NONE
};

const ON_4X4_SCORES: Experiment = Experiment {
    name: "tang-figure11",
    title: "4x4 with 7 pieces: expected score against the discount",
    source: "Tang 2019, section 6.2.2, figure 11: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, CREST = 0.3, AT_ONE; "r2" => BEST = 1.0, CREST = 0.3, AT_ONE;
        "r3" => BEST = 1.0, AT_ONE;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
        NOT_ITERATED => AT_ONE;
    ],
    reasons: &SCORES_4X4,
    statements: &ON_4X4,
    differences: &[
        LIMITED,
        EXACT,
        "At gamma 1 the converged policies live ten times longer, for 16 iterations look 16 moves ahead.",
        "r3 after one iteration, the same at any discount, is drawn because it fits table 2.",
        TIES,
    ],
    minutes: 2,
    rules: "1010:4x4,pieces=7,score=square",
    measure: |experiment, cache| with_7_pieces(experiment, cache, 4, Shown::Score),
    ..Experiment::NONE
};

pub(super) const FIGURE8: Experiment = Experiment {
    name: "tang-figure8",
    title: "3 pieces: score of 10,000 rounds against the discount",
    source: "Tang 2019, section 6.1, figure 8: curves without numbers",
    published: published![
        SIZES[0] => BEST = 0.9, ENDLESS; SIZES[1] => BEST = 0.9, ENDLESS;
        SIZES[2] => BEST = 0.9, ENDLESS; SIZES[3] => BEST = 0.9, ENDLESS;
    ],
    statements: &[
        Statement {
            says: "In 3 x 3 board, an increase is found between values of gamma 0.3 and 0.5.",
            holds: |figures| rises(figures, SIZES[1], 3, 5),
        },
        Statement {
            says: "After the increase, the scores remain stable [on 3 x 3].",
            holds: |figures| stable(figures, SIZES[1], 5, 10),
        },
        Statement {
            says: "In 4 x 4 board, an increase is found between values of gamma 0.5 and 0.9.",
            holds: |figures| rises(figures, SIZES[3], 5, 9),
        },
        Statement {
            says: "After the increase, the scores maintain stable [on 4 x 4].",
            holds: |figures| stable(figures, SIZES[3], 9, 10),
        },
        Statement {
            says: "The value of gamma 0.9 will get the highest scores with games of three pieces.",
            holds: |figures| every(&SIZES, |curve| highest_at(figures, curve, 9)),
        },
        Statement {
            says: "There is no remarkable effect on changing values of gamma while applying reward \
                function 1.",
            holds: |figures| every(&[SIZES[0], SIZES[2]], |curve| stable(figures, curve, 1, 9)),
        },
        Statement {
            says: "There is a significant drop when gamma was 1 while applying reward function 1.",
            holds: |figures| {
                every(&[SIZES[0], SIZES[2]], |curve| {
                    Some(at(figures, curve, 9)? > SIMILAR * at(figures, curve, 10)?)
                })
            },
        },
        Statement {
            says: "The scores of the game with 4 x 4 board are lower than that with 3 x 3 board \
                under all circumstances.",
            holds: |figures| {
                at_every(|tenth| {
                    let at = |curve| at(figures, curve, tenth);
                    Some(at(SIZES[2])? < at(SIZES[0])? && at(SIZES[3])? < at(SIZES[1])?)
                })
            },
        },
        Statement {
            says: "Obviously, applying reward function 2 got more scores than applying reward \
                function 1.",
            holds: |figures| {
                at_every(|tenth| {
                    let at = |curve| at(figures, curve, tenth);
                    Some(at(SIZES[1])? > at(SIZES[0])? && at(SIZES[3])? > at(SIZES[2])?)
                })
            },
        },
        Statement {
            says: "For games with three pieces, the highest score would be obtained by applying reward \
                function 2 with the value of gamma 0.9.",
            holds: |figures| {
                every(&[[SIZES[0], SIZES[1]], [SIZES[2], SIZES[3]]].concat(), |curve| {
                    let r2 = if SIZES[..2].contains(&curve) { SIZES[1] } else { SIZES[3] };
                    Some(1.01 * at(figures, r2, 9)? >= range(&figures.curve(curve)?).1)
                })
            },
        },
        Statement {
            says: "Games with three pieces can survive infinite rounds in most of the time.",
            holds: |figures| every(&SIZES, |case| Some(figures.of(case, ENDLESS)? > 5.0)),
        },
    ],
    reasons: &[
        (
            SIZES[1],
            "after 20 iterations gamma 0.9 plays as 0.7 and 0.8, 11% below gamma 1; converged, \
             0.9 is within a hundredth of gamma 1",
        ),
        (SIZES[3], "the scores of 0.9 and 1 differ by less than a hundredth"),
        ("After the increase, the scores remain", "r2 falls by 11% between gamma 0.6 and 0.7"),
        ("The value of gamma 0.9", "r2 on 3x3 scores 13% more at gamma 1"),
        ("There is no remarkable", "r1 on 3x3 rises by 18% between gamma 0.6 and 0.7"),
        ("There is a significant drop", "r1 scores the same at 0.9 and 1"),
        ("The scores of the game", "r2 at gamma 0.9 scores 1% more on 4x4; converged, it does not"),
        ("Obviously", "r1 scores 2% more than r2 on 4x4 up to gamma 0.3"),
        ("For games with three pieces", "r2 has the highest score, on 3x3 at gamma 1 (13% more)"),
    ],
    differences: &[
        LIMITED,
        "Ours are expectations over all games, also of those that end early where a policy can \
        lose; the study's are means of a few games.",
        TIES,
    ],
    rules: "1010:3x3,pieces=3,score=square and 1010:4x4,pieces=3,score=square",
    measure: three_pieces,
    ..Experiment::NONE
};

pub(super) const FIGURE9: Experiment = ON_3X3_SCORES;

pub(super) const FIGURE10: Experiment = Experiment {
    name: "tang-figure10",
    title: "3x3 with 7 pieces: expected rounds against the discount",
    source: "Tang 2019, section 6.2.1, figure 10: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, AT_ONE, LEAST, MOST; "r2" => BEST = 1.0, CREST = 0.3, AT_ONE, LEAST, MOST;
        "r3" => BEST = 1.0, AT_ONE, LEAST, MOST;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
    ],
    statements: &ROUNDS_3X3,
    measure: |experiment, cache| with_7_pieces(experiment, cache, 3, Shown::Rounds),
    ..ON_3X3_SCORES
};

pub(super) const FIGURE11: Experiment = ON_4X4_SCORES;

pub(super) const FIGURE12: Experiment = Experiment {
    name: "tang-figure12",
    title: "4x4 with 7 pieces: expected rounds against the discount",
    source: "Tang 2019, section 6.2.2, figure 12: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, CREST = 0.3, AT_ONE, LEAST, MOST;
        "r2" => BEST = 1.0, CREST = 0.3, AT_ONE, LEAST, MOST;
        "r3" => BEST = 1.0, AT_ONE, LEAST, MOST;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
        NOT_ITERATED => AT_ONE;
    ],
    reasons: &ROUNDS_REASONS_4X4,
    statements: &ROUNDS_4X4,
    measure: |experiment, cache| with_7_pieces(experiment, cache, 4, Shown::Rounds),
    ..ON_4X4_SCORES
};
