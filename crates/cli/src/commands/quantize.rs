//! `quantize`: an agent with 16-bit weights, or in a file of a given size.

use std::path::{Path, PathBuf};
use std::time::Instant;

use afterstate_agents::Agent;
use afterstate_engine::Engine;
use afterstate_values::coded::{CodingLoss, CodingSettings};
use afterstate_values::memory::show;
use afterstate_values::model::QuantizeFileError;
use anyhow::{Error, bail};
use serde::Serialize;

use super::eval::game_of;
use crate::args::Quantize;
use crate::output::{Output, count, grouped, number};
use crate::recording::claim_file;

#[derive(Serialize)]
struct Report<'a> {
    agent: &'a PathBuf,
    out: &'a PathBuf,
    largest_error: Option<f32>,
    rms_error: f64,
    bytes_before: u64,
    bytes_after: u64,
}

pub(crate) fn run(args: &Quantize, out: &mut Output) -> anyhow::Result<()> {
    let Agent::File(from) = &args.agent else {
        bail!("{} has no weights to quantize: use an agent file or a run folder", args.agent);
    };
    let engine = afterstate_engine::open(&game_of(&args.agent)?);
    claim_file(&args.out)?;
    if let Some(max_size) = args.max_size {
        let Quantize { games, seed, threads, .. } = *args;
        let settings = CodingSettings { max_size, games, seed, threads };
        return save_coded(&*engine, from, &args.out, &settings, out);
    }
    let loss = engine.quantize(from, &args.out).map_err(|error| named(from, error))?;
    let report = Report {
        agent: from,
        out: &args.out,
        largest_error: loss.max_error,
        rms_error: loss.rms,
        bytes_before: loss.bytes_before,
        bytes_after: loss.bytes_after,
    };
    if out.json() {
        return Ok(out.object(&report)?);
    }
    let (before, after) = (show(report.bytes_before), show(report.bytes_after));
    out.line(format!("{}: {before} of weights quantized to {after}", report.out.display()))?;
    let rms = report.rms_error;
    Ok(out.line(match report.largest_error {
        Some(largest) => format!(
            "The error of a value is at most {largest:.3}; the RMS error of a weight is {rms:.5}."
        ),
        None => format!(
            "The RMS error of a weight is {rms:.5}; `afterstate eval` measures what that costs."
        ),
    })?)
}

/// An error with the file that it is about.
fn named(from: &Path, error: QuantizeFileError) -> Error {
    match error {
        // It names its own file, which may be the output.
        QuantizeFileError::File(error) => error.into(),
        other => Error::new(other).context(from.display().to_string()),
    }
}

/// The output of `--json` with a size.
#[derive(Serialize)]
struct CodedReport<'a> {
    agent: &'a Path,
    out: &'a Path,
    games: u64,
    seed: u64,
    moves: u64,
    weights: u64,
    kept: u64,
    use_share: f64,
    step: [f32; 2],
    rms_weight: f64,
    rms_error: f64,
    bytes_before: u64,
    bytes_after: u64,
    seconds: f64,
}

fn save_coded(
    engine: &dyn Engine,
    from: &Path,
    to: &Path,
    settings: &CodingSettings,
    out: &mut Output,
) -> anyhow::Result<()> {
    let clock = Instant::now();
    let coded = engine.save_coded(from, to, settings).map_err(|error| named(from, error))?;
    let seconds = clock.elapsed().as_secs_f64();
    let CodingLoss { moves, weights, kept, use_share, min_step, max_step, .. } = coded;
    let CodingLoss { rms_weight, rms_error, bytes_before, bytes_after, .. } = coded;
    let (games, seed, step) = (settings.games, settings.seed, [min_step, max_step]);
    if out.json() {
        return Ok(out.object(&CodedReport {
            agent: from,
            out: to,
            games,
            seed,
            moves,
            weights,
            kept,
            use_share,
            step,
            rms_weight,
            rms_error,
            bytes_before,
            bytes_after,
            seconds,
        })?);
    }
    let (before, after) = (show(bytes_before), show(bytes_after));
    let shown = to.display();
    out.line(format!("{shown}: {before} of weights coded in {after}, in {seconds:.0} s"))?;
    out.line(format!(
        "{} of {} weights that are not zero are kept, with {:.3}% of their uses in {} ({}).",
        grouped(kept),
        grouped(weights),
        100.0 * use_share,
        count(games, "game"),
        count(moves, "move"),
    ))?;
    Ok(out.line(format!(
        "Their steps are from {} to {}, smaller the more a weight is used; in these games the RMS \
         error of a weight is {}, beside an RMS weight of {}.",
        number(min_step.into()),
        number(max_step.into()),
        number(rms_error),
        number(rms_weight),
    ))?)
}
