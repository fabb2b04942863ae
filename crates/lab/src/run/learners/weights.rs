//! Weights of features, learned by the scores of whole games.
//!
//! All candidates of an iteration play the same games (common random numbers): game j of iteration
//! i draws from the stream (seed, i * games + j). After the first few games those without hope get
//! no more.

use std::path::Path;

use afterstate_core::{Features, Rng};
use afterstate_games::spec::{Spec, parse_rules};
use afterstate_learn::blackbox::AnyOptimiser;
use afterstate_learn::play::WeightedFeatures;
use afterstate_values::Linear;
use afterstate_values::file::{self, AgentInfo};
use serde::{Deserialize, Serialize};

use super::crew::{EpisodeJob, WorkerPool};
use crate::recipe::{Games, Recipe, WeightsPlan};
use crate::run::RunError;
use crate::run::training::{Round, RoundContext, Training};

/// Streams of the optimiser: never those of games.
const SEARCH: u64 = 0x5ea_2c8;

/// The features of a game by their name.
pub(super) fn features<G: Spec>(game: &G, name: &str) -> Result<Box<dyn Features<G>>, RunError> {
    game.features(name).ok_or_else(|| {
        let names: Vec<&str> = G::FEATURE_SETS.iter().map(|set| set.0).collect();
        let expected =
            if names.is_empty() { "a game with features".into() } else { names.join(", ") };
        RunError::Features { game: game.spec(), met: name.chars().take(80).collect(), expected }
    })
}

/// The weights at first.
pub(super) fn start(start: &[f64], count: usize) -> Result<Vec<f64>, RunError> {
    match start.len() {
        0 => Ok(vec![0.0; count]),
        met if met == count => Ok(start.to_vec()),
        met => Err(RunError::Start { met, expected: count }),
    }
}

/// The rules of one stage with their features.
struct Ground<G: Spec> {
    game: G,
    features: Box<dyn Features<G>>,
    until: f64,
}

fn grounds<G: Spec>(game: &G, plan: &WeightsPlan) -> Result<Vec<Ground<G>>, RunError> {
    let mut grounds = Vec::new();
    for stage in &plan.stage {
        let game: G = parse_rules(&stage.game).map_err(|error| RunError::Stage(error.into()))?;
        let features = features(&game, &plan.features)?;
        grounds.push(Ground { game, features, until: stage.until });
    }
    let features = features(game, &plan.features)?;
    grounds.push(Ground { game: game.clone(), features, until: 1.0 });
    let counts: Vec<usize> = grounds.iter().map(|ground| ground.features.names().len()).collect();
    if let Some(&met) = counts.iter().find(|&&count| Some(&count) != counts.last()) {
        return Err(RunError::Start { met, expected: counts[counts.len() - 1] });
    }
    Ok(grounds)
}

/// Whether weights can be learned by a plan.
pub(super) fn check<G: Spec>(game: &G, plan: &WeightsPlan) -> Result<(), RunError> {
    let grounds = grounds(game, plan)?;
    start(&plan.start, grounds[0].features.names().len()).map(|_| ())
}

/// Weights that are learned.
pub(super) struct WeightsTraining<'a, G: Spec> {
    recipe: &'a Recipe,
    plan: &'a WeightsPlan,
    grounds: Vec<Ground<G>>,
    crew: WorkerPool<G>,
    state: State,
}

/// All that it needs to go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    iteration: u64,
    optimiser: AnyOptimiser,
    generation: Option<Generation>,
}

/// The candidates of an iteration, with the scores of their games so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Generation {
    /// The rules that they play by.
    ground: usize,
    points: Vec<Vec<f64>>,
    /// Whether each plays on.
    alive: Vec<bool>,
    /// Whether those without hope have been given up.
    late: bool,
    scores: Vec<Vec<Option<f64>>>,
}

impl Generation {
    fn means(&self) -> Vec<f64> {
        let mean = |scores: &Vec<Option<f64>>| {
            let played = || scores.iter().flatten();
            played().sum::<f64>() / played().count().max(1) as f64
        };
        self.scores.iter().map(mean).collect()
    }

    fn sound(&self, dimensions: usize, grounds: usize, games: usize) -> bool {
        let count = self.points.len();
        let whole = |point: &Vec<f64>| {
            point.len() == dimensions && point.iter().all(|weight| weight.is_finite())
        };
        self.ground < grounds
            && (1..=100_000).contains(&count)
            && self.alive.len() == count
            && self.scores.len() == count
            && self.scores.iter().all(|scores| scores.len() == games)
            && self.points.iter().all(whole)
    }
}

impl<'a, G: Spec> WeightsTraining<'a, G> {
    pub(super) fn open(
        game: &'a G,
        recipe: &'a Recipe,
        plan: &'a WeightsPlan,
        threads: usize,
    ) -> Result<WeightsTraining<'a, G>, RunError> {
        let grounds = grounds(game, plan)?;
        let start = start(&plan.start, grounds[0].features.names().len())?;
        let optimiser = plan.optimiser.start(start);
        let state = State { iteration: 0, optimiser, generation: None };
        Ok(WeightsTraining { recipe, plan, grounds, crew: WorkerPool::new(threads), state })
    }

    fn rng(&self, part: u64) -> Rng {
        Rng::stream(self.recipe.seed ^ SEARCH, 2 * self.state.iteration + part)
    }

    fn next_generation(&mut self, spent: f64) -> Generation {
        let here = self.grounds.iter().position(|ground| spent < ground.until);
        let ground = here.unwrap_or(self.grounds.len() - 1);
        let mut rng = self.rng(0);
        let points = self.state.optimiser.get_mut().ask(&mut rng);
        let count = points.len();
        let Games { count: games, early, .. } = self.plan.games;
        let late = early == 0 || early == games;
        let (alive, scores) = (vec![true; count], vec![vec![None; games]; count]);
        Generation { ground, points, alive, late, scores }
    }
}

impl<G: Spec> Training for WeightsTraining<'_, G> {
    fn identity(&self) -> String {
        let WeightsPlan { features, optimiser, .. } = self.plan;
        let games = self.plan.games.count;
        format!("weights of {features} by {games} games and {optimiser:?}")
    }

    fn iterates(&self) -> bool {
        true
    }

    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        let generation = match self.state.generation.take() {
            Some(generation) => generation,
            None => self.next_generation(turn.spent()),
        };
        let Games { count, early, max_score } = self.plan.games;
        let games = if generation.late { count } else { early };
        let under_way: Vec<usize> = self.crew.under_way().collect();
        let missing = |&number: &usize| {
            let (candidate, game) = (number / count, number % count);
            generation.alive[candidate]
                && game < games
                && generation.scores[candidate][game].is_none()
        };
        let all = 0..count * generation.points.len();
        let missing: Vec<usize> = all.filter(missing).collect();
        let waiting: Vec<usize> =
            missing.iter().copied().filter(|number| !under_way.contains(number)).collect();
        let Ground { game, features, .. } = &self.grounds[generation.ground];
        let narrow = |point: &Vec<f64>| point.iter().map(|&weight| weight as f32).collect();
        let weights: Vec<Vec<f32>> = generation.points.iter().map(narrow).collect();
        let (seed, first) = (self.recipe.seed, self.state.iteration * count as u64);
        let job = |number: usize| EpisodeJob {
            game,
            weighing: WeightedFeatures {
                features: &**features,
                reward: self.plan.reward as f32,
                weights: &weights[number / count],
            },
            rng: Rng::stream(seed, first + (number % count) as u64),
            max_score: max_score.unwrap_or(f64::INFINITY),
        };
        let ended = self.crew.play(turn, &waiting, &job);
        let mut generation = generation;
        let mut round = Round::default();
        for (number, result) in &ended {
            generation.scores[number / count][number % count] = Some(result.score);
            round.games.push(*result);
        }
        if ended.len() < missing.len() {
            self.state.generation = Some(generation);
            return Ok(round);
        }
        let means = generation.means();
        if !generation.late {
            generation.alive = self.state.optimiser.get().promising(&means);
            generation.late = true;
            self.state.generation = Some(generation);
            return Ok(round);
        }
        let mut rng = self.rng(1);
        self.state.optimiser.get_mut().tell(&generation.points, &means, &mut rng);
        self.state.iteration += 1;
        let alive = means.iter().zip(&generation.alive).filter(|(_, alive)| **alive);
        let best = alive.map(|(mean, _)| *mean).fold(f64::NEG_INFINITY, f64::max);
        round.iterated = true;
        round.over = self.state.optimiser.get().over();
        round.extra = [
            ("iteration".to_owned(), self.state.iteration as f64),
            ("best".to_owned(), if best.is_finite() { best } else { means[0] }),
            ("spread".to_owned(), self.state.optimiser.get().spread()),
            ("stage".to_owned(), generation.ground as f64),
        ]
        .into();
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| format!("met {error}"))?;
        let dimensions = self.grounds[0].features.names().len();
        let (grounds, games) = (self.grounds.len(), self.plan.games.count);
        let whole = state.optimiser.get().sound(dimensions)
            && std::mem::discriminant(&state.optimiser)
                == std::mem::discriminant(&self.state.optimiser)
            && state.generation.iter().all(|part| part.sound(dimensions, grounds, games));
        if !whole {
            return Err("met a damaged state, expected one of the recipe beside it".to_owned());
        }
        self.state = state;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError> {
        let weights = self.state.optimiser.get().best().iter().map(|&weight| weight as f32);
        let Ground { game, .. } = &self.grounds[self.grounds.len() - 1];
        let set = &self.plan.features;
        let features = features(game, set)?;
        let linear = Linear::new(set, features, self.plan.reward as f32, weights.collect())?;
        Ok(file::save_linear(path, info, &linear)?)
    }
}
