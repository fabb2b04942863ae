//! `OnDevice`: an n-tuple network that learns on a GPU, in a run like any other.

use std::time::{Duration, Instant};

use afterstate_cuda::{Finished, Launch, Needs, Trainer};
use afterstate_games::Tuples;
use afterstate_games::spec::Spec;
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

/// A network on a GPU.
pub(super) struct OnDevice {
    trainer: Trainer,
    name: String,
    settings: CudaTable,
    /// Whether the weights are on the device yet, and whether those of the host are older.
    uploaded: bool,
    ahead: bool,
    /// The games of a checkpoint that are resumed with the first launch.
    resumed: Option<(Vec<u8>, u64)>,
    /// The games in progress when the weights were last copied.
    games: Option<GamesOnDevice>,
    /// The moves of each game in a launch.
    steps: u32,
}

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
    #[error("--device cuda trains networks of 2048, not of {0}: use --device cpu")]
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
    twenty48(game)?;
    let setting = |name, needed| Err(OnDeviceError::Setting(name, needed).into());
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

/// The rules as those of 2048.
fn twenty48<G: Spec>(game: &G) -> Result<&Twenty48, OnDeviceError> {
    let game: &dyn std::any::Any = game;
    game.downcast_ref().ok_or(OnDeviceError::Game(G::NAME))
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
        let network = afterstate_cuda::Network::new(twenty48(game)?, tuples)?;
        let uses = |method| plan.phases.iter().any(|phase| phase.method == method);
        let needs = Needs {
            td: uses(UpdateRule::Td),
            tc: uses(UpdateRule::Tc),
            trace: plan.phases.iter().map(trace).max().unwrap_or(1),
            restart: plan.phases.iter().any(|phase| phase.starts == Starts::Restart),
            games: plan.network.cuda.games,
        };
        let device = afterstate_cuda::Device::open(number)?;
        let trainer = Trainer::new(&device, &network, needs, seed)?;
        Ok(OnDevice {
            trainer,
            name: device.name(),
            settings: plan.network.cuda,
            uploaded: false,
            ahead: false,
            resumed: None,
            games: None,
            steps: 100,
        })
    }

    /// The name of the GPU.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What is used, for the observer.
    pub(super) fn describe(&self) -> String {
        format!("{} games at once on {}", self.trainer.game_count(), self.name)
    }

    /// Copies the weights to the device, once.
    pub(super) fn upload(
        &mut self,
        weights: &mut Memory,
        coherence: Option<&mut Memory>,
        episodes: u64,
    ) -> Result<(), LearnerError> {
        if self.uploaded {
            return Ok(());
        }
        self.trainer.upload(weights.bytes(), coherence.map(Memory::bytes), episodes)?;
        if let Some((games, next)) = self.resumed.take() {
            self.trainer.resume_games(&games, next)?;
        }
        self.uploaded = true;
        Ok(())
    }

    /// Copies what was learned to the host.
    pub(super) fn download(
        &mut self,
        weights: &mut Memory,
        coherence: Option<&mut Memory>,
    ) -> Result<(), LearnerError> {
        if !self.ahead {
            return Ok(());
        }
        self.trainer.download(weights.bytes_mut(), coherence.map(Memory::bytes_mut))?;
        let bytes = self.trainer.games()?;
        let games = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.games = Some(GamesOnDevice { next: self.trainer.next_game(), games });
        let words = weights.bytes().as_chunks::<4>().0;
        if !words.iter().all(|&word| f32::from_le_bytes(word).is_finite()) {
            return Err(OnDeviceError::Diverged.into());
        }
        self.ahead = false;
        Ok(())
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

    /// Plays and learns until the round or the phase is over.
    pub(super) fn play(
        &mut self,
        phase: &Phase,
        span: Span,
        context: &RoundContext,
    ) -> Result<Vec<GameResult>, LearnerError> {
        let mut results = Vec::new();
        loop {
            let position = context.position().in_unit_of(context.budget());
            if context.is_over() || position >= span.end {
                return Ok(results);
            }
            let launch = Launch {
                coherent: phase.method == UpdateRule::Tc,
                rate: span.interpolate(
                    phase.rate,
                    phase.final_rate.unwrap_or(phase.rate),
                    position,
                ),
                lambda: phase.lambda,
                trace: trace(phase),
                min_tiles: self.settings.min_tiles,
                crowded_every: self.settings.crowded_every,
                coherence_every: self.settings.coherence_every,
                starts: match phase.starts {
                    Starts::Fresh => afterstate_cuda::Starts::Fresh,
                    Starts::Restart => afterstate_cuda::Starts::Restart,
                    Starts::Carousel => afterstate_cuda::Starts::Carousel,
                },
                steps: self.steps,
            };
            let clock = Instant::now();
            let played = self.trainer.launch(&launch)?;
            self.ahead = true;
            let factor = LAUNCH.as_secs_f64() / clock.elapsed().as_secs_f64();
            self.steps = (f64::from(self.steps) * factor.clamp(0.5, 2.0)).clamp(10.0, 1e6) as u32;
            context.count(played.moves);
            let result = |game: Finished| GameResult {
                number: context.ended(0),
                score: f64::from(game.score),
                moves: u64::from(game.moves),
                reached: Some(1 << game.largest),
                fresh: game.fresh == 1,
            };
            results.extend(played.games.into_iter().map(result));
        }
    }
}
