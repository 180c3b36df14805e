//! The server in one process: every behaviour of the handler and the adapter over a real byte stream.
#![allow(clippy::disallowed_methods, reason = "tests make their own folders")]

use std::{sync::Arc, time::Duration};

use becket_engine::{Engine, Environment, OpenOptions};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{Choice, NameStyle, Notice, Persona, Server, Toolset, transport};

const PATIENCE: Duration = Duration::from_secs(20);

struct Client {
    server: Server,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: Option<WriteHalf<DuplexStream>>,
    serving: JoinHandle<()>,
    notifications: Vec<Value>,
    _folder: tempfile::TempDir,
    modern: bool,
}

fn everything() -> Choice {
    Choice { toolsets: Toolset::PLANES.to_vec(), ..Choice::default() }
}

impl Client {
    fn connect(persona: Persona, choice: &Choice) -> Self {
        Self::connect_with_settings(persona, choice, "")
    }

    fn connect_with_settings(persona: Persona, choice: &Choice, settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("becket.toml"), settings).unwrap();
        let engine = Engine::open(Environment::new(folder.path()), OpenOptions::default());
        let server = Server::new(Arc::new(engine), persona, choice, CancellationToken::new()).unwrap();
        let (near, far) = tokio::io::duplex(1 << 16);
        let (reader, input) = tokio::io::split(near);
        let (far_reader, far_writer) = tokio::io::split(far);
        let connection = server.connection();
        let closing = connection.closing();
        let serving = tokio::spawn(async move {
            let limits = transport::Limits::default();
            transport::serve(connection, far_reader, far_writer, limits, closing).await.unwrap();
        });
        Self {
            server,
            lines: BufReader::new(reader).lines(),
            input: Some(input),
            serving,
            notifications: Vec::new(),
            _folder: folder,
            modern: false,
        }
    }

    async fn handshake(version: &str) -> Self {
        let mut client = Self::connect(Persona::BECKET, &everything());
        client.initialize(version).await;
        client
    }

    fn modern() -> Self {
        let mut client = Self::connect(Persona::BECKET, &everything());
        client.modern = true;
        client
    }

    async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let answer = self.request("initialize", params).await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        // The notification is handled when a later request is.
        if version < "2026" {
            self.request("ping", json!({})).await;
        }
        answer
    }

    async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.input.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    async fn start(&mut self, id: u64, method: &str, mut params: Value) {
        if self.modern {
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("an answer in time");
        serde_json::from_str(&line.unwrap().expect("the stream goes on")).unwrap()
    }

    async fn finish(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message.get("method").is_some() {
                self.notifications.push(message);
            } else if message["id"] == id {
                return message;
            }
        }
    }

    async fn raw(&mut self, method: &str, params: Value) -> Value {
        self.start(77, method, params).await;
        self.finish(77).await
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.raw(method, params).await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    async fn notification(&mut self, method: &str) -> Value {
        loop {
            if let Some(found) = self.notifications.iter().position(|message| message["method"] == method) {
                return self.notifications.remove(found);
            }
            let message = self.next().await;
            self.notifications.push(message);
        }
    }

    async fn close_input(&mut self) {
        if let Some(mut input) = self.input.take() {
            input.shutdown().await.unwrap();
        }
    }

    async fn end(mut self) {
        self.close_input().await;
        tokio::time::timeout(PATIENCE, self.serving).await.expect("a clean end in time").unwrap();
    }
}

fn names(list: &Value, member: &str) -> Vec<String> {
    list[member].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

fn error_of(result: &Value) -> &Value {
    assert_eq!(result["isError"], true, "{result}");
    &result["structuredContent"]["error"]
}

#[tokio::test]
async fn every_handshake_version_is_echoed() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::connect(Persona::BECKET, &everything());
        let answer = client.initialize(version).await;
        assert_eq!(answer["protocolVersion"], version);
        assert_eq!(answer["serverInfo"]["name"], "becket");
        let list = client.request("tools/list", json!({})).await;
        assert!(list.get("resultType").is_none(), "{version} has no resultType");
        client.end().await;
    }
}

#[tokio::test]
async fn an_unknown_version_is_answered_with_the_newest_handshake_one() {
    let mut client = Client::connect(Persona::BECKET, &everything());
    assert_eq!(client.initialize("2099-01-01").await["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_stateless_era_needs_no_handshake_and_signs_every_result() {
    let mut client = Client::modern();
    let discovered = client.request("server/discover", json!({})).await;
    assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "becket://status"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "becket_begin", "arguments": {"goal": "mend it"}})),
        ("tools/call", json!({"name": "becket_status", "arguments": {}})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "becket://tool/{name}"}, "argument": {"name": "name", "value": ""}}),
        ),
    ] {
        let result = client.request(method, params).await;
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "becket", "{method}");
        if method.ends_with("list") || method.ends_with("read") || method.ends_with("discover") {
            assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string(), "{method}: {result}");
        }
    }
    let list = client.request("tools/list", json!({})).await;
    assert_eq!((list["ttlMs"].as_u64(), list["cacheScope"].as_str()), (Some(3_600_000), Some("public")));
    client.end().await;
}

#[tokio::test]
async fn the_stateless_era_has_its_own_errors() {
    let mut client = Client::modern();
    client.request("tools/list", json!({})).await;
    let removed = [
        ("ping", json!({})),
        ("logging/setLevel", json!({"level": "debug"})),
        ("resources/subscribe", json!({"uri": "becket://status"})),
    ];
    for (method, params) in removed {
        assert_eq!(client.raw(method, params).await["error"]["code"], -32601, "{method}");
    }
    let missing = client.raw("resources/read", json!({"uri": "becket://nothing"})).await;
    assert_eq!(missing["error"]["code"], -32602);
    assert_eq!(missing["error"]["data"]["code"], "unknown_resource");
    client.modern = false;
    assert_eq!(client.raw("tools/list", json!({})).await["error"]["code"], -32602, "no _meta");
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2030-01-01", "io.modelcontextprotocol/clientCapabilities": {}});
    assert_eq!(client.raw("tools/list", json!({"_meta": meta})).await["error"]["code"], -32022);
}

#[tokio::test]
async fn a_missing_resource_has_the_old_code_for_old_peers() {
    let mut client = Client::handshake("2025-06-18").await;
    let missing = client.raw("resources/read", json!({"uri": "becket://nothing"})).await;
    assert_eq!(missing["error"]["code"], -32002);
}

#[tokio::test]
async fn status_answers_outside_git_and_names_the_place() {
    let mut client = Client::handshake("2025-11-25").await;
    let result = client.call("becket_status", json!({})).await;
    assert_eq!(result["structuredContent"]["repository"]["kind"], "plain");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("(plain)"));
    let result = client.call("becket_status", json!({"worktree": "../.."})).await;
    assert_eq!(error_of(&result)["code"], "path_escapes_root");
}

#[tokio::test]
async fn either_spelling_of_a_tool_is_called() {
    let mut client = Client::handshake("2025-11-25").await;
    for name in ["probe_rows", "probe.rows"] {
        let result = client.call(name, json!({"rowCount": 2})).await;
        assert_eq!(result["structuredContent"]["rows"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn toolsets_tools_and_exclusions_choose_the_list() {
    let listed = async |choice: Choice| {
        let mut client = Client::connect(Persona::BECKET, &choice);
        client.initialize("2025-11-25").await;
        let mut listed = names(&client.request("tools/list", json!({})).await, "tools");
        listed.retain(|name| name.starts_with("probe") || name == "becket_status");
        listed
    };
    let only = |toolsets: &[Toolset]| Choice { toolsets: toolsets.to_vec(), ..Choice::default() };
    assert_eq!(listed(only(&[])).await, ["becket_status"]);
    assert_eq!(listed(only(&[Toolset::Coordinate])).await, ["becket_status", "probe_wait"]);
    let choice = Choice { tools: vec!["probe.wait".to_owned()], ..only(&[Toolset::Commit]) };
    assert_eq!(
        listed(choice).await,
        ["becket_status", "probe_rows", "probe_write", "probe_panic", "probe_wait"]
    );
    let choice = Choice {
        exclude: vec!["probe_panic".to_owned(), "becket_status".to_owned()],
        ..only(&[Toolset::Commit])
    };
    assert_eq!(listed(choice).await, ["probe_rows", "probe_write"]);
    let choice = Choice { names: NameStyle::Dotted, read_only: true, ..only(&[Toolset::Commit]) };
    assert_eq!(listed(choice).await, ["becket_status", "probe.rows", "probe.panic"]);
}

#[test]
fn a_tool_that_does_not_exist_cannot_be_chosen() {
    let engine = Arc::new(Engine::open(Environment::new(std::env::temp_dir()), OpenOptions::default()));
    let choice = Choice { exclude: vec!["becket_statu".to_owned()], ..Choice::default() };
    let error = Server::new(engine, Persona::BECKET, &choice, CancellationToken::new()).unwrap_err();
    assert_eq!(error.code(), "unknown_tool");
    assert!(error.hint().unwrap().contains("`becket_status`"));
}

#[tokio::test]
async fn a_withheld_tool_is_refused_and_an_unknown_one_is_a_protocol_error() {
    let mut client = Client::connect(Persona::BECKET, &Choice { read_only: true, ..everything() });
    client.initialize("2025-11-25").await;
    let result = client.call("probe.write", json!({})).await;
    assert_eq!(error_of(&result)["code"], "tool_not_offered");
    assert!(error_of(&result)["message"].as_str().unwrap().contains("read-only"));
    let answer = client.raw("tools/call", json!({"name": "becket_stats"})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["data"]["code"], "unknown_tool");
    assert!(answer["error"]["data"]["hint"].as_str().unwrap().contains("`becket_status`"));
}

#[tokio::test]
async fn bad_arguments_are_tool_errors_with_a_code_and_a_hint() {
    let mut client = Client::handshake("2025-11-25").await;
    for (arguments, words) in [
        (json!({}), "The argument `rowCount` is missing"),
        (json!({"rowCount": "many"}), "`rowCount`"),
        (json!({"rowCount": 1, "rowCout": 2}), "no argument `rowCout`"),
        (json!({"rowCount": 1, "limit": 0}), "`limit`"),
        (json!({"rowCount": -1}), "`rowCount`"),
        (json!({"rowCount": 1, "rowLength": {"deep": [[[[]]]]}}), "`rowLength`"),
    ] {
        let result = client.call("probe_rows", arguments.clone()).await;
        let error = error_of(&result);
        assert_eq!(error["code"], "invalid_arguments", "{arguments}");
        assert!(error["message"].as_str().unwrap().contains(words), "{arguments}: {error}");
        assert!(error["hint"].is_string());
        assert!(result["content"][0]["text"].as_str().unwrap().contains("[invalid_arguments]"));
    }
    let long = "x".repeat(1 << 20);
    let result = client.call("becket_status", json!({"worktree": long})).await;
    assert!(error_of(&result)["message"].as_str().unwrap().len() < 1_000);
}

#[tokio::test]
async fn a_long_list_is_cut_with_a_notice_and_continued() {
    let mut client = Client::handshake("2025-11-25").await;
    let mut arguments = json!({"row_count": 25});
    let mut seen = Vec::new();
    loop {
        let result = client.call("probe_rows", arguments.clone()).await;
        let content = &result["structuredContent"];
        seen.extend(content["rows"].as_array().unwrap().iter().map(|row| row["key"].clone()));
        if content["nextCursor"].is_null() {
            break;
        }
        assert!(result["content"][0]["text"].as_str().unwrap().contains("call again with `cursor`"));
        arguments["cursor"] = content["nextCursor"].clone();
    }
    assert_eq!(seen.len(), 25);
    let huge = client.call("probe_rows", json!({"rowCount": 500, "limit": 500, "rowLength": 1_000})).await;
    assert!(huge["structuredContent"].to_string().len() <= 100_000);
    assert!(huge["structuredContent"]["nextCursor"].is_string());
    let result = client.call("probe_rows", json!({"rowCount": 1, "rowLength": 200_000})).await;
    let content = &result["structuredContent"];
    assert!(content.to_string().len() <= 100_000);
    assert!(content["cut"].as_str().unwrap().contains("of 200000 at /rows/0/"), "{}", content["cut"]);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("Cut to 91000 bytes"));
}

#[tokio::test]
async fn a_tool_that_panics_costs_one_answer() {
    let mut client = Client::handshake("2025-11-25").await;
    let result = client.call("probe_panic", json!({})).await;
    assert_eq!(error_of(&result)["code"], "internal");
    client.call("becket_status", json!({})).await;
    client.end().await;
}

#[tokio::test]
async fn progress_and_cancellation_reach_the_tool() {
    let mut client = Client::handshake("2025-11-25").await;
    let params = json!({"name": "probe_wait", "arguments": {}, "_meta": {"progressToken": "p"}});
    client.start(5, "tools/call", params).await;
    for step in 1..=3 {
        let note = client.notification("notifications/progress").await;
        assert_eq!(note["params"]["progress"], f64::from(step));
        assert_eq!(note["params"]["total"], 3.0);
        assert_eq!(note["params"]["progressToken"], "p");
    }
    let note = client.notification("notifications/progress").await;
    assert_eq!((&note["params"]["progress"], &note["params"]["total"]), (&json!(4.0), &json!(null)));
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}))
        .await;
    // A cancelled request has no answer: the next one to come is the ping's.
    let answer = client.raw("ping", json!({})).await;
    assert_eq!(answer["id"], 77);
    client.end().await;
}

#[tokio::test]
async fn end_of_input_ends_a_long_wait_with_its_answer() {
    let mut client = Client::handshake("2025-11-25").await;
    client.start(5, "tools/call", json!({"name": "probe_wait", "arguments": {}})).await;
    client.notification("notifications/message").await;
    client.close_input().await;
    assert_eq!(client.finish(5).await["result"]["structuredContent"]["done"], false);
    client.end().await;
}

#[tokio::test]
async fn the_session_sets_its_log_level_before_2026() {
    let mut client = Client::handshake("2025-06-18").await;
    client.request("logging/setLevel", json!({"level": "warning"})).await;
    client.start(5, "tools/call", json!({"name": "probe_wait", "arguments": {}})).await;
    let note = client.notification("notifications/message").await;
    assert_eq!(
        (note["params"]["level"].as_str(), note["params"]["data"].as_str()),
        (Some("warning"), Some("warning"))
    );
    assert_eq!(client.raw("logging/setLevel", json!({"level": "loud"})).await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_level_that_is_none_is_refused_from_2026_on_and_means_nothing_before() {
    let mut client = Client::modern();
    for (method, params) in [("tools/list", json!({})), ("tools/call", json!({"name": "becket_status"}))] {
        for level in [json!("loud"), json!(3), json!(null), json!("Info")] {
            let mut params = params.clone();
            params["_meta"] = json!({"io.modelcontextprotocol/logLevel": level});
            let answer = client.raw(method, params).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("logLevel") && message.contains("notice, warning"), "{message}");
        }
    }
    client.end().await;
    let mut client = Client::handshake("2025-11-25").await;
    client.request("tools/list", json!({"_meta": {"io.modelcontextprotocol/logLevel": "loud"}})).await;
    client.end().await;
}

#[tokio::test]
async fn how_long_a_result_may_be_kept_is_said_from_2026_on() {
    for version in ["2024-11-05", "2025-11-25"] {
        let mut client = Client::handshake(version).await;
        for (method, params) in [
            ("tools/list", json!({})),
            ("prompts/list", json!({})),
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("resources/read", json!({"uri": "becket://status"})),
        ] {
            let result = client.request(method, params).await;
            for key in ["ttlMs", "cacheScope", "resultType"] {
                assert!(result.get(key).is_none(), "{version} {method}: {key} in {result}");
            }
        }
        client.end().await;
    }
}

#[tokio::test]
async fn each_request_sets_its_log_level_from_2026() {
    let mut client = Client::modern();
    let quiet = json!({"name": "probe_wait", "arguments": {}, "_meta": {"progressToken": 1}});
    client.start(5, "tools/call", quiet).await;
    client.notification("notifications/progress").await;
    let loud =
        json!({"name": "probe_wait", "arguments": {}, "_meta": {"io.modelcontextprotocol/logLevel": "info"}});
    client.start(6, "tools/call", loud).await;
    assert_eq!(client.notification("notifications/message").await["params"]["data"], "info");
    assert_eq!(client.notification("notifications/message").await["params"]["data"], "warning");
    assert!(
        !client.notifications.iter().any(|note| note["method"] == "notifications/message"),
        "one request asked"
    );
}

#[tokio::test]
async fn subscribers_of_the_handshake_era_hear_of_changes_and_messages() {
    let mut client = Client::handshake("2025-11-25").await;
    client.request("resources/subscribe", json!({"uri": "becket://status"})).await;
    assert!(client.server.is_watched());
    client.server.publish(&Notice::ResourceUpdated("becket://settings".to_owned()));
    client.server.publish(&Notice::ResourceUpdated("becket://status".to_owned()));
    client
        .server
        .publish(&Notice::Message { level: crate::Level::Notice, data: json!("somebody claimed T1") });
    let note = client.notification("notifications/resources/updated").await;
    assert_eq!(note["params"]["uri"], "becket://status", "the other one was not subscribed to");
    assert_eq!(client.notification("notifications/message").await["params"]["data"], "somebody claimed T1");
    client.request("resources/unsubscribe", json!({"uri": "becket://status"})).await;
    assert!(!client.server.is_watched());
    let refused = client.raw("resources/subscribe", json!({"uri": "becket://nothing"})).await;
    assert_eq!(refused["error"]["code"], -32002);
    let server = client.server.clone();
    client.end().await;
    server.publish(&Notice::ResourceUpdated("becket://status".to_owned()));
}

#[tokio::test]
async fn listeners_of_the_stateless_era_hear_of_changes() {
    let mut client = Client::modern();
    let filter =
        json!({"notifications": {"resourceSubscriptions": ["becket://status"], "toolsListChanged": true}});
    client.start(9, "subscriptions/listen", filter).await;
    let ack = client.notification("notifications/subscriptions/acknowledged").await;
    assert_eq!(ack["params"]["notifications"]["resourceSubscriptions"], json!(["becket://status"]));
    assert!(
        ack["params"]["notifications"].get("toolsListChanged").is_none(),
        "the list never changes: {ack}"
    );
    // The acknowledgement goes out before the registry knows: ask until it does.
    while !client.server.is_watched() {
        tokio::task::yield_now().await;
    }
    client.server.publish(&Notice::ResourceUpdated("becket://settings".to_owned()));
    client.server.publish(&Notice::ResourceUpdated("becket://status".to_owned()));
    let note = client.notification("notifications/resources/updated").await;
    assert_eq!(note["params"]["uri"], "becket://status");
    assert_eq!(note["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}))
        .await;
    while client.server.is_watched() {
        tokio::task::yield_now().await;
    }
    client.end().await;
}

#[tokio::test]
async fn end_of_input_ends_a_listener() {
    let mut client = Client::modern();
    let filter = json!({"notifications": {"resourceSubscriptions": ["becket://status"]}});
    client.start(9, "subscriptions/listen", filter).await;
    client.notification("notifications/subscriptions/acknowledged").await;
    client.end().await;
}

#[tokio::test]
async fn crinkle_is_the_foundation_with_empty_lists() {
    let mut client = Client::connect(Persona::named("crinkle").unwrap(), &everything());
    let answer = client.initialize("2025-06-18").await;
    assert_eq!(answer["serverInfo"]["name"], "crinkle");
    for capability in ["tools", "resources", "prompts"] {
        assert!(answer["capabilities"][capability].is_object(), "{capability}");
    }
    assert_eq!(client.request("tools/list", json!({})).await["tools"], json!([]));
    assert_eq!(client.request("resources/list", json!({})).await["resources"], json!([]));
    assert_eq!(client.request("prompts/list", json!({})).await["prompts"], json!([]));
    assert!(answer.get("instructions").is_none());
}

#[tokio::test]
async fn a_seed_s_name_serves_that_seed_s_tools_as_it_lists_them() {
    for (name, expected) in
        [("lodestar", vec!["probe.wait"]), ("segmint", vec!["probe_rows", "probe_write", "probe_panic"])]
    {
        let mut client = Client::connect(Persona::named(name).unwrap(), &everything());
        assert_eq!(client.initialize("2025-06-18").await["serverInfo"]["name"], name);
        let list = client.request("tools/list", json!({})).await;
        let listed = names(&list, "tools");
        let probes: Vec<_> = listed.iter().filter(|name| name.starts_with("probe")).collect();
        assert_eq!(probes, expected, "{name}");
        assert!(!listed.contains(&"becket_status".to_owned()));
    }
}

#[tokio::test]
async fn broken_settings_stop_tools_but_not_the_server_nor_its_status() {
    let mut client =
        Client::connect_with_settings(Persona::BECKET, &everything(), "[log]\nlevle = \"info\"\n");
    client.initialize("2025-11-25").await;
    let result = client.call("probe_rows", json!({"rowCount": 1})).await;
    let error = error_of(&result);
    assert_eq!(error["code"], "settings_invalid");
    assert!(error["message"].as_str().unwrap().starts_with("becket.toml:2:1"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("log.level"), "{error}");
    let status = client.call("becket_status", json!({})).await;
    assert_eq!(status["structuredContent"]["problems"][0]["code"], "setting_unknown");
}

#[tokio::test]
async fn the_server_is_named_as_the_settings_say() {
    let mut client =
        Client::connect_with_settings(Persona::BECKET, &everything(), "[server]\nname = \"ours\"\n");
    assert_eq!(client.initialize("2025-11-25").await["serverInfo"]["name"], "ours");
}

#[tokio::test]
async fn prompts_and_completions_answer() {
    let mut client = Client::handshake("2025-11-25").await;
    let prompt = client
        .request("prompts/get", json!({"name": "becket_begin", "arguments": {"goal": "mend it"}}))
        .await;
    assert!(prompt["messages"][0]["content"]["text"].as_str().unwrap().ends_with("mend it"));
    for (arguments, words) in [
        (json!({"gaol": "mend it"}), "Did you mean `goal`? Its arguments are goal, worktree."),
        (json!({"zebra": "x"}), "Its arguments are goal, worktree."),
        (json!({"goal": 5}), "is a string"),
    ] {
        let wrong = client.raw("prompts/get", json!({"name": "becket_begin", "arguments": arguments})).await;
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
        assert_eq!(wrong["error"]["data"]["code"], "invalid_arguments", "{wrong}");
        assert!(wrong["error"]["message"].as_str().unwrap().contains(words), "{wrong}");
    }
    let unknown = client.raw("prompts/get", json!({"name": "nothing"})).await;
    assert_eq!(
        (unknown["error"]["code"].as_i64(), unknown["error"]["data"]["code"].as_str()),
        (Some(-32602), Some("unknown_prompt"))
    );
    let complete = async |client: &mut Client, reference: Value, name: &str, value: &str| {
        client
            .raw("completion/complete", json!({"ref": reference, "argument": {"name": name, "value": value}}))
            .await
    };
    let template = json!({"type": "ref/resource", "uri": "becket://tool/{name}"});
    let answer = complete(&mut client, template.clone(), "name", "STATUS").await;
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!(["becket_status", "logicstamp_watch_status", "lodestar_repo_status", "repo_status"])
    );
    let answer = complete(&mut client, template, "nothing", "x").await;
    assert_eq!(answer["result"]["completion"]["values"], json!([]));
    let answer = complete(&mut client, json!({"type": "ref/prompt", "name": "nothing"}), "x", "").await;
    assert_eq!(answer["error"]["data"]["code"], "unknown_prompt");
}

#[test]
fn every_tool_is_fit_for_every_host() {
    for route in crate::tools::all() {
        let tool = route.definition();
        let listed = NameStyle::Underscore.listed(route.name());
        assert!(
            listed.len() <= 40
                && listed
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
            "{listed}"
        );
        let description = tool.description.as_deref().unwrap();
        assert!(description.matches(". ").count() < 2, "{listed}: at most two sentences");
        assert!(tool.title.is_some() && tool.annotations.is_some(), "{listed}");
        for schema in [&tool.input_schema, tool.output_schema.as_ref().unwrap()] {
            let schema = Value::Object(schema.as_ref().clone());
            assert_eq!(schema["type"], "object", "{listed}");
            assert!(
                !schema.to_string().contains("$ref") && !schema.to_string().contains("\"null\""),
                "{listed}: {schema}"
            );
            jsonschema::validator_for(&schema).unwrap();
        }
    }
}

#[test]
fn no_tool_takes_what_its_schema_refuses() {
    // What `expectation` knows of a schema; another word would be published and not held.
    const HELD: [&str; 10] = [
        "type",
        "anyOf",
        "enum",
        "minimum",
        "maximum",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
    ];
    const SAID: [&str; 3] = ["description", "default", "additionalProperties"];
    fn held(schema: &Value, place: &str) {
        for (word, value) in schema.as_object().into_iter().flatten() {
            assert!(HELD.contains(&&**word) || SAID.contains(&&**word), "{place}: {word}");
            match word.as_str() {
                "properties" => {
                    let members = value.as_object().unwrap().iter();
                    members.for_each(|(name, one)| held(one, &format!("{place}.{name}")));
                }
                "anyOf" => value.as_array().unwrap().iter().for_each(|one| held(one, place)),
                "items" => held(value, place),
                _ => {}
            }
        }
    }
    for route in crate::tools::all() {
        let mut schema = route.definition().input_schema.as_ref().clone();
        held(&Value::Object(schema.clone()), route.name());
        schema.remove("required");
        for name in schema["properties"].as_object().unwrap().keys() {
            // One that may be anything may be nothing.
            let is_open = schema["properties"][name].get("type").is_none()
                && schema["properties"][name].get("anyOf").is_none();
            let arguments = serde_json::Map::from_iter([(name.clone(), Value::Null)]);
            let refused = crate::arguments::parse::<Value>(arguments, &schema);
            assert!(
                is_open || refused.is_err_and(|error| error.hint().is_some()),
                "{}: {name}",
                route.name()
            );
        }
    }
}

#[tokio::test]
async fn the_instructions_are_short() {
    let mut client = Client::connect(Persona::BECKET, &everything());
    let answer = client.initialize("2025-11-25").await;
    let instructions = answer["instructions"].as_str().unwrap();
    assert!(instructions.lines().count() <= 12, "{instructions}");
    assert!(instructions.contains("becket_status"));
}
