//! `serve`: its address or link, a used port, the browser, and its end on Ctrl-C.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};

use crate::harness::{Scratch, failed, program, text, wait_until};
use crate::pty::Terminal;
use serde_json::Value;

/// The address without scheme and slash, as soon as the server says it.
fn address(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let shown: Value = serde_json::from_str(&line).unwrap();
    let url = shown["url"].as_str().unwrap();
    url.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned()
}

fn interrupt(child: &Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn the_page_is_served_until_ctrl_c() {
    let mut server = program(&["serve", "--port", "0", "--json"]).spawn().unwrap();
    let address = address(&mut server);
    assert!(address.starts_with("127.0.0.1:"), "loopback unless asked otherwise: {address}");
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>afterstate</title>"));
    let port = address.rsplit(':').next().unwrap();
    let second = program(&["serve", "--port", port]).output().unwrap();
    failed(&second, 1, &format!("cannot listen on {address}: Address already in use"));
    interrupt(&server);
    assert!(server.wait().unwrap().success());
}

/// The status line and the headers of a response, in lower case.
fn get(address: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n{headers}connection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response.split("\r\n\r\n").next().unwrap().to_ascii_lowercase()
}

#[test]
fn beyond_loopback_only_the_link_lets_in() {
    let mut server =
        program(&["serve", "--address", "0.0.0.0", "--port", "0", "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut link = || {
        let shown: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let url = shown["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        let (address, path) = url.split_at(url.find('/').unwrap());
        assert!(!address.starts_with("0.0.0.0"), "a phone needs an address: {address}");
        (format!("127.0.0.1:{}", address.rsplit(':').next().unwrap()), path.to_owned())
    };
    let (address, path) = link();
    assert!(get(&address, "/", "").starts_with("http/1.1 401"));
    let entered = get(&address, &path, "");
    assert!(entered.starts_with("http/1.1 303"), "{entered}");
    let cookie = entered.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    assert!(get(&address, "/", &format!("cookie: {cookie}\r\n")).starts_with("http/1.1 200"));
    assert!(get(&address, &path, "").starts_with("http/1.1 401"), "a token works once");
    // The next link is shown for the next browser.
    let (_, next) = link();
    assert_ne!(path, next);
    assert!(get(&address, &next, "").starts_with("http/1.1 303"));
    interrupt(&server);
    assert!(server.wait().unwrap().success());
    let wrong = program(&["serve", "--address", "nowhere"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_link_is_drawn_as_a_qr_code() {
    let mut terminal = Terminal::start(&["serve", "--address", "0.0.0.0", "--port", "0"]);
    terminal.sees("The link lets one browser in");
    let shown = terminal.look(vt100::Screen::contents);
    assert!(shown.contains("/?token=") && shown.matches(['▀', '▄', '█']).count() > 300, "{shown}");
    // Black on white.
    assert!(terminal.colors().contains(&vt100::Color::Idx(15)));
    terminal.press("\x03");
    terminal.ends(0);
}

#[test]
fn the_browser_is_opened() {
    let scratch = Scratch::new("browser");
    let (script, opened) = (scratch.path("browser"), scratch.path("opened"));
    // Renamed when it is written: the test sees it as a whole.
    fs::write(
        &script,
        format!("#!/bin/sh\necho \"$1\" > {opened}.part\nmv {opened}.part {opened}\n"),
    )
    .unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    let mut server = program(&["serve", "--port", "0", "--json", "--open"])
        .env("BROWSER", &script)
        .spawn()
        .unwrap();
    let address = address(&mut server);
    wait_until(|| fs::exists(&opened).unwrap());
    assert_eq!(fs::read_to_string(&opened).unwrap(), format!("http://{address}/\n"));
    interrupt(&server);
    assert!(server.wait().unwrap().success());
    // Without a browser, the server goes on.
    let mut server = program(&["serve", "--port", "0", "--json", "--open"])
        .env("BROWSER", scratch.path("none"))
        .spawn()
        .unwrap();
    self::address(&mut server);
    interrupt(&server);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(text(&output.stderr).starts_with("note: cannot open a browser, so open http://127."));
}
