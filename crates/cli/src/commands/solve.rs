//! `solve`: the exact optimum of a game that is small enough.

use std::time::Instant;

use afterstate_games::spec::{Spec, Visitor};
use afterstate_lab::exact::{Exact, ExactError, solve};
use anyhow::Context;
use serde::Serialize;

use crate::args::Solve;
use crate::output::{Output, grouped};

#[derive(Serialize)]
struct Report {
    game: String,
    optimum: f64,
    unit: &'static str,
    afterstates: u64,
    seconds: f64,
}

struct Optimum;

impl Visitor for Optimum {
    type Output = Result<Exact, ExactError>;

    fn visit<G: Spec>(self, game: &G) -> Self::Output {
        solve(game)
    }
}

pub(crate) fn run(args: &Solve, out: &mut Output) -> anyhow::Result<()> {
    let (game, clock) = (args.game.to_string(), Instant::now());
    let exact = args.game.with(Optimum).with_context(|| game.clone())?;
    let report = Report {
        game,
        optimum: exact.optimum,
        unit: args.game.unit(),
        afterstates: exact.afterstates,
        seconds: clock.elapsed().as_secs_f64(),
    };
    if out.json() {
        return Ok(out.object(&report)?);
    }
    out.line(format!(
        "{}: optimal play averages {:.5} {}",
        report.game, report.optimum, report.unit
    ))?;
    let (count, seconds) = (grouped(report.afterstates), report.seconds);
    Ok(out.line(format!("{count} afterstates up to symmetry, solved in {seconds:.2} s"))?)
}
