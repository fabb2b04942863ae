//! Temporal coherence with weights and sums in records learns what it learns with two tables.

use afterstate_core::{Game, Rng};
use afterstate_games::Tuples;
use afterstate_games::twenty48::Twenty48;
use afterstate_learn::{Coherence, RecordTc, Records, Tc, TdLearner, Update};
use afterstate_values::values::TrainableValues;
use afterstate_values::{Network, Values};

use crate::bits;

/// With eligibility traces, a rate of 1 diverges.
const RATE: f32 = 0.5;

struct Setting {
    at_once: usize,
    lambda: f32,
    backwards: bool,
}

/// The games of some numbers: their scores in the order in which they end.
fn play<U: Update, V: TrainableValues<Twenty48>>(
    setting: &Setting,
    game: &Twenty48,
    learned: (&V, U),
    mut numbers: std::ops::Range<u64>,
) -> Vec<(u64, f64)> {
    let (values, update) = learned;
    let mut learner = TdLearner::new(game, values, update, setting.lambda);
    if setting.backwards {
        learner = learner.backwards();
    }
    let next = |_: &mut U| {
        let number = numbers.next()?;
        let mut rng = Rng::stream(5, number);
        Some((number, game.start(&mut rng), rng))
    };
    let mut found = Vec::new();
    learner.episodes(setting.at_once, next, |number, played| found.push((number, played.score)));
    found
}

#[test]
fn records_learn_what_two_tables_learn() {
    let game = Twenty48::new(3, 3, 0.1).unwrap();
    let tuples = || Tuples::new(&game, &[vec![0, 1, 3, 4], vec![3, 4, 5]]).unwrap();
    let count = tuples().weights();
    for (at_once, lambda, backwards) in
        [(1, 0.0, false), (2, 0.0, false), (3, 0.0, false), (2, 0.5, false), (2, 0.0, true)]
    {
        let setting = Setting { at_once, lambda, backwards };
        let [network, copied] = [(); 2].map(|()| Network::new(&game, tuples(), 5.0).unwrap());
        let [coherence, sums] = [(); 2].map(|()| Coherence::new(count).unwrap());
        let tc = || Tc { rate: RATE, coherence: &coherence };
        // The first games are learned by both in two tables, so that there is something to copy.
        let both = |numbers: std::ops::Range<u64>| {
            let other = Tc { rate: RATE, coherence: &sums };
            play(&setting, &game, (&network, tc()), numbers.clone());
            play(&setting, &game, (&copied, other), numbers);
        };
        both(0..50);
        let records = Records::new(&copied).unwrap().unwrap();
        records.fill(&copied, &sums, 2);
        let values = records.values(&copied);
        let after = game.start(&mut Rng::stream(1, 0)).with(0, 0, 3);
        assert_eq!(values.value(&game, &after), network.value(&game, &after));
        let found =
            play(&setting, &game, (&values, RecordTc { rate: RATE, records: &records }), 50..1_500);
        let before = bits(copied.weights());
        records.copy_to(&copied, &sums, 3);
        let expected = play(&setting, &game, (&network, tc()), 50..1_500);
        assert_eq!(found, expected, "{at_once} at once, lambda {lambda}, {backwards}");
        assert_ne!(bits(copied.weights()), before);
        assert_eq!(bits(copied.weights()), bits(network.weights()));
        let words = |sums: &Coherence| -> Vec<u32> { bits(sums.memory().words()) };
        assert_eq!(words(&sums), words(&coherence));
    }
}

#[test]
fn a_network_with_stages_has_no_records() {
    let game = Twenty48::new(3, 3, 0.1).unwrap();
    let tuples = Tuples::new(&game, &[vec![0, 1]]).unwrap().with_stages(vec![40]).unwrap();
    assert!(Records::new(&Network::new(&game, tuples, 0.0).unwrap()).is_none());
}
