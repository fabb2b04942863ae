//! Trains the cases of an experiment and puts their figures beside the published ones.

use afterstate_core::numbers::whole;
use afterstate_train::run::RunError;

use super::curves::{CurveChart, Curves};
use super::training::{NetworkTraining, Trained, seeds, train};
use super::{EIGHT_SEVEN, FIGURE_8A, LOST, PRINTED, SEVEN, STATES};
use crate::experiment::{Experiment, Measured, Results};
use crate::{Error, Scale, TrainingCache};

/// A training for each case, all seeds of all cases at once.
fn train_cases(
    cache: &mut TrainingCache,
    cases: &[(&'static str, NetworkTraining)],
) -> Result<Vec<(&'static str, Trained)>, Error> {
    let trainings: Vec<NetworkTraining> = cases.iter().map(|case| case.1).collect();
    Ok(cases.iter().map(|case| case.0).zip(train(cache, &trainings)?).collect())
}

pub(super) fn measure(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    cases: &[(&'static str, NetworkTraining)],
    charts: &[CurveChart],
) -> Measured {
    let cases = train_cases(cache, cases)?;
    Ok(results(experiment, cache, &cases, charts))
}

/// Networks side by side, as far as they fit into memory.
pub(super) fn networks(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let of = |network| NetworkTraining::of(network, 0.1);
    let small = [(FIGURE_8A, of("lines-rectangles")), (SEVEN, of("2x7"))];
    let (eight, mut notes) = (of("8x7"), Vec::new());
    let (mebibytes, scale) = (eight.mebibytes(cache.scale)?, cache.scale);
    let untrained = (EIGHT_SEVEN, Trained { runs: Vec::new(), mebibytes, scale });
    let mut all = small.to_vec();
    if scale == Scale::Quick {
        notes.push("Eight 7-tuples are trained by the full form only.".to_owned());
    } else {
        all.push((EIGHT_SEVEN, eight));
    }
    let mut cases = match train_cases(cache, &all) {
        // The report's 7-tuples did not fit either: that is a result, not a failure.
        Err(Error::Run(RunError::Learner(error)))
            if error.is::<afterstate_values::MemoryError>() =>
        {
            notes.push(format!("Eight 7-tuples: {error}."));
            train_cases(cache, &small)?
        }
        trained => trained?,
    };
    if cases.len() == small.len() {
        cases.push(untrained);
    }
    let levels = &[("published, four 6-tuples, 300k", 90.5), ("published, mixed, 300k", 96.5)];
    let chart = CurveChart("Three networks", Curves::Reach2048 { from: 0 }, levels);
    let mut results = results(experiment, cache, &cases, &[chart]);
    results.notes.extend(notes);
    Ok(results)
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
    let seeds: Vec<u64> = seeds(cache).collect();
    let (count, first, last) = (seeds.len(), seeds[0], seeds[seeds.len() - 1]);
    let trainings = format!(
        "Every figure is the mean of {count} trainings (seeds {first} to {last}), and its interval \
         is over these trainings: it tells how much trainings differ from each other. `played` are \
         {} games of each trained agent. Bands of curves reach from the lowest training to the \
         highest.",
        whole(cache.scale.games() as f64),
    );
    let case = |name: &str| cases.iter().find(|case| case.0 == name).map(|case| &case.1);
    Results {
        rows: experiment.rows_by(|published| match (published.case, case(published.case)) {
            (_, Some(trained)) => trained.measure(published.quantity),
            (LOST, None) => match (case(PRINTED), case(STATES)) {
                (Some(printed), Some(states)) => printed.lacks(states, published.quantity),
                _ => (None, None),
            },
            _ => (None, None),
        }),
        charts: ["", "-reach"]
            .into_iter()
            .zip(charts.iter().map(|chart| chart.draw(cases)))
            .collect(),
        costs: cases
            .iter()
            .flat_map(|case| &case.1.runs)
            .map(|run| run.finished.cost.clone())
            .collect(),
        notes: reduced.into_iter().chain([trainings]).collect(),
        ..Results::default()
    }
}
