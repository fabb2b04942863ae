//! Every limit of the server that `SECURITY.md` states, reached.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use afterstate_serve::Limits;
use afterstate_values::memory::peak;
use serde_json::{Value, json};

use crate::{Server, until};

const MIB: usize = 1 << 20;

/// A replay whose moves are not text but many small objects.
fn hostile_replay() -> String {
    let head = r#"{"format":"afterstate replay 1","program":"0","game":"2048:4x4","rules_version":1,
        "seed":1,"score":0,"moves":["#;
    let objects = r#"{"a":0},"#.repeat((15 * MIB) / 8);
    format!("{head}{objects}{{}}]}}")
}

#[test]
fn replays_of_small_objects_take_no_memory() {
    let server = Server::start();
    let body = hostile_replay();
    let before = peak().unwrap();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let send = || server.client().request("POST", "/api/replays", Some(&body)).unwrap().status;
        let clients: Vec<_> = (0..8).map(|_| scope.spawn(send)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(statuses.iter().all(|status| [400, 503].contains(status)), "{statuses:?}");
    // The bodies of the clients and of the server, and what other tests take meanwhile.
    let grown = peak().unwrap() - before;
    assert!(grown < 1 << 30, "{grown} bytes");
}

#[test]
fn a_replay_has_at_most_a_million_moves_and_16_mib() {
    let server = Server::start();
    let mut replay = json!({"format": "afterstate replay 1", "program": "0", "game": "2048:4x4",
        "rules_version": 1, "seed": 1, "score": 0});
    replay["moves"] = vec!["l"; (1 << 20) + 1].into();
    let (status, refused) = server.post("/api/replays", &replay);
    assert_eq!(status, 400, "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("more than 1048576 moves"), "{refused}");
    let host = server.address;
    let head =
        format!("POST /api/replays HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json");
    let large = server.raw(&format!("{head}\r\ncontent-length: {}\r\n\r\n", 16 * MIB + 1));
    assert_eq!(large.status, 413);
    let other =
        format!("POST /api/replays HTTP/1.1\r\nhost: {host}\r\ncontent-length: 2\r\n\r\n{{}}");
    assert_eq!(server.raw(&other).status, 415);
}

/// Whether the server still has a connection to this client, as the system tells.
#[cfg(target_os = "linux")]
fn is_connected(server: SocketAddr, client: SocketAddr) -> bool {
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let (own, other) = (format!(":{:04X}", server.port()), format!(":{:04X}", client.port()));
    table.lines().skip(1).any(|line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        columns[1].ends_with(&own) && columns[2].ends_with(&other) && columns[3] == "01"
    })
}

#[cfg(target_os = "linux")]
#[test]
fn clients_that_never_read_are_disconnected() {
    let server = Server::start();
    let host = server.address;
    let request = format!("GET /page/style.css HTTP/1.1\r\nhost: {host}\r\n\r\n");
    let mut clients: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(host).unwrap()).collect();
    for client in &mut clients {
        // More than the buffers of the system hold, until it takes no more requests.
        client.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
        while client.write_all(request.as_bytes()).is_ok() {}
    }
    for client in &clients {
        let address = client.local_addr().unwrap();
        until("the server gives up", || !is_connected(host, address));
    }
    let mut rest = Vec::new();
    let _ = clients[0].read_to_end(&mut rest);
    assert!(!rest.is_empty(), "it was served until it stopped to read");
    assert_eq!(server.get("/api/games").0, 200);
}

/// The threads of this process with a name.
#[cfg(target_os = "linux")]
fn threads_named(prefix: &str) -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with(prefix)).count()
}

#[cfg(target_os = "linux")]
#[test]
fn streams_that_are_opened_and_closed_fast_leave_no_threads() {
    let server = Server::start();
    // Moves that take a second or two each.
    let player = json!({"agent": "dt-20", "search": "expectimax:5"});
    let stream =
        json!({"game": "tetris:10x20", "seed": 1, "players": vec![player; 6], "pace": null});
    let (host, most) = (server.address, AtomicUsize::new(0));
    // Opens a stream and closes it as soon as its boards think.
    let open = || {
        let (status, opened) = server.post("/api/streams", &stream);
        assert_eq!(status, 200, "{opened}");
        let id = opened["id"].as_str().unwrap();
        let mut client = server.client();
        let events = format!("GET /api/streams/{id}/events HTTP/1.1\r\nhost: {host}\r\n\r\n");
        client.send(&events).unwrap();
        let (status, _) = client.head().unwrap();
        assert!([200, 503].contains(&status), "{status}");
        most.fetch_max(threads_named("board "), Ordering::Relaxed);
        status
    };
    let refused: usize = thread::scope(|scope| {
        let opens = || (0..25).filter(|_| open() == 503).count();
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(opens)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    let most = most.into_inner();
    // Boards that still think hold their places.
    assert!(refused > 0, "{most} threads");
    // Other tests of this process have streams of their own, a few boards each.
    assert!(most <= 12 * 6 + 12, "{most} threads");
    until("their threads end", || threads_named("board ") <= 12);
}

/// Ninety clients ask for deep hints, eight of which are computed at a time: games that are opened when the
/// first has its hints are open while most of the others still wait.
#[test]
fn deep_searches_do_not_delay_new_games() {
    let limits = Limits { think: Duration::from_millis(500), ..Limits::default() };
    let server = Server::with_limits(false, limits);
    let games: Vec<Value> = (0..90).map(|_| server.game("tetris:10x20")).collect();
    let body = json!({"agent": "dt-20", "search": "expectimax:5"}).to_string();
    thread::scope(|scope| {
        let hints = |game: &Value| {
            let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
            server.client().request("POST", &path, Some(&body)).unwrap().status
        };
        let clients: Vec<_> = games.iter().map(|game| scope.spawn(move || hints(game))).collect();
        let answered = || clients.iter().filter(|client| client.is_finished()).count();
        until("the first hints", || answered() > 0);
        // No more: a hundred games are kept, and those that are thought about are among them.
        for _ in 0..5 {
            server.game("2048:4x4");
        }
        let before = answered();
        assert!(before <= 90 - 2 * 8, "{before} of 90 hints before five games were opened");
        for client in clients {
            assert_eq!(client.join().unwrap(), 200);
        }
    });
}

/// Sixteen MiB of a million moves, none of which a game has: they are parsed in full, then refused.
fn long_replay() -> String {
    let moves = vec!["\"xxxxxxxxxxxx\""; 1 << 20].join(",");
    let head = r#"{"format":"afterstate replay 1","program":"0","game":"2048:4x4","rules_version":1,
        "seed":1,"score":0,"moves":["#;
    format!("{head}{moves}]}}")
}

/// Eight clients send replays without a pause. Were these parsed on the threads that serve connections, a
/// short request would wait for the end of one of them each time.
#[test]
fn short_requests_are_answered_while_replays_are_parsed() {
    let server = Server::start();
    let body = long_replay();
    assert!((15 * MIB..16 * MIB).contains(&body.len()), "{} bytes", body.len());
    let (parsed, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (mut short, mut long) = (0, 0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let sent = server.client().request("POST", "/api/replays", Some(&body));
                    let (status, refused) = sent.unwrap().json();
                    assert!(status == 400 || status == 503, "{refused}");
                    parsed.fetch_add(usize::from(status == 400), Ordering::Relaxed);
                }
            });
        }
        until("replays are parsed", || parsed.load(Ordering::Relaxed) >= 2);
        let before = parsed.load(Ordering::Relaxed);
        while long < 12 {
            assert_eq!(server.get("/api/games").0, 200);
            short += 1;
            long = parsed.load(Ordering::Relaxed) - before;
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(short > 3 * long, "{short} short requests while {long} replays were parsed");
}

#[test]
fn an_agent_plays_a_limited_number_of_moves_in_a_request() {
    let server = Server::with_limits(false, Limits { moves: 100, ..Limits::default() });
    // A game that never ends.
    let game = server.game("1010:3x3,pieces=3");
    let path = format!("/api/games/{}/agent", game["id"].as_str().unwrap());
    let asked = json!({"revision": game["revision"], "agent": "greedy", "search": "greedy",
        "moves": 1_000_000_000, "ms": 2_000});
    let (status, played) = server.post(&path, &asked);
    assert_eq!((status, &played["moves"]), (200, &json!(100)), "{played}");
}

/// A request in which an agent thinks for half a minute is cut off, and the server ends.
#[test]
fn requests_that_outlast_the_end_of_the_server_are_cut_off() {
    let (think, shutdown) = (Duration::from_secs(30), Duration::from_millis(300));
    let limits = Limits { think, shutdown, ..Limits::default() };
    let mut server = Server::with_limits(false, limits);
    let game = server.game("tetris:10x20");
    let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
    let body = json!({"agent": "dt-20", "search": "expectimax:5"}).to_string();
    let mut client = server.client();
    let host = server.address;
    client
        .send(format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        ))
        .unwrap();
    // Who asks for the game waits while an agent thinks about it.
    until("it thinks", || {
        let mut other = TcpStream::connect(host).unwrap();
        other.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let game = path.trim_end_matches("/hints");
        other.write_all(format!("GET {game} HTTP/1.1\r\nhost: {host}\r\n\r\n").as_bytes()).unwrap();
        other.read(&mut [0; 12]).is_err()
    });
    server.stop.ask();
    let thread = server.thread.take().unwrap();
    until("the server has ended", || thread.is_finished());
    thread.join().unwrap().unwrap();
    assert!(client.response().is_err(), "there is no answer");
}

#[test]
fn settings_from_requests_name_no_file() {
    let server = Server::start();
    let folder = server.folder.clone();
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("agent.safetensors");
    fs::write(&file, "secret").unwrap();
    let path = file.to_str().unwrap();
    for (recipe, setting) in [
        ("2048-3x3", format!("network.agent={path}")),
        ("2048-3x3", format!(" network.agent = '{path}'")),
        ("2048-3x3", format!("network={{tuples='0134',agent='{path}'}}")),
        ("tetris-evaluation", format!("evaluation.agent={path}")),
        ("2048-3x3", format!("network.agent={path}.missing")),
        ("tetris-evaluation", format!("evaluation={{agent='{path}'}}")),
        ("tetris-evaluation", "evaluation.agent=/etc/passwd".to_owned()),
        ("2048-neural", format!("neural.agent={path}")),
        ("2048-neural", format!("neural.teacher={path}")),
        ("2048-neural", "neural.teacher=/dev/zero".to_owned()),
    ] {
        let budget =
            if recipe == "2048-3x3" { "network.initial=0" } else { "budget={episodes=10}" };
        // The first setting may replace the whole table.
        let request = json!({"recipe": recipe, "settings": [setting, budget]});
        let (status, refused) = server.post("/api/runs", &request);
        let error = refused["error"].as_str().unwrap_or_default();
        // Nothing is told about the file, not even whether there is one.
        let sentence = "is no agent in the program: use the command line to train from a file";
        assert!(status == 400 && error.ends_with(sentence), "{setting}: {refused}");
    }
    assert_eq!(server.get("/api/runs").1, json!([]));
}

#[test]
fn a_thousand_runs_are_enough() {
    let server = Server::start();
    for number in 0..1_000 {
        let run = server.runs().join(format!("run-{number}"));
        fs::create_dir_all(&run).unwrap();
        fs::write(run.join("recipe.toml"), "").unwrap();
    }
    let (status, refused) =
        server.post("/api/runs", &json!({"recipe": "2048-3x3", "seconds": 1.0}));
    assert_eq!(status, 503);
    let sentence = "there are 1000 runs, at most 1000 are allowed: delete some";
    assert!(refused["error"].as_str().unwrap().starts_with(sentence), "{refused}");
}

/// Trainings that are started and stopped again and again: what they leave is counted, also by a server that
/// was started later.
#[test]
fn trainings_that_are_started_and_stopped_end_at_the_quota_of_the_disk() {
    // What one training may take at most, and room for some that were stopped.
    let limits = Limits { disk: (576 << 20) + (4 << 20), ..Limits::default() };
    let mut server = Server::with_limits(false, limits);
    let request = json!({"recipe": "2048-3x3", "threads": 1, "games": 0, "seconds": 600.0,
        "settings": ["network.tuples=['0134', '0125']", "log.window=50"]});
    let mut started = 0;
    let refused = loop {
        let (status, answer) = server.post("/api/runs", &request);
        if status != 200 {
            assert_eq!(status, 503, "{answer}");
            break answer;
        }
        started += 1;
        assert!(started < 100, "nothing is refused");
        let name = answer["name"].as_str().unwrap();
        let state = || {
            let runs = server.get("/api/runs").1;
            let own = runs.as_array().unwrap().iter().find(|own| own["name"] == name).cloned();
            own.unwrap_or_default()
        };
        until("it plays", || state()["windows"].as_u64() > Some(0));
        assert_eq!(server.post(&format!("/api/runs/{name}/stop"), &json!({})).0, 200);
        until("it is stopped", || state()["training"]["state"] == "done");
    };
    assert!(started > 0, "{refused}");
    let error = refused["error"].as_str().unwrap();
    assert!(
        error.contains("the runs in the folder have") && error.contains("delete some"),
        "{error}"
    );
    // A server that is started anew counts the same runs.
    let runs = server.runs();
    server.stop().unwrap();
    let again = Server::with_limits(false, limits);
    fs::create_dir_all(&again.folder).unwrap();
    fs::rename(&runs, again.runs()).unwrap();
    let (status, answer) = again.post("/api/runs", &request);
    assert_eq!(status, 503, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("the runs in the folder have"), "{answer}");
}

#[test]
fn what_a_training_needs_is_compared_with_what_there_is() {
    let server = Server::start();
    // More disk than all trainings of a server may take, in memory that few machines lack.
    let tuples = "network.tuples=['012345', '345678', '012678', '036147', '147258', '036258']";
    let request = json!({"recipe": "2048-3x3", "settings":
        ["game=2048:4x4", tuples, "network.stages=[100,200,300,400,500,600,700]"]});
    // Ten billion scores of candidates.
    let candidates = ["weights.optimiser.population=100000", "weights.games.count=100000"];
    for request in [request, json!({"recipe": "tetris-ce", "settings": candidates})] {
        let (status, refused) = server.post("/api/runs", &request);
        let error = refused["error"].as_str().unwrap_or_default();
        assert_eq!(status, 503, "{refused}");
        assert!(error.contains("of disk") || error.contains("of memory"), "{refused}");
    }
    assert_eq!(server.get("/api/runs").1, json!([]));
}

#[test]
fn a_measurement_is_stopped() {
    let server = Server::start();
    let request = json!({"recipe": "2048-3x3", "threads": 1, "games": 10_000, "settings":
        ["game=2048:4x4", "network.tuples=['0123', '0145']", "budget.episodes=4000"]});
    // On a busy machine the games may be over before the request to stop arrives.
    let stopped = (1..=5).any(|number| {
        let run = format!("2048-3x3-{number}");
        assert_eq!(server.post("/api/runs", &request).0, 200);
        let state = || {
            let runs = server.get("/api/runs").1;
            let own = runs.as_array().unwrap().iter().find(|own| own["name"] == *run).unwrap();
            (own["training"]["state"].clone(), own["strength"].is_null())
        };
        until("it is measured", || ["measuring", "done"].iter().any(|&name| state().0 == name));
        server.post(&format!("/api/runs/{run}/stop"), &json!({}));
        until("it is done", || state().0 == "done");
        assert!(!server.runs().join(&run).join("stop").exists());
        state().1
    });
    assert!(stopped, "five measurements were not stopped");
}
