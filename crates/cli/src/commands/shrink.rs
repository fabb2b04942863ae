//! `shrink`: an agent with 16-bit weights, for play.

use std::path::{Path, PathBuf};

use afterstate_games::spec::{Spec, Visitor};
use afterstate_lab::Agent;
use afterstate_values::memory::show;
use afterstate_values::{AnyNetwork, QuantizedNetwork, file};
use anyhow::bail;
use serde::Serialize;

use super::eval::game_of;
use crate::args::Shrink;
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    agent: PathBuf,
    out: PathBuf,
    largest_error: f32,
    rms_error: f64,
    bytes_before: u64,
    bytes_after: u64,
}

struct Convert<'a> {
    from: &'a Path,
    to: &'a Path,
    game: String,
}

impl Visitor for Convert<'_> {
    type Output = anyhow::Result<Report>;

    fn visit<G: Spec>(self, game: &G) -> anyhow::Result<Report> {
        let (info, network) = file::load(self.from, game, &self.game, G::VERSION)?;
        let AnyNetwork::Full(network) = network else {
            bail!("{} has 16-bit weights already", self.from.display());
        };
        let (mut small, loss) = QuantizedNetwork::from_network(&network)?;
        file::save(self.to, &info, &mut small)?;
        Ok(Report {
            agent: self.from.to_owned(),
            out: self.to.to_owned(),
            largest_error: loss.largest_error,
            rms_error: loss.rms,
            bytes_before: loss.bytes_before,
            bytes_after: loss.bytes_after,
        })
    }
}

pub(crate) fn run(args: &Shrink, out: &mut Output) -> anyhow::Result<()> {
    let Agent::File(from) = &args.agent else {
        bail!("{} has no weights, expected an agent's file or a run's folder", args.agent);
    };
    let spec = game_of(&args.agent)?;
    let report = spec.with(Convert { from, to: &args.out, game: spec.to_string() })?;
    if out.json() {
        return Ok(out.object(&report)?);
    }
    let (before, after) = (show(report.bytes_before), show(report.bytes_after));
    out.line(format!("{}: {before} of weights became {after}", report.out.display()))?;
    let (largest, rms) = (report.largest_error, report.rms_error);
    Ok(out.line(format!("A value changes by at most {largest:.3}; a weight by {rms:.5} (rms)."))?)
}
