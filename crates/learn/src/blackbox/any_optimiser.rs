//! `AnyOptimiser`: one of the optimisers, as recipes name it and checkpoints store it.

use serde::{Deserialize, Serialize};

use super::*;

/// An optimiser and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "snake_case")]
pub enum OptimiserChoice {
    /// The cross-entropy method, with or without noise.
    CrossEntropy(CrossEntropySettings),
    /// The covariance matrix adaptation evolution strategy.
    CmaEs(CmaEsSettings),
    /// The annealing of Marchal et al.
    #[serde(alias = "home_made")]
    MarchalAnnealing(MarchalAnnealingSettings),
    /// Simulated annealing as in textbooks.
    Annealing(AnnealingSettings),
    /// A genetic algorithm.
    Genetic(GeneticSettings),
    /// Particle swarm optimisation.
    ParticleSwarm(ParticleSwarmSettings),
}

impl OptimiserChoice {
    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        match self {
            OptimiserChoice::CrossEntropy(settings) => settings.check(),
            OptimiserChoice::CmaEs(settings) => settings.check(),
            OptimiserChoice::MarchalAnnealing(settings) => settings.check(),
            OptimiserChoice::Annealing(settings) => settings.check(),
            OptimiserChoice::Genetic(settings) => settings.check(),
            OptimiserChoice::ParticleSwarm(settings) => settings.check(),
        }
    }

    /// The optimiser, started at a point.
    pub fn start(&self, start: Vec<f64>) -> AnyOptimiser {
        match self.clone() {
            OptimiserChoice::CrossEntropy(settings) => {
                AnyOptimiser::CrossEntropy(CrossEntropy::new(settings, start))
            }
            OptimiserChoice::CmaEs(settings) => AnyOptimiser::CmaEs(CmaEs::new(settings, start)),
            OptimiserChoice::MarchalAnnealing(settings) => {
                AnyOptimiser::MarchalAnnealing(MarchalAnnealing::new(settings, start))
            }
            OptimiserChoice::Annealing(settings) => {
                AnyOptimiser::Annealing(Annealing::new(settings, start))
            }
            OptimiserChoice::Genetic(settings) => {
                AnyOptimiser::Genetic(Genetic::new(settings, start))
            }
            OptimiserChoice::ParticleSwarm(settings) => {
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
    #[serde(alias = "home_made")]
    MarchalAnnealing(MarchalAnnealing),
    Annealing(Annealing),
    Genetic(Genetic),
    ParticleSwarm(ParticleSwarm),
}

impl AnyOptimiser {
    /// The optimiser.
    pub fn get(&self) -> &dyn Optimiser {
        match self {
            AnyOptimiser::CrossEntropy(optimiser) => optimiser,
            AnyOptimiser::CmaEs(optimiser) => optimiser,
            AnyOptimiser::MarchalAnnealing(optimiser) => optimiser,
            AnyOptimiser::Annealing(optimiser) => optimiser,
            AnyOptimiser::Genetic(optimiser) => optimiser,
            AnyOptimiser::ParticleSwarm(optimiser) => optimiser,
        }
    }

    /// The optimiser, to ask and tell.
    pub fn get_mut(&mut self) -> &mut dyn Optimiser {
        match self {
            AnyOptimiser::CrossEntropy(optimiser) => optimiser,
            AnyOptimiser::CmaEs(optimiser) => optimiser,
            AnyOptimiser::MarchalAnnealing(optimiser) => optimiser,
            AnyOptimiser::Annealing(optimiser) => optimiser,
            AnyOptimiser::Genetic(optimiser) => optimiser,
            AnyOptimiser::ParticleSwarm(optimiser) => optimiser,
        }
    }
}
