//! `Trace`: replacing eligibility traces that cost what was visited, not what the table holds.

/// No entry.
const NONE: u32 = u32::MAX;

/// The entries that were visited last, each with its eligibility: one when it was visited, and a
/// part less with every visit since. StateAggregation whose eligibility has become too small are forgotten.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The eligibility of an entry by how long ago it was visited.
    shares: Vec<f32>,
    /// The visited entries, as a ring.
    ring: Vec<u32>,
    /// Where the next one goes.
    next: usize,
}

impl Trace {
    /// Eligibilities below this are left out: their part of an error is below the noise.
    pub const SMALLEST: f32 = 1e-3;

    /// An empty trace in which every step leaves `decay` of an eligibility.
    pub fn new(decay: f32) -> Trace {
        let shares = std::iter::successors(Some(1.0f32), |share| Some(share * decay));
        let shares: Vec<f32> =
            shares.take_while(|&share| share >= Trace::SMALLEST).take(4_096).collect();
        Trace { ring: vec![NONE; shares.len()], shares, next: 0 }
    }

    /// Forgets all visits.
    pub fn clear(&mut self) {
        self.ring.fill(NONE);
    }

    /// Visits an entry: its eligibility is one again, whatever it was.
    #[inline]
    pub fn visit(&mut self, entry: u32) {
        for visited in &mut self.ring {
            if *visited == entry {
                *visited = NONE;
            }
        }
        self.ring[self.next] = entry;
        self.next += 1;
        if self.next == self.ring.len() {
            self.next = 0;
        }
    }

    /// Every entry with its eligibility, the last visited first.
    #[inline]
    pub fn for_each(&self, mut give: impl FnMut(u32, f32)) {
        let (later, earlier) = self.ring.split_at(self.next);
        let newest_first = later.iter().rev().chain(earlier.iter().rev());
        for (&entry, &share) in newest_first.zip(&self.shares) {
            if entry != NONE {
                give(entry, share);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use afterstate_core::Rng;

    use super::*;

    /// The slow twin: an eligibility for every entry of the table.
    #[test]
    fn a_trace_is_what_a_whole_table_of_eligibilities_is() {
        for decay in [0.0, 0.3, 0.72, 0.99] {
            let (mut trace, mut all) = (Trace::new(decay), vec![0.0f32; 40]);
            let mut rng = Rng::stream(1, 0);
            for step in 0..20_000 {
                if step % 1_000 == 999 {
                    trace.clear();
                    all.fill(0.0);
                }
                let entry = rng.below(40);
                trace.visit(entry as u32);
                all.iter_mut().for_each(|share| *share *= decay);
                all[entry] = 1.0;
                let mut met = HashMap::new();
                trace.for_each(|entry, share| assert!(met.insert(entry as usize, share).is_none()));
                for (entry, &share) in all.iter().enumerate() {
                    let expected = if share < Trace::SMALLEST { 0.0 } else { share };
                    assert_eq!(met.get(&entry).copied().unwrap_or(0.0), expected, "{step}");
                }
            }
        }
    }
}
