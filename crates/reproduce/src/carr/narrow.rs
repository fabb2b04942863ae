//! Contour agents in the narrow well in which they learned (chapter 5), and by overlapping subwells
//! in a wider one (chapter 6).

use afterstate_core::numbers::whole;
use afterstate_core::{Ending, Episode, Policy, RandomPolicy, Rng};
use afterstate_games::Combine;
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::contour::{
    ContourAggregation, ContourReward, SubwellActionPolicy, SubwellAfterstatePolicy,
};
use afterstate_render::chart::Axis;
use serde::{Deserialize, Serialize};

use super::contour::{Agents, Contour, SavedTable, Table, Trained, Well};
use super::seeds::{Played, each, first_seed, jump, last, line, played_seed};
use super::shared_seeds::{SeedWork, each_shared};
use super::{DISCOUNT, END, JUMP, NEVER, ROWS, level, over_games, results, well};
use crate::experiment::{Experiment, Limit, Measured, Measurement};
use crate::{Error, TrainingCache};

/// Games without learning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Games {
    pub(super) well: Well,
    pub(super) combine: Combine,
    /// Games of each seed.
    pub(super) count: u64,
    /// Games are truncated after so many pieces.
    pub(super) max_moves: u64,
}

impl Games {
    /// Games in the well in which a training learned.
    fn own(contour: &Contour, cache: &TrainingCache, count: u64) -> Games {
        let max_moves = cache.scale.pick(contour.max_played);
        Games { well: contour.well, combine: Combine::Largest, count, max_moves }
    }

    /// The rows of every game of trained agents, seed by seed.
    pub(super) fn play(
        &self,
        cache: &mut TrainingCache,
        name: &str,
        contour: &Contour,
        agents: &Agents,
    ) -> Result<Played, Error> {
        let (first, table) = (first_seed(cache), contour.table());
        let settings = format!("{self:?}, {contour:?}, {:?}", cache.scale);
        let games = TableGames {
            rules: self.well.rules(),
            table: table.clone(),
            reward: contour.reward(),
            combine: self.combine,
            count: self.count,
            max_moves: self.max_moves,
        };
        let agent = |seed: u64| agents[(seed - first) as usize].save(&table);
        Ok(Played::of(each_shared(cache, name, &settings, &games, agent)?))
    }

    /// The rows of games at random.
    fn random(&self, cache: &mut TrainingCache) -> Result<Played, Error> {
        let game = self.well.game()?;
        let played = each(cache, "at random", |seed| {
            Ok(rows(&game, Box::new(RandomPolicy), seed, (self.count, self.max_moves)))
        })?;
        Ok(Played::of(played))
    }
}

/// Games of tables, of which each seed has one.
#[derive(Serialize, Deserialize)]
pub(super) struct TableGames {
    /// The rules of the games.
    rules: String,
    table: Table,
    reward: ContourReward,
    combine: Combine,
    count: u64,
    max_moves: u64,
}

impl SeedWork for TableGames {
    const KIND: &'static str = "carr games";
    type Given = SavedTable;
    type Answer = Vec<(f64, bool)>;

    fn of_seed(&self, seed: u64, table: SavedTable) -> Result<Self::Answer, Error> {
        let game = well(&self.rules)?;
        let entries = self.table.aggregation(&game)?;
        let agent = table.restore(self.table.size(&entries))?;
        let player = player(&self.table, &agent, &entries, &self.reward, self.combine);
        Ok(rows(&game, player, seed, (self.count, self.max_moves)))
    }
}

/// The rows of each of some games of a seed, and whether it was truncated.
fn rows(
    game: &Tetris,
    mut player: Box<dyn Policy<Tetris> + '_>,
    seed: u64,
    (count, max_moves): (u64, u64),
) -> Vec<(f64, bool)> {
    let mut play = |number| {
        let mut rng = Rng::stream(played_seed(seed), number);
        let game = Episode::play_up_to(max_moves, game, &mut player, &mut rng);
        (game.score, game.ending == Ending::Truncated)
    };
    (0..count).map(&mut play).collect()
}

/// A trained agent as a player without learning.
pub(super) fn player<'a>(
    table: &Table,
    agent: &'a Trained,
    aggregation: &'a ContourAggregation,
    reward: &'a ContourReward,
    combine: Combine,
) -> Box<dyn Policy<Tetris> + 'a> {
    let values = agent.values.entries();
    match table.moves {
        true => Box::new(SubwellActionPolicy { aggregation, values, combine }),
        false => Box::new(SubwellAfterstatePolicy {
            aggregation,
            values,
            reward,
            discount: DISCOUNT,
            combine,
        }),
    }
}

/// The rows at the end of games of learning that are truncated.
pub(super) const fn limits<const N: usize>(cases: [(&'static str, Contour); N]) -> [Limit; N] {
    let mut limits = [Limit { case: "", quantity: END, most: [0.0; 3] }; N];
    let mut index = 0;
    while index < N {
        let (case, contour) = cases[index];
        limits[index] = Limit { case, quantity: END, most: contour.most_rows() };
        index += 1;
    }
    limits
}

/// Agents in the well in which they learned, and one that has learned nothing (figures 5.1 to 5.6).
/// So many rows per game, on average over so many games, are a jump.
pub(super) fn narrow(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    cases: &[(&'static str, Contour)],
    untrained: Contour,
    (rows, window): (f64, usize),
    shape: &str,
) -> Measured {
    let (mut measured, mut lines, mut longest) = (Vec::new(), Vec::new(), 0);
    let mut notes = Vec::new();
    for &(name, contour) in cases {
        let agents = contour.train(cache, name)?;
        let curves: Vec<Vec<f64>> = agents.iter().map(|agent| agent.rows.clone()).collect();
        let games = cache.scale.pick(contour.games) as usize;
        longest = longest.max(games);
        let playing = Games::own(&contour, cache, cache.scale.pick([1, 2, 4]));
        let played = playing.play(cache, name, &contour, &agents)?;
        let learned = last(&curves, games / 10);
        measured.push(Measurement::training(name, END, learned).and_played(played.mean()));
        notes.push(format!(
            "{name}: {games} games of learning, each truncated after {} pieces, some {} rows; those without \
             learning after {} pieces.",
            whole(cache.scale.pick(contour.max_moves) as f64),
            whole(cache.scale.pick(contour.most_rows())),
            whole(playing.max_moves as f64),
        ));
        notes.extend(played.note(name, playing.max_moves));
        let (jumps, never) = jump(&curves, rows, window);
        let figure = |quantity, value| Measurement::training(name, quantity, value);
        measured.extend(jumps.map(|jumps| figure(JUMP, jumps)));
        measured.extend(never.map(|never| figure(NEVER, never)));
        lines.push(line(name, &curves, (games / 100).max(1)));
    }
    let untrained = Contour { games: [0; 3], ..untrained };
    let agents = untrained.train(cache, "untrained")?;
    let playing = Games::own(&untrained, cache, cache.scale.pick([1, 4, 10]));
    let played = playing.play(cache, "untrained, playing", &untrained, &agents)?.mean();
    measured.push(Measurement::played("untrained", END, played));
    lines.push(level("untrained", played.value, longest));
    let chart = over_games(experiment.title, Axis::log("rows of a game"), lines);
    let mut results = results(experiment, cache, &measured, Some(chart), shape);
    results.notes.extend(notes);
    Ok(results)
}

/// A trained agent in a wider well: its name, its training, and how the values of its subwells are
/// combined.
pub(super) type Case = (&'static str, Contour, Combine);

/// Trained agents in another well, without learning, and moves at random: chapter 6.
pub(super) fn subwells(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    well: Well,
    cases: &[Case],
    shape: &str,
) -> Measured {
    let (count, max_moves) = cache.scale.pick([(2, 50), (20, 20_000), (100, 1_000_000)]);
    let (mut measured, mut lines, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for &(name, contour, combine) in cases {
        let agents = contour.train(cache, name)?;
        let games = Games { well, combine, count, max_moves };
        let played = games.play(cache, name, &contour, &agents)?;
        measured.push(Measurement::played(name, ROWS, played.mean()));
        notes.extend(played.note(name, max_moves));
        lines.push(line(name, &played.rows, 1));
    }
    let random = Games { well, combine: Combine::Largest, count, max_moves };
    let rows = random.random(cache)?.mean();
    measured.push(Measurement::played("at random", ROWS, rows));
    lines.push(level("at random", rows.value, count as usize));
    let mut chart = over_games(experiment.title, Axis::log("rows of a game"), lines);
    chart.x = Axis::linear("games without learning");
    let mut results = results(experiment, cache, &measured, Some(chart), shape);
    results.notes.extend(notes);
    Ok(results)
}
