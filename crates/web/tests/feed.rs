//! The live feed on a real port, with a WebSocket client that others wrote.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

mod wire;

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use becket_web::{FEED_PROTOCOL, Feed};
use tungstenite::client::IntoClientRequest;
use tungstenite::handshake::client::Response;
use tungstenite::http::HeaderValue;
use tungstenite::{Error, HandshakeError, Message, WebSocket, protocol::CloseFrame};
use wire::{RunningServer, TOKEN, head, options};

type Socket = WebSocket<TcpStream>;

fn server(feed: &Feed) -> RunningServer {
    RunningServer::start_with(options().with_feed(feed.clone()))
}

fn connect(
    server: &RunningServer,
    path: &str,
    headers: &[(&'static str, String)],
) -> Result<(Socket, Response), u16> {
    let mut request = format!("ws://{}{path}", server.address).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
    }
    match tungstenite::client(request, server.connect()) {
        Ok(connected) => Ok(connected),
        Err(HandshakeError::Failure(Error::Http(answer))) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

fn listener(server: &RunningServer) -> Socket {
    connect(server, "/feed", &[("authorization", format!("Bearer {TOKEN}"))]).unwrap().0
}

fn text(socket: &mut Socket) -> String {
    loop {
        match socket.read().unwrap() {
            Message::Text(text) => return text.to_string(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn close_code(socket: &mut Socket) -> u16 {
    loop {
        match socket.read() {
            Ok(Message::Close(Some(CloseFrame { code, .. }))) => return code.into(),
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn until(what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() {
        assert!(started.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn everybody_hears_the_same_in_order_and_a_newcomer_the_greeting_first() {
    let feed = Feed::default();
    let server = server(&feed);
    assert!(!feed.is_wanted());
    let mut first = listener(&server);
    until(|| feed.is_wanted());
    let greeted = AtomicUsize::new(0);
    feed.greet(Some(Arc::new(move || Some(format!("hello {}", greeted.fetch_add(1, Ordering::Relaxed))))));
    feed.send("one".to_owned());
    let mut second = listener(&server);
    assert_eq!(text(&mut second), "hello 1", "as it is said now");
    feed.send("two".to_owned());
    assert_eq!([text(&mut first), text(&mut first), text(&mut first)], ["hello 0", "one", "two"]);
    assert_eq!(text(&mut second), "two");
    drop((first, second));
    feed.send("three".to_owned());
    until(|| !feed.is_wanted());
}

#[test]
fn the_checks_are_those_of_every_request() {
    let feed = Feed::default();
    let server = server(&feed);
    let bearer = |token: &str| ("authorization", format!("Bearer {token}"));
    let origin = |origin: &str| ("origin", origin.to_owned());
    assert_eq!(connect(&server, "/feed", &[]).unwrap_err(), 401);
    assert_eq!(connect(&server, "/feed", &[bearer("wrong")]).unwrap_err(), 401);
    assert_eq!(connect(&server, &format!("/feed?token={TOKEN}"), &[]).unwrap_err(), 401);
    assert_eq!(connect(&server, &format!("/feed?token={TOKEN}"), &[bearer(TOKEN)]).unwrap_err(), 400);
    assert_eq!(connect(&server, "/feed", &[bearer(TOKEN), origin("https://evil.example")]).unwrap_err(), 403);
    assert_eq!(
        connect(&server, "/feed", &[bearer(TOKEN), ("host", "evil.example".to_owned())]).unwrap_err(),
        403
    );
    connect(&server, "/feed", &[bearer(TOKEN), origin("http://localhost:3000")]).unwrap();
}

#[test]
fn a_page_presents_its_token_as_a_subprotocol_which_is_never_answered() {
    let feed = Feed::default();
    let server = server(&feed);
    let offer = |names: String| ("sec-websocket-protocol", names);
    let (_, answer) =
        connect(&server, "/feed", &[offer(format!("{FEED_PROTOCOL}, bearer.{TOKEN}"))]).unwrap();
    assert_eq!(answer.headers()["sec-websocket-protocol"], FEED_PROTOCOL);
    assert!(!format!("{:?}", answer.headers()).contains(TOKEN));
    for wrong in ["bearer.wrong", "bearer.", FEED_PROTOCOL] {
        assert_eq!(connect(&server, "/feed", &[offer(wrong.to_owned())]).unwrap_err(), 401, "{wrong}");
    }
    let twice = format!("{FEED_PROTOCOL}, bearer.{TOKEN}, bearer.{TOKEN}");
    assert_eq!(connect(&server, "/feed", &[offer(twice)]).unwrap_err(), 401);
    // What opens the feed opens nothing else.
    let elsewhere = server.send(head(
        "POST /mcp",
        &["Host: localhost", "Content-Length: 0", &format!("Sec-WebSocket-Protocol: bearer.{TOKEN}")],
    ));
    assert_eq!(elsewhere.status, 401);
}

#[test]
fn what_is_no_websocket_is_told_so() {
    let feed = Feed::default();
    let server = server(&feed);
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let plain = server.send(head("GET /feed", &["Host: localhost", &bearer]));
    assert_eq!((plain.status, plain.code().as_str()), (426, "not_websocket"));
    assert_eq!(plain.header("upgrade"), Some("websocket"));
    let post = server.send(head("POST /feed", &["Host: localhost", "Content-Length: 0", &bearer]));
    assert_eq!((post.status, post.code().as_str()), (405, "method_not_allowed"));
    let without = RunningServer::start();
    let absent = without.send(head("GET /feed", &["Host: localhost", &bearer]));
    assert_eq!(absent.status, 404);
}

#[test]
fn a_slow_reader_is_let_go_with_a_code_and_holds_nobody_up() {
    let feed = Feed::default();
    let server = server(&feed);
    let mut slow = listener(&server);
    let mut quick = listener(&server);
    until(|| feed.is_wanted());
    let large = "x".repeat(64 * 1024);
    let reader = std::thread::spawn(move || {
        while text(&mut quick) != "last" {}
        quick
    });
    // More than the queue holds and more than the system buffers.
    for _ in 0..600 {
        feed.send(large.clone());
        std::thread::sleep(Duration::from_millis(1));
    }
    feed.send("last".to_owned());
    reader.join().unwrap();
    assert_eq!(close_code(&mut slow), 1013);
    until(|| !feed.is_wanted());
}

#[test]
fn the_end_of_the_server_is_said() {
    let feed = Feed::default();
    let server = server(&feed);
    let mut socket = listener(&server);
    until(|| feed.is_wanted());
    let ended = std::thread::spawn(move || close_code(&mut socket));
    assert!(server.stop() < Duration::from_secs(5));
    assert_eq!(ended.join().unwrap(), 1001);
}

#[test]
fn who_talks_to_the_feed_is_not_understood() {
    let feed = Feed::default();
    let server = server(&feed);
    let mut socket = listener(&server);
    socket.send(Message::text("hello")).unwrap();
    assert_eq!(close_code(&mut socket), 1003);
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let feed = Feed::default();
    let server = server(&feed);
    let mut sockets: Vec<Socket> = (0..64).map(|_| listener(&server)).collect();
    let bearer = ("authorization", format!("Bearer {TOKEN}"));
    assert_eq!(connect(&server, "/feed", std::slice::from_ref(&bearer)).unwrap_err(), 503);
    sockets.pop().unwrap().close(None).unwrap();
    until(|| connect(&server, "/feed", std::slice::from_ref(&bearer)).is_ok());
}
