//! Every limit of the server that `SECURITY.md` states, reached.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

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

#[test]
fn deep_searches_do_not_delay_new_games() {
    let server = Server::start();
    let games: Vec<Value> = (0..30).map(|_| server.game("tetris:10x20")).collect();
    let body = json!({"agent": "dt-20", "search": "expectimax:4"}).to_string();
    thread::scope(|scope| {
        let hints = |game: &Value| {
            let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
            server.client().request("POST", &path, Some(&body)).unwrap().status
        };
        let clients: Vec<_> = games.iter().map(|game| scope.spawn(move || hints(game))).collect();
        // While they think, all of them are still being served: games are opened at once.
        let mut opened = 0;
        while !clients.iter().any(thread::ScopedJoinHandle::is_finished) {
            server.game("2048:4x4");
            opened += 1;
        }
        assert!(opened >= 3, "{opened} games before the first of 30 hints");
        for client in clients {
            assert!([200, 503].contains(&client.join().unwrap()));
        }
    });
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
