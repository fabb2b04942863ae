//! Sessions: undo and redo on random play of every game, hints against analyses, and replays, valid
//! and invalid.

use afterstate_agents::EvaluationSettings;
use afterstate_core::Device;
use afterstate_core::Rng;
use afterstate_engine::verify;
use afterstate_games::picture::Kind;
use afterstate_search::Search;
use afterstate_session::{GameSession, Replay, SessionError, Tally, View};
use afterstate_values::Part;

use crate::{evaluate, load, open};

/// A new game.
fn start(rules: &str, seed: u64) -> GameSession {
    open(rules).session(seed, None).unwrap()
}

const GAMES: [&str; 6] = [
    "2048",
    "2048:3x3",
    "tetris:6x10",
    "tetris:8x6,next,overflow=clear",
    "1010:10x10,hand=3",
    "1010:5x5,pieces=7",
];

/// Plays random moves by their numbers: at most that many, fewer if the game ends.
fn play_at_random(session: &mut GameSession, moves: u64, rng: &mut Rng) {
    for _ in 0..moves {
        let count = session.view().options.len();
        if count == 0 {
            break;
        }
        session.play_number(rng.below(count)).unwrap();
    }
}

/// A view without the moves that may be redone.
fn without_redo(view: View) -> View {
    View { can_redo: false, known: view.moves, ..view }
}

#[test]
fn undo_and_redo_restore_every_position() {
    for game in GAMES.into_iter().chain(["tetris:melax"]) {
        let mut rng = Rng::stream(3, 0);
        let mut session = start(game, 7);
        let mut views = vec![session.view()];
        for _ in 0..60 {
            play_at_random(&mut session, 1, &mut rng);
            if session.moves() as usize == views.len() {
                views.push(session.view());
            }
        }
        let last = views.len() - 1;
        let same = |session: &GameSession, number: usize| {
            let (view, expected) = (session.view(), views[number].clone());
            assert_eq!(without_redo(view), without_redo(expected), "{game} {number}");
        };
        for number in (0..last).rev() {
            assert!(session.undo());
            same(&session, number);
        }
        assert!(!session.undo());
        for (number, view) in views.iter().enumerate().skip(1) {
            if number % 2 == 0 {
                assert!(session.redo());
            } else {
                // Playing the same move keeps the moves after it.
                session.play(&view.last.as_ref().unwrap().mv).unwrap();
            }
            same(&session, number);
        }
        assert!(!session.redo());
        for number in [0, last, last / 2, last / 3, last] {
            assert!(session.go_to(number as u64));
            same(&session, number);
        }
        assert!(!session.go_to(last as u64 + 1));
        // Another move drops them.
        assert!(session.go_to(0));
        let options = session.view().options;
        let first = &views[1].last.as_ref().unwrap().mv;
        if let Some(other) = options.iter().find(|option| option.mv != *first) {
            session.play(&other.mv).unwrap();
            assert!(!session.redo() && session.moves() == 1, "{game}");
        }
    }
}

#[test]
fn positions_older_than_the_snapshots_are_recovered() {
    let mut session = start("tetris:10x20", 1);
    let agent = load("dt-10", "tetris:10x20");
    assert_eq!(session.play_by(&agent, &Search::GREEDY, 100).unwrap(), 100);
    let early = session.view();
    assert_eq!(session.play_by(&agent, &Search::GREEDY, 3_000).unwrap(), 3_000);
    for _ in 0..3_000 {
        assert!(session.undo());
    }
    assert_eq!(session.view().known, 3_100);
    assert_eq!(without_redo(session.view()), without_redo(early.clone()));
    assert!(session.rewind() && session.moves() == 0 && !session.undo());
    assert!(session.go_to(100));
    assert_eq!(session.view().scene, early.scene);
}

/// The colored cells are the filled cells of the board.
#[test]
fn colors_cover_the_filled_cells() {
    for game in GAMES.into_iter().chain(["tetris:melax"]) {
        let mut rng = Rng::stream(9, 0);
        let mut session = start(game, 2);
        let mut colors = std::collections::BTreeSet::new();
        for _ in 0..200 {
            play_at_random(&mut session, 1, &mut rng);
            let view = session.view();
            let again = open(game).session(0, Some(&view.state)).unwrap().view();
            let filled = |view: &View| view.scene.cells.iter().map(|&c| c != 0).collect::<Vec<_>>();
            assert_eq!(filled(&view), filled(&again), "{game}");
            assert_eq!(
                (view.scene.hand, view.options.len()),
                (again.scene.hand, again.options.len())
            );
            colors.extend(view.scene.cells);
            if view.finished {
                break;
            }
        }
        assert!(colors.len() > 2, "{game}: {colors:?}");
    }
}

#[test]
fn a_session_plays_game_0_of_an_evaluation() {
    for (game, agent) in [("2048:3x3", "greedy"), ("1010:5x5,pieces=7", "greedy")] {
        let settings = EvaluationSettings {
            games: 1,
            seed: 5,
            threads: Some(1),
            max_moves: None,
            device: Device::Cpu,
        };
        let evaluation = evaluate(game, agent, &settings).unwrap();
        let mut session = start(game, 5);
        session.play_by(&load(agent, game), &Search::GREEDY, u64::MAX).unwrap();
        let expected = (evaluation.score.mean, evaluation.moves);
        assert_eq!((session.score(), session.moves()), expected, "{game}");
        assert!(session.finished());
    }
}

#[test]
fn hints_agree_with_the_analysis() {
    for (game, agent, search) in [
        ("2048", "greedy", "expectimax:2"),
        ("tetris:6x10", "linear:dellacherie=-1,1,-1,-1,-4,-1", "greedy"),
        ("tetris:6x10", "linear:dellacherie=-1,1,-1,-1,-4,-1", "expectimax:2"),
        ("1010:5x5,pieces=7", "greedy", "expectimax:2"),
    ] {
        let (agent, search) = (load(agent, game), search.parse::<Search>().unwrap());
        let mut session = start(game, 4);
        play_at_random(&mut session, 8, &mut Rng::stream(1, 1));
        let hints = session.hints(&agent, &search, 1).unwrap();
        let analysis = session.analyze(&agent, &search, 1).unwrap().unwrap();
        let hinted: Vec<_> = hints.moves.iter().map(|m| (m.mv.clone(), m.value)).collect();
        let analyzed: Vec<_> =
            analysis.moves.iter().map(|m| (m.mv.clone(), Some(m.value))).collect();
        assert_eq!(hinted, analyzed, "{game}");
        assert_eq!((hints.nodes, hints.plies), (analysis.nodes, analysis.plies));
        assert!(hints.moves[0].best && hints.moves[1..].iter().all(|hint| !hint.best));
        let options = session.view().options;
        assert!(hints.moves.iter().all(|hint| options[hint.number].mv == hint.mv), "{game}");
        assert_eq!(session.choose(&agent, &search).unwrap(), Some(hints.moves[0].number));
    }
}

#[test]
fn an_agent_without_values_hints_at_its_choice() {
    let session = start("2048", 4);
    let hints = session.hints(&load("random", "2048"), &Search::GREEDY, 1).unwrap();
    assert_eq!(hints.moves.iter().filter(|hint| hint.best).count(), 1);
    assert!(hints.moves.iter().all(|hint| hint.value.is_none()));
    let error = session.explain(&load("random", "2048"), 0).unwrap_err();
    assert_eq!(error.to_string(), "random has no values that can be explained by parts");
    let error = session.hints(&load("random", "2048:3x3"), &Search::GREEDY, 1).unwrap_err();
    assert_eq!(error.to_string(), "the agent was loaded for 2048:3x3, not for 2048:4x4");
}

#[test]
fn parts_sum_to_the_value() {
    for (game, agent) in [("tetris:10x20", "dt-10"), ("2048", "builtin"), ("1010", "builtin")] {
        let agent = load(agent, game);
        let mut session = start(game, 4);
        session.play_by(&agent, &Search::GREEDY, 50).unwrap();
        let cells = session.view().scene.cells.len();
        for hint in session.hints(&agent, &Search::GREEDY, 1).unwrap().moves {
            let explanation = session.explain(&agent, hint.number).unwrap();
            let value = hint.value.unwrap();
            assert!(
                (explanation.value - value).abs() <= 1e-4 * value.abs().max(1.0),
                "{game} {value}"
            );
            assert_eq!(explanation.mv, hint.mv);
            assert!(explanation.parts.len() > 5);
            for part in explanation.parts {
                match part {
                    Part::Feature { count, weight, share, .. } => assert_eq!(share, count * weight),
                    Part::Tuple { cells: own, .. } => assert!(own.iter().all(|&c| c < cells)),
                    other => assert!(matches!(other, Part::Reward { .. } | Part::Solved { .. })),
                }
            }
        }
    }
}

#[test]
fn the_move_limit_of_the_rules_truncates_a_session() {
    let mut session = start("tetris:6x2,melax,limit=5", 1);
    play_at_random(&mut session, 10, &mut Rng::stream(1, 0));
    let view = session.view();
    assert_eq!((view.moves, view.finished, view.truncated), (5, true, true));
    assert_eq!(session.play("a1"), Err(SessionError::Finished));
    let greedy = load("greedy", "tetris:6x2,melax,limit=5");
    let error = session.analyze(&greedy, &Search::GREEDY, 1).unwrap_err().to_string();
    assert_eq!(error, "the game is over: it has reached the limit of 5 moves");
    assert!(session.undo() && !session.finished());
    assert!(session.analyze(&greedy, &Search::GREEDY, 1).is_ok());
}

#[test]
fn an_agent_without_values_cannot_search() {
    let (mut session, agent) = (start("2048", 4), load("random", "2048"));
    let search = Search::expectimax(2);
    let refusals = [
        session.hints(&agent, &search, 1).map(drop),
        session.choose(&agent, &search).map(drop),
        session.play_by(&agent, &search, 1).map(drop),
    ];
    for refusal in refusals {
        let sentence = refusal.unwrap_err().to_string();
        let expected =
            "random has no values to search with: use the search greedy, not expectimax:2";
        assert_eq!(sentence, expected);
    }
    assert_eq!(session.moves(), 0);
}

#[test]
fn invalid_moves_are_named() {
    let mut session = start("2048", 1);
    let error = session.play("west").unwrap_err().to_string();
    assert_eq!(error, "found \"west\", expected up, right, down or left");
    let moves = session.view().options.len();
    assert_eq!(session.play_number(9), Err(SessionError::Number { number: 9, moves }));
    let error = session.play_number(9).unwrap_err().to_string();
    let expected = "there is no move number 9: the state has";
    assert_eq!(error, format!("{expected} {moves} legal moves, counted from 0"));
    assert!(open("2048").session(1, Some("2 2|x")).is_err());
}

#[test]
fn views_are_json() {
    let json = |game: &str| {
        let view = start(game, 1).view();
        serde_json::to_value(&view).unwrap()
    };
    assert_eq!(json("2048")["kind"], "tiles");
    let view = json("tetris");
    assert_eq!((&view["kind"], &view["width"]), (&"well".into(), &10.into()));
    assert_eq!(view["options"][0]["covers"].as_array().unwrap().len(), 4);
    assert_eq!(json("1010:hand=3")["hand"].as_array().unwrap().len(), 3);
    assert_eq!(start("1010", 1).view().scene.kind, Kind::Blocks);
}

#[test]
fn a_tally_summarises_games() {
    let mut tally = Tally::default();
    let agent = load("random", "2048:3x3");
    for seed in 0..20 {
        let mut session = start("2048:3x3", seed);
        session.play_by(&agent, &Search::GREEDY, u64::MAX).unwrap();
        tally.count(&session);
    }
    let summary = tally.summary();
    assert_eq!((summary.games, summary.reach[&2].rate), (20, 1.0));
    assert!(summary.score.unwrap().ci95.is_some() && summary.moves > 100);
}

/// A session after some random moves, and its replay as text.
fn played(game: &str) -> (GameSession, String) {
    let mut session = start(game, 11);
    play_at_random(&mut session, 40, &mut Rng::stream(2, 0));
    let json = session.replay().unwrap().by("random", "greedy").to_json();
    (session, json)
}

#[test]
fn replays_are_verified() {
    for game in GAMES {
        let (session, json) = played(game);
        let mut again = verify(&Replay::from_bytes(json.as_bytes()).unwrap()).unwrap();
        assert_eq!(again.view(), session.view(), "{game}");
        assert!(again.rewind());
        assert_eq!(again.view().scene, start(game, 11).view().scene);
        while again.redo() {}
        assert_eq!(again.score(), session.score());
    }
    let board = "2 4 8 16|. . . .|. . . .|2 2 2 2";
    let mut session = open("2048").session(3, Some(board)).unwrap();
    play_at_random(&mut session, 10, &mut Rng::stream(2, 0));
    let replay = session.replay().unwrap();
    assert_eq!(verify(&replay).unwrap().view(), session.view());
}

#[test]
fn errors_of_replays_name_the_cause() {
    let (_, json) = played("2048");
    let error_of = |json: &str| match Replay::from_bytes(json.as_bytes()) {
        Ok(replay) => verify(&replay).err().map(|error| error.to_string()).unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    assert_eq!(error_of(&json), "");
    let changed = |from: &str, to: &str| {
        assert!(json.contains(from), "{from} in {json}");
        error_of(&json.replacen(from, to, 1))
    };
    assert_eq!(
        changed("afterstate replay 1", "afterstate replay 2"),
        "the file has format \"afterstate replay 2\", not \"afterstate replay 1\""
    );
    assert_eq!(
        changed("\"rules_version\":1", "\"rules_version\":9"),
        "the replay uses version 9 of the rules of 2048:4x4, this program version 1"
    );
    assert!(changed("2048:4x4", "go").starts_with("unknown game \"go\""));
    assert!(changed("\"seed\":11", "\"seed\":12").starts_with("move "));
    assert!(changed("\"score\":", "\"score\":1").starts_with("the replay states a score of 1"));
    assert!(changed("\"seed\":", "\"sed\":").starts_with("the file is not a replay: "));
    let mut replay = Replay::from_bytes(json.as_bytes()).unwrap();
    let mut session = verify(&replay).unwrap();
    assert!(session.go_to(5));
    let (state, why) = (session.view().state, session.play("west").unwrap_err());
    replay.moves[5] = "west".to_owned();
    let error = verify(&replay).err().unwrap().to_string();
    let expected = format!("move 6 of 40, \"west\": {why}; the legal moves of {state} are ");
    assert!(error.starts_with(&expected), "{error}");
    replay.moves.truncate(5);
    replay.moves.push("up".to_owned());
    replay.moves.extend(vec!["up".to_owned(); 40]);
    let error = verify(&replay).err().unwrap().to_string();
    assert!(error.contains(", \"up\": up: nothing would move; the legal moves of "), "{error}");
    assert!(error.contains(" are right, "), "{error}");
    replay.board = Some("2".to_owned());
    let error = verify(&replay).err().unwrap().to_string();
    let why = open("2048").session(11, Some("2")).err().unwrap();
    assert_eq!(error, format!("the replay's board: {why}"));
}

#[test]
fn damaged_replays_are_refused() {
    let (_, json) = played("1010:5x5,pieces=7");
    for length in 0..json.len() - 1 {
        assert!(Replay::from_bytes(&json.as_bytes()[..length]).is_err(), "{length} bytes");
    }
    // A changed byte gives another replay or an error, never a panic.
    for at in 0..json.len() {
        for byte in [0, b'"', b'9', b'-', b'}', 0xff] {
            let mut bytes = json.clone().into_bytes();
            bytes[at] = byte;
            if let Ok(replay) = Replay::from_bytes(&bytes) {
                let _ = verify(&replay);
            }
        }
    }
    let long = format!("{{\"format\":{:?}}}", "x".repeat(100_000));
    assert!(Replay::from_bytes(long.as_bytes()).unwrap_err().to_string().len() < 300);
    let deep = "[".repeat(1 << 20);
    assert!(Replay::from_bytes(deep.as_bytes()).is_err());
}
