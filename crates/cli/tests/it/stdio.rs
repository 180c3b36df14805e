//! `becket mcp` on stdin and stdout, as hosts and as careless clients use it.

use becket_testing::{Framing, McpProcess, Signal, TestRepo, protocol};
use serde_json::{Value, json};

use crate::becket;

fn serve(repo: &TestRepo) -> McpProcess {
    McpProcess::spawn(becket(repo, ["mcp"]))
}

fn error_code(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["structuredContent"]["error"]["code"].as_str().unwrap()
}

#[test]
fn both_eras_answer_on_one_process_each() {
    let repo = TestRepo::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = serve(&repo);
        assert_eq!(server.initialize(version)["protocolVersion"], version);
        let status = server.call("becket_status", json!({}));
        assert_eq!(status["structuredContent"]["repository"]["kind"], "repository", "{status}");
        // Who knows no structured content finds the same in the text.
        let text = serde_json::from_str::<Value>(status["content"][0]["text"].as_str().unwrap()).ok();
        let expected = (version < "2025-06-18").then(|| status["structuredContent"].clone());
        assert_eq!(text, expected, "{version}");
        server.finish();
    }
    let mut server = serve(&repo);
    let answer = server.modern_request("tools/call", protocol::call_params("becket_status", json!({})));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "becket");
    server.finish();
}

#[test]
fn content_length_framing_is_answered_in_kind_also_byte_by_byte() {
    let repo = TestRepo::new();
    let mut server = McpProcess::spawn_framed(becket(&repo, ["mcp"]), Framing::ContentLength);
    let message = protocol::request(1, "initialize", protocol::initialize_params("2025-11-25"));
    for byte in Framing::ContentLength.encode(&message) {
        server.send_raw(&[byte]);
    }
    assert_eq!(server.answer(&json!(1))["result"]["serverInfo"]["name"], "becket");
    server.notify("notifications/initialized", Value::Null);
    assert!(server.call("becket_status", json!({}))["structuredContent"].is_object());
    server.finish();
}

#[test]
fn bad_input_is_answered_and_the_server_goes_on() {
    let repo = TestRepo::new();
    let mut command = becket(&repo, ["mcp"]);
    command.env("BECKET_MAX_MESSAGE_BYTES", "65536");
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-11-25");
    let mut refused = |bytes: &[u8], code: i64| {
        server.send_raw(bytes);
        let answer = server.expect("an error", |message| message.get("error").is_some());
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
    };
    refused(b"not json\n", -32700);
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":1,\n", -32700);
    refused(b"{\"text\": \"\xff\xfe\"}\n", -32700);
    refused(format!("{}{}\n", "[".repeat(5_000), "]".repeat(5_000)).as_bytes(), -32700);
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":5}\n", -32600);
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"no/such\"}\n", -32601);
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":[1]}\n", -32602);
    refused(b"[]\n", -32600);
    let huge = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\",\"params\":{{\"x\":\"{}\"}}}}\n",
        "y".repeat(100_000)
    );
    refused(huge.as_bytes(), -32600);
    assert!(server.call("becket_status", json!({}))["structuredContent"].is_object());
    server.finish();
}

#[test]
fn answers_in_flight_at_the_end_of_input_are_given() {
    let repo = TestRepo::new();
    let mut server = serve(&repo);
    server.initialize("2025-11-25");
    let ids: Vec<_> = (0..20)
        .map(|_| server.start("tools/call", protocol::call_params("becket_status", json!({}))))
        .collect();
    server.close_stdin();
    for id in ids {
        let answer = server.answer(&id);
        assert!(answer["result"]["structuredContent"]["repository"].is_object(), "{answer}");
    }
    assert!(server.wait().success());
}

#[test]
fn every_way_to_end_is_clean() {
    let repo = TestRepo::new();
    let mut silent = serve(&repo);
    silent.close_stdin();
    assert_eq!(silent.wait().code(), Some(0), "end of input before any message");
    for signal in [Signal::Terminate, Signal::Interrupt] {
        let mut server = serve(&repo);
        server.initialize("2025-11-25");
        server.signal(signal);
        assert_eq!(server.wait().code(), Some(0), "{signal:?}: {}", server.full_stderr());
    }
    let mut server = serve(&repo);
    server.initialize("2025-11-25");
    assert_eq!(server.request("shutdown", Value::Null)["result"], json!({}));
    assert_eq!(server.request("ping", json!({}))["error"]["code"], -32600);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn stdout_carries_the_protocol_alone_whatever_is_logged() {
    let repo = TestRepo::new();
    let mut command = becket(&repo, ["mcp", "--log-level", "trace", "--json-logs"]);
    let log = repo.home().temporary().join("log");
    command.arg("--log-file").arg(&log);
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-11-25");
    server.call("becket_status", json!({}));
    server.close_stdin();
    assert!(server.wait().success());
    for message in server.remaining_messages() {
        assert_eq!(message["jsonrpc"], "2.0");
    }
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.lines().count() > 3);
    for line in log.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[test]
fn path_escapes_of_every_kind_are_refused() {
    let repo = TestRepo::new();
    std::fs::create_dir(repo.home().root().join("outside")).unwrap();
    let root = repo.root().display().to_string();
    repo.write("nested/.git", format!("gitdir: {}\n", repo.home().root().join("outside").display()));
    #[cfg(unix)]
    std::os::unix::fs::symlink(repo.home().root().join("outside"), repo.path("link")).unwrap();
    let mut server = serve(&repo);
    server.initialize("2025-11-25");
    let long = "x".repeat(100_000);
    let sibling = format!("{root}-2");
    for (escape, code) in [
        ("..", "path_escapes_root"),
        ("../outside", "path_escapes_root"),
        ("src/../../outside", "path_escapes_root"),
        ("/", "path_outside_root"),
        ("/etc", "path_outside_root"),
        (sibling.as_str(), "path_outside_root"),
        #[cfg(unix)]
        ("link", "path_link_outside_root"),
        (".git", "path_in_git_dir"),
        (".git/hooks", "path_in_git_dir"),
        ("nested", "path_nested_git"),
        ("a\0b", "path_invalid"),
        ("C:\\", "path_invalid"),
        ("\\\\server\\share", "path_invalid"),
    ] {
        for argument in ["worktree", "repo"] {
            let answer = server.call("becket_status", json!({argument: escape}));
            assert_eq!(error_code(&answer), code, "{argument} {escape}: {answer}");
            assert!(answer["structuredContent"]["error"]["hint"].is_string());
        }
    }
    let answer = server.call("becket_status", json!({"worktree": long}));
    assert!(answer.to_string().len() < 10_000, "a long argument is not repeated");
    server.finish();
}

#[test]
fn a_subscriber_hears_that_the_branch_was_switched() {
    let repo = TestRepo::new();
    repo.write("a", "1");
    repo.commit("one");
    let mut server = serve(&repo);
    server.initialize("2025-11-25");
    assert!(server.request("resources/subscribe", json!({"uri": "becket://status"}))["result"].is_object());
    // A reading by the watcher must lie between the subscription and the switch; it reads several times a second.
    let mut switched = 0;
    let note = loop {
        switched += 1;
        repo.git(["switch", "--quiet", "--create", &format!("branch-{switched}")]);
        if let Some(note) = server.notifications("notifications/resources/updated").pop() {
            break note;
        }
        assert!(switched < 500);
        server.request("ping", json!({}));
    };
    assert_eq!(note["params"]["uri"], "becket://status");
    let status = server.call("becket_status", json!({}));
    assert_eq!(status["structuredContent"]["worktree"]["branch"], format!("branch-{switched}"));
    server.finish();
}

#[test]
fn a_broken_set_up_does_not_keep_the_server_from_answering() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[mcp\n");
    repo.write("mcp-config.json", "{");
    let mut server = serve(&repo);
    server.initialize("2025-11-25");
    let status = server.call("becket_status", json!({}));
    let problems = status["structuredContent"]["problems"].as_array().unwrap().clone();
    assert_eq!(problems.len(), 2, "{problems:?}");
    server.finish();

    let mut server = McpProcess::spawn(becket(&repo, ["mcp", "--repo", "nowhere"]));
    server.initialize("2025-11-25");
    let status = server.call("becket_status", json!({}));
    assert_eq!(error_code(&status), "repository_missing");
    server.finish();
}

#[test]
fn a_wrong_flag_ends_the_command() {
    let repo = TestRepo::new();
    for (arguments, code) in [
        (["mcp", "--toolsets", "rember"], "settings_invalid"),
        (["mcp", "--exclude", "no_such_tool"], "unknown_tool"),
        (["mcp", "--tool-names", "dashed"], "settings_invalid"),
    ] {
        let output = becket(&repo, arguments).output().unwrap();
        assert!(matches!(output.status.code(), Some(2 | 3)), "{arguments:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(code), "{arguments:?}: {output:?}");
    }
}

#[test]
fn an_allowed_path_admits_another_repository() {
    let repo = TestRepo::new();
    let other = TestRepo::new_in(repo.home(), "other");
    other.git(["switch", "--quiet", "--create", "elsewhere"]);
    let argument = json!({"repo": other.root().display().to_string()});
    let mut server = serve(&repo);
    server.initialize("2025-11-25");
    assert_eq!(error_code(&server.call("becket_status", argument.clone())), "path_outside_root");
    server.finish();
    let mut command = becket(&repo, ["mcp"]);
    command.env("BECKET_ALLOWED_PATHS", other.root());
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-11-25");
    let status = server.call("becket_status", argument);
    assert_eq!(status["structuredContent"]["worktree"]["branch"], "elsewhere", "{status}");
    server.finish();
}

/// A `git` that never ends, in front of the real one.
#[cfg(target_os = "linux")]
#[test]
fn a_cancelled_call_ends_the_git_that_it_started() {
    use std::os::unix::fs::PermissionsExt;
    let repo = TestRepo::new();
    let fifo = repo.home().temporary().join("alive");
    let program = repo.home().temporary().join("git");
    std::fs::write(&program, format!("#!/bin/sh\necho $$ > '{}'\nexec sleep 600\n", fifo.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut command = becket(&repo, ["mcp"]);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", repo.home().temporary().display()));
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-11-25");
    let id = server.start("tools/call", protocol::call_params("becket_status", json!({})));
    // Reading the pipe waits until that git runs.
    let pid = std::fs::read_to_string(&fifo).unwrap();
    server.notify("notifications/cancelled", json!({"requestId": id}));
    server.request("ping", json!({}));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while std::path::Path::new("/proc").join(pid.trim()).join("cmdline").exists() {
        assert!(std::time::Instant::now() < deadline, "git {pid} still runs");
        std::thread::yield_now();
    }
    server.signal(Signal::Kill);
    server.wait();
}

#[test]
fn a_host_that_does_not_read_stderr_is_served_all_the_same() {
    use std::{
        io::{BufRead, BufReader, Write},
        process::Stdio,
    };
    let repo = TestRepo::new();
    let mut command = becket(&repo, ["mcp", "--log-level", "trace"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let hello = protocol::request(0, "initialize", protocol::initialize_params("2025-11-25"));
    writeln!(input, "{hello}").unwrap();
    lines.next().unwrap().unwrap();
    for id in 1..=1_000 {
        writeln!(input, "{}", protocol::request(id, "ping", json!({}))).unwrap();
        lines.next().unwrap().unwrap();
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn broken_settings_are_told_on_stderr() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[mcp]\nread_only = \"yes\"\n");
    let mut server = serve(&repo);
    server.initialize("2025-11-25");
    server.close_stdin();
    assert!(server.wait().success());
    let talk = server.full_stderr();
    assert!(talk.contains("becket.toml:2") && talk.contains("mcp.read_only"), "{talk}");
}

#[test]
fn an_unusable_token_is_never_replaced_by_another() {
    let repo = TestRepo::new();
    let mut command = becket(&repo, ["mcp", "--http", "127.0.0.1:0"]);
    let output = command.env("BECKET_HTTP_TOKEN", "with blanks in it").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("http.token") && !text.contains("with blanks"), "{text}");
}
