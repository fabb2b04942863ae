//! `play`: a game in the full-screen terminal, or in plain text.

mod plain;

use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use afterstate_agents::Agent;
use afterstate_games::spec::GameSpec;
use afterstate_session::{GameSession, Replay, View};
use anyhow::anyhow;

use super::eval::check_search;
use crate::args::Play;
use crate::output::{Output, count, number};
use crate::recording::write_file;
use crate::terminal::game_screen::{GameScreen, Setup};
use crate::terminal::screen::Screen;

pub(crate) fn run(args: &Play, out: &mut Output) -> anyhow::Result<()> {
    if let Some(agent) = &args.agent {
        check_search(agent, &args.search)?;
    }
    if out.json() || args.plain || !crate::terminal::is_available() {
        return match &args.replay {
            Some(path) => {
                let (replay, session) = super::replay::read(path)?;
                plain::replay(args, &replay, session, out)
            }
            None => plain::play(args, rules(args)?, seed(args), out),
        };
    }
    let replay = args.replay.as_ref().map(|path| super::replay::read(path)).transpose()?;
    let rules = match &replay {
        Some((replay, _)) => replay.game.parse()?,
        None => rules(args)?.clone(),
    };
    let agent = args.agent.as_ref().or(recorded_agent(replay.as_ref()).as_ref()).cloned();
    let engine = afterstate_engine::open(&rules);
    let agent = engine.load(&agent.unwrap_or(Agent::Builtin))?;
    let watch = args.agent.is_some() && !args.hints;
    let replayed = replay.is_some();
    let session = match replay {
        Some((_, mut session)) => {
            session.rewind();
            session
        }
        None => engine.session(seed(args), None)?,
    };
    let (search, hints, delay) = (args.search, args.hints, args.delay);
    let setup = Setup { rules, session, agent, search, watch, replay: replayed, hints, delay };
    let game = GameScreen::new(setup);
    let (view, replay) = {
        let mut screen = Screen::open()?;
        game.play(&mut screen)?
    };
    print_result(&view, replayed, out)?;
    match &args.replay_out {
        Some(path) => save(path, replay, out),
        None => Ok(()),
    }
}

/// Writes the game to a file.
fn save(path: &Path, replay: Option<Replay>, out: &mut Output) -> anyhow::Result<()> {
    let replay = replay.ok_or_else(|| anyhow!("the game is too long to record"))?;
    write_file(path, |file| Ok(file.write_all(replay.to_json().as_bytes())?))?;
    if !out.json() {
        let path = path.display();
        out.line(format!("{path}: show it with afterstate play --replay {path}"))?;
    }
    Ok(())
}

/// The agent that played a replay, for hints, if it can be found.
fn recorded_agent(replay: Option<&(Replay, GameSession)>) -> Option<Agent> {
    replay?.0.agent.as_ref()?.parse().ok()
}

fn rules(args: &Play) -> anyhow::Result<&GameSpec> {
    args.game.as_ref().ok_or_else(|| anyhow!("a game or --replay is required"))
}

fn seed(args: &Play) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to type.
    args.seed.unwrap_or((now.as_micros() % 1_000_000) as u64)
}

/// Prints the result of the game.
fn print_result(view: &View, replay: bool, out: &mut Output) -> anyhow::Result<()> {
    let end = if view.finished { "Game over" } else { "Stopped" };
    let (moves, score) = (count(view.moves, "move"), number(view.score));
    let seed = if replay { String::new() } else { format!(" (--seed {})", view.seed) };
    Ok(out.line(format!("{end} after {moves}: {score} {}{seed}", view.unit))?)
}
