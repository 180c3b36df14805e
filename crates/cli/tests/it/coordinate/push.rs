//! Being told: what one process does reaches the clients of the others, from the first moment on, and wakes who waits.

use std::time::{Duration, Instant};

use becket_testing::McpProcess;
use serde_json::{Value, json};

use super::{ask, join, repository, server};
use crate::becket;

/// Long against the promise of 100 ms, short against a poll that somebody might put in its place: machines that run tests
/// are busy.
const SOON: Duration = Duration::from_secs(5);

fn hears_of(client: &mut McpProcess, id: &Value) {
    client.expect("the event", |message| {
        message["method"] == "notifications/message"
            && message["params"]["data"]["event"]["payload"]["messageId"] == *id
    });
}

fn send(from: &mut McpProcess, agent: &str) -> Value {
    ask(from, "lodestar_message_send", json!({"fromAgentId": agent, "body": "news"}))["messageId"].clone()
}

#[test]
fn others_are_told_from_the_moment_they_connect() {
    let repo = repository(1);
    let mut here = server(&repo);
    let agent = join(&mut here);
    for _ in 0..5 {
        let mut there = server(&repo);
        // At once after its handshake, long before it can have looked for anything.
        let sent = send(&mut here, &agent);
        let begun = Instant::now();
        hears_of(&mut there, &sent);
        assert!(begun.elapsed() < SOON);
        let again = send(&mut here, &agent);
        hears_of(&mut there, &again);
    }
}

#[test]
fn a_subscriber_hears_of_its_task() {
    let repo = repository(2);
    let (mut here, mut there) = (server(&repo), server(&repo));
    let agent = join(&mut here);
    there.request("resources/subscribe", json!({"uri": "lodestar://task/T0"}));
    ask(&mut here, "lodestar_task_claim", json!({"taskId": "T0", "agentId": agent}));
    there.expect("the task's resource", |message| {
        message["method"] == "notifications/resources/updated"
            && message["params"]["uri"] == "lodestar://task/T0"
    });
}

#[test]
fn a_subscription_that_cannot_be_had_says_why() {
    let repo = repository(1);
    let mut server = server(&repo);
    let unknown = server.request("resources/subscribe", json!({"uri": "lodestar://task/T9"}));
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["code"]),
        (&json!(-32002), &json!("unknown_task"))
    );
    // The task is there, and only cannot be read now.
    repo.write(".lodestar/spec.yaml", "tasks:\n  T0: [\n");
    let broken = server.request("resources/subscribe", json!({"uri": "lodestar://task/T0"}));
    assert_ne!(broken["error"]["code"], -32002, "{broken}");
    assert_eq!(broken["error"]["data"]["code"], "spec_malformed", "{broken}");
}

#[test]
fn a_waiter_wakes_and_is_told_how_long_it_has_waited() {
    let repo = repository(1);
    let (mut here, mut there) = (server(&repo), server(&repo));
    let (first, second) = (join(&mut here), join(&mut there));
    let now = ask(&mut there, "lodestar_repo_status", json!({}))["lastEvent"].clone();
    let arguments = json!({"agentId": second, "timeoutSeconds": 50, "sinceCursor": now});
    let waiting = there.start(
        "tools/call",
        json!({"name": "lodestar_events_wait", "arguments": arguments, "_meta": {"progressToken": "wait"}}),
    );
    there.expect("progress", |message| {
        message["method"] == "notifications/progress" && message["params"]["progressToken"] == "wait"
    });
    let direct = json!({"fromAgentId": first, "toAgentId": second, "body": "wake up"});
    ask(&mut here, "lodestar_message_send", direct);
    let woken = there.answer(&waiting);
    let content = &woken["result"]["structuredContent"];
    assert_eq!(content["events"][0]["type"], "message.sent", "{woken}");
    assert_eq!(content["sinceLastCall"]["unreadMessages"], 1, "{woken}");
}

/// What came between its last call and the wait is news as well.
#[test]
fn who_begins_to_wait_is_told_what_it_has_not_heard_of() {
    let repo = repository(1);
    let mut process = server(&repo);
    let (first, second) = (join(&mut process), join(&mut process));
    let wait = |process: &mut McpProcess| {
        let arguments = json!({"agentId": second, "timeoutSeconds": 1});
        ask(process, "lodestar_events_wait", arguments)["events"].clone()
    };
    assert_eq!(wait(&mut process), json!([]));
    let direct = json!({"fromAgentId": first, "toAgentId": second, "body": "read this"});
    ask(&mut process, "lodestar_message_send", direct);
    assert_eq!(wait(&mut process)[0]["type"], "message.sent");
    assert_eq!(wait(&mut process), json!([]), "told once");
    let unknown = process.call("lodestar_events_wait", json!({"agentId": "A0", "sinceCursor": 0}));
    assert_eq!(unknown["structuredContent"]["error"]["code"], "unknown_agent");
}

#[test]
fn a_lease_that_runs_out_is_told_without_anybody_asking() {
    let repo = repository(1);
    repo.write("becket.toml", "[coordinate]\nttl_min_seconds = 1\n");
    let (mut here, mut there) = (server(&repo), server(&repo));
    let agent = join(&mut here);
    let claimed =
        ask(&mut here, "lodestar_task_claim", json!({"taskId": "T0", "agentId": agent, "ttlSeconds": 1}));
    assert_eq!(claimed["lease"]["ttlSeconds"], 1, "{claimed}");
    there.expect("the end of the lease", |message| {
        message["params"]["data"]["event"]["type"] == "lease.expired"
    });
    let told = ask(&mut there, "lodestar_events_pull", json!({"filterTypes": ["lease.expired"]}));
    assert_eq!(told["events"].as_array().unwrap().len(), 1, "exactly once: {told}");
}

#[test]
fn work_on_a_task_keeps_its_lease() {
    let repo = repository(2);
    repo.write("becket.toml", "[coordinate]\nttl_min_seconds = 3\n");
    let mut here = server(&repo);
    let agent = join(&mut here);
    let lease = |server: &mut McpProcess, task: &str| {
        let arguments = json!({"taskId": task, "agentId": agent, "ttlSeconds": 3});
        ask(server, "lodestar_task_claim", arguments)["lease"]["generation"].clone()
    };
    let (kept, lost) = (lease(&mut here, "T0"), lease(&mut here, "T1"));
    // Each call by its own: reading of a task, asking for it, listing its thread.
    for (tool, more) in [
        ("lodestar_task_get", json!({"taskId": "T0", "agentId": agent})),
        ("lodestar_task_context", json!({"taskId": "T0", "agentId": agent})),
        ("lodestar_message_list", json!({"taskId": "T0", "agentId": agent})),
    ] {
        let until = Instant::now() + Duration::from_millis(2_400);
        while Instant::now() < until {
            ask(&mut here, tool, more.clone());
            std::thread::sleep(Duration::from_millis(100));
        }
        let found = ask(&mut here, "lodestar_task_get", json!({"taskId": "T0"}));
        assert_eq!(found["runtime"]["lease"]["generation"], kept, "{tool}: {found}");
    }
    let found = ask(&mut here, "lodestar_task_get", json!({"taskId": "T1"}));
    assert!(found["runtime"].get("lease").is_none(), "nobody worked on it, generation {lost}: {found}");
}

#[test]
fn a_follower_on_the_command_line_prints_what_happens() {
    let repo = repository(1);
    let mut here = server(&repo);
    let agent = join(&mut here);
    let mut follower =
        becket(&repo, ["events", "--follow", "--json"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(follower.stdout.take().unwrap()));
    let heard =
        std::thread::spawn(move || lines.find(|line| line.as_ref().unwrap().contains("message.sent")));
    let until = Instant::now() + Duration::from_secs(30);
    while !heard.is_finished() {
        assert!(Instant::now() < until, "the follower prints nothing");
        send(&mut here, &agent);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(heard.join().unwrap().is_some());
    follower.kill().unwrap();
    follower.wait().unwrap();
}
