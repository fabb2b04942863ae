//! What the study says of its curves over the discount, each sentence decided by the measured ones.

use super::REWARDS;
use super::discounts::{ENDLESS, LEAST, MOST, SIZES};
use crate::verdict::{Figures, Statement};

/// Figures within this factor of each other count as equal.
const SIMILAR: f64 = 1.1;

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

pub(super) const ON_3X3: [Statement; 6] = [
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

pub(super) const ON_4X4: [Statement; 6] = [
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

pub(super) const ROUNDS_3X3: [Statement; 8] = with_rounds(ON_3X3);
pub(super) const ROUNDS_4X4: [Statement; 8] = with_rounds(ON_4X4);

/// What the study says of figure 8.
pub(super) const WITH_3_PIECES: [Statement; 11] = [
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
];
