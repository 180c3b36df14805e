//! How a process ends when it is asked to, at whatever moment, and what it does where the ground is gone.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use becket_testing::{McpProcess, TestRepo};
use serde_json::json;

use crate::{BECKET, becket, envelope};

fn ask_to_end(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill runs");
}

/// Whether the process has a handler of its own for SIGTERM, the fifteenth signal.
#[cfg(target_os = "linux")]
fn catches_signals(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & (1 << 14) != 0)
}

/// From the first moment that the server has a say in it, and that is before it reads its settings.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_at_any_early_moment_is_a_clean_end() {
    let repo = TestRepo::new();
    let count = if std::env::var_os("BECKET_FULL").is_some() { 200 } else { 20 };
    for round in 0..count {
        let signal = ["TERM", "INT", "HUP"][round % 3];
        let arguments: &[&str] = if round % 2 == 0 { &["mcp"] } else { &["mcp", "--http", "127.0.0.1:0"] };
        let mut command = repo.command(BECKET);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let begin = Instant::now();
        while !catches_signals(&child) {
            assert!(begin.elapsed() < Duration::from_secs(20), "it never catches signals");
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        }
        // And a little later in each round, through the whole start.
        std::thread::sleep(Duration::from_micros(150 * round as u64));
        ask_to_end(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{signal} in round {round}: {output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
}

#[test]
fn a_tour_that_is_interrupted_leaves_nothing_behind() {
    let repo = TestRepo::new();
    for (signal, after) in [("INT", 0), ("TERM", 1), ("INT", 12), ("TERM", 40)] {
        let mut command = becket(&repo, ["tour"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        if after == 0 {
            // The folder is there, and its repository is being made.
            let begin = Instant::now();
            while std::fs::read_dir(repo.home().temporary()).unwrap().count() == 0 {
                assert!(begin.elapsed() < Duration::from_secs(20), "there is no folder");
            }
        }
        for _ in 0..after {
            lines.next().unwrap().unwrap();
        }
        ask_to_end(&child, signal);
        lines.for_each(drop);
        let mut complaint = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(6), "{signal} after {after} lines: {complaint}");
        assert!(complaint.contains("[interrupted]"), "{complaint}");
        let left: Vec<_> = std::fs::read_dir(repo.home().temporary()).unwrap().collect();
        assert!(left.is_empty(), "{signal} after {after} lines: {left:?}");
    }
}

/// A directory that is gone before becket starts in it.
#[cfg(unix)]
#[test]
fn a_current_directory_that_is_gone_fails_only_what_needs_it() {
    let repo = TestRepo::new();
    repo.write("a", "1");
    repo.commit("one");
    let root = repo.root().to_str().unwrap();
    let nowhere = |arguments: &[&str]| {
        let mut command = repo.home().command("sh");
        command.args(["-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"", "sh", BECKET]);
        command.args(arguments).current_dir(repo.home().root()).output().unwrap()
    };
    for arguments in [
        &["--help"][..],
        &["mcp", "--help"],
        &["--version"],
        &["completions", "bash"],
        &["status", "--repo", root],
        &["changes", "--repo", root],
        &["log", "--repo", root],
        &["config", "--repo", root],
        &["tour"],
    ] {
        let output = nowhere(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
    for arguments in [
        &["status", "--json"][..],
        &["changes", "--json"],
        &["init", "--json"],
        &["status", "--json", "--repo", "relative"],
        &["note", "list", "--json"],
    ] {
        let output = nowhere(arguments);
        let error = envelope(&output)["error"].clone();
        assert_eq!(error["code"], "current_directory", "{arguments:?}: {output:?}");
        assert!(error["hint"].as_str().unwrap().contains("--repo"), "{error}");
        assert_eq!(output.status.code(), Some(6), "{arguments:?}");
    }
    let stash = nowhere(&["as", "context-stash", "--init", "--json"]);
    assert_eq!(envelope(&stash)["error"]["code"], "current_directory");
}

/// Answers are text: a path that is none cannot be named in them, and a wrong one must not be.
#[cfg(target_os = "linux")]
#[test]
fn a_repository_whose_path_is_no_text_is_refused_in_words_by_everything() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = TestRepo::new();
    let repo = TestRepo::new_in(home.home(), std::ffi::OsStr::from_bytes(b"re\xffpo"));
    repo.write("a", "1");
    repo.commit("one");
    let before = std::fs::read_dir(repo.root()).unwrap().count();
    for arguments in [
        &["status"][..],
        &["changes"],
        &["log"],
        &["blame", "a"],
        &["init"],
        &["uninit"],
        &["note", "init"],
        &["note", "list"],
        &["why", "a"],
    ] {
        let output = repo.command(BECKET).args(arguments).arg("--json").output().unwrap();
        let error = envelope(&output)["error"].clone();
        assert_eq!(error["code"], "path_not_unicode", "{arguments:?}: {output:?}");
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error}");
    }
    let doctor = repo.command(BECKET).args(["doctor", "--json"]).output().unwrap();
    assert_eq!(doctor.status.code(), Some(1), "{doctor:?}");
    let mut server = McpProcess::spawn(becket(&repo, ["mcp"]));
    server.initialize("2025-11-25");
    for tool in ["becket_status", "list_changes", "log", "context_list"] {
        let answer = server.call(tool, json!({}));
        assert_eq!(answer["structuredContent"]["error"]["code"], "path_not_unicode", "{tool}: {answer}");
    }
    server.finish();
    assert_eq!(std::fs::read_dir(repo.root()).unwrap().count(), before, "nothing was written");
}

/// Who is told of the first reading is known to what is kept of it; the call ends all the same.
#[test]
fn the_first_call_is_answered_to_a_client_that_asks_for_progress() {
    for (tool, arguments) in
        [("logicstamp_refresh_snapshot", json!({})), ("logicstamp_search_components", json!({"query": "a"}))]
    {
        let repo = TestRepo::new();
        repo.write("src/a.ts", "export const a = 1;\n");
        let mut server = McpProcess::spawn(becket(&repo, ["mcp"]));
        server.initialize("2025-11-25");
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "first"}});
        let answer = server.request("tools/call", params.clone());
        assert!(answer["result"]["structuredContent"]["error"].is_null(), "{tool}: {answer}");
        let reports = server.notifications("notifications/progress");
        let values: Vec<f64> =
            reports.iter().map(|report| report["params"]["progress"].as_f64().unwrap()).collect();
        assert!(values.is_sorted_by(|before, after| before < after), "{tool}: {reports:?}");
        assert!(values.len() > 1 || tool != "logicstamp_refresh_snapshot", "{reports:?}");
        let again = server.request("tools/call", params);
        assert!(again["result"].is_object(), "{tool}: {again}");
        server.finish();
    }
}

#[test]
fn a_shipped_tool_says_how_far_it_is_and_logs_its_call() {
    let repo = TestRepo::new();
    repo.write("a", "1");
    repo.commit("one");
    repo.write("a", "2");
    becket(&repo, ["note", "init"]).output().unwrap();
    let mut server = McpProcess::spawn(becket(&repo, ["mcp"]));
    server.initialize("2025-11-25");
    server.request("logging/setLevel", json!({"level": "debug"}));
    repo.write("src/a.ts", "export const a = 1;\n");
    repo.write("src/b.ts", "export const b = 1;\n");
    server.call("logicstamp_refresh_snapshot", json!({}));
    for (tool, arguments) in [
        ("list_changes", json!({})),
        ("context_search", json!({"query": "cents"})),
        ("logicstamp_read_bundle", json!({"bundlePath": "src/context.json"})),
    ] {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}});
        server.request("tools/call", params);
        let reports = server.notifications("notifications/progress");
        assert!(reports.len() > 1, "{tool}: {reports:?}");
        let values: Vec<f64> =
            reports.iter().map(|report| report["params"]["progress"].as_f64().unwrap()).collect();
        assert!(values.is_sorted_by(|before, after| before < after), "{values:?}");
        for report in &reports {
            assert_eq!(report["params"]["progressToken"], tool);
            assert!(report["params"]["message"].as_str().is_some_and(|message| !message.is_empty()));
        }
        let logged = server.notifications("notifications/message");
        let logged: Vec<_> = logged.iter().map(|message| &message["params"]["data"]).collect();
        assert!(logged.iter().any(|data| data["milliseconds"].is_number()), "{logged:?}");
    }
    server.request("tools/call", json!({"name": "list_changes", "arguments": {}}));
    assert!(server.notifications("notifications/progress").is_empty(), "nobody asked");
    server.finish();
}
