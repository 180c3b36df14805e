//! A small MCP client that starts becket itself: `doctor` tests with it, `tour` shows with it.
#![allow(clippy::disallowed_methods, reason = "starts this very program, with fixed arguments and no shell")]

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use becket_engine::Error;
use serde_json::{Value, json};

/// Long enough for a loaded machine; a server that needs longer is broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// As much of the server's stderr as is worth repeating.
const MOST_TALK: usize = 2_000;

/// Which of the user's variables the server sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surroundings {
    /// All of them, as a host would start it.
    AsTheyAre,
    /// None of becket's own.
    Bare,
}

/// A server of our own, on its stdin and stdout.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    /// What the server said on stderr, for when it does not answer.
    talk: Arc<Mutex<String>>,
    next_id: u64,
    /// Sent with every request of the stateless era.
    meta: Option<Value>,
}

impl Client {
    /// Starts `becket mcp --repo REPO …`.
    pub(crate) fn start(binary: &Path, repo: &Path, surroundings: Surroundings) -> Result<Self, Error> {
        let mut command = Command::new(binary);
        command.args(["mcp", "--stdio", "--repo"]).arg(repo);
        if surroundings == Surroundings::Bare {
            let ours = |name: &str| name.starts_with("BECKET_") || name == "PROJECT_PATH";
            for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(ours)) {
                command.env_remove(name);
            }
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(
                |error| {
                    Error::unavailable("server_not_started", "The server did not start.").with_source(error)
                },
            )?;
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
        let talk = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = child.stderr.take() {
            let heard = Arc::clone(&talk);
            thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                    if heard.len() < MOST_TALK {
                        heard.push_str(line.trim());
                        heard.push(' ');
                    }
                }
            });
        }
        Ok(Self { child, input, output, talk, next_id: 1, meta: None })
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
                let talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
                let words =
                    if talk.is_empty() { String::new() } else { format!(" It said: {}", talk.trim_end()) };
                Error::unavailable("server_silent", format!("The server did not answer `{method}`.{words}"))
                    .with_hint("Run `becket mcp --log-level debug` by hand to see more.")
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
