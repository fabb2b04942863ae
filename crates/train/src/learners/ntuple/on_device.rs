//! `OnDevice`: an n-tuple network that learns on a GPU, in a run like any other.

use std::any::Any;
use std::time::{Duration, Instant};

use afterstate_cuda::{
    BatchLaunch, BatchNeeds, BatchTrainer, CudaError, DeviceNetwork, Finished, Launch, Needs,
    Played, TenTenNetwork, Trainer,
};
use afterstate_games::Tuples;
use afterstate_games::spec::Spec;
use afterstate_games::tenten::TenTen;
use afterstate_games::twenty48::Twenty48;
use afterstate_values::memory::Memory;
use afterstate_values::model::ValuesOf;
use serde::{Deserialize, Serialize};

use super::{CudaTable, NTuplePlan, Order, Phase, Starts, UpdateRule};
use crate::budget::Span;
use crate::learners::{GameResult, LearnerError, RoundContext};

/// How long a launch lasts: long against its overhead, short against a round.
const LAUNCH: Duration = Duration::from_millis(40);

/// Smaller eligibilities are dropped, as on the processor.
const MIN_ELIGIBILITY: f32 = 0.05;

/// How the games of a network learn: every move at once (2048), or in batches (1010!).
enum Kernels {
    Online(Trainer, CudaTable),
    Batches(BatchTrainer),
}

/// What is copied between the host and a device.
pub(super) struct Tables<'a> {
    pub(super) weights: &'a mut Memory,
    pub(super) coherence: Option<&'a mut Memory>,
    /// The mean of the weights.
    pub(super) mean: Option<&'a mut Memory>,
}

/// A network on a GPU.
pub(super) struct OnDevice {
    kernels: Kernels,
    name: String,
    /// Whether the weights are on the device yet, and whether those of the host are older.
    uploaded: bool,
    ahead: bool,
    /// The games of a checkpoint that are resumed with the first launch.
    resumed: Option<(Vec<u8>, u64)>,
    /// The games in progress when the weights were last copied.
    games: Option<GamesOnDevice>,
    /// The moves of each game in a launch.
    steps: u32,
    /// Whether the weights are those of an agent.
    from_agent: bool,
    /// Whether all games would begin at once with weights that have been learned.
    together: bool,
}

/// Moves that each game plays before it learns, if all begin at once: two games or so.
const APART: u32 = 20_000;

/// The games in progress on a device, in a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GamesOnDevice {
    /// The number of the next game.
    next: u64,
    /// Their bytes, as the kernels lay them out, in hexadecimal digits.
    games: String,
}

/// What a GPU cannot train.
#[derive(Debug, thiserror::Error)]
pub(super) enum OnDeviceError {
    #[error("--device cuda trains networks of 2048 and 1010!, not of {0}: use --device cpu")]
    Game(&'static str),
    #[error("{0}: --device cuda needs {1}; use --device cpu for other recipes")]
    Setting(&'static str, &'static str),
    #[error(
        "the weights are no longer finite numbers: the run keeps its last checkpoint; a smaller \
         rate may help"
    )]
    Diverged,
}

/// Checks whether a GPU can train a plan, and that there is one.
pub(super) fn check<G: Spec>(
    plan: &NTuplePlan,
    game: &G,
    number: usize,
) -> Result<(), LearnerError> {
    let rules: &dyn Any = game;
    let tenten = rules.downcast_ref::<TenTen>();
    if tenten.is_none() && !rules.is::<Twenty48>() {
        return Err(OnDeviceError::Game(G::NAME).into());
    }
    if let Some(rules) = tenten {
        // Hands of several pieces are refused.
        TenTenNetwork::new(rules, &plan.tables(game)?.tuples)?;
    }
    let setting = |name, needed| Err(OnDeviceError::Setting(name, needed).into());
    match (tenten.is_some(), plan.network.batch) {
        (true, None) => {
            return setting("network.batch", "a number of games for 1010!, such as 2640");
        }
        (false, Some(_)) => return setting("network.batch", "a recipe without it for 2048"),
        _ => {}
    }
    if !plan.network.search.is_greedy() {
        return setting("network.search", "greedy play");
    }
    for phase in &plan.phases {
        if phase.values != ValuesOf::Afterstates {
            return setting("phase.values", "values of afterstates");
        }
        if phase.order != Order::Forward {
            return setting("phase.order", "forward learning");
        }
    }
    afterstate_cuda::Device::open(number)?;
    Ok(())
}

/// The afterstates that an error changes in a phase.
fn trace(phase: &Phase) -> usize {
    let eligibilities = std::iter::successors(Some(1.0), |e| Some(e * phase.lambda));
    eligibilities.take_while(|&e| e > MIN_ELIGIBILITY).take(100).count()
}

impl OnDevice {
    /// Opens the device and compiles its kernels.
    pub(super) fn new<G: Spec>(
        plan: &NTuplePlan,
        game: &G,
        tuples: &Tuples,
        number: usize,
        seed: u64,
    ) -> Result<OnDevice, LearnerError> {
        let device = afterstate_cuda::Device::open(number)?;
        let uses = |method| plan.phases.iter().any(|phase| phase.method == method);
        let (td, tc) = (uses(UpdateRule::Td), uses(UpdateRule::Tc));
        let (rules, settings): (&dyn Any, _) = (game, plan.network.cuda);
        let average = plan.network.average > 0.0;
        let kernels = if let Some(rules) = rules.downcast_ref::<Twenty48>() {
            let network = afterstate_cuda::Network::new(rules, tuples)?;
            let trace = plan.phases.iter().map(trace).max().unwrap_or(1);
            let restart = plan.phases.iter().any(|phase| phase.starts == Starts::Restart);
            let needs = Needs { td, tc, trace, restart, games: settings.games, average };
            Kernels::Online(Trainer::new(&device, &network, needs, seed)?, settings)
        } else if let (Some(rules), Some(games)) = (rules.downcast_ref(), plan.network.batch) {
            let network = TenTenNetwork::new(rules, tuples)?;
            let needs = BatchNeeds { td, tc, games, average };
            Kernels::Batches(BatchTrainer::new(&device, &network, needs, seed)?)
        } else {
            return Err(OnDeviceError::Game(G::NAME).into());
        };
        Ok(OnDevice {
            kernels,
            name: device.name(),
            uploaded: false,
            ahead: false,
            resumed: None,
            games: None,
            steps: 100,
            from_agent: plan.network.agent.is_some(),
            together: false,
        })
    }

    /// The name of the GPU.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn network(&mut self) -> &mut DeviceNetwork {
        match &mut self.kernels {
            Kernels::Online(trainer, _) => &mut trainer.network,
            Kernels::Batches(trainer) => &mut trainer.network,
        }
    }

    /// Sets the sums of coherence on the device to zero.
    pub(super) fn forget_coherence(&mut self) -> Result<(), LearnerError> {
        Ok(self.network().forget_coherence()?)
    }

    /// What is used, for the observer.
    pub(super) fn describe(&mut self) -> String {
        format!("{} games at once on {}", self.network().game_count(), self.name)
    }

    /// Copies the weights to the device, once.
    pub(super) fn upload(&mut self, tables: Tables, episodes: u64) -> Result<(), LearnerError> {
        if self.uploaded {
            return Ok(());
        }
        let resumed = self.resumed.take();
        self.together = resumed.is_none() && (self.from_agent || episodes > 0);
        let network = self.network();
        let Tables { weights, coherence, mean } = tables;
        network.upload(weights.bytes(), coherence.map(Memory::bytes), episodes)?;
        if let (Some(mean), Some(average)) = (mean, network.average()) {
            average.upload(mean.bytes())?;
        }
        if let Some((games, next)) = resumed {
            network.resume_games(&games, next)?;
        }
        self.uploaded = true;
        Ok(())
    }

    /// Copies what was learned to the host.
    pub(super) fn download(&mut self, tables: Tables) -> Result<(), LearnerError> {
        if !self.ahead {
            return Ok(());
        }
        let network = self.network();
        let Tables { weights, coherence, mean } = tables;
        network.download(weights.bytes_mut(), coherence.map(Memory::bytes_mut))?;
        if let (Some(mean), Some(average)) = (mean, network.average()) {
            average.download(mean.bytes_mut())?;
        }
        let bytes = network.games()?;
        let games = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.games = Some(GamesOnDevice { next: network.next_game(), games });
        let words = weights.bytes().as_chunks::<4>().0;
        if !words.iter().all(|&word| f32::from_le_bytes(word).is_finite()) {
            return Err(OnDeviceError::Diverged.into());
        }
        self.ahead = false;
        Ok(())
    }

    /// Adds a sample of the weights to their mean: the sample of this number.
    pub(super) fn add_sample(&mut self, number: u64) -> Result<(), LearnerError> {
        self.ahead = true;
        Ok(self.network().add_sample(number)?)
    }

    /// The games in progress when the weights were last copied.
    pub(super) fn games(&self) -> Option<GamesOnDevice> {
        self.games.clone()
    }

    /// Resumes the games of a checkpoint.
    pub(super) fn resume(&mut self, state: &GamesOnDevice) -> Result<(), LearnerError> {
        let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
        let pairs = state.games.as_bytes().as_chunks::<2>().0.iter();
        let bytes: Option<Vec<u8>> =
            pairs.map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
        let bytes = bytes.ok_or(super::super::DamagedState)?;
        self.resumed = Some((bytes, state.next));
        Ok(())
    }

    /// Plays and learns until the round is over or the budget reaches `end`.
    pub(super) fn play(
        &mut self,
        phase: &Phase,
        (span, end): (Span, f64),
        context: &RoundContext,
    ) -> Result<Vec<GameResult>, LearnerError> {
        let mut results = Vec::new();
        if std::mem::take(&mut self.together) {
            self.play_apart(phase)?;
        }
        loop {
            let position = context.position().in_unit_of(context.budget());
            if context.is_over() || position >= end {
                return Ok(results);
            }
            let last = phase.final_rate.unwrap_or(phase.rate);
            let rate = span.interpolate(phase.rate, last, position);
            let clock = Instant::now();
            let played = self.launch(phase, rate)?;
            self.ahead = true;
            let factor = LAUNCH.as_secs_f64() / clock.elapsed().as_secs_f64();
            self.steps = (f64::from(self.steps) * factor.clamp(0.5, 2.0)).clamp(10.0, 1e6) as u32;
            context.count(played.moves);
            let tiles = matches!(self.kernels, Kernels::Online(..));
            let result = |game: Finished| GameResult {
                number: context.ended(0),
                score: f64::from(game.score),
                moves: u64::from(game.moves),
                reached: tiles.then_some(1 << game.largest),
                fresh: game.fresh == 1,
            };
            results.extend(played.games.into_iter().map(result));
        }
    }

    /// Plays without learning until the games are at different stages. A thousand games that begin at
    /// once have the same few boards, and would change the weights of these by more than their error.
    fn play_apart(&mut self, phase: &Phase) -> Result<(), CudaError> {
        let Kernels::Online(trainer, settings) = &mut self.kernels else { return Ok(()) };
        trainer.launch(&Launch {
            coherent: phase.method == UpdateRule::Tc,
            rate: 0.0,
            lambda: 0.0,
            trace: 1,
            min_tiles: settings.min_tiles,
            crowded_every: settings.crowded_every,
            coherence_every: 0,
            starts: afterstate_cuda::Starts::Fresh,
            staged: phase.stages,
            steps: APART,
        })?;
        Ok(())
    }

    /// Plays and learns so many moves of each game as a launch should have.
    fn launch(&mut self, phase: &Phase, rate: f32) -> Result<Played, CudaError> {
        let (coherent, steps) = (phase.method == UpdateRule::Tc, self.steps);
        match &mut self.kernels {
            Kernels::Online(trainer, settings) => trainer.launch(&Launch {
                coherent,
                rate,
                lambda: phase.lambda,
                trace: trace(phase),
                min_tiles: settings.min_tiles,
                crowded_every: settings.crowded_every,
                coherence_every: settings.coherence_every,
                starts: match phase.starts {
                    Starts::Fresh => afterstate_cuda::Starts::Fresh,
                    Starts::Restart => afterstate_cuda::Starts::Restart,
                    Starts::Carousel => afterstate_cuda::Starts::Carousel,
                },
                staged: phase.stages,
                steps,
            }),
            Kernels::Batches(trainer) => trainer.launch(&BatchLaunch {
                coherent,
                rate,
                objective: phase.objective(),
                batches: steps,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::Device;
    use afterstate_games::spec::{Spec, Visitor};

    use crate::Recipe;
    use crate::recipes::BUILT_IN;

    struct Check<'a>(&'a Recipe);

    impl Visitor for Check<'_> {
        type Output = String;

        fn visit<G: Spec>(self, game: &G) -> String {
            let checked = self.0.learner.check_device(game, Device::Cuda(9_999));
            checked.map_or_else(|error| error.to_string(), |()| "a GPU can train it".to_owned())
        }
    }

    /// What is refused is refused before a device is looked for, which is not there.
    #[test]
    fn recipes_that_a_gpu_cannot_train_are_refused_by_name() {
        let refused = |name: &str, setting: &str| {
            let text = BUILT_IN.iter().find(|row| row.0 == name).unwrap().1;
            let recipe = Recipe::parse(text, &[setting.to_owned()]).unwrap();
            recipe.rules.clone().with(Check(&recipe))
        };
        for (name, setting, expected) in [
            ("1010", "seed=1", "network.batch: --device cuda needs a number of games for 1010!"),
            ("1010-record", "game=1010:10x10,hand=3", "one piece at a time, not hand=3"),
            (
                "2048-cuda",
                "network.batch=100",
                "network.batch: --device cuda needs a recipe without it",
            ),
            ("2048-record", "network.search=expectimax:2", "network.search"),
            ("1010", "game=tetris:10x20", "networks of 2048 and 1010!, not of tetris"),
        ] {
            let error = refused(name, setting);
            assert!(error.contains(expected), "{name}: {error}");
        }
        for name in ["1010-record", "1010-record-without-3x3", "2048-cuda", "2048-record"] {
            let error = refused(name, "seed=1");
            assert!(error.contains("CUDA"), "{name}: {error}");
        }
    }
}
