//! Evaluation on a GPU: the same games as on the processor, thousands at once.

use std::any::Any;
use std::time::Instant;

use afterstate_cuda::{
    Candidates, CudaError, Device, Finished, LinearTetris, Player, Population, TenTenNetwork,
    TetrisJob, TetrisResult, UnsupportedTenTen, UnsupportedTetris,
};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::TenTen;
use afterstate_games::tetris::Tetris;
use afterstate_games::twenty48::Twenty48;
use afterstate_search::Search;
use afterstate_values::Model;

use crate::evaluate::{EvaluateError, Evaluation, EvaluationSettings, PlayedGame, summarise};

/// Why a GPU cannot play some games.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnDeviceError {
    /// Another game.
    #[error("--device cuda plays 2048, Tetris and 1010!, not {0}: use --device cpu")]
    Game(&'static str),
    /// A search.
    #[error("--device cuda plays without search, not by {0}: use --device cpu")]
    Search(Search),
    /// An agent without a network.
    #[error("--device cuda plays n-tuple networks of afterstate values, which this agent has not")]
    Agent,
    /// An agent without weights of features.
    #[error("--device cuda plays Tetris by weights of features, which this agent has not")]
    Weights,
    /// The network has no kernels.
    #[error(transparent)]
    Network(#[from] afterstate_cuda::Unsupported),
    /// The rules of 1010! have no kernel.
    #[error(transparent)]
    TenTen(#[from] UnsupportedTenTen),
    /// The rules or the features of Tetris have no kernel.
    #[error(transparent)]
    Tetris(#[from] UnsupportedTetris),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] CudaError),
}

/// Plays the games of an evaluation on a device.
pub(crate) fn evaluate<G: Spec>(
    game: &G,
    model: &dyn Model<G>,
    search: &Search,
    settings: &EvaluationSettings,
    number: usize,
) -> Result<Evaluation, EvaluateError> {
    if !search.is_greedy() {
        return Err(OnDeviceError::Search(*search).into());
    }
    let rules: &dyn Any = game;
    let (games, seconds) = if let Some(rules) = rules.downcast_ref::<Twenty48>() {
        play_network(rules, model, settings, number)?
    } else if let Some(rules) = rules.downcast_ref::<TenTen>() {
        play_tenten(rules, model, settings, number)?
    } else if let Some(rules) = rules.downcast_ref::<Tetris>() {
        play_tetris(rules, model, settings, number)?
    } else {
        return Err(OnDeviceError::Game(G::NAME).into());
    };
    summarise(game, &games, seconds)
}

/// Games in the order of their numbers, and the time that they took.
type Played = (Vec<PlayedGame>, f64);

fn play_network<G: Spec>(
    rules: &Twenty48,
    model: &dyn Model<G>,
    settings: &EvaluationSettings,
    number: usize,
) -> Result<Played, OnDeviceError> {
    let (tuples, weights) = model.network().ok_or(OnDeviceError::Agent)?;
    let network = afterstate_cuda::Network::new(rules, tuples)?;
    let device = Device::open(number)?;
    let clock = Instant::now();
    let games = Player::new(&device, &network, &weights)?.play(&plays(settings))?;
    let played =
        |game: &Finished| PlayedGame { reached: Some(1 << game.largest), ..played_game(game) };
    Ok((games.iter().map(played).collect(), clock.elapsed().as_secs_f64()))
}

fn play_tenten<G: Spec>(
    rules: &TenTen,
    model: &dyn Model<G>,
    settings: &EvaluationSettings,
    number: usize,
) -> Result<Played, OnDeviceError> {
    let (tuples, weights) = model.network().ok_or(OnDeviceError::Agent)?;
    let network = TenTenNetwork::new(rules, tuples)?;
    let device = Device::open(number)?;
    let clock = Instant::now();
    let games = Player::of_tenten(&device, &network, &weights)?.play(&plays(settings))?;
    Ok((games.iter().map(played_game).collect(), clock.elapsed().as_secs_f64()))
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

fn play_tetris<G: Spec>(
    rules: &Tetris,
    model: &dyn Model<G>,
    settings: &EvaluationSettings,
    number: usize,
) -> Result<Played, OnDeviceError> {
    let linear = model.linear().ok_or(OnDeviceError::Weights)?;
    let kernel = LinearTetris::new(rules, linear.set())?;
    let device = Device::open(number)?;
    let clock = Instant::now();
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
    let mut games = population.play()?;
    games.sort_unstable_by_key(|game| game.job);
    let played = |game: &TetrisResult| PlayedGame {
        score: game.score as f64,
        moves: game.moves,
        reached: None,
        truncated: game.lost == 0,
    };
    Ok((games.iter().map(played).collect(), clock.elapsed().as_secs_f64()))
}
