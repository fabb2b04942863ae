//! Many clients, and clients that disconnect.

use std::collections::BTreeSet;
use std::thread;

use afterstate_serve::client::Client;
use serde_json::{Value, json};

use crate::{Server, until};

fn open_stream(server: &Server, players: usize) -> String {
    let players = vec![json!({"agent": "random", "search": "greedy"}); players];
    let stream = json!({"game": "2048:4x4", "seed": 1, "players": players, "pace": null});
    let (status, opened) = server.post("/api/streams", &stream);
    assert_eq!(status, 200, "{opened}");
    opened["id"].as_str().unwrap().to_owned()
}

/// Watches a stream; returns the status and the client.
fn watch(server: &Server, id: &str) -> (u16, Client) {
    let (mut client, host) = (server.client(), server.address);
    client.send(format!("GET /api/streams/{id}/events HTTP/1.1\r\nhost: {host}\r\n\r\n")).unwrap();
    (client.head().unwrap().0, client)
}

/// Reads events until every board has sent one, and returns the last update.
fn read_boards(client: &mut Client, count: usize) -> Value {
    let mut boards = BTreeSet::new();
    loop {
        let line = client.line().unwrap().unwrap();
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let event: Value = serde_json::from_str(data).unwrap();
        let updates = event["boards"].as_array().unwrap();
        boards.extend(updates.iter().map(|update| update["board"].as_u64().unwrap()));
        if boards.len() == count {
            return updates.last().unwrap().clone();
        }
    }
}

#[test]
fn a_stream_has_one_watcher_and_ends_with_its_connection() {
    let mut server = Server::start();
    let id = open_stream(&server, 3);
    let (status, mut watcher) = watch(&server, &id);
    assert_eq!(status, 200);
    let update = read_boards(&mut watcher, 3);
    assert!(update["view"]["finished"].is_boolean(), "{update}");
    assert!(update["summary"]["games"].is_u64(), "{update}");
    assert_eq!(watch(&server, &id).0, 409, "a second watcher");
    drop(watcher);
    let mut again = None;
    until("the stream can be watched again", || {
        let (status, watcher) = watch(&server, &id);
        again = Some(watcher);
        status == 200
    });
    let mut again = again.unwrap();
    read_boards(&mut again, 3);
    server.stop().unwrap();
    // The server ends the stream.
    while again.line().unwrap().is_some() {}
}

#[test]
fn a_thousand_connections_are_served() {
    let server = Server::start();
    let game = server.game("2048:4x4");
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    let mut clients: Vec<Client> = (0..1_000).map(|_| server.client()).collect();
    for client in &mut clients {
        let (status, seen) = client.request("GET", &path, None).unwrap().json();
        assert_eq!((status, &seen["state"]), (200, &game["state"]));
    }
    // Half of them disconnect in the middle of a request; the others are still served.
    for client in clients.iter_mut().take(500) {
        client.send("POST /api/games HTTP/1.1\r\ncontent-length: 100\r\n").unwrap();
    }
    clients.drain(..500);
    for client in &mut clients {
        assert_eq!(client.request("GET", "/page/style.css", None).unwrap().status, 200);
    }
}

#[test]
fn computations_wait_or_are_refused_and_all_clients_get_a_response() {
    let server = Server::start();
    let game = server.game("tetris:10x20");
    let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
    let body = json!({"agent": "dt-20", "search": "expectimax:2"}).to_string();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let request = || server.client().request("POST", &path, Some(&body)).unwrap().status;
        let clients: Vec<_> = (0..200).map(|_| scope.spawn(request)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&200));
    assert_eq!(server.client().request("GET", "/", None).unwrap().status, 200);
}

#[test]
fn a_new_game_evicts_the_least_recently_used() {
    let server = Server::start();
    let mut client = server.client();
    let mut open = || -> Value {
        let body = r#"{"game":"2048:2x2","seed":1}"#;
        let (status, game) = client.request("POST", "/api/games", Some(body)).unwrap().json();
        assert_eq!(status, 200, "{game}");
        game["id"].clone()
    };
    let first = open();
    let last = (0..100).map(|_| open()).last().unwrap();
    let get = |id: &Value| server.get(&format!("/api/games/{}", id.as_str().unwrap())).0;
    assert_eq!((get(&first), get(&last)), (404, 200));
    let closed = format!("/api/games/{}", last.as_str().unwrap());
    assert_eq!(client.request("DELETE", &closed, None).unwrap().status, 200);
    assert_eq!(get(&last), 404);
}
