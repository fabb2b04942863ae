//! Evaluation: many games of one agent, the same result on any number of threads.

use std::collections::BTreeMap;
use std::time::Instant;

use afterstate_core::{Ending, Episode, Game, Policy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_search::Search;
use rayon::prelude::*;

use crate::agent::AgentError;
use crate::statistics::{Exposure, Rate, exposure, exposure_cut_off, reach_rates};
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
    /// Games are cut off after so many moves, besides the rules' own limit.
    pub max_moves: Option<u64>,
}

/// What came out of many games.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The scores of the games.
    pub score: Summary,
    /// The lengths of the games, in moves.
    pub length: Summary,
    /// The part of the games that reached each tile or more, where the game has tiles.
    pub reach: BTreeMap<u64, Rate>,
    /// All moves of all games.
    pub moves: u64,
    /// Games that reached a limit on moves instead of an end. Their scores are what they had.
    pub cut_off: u64,
    /// The score to expect of a game that nothing cuts off: all scores over all ends. For games that
    /// may end at any moment alike.
    pub to_the_end: Option<Exposure>,
    /// Its length in moves, likewise.
    pub moves_to_the_end: Option<Exposure>,
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
    /// The agent cannot play.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// Plays the games of a plan with an agent.
pub fn evaluate(spec: &GameSpec, agent: &Agent, plan: &Plan) -> Result<Evaluation, EvaluateError> {
    evaluate_search(spec, agent, &Search::GREEDY, plan)
}

/// Plays the games of a plan with an agent that looks ahead.
pub fn evaluate_search(
    spec: &GameSpec,
    agent: &Agent,
    search: &Search,
    plan: &Plan,
) -> Result<Evaluation, EvaluateError> {
    struct Play<'a>(&'a Agent, &'a Search, &'a Plan);
    impl Visitor for Play<'_> {
        type Output = Result<Evaluation, EvaluateError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            let loaded = self.0.load(game)?;
            evaluate_policy(game, || loaded.searching(self.1), self.2)
        }
    }
    spec.with(Play(agent, search, plan))
}

/// Plays the games of a plan; every thread makes itself a policy.
pub fn evaluate_policy<G: Spec, P: Policy<G>>(
    game: &G,
    policy: impl Fn() -> P + Sync + Send,
    plan: &Plan,
) -> Result<Evaluation, EvaluateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads.unwrap_or(0)).build()?;
    let clock = Instant::now();
    let max_moves = plan.max_moves.unwrap_or(u64::MAX);
    let play = |policy: &mut P, number| {
        Episode::play_up_to(max_moves, game, policy, &mut Rng::stream(plan.seed, number))
    };
    let games = (0..plan.games).into_par_iter();
    let episodes: Vec<_> = pool.install(|| games.map_init(&policy, play).collect());
    let seconds = clock.elapsed().as_secs_f64();
    let scores: Vec<f64> = episodes.iter().map(|episode| episode.score).collect();
    let lengths: Vec<f64> = episodes.iter().map(|episode| episode.moves as f64).collect();
    let cut_off = episodes.iter().filter(|e| e.ending == Ending::Truncated).count() as u64;
    let ends = plan.games - cut_off;
    let until_the_end = |numbers: &[f64]| {
        let exposure = if cut_off > 0 { exposure_cut_off } else { exposure };
        game.ends_by_chance().then(|| exposure(numbers.iter().sum(), ends))
    };
    Ok(Evaluation {
        score: Summary::of(&scores).ok_or(EvaluateError::NoGames)?,
        length: Summary::of(&lengths).ok_or(EvaluateError::NoGames)?,
        reach: reach(game, &episodes),
        moves: episodes.iter().map(|episode| episode.moves).sum(),
        cut_off,
        to_the_end: until_the_end(&scores),
        moves_to_the_end: until_the_end(&lengths),
        seconds,
    })
}

fn reach<G: Spec>(game: &G, episodes: &[Episode<<G as Game>::State>]) -> BTreeMap<u64, Rate> {
    let tiles: Vec<u64> = episodes.iter().filter_map(|e| game.reached(&e.last)).collect();
    reach_rates(&tiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_do_not_change_the_result() {
        for game in ["2048:3x3", "tetris:4x20,pieces=melax", "1010:4x4,pieces=7"] {
            let spec: GameSpec = game.parse().unwrap();
            let plan =
                |threads| Plan { games: 200, seed: 5, threads: Some(threads), max_moves: None };
            let one = evaluate(&spec, &Agent::Random, &plan(1)).unwrap();
            let three = evaluate(&spec, &Agent::Random, &plan(3)).unwrap();
            assert_eq!(
                (one.score, one.length, one.moves),
                (three.score, three.length, three.moves)
            );
            assert_eq!(one.reach, three.reach);
        }
    }

    #[test]
    fn reach_rates_fall_from_tile_to_tile() {
        let spec: GameSpec = "2048:4x4".parse().unwrap();
        let plan = Plan { games: 300, seed: 1, threads: Some(1), max_moves: None };
        let reach = evaluate(&spec, &Agent::Random, &plan).unwrap().reach;
        assert_eq!(reach[&2].rate, 1.0);
        let rates: Vec<f64> = reach.values().map(|rate| rate.rate).collect();
        assert!(rates.is_sorted_by(|a, b| a >= b) && rates.len() >= 6, "{reach:?}");
        assert!(reach[&64].ci95.0 < reach[&64].rate && reach[&64].rate < reach[&64].ci95.1);
    }

    #[test]
    fn the_limit_cuts_games_off() {
        let spec: GameSpec = "tetris:6x2,melax,limit=50".parse().unwrap();
        let plan = Plan { games: 10, seed: 1, threads: Some(1), max_moves: None };
        let evaluation = evaluate(&spec, &Agent::Greedy, &plan).unwrap();
        assert_eq!((evaluation.cut_off, evaluation.moves), (10, 500));
    }

    /// The same games cut short tell the same, less surely.
    #[test]
    fn games_that_are_cut_off_still_count() {
        let spec: GameSpec = "tetris:10x10".parse().unwrap();
        let agent: Agent = "linear:dellacherie=-1,1,-1,-1,-4,0".parse().unwrap();
        let told = |games, max_moves| {
            let plan = Plan { games, seed: 3, threads: Some(2), max_moves };
            evaluate(&spec, &agent, &plan).unwrap()
        };
        let (whole, cut) = (told(300, None), told(1_500, Some(400)));
        assert!(whole.cut_off == 0 && cut.cut_off > 100, "{} cut off", cut.cut_off);
        let (whole, cut) = (whole.to_the_end.unwrap(), cut.to_the_end.unwrap());
        assert!(
            whole.low < cut.high.unwrap() && cut.low < whole.high.unwrap(),
            "{whole:?} {cut:?}"
        );
        let none = told(3, Some(5)).to_the_end.unwrap();
        assert_eq!((none.mean, none.high), (None, None));
    }

    #[test]
    fn no_games_are_refused() {
        let plan = Plan { games: 0, seed: 1, threads: Some(1), max_moves: None };
        let error = evaluate(&"2048".parse().unwrap(), &Agent::Random, &plan).unwrap_err();
        assert_eq!(error.to_string(), "met 0 games, expected at least 1");
    }
}
