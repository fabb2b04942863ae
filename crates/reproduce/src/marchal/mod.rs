//! Marchal, Vandenberghe, Lou, Ooi, Fong, "CS3243, Group 23" (report of a course): Tetris by
//! annealed weights, searched by minimax.

pub(crate) mod figure1;
pub(crate) mod figure2;
pub(crate) mod figure3;
pub(crate) mod figure4;
pub(crate) mod figure5;

use afterstate_lab::chart::{Axis, Chart, Line};
use afterstate_lab::run::Window;

use crate::learning::Learned;
use crate::{Error, Session};

/// Trainings that differ by chance alone.
const ANNEALINGS: [&str; 3] = ["annealing, seed 1", "annealing, seed 2", "annealing, seed 3"];

/// A heuristic given up plays so many games.
const EARLY: u64 = 5;

/// Any other plays so many.
const GAMES: u64 = 25;

/// What all trainings of the report have in common.
macro_rules! same {
    ($own:literal) => {
        concat!(
            $own,
            " Its features (set cs3243), algorithms 1 to 4, 25 games a candidate, five for one \
             without hope, no game of training beyond 200,000 lines. It leaves maxIter and the \
             first weights open: ours are 4,000 and all 0. All trainings get the same number of \
             pieces, in minutes instead of a night, and end in the midst of the annealing. The \
             genetic algorithm of the report is not described: ours has 50 candidates, 5 of which \
             live on. Lines of a training are means of the 25 games that chose them, the best of \
             many: higher than new games, which `marchal-figure5` plays."
        )
    };
}
use same;

/// The pieces of a training.
fn pieces(session: &Session) -> u64 {
    match (session.tiny(), session.form.is_full()) {
        (true, _) => 6_000,
        (_, true) => 240_000_000,
        _ => 4_000_000,
    }
}

fn train(session: &mut Session, name: &str, part: u64, search: &str) -> Result<Learned, Error> {
    let seed = session.seed + part;
    let recipe = format!(
        "game = 'tetris:10x20'\nseed = {seed}\n[budget]\nmoves = {}\n[weights]\n\
         features = 'cs3243'\n[weights.games]\ncount = {GAMES}\nearly = {EARLY}\n\
         max_score = 200_000\n[weights.search]\n{search}\n",
        pieces(session),
    );
    session.learned(&format!("marchal-{name}-seed{seed}"), &recipe)
}

/// One of the trainings by the report's own annealing.
fn annealed(session: &mut Session, part: u64) -> Result<Learned, Error> {
    train(session, "annealing", part, "method = 'home_made'\niterations = 4_000")
}

/// The training by a genetic algorithm.
fn bred(session: &mut Session) -> Result<Learned, Error> {
    let (population, elite) = if session.tiny() { (4, 1) } else { (50, 5) };
    let search = format!("method = 'genetic'\npopulation = {population}\nelite = {elite}");
    train(session, "genetic", 0, &search)
}

/// What short forms say.
fn short(session: &Session) -> Vec<String> {
    if session.form.is_full() {
        return Vec::new();
    }
    vec![format!(
        "This is the {} form: {} pieces a training, which shows how learning begins; `--full` \
         plays 240,000,000.",
        session.form.name,
        pieces(session)
    )]
}

/// The iteration that a window ends.
fn iteration(window: &Window) -> f64 {
    window.extra.get("iteration").copied().unwrap_or(0.0)
}

/// The best lines so far of some trainings, over something that grows.
fn rising(title: &str, x: Axis, cases: &[(&str, &Learned)], of: fn(&Window) -> f64) -> Chart {
    let line = |&(name, learned): &(&str, &Learned)| {
        let points = learned.best_so_far().map(|(window, best)| (of(window), best.max(0.1)));
        Line::new(name, points.collect())
    };
    let (title, y) = (title.to_owned(), Axis::log("best mean lines so far"));
    Chart { title, x, y, lines: cases.iter().map(line).collect(), note: None }
}
