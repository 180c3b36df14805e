//! The entries as agents see them: a real server, a raw client.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use crate::{BECKET, becket};

fn server(repo: &TestRepo, arguments: &[&str]) -> McpProcess {
    let mut command = repo.command(BECKET);
    command.args(arguments);
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-06-18");
    server
}

fn vault() -> TestRepo {
    let repo = TestRepo::new();
    assert!(becket(&repo, ["as", "context-stash", "--init"]).output().unwrap().status.success());
    repo
}

/// What a client of the original reads: the text, as JSON.
fn text(result: &Value) -> Value {
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap())
        .unwrap_or_else(|error| panic!("{error}: {result}"))
}

#[test]
fn the_seed_is_served_as_it_is_written() {
    let repo = vault();
    let mut server = server(&repo, &["as", "context-stash", "--serve"]);
    let tools = server.request("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["context.create", "context.get", "context.list", "context.search", "context.refs", "context.verify"]
    );
    let created = server.call("context.create", json!({"markdown": "# Why\n\nBecause of Parsing."}));
    assert_eq!(
        (&created["structuredContent"]["file"], &text(&created)["file"]),
        (&json!("00001.md"), &json!("00001.md"))
    );
    let got = server.call("context.get", json!({"ref": "00001"}));
    assert_eq!(got["structuredContent"]["markdown"], "# Why\n\nBecause of Parsing.");
    assert_eq!(text(&got)["markdown"], "# Why\n\nBecause of Parsing.");
    server.call("context.create", json!({"markdown": "second"}));
    let listed = server.call("context.list", json!({}));
    assert_eq!(text(&listed)["entries"][1]["ref"], "00002");
    let entries = &listed["structuredContent"]["entries"];
    assert_eq!((&entries[0]["ref"], &entries[0]["file"]), (&json!("00001"), &json!("00001.md")));
    let found = server.call("context.search", json!({"query": "parsing"}));
    let result = &found["structuredContent"]["results"][0];
    assert_eq!(
        (&result["ref"], &result["file"], &result["snippet"]),
        (&json!("00001"), &json!("00001.md"), &json!("Because of Parsing."))
    );
    server.finish();
}

#[test]
fn pipelined_creates_each_get_a_number() {
    let repo = vault();
    let mut server = server(&repo, &["mcp"]);
    let ids: Vec<Value> = (0..20)
        .map(|n| {
            server.start(
                "tools/call",
                json!({"name": "context_create", "arguments": {"markdown": format!("entry {n}")}}),
            )
        })
        .collect();
    let mut files: Vec<String> = ids
        .iter()
        .map(|id| server.answer(id)["result"]["structuredContent"]["file"].as_str().unwrap().to_owned())
        .collect();
    files.sort();
    assert_eq!(files, (1..=20).map(|n| format!("{n:05}.md")).collect::<Vec<_>>());
    server.finish();
}

#[test]
fn what_is_wrong_has_a_code_a_message_and_a_hint_and_the_server_goes_on() {
    let repo = TestRepo::new();
    let mut server = server(&repo, &["mcp"]);
    let code = |server: &mut McpProcess, tool: &str, arguments: Value| {
        let result = server.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let error = &result["structuredContent"]["error"];
        assert!(error["message"].is_string(), "{result}");
        error["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(&mut server, "context.list", json!({})), "context_missing");
    assert!(becket(&repo, ["note", "init"]).output().unwrap().status.success());
    for (tool, arguments, expected) in [
        ("context.create", json!({}), "invalid_arguments"),
        ("context.create", json!({"markdown": 5}), "invalid_arguments"),
        ("context.create", json!({"markdown": "x", "markdwn": "y"}), "invalid_arguments"),
        ("context.create", json!({"markdown": "line\n".repeat(51)}), "too_many_lines"),
        ("context.create", json!({"markdown": "x".repeat(5_000_000)}), "too_large"),
        ("context.create", json!({"markdown": "x", "anchors": ["../x"]}), "invalid_anchor"),
        ("context.get", json!({"ref": "../README"}), "invalid_ref"),
        ("context.get", json!({"ref": "1\u{0}"}), "invalid_ref"),
        ("context.get", json!({"ref": "00001"}), "entry_not_found"),
        ("context.list", json!({"limit": 0}), "invalid_arguments"),
        ("context.list", json!({"cursor": "x"}), "invalid_cursor"),
        ("context.search", json!({}), "invalid_arguments"),
        ("context.refs", json!({"target": "/etc/passwd"}), "invalid_anchor"),
        ("context.verify", json!({"ref": "7"}), "entry_not_found"),
        ("context.get", json!({"ref": "1", "worktree": "../elsewhere"}), "path_escapes_root"),
    ] {
        assert_eq!(code(&mut server, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
    assert_eq!(
        server.call("context.create", json!({"markdown": "fine"}))["structuredContent"]["file"],
        "00001.md"
    );
    server.finish();
}

#[test]
fn a_resource_and_a_completion_speak_of_entries() {
    let repo = vault();
    let mut server = server(&repo, &["mcp"]);
    repo.write("a.ts", "let x = 1;\n");
    server.call("context.create", json!({"markdown": "why x is one", "anchors": ["a.ts"]}));
    server.call("context.create", json!({"markdown": "another"}));
    let templates = server.request("resources/templates/list", json!({}));
    let all = templates["result"]["resourceTemplates"].as_array().unwrap();
    assert!(all.iter().any(|template| template["uriTemplate"] == "context://{ref}"), "{templates}");
    let read = |server: &mut McpProcess, uri: &str| server.request("resources/read", json!({"uri": uri}));
    assert!(
        read(&mut server, "context://00001")["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .ends_with("why x is one")
    );
    repo.write("a.ts", "let x = 2;\n");
    let stale = read(&mut server, "context://1");
    assert!(
        stale["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("> Code that it explains has changed")
    );
    assert!(read(&mut server, "context://../config")["error"]["message"].is_string());
    let request = json!({"ref": {"type": "ref/resource", "uri": "context://{ref}"}, "argument": {"name": "ref", "value": "0000"}});
    let completed = server.request("completion/complete", request);
    assert_eq!(completed["result"]["completion"]["values"], json!(["00002", "00001"]));
    server.finish();
}

#[test]
fn a_read_only_server_does_not_write() {
    let repo = vault();
    let mut server = server(&repo, &["mcp", "--read-only"]);
    let refused =
        server.request("tools/call", json!({"name": "context_create", "arguments": {"markdown": "x"}}));
    assert!(refused["error"].is_object() || refused["result"]["isError"] == true, "{refused}");
    assert_eq!(server.call("context.list", json!({}))["structuredContent"]["total"], 0);
    assert!(!repo.path(".context/00001.md").exists());
    server.finish();
}
