//! You-Pin Chen, "DLP-Lab3" (report of a course, 2022): 2048 by TD(0) with n-tuple networks.

mod curves;
mod figures;
mod measure;
mod training;

use crate::Scale;
use crate::experiment::Quantity::{BestReach, BestScore, Max, Maxima, Mean, Memory, Reach, Speed};
use crate::experiment::{Experiment, published};
use crate::verdict::{Statement, not};
use curves::{CurveChart, Curves};
use figures::{HALFWAY, lines_are_covered_and_rectangles_are_not};
use measure::{measure, networks};
use training::{Learns, NetworkTraining};

/// Four 6-tuples at the usual rate.
const FOUR_SIX: NetworkTraining = NetworkTraining::of("4x6", 0.1);

/// The same with values of states: the report's learner.
const OF_STATES: NetworkTraining = NetworkTraining { learns: Learns::States, ..FOUR_SIX };

/// The same by the report's code.
const AS_PRINTED: NetworkTraining = NetworkTraining { learns: Learns::StatesAsPrinted, ..FOUR_SIX };

/// Four 6-tuples at a quarter of the rate.
const SLOW: NetworkTraining =
    NetworkTraining { continued: true, ..NetworkTraining::of("4x6", 0.025) };

/// The same, continued as in the report.
const SLOW_AND_LONG: NetworkTraining = NetworkTraining { parts: &[300_000, 560_000], ..SLOW };

/// The same, continued by as many games again.
const SLOW_AND_LONGER: NetworkTraining =
    NetworkTraining { parts: &[300_000, 560_000, 820_000], continued: false, ..SLOW };

/// The 6-tuples with 5-tuples and 4-tuples.
const MIXED: NetworkTraining = NetworkTraining::of("mixed", 0.1);

const BEST: &str = "mixed network";
const FAST: &str = "rate 0.1";
const LOW: &str = "rate 0.025";
const SHORT: &str = "300k games";
const LONG: &str = "560k games";
const LONGER: &str = "820k games";
const END: &str = "end of the curve";
const FIGURE_8A: &str = "tuples of figure 8a";
const SEVEN: &str = "two 7-tuples";
const EIGHT_SEVEN: &str = "eight 7-tuples";
const PRINTED: &str = "states, code as printed";
const STATES: &str = "states";
const AFTER: &str = "afterstates";
const LOST: &str = "lost by the code as printed";

/// What differs in all trainings of afterstates.
const AFTERSTATES: &str = "We learn afterstates where the report learned states; `chen-states` learns \
    states, too, and comes to its figures. We take its figures for those that its sample code prints, of the last 1,000 games of one \
    training, which still learns; `measured` is the same of ours.";

/// What maxima are compared with.
const MAXIMA: &str = "The published maximum is that of 1,000 games of one training; ours are those of the last ten blocks \
    of 1,000 games of each of three.";

/// Why shares of games that grow do not tell that they do.
const THREE_TRAININGS: &str = "it does on average, but three trainings cannot tell: the interval of the difference contains \
    0; two more (two core-hours with those here) would if they are as these";

/// Why the maximum of the mixed network differs.
const MAXIMUM: &str = "a maximum hangs on a single game, and the report may have taken that of all \
    300,000 games (`maximum of the whole training` in `chen-figure12`) where this is that of 1,000";

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "chen-figure2",
        title: "The best result: 2048 in 96.7% of the games",
        source: "Chen 2022 (DLP-Lab3), figure 2 of section 2.1",
        published: published![
            BEST => BestReach(2048) = 96.7, Reach(2048), Reach(4096), Reach(8192);
        ],
        differences: &[
            "The report does not say which network or how many games: we take the mixed one of \
                figure 12 (96.5% there), and the best 1,000 games of each training. The best of \
                many blocks lies above what the agent can be expected to do.",
            AFTERSTATES,
        ],
        minutes: 30,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let reach = CurveChart(
                "Games that reach a tile",
                Curves::Tiles,
                &[("published best, 2048", 96.7)],
            );
            measure(experiment, cache, &[(BEST, MIXED)], &[reach])
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-table1",
        title: "Learning rate 0.1 against 0.025, four 6-tuples",
        source: "Chen 2022 (DLP-Lab3), table 1 of section 5.1; 300,000 games",
        published: published![
            FAST => Reach(256) = 100.0 of Share(1000), Reach(512) = 99.6 of Share(1000), Reach(1024) = 98.7 of Share(1000), Reach(2048) = 90.5 of Share(1000),
                Reach(4096) = 76.5 of Share(1000), Reach(8192) = 34.5 of Share(1000), Mean = 85_468.3, Maxima = 191_196.0 of OneOf(30);
            LOW => Reach(256) = 99.7 of Share(1000), Reach(512) = 99.1 of Share(1000), Reach(1024) = 95.1 of Share(1000), Reach(2048) = 81.9 of Share(1000),
                Reach(4096) = 51.1 of Share(1000), Reach(8192) = 2.3 of Share(1000), Mean = 50_415.1, Maxima = 143_792.0 of OneOf(30);
        ],
        differences: &["The network is the report's, of Yeh et al. 2016.", MAXIMA, AFTERSTATES],
        reasons: &[(
            "the reaching rate decreased",
            "256 and 512 are reached as often at both rates; from 1024 on fewer games reach the tile",
        )],
        statements: &[
            Statement {
                says: "[0.1] is said to be the best learning rate for training",
                holds: |figures| figures.more(Mean, FAST, LOW),
            },
            Statement {
                says: "the reaching rate decreased obviously in every part [from 0.1 to 0.025]",
                holds: |figures| {
                    let tiles = [256, 512, 1024, 2048, 4096, 8192];
                    // What intervals do not tell apart has not decreased obviously.
                    let less = tiles.map(|tile| figures.more(Reach(tile), FAST, LOW));
                    figures.of(LOW, Reach(256)).map(|_| less.iter().all(|less| *less == Some(true)))
                },
            },
        ],
        minutes: 25,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let means = CurveChart(
                "4x6: mean score by learning rate",
                Curves::Means,
                &[("published, 0.1, 300k", 85_468.3), ("published, 0.025, 300k", 50_415.1)],
            );
            measure(experiment, cache, &[(FAST, FOUR_SIX), (LOW, SLOW)], &[means])
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-table2",
        title: "More games at learning rate 0.025, four 6-tuples",
        source: "Chen 2022 (DLP-Lab3), table 2 of section 5.1; 300,000 and 560,000 games",
        published: published![
            SHORT => Reach(2048) = 81.9 of Share(1000), Mean;
            LONG => Reach(2048) = 87.3 of Share(1000), Mean;
            LONGER => Reach(2048), Mean;
        ],
        differences: &[
            "Each longer training goes on from the shorter one, as in the report; the 820,000 games \
                are not the report's and test what it believes.",
            AFTERSTATES,
        ],
        reasons: &[("we believe that", THREE_TRAININGS)],
        statements: &[
            Statement {
                says: "The accuracy improved to 87.3% [from 300,000 to 560,000 games].",
                // 10,000 games of each agent tell more than the last 1,000 of its training.
                holds: |figures| {
                    let share = |case| figures.played(case, Reach(2048));
                    share(LONG)?.above(share(SHORT)?)
                },
            },
            Statement {
                says: "we believe that the accuracy will improve if we keep moving on",
                holds: |figures| {
                    let share = |case| figures.played(case, Reach(2048));
                    share(LONGER)?.above(share(LONG)?)
                },
            },
        ],
        minutes: 75,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let reach = CurveChart(
                "4x6 at rate 0.025",
                Curves::Reach2048 { from: 2 },
                &[("published, 300k", 81.9), ("published, 560k", 87.3)],
            );
            let cases = [(SHORT, SLOW), (LONG, SLOW_AND_LONG), (LONGER, SLOW_AND_LONGER)];
            measure(experiment, cache, &cases, &[reach])
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-figure10",
        title: "Curves of four 6-tuples, learning rate 0.1",
        source: "Chen 2022 (DLP-Lab3), figure 10 of section 5.2.1; 300,000 games",
        published: published![
            END => Mean = 85_468.3, HALFWAY, Maxima = 191_196.0 of OneOf(30), BestScore, Reach(256) = 100.0 of Share(1000),
                Reach(512) = 99.6 of Share(1000), Reach(1024) = 98.7 of Share(1000), Reach(2048) = 90.5 of Share(1000), Reach(4096) = 76.5 of Share(1000),
                Reach(8192) = 34.5 of Share(1000);
        ],
        differences: &[
            "The published curves are pictures: only their ends are numbers, those of table 1. We \
                take learning to have stopped if the mean score grows by less than 5% in the \
                second half of the training.",
            MAXIMA,
            AFTERSTATES,
        ],
        reasons: &[(
            "the loss stopped",
            "the mean score of our trainings grows by more than a quarter in their second half; the \
                 report learned states, and shows no loss",
        )],
        statements: &[Statement {
            says: "the loss stopped in the middle of whole learning",
            holds: |figures| {
                not(figures.value(END, Mean)?.above(figures.value(END, HALFWAY)?.times(1.05)))
            },
        }],
        not_testable: &[(
            "the inference of the weights just match the baseline",
            "the report does not say what its baseline is",
        )],
        minutes: 10,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let scores = CurveChart(
                "4x6, rate 0.1: maximum and mean score",
                Curves::Scores,
                &[("published mean, 300k", 85_468.3)],
            );
            let reach = CurveChart(
                "4x6, rate 0.1: games that reach a tile",
                Curves::Tiles,
                &[("published, 2048, 300k", 90.5)],
            );
            measure(experiment, cache, &[(END, FOUR_SIX)], &[scores, reach])
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-figure12",
        title: "Curves of the mixed network, learning rate 0.1",
        source: "Chen 2022 (DLP-Lab3), figure 12 of section 5.2.2; 300,000 games",
        published: published![
            END => Mean, Maxima = 279_864.0 of OneOf(30), BestScore, Reach(2048) = 96.5 of Share(1000), Reach(4096), Reach(8192);
        ],
        differences: &[
            "The report spells out the two 5-tuples; the two 4-tuples are taken to be the \
                straight lines of Szubert & Jaśkowski 2014. It does not say whether its maximum \
                is of the last 1,000 games or of all: both are measured.",
            AFTERSTATES,
        ],
        reasons: &[(END, MAXIMUM)],
        statements: &[Statement {
            says: "By this eight features [mixed], we reached the new best result",
            // The published share of four 6-tuples.
            holds: |figures| figures.value(END, Reach(2048))?.exceeds(90.5),
        }],
        minutes: 30,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let scores = CurveChart(
                "Mixed network: maximum and mean score",
                Curves::Scores,
                &[("published maximum, 300k", 279_864.0)],
            );
            let reach = CurveChart(
                "Mixed network: games that reach a tile",
                Curves::Tiles,
                &[("published, 2048, 300k", 96.5)],
            );
            measure(experiment, cache, &[(END, MIXED)], &[scores, reach])
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-networks",
        title: "The tuples of figure 8a and 7-tuples",
        source: "Chen 2022 (DLP-Lab3), section 5.2; 300,000 games, learning rate 0.1",
        published: published![
            FIGURE_8A => Reach(2048), Mean, Max, Memory;
            SEVEN => Reach(2048), Mean, Max, Memory = 2_048.0;
            EIGHT_SEVEN => Reach(2048), Mean, Max, Memory = 8_192.0;
        ],
        differences: &[
            "The report's 7-tuples did not fit its memory and have no figures; it does not name the \
                cells of the eight of Guei et al. 2021, so ours are the eight 6-tuples of Matsuzaki \
                2016 with one more cell each, and the two are the smaller set of Guei et al. The \
                published memory is 1 GB for each 7-tuple. The tuples of figure 8a are the two lines \
                and two rectangles of Szubert & Jaśkowski 2014. Four 6-tuples and the mixed network \
                are in `chen-figure10` and `chen-figure12`, trained in the same way; the trainings here ran on a \
                machine of 16 cores, as their list says, and the command then read them.",
            AFTERSTATES,
        ],
        statements: &[
            Statement {
                // Four bytes for each, beside all that a program can address.
                says: "The number of probability is 12^16 which are considerable enough to crash the system.",
                holds: |_| Some(4.0 * 12_f64.powi(16) > 2_f64.powi(57)),
            },
            Statement {
                says: "The new 6-tuples cover all the original 4-tuples while still not covering the \
                    6-tuples in 2 x 3.",
                holds: |_| lines_are_covered_and_rectangles_are_not(),
            },
            Statement {
                says: "6-tuple need 64MB per feature which 7-tuple increase to 1G [...] per feature",
                holds: |figures| {
                    let seven = figures.of(EIGHT_SEVEN, Memory)? / 8.0;
                    Some(FOUR_SIX.mebibytes(Scale::Full).ok()? / 4.0 == 64.0 && seven == 1_024.0)
                },
            },
        ],
        not_testable: &[
            (
                "They got best performance by using eight 7-tuples.",
                "quoted of Guei et al. 2021, after millions of games: the report says neither how many games nor \
                 which networks it compares; after its own 300,000 games eight 7-tuples reach 2048 in fewer games \
                 than the published 96.5% of its mixed network, and still learn",
            ),
            (
                "We do not have enough memory for the execution",
                "the report does not say how much it had; here they were trained in the memory above",
            ),
        ],
        minutes: 180,
        rules: "2048:4x4",
        measure: networks,
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-states",
        title: "The report's learner of states, its code as printed, and afterstates",
        source: "Chen 2022 (DLP-Lab3), sections 3.3 to 4.5 and table 1; four 6-tuples, rate 0.1, \
            300,000 games",
        published: published![
            PRINTED => Mean = 85_468.3, Max = 191_196.0 of OneOf(3), Reach(256) = 100.0 of Share(1000), Reach(512) = 99.6 of Share(1000),
                Reach(1024) = 98.7 of Share(1000), Reach(2048) = 90.5 of Share(1000), Reach(4096) = 76.5 of Share(1000), Reach(8192) = 34.5 of Share(1000), Speed;
            STATES => Mean = 85_468.3, Max = 191_196.0 of OneOf(3), Reach(256) = 100.0 of Share(1000), Reach(512) = 99.6 of Share(1000),
                Reach(1024) = 98.7 of Share(1000), Reach(2048) = 90.5 of Share(1000), Reach(4096) = 76.5 of Share(1000), Reach(8192) = 34.5 of Share(1000), Speed;
            LOST => Mean, Reach(2048), Reach(8192);
            AFTER => Mean, Max, Reach(256), Reach(512), Reach(1024), Reach(2048), Reach(4096),
                Reach(8192), Speed;
        ],
        differences: &[
            "The code as printed counts each reward twice when it passes a target back \
            to the state before, and keeps expected values in an integer; `states` learns by its \
            equation 3.5.1 and chooses by exact expectations, which the trained agents of both do \
            when they play without learning. What the code loses is the mean over pairs of \
            trainings with the same seed. We take the published figures for those that its sample \
            code prints, of the last 1,000 games of one training, which still learns, as `measured` \
            is of ours. Speeds are those of one thread on a machine that had other work.",
        ],
        statements: &[Statement {
            says: "The pattern is <1, 5, 9, 13> which the value is <0, 2, 8, 0> [...] the final result \
                will be 0000 1000 0010 0000.",
            holds: |_| {
                let bits = |index, (cell, value): (usize, u16)| index | value << (4 * cell);
                Some([0, 2, 8, 0].into_iter().enumerate().fold(0, bits) == 0b0000_1000_0010_0000)
            },
        }],
        // A training of states takes half an hour of one core.
        minutes: 100,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let means = CurveChart(
                "4x6: states against afterstates",
                Curves::Means,
                &[("published, states, 300k", 85_468.3)],
            );
            let cases = [(PRINTED, AS_PRINTED), (STATES, OF_STATES), (AFTER, FOUR_SIX)];
            measure(experiment, cache, &cases, &[means])
        },
        ..Experiment::NONE
    },
];
