//! A server process on standard streams, and the raw client that talks to it.
//!
//! Owns the process from start to end: three threads drain its output, its talk and its exit status into channels, so
//! that every wait has a deadline and nothing polls. Dropping it ends the process by its id.

use std::io::{self, BufReader, Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Framing;
use crate::protocol;

/// Long enough for a loaded machine; nothing waits so long when all is well.
const DEADLINE: Duration = Duration::from_mins(1);

/// A request to a process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    Kill,
}

/// A running server and everything it has said.
#[derive(Debug)]
pub struct McpProcess {
    process_id: u32,
    framing: Framing,
    stdin: Option<ChildStdin>,
    messages: Receiver<io::Result<Value>>,
    /// Received and not yet asked for.
    inbox: Vec<Value>,
    stderr: Arc<Mutex<Vec<u8>>>,
    talk: Option<JoinHandle<()>>,
    exit: Receiver<io::Result<ExitStatus>>,
    status: Option<ExitStatus>,
    next_id: i64,
}

impl McpProcess {
    /// Starts a server that is spoken to in lines.
    pub fn spawn(command: Command) -> Self {
        Self::spawn_framed(command, Framing::Newline)
    }

    pub fn spawn_framed(mut command: Command, framing: Framing) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("a piped stdout");
        let mut child_stderr = child.stderr.take().expect("a piped stderr");

        let (message_sender, messages) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            loop {
                let message = framing.read(&mut reader).transpose();
                let Some(message) = message else { return };
                let failed = message.is_err();
                if message_sender.send(message).is_err() || failed {
                    // Go on reading: a server that cannot write would end for another reason than its own.
                    let _ = io::copy(&mut reader, &mut io::sink());
                    return;
                }
            }
        });

        let stderr = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&stderr);
        let talk = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = child_stderr.read(&mut buffer) {
                heard.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..count]);
            }
        });

        let process_id = child.id();
        let (exit_sender, exit) = channel();
        thread::spawn(move || exit_sender.send(child.wait()));

        Self {
            process_id,
            framing,
            stdin,
            messages,
            inbox: Vec::new(),
            stderr,
            talk: Some(talk),
            exit,
            status: None,
            next_id: 1,
        }
    }

    pub fn process_id(&self) -> u32 {
        self.process_id
    }

    /// Opens a session at a handshake version and returns the result of `initialize`.
    pub fn initialize(&mut self, version: &str) -> Value {
        let answer = self.request("initialize", protocol::initialize_params(version));
        let result = answer.get("result").cloned().unwrap_or_else(|| panic!("initialize: {answer}"));
        self.notify("notifications/initialized", Value::Null);
        result
    }

    /// Sends a request and waits for its answer, result or error.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        self.answer(&id)
    }

    /// The same with the `_meta` of the stateless era.
    pub fn modern_request(&mut self, method: &str, params: Value) -> Value {
        self.request(method, protocol::modern_params(params))
    }

    /// Calls a tool and returns the result; a protocol error is a failure.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", protocol::call_params(tool, arguments));
        answer.get("result").cloned().unwrap_or_else(|| panic!("{tool}: {answer}"))
    }

    /// Sends a request and returns its id.
    pub fn start(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.send(&protocol::request(id.clone(), method, params));
        id
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&protocol::notification(method, params));
    }

    /// Sends one message, whatever it is.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(&self.framing.encode(message));
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        if let Err(error) = self.try_send_raw(bytes) {
            panic!("the server takes no input: {error}\n{}", self.stderr());
        }
    }

    /// Sends bytes to a server that may be gone.
    pub fn try_send_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
        stdin.write_all(bytes)?;
        stdin.flush()
    }

    /// The answer to the request with this id.
    pub fn answer(&mut self, id: &Value) -> Value {
        self.expect(&format!("an answer to {id}"), |message| {
            message.get("id") == Some(id) && message.get("method").is_none()
        })
    }

    /// The next notification with this method.
    pub fn notification(&mut self, method: &str) -> Value {
        self.expect(method, |message| message.get("id").is_none() && message["method"] == method)
    }

    /// All notifications with this method that have come so far.
    pub fn notifications(&mut self, method: &str) -> Vec<Value> {
        while let Ok(message) = self.messages.try_recv() {
            self.keep(message);
        }
        self.inbox
            .extract_if(.., |message| message.get("id").is_none() && message["method"] == method)
            .collect()
    }

    /// The next message of any kind.
    pub fn next_message(&mut self) -> Value {
        self.expect("a message", |_| true)
    }

    /// The first message that fits, of those received and those to come; the others are kept.
    pub fn expect(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + DEADLINE;
        let mut looked_at = 0;
        loop {
            if let Some(index) = self.inbox[looked_at..].iter().position(&fits) {
                return self.inbox.remove(looked_at + index);
            }
            looked_at = self.inbox.len();
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => self.keep(message),
                Err(RecvTimeoutError::Timeout) => self.fail(&format!("{what} did not come in time")),
                Err(RecvTimeoutError::Disconnected) => self.fail(&format!("the server ended before {what}")),
            }
        }
    }

    /// Ends the server's input.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the process to end.
    pub fn wait(&mut self) -> ExitStatus {
        if let Some(status) = self.status {
            return status;
        }
        match self.exit.recv_timeout(DEADLINE) {
            Ok(Ok(status)) => {
                self.status = Some(status);
                status
            }
            Ok(Err(error)) => self.fail(&format!("waiting for the server: {error}")),
            Err(_) => self.fail("the server did not end in time"),
        }
    }

    /// Ends the input, waits for a clean exit and gives what was still said.
    pub fn finish(mut self) -> Vec<Value> {
        self.close_stdin();
        let rest = self.remaining_messages();
        let status = self.wait();
        assert!(status.success(), "the server ended with {status}\n{}", self.full_stderr());
        rest
    }

    /// Everything that was or will be said before the output ends.
    pub fn remaining_messages(&mut self) -> Vec<Value> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => self.keep(message),
                Err(RecvTimeoutError::Disconnected) => return std::mem::take(&mut self.inbox),
                Err(RecvTimeoutError::Timeout) => self.fail("the output did not end in time"),
            }
        }
    }

    /// What the server has said to people so far.
    pub fn stderr(&self) -> String {
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// All of it; for a server that has ended.
    pub fn full_stderr(&mut self) -> String {
        self.wait();
        if let Some(talk) = self.talk.take() {
            talk.join().expect("the reader of stderr");
        }
        self.stderr()
    }

    /// Sends a signal to this process, by its id, while it runs.
    pub fn signal(&mut self, signal: Signal) {
        // A process that was waited for is gone, and its id may be another's.
        if self.status.is_none() {
            match self.exit.try_recv() {
                Ok(Ok(status)) => self.status = Some(status),
                _ => send_signal(self.process_id, signal),
            }
        }
    }

    fn keep(&mut self, message: io::Result<Value>) {
        match message {
            Ok(message) => self.inbox.push(message),
            Err(error) => self.fail(&format!("the output holds more than the protocol: {error}")),
        }
    }

    fn fail(&self, what: &str) -> ! {
        panic!("{what}\nreceived and not asked for: {:#?}\nstderr:\n{}", self.inbox, self.stderr());
    }
}

impl Drop for McpProcess {
    fn drop(&mut self) {
        self.close_stdin();
        if self.status.is_none() && !thread::panicking() {
            // Most servers end with their input.
            self.status = self.exit.recv_timeout(Duration::from_millis(500)).ok().and_then(Result::ok);
        }
        self.signal(Signal::Kill);
    }
}

#[cfg(unix)]
fn send_signal(process_id: u32, signal: Signal) {
    use rustix::process::{Pid, Signal as UnixSignal, kill_process};

    let signal = match signal {
        Signal::Interrupt => UnixSignal::INT,
        Signal::Terminate => UnixSignal::TERM,
        Signal::Kill => UnixSignal::KILL,
    };
    if let Some(pid) = i32::try_from(process_id).ok().and_then(Pid::from_raw) {
        // It may have ended this very moment.
        let _ = kill_process(pid, signal);
    }
}

/// There is no gentle signal to another process here: every kind ends it.
#[cfg(not(unix))]
fn send_signal(process_id: u32, _: Signal) {
    let _ = Command::new("taskkill").args(["/F", "/PID", &process_id.to_string()]).output();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::TestHome;

    /// `cat` answers every message with itself, which is enough of a server to test the client.
    fn echo(home: &TestHome, framing: Framing) -> McpProcess {
        McpProcess::spawn_framed(home.command("cat"), framing)
    }

    /// The home outlives the process: a shell whose current directory is gone complains of it.
    fn shell(home: &TestHome, script: &str) -> McpProcess {
        let mut command = home.command("sh");
        command.args(["-c", script]);
        McpProcess::spawn(command)
    }

    #[test]
    fn messages_are_found_by_id_and_kind_in_any_order() {
        let home = TestHome::new();
        for framing in [Framing::Newline, Framing::ContentLength] {
            let mut process = echo(&home, framing);
            for id in [1, 2, 3] {
                process.send(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
            }
            process.notify("b", json!({"n": 1}));
            process.notify("a", Value::Null);
            assert_eq!(process.notification("a")["method"], "a");
            assert_eq!(process.answer(&json!(3))["id"], 3);
            assert_eq!(process.notifications("b").len(), 1);
            assert_eq!(process.next_message()["id"], 1);
            let rest = process.finish();
            assert_eq!(rest.len(), 1);
        }
    }

    #[test]
    fn the_end_of_a_process_is_seen() {
        let home = TestHome::new();
        let mut process = shell(&home, "echo talk >&2; exit 3");
        assert_eq!(process.wait().code(), Some(3));
        assert_eq!(process.full_stderr(), "talk\n");
        assert!(process.remaining_messages().is_empty());
    }

    #[test]
    fn a_signal_reaches_the_process() {
        use std::os::unix::process::ExitStatusExt;

        let home = TestHome::new();
        for (signal, number) in [(Signal::Interrupt, 2), (Signal::Terminate, 15), (Signal::Kill, 9)] {
            let mut process = echo(&home, Framing::Newline);
            process.signal(signal);
            assert_eq!(process.wait().signal(), Some(number));
            process.signal(signal);
        }
    }

    #[test]
    #[should_panic(expected = "more than the protocol")]
    fn talk_on_the_output_is_a_failure() {
        let home = TestHome::new();
        shell(&home, "echo starting; cat").request("ping", Value::Null);
    }

    #[test]
    #[should_panic(expected = "ended before an answer")]
    fn a_dead_server_is_a_failure() {
        let home = TestHome::new();
        shell(&home, "read line; echo broken >&2; exit 1").request("ping", Value::Null);
    }
}
