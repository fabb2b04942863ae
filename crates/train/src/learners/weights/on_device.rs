//! `OnDevice`: the games of all candidates on a GPU. They are those of the processor: the same
//! scores, and so the same weights.

use std::any::Any;

use afterstate_cuda::{
    Candidates, CudaError, Device, LinearTetris, Population, TetrisJob, TetrisResult,
};
use afterstate_games::spec::Spec;
use afterstate_games::tetris::Tetris;

use super::{TypedLesson, WeightsPlan};
use crate::learners::{GameResult, LearnerError, RoundContext};

/// What a GPU cannot train.
#[derive(Debug, thiserror::Error)]
#[error("--device cuda learns weights for Tetris, not for {0}: use --device cpu")]
struct OtherGame(&'static str);

/// What plays the games of one lesson.
pub(super) trait Player {
    /// Begins some games and drops those that are not over.
    fn start(&mut self, candidates: &Candidates) -> Result<(), CudaError>;

    /// The number of games that are not over.
    fn left(&self) -> usize;

    /// Plays on for a while: the games that ended, in any order.
    fn launch(&mut self) -> Result<Vec<TetrisResult>, CudaError>;
}

impl Player for Population {
    fn start(&mut self, candidates: &Candidates) -> Result<(), CudaError> {
        Population::start(self, candidates)
    }

    fn left(&self) -> usize {
        Population::left(self)
    }

    fn launch(&mut self) -> Result<Vec<TetrisResult>, CudaError> {
        Ok(Population::launch(self)?.0)
    }
}

/// The kernel of each lesson.
fn kernels<G: Spec>(
    plan: &WeightsPlan,
    lessons: &[TypedLesson<G>],
) -> Result<Vec<LinearTetris>, LearnerError> {
    let kernel = |lesson: &TypedLesson<G>| -> Result<LinearTetris, LearnerError> {
        let game: &dyn Any = &lesson.game;
        let game: &Tetris = game.downcast_ref().ok_or(OtherGame(G::NAME))?;
        Ok(LinearTetris::new(game, &plan.features)?)
    };
    lessons.iter().map(kernel).collect()
}

/// Checks whether a GPU can play the games of a plan, and that there is one.
pub(super) fn check<G: Spec>(
    plan: &WeightsPlan,
    lessons: &[TypedLesson<G>],
    number: usize,
) -> Result<(), LearnerError> {
    kernels(plan, lessons)?;
    Device::open(number)?;
    Ok(())
}

/// The games to play of a generation.
pub(super) struct Missing<'a> {
    /// The lesson that they play.
    pub(super) lesson: usize,
    /// The numbers of the jobs, ascending.
    pub(super) jobs: &'a [usize],
    /// Games per candidate: job `count * candidate + game`.
    pub(super) count: usize,
    /// The number of the first game of the iteration.
    pub(super) first: u64,
    /// The weights of each candidate.
    pub(super) weights: &'a [Vec<f32>],
    pub(super) seed: u64,
    pub(super) reward: f32,
    pub(super) max_score: f64,
}

/// A GPU on which candidates play.
pub(super) struct OnDevice {
    /// The name of the GPU.
    pub(super) name: String,
    lessons: Vec<Box<dyn Player>>,
    /// The jobs that were begun last, and those of them that are not over.
    started: Vec<usize>,
    left: Vec<usize>,
}

impl OnDevice {
    /// Opens a device and compiles the kernel of each lesson.
    pub(super) fn open<G: Spec>(
        plan: &WeightsPlan,
        lessons: &[TypedLesson<G>],
        number: usize,
    ) -> Result<OnDevice, LearnerError> {
        let device = Device::open(number)?;
        let mut players: Vec<Box<dyn Player>> = Vec::new();
        for kernel in kernels(plan, lessons)? {
            players.push(Box::new(Population::new(&device, &kernel)?));
        }
        Ok(OnDevice::new(device.name(), players))
    }

    pub(super) fn new(name: String, lessons: Vec<Box<dyn Player>>) -> OnDevice {
        OnDevice { name, lessons, started: Vec::new(), left: Vec::new() }
    }

    /// Plays until the round is over or no game is left; returns the games that ended with their
    /// jobs, ascending. The others continue in the next round.
    pub(super) fn play(
        &mut self,
        context: &RoundContext,
        missing: &Missing,
    ) -> Result<Vec<(usize, GameResult)>, LearnerError> {
        let jobs = &missing.jobs[..missing.jobs.len().min(context.games_left())];
        let player = &mut self.lessons[missing.lesson];
        if self.left != jobs {
            let &Missing { seed, reward, max_score, count, .. } = missing;
            let job = |&number: &usize| TetrisJob {
                game: missing.first + (number % count) as u64,
                candidate: (number / count) as u32,
                padding: 0,
            };
            player.start(&Candidates {
                seed,
                reward,
                weights: &missing.weights.concat(),
                jobs: &jobs.iter().map(job).collect::<Vec<_>>(),
                max_score,
                max_moves: None,
            })?;
            self.started = jobs.to_vec();
            self.left = jobs.to_vec();
        }
        let mut ended = Vec::new();
        // A round of any length plays on.
        while player.left() > 0 && !context.is_stopped() {
            ended.extend(player.launch()?);
            if context.is_over() {
                break;
            }
        }
        ended.sort_unstable_by_key(|game| game.job);
        let mut finished = Vec::new();
        for TetrisResult { score, moves, job, .. } in ended {
            let number = context.ended(moves);
            let score = (score as f64).min(missing.max_score);
            let result = GameResult { number, score, moves, reached: None, fresh: true };
            finished.push((self.started[job as usize], result));
        }
        self.left.retain(|job| finished.binary_search_by_key(job, |game| game.0).is_err());
        Ok(finished)
    }
}
