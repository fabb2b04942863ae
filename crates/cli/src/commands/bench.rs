//! `bench`: speeds on one core, the fingerprint of behaviour, and the load of the page's server.

use afterstate_engine::bench;
use afterstate_engine::fingerprint::fingerprint;
use anyhow::bail;
use serde::Serialize;

use crate::args::Bench;
use crate::output::{Output, count, grouped, number};

#[derive(Serialize)]
struct Fingerprint<'a> {
    name: &'static str,
    value: &'a str,
    unit: &'static str,
}

pub(crate) fn run(args: &Bench, out: &mut Output) -> anyhow::Result<()> {
    if args.fingerprint {
        let value = format!("{:016x}", fingerprint());
        let object = Fingerprint { name: "fingerprint", value: &value, unit: "hash" };
        return Ok(out.object_or_line(&object, || value.clone())?);
    }
    #[cfg(feature = "serve")]
    if args.serve {
        return super::bench_serve::run(args.seconds, out);
    }
    let (measured, failures) = bench::run(&args.filter, args.seconds, args.seed);
    if measured.is_empty() && failures.is_empty() {
        let names = bench::names().join(", ");
        bail!("no benchmark has a name with {:?}: the benchmarks are {names}", args.filter);
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
        if let Some(processor) = &one.processor {
            let unit = one.unit.trim_end_matches("/s");
            let energy = |joules: Option<f64>, what: &str| match joules {
                Some(joules) => format!("{} J per million {unit}", number(joules)),
                None => format!("energy unknown: {what} has no counter that can be read"),
            };
            let value = grouped(processor.value as u64);
            let cores = count(processor.cores as u64, "core");
            out.line(format!("  on the GPU: {}", energy(one.joules, "it")))?;
            let joules = energy(processor.joules, "the processor");
            out.line(format!("  on {cores}: {value} {}, {joules}", one.unit))?;
        }
    }
    match failures.into_iter().next() {
        Some(failure) => Err(failure.into()),
        None => Ok(()),
    }
}
