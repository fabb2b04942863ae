//! Evaluation on a GPU: the same games as on the processor, thousands at once.

use std::any::Any;
use std::time::Instant;

use afterstate_cuda::neural::UnsupportedNetwork;
use afterstate_cuda::{
    Candidates, CudaError, Device, Expectimax, Finished, LinearTetris, Player, Population,
    TenTenNetwork, TenTenPlayer, TetrisJob, TetrisResult, UnsupportedSearch, UnsupportedTenTen,
    UnsupportedTetris,
};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::TenTen;
use afterstate_games::tetris::Tetris;
use afterstate_games::twenty48::Twenty48;
use afterstate_search::Search;
use afterstate_values::Model;
use afterstate_values::neural::NeuralNetwork;

use crate::evaluate::{
    EvaluateError, Evaluation, EvaluationProgress, EvaluationSettings, PlayedGame, summarise,
};
use crate::neural_on_device;

/// Why a GPU cannot play some games.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnDeviceError {
    /// Another game.
    #[error("--device cuda plays 2048, Tetris and 1010!, not {0}: use --device cpu")]
    Game(&'static str),
    /// A search of 2048 that a GPU does not have.
    #[error(transparent)]
    Search(#[from] UnsupportedSearch),
    /// A search of another game.
    #[error("--device cuda plays {0} without search, not by {1}: use --device cpu")]
    NoSearch(&'static str, Search),
    /// An agent without a network.
    #[error("--device cuda plays n-tuple networks of afterstate values, which this agent has not")]
    Agent,
    /// An agent without weights of features.
    #[error("--device cuda plays Tetris by weights of features, which this agent has not")]
    Weights,
    /// The network has no kernels.
    #[error(transparent)]
    Network(#[from] afterstate_cuda::Unsupported),
    /// The rules or the features of Tetris have no kernel.
    #[error(transparent)]
    Tetris(#[from] UnsupportedTetris),
    /// The neural network has no kernels.
    #[error(transparent)]
    Neural(#[from] UnsupportedNetwork),
    /// The rules or the tuples of 1010! have no kernel.
    #[error(transparent)]
    TenTen(#[from] UnsupportedTenTen),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] CudaError),
}

/// Who is told of the progress of an evaluation.
pub(crate) type Observe<'a> = &'a mut dyn FnMut(EvaluationProgress);

/// Plays the games of an evaluation on a device.
pub(crate) fn evaluate<G: Spec>(
    game: &G,
    model: &dyn Model<G>,
    search: &Search,
    settings: &EvaluationSettings,
    number: usize,
    observe: Observe,
) -> Result<Evaluation, EvaluateError> {
    let rules: &dyn Any = game;
    let played = if let Some(network) = model.neural() {
        play_neural(game, network, search, settings, number, observe)?
    } else if let Some(rules) = rules.downcast_ref::<Twenty48>() {
        play_network(rules, model, search, settings, number, observe)?
    } else if let Some(rules) = rules.downcast_ref::<TenTen>() {
        play_tenten(rules, model, search, settings, number)?
    } else if let Some(rules) = rules.downcast_ref::<Tetris>() {
        play_tetris(rules, model, search, settings, number, observe)?
    } else {
        return Err(OnDeviceError::Game(G::NAME).into());
    };
    let evaluation = summarise(game, &played.games, played.seconds)?;
    Ok(Evaluation { joules: played.joules, gpu: Some(played.gpu), ..evaluation })
}

/// Games in the order of their numbers, the time that they took, the energy, and the GPU's name.
struct Played {
    games: Vec<PlayedGame>,
    seconds: f64,
    joules: Option<f64>,
    gpu: String,
}

fn play_neural<G: Spec>(
    game: &G,
    network: &NeuralNetwork,
    search: &Search,
    settings: &EvaluationSettings,
    number: usize,
    observe: Observe,
) -> Result<Played, OnDeviceError> {
    if !search.is_greedy() {
        return Err(OnDeviceError::NoSearch("neural networks", *search));
    }
    let device = Device::open(number)?;
    let meter = Meter::start(&device);
    let games = neural_on_device::play(game, network, &device, settings, &mut |games, moves| {
        observe(EvaluationProgress { games, moves, seconds: meter.seconds(), cluster: None });
    })?;
    Ok(meter.stop(games))
}

fn play_network<G: Spec>(
    rules: &Twenty48,
    model: &dyn Model<G>,
    search: &Search,
    settings: &EvaluationSettings,
    number: usize,
    observe: Observe,
) -> Result<Played, OnDeviceError> {
    let search = Expectimax::new(search)?;
    let (tuples, weights) = model.network().ok_or(OnDeviceError::Agent)?;
    let network = afterstate_cuda::Network::new(rules, tuples)?;
    let device = Device::open(number)?;
    let meter = Meter::start(&device);
    let mut player = Player::new(&device, &network, &weights, search)?;
    let games = player.play(&plays(settings), &mut |so_far| {
        let (games, moves) = (so_far.games, so_far.moves);
        observe(EvaluationProgress { games, moves, seconds: meter.seconds(), cluster: None });
    })?;
    let played =
        |game: &Finished| PlayedGame { reached: Some(1 << game.largest), ..played_game(game) };
    Ok(meter.stop(games.iter().map(played).collect()))
}

fn play_tenten<G: Spec>(
    rules: &TenTen,
    model: &dyn Model<G>,
    search: &Search,
    settings: &EvaluationSettings,
    number: usize,
) -> Result<Played, OnDeviceError> {
    if !search.is_greedy() {
        return Err(OnDeviceError::NoSearch("1010!", *search));
    }
    let (tuples, weights) = model.network().ok_or(OnDeviceError::Agent)?;
    let network = TenTenNetwork::new(rules, tuples)?;
    let device = Device::open(number)?;
    let meter = Meter::start(&device);
    let games = TenTenPlayer::new(&device, &network, &weights)?.play(&plays(settings))?;
    Ok(meter.stop(games.iter().map(played_game).collect()))
}

fn plays(settings: &EvaluationSettings) -> afterstate_cuda::Evaluation {
    afterstate_cuda::Evaluation {
        seed: settings.seed,
        games: 0..settings.games,
        max_moves: settings.max_moves,
    }
}

fn played_game(game: &Finished) -> PlayedGame {
    PlayedGame {
        score: f64::from(game.score),
        moves: u64::from(game.moves),
        reached: None,
        truncated: game.fresh == 0,
    }
}

/// What an evaluation takes: its time, and the energy of the device.
struct Meter<'a> {
    device: &'a Device,
    clock: Instant,
    joules: Option<f64>,
}

impl Meter<'_> {
    fn start(device: &Device) -> Meter<'_> {
        Meter { device, clock: Instant::now(), joules: device.joules() }
    }

    fn seconds(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }

    fn stop(&self, games: Vec<PlayedGame>) -> Played {
        let used = || Some(self.device.joules()? - self.joules?);
        Played { games, seconds: self.seconds(), joules: used(), gpu: self.device.name() }
    }
}

fn play_tetris<G: Spec>(
    rules: &Tetris,
    model: &dyn Model<G>,
    search: &Search,
    settings: &EvaluationSettings,
    number: usize,
    observe: Observe,
) -> Result<Played, OnDeviceError> {
    if !search.is_greedy() {
        return Err(OnDeviceError::NoSearch("Tetris", *search));
    }
    let linear = model.linear().ok_or(OnDeviceError::Weights)?;
    let kernel = LinearTetris::new(rules, linear.set())?;
    let device = Device::open(number)?;
    let meter = Meter::start(&device);
    let job = |game| TetrisJob { game, candidate: 0, padding: 0 };
    let mut population = Population::new(&device, &kernel)?;
    population.start(&Candidates {
        seed: settings.seed,
        reward: linear.reward(),
        weights: linear.weights(),
        jobs: &(0..settings.games).map(job).collect::<Vec<_>>(),
        max_score: f64::INFINITY,
        max_moves: settings.max_moves,
    })?;
    let (mut games, mut all_moves) = (Vec::new(), 0);
    while population.left() > 0 {
        let (ended, moves) = population.launch()?;
        games.extend(ended);
        all_moves += moves;
        observe(EvaluationProgress {
            games: games.len() as u64,
            moves: all_moves,
            seconds: meter.seconds(),
            cluster: None,
        });
    }
    games.sort_unstable_by_key(|game| game.job);
    let played = |game: &TetrisResult| PlayedGame {
        score: game.score as f64,
        moves: game.moves,
        reached: None,
        truncated: game.lost == 0,
    };
    Ok(meter.stop(games.iter().map(played).collect()))
}
