//! `kill -9` of real servers at random moments: what was answered is there, and store, events and file agree.

use std::collections::BTreeSet;
use std::time::Duration;

use becket_testing::{McpProcess, Signal};
use serde_json::{Value, json};

use super::{ask, join, many, repository, server};

/// What a server had answered before it was killed.
#[derive(Debug, Default)]
struct Answered {
    done: Vec<String>,
    claimed: Vec<(String, String)>,
    sent: Vec<String>,
    created: Vec<String>,
}

/// The next of a row of numbers that is the same in every run.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// With a key, so that it can be repeated whatever became of it.
fn creation(agent: &str, round: usize) -> Value {
    json!({"title": format!("New {round}."), "agentId": agent, "idempotencyKey": format!("create-{round}")})
}

/// Sends requests without waiting for their answers, then kills the server at any moment, and reads what it still said.
fn round(process: &mut McpProcess, agent: &str, round: usize, pause: Duration, answered: &mut Answered) {
    let mut asked: Vec<(Value, &str, String)> = Vec::new();
    for step in 0..6 {
        let task = format!("T{}", round * 4 + step % 4);
        let (tool, arguments) = match step {
            0 | 1 => ("lodestar_task_claim", json!({"taskId": task, "agentId": agent})),
            2 => ("lodestar_task_done", json!({"taskId": task, "agentId": agent})),
            3 => ("lodestar_task_complete", json!({"taskId": task, "agentId": agent})),
            4 => ("lodestar_message_send", json!({"fromAgentId": agent, "body": format!("round {round}")})),
            _ => ("lodestar_task_create", creation(agent, round)),
        };
        let id = process.start("tools/call", json!({"name": tool, "arguments": arguments}));
        asked.push((id, tool, task));
    }
    std::thread::sleep(pause);
    process.signal(Signal::Kill);
    process.wait();
    let said = process.remaining_messages();
    for (id, tool, task) in asked {
        let Some(answer) = said.iter().find(|message| message["id"] == id) else { continue };
        let content = &answer["result"]["structuredContent"];
        if content["ok"] != true {
            continue;
        }
        match tool {
            "lodestar_task_claim" => {
                answered.claimed.push((task, content["lease"]["leaseId"].as_str().unwrap().to_owned()));
            }
            "lodestar_task_done" | "lodestar_task_complete" => answered.done.push(task),
            "lodestar_message_send" => {
                answered.sent.push(content["messageId"].as_str().unwrap().to_owned());
            }
            _ => answered.created.push(content["task"]["id"].as_str().unwrap().to_owned()),
        }
    }
}

#[test]
fn what_was_answered_survives_kills_at_any_moment() {
    let rounds = many(12, 200);
    let repo = repository(rounds * 4 + 4);
    let (mut answered, mut state) = (Answered::default(), 0x2545_F491_u64);
    for index in 0..rounds {
        let mut process = server(&repo);
        let agent = join(&mut process);
        // From before the first commit until after the file was written.
        let pause = Duration::from_micros(next(&mut state) % 400_000);
        round(&mut process, &agent, index, pause, &mut answered);
        // Nobody knows whether that made a task; afterwards there is one.
        if index % 2 == 0 {
            let mut process = server(&repo);
            ask(&mut process, "lodestar_task_create", creation(&agent, index));
            process.finish();
        }
    }
    assert!(!answered.done.is_empty() && !answered.sent.is_empty(), "nothing was answered: {answered:?}");
    let mut process = server(&repo);
    join(&mut process);
    let events = all_events(&mut process);
    let named = |kind: &str, key: &str| -> BTreeSet<String> {
        let of = events.iter().filter(|event| event["type"] == kind);
        of.filter_map(|event| event.pointer(key)?.as_str().map(str::to_owned)).collect()
    };
    let finished = named("task.done", "/taskId");
    for task in &answered.done {
        let found = ask(&mut process, "lodestar_task_get", json!({"taskId": task}));
        assert!(["done", "verified"].contains(&found["runtime"]["status"].as_str().unwrap()), "{found}");
        assert!(finished.contains(task), "{task} has no event");
    }
    let claims = named("task.claimed", "/payload/leaseId");
    assert!(answered.claimed.iter().all(|(_, lease)| claims.contains(lease)), "{answered:?}");
    let sent = named("message.sent", "/payload/messageId");
    assert!(answered.sent.iter().all(|id| sent.contains(id)), "{answered:?}");
    for id in &answered.created {
        ask(&mut process, "lodestar_task_get", json!({"taskId": id}));
    }
    process.close_stdin();
    assert!(process.wait().success());
    let text = repo.read(".lodestar/spec.yaml");
    agrees(&text, &events, &answered);
    for index in (0..rounds).step_by(2) {
        let made = text.matches(&format!("title: New {index}.\n")).count();
        assert_eq!(made, 1, "the repeated creation {index} made {made} tasks");
    }
    let doctor = super::envelope(&super::becket(&repo, ["doctor", "--json"]).output().unwrap());
    let broken =
        doctor["data"]["checks"].as_array().into_iter().flatten().find(|check| check["status"] == "fail");
    assert!(broken.is_none(), "{broken:?}");
}

/// The file says of every task what the last event about it says, and has what was created.
fn agrees(text: &str, events: &[Value], answered: &Answered) {
    let mut status = std::collections::BTreeMap::new();
    for event in events {
        if let (Some(task), Some(to)) = (event["taskId"].as_str(), event["payload"]["to"].as_str()) {
            status.insert(task.to_owned(), to.to_owned());
        }
    }
    for (task, status) in &status {
        let at = text.find(&format!("\n  {task}:\n")).unwrap_or_else(|| panic!("{task} is not in the file"));
        let entry: String =
            text[at + 1..].lines().skip(1).take_while(|line| line.starts_with("    ")).collect();
        assert!(
            entry.contains(&format!("status: {status}")),
            "{task} is {status}, and the file says {entry}"
        );
    }
    for id in &answered.created {
        assert_eq!(text.matches(&format!("\n  {id}:\n")).count(), 1, "{id}");
    }
}

fn all_events(process: &mut McpProcess) -> Vec<Value> {
    let (mut events, mut since) = (Vec::new(), json!(0));
    loop {
        let page = ask(process, "lodestar_events_pull", json!({"sinceCursor": since, "limit": 1000}));
        events.extend(page["events"].as_array().unwrap().iter().cloned());
        since = page["nextCursor"].clone();
        if page["more"] == false {
            let ids: BTreeSet<i64> = events.iter().map(|event| event["id"].as_i64().unwrap()).collect();
            assert_eq!(ids.len(), events.len(), "an event was given twice");
            return events;
        }
    }
}
