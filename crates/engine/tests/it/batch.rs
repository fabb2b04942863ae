//! A batch of games beside games that are played one at a time.

use afterstate_core::Rng;
use afterstate_engine::{Afterstates, Autoreset, GameBatch, Observed, Stepped, open};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

use crate::counting_allocator::allocations;

/// Buffers of a batch.
#[derive(Clone)]
struct Buffers {
    rewards: Vec<f32>,
    flags: [Vec<bool>; 3],
    cells: Vec<u8>,
    pieces: Vec<u8>,
    legal: Vec<bool>,
    last: Option<Box<Buffers>>,
}

impl Buffers {
    fn of(batch: &dyn GameBatch) -> Buffers {
        let games = batch.games();
        Buffers {
            rewards: vec![-1.0; games],
            flags: [(); 3].map(|()| vec![true; games]),
            cells: vec![99; games * batch.cells()],
            pieces: vec![99; games * batch.piece_slots()],
            legal: vec![true; games * batch.actions()],
            last: None,
        }
    }

    fn observed(&mut self) -> Observed<'_> {
        Observed { cells: &mut self.cells, pieces: &mut self.pieces, legal: &mut self.legal }
    }

    fn step(&mut self, batch: &mut dyn GameBatch, actions: &[u32], autoreset: Autoreset) {
        let [terminated, truncated, illegal] = &mut self.flags;
        let observed =
            Observed { cells: &mut self.cells, pieces: &mut self.pieces, legal: &mut self.legal };
        let last = self.last.as_mut().map(|last| last.observed());
        let rewards = &mut self.rewards;
        let stepped = Stepped { rewards, terminated, truncated, illegal, observed, last };
        batch.step(actions, autoreset, stepped);
    }
}

/// Steps games by mostly legal actions, beside games that are played one at a time.
struct AsOneByOne(Box<dyn GameBatch>, u64);

impl Visitor for AsOneByOne {
    /// How many games were over, and how many actions were illegal.
    type Output = [u32; 2];

    fn visit<G: Spec>(self, game: &G) -> [u32; 2] {
        let AsOneByOne(mut batch, seed) = self;
        let (count, limit) = (batch.games(), game.limit().unwrap_or(u64::MAX));
        let mut rngs: Vec<Rng> = (0..count as u64).map(|i| Rng::stream(seed, i)).collect();
        let mut states: Vec<_> = rngs.iter_mut().map(|rng| game.start(rng)).collect();
        let (mut moves, mut over) = (vec![0; count], vec![false; count]);
        let mut scores = vec![0.0; count];
        let mut buffers = Buffers::of(&*batch);
        batch.observe(&mut buffers.observed());
        let (mut counts, mut afterstates) = ([0; 2], Afterstates::default());
        let mut chooser = Rng::stream(4, 0);
        for _ in 0..400 {
            batch.afterstates(&mut afterstates);
            let moves_of =
                |i: usize| afterstates.offsets[i] as usize..afterstates.offsets[i + 1] as usize;
            // Some of any number, also beyond the last.
            let mut choose = |i: usize| match (chooser.below(8), moves_of(i)) {
                (0, _) => chooser.below(game.actions() + 2) as u32,
                (1, _) if chooser.below(20) == 0 => u32::MAX,
                (_, own) if own.is_empty() => 0,
                (_, own) => afterstates.actions[own.start + chooser.below(own.len())],
            };
            let actions: Vec<u32> = (0..count).map(&mut choose).collect();
            buffers.step(&mut *batch, &actions, Autoreset::NextStep);
            for i in 0..count {
                let (state, rng) = (&mut states[i], &mut rngs[i]);
                let [terminated, truncated, illegal] = buffers.flags.each_ref().map(|all| all[i]);
                let (mut reward, action) = (0.0, actions[i] as usize);
                let mv = (action < game.actions()).then(|| game.action(action));
                let step = mv.and_then(|mv| game.play(state, mv).ok());
                assert_eq!(illegal, !over[i] && step.is_none());
                counts[1] += u32::from(illegal);
                if over[i] {
                    *state = game.start(rng);
                    (over[i], moves[i], scores[i]) = (false, 0, 0.0);
                    assert!(!terminated && !truncated);
                } else if let Some(step) = step {
                    let own = moves_of(i);
                    assert_eq!(own.len(), game.count_moves(state));
                    let at = own.start
                        + afterstates.actions[own].iter().position(|&a| a == actions[i]).unwrap();
                    assert_eq!(afterstates.rewards[at], step.reward);
                    let cells = &afterstates.cells[at * batch.cells()..][..batch.cells()];
                    assert!(
                        (0..cells.len()).all(|c| u32::from(cells[c]) == game.cell(&step.after, c))
                    );
                    *state = game.sample(&step.after, rng);
                    (reward, moves[i]) = (step.reward, moves[i] + 1);
                    scores[i] += f64::from(reward);
                    assert_eq!(terminated, game.count_moves(state) == 0);
                    assert_eq!(truncated, !terminated && moves[i] >= limit);
                    over[i] = terminated || truncated;
                    counts[0] += u32::from(over[i]);
                }
                assert_eq!(batch.generator(i), rng.to_bytes(), "an illegal action draws no number");
                assert_eq!(buffers.rewards[i], reward);
                assert_eq!(batch.state_text(i), game.state_text(state));
                assert_eq!((batch.moves(i), batch.is_over(i)), (moves[i], over[i]));
                assert_eq!(batch.score(i), scores[i]);
                let cells = &buffers.cells[i * batch.cells()..][..batch.cells()];
                let board = game.board_of(state);
                assert!((0..cells.len()).all(|c| u32::from(cells[c]) == game.cell(&board, c)));
                let mut pieces = vec![0; batch.piece_slots()];
                game.write_pieces(state, &mut pieces);
                assert_eq!(buffers.pieces[i * pieces.len()..][..pieces.len()], pieces);
                let legal = &buffers.legal[i * batch.actions()..][..batch.actions()];
                for (number, &legal) in legal.iter().enumerate() {
                    assert_eq!(legal, game.play(state, game.action(number)).is_ok());
                }
            }
        }
        counts
    }
}

#[test]
fn a_batch_plays_the_same_games_as_one_by_one() {
    let mut ends = 0;
    let small = ["2048:3x3", "tetris:6x8,next", "tetris:6x2,melax,limit=9", "1010:5x5,hand=3"];
    for (rules, threads) in GameSpec::documented()
        .map(|rules| (rules, 1))
        .chain(small.iter().flat_map(|&rules| [2, 3, 9].map(|threads| (rules, threads))))
    {
        let spec: GameSpec = rules.parse().unwrap();
        let mut batch = open(&spec).batch(5, 7);
        batch.set_threads(threads);
        let [own_ends, illegal] = spec.with(AsOneByOne(batch, 7));
        assert!(illegal > 0, "no illegal action of {rules} was tried");
        ends += own_ends;
    }
    assert!(ends > 100, "{ends} games were over");
}

#[test]
fn steps_and_observations_allocate_nothing() {
    for rules in GameSpec::documented() {
        let mut batch = open(&rules.parse().unwrap()).batch(16, 1);
        let mut buffers = Buffers::of(&*batch);
        let (count, mut actions) = (batch.actions(), [0; 16]);
        let before = allocations();
        for _ in 0..1_000 {
            batch.observe(&mut buffers.observed());
            for (action, legal) in actions.iter_mut().zip(buffers.legal.chunks(count)) {
                *action = legal.iter().position(|&legal| legal).unwrap_or(0) as u32;
            }
            buffers.step(&mut *batch, &actions, Autoreset::NextStep);
        }
        assert_eq!(allocations() - before, 0, "allocations in 1,000 steps of {rules}");
    }
    let before = allocations();
    drop(std::hint::black_box(vec![1]));
    assert_eq!(allocations() - before, 1);
}

#[test]
#[should_panic(expected = "one action per game")]
fn lengths_of_actions_must_match() {
    let mut batch = open(&"2048".parse().unwrap()).batch(2, 1);
    let mut buffers = Buffers::of(&*batch);
    buffers.step(&mut *batch, &[0], Autoreset::NextStep);
}

#[test]
#[should_panic(expected = "one element per game")]
fn lengths_of_buffers_must_match() {
    let mut batch = open(&"2048".parse().unwrap()).batch(2, 1);
    let mut buffers = Buffers::of(&*batch);
    buffers.cells.pop();
    buffers.step(&mut *batch, &[0, 0], Autoreset::NextStep);
}

fn first_legal(buffers: &Buffers, actions: usize) -> Vec<u32> {
    let legal = buffers.legal.chunks(actions);
    legal.map(|legal| legal.iter().position(|&legal| legal).unwrap_or(0) as u32).collect()
}

#[test]
fn a_game_that_is_over_starts_again_in_the_same_step_if_asked() {
    let mut batch = open(&"2048:2x2".parse().unwrap()).batch(3, 1);
    batch.set_threads(2);
    let mut buffers = Buffers::of(&*batch);
    buffers.last = Some(Box::new(buffers.clone()));
    batch.observe(&mut buffers.observed());
    let mut ends = 0;
    for _ in 0..300 {
        let actions = first_legal(&buffers, 4);
        buffers.step(&mut *batch, &actions, Autoreset::SameStep);
        for (i, _) in buffers.flags[0].iter().enumerate().filter(|(_, ended)| **ended) {
            ends += 1;
            assert_eq!((batch.moves(i), batch.is_over(i)), (0, false));
            let last = buffers.last.as_ref().unwrap();
            assert!(last.legal[i * 4..][..4].iter().all(|legal| !legal));
            assert!(last.cells[i * 4..][..4].iter().all(|&cell| cell > 0), "a full board");
            assert!(buffers.legal[i * 4..][..4].iter().any(|&legal| legal));
        }
    }
    assert!(ends > 10);
}

#[test]
fn without_autoreset_a_game_that_is_over_stays_so_and_illegal_actions_change_nothing() {
    let mut batch = open(&"2048:2x2".parse().unwrap()).batch(1, 1);
    let mut buffers = Buffers::of(&*batch);
    batch.set_state(0, "2 4|. .").unwrap();
    let before = (batch.state_text(0), batch.generator(0));
    // Up is illegal here, and so is what is no action.
    for action in [0, 4, u32::MAX] {
        buffers.step(&mut *batch, &[action], Autoreset::Disabled);
        assert_eq!((batch.state_text(0), batch.generator(0)), before);
        assert_eq!((buffers.rewards[0], buffers.flags[2][0]), (0.0, true));
    }
    batch.set_state(0, "2 4|8 16").unwrap();
    assert!(batch.is_over(0));
    for action in 0..4 {
        buffers.step(&mut *batch, &[action], Autoreset::Disabled);
        assert_eq!(buffers.flags, [[false], [false], [true]].map(Vec::from));
    }
    assert!(batch.set_state(0, "3 4|8 16").is_err());
}

#[test]
fn a_copy_of_state_and_generator_goes_on_alike() {
    let engine = open(&"tetris:6x8,limit=20".parse().unwrap());
    let (mut one, mut other) = (engine.batch(1, 1), engine.batch(1, 99));
    let (mut buffers, mut others) = (Buffers::of(&*one), Buffers::of(&*other));
    one.observe(&mut buffers.observed());
    for _ in 0..10 {
        let actions = first_legal(&buffers, one.actions());
        buffers.step(&mut *one, &actions, Autoreset::NextStep);
    }
    other.set_state(0, &one.state_text(0)).unwrap();
    other.set_generator(0, one.generator(0), one.score(0), one.moves(0));
    other.observe(&mut others.observed());
    for _ in 0..30 {
        let actions = first_legal(&buffers, one.actions());
        buffers.step(&mut *one, &actions, Autoreset::NextStep);
        others.step(&mut *other, &actions, Autoreset::NextStep);
        assert_eq!(one.state_text(0), other.state_text(0));
        assert_eq!(one.score(0), other.score(0));
        assert_eq!(buffers.flags, others.flags);
    }
}
