//! Tests of sessions that are longer than their record.

use afterstate_agents::Agent;
use afterstate_games::tetris::Tetris;

use super::*;

/// A game that is longer than its record continues, without a replay and without its start.
#[test]
fn a_game_may_be_longer_than_its_record() {
    let game = Tetris::standard();
    let mut session = TypedSession::new(&game, 1, None).recording(1_500);
    let agent = LoadedAgent::load(&"dt-10".parse::<Agent>().unwrap(), &game).unwrap();
    session.play_by(&agent, &Search::GREEDY, 1_500).unwrap();
    assert!(session.replay().is_some() && session.go_to(10) && session.go_to(1_500));
    session.play_by(&agent, &Search::GREEDY, 500).unwrap();
    assert_eq!(session.moves(), 2_000);
    assert!(session.replay().is_none() && !session.go_to(0) && session.moves() == 2_000);
    let late = session.view();
    for _ in 0..KEPT {
        assert!(session.undo());
    }
    // Back among the recorded moves, every position can be recovered.
    assert!(session.moves() == 1_000 && session.undo() && session.replay().is_some());
    assert!(session.go_to(2_000) && session.view() == late);
}
