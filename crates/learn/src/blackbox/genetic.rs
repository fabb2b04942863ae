//! A genetic algorithm with real genes: tournament selection, uniform crossover, Gaussian mutation
//! and elitism.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::normal::normal;
use super::{Optimiser, SettingError, expect, finite, ranked};

settings! {
    /// The settings of the search.
    GeneticSettings {
        /// Candidates per generation.
        population: usize = 50,
        /// The number of best candidates that survive unchanged; they are scored again.
        elite: usize = 5,
        /// The size of the tournament that selects a parent.
        tournament: usize = 3,
        /// The mutation probability per gene.
        mutation: f64 = 0.2,
        /// The standard deviation of a mutation, and of the first generation.
        spread: f64 = 1.0,
        /// The factor of the standard deviation per generation.
        decay: f64 = 0.97,
    }
}

impl GeneticSettings {
    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        let Self { population, elite, tournament, mutation, spread, decay } = *self;
        expect((2..=100_000).contains(&population), "population", population, "2 to 100000")?;
        expect((1..population).contains(&elite), "elite", elite, "1 to less than the population")?;
        let holds = (1..=population).contains(&tournament);
        expect(holds, "tournament", tournament, "1 to the population")?;
        expect((0.0..=1.0).contains(&mutation), "mutation", mutation, "0 to 1")?;
        expect(spread > 0.0 && spread < 1e9, "spread", spread, "more than 0")?;
        expect(decay > 0.0 && decay <= 1.0, "decay", decay, "more than 0, at most 1")
    }
}

/// The population, the best of the last generation first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Genetic {
    settings: GeneticSettings,
    population: Vec<Vec<f64>>,
    step: f64,
    /// Whether the population has been scored and sorted.
    scored: bool,
}

impl Genetic {
    /// A search around a point.
    pub fn new(settings: GeneticSettings, start: Vec<f64>) -> Genetic {
        let step = settings.spread;
        Genetic { settings, population: vec![start], step, scored: false }
    }

    fn parent(&self, rng: &mut Rng) -> &[f64] {
        let drawn = (0..self.settings.tournament).map(|_| rng.below(self.population.len()));
        &self.population[drawn.min().unwrap_or(0)]
    }

    fn child(&self, rng: &mut Rng) -> Vec<f64> {
        let (one, other) = (self.parent(rng), self.parent(rng));
        let mut child = one.to_vec();
        for (gene, &others) in child.iter_mut().zip(other) {
            if rng.below(2) == 0 {
                *gene = others;
            }
            if rng.unit() < self.settings.mutation {
                *gene += self.step * normal(rng);
            }
        }
        child
    }
}

impl Optimiser for Genetic {
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        if !self.scored {
            let start = &self.population[0];
            let drawn = |_| start.iter().map(|x| x + self.step * normal(rng)).collect();
            return (0..self.settings.population).map(drawn).collect();
        }
        let elite = self.population.iter().take(self.settings.elite).cloned();
        let mut next: Vec<Vec<f64>> = elite.collect();
        while next.len() < self.settings.population {
            next.push(self.child(rng));
        }
        next
    }

    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], _: &mut Rng) {
        self.population = ranked(scores).into_iter().map(|i| points[i].clone()).collect();
        if self.scored {
            self.step *= self.settings.decay;
        }
        self.scored = true;
    }

    fn best(&self) -> &[f64] {
        &self.population[0]
    }

    fn spread(&self) -> f64 {
        self.step
    }

    fn is_valid(&self, dimensions: usize) -> bool {
        let count = if self.scored { self.settings.population } else { 1 };
        self.settings.check().is_ok()
            && self.step.is_finite()
            && self.population.len() == count
            && self.population.iter().all(|point| finite(point, dimensions))
    }
}
