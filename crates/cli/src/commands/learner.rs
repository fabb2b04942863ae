//! `learner`: CS3243's learner, which makes the next weights of the games that a player wrote.

use std::fs::File;
use std::io::{self, BufReader};

use afterstate_lab::exchange::{self, COLUMNS, parse_weights};
use afterstate_learn::lambda_pi::Trace;
use afterstate_learn::least_squares::LeastSquares;
use anyhow::Context;
use serde::Serialize;

use crate::args::Learner;
use crate::output::{Output, Usage, remark};

#[derive(Serialize)]
struct Learned {
    weights: Vec<f64>,
    rows: u64,
    error: f64,
    regularised: bool,
}

pub(crate) fn run(args: &Learner, out: &mut Output) -> anyhow::Result<()> {
    let weights = match &args.weights {
        Some(text) => parse_weights(text).map_err(|error| Usage(error.to_string()))?,
        None => vec![0.0; COLUMNS],
    };
    let mut squares = LeastSquares::new(COLUMNS);
    let mut learn = |trace: &Trace| trace.fit(&weights, args.lambda, &mut squares);
    if args.files.is_empty() {
        exchange::read(io::stdin().lock(), &mut learn).context("standard input")?;
    }
    for path in &args.files {
        let name = || path.display().to_string();
        let file = File::open(path).with_context(name)?;
        exchange::read(BufReader::new(file), &mut learn).with_context(name)?;
    }
    let solution = squares.solve(args.solver.into())?;
    if solution.regularised {
        remark("the games leave some weights open; small ones were preferred");
    }
    if out.json() {
        let (rows, error) = (squares.rows(), solution.error);
        let (weights, regularised) = (solution.weights, solution.regularised);
        return Ok(out.object(&Learned { weights, rows, error, regularised })?);
    }
    let weights: Vec<String> = solution.weights.iter().map(ToString::to_string).collect();
    Ok(out.line(weights.join(" "))?)
}
