//! `quantize`: an agent with 16-bit weights.

use std::path::PathBuf;

use afterstate_agents::Agent;
use afterstate_values::memory::show;
use anyhow::{Context, bail};
use serde::Serialize;

use super::eval::game_of;
use crate::args::Quantize;
use crate::output::Output;

#[derive(Serialize)]
struct Report<'a> {
    agent: &'a PathBuf,
    out: &'a PathBuf,
    largest_error: f32,
    rms_error: f64,
    bytes_before: u64,
    bytes_after: u64,
}

pub(crate) fn run(args: &Quantize, out: &mut Output) -> anyhow::Result<()> {
    let Agent::File(from) = &args.agent else {
        bail!("{} has no weights to quantize: use an agent file or a run folder", args.agent);
    };
    let engine = afterstate_engine::open(&game_of(&args.agent)?);
    let loss = engine.quantize(from, &args.out).with_context(|| from.display().to_string())?;
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
    let (largest, rms) = (report.largest_error, report.rms_error);
    Ok(out.line(format!(
        "The error of a value is at most {largest:.3}; the RMS error of a weight is {rms:.5}."
    ))?)
}
