//! Table 4: the weights of the 21 features.

use afterstate_agents::agent::features;
use afterstate_core::threads;
use afterstate_render::chart::{Axis, Line};

use super::lspi::learn;
use super::{board, results, rewards};
use crate::TrainingCache;
use crate::charts::chart;
use crate::experiment::Quantity::{Named, Ratio, Weight};
use crate::experiment::{Experiment, Measured, Measurement, Published, Quantity, published};
use crate::measure::Value;
use crate::verdict::{Figures, Statement, all, not};

const ACROSS: &str = "mean run of holes across";
const DOWN: &str = "mean run of holes down";
const FULL: &str = "full cells";
const BLANK: &str = "blank cells";
const MOVES_OF_3X3: &str = "moves of 3x3";
const PARTS: &str = "blank parts";
const REWARD: &str = "reward";
const SURVIVAL: &str = "survival";
const ONE: &str = "one";

/// What is determined of the three weights that are not.
const BLANK_LESS_FULL: &str = "blank cells less full cells";
const ONE_AND_CELLS: &str = "one and 100 full cells";

const SAME_SIGN: Quantity = Named("weights of the published sign");
const KNOWN_SIGN: Quantity = Named("weights with a sign that all trainings share");
const DETERMINED: &str = "the 18 determined weights";

/// The weights of table 4, in the order of the features.
pub(super) const PUBLISHED_WEIGHTS: &[Published] = published![
    ACROSS => Weight = 45.232; "longest run of holes across" => Weight = -0.37348;
    DOWN => Weight = 39.333; "longest run of holes down" => Weight = 1.7828;
    FULL => Weight = 2.1548; BLANK => Weight = 4.6361; "moves of 1x5" => Weight = -3.6278;
    "moves of 5x1" => Weight = -3.1456; MOVES_OF_3X3 => Weight = -1.88584;
    "largest blank square" => Weight = 0.43437; "largest blank rectangle" => Weight = 0.46786;
    "distance from the edge" => Weight = -0.161435; "blank rows" => Weight = 1.3728;
    "blank columns" => Weight = -0.37325; PARTS => Weight = -6.5215;
    "full parts" => Weight = 0.1263; "largest blank part" => Weight = -0.45505;
    "largest full part" => Weight = -0.16362; REWARD => Weight = 0.18772;
    SURVIVAL => Weight = 1285.25; ONE => Weight = -1669.6;
];

/// The mean of all trainings, with its interval: what the method is expected to learn.
const MEAN: Quantity = Ratio("weight, mean of the trainings");

/// The weights that the equations determine, two sums for the three that they do not, and signs.
const ROWS: [Published; 42] = {
    let mut rows = [Published::nothing(DETERMINED, SAME_SIGN); 42];
    rows[1] = Published::nothing(DETERMINED, KNOWN_SIGN);
    rows[2] = Published::nothing(BLANK_LESS_FULL, Weight).with(4.6361 - 2.1548);
    rows[3] = Published::nothing(ONE_AND_CELLS, Weight).with(-1669.6 + 215.48);
    let (mut from, mut to) = (0, 4);
    while from < 20 {
        if from != 4 && from != 5 {
            rows[to] = PUBLISHED_WEIGHTS[from];
            to += 1;
        }
        from += 1;
    }
    while to < 42 {
        rows[to] = Published::nothing(rows[to - 20].case, MEAN);
        to += 1;
    }
    rows
};

/// The weights of the table, without their means.
const WEIGHTS: std::ops::Range<usize> = 2..22;

const OUTSIDE: &str = "five of 20 figures lie outside of an interval of 95%, more than chance explains: the study \
    trained for another length, or its features differ somewhat from ours";

pub(super) const TABLE4: Experiment = Experiment {
    name: "tang-table4",
    title: "The weights of 21 features by LSPI on 10x10",
    source: "Tang 2019, section 11.2.2, table 4",
    published: &ROWS,
    repeats: true,
    reasons: &[
        (ACROSS, OUTSIDE),
        (DOWN, OUTSIDE),
        (MOVES_OF_3X3, OUTSIDE),
        ("blank rows", OUTSIDE),
        (REWARD, OUTSIDE),
        ("Another a relatively", "it is the least, but the interval of its mean contains 0"),
        ("For phi_19", "it is less than a tenth of phi_1, but the interval of its mean is not"),
        (
            "phi_7",
            "phi_9 is positive on average, if only a little, and single trainings have either sign",
        ),
    ],
    statements: &[
        Statement {
            says: "The highest weight value is contributed by the expected value of survival.",
            holds: |figures| above_all(figures, &[SURVIVAL]),
        },
        Statement {
            says: "The second highest values is contributed by phi_1 and phi_3, the average \
                horizontal and vertical consecutive holes.",
            holds: |figures| above_all(figures, &[SURVIVAL, ACROSS, DOWN]),
        },
        Statement {
            says: "Another a relatively larger weight is contributed by phi_15, number of component \
                of blank space, which is a negative value.",
            holds: |figures| not(figures.value(PARTS, MEAN)?.exceeds(0.0)),
        },
        Statement {
            // Within a tenth of the weight of phi_1.
            says: "For phi_19, reward when taking action a, its weighting is nearly zero.",
            holds: |figures| {
                let tenth = 0.1 * figures.of(ACROSS, MEAN)?.abs();
                figures.value(REWARD, MEAN)?.between(-tenth, tenth)
            },
        },
        Statement {
            says: "phi_7, phi_8, phi_9, which are related to the number of action of pieces, is even \
                in a negative value.",
            holds: |figures| {
                let negative = |case| not(figures.value(case, MEAN)?.exceeds(0.0));
                all(["moves of 1x5", "moves of 5x1", MOVES_OF_3X3].map(negative))
            },
        },
    ],
    differences: &[
        "Full cells, blank cells and the constant say the same thrice, so only two sums of their \
        weights are determined, which stand in their place; the study inverted a singular matrix.",
        "Intervals of weights are those that one training lies in with 95%, for the study trained \
        once; sentences about the method are judged by the means of our trainings, with theirs.",
        "How long it trained is not said: of the three lengths in the note we show 20,000 moves, some \
        100 games, the longest at which most of its weights lie inside.",
        "After 200,000 moves, where the weights are known better, fewer than half do: those of the \
        study had not converged, or its features differ somewhat from ours.",
    ],
    minutes: 5,
    rules: "1010:10x10,pieces=19",
    measure,
    ..Experiment::NONE
};

/// Whether each of some determined weights of single features is above all others.
fn above_all(figures: &Figures, first: &[&str]) -> Option<bool> {
    let others = || ROWS[4..22].iter().map(|one| one.case).filter(|case| !first.contains(case));
    all(first.iter().flat_map(|case| others().map(|other| figures.more(MEAN, case, other))))
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    // The figures are those of the last length, of which more trainings are needed.
    let lengths = cache.scale.pick([
        [(50, 2), (60, 2), (100, 2)],
        [(500, 4), (1_000, 4), (2_000, 4)],
        [(2_000, 30), (200_000, 30), (20_000, 300)],
    ]);
    let game = board(10, "19")?;
    let [_, r2, _] = rewards();
    let names = features(&game, "tang")?.names();
    let (mut measured, mut notes, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for (moves, seeds) in lengths {
        cache.observer.begin(&format!("{seeds} trainings of {moves} moves"))?;
        cache.check_stopped()?;
        measured.clear();
        points.clear();
        let first = cache.seed;
        let learn = |seed| learn(first, &game, "tang", r2, moves, 200 + seed as u64);
        let learned = threads::map(cache.threads, seeds, learn);
        let learned = learned.into_iter().collect::<Result<Vec<_>, _>>()?;
        let weights = |case: &str| -> Vec<f64> {
            let at = names.iter().position(|name| name == case);
            let of = |at: usize| learned.iter().map(move |one| f64::from(one.weights()[at]));
            at.map(|at| of(at).collect()).unwrap_or_default()
        };
        let sum = |case: &str, factor: f64, other: &str| -> Vec<f64> {
            let pairs = weights(case).into_iter().zip(weights(other));
            pairs.map(|(one, other)| one + factor * other).collect()
        };
        let (mut same, mut known, mut inside) = (0, 0, 0);
        for (number, one) in WEIGHTS.zip(&experiment.published[WEIGHTS]) {
            let each = match one.case {
                BLANK_LESS_FULL => sum(BLANK, -1.0, FULL),
                ONE_AND_CELLS => sum(ONE, 100.0, FULL),
                case => weights(case),
            };
            let value = Value::mean(&each).of_one_more(each.len());
            let published = one.value.unwrap_or(f64::NAN);
            let within = |(low, high): (f64, f64)| (low..=high).contains(&published);
            inside += u32::from(value.ci95.is_some_and(within));
            if number >= 4 {
                same += u32::from(published * value.value > 0.0);
                let signs = each.iter().filter(|&&weight| weight > 0.0).count();
                known += u32::from(signs == 0 || signs == each.len());
                if one.case != SURVIVAL {
                    let feature = names.iter().position(|name| name == one.case).unwrap_or(0) + 1;
                    points.push((feature as f64, published, value));
                }
            }
            measured.push(Measurement::training(one.case, Weight, value));
            measured.push(Measurement::training(one.case, MEAN, Value::mean(&each)));
        }
        for (quantity, count) in [(SAME_SIGN, same), (KNOWN_SIGN, known)] {
            let value = Value::exact(f64::from(count));
            measured.push(Measurement::training(DETERMINED, quantity, value));
        }
        notes.push(format!("{inside} after {moves} moves"));
    }
    let published = points.iter().map(|point| (point.0, point.1)).collect();
    let ours = points.iter().map(|point| (point.0, point.2.value)).collect();
    let band = points.iter().map(|point| point.2.ci95).collect::<Option<Vec<_>>>();
    let lines = vec![
        Line { dashed: true, ..Line::new("published", published) },
        Line { band, ..Line::new("measured", ours) },
    ];
    let title = "Weights of the features but cells, survival and the constant";
    let chart = chart(title, Axis::linear("feature"), Axis::linear("weight"), lines);
    let note = format!(
        "Of the 20 published figures so many lie within the interval of one training of ours: {}.",
        notes.join(", ")
    );
    Ok(results(experiment, cache, &measured, vec![("", chart)], Some(note)))
}
