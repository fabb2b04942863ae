//! LSPI as the study ran it: play, add every move, solve every 20.
//!
//! The study says every 20 turns, and its table 2 calls whole games turns; either learns the same.

use afterstate_core::{Features, Rng};
use afterstate_games::RewardMixture;
use afterstate_games::spec::Spec;
use afterstate_games::tenten::TenTen;
use afterstate_learn::lspi::{Goal, Online};

use crate::{Error, Session};

/// Moves between two solutions.
const EVERY: u64 = 20;

/// No game of training is longer.
const LONGEST: u64 = 100_000;

/// What the study learned for: a reward, -1000 at the end of a game, gamma 0.8.
pub(super) fn goal(reward: RewardMixture) -> Goal {
    Goal { reward, penalty: -1000.0, gamma: 0.8, ridge: 1e-6 }
}

/// The features with their weights.
pub(super) type Learned = (Box<dyn Features<TenTen>>, Vec<f32>);

/// Learns for about so many moves; the features with the weights.
pub(super) fn learn(
    session: &Session,
    game: &TenTen,
    set: &str,
    reward: RewardMixture,
    moves: u64,
    part: u64,
) -> Result<Learned, Error> {
    let features = game.features(set).ok_or(Error::TooLarge)?;
    let mut learner = Online::new(game, &*features, goal(reward), EVERY);
    let (mut played, mut episode) = (0, 0);
    while played < moves {
        let mut rng = Rng::stream(session.seed ^ part << 32, episode);
        let game = learner.episode(&mut rng, LONGEST).map_err(|_| Error::TooLarge)?;
        played += game.moves.max(1);
        episode += 1;
    }
    let weights = learner.weights;
    Ok((features, weights))
}
