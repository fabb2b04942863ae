//! `play`: a game in the whole terminal, or in plain text where there is none.

mod plain;

use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use afterstate_games::spec::GameSpec;
use afterstate_lab::Agent;
use afterstate_lab::sitting::{GameSession, LoadedAgent, Replay, View};
use anyhow::anyhow;

use super::eval::check_search;
use super::record::beside;
use crate::args::Play;
use crate::output::{Output, count, number};
use crate::terminal::screen::Screen;
use crate::terminal::table::{Start, Table};

pub(crate) fn run(args: &Play, out: &mut Output) -> anyhow::Result<()> {
    if let Some(agent) = &args.agent {
        check_search(agent, &args.search)?;
    }
    if out.json() || args.plain || !crate::terminal::is_there() {
        return match &args.replay {
            Some(path) => plain::replay(args, &super::replay::read(path)?.0, out),
            None => plain::play(args, rules(args)?, seed(args), out),
        };
    }
    let replay = args.replay.as_ref().map(|path| super::replay::read(path)).transpose()?;
    let rules = match &replay {
        Some((replay, _)) => replay.game.parse()?,
        None => rules(args)?.clone(),
    };
    let agent = args.agent.as_ref().or(shown_agent(replay.as_ref()).as_ref()).cloned();
    let agent = agent.unwrap_or(Agent::Builtin).by_rules(&rules);
    let partner = LoadedAgent::load(&agent, &rules)?;
    let watch = args.agent.is_some() && !args.hints;
    let replayed = replay.is_some();
    let sitting = match replay {
        Some((_, mut sitting)) => {
            sitting.rewind();
            sitting
        }
        None => GameSession::new(&rules, seed(args)),
    };
    let (search, hints, delay) = (args.search, args.hints, args.delay);
    let start = Start { rules, sitting, partner, search, watch, replay: replayed, hints, delay };
    let table = Table::new(start);
    let (last, whole) = {
        let mut screen = Screen::open()?;
        table.play(&mut screen)?
    };
    part(&last, replayed, out)?;
    match &args.replay_out {
        Some(path) => save(path, whole, out),
        None => Ok(()),
    }
}

/// Writes the game to a file.
fn save(path: &Path, replay: Option<Replay>, out: &mut Output) -> anyhow::Result<()> {
    let replay = replay.ok_or_else(|| anyhow!("met a game that is too long to be recorded"))?;
    beside(path, |file| Ok(file.write_all(replay.to_json().as_bytes())?))?;
    if !out.json() {
        let path = path.display();
        out.line(format!("{path}: see it again with afterstate play --replay {path}"))?;
    }
    Ok(())
}

/// Who played a replay, if the program still knows them: hints are theirs then.
fn shown_agent(replay: Option<&(Replay, GameSession)>) -> Option<Agent> {
    replay?.0.agent.as_ref()?.parse().ok()
}

fn rules(args: &Play) -> anyhow::Result<&GameSpec> {
    args.game.as_ref().ok_or_else(|| anyhow!("met no game, expected one"))
}

fn seed(args: &Play) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    args.seed.unwrap_or((now.as_micros() % 1_000_000) as u64)
}

/// The last word, when the terminal is what it was.
fn part(view: &View, replay: bool, out: &mut Output) -> anyhow::Result<()> {
    let how = if view.over { "Game over" } else { "Stopped" };
    let (moves, score) = (count(view.moves, "move"), number(view.score));
    let again = if replay { String::new() } else { format!(" (--seed {})", view.seed) };
    Ok(out.line(format!("{how} after {moves}: {score} {}{again}", view.unit))?)
}
