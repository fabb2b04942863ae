//! Requests that are invalid, too large, or from another origin: a status and one sentence each.

use serde_json::json;

use crate::Server;

#[test]
fn invalid_bodies_are_refused_with_one_sentence() {
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
        (r#"{"ga\nme":"2048:4x4","seed":1}"#, 400),
        (r#"{"game":"2048:4x4","seed":1,"board":"nothing"}"#, 400),
    ] {
        let (actual, refused) = client.request("POST", "/api/games", Some(body)).unwrap().json();
        assert_eq!(actual, status, "{body}: {refused}");
        let error = refused["error"].as_str().unwrap();
        assert!(!error.is_empty() && !error.contains('\n'), "{body}: {error}");
    }
    for (path, body, sentence) in [
        (
            "games",
            "[]",
            "invalid JSON body: the request is a list, but must be an object at line 1 column 2",
        ),
        ("games", r#"{"seed":1}"#, "invalid JSON body: game is missing at line 1 column 10"),
        (
            "games",
            r#"{"game":"2048:4x4","seed":"x"}"#,
            "invalid JSON body: seed is \"x\", but must be a whole number, 0 or more at line 1 column 29",
        ),
        (
            "games",
            r#"{"game":"2048:4x4","seed":-1}"#,
            "invalid JSON body: seed is -1, but must be a whole number, 0 or more at line 1 column 28",
        ),
        (
            "games",
            r#"{"colour":2}"#,
            "invalid JSON body: unknown field `colour` in the request: the fields are game, seed, board at line 1 column 9",
        ),
        (
            "runs",
            r#"{"recipe":"2048","settings":{"seed":1}}"#,
            "invalid JSON body: settings is an object, but must be a list at line 1 column 28",
        ),
        (
            "replays",
            r#"{"format":"afterstate replay 1"}"#,
            "the file is not a replay: program is missing at line 1 column 32",
        ),
    ] {
        let path = format!("/api/{path}");
        let (status, refused) = client.request("POST", &path, Some(body)).unwrap().json();
        assert_eq!((status, refused["error"].as_str()), (400, Some(sentence)), "{body}");
    }
    // A line break in the name of a setting is none in the sentence.
    for setting in ["log.w\ndow=1", "col\nour=1", "log={'w\\ndow'=1}", "'col\nour'.x=1"] {
        let body = json!({"recipe": "2048-3x3", "settings": [setting]});
        let (status, refused) = server.post("/api/runs", &body);
        let error = refused["error"].as_str().unwrap();
        assert!(status == 400 && !error.contains(char::is_control), "{setting:?}: {error:?}");
    }
    // The connection stays open.
    assert_eq!(client.request("GET", "/", None).unwrap().status, 200);
    let host = server.address;
    let other = format!(
        "POST /api/games HTTP/1.1\r\nhost: {host}\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    assert_eq!(server.raw(&other).status, 415);
}

#[test]
fn unknown_names_are_not_found() {
    let server = Server::start();
    for path in [
        "/nowhere",
        "/api/nothing",
        "/page/nothing.js",
        "/api/games/g99",
        "/api/games/g99/replay",
        "/api/streams/s1/events",
        "/api/results/nothing",
        "/api/curves?runs=nothing",
    ] {
        let (status, refused) = server.get(path);
        assert_eq!(status, 404, "{path}: {refused}");
        assert!(refused["error"].as_str().unwrap().starts_with("unknown "), "{refused}");
    }
    for (path, body) in [
        ("/api/games/g1/move", json!({"revision": 1, "move": "left"})),
        ("/api/games/g1/hints", json!({"agent": "greedy", "search": "greedy"})),
        ("/api/runs", json!({"recipe": "nothing"})),
        ("/api/runs/nothing/stop", json!({})),
        ("/api/runs/nothing/resume", json!({})),
        ("/api/streams/s1", json!({"pace": 1.0})),
    ] {
        let (status, refused) = server.post(path, &body);
        assert_eq!(status, 404, "{path}: {refused}");
    }
    let game = server.game("2048:4x4");
    let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
    for agent in ["nobody", "/etc/passwd", "../agents/1010", "runs/../../x", ""] {
        let (status, refused) = server.post(&path, &json!({"agent": agent, "search": "greedy"}));
        assert_eq!(status, 404);
        assert_eq!(refused["error"], format!("unknown agent {agent:?}"));
    }
    assert_eq!(server.post("/", &json!({})).0, 405);
    assert_eq!(server.get("/api/agents").0, 400);
    assert_eq!(server.get("/api/agents?game=chess").0, 400);
}

#[test]
fn paths_with_dots_are_not_found() {
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
        let response = server.raw(&format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n"));
        assert!([400, 404, 405].contains(&response.status), "{path}: {}", response.status);
        let body = String::from_utf8_lossy(&response.body);
        assert!(!body.contains("[workspace]") && !body.contains("root:"), "{path}: {body}");
    }
}

#[test]
fn requests_beyond_the_limits_are_refused() {
    let server = Server::start();
    let large = format!("{{\"game\":\"{}\",\"seed\":1}}", "x".repeat(2 << 20));
    let mut client = server.client();
    // The server may respond and close the connection before the body is sent.
    let status = client.request("POST", "/api/games", Some(&large)).map(|response| response.status);
    assert!(status.as_ref().is_ok_and(|&status| status == 413) || status.is_err(), "{status:?}");
    let host = server.address;
    let announced = format!(
        "POST /api/games HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: 99999999999\r\n\r\n{{"
    );
    assert_eq!(server.raw(&announced).status, 413);
    let long = format!("GET /{} HTTP/1.1\r\nhost: {host}\r\n\r\n", "x".repeat(1 << 20));
    let mut client = server.client();
    let _ = client.send(&long);
    let status = client.response().map(|response| response.status);
    assert!(status.as_ref().is_ok_and(|status| [414, 431].contains(status)) || status.is_err());
    for (rules, status) in
        [("2048:4x4".to_owned(), 200), ("tetris:".to_owned() + &"next,".repeat(900), 400)]
    {
        assert_eq!(server.post("/api/games", &json!({"game": rules, "seed": 1})).0, status);
    }
    let game = server.game("2048:4x4");
    let path = format!("/api/games/{}/hints", game["id"].as_str().unwrap());
    for search in ["expectimax:64", "expectimax:3600000ms", "plain-minimax:3", "deep", ""] {
        let (status, refused) = server.post(&path, &json!({"agent": "greedy", "search": search}));
        assert_eq!(status, 400, "{search}: {refused}");
    }
    let players = vec![json!({"agent": "random", "search": "greedy"}); 7];
    let stream = json!({"game": "2048:4x4", "seed": 1, "players": players, "pace": null});
    assert_eq!(server.post("/api/streams", &stream).0, 400);
}

#[test]
fn a_search_by_an_agent_without_values_is_refused() {
    let server = Server::start();
    let game = server.game("2048:4x4");
    let path = |what: &str| format!("/api/games/{}/{what}", game["id"].as_str().unwrap());
    let player = json!({"agent": "random", "search": "expectimax:2"});
    let mut play = json!({"revision": 1, "moves": 5, "ms": 1000});
    play.as_object_mut().unwrap().extend(player.as_object().unwrap().clone());
    let stream = json!({"game": "2048:4x4", "seed": 1, "players": [player], "pace": null});
    for (path, body) in [
        (path("hints"), &player),
        (path("explain"), &player),
        (path("agent"), &play),
        ("/api/streams".to_owned(), &stream),
    ] {
        let (status, refused) = server.post(&path, body);
        let sentence =
            "random has no values to search with: use the search greedy, not expectimax:2";
        assert_eq!((status, refused["error"].as_str()), (400, Some(sentence)), "{path}");
    }
}

#[test]
fn malformed_http_is_refused() {
    let server = Server::start();
    for garbage in
        ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "🦀 / HTTP/1.1\r\n\r\n"]
    {
        let mut client = server.client();
        client.send(garbage).unwrap();
        if let Ok(response) = client.response() {
            assert!(response.status >= 400, "{garbage:?}: {}", response.status);
        }
    }
    assert_eq!(server.client().request("GET", "/", None).unwrap().status, 200);
}

#[test]
fn other_origins_and_hosts_are_refused() {
    let server = Server::start();
    let (host, body) = (server.address, r#"{"game":"2048:4x4","seed":1}"#);
    let (port, length) = (host.port(), body.len());
    let post = |head: &str| {
        let request = format!(
            "POST /api/games HTTP/1.1\r\n{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        server.raw(&request).json()
    };
    for head in [
        format!("host: {host}\r\n"),
        format!("host: localhost:{port}\r\n"),
        format!("host: {host}\r\norigin: http://{host}\r\nsec-fetch-site: same-origin\r\n"),
    ] {
        assert_eq!(post(&head).0, 200, "{head}");
    }
    for head in [
        // Another origin, by any header that browsers send.
        format!("host: {host}\r\norigin: http://evil.example\r\n"),
        format!("host: {host}\r\norigin: null\r\n"),
        format!("host: {host}\r\norigin: http://{host}.evil.example\r\n"),
        format!("host: {host}\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n"),
        // DNS rebinding: another name that resolves to this address.
        format!("host: evil.example:{port}\r\n"),
        "host: evil.example\r\n".to_owned(),
        format!("host: 127.0.0.1:{}\r\n", port ^ 1),
        "host: \r\n".to_owned(),
        String::new(),
    ] {
        let (status, refused) = post(&head);
        assert_eq!(status, 403, "{head}: {refused}");
        let error = refused["error"].as_str().unwrap();
        assert!(error.starts_with("host ") || error.ends_with("are not allowed"), "{error}");
    }
    // A link may open the page, but no other page may embed it.
    let link = format!(
        "GET / HTTP/1.1\r\nhost: {host}\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\n\r\n"
    );
    let page = server.raw(&link);
    assert_eq!(page.status, 200);
    for header in ["frame-ancestors 'none'", "default-src 'none'", "nosniff", "no-referrer"] {
        assert!(page.headers.contains(header), "{}", page.headers);
    }
    assert!(
        !page.headers.to_ascii_lowercase().contains("access-control-allow"),
        "{}",
        page.headers
    );
}
