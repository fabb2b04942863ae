//! `Form`: how much of a published budget is spent.

/// A form of every experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its name, in folders and reports.
    pub name: &'static str,
    /// The published games are divided by this.
    pub divisor: u64,
    /// Games in one line of a run's metrics.
    pub window: u64,
    /// Games of training that a figure is taken over: the published ones are of 1,000.
    pub block: u64,
    /// Games that the trained agent plays without learning.
    pub games: u64,
    /// Tuples that stand for every network, in tests.
    pub tuples: Option<&'static str>,
}

impl Form {
    /// Some seconds a training: a check that everything works, and how learning begins.
    pub const QUICK: Form =
        Form { name: "quick", divisor: 50, window: 100, block: 1_000, games: 1_000, tuples: None };

    /// The published budget.
    pub const FULL: Form =
        Form { name: "full", divisor: 1, window: 100, block: 1_000, games: 10_000, tuples: None };

    /// The games to train where so many were published.
    pub fn episodes(&self, published: u64) -> u64 {
        (published / self.divisor).max(1)
    }

    /// Whether the published budget is spent.
    pub fn is_full(&self) -> bool {
        self.divisor == 1
    }

    /// What a form adds to the names of its files: a quick one never overwrites a full one.
    pub fn suffix(&self) -> String {
        if self.is_full() { String::new() } else { format!("-{}", self.name) }
    }
}
