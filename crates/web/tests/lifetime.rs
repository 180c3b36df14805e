//! How the listener starts, carries many clients, and ends.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod wire;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use becket_web::{Bound, Exposure, Limits, WebError, parse_address};
use wire::{RunningServer, TOKEN, head, lines, options, read_reply, read_until, runtime};

fn bind(address: &str, exposure: Exposure) -> Result<Bound, WebError> {
    runtime().block_on(becket_web::bind(parse_address(address)?, exposure))
}

fn with_grace(grace: Duration) -> RunningServer {
    RunningServer::start_with(options().with_limits(Limits { grace, ..Limits::default() }))
}

fn request(line: &str, wish: &str) -> String {
    head(line, &["Host: localhost", &format!("Authorization: Bearer {TOKEN}"), wish])
}

/// A call that the server has surely begun: it asked for the body.
fn call_in_flight(server: &RunningServer, wish: &str) -> TcpStream {
    let mut stream = server.connect();
    let wish = format!("{wish}\r\nContent-Length: 2\r\nExpect: 100-continue");
    stream.write_all(request("POST /mcp", &wish).as_bytes()).unwrap();
    read_until(&mut stream, "100 Continue\r\n\r\n").unwrap();
    stream.write_all(b"{}").unwrap();
    stream
}

#[test]
fn a_used_port_is_named_with_a_next_step() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = bind(&address.to_string(), Exposure::LoopbackOnly).unwrap_err();
    assert_eq!(error.code(), "http_address_in_use");
    assert_eq!(error.to_string(), format!("{address} is already in use by another process"));
    assert!(error.hint().contains("127.0.0.1:0"), "{}", error.hint());
    assert!(std::error::Error::source(&error).is_some());

    let first = RunningServer::start();
    let error = bind(&first.address.to_string(), Exposure::LoopbackOnly).unwrap_err();
    assert_eq!(error.code(), "http_address_in_use");
    assert_eq!(first.post(&[], "").status, 200, "the first server goes on");
}

#[test]
fn the_network_must_be_asked_for() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let error = bind(address, Exposure::LoopbackOnly).unwrap_err();
        assert_eq!(error.code(), "http_not_loopback", "{address}");
        assert!(error.hint().contains("127.0.0.1"), "{}", error.hint());
    }
    let server = bind("0.0.0.0:0", Exposure::Network).unwrap();
    assert!(server.address().ip().is_unspecified(), "where it is bound is told besides");
    assert_eq!(server.url(), format!("http://127.0.0.1:{}/mcp", server.address().port()));
    assert_eq!(bind("192.0.2.1:0", Exposure::Network).unwrap_err().code(), "http_bind_failed");
}

#[test]
fn ipv6_loopback_works_like_the_other() {
    let server = RunningServer::start_at("[::1]:0", options());
    assert_eq!(server.url, format!("http://[::1]:{}/mcp", server.address.port()));
    let host = format!("Host: {}", server.address);
    let reply = server.send(head("GET /mcp", &[&host, &format!("Authorization: Bearer {TOKEN}")]));
    assert_eq!(reply.status, 200);
}

#[test]
fn a_wrong_list_entry_is_known_before_anything_listens() {
    let wrong = ["*".to_owned()];
    assert_eq!(options().with_allowed_origins(&wrong).unwrap_err().code(), "http_allowed_origin_invalid");
    assert_eq!(options().with_allowed_hosts(&wrong).unwrap_err().code(), "http_allowed_host_invalid");
}

#[test]
fn sixty_four_clients_at_once_all_get_their_own_answer() {
    let server = RunningServer::start();
    let together = Barrier::new(64);
    thread::scope(|scope| {
        for client in 0..64 {
            let (server, together) = (&server, &together);
            scope.spawn(move || {
                together.wait();
                for call in 0..10 {
                    let body = format!("client {client} call {call}");
                    let reply = server.post(&[], &body);
                    assert_eq!((reply.status, &reply.json()["body"]), (200, &body.into()));
                }
            });
        }
    });
}

#[test]
fn beyond_the_connection_limit_clients_wait_their_turn() {
    let limits = Limits { connections: 2, ..Limits::default() };
    let server = RunningServer::start_with(options().with_limits(limits));
    let mut first = server.connect();
    let mut second = server.connect();
    for stream in [&mut first, &mut second] {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        read_until(stream, "}\n").unwrap();
    }
    let mut third = server.connect();
    third.write_all(head("GET /healthz", &["Host: localhost"]).as_bytes()).unwrap();
    third.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(third.read(&mut [0]).is_err(), "no slot is free");
    drop(first);
    third.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(read_reply(&mut third).status, 200);
}

#[test]
fn a_call_in_flight_is_finished_before_the_end() {
    let server = with_grace(Duration::from_secs(10));
    let mut slow = call_in_flight(&server, "Do: wait 600");
    let mut streamed = server.connect();
    let wish = "Do: tick 30\r\nMcp-Method: subscriptions/listen";
    streamed.write_all(request("POST /mcp", wish).as_bytes()).unwrap();
    read_until(&mut streamed, "data: 0").unwrap();
    let address = server.address;
    let took = server.stop();
    assert!(took >= Duration::from_millis(300) && took < Duration::from_secs(8), "{took:?}");
    assert_eq!(read_reply(&mut slow).body, b"waited");
    assert!(read_until(&mut streamed, "data: 29\n\n\r\n0\r\n\r\n").is_ok(), "the whole stream came");
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}

#[test]
fn a_request_that_was_on_its_way_is_answered() {
    let server = with_grace(Duration::from_secs(10));
    let mut kept_alive = server.connect();
    kept_alive.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    read_until(&mut kept_alive, "}\n").unwrap();
    let mut fresh = server.connect();
    // The listener takes connections in order, so when this one is answered the one before it was taken too.
    server.send(head("GET /healthz", &["Host: localhost"]));
    server.shutdown.cancel();
    for stream in [&mut kept_alive, &mut fresh] {
        stream.write_all(request("POST /mcp", "Do: wait 1").as_bytes()).unwrap();
    }
    for stream in [&mut kept_alive, &mut fresh] {
        assert_eq!(read_reply(stream).body, b"waited");
    }
    server.stop();
}

#[test]
fn a_call_that_outlasts_the_grace_is_told_so() {
    let server = with_grace(Duration::from_millis(200));
    let mut endless_call = call_in_flight(&server, "Do: wait 60000");
    let mut endless_answer = server.connect();
    endless_answer.write_all(request("POST /mcp", "Do: tick").as_bytes()).unwrap();
    read_until(&mut endless_answer, "data: 0").unwrap();
    let took = server.stop();
    assert!(took < Duration::from_secs(5), "{took:?}");
    let reply = read_reply(&mut endless_call);
    assert_eq!((reply.status, reply.code().as_str()), (503, "shutting_down"));
    assert!(read_until(&mut endless_answer, "\r\n0\r\n\r\n").is_ok(), "the stream was ended, not torn");
}

#[test]
fn idle_connections_and_event_streams_do_not_hold_the_end_up() {
    let server = with_grace(Duration::from_secs(30));
    let mut silent = server.connect();
    let mut kept_alive = server.connect();
    kept_alive
        .write_all(format!("GET /healthz HTTP/1.1\r\n{}\r\n", lines(&["Host: localhost"])).as_bytes())
        .unwrap();
    read_until(&mut kept_alive, "}\n").unwrap();
    let mut stream = server.connect();
    stream.write_all(request("GET /mcp", "Do: tick").as_bytes()).unwrap();
    read_until(&mut stream, "data: 0").unwrap();
    let took = server.stop();
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(read_until(&mut stream, "\r\n0\r\n\r\n").is_ok(), "the stream was ended, not torn");
    assert_eq!(kept_alive.read(&mut [0]).unwrap(), 0);
    assert_eq!(silent.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_client_that_neither_reads_nor_finishes_cannot_hold_the_end_up() {
    let server = with_grace(Duration::from_millis(100));
    let mut deaf = server.connect();
    deaf.write_all(request("POST /mcp", "Do: flood").as_bytes()).unwrap();
    deaf.read_exact(&mut [0]).unwrap();
    let mut half = server.connect();
    half.write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le").unwrap();
    let took = server.stop();
    assert!(took < Duration::from_secs(5), "{took:?}");
}
