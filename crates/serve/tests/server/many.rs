//! Many clients, and clients that go away: the others notice nothing, and nothing is left behind.

use std::io::Read;
use std::thread;

use afterstate_serve::load::Client;
use serde_json::{Value, json};

use crate::{Server, read, threads, until};

fn show(server: &Server, players: usize) -> String {
    let players = vec![json!({"agent": "random", "search": "greedy"}); players];
    let show = json!({"game": "2048:4x4", "seed": 1, "players": players, "pace": null});
    let (status, opened) = server.post("/api/shows", &show);
    assert_eq!(status, 200, "{opened}");
    opened["id"].as_str().unwrap().to_owned()
}

fn watch(server: &Server, id: &str) -> Client {
    let mut client = server.client();
    let host = server.address;
    client.send(&format!("GET /api/shows/{id}/stream HTTP/1.1\r\nhost: {host}\r\n\r\n")).unwrap();
    let mut some = [0; 600];
    client.raw().read_exact(&mut some).unwrap();
    assert!(String::from_utf8_lossy(&some).starts_with("HTTP/1.1 200"));
    client
}

#[test]
fn a_client_that_vanishes_takes_its_show_along() {
    let mut server = Server::start();
    let id = show(&server, 3);
    let watching = watch(&server, &id);
    assert!(threads("lane") >= 3);
    let host = server.address;
    let second =
        server.raw(&format!("GET /api/shows/{id}/stream HTTP/1.1\r\nhost: {host}\r\n\r\n"));
    assert_eq!(second.status, 409, "one show, one watcher");
    drop(watching);
    until("the threads of the show end", || threads("lane") == 0);
    // It can be watched again, and ends with the server.
    let again = watch(&server, &id);
    assert!(threads("lane") >= 3);
    server.end().unwrap();
    until("the threads end with the server", || threads("lane") == 0);
    drop(again);
}

#[test]
fn a_thousand_connections_are_served() {
    let server = Server::start();
    let game = server.game("2048:4x4");
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    let mut clients: Vec<Client> = (0..1_000).map(|_| server.client()).collect();
    for client in &mut clients {
        let (status, seen) = read(&client.ask("GET", &path, None).unwrap());
        assert_eq!((status, &seen["state"]), (200, &game["state"]));
    }
    // Half of them go in the middle of a request; the others are still served.
    for client in clients.iter_mut().take(500) {
        client.send("POST /api/games HTTP/1.1\r\ncontent-length: 100\r\n").unwrap();
    }
    clients.drain(..500);
    for client in &mut clients {
        assert_eq!(client.ask("GET", "/page/style.css", None).unwrap().status, 200);
    }
}

#[test]
fn computations_wait_or_are_refused_and_all_clients_are_answered() {
    let server = Server::start();
    let game = server.game("tetris:10x20");
    let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
    let body = json!({"agent": "dt-20", "search": "expectimax:2"}).to_string();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let ask = || server.client().ask("POST", &path, Some(&body)).unwrap().status;
        let clients: Vec<_> = (0..200).map(|_| scope.spawn(ask)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&200));
    assert_eq!(server.client().ask("GET", "/", None).unwrap().status, 200);
}

#[test]
fn games_left_alone_make_room_for_new_ones() {
    let server = Server::start();
    let mut client = server.client();
    let mut open = || -> Value {
        let body = r#"{"game":"2048:2x2","seed":1}"#;
        let (status, game) = read(&client.ask("POST", "/api/games", Some(body)).unwrap());
        assert_eq!(status, 200, "{game}");
        game["id"].clone()
    };
    let first = open();
    let last = (0..100).map(|_| open()).last().unwrap();
    let look = |id: &Value| server.get(&format!("/api/games/{}", id.as_str().unwrap())).0;
    assert_eq!((look(&first), look(&last)), (404, 200));
    let closed = format!("/api/games/{}", last.as_str().unwrap());
    assert_eq!(client.ask("DELETE", &closed, None).unwrap().status, 200);
    assert_eq!(look(&last), 404);
}
