//! `Client`: HTTP/1.1 over one connection, for load and for requests that no HTTP library would send.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A client that keeps its connection.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

/// A response.
#[derive(Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers, without the status line.
    pub headers: String,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Response {
    /// The status and the body as JSON; `null` for another body.
    pub fn json(&self) -> (u16, Value) {
        (self.status, serde_json::from_slice(&self.body).unwrap_or(Value::Null))
    }
}

impl Client {
    /// Connects to a server.
    pub fn connect(address: SocketAddr) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Client { stream: BufReader::new(stream), address })
    }

    /// Sends a request with a JSON body or none, and reads the response.
    pub fn request(
        &mut self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> io::Result<Response> {
        let kind = body.map_or("", |_| "content-type: application/json\r\n");
        let (host, text) = (self.address, body.unwrap_or_default());
        let length = text.len();
        self.send(format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{kind}content-length: {length}\r\n\r\n{text}"
        ))?;
        self.response()
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, request: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.get_mut().write_all(request.as_ref())
    }

    /// Reads the status line and the headers.
    pub fn head(&mut self) -> io::Result<(u16, String)> {
        let (mut line, mut headers) = (String::new(), String::new());
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or(io::ErrorKind::UnexpectedEof)?;
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 || line.trim().is_empty() {
                return Ok((status, headers));
            }
            headers += &line;
        }
    }

    /// Reads one response.
    pub fn response(&mut self) -> io::Result<Response> {
        let (status, headers) = self.head()?;
        let lines = headers.to_ascii_lowercase();
        let length = lines.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length = length.map_or(Ok(0), |digits| digits.trim().parse());
        let mut body = vec![0; length.map_err(|_| io::ErrorKind::InvalidData)?];
        self.stream.read_exact(&mut body)?;
        Ok(Response { status, headers, body })
    }

    /// Reads one line of a stream; `None` at its end.
    pub fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        Ok((self.stream.read_line(&mut line)? > 0).then_some(line))
    }
}
