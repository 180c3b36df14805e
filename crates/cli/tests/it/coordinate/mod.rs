//! Several server processes on one repository: nobody gets what another has, nothing that was answered is lost.

mod branches;
mod crashes;
mod damage;
mod keys;
mod push;
mod team;
mod told;

use std::{fs, thread};

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use crate::{BECKET, becket, envelope};

fn many(ordinary: usize, full: usize) -> usize {
    if std::env::var_os("BECKET_FULL").is_some() { full } else { ordinary }
}

fn server(repo: &TestRepo) -> McpProcess {
    serve(repo.command(BECKET))
}

/// A server of this very program, with whatever else the command says.
fn serve(mut command: std::process::Command) -> McpProcess {
    command.args(["mcp", "--toolsets", "coordinate"]);
    let mut process = McpProcess::spawn(command);
    process.initialize("2025-11-25");
    process.notify("notifications/initialized", json!({}));
    process
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the arguments in place")]
fn ask(process: &mut McpProcess, tool: &str, arguments: Value) -> Value {
    let answer = process.call(tool, arguments.clone());
    assert_ne!(answer["isError"], true, "{tool} {arguments}: {answer}");
    answer["structuredContent"].clone()
}

fn join(process: &mut McpProcess) -> String {
    ask(process, "lodestar_agent_join", json!({}))["agentId"].as_str().unwrap().to_owned()
}

fn repository(tasks: usize) -> TestRepo {
    let repo = TestRepo::new();
    assert!(becket(&repo, ["task", "init"]).output().unwrap().status.success());
    let mut text = String::from("# the plan\nproject:\n  name: race   # keep\ntasks:\n");
    for index in 0..tasks {
        text.push_str(&format!("  T{index}:\n    title: Task {index} # {index}\n    status: ready\n"));
    }
    repo.write(".lodestar/spec.yaml", text);
    repo.commit("tasks");
    repo
}

#[test]
fn of_eight_servers_one_wins_each_round() {
    let rounds = many(25, 1_250);
    let repo = repository(1);
    let mut servers: Vec<(McpProcess, String)> = (0..8)
        .map(|_| {
            let mut process = server(&repo);
            let agent = join(&mut process);
            (process, agent)
        })
        .collect();
    for round in 0..rounds {
        let asked: Vec<Value> = servers
            .iter_mut()
            .map(|(process, agent)| {
                let arguments = json!({"taskId": "T0", "agentId": agent});
                process.start("tools/call", json!({"name": "lodestar_task_claim", "arguments": arguments}))
            })
            .collect();
        let mut winner = None;
        for (index, id) in asked.iter().enumerate() {
            let answer = servers[index].0.answer(id);
            let claim = &answer["result"]["structuredContent"];
            if claim["ok"] == true {
                assert!(winner.replace(index).is_none(), "two winners in round {round}");
            } else {
                assert!(claim["conflict"]["claimedByAgentId"].is_string(), "round {round}: {answer}");
            }
        }
        let (process, agent) = &mut servers[winner.expect("a winner")];
        ask(process, "lodestar_task_release", json!({"taskId": "T0", "agentId": agent}));
    }
}

#[test]
fn completions_of_eight_servers_all_reach_store_and_file() {
    let each = many(12, 125);
    let repo = repository(each * 8);
    thread::scope(|scope| {
        for worker in 0..8 {
            let repo = &repo;
            scope.spawn(move || {
                let mut process = server(repo);
                let agent = join(&mut process);
                for index in 0..each {
                    let task = format!("T{}", worker * each + index);
                    ask(&mut process, "lodestar_task_complete", json!({"taskId": task, "agentId": agent}));
                }
                process.close_stdin();
                assert!(process.wait().success());
            });
        }
    });
    let text = repo.read(".lodestar/spec.yaml");
    assert_eq!(text.matches("status: verified").count(), each * 8);
    assert!(text.starts_with("# the plan\nproject:\n  name: race   # keep\n"), "{}", &text[..80]);
    assert!(text.contains("title: Task 3 # 3\n"));
    let listed =
        envelope(&becket(&repo, ["task", "list", "--status", "verified", "--json"]).output().unwrap());
    assert_eq!(listed["data"]["count"], each * 8);
}

#[test]
fn cold_starts_at_once_all_succeed() {
    let repo = repository(3);
    fs::remove_file(repo.path(".lodestar/runtime.sqlite")).unwrap_or_default();
    thread::scope(|scope| {
        for _ in 0..many(12, 32) {
            scope.spawn(|| {
                let mut process = server(&repo);
                join(&mut process);
                let tasks = ask(&mut process, "lodestar_task_list", json!({}));
                assert_eq!(tasks["total"], 3);
            });
        }
    });
}

#[test]
fn all_worktrees_share_one_runtime() {
    let repo = repository(1);
    let side = repo.worktree("side");
    let (mut here, mut there) = (server(&repo), server(&side));
    let (first, second) = (join(&mut here), join(&mut there));
    assert_eq!(ask(&mut here, "lodestar_task_claim", json!({"taskId": "T0", "agentId": first}))["ok"], true);
    let refused = ask(&mut there, "lodestar_task_claim", json!({"taskId": "T0", "agentId": second}));
    assert_eq!(refused["conflict"]["claimedByAgentId"], first);
    assert!(!side.path(".lodestar/runtime.sqlite").exists());
}

#[test]
fn a_broken_file_is_named_with_its_place_and_agents_still_talk() {
    let repo = repository(1);
    let mut process = server(&repo);
    let agent = join(&mut process);
    repo.write(".lodestar/spec.yaml", "tasks:\n  T0:\n    title: a\n    priority: high\n");
    let answer = process.call("lodestar_task_list", json!({}));
    assert_eq!(answer["structuredContent"]["error"]["code"], "spec_wrong_type");
    let message = answer["structuredContent"]["error"]["message"].as_str().unwrap();
    assert!(message.contains("spec.yaml:4:15") && message.contains("T0"), "{message}");
    ask(&mut process, "lodestar_message_send", json!({"fromAgentId": agent, "body": "still here"}));
    repo.write(".lodestar/spec.yaml", "tasks:\n  T0:\n    title: a\n    status: ready\n");
    assert_eq!(ask(&mut process, "lodestar_task_list", json!({}))["total"], 1);
}

#[test]
fn branches_that_each_add_or_finish_a_task_merge() {
    let repo = repository(2);
    assert!(becket(&repo, ["task", "create", "--title", "Of main"]).output().unwrap().status.success());
    repo.git(["add", "--all"]);
    repo.commit("one");
    repo.git(["checkout", "--quiet", "-b", "topic", "HEAD~1"]);
    assert!(
        becket(&repo, ["task", "create", "--title", "Of topic", "--id", "X1"])
            .output()
            .unwrap()
            .status
            .success()
    );
    assert!(becket(&repo, ["task", "complete", "T1"]).output().unwrap().status.success());
    repo.git(["add", "--all"]);
    repo.commit("two");
    repo.git(["merge", "--quiet", "--no-edit", "main"]);
    let listed = envelope(&becket(&repo, ["task", "list", "--json"]).output().unwrap());
    let ids: Vec<&str> =
        listed["data"]["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"X1") && ids.len() == 4, "{ids:?}");
}

#[test]
fn the_seeds_command_line_and_its_envelope() {
    let repo = TestRepo::new();
    let run = |arguments: &[&str]| {
        let mut command = repo.command(BECKET);
        command.args(["as", "lodestar"]).args(arguments);
        let output = command.output().unwrap();
        (output.status.code(), envelope(&output))
    };
    let (code, status) = run(&["status", "--json"]);
    assert_eq!((code, &status["data"]["initialized"]), (Some(0), &json!(false)));
    let (code, made) = run(&["init", "--name", "shop", "--json"]);
    assert_eq!((code, &made["data"]["project_name"]), (Some(0), &json!("shop")), "{made}");
    assert_eq!(run(&["init", "--json"]).0, Some(1), "a second time it is refused");
    let (_, agent) = run(&["agent", "join", "--name", "Ada", "--json"]);
    let agent = agent["data"]["agent_id"].as_str().unwrap().to_owned();
    let (_, task) = run(&["task", "create", "--title", "Grüße 你好", "--accept", "works", "--json"]);
    assert_eq!(task["data"]["id"], "T001");
    assert!(repo.read(".lodestar/spec.yaml").contains("title: Grüße 你好"), "readable in the file");
    let (code, claim) = run(&["task", "claim", "T001", "--agent", &agent, "--ttl", "1h30m", "--json"]);
    assert_eq!((code, &claim["data"]["ttl_seconds"]), (Some(0), &json!(5_400)), "{claim}");
    assert!(claim["next"][0]["cmd"].as_str().unwrap().contains("task done"));
    let (code, missing) = run(&["task", "claim", "T001", "--json"]);
    assert_eq!((code, &missing["ok"]), (Some(1), &json!(false)));
    let (_, done) = run(&["task", "done", "T001", "--json"]);
    assert_eq!(done["data"]["status"], "done", "{done}");
    let (_, verified) = run(&["task", "verify", "T001", "--json"]);
    assert_eq!(verified["data"]["status"], "verified");
    assert!(repo.read(".lodestar/spec.yaml").contains("status: verified"), "before the command ends");
    let (code, explained) = run(&["task", "claim", "--explain", "--json"]);
    assert_eq!((code, &explained["command"]), (Some(0), &json!("lodestar task claim")));
    for command in [&["msg", "send"][..], &["msg", "mark-read"], &["mcp", "serve"], &["agent", "brief"]] {
        let (code, explained) = run(&[command, &["--explain", "--json"]].concat());
        let name = format!("lodestar {}", command.join(" "));
        assert_eq!((code, &explained["command"]), (Some(0), &json!(name)), "also without what it needs");
        assert!(explained["purpose"].as_str().is_some_and(|purpose| !purpose.is_empty()), "{explained}");
    }
    let (_, doctor) = run(&["doctor", "--json"]);
    assert_eq!(doctor["data"]["healthy"], true, "{doctor}");
    let (code, _) = run(&["reset", "--json"]);
    assert_eq!(code, Some(1), "not without --force");
    let (_, reset) = run(&["reset", "--hard", "--force", "--json"]);
    assert_eq!((&reset["data"]["tasks_deleted"], &reset["data"]["agents_cleared"]), (&json!(1), &json!(1)));
    let (_, snapshot) = run(&["export", "snapshot", "--json"]);
    assert_eq!(snapshot["data"]["spec"]["tasks"], json!({}));
}

#[test]
fn people_are_told_of_commands_and_their_words_are_left_alone() {
    let repo = repository(1);
    let text = |arguments: &[&str]| {
        let output = repo.command(BECKET).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let made = text(&["task", "create", "--title", "Port lodestar to Rust", "--depends-on", "T0"]);
    assert!(made.contains("Port lodestar to Rust"), "{made}");
    assert!(made.contains("next: becket task show T001"), "{made}");
    // A script wants the id alone: `agent=$(becket agent join)`.
    for program in [&["agent", "join"][..], &["as", "lodestar", "agent", "join"][..]] {
        let joined = repo.command(BECKET).args(program).output().unwrap();
        let id = String::from_utf8(joined.stdout).unwrap();
        assert!(id.starts_with('A') && id.lines().count() == 1, "{id}");
        assert!(String::from_utf8_lossy(&joined.stderr).contains("task next --agent"), "{:?}", joined.stderr);
    }
    let unknown = text(&["task", "claim", "T0", "--agent", "nobody"]);
    assert!(unknown.contains("`becket agent join`") && !unknown.contains("lodestar_"), "{unknown}");
    let brief = text(&["agent", "brief", "--task", "T0"]);
    assert!(brief.contains("- becket task claim T0") && !brief.contains("\n\n\n"), "{brief}");
    let wrong = repo.command(BECKET).args(["as", "lodestar", "mcp", "serve", "-t", "sse"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("`sse`"), "{wrong:?}");
}

#[test]
fn an_update_that_is_refused_changes_nothing() {
    let repo = repository(1);
    let mut process = server(&repo);
    let agent = join(&mut process);
    let arguments = json!({"taskId": "T0", "agentId": agent, "title": "Other", "status": "verified"});
    let refused = process.call("lodestar_task_update", arguments);
    assert_eq!(refused["structuredContent"]["error"]["code"], "illegal_move", "{refused}");
    assert!(!repo.read(".lodestar/spec.yaml").contains("Other"));
    let arguments = json!({"taskId": "T0", "agentId": agent, "title": "Other", "status": "blocked"});
    let changed = ask(&mut process, "lodestar_task_update", arguments);
    assert_eq!((&changed["task"]["title"], &changed["task"]["status"]), (&json!("Other"), &json!("blocked")));
    // A lease that was given back has not run out.
    ask(&mut process, "lodestar_task_update", json!({"taskId": "T0", "agentId": agent, "status": "ready"}));
    ask(&mut process, "lodestar_task_claim", json!({"taskId": "T0", "agentId": agent}));
    ask(&mut process, "lodestar_task_release", json!({"taskId": "T0", "agentId": agent}));
    let done = ask(&mut process, "lodestar_task_done", json!({"taskId": "T0", "agentId": agent}));
    assert!(done["warnings"][0].as_str().unwrap().contains("not claimed"), "{done}");
}
