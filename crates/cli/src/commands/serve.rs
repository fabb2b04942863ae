//! `serve`: the server of the page, until Ctrl-C.

use std::env;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use afterstate_serve::{Entrance, Settings, Stop, serve};
use anyhow::Context;
use serde_json::json;

use crate::args::Serve;
use crate::output::{Output, print_note};
use crate::terminal::qr;

pub(crate) fn run(args: &Serve, out: &mut Output) -> anyhow::Result<()> {
    let stop = Stop::default();
    let (interrupted, stopping) = (AtomicBool::new(false), stop.clone());
    ctrlc::set_handler(move || {
        // A second Ctrl-C does not wait for checkpoints.
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        stopping.ask();
    })
    .context("cannot set a handler for Ctrl-C")?;
    let settings = Settings {
        address: args.address,
        port: args.port,
        runs: args.runs.clone(),
        ..Settings::default()
    };
    let (mut printed, mut to_open) = (Ok(()), args.open);
    serve(
        settings,
        |entrance| {
            let url = url(&entrance);
            if printed.is_ok() {
                printed = print(&entrance, &url, out);
            }
            if std::mem::take(&mut to_open)
                && let Err(error) = open(&url)
            {
                print_note(&format!("cannot open a browser, so open {url} yourself: {error}"));
            }
        },
        &stop,
    )?;
    Ok(printed?)
}

fn print(entrance: &Entrance, url: &str, out: &mut Output) -> io::Result<()> {
    if out.json() {
        out.object(&json!({"url": url}))?;
    } else if entrance.token.is_none() {
        out.line(format!("The page is at {url} until Ctrl-C."))?;
    } else {
        out.line(format!("\nThe page is at\n\n  {url}\n"))?;
        if out.is_terminal()
            && let Some(code) = qr::drawn(url)
        {
            out.line(code)?;
        }
        out.line("until Ctrl-C. The link lets one browser in; then the next one is shown here.")?;
    }
    out.flush()
}

/// The address of the page for a browser, with the token if one is needed.
fn url(Entrance { address, token }: &Entrance) -> String {
    let ip = if address.ip().is_unspecified() { lan_address() } else { address.ip() };
    let address = SocketAddr::new(ip, address.port());
    let query = token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
    format!("http://{address}/{query}")
}

/// The address by which other machines reach this one: that of its route to the outside, or loopback
/// without a network.
fn lan_address() -> IpAddr {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let address = socket.and_then(|socket| {
        // Sends nothing. 192.0.2.1 belongs to no machine (RFC 5737).
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    address.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

/// Opens an address in the browser.
fn open(url: &str) -> io::Result<()> {
    let system: &[&str] = match env::consts::OS {
        "macos" => &["open"],
        "windows" => &["rundll32", "url.dll,FileProtocolHandler"],
        _ => &["xdg-open"],
    };
    let chosen = env::var("BROWSER").ok().filter(|browser| !browser.is_empty());
    let mut command = match chosen {
        Some(browser) => Command::new(browser),
        None => {
            let mut command = Command::new(system[0]);
            command.args(&system[1..]);
            command
        }
    };
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // Waits beside the server, so that no zombie is left.
    std::thread::spawn(move || child.wait());
    Ok(())
}
