//! Every tool with every argument wrong in turn: an answer each time, with a code and a next step, and no trace outside.

use std::collections::BTreeSet;

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Map, Value, json};

use crate::{BECKET, becket};

/// Values that some argument somewhere will not like. `outside` is a file that must never come to be.
fn nasty(outside: &str) -> Vec<Value> {
    vec![
        json!("../../etc/passwd"),
        json!("/etc/passwd"),
        json!(format!("--output={outside}")),
        json!(format!("$(touch {outside})")),
        json!("\0"),
        json!(""),
        json!("x".repeat(100_000)),
        json!(-1),
        json!(1_u64 << 63),
        json!(1e300),
        json!([[[]]]),
        json!({"a": {"a": 1}}),
        Value::Null,
    ]
}

/// A repository in which every plane has something to answer with.
fn lived_in() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/a.ts", "export function a(x: number) {\n  return x;\n}\n");
    repo.write("src/b.ts", "import { a } from './a';\nexport const b = () => a(1);\n");
    for arguments in [["note", "init"], ["task", "init"]] {
        assert!(becket(&repo, arguments).output().unwrap().status.success());
    }
    repo.write(".lodestar/spec.yaml", "tasks:\n  T1:\n    title: One\n    status: ready\n");
    assert!(
        becket(&repo, ["note", "new", "# why", "--anchor", "src/a.ts#a"]).output().unwrap().status.success()
    );
    repo.commit("all");
    repo.write("src/a.ts", "export function a(x: number, y: string) {\n  return x + y;\n}\n");
    repo
}

#[test]
fn a_wrong_argument_is_answered_with_a_code_and_a_next_step() {
    let repo = lived_in();
    let outside = repo.home().root().join("written");
    let mut command = repo.command(BECKET);
    command.args(["mcp", "--toolsets", "all"]);
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-11-25");
    let agent = server.call("lodestar_agent_join", json!({}))["structuredContent"]["agentId"].clone();
    let list = server.request("tools/list", Value::Null)["result"]["tools"].clone();
    let values = nasty(&outside.display().to_string());
    let mut calls = 0;
    let mut faults = Vec::new();
    for tool in list.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let properties = tool["inputSchema"]["properties"].as_object().cloned().unwrap_or_default();
        let required: BTreeSet<&str> = tool["inputSchema"]["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for property in properties.keys() {
            for value in &values {
                let mut arguments = sound(&required, &properties, &agent);
                arguments.insert(property.clone(), value.clone());
                let answer = server.request("tools/call", json!({"name": name, "arguments": arguments}));
                calls += 1;
                faults.extend(fault(&answer).map(|fault| {
                    let value: String = value.to_string().chars().take(40).collect();
                    format!("{name} {property}={value}: {fault}")
                }));
            }
        }
    }
    assert!(calls > 2_000, "{calls}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(!outside.exists());
    server.finish();
}

/// What a caller in his right mind would give; waiting is kept short.
fn sound(required: &BTreeSet<&str>, properties: &Map<String, Value>, agent: &Value) -> Map<String, Value> {
    let known = [
        ("agentId", agent.clone()),
        ("fromAgentId", agent.clone()),
        ("taskId", json!("T1")),
        ("ref", json!("00001")),
        ("path", json!("src/a.ts")),
        ("target", json!("src/a.ts")),
        ("query", json!("why")),
        ("body", json!("hello")),
    ];
    let mut arguments: Map<String, Value> = known
        .into_iter()
        .filter(|(name, _)| required.contains(name))
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if properties.contains_key("timeoutSeconds") {
        arguments.insert("timeoutSeconds".to_owned(), json!(0));
    }
    arguments
}

/// What is wrong with an answer.
fn fault(answer: &Value) -> Option<String> {
    if let Some(error) = answer.get("error") {
        return (error["code"] != -32602).then(|| error.to_string());
    }
    let error = &answer["result"]["structuredContent"]["error"];
    let told = error["code"].is_string() && error["hint"].is_string() && error["kind"] != "internal";
    (answer["result"]["isError"] == true && !told).then(|| error.to_string())
}
