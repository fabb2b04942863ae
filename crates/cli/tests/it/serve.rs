//! `serve`: it prints its address, refuses a used port, and ends on Ctrl-C.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

use crate::harness::{failed, program, text};
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

#[test]
fn another_address_comes_with_a_warning() {
    let mut server =
        program(&["serve", "--address", "0.0.0.0", "--port", "0", "--json"]).spawn().unwrap();
    address(&mut server);
    interrupt(&server);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success());
    let shown = text(&output.stderr);
    assert!(shown.starts_with("note: 0.0.0.0 is not a loopback address"), "{shown}");
    let wrong = program(&["serve", "--address", "nowhere"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}
