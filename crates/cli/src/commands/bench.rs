//! `bench`: speeds on one core, the fingerprint of behaviour, and what the page's server bears.

use afterstate_lab::{bench, fingerprint::fingerprint};
use anyhow::bail;
use serde::Serialize;

use crate::args::Bench;
use crate::output::{Output, grouped};

#[derive(Serialize)]
struct Fingerprint {
    name: &'static str,
    value: String,
    unit: &'static str,
}

pub(crate) fn run(args: &Bench, out: &mut Output) -> anyhow::Result<()> {
    if args.fingerprint {
        let value = format!("{:016x}", fingerprint());
        if out.json() {
            out.object(&Fingerprint { name: "fingerprint", value, unit: "hash" })?;
        } else {
            out.line(value)?;
        }
        return Ok(());
    }
    if args.serve {
        return of_the_page(args.seconds, out);
    }
    let measured = bench::run(&args.filter, args.seconds, args.seed);
    if measured.is_empty() {
        let names = bench::names().join(", ");
        bail!("no benchmark has {:?} in its name: the benchmarks are {names}", args.filter);
    }
    for one in measured {
        if out.json() {
            out.object(&one)?;
            continue;
        }
        let ratio = one
            .ratio
            .map_or(String::new(), |ratio| format!("  {:.0}% of the bound", 100.0 * ratio));
        let nodes =
            one.nodes.map_or(String::new(), |nodes| format!("  {} nodes/s", grouped(nodes as u64)));
        let value = grouped(one.value as u64);
        out.line(format!("{:<28}{value:>15} {}{ratio}{nodes}", one.name, one.unit))?;
    }
    Ok(())
}

/// How many requests the page's server answers.
fn of_the_page(seconds: f64, out: &mut Output) -> anyhow::Result<()> {
    for load in afterstate_serve::load::measure(seconds)? {
        if out.json() {
            out.object(&load)?;
            continue;
        }
        let idle = match load.idle {
            0 => String::new(),
            idle => format!(", {} more connections open", grouped(idle as u64)),
        };
        let [median, p99, slowest] =
            [load.median_ms, load.p99_ms, load.slowest_ms].map(|ms| format!("{ms:.2}"));
        out.line(format!(
            "{:<40}{:>9} requests/s, {median} ms median, {p99} ms 99%, {slowest} ms slowest, {} \
             failed ({} clients{idle})",
            load.name,
            grouped(load.per_second as u64),
            load.failed,
            load.clients,
        ))?;
    }
    Ok(())
}
