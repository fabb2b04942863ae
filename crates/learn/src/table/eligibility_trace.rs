//! `EligibilityTrace`: replacing eligibility traces whose cost is that of the visits, not of the table.

/// No table index.
const NONE: u32 = u32::MAX;

/// The table indices visited last, each with its eligibility: 1 when it was visited, decaying with
/// every visit since. Indices with too small an eligibility are dropped.
#[derive(Clone, Debug)]
pub struct EligibilityTrace {
    /// The eligibility of an index by the number of visits since.
    eligibilities: Vec<f32>,
    /// The visited indices, as a ring buffer.
    ring: Vec<u32>,
    /// The position of the next visit.
    next: usize,
}

impl EligibilityTrace {
    /// Smaller eligibilities are dropped: their part of an error is below the noise.
    pub const MIN_ELIGIBILITY: f32 = 1e-3;

    /// An empty trace whose eligibilities are multiplied by `decay` per step.
    pub fn new(decay: f32) -> EligibilityTrace {
        let eligibilities =
            std::iter::successors(Some(1.0f32), |eligibility| Some(eligibility * decay));
        let eligibilities: Vec<f32> = eligibilities
            .take_while(|&eligibility| eligibility >= EligibilityTrace::MIN_ELIGIBILITY)
            .take(4_096)
            .collect();
        EligibilityTrace { ring: vec![NONE; eligibilities.len()], eligibilities, next: 0 }
    }

    /// Removes all visits.
    pub fn clear(&mut self) {
        self.ring.fill(NONE);
    }

    /// Visits an index: its eligibility becomes 1 (a replacing trace).
    #[inline]
    pub fn visit(&mut self, index: u32) {
        for visited in &mut self.ring {
            if *visited == index {
                *visited = NONE;
            }
        }
        self.ring[self.next] = index;
        self.next += 1;
        if self.next == self.ring.len() {
            self.next = 0;
        }
    }

    /// Every index with its eligibility, the last visited first.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(u32, f32)) {
        let (later, earlier) = self.ring.split_at(self.next);
        let (large, small) = self.eligibilities.split_at(self.next);
        // Two loops: one over a chain of both parts is slower.
        for (indices, eligibilities) in [(later, large), (earlier, small)] {
            for (&index, &eligibility) in indices.iter().rev().zip(eligibilities) {
                if index != NONE {
                    visit(index, eligibility);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use afterstate_core::Rng;

    use super::*;

    /// Against the reference implementation: one eligibility per table entry.
    #[test]
    fn a_trace_agrees_with_a_table_of_eligibilities() {
        for decay in [0.0, 0.3, 0.72, 0.99] {
            let (mut trace, mut all) = (EligibilityTrace::new(decay), vec![0.0f32; 40]);
            let mut rng = Rng::stream(1, 0);
            for step in 0..20_000 {
                if step % 1_000 == 999 {
                    trace.clear();
                    all.fill(0.0);
                }
                let index = rng.below(40);
                trace.visit(index as u32);
                all.iter_mut().for_each(|eligibility| *eligibility *= decay);
                all[index] = 1.0;
                let mut found = HashMap::new();
                trace.for_each(|index, eligibility| {
                    assert!(found.insert(index as usize, eligibility).is_none());
                });
                for (index, &eligibility) in all.iter().enumerate() {
                    let expected = if eligibility < EligibilityTrace::MIN_ELIGIBILITY {
                        0.0
                    } else {
                        eligibility
                    };
                    assert_eq!(found.get(&index).copied().unwrap_or(0.0), expected, "{step}");
                }
            }
        }
    }
}
