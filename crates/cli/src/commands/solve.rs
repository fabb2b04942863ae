//! `solve`: the exact optimum of a game that is small enough, and the agent that plays it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use afterstate_games::spec::{Spec, Visitor};
use afterstate_lab::solve::{Estimate, Objective, Solution, estimate, solve};
use afterstate_values::AgentInfo;
use afterstate_values::file::save_table;
use afterstate_values::memory::{peak, show};
use anyhow::Context;
use serde::Serialize;

use crate::args::Solve;
use crate::output::{Output, count, grouped, number};

/// Seconds between two lines of progress.
const LINE_EVERY: f64 = 5.0;

/// What `--json` prints.
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

struct Work<'a> {
    args: &'a Solve,
    out: &'a mut Output,
    name: String,
}

impl Visitor for Work<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Spec>(self, game: &G) -> anyhow::Result<()> {
        let Work { args, out, name } = self;
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).build()?;
        let plan = pool.install(|| estimate(game, args.reward, args.gamma));
        let plan = plan.with_context(|| name.clone())?;
        prefetch_all(&plan, &name, out)?;
        let mut said = Instant::now();
        let mut failed = Ok(());
        // The output cannot go to the threads of the pool, so what they say is sent back here.
        let (send, receive) = std::sync::mpsc::channel();
        let solution = std::thread::scope(|scope| {
            let worker = scope
                .spawn(|| pool.install(|| solve(game, &plan, |standing| _ = send.send(*standing))));
            while !worker.is_finished() {
                let wait = std::time::Duration::from_millis(20);
                let Ok(standing) = receive.recv_timeout(wait) else { continue };
                if !out.json() && said.elapsed().as_secs_f64() > LINE_EVERY && failed.is_ok() {
                    said = Instant::now();
                    let (residual, start) = (standing.residual, number(standing.start));
                    let sweep = standing.sweep;
                    failed = out
                        .line(format!("  sweep {sweep}: residual {residual:.1e}, start {start}"))
                        .and_then(|()| out.flush());
                }
            }
            worker.join()
        });
        failed?;
        let solution =
            solution.map_err(|_| anyhow::anyhow!("the solver stopped unexpectedly"))??;
        let saved = if args.no_save {
            None
        } else {
            let path = args.out.clone().unwrap_or_else(|| place(&name));
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            }
            save_table(&path, &AgentInfo::new(&name, G::VERSION), &solution.table)?;
            Some(path)
        };
        report(&plan, &solution, saved.as_deref(), game.unit(), out)
    }
}

pub(crate) fn run(args: &Solve, out: &mut Output) -> anyhow::Result<()> {
    args.game.with(Work { args, out, name: args.game.to_string() })
}

/// Where the agent of a game goes.
fn place(name: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = name.chars().map(plain).take(100).collect();
    Path::new("solved").join(format!("{name}.safetensors"))
}

/// Says what it will take, before it starts.
fn prefetch_all(plan: &Estimate, name: &str, out: &mut Output) -> anyhow::Result<()> {
    if out.json() {
        return Ok(());
    }
    let goal = match plan.objective {
        Objective::Survival => "to live as long as possible".to_owned(),
        Objective::Gather { reward, gamma } => format!("for {reward}, gamma {gamma}"),
    };
    out.line(format!("{name}, solved {goal}"))?;
    if plan.forward {
        let note = "one sweep over the boards that play can reach; their number, and with it";
        out.line(format!("  {note} memory (16 bytes each) and time, is not known before"))?;
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
            out.line(format!("best play lives for {rounds:.5} moves on average"))?;
            out.line(format!("  that is a hazard of {:.6e} a move", 1.0 / rounds))?;
        }
        (Objective::Survival, None, _) => out.line("best play never has to end")?,
        (Objective::Gather { reward, gamma }, Some(optimum), _) => {
            let own = reward == afterstate_games::RewardMixture::SCORE && gamma == 1.0;
            let unit = if own { unit.to_owned() } else { format!("of {reward}") };
            out.line(format!("optimal play averages {optimum:.5} {unit}"))?;
        }
        (Objective::Gather { .. }, None, gain) => {
            let gain = gain.unwrap_or(f64::NAN);
            out.line(format!("best play never has to end: {gain:.6} a move"))?;
        }
    }
    if let Some(immortal) = report.immortal_boards {
        let of = grouped(report.boards);
        out.line(format!("  {} of {of} boards are safe for ever", grouped(immortal)))?;
    }
    let (boards, edges) = (count(report.boards, "board"), count(report.edges, "edge"));
    let sweeps = count(report.sweeps, "sweep");
    out.line(format!("  {boards}, {edges}; {sweeps}, residual {:.1e}", report.residual))?;
    if let Some(last) = solution.policy_changes.iter().rposition(|&changed| changed > 0) {
        out.line(format!("  the policy changed last in sweep {}", last + 1))?;
    }
    let (seconds, memory) = (report.seconds, show(report.peak_bytes));
    out.line(format!("  {seconds:.2} s, {memory} of memory at most"))?;
    if let Some(path) = saved {
        out.line(format!("  saved as {}: afterstate eval {0}", path.display()))?;
    }
    Ok(())
}
