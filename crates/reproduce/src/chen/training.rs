//! TD(0) on 2048 with an n-tuple network: the trainings of the report, and what is measured.

use afterstate_agents::Summary;
use afterstate_games::twenty48::Twenty48;
use afterstate_train::Window;
use afterstate_train::learners::ntuple::patterns::{Pattern, tuples};
use afterstate_values::Network;
use afterstate_values::model::ValuesOf;

use crate::cache::{RunPlan, TrainedRun};
use crate::experiment::Quantity;
use crate::measure::Value;
use crate::{Error, Scale, TrainingCache};

/// A training, by all that distinguishes it from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NetworkTraining {
    /// A named set of tuples.
    pub(super) network: &'static str,
    /// The learning rate of all tuples together.
    pub(super) rate: f32,
    /// Whether values are of states or of afterstates.
    pub(super) values: ValuesOf,
    /// The published number of games.
    pub(super) episodes: u64,
    /// The length of the shorter training that it continues.
    pub(super) continues: Option<u64>,
    /// Whether its checkpoint is kept for a longer training.
    pub(super) continued: bool,
}

impl NetworkTraining {
    /// A training of afterstate values for 300,000 games.
    pub(super) const fn of(network: &'static str, rate: f32) -> NetworkTraining {
        let (values, episodes) = (ValuesOf::Afterstates, 300_000);
        NetworkTraining { network, rate, values, episodes, continues: None, continued: false }
    }

    fn values_name(&self) -> &'static str {
        match self.values {
            ValuesOf::Afterstates => "afterstates",
            ValuesOf::States => "states",
        }
    }

    /// The name of its folder.
    fn name(&self, seed: u64) -> String {
        let (network, values, rate) = (self.network, self.values_name(), self.rate);
        format!("{network}-{values}-rate{rate}-{}k-seed{seed}", self.episodes / 1_000)
    }

    /// The tuples at a scale.
    fn tuples(&self, scale: Scale) -> &'static str {
        scale.pick(["01", self.network, self.network])
    }

    fn recipe(&self, scale: Scale, seed: u64) -> String {
        format!(
            "game = '2048:4x4'\nseed = {seed}\n[budget]\nepisodes = {}\n[network]\ntuples = '{}'\n\
             [[phase]]\nmethod = 'td'\nrate = {:?}\nvalues = '{}'\n[log]\nwindow = {}\n",
            scale.episodes(self.episodes),
            self.tuples(scale),
            self.rate,
            self.values_name(),
            scale.window(),
        )
    }

    /// Trains, after the shorter training that it continues.
    pub(super) fn run(&self, cache: &mut TrainingCache) -> Result<Trained, Error> {
        let before = self.continues.map(|episodes| NetworkTraining {
            episodes,
            continues: None,
            continued: true,
            ..*self
        });
        if let Some(before) = before {
            before.run(cache)?;
        }
        let run = cache.run(&RunPlan {
            name: &self.name(cache.seed),
            recipe: &self.recipe(cache.scale, cache.seed),
            continues: before.map(|before| before.name(cache.seed)).as_deref(),
            // The player selects moves by the values of afterstates.
            evaluate: self.values == ValuesOf::Afterstates,
            keep_checkpoint: self.continued,
        })?;
        let tuples =
            tuples(&Twenty48::standard(), &[Pattern::Word(self.tuples(cache.scale).to_owned())])?;
        let mebibytes = Network::<Twenty48>::bytes(&tuples) as f64 / f64::from(1 << 20);
        Ok(Trained { run, mebibytes, scale: cache.scale })
    }
}

/// A finished training.
pub(super) struct Trained {
    pub(super) run: TrainedRun,
    /// The memory of its weights.
    mebibytes: f64,
    pub(super) scale: Scale,
}

/// The fraction of a window's games that reach a tile or more. A window lists the largest tiles of
/// its games; those above the tile count, too.
pub(super) fn reach(window: &Window, tile: u64) -> f64 {
    window.reach.range(tile..).next().map_or(0.0, |(_, &part)| part)
}

impl Trained {
    /// A quantity in training, and of games without learning.
    pub(super) fn measure(&self, quantity: Quantity) -> (Option<Value>, Option<Value>) {
        let played = self.run.finished.played.as_ref();
        (self.in_training(quantity), played.and_then(|played| played.measure(quantity)))
    }

    /// The learning curve in blocks of games, the last one first.
    fn blocks(&self) -> impl Iterator<Item = &[Window]> {
        self.run.windows.rchunks(self.scale.block())
    }

    fn in_training(&self, quantity: Quantity) -> Option<Value> {
        let last = self.blocks().next()?;
        let max = |windows: &[Window]| windows.iter().map(|window| window.max).reduce(f64::max);
        let window = self.scale.window();
        let reached = |block: &[Window], tile| {
            let games = (block.len() as u64 * window) as f64;
            let parts: f64 = block.iter().map(|window| reach(window, tile)).sum();
            Value::percent(parts * window as f64, games)
        };
        let cost = &self.run.finished.cost;
        match quantity {
            Quantity::Reach(tile) => reached(last, tile),
            Quantity::BestReach(tile) => {
                let rates = self.blocks().filter_map(|block| reached(block, tile));
                // The best of many has no interval of its own.
                rates.map(|rate| rate.value).reduce(f64::max).map(Value::exact)
            }
            Quantity::Mean => {
                let means: Vec<f64> = last.iter().map(|window| window.mean).collect();
                let Summary { mean, ci95, .. } = Summary::of(&means)?;
                Some(Value::within(mean, ci95))
            }
            Quantity::Max => max(last).map(Value::exact),
            Quantity::BestScore => max(&self.run.windows).map(Value::exact),
            Quantity::Speed => Some(Value::exact(cost.moves as f64 / cost.seconds)),
            Quantity::Memory => Some(Value::exact(self.mebibytes)),
            _ => None,
        }
    }
}
