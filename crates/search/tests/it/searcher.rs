//! Time limits, hands, beams and downgraded boards.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::random::{network, states};
use afterstate_core::{Game, Policy, Rng, Text};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::Twenty48;
use afterstate_search::{Clock, Ranking, Search, Searcher};
use afterstate_values::{Network, NetworkEvaluator};

fn searcher<'a, G: Spec>(network: &'a Network<G>, search: &str) -> Searcher<'a, G> {
    Searcher::new(NetworkEvaluator::new(network), search.parse::<Search>().unwrap())
}

/// A search by [`Ticks`], and how many it took.
fn timed<G: Spec>(
    network: &Network<G>,
    search: &str,
    game: &G,
    state: &G::State,
) -> (Ranking<G>, u64) {
    let ticks = Ticks(AtomicU64::new(0));
    let ranking = searcher(network, search).search(game, state, &ticks).clone();
    (ranking, ticks.0.load(Ordering::Relaxed))
}

/// A clock that advances by one microsecond whenever it is read.
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

struct InTime;

impl Visitor for InTime {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let network = network(game, 1);
        let mut deepest = 0;
        for state in states(game, 4, 1) {
            for (method, time) in [("expectimax", 1), ("expectimax", 8), ("minimax", 4)] {
                let (found, used) = timed(&network, &format!("{method}:{time}ms"), game, &state);
                assert!(used <= 1_050 * time, "{method}:{time}ms took {used} ticks");
                // The result is that of the last complete depth.
                let mut fixed = searcher(&network, &format!("{method}:{}", found.plies));
                let chosen = found.best.map(|best| found.moves[best].0);
                let expected = fixed.choose(game, &state, &mut Rng::stream(0, 0));
                assert_eq!(chosen, expected, "{method}:{time}ms: {state:?}");
                deepest = deepest.max(found.plies);
            }
        }
        assert!(deepest >= 3, "{deepest} plies");
    }
}

struct Within;

impl Visitor for Within {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let network = network(game, 1);
        let searched = |text: &str, state: &G::State| timed(&network, text, game, state);
        let mut stopped_early = false;
        for state in states(game, 4, 1) {
            for method in ["expectimax", "minimax"] {
                let (unlimited, _) = searched(&format!("{method}:3"), &state);
                let (ample, _) = searched(&format!("{method}:3,within=3600000ms"), &state);
                assert_eq!(
                    (unlimited.best, unlimited.plies),
                    (ample.best, ample.plies),
                    "{state:?}"
                );
                let (short, used) = searched(&format!("{method}:9,within=1ms"), &state);
                assert!(used <= 1_050, "{method} took {used} ticks");
                stopped_early |= short.plies < 9;
            }
        }
        assert!(stopped_early, "no search was stopped");
    }
}

#[test]
fn a_depth_within_a_time_is_reached_or_stopped() {
    for spec in ["2048:3x3", "tetris:4x8,pieces=melax", "1010:4x4,pieces=3"] {
        spec.parse::<GameSpec>().unwrap().with(Within);
    }
}

#[test]
fn a_time_limit_is_kept_and_the_result_is_that_of_a_fixed_depth() {
    for spec in ["2048:3x3", "tetris:4x8,pieces=melax", "1010:4x4,pieces=3"] {
        spec.parse::<GameSpec>().unwrap().with(InTime);
    }
}

struct Hands;

impl Visitor for Hands {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let network = network(game, 1);
        let searcher = |text: &str| searcher(&network, text);
        let (mut hand, mut wide) =
            (searcher("expectimax:hand"), searcher("expectimax:hand,beam=9999"));
        let mut narrow = searcher("expectimax:hand,beam=2");
        let mut smaller = 0;
        for state in states(game, 30, 2) {
            let known = game.known_moves(&state);
            let exact = searcher(&format!("expectimax:{known}")).rank(game, &state).clone();
            assert_eq!(wide.rank(game, &state).moves, exact.moves);
            let found = hand.rank(game, &state).clone();
            assert_eq!(found.moves, exact.moves, "few lines need no beam");
            // A beam never overestimates.
            let beam = narrow.rank(game, &state).clone();
            for ((_, low), (_, high)) in beam.moves.iter().zip(&exact.moves) {
                assert!(low <= high, "{low} of {high}");
                smaller += u32::from(low < high);
            }
            // A search for the best move keeps the two best at the root, with the values of a
            // ranking.
            let mut greedy = searcher("greedy").rank(game, &state).moves.clone();
            let chosen = narrow.search(game, &state, &Instant::now()).clone();
            let followed: Vec<_> =
                chosen.moves.iter().zip(&beam.moves).filter(|(own, _)| own.1.is_finite()).collect();
            if known > 1 {
                greedy.sort_by(|a, b| b.1.total_cmp(&a.1));
                greedy.truncate(2);
                assert_eq!(followed.len(), greedy.len());
                assert!(
                    greedy.iter().all(|(best, _)| followed.iter().any(|(own, _)| own.0 == *best))
                );
            }
            assert!(followed.iter().all(|(own, ranked)| own.1 == ranked.1));
            let largest = followed.iter().map(|(own, _)| own.1).fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(chosen.best.map(|best| chosen.moves[best].1), Some(largest));
        }
        assert!(smaller > 0, "a beam leaves something out");
    }
}

#[test]
fn the_whole_hand_is_searched_in_any_order() {
    "1010:4x4,pieces=3,hand=3".parse::<GameSpec>().unwrap().with(Hands);
}

#[test]
fn two_pieces_of_tetris_are_known_with_a_preview() {
    struct TwoPieces;
    impl Visitor for TwoPieces {
        type Output = ();
        fn visit<G: Spec>(self, game: &G) {
            let network = network(game, 1);
            let mut searcher = searcher(&network, "expectimax:hand");
            for state in states(game, 30, 2) {
                let ranking = searcher.rank(game, &state).clone();
                if ranking.best.is_none() {
                    continue;
                }
                assert_eq!(ranking.plies, 2);
                // One state per move: later pieces play no part.
                assert_eq!(ranking.nodes, 1 + ranking.moves.len() as u64);
            }
        }
    }
    "tetris:6x8,next".parse::<GameSpec>().unwrap().with(TwoPieces);
}

#[test]
fn boards_with_large_tiles_are_downgraded() {
    let game = Twenty48::standard();
    let board = |rows: &str| game.parse_state(&format!("{rows}|. . . .|. . . .")).unwrap();
    for (from, tile, to) in [
        ("32768 16384 8192 4096|2 4 2 4", 32_768, "16384 8192 4096 2048|2 4 2 4"),
        ("32768 16384 2048 2|. . . .", 32_768, "16384 8192 2048 2|. . . ."),
        ("32768 2 . .|. . . .", 1_024, "512 2 . .|. . . ."),
        ("65536 65536 32768 2|. . . .", 65_536, "32768 32768 16384 2|. . . ."),
        ("8 4 2 2|. . . .", 8, "8 4 2 2|. . . ."),
        ("512 2 . .|. . . .", 1_024, "512 2 . .|. . . ."),
    ] {
        assert_eq!(game.downgraded(&board(from), tile), board(to), "{from}");
    }
    // The same moves are legal, and the move is made on the real board.
    let network = network(&game, 1);
    let mut rng = Rng::stream(0, 0);
    let mut downgrading = searcher(&network, "expectimax:2,downgrade=16");
    let mut other = searcher(&network, "expectimax:2");
    let mut lowered = 0;
    for state in states(&game, 200, 1) {
        let small = game.downgraded(&state, 16);
        lowered += u32::from(small != state);
        assert_eq!(game.count_moves(&small), game.count_moves(&state));
        let chosen = downgrading.choose(&game, &state, &mut rng);
        let expected = other.choose(&game, &small, &mut rng);
        assert_eq!(chosen.map(|c| c.0), expected.map(|c| c.0));
        assert_eq!(chosen, chosen.map(|(mv, _)| (mv, game.play(&state, mv).unwrap())));
    }
    assert!(lowered > 50, "{lowered}");
}

/// Threads share the chance outcomes of a position, in whatever order.
#[test]
fn several_threads_find_the_values_of_one_whatever_the_search() {
    let game = Twenty48::new(3, 3, 0.1).unwrap();
    let network = network(&game, 1);
    for text in ["expectimax:3", "expectimax:4,probability=0.01", "expectimax:3,beam=2"] {
        let search: Search = text.parse().unwrap();
        let evaluator = || NetworkEvaluator::new(&network);
        let mut one = Searcher::new(evaluator(), search);
        let mut alone = Searcher::new(evaluator(), search).without_table().on_threads(3);
        let mut rng = Rng::stream(1, 0);
        for state in states(&game, 20, 8) {
            // A new searcher: one whose last search was short uses one thread.
            let mut many = Searcher::new(evaluator(), search).on_threads(3);
            let expected = one.choose(&game, &state, &mut rng);
            assert_eq!(many.choose(&game, &state, &mut rng), expected, "{text}: {state:?}");
            assert_eq!(alone.choose(&game, &state, &mut rng), expected, "{text}: {state:?}");
            let expected = one.rank(&game, &state).moves.clone();
            assert_eq!(many.rank(&game, &state).moves, expected, "{text}: {state:?}");
        }
    }
}
