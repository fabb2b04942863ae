//! `bench --serve`: the page's server under load, from clients on loopback.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use afterstate_serve::client::{Client, Response};
use afterstate_serve::{Entrance, Settings, Stop, serve};
use anyhow::Context;
use serde::Serialize;
use serde_json::json;

use crate::output::{Output, grouped};

/// Clients that send requests.
const CLIENTS: usize = 16;

/// Idle connections in the last measurement.
const IDLE: usize = 1_000;

/// The load of one kind of request.
#[derive(Clone, Debug, Serialize)]
struct Load {
    /// The kind of request.
    name: &'static str,
    /// Clients that sent requests.
    clients: usize,
    /// Further connections that were idle.
    idle: usize,
    /// Requests with status 200.
    requests: usize,
    /// Requests with another status or a lost connection.
    failed: usize,
    /// Requests per second.
    per_second: f64,
    /// Median latency.
    median_ms: f64,
    /// 99th percentile of the latency.
    p99_ms: f64,
    /// Largest latency.
    slowest_ms: f64,
}

/// Measures the requests that the page's server answers, each kind for that many seconds.
pub(crate) fn run(seconds: f64, out: &mut Output) -> anyhow::Result<()> {
    for load in measure(seconds)? {
        if out.json() {
            out.object(&load)?;
            continue;
        }
        let idle = match load.idle {
            0 => String::new(),
            idle => format!(", {} idle connections", grouped(idle as u64)),
        };
        let [median, p99, slowest] =
            [load.median_ms, load.p99_ms, load.slowest_ms].map(|ms| format!("{ms:.2}"));
        out.line(format!(
            "{:<40}{:>9} requests/s, {median} ms median, {p99} ms 99%, {slowest} ms slowest, {} \
             failed ({} clients{idle})",
            load.name,
            grouped(load.per_second as u64),
            load.failed,
            load.clients,
        ))?;
    }
    Ok(())
}

/// Starts a server on loopback and measures each kind of request.
fn measure(seconds: f64) -> anyhow::Result<Vec<Load>> {
    let (stop, time) = (Stop::default(), Duration::from_secs_f64(seconds.clamp(0.01, 60.0)));
    let (sender, receiver) = mpsc::channel();
    let server_stop = stop.clone();
    let server = thread::spawn(move || {
        let settings = Settings { port: 0, ..Settings::default() };
        let ready = |entrance: Entrance| {
            // The receiver outlives the server.
            let _ = sender.send(entrance.address);
        };
        serve(settings, ready, &server_stop)
    });
    let loads = receiver.recv().ok().map(|address| measure_all(address, time));
    stop.ask();
    if let Ok(Err(error)) = server.join() {
        return Err(error.into());
    }
    loads.transpose().context("load generator").map(Option::unwrap_or_default)
}

fn measure_all(address: SocketAddr, time: Duration) -> io::Result<Vec<Load>> {
    let page = |client: &mut Client, _: &str| client.request("GET", "/page/main.js", None);
    let get =
        |client: &mut Client, id: &str| client.request("GET", &format!("/api/games/{id}"), None);
    let hints = |client: &mut Client, id: &str| {
        let body = json!({"agent": "greedy", "search": "greedy"}).to_string();
        client.request("POST", &format!("/api/games/{id}/hints"), Some(&body))
    };
    // The first move and its undo by turns.
    let play = |client: &mut Client, id: &str| {
        let (_, game) = get(client, id)?.json();
        let revision = &game["revision"];
        let (action, body) = match game["moves"].as_u64() {
            Some(0) => ("move", json!({"revision": revision, "move": game["options"][0]["move"]})),
            _ => ("go", json!({"revision": revision, "to": 0})),
        };
        client.request("POST", &format!("/api/games/{id}/{action}"), Some(&body.to_string()))
    };
    Ok(vec![
        measure_one("a file of the page", address, time, 0, page)?,
        measure_one("get a game", address, time, 0, get)?,
        measure_one("hints", address, time, 0, hints)?,
        measure_one("get a game, then move or undo", address, time, 0, play)?,
        measure_one("get a game", address, time, IDLE, get)?,
    ])
}

/// Measures one kind of request. Every client has its own game.
fn measure_one(
    name: &'static str,
    address: SocketAddr,
    time: Duration,
    idle: usize,
    request: impl Fn(&mut Client, &str) -> io::Result<Response> + Sync,
) -> io::Result<Load> {
    let connections: Vec<Client> =
        (0..idle).map(|_| Client::connect(address)).collect::<Result<_, _>>()?;
    let clock = Instant::now();
    let client = || -> io::Result<(Vec<f64>, usize)> {
        let mut client = Client::connect(address)?;
        let game = json!({"game": "2048:4x4", "seed": 1}).to_string();
        let game = client.request("POST", "/api/games", Some(&game))?;
        let (_, game) = game.json();
        let id = game["id"].as_str().unwrap_or_default();
        let (mut latencies, mut failed) = (Vec::new(), 0);
        while clock.elapsed() < time {
            let start = Instant::now();
            match request(&mut client, id) {
                Ok(response) if response.status == 200 => {
                    latencies.push(start.elapsed().as_secs_f64() * 1e3);
                }
                _ => failed += 1,
            }
        }
        Ok((latencies, failed))
    };
    let results: Vec<_> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        clients.into_iter().filter_map(|client| client.join().ok()).collect()
    });
    let elapsed = clock.elapsed().as_secs_f64();
    drop(connections);
    let (mut latencies, mut failed) = (Vec::new(), 0);
    for result in results {
        let (of_client, failed_requests) = result?;
        latencies.extend(of_client);
        failed += failed_requests;
    }
    latencies.sort_by(f64::total_cmp);
    let quantile = |part: f64| {
        let index = (latencies.len() as f64 * part) as usize;
        latencies.get(index).or(latencies.last()).copied().unwrap_or(f64::NAN)
    };
    Ok(Load {
        name,
        clients: CLIENTS,
        idle,
        requests: latencies.len(),
        failed,
        per_second: latencies.len() as f64 / elapsed,
        median_ms: quantile(0.5),
        p99_ms: quantile(0.99),
        slowest_ms: quantile(1.0),
    })
}
