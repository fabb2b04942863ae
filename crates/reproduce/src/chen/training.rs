//! TD(0) on 2048 with an n-tuple network: the trainings of the report, each with several seeds.

use std::collections::BTreeMap;

use afterstate_games::twenty48::Twenty48;
use afterstate_train::learners::ntuple::patterns::{Pattern, tuples};
use afterstate_values::Network;

use crate::cache::{RunPlan, TrainedRun};
use crate::{Error, Scale, TrainingCache};

/// A training, by all that distinguishes it from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NetworkTraining {
    /// A named set of tuples.
    pub(super) network: &'static str,
    /// The learning rate of all tuples together.
    pub(super) rate: f32,
    /// What it learns.
    pub(super) learns: Learns,
    /// The published numbers of games: each part goes on where the one before ended.
    pub(super) parts: &'static [u64],
    /// Whether its checkpoint is kept for a longer training.
    pub(super) continued: bool,
}

/// What a training learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Learns {
    Afterstates,
    States,
    /// States, as the report's code is printed.
    StatesAsPrinted,
}

/// A part of a training with one seed.
struct Part {
    name: String,
    recipe: String,
    continues: Option<String>,
    keep_checkpoint: bool,
    /// The memory of its weights.
    bytes: u64,
    threads: usize,
}

impl Part {
    fn plan(&self) -> RunPlan<'_> {
        RunPlan {
            name: &self.name,
            recipe: &self.recipe,
            continues: self.continues.as_deref(),
            evaluate: true,
            keep_checkpoint: self.keep_checkpoint,
            keep_agent: self.bytes <= HUGE,
            bytes: self.bytes,
            threads: self.threads,
        }
    }
}

/// Networks with more bytes than this are saved seldom, and removed once they have played.
const HUGE: u64 = 4 << 30;

/// The threads that train one of them, so that it takes minutes and not an hour.
const HUGE_THREADS: usize = 4;

impl NetworkTraining {
    /// A training of afterstate values for 300,000 games.
    pub(super) const fn of(network: &'static str, rate: f32) -> NetworkTraining {
        let learns = Learns::Afterstates;
        NetworkTraining { network, rate, learns, parts: &[300_000], continued: false }
    }

    /// The name of the folder of a part.
    fn name(&self, part: usize, seed: u64) -> String {
        let (network, rate, games) = (self.network, self.rate, self.parts[part] / 1_000);
        let learns = match self.learns {
            Learns::Afterstates => "afterstates",
            Learns::States => "states",
            Learns::StatesAsPrinted => "states-as-printed",
        };
        format!("{network}-{learns}-rate{rate}-{games}k-seed{seed}")
    }

    /// The tuples at a scale.
    fn tuples(&self, scale: Scale) -> &'static str {
        scale.pick(["01", self.network, self.network])
    }

    /// The memory of the weights.
    fn bytes(&self, scale: Scale) -> Result<u64, Error> {
        let words = [Pattern::Word(self.tuples(scale).to_owned())];
        let tuples = tuples(&Twenty48::standard(), &words)?;
        Ok(Network::<Twenty48>::bytes(&tuples) as u64)
    }

    /// The same in MiB.
    pub(super) fn mebibytes(&self, scale: Scale) -> Result<f64, Error> {
        Ok(self.bytes(scale)? as f64 / f64::from(1 << 20))
    }

    fn recipe(&self, part: usize, scale: Scale, seed: u64, huge: bool) -> String {
        let values = match self.learns {
            Learns::Afterstates => "values = 'afterstates'",
            Learns::States => "values = 'states'",
            Learns::StatesAsPrinted => "values = 'states'\nvariant = 'chen2022'",
        };
        // Writing a huge checkpoint takes as long as the usual time between two.
        let seldom = if huge { "checkpoint_seconds = 1200\n" } else { "" };
        format!(
            "game = '2048:4x4'\nseed = {seed}\n[budget]\nepisodes = {}\n[network]\ntuples = '{}'\n\
             [[phase]]\nmethod = 'td'\nrate = {:?}\n{values}\n[log]\nwindow = {}\n{seldom}",
            scale.episodes(self.parts[part]),
            self.tuples(scale),
            self.rate,
            scale.window(),
        )
    }

    fn part(&self, part: usize, scale: Scale, seed: u64) -> Result<Part, Error> {
        let bytes = self.bytes(scale)?;
        Ok(Part {
            name: self.name(part, seed),
            recipe: self.recipe(part, scale, seed, bytes > HUGE),
            continues: part.checked_sub(1).map(|before| self.name(before, seed)),
            keep_checkpoint: self.continued || part + 1 < self.parts.len(),
            bytes,
            threads: if bytes > HUGE { HUGE_THREADS } else { 1 },
        })
    }
}

/// The seeds of every training.
pub(super) fn seeds(cache: &TrainingCache) -> impl Iterator<Item = u64> + use<> {
    (cache.seed..).take(cache.scale.pick([2, 3, 3]))
}

/// A training with all its seeds.
pub(super) struct Trained {
    pub(super) runs: Vec<TrainedRun>,
    pub(super) mebibytes: f64,
    pub(super) scale: Scale,
}

/// Trains with all seeds, several at the same time.
pub(super) fn train(
    cache: &mut TrainingCache,
    trainings: &[NetworkTraining],
) -> Result<Vec<Trained>, Error> {
    let scale = cache.scale;
    let mut runs = BTreeMap::new();
    for number in 0..trainings.iter().map(|training| training.parts.len()).max().unwrap_or(0) {
        let mut parts = BTreeMap::new();
        for training in trainings.iter().filter(|training| number < training.parts.len()) {
            for seed in seeds(cache) {
                let part = training.part(number, scale, seed)?;
                // A shorter training may be the first part of a longer one.
                parts.entry(part.name.clone()).or_insert(part).keep_checkpoint |=
                    training.continued || number + 1 < training.parts.len();
            }
        }
        let plans: Vec<RunPlan> = parts.values().map(Part::plan).collect();
        let trained = cache.run_all(&plans)?;
        runs.extend(parts.keys().cloned().zip(trained));
    }
    let trained = |training: &NetworkTraining| {
        let last = training.parts.len().saturating_sub(1);
        let own = seeds(cache).filter_map(|seed| runs.get(&training.name(last, seed)).cloned());
        Ok(Trained { runs: own.collect(), mebibytes: training.mebibytes(scale)?, scale })
    };
    trainings.iter().map(trained).collect()
}
