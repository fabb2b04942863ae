//! `learner`: CS3243's learner, which fits the next weights to the games of `player`.

use std::fs::File;
use std::io::{self, BufReader};

use afterstate_engine::cs3243::{self, COLUMNS, parse_weights};
use afterstate_learn::lambda_pi::Trajectory;
use afterstate_learn::least_squares::LeastSquares;
use anyhow::Context;
use serde::Serialize;

use crate::args::Learner;
use crate::output::{Output, Usage, print_note};

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
    let mut learn = |game: &Trajectory| game.fit(&weights, args.lambda, &mut squares);
    if args.files.is_empty() {
        cs3243::read(io::stdin().lock(), &mut learn).context("standard input")?;
    }
    for path in &args.files {
        let name = || path.display().to_string();
        let file = File::open(path).with_context(name)?;
        cs3243::read(BufReader::new(file), &mut learn).with_context(name)?;
    }
    let solution = squares.solve(args.solver.into())?;
    if solution.regularised {
        print_note("the games do not determine all weights: small weights were preferred");
    }
    if out.json() {
        let (rows, error) = (squares.rows(), solution.error);
        let (weights, regularised) = (solution.weights, solution.regularised);
        return Ok(out.object(&Learned { weights, rows, error, regularised })?);
    }
    let weights: Vec<String> = solution.weights.iter().map(ToString::to_string).collect();
    Ok(out.line(weights.join(" "))?)
}
