//! The memory of the server stays flat over many requests of every kind, good and bad. Alone in its
//! process, whose memory is measured; `cargo xtask requests` sends a million.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod start;

use std::net::SocketAddr;
use std::thread;

use afterstate_serve::client::Client;
use afterstate_values::memory::own;
use serde_json::json;

use self::start::{Started, start};

/// Clients that send at the same time.
const CLIENTS: u64 = 4;

/// What memory may grow by after the stores of the server are full.
const MAX_GROWTH: u64 = 16 << 20;

/// Requests in the test command, or as many as a long run asks for.
fn requests() -> u64 {
    std::env::var("SERVER_REQUESTS").ok().map_or(20_000, |count| count.parse().unwrap())
}

/// Sends requests on one connection after the other: pages, games that are opened, played and left,
/// hints, agents, streams, refused bodies, unknown paths, and clients that go away in mid-request.
fn visit(address: SocketAddr, count: u64) {
    let (mut client, mut game) = (Client::connect(address).unwrap(), String::new());
    for number in 0..count {
        let get = |path: &str| ("GET", path.to_owned(), None);
        let post = |path: String, body: serde_json::Value| ("POST", path, Some(body.to_string()));
        let (method, path, body) = match number % 12 {
            0 => post("/api/games".to_owned(), json!({"game": "2048:4x4", "seed": number})),
            1 => get("/"),
            2 => get("/page/style.css"),
            3 => post(format!("/api/games/{game}/move"), json!({"revision": 1, "move": "left"})),
            4 => post(
                format!("/api/games/{game}/hints"),
                json!({"agent": "greedy", "search": "greedy"}),
            ),
            5 => get(&format!("/api/games/{game}/replay")),
            6 => get("/api/agents?game=tetris:10x20"),
            7 => get("/nowhere"),
            8 => post("/api/games".to_owned(), json!({"game": "x".repeat(30_000), "seed": 1})),
            9 => post(
                "/api/streams".to_owned(),
                json!({"game": "2048:3x3", "seed": number, "pace": null,
                    "players": [{"agent": "random", "search": "greedy"}]}),
            ),
            10 => get("/api/runs"),
            _ => ("DELETE", format!("/api/games/{game}"), None),
        };
        let response = client.request(method, &path, body.as_deref()).unwrap();
        assert!(response.status < 500, "{method} {path}: {}", response.status);
        if number % 12 == 0 {
            game = response.json().1["id"].as_str().unwrap().to_owned();
        }
        if number % 100 == 99 {
            // It disconnects in the middle of a request.
            client.send("POST /api/games HTTP/1.1\r\ncontent-length: 100\r\n\r\n{").unwrap();
            client = Client::connect(address).unwrap();
        }
    }
}

#[test]
fn memory_is_flat_over_many_requests() {
    let folder = std::env::temp_dir().join(format!("afterstate-requests-{}", std::process::id()));
    let Started { address, stop, thread, .. } = start(&folder, false);
    let all = |count: u64| {
        thread::scope(|scope| {
            (0..CLIENTS).for_each(|_| _ = scope.spawn(|| visit(address, count / CLIENTS)));
        });
    };
    // The first requests fill the stores of games, streams and agents.
    all(5_000);
    let Some(before) = own() else { return };
    all(requests());
    let after = own().unwrap();
    let growth = after.saturating_sub(before);
    let (before, after) = (before >> 10, after >> 10);
    // Shown by a long run.
    #[allow(clippy::print_stdout, reason = "what a long run has measured")]
    {
        println!("{} requests: {before} KiB before, {after} KiB after", requests());
    }
    assert!(growth < MAX_GROWTH, "{before} KiB before, {after} KiB after");
    stop.ask();
    thread.join().unwrap().unwrap();
}
