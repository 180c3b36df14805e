//! `becket mcp --http`: several agents on one server, and everybody else kept out.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
};

use becket_testing::{TestRepo, protocol};
use serde_json::{Value, json};

use crate::becket;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server that ends with the test.
struct Server {
    child: Child,
    address: String,
    lines: Vec<String>,
}

impl Server {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stderr(Stdio::piped()).stdout(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
        let mut reader = BufReader::new(child.stderr.take().unwrap());
        let mut lines = Vec::new();
        let address = loop {
            let mut line = String::new();
            assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the server ended: {lines:?}");
            lines.push(line.trim_end().to_owned());
            if let Some(rest) = line.strip_prefix("listening on http://") {
                break rest.trim_end().trim_end_matches("/mcp").to_owned();
            }
        };
        thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
        Self { child, address, lines }
    }

    fn with_token(repo: &TestRepo) -> Self {
        let mut command = becket(repo, ["mcp", "--http", "127.0.0.1:0"]);
        command.env("BECKET_HTTP_TOKEN", TOKEN);
        Self::start(command)
    }

    fn stop(&mut self) -> Option<i32> {
        let _ = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status();
        self.child.wait().unwrap().code()
    }

    fn post(&self, body: &str, headers: &[(&str, &str)]) -> Answer {
        exchange(&self.address, "POST", "/mcp", body, headers)
    }

    fn rpc(&self, message: &Value, extra: &[(&str, &str)]) -> Answer {
        let authorization = format!("Bearer {TOKEN}");
        let mut headers = vec![("Authorization", authorization.as_str())];
        headers.extend(extra);
        self.post(&message.to_string(), &headers)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The JSON-RPC message, plain or in an event stream.
    fn message(&self) -> Value {
        let text = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim)
            .find(|data| data.starts_with('{'));
        serde_json::from_str(text.unwrap_or(&self.body)).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn exchange(address: &str, method: &str, path: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut request = format!(
        "{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        request.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status =
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    Answer { status, head: head.to_owned(), body: rest.to_owned() }
}

/// A POST with the right token whose body is still to be written.
fn open(address: &str, length: usize, headers: &[(&str, &str)]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {length}\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n"
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    stream
}

fn read_until(stream: &mut TcpStream, wanted: &str) {
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(wanted) {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap_or_else(|error| {
            panic!("{error}, after {}", String::from_utf8_lossy(&seen));
        });
        seen.push(byte[0]);
    }
}

fn modern_call(id: u64) -> Value {
    let params = protocol::modern_params(protocol::call_params("becket_status", json!({})));
    protocol::request(id, "tools/call", params)
}

const MODERN: &[(&str, &str)] =
    &[("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "becket_status")];

#[test]
fn both_eras_are_served() {
    let repo = TestRepo::new();
    let mut server = Server::with_token(&repo);
    let hello =
        server.rpc(&protocol::request(1, "initialize", protocol::initialize_params("2025-11-25")), &[]);
    assert_eq!(hello.status, 200, "{hello:?}");
    let session = hello.header("mcp-session-id").unwrap().to_owned();
    let in_session = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    assert_eq!(
        server.rpc(&protocol::notification("notifications/initialized", json!({})), &in_session).status,
        202
    );
    let call = protocol::request(2, "tools/call", protocol::call_params("becket_status", json!({})));
    let answer = server.rpc(&call, &in_session).message();
    assert_eq!(answer["result"]["structuredContent"]["repository"]["kind"], "repository");
    let answer = server.rpc(&modern_call(3), MODERN).message();
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "becket", "{answer}");
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn what_one_client_compared_is_no_result_of_another() {
    let repo = TestRepo::new();
    repo.write("a.ts", "export const a = 1;\n");
    let server = Server::with_token(&repo);
    let connect = || {
        let hello = protocol::request(1, "initialize", protocol::initialize_params("2025-11-25"));
        let session = server.rpc(&hello, &[]).header("mcp-session-id").unwrap().to_owned();
        server.rpc(
            &protocol::notification("notifications/initialized", json!({})),
            &[("Mcp-Session-Id", &session)],
        );
        session
    };
    let call = |session: &str, name: &str| {
        let message = protocol::request(2, "tools/call", protocol::call_params(name, json!({})));
        server.rpc(&message, &[("Mcp-Session-Id", session)]).message()["result"]["structuredContent"].clone()
    };
    let (one, other) = (connect(), connect());
    call(&one, "logicstamp_refresh_snapshot");
    assert_eq!(call(&one, "logicstamp_compare_snapshot")["status"], "pass");
    let last = "logicstamp_get_last_compare_result";
    assert_eq!(call(&one, last)["status"], "pass");
    assert_eq!(call(&other, last)["error"]["code"], "no_compare_result");
}

#[test]
fn strangers_are_kept_out() {
    let repo = TestRepo::new();
    let server = Server::with_token(&repo);
    let body = modern_call(1).to_string();
    let right = format!("Bearer {TOKEN}");
    let mut headers: Vec<(&str, &str)> = MODERN.to_vec();
    let mut ask = |extra: &[(&'static str, &'static str)], token: Option<&str>| {
        headers.truncate(MODERN.len());
        headers.extend(extra);
        let token = token.map(str::to_owned);
        let mut all: Vec<(&str, &str)> = headers.clone();
        if let Some(token) = &token {
            all.push(("Authorization", token));
        }
        exchange(&server.address, "POST", "/mcp", &body, &all).status
    };
    assert_eq!(ask(&[], Some(&right)), 200);
    assert_eq!(ask(&[], None), 401);
    assert_eq!(ask(&[], Some("Bearer wrong")), 401);
    assert_eq!(ask(&[("Origin", "https://evil.example")], Some(&right)), 403);
    assert_eq!(ask(&[("Origin", "http://localhost:3000")], Some(&right)), 200);
    assert_eq!(ask(&[("Host", "evil.example")], Some(&right)), 403);
    let in_url = exchange(&server.address, "POST", &format!("/mcp?token={TOKEN}"), &body, MODERN);
    assert!(matches!(in_url.status, 400 | 401), "{in_url:?}");
    let unparsable = server.post("{", &[("Authorization", right.as_str())]);
    assert_eq!((unparsable.status, &unparsable.message()["error"]["code"]), (400, &json!(-32700)));
    let batch = server.post("[]", &[("Authorization", right.as_str())]);
    assert_eq!((batch.status, &batch.message()["error"]["code"]), (400, &json!(-32600)));
}

#[test]
fn a_token_is_made_for_the_user_alone_and_kept() {
    let repo = TestRepo::new();
    let server = Server::start(becket(&repo, ["mcp", "--http"]));
    let file = repo.path(".git/becket/http-token");
    let token = std::fs::read_to_string(&file).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let authorization = format!("Bearer {}", token.trim());
    let mut headers = MODERN.to_vec();
    headers.push(("Authorization", &authorization));
    assert_eq!(server.post(&modern_call(1).to_string(), &headers).status, 200);
    assert!(!server.lines.concat().contains(token.trim()), "the token is never printed");
    drop(server);
    let server = Server::start(becket(&repo, ["mcp", "--http"]));
    assert_eq!(
        server.post(&modern_call(1).to_string(), &headers).status,
        200,
        "a host that was configured goes on"
    );
}

#[test]
fn a_used_port_is_a_clear_error() {
    let repo = TestRepo::new();
    let server = Server::with_token(&repo);
    let mut command = becket(&repo, ["mcp", "--http"]);
    let output = command.arg(&server.address).output().unwrap();
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains(&server.address) && text.contains("hint:"), "{text}");
}

#[test]
fn a_server_that_may_not_listen_says_why_and_never_that_it_listens() {
    let repo = TestRepo::new();
    for (arguments, token, exit, wanted) in [
        (&["0.0.0.0:0"][..], TOKEN, 5, "--http-expose"),
        (&["nowhere"], TOKEN, 2, "nowhere"),
        (&["127.0.0.1:99999"], TOKEN, 2, "127.0.0.1:99999"),
        (&["127.0.0.1:0", "--allowed-hosts", "*"], TOKEN, 2, "allowed host `*`"),
        (&["127.0.0.1:0", "--allowed-origins", "box.example"], TOKEN, 2, "allowed origin `box.example`"),
        (&["127.0.0.1:0"], "two words", 2, "token"),
    ] {
        let mut command = becket(&repo, ["mcp", "--http"]);
        let output = command.args(arguments).env("BECKET_HTTP_TOKEN", token).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {text}");
        assert!(text.contains(wanted) && text.contains("hint:"), "{arguments:?}: {text}");
        assert!(!text.contains("listening on"), "{text}");
    }
}

#[test]
fn what_is_no_message_gets_a_protocol_error() {
    let repo = TestRepo::new();
    let server = Server::with_token(&repo);
    let right = format!("Bearer {TOKEN}");
    let authorized = [("Authorization", right.as_str())];
    for body in ["5", "\"x\"", "null", "{}"] {
        let answer = server.post(body, &authorized);
        assert_eq!((answer.status, &answer.message()["error"]["code"]), (400, &json!(-32600)), "{body}");
    }
    let mut stream = open(&server.address, 3, &[("Content-Type", "application/json")]);
    stream.write_all(b"\"\xff\"").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 400") && text.contains("-32700"), "{text}");
    let mut stream = open(&server.address, 1, &[("Content-Type", "text/plain")]);
    stream.write_all(b"5").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 415"), "{text}");
}

#[cfg(unix)]
#[test]
fn at_the_end_calls_in_flight_are_answered_and_listeners_get_their_result() {
    let repo = TestRepo::new();
    let mut server = Server::with_token(&repo);
    let wish = json!({"notifications": {"resourceSubscriptions": ["becket://status"]}});
    let listen = protocol::request(9, "subscriptions/listen", protocol::modern_params(wish)).to_string();
    let json_type = ("Content-Type", "application/json");
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let listen_headers = [json_type, version, ("Mcp-Method", "subscriptions/listen")];
    let mut listener = open(&server.address, listen.len(), &listen_headers);
    listener.write_all(listen.as_bytes()).unwrap();
    read_until(&mut listener, "notifications/subscriptions/acknowledged");

    let call = modern_call(7).to_string();
    let mut headers = MODERN.to_vec();
    headers.extend([json_type, ("Expect", "100-continue")]);
    let mut in_flight = open(&server.address, call.len(), &headers);
    // The server asked for the body, so it has surely begun with the call.
    read_until(&mut in_flight, "100 Continue\r\n\r\n");

    let pid = server.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let mut rest = String::new();
    listener.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\"result\"") && rest.contains("\"id\":9"), "no final result: {rest}");
    in_flight.write_all(call.as_bytes()).unwrap();
    let mut answer = String::new();
    in_flight.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("structuredContent"), "{answer}");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn many_agents_at_once_get_their_own_answers() {
    let repo = TestRepo::new();
    let server = Server::with_token(&repo);
    thread::scope(|scope| {
        for client in 0..8_u64 {
            let server = &server;
            scope.spawn(move || {
                for call in 0..10 {
                    let id = client * 1_000 + call;
                    let answer = server.rpc(&modern_call(id), MODERN).message();
                    assert_eq!(answer["id"], id);
                    assert_eq!(answer["result"]["structuredContent"]["repository"]["kind"], "repository");
                }
            });
        }
    });
}
