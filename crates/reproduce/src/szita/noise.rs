//! The cross-entropy method on 22 features, without noise, with constant and with falling noise.
//!
//! Published: 348,895 lines on 10x20 with falling noise. Differs: all candidates of an iteration play
//! the same pieces; short forms learn on a low well.

use afterstate_lab::chart::{Axis, Chart, Line};

use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Findings, Published};
use crate::learning::{Learned, Strength};
use crate::measure::Value;
use crate::report::Row;
use crate::{Error, Session};

/// Each way with the variance that is added at first, and by how much it falls.
const WAYS: [(&str, &str, f64, f64); 3] = [
    ("without noise", "none", 0.0, 0.0),
    ("constant noise", "constant", 4.0, 0.0),
    ("falling noise", "falling", 5.0, 0.1),
];

/// Iterations whose mean is shown as one point and measured at the end.
const LATE: usize = 5;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "szita-noise",
    title: "Noisy cross-entropy with 22 features: without noise, constant noise, falling noise",
    source: "Szita & Lőrincz 2006; 10x20, 100 candidates, 10 of them the elite, falling noise",
    published: &[
        Published::not(WAYS[0].0, Lines),
        Published::not(WAYS[1].0, Lines),
        Published::new(WAYS[2].0, Lines, 348_895.0),
    ],
    differences: "Weights begin as normal draws around 0 with variance 100; the noise is a variance \
        of 4, or of 5 that falls by 0.1 an iteration. A candidate is scored by one game, and all \
        candidates of an iteration play the same pieces, where the source drew them anew. Lines \
        earned are no part of the choice of a placement. `measured` is the mean of the candidates \
        of the last five iterations, which noise keeps apart and so makes weaker; `played` are new \
        games by the middle of the last distribution, of all trainings together: the interval is of \
        games, and does not tell how much trainings differ. Figures \
        without noise and with constant noise are left open here. Elsewhere the same features \
        with weights by cross-entropy made about 164,000 lines on 10x20 and 829 on 10x10.",
    rules: "tetris:10x20; short forms: tetris:10x10",
    measure,
};

/// One way over all seeds.
struct Case {
    name: &'static str,
    learned: Vec<Learned>,
    strength: Strength,
}

impl Case {
    /// The mean lines of some iterations, over all seeds, after so many iterations.
    fn curve(&self) -> Vec<(f64, f64)> {
        let count = self.learned.iter().map(|learned| learned.windows.len()).min().unwrap_or(0);
        let ends = (1..=count).filter(|end| end % LATE == 0 || *end == count);
        ends.map(|end| (end as f64, self.late(end))).collect()
    }

    fn late(&self, end: usize) -> f64 {
        let own = self.learned.iter().flat_map(|one| &one.windows[end.saturating_sub(LATE)..end]);
        let means: Vec<f64> = own.map(|window| window.mean).collect();
        means.iter().sum::<f64>() / means.len() as f64
    }
}

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let full = session.form.is_full();
    let (rules, iterations, population, seeds, games) = match (session.tiny(), full) {
        (true, _) => ("tetris:10x10", 3, 10, 1, 2),
        (_, true) => ("tetris:10x20", 80, 100, 1, 100),
        _ => ("tetris:10x10", 60, 100, 5, 100),
    };
    let mut cases: Vec<Case> = Vec::new();
    for (name, short, noise, fall) in WAYS {
        let mut case = Case { name, learned: Vec::new(), strength: Strength::default() };
        for seed in (session.seed..).take(seeds) {
            let recipe = format!(
                "game = '{rules}'\nseed = {seed}\n[budget]\nepisodes = {}\n[weights]\n\
                 features = 'bertsekas'\n[weights.games]\ncount = 1\nearly = 0\n\
                 [weights.search]\nmethod = 'cross_entropy'\npopulation = {population}\n\
                 elite = {}\nspread = 10\nnoise = {noise:?}\nnoise_fall = {fall:?}\n",
                iterations * population,
                population / 10,
            );
            let learned = session.learned(&format!("szita-{short}-seed{seed}"), &recipe)?;
            case.strength.add(&session.strength(&learned, games, 100_000_000)?);
            case.learned.push(learned);
        }
        cases.push(case);
    }
    let row = |one: &Published| {
        let case = cases.iter().find(|case| case.name == one.case);
        let last = case.and_then(|case| case.curve().last().copied());
        let played = case.and_then(|case| case.strength.mean());
        Row::of(one, last.map(|last| Value::exact(last.1)), played)
    };
    let mut notes: Vec<String> = cases.iter().filter_map(|case| case.strength.note()).collect();
    if !full {
        notes.push(format!(
            "This is the {} form: it learns on {rules} for {iterations} iterations, {seeds} times \
             each, and its lines are not to be compared with the published ones; `--full` learns \
             on tetris:10x20.",
            session.form.name
        ));
    }
    let line = |case: &Case| {
        let points = case.curve().into_iter().map(|(end, mean)| (end, mean.max(0.1)));
        Line::new(case.name, points.collect())
    };
    let chart = Chart {
        title: "Noisy cross-entropy with 22 features".to_owned(),
        x: Axis::linear("iteration"),
        y: Axis::log("mean lines of the candidates"),
        lines: cases.iter().map(line).collect(),
        note: None,
    };
    let learned = cases.iter().flat_map(|case| &case.learned);
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("", chart)],
        trainings: learned.map(|learned| learned.cost.clone()).collect(),
        notes,
        ..Findings::default()
    })
}
