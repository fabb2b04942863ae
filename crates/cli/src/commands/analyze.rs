//! `analyze`: the value of every move of one board, or of many boards for another program.

use std::io::{self, BufRead, Read};

use afterstate_agents::Agent;
use afterstate_agents::analysis::{Analysis, Reason};
use afterstate_engine::AnalyzeBoard;
use afterstate_games::spec::GameSpec;
use afterstate_session::board_json;
use anyhow::{Context, anyhow};
use serde_json::json;

use super::eval::game_of;
use crate::args::{Analyze, display_name, read_text};
use crate::output::{Output, Usage, count, number};

/// The maximum length of a board on one line, in bytes.
const MAX_LINE: u64 = 1 << 16;

/// The maximum number of reasons in text output.
const MAX_REASONS: usize = 5;

pub(crate) fn run(args: &Analyze, out: &mut Output) -> anyhow::Result<()> {
    let game = match (&args.game, &args.agent) {
        (Some(game), _) => game.clone(),
        (None, Agent::Builtin) if args.serve_stdin => "2048".parse()?,
        (None, Agent::Builtin) => return with_built_in(args, out),
        (None, agent) => game_of(agent)?,
    };
    let text = if args.serve_stdin { None } else { Some(read_board(args)?) };
    analyze(args, &game, text, out)
}

fn read_board(args: &Analyze) -> anyhow::Result<String> {
    let text = read_text(&args.board).map_err(anyhow::Error::msg)?;
    board_json::text(text).with_context(|| display_name(&args.board).to_owned())
}

/// Analyzes a board by the embedded agent of the first game that it is a board of.
fn with_built_in(args: &Analyze, out: &mut Output) -> anyhow::Result<()> {
    let text = read_board(args)?;
    let games = GameSpec::ALL.iter().filter_map(|game| game.name.parse().ok());
    let game = games.into_iter().find(|game| afterstate_engine::open(game).drawing(&text).is_ok());
    let game = game.ok_or_else(|| {
        Usage(format!(
            "{}: not a board of 2048, tetris or 1010 by their usual rules: name the rules with \
             --game, such as --game tetris:10x10",
            display_name(&args.board)
        ))
    })?;
    analyze(args, &game, Some(text), out)
}

fn analyze(
    args: &Analyze,
    game: &GameSpec,
    text: Option<String>,
    out: &mut Output,
) -> anyhow::Result<()> {
    let engine = afterstate_engine::open(game);
    let agent = engine.load(&args.agent)?;
    let analyzer = engine.analyzer(&agent, &args.search, args.threads)?;
    let mut analyzer = analyzer.ok_or_else(|| {
        Usage(format!("{} has no values to analyze with: use another agent", agent.name()))
    })?;
    let Some(text) = text else { return serve(&mut *analyzer, out) };
    let analysis = analyzer.analyze(&text).with_context(|| display_name(&args.board).to_owned())?;
    if out.json() {
        return Ok(out.object(&analysis)?);
    }
    out.line(engine.drawing(&text)?)?;
    print(&analysis, game.unit(), out)
}

/// Answers every line of standard input with one line: an analysis, or the error of that line.
fn serve(analyzer: &mut dyn AnalyzeBoard, out: &mut Output) -> anyhow::Result<()> {
    let mut input = io::stdin().lock();
    while let Some(line) = next_line(&mut input).context("cannot read standard input")? {
        let analysis = line
            .and_then(|line| Ok(board_json::text(line)?))
            .and_then(|line| Ok(analyzer.analyze(&line)?))
            .map_err(|error| format!("{error:#}"));
        match analysis {
            Ok(analysis) => out.object_or_line(&analysis, || short(&analysis))?,
            Err(error) => {
                out.object_or_line(&json!({"error": error}), || format!("error: {error}"))?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

/// The next line, or its error; `None` at the end of the input. A line that is too long is skipped.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<anyhow::Result<String>>> {
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == MAX_LINE {
        input.skip_until(b'\n')?;
        let error = anyhow!("the line is longer than {MAX_LINE} bytes");
        return Ok(Some(Err(error)));
    }
    let text = String::from_utf8(line).map_err(|_| anyhow!("the line is not UTF-8 text"));
    Ok(Some(text))
}

/// All moves on one line, the best first.
fn short(analysis: &Analysis) -> String {
    if analysis.terminal {
        return "terminal".to_owned();
    }
    let moves = analysis.moves.iter().map(|scored| format!("{} {}", scored.mv, scored.value));
    moves.collect::<Vec<_>>().join(", ")
}

fn print(analysis: &Analysis, unit: &str, out: &mut Output) -> anyhow::Result<()> {
    if analysis.terminal {
        return Ok(out.line("The state is terminal: no move is legal.")?);
    }
    let widest = analysis.moves.iter().map(|scored| scored.mv.len()).max().unwrap_or(0).max(4);
    out.line(format!("  {:<widest$}  {:>14}  {:>10}", "move", "value", "reward"))?;
    for scored in &analysis.moves {
        let [value, reward] = [scored.value, scored.reward].map(|part| number(part.into()));
        out.line(format!("  {:<widest$}  {value:>14}  {reward:>10}", scored.mv))?;
    }
    let (plies, nodes) = (analysis.plies, count(analysis.nodes, "state"));
    let ply = if plies == 1 { "ply" } else { "plies" };
    out.line(format!("\n{}, {plies} {ply}, {nodes}; rewards in {unit}", analysis.search))?;
    let line: Vec<&str> = analysis.continuation.iter().map(|step| step.mv.as_str()).collect();
    out.line(format!("Likely continuation: {}", line.join(", then ")))?;
    if let [best, second, ..] = &analysis.moves[..] {
        if analysis.why.is_empty() {
            return Ok(out.line(format!("{} and {} have the same value.", best.mv, second.mv))?);
        }
        out.line(format!("Why {} is better than {}:", best.mv, second.mv))?;
        for Reason { what, best, second } in analysis.why.iter().take(MAX_REASONS) {
            let (best, second) = (f64::from(*best), f64::from(*second));
            let more = if best > second { "+" } else { "" };
            let difference = number(best - second);
            let [best, second] = [best, second].map(number);
            out.line(format!("  {more}{difference:<12}  {what}: {best} and {second}"))?;
        }
    }
    Ok(())
}
