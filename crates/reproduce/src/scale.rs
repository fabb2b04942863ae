//! `Scale`: how much of a published budget is spent.

/// A scale of every experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// For tests: everything as short as possible, and a single pair of cells for every network.
    Tiny,
    /// Some seconds per training: a check that everything works, and how learning begins.
    Quick,
    /// The published budget.
    Full,
}

impl Scale {
    pub(crate) const ALL: [Scale; 3] = [Scale::Tiny, Scale::Quick, Scale::Full];

    /// Its name, in folders and reports.
    pub fn name(self) -> &'static str {
        self.pick(["tiny", "quick", "full"])
    }

    /// Whether the published budget is spent.
    pub fn is_full(self) -> bool {
        self == Scale::Full
    }

    /// One of three settings: tiny, quick or full.
    pub(crate) fn pick<T: Copy>(self, [tiny, quick, full]: [T; 3]) -> T {
        match self {
            Scale::Tiny => tiny,
            Scale::Quick => quick,
            Scale::Full => full,
        }
    }

    /// The published numbers of games are divided by this.
    pub(crate) fn divisor(self) -> u64 {
        self.pick([1_500, 50, 1])
    }

    /// The games to train where so many were published.
    pub(crate) fn episodes(self, published: u64) -> u64 {
        (published / self.divisor()).max(1)
    }

    /// Games in one line of a run's metrics.
    pub(crate) fn window(self) -> u64 {
        self.pick([10, 100, 100])
    }

    /// Windows that a figure is taken over: the published figures are of 1,000 games.
    pub(crate) fn block(self) -> usize {
        10
    }

    /// Games that a trained agent plays without learning.
    pub(crate) fn games(self) -> u64 {
        self.pick([20, 1_000, 10_000])
    }

    /// The note of a report that is not of the published budget.
    pub(crate) fn note(self, text: &str) -> Option<String> {
        (!self.is_full()).then(|| format!("This is the {} form: {text}", self.name()))
    }
}
