//! Speeds of two programs, old and new, in one interleaved run: on a noisy machine only ratios of such
//! a run count.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

/// Rounds in which both programs are measured, in alternating order.
const ROUNDS: usize = 3;

/// Seconds per benchmark and round.
const SECONDS: &str = "0.4";

/// Measures the benchmarks whose names contain a filter with both programs.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let (old, new, filter) = match arguments {
        [old, new] => (old, new, ""),
        [old, new, filter] => (old, new, filter.as_str()),
        _ => bail!("compare needs two programs and may have a filter: compare OLD NEW [FILTER]"),
    };
    let mut speeds: BTreeMap<String, [Vec<f64>; 2]> = BTreeMap::new();
    for round in 0..ROUNDS {
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for which in order {
            let program = [old, new][which];
            for (name, speed) in measure(program, filter)? {
                speeds.entry(name).or_default()[which].push(speed);
            }
        }
    }
    crate::note(format!("medians of {ROUNDS} rounds: benchmark, old, new, new / old"));
    for (name, [old, new]) in &mut speeds {
        if let (Some(old), Some(new)) = (median(old), median(new)) {
            crate::note(format!("{name:<28}{old:>16.0}{new:>16.0}{:>8.3}", new / old));
        }
    }
    Ok(())
}

fn measure(program: &str, filter: &str) -> anyhow::Result<Vec<(String, f64)>> {
    let arguments = ["bench", filter, "--seconds", SECONDS, "--json"];
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    let rows = String::from_utf8(output.stdout)?;
    let speed = |line: &str| {
        let row: Value = serde_json::from_str(line)?;
        let name = row["name"].as_str().context("a benchmark without a name")?;
        Ok((name.to_owned(), row["value"].as_f64().context("a benchmark without a value")?))
    };
    rows.lines().map(speed).collect()
}

pub(crate) fn median(speeds: &mut [f64]) -> Option<f64> {
    speeds.sort_unstable_by(f64::total_cmp);
    speeds.get(speeds.len() / 2).copied()
}
