//! A server on stdio and the smallest client that can time it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{BenchError, initialize_params, is_success, process, status_params};

#[derive(Debug)]
pub(crate) struct StdioServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl StdioServer {
    /// Returns when `initialize` is answered.
    pub(crate) fn start(binary: &Path, repository: &Path) -> Result<Self, BenchError> {
        let mut command = process::becket(binary, repository);
        command.args(["mcp", "--repo"]).arg(repository);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = command.spawn();
        let mut child =
            started.map_err(|source| BenchError::Start { command: binary.display().to_string(), source })?;
        let silent = || BenchError::Silent { expected: "its pipes" };
        let input = child.stdin.take().ok_or_else(silent)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(silent)?);
        let mut server = Self { child, input, output, last_id: 0 };
        server.call("initialize", &initialize_params())?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn ping(&mut self) -> Result<Duration, BenchError> {
        self.call("ping", &json!({}))
    }

    pub(crate) fn call_status(&mut self) -> Result<Duration, BenchError> {
        self.call("tools/call", &status_params())
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: &Value) -> Result<Duration, BenchError> {
        self.call("tools/call", &json!({ "name": name, "arguments": arguments }))
    }

    /// The structured answer of a tool, and how long it took.
    pub(crate) fn ask(&mut self, name: &str, arguments: &Value) -> Result<(Value, Duration), BenchError> {
        let (mut answer, took) =
            self.answer("tools/call", &json!({ "name": name, "arguments": arguments }))?;
        Ok((answer["result"]["structuredContent"].take(), took))
    }

    /// Reads on until the server says something of which `is_it` is true.
    pub(crate) fn hear(&mut self, is_it: impl Fn(&Value) -> bool) -> Result<Value, BenchError> {
        loop {
            let message = parsed(&self.read()?.0)?;
            if is_it(&message) {
                return Ok(message);
            }
        }
    }

    /// Ends the input, which must end the server with success.
    pub(crate) fn stop(self) -> Result<(), BenchError> {
        let Self { mut child, input, output, .. } = self;
        drop(input);
        drop(output);
        let status = child
            .wait()
            .map_err(|source| BenchError::Connection { what: "waiting for the server", source })?;
        if status.success() {
            return Ok(());
        }
        let command = "becket mcp".to_owned();
        Err(BenchError::Failed { command, status: status.to_string(), output: String::new() })
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Duration, BenchError> {
        Ok(self.answer(method, params)?.1)
    }

    /// The time from writing the request to having read its answer; parsing it is not the server's work.
    fn answer(&mut self, method: &str, params: &Value) -> Result<(Value, Duration), BenchError> {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        let begun = Instant::now();
        self.send(&request)?;
        let id = format!("\"id\":{}", self.last_id);
        loop {
            let (line, read_at) = self.read()?;
            // What was not asked for is read, as by every client, but only an answer is worth parsing here.
            if !line.contains(&id) {
                continue;
            }
            let answer = parsed(&line)?;
            if answer["id"] != self.last_id {
                continue;
            }
            if !is_success(&answer) {
                return Err(BenchError::Refused { call: method.to_owned(), answer: answer.to_string() });
            }
            return Ok((answer, read_at.duration_since(begun)));
        }
    }

    /// The next message, and when it was there.
    fn read(&mut self) -> Result<(String, Instant), BenchError> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        let read_at = Instant::now();
        if read.map_err(|source| BenchError::Connection { what: "reading an answer", source })? == 0 {
            return Err(BenchError::Silent { expected: "an answer" });
        }
        Ok((line, read_at))
    }

    fn send(&mut self, message: &Value) -> Result<(), BenchError> {
        let line = format!("{message}\n");
        self.input
            .write_all(line.as_bytes())
            .and_then(|()| self.input.flush())
            .map_err(|source| BenchError::Connection { what: "sending a message", source })
    }
}

fn parsed(line: &str) -> Result<Value, BenchError> {
    serde_json::from_str(line).map_err(|_| BenchError::Silent { expected: "a JSON message" })
}
