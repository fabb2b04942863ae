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
        of the last five iterations, half way between noise and what was learned; `played` are new \
        games by the middle of the last distribution, which is what the source tells. Figures \
        without noise and with constant noise are left open here. Elsewhere the same features \
        with weights by cross-entropy made about 164,000 lines on 10x20 and 829 on 10x10.",
    rules: "tetris:10x20; short forms: tetris:10x10",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let full = session.form.is_full();
    let (rules, iterations, population, games) = match (session.tiny(), full) {
        (true, _) => ("tetris:10x10", 3, 10, 2),
        (_, true) => ("tetris:10x20", 80, 100, 100),
        _ => ("tetris:10x10", 60, 100, 200),
    };
    let mut cases: Vec<(&str, Learned, Strength)> = Vec::new();
    for (case, name, noise, fall) in WAYS {
        let seed = session.seed;
        let recipe = format!(
            "game = '{rules}'\nseed = {seed}\n[budget]\nepisodes = {}\n[weights]\n\
             features = 'bertsekas'\n[weights.games]\ncount = 1\nearly = 0\n[weights.search]\n\
             method = 'cross_entropy'\npopulation = {population}\nelite = {}\nspread = 10\n\
             noise = {noise:?}\nnoise_fall = {fall:?}\n",
            iterations * population,
            population / 10,
        );
        let learned = session.learned(&format!("szita-{name}-seed{seed}"), &recipe)?;
        let strength = session.strength(&learned, games, 100_000_000)?;
        cases.push((case, learned, strength));
    }
    let row = |one: &Published| {
        let case = cases.iter().find(|case| case.0 == one.case);
        let late = case.and_then(|(_, learned, _)| learned.windows.rchunks(LATE).next());
        let means = late.map(|late| late.iter().map(|window| window.mean).collect::<Vec<f64>>());
        let measured = means.map(|means| Value::mean(&means));
        Row::of(one, measured, case.and_then(|(_, _, strength)| strength.mean()))
    };
    let mut notes: Vec<String> = cases.iter().filter_map(|case| case.2.note()).collect();
    if !full {
        notes.push(format!(
            "This is the {} form: it learns on {rules} for {iterations} iterations, and its lines \
             are not to be compared with the published ones; `--full` learns on tetris:10x20.",
            session.form.name
        ));
    }
    let line = |(name, learned, _): &(&str, Learned, Strength)| {
        let blocks = learned.windows.chunks(LATE);
        let points = blocks.filter_map(|block| {
            let mean = block.iter().map(|window| window.mean).sum::<f64>() / block.len() as f64;
            let number = block.last()?.extra.get("iteration")?;
            Some((*number, mean.max(0.1)))
        });
        Line::new(*name, points.collect())
    };
    let chart = Chart {
        title: "Noisy cross-entropy with 22 features".to_owned(),
        x: Axis::linear("iteration"),
        y: Axis::log("mean lines of the candidates"),
        lines: cases.iter().map(line).collect(),
        note: None,
    };
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("", chart)],
        trainings: cases.into_iter().map(|case| case.1.cost).collect(),
        notes,
        ..Findings::default()
    })
}
