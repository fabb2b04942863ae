//! Exact solutions: known optima, and fast transition models against the reference implementation.

use afterstate_core::{Index, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::tenten::{BitTransitionModel, TenTen};
use afterstate_games::transition_model::Size;
use afterstate_games::twenty48::Twenty48;
use afterstate_games::{Real, RewardMixture, TransitionModel};
use afterstate_learn::solve::{
    Direct, ForwardError, Iterated, Layers, Limits, Settings, Survival, iterate, survive,
};

use crate::tenten;

/// Value iteration in double precision.
fn iterated(model: &(impl TransitionModel<f64> + ?Sized), settings: &Settings) -> Iterated<f64> {
    iterate(model, settings, |_| {})
}

fn settings(reward: RewardMixture, gamma: f64) -> Settings {
    Settings::new::<f64>(reward, gamma)
}

fn survival(game: &TenTen) -> Survival<f64> {
    let model = game.transition_model().unwrap();
    survive::<f64, _>(&*model, &Limits::of::<f64>(), |_| {})
}

#[test]
fn survival_optima_of_1010() {
    for (width, set, immortal, rounds) in [
        (3, "3", 186, None),
        (3, "7", 0, Some(69.83)),
        (4, "3", 36_783, None),
        (4, "7", 0, Some(27_601.4)),
    ] {
        let found = survival(&tenten(width, width, set));
        assert_eq!(found.immortal, immortal, "{width}x{width} with {set} pieces");
        assert_eq!(found.never_dies, rounds.is_none());
        assert_eq!(found.rounds.is_some(), rounds.is_some());
        if let (Some(found), Some(known)) = (found.rounds, rounds) {
            assert!((found / known - 1.0).abs() < 1e-4, "{found} rounds, {known} are known");
        }
    }
}

/// Equal sizes and equal values on all boards, for every reward and both kinds of sweep.
fn compare<T: Real + PartialEq + std::fmt::Debug>(game: &TenTen, fast: &dyn TransitionModel<T>) {
    let slow = Direct::new(game).unwrap();
    let slow: &dyn TransitionModel<T> = &slow;
    assert_eq!((fast.table_len(), fast.size()), (slow.table_len(), slow.size()));
    assert_eq!(fast.boards(), slow.boards());
    let mut rng = Rng::stream(5, 0);
    let table: Vec<T::Cell> = (0..fast.table_len())
        .map(|_| T::of(rng.unit().floor() + rng.below(64) as f64 / 64.0).cell())
        .collect();
    let boards = fast.boards();
    let (mut one, mut two) = (vec![T::ZERO; boards.len()], vec![T::ZERO; boards.len()]);
    fast.min_death_probability(boards, &table, &mut one);
    slow.min_death_probability(boards, &table, &mut two);
    assert_eq!(one, two);
    assert_eq!(fast.start_death_probability(&table), slow.start_death_probability(&table));
    for reward in ["r1", "r2", "r3", "score", "step", "0.5*score+2*lines+moves"] {
        let reward: RewardMixture = reward.parse().unwrap();
        let (mut by_one, mut by_two) = (vec![0; boards.len()], vec![0; boards.len()]);
        fast.bellman_backup(&reward, boards, &table, &mut one, Some(&mut by_one));
        slow.bellman_backup(&reward, boards, &table, &mut two, Some(&mut by_two));
        for (number, board) in boards.iter().enumerate() {
            let (a, b) = (one[number].get(), two[number].get());
            assert!((a - b).abs() <= 1e-5 * (1.0 + b.abs()), "{reward} on {board}: {a} and {b}");
        }
        fast.bellman_backup(&reward, boards, &table, &mut two, None);
        assert_eq!(one, two, "{reward}: recording moves changed values");
        for &board in boards.iter().step_by(97) {
            let of = |model: &dyn TransitionModel<T>| model.expected_moves(&reward, board).get();
            assert!((of(fast) - of(slow)).abs() < 1e-5 * (1.0 + of(slow)));
        }
    }
    for &board in boards {
        let of = |model: &dyn TransitionModel<T>| model.survival_probability(board).get();
        assert!((of(fast) - of(slow)).abs() < 1e-6);
    }
    let (here, there): (Vec<T::Cell>, Vec<T::Cell>) =
        (0..fast.table_len()).map(|_| (T::ZERO.cell(), T::ZERO.cell())).unzip();
    let values: Vec<T> = (0..boards.len()).map(|number| T::of(number as f64)).collect();
    fast.write_to_images(boards, &values, &here);
    slow.write_to_images(boards, &values, &there);
    assert!(here.iter().zip(&there).all(|(a, b)| T::load(a) == T::load(b)));
}

#[test]
fn the_fast_model_agrees_with_the_reference_on_all_boards() {
    for (width, height, set) in
        [(3, 3, "3"), (3, 3, "7"), (4, 4, "3"), (4, 4, "7"), (5, 3, "7"), (3, 5, "7")]
    {
        let game = tenten(width, height, set);
        let model = BitTransitionModel::of(&game).unwrap();
        compare::<f32>(&game, &model);
        compare::<f64>(&game, &model);
    }
}

#[test]
fn sizes_are_those_published() {
    let size = |game: &TenTen| TransitionModel::<f32>::size(&BitTransitionModel::of(game).unwrap());
    assert_eq!(size(&tenten(3, 3, "7")), Size { boards: 265, edges: 3_317 });
    assert_eq!(size(&tenten(4, 4, "7")), Size { boards: 41_503, edges: 892_064 });
    assert!(BitTransitionModel::of(&tenten(10, 10, "19")).is_none());
}

#[test]
fn the_value_of_2x2_2048_is_66_96415_by_both_solvers() {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let forward = Layers::reach(&game).unwrap().solve(&RewardMixture::SCORE, 1.0);
    assert!((forward.start - 66.96415).abs() < 5e-6, "{}", forward.start);
    let swept = iterated(&Direct::new(&game).unwrap(), &settings(RewardMixture::SCORE, 1.0));
    assert!((swept.start - forward.start).abs() < 1e-9, "{}", swept.start);
    for (index, value) in forward.indexed_values() {
        let after = game.after_at(index).unwrap();
        assert_eq!(forward.value(&after), Some(value));
        assert!((f64::load(&swept.after_values[index as usize]) - value).abs() < 1e-9);
    }
}

#[test]
fn games_that_return_have_no_layers() {
    let board = tenten(3, 3, "3");
    assert_eq!(Layers::reach(&board).err(), Some(ForwardError::Returns));
    assert_eq!(Layers::reach(&Twenty48::standard()).err(), Some(ForwardError::TooLarge));
}

#[test]
fn extrapolation_does_not_change_the_solution() {
    let game = tenten(3, 3, "7");
    let model = game.transition_model().unwrap();
    for (reward, gamma) in
        [(RewardMixture::STEP, 1.0), (RewardMixture::SCORE, 0.99), (RewardMixture::STEP, 0.5)]
    {
        let settings = Settings { policy: true, ..settings(reward, gamma) };
        let fast = iterated(&*model, &settings);
        // A far horizon disables extrapolation.
        let settings = Settings { horizon: Some(5_000), tolerance: 0.0, ..settings };
        let plain = iterated(&*model, &settings);
        assert!((fast.start / plain.start - 1.0).abs() < 1e-9, "{} {}", fast.start, plain.start);
        assert!(fast.last.sweep < plain.last.sweep && fast.gain.is_none(), "{reward}");
        assert_eq!(*fast.policy_changes.last().unwrap(), 0);
    }
    let longest = iterated(&*model, &settings(RewardMixture::STEP, 1.0));
    let rounds = survival(&game).rounds.unwrap();
    assert!((longest.start / rounds - 1.0).abs() < 1e-8, "{} and {rounds}", longest.start);
}

#[test]
fn an_endless_well_has_a_mean_reward() {
    struct Gain;
    impl Visitor for Gain {
        type Output = (f64, f64);
        fn visit<G: Spec>(self, game: &G) -> (f64, f64) {
            let model = Direct::new(game).unwrap();
            let settings =
                Settings { horizon: Some(10_000), ..settings(RewardMixture::SCORE, 1.0) };
            let found = iterated(&model, &settings);
            let short = Settings { horizon: Some(400), ..settings };
            let early = iterated(&model, &Settings { tolerance: 0.0, ..short });
            let guessed = iterated(&model, &short);
            assert!((early.start - guessed.start).abs() < 1e-5 * early.start.abs());
            (found.start, found.gain.unwrap())
        }
    }
    let spec: GameSpec = "tetris:4x2,melax".parse().unwrap();
    let (start, gain) = spec.with(Gain);
    assert!(start < 0.0 && (start / 10_000.0 - gain).abs() < 0.01, "{start} {gain}");
}
