//! `OutcomeIndices`: the active features of the boards after all chance outcomes of afterstates, as
//! what each outcome changes.

/// The largest number of places of a board at which an outcome can happen.
pub const PLACES: usize = 16;

/// For each active feature and each place, 1 if an outcome at the place leaves the index of the
/// feature as it is, and 0 if it changes it: what its weight is multiplied by.
pub type Unchanged = [[f32; PLACES]];

/// A chance outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The number of its afterstate in the list.
    pub after: u32,
    /// Where it happens, below [`PLACES`].
    pub place: u32,
    /// Where the indices of the features that it changes begin and end in the list.
    pub begin: u32,
    /// The end.
    pub end: u32,
}

/// The chance outcomes of some afterstates and the indices of the features that they change. The
/// features that an outcome leaves as they are have the indices of its afterstate.
#[derive(Clone, Debug, Default)]
pub struct OutcomeIndices {
    /// The indices of the active features of the afterstates, one afterstate after the other.
    pub afters: Vec<u32>,
    /// The outcomes, in the order of the rules.
    pub outcomes: Vec<Outcome>,
    /// The indices of the features that outcomes change, those of one outcome in the order of the
    /// features. Numbers between those of two outcomes have no meaning.
    pub changed: Vec<u32>,
}

impl OutcomeIndices {
    /// Removes everything; the memory is kept.
    pub fn clear(&mut self) {
        self.afters.clear();
        self.outcomes.clear();
        self.changed.clear();
    }

    /// The indices of the features that an outcome changes.
    #[inline(always)]
    pub fn changed_by(&self, outcome: &Outcome) -> &[u32] {
        &self.changed[outcome.begin as usize..outcome.end as usize]
    }
}
