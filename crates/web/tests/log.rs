//! Nothing that is logged, at any level, holds the token or a query; and a stranger cannot fill the log.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod wire;

use std::io;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;
use wire::{RunningServer, TOKEN, head};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[test]
fn the_log_names_method_path_and_status_and_never_the_token() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let server = RunningServer::start();
    let bearer = format!("Authorization: Bearer {TOKEN}");
    server.post(&["X-Private: header-value"], "body-text");
    server.send(head(&format!("POST /mcp?access_token={TOKEN}&secret=query-value"), &["Host: localhost"]));
    server.send(head(&format!("GET /mcp/{TOKEN}"), &["Host: localhost", &bearer]));
    server.send(head("GET /mcp", &["Host: localhost", "Authorization: Bearer a-wrong-token"]));
    server.send(head("GET /else?secret=query-value", &["Host: localhost", "Origin: null"]));
    server.post(&["Do: fail 500"], "");
    server.stop();

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for wanted in [
        "method=POST path=\"/mcp\" status=200",
        "method=POST path=\"/mcp\" status=401",
        "path=\"(a path with the token in it)\" status=404",
        "method=GET path=\"/mcp\" status=401",
        "method=GET path=\"/else\" status=403",
    ] {
        assert!(log.contains(wanted), "{wanted} is missing in:\n{log}");
    }
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
    assert!(matches!(warnings[..], [line] if line.contains("status=500")), "{warnings:?}");
    for unwanted in [TOKEN, "a-wrong-token", "query-value", "header-value", "body-text"] {
        assert!(!log.contains(unwanted), "{unwanted} is in:\n{log}");
    }
}
