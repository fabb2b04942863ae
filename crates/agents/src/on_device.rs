//! Evaluation on a GPU: the same games as on the processor, thousands at once.

use std::any::Any;
use std::time::Instant;

use afterstate_cuda::{CudaError, Finished, Player};
use afterstate_games::spec::Spec;
use afterstate_games::twenty48::Twenty48;
use afterstate_search::Search;
use afterstate_values::Model;

use crate::evaluate::{EvaluateError, Evaluation, EvaluationSettings, PlayedGame, summarise};

/// Why a GPU cannot play some games.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnDeviceError {
    /// Another game than 2048.
    #[error("--device cuda plays 2048, not {0}: use --device cpu")]
    Game(&'static str),
    /// A search.
    #[error("--device cuda plays without search, not by {0}: use --device cpu")]
    Search(Search),
    /// An agent without a network.
    #[error("--device cuda plays n-tuple networks of afterstate values, which this agent has not")]
    Agent,
    /// The network has no kernels.
    #[error(transparent)]
    Network(#[from] afterstate_cuda::Unsupported),
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
    let rules: &dyn Any = game;
    let rules = rules.downcast_ref::<Twenty48>().ok_or(OnDeviceError::Game(G::NAME))?;
    if !search.is_greedy() {
        return Err(OnDeviceError::Search(*search).into());
    }
    let (tuples, weights) = model.network().ok_or(OnDeviceError::Agent)?;
    let network = afterstate_cuda::Network::new(rules, tuples).map_err(OnDeviceError::from)?;
    let device = afterstate_cuda::Device::open(number).map_err(OnDeviceError::from)?;
    let clock = Instant::now();
    let plays = afterstate_cuda::Evaluation {
        seed: settings.seed,
        games: 0..settings.games,
        max_moves: settings.max_moves,
    };
    let games = Player::new(&device, &network, &weights).and_then(|mut player| player.play(&plays));
    let played = |game: &Finished| PlayedGame {
        score: f64::from(game.score),
        moves: u64::from(game.moves),
        reached: Some(1 << game.largest),
        truncated: game.fresh == 0,
    };
    let games: Vec<PlayedGame> = games.map_err(OnDeviceError::from)?.iter().map(played).collect();
    summarise(game, &games, clock.elapsed().as_secs_f64())
}
