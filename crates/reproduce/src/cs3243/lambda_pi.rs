//! Lambda-policy iteration with 22 features: mean lines against iterations.
//!
//! Published: about 3,200 lines at the best iteration (Bertsekas & Ioffe 1996), 2,500 when others ran
//! it again; then it gets worse. Differs: the first weights, and exact least squares.

use afterstate_lab::chart::{Axis, Chart, Line};

use crate::curves::publish;
use crate::experiment::Quantity::{Lines, Named, Part};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::learning::Strength;
use crate::measure::Value;
use crate::report::Row;
use crate::{Error, Session};

const FIRST: &str = "best iteration, first published";
const AGAIN: &str = "best iteration, published again";
const LAST: &str = "last iteration";

/// When the best came.
const NUMBER: Quantity = Named("iteration");

/// What is left at the end.
const LEFT: Quantity = Part("of the best iteration");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tetris-lambda-pi",
    title: "Lambda-policy iteration with 22 features: lines against iterations",
    source: "Notes of CS3243 (lambda-policy iteration with 22 features); lines of Bertsekas & \
        Ioffe 1996, and of those who ran it again",
    published: &[
        Published::new(FIRST, Lines, 3_200.0),
        Published::new(AGAIN, Lines, 2_500.0),
        Published::not(FIRST, NUMBER),
        Published::not(LAST, Lines),
        Published::not(LAST, LEFT),
    ],
    differences: "The notes leave the first weights, the games of an iteration and lambda open: \
        ours are -0.01 for the largest height and -0.1 for each hole, 100 games, and 0.6. The index \
        of the differences in the notes' utility is a slip and is read as r(w + k). Least squares \
        are solved exactly; a placement is chosen by its lines and the value of the board after \
        it. `measured` are the games of the iterations themselves, of which the best is a little \
        lucky; `played` are new games by the weights of the best iteration. Fewer games an iteration \
        (30) unlearned everything in one training. The published figures \
        are of other programs, whose weights at first and rules at the top are not told.",
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let (games, iterations, seeds, played) = match (session.tiny(), session.form.is_full()) {
        (true, _) => (3, 3, 1, 2),
        (_, true) => (100, 20, 5, 200),
        _ => (100, 12, 1, 50),
    };
    let (mut curves, mut trainings, mut strength) = (Vec::new(), Vec::new(), Strength::default());
    for seed in (session.seed..).take(seeds) {
        let recipe = format!(
            "game = 'tetris:10x20'\nseed = {seed}\n[budget]\nepisodes = {}\n[lambda_pi]\n\
             features = 'bertsekas'\ngames = {games}\nlambda = 0.6\nmost_moves = 10_000_000\n\
             start = [{}-0.01, -0.1]\n",
            games * iterations,
            "0, ".repeat(20),
        );
        let learned = session.learned(&format!("lambda-pi-seed{seed}"), &recipe)?;
        strength.add(&session.strength(&learned, played, 10_000_000)?);
        let means = learned.windows.iter().map(|window| window.mean);
        curves.push((format!("seed {seed}"), means.collect::<Vec<f64>>()));
        trainings.push(learned.cost);
    }
    let row = |one: &Published| {
        let values: Vec<f64> = curves.iter().map(|(_, means)| value(means, one)).collect();
        let measured = Value::mean(&values);
        let fresh = (one.case != LAST && one.quantity == Lines).then(|| strength.mean()).flatten();
        Row::of(one, Some(measured), fresh)
    };
    let mut notes: Vec<String> = strength.note().into_iter().collect();
    if !session.form.is_full() {
        notes.push(format!(
            "This is the {} form: one training of {iterations} iterations with {games} games each; \
             `--full` has five trainings of 20 iterations.",
            session.form.name
        ));
    }
    let line = |(name, means): &(String, Vec<f64>)| {
        let points = (1..).zip(means).map(|(number, &mean)| (f64::from(number), mean));
        Line::new(name.clone(), points.collect())
    };
    let chart = Chart {
        title: "Lambda-policy iteration: lines by iteration".to_owned(),
        x: Axis::linear("iteration"),
        y: Axis::linear("mean lines"),
        lines: curves.iter().map(line).collect(),
        note: None,
    };
    let chart = publish(chart, "published, 1996, best iteration", 3_200.0);
    let chart = publish(chart, "published again, best iteration", 2_500.0);
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("", chart)],
        trainings,
        notes,
        ..Findings::default()
    })
}

/// What a training came to, by the mean lines of its iterations.
fn value(means: &[f64], published: &Published) -> f64 {
    let best = (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0);
    let most = means.get(best).copied().unwrap_or(f64::NAN);
    let last = means.last().copied().unwrap_or(f64::NAN);
    match (published.case, published.quantity) {
        (LAST, Lines) => last,
        (LAST, _) => 100.0 * last / most,
        (_, Lines) => most,
        _ => (best + 1) as f64,
    }
}
