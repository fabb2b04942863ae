//! `AnyOptimiser`: one of the optimisers, as recipes choose it and checkpoints hold it.

use serde::{Deserialize, Serialize};

use super::*;

/// Which optimiser, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "snake_case")]
pub enum Method {
    /// The cross-entropy method, plain or noisy.
    CrossEntropy(CrossEntropySettings),
    /// The evolution strategy that learns a covariance.
    CmaEs(CmaEsSettings),
    /// The annealing of Marchal et al.
    HomeMade(HomeMadeSettings),
    /// Annealing as in textbooks.
    Annealing(AnnealingSettings),
    /// A genetic algorithm.
    Genetic(GeneticSettings),
    /// A swarm of particles.
    ParticleSwarm(ParticleSwarmSettings),
}

impl Method {
    /// Whether its settings make sense.
    pub fn check(&self) -> Result<(), SettingError> {
        match self {
            Method::CrossEntropy(settings) => settings.check(),
            Method::CmaEs(settings) => settings.check(),
            Method::HomeMade(settings) => settings.check(),
            Method::Annealing(settings) => settings.check(),
            Method::Genetic(settings) => settings.check(),
            Method::ParticleSwarm(settings) => settings.check(),
        }
    }

    /// The optimiser, around a point.
    pub fn start(&self, start: Vec<f64>) -> AnyOptimiser {
        match self.clone() {
            Method::CrossEntropy(settings) => {
                AnyOptimiser::CrossEntropy(CrossEntropy::new(settings, start))
            }
            Method::CmaEs(settings) => AnyOptimiser::CmaEs(CmaEs::new(settings, start)),
            Method::HomeMade(settings) => AnyOptimiser::HomeMade(HomeMade::new(settings, start)),
            Method::Annealing(settings) => AnyOptimiser::Annealing(Annealing::new(settings, start)),
            Method::Genetic(settings) => AnyOptimiser::Genetic(Genetic::new(settings, start)),
            Method::ParticleSwarm(settings) => {
                AnyOptimiser::ParticleSwarm(ParticleSwarm::new(settings, start))
            }
        }
    }
}

/// An optimiser with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is named after its type")]
pub enum AnyOptimiser {
    CrossEntropy(CrossEntropy),
    CmaEs(CmaEs),
    HomeMade(HomeMade),
    Annealing(Annealing),
    Genetic(Genetic),
    ParticleSwarm(ParticleSwarm),
}

impl AnyOptimiser {
    /// Itself.
    pub fn get(&self) -> &dyn Optimiser {
        match self {
            AnyOptimiser::CrossEntropy(optimiser) => optimiser,
            AnyOptimiser::CmaEs(optimiser) => optimiser,
            AnyOptimiser::HomeMade(optimiser) => optimiser,
            AnyOptimiser::Annealing(optimiser) => optimiser,
            AnyOptimiser::Genetic(optimiser) => optimiser,
            AnyOptimiser::ParticleSwarm(optimiser) => optimiser,
        }
    }

    /// Itself, to be asked and told.
    pub fn get_mut(&mut self) -> &mut dyn Optimiser {
        match self {
            AnyOptimiser::CrossEntropy(optimiser) => optimiser,
            AnyOptimiser::CmaEs(optimiser) => optimiser,
            AnyOptimiser::HomeMade(optimiser) => optimiser,
            AnyOptimiser::Annealing(optimiser) => optimiser,
            AnyOptimiser::Genetic(optimiser) => optimiser,
            AnyOptimiser::ParticleSwarm(optimiser) => optimiser,
        }
    }
}
