//! A server on a real port with a small service behind it, and a client that speaks HTTP/1.1 byte by byte, so that
//! tests can send what no well-mannered client would.

#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use becket_web::{Exposure, Options, Secret, WebError};
use futures::StreamExt;
use http::{Response, StatusCode, header};
use tokio_util::sync::CancellationToken;

pub(crate) const TOKEN: &str = "0123456789abcdef-the-right-one";
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct RunningServer {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    pub(crate) shutdown: CancellationToken,
    thread: Option<JoinHandle<Result<(), WebError>>>,
}

impl RunningServer {
    pub(crate) fn start() -> Self {
        Self::start_with(options())
    }

    pub(crate) fn start_with(options: Options) -> Self {
        Self::start_at("127.0.0.1:0", options)
    }

    pub(crate) fn start_at(address: &str, options: Options) -> Self {
        let address = becket_web::parse_address(address).unwrap();
        let shutdown = CancellationToken::new();
        let (is_bound, place) = mpsc::channel();
        let thread = thread::spawn({
            let shutdown = shutdown.clone();
            move || {
                runtime().block_on(async {
                    let bound = becket_web::bind(address, Exposure::LoopbackOnly).await?;
                    is_bound.send((bound.address(), bound.url())).unwrap();
                    becket_web::serve(bound, tower::service_fn(answer), options, shutdown).await;
                    Ok(())
                })
            }
        });
        let (address, url) = place.recv().unwrap();
        Self { address, url, shutdown, thread: Some(thread) }
    }

    /// Asks for the end and waits for it; gives back how long it took.
    pub(crate) fn stop(mut self) -> Duration {
        let started = Instant::now();
        self.shutdown.cancel();
        self.thread.take().unwrap().join().unwrap().unwrap();
        started.elapsed()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends the bytes on a new connection and reads the answer to its end.
    pub(crate) fn send(&self, request: impl AsRef<[u8]>) -> Reply {
        let mut stream = self.connect();
        stream.write_all(request.as_ref()).unwrap();
        read_reply(&mut stream)
    }

    /// A POST with the right token, these headers in addition, and this body.
    pub(crate) fn post(&self, headers: &[&str], body: &str) -> Reply {
        let authorization = format!("Authorization: Bearer {TOKEN}");
        let length = format!("Content-Length: {}", body.len());
        let own = ["Host: 127.0.0.1", &authorization, &length];
        self.send(format!("{}{body}", head("POST /mcp", &[&own[..], headers].concat())))
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

pub(crate) fn options() -> Options {
    Options::new(Secret::new(TOKEN).unwrap())
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A request head that asks for the connection to be closed after the answer.
pub(crate) fn head(line: &str, headers: &[&str]) -> String {
    format!("{line} HTTP/1.1\r\n{}Connection: close\r\n\r\n", lines(headers))
}

pub(crate) fn lines(headers: &[&str]) -> String {
    headers.iter().flat_map(|header| [header, "\r\n"]).collect()
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The code of a refusal, after a look at the shape that every refusal has.
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        let error = json["error"].as_object().unwrap();
        assert_eq!(error.keys().collect::<Vec<_>>(), ["code", "message", "hint"]);
        assert!(error.values().all(|value| !value.as_str().unwrap().is_empty()), "{json}");
        error["code"].as_str().unwrap().to_owned()
    }
}

/// Reads up to the end of the connection.
pub(crate) fn read_reply(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end =
        find(&bytes, b"\r\n\r\n").unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let raw = &bytes[end + 4..];
    let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if is_chunked { unchunk(raw).expect("a complete chunked body") } else { raw.to_vec() };
    Reply { status, headers, body }
}

/// `None` when the last chunk is missing, that is, when the connection was cut.
fn unchunk(mut raw: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = find(raw, b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&raw[..end]).ok()?, 16).ok()?;
        raw = &raw[end + 2..];
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(raw.get(..size)?);
        raw = raw.get(size + 2..)?;
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Reads until `wanted` has come, and gives back all that was read.
pub(crate) fn read_until(stream: &mut TcpStream, wanted: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    while find(&bytes, wanted.as_bytes()).is_none() {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        bytes.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What stands behind the checks: it tells what reached it, or does what the header `Do` says.
async fn answer(request: Request) -> Result<Response<Body>, Infallible> {
    let wish =
        request.headers().get("do").map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    let response = Response::builder();
    Ok(match wish.split_once(' ').unwrap_or((&wish, "")) {
        ("wait", milliseconds) => {
            tokio::time::sleep(Duration::from_millis(milliseconds.parse().unwrap())).await;
            response.body(Body::from("waited")).unwrap()
        }
        ("tick", times) => {
            let times = times.parse().unwrap_or(usize::MAX);
            let ticks = futures::stream::iter(0..times).then(|count| async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok::<_, Infallible>(format!("data: {count}\n\n"))
            });
            let response = response.header(header::CONTENT_TYPE, "text/event-stream; charset=utf-8");
            response.body(Body::from_stream(ticks)).unwrap()
        }
        ("fail", status) => {
            let status: StatusCode = status.parse().unwrap();
            response
                .status(status)
                .header(header::ALLOW, "POST")
                .body(Body::from("Because I say so"))
                .unwrap()
        }
        ("rpc-error", _) => response
            .status(400)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#))
            .unwrap(),
        ("flood", _) => response.body(Body::from(vec![b'x'; 64 * 1024 * 1024])).unwrap(),
        ("panic", _) => panic!("the service panics because the test says so"),
        _ => {
            let method = request.method().to_string();
            let saw_token = request.headers().contains_key(header::AUTHORIZATION);
            let body = to_bytes(request.into_body(), usize::MAX).await.unwrap();
            let told = serde_json::json!({
                "method": method,
                "bytes": body.len(),
                "body": String::from_utf8_lossy(&body[..body.len().min(100)]),
                "saw_token": saw_token,
            });
            let response = response.header(header::CONTENT_TYPE, "application/json");
            response.body(Body::from(told.to_string())).unwrap()
        }
    })
}
