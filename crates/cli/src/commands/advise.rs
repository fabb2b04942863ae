//! `advise`: what every move of a board is worth, for one board or for a program that sends many.

use std::io::{self, BufRead, Read};

use afterstate_games::spec::{Spec, Visitor};
use afterstate_lab::advice::{Analysis, Analyzer, Reason};
use anyhow::{Context, anyhow};
use serde::Serialize;

use super::eval::game_of;
use crate::args::{Advise, called, read_text};
use crate::output::{Output, Usage, count, number};

/// No board needs a longer line.
const LONGEST_LINE: u64 = 1 << 16;

/// How many reasons a person is told.
const MAX_REASONS: usize = 5;

pub(crate) fn run(args: &Advise, out: &mut Output) -> anyhow::Result<()> {
    let game = match &args.game {
        Some(game) => game.clone(),
        None => game_of(&args.agent)?,
    };
    game.with(Ask { args, out })
}

struct Ask<'a> {
    args: &'a Advise,
    out: &'a mut Output,
}

impl Visitor for Ask<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Spec>(self, game: &G) -> anyhow::Result<()> {
        let Ask { args, out } = self;
        let loaded = args.agent.load(game)?;
        let adviser = Analyzer::new(game, &loaded, &args.search, args.threads);
        let mut adviser = adviser.ok_or_else(|| {
            let agent = &args.agent;
            Usage(format!("{agent} has no values to advise by: expected another agent"))
        })?;
        if args.serve_stdin {
            return serve(game, &mut adviser, out);
        }
        let text = read_text(&args.board).map_err(anyhow::Error::msg)?;
        let name = called(&args.board);
        let state = game.parse_state(&text).with_context(|| name.to_owned())?;
        let advice = adviser.advise(&state);
        if out.json() {
            return Ok(out.object(&advice)?);
        }
        out.line(game.drawing(&state))?;
        tell(&advice, game.unit(), out)
    }
}

/// Answers a board a line with a line each. Whatever is wrong with a line is the answer to it, and
/// the next one is read.
fn serve<G: Spec>(game: &G, adviser: &mut Analyzer<G>, out: &mut Output) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Refusal {
        error: String,
    }
    let mut input = io::stdin().lock();
    while let Some(line) = next_line(&mut input).context("cannot read standard input")? {
        let advice = line
            .and_then(|line| {
                let state = game.parse_state(&line)?;
                Ok(adviser.advise(&state))
            })
            .map_err(|error| format!("{error:#}"));
        match advice {
            Ok(advice) if out.json() => out.object(&advice)?,
            Ok(advice) => out.line(short(&advice))?,
            Err(error) if out.json() => out.object(&Refusal { error })?,
            Err(error) => out.line(format!("error: {error}"))?,
        }
        out.flush()?;
    }
    Ok(())
}

/// The next line, or what is wrong with it; `None` at the end. A line that is too long is read to
/// its end and forgotten.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<anyhow::Result<String>>> {
    let mut line = Vec::new();
    if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST_LINE {
        input.skip_until(b'\n')?;
        let error = anyhow!("met a line of more than {LONGEST_LINE} bytes, expected a board");
        return Ok(Some(Err(error)));
    }
    let text = String::from_utf8(line).map_err(|_| anyhow!("met a line that is not UTF-8 text"));
    Ok(Some(text))
}

/// All moves on one line, the best first.
fn short(advice: &Analysis) -> String {
    if advice.over {
        return "over".to_owned();
    }
    let moves = advice.moves.iter().map(|weighed| format!("{} {}", weighed.mv, weighed.value));
    moves.collect::<Vec<_>>().join(", ")
}

fn tell(advice: &Analysis, unit: &str, out: &mut Output) -> anyhow::Result<()> {
    if advice.over {
        return Ok(out.line("No move is left: the game is over.")?);
    }
    let widest = advice.moves.iter().map(|weighed| weighed.mv.len()).max().unwrap_or(0).max(4);
    out.line(format!("  {:<widest$}  {:>14}  {:>10}", "move", "value", "reward"))?;
    for weighed in &advice.moves {
        let (value, reward) = (f64::from(weighed.value), f64::from(weighed.reward));
        out.line(format!(
            "  {:<widest$}  {:>14}  {:>10}",
            weighed.mv,
            number(value),
            number(reward)
        ))?;
    }
    let (plies, nodes) = (advice.plies, count(advice.nodes, "state"));
    let ply = if plies == 1 { "ply" } else { "plies" };
    out.line(format!("\n{}, {plies} {ply}, {nodes}; rewards in {unit}", advice.search))?;
    let line: Vec<&str> = advice.continuation.iter().map(|turn| turn.mv.as_str()).collect();
    out.line(format!("Likely to follow: {}", line.join(", then ")))?;
    if let [best, second, ..] = &advice.moves[..] {
        if advice.why.is_empty() {
            return Ok(out.line(format!("{} and {} are worth the same.", best.mv, second.mv))?);
        }
        out.line(format!("Why {} and not {}:", best.mv, second.mv))?;
        for Reason { what, best, second } in advice.why.iter().take(MAX_REASONS) {
            let (best, second) = (f64::from(*best), f64::from(*second));
            let more = if best > second { "+" } else { "" };
            let difference = number(best - second);
            let [best, second] = [best, second].map(number);
            out.line(format!("  {more}{difference:<12}  {what}: {best} against {second}"))?;
        }
    }
    Ok(())
}
