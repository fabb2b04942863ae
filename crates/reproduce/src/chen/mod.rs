//! You-Pin Chen, "DLP-Lab3" (report of a course, 2022): 2048 by TD(0) with n-tuple networks.

mod curves;
mod training;

use afterstate_train::run::RunError;
use afterstate_values::model::ValuesOf;

use crate::experiment::Quantity::{BestReach, BestScore, Max, Mean, Memory, Reach, Speed};
use crate::experiment::{Experiment, Measured, Results, published};
use crate::{Error, TrainingCache};
use curves::{CurveChart, Curves};
use training::{NetworkTraining, Trained};

/// Four 6-tuples at the usual rate.
const FOUR_SIX: NetworkTraining = NetworkTraining::of("4x6", 0.1);

/// The same with values of states.
const OF_STATES: NetworkTraining = NetworkTraining { values: ValuesOf::States, ..FOUR_SIX };

/// The same at a quarter of the rate.
const SLOW: NetworkTraining =
    NetworkTraining { continued: true, ..NetworkTraining::of("4x6", 0.025) };

/// The same, continued.
const SLOW_AND_LONG: NetworkTraining =
    NetworkTraining { episodes: 560_000, continues: Some(300_000), continued: false, ..SLOW };

/// The 6-tuples with 5-tuples and 4-tuples.
const MIXED: NetworkTraining = NetworkTraining::of("mixed", 0.1);

const BEST: &str = "mixed network";
const FAST: &str = "rate 0.1";
const LOW: &str = "rate 0.025";
const SHORT: &str = "300k games";
const LONG: &str = "560k games";
const END: &str = "end of the curve";
const SIX: &str = "four 6-tuples";
const BOTH: &str = "mixed network";
const SEVEN: &str = "two 7-tuples";
const STATES: &str = "states";
const AFTER: &str = "afterstates";

/// What differs in all trainings of afterstates.
const AFTERSTATES: &str = "We learn afterstates, the report learned states (`chen-states` \
    compares them). The report's figures read like those that its sample code prints: of the last \
    1,000 games of training, still learning, of one training. `measured` is the same of ours; the \
    interval of a mean is from the ten means of 100 games. `played` are games of the trained \
    agent without learning. With several threads, games learn at the same time and a run is not \
    the same twice.";

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
                figure 12 (96.5% there), and the best 1,000 games of its training. The best of \
                many blocks lies above what the agent can be expected to do; it has no interval.",
            AFTERSTATES,
        ],
        minutes: 9,
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
            FAST => Reach(256) = 100.0, Reach(512) = 99.6, Reach(1024) = 98.7, Reach(2048) = 90.5,
                Reach(4096) = 76.5, Reach(8192) = 34.5, Mean = 85_468.3, Max = 191_196.0;
            LOW => Reach(256) = 99.7, Reach(512) = 99.1, Reach(1024) = 95.1, Reach(2048) = 81.9,
                Reach(4096) = 51.1, Reach(8192) = 2.3, Mean = 50_415.1, Max = 143_792.0;
        ],
        differences: &["The network is the report's, of Yeh et al. 2016.", AFTERSTATES],
        minutes: 13,
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
        published: published![SHORT => Reach(2048) = 81.9, Mean; LONG => Reach(2048) = 87.3, Mean],
        differences: &[
            "The longer training goes on from the shorter one, as in the report.",
            AFTERSTATES,
        ],
        minutes: 30,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let reach = CurveChart(
                "4x6 at rate 0.025",
                Curves::Reach2048 { from: 1 },
                &[("published, 300k", 81.9), ("published, 560k", 87.3)],
            );
            measure(experiment, cache, &[(SHORT, SLOW), (LONG, SLOW_AND_LONG)], &[reach])
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-figure10",
        title: "Curves of four 6-tuples, learning rate 0.1",
        source: "Chen 2022 (DLP-Lab3), figure 10 of section 5.2.1; 300,000 games",
        published: published![
            END => Mean = 85_468.3, Max = 191_196.0, BestScore, Reach(256) = 100.0,
                Reach(512) = 99.6, Reach(1024) = 98.7, Reach(2048) = 90.5, Reach(4096) = 76.5,
                Reach(8192) = 34.5;
        ],
        differences: &[
            "The published curves are pictures: only their ends are numbers, those of table 1.",
            AFTERSTATES,
        ],
        minutes: 8,
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
            END => Mean, Max = 279_864.0, BestScore, Reach(2048) = 96.5, Reach(4096), Reach(8192);
        ],
        differences: &[
            "The report spells out the two 5-tuples; the two 4-tuples are taken to be the \
                straight lines of Szubert & Jaśkowski 2014. It does not say whether its maximum \
                is of the last 1,000 games or of all: both are measured.",
            AFTERSTATES,
        ],
        minutes: 9,
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
        title: "Four 6-tuples, the mixed network, and 7-tuples",
        source: "Chen 2022 (DLP-Lab3), section 5.2; 300,000 games, learning rate 0.1",
        published: published![
            SIX => Reach(2048) = 90.5, Mean = 85_468.3, Max = 191_196.0, Memory = 256.0;
            BOTH => Reach(2048) = 96.5, Mean, Max = 279_864.0, Memory;
            SEVEN => Reach(2048), Mean, Max, Memory = 2_048.0;
        ],
        differences: &[
            "The report's 7-tuples did not fit its memory and have no figures; it speaks of eight \
                (Guei et al. 2021), we train the two of their smallest set. The published memory \
                is 64 MB for each 6-tuple and 1 GB for each 7-tuple.",
            AFTERSTATES,
        ],
        minutes: 45,
        rules: "2048:4x4",
        measure: |experiment, cache| networks(experiment, cache),
        ..Experiment::NONE
    },
    Experiment {
        name: "chen-states",
        title: "States against afterstates, four 6-tuples, learning rate 0.1",
        source: "Chen 2022 (DLP-Lab3), sections 3.3 to 3.6 and table 1; 300,000 games",
        published: published![
            STATES => Mean = 85_468.3, Max = 191_196.0, Reach(2048) = 90.5, Reach(8192) = 34.5,
                Speed;
            AFTER => Mean, Max, Reach(2048), Reach(8192), Speed;
        ],
        differences: &["The report's code adds each reward twice when it passes a target back \
            to the state before, and rounds expected values to whole numbers when it chooses; we \
            do as its equation 3.5.1 says. Its figures read like those that its sample code \
            prints: of the last 1,000 games of training, still learning, of one training. \
            `measured` is the same of ours; the interval of a mean is from the ten means of 100 \
            games. Values of states are not played without learning: the player chooses by \
            afterstates. The speed is that of one training on all threads, on a machine that may \
            have had other work, and has no interval."],
        minutes: 20,
        rules: "2048:4x4",
        measure: |experiment, cache| {
            let means = CurveChart(
                "4x6: states against afterstates",
                Curves::Means,
                &[("published, states, 300k", 85_468.3)],
            );
            measure(experiment, cache, &[(STATES, OF_STATES), (AFTER, FOUR_SIX)], &[means])
        },
        ..Experiment::NONE
    },
];

fn measure(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    cases: &[(&'static str, NetworkTraining)],
    charts: &[CurveChart],
) -> Measured {
    let train = |&(name, training): &(&'static str, NetworkTraining)| {
        training.run(cache).map(|trained| (name, trained))
    };
    let cases: Vec<_> = cases.iter().map(train).collect::<Result<_, _>>()?;
    Ok(results(experiment, cache, &cases, charts))
}

/// Three networks side by side, as far as they fit into memory.
fn networks(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut cases = vec![(SIX, FOUR_SIX.run(cache)?), (BOTH, MIXED.run(cache)?)];
    let mut notes = Vec::new();
    match NetworkTraining::of("2x7", 0.1).run(cache) {
        Ok(trained) => cases.push((SEVEN, trained)),
        // The report's 7-tuples did not fit either: that is a result, not a failure.
        Err(Error::Run(RunError::Learner(error)))
            if error.is::<afterstate_values::MemoryError>() =>
        {
            notes.push(format!("Two 7-tuples: {error}."));
        }
        Err(error) => return Err(error),
    }
    let levels = &[("published, four 6-tuples, 300k", 90.5), ("published, mixed, 300k", 96.5)];
    let chart = CurveChart("Three networks", Curves::Reach2048 { from: 0 }, levels);
    Ok(Results { notes, ..results(experiment, cache, &cases, &[chart]) })
}

/// The published figures beside those of the trainings of the same name.
fn results(
    experiment: &Experiment,
    cache: &TrainingCache,
    cases: &[(&'static str, Trained)],
    charts: &[CurveChart],
) -> Results {
    let divisor = cache.scale.divisor();
    let reduced = cache.scale.note(&format!(
        "it trains for one game in {divisor} of those published, so that its figures show how \
         learning begins and are not to be compared with the published ones. `--full` trains for \
         as long as the source.",
    ));
    let single = "Each case is one training: the intervals tell how sure its games make us of that \
                  training, not how much trainings differ from each other. Other seeds (`--seed`) \
                  show that.";
    Results {
        rows: experiment.rows_by(|published| {
            let case = cases.iter().find(|case| case.0 == published.case);
            case.map_or((None, None), |case| case.1.measure(published.quantity))
        }),
        charts: ["", "-reach"]
            .into_iter()
            .zip(charts.iter().map(|chart| chart.draw(cases)))
            .collect(),
        costs: cases.iter().map(|case| case.1.run.finished.cost.clone()).collect(),
        notes: reduced.into_iter().chain([single.to_owned()]).collect(),
        played: false,
    }
}
