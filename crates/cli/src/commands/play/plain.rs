//! A game in plain text: by hand, by an agent or from a replay.

use std::io::{self, BufRead, Read};
use std::thread;
use std::time::Duration;

use afterstate_core::policy::Choice;
use afterstate_core::text::one_line;
use afterstate_core::{Policy, Rng, Step};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_lab::Agent;
use afterstate_lab::advice::Analyzer;
use afterstate_lab::sitting::{GameSession, Replay, agent_rng};
use anyhow::Context;
use serde::Serialize;

use crate::args::Play;
use crate::output::{Output, count, grouped, number};

/// One line of `--json`: where the game stands, and the move that led there.
#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    seed: u64,
    moves: u64,
    #[serde(rename = "move")]
    mv: Option<String>,
    reward: f32,
    score: f64,
    state: String,
    over: bool,
}

/// A new game.
pub(crate) fn play(
    args: &Play,
    rules: &GameSpec,
    seed: u64,
    out: &mut Output,
) -> anyhow::Result<()> {
    let agent = args.agent.as_ref().map(|agent| agent.by_rules(rules));
    let name = rules.to_string();
    let (script, board) = (None, None);
    let table = Table { args, agent, out: &mut *out, name, seed, script, board, drawn_lines: 0 };
    let moves = rules.with(table)?;
    let Some(path) = &args.replay_out else { return Ok(()) };
    // Rules, seed and moves are the whole game.
    let mut sitting = GameSession::new(rules, seed);
    moves.iter().try_for_each(|mv| sitting.play(mv))?;
    super::save(path, sitting.replay(), out)
}

/// A game that was verified.
pub(crate) fn replay(args: &Play, replay: &Replay, out: &mut Output) -> anyhow::Result<()> {
    let rules: GameSpec = replay.game.parse()?;
    let script = Some(replay.moves.clone().into_iter());
    let (name, seed, board) = (rules.to_string(), replay.seed, replay.board.clone());
    rules.with(Table { args, agent: None, out, name, seed, script, board, drawn_lines: 0 })?;
    Ok(())
}

/// The table at which one game is played: who plays, and how it is shown.
struct Table<'a> {
    args: &'a Play,
    agent: Option<Agent>,
    out: &'a mut Output,
    name: String,
    seed: u64,
    /// The moves of a replay, and the board on which it began.
    script: Option<std::vec::IntoIter<String>>,
    board: Option<String>,
    /// How many lines of the terminal the last frame of an agent's game took.
    drawn_lines: usize,
}

/// A game under way.
struct Standing<G: Spec> {
    state: G::State,
    moves: u64,
    score: f64,
    last: Option<(G::Move, f32)>,
}

impl Visitor for Table<'_> {
    /// The moves that were made.
    type Output = anyhow::Result<Vec<String>>;

    fn visit<G: Spec>(mut self, game: &G) -> Self::Output {
        let mut made = Vec::new();
        let mut rng = Rng::stream(self.seed, 0);
        let dealt = game.start(&mut rng);
        let drawn = self.board.as_ref().map(|board| game.parse_state(board)).transpose()?;
        let state = drawn.unwrap_or(dealt);
        let mut standing = Standing::<G> { state, moves: 0, score: 0.0, last: None };
        let loaded = self.agent.as_ref().map(|agent| agent.load(game)).transpose()?;
        let mut player =
            loaded.as_ref().filter(|_| !self.args.hints).map(|l| l.searching(&self.args.search));
        self.greet(game)?;
        let limit = self.args.moves.unwrap_or(u64::MAX).min(game.limit().unwrap_or(u64::MAX));
        loop {
            let over = game.count_moves(&standing.state) == 0;
            self.show(game, &standing, over)?;
            if self.args.hints && !over && !self.out.json() {
                let hints = self.hints(game, &standing.state)?;
                self.out.line(hints)?;
            }
            if over || standing.moves >= limit {
                self.part(game, &standing, over)?;
                return Ok(made);
            }
            let chosen = match (&mut player, &mut self.script) {
                (_, Some(script)) => match script.next() {
                    Some(mv) => {
                        let mv = game.parse_move(&standing.state, &mv)?;
                        Some((mv, game.play(&standing.state, mv)?))
                    }
                    None => None,
                },
                (Some(player), None) => {
                    player.choose(game, &standing.state, &mut agent_rng(self.seed, standing.moves))
                }
                (None, None) => self.ask(game, &standing.state)?,
            };
            let Some((mv, Step { after, reward })) = chosen else {
                self.part(game, &standing, false)?;
                return Ok(made);
            };
            made.push(game.move_text(mv));
            standing.state = game.sample(&after, &mut rng);
            standing.moves += 1;
            standing.score += f64::from(reward);
            standing.last = Some((mv, reward));
        }
    }
}

impl Table<'_> {
    fn greet<G: Spec>(&mut self, game: &G) -> anyhow::Result<()> {
        if self.out.json() {
            return Ok(());
        }
        match &self.agent {
            _ if self.script.is_some() => {
                self.out.line(format!("{}, seed {}, a replay", self.name, self.seed))?;
            }
            Some(agent) if !self.args.hints => {
                let search = match &self.args.search {
                    search if search.is_greedy() => String::new(),
                    search => format!(" with {search}"),
                };
                let (name, seed) = (&self.name, self.seed);
                self.out.line(format!("{name}, agent {agent}{search}, seed {seed}"))?;
            }
            _ => {
                self.out.line(format!("{}, seed {}", self.name, self.seed))?;
                self.out.line(game.move_help())?;
                self.out.line("Or: moves (list them), hints (what they are worth), help, quit.")?;
            }
        }
        Ok(self.out.line("")?)
    }

    fn show<G: Spec>(
        &mut self,
        game: &G,
        standing: &Standing<G>,
        over: bool,
    ) -> anyhow::Result<()> {
        let Standing { moves, score, .. } = *standing;
        let mv = standing.last.map(|(mv, _)| game.move_text(mv));
        let reward = standing.last.map_or(0.0, |(_, reward)| reward);
        if self.out.json() {
            let state = one_line(&game.state_text(&standing.state));
            let (game, seed) = (&self.name, self.seed);
            self.out.object(&Report { game, seed, moves, mv, reward, score, state, over })?;
            return Ok(self.out.flush()?);
        }
        let watched = self.script.is_some() || self.agent.is_some() && !self.args.hints;
        let earned = mv
            .map_or_else(String::new, |mv| format!(", {mv} earned {}", number(f64::from(reward))));
        let frame = format!(
            "{}\nmove {}{earned}, score {}\n",
            game.drawing(&standing.state),
            grouped(moves),
            number(score)
        );
        let lines = frame.lines().count() + 1;
        let widest = frame.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let redraw = watched && self.out.fits(widest, lines.max(self.drawn_lines));
        if redraw && self.drawn_lines > 0 {
            // Back to the top of the last frame, and clear from there.
            self.out.prompt(&format!("\x1b[{}A\x1b[J", self.drawn_lines))?;
        }
        self.drawn_lines = lines;
        self.out.line(&frame)?;
        self.out.flush()?;
        if watched {
            let pause = self.args.delay.unwrap_or(if self.out.is_terminal() { 120 } else { 0 });
            thread::sleep(Duration::from_millis(pause));
        }
        Ok(())
    }

    /// Asks the person for a move until there is a legal one; `None` if they have had enough.
    fn ask<G: Spec>(&mut self, game: &G, state: &G::State) -> anyhow::Result<Option<Choice<G>>> {
        loop {
            if !self.out.json() {
                self.out.prompt("your move> ")?;
            }
            let mut line = Vec::new();
            // No move is longer; the rest of a longer line is read as the next one.
            let read = io::stdin().lock().take(4096).read_until(b'\n', &mut line);
            if read.context("cannot read your move")? == 0 {
                if !self.out.json() {
                    self.out.line("")?;
                }
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&line);
            let complaint = match line.trim() {
                "" => continue,
                "quit" | "q" | "exit" => return Ok(None),
                "help" | "?" => game.move_help(),
                "hints" | "hint" => self.hints(game, state)?,
                "moves" => {
                    let mut words = Vec::new();
                    game.for_each_move(state, |mv, _| words.push(game.move_text(mv)));
                    words.join(" ")
                }
                text => match game.parse_move(state, text) {
                    Ok(mv) => match game.play(state, mv) {
                        Ok(step) => return Ok(Some((mv, step))),
                        Err(_) => {
                            format!("{}: {}", game.move_text(mv), game.why_illegal(state, mv))
                        }
                    },
                    Err(error) => error.to_string(),
                },
            };
            self.say(complaint)?;
        }
    }

    /// Every move with what it is worth, the best first.
    fn hints<G: Spec>(&self, game: &G, state: &G::State) -> anyhow::Result<String> {
        let agent = self.agent.clone().unwrap_or(Agent::Builtin);
        let loaded = agent.load(game)?;
        let Some(mut adviser) = Analyzer::new(game, &loaded, &self.args.search, 1) else {
            return Ok(format!("{agent} has no values to advise by"));
        };
        let moves = adviser.advise(state).moves;
        let told = moves
            .iter()
            .map(|weighed| format!("{} {}", weighed.mv, number(f64::from(weighed.value))));
        Ok(told.collect::<Vec<_>>().join("\n"))
    }

    fn say(&mut self, note: String) -> anyhow::Result<()> {
        #[derive(Serialize)]
        struct Note {
            note: String,
        }
        let said =
            if self.out.json() { self.out.object(&Note { note }) } else { self.out.line(note) };
        Ok(said?)
    }

    fn part<G: Spec>(
        &mut self,
        game: &G,
        standing: &Standing<G>,
        over: bool,
    ) -> anyhow::Result<()> {
        if self.out.json() {
            return Ok(());
        }
        let how = if over { "Game over" } else { "Stopped" };
        let (moves, score) = (count(standing.moves, "move"), number(standing.score));
        let again = format!("--seed {}", self.seed);
        Ok(self.out.line(format!("{how} after {moves}: {score} {} ({again})", game.unit()))?)
    }
}
