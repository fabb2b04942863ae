//! A batch of games beside games that are played one at a time.

use afterstate_core::Rng;
use afterstate_core::batch::StepOutcome;
use afterstate_engine::{GameBatch, open};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// Steps every game by its last legal action, beside games that are played one at a time.
struct AsOneByOne(Box<dyn GameBatch>, u64);

impl Visitor for AsOneByOne {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let AsOneByOne(mut batch, seed) = self;
        let count = batch.games();
        let mut rngs: Vec<Rng> = (0..count as u64).map(|i| Rng::stream(seed, i)).collect();
        let mut states: Vec<_> = rngs.iter_mut().map(|rng| game.start(rng)).collect();
        let mut mask = vec![false; count * batch.actions()];
        let mut cells = vec![0; count * batch.cells()];
        let (mut rewards, mut outcomes) = (vec![0.0; count], vec![StepOutcome::Illegal; count]);
        for _ in 0..200 {
            batch.legal_actions(&mut mask);
            let legal = mask.chunks(batch.actions());
            let last = legal.map(|legal| legal.iter().rposition(|&legal| legal).unwrap_or(0));
            let actions: Vec<u32> = last.map(|action| action as u32).collect();
            batch.step(&actions, &mut rewards, &mut outcomes);
            batch.write_cells(&mut cells);
            for (i, (state, rng)) in states.iter_mut().zip(&mut rngs).enumerate() {
                let step = game.play(state, game.action(actions[i] as usize)).unwrap();
                *state = game.sample(&step.after, rng);
                assert_eq!(rewards[i], step.reward);
                assert_eq!(batch.state_text(i), game.state_text(state));
                let cell = game.cell(&game.board_of(state), 1);
                assert_eq!(u32::from(cells[i * batch.cells() + 1]), cell);
                let terminal = game.count_moves(state) == 0;
                assert_eq!(outcomes[i] == StepOutcome::Terminal, terminal);
                if terminal {
                    batch.restart(i);
                    *state = game.start(rng);
                }
            }
        }
    }
}

#[test]
fn a_batch_plays_the_same_games_as_one_by_one() {
    for rules in ["2048:3x3", "tetris:6x8", "1010:5x5,pieces=7"] {
        let spec: GameSpec = rules.parse().unwrap();
        spec.with(AsOneByOne(open(&spec).batch(5, 7), 7));
    }
}
