//! A server on HTTP and the smallest client that can load it: one kept-alive connection and one session each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{BenchError, PROTOCOL_VERSION, initialize_params, is_success, process, status_params};

const TOKEN: &str = "bench-token-of-the-loopback-server-0123456789";
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct HttpServer {
    child: Child,
    address: String,
}

impl HttpServer {
    /// Returns when the server has said where it listens.
    pub(crate) fn start(binary: &Path, repository: &Path) -> Result<Self, BenchError> {
        let mut command = process::becket(binary, repository);
        command
            .args(["mcp", "--http", "127.0.0.1:0", "--repo"])
            .arg(repository)
            .env("BECKET_HTTP_TOKEN", TOKEN);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = command.spawn();
        let mut child =
            started.map_err(|source| BenchError::Start { command: binary.display().to_string(), source })?;
        let silent = || BenchError::Silent { expected: "`listening on http://…/mcp`" };
        let mut talk = BufReader::new(child.stderr.take().ok_or_else(silent)?).lines();
        let address = talk.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("listening on http://")?;
            rest.split_once("/mcp").map(|(address, _)| address.to_owned())
        });
        // A full pipe would stop the server.
        thread::spawn(move || talk.for_each(drop));
        match address {
            Some(address) => Ok(Self { child, address }),
            None => Err(silent()),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn client(&self) -> Result<HttpClient, BenchError> {
        HttpClient::connect(&self.address)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It keeps nothing that a clean end would save.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

#[derive(Debug)]
pub(crate) struct HttpClient {
    stream: BufReader<TcpStream>,
    address: String,
    session: Option<String>,
    last_id: u64,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    session: Option<String>,
    body: String,
}

impl HttpClient {
    fn connect(address: &str) -> Result<Self, BenchError> {
        let stream = open(address).map_err(|source| BenchError::Connection { what: "connecting", source })?;
        let mut client =
            Self { stream: BufReader::new(stream), address: address.to_owned(), session: None, last_id: 0 };
        let answer = client.post(&client.request("initialize", &initialize_params()))?;
        if !client.is_answered(&answer) {
            return Err(BenchError::Refused { call: "initialize".to_owned(), answer: answer.body });
        }
        client.session = answer.session;
        client.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Whether the call was answered with a result.
    pub(crate) fn call_status(&mut self) -> Result<bool, BenchError> {
        self.last_id += 1;
        let answer = self.post(&self.request("tools/call", &status_params()))?;
        Ok(self.is_answered(&answer))
    }

    pub(crate) fn health(&mut self) -> Result<(), BenchError> {
        let head = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        let answer = self.exchange(head.as_bytes())?;
        match answer.status {
            200 => Ok(()),
            _ => Err(BenchError::Refused { call: "GET /healthz".to_owned(), answer: answer.body }),
        }
    }

    fn request(&self, method: &str, params: &Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params })
    }

    /// The answer is one JSON body or an event stream that carries it.
    fn is_answered(&self, answer: &Answer) -> bool {
        let events = answer.body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
        let mut messages = events.filter_map(|text| serde_json::from_str::<Value>(text).ok());
        answer.status == 200 && messages.any(|message| message["id"] == self.last_id && is_success(&message))
    }

    fn post(&mut self, message: &Value) -> Result<Answer, BenchError> {
        let body = message.to_string();
        let session = self.session.as_ref().map(|session| format!("Mcp-Session-Id: {session}\r\n"));
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: {PROTOCOL_VERSION}\r\n{session}Content-Length: {length}\r\n\r\n{body}",
            address = self.address,
            session = session.unwrap_or_default(),
            length = body.len(),
        );
        self.exchange(request.as_bytes())
    }

    fn exchange(&mut self, request: &[u8]) -> Result<Answer, BenchError> {
        let written = self.stream.get_mut().write_all(request);
        written
            .and_then(|()| read_answer(&mut self.stream))
            .map_err(|source| BenchError::Connection { what: "an HTTP exchange", source })
    }
}

fn open(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn read_answer(stream: &mut impl BufRead) -> io::Result<Answer> {
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "not an HTTP answer");
    let first = read_line(stream)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(malformed)?;
    let (mut length, mut is_chunked, mut session) = (0, false, None);
    loop {
        let line = read_line(stream)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(malformed)?;
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().map_err(|_| malformed())?,
            ("transfer-encoding", value) => is_chunked = value.eq_ignore_ascii_case("chunked"),
            ("mcp-session-id", value) => session = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let size = usize::from_str_radix(&read_line(stream)?, 16).map_err(|_| malformed())?;
            stream.by_ref().take(size as u64).read_to_end(&mut body)?;
            read_line(stream)?;
            if size == 0 {
                break;
            }
        }
    } else {
        stream.by_ref().take(length).read_to_end(&mut body)?;
    }
    Ok(Answer { status, session, body: String::from_utf8_lossy(&body).into_owned() })
}

fn read_line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_answer_are_read_to_their_end() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s1\r\n\
            Transfer-Encoding: chunked\r\n\r\n6\r\ndata: \r\n7\r\n{\"a\":1}\r\n0\r\n\r\n\
            HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok";
        let mut stream = &bytes[..];
        let first = read_answer(&mut stream).unwrap();
        assert_eq!(
            (first.status, first.session.as_deref(), first.body.as_str()),
            (200, Some("s1"), "data: {\"a\":1}")
        );
        let second = read_answer(&mut stream).unwrap();
        assert_eq!((second.status, second.body.as_str()), (202, "ok"));
        assert!(stream.is_empty());
        assert!(read_answer(&mut stream).is_err());
    }
}
