//! `Learner`: how a value function of a yardstick learns, as the tables of a recipe.

/// A learner and what distinguishes it from others of its kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Learner {
    /// An n-tuple network that learns points, each game backwards: its tuples, the method and the rate.
    Scores(&'static [&'static str], &'static str, &'static str),
    /// An n-tuple network that learns discounted survival in batches: its tuples.
    Survival(&'static [&'static str]),
    /// Weighted features by LSPI: their set.
    Lspi(&'static str),
    /// A neural network: its layers, its first rate and what it learns.
    Neural(&'static [&'static str], &'static str, Goal),
}

/// What a neural network learns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// Points, divided by a scale.
    Points {
        scale: &'static str,
        /// Whether it learns lambda-returns of several moves, in batches.
        batches: bool,
    },
    /// Discounted survival.
    Survival,
}

impl Learner {
    /// The tables of its recipe without the rules and the budget.
    pub(super) fn recipe(self) -> String {
        match self {
            Learner::Scores(tuples, method, rate) => format!(
                "[network]\ntuples = {tuples:?}\ninitial = 0\n[[phase]]\nmethod = \"{method}\"\nrate = {rate}\n\
                 order = \"backward\""
            ),
            Learner::Survival(tuples) => format!(
                "[network]\ntuples = {tuples:?}\ninitial = 120_000\nbatch = 64\n[[phase]]\nmethod = \"tc\"\n\
                 rate = 1.0\nsurvival = 1000\ndiscount = 0.99"
            ),
            Learner::Lspi(features) => format!("[lspi]\nfeatures = \"{features}\""),
            Learner::Neural(layers, rate, goal) => {
                let (scale, more) = goal.settings();
                format!(
                    "[neural]\nlayers = {layers:?}\nscale = {scale}\ngames = 64\nrate = {rate}\n\
                     final_rate = 0.00002{more}"
                )
            }
        }
    }
}

impl Goal {
    /// The scale of values, and further settings.
    fn settings(self) -> (&'static str, &'static str) {
        match self {
            Goal::Points { scale, batches: false } => (scale, ""),
            Goal::Points { scale, batches: true } => {
                (scale, "\nsteps = 4\nlambda = 0.5\nbatch = 64")
            }
            Goal::Survival => ("100_000", "\nsurvival = 1000\ndiscount = 0.99\ninitial = 120_000"),
        }
    }
}
