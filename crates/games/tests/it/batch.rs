//! Batches equal, bit by bit, the games stepped one at a time, under all documented rules.

use afterstate_core::batch::{afterstates_batch, legal_actions_batch, start_batch, step_batch};
use afterstate_core::{Rng, StepOutcome};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::Twenty48;

const GAMES: usize = 17;
const STEPS: usize = 400;

struct Compare;

impl Visitor for Compare {
    /// How many steps were terminal, and how many illegal.
    type Output = [usize; 2];

    fn visit<G: Spec>(self, game: &G) -> [usize; 2] {
        let mut rngs: Vec<Rng> = (0..GAMES as u64).map(|n| Rng::stream(3, n)).collect();
        let mut expected_rngs = rngs.clone();
        let mut expected: Vec<G::State> =
            expected_rngs.iter_mut().map(|rng| game.start(rng)).collect();
        let mut states = expected.iter().rev().copied().collect::<Vec<_>>();
        start_batch(game, &mut rngs, &mut states);
        assert_eq!(states, expected);
        let mut chooser = Rng::stream(4, 0);
        let (mut rewards, mut outcomes) = ([0.0; GAMES], [StepOutcome::default(); GAMES]);
        let mut offsets = [0; GAMES + 1];
        let (mut listed, mut afters, mut listed_rewards) = (Vec::new(), Vec::new(), Vec::new());
        let mut mask = vec![true; GAMES * game.actions()];
        let mut counts = [0; 2];
        for _ in 0..STEPS {
            afterstates_batch(
                game,
                &states,
                &mut offsets,
                &mut listed,
                &mut afters,
                &mut listed_rewards,
            );
            legal_actions_batch(game, &states, &mut mask);
            let mut actions = [0; GAMES];
            for (i, (state, action)) in expected.iter().zip(&mut actions).enumerate() {
                let range = offsets[i] as usize..offsets[i + 1] as usize;
                let mut moves = range.clone();
                game.for_each_move(state, |mv, step| {
                    let listed_move = moves.next().unwrap();
                    assert_eq!(listed[listed_move] as usize, game.action_number(mv));
                    assert_eq!(afters[listed_move], step.after);
                    assert_eq!(listed_rewards[listed_move].to_bits(), step.reward.to_bits());
                });
                assert_eq!(moves.next(), None);
                let own_mask = &mask[i * game.actions()..(i + 1) * game.actions()];
                for (number, &legal) in own_mask.iter().enumerate() {
                    assert_eq!(legal, game.play(state, game.action(number)).is_ok());
                }
                // Mostly legal actions; some of any number, also beyond the last.
                *action = match chooser.below(8) {
                    0 => chooser.below(game.actions() + 2) as u32,
                    1 if chooser.below(20) == 0 => u32::MAX,
                    _ if range.is_empty() => 0,
                    _ => listed[range.start + chooser.below(range.len())],
                };
            }
            step_batch(game, &mut states, &actions, &mut rngs, &mut rewards, &mut outcomes);
            for i in 0..GAMES {
                let action = actions[i] as usize;
                let legal = (action < game.actions()).then(|| game.action(action));
                let step = legal.and_then(|mv| game.play(&expected[i], mv).ok());
                let (reward, outcome) = match step {
                    None => (0.0, StepOutcome::Illegal),
                    Some(step) => {
                        expected[i] = game.sample(&step.after, &mut expected_rngs[i]);
                        match game.count_moves(&expected[i]) {
                            0 => (step.reward, StepOutcome::Terminal),
                            _ => (step.reward, StepOutcome::Continuing),
                        }
                    }
                };
                assert_eq!(rewards[i].to_bits(), reward.to_bits());
                assert_eq!((states[i], outcomes[i]), (expected[i], outcome));
                counts[0] += usize::from(outcome == StepOutcome::Terminal);
                counts[1] += usize::from(outcome == StepOutcome::Illegal);
                // Some games restart, others stay in their terminal state.
                if outcome == StepOutcome::Terminal && i % 4 != 0 {
                    expected[i] = game.start(&mut expected_rngs[i]);
                    start_batch(game, &mut rngs[i..=i], &mut states[i..=i]);
                }
            }
            assert_eq!(rngs, expected_rngs, "an illegal action draws no random number");
        }
        counts
    }
}

#[test]
fn batches_equal_single_games() {
    let mut total = [0; 2];
    for text in GameSpec::documented() {
        let counts = text.parse::<GameSpec>().unwrap().with(Compare);
        assert!(counts[1] > 0, "no illegal action of {text} was tried");
        total = [total[0] + counts[0], total[1] + counts[1]];
    }
    assert!(total[0] > 100, "{} terminal states were reached", total[0]);
}

#[test]
#[should_panic(expected = "step_batch needs one action per state")]
fn lengths_must_match() {
    let game = Twenty48::standard();
    let mut rngs = [Rng::stream(1, 0)];
    let mut states = [Default::default()];
    start_batch(&game, &mut rngs, &mut states);
    step_batch(&game, &mut states, &[], &mut rngs, &mut [0.0], &mut [StepOutcome::Illegal]);
}
