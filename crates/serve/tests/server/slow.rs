//! Limits that are reached by waiting, or by many connections at once.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Server, until};

/// What a slow client gets until the server closes the connection.
fn answer(mut client: TcpStream) -> String {
    client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut answer = String::new();
    let _ = client.read_to_string(&mut answer);
    answer
}

/// A connection on which something was sent.
fn sent(server: &Server, text: &str) -> TcpStream {
    let mut client = TcpStream::connect(server.address).unwrap();
    client.write_all(text.as_bytes()).unwrap();
    client
}

#[test]
fn slow_headers_slow_bodies_and_idle_connections_are_given_up() {
    let server = Server::start();
    let host = server.address;
    let half = format!("GET / HTTP/1.1\r\nhost: {host}\r\n");
    let body = |path: &str| {
        format!(
            "POST /api/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: 50\r\n\r\n{{"
        )
    };
    let idle = format!("GET /nowhere HTTP/1.1\r\nhost: {host}\r\n\r\n");
    let begin = Instant::now();
    let clients = [&half, &body("games"), &body("replays"), &idle].map(|text| sent(&server, text));
    let [half, games, replays, idle] = thread::scope(|scope| {
        clients
            .map(|client| scope.spawn(move || answer(client)))
            .map(|thread| thread.join().unwrap())
    });
    assert!(begin.elapsed() > Duration::from_secs(9), "they have ten seconds");
    assert!(half.is_empty() || half.starts_with("HTTP/1.1 408"), "{half}");
    for answer in [games, replays] {
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("request body not received within 10 s"), "{answer}");
    }
    // It was answered, and closed when nothing followed.
    assert!(idle.starts_with("HTTP/1.1 404") && idle.matches("HTTP/1.1").count() == 1, "{idle}");
}

#[test]
fn replays_that_wait_for_others_are_refused_after_ten_seconds() {
    let server = Server::start();
    let host = server.address;
    let stalled = format!(
        "POST /api/replays HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: 50\r\n\r\n{{"
    );
    // Four are received, four wait for them, and so does the next for whom no time is left.
    let clients: Vec<TcpStream> = (0..12).map(|_| sent(&server, &stalled)).collect();
    let answers: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> =
            clients.into_iter().map(|client| scope.spawn(move || answer(client))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let refused = answers.iter().filter(|answer| {
        answer.starts_with("HTTP/1.1 503") && answer.contains("other replays are being received")
    });
    assert!(refused.count() >= 4, "{answers:?}");
    assert!(answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 408")).count() >= 4);
}

#[test]
fn connections_beyond_4096_wait_until_one_is_closed() {
    let server = Server::start();
    let request = format!("GET /nowhere HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    // Idle connections are closed after ten seconds: a machine that is too busy tries again.
    for _ in 0..5 {
        let begin = Instant::now();
        let (mut open, mut answer) = (Vec::new(), [0; 12]);
        while open.len() < 4_096 {
            open.extend((0..63).map(|_| TcpStream::connect(server.address).unwrap()));
            // The server has accepted all of them when the next one is answered: the system keeps few
            // that are not accepted yet.
            let mut client = sent(&server, &request);
            client.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"HTTP/1.1 404");
            open.push(client);
        }
        let mut next = sent(&server, &request);
        next.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let waited = next.read_exact(&mut answer);
        if begin.elapsed() > Duration::from_secs(9) {
            continue;
        }
        let kind = waited.unwrap_err().kind();
        assert!([ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&kind), "{kind:?}");
        open.truncate(4_000);
        next.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        next.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 404");
        return;
    }
    panic!("4096 connections took more than nine seconds, five times");
}

/// Clients that ask for the page again and again and never read it fill what the system keeps for them; the
/// server is stopped all the same. A server that waited for them would not end.
#[test]
fn clients_that_never_read_hold_up_no_end() {
    let mut server = Server::start();
    let host = server.address;
    let request = format!("GET / HTTP/1.1\r\nhost: {host}\r\n\r\n").repeat(1_000);
    let clients: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut client = TcpStream::connect(host).unwrap();
            client.set_nonblocking(true).unwrap();
            // Sent until the server takes no more requests.
            let _ = client.write_all(request.as_bytes());
            client
        })
        .collect();
    // Others are answered meanwhile.
    assert_eq!(server.get("/nowhere").0, 404);
    server.stop.ask();
    let thread = server.thread.take().unwrap();
    until("the server has ended", || thread.is_finished());
    thread.join().unwrap().unwrap();
    drop(clients);
}

#[test]
fn twelve_streams_are_watched_and_no_more() {
    let server = Server::start();
    let host = server.address;
    let player = json!({"agent": "random", "search": "greedy"});
    let new = json!({"game": "2048:2x2", "seed": 1, "players": [player], "pace": 0.0});
    let watch = || {
        let (status, opened) = server.post("/api/streams", &new);
        assert_eq!(status, 200, "{opened}");
        let id = opened["id"].as_str().unwrap();
        let mut client = server.client();
        let events = format!("GET /api/streams/{id}/events HTTP/1.1\r\nhost: {host}\r\n\r\n");
        client.send(&events).unwrap();
        (client.head().unwrap().0, client)
    };
    let mut watchers: Vec<_> = (0..12).map(|_| watch()).collect();
    assert!(watchers.iter().all(|(status, _)| *status == 200));
    assert_eq!(watch().0, 503);
    watchers.pop();
    until("there is a place again", || watch().0 == 200);
}

#[test]
fn settings_have_a_number_and_a_length() {
    let server = Server::start();
    let start = |settings: Vec<String>| {
        server.post("/api/runs", &json!({"recipe": "2048-3x3", "settings": settings}))
    };
    for settings in [vec!["seed=1".to_owned(); 65], vec![format!("seed={}", "1".repeat(2_000))]] {
        let (status, refused) = start(settings);
        let sentence = "too many or too long settings: at most 64 of 2000 bytes";
        assert_eq!((status, refused["error"].as_str()), (400, Some(sentence)));
    }
    // As many as are allowed are read.
    let (status, refused) = start(vec!["colour=1".to_owned(); 64]);
    assert!(status == 400 && refused["error"].as_str().unwrap().contains("colour"), "{refused}");
}

#[test]
fn a_body_has_64_kib() {
    let server = Server::start();
    let body = |length: usize| {
        let empty = r#"{"game":"2048:2x2","seed":1,"board":""}"#.len();
        format!(r#"{{"game":"2048:2x2","seed":1,"board":"{}"}}"#, "x".repeat(length - empty))
    };
    let status = |length: usize| {
        server.client().request("POST", "/api/games", Some(&body(length))).unwrap().status
    };
    assert_eq!((status(1 << 16), status((1 << 16) + 1)), (400, 413));
}
