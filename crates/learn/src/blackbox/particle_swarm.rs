//! Particle swarm optimisation with the constants of Clerc & Kennedy (2002): particles are attracted
//! by their own best point and by that of the swarm.
//!
//! Implemented here for the same reason as CMA-ES: it must be resumed between any two games.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::normal::normal;
use super::{Optimiser, SettingError, expect, finite};

settings! {
    /// The settings of the search.
    ParticleSwarmSettings {
        /// The number of particles.
        population: usize = 30,
        /// The standard deviation of the initial positions.
        spread: f64 = 1.0,
    }
}

impl ParticleSwarmSettings {
    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        let holds = (2..=100_000).contains(&self.population);
        expect(holds, "population", self.population, "2 to 100000")?;
        expect(self.spread > 0.0 && self.spread < 1e9, "spread", self.spread, "more than 0")
    }
}

/// The inertia weight.
const INERTIA: f64 = 0.7298;
/// The acceleration towards the particle's best point and towards the swarm's.
const ACCELERATION: f64 = 1.496_18;

/// The swarm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParticleSwarm {
    settings: ParticleSwarmSettings,
    start: Vec<f64>,
    /// Empty before the first iteration.
    particles: Vec<Particle>,
    /// The particle with the best score.
    leader: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Particle {
    here: Vec<f64>,
    velocity: Vec<f64>,
    best: Vec<f64>,
    best_score: Option<f64>,
}

impl ParticleSwarm {
    /// A search around a point.
    pub fn new(settings: ParticleSwarmSettings, start: Vec<f64>) -> ParticleSwarm {
        ParticleSwarm { settings, start, particles: Vec::new(), leader: 0 }
    }

    fn initial(&self, rng: &mut Rng) -> Particle {
        let spread = self.settings.spread;
        let here: Vec<f64> = self.start.iter().map(|x| x + spread * normal(rng)).collect();
        let velocity = here.iter().map(|_| 0.5 * spread * normal(rng)).collect();
        Particle { best: here.clone(), here, velocity, best_score: None }
    }
}

impl Optimiser for ParticleSwarm {
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        if self.particles.is_empty() {
            self.particles = (0..self.settings.population).map(|_| self.initial(rng)).collect();
        }
        self.particles.iter().map(|particle| particle.here.clone()).collect()
    }

    fn tell(&mut self, _: &[Vec<f64>], scores: &[f64], rng: &mut Rng) {
        for (particle, &score) in self.particles.iter_mut().zip(scores) {
            if particle.best_score.is_none_or(|best| score > best) {
                (particle.best, particle.best_score) = (particle.here.clone(), Some(score));
            }
        }
        let score = |i: &usize| self.particles[*i].best_score.unwrap_or(f64::MIN);
        let all = 0..self.particles.len();
        self.leader = all.reduce(|a, b| if score(&b) > score(&a) { b } else { a }).unwrap_or(0);
        let leader = self.best().to_vec();
        for particle in &mut self.particles {
            for (i, &best) in leader.iter().enumerate() {
                let here = particle.here[i];
                let velocity = &mut particle.velocity[i];
                *velocity = INERTIA * *velocity
                    + ACCELERATION * rng.unit() * (particle.best[i] - here)
                    + ACCELERATION * rng.unit() * (best - here);
                particle.here[i] += *velocity;
            }
        }
    }

    fn best(&self) -> &[f64] {
        self.particles.get(self.leader).map_or(&self.start, |particle| &particle.best)
    }

    fn spread(&self) -> f64 {
        let speeds = self.particles.iter().flat_map(|particle| &particle.velocity);
        let count = speeds.clone().count();
        if count == 0 {
            return self.settings.spread;
        }
        (speeds.map(|speed| speed * speed).sum::<f64>() / count as f64).sqrt()
    }

    fn is_valid(&self, dimensions: usize) -> bool {
        let valid = |particle: &Particle| {
            [&particle.here, &particle.velocity, &particle.best]
                .iter()
                .all(|point| finite(point, dimensions))
        };
        self.settings.check().is_ok()
            && finite(&self.start, dimensions)
            && (self.particles.is_empty() || self.particles.len() == self.settings.population)
            && self.leader < self.particles.len().max(1)
            && self.particles.iter().all(valid)
    }
}
