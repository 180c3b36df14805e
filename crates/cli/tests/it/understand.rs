//! Contracts, bundles and drift through the real binary and the real server.

use std::path::Path;

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use crate::envelope;

const MONEY: &str = "export type Cents = number;\n\nexport function format(amount: Cents): string {\n  return String(amount);\n}\n";
const CART: &str = "import { format } from './money';\nexport const total = (): string => format(1);\n";

fn shop() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/money.ts", MONEY);
    repo.write("src/cart.ts", CART);
    repo
}

fn server(repo: &TestRepo) -> McpProcess {
    let mut command = repo.command(crate::BECKET);
    command.arg("mcp");
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-06-18");
    server
}

fn call(server: &mut McpProcess, name: &str, arguments: &Value) -> Value {
    server.request("tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
}

#[test]
fn the_example_workflow_does_what_it_says() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mcp-workflow");
    let repo = TestRepo::new();
    for path in ["package.json", "src/money.ts", "src/cart.ts"] {
        repo.write(path, std::fs::read(example.join("project").join(path)).unwrap());
    }
    let steps: Vec<Value> =
        serde_json::from_slice(&std::fs::read(example.join("workflow.json")).unwrap()).unwrap();
    let mut server = server(&repo);
    let mut calls = 0;
    for step in &steps {
        if let Some(path) = step["edit"].as_str() {
            let (old, new) = (step["replace"].as_str().unwrap(), step["with"].as_str().unwrap());
            let text = repo.read(path);
            assert!(text.contains(old), "{path}");
            repo.write(path, text.replace(old, new));
            continue;
        }
        calls += 1;
        let name = step["call"].as_str().unwrap();
        let answer = call(&mut server, name, &step["arguments"]);
        assert_ne!(answer["isError"], true, "{name}: {answer}");
        for (pointer, expected) in step["expect"].as_object().unwrap() {
            let found = answer["structuredContent"].pointer(pointer);
            assert_eq!(found, Some(expected), "{name} {pointer}: {answer}");
        }
    }
    assert_eq!(calls, 6);
    server.finish();
}

#[test]
fn failures_are_tool_results_with_a_code_and_a_hint() {
    let repo = shop();
    let mut server = server(&repo);
    for (name, arguments, code) in [
        ("logicstamp_compare_snapshot", json!({}), "context_missing"),
        ("logicstamp_list_bundles", json!({}), "no_snapshot"),
        ("logicstamp_list_bundles", json!({"snapshotId": "snap_1"}), "unknown_snapshot"),
        ("logicstamp_refresh_snapshot", json!({"profile": "; touch x #"}), "invalid_arguments"),
        ("logicstamp_refresh_snapshot", json!({"projectPath": "/etc"}), "path_outside_root"),
        ("logicstamp_impact", json!({"target": "../../etc/passwd"}), "path_escapes_root"),
        ("logicstamp_impact", json!({"target": "src/money.ts", "limit": 0}), "invalid_arguments"),
        ("logicstamp_impact", json!({"target": "src/money.ts", "depth": 0}), "invalid_arguments"),
        ("logicstamp_search_components", json!({"query": "money", "limit": 0}), "invalid_arguments"),
        ("logicstamp_search_components", json!({"query": "money", "limit": 201}), "invalid_arguments"),
        ("logicstamp_get_last_compare_result", json!({}), "no_compare_result"),
    ] {
        let answer = call(&mut server, name, &arguments);
        assert_eq!(answer["isError"], true, "{name}: {answer}");
        let error = &answer["structuredContent"]["error"];
        assert_eq!(error["code"], code, "{name}: {answer}");
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{name}: {answer}");
    }
    let docs = call(&mut server, "logicstamp_read_logicstamp_docs", &json!({}));
    for key in ["forLLMs", "usage", "uifContracts", "schema", "context", "compareModes", "limitations"] {
        let text = docs["structuredContent"][key].as_str().unwrap_or_default();
        assert!(text.starts_with("# ") && text.len() > 300, "{key}");
    }
    let modes = call(&mut server, "logicstamp_compare_modes", &json!({}));
    assert_eq!(modes["structuredContent"]["stats"]["totalFiles"], 2, "{modes}");
    let watch = call(&mut server, "logicstamp_watch_status", &json!({"includeRecentLogs": true}));
    assert_eq!(watch["structuredContent"]["watchModeActive"], false, "{watch}");
    server.finish();
}

#[test]
fn context_writes_compares_and_cleans() {
    let repo = shop();
    let run = |arguments: &[&str]| repo.command(crate::BECKET).args(arguments).output().unwrap();
    let made = envelope(&run(&["context", "--json"]));
    assert_eq!((&made["ok"], &made["data"]["totalEdges"]), (&json!(true), &json!(1)), "{made}");
    let again = envelope(&run(&["context", "--json"]));
    assert_eq!(
        (&again["data"]["filesWritten"], &again["data"]["filesParsed"]),
        (&json!(0), &json!(0)),
        "{again}"
    );
    assert!(run(&["context", "validate"]).status.success());
    assert!(run(&["context", "compare"]).status.success());
    assert_eq!(String::from_utf8(run(&["context", "compare", "-q"]).stdout).unwrap(), "");
    let shown = String::from_utf8(run(&["context", "show", "src/money.ts"]).stdout).unwrap();
    assert!(shown.contains("format") && shown.contains("imported by"), "{shown}");
    let drawn = String::from_utf8(run(&["context", "graph", "--format", "mermaid"]).stdout).unwrap();
    assert!(drawn.starts_with("flowchart LR") && drawn.contains("-->"), "{drawn}");

    repo.write("src/money.ts", MONEY.replace("amount: Cents", "amount: string"));
    let drift = run(&["context", "compare"]);
    assert_eq!(drift.status.code(), Some(1));
    let text = String::from_utf8(drift.stdout).unwrap();
    assert!(text.contains("breaking function format") && text.contains("used by src/cart.ts"), "{text}");
    let two = run(&["context", "compare", "context_main.json", "context_main.json", "--approve"]);
    assert_eq!(two.status.code(), Some(2), "{two:?}");
    assert!(String::from_utf8_lossy(&two.stderr).contains("nothing to approve"), "{two:?}");
    assert!(run(&["context", "compare", "--approve"]).status.success());
    assert!(run(&["context", "compare"]).status.success());

    let impact = envelope(&run(&["impact", "src/money.ts#format", "--json"]));
    assert_eq!(impact["data"]["dependents"][0]["path"], "src/cart.ts", "{impact}");
    repo.write("src/tax.ts", "import { format } from './money';\nexport const tax: string = format(1);\n");
    let text = String::from_utf8(run(&["impact", "src/money.ts", "--limit", "1"]).stdout).unwrap();
    assert!(text.ends_with("1 of 2. Call again with the cursor 1 for more.\n"), "{text}");
    assert_eq!(run(&["impact", "src/money.ts", "--depth", "0"]).status.code(), Some(2));
    assert_eq!(run(&["impact", "src/money.ts", "--limit", "0"]).status.code(), Some(2));
    assert_eq!(run(&["context", "--format", "qqq"]).status.code(), Some(2));
    assert!(run(&["context", "clean"]).status.success());
    assert!(repo.path("context_main.json").exists());
    assert!(run(&["context", "clean", "--all", "--yes"]).status.success());
    assert!(!repo.path("context_main.json").exists() && !repo.path("src/context.json").exists());
}

#[test]
fn what_was_written_for_a_folder_is_compared_over_that_folder() {
    let repo = shop();
    let run = |arguments: &[&str]| repo.command(crate::BECKET).args(arguments).output().unwrap();
    repo.write("other/elsewhere.ts", "export const elsewhere = 1;\n");
    assert!(run(&["context", "src", "-q"]).status.success());
    let compare = |more: &[&str]| run(&[&["context", "compare", "src"], more].concat());
    assert!(compare(&[]).status.success());
    assert!(compare(&["--repo", repo.root().to_str().unwrap()]).status.success());
    repo.write("src/money.ts", MONEY.replace("amount: Cents", "amount: string"));
    repo.write("other/elsewhere.ts", "export const other = 1;\n");
    let drift = compare(&["--json"]);
    assert_eq!(drift.status.code(), Some(1));
    let folders = &envelope(&drift)["data"]["folderDiffs"];
    assert_eq!((folders[0]["path"].as_str(), folders.as_array().map(Vec::len)), (Some("src"), Some(1)));
    assert!(compare(&["--approve"]).status.success() && compare(&[]).status.success());
    assert!(!repo.path("context_main.json").exists() && !repo.path("src/other").exists());
    assert_eq!(run(&["context", "compare", "nowhere"]).status.code(), Some(2));
}

#[test]
fn stamp_speaks_its_own_command_line() {
    let repo = shop();
    let run = |arguments: &[&str]| {
        repo.command(crate::BECKET).args(["as", "stamp"]).args(arguments).output().unwrap()
    };
    assert!(run(&["context", "--skip-gitignore", "--quiet"]).status.success());
    assert!(repo.path("context_main.json").exists());
    let stats = run(&["context", "--stats", "--quiet"]);
    let line: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(line["totalComponents"], 2);
    assert_eq!(run(&["context", "--profile", "nope"]).status.code(), Some(1));
    assert_eq!(run(&["context", "compare", "missing.json", "other.json"]).status.code(), Some(1));
    assert!(run(&["ignore", "src/cart.ts"]).status.success());
    assert!(repo.read(".stampignore").contains("src/cart.ts"));
    assert!(run(&["init"]).status.success());
    assert!(repo.read(".gitignore").contains("context_*.json") && repo.path("LLM_CONTEXT.md").exists());
    assert!(run(&["security", "scan", "--quiet"]).status.success());
    assert!(run(&["security", "--hard-reset"]).status.success());
    assert!(!repo.path("stamp_security_report.json").exists());
}

#[test]
fn what_is_to_be_ignored_is_named_from_where_one_stands() {
    let repo = shop();
    let ignore = |folder: &str, pattern: &str| {
        let mut command = repo.command(crate::BECKET);
        command.args(["as", "stamp", "ignore", pattern]).current_dir(repo.path(folder)).output().unwrap()
    };
    let absolute = repo.root().canonicalize().unwrap().join("src/cart.ts");
    for (folder, pattern, stored) in [
        ("src", "cart.ts", "src/cart.ts"),
        ("", absolute.to_str().unwrap(), "src/cart.ts"),
        ("src", "../src/", "src/"),
        ("src", "**/*.gen.ts", "**/*.gen.ts"),
        ("src", "/out", "/out"),
        ("src", "later.ts", "later.ts"),
    ] {
        if repo.path(".stampignore").exists() {
            repo.remove(".stampignore");
        }
        assert!(ignore(folder, pattern).status.success(), "{pattern}");
        let written: Value = serde_json::from_str(&repo.read(".stampignore")).unwrap();
        assert_eq!(written["ignore"], json!([stored]), "{pattern}");
    }
    for pattern in ["", ".", "..", "../../x", "/etc"] {
        let refused = ignore("", pattern);
        assert!(!refused.status.success(), "{pattern}");
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains("invalid_pattern"),
            "{pattern} {refused:?}"
        );
    }
}
