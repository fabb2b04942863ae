//! You-Pin Chen, "DLP-Lab3" (report of a course, 2022): 2048 by TD(0) with n-tuple networks.

pub(crate) mod figure10;
pub(crate) mod figure12;
pub(crate) mod figure2;
pub(crate) mod networks;
pub(crate) mod states;
pub(crate) mod table1;
pub(crate) mod table2;

use afterstate_lab::chart::Chart;

use crate::experiment::{Findings, Published};
use crate::form::Form;
use crate::measure::Measured;
use crate::report::Row;
use crate::training::{Trained, Training};

/// Four 6-tuples at the usual rate.
const FOUR_SIX: Training = Training::of("4x6", 0.1);

/// The same at a quarter of the rate.
const SLOW: Training = Training { goes_on: true, ..Training::of("4x6", 0.025) };

/// The 6-tuples with 5-tuples and 4-tuples.
const MIXED: Training = Training::of("mixed", 0.1);

/// The tiles of the reports' tables and curves.
const TILES: [u64; 6] = [256, 512, 1024, 2048, 4096, 8192];

/// What all figures of the report have in common.
macro_rules! same {
    ($own:literal) => {
        concat!(
            $own,
            " We learn afterstates, the report learned states (`chen-states` compares them). The \
             report's figures read like those that its sample code prints: of the last 1,000 games \
             of training, still learning, of one training. `measured` is the same of ours; the \
             interval of a mean is from the ten means of 100 games. `played` are games of the \
             trained agent without learning. With several threads, games learn at the same time \
             and a run is not the same twice."
        )
    };
}
use same;

/// The published figures beside those of the trainings of the same name.
fn findings(
    published: &[Published],
    cases: &[(&str, Trained)],
    form: &Form,
    charts: Vec<(&'static str, Chart)>,
) -> Findings {
    let row = |published: &Published| {
        let case = cases.iter().find(|case| case.0 == published.case);
        let found = case.map(|case| case.1.measure(published.quantity, form));
        let Measured { training, played } = found.unwrap_or_default();
        Row {
            case: published.case.to_owned(),
            what: published.quantity.to_string(),
            unit: published.quantity.unit(),
            published: published.value,
            measured: training,
            played,
        }
    };
    let mut notes = Vec::new();
    if !form.is_full() {
        notes.push(format!(
            "This is the {} form: it trains for one game in {} of those published, so that its \
             figures show how learning begins and are not to be compared with the published \
             ones. `--full` trains for as long as the source.",
            form.name, form.divisor
        ));
    }
    notes.push(
        "Each case is one training: the intervals tell how sure its games make us of that \
         training, not how much trainings differ from each other. Other seeds (`--seed`) show \
         that."
            .to_owned(),
    );
    Findings {
        rows: published.iter().map(row).collect(),
        charts,
        trainings: cases.iter().map(|case| case.1.finished.cost.clone()).collect(),
        notes,
        divided_by: Some(form.divisor),
        played: false,
    }
}
