//! `InRecords`: phases of temporal coherence that learn in records, and the way into them and back.

use afterstate_games::spec::Spec;
use afterstate_learn::{Coherence, Records};
use afterstate_values::Network;
use afterstate_values::memory::free;
use afterstate_values::model::ValuesOf;

use super::workers::is_large;
use super::{NTuplePlan, NetworkTable, Phase, UpdateRule};

/// The records of a network. What is learned is the same without them, to the bit, only slower.
pub(super) struct InRecords {
    records: Records,
    /// Whether they are ahead of the network and its sums.
    ahead: bool,
}

/// Whether a phase learns in records. Samples for the mean of the weights would have to be copied from
/// them, and a search reads the network.
fn uses_records(plan: &NTuplePlan, phase: &Phase) -> bool {
    let NetworkTable { batch, average, search, .. } = &plan.network;
    phase.method == UpdateRule::Tc
        && phase.values == ValuesOf::Afterstates
        && batch.is_none()
        && *average == 0.0
        && search.is_greedy()
}

impl InRecords {
    /// Room for the records of a large network, if a phase uses them and half of the free memory is
    /// left.
    pub(super) fn new<G: Spec>(plan: &NTuplePlan, network: &Network<G>) -> Option<InRecords> {
        let needed = Records::bytes(network.tuples().weights());
        let used = plan.phases.iter().any(|phase| uses_records(plan, phase));
        if !used || !is_large(network) || free().is_some_and(|free| needed > free / 2) {
            return None;
        }
        let records = Records::new(network)?.ok()?;
        records.memory().populate(needed);
        Some(InRecords { records, ahead: false })
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        self.records.memory().len() as u64
    }

    /// Copies weights and sums to where a phase learns them: the records, if it uses them.
    pub(super) fn begin<G: Spec>(
        &mut self,
        plan: &NTuplePlan,
        phase: &Phase,
        (network, sums): (&Network<G>, &Coherence),
        threads: usize,
    ) -> Option<&Records> {
        let uses = uses_records(plan, phase);
        if !uses {
            self.leave(network, sums, threads);
        } else if !self.ahead {
            self.records.fill(network, sums, threads);
            self.ahead = true;
        }
        uses.then_some(&self.records)
    }

    /// Copies what was learned to the network and its sums before something else changes them.
    pub(super) fn leave<G: Spec>(
        &mut self,
        network: &Network<G>,
        sums: &Coherence,
        threads: usize,
    ) {
        self.copy_to(network, sums, threads);
        self.ahead = false;
    }

    /// Copies what was learned to the network and its sums. Learning goes on in the records.
    pub(super) fn copy_to<G: Spec>(&self, network: &Network<G>, sums: &Coherence, threads: usize) {
        if self.ahead {
            self.records.copy_to(network, sums, threads);
        }
    }
}
