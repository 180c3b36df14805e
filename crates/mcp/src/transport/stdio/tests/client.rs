//! The two sides of these tests: a handler for every way a call can go, and a client on in-memory pipes.

use std::future::pending;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    InitializeRequestParams, InitializeResult, ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::transport::{Framing, Limits, StdioError, serve};

/// A handler with one tool for each way a call can go.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    pub(super) closing: CancellationToken,
}

impl ServerHandler for Probe {
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if request.client_info.name == "refused" {
            return Err(ErrorData::invalid_params("not you", None));
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*request.name {
            "until_closing" => self.closing.cancelled().await,
            "until_cancelled" => context.ct.cancelled().await,
            "never" => pending().await,
            "panic" => panic!("on purpose"),
            "progress_at_the_end" => {
                self.closing.cancelled().await;
                report(&context, 3).await;
            }
            "progress" => report(&context, 20).await,
            _ => {}
        }
        let size = request.arguments.and_then(|arguments| arguments["size"].as_u64()).unwrap_or(4);
        let text = "x".repeat(usize::try_from(size).unwrap());
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

async fn report(context: &RequestContext<RoleServer>, count: u32) {
    let token = context.meta.get_progress_token().unwrap();
    let reports = (1..=count).map(|step| {
        context.peer.notify_progress(ProgressNotificationParam::new(token.clone(), f64::from(step)))
    });
    // All at once: their order is then the transport's to keep.
    for result in futures::future::join_all(reports).await {
        result.unwrap();
    }
}

pub(super) struct Client {
    pub(super) framing: Framing,
    pub(super) to_server: Option<DuplexStream>,
    pub(super) from_server: BufReader<DuplexStream>,
    pub(super) server: JoinHandle<Result<(), StdioError>>,
    pub(super) closing: CancellationToken,
}

/// No test waits so long when all is well, and no drain is so short that it would hide a missed wake-up.
pub(super) const SOON: Duration = Duration::from_secs(20);

impl Client {
    pub(super) fn start(framing: Framing) -> Self {
        Self::start_with(
            framing,
            Limits { max_message_bytes: 4096, drain: SOON * 10, ..Limits::default() },
            64 * 1024,
        )
    }

    pub(super) fn start_with(framing: Framing, limits: Limits, pipe: usize) -> Self {
        let (to_server, input) = tokio::io::duplex(pipe);
        let (output, from_server) = tokio::io::duplex(pipe);
        let closing = CancellationToken::new();
        let probe = Probe { closing: closing.clone() };
        let server = tokio::spawn(serve(probe, input, output, limits, closing.clone()));
        Self {
            framing,
            to_server: Some(to_server),
            from_server: BufReader::new(from_server),
            server,
            closing,
        }
    }

    pub(super) async fn raw(&mut self, bytes: &[u8]) {
        let write = self.to_server.as_mut().unwrap().write_all(bytes);
        tokio::time::timeout(SOON, write).await.expect("the server reads in time").unwrap();
    }

    pub(super) async fn send(&mut self, value: Value) {
        let mut bytes = Vec::new();
        self.framing.encode(value.to_string().as_bytes(), &mut bytes);
        self.raw(&bytes).await;
    }

    pub(super) async fn request(&mut self, id: i64, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    pub(super) async fn call(&mut self, id: i64, tool: &str) {
        self.request(id, "tools/call", json!({"name": tool, "_meta": {"progressToken": id}})).await;
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(super) async fn initialize(&mut self, version: &str) {
        self.request(0, "initialize", initialize_params(version, "test")).await;
        let answer = self.receive().await;
        assert_eq!((&answer["id"], &answer["result"]["protocolVersion"]), (&json!(0), &json!(version)));
        self.notify("notifications/initialized", json!({})).await;
    }

    async fn try_receive(&mut self) -> Option<Value> {
        let reader = &mut self.from_server;
        let read = async {
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line).await.unwrap();
            if self.framing == Framing::ContentLength && !line.is_empty() {
                let header = String::from_utf8(line).unwrap();
                let length =
                    header.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n"));
                let mut body = vec![0; length.expect(&header).parse::<usize>().unwrap() + 2];
                reader.read_exact(&mut body).await.unwrap();
                line = body.strip_prefix(b"\r\n").unwrap().to_vec();
            }
            line
        };
        let line = tokio::time::timeout(SOON, read).await.expect("an answer in time");
        if line.is_empty() { None } else { Some(serde_json::from_slice(&line).unwrap()) }
    }

    pub(super) async fn receive(&mut self) -> Value {
        self.try_receive().await.expect("an answer before the end")
    }

    pub(super) async fn expect_error(&mut self, id: Value, code: i64) -> String {
        let answer = self.receive().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    }

    pub(super) async fn expect_result(&mut self, id: i64) -> Value {
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer.get("result").is_some(), "{answer}");
        answer
    }

    pub(super) fn close_input(&mut self) {
        self.to_server = None;
    }

    /// Everything still said, and how the server ended.
    pub(super) async fn end(mut self) -> (Vec<Value>, Result<(), StdioError>) {
        let mut rest = Vec::new();
        while let Some(value) = self.try_receive().await {
            rest.push(value);
        }
        let result = tokio::time::timeout(SOON, self.server).await.expect("the server ends in time").unwrap();
        assert!(self.closing.is_cancelled(), "whoever waits is told");
        (rest, result)
    }

    pub(super) async fn ends_cleanly(self) {
        let (rest, result) = self.end().await;
        result.unwrap();
        assert!(rest.is_empty(), "{rest:?}");
    }
}

pub(super) fn initialize_params(version: &str, name: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}})
}

pub(super) fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}
