//! A server that needs a token: every way in, and every refusal.

use serde_json::json;

use crate::Server;

/// The status of a request, and the cookie that the response sets.
fn request(server: &Server, line: &str, headers: &str) -> (u16, Option<String>, String) {
    let host = server.address;
    let response = server
        .raw(&format!("{line} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: 0\r\n\r\n"));
    let set = response.headers.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("set-cookie").then(|| value.to_owned())
    });
    (response.status, set, String::from_utf8(response.body).unwrap())
}

fn token(server: &Server) -> String {
    server.tokens.lock().unwrap().recv().unwrap().token.unwrap()
}

#[test]
fn without_a_token_nothing_is_answered() {
    let server = Server::with(true);
    let token = token(&server);
    let wrong = token.replace(|_: char| true, "0");
    let almost = format!("{}{}", &token[..31], if token.ends_with('0') { '1' } else { '0' });
    for line in [
        "GET /".to_owned(),
        "GET /page/main.js".to_owned(),
        "GET /nowhere".to_owned(),
        "GET /api/runs".to_owned(),
        "GET /api/results".to_owned(),
        "POST /api/runs".to_owned(),
        "DELETE /api/games/g1".to_owned(),
        "GET /?token=".to_owned(),
        format!("GET /?token={wrong}"),
        format!("GET /?token={almost}"),
        format!("GET /?token={}", &token[..31]),
        format!("GET /?token={token}0"),
        format!("GET /?token={token}&x=1"),
        format!("GET /?x=1&token={token}"),
        format!("GET /api/runs?token={token}"),
        format!("GET /page/main.js?token={token}"),
        format!("POST /?token={token}"),
    ] {
        let (status, cookie, body) = request(&server, &line, "");
        assert_eq!((status, cookie), (401, None), "{line}: {body}");
        assert!(body.contains("open the newest link"), "{body}");
    }
    let name = format!("afterstate-{}", server.address.port());
    for headers in [
        format!("cookie: {name}=\r\n"),
        format!("cookie: {name}={wrong}\r\n"),
        // The token is no cookie.
        format!("cookie: {name}={token}\r\n"),
        format!("cookie: afterstate={token}\r\n"),
        format!("authorization: Bearer {token}\r\n"),
        "cookie: \u{e9}\r\n".to_owned(),
    ] {
        assert_eq!(request(&server, "GET /", &headers).0, 401, "{headers}");
    }
    // None of it has used the token.
    assert_eq!(request(&server, &format!("GET /?token={token}"), "").0, 303);
}

#[test]
fn a_token_works_once_and_its_cookie_until_the_server_stops() {
    let server = Server::with(true);
    let first = token(&server);
    // Another site cannot use it, not even with the link: the guard comes first.
    let foreign = "origin: http://evil.example\r\n";
    assert_eq!(request(&server, &format!("GET /?token={first}"), foreign).0, 403);
    let (status, cookie, _) = request(&server, &format!("GET /?token={first}"), "");
    let cookie = cookie.unwrap();
    assert_eq!(status, 303);
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{cookie}");
    assert!(!cookie.contains(&first), "the cookie is another secret");
    let cookie = format!("cookie: {}\r\n", cookie.split(';').next().unwrap());
    for line in ["GET /", "GET /page/main.js", "GET /api/runs"] {
        assert_eq!(request(&server, line, &cookie).0, 200, "{line}");
    }
    assert_eq!(request(&server, &format!("GET /?token={first}"), "").0, 401, "used twice");
    // A new link is shown for the next browser; both stay.
    let second = token(&server);
    assert_ne!(first, second);
    let (status, other, _) = request(&server, &format!("GET /?token={second}"), "");
    assert_eq!(status, 303);
    let other = format!("cookie: {}\r\n", other.unwrap().split(';').next().unwrap());
    for cookie in [&cookie, &other] {
        assert_eq!(request(&server, "GET /api/runs", cookie).0, 200);
        let origin = format!("{cookie}{foreign}");
        assert_eq!(request(&server, "GET /api/runs", &origin).0, 403, "a cookie is not enough");
    }
}

#[test]
fn of_many_at_once_one_uses_a_token() {
    let server = Server::with(true);
    let line = format!("GET /?token={}", token(&server));
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || request(&server, &line, "").0;
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let entered = statuses.iter().filter(|&&status| status == 303).count();
    let refused = statuses.iter().filter(|&&status| status == 401).count();
    assert_eq!((entered, refused), (1, 7), "{statuses:?}");
}

#[test]
fn loopback_needs_no_token() {
    let server = Server::start();
    assert_eq!(server.tokens.lock().unwrap().recv().unwrap().token, None);
    assert_eq!(server.get("/api/runs"), (200, json!([])));
}
