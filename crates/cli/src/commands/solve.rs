//! `solve`: the exact optimum of a small game, and its optimal agent.

use std::path::{Path, PathBuf};
use std::time::Instant;

use afterstate_agents::Agent;
use afterstate_learn::solution::{Estimate, Objective, Solution};
use afterstate_learn::solve::SolveProgress;
use afterstate_values::memory::{peak, show};
use anyhow::{Context, bail};
use serde::Serialize;

use super::regret;
use crate::args::Solve;
use crate::output::{Output, count, grouped, number};
use crate::recording::claim_file;

/// Seconds between two lines of progress.
const LINE_EVERY: f64 = 5.0;

/// The output of `--json`.
#[derive(Serialize)]
struct Report {
    boards: u64,
    edges: u64,
    sweeps: u64,
    residual: f64,
    optimum: Option<f64>,
    immortal_boards: Option<u64>,
    seconds: f64,
    peak_bytes: u64,
}

pub(crate) fn run(args: &Solve, out: &mut Output) -> anyhow::Result<()> {
    if let Some(from) = &args.from {
        let engine = afterstate_engine::open(&args.game);
        let solution = engine.load(&Agent::File(from.clone()))?;
        if args.compare.is_empty() {
            bail!("--from takes a solution to compare agents with: add --compare AGENT");
        }
        return regret::run(args, &*engine, &solution, None, out);
    }
    let (engine, name) = (afterstate_engine::open(&args.game), args.game.to_string());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).build()?;
    let plan = pool.install(|| engine.estimate(args.reward, args.gamma));
    let plan = plan.with_context(|| name.clone())?;
    let plan = Estimate { max_sweeps: args.sweeps, ..plan };
    let path = args.out.clone().unwrap_or_else(|| default_path(&name));
    if !args.no_save {
        claim_file(&path)?;
    }
    print_estimate(&plan, &name, out)?;
    let mut last_line = Instant::now();
    let mut written = Ok(());
    // Standard output is locked by this thread, so progress is sent back to it.
    let (send, receive) = std::sync::mpsc::channel();
    let solution = std::thread::scope(|scope| {
        let mut observe = move |progress: &SolveProgress| _ = send.send(*progress);
        let (engine, plan, pool) = (&engine, &plan, &pool);
        let worker = scope.spawn(move || pool.install(|| engine.solve(plan, &mut observe)));
        while !worker.is_finished() {
            let wait = std::time::Duration::from_millis(20);
            let Ok(progress) = receive.recv_timeout(wait) else { continue };
            if !out.json() && last_line.elapsed().as_secs_f64() > LINE_EVERY && written.is_ok() {
                last_line = Instant::now();
                let SolveProgress { sweep, residual, start } = progress;
                let start = number(start);
                written = out
                    .line(format!("  sweep {sweep}: residual {residual:.1e}, start {start}"))
                    .and_then(|()| out.flush());
            }
        }
        worker.join()
    });
    written?;
    let solution = solution.map_err(|_| anyhow::anyhow!("the solver has panicked"))??;
    let saved = if args.no_save {
        None
    } else {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        }
        engine.save_solution(&solution.table, &path)?;
        Some(path)
    };
    report(&plan, &solution, saved.as_deref(), args.game.unit(), out)?;
    if args.compare.is_empty() {
        return Ok(());
    }
    let loaded = engine.load_solution(&solution.table);
    regret::run(args, &*engine, &loaded, solution.optimum, out)
}

/// The default file of the agent of a game.
fn default_path(name: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = name.chars().map(plain).take(100).collect();
    Path::new("solved").join(format!("{name}.safetensors"))
}

/// Prints the expected memory and time before the solver starts.
fn print_estimate(plan: &Estimate, name: &str, out: &mut Output) -> anyhow::Result<()> {
    if out.json() {
        return Ok(());
    }
    let goal = match plan.objective {
        Objective::Survival => "for the longest game".to_owned(),
        Objective::Gather { reward, gamma } => format!("for {reward}, gamma {gamma}"),
    };
    out.line(format!("{name}, solved {goal}"))?;
    if plan.forward {
        let note = "one sweep over the reachable boards, 16 bytes each;";
        out.line(format!("  {note} their number is not known in advance"))?;
    } else {
        let (boards, edges) = (grouped(plan.size.boards), grouped(plan.size.edges));
        out.line(format!("  about {boards} boards and {edges} edges"))?;
        let (memory, seconds) = (show(plan.bytes), plan.seconds);
        out.line(format!("  needs {memory} of memory and about {seconds:.0} s"))?;
    }
    Ok(out.flush()?)
}

fn report(
    plan: &Estimate,
    solution: &Solution,
    saved: Option<&Path>,
    unit: &str,
    out: &mut Output,
) -> anyhow::Result<()> {
    let report = Report {
        boards: solution.size.boards,
        edges: solution.size.edges,
        sweeps: solution.sweeps,
        residual: solution.residual,
        optimum: solution.optimum,
        immortal_boards: solution.immortal,
        seconds: solution.seconds,
        peak_bytes: peak().unwrap_or(0),
    };
    if out.json() {
        return Ok(out.object(&report)?);
    }
    match (plan.objective, solution.optimum, solution.gain) {
        (Objective::Survival, Some(rounds), _) => {
            out.line(format!("optimal play lasts {rounds:.5} moves on average"))?;
            out.line(format!("  hazard rate {:.6e} per move", 1.0 / rounds))?;
        }
        (Objective::Survival, None, _) => out.line("optimal play never ends")?,
        (Objective::Gather { reward, gamma }, Some(optimum), _) => {
            let own = reward == afterstate_games::RewardMixture::SCORE && gamma == 1.0;
            let unit = if own { unit.to_owned() } else { format!("of {reward}") };
            out.line(format!("optimal play averages {optimum:.5} {unit}"))?;
        }
        (Objective::Gather { .. }, None, gain) => {
            let gain = gain.unwrap_or(f64::NAN);
            out.line(format!("optimal play never ends: {gain:.6} per move"))?;
        }
    }
    if let Some(immortal) = report.immortal_boards.filter(|&immortal| immortal > 0) {
        let of = grouped(report.boards);
        out.line(format!("  optimal play never ends from {} of {of} boards", grouped(immortal)))?;
    }
    let (boards, edges) = (count(report.boards, "board"), count(report.edges, "edge"));
    let sweeps = count(report.sweeps, "sweep");
    out.line(format!("  {boards}, {edges}; {sweeps}, residual {:.1e}", report.residual))?;
    if let Some(last) = solution.policy_changes.iter().rposition(|&changed| changed > 0) {
        out.line(format!("  last change of the policy in sweep {}", last + 1))?;
    }
    let (seconds, memory) = (report.seconds, show(report.peak_bytes));
    out.line(format!("  {seconds:.2} s, {memory} of peak memory"))?;
    if let Some(path) = saved {
        out.line(format!("  saved as {}: afterstate eval {0}", path.display()))?;
    }
    Ok(())
}
