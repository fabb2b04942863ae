//! Weights that are learned from games on a device, against those from games on the processor.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use afterstate_core::Features;
use afterstate_cuda::{Candidates, CudaError, TetrisResult};
use afterstate_games::tetris::Tetris;
use afterstate_learn::resumable_game::ResumableGame;

use super::on_device::{Player, check};
use super::*;
use crate::budget::Position;
use crate::learners::LearnerPlan;
use crate::recipe::Recipe;

const CMA_ES: &str = "
    game = 'tetris:6x6'
    seed = 5
    [budget]
    episodes = 250
    [weights]
    features = 'dt'
    reward = 0.5
    games = { count = 6, early = 2, max_score = 40.5 }
    curriculum = [{ game = 'tetris:6x4', until = 0.3 }, { game = 'tetris:6x5', until = 0.5 }]
    optimiser = { method = 'cma_es', population = 8, spread = 1 }
";

const CROSS_ENTROPY: &str = "
    game = 'tetris:5x5'
    [budget]
    episodes = 300
    [weights]
    features = 'dt6'
    games = { count = 5, early = 0, max_score = 30 }
    optimiser = { method = 'cross_entropy', population = 12, elite = 3, spread = 10 }
";

/// A device of the processor's: all games at once, a few moves each, from the last to the first.
/// `tests/host` of `cuda` holds the games of the kernel to those of the processor.
struct Simulated {
    game: Tetris,
    features: Box<dyn Features<Tetris>>,
    moves: u64,
    reward: f32,
    max_score: f64,
    /// The games that are not over, with their weights.
    playing: Vec<(u32, Vec<f32>, ResumableGame<Tetris>)>,
}

impl Player for Simulated {
    fn start(&mut self, candidates: &Candidates) -> Result<(), CudaError> {
        let size = self.features.names().len();
        let weights: Vec<&[f32]> = candidates.weights.chunks(size).collect();
        (self.reward, self.max_score) = (candidates.reward, candidates.max_score);
        let game = |(number, job): (u32, &afterstate_cuda::TetrisJob)| {
            let rng = Rng::stream(candidates.seed, job.game);
            let weights = weights[job.candidate as usize].to_vec();
            (number, weights, ResumableGame::new(&self.game, rng))
        };
        self.playing = (0..).zip(candidates.jobs).map(game).collect();
        Ok(())
    }

    fn left(&self) -> usize {
        self.playing.len()
    }

    fn launch(&mut self) -> Result<Vec<TetrisResult>, CudaError> {
        let (mut ended, mut left) = (Vec::new(), Vec::new());
        while let Some((job, weights, mut play)) = self.playing.pop() {
            let features = &*self.features;
            let policy = WeightedFeatures { features, reward: self.reward, weights: &weights };
            if play.advance(&self.game, &policy, self.moves, self.max_score, |_, _| {}) {
                let (score, moves) = (play.score as u64, play.moves);
                ended.push(TetrisResult { score, moves, job, lost: 1 });
            } else {
                left.push((job, weights, play));
            }
        }
        left.reverse();
        self.playing = left;
        Ok(ended)
    }
}

/// A training, round by round.
struct Run<'a> {
    learner: WeightsLearner<'a, Tetris>,
    position: Position,
    iterations: u32,
}

impl<'a> Run<'a> {
    /// On the processor, or on a device that plays so many moves in a launch.
    fn new(recipe: &'a Recipe, moves: Option<u64>) -> Run<'a> {
        let LearnerPlan::Weights(plan) = &recipe.learner else { panic!("not [weights]") };
        let game = recipe.rules.typed::<Tetris>().unwrap();
        let training = Training { game, recipe, threads: 1, device: Device::Cpu };
        let mut learner = WeightsLearner::new(plan, training).unwrap();
        learner.device = moves.map(|moves| {
            let player = |lesson: &TypedLesson<Tetris>| -> Box<dyn Player> {
                Box::new(Simulated {
                    features: features(&lesson.game, &plan.features).unwrap(),
                    game: lesson.game.clone(),
                    moves,
                    reward: 0.0,
                    max_score: 0.0,
                    playing: Vec::new(),
                })
            };
            OnDevice::new("a GPU".to_owned(), learner.lessons.iter().map(player).collect())
        });
        Run { learner, position: Position::default(), iterations: 0 }
    }

    fn is_over(&self) -> bool {
        self.position.spends(&self.learner.training.recipe.budget)
    }

    fn round(&mut self, length: Duration) -> Round {
        let stop = AtomicBool::new(false);
        let budget = self.learner.training.recipe.budget;
        let context = RoundContext::new(budget, self.position, length, &stop, &|| false);
        let round = self.learner.round(&context).unwrap();
        self.position = Position { seconds: 0.0, ..context.position() };
        self.iterations += u32::from(round.iterated);
        round
    }

    fn state(&self) -> serde_json::Value {
        self.learner.state().unwrap()
    }
}

const LONG: Duration = Duration::from_secs(1_000);

/// The budget ends within a generation, of which the same games have then been played.
#[test]
fn rounds_on_a_device_are_those_of_the_processor() {
    for recipe in [CMA_ES, CROSS_ENTROPY] {
        let recipe = Recipe::parse(recipe, &[]).unwrap();
        let (mut here, mut there) = (Run::new(&recipe, None), Run::new(&recipe, Some(7)));
        while !here.is_over() {
            let (a, b) = (here.round(LONG), there.round(LONG));
            assert_eq!((a.games, a.extra), (b.games, b.extra));
            assert_eq!(here.state(), there.state());
            assert_eq!(here.position, there.position);
        }
        assert!(here.iterations >= 3, "{} iterations", here.iterations);
    }
}

/// In rounds that end before their games do, games end in another order, and only their numbers
/// in the metrics tell: scores, generations and weights are the same.
#[test]
fn short_rounds_on_a_device_learn_the_same() {
    for recipe in [CMA_ES, CROSS_ENTROPY] {
        let recipe = Recipe::parse(recipe, &[]).unwrap();
        let (mut here, mut there) = (Run::new(&recipe, None), Run::new(&recipe, Some(7)));
        while !here.is_over() {
            here.round(LONG);
        }
        while !there.is_over() {
            there.round(Duration::ZERO);
        }
        assert_eq!(here.state(), there.state());
        assert_eq!((here.iterations, here.position), (there.iterations, there.position));
    }
}

/// A run is stopped within a generation and resumed on the other device, which plays the
/// unfinished games again.
#[test]
fn a_run_is_resumed_on_the_other_device() {
    let recipe = Recipe::parse(CMA_ES, &[]).unwrap();
    let mut whole = Run::new(&recipe, None);
    while !whole.is_over() {
        whole.round(LONG);
    }
    for (first, second) in [(Some(3), None), (None, Some(3)), (Some(3), Some(5))] {
        let mut run = Run::new(&recipe, first);
        while run.position.episodes < 100 || run.learner.state.generation.is_none() {
            // The processor begins no game in a round without time.
            run.round(if first.is_some() { Duration::ZERO } else { LONG });
        }
        let mut resumed = Run::new(&recipe, second);
        resumed.learner.restore(run.state()).unwrap();
        resumed.position = run.position;
        while !resumed.is_over() {
            resumed.round(LONG);
        }
        assert_eq!(resumed.state(), whole.state(), "{first:?} and {second:?}");
    }
}

#[test]
fn what_a_device_cannot_play_is_refused() {
    let error = |game: &str, features: &str| {
        let settings = [
            format!("game={game}"),
            format!("weights.features={features}"),
            "weights.curriculum=[]".to_owned(),
        ];
        let recipe = Recipe::parse(CMA_ES, &settings).unwrap();
        let LearnerPlan::Weights(plan) = &recipe.learner else { panic!("not [weights]") };
        let game = recipe.rules.typed::<Tetris>().unwrap();
        check(plan, &lessons(game, plan).unwrap(), 1_000).unwrap_err().to_string()
    };
    assert!(error("tetris:10x20", "bertsekas").contains("dt, dt6 and dellacherie, not bertsekas"));
    assert!(error("tetris:12x20", "dt").contains("up to 10x28, not 12x20"));
    assert!(error("tetris:10x20,next", "dt").contains("without a known next piece"));
    assert!(error("tetris:6x2,melax", "dt").contains("overflow=lose"));
}
