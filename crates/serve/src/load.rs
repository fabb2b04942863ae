//! How much a server bears: clients on loopback that ask as fast as they are answered.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::{ServeError, Settings, Stop, serve};

/// A client that keeps its connection.
pub struct Client {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The head without the first line.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Client {
    /// A new connection; answers may take half a minute.
    pub fn connect(address: SocketAddr) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Client { stream: BufReader::new(stream), address })
    }

    /// Asks for something, with a JSON body or none.
    pub fn ask(&mut self, method: &str, path: &str, body: Option<&str>) -> io::Result<Answer> {
        let kind = body.map_or("", |_| "content-type: application/json\r\n");
        let (host, text) = (self.address, body.unwrap_or_default());
        let length = text.len();
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{kind}content-length: {length}\r\n\r\n{text}"
        ))?;
        self.answer()
    }

    /// Sends a request as it is.
    pub fn send(&mut self, request: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(request.as_bytes())
    }

    /// Reads one answer.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let (mut first, mut head, mut length) = (String::new(), String::new(), 0);
        self.stream.read_line(&mut first)?;
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or(io::ErrorKind::UnexpectedEof)?;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some(digits) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = digits.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
            }
            head += &line;
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, head, body })
    }

    /// The connection, for what is no plain answer.
    pub fn raw(&mut self) -> &mut BufReader<TcpStream> {
        &mut self.stream
    }
}

/// What one kind of request came to.
#[derive(Clone, Debug, Serialize)]
pub struct Load {
    /// The kind of request.
    pub name: &'static str,
    /// Clients that asked at once.
    pub clients: usize,
    /// Further connections that were only open.
    pub idle: usize,
    /// Requests that were answered.
    pub requests: usize,
    /// Answers that were none: another status than 200, or a lost connection.
    pub failed: usize,
    /// Requests a second.
    pub per_second: f64,
    /// Half of the requests were answered within so many milliseconds.
    pub median_ms: f64,
    /// 99 of 100 were.
    pub p99_ms: f64,
    /// All were.
    pub slowest_ms: f64,
}

/// The measurement could not be made.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The server cannot start.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A client cannot connect, or is not answered.
    #[error("a client of the load test: {0}")]
    Client(#[from] io::Error),
}

/// Clients at once.
const CLIENTS: usize = 16;

/// Connections that are only open in the last measurement.
const IDLE: usize = 1_000;

/// Starts a server on loopback and measures each kind of request for so many seconds.
pub fn measure(seconds: f64) -> Result<Vec<Load>, LoadError> {
    let (stop, time) = (Stop::default(), Duration::from_secs_f64(seconds.clamp(0.01, 60.0)));
    let (told, ready) = std::sync::mpsc::channel();
    let stopping = stop.clone();
    let server = thread::spawn(move || {
        let settings = Settings { port: 0, ..Settings::default() };
        // Nobody listens any more if the caller is gone.
        let ready = |address| {
            let _ = told.send(address);
        };
        serve(settings, ready, &stopping)
    });
    let measured = ready.recv().ok().map(|address| all(address, time));
    stop.ask();
    if let Ok(Err(error)) = server.join() {
        return Err(error.into());
    }
    Ok(measured.unwrap_or_else(|| Ok(Vec::new()))?)
}

fn all(address: SocketAddr, time: Duration) -> io::Result<Vec<Load>> {
    let page = |client: &mut Client, _: &str| client.ask("GET", "/page/main.js", None);
    let look = |client: &mut Client, id: &str| client.ask("GET", &format!("/api/games/{id}"), None);
    let hints = |client: &mut Client, id: &str| {
        let body = r#"{"agent":"greedy","search":"greedy"}"#;
        client.ask("POST", &format!("/api/games/{id}/hints"), Some(body))
    };
    // A move and back again: the revision tells which.
    let back = |client: &mut Client, id: &str| {
        let game = client.ask("GET", &format!("/api/games/{id}"), None)?;
        let game: serde_json::Value = serde_json::from_slice(&game.body)?;
        let (revision, moves) = (&game["revision"], game["moves"].as_u64().unwrap_or(0));
        let (way, body) = match moves {
            0 => {
                let mv = &game["options"][0]["move"];
                ("move", serde_json::json!({"revision": revision, "move": mv}))
            }
            _ => ("go", serde_json::json!({"revision": revision, "to": 0})),
        };
        client.ask("POST", &format!("/api/games/{id}/{way}"), Some(&body.to_string()))
    };
    let mut loads = vec![
        one("a file of the page", address, time, 0, page)?,
        one("look at a game", address, time, 0, look)?,
        one("what every move is worth", address, time, 0, hints)?,
        one("look, and make a move or take it back", address, time, 0, back)?,
    ];
    loads.push(one("look at a game", address, time, IDLE, look)?);
    Ok(loads)
}

/// Measures one kind of request: every client has a game of its own.
fn one(
    name: &'static str,
    address: SocketAddr,
    time: Duration,
    idle: usize,
    ask: impl Fn(&mut Client, &str) -> io::Result<Answer> + Sync,
) -> io::Result<Load> {
    let open: Vec<Client> =
        (0..idle).map(|_| Client::connect(address)).collect::<Result<_, _>>()?;
    let clock = Instant::now();
    let work = || -> io::Result<(Vec<f64>, usize)> {
        let mut client = Client::connect(address)?;
        let opened = client.ask("POST", "/api/games", Some(r#"{"game":"2048:4x4","seed":1}"#))?;
        let game: serde_json::Value = serde_json::from_slice(&opened.body)?;
        let id = game["id"].as_str().unwrap_or_default().to_owned();
        let (mut times, mut failed) = (Vec::new(), 0);
        while clock.elapsed() < time {
            let began = Instant::now();
            match ask(&mut client, &id) {
                Ok(answer) if answer.status == 200 => {
                    times.push(began.elapsed().as_secs_f64() * 1e3);
                }
                _ => failed += 1,
            }
        }
        Ok((times, failed))
    };
    let done: Vec<_> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(work)).collect();
        clients.into_iter().filter_map(|client| client.join().ok()).collect()
    });
    let lasted = clock.elapsed().as_secs_f64();
    drop(open);
    let (mut times, mut failed) = (Vec::new(), 0);
    for own in done {
        let (own, lost) = own?;
        times.extend(own);
        failed += lost;
    }
    times.sort_by(f64::total_cmp);
    let at =
        |part: f64| times.get(((times.len() as f64 * part) as usize).min(times.len().max(1) - 1));
    let within = |part: f64| at(part).copied().unwrap_or(f64::NAN);
    Ok(Load {
        name,
        clients: CLIENTS,
        idle,
        requests: times.len(),
        failed,
        per_second: times.len() as f64 / lasted,
        median_ms: within(0.5),
        p99_ms: within(0.99),
        slowest_ms: within(1.0),
    })
}
