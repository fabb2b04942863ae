//! Games over HTTP: moves, two tabs, agents, hints, explanations, replays.

use std::thread;

use serde_json::{Value, json};

use crate::{Server, until};

fn at(game: &Value, what: &str) -> String {
    format!("/api/games/{}/{what}", game["id"].as_str().unwrap())
}

#[test]
fn of_two_tabs_that_play_the_same_revision_one_is_refused() {
    let server = Server::start();
    let game = server.game("2048:4x4");
    let mv = json!({"revision": game["revision"], "move": game["options"][0]["move"]});
    let (status, after) = server.post(&at(&game, "move"), &mv);
    assert_eq!((status, &after["moves"]), (200, &json!(1)));
    let (status, refused) = server.post(&at(&game, "move"), &mv);
    assert_eq!(status, 409);
    assert_eq!(refused["error"], "this game was played elsewhere: its revision is 2, not 1");
    // Of concurrent moves one is played.
    let mv = json!({"revision": after["revision"], "move": after["options"][0]["move"]});
    let statuses: Vec<u16> = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..20).map(|_| scope.spawn(|| server.post(&at(&game, "move"), &mv).0)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|&&status| status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
    let (_, now) = server.get(at(&game, "").trim_end_matches('/'));
    assert_eq!(now["moves"], 2);
    let (status, refused) =
        server.post(&at(&game, "move"), &json!({"revision": now["revision"], "move": "sideways"}));
    assert_eq!(status, 400, "{refused}");
    let (status, back) =
        server.post(&at(&game, "go"), &json!({"revision": now["revision"], "to": 0}));
    assert_eq!((status, &back["state"], &back["known"]), (200, &game["state"], &json!(2)));
    let (status, refused) =
        server.post(&at(&game, "go"), &json!({"revision": back["revision"], "to": 9}));
    assert_eq!(status, 400);
    assert_eq!(refused["error"], "there is no move 9: the game has 2 known moves");
}

#[test]
fn agents_play_hint_and_explain_in_every_game() {
    let server = Server::start();
    for rules in ["2048:3x3", "tetris:10x20", "1010:10x10,pieces=19,hand=3"] {
        let game = server.game(rules);
        let request = json!({"agent": "greedy", "search": "greedy"});
        let (status, hints) = server.post(&at(&game, "hints"), &request);
        assert_eq!(status, 200, "{hints}");
        let options = game["options"].as_array().unwrap().len();
        assert_eq!(hints["moves"].as_array().unwrap().len(), options, "{rules}");
        assert_eq!(hints["moves"][0]["best"], true);
        let (status, explained) = server.post(&at(&game, "explain"), &request);
        let best = &hints["moves"][0]["number"];
        assert_eq!((status, &explained["number"]), (200, best), "{explained}");
        let part = &explained["explanation"]["parts"][0];
        assert_eq!(part["kind"], "reward", "{explained}");
        let play =
            json!({"revision": 1, "agent": "greedy", "search": "greedy", "moves": 5, "ms": 1000});
        let (status, after) = server.post(&at(&game, "agent"), &play);
        assert_eq!((status, &after["moves"]), (200, &json!(5)), "{rules}");
        let replay = server.client().request("GET", &at(&game, "replay"), None).unwrap();
        let text = String::from_utf8(replay.body).unwrap();
        let (status, read_back) =
            server.client().request("POST", "/api/replays", Some(&text)).unwrap().json();
        assert_eq!((status, &read_back["known"], &read_back["moves"]), (200, &json!(5), &json!(0)));
        let path = at(&read_back, "go");
        let (_, end) = server.post(&path, &json!({"revision": 1, "to": 5}));
        assert_eq!((&end["state"], &end["score"]), (&after["state"], &after["score"]), "{rules}");
        let wrong = text.replacen("\"score\":", "\"score\":1", 1);
        let (status, refused) =
            server.client().request("POST", "/api/replays", Some(&wrong)).unwrap().json();
        assert_eq!(status, 400, "{refused}");
    }
}

#[test]
fn a_deep_search_ends_at_the_time_limit() {
    let server = Server::start();
    let game = server.game("1010:10x10,pieces=19,hand=3");
    let request = json!({"agent": "greedy", "search": "expectimax:5"});
    let (status, hints) = server.post(&at(&game, "hints"), &request);
    assert_eq!(status, 200, "{hints}");
    assert!(hints["plies"].as_u64().unwrap() < 5, "{}", hints["plies"]);
}

#[test]
fn files_of_the_results_folder_replace_the_built_in_ones() {
    let server = Server::start();
    let (status, listed) = server.get("/api/results");
    assert_eq!(status, 200);
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|page| page["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"README") && names.len() > 20, "{names:?}");
    let folder = server.folder.join("results");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("README.md"), "# Newer\n\nA line").unwrap();
    let page = server.client().request("GET", "/api/results/README", None).unwrap();
    assert_eq!(page.body, b"# Newer\n\nA line");
}

/// A program that mapped the file would be stopped by the system, and the tests with it.
#[test]
fn an_agent_file_that_is_overwritten_ends_nothing() {
    let server = Server::start();
    let settings = ["network.tuples=['012345', '345678']", "log.window=50", "budget.episodes=20"];
    let request = json!({"recipe": "2048-3x3", "threads": 1, "games": 1, "settings": settings});
    let (status, started) = server.post("/api/runs", &request);
    assert_eq!(status, 200, "{started}");
    let (run, name) = (server.runs().join("2048-3x3-1"), "runs/2048-3x3-1");
    until("the end", || server.get("/api/runs").1[0]["training"]["state"] == "done");
    let game = server.game("2048:3x3");
    let ask = || server.post(&at(&game, "hints"), &json!({"agent": name, "search": "greedy"}));
    let (status, hints) = ask();
    assert_eq!(status, 200, "{hints}");
    let file = run.join("agent.safetensors");
    assert!(std::fs::metadata(&file).unwrap().len() > 4 << 20);
    #[cfg(target_os = "linux")]
    assert!(!std::fs::read_to_string("/proc/self/maps").unwrap().contains("agent.safetensors"));
    std::fs::write(&file, "other").unwrap();
    // Played on as it was loaded, or refused with a sentence.
    let (status, answer) = ask();
    assert!(status == 200 && answer == hints || answer["error"].is_string(), "{status}: {answer}");
    assert_eq!(server.get("/api/runs").0, 200);
}

#[test]
fn a_game_is_reviewed_move_by_move_and_pieces_are_listed() {
    let server = Server::start();
    let game = server.game("tetris:10x20");
    let path = |what: &str| format!("/api/games/{}/{what}", game["id"].as_str().unwrap());
    let agent = json!({"agent": "dt-20", "search": "greedy"});
    let mut play = json!({"revision": 1, "moves": 5, "ms": 1000});
    play.as_object_mut().unwrap().extend(agent.as_object().unwrap().clone());
    assert_eq!(server.post(&path("agent"), &play).1["moves"], 5);
    let mut review = json!({"from": 1});
    review.as_object_mut().unwrap().extend(agent.as_object().unwrap().clone());
    let (status, reviewed) = server.post(&path("review"), &review);
    assert_eq!((status, reviewed.as_array().map(Vec::len)), (200, Some(4)), "{reviewed}");
    for position in reviewed.as_array().unwrap() {
        // The agent reviews its own moves.
        assert_eq!(position["move"], position["best"], "{position}");
        assert_eq!(position["value"], position["best_value"], "{position}");
    }
    assert_eq!(server.get(&path("pieces")).1.as_array().map(Vec::len), Some(7));
    let tiles = server.game("2048:4x4");
    let path = format!("/api/games/{}/pieces", tiles["id"].as_str().unwrap());
    assert_eq!(server.get(&path).1, json!([]));
}
