//! Values of the boards after chance outcomes, for values of states: an outcome changes few features,
//! and the weights of the others are added once for all outcomes of an afterstate. Sums are added in
//! another order than those of a single board, and so may differ from them in their last bits.

use std::sync::atomic::AtomicU32;

use afterstate_core::processor::has_avx512;
use afterstate_games::Cells;
use afterstate_games::outcomes::{OutcomeIndices, PLACES, Unchanged};

use crate::weights::{check_below, load, sum_of_few};
use crate::{Network, Scratch, Values};

/// Boards whose weights are prefetched before the first is summed.
const CHUNK: usize = 16;

/// Memory that one thread reuses.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutcomeScratch {
    list: OutcomeIndices,
    /// For each afterstate and place the sum of the weights that an outcome there leaves unchanged.
    unchanged: Vec<[f32; PLACES]>,
}

/// The reference implementation of [`Values::outcome_values`]: every board by itself.
pub(crate) fn reference_outcome_values<G: Cells>(
    network: &impl Values<G>,
    game: &G,
    afters: &[G::After],
    scratch: &mut Scratch,
    values: &mut Vec<f32>,
) {
    let features = network.active_features();
    let indices = &mut scratch.indices;
    indices.resize(CHUNK * features, 0);
    values.clear();
    let mut waiting = 0;
    for after in afters {
        game.for_each_chance(after, |next, _| {
            let own = &mut indices[waiting * features..(waiting + 1) * features];
            network.indices(game, &game.board_of(&next), own);
            network.prefetch(own);
            waiting += 1;
            if waiting == CHUNK {
                values.extend(indices.chunks_exact(features).map(|own| network.sum(own)));
                waiting = 0;
            }
        });
    }
    let last = indices.chunks_exact(features).take(waiting);
    values.extend(last.map(|own| network.sum(own)));
}

/// [`Values::outcome_values`] of a network.
pub(crate) fn outcome_values<G: Cells>(
    network: &Network<G>,
    game: &G,
    afters: &[G::After],
    scratch: &mut Scratch,
    values: &mut Vec<f32>,
) {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    if has_avx512() {
        // SAFETY: these CPU features have been detected.
        #[allow(unsafe_code)]
        return unsafe { outcome_values_avx512(network, game, afters, scratch, values) };
    }
    outcome_values_baseline(network, game, afters, scratch, values);
}

/// The same code, compiled for AVX-512.
#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
fn outcome_values_avx512<G: Cells>(
    network: &Network<G>,
    game: &G,
    afters: &[G::After],
    scratch: &mut Scratch,
    values: &mut Vec<f32>,
) {
    outcome_values_baseline(network, game, afters, scratch, values);
}

#[inline(always)]
fn outcome_values_baseline<G: Cells>(
    network: &Network<G>,
    game: &G,
    afters: &[G::After],
    scratch: &mut Scratch,
    values: &mut Vec<f32>,
) {
    let OutcomeScratch { list, unchanged } = &mut scratch.outcomes;
    list.clear();
    let mut rows = None;
    if !network.is_staged() {
        for after in afters {
            let prefetch = |indices: &[u32]| network.prefetch(indices);
            rows = game.add_outcomes(network.compiled(), after, list, prefetch);
        }
    }
    let Some(rows) = rows else {
        return reference_outcome_values(network, game, afters, scratch, values);
    };
    let words = network.weights();
    unchanged.clear();
    for indices in list.afters.chunks_exact(rows.len()) {
        unchanged.push(sum_unchanged(rows, words, indices));
    }
    check_below(&list.changed, words.len());
    values.clear();
    for outcome in &list.outcomes {
        // SAFETY: all indices have been compared with the number of words.
        #[allow(unsafe_code)]
        let changed = unsafe { sum_of_few(words, list.changed_by(outcome)) };
        values.push(unchanged[outcome.after as usize][outcome.place as usize % PLACES] + changed);
    }
}

/// For each place the sum of the weights that an outcome there leaves unchanged.
#[inline(always)]
fn sum_unchanged(rows: &Unchanged, words: &[AtomicU32], indices: &[u32]) -> [f32; PLACES] {
    // Two partial sums hide the latency of the additions.
    let (mut even, mut odd) = ([0.0; PLACES], [0.0; PLACES]);
    let (rows, last_row) = rows.as_chunks::<2>();
    let (indices, last_index) = indices.as_chunks::<2>();
    for (rows, indices) in rows.iter().zip(indices) {
        add(&mut even, &rows[0], load(&words[indices[0] as usize]));
        add(&mut odd, &rows[1], load(&words[indices[1] as usize]));
    }
    for (row, &index) in last_row.iter().zip(last_index) {
        add(&mut even, row, load(&words[index as usize]));
    }
    add(&mut even, &odd, 1.0);
    even
}

#[inline(always)]
fn add(sums: &mut [f32; PLACES], row: &[f32; PLACES], weight: f32) {
    for place in 0..PLACES {
        sums[place] += weight * row[place];
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::Rng;
    use afterstate_games::Tuples;
    use afterstate_games::spec::{GameSpec, Spec, Visitor};

    use super::*;
    use crate::AnyNetwork;
    use crate::test_networks::{both, random_afterstates, random_network};
    use crate::weights::store;

    /// A network whose weights are whole numbers: their sums are exact in any order.
    fn whole_network<G: Spec>(game: &G, tuples: &[Vec<usize>]) -> Network<G> {
        let network = Network::new(game, Tuples::new(game, tuples).unwrap(), 0.0).unwrap();
        let mut rng = Rng::stream(3, 0);
        network.weights().iter().for_each(|word| store(word, rng.below(2_001) as f32 - 1_000.0));
        network
    }

    fn bits(values: &[f32]) -> Vec<u32> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    struct AfterChance;

    impl AfterChance {
        fn check<G: Spec>(game: &G, network: &impl Values<G>, afters: &[G::After], exact: bool) {
            let (mut scratch, mut other) = (Scratch::default(), Scratch::default());
            let (mut found, mut expected, mut outcomes) = (Vec::new(), Vec::new(), 0);
            for afters in afters.chunks(4) {
                network.outcome_values(game, afters, &mut scratch, &mut found);
                reference_outcome_values(network, game, afters, &mut other, &mut expected);
                assert_eq!(found.len(), expected.len());
                outcomes += found.len();
                for (&found, &expected) in found.iter().zip(&expected) {
                    // Random weights have up to 5,000, and 40 of them are added.
                    let far = (found - expected).abs() > if exact { 0.0 } else { 0.1 };
                    assert!(!far, "{found} and {expected} in {}", game.spec());
                }
            }
            assert!(outcomes > afters.len() / 2);
            network.outcome_values(game, &[], &mut scratch, &mut found);
            assert!(found.is_empty());
        }
    }

    impl Visitor for AfterChance {
        type Output = ();

        fn visit<G: Spec>(self, game: &G) {
            let afters = random_afterstates(game, 20_000, 1);
            let tuples = [vec![0], vec![1, 2, 3], vec![2, 3], (0..4).collect()];
            let whole = whole_network(game, &tuples);
            AfterChance::check(game, &whole, &afters, true);
            let staged = whole.tuples().clone().with_stages(vec![20, 60]).unwrap();
            AfterChance::check(game, &Network::new(game, staged, 3.0).unwrap(), &afters, true);
            for network in both(random_network(game, &tuples, 1)) {
                let exact = matches!(network, AnyNetwork::Quantized(_));
                AfterChance::check(game, &network, &afters, exact);
            }
        }
    }

    #[test]
    fn values_after_chance_are_those_of_each_board() {
        for spec in ["2048:4x4", "2048:3x4", "2048:3x3", "2048:2x2", "tetris:10x20", "1010:10x10"] {
            spec.parse::<GameSpec>().unwrap().with(AfterChance);
        }
    }

    /// Whatever the compiler makes of it.
    #[test]
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    fn sums_compiled_for_avx512_are_those_of_the_baseline() {
        let game = afterstate_games::twenty48::Twenty48::standard();
        let network = random_network(&game, &[vec![0, 1, 2, 3], vec![2, 5, 6], vec![9]], 1);
        let afters = random_afterstates(&game, 100_000, 1);
        let (mut scratch, mut found, mut expected) = (Scratch::default(), Vec::new(), Vec::new());
        for afters in afters.chunks(3) {
            network.outcome_values(&game, afters, &mut scratch, &mut found);
            outcome_values_baseline(&network, &game, afters, &mut scratch, &mut expected);
            assert_eq!(bits(&found), bits(&expected));
        }
    }
}
