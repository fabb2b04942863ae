//! `results/`: what the program measured, as JSON lines and as tables for people.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::machine::machine;

/// Enough games that the standard error of every mean is a few thousandths of it.
const RANDOM_PLAY: &[&str] = &["random-play", "--games", "200000", "--seed", "1", "--json"];
const SPEED: &[&str] = &["bench", "--seconds", "2", "--json"];
const SERVE: &[&str] = &["bench", "--serve", "--seconds", "3", "--json"];

/// Where the part of `speed.md` begins that is not measured here.
const BY_HAND: &str = "## Beside the fastest published trainer";

/// Measures everything again.
pub(crate) fn regenerate() -> anyhow::Result<()> {
    let folder = folder()?;
    let (random, random_rows) = afterstate(RANDOM_PLAY)?;
    fs::write(folder.join("random_play.jsonl"), random)?;
    fs::write(folder.join("random-play.md"), random_play(&random_rows)?)?;
    regenerate_speeds()?;
    afterstate(&["reproduce", "--pages", "--json"])?;
    Ok(())
}

/// Measures the speeds of the program and of its server again, which takes minutes of idle cores.
pub(crate) fn regenerate_speeds() -> anyhow::Result<()> {
    let folder = folder()?;
    let (speed, speed_rows) = afterstate(SPEED)?;
    let (serve, serve_rows) = afterstate(SERVE)?;
    fs::write(folder.join("speed.jsonl"), speed)?;
    fs::write(folder.join("serve.jsonl"), serve)?;
    let speed_page = folder.join("speed.md");
    let before = fs::read_to_string(&speed_page).unwrap_or_default();
    let kept = before.find(BY_HAND).map_or("", |begin| &before[begin - 1..]);
    fs::write(&speed_page, speeds(&speed_rows)? + &load(&serve_rows)? + kept)?;
    Ok(())
}

fn folder() -> anyhow::Result<PathBuf> {
    let folder = crate::root().join("results");
    fs::create_dir_all(&folder).context("cannot make results/")?;
    Ok(folder)
}

/// What the program prints for some arguments, as text and as objects.
fn afterstate(arguments: &[&str]) -> anyhow::Result<(String, Vec<Value>)> {
    crate::note(format!("afterstate {}", arguments.join(" ")));
    let run = ["run", "--release", "--quiet", "--package", "afterstate", "--"];
    let output =
        Command::new("cargo").args(run).args(arguments).current_dir(crate::root()).output()?;
    if !output.status.success() {
        bail!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    let rows = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok((text, rows))
}

fn random_play(rows: &[Value]) -> anyhow::Result<String> {
    let mut page = String::from("# Random play: fingerprints of the rules\n\n");
    writeln!(
        page,
        "Uniformly random legal moves; mean +- standard error. A program whose means lie elsewhere\n\
         plays by other rules, or chooses among other moves: in Tetris a drop that loses the game\n\
         is not a move here, so random play lasts until every drop loses, and the piece that finds\n\
         no place is not counted. `afterstate {}`\n",
        RANDOM_PLAY.join(" ")
    )?;
    writeln!(page, "| game | score | counts | moves |\n|---|---|---|---|")?;
    for row in rows {
        let pair = |key: &str, error: &str| {
            anyhow::Ok(format!("{:.3} +- {:.3}", number(row, key)?, number(row, error)?))
        };
        let (game, unit) = (text(row, "game")?, text(row, "unit")?);
        let score = pair("mean_score", "score_error")?;
        let moves = pair("mean_moves", "moves_error")?;
        writeln!(page, "| {game} | {score} | {unit} | {moves} |")?;
    }
    Ok(page)
}

fn speeds(rows: &[Value]) -> anyhow::Result<String> {
    let mut page = format!("# Speed on one core\n\nMachine: {}.\n\n", machine());
    writeln!(
        page,
        "Median of rounds in which each benchmark and its bound take turns. The bound of a network\n\
         is the speed at which the machine reads the weights of real play, in the same\n\
         order and prefetched, and does nothing else. `afterstate {}`\n",
        SPEED.join(" ")
    )?;
    writeln!(page, "A node of a search is a state whose moves are evaluated.\n")?;
    writeln!(page, "| benchmark | speed | bound | part of it | nodes |\n|---|---|---|---|---|")?;
    for row in rows {
        let (name, unit) = (text(row, "name")?, text(row, "unit")?);
        // Not every benchmark has a bound or counts nodes: those cells stay empty.
        let speed = |key: &str, unit: &str| {
            let short = |value: f64| match value {
                1e6.. => format!("{:.2}M {unit}", value / 1e6),
                1e3.. => format!("{:.1}k {unit}", value / 1e3),
                _ => format!("{value:.2} {unit}"),
            };
            row[key].as_f64().map_or(String::new(), short)
        };
        let (value, bound, nodes) =
            (speed("value", unit), speed("bound", unit), speed("nodes", "nodes/s"));
        let percent = |ratio: f64| format!("{:.0}%", 100.0 * ratio);
        let part = row["ratio"].as_f64().map_or(String::new(), percent);
        writeln!(page, "| {name} | {value} | {bound} | {part} | {nodes} |")?;
    }
    Ok(page)
}

/// The load test of the page's server.
fn load(rows: &[Value]) -> anyhow::Result<String> {
    let mut page = format!(
        "\n## The page's server under load\n\n\
         Clients on the same machine, each with a connection and a game of its own, ask as fast as\n\
         they are answered. `afterstate {}`\n\n\
         | request | clients | idle connections | requests/s | median | 99% | slowest | failed |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
        SERVE.join(" ")
    );
    for row in rows {
        let ms = |key: &str| anyhow::Ok(format!("{:.2} ms", number(row, key)?));
        writeln!(
            page,
            "| {} | {} | {} | {:.0} | {} | {} | {} | {} |",
            text(row, "name")?,
            number(row, "clients")?,
            number(row, "idle")?,
            number(row, "per_second")?,
            ms("median_ms")?,
            ms("p99_ms")?,
            ms("slowest_ms")?,
            number(row, "failed")?
        )?;
    }
    Ok(page)
}

fn text<'a>(row: &'a Value, key: &str) -> anyhow::Result<&'a str> {
    row[key].as_str().with_context(|| format!("no text {key:?} in {row}"))
}

fn number(row: &Value, key: &str) -> anyhow::Result<f64> {
    row[key].as_f64().with_context(|| format!("no number {key:?} in {row}"))
}
