//! Contour agents of a narrow well, learned by TD(0) and by Sarsa(lambda), each trained once for
//! all figures that need it.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use afterstate_core::{Game, Rng};
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::contour::{
    ContourActionAggregation, ContourAggregation, ContourReward,
};
use afterstate_games::{StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::table::{Control, Exploration, Sarsa, TableTd, Task};
use afterstate_values::ValueTable;
use afterstate_values::weights::{load, store};
use serde::{Deserialize, Serialize};

use super::shared_seeds::{SeedWork, each_shared};
use super::{DISCOUNT, seen, well};
use crate::{Error, Scale, TrainingCache};

/// How a contour agent learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Learner {
    /// TD(0) with a reward of one per row, from optimistic values.
    Td {
        /// The reward of a covered hole.
        hole: f32,
    },
    /// Sarsa(lambda), rewarded by height and holes.
    Sarsa {
        /// Whether mirror images share an entry, which the thesis could not do.
        mirror: bool,
        /// The reward of each row of height that the well loses.
        lower: f32,
    },
    /// Mirrored Sarsa(lambda) with any reward.
    Rewarded(ContourReward),
}

/// A well, twenty rows high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Well {
    width: usize,
    /// Whether its pieces are the standard ones, or Melax's reduced set.
    standard: bool,
}

impl Well {
    pub(super) fn rules(self) -> String {
        let pieces = if self.standard { "" } else { ",pieces=melax" };
        format!("tetris:{}x20{pieces}", self.width)
    }

    pub(super) fn game(self) -> Result<Tetris, Error> {
        well(&self.rules())
    }
}

/// One training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contour {
    pub(super) well: Well,
    pub(super) learner: Learner,
    /// Games, at each scale.
    pub(super) games: [u64; 3],
    /// Games of learning are truncated after so many pieces, at each scale.
    pub(super) max_moves: [u64; 3],
    /// Games without learning, too.
    pub(super) max_played: [u64; 3],
    /// The decay of eligibility traces, which the thesis does not name.
    pub(super) lambda: f32,
    /// The step of the view that bounds differences.
    pub(super) bounds: &'static str,
}

impl Contour {
    /// The rows that a game of learning has if it is truncated, at each scale.
    pub(super) const fn most_rows(&self) -> [f64; 3] {
        // Melax's pieces have 1, 2, 2, 3 and 4 cells.
        let cells = if self.well.standard { 4.0 } else { 2.4 };
        let ([small, quick, full], rows) = (self.max_moves, cells / self.well.width as f64);
        [small as f64 * rows, quick as f64 * rows, full as f64 * rows]
    }
}

/// Games without learning are truncated after so many pieces: some eighteen million rows of four
/// columns.
const MAX_PLAYED: [u64; 3] = [50, 1_000_000, 25_000_000];

const FOUR: Well = Well { width: 4, standard: false };
const FOUR_STANDARD: Well = Well { width: 4, standard: true };
pub(super) const FIVE: Well = Well { width: 5, standard: false };
pub(super) const FIVE_STANDARD: Well = Well { width: 5, standard: true };
pub(super) const TEN: Well = Well { width: 10, standard: false };
pub(super) const TEN_STANDARD: Well = Well { width: 10, standard: true };

pub(super) const TD_FOUR: Contour = Contour {
    well: FOUR,
    learner: Learner::Td { hole: 0.0 },
    games: [4, 50, 100],
    max_moves: [50, 40_000, 200_000],
    max_played: MAX_PLAYED,
    lambda: 0.0,
    bounds: "cap=3",
};
pub(super) const TD_FOUR_HOLES: Contour =
    Contour { learner: Learner::Td { hole: -0.4 }, ..TD_FOUR };
pub(super) const TD_FIVE: Contour =
    Contour { well: FIVE, games: [10, 1_500, 2_000], max_moves: [50, 5_000, 200_000], ..TD_FOUR };
pub(super) const TD_FIVE_HOLES: Contour =
    Contour { learner: Learner::Td { hole: -0.4 }, games: [4, 300, 2_000], ..TD_FIVE };
pub(super) const TD_FIVE_STANDARD: Contour = Contour { well: FIVE_STANDARD, ..TD_FIVE };

const fn sarsa(well: Well, mirror: bool, games: [u64; 3]) -> Contour {
    let learner = Learner::Sarsa { mirror, lower: ContourReward::CARR.lower };
    // Four columns are played for ever once they are learned: games without learning tell how long.
    let most = if well.width == 4 { 20_000 } else { 100_000 };
    let (max_moves, max_played) = ([50, 3_000, most], MAX_PLAYED);
    Contour { well, learner, games, max_moves, max_played, lambda: 0.9, bounds: "cap=3" }
}

/// The same training without a reward for lost height, as the thesis reads literally.
const fn penalties_only(contour: Contour) -> Contour {
    Contour { learner: Learner::Sarsa { mirror: false, lower: 0.0 }, ..contour }
}

pub(super) const SARSA_FOUR: Contour = sarsa(FOUR, false, [4, 1_200, 2_000]);
pub(super) const SARSA_FOUR_PENALTIES: Contour = penalties_only(SARSA_FOUR);
pub(super) const SARSA_FIVE_PENALTIES: Contour = penalties_only(SARSA_FIVE);
pub(super) const SARSA_FOUR_MIRRORED: Contour = sarsa(FOUR, true, [4, 800, 2_000]);
pub(super) const SARSA_FIVE: Contour = sarsa(FIVE, false, [10, 4_500, 4_500]);
pub(super) const SARSA_FIVE_MIRRORED: Contour = sarsa(FIVE, true, [10, 2_500, 4_500]);
pub(super) const SARSA_FOUR_STANDARD: Contour = sarsa(FOUR_STANDARD, false, [10, 6_000, 50_000]);
pub(super) const SARSA_FIVE_STANDARD: Contour = sarsa(FIVE_STANDARD, false, [10, 10_000, 200_000]);
pub(super) const SARSA_FIVE_STANDARD_MIRRORED: Contour =
    sarsa(FIVE_STANDARD, true, [10, 10_000, 200_000]);

impl Contour {
    /// What the agent learns.
    pub(super) fn table(&self) -> Table {
        let mirrored = !matches!(self.learner, Learner::Sarsa { mirror: false, .. });
        let mirror = if mirrored { ",mirror" } else { "" };
        let Contour { bounds, well, .. } = self;
        let view = format!("heights,differences,{bounds},window={}{mirror}", well.width);
        Table { rules: well.rules(), view, moves: !matches!(self.learner, Learner::Td { .. }) }
    }

    pub(super) fn reward(&self) -> ContourReward {
        match self.learner {
            Learner::Td { hole } => {
                ContourReward { hole, max_holes: 3, ..ContourReward::points(1.0) }
            }
            Learner::Sarsa { lower, .. } => ContourReward { lower, ..ContourReward::CARR },
            Learner::Rewarded(reward) => reward,
        }
    }

    /// Trains all seeds, or takes what was trained before.
    pub(super) fn train(&self, cache: &mut TrainingCache, name: &str) -> Result<Agents, Error> {
        let key = Key { contour: *self, scale: cache.scale, seed: cache.seed };
        if let Some((_, known)) = cache.tables.0.iter().find(|known| known.0 == key) {
            return Ok(known.clone());
        }
        let (games, max_moves) = (cache.scale.pick(self.games), cache.scale.pick(self.max_moves));
        let (reward, lambda) = (self.reward(), self.lambda);
        let learning = Learning { reward, rate: 0.2, lambda, end: 0.0, max_moves };
        let settings = format!("{key:?}, {learning:?}");
        let table = self.table();
        let training = TableTraining { table: self.table(), learning, games };
        let trained = each_shared(cache, name, &settings, &training, |_| ())?;
        let size = table.size(&table.aggregation(&table.game()?)?);
        let trained = trained.into_iter().map(|saved| saved.restore(size));
        let agents: Agents = Arc::new(trained.collect::<Result<_, Error>>()?);
        cache.tables.0.push((key, agents.clone()));
        Ok(agents)
    }
}

/// Contour agents that were trained by this process: several figures play the same ones.
#[derive(Default)]
pub struct TableCache(Vec<(Key, Agents)>);

/// What a training depends on.
#[derive(Debug, PartialEq)]
struct Key {
    contour: Contour,
    scale: Scale,
    seed: u64,
}

/// One training over many seeds.
pub(super) type Agents = Arc<Vec<Trained>>;

/// What one seed learned.
pub(super) struct Trained {
    /// Rows of each game of learning.
    pub(super) rows: Vec<f64>,
    pub(super) values: ValueTable,
}

/// The initial value of TD(0): with a row at every move the value would be five.
const OPTIMISTIC: f32 = 5.0;

/// What an agent learns: values of afterstates or of moves, of a well as it sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Table {
    /// The rules by which it learns.
    pub(super) rules: String,
    view: String,
    /// Whether a move has a value, and not the afterstate.
    pub(super) moves: bool,
}

impl Table {
    fn game(&self) -> Result<Tetris, Error> {
        well(&self.rules)
    }

    /// What the agent sees of a well.
    pub(super) fn aggregation(&self, game: &Tetris) -> Result<ContourAggregation, Error> {
        seen(&self.view, game)
    }

    /// The number of entries.
    pub(super) fn size(&self, entries: &ContourAggregation) -> u64 {
        match self.moves {
            true => ContourActionAggregation(entries.clone()).size(),
            false => StateAggregation::<Tetris>::size(entries),
        }
    }

    /// The initial value of its entries.
    fn initial(&self) -> f32 {
        if self.moves { 0.0 } else { OPTIMISTIC }
    }
}

/// The training of a table, of which every seed is one.
#[derive(Serialize, Deserialize)]
pub(super) struct TableTraining {
    table: Table,
    learning: Learning,
    games: u64,
}

impl SeedWork for TableTraining {
    const KIND: &'static str = "carr training";
    type Given = ();
    type Answer = SavedTable;

    fn of_seed(&self, seed: u64, (): ()) -> Result<SavedTable, Error> {
        let TableTraining { table, learning, games } = self;
        let game = table.game()?;
        let entries = table.aggregation(&game)?;
        let trained = match table.moves {
            true => learning.sarsa(&game, &ContourActionAggregation(entries), seed, *games)?,
            false => learning.td(&game, &entries, seed, *games)?,
        };
        Ok(SavedTable { rows: trained.rows.clone(), ..trained.save(table) })
    }
}

/// What one seed learned, as a file and as a task have it: the entries that have changed, by the bits of
/// their values.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedTable {
    rows: Vec<f64>,
    size: u64,
    initial: f32,
    changed: Vec<(u32, u32)>,
}

impl Trained {
    /// Its table alone.
    pub(super) fn save(&self, table: &Table) -> SavedTable {
        let (entries, initial) = (self.values.entries(), table.initial());
        let entry = |(index, entry): (usize, &AtomicU32)| (index as u32, load(entry).to_bits());
        let all = entries.iter().enumerate().map(entry);
        let changed = all.filter(|&(_, bits)| bits != initial.to_bits()).collect();
        SavedTable { rows: Vec::new(), size: entries.len() as u64, initial, changed }
    }
}

impl SavedTable {
    /// The table, which must have so many entries.
    pub(super) fn restore(self, size: u64) -> Result<Trained, Error> {
        if self.size != size {
            return Err(Error::Table(format!(
                "a table has {} entries instead of {size}",
                self.size
            )));
        }
        let values = ValueTable::new(self.size, self.initial)?;
        for (index, bits) in self.changed {
            if let Some(entry) = values.entries().get(index as usize) {
                store(entry, f32::from_bits(bits));
            }
        }
        Ok(Trained { rows: self.rows, values })
    }
}

/// The settings of a learner with a table of contours.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Learning {
    pub(super) reward: ContourReward,
    pub(super) rate: f32,
    /// The decay of eligibility traces.
    pub(super) lambda: f32,
    /// The value of a terminal state.
    pub(super) end: f32,
    pub(super) max_moves: u64,
}

impl Learning {
    fn task<'a, E>(&'a self, table: &'a ValueTable, entries: &'a E) -> Task<'a, E, ContourReward> {
        let (discount, end, max_moves) = (DISCOUNT, Some(self.end), self.max_moves);
        Task {
            table,
            aggregation: entries,
            reward: &self.reward,
            discount,
            terminal_value: end,
            max_moves,
        }
    }

    /// Learns values of afterstates by TD(0).
    pub(super) fn td(
        &self,
        game: &Tetris,
        entries: &ContourAggregation,
        seed: u64,
        games: u64,
    ) -> Result<Trained, Error> {
        let values = ValueTable::new(StateAggregation::<Tetris>::size(entries), OPTIMISTIC)?;
        let (task, update) = (self.task(&values, entries), Td { rate: self.rate });
        let learner = TableTd::new(game, task, update, Exploration::Greedy);
        let mut learner = learner.with_traces(self.lambda);
        let mut episode = |number| {
            let mut rng = Rng::stream(seed, number);
            let start = game.start(&mut rng);
            learner.episode(start, &mut rng).score
        };
        let rows = (0..games).map(&mut episode).collect();
        Ok(Trained { rows, values })
    }

    /// Learns values of moves by Sarsa(lambda).
    pub(super) fn sarsa(
        &self,
        game: &Tetris,
        entries: &ContourActionAggregation,
        seed: u64,
        games: u64,
    ) -> Result<Trained, Error> {
        let values = ValueTable::new(entries.size(), 0.0)?;
        let (task, explore) = (self.task(&values, entries), Exploration::Greedy);
        let mut learner = Sarsa::new(game, task, Control::Sarsa, self.rate, self.lambda, explore);
        let mut episode = |number| {
            let mut rng = Rng::stream(seed, number);
            let start = game.start(&mut rng);
            learner.episode(start, &mut rng).score
        };
        let rows = (0..games).map(&mut episode).collect();
        Ok(Trained { rows, values })
    }
}
