//! A game in plain text: by hand, by an agent or from a replay.

use std::io::{self, BufRead, Read};
use std::thread;
use std::time::Duration;

use afterstate_agents::{Agent, LoadedAgent};
use afterstate_engine::Engine;
use afterstate_games::spec::GameSpec;
use afterstate_session::{GameSession, Replay, View};
use anyhow::Context;
use serde::Serialize;
use serde_json::json;

use crate::args::Play;
use crate::output::{Output, grouped, number};

/// One line of `--json`: the state of the game, and the move before it.
#[derive(Serialize)]
struct Report {
    game: String,
    seed: u64,
    moves: u64,
    #[serde(rename = "move")]
    mv: Option<String>,
    reward: f32,
    score: f64,
    state: String,
    terminal: bool,
    truncated: bool,
}

/// A new game.
pub(crate) fn play(
    args: &Play,
    rules: &GameSpec,
    seed: u64,
    out: &mut Output,
) -> anyhow::Result<()> {
    let engine = afterstate_engine::open(rules);
    let agent = args.agent.as_ref().map(|agent| engine.load(agent)).transpose()?;
    let player = match &agent {
        Some(agent) if !args.hints => Player::Agent(agent),
        _ => Player::Person,
    };
    let session = engine.session(seed, None)?;
    let mut plain =
        PlainGame { args, engine: &*engine, agent: agent.as_ref(), session, out, lines: 0 };
    plain.play(player)?;
    let PlainGame { session, out, .. } = plain;
    match &args.replay_out {
        Some(path) => super::save(path, session.replay(), out),
        None => Ok(()),
    }
}

/// Shows a verified replay from its start.
pub(crate) fn replay(
    args: &Play,
    replay: &Replay,
    mut session: GameSession,
    out: &mut Output,
) -> anyhow::Result<()> {
    let engine = afterstate_engine::open(&replay.game.parse()?);
    session.rewind();
    let mut plain = PlainGame { args, engine: &*engine, agent: None, session, out, lines: 0 };
    plain.play(Player::Replay)
}

/// Who selects the moves.
#[derive(Clone, Copy)]
enum Player<'a> {
    Person,
    Agent(&'a LoadedAgent),
    Replay,
}

/// A game in plain text.
struct PlainGame<'a> {
    args: &'a Play,
    engine: &'a dyn Engine,
    agent: Option<&'a LoadedAgent>,
    session: GameSession,
    out: &'a mut Output,
    /// Height of the last frame in lines.
    lines: usize,
}

impl PlainGame<'_> {
    fn play(&mut self, player: Player) -> anyhow::Result<()> {
        self.print_header(player)?;
        let limit = self.args.moves.unwrap_or(u64::MAX);
        loop {
            let view = self.session.glance();
            self.show(&view, !matches!(player, Player::Person))?;
            if self.args.hints && !view.finished && !self.out.json() {
                let hints = self.hints()?;
                self.out.line(hints)?;
            }
            if view.finished || view.moves >= limit {
                return self.finish(&view);
            }
            let played = match player {
                Player::Replay => self.session.redo(),
                Player::Agent(agent) => self.session.play_by(agent, &self.args.search, 1)? == 1,
                Player::Person => self.read_move()?,
            };
            if !played {
                return self.finish(&view);
            }
        }
    }

    fn print_header(&mut self, player: Player) -> anyhow::Result<()> {
        if self.out.json() {
            return Ok(());
        }
        let (rules, seed) = (self.session.rules(), self.session.seed());
        match player {
            Player::Replay => self.out.line(format!("{rules}, seed {seed}, a replay"))?,
            Player::Agent(agent) => {
                let search = match &self.args.search {
                    search if search.is_greedy() => String::new(),
                    search => format!(" with {search}"),
                };
                self.out.line(format!("{rules}, agent {}{search}, seed {seed}", agent.name()))?;
            }
            Player::Person => {
                self.out.line(format!("{rules}, seed {seed}"))?;
                self.out.line(self.engine.move_help())?;
                self.out.line(
                    "Commands: moves (list the legal moves), hints (their values), help, quit.",
                )?;
            }
        }
        Ok(self.out.line("")?)
    }

    fn show(&mut self, view: &View, automatic: bool) -> anyhow::Result<()> {
        let mv = view.last.as_ref().map(|last| last.mv.clone());
        let reward = view.last.as_ref().map_or(0.0, |last| last.reward);
        let View { seed, moves, score, truncated, .. } = *view;
        if self.out.json() {
            let (game, state) = (view.game.clone(), view.state.clone());
            let terminal = view.finished && !truncated;
            self.out.object(&Report {
                game,
                seed,
                moves,
                mv,
                reward,
                score,
                state,
                terminal,
                truncated,
            })?;
            return Ok(self.out.flush()?);
        }
        let rewarded = mv
            .map_or_else(String::new, |mv| format!(", {mv} scored {}", number(f64::from(reward))));
        let frame = format!(
            "{}\nmove {}{rewarded}, score {}\n",
            self.session.drawing(),
            grouped(moves),
            number(score)
        );
        let lines = frame.lines().count() + 1;
        let widest = frame.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let redraw = automatic && self.out.fits(widest, lines.max(self.lines));
        if redraw && self.lines > 0 {
            // Moves the cursor to the top of the last frame and clears below it.
            self.out.prompt(&format!("\x1b[{}A\x1b[J", self.lines))?;
        }
        self.lines = lines;
        self.out.line(&frame)?;
        self.out.flush()?;
        if automatic {
            let pause = self.args.delay.unwrap_or(if self.out.is_terminal() { 120 } else { 0 });
            thread::sleep(Duration::from_millis(pause));
        }
        Ok(())
    }

    /// Reads moves until one is legal and plays it; false if the player quits.
    fn read_move(&mut self) -> anyhow::Result<bool> {
        loop {
            if !self.out.json() {
                self.out.prompt("your move> ")?;
            }
            let mut line = Vec::new();
            // Moves are shorter; the rest of a longer line is read as the next move.
            let read = io::stdin().lock().take(4096).read_until(b'\n', &mut line);
            if read.context("cannot read standard input")? == 0 {
                if !self.out.json() {
                    self.out.line("")?;
                }
                return Ok(false);
            }
            let line = String::from_utf8_lossy(&line);
            let note = match line.trim() {
                "" => continue,
                "quit" | "q" | "exit" => return Ok(false),
                "help" | "?" => self.engine.move_help(),
                "hints" | "hint" => self.hints()?,
                "moves" => {
                    let moves = self.session.view().options;
                    moves.into_iter().map(|option| option.mv).collect::<Vec<_>>().join(" ")
                }
                text => match self.session.play(text) {
                    Ok(()) => return Ok(true),
                    Err(error) => error.to_string(),
                },
            };
            self.out.object_or_line(&json!({"note": note}), || note.clone())?;
        }
    }

    /// Every move with its value, the best first.
    fn hints(&self) -> anyhow::Result<String> {
        let builtin;
        let agent = match self.agent {
            Some(agent) => agent,
            None => {
                builtin = self.engine.load(&Agent::Builtin)?;
                &builtin
            }
        };
        let Some(analysis) = self.session.analyze(agent, &self.args.search, 1)? else {
            return Ok(format!("{} has no values for hints", agent.name()));
        };
        let hints = analysis.moves.iter();
        let hints = hints.map(|one| format!("{} {}", one.mv, number(f64::from(one.value))));
        Ok(hints.collect::<Vec<_>>().join("\n"))
    }

    fn finish(&mut self, view: &View) -> anyhow::Result<()> {
        if self.out.json() { Ok(()) } else { super::print_result(view, false, self.out) }
    }
}
