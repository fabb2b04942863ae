//! `AnyOptimiser`: one of the optimisers, as recipes name it and checkpoints store it.

use serde::{Deserialize, Serialize};

use super::*;

/// The list of optimisers, each with its settings.
macro_rules! optimisers {
    ($($(#[$attribute:meta])* $optimiser:ident($settings:ident)),* $(,)?) => {
        /// An optimiser and its settings.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method", rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum OptimiserChoice {
            $($(#[$attribute])* $optimiser($settings)),*
        }

        impl OptimiserChoice {
            /// Checks the ranges of the settings.
            pub fn check(&self) -> Result<(), SettingError> {
                match self {
                    $(OptimiserChoice::$optimiser(settings) => settings.check()),*
                }
            }

            /// The optimiser, started at a point.
            pub fn start(&self, start: Vec<f64>) -> AnyOptimiser {
                match self.clone() {
                    $(OptimiserChoice::$optimiser(settings) => {
                        AnyOptimiser::$optimiser($optimiser::new(settings, start))
                    })*
                }
            }
        }

        /// An optimiser with its state.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum AnyOptimiser {
            $($(#[$attribute])* $optimiser($optimiser)),*
        }

        impl AnyOptimiser {
            /// The optimiser.
            pub fn get(&self) -> &dyn Optimiser {
                match self {
                    $(AnyOptimiser::$optimiser(optimiser) => optimiser),*
                }
            }

            /// The optimiser, to ask and tell.
            pub fn get_mut(&mut self) -> &mut dyn Optimiser {
                match self {
                    $(AnyOptimiser::$optimiser(optimiser) => optimiser),*
                }
            }
        }
    };
}

impl OptimiserChoice {
    /// The largest number of points that are scored at a time, in a search in so many dimensions.
    pub fn population(&self, dimensions: usize) -> usize {
        match self {
            OptimiserChoice::CrossEntropy(settings) => settings.population,
            OptimiserChoice::CmaEs(settings) => settings.points(dimensions),
            OptimiserChoice::MarchalAnnealing(_) => 1,
            OptimiserChoice::Annealing(_) => 2,
            OptimiserChoice::Genetic(settings) => settings.population,
            OptimiserChoice::ParticleSwarm(settings) => settings.population,
        }
    }
}

optimisers!(
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
);
