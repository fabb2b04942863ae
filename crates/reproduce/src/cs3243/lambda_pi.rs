//! Lambda-policy iteration with 22 features: mean lines against iterations.
//!
//! Published: about 3,200 lines at the best iteration (Bertsekas & Ioffe 1996), 2,500 when others ran
//! it again; then it gets worse. Differs: the first weights, and exact least squares.

use afterstate_lab::chart::{Axis, Chart, Line};

use crate::curves::publish;
use crate::experiment::Quantity::{Lines, Named, Part};
use crate::experiment::{Experiment, Findings, Published, Quantity};
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
        lucky; `played` are new games by the weights of the best iteration. The published figures \
        are of other programs, whose weights at first and rules at the top are not told.",
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let (games, iterations, played) = match (session.tiny(), session.form.is_full()) {
        (true, _) => (3, 3, 2),
        (_, true) => (100, 20, 1_000),
        _ => (30, 12, 50),
    };
    let seed = session.seed;
    let recipe = format!(
        "game = 'tetris:10x20'\nseed = {seed}\n[budget]\nepisodes = {}\n[lambda_pi]\n\
         features = 'bertsekas'\ngames = {games}\nlambda = 0.6\nmost_moves = 10_000_000\n\
         start = [{}-0.01, -0.1]\n",
        games * iterations,
        "0, ".repeat(20),
    );
    let learned = session.learned(&format!("lambda-pi-seed{seed}"), &recipe)?;
    let strength = session.strength(&learned, played, 10_000_000)?;
    let means: Vec<f64> = learned.windows.iter().map(|window| window.mean).collect();
    let best = (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0);
    let most = means.get(best).copied().unwrap_or(f64::NAN);
    let last = means.last().copied().unwrap_or(f64::NAN);
    let value = |one: &Published| match (one.case, one.quantity) {
        (LAST, Lines) => last,
        (LAST, _) => 100.0 * last / most,
        (_, Lines) => most,
        _ => (best + 1) as f64,
    };
    let row = |one: &Published| {
        let fresh = (one.case != LAST && one.quantity == Lines).then(|| strength.mean()).flatten();
        Row::of(one, Some(Value::exact(value(one))), fresh)
    };
    let mut notes: Vec<String> = strength.note().into_iter().collect();
    if !session.form.is_full() {
        notes.push(format!(
            "This is the {} form: {games} games an iteration and {iterations} iterations; `--full` \
             has 100 and 20.",
            session.form.name
        ));
    }
    let points = (1..).zip(&means).map(|(number, &mean)| (f64::from(number), mean));
    let chart = Chart {
        title: "Lambda-policy iteration: it rises, and falls again".to_owned(),
        x: Axis::linear("iteration"),
        y: Axis::linear("mean lines"),
        lines: vec![Line::new("measured", points.collect())],
        note: None,
    };
    let chart = publish(chart, "published, 1996, best iteration", 3_200.0);
    let chart = publish(chart, "published again, best iteration", 2_500.0);
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("", chart)],
        trainings: vec![learned.cost],
        notes,
        ..Findings::default()
    })
}
