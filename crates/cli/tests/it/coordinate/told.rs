//! Nothing is cut, clamped, held up or shown without a word; and the words of agents stay words.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use super::{ask, join, repository, server};
use crate::{BECKET, becket};

fn lodestar(repo: &becket_testing::TestRepo, arguments: &[&str]) -> Value {
    let output =
        repo.command(BECKET).args(["as", "lodestar"]).args(arguments).arg("--json").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error} {output:?}"))
}

#[test]
fn a_task_that_cannot_be_changed_in_place_holds_up_no_other_and_is_named() {
    let repo = repository(0);
    let text = "tasks:\n  T1:\n    title: a\n    status: ready\n  T2: &two\n    title: b\n    status: ready\n  T3: *two\n  \
                T4:\n    title: d\n    status: ready\n";
    repo.write(".lodestar/spec.yaml", text);
    let mut process = server(&repo);
    let agent = join(&mut process);
    for task in ["T1", "T2", "T4"] {
        ask(&mut process, "lodestar_task_complete", json!({"taskId": task, "agentId": agent}));
    }
    let status = ask(&mut process, "lodestar_repo_status", json!({}));
    let warning = status["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("`T2`") && warning.contains("does not say"), "{status}");
    let written = repo.read(".lodestar/spec.yaml");
    assert_eq!(written.matches("status: verified").count(), 2, "{written}");
    assert!(written.contains("T2: &two\n    title: b\n    status: ready\n  T3: *two"), "{written}");
    let found = lodestar(&repo, &["doctor"]);
    let checks = found["data"]["checks"].as_array().unwrap();
    let told = checks.iter().find(|check| check["name"] == "statuses").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(told["status"], "warn", "{found}");
    let reset = lodestar(&repo, &["reset", "--force"]);
    assert_eq!(
        reset["data"]["code"], "spec_not_spliceable",
        "a status that only the store knows is kept: {reset}"
    );
    // As soon as the file allows it, it says so.
    repo.write(".lodestar/spec.yaml", written.replace("&two", "").replace("T3: *two", "T3: {title: c}"));
    let status = ask(&mut process, "lodestar_repo_status", json!({}));
    assert_eq!(status["warnings"], json!([]), "{status}");
    assert_eq!(repo.read(".lodestar/spec.yaml").matches("status: verified").count(), 3);
}

#[test]
fn words_of_agents_do_not_steer_a_terminal() {
    let repo = repository(1);
    let mut process = server(&repo);
    let agent =
        ask(&mut process, "lodestar_agent_join", json!({"name": "A\u{1b}]0;x\u{7}"}))["agentId"].clone();
    let title = "wide 漢字 \u{1b}[2Jgone";
    ask(&mut process, "lodestar_task_create", json!({"title": title, "agentId": agent, "id": "登录"}));
    let message =
        json!({"fromAgentId": agent, "taskId": "T0", "body": "\u{1b}]52;c;aGk=\u{7}body\nsecond line"});
    ask(&mut process, "lodestar_message_send", message);
    let commands: [&[&str]; 5] = [
        &["task", "list"],
        &["task", "graph"],
        &["task", "show", "登录"],
        &["msg", "thread", "T0"],
        &["agent", "list"],
    ];
    for command in commands {
        let output = repo.command(BECKET).args(["--color", "always"]).args(command).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{command:?}: {text:?}");
        assert!(text.contains("<U+001B>"), "{command:?}: {text:?}");
    }
    let output = repo.command(BECKET).args(["msg", "thread", "T0"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("body\nsecond line"), "lines stay lines");
    let output =
        repo.command(BECKET).args(["--color", "always", "task", "show", "\u{1b}[2J"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("\u{1b}[2J"), "{output:?}");
}

#[test]
fn a_list_that_was_cut_says_so_and_how_to_go_on() {
    let repo = repository(3);
    let mut process = server(&repo);
    let agent = join(&mut process);
    for number in 0..7 {
        let arguments = json!({"fromAgentId": agent, "taskId": "T0", "body": format!("needle {number}")});
        ask(&mut process, "lodestar_message_send", arguments);
    }
    let first = ask(&mut process, "lodestar_message_search", json!({"keyword": "needle", "limit": 5}));
    let cursor = first["nextCursor"].as_str().unwrap_or_else(|| panic!("{first}"));
    let rest = ask(
        &mut process,
        "lodestar_message_search",
        json!({"keyword": "needle", "limit": 5, "before_id": cursor}),
    );
    assert_eq!(rest["messages"].as_array().unwrap().len(), 2, "{rest}");
    assert!(rest.get("nextCursor").is_none(), "{rest}");
    // The command line pages through the same.
    let mut seen = Vec::new();
    let mut since: Option<String> = None;
    loop {
        let mut command = vec!["msg", "thread", "T0", "--limit", "3"];
        command.extend(since.iter().flat_map(|since| ["--since", since.as_str()]));
        let page = lodestar(&repo, &command);
        seen.extend(page["data"]["messages"].as_array().unwrap().iter().map(|one| one["text"].clone()));
        let next = page["data"]["next_cursor"].as_str().map(str::to_owned);
        assert_eq!(page["warnings"].as_array().unwrap().len(), usize::from(next.is_some()), "{page}");
        since = next;
        if since.is_none() {
            break;
        }
    }
    assert_eq!(seen, (0..7).map(|number| json!(format!("needle {number}"))).collect::<Vec<_>>());
    let found = lodestar(&repo, &["msg", "search", "-k", "needle", "-n", "2", "--since", "2020-01-01"]);
    assert!(found["warnings"][0].as_str().unwrap().contains("--before"), "{found}");
    let tasks = lodestar(&repo, &["task", "list", "--limit", "2"]);
    assert_eq!((&tasks["data"]["count"], &tasks["data"]["total"]), (&json!(2), &json!(3)), "{tasks}");
    assert!(tasks["warnings"][0].as_str().unwrap().contains("2 of 3"), "{tasks}");
    let whole = lodestar(&repo, &["export", "snapshot", "--include-messages"]);
    assert_eq!(whole["data"]["runtime"]["messages"].as_array().unwrap().len(), 7);
}

#[test]
fn a_follower_begins_where_it_was_told_to_and_leaves_nothing_out() {
    let repo = repository(1);
    let mut here = server(&repo);
    let agent = join(&mut here);
    let send = |here: &mut becket_testing::McpProcess| {
        ask(here, "lodestar_message_send", json!({"fromAgentId": agent, "body": "x"}));
    };
    (0..230).for_each(|_| send(&mut here));
    let last = ask(&mut here, "lodestar_repo_status", json!({}))["lastEvent"].as_i64().unwrap();
    let mut follower = becket(&repo, ["events", "--follow", "--json", "--since", "1"]);
    let mut follower = follower.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut next =
        || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap()["id"].as_i64().unwrap();
    assert_eq!((2..=last).map(|_| next()).collect::<Vec<_>>(), (2..=last).collect::<Vec<_>>());
    send(&mut here);
    assert_eq!(next(), last + 1, "once, and after the others");
    follower.kill().unwrap();
    follower.wait().unwrap();
    let wrong = becket(&repo, ["events", "--follow", "--type", "task.finished"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2), "a type that does not exist is not waited for: {wrong:?}");
}

#[test]
fn a_time_that_was_clamped_and_a_message_that_was_left_are_told() {
    let repo = repository(2);
    let mut process = server(&repo);
    let (ada, bob) = (join(&mut process), join(&mut process));
    ask(&mut process, "lodestar_task_claim", json!({"taskId": "T0", "agentId": ada}));
    let renewed =
        ask(&mut process, "lodestar_task_renew", json!({"taskId": "T0", "agentId": ada, "ttlSeconds": 45}));
    assert_eq!(renewed["lease"]["ttlSeconds"], 60);
    assert_eq!(renewed["warnings"], json!(["ttlSeconds 45 was clamped to 60."]), "{renewed}");
    let command = lodestar(&repo, &["task", "renew", "T0", "--agent", &ada, "--ttl", "9h"]);
    assert_eq!(command["warnings"], json!(["ttlSeconds 32400 was clamped to 7200."]), "{command}");
    assert_eq!(command["data"]["new_expires_at"], command["data"]["expires_at"]);
    // Without a handoff the last that was said is what was left; with one, that.
    for (severity, body) in [("info", "first"), ("info", "half of it works")] {
        let arguments = json!({"fromAgentId": ada, "taskId": "T0", "body": body, "severity": severity});
        ask(&mut process, "lodestar_message_send", arguments);
    }
    ask(&mut process, "lodestar_task_release", json!({"taskId": "T0", "agentId": ada}));
    let claimed = ask(&mut process, "lodestar_task_claim", json!({"taskId": "T0", "agentId": bob}));
    assert_eq!(claimed["handoffMessage"]["body"], "half of it works", "{claimed}");
    let arguments =
        json!({"fromAgentId": ada, "taskId": "T0", "body": "begin at main", "severity": "handoff"});
    ask(&mut process, "lodestar_message_send", arguments);
    ask(&mut process, "lodestar_message_send", json!({"fromAgentId": ada, "taskId": "T0", "body": "bye"}));
    let again = ask(&mut process, "lodestar_task_claim", json!({"taskId": "T0", "agentId": bob}));
    assert_eq!(again["handoffMessage"]["body"], "begin at main", "{again}");
}

#[test]
fn the_seeds_answers_have_the_seeds_names() {
    let repo = repository(1);
    repo.write("PRD.md", "# Top\n\n## Login\n\nwords\n");
    let agent = lodestar(&repo, &["agent", "join", "--role", "dev"])["data"]["agent_id"].clone();
    let agent = agent.as_str().unwrap();
    let made = lodestar(
        &repo,
        &[
            "task",
            "create",
            "-t",
            "Log in",
            "-d",
            "at length",
            "-a",
            "it works",
            "--prd-source",
            "PRD.md",
            "--prd-ref",
            "login",
        ],
    );
    let id = made["data"]["id"].as_str().unwrap();
    assert_eq!(
        (&made["data"]["prd"]["refs"][0]["lines"], &made["data"]["description"]),
        (&Value::Null, &json!("at length"))
    );
    assert_eq!(made["data"]["prd"]["prd_hash"].as_str().map(str::len), Some(64), "{made}");
    lodestar(&repo, &["msg", "send", "--task", id, "--from", agent, "--text", "hello"]);
    let claim = lodestar(&repo, &["task", "claim", id, "--agent", agent]);
    assert_eq!(claim["data"]["context"]["description"], "at length", "{claim}");
    assert!(claim["data"]["context"]["content"].as_str().unwrap().contains("words"), "{claim}");
    let shown = lodestar(&repo, &["task", "show", id]);
    assert_eq!(shown["data"]["claimed_by"]["agent_id"], agent, "{shown}");
    assert_eq!(
        shown["data"]["communication"],
        json!({"message_count": 1, "participating_agents": [agent]}),
        "{shown}"
    );
    let changed = lodestar(&repo, &["task", "update", id, "-p", "3", "--add-label", "ui"]);
    assert_eq!(changed["data"]["updated_fields"], json!(["priority", "labels"]), "{changed}");
    let context = lodestar(&repo, &["task", "context", id, "--max-chars", "12"]);
    assert_eq!(
        (&context["data"]["truncated"], &context["data"]["description"]),
        (&json!(true), &json!("at length"))
    );
    assert!(context["warnings"][0].as_str().unwrap().contains("Cut to 12"), "{context}");
    assert_eq!(lodestar(&repo, &["agent", "heartbeat", agent])["data"]["updated"], true);
    let search = lodestar(&repo, &["agent", "find", "--role", "dev"])["data"]["search"].clone();
    assert_eq!((&search["type"], &search["term"]), (&json!("role"), &json!("dev")));
    let marked = lodestar(&repo, &["msg", "mark-read", "-t", id, "-a", agent]);
    assert_eq!((&marked["data"]["messages_marked"], &marked["data"]["agent_id"]), (&json!(0), &json!(agent)));
    let reset = lodestar(&repo, &["reset"]);
    assert_eq!((&reset["ok"], &reset["data"]["agents_to_clear"]), (&json!(false), &json!(1)), "{reset}");
    assert_eq!(reset["next"][0]["cmd"], "lodestar reset --force");
    // What is proposed is a command, or nothing is.
    let unknown = lodestar(&repo, &["task", "show", "nothing"]);
    assert_eq!(unknown["next"][0]["cmd"], "lodestar task list", "{unknown}");
    let missing = lodestar(&repo, &["task", "create"]);
    assert_eq!(missing["next"], json!([]), "{missing}");
    let brief = lodestar(&repo, &["agent", "brief", "--task", id, "--format", "copilot"]);
    let text = brief["data"]["formatted_output"].as_str().unwrap();
    assert!(
        text.contains("## Acceptance criteria\n\n- [ ] it works")
            && text.contains("```sh\nlodestar task claim"),
        "{text}"
    );
}

#[test]
fn every_argument_of_every_command_is_explained() {
    let repo = repository(0);
    let mut commands = vec![vec!["init"], vec!["reset"], vec!["export", "snapshot"], vec!["mcp", "serve"]];
    for (group, names) in [
        ("agent", &["join", "list", "find", "heartbeat", "brief", "leave"][..]),
        (
            "task",
            &[
                "list", "show", "context", "create", "update", "next", "claim", "renew", "release", "done",
                "verify", "delete", "graph",
            ][..],
        ),
        ("msg", &["send", "thread", "inbox", "mark-read", "search"][..]),
    ] {
        commands.extend(names.iter().map(|name| vec![group, name]));
    }
    for command in commands {
        let told = lodestar(&repo, &[&command[..], &["--explain"]].concat());
        for argument in told["arguments"].as_array().unwrap() {
            assert_ne!(argument["meaning"], "", "{command:?}: {argument}");
        }
    }
    let serve = lodestar(&repo, &["mcp", "serve", "--explain"]);
    let names: Vec<&str> =
        serve["arguments"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(
        names,
        ["--repo", "--stdio", "--transport", "--host", "--port", "--log-file", "--json-logs", "--dev"]
    );
    let help = repo.command(BECKET).args(["as", "lodestar", "mcp", "serve", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("lodestar mcp serve") && help.contains("-t, --transport"), "{help}");
}

#[test]
fn a_clone_without_the_merge_driver_is_told_of_it() {
    let repo = repository(1);
    let names = |found: &Value| {
        let checks = found["data"]["checks"].as_array().unwrap();
        checks.iter().map(|check| check["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let found = lodestar(&repo, &["doctor"]);
    assert!(!names(&found).contains(&"merge driver".to_owned()), "{found}");
    // As in a fresh clone: the attribute came along, the configuration did not.
    repo.git(["config", "--remove-section", "merge.becket-spec"]);
    let found = lodestar(&repo, &["doctor"]);
    assert!(names(&found).contains(&"merge driver".to_owned()), "{found}");
}

#[test]
fn a_link_in_the_place_of_the_file_is_followed_by_nobody() {
    let repo = repository(1);
    let secret = repo.home().root().join("secret.yaml");
    std::fs::write(&secret, "project: {name: secret}\ntasks: {}\n").unwrap();
    repo.remove(".lodestar/spec.yaml");
    std::os::unix::fs::symlink(&secret, repo.path(".lodestar/spec.yaml")).unwrap();
    let mut process = server(&repo);
    let listed = process.call("lodestar_task_list", json!({}));
    assert_eq!(listed["structuredContent"]["error"]["code"], "spec_not_a_file", "{listed}");
    let read = process.request("resources/read", json!({"uri": "lodestar://spec"}));
    assert!(!read.to_string().contains("secret}"), "{read}");
    assert_eq!(read["error"]["data"]["code"], "spec_not_a_file", "{read}");
}

#[test]
fn abilities_are_names_and_the_words_in_them() {
    let repo = repository(0);
    let text = "tasks:\n  T1: {title: a, status: ready}\n  T2: {title: b, status: ready, labels: [rust]}\n";
    repo.write(".lodestar/spec.yaml", text);
    let mut process = server(&repo);
    let abilities =
        json!({"languages": ["rust", "go"], "supportsPush": true, "supportsProgress": false, "team": "core"});
    let joined = ask(&mut process, "lodestar_agent_join", json!({"capabilities": abilities}));
    assert_eq!(
        joined["capabilities"],
        json!(["languages", "rust", "go", "supportsPush", "team", "core"]),
        "{joined}"
    );
    let next = ask(&mut process, "lodestar_task_next", json!({"agentId": joined["agentId"]}));
    assert_eq!(next["candidates"][0]["id"], "T2", "{next}");
}

#[test]
fn a_graph_that_goes_in_circles_says_so_in_every_form() {
    let repo = repository(0);
    let text = "tasks:\n  T1: {title: \"two\\nlines\", status: ready, depends_on: [T2]}\n  \
                T2: {title: b, status: ready, depends_on: [T1]}\n";
    repo.write(".lodestar/spec.yaml", text);
    for format in ["json", "dot"] {
        let graph = lodestar(&repo, &["task", "graph", "--format", format]);
        assert!(graph["warnings"][0].as_str().is_some_and(|warning| warning.contains("T1")), "{graph}");
    }
    let drawing = repo.command(BECKET).args(["task", "graph"]).output().unwrap();
    let drawing = String::from_utf8(drawing.stdout).unwrap();
    assert!(drawing.contains("T1  two lines") && drawing.contains("! "), "{drawing}");
}

#[test]
fn the_default_that_is_told_is_the_one_that_is_given() {
    let repo = repository(1);
    repo.write("becket.toml", "[coordinate]\nttl_seconds = 5\n");
    let mut process = server(&repo);
    let joined = ask(&mut process, "lodestar_agent_join", json!({}));
    assert_eq!(joined["leaseDefaults"]["ttlSeconds"], 60, "{joined}");
    let claim = json!({"taskId": "T0", "agentId": joined["agentId"]});
    assert_eq!(ask(&mut process, "lodestar_task_claim", claim)["lease"]["ttlSeconds"], 60);
}
