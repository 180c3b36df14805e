//! A small MCP client that starts becket itself: `doctor` tests with it, `tour` shows with it.
#![allow(clippy::disallowed_methods, reason = "starts this very program, with fixed arguments and no shell")]

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use becket_engine::Error;
use serde_json::{Value, json};

/// Long enough for a loaded machine; a server that needs longer is broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server of our own, on its stdin and stdout.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    next_id: u64,
    /// Sent with every request of the stateless era.
    meta: Option<Value>,
}

impl Client {
    /// Starts `becket mcp --repo REPO …`.
    pub(crate) fn start(binary: &Path, repo: &Path, arguments: &[&str]) -> Result<Self, Error> {
        let mut child = Command::new(binary)
            .args(["mcp", "--stdio", "--log-level", "error", "--repo"])
            .arg(repo)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| {
                Error::unavailable("server_not_started", "The server did not start.").with_source(error)
            })?;
        let input = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(|| Error::internal("The server has no output."))?;
        let (lines, output) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let Ok(message) = serde_json::from_str(&line) else { break };
                if lines.send(message).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, output, next_id: 1, meta: None })
    }

    /// The handshake of 2024-11-05 to 2025-11-25; gives the server's answer.
    pub(crate) fn initialize(&mut self, version: &str) -> Result<Value, Error> {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "becket", "version": env!("CARGO_PKG_VERSION")},
            }),
        )?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(answer)
    }

    /// From now on every request carries version and capabilities itself, as 2026-07-28 wants it.
    pub(crate) fn speak_stateless(&mut self) {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "becket", "version": env!("CARGO_PKG_VERSION")},
        }));
    }

    /// A result, or the protocol error as an [`Error`].
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> Result<Value, Error> {
        let id = self.next_id;
        self.next_id += 1;
        if let (Some(meta), Some(params)) = (&self.meta, params.as_object_mut()) {
            params.insert("_meta".to_owned(), meta.clone());
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut message = self.output.recv_timeout(left).map_err(|_| {
                Error::unavailable("server_silent", format!("The server did not answer `{method}`."))
                    .with_hint("Run `becket mcp --log-level debug` by hand to see why.")
            })?;
            if message.get("id") != Some(&json!(id)) {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(Error::invalid(
                    "protocol_error",
                    format!("The server refused `{method}`: {error}."),
                ));
            }
            return Ok(message["result"].take());
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Error> {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// End of input is the signal to stop; gives whether the server ended cleanly.
    pub(crate) fn stop(mut self) -> bool {
        self.input.take();
        let deadline = Instant::now() + PATIENCE;
        // The reader thread ends with the server's stdout.
        while self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok() {}
        if Instant::now() >= deadline {
            let _ = self.child.kill();
        }
        self.child.wait().is_ok_and(|status| status.success())
    }

    fn send(&mut self, message: &Value) -> Result<(), Error> {
        let gone = || Error::unavailable("server_gone", "The server ended.");
        let input = self.input.as_mut().ok_or_else(gone)?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|error| gone().with_source(error))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.input.take().is_some() {
            // Not stopped properly: a failed step must not leave a process behind.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
