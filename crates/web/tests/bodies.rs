//! What a request may cost: body size in every framing, slow heads and slow bodies.

mod wire;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use becket_web::Limits;
use wire::{RunningServer, TOKEN, head, lines, options, read_reply, read_until};

const LIMIT: usize = 1000;

fn small() -> RunningServer {
    RunningServer::start_with(options().with_max_body_bytes(LIMIT))
}

fn authorised(headers: &[&str]) -> String {
    let authorization = format!("Authorization: Bearer {TOKEN}");
    head("POST /mcp", &[&["Host: localhost", &authorization], headers].concat())
}

fn chunked(body: &[u8], chunk: usize) -> Vec<u8> {
    let mut bytes = authorised(&["Transfer-Encoding: chunked"]).into_bytes();
    for part in body.chunks(chunk) {
        bytes.extend(format!("{:x}\r\n", part.len()).bytes());
        bytes.extend(part);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

#[test]
fn a_body_up_to_the_limit_passes_in_every_framing() {
    let server = small();
    assert_eq!(server.post(&[], &"x".repeat(LIMIT)).json()["bytes"], LIMIT);
    for chunk in [1, 7, LIMIT] {
        assert_eq!(server.send(chunked(&[b'x'; LIMIT], chunk)).json()["bytes"], LIMIT);
    }
    assert_eq!(server.send(authorised(&[])).json()["bytes"], 0);
}

#[test]
fn one_byte_more_is_refused_in_every_framing() {
    let server = small();
    let reply = server.post(&[], &"x".repeat(LIMIT + 1));
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
    for chunk in [1, 7, LIMIT + 1] {
        let reply = server.send(chunked(&[b'x'; LIMIT + 1], chunk));
        assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"), "chunks of {chunk}");
    }
}

#[test]
fn a_body_far_beyond_the_limit_gets_its_answer_and_not_a_reset() {
    let server = small();
    let huge = "x".repeat(8 * 1024 * 1024);
    assert_eq!(server.post(&[], &huge).code(), "body_too_large");
    assert_eq!(server.send(chunked(huge.as_bytes(), 100_000)).code(), "body_too_large");
}

#[test]
fn a_client_that_asks_first_is_told_before_it_sends() {
    let server = small();
    let at_once = || {
        let mut stream = server.connect();
        stream.write_all(authorised(&["Content-Length: 5000", "Expect: 100-continue"]).as_bytes()).unwrap();
        let started = Instant::now();
        assert_eq!(read_reply(&mut stream).code(), "body_too_large");
        started.elapsed() < Duration::from_millis(900)
    };
    // A machine that has other work may take as long as the wait that there is not to be, but not every time.
    assert!((0..5).any(|_| at_once()), "nothing was waited for");

    let mut stream = server.connect();
    stream.write_all(authorised(&["Content-Length: 4", "Expect: 100-continue"]).as_bytes()).unwrap();
    assert_eq!(read_until(&mut stream, "\r\n\r\n").unwrap(), "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"body").unwrap();
    assert_eq!(read_reply(&mut stream).json()["body"], "body");
}

#[test]
fn a_broken_body_is_refused() {
    let server = small();
    let mut bytes = authorised(&["Transfer-Encoding: chunked"]).into_bytes();
    bytes.extend(b"zz\r\nnot a size\r\n");
    let reply = server.send(bytes);
    assert_eq!((reply.status, reply.code().as_str()), (400, "body_broken"));
}

#[test]
fn a_slow_body_and_a_slow_head_are_given_up() {
    let soon = Duration::from_millis(200);
    let limits = Limits { body_time: soon, head_time: soon, ..Limits::default() };
    let server = RunningServer::start_with(options().with_limits(limits));

    let mut stream = server.connect();
    stream.write_all(authorised(&["Content-Length: 5"]).as_bytes()).unwrap();
    stream.write_all(b"hell").unwrap();
    let reply = read_reply(&mut stream);
    assert_eq!((reply.status, reply.code().as_str()), (408, "body_too_slow"));

    let mut stream = server.connect();
    stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: local").unwrap();
    let started = Instant::now();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "the half head was given up");
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
}

#[test]
fn too_many_or_too_long_headers_are_refused() {
    let server = small();
    let many: Vec<String> = (0..5000).map(|count| format!("X-{count}: y")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(server.send(head("GET /healthz", &[&["Host: localhost"], &many[..]].concat())).status, 431);
    let long = format!("X-Long: {}", "y".repeat(1024 * 1024));
    assert_eq!(server.send(head("GET /healthz", &["Host: localhost", &long])).status, 431);
}

#[test]
fn one_connection_carries_many_calls() {
    let server = small();
    let authorization = format!("Authorization: Bearer {TOKEN}");
    let mut stream = server.connect();
    for count in 0..50 {
        let headers = lines(&["Host: localhost", &authorization, "Content-Length: 2"]);
        stream.write_all(format!("POST /mcp HTTP/1.1\r\n{headers}\r\n{count:02}").as_bytes()).unwrap();
        let reply = read_until(&mut stream, "}").unwrap();
        assert!(reply.contains(&format!(r#""body":"{count:02}""#)), "{reply}");
        let refused = lines(&["Host: localhost", "Content-Length: 2"]);
        stream.write_all(format!("POST /mcp HTTP/1.1\r\n{refused}\r\n{{}}").as_bytes()).unwrap();
        assert!(
            read_until(&mut stream, "}}\n").unwrap().contains("token_missing"),
            "a refusal keeps the connection"
        );
    }
}
