//! Laws of sittings on random play of every game, hints beside advice, and replays good and bad.

use afterstate_core::Rng;
use afterstate_games::picture::Kind;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;

use super::*;
use crate::Agent;

fn rules(text: &str) -> GameSpec {
    text.parse().unwrap()
}

fn partner(agent: &str, game: &str) -> LoadedAgent {
    LoadedAgent::load(&agent.parse::<Agent>().unwrap(), &rules(game)).unwrap()
}

const GAMES: [&str; 6] = [
    "2048",
    "2048:3x3",
    "tetris:6x10",
    "tetris:8x6,next,overflow=clear",
    "1010:10x10,hand=3",
    "1010:5x5,pieces=7",
];

/// Plays at random by numbers until the end or for so many moves.
fn at_random(sitting: &mut GameSession, moves: u64, rng: &mut Rng) {
    for _ in 0..moves {
        let count = sitting.view().options.len();
        if count == 0 {
            break;
        }
        sitting.play_number(rng.below(count)).unwrap();
    }
}

/// A view without what may be made again.
fn so_far(view: View) -> View {
    View { can_redo: false, known: view.moves, ..view }
}

#[test]
fn what_is_taken_back_and_made_again_is_the_same() {
    for game in GAMES.into_iter().chain(["tetris:melax"]) {
        let mut rng = Rng::stream(3, 0);
        let mut sitting = GameSession::new(&rules(game), 7);
        let mut seen = vec![sitting.view()];
        for _ in 0..60 {
            at_random(&mut sitting, 1, &mut rng);
            if sitting.moves() as usize == seen.len() {
                seen.push(sitting.view());
            }
        }
        let last = seen.len() - 1;
        let same = |sitting: &GameSession, number: usize| {
            assert_eq!(so_far(sitting.view()), so_far(seen[number].clone()), "{game} {number}");
        };
        for number in (0..last).rev() {
            assert!(sitting.undo());
            same(&sitting, number);
        }
        assert!(!sitting.undo());
        for (number, then) in seen.iter().enumerate().skip(1) {
            if number % 2 == 0 {
                assert!(sitting.redo());
            } else {
                // The same move made by hand keeps what follows it.
                sitting.play(&then.last.as_ref().unwrap().mv).unwrap();
            }
            same(&sitting, number);
        }
        assert!(!sitting.redo());
        for number in [0, last, last / 2, last / 3, last] {
            assert!(sitting.go_to(number as u64));
            same(&sitting, number);
        }
        assert!(!sitting.go_to(last as u64 + 1));
        // Another move forgets what followed.
        assert!(sitting.go_to(0));
        let options = sitting.view().options;
        let first = &seen[1].last.as_ref().unwrap().mv;
        if let Some(other) = options.iter().find(|option| option.mv != *first) {
            sitting.play(&other.mv).unwrap();
            assert!(!sitting.redo() && sitting.moves() == 1, "{game}");
        }
    }
}

#[test]
fn positions_beyond_those_that_are_kept_are_found_again() {
    let mut sitting = GameSession::new(&rules("tetris:10x20"), 1);
    let agent = partner("dt-10", "tetris:10x20");
    assert_eq!(sitting.play_by(&agent, &Search::GREEDY, 100).unwrap(), 100);
    let early = sitting.view();
    assert_eq!(sitting.play_by(&agent, &Search::GREEDY, 3_000).unwrap(), 3_000);
    for _ in 0..3_000 {
        assert!(sitting.undo());
    }
    assert_eq!(sitting.view().known, 3_100);
    assert_eq!(so_far(sitting.view()), so_far(early.clone()));
    assert!(sitting.rewind() && sitting.moves() == 0 && !sitting.undo());
    assert!(sitting.go_to(100));
    assert_eq!(sitting.view().scene, early.scene);
}

/// A game that is longer than its record goes on, but has no replay and a start out of reach.
#[test]
fn a_game_may_be_longer_than_its_record() {
    let game = afterstate_games::tetris::Tetris::standard();
    let mut sitting = GameSession(Box::new(TypedSession::new(&game, 1, None).recording(1_500)));
    let agent = partner("dt-10", "tetris:10x20");
    sitting.play_by(&agent, &Search::GREEDY, 1_500).unwrap();
    assert!(sitting.replay().is_some() && sitting.go_to(10) && sitting.go_to(1_500));
    sitting.play_by(&agent, &Search::GREEDY, 500).unwrap();
    assert_eq!(sitting.moves(), 2_000);
    assert!(sitting.replay().is_none() && !sitting.rewind() && sitting.moves() == 2_000);
    let late = so_far(sitting.view());
    for _ in 0..KEPT {
        assert!(sitting.undo());
    }
    // Back among the moves that are recorded, everything can be found again.
    assert!(sitting.moves() == 1_000 && sitting.undo() && sitting.replay().is_some());
    assert!(sitting.go_to(2_000) && so_far(sitting.view()) == late);
}

/// What is drawn is what stands on the board.
#[test]
fn paint_covers_the_board_and_nothing_else() {
    for game in GAMES.into_iter().chain(["tetris:melax"]) {
        let mut rng = Rng::stream(9, 0);
        let mut sitting = GameSession::new(&rules(game), 2);
        let mut colours = std::collections::BTreeSet::new();
        for _ in 0..200 {
            at_random(&mut sitting, 1, &mut rng);
            let view = sitting.view();
            let again = GameSession::from_board(&rules(game), 0, &view.state).unwrap().view();
            let filled = |view: &View| view.scene.cells.iter().map(|&c| c != 0).collect::<Vec<_>>();
            assert_eq!(filled(&view), filled(&again), "{game}");
            assert_eq!(
                (view.scene.hand, view.options.len()),
                (again.scene.hand, again.options.len())
            );
            colours.extend(view.scene.cells);
            if view.over {
                break;
            }
        }
        assert!(colours.len() > 2, "{game}: {colours:?}");
    }
}

#[test]
fn a_sitting_plays_the_games_of_an_evaluation() {
    for (game, agent) in [("2048:3x3", "greedy"), ("1010:5x5,pieces=7", "greedy")] {
        let plan = crate::Plan { games: 1, seed: 5, threads: Some(1), max_moves: None };
        let whole = crate::evaluate(&rules(game), &agent.parse().unwrap(), &plan).unwrap();
        let mut sitting = GameSession::new(&rules(game), 5);
        sitting.play_by(&partner(agent, game), &Search::GREEDY, u64::MAX).unwrap();
        assert_eq!((sitting.score(), sitting.moves()), (whole.score.mean, whole.moves), "{game}");
        assert!(sitting.over());
    }
}

#[test]
fn hints_say_what_advice_says() {
    for (game, agent, search) in [
        ("2048", "greedy", "expectimax:2"),
        ("tetris:6x10", "linear:dellacherie=-1,1,-1,-1,-4,-1", "greedy"),
        ("tetris:6x10", "linear:dellacherie=-1,1,-1,-1,-4,-1", "expectimax:2"),
        ("1010:5x5,pieces=7", "greedy", "expectimax:2"),
    ] {
        let (agent, search) = (partner(agent, game), search.parse::<Search>().unwrap());
        let mut sitting = GameSession::new(&rules(game), 4);
        at_random(&mut sitting, 8, &mut Rng::stream(1, 1));
        let hints = sitting.hints(&agent, &search, 1).unwrap();
        let advice = sitting.advise(&agent, &search, 1).unwrap().unwrap();
        let told: Vec<_> = hints.moves.iter().map(|m| (m.mv.clone(), m.value)).collect();
        let advised: Vec<_> = advice.moves.iter().map(|m| (m.mv.clone(), Some(m.value))).collect();
        assert_eq!(told, advised, "{game}");
        assert_eq!((hints.nodes, hints.plies), (advice.nodes, advice.plies));
        assert!(hints.moves[0].best && hints.moves[1..].iter().all(|hint| !hint.best));
        let options = sitting.view().options;
        assert!(hints.moves.iter().all(|hint| options[hint.number].mv == hint.mv), "{game}");
        assert_eq!(sitting.choose(&agent, &search).unwrap(), Some(hints.moves[0].number));
    }
}

#[test]
fn who_has_no_values_still_has_a_choice() {
    let sitting = GameSession::new(&rules("2048"), 4);
    let hints = sitting.hints(&partner("random", "2048"), &Search::GREEDY, 1).unwrap();
    assert_eq!(hints.moves.iter().filter(|hint| hint.best).count(), 1);
    assert!(hints.moves.iter().all(|hint| hint.value.is_none()));
    let error = sitting.inside(&partner("random", "2048"), 0).unwrap_err();
    assert_eq!(error.to_string(), "random has no values to look into");
    let error = sitting.hints(&partner("random", "2048:3x3"), &Search::GREEDY, 1).unwrap_err();
    assert_eq!(error.to_string(), "met an agent for 2048:3x3, expected one for 2048:4x4");
}

#[test]
fn parts_sum_to_the_value() {
    for (game, agent) in [("tetris:10x20", "dt-10"), ("2048", "builtin"), ("1010", "builtin")] {
        let agent = partner(agent, game);
        let mut sitting = GameSession::new(&rules(game), 4);
        sitting.play_by(&agent, &Search::GREEDY, 50).unwrap();
        let cells = sitting.view().scene.cells.len();
        for hint in sitting.hints(&agent, &Search::GREEDY, 1).unwrap().moves {
            let inside = sitting.inside(&agent, hint.number).unwrap();
            let value = hint.value.unwrap();
            assert!((inside.value - value).abs() <= 1e-4 * value.abs().max(1.0), "{game} {value}");
            assert_eq!(inside.mv, hint.mv);
            assert!(inside.parts.len() > 5);
            for part in inside.parts {
                match part {
                    Part::Feature { count, weight, share, .. } => assert_eq!(share, count * weight),
                    Part::Tuple { cells: own, .. } => assert!(own.iter().all(|&c| c < cells)),
                    Part::Reward { .. } | Part::Solved { .. } => {}
                }
            }
        }
    }
}

#[test]
fn the_limit_of_the_rules_ends_a_sitting() {
    let mut sitting = GameSession::new(&rules("tetris:6x2,melax,limit=5"), 1);
    at_random(&mut sitting, 10, &mut Rng::stream(1, 0));
    let view = sitting.view();
    assert_eq!((view.moves, view.over, view.cut_off), (5, true, true));
    assert_eq!(sitting.play("a1"), Err(SessionError::Over));
    assert!(sitting.undo() && !sitting.over());
}

#[test]
fn moves_that_are_none_are_told() {
    let mut sitting = GameSession::new(&rules("2048"), 1);
    let said = |sitting: &mut GameSession, mv| sitting.play(mv).unwrap_err().to_string();
    assert!(said(&mut sitting, "west").starts_with("met \"west\""));
    assert_eq!(
        sitting.play_number(9).unwrap_err().to_string(),
        format!("met move number 9, expected one below {}", sitting.view().options.len())
    );
    assert!(GameSession::from_board(&rules("2048"), 1, "2 2|x").is_err());
}

#[test]
fn views_are_json() {
    let json = |game: &str| {
        let view = GameSession::new(&rules(game), 1).view();
        serde_json::to_value(&view).unwrap()
    };
    assert_eq!(json("2048")["kind"], "tiles");
    let view = json("tetris");
    assert_eq!((&view["kind"], &view["width"]), (&"well".into(), &10.into()));
    assert_eq!(view["options"][0]["covers"].as_array().unwrap().len(), 4);
    assert_eq!(json("1010:hand=3")["hand"].as_array().unwrap().len(), 3);
    assert_eq!(GameSession::new(&rules("1010"), 1).view().scene.kind, Kind::Blocks);
}

#[test]
fn a_tally_counts_games() {
    let mut tally = Tally::default();
    let agent = partner("random", "2048:3x3");
    for seed in 0..20 {
        let mut sitting = GameSession::new(&rules("2048:3x3"), seed);
        sitting.play_by(&agent, &Search::GREEDY, u64::MAX).unwrap();
        tally.count(&sitting);
    }
    let standing = tally.standing();
    assert_eq!((standing.games, standing.reach[&2].rate), (20, 1.0));
    assert!(standing.score.unwrap().ci95.is_some() && standing.moves > 100);
}

/// A sitting and its replay's text, played at random for a while.
fn played(game: &str) -> (GameSession, String) {
    let mut sitting = GameSession::new(&rules(game), 11);
    at_random(&mut sitting, 40, &mut Rng::stream(2, 0));
    let json = sitting.replay().unwrap().by("random", "greedy").to_json();
    (sitting, json)
}

#[test]
fn replays_play_again() {
    for game in GAMES {
        let (sitting, json) = played(game);
        let mut again = Replay::from_bytes(json.as_bytes()).unwrap().sitting().unwrap();
        assert_eq!(again.view(), sitting.view(), "{game}");
        assert!(again.rewind());
        assert_eq!(again.view().scene, GameSession::new(&rules(game), 11).view().scene);
        while again.redo() {}
        assert_eq!(again.score(), sitting.score());
    }
    let board = "2 4 8 16|. . . .|. . . .|2 2 2 2";
    let mut sitting = GameSession::from_board(&rules("2048"), 3, board).unwrap();
    at_random(&mut sitting, 10, &mut Rng::stream(2, 0));
    let replay = sitting.replay().unwrap();
    assert_eq!(replay.sitting().unwrap().view(), sitting.view());
}

#[test]
fn wrong_replays_say_what_is_wrong() {
    let (_, json) = played("2048");
    let said = |json: &str| match Replay::from_bytes(json.as_bytes()) {
        Ok(replay) => replay.sitting().err().map(|e| e.to_string()).unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    assert_eq!(said(&json), "");
    let changed = |from: &str, to: &str| {
        assert!(json.contains(from), "{from} in {json}");
        said(&json.replacen(from, to, 1))
    };
    assert_eq!(
        changed("afterstate replay 1", "afterstate replay 2"),
        "met format \"afterstate replay 2\", expected \"afterstate replay 1\""
    );
    assert_eq!(
        changed("\"rules_version\":1", "\"rules_version\":9"),
        "met version 9 of the rules of 2048:4x4, expected 1"
    );
    assert!(changed("2048:4x4", "go").starts_with("unknown game \"go\""));
    assert!(changed("\"seed\":11", "\"seed\":12").starts_with("m"));
    assert!(changed("\"score\":", "\"score\":1").contains("expected"));
    assert!(changed("\"seed\":", "\"sed\":").starts_with("met no replay: "));
    let mut replay = Replay::from_bytes(json.as_bytes()).unwrap();
    replay.moves[5] = "west".to_owned();
    let error = replay.sitting().err().unwrap().to_string();
    assert!(
        error.starts_with("move 6 of 40: met \"west\" (met \"west\", expected up, "),
        "{error}"
    );
    assert!(error.contains("), expected ") && error.contains(" on "), "{error}");
    replay.moves.truncate(5);
    replay.moves.push("up".to_owned());
    replay.moves.extend(vec!["up".to_owned(); 40]);
    let error = replay.sitting().err().unwrap().to_string();
    assert!(error.contains("met \"up\" (up: nothing would move), expected right, "), "{error}");
    replay.board = Some("2".to_owned());
    assert!(replay.sitting().err().unwrap().to_string().starts_with("its board: met 1 rows"));
}

#[test]
fn hostile_replays_are_refused() {
    let (_, json) = played("1010:5x5,pieces=7");
    for length in 0..json.len() - 1 {
        assert!(Replay::from_bytes(&json.as_bytes()[..length]).is_err(), "{length} bytes");
    }
    // One changed byte never brings the program down.
    for at in 0..json.len() {
        for byte in [0, b'"', b'9', b'-', b'}', 0xff] {
            let mut bytes = json.clone().into_bytes();
            bytes[at] = byte;
            if let Ok(replay) = Replay::from_bytes(&bytes) {
                let _ = replay.sitting();
            }
        }
    }
    let long = format!("{{\"format\":{:?}}}", "x".repeat(100_000));
    assert!(Replay::from_bytes(long.as_bytes()).unwrap_err().to_string().len() < 300);
    let deep = "[".repeat(1 << 20);
    assert!(Replay::from_bytes(deep.as_bytes()).is_err());
}
