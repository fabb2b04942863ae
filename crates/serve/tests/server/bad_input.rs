//! Requests that are wrong, too large, or from elsewhere: a status and one sentence each.

use serde_json::json;

use crate::{Server, read};

#[test]
fn bodies_that_cannot_be_read_are_refused_in_words() {
    let server = Server::start();
    let mut client = server.client();
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("nonsense", 400),
        ("[]", 400),
        ("{}", 400),
        (r#"{"game":"2048:4x4"}"#, 400),
        (r#"{"game":"2048:4x4","seed":-1}"#, 400),
        (r#"{"game":"2048:4x4","seed":1e400}"#, 400),
        (r#"{"game":"chess","seed":1}"#, 400),
        (r#"{"game":"2048:400x400","seed":1}"#, 400),
        (r#"{"game":"tetris:pieces=@/etc/passwd","seed":1}"#, 400),
        (r#"{"game":"2048:4x4","seed":1,"colour":2}"#, 400),
        (r#"{"game":"2048:4x4","seed":1,"board":"nothing"}"#, 400),
    ] {
        let (met, told) = read(&client.ask("POST", "/api/games", Some(body)).unwrap());
        assert_eq!(met, status, "{body}: {told}");
        let error = told["error"].as_str().unwrap();
        assert!(!error.is_empty() && !error.contains('\n'), "{body}: {error}");
    }
    // The connection goes on, and so does the server.
    assert_eq!(client.ask("GET", "/", None).unwrap().status, 200);
    let host = server.address;
    let other = format!(
        "POST /api/games HTTP/1.1\r\nhost: {host}\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    assert_eq!(server.raw(&other).status, 415);
}

#[test]
fn what_is_not_there_is_said_not_to_be_there() {
    let server = Server::start();
    for path in [
        "/nowhere",
        "/api/nothing",
        "/page/nothing.js",
        "/api/games/g99",
        "/api/games/g99/replay",
        "/api/shows/s1/stream",
        "/api/results/nothing",
        "/api/chart?runs=nothing&against=games&of=score",
    ] {
        let (status, told) = server.get(path);
        assert_eq!(status, 404, "{path}: {told}");
        assert!(told["error"].as_str().unwrap().contains("expected"), "{told}");
    }
    for (path, body) in [
        ("/api/games/g1/move", json!({"revision": 1, "move": "left"})),
        ("/api/games/g1/hints", json!({"agent": "greedy", "search": "greedy"})),
        ("/api/runs", json!({"recipe": "nothing"})),
        ("/api/runs/nothing/stop", json!({})),
        ("/api/runs/nothing/resume", json!({})),
        ("/api/shows/s1", json!({"pace": 1.0})),
    ] {
        let (status, told) = server.post(path, &body);
        assert_eq!(status, 404, "{path}: {told}");
    }
    let game = server.game("2048:4x4");
    let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
    for agent in ["nobody", "/etc/passwd", "../agents/1010", "runs/../../x", ""] {
        let (status, told) = server.post(&path, &json!({"agent": agent, "search": "greedy"}));
        assert_eq!(status, 404, "{agent}: {told}");
    }
    assert_eq!(server.post("/", &json!({})).0, 405);
    assert_eq!(server.get("/api/agents").0, 400);
    assert_eq!(server.get("/api/agents?game=chess").0, 400);
}

#[test]
fn paths_with_dots_lead_nowhere() {
    let server = Server::start();
    let host = server.address;
    for path in [
        "/../Cargo.toml",
        "/page/../Cargo.toml",
        "/page/..%2f..%2fCargo.toml",
        "/page/%2e%2e/%2e%2e/Cargo.toml",
        "/page/....//Cargo.toml",
        "/page/..\\Cargo.toml",
        "/page//etc/passwd",
        "/page/%00",
        "/page/%ff%fe",
        "/api/results/..%2fREADME",
        "/api/results/..%2f..%2fCargo.toml",
        "/api/results/%2fetc%2fpasswd",
        "/api/runs/..%2f..%2fx/stop",
        "/api/games/..%2fg1",
    ] {
        let answer = server.raw(&format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n"));
        assert!([400, 404, 405].contains(&answer.status), "{path}: {}", answer.status);
        let body = String::from_utf8_lossy(&answer.body);
        assert!(!body.contains("[workspace]") && !body.contains("root:"), "{path}: {body}");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let server = Server::start();
    let large = format!("{{\"game\":\"{}\",\"seed\":1}}", "x".repeat(2 << 20));
    let mut client = server.client();
    // The server may answer and close before everything is sent.
    let status = client.ask("POST", "/api/games", Some(&large)).map(|answer| answer.status);
    assert!(status.as_ref().is_ok_and(|&status| status == 413) || status.is_err(), "{status:?}");
    let host = server.address;
    let promise = format!(
        "POST /api/games HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: 99999999999\r\n\r\n{{"
    );
    assert_eq!(server.raw(&promise).status, 413);
    let long = format!("GET /{} HTTP/1.1\r\nhost: {host}\r\n\r\n", "x".repeat(1 << 20));
    let mut client = server.client();
    let _ = client.send(&long);
    let status = client.answer().map(|answer| answer.status);
    assert!(status.as_ref().is_ok_and(|status| [414, 431].contains(status)) || status.is_err());
    for (rules, status) in
        [("2048:4x4".to_owned(), 200), ("tetris:".to_owned() + &"next,".repeat(900), 400)]
    {
        assert_eq!(server.post("/api/games", &json!({"game": rules, "seed": 1})).0, status);
    }
    let game = server.game("2048:4x4");
    let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
    for search in ["expectimax:64", "expectimax:3600000ms", "plain-minimax:3", "deep", ""] {
        let (status, told) = server.post(&path, &json!({"agent": "greedy", "search": search}));
        assert_eq!(status, 400, "{search}: {told}");
    }
    let players = vec![json!({"agent": "random", "search": "greedy"}); 7];
    let show = json!({"game": "2048:4x4", "seed": 1, "players": players, "pace": null});
    assert_eq!(server.post("/api/shows", &show).0, 400);
}

#[test]
fn what_is_no_http_harms_nobody() {
    let server = Server::start();
    for garbage in
        ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "🦀 / HTTP/1.1\r\n\r\n"]
    {
        let mut client = server.client();
        client.send(garbage).unwrap();
        if let Ok(answer) = client.answer() {
            assert!(answer.status >= 400, "{garbage:?}: {}", answer.status);
        }
    }
    assert_eq!(server.client().ask("GET", "/", None).unwrap().status, 200);
}

#[test]
fn nobody_else_drives_the_server() {
    let server = Server::start();
    let (host, body) = (server.address, r#"{"game":"2048:4x4","seed":1}"#);
    let (port, length) = (host.port(), body.len());
    let asked = |head: &str| {
        let request = format!(
            "POST /api/games HTTP/1.1\r\n{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        read(&server.raw(&request))
    };
    for head in [
        format!("host: {host}\r\n"),
        format!("host: localhost:{port}\r\n"),
        format!("host: {host}\r\norigin: http://{host}\r\nsec-fetch-site: same-origin\r\n"),
    ] {
        assert_eq!(asked(&head).0, 200, "{head}");
    }
    for head in [
        // Another page, by any of the signs that browsers give.
        format!("host: {host}\r\norigin: http://evil.example\r\n"),
        format!("host: {host}\r\norigin: null\r\n"),
        format!("host: {host}\r\norigin: http://{host}.evil.example\r\n"),
        format!("host: {host}\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n"),
        // A name that somebody else points at this address.
        format!("host: evil.example:{port}\r\n"),
        "host: evil.example\r\n".to_owned(),
        format!("host: 127.0.0.1:{}\r\n", port ^ 1),
        "host: \r\n".to_owned(),
        String::new(),
    ] {
        let (status, told) = asked(&head);
        assert_eq!(status, 403, "{head}: {told}");
        assert!(told["error"].as_str().unwrap().starts_with("met "), "{told}");
    }
    // A link may open the page, and the page may be in no other page's frame.
    let link = format!(
        "GET / HTTP/1.1\r\nhost: {host}\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\n\r\n"
    );
    let page = server.raw(&link);
    assert_eq!(page.status, 200);
    for header in ["frame-ancestors 'none'", "default-src 'none'", "nosniff", "no-referrer"] {
        assert!(page.head.contains(header), "{}", page.head);
    }
    assert!(!page.head.to_ascii_lowercase().contains("access-control-allow"), "{}", page.head);
}
