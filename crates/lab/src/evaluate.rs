//! Evaluation: many games of one agent, the same result on any number of threads.

use std::time::Instant;

use afterstate_core::{Ending, Episode, Game, Greedy, Policy, RandomPlay, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use rayon::prelude::*;

use crate::{Agent, Summary};

/// How many games to play, from which seed, on how many threads.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Games to play, at least one.
    pub games: u64,
    /// Game number i draws from the stream (seed, i).
    pub seed: u64,
    /// Threads to play on; `None` for as many as the machine has cores.
    pub threads: Option<usize>,
}

/// What came out of many games.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The scores of the games.
    pub score: Summary,
    /// The lengths of the games, in moves.
    pub length: Summary,
    /// All moves of all games.
    pub moves: u64,
    /// Games that reached the rules' limit on moves instead of an end.
    pub cut_off: u64,
    /// Time on the clock.
    pub seconds: f64,
}

/// The games could not be played.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// Nothing to average.
    #[error("met 0 games, expected at least 1")]
    NoGames,
    /// The system gave no threads.
    #[error("no threads to play on: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Plays the games of a plan with an agent.
pub fn evaluate(spec: &GameSpec, agent: Agent, plan: &Plan) -> Result<Evaluation, EvaluateError> {
    struct Play<'a>(Agent, &'a Plan);
    impl Visitor for Play<'_> {
        type Output = Result<Evaluation, EvaluateError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            match self.0 {
                Agent::Random => evaluate_policy(game, &RandomPlay, self.1),
                Agent::Greedy => evaluate_policy(game, &Greedy, self.1),
            }
        }
    }
    spec.with(Play(agent, plan))
}

/// Plays the games of a plan with copies of a policy.
pub fn evaluate_policy<G: Game, P: Policy<G> + Clone + Send + Sync>(
    game: &G,
    policy: &P,
    plan: &Plan,
) -> Result<Evaluation, EvaluateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads.unwrap_or(0)).build()?;
    let clock = Instant::now();
    let play = |policy: &mut P, number| {
        let episode = Episode::play(game, policy, &mut Rng::stream(plan.seed, number));
        (episode.score, episode.moves, episode.ending)
    };
    let games = (0..plan.games).into_par_iter();
    let results: Vec<_> = pool.install(|| games.map_init(|| policy.clone(), play).collect());
    let seconds = clock.elapsed().as_secs_f64();
    let scores: Vec<f64> = results.iter().map(|result| result.0).collect();
    let lengths: Vec<f64> = results.iter().map(|result| result.1 as f64).collect();
    Ok(Evaluation {
        score: Summary::of(&scores).ok_or(EvaluateError::NoGames)?,
        length: Summary::of(&lengths).ok_or(EvaluateError::NoGames)?,
        moves: results.iter().map(|result| result.1).sum(),
        cut_off: results.iter().filter(|result| result.2 == Ending::CutOff).count() as u64,
        seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_do_not_change_the_result() {
        for game in ["2048:3x3", "tetris:4x20,pieces=melax", "1010:4x4,pieces=7"] {
            let spec: GameSpec = game.parse().unwrap();
            let plan = |threads| Plan { games: 200, seed: 5, threads: Some(threads) };
            let one = evaluate(&spec, Agent::Random, &plan(1)).unwrap();
            let three = evaluate(&spec, Agent::Random, &plan(3)).unwrap();
            assert_eq!(
                (one.score, one.length, one.moves),
                (three.score, three.length, three.moves)
            );
        }
    }

    #[test]
    fn the_limit_cuts_games_off() {
        let spec: GameSpec = "tetris:6x2,melax,limit=50".parse().unwrap();
        let plan = Plan { games: 10, seed: 1, threads: Some(1) };
        let evaluation = evaluate(&spec, Agent::Greedy, &plan).unwrap();
        assert_eq!((evaluation.cut_off, evaluation.moves), (10, 500));
    }

    #[test]
    fn no_games_are_refused() {
        let plan = Plan { games: 0, seed: 1, threads: Some(1) };
        let error = evaluate(&"2048".parse().unwrap(), Agent::Random, &plan).unwrap_err();
        assert_eq!(error.to_string(), "met 0 games, expected at least 1");
    }
}
