//! Several clones, one PostgreSQL server: the same rules, push included, also while the server comes and goes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use becket_testing::postgres::{Cluster, Durability};
use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use super::{ask, join, repository, serve};
use crate::{BECKET, envelope};

/// A second clone of the same history, elsewhere.
fn clone_of(repo: &TestRepo) -> TestRepo {
    let clone = TestRepo::new();
    let from = repo.root().to_str().unwrap();
    clone.git(["pull", "--quiet", from, "main"]);
    clone
}

fn team_server(repo: &TestRepo, url: &str) -> McpProcess {
    let mut command = repo.command(BECKET);
    command.env("BECKET_STORE", url);
    serve(command)
}

#[test]
fn two_clones_share_one_database() {
    let cluster = Cluster::start(Durability::None);
    let url = cluster.url();
    let one = repository(3);
    let two = clone_of(&one);
    // A settings file may say it too, where the environment agrees.
    two.write("becket.toml", format!("[store]\nurl = \"{url}\"\n"));
    let (mut here, mut there) = (team_server(&one, &url), team_server(&two, &url));
    let (first, second) = (join(&mut here), join(&mut there));
    assert_eq!(ask(&mut here, "lodestar_task_claim", json!({"taskId": "T0", "agentId": first}))["ok"], true);
    let refused = ask(&mut there, "lodestar_task_claim", json!({"taskId": "T0", "agentId": second}));
    assert_eq!(refused["conflict"]["claimedByAgentId"], first);

    // Push by the server's own notifications.
    let sent = ask(
        &mut here,
        "lodestar_message_send",
        json!({"fromAgentId": first, "toAgentId": second, "body": "hi"}),
    );
    let begun = Instant::now();
    there.expect("the message's event", |message| {
        message["params"]["data"]["event"]["payload"]["messageId"] == sent["messageId"]
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(
        ask(&mut there, "lodestar_message_list", json!({"agentId": second}))["messages"][0]["body"],
        "hi"
    );

    // Each clone has its own file; a status reaches the one of the clone that made it, and is the same for all.
    ask(&mut here, "lodestar_task_complete", json!({"taskId": "T0", "agentId": first}));
    let seen = ask(&mut there, "lodestar_task_get", json!({"taskId": "T0"}));
    assert_eq!(seen["runtime"]["status"], "verified");
    here.close_stdin();
    assert!(here.wait().success());
    assert!(one.read(".lodestar/spec.yaml").contains("status: verified"));
    assert!(!one.path(".lodestar/runtime.sqlite").exists());

    let mut status = one.command(BECKET);
    status.env("BECKET_STORE", &url).args(["store", "status", "--json"]);
    let report = envelope(&status.output().unwrap());
    assert_eq!(report["data"]["engine"], "postgres", "{report}");

    // A repetition under the same key is the same call.
    let keyed = json!({"fromAgentId": second, "body": "once", "idempotencyKey": "k1"});
    let once = ask(&mut there, "lodestar_message_send", keyed.clone());
    assert_eq!(ask(&mut there, "lodestar_message_send", keyed)["messageId"], once["messageId"]);
    let found = ask(&mut there, "lodestar_message_search", json!({"keyword": "once"}));
    assert_eq!(found["messages"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn a_lost_server_is_said_and_comes_back() {
    let mut cluster = Cluster::start(Durability::None);
    let repo = repository(2);
    let mut process = team_server(&repo, &cluster.url());
    let agent = join(&mut process);
    let url = cluster.url();
    let doctor = || {
        let mut command = repo.command(BECKET);
        let output = command.args(["as", "lodestar", "doctor", "--json"]).env("BECKET_STORE", &url).output();
        let told: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let checks = told["data"]["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "store").unwrap_or(told)["status"].clone()
    };
    assert_eq!(doctor(), "pass");
    cluster.down("fast");
    assert_eq!(doctor(), "fail");
    let answer = process.call("lodestar_task_claim", json!({"taskId": "T0", "agentId": agent}));
    assert_eq!(answer["isError"], true, "{answer}");
    assert_eq!(answer["structuredContent"]["error"]["code"], "store_unavailable", "{answer}");
    assert!(answer["structuredContent"]["error"]["hint"].is_string());
    // What needs no store goes on.
    assert!(process.request("ping", json!({})).get("result").is_some());
    cluster.up();
    let claimed = ask(&mut process, "lodestar_task_claim", json!({"taskId": "T0", "agentId": agent}));
    assert_eq!(claimed["lease"]["generation"], 1, "the refused call had done nothing: {claimed}");
}

#[test]
fn a_server_that_comes_and_goes_under_load_doubles_and_loses_nothing() {
    let mut cluster = Cluster::start(Durability::Full);
    let (clients, rounds) = (4, super::many(3, 12));
    let repo = repository(4_000);
    let url = cluster.url();
    let (stop, progress) = (AtomicBool::new(false), AtomicUsize::new(0));
    let work = |client: usize| {
        let mut process = team_server(&repo, &url);
        let agent =
            retry(&mut process, "lodestar_agent_join", &json!({}))["agentId"].as_str().unwrap().to_owned();
        let mut finished = Vec::new();
        // Neighbours want the same tasks.
        for n in client / 2 * 2_000.. {
            if stop.load(Ordering::Relaxed) {
                process.close_stdin();
                process.wait();
                return finished;
            }
            let task = format!("T{n}");
            let arguments = json!({"taskId": task, "agentId": agent});
            let claim = retry(&mut process, "lodestar_task_claim", &arguments);
            if claim["ok"] == true {
                retry(&mut process, "lodestar_task_complete", &arguments);
                finished.push(task);
                progress.fetch_add(1, Ordering::Relaxed);
            }
        }
        finished
    };
    let work = &work;
    let answered: Vec<Vec<String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..clients).map(|client| scope.spawn(move || work(client))).collect();
        for round in 0..rounds {
            advance(&progress);
            cluster.down(if round % 2 == 0 { "fast" } else { "immediate" });
            cluster.up();
        }
        advance(&progress);
        stop.store(true, Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let mut process = team_server(&repo, &url);
    let (mut since, mut ids, mut verified, mut claims): (
        Value,
        _,
        BTreeMap<String, Vec<Value>>,
        BTreeMap<_, _>,
    ) = (json!(0), BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
    loop {
        let page = ask(&mut process, "lodestar_events_pull", json!({"sinceCursor": since, "limit": 1000}));
        for event in page["events"].as_array().unwrap() {
            assert!(ids.insert(event["id"].as_i64().unwrap()), "an id was given twice");
            let told = match event["type"].as_str().unwrap() {
                "task.verified" => &mut verified,
                "task.claimed" => &mut claims,
                _ => continue,
            };
            told.entry(event["taskId"].as_str().unwrap().to_owned()).or_default().push(event.clone());
        }
        since = page["nextCursor"].clone();
        if page["more"] == false {
            break;
        }
    }
    let doubled =
        |told: &BTreeMap<String, Vec<Value>>| told.values().find(|events| events.len() > 1).cloned();
    assert_eq!(doubled(&verified), None, "an event was doubled");
    assert_eq!(doubled(&claims), None, "a task was claimed twice");
    for task in answered.iter().flatten() {
        assert!(verified.contains_key(task), "{task} was answered and is lost");
    }
}

/// A task that another one finished, or a repetition of what was done, is an answer; a lost server is a reason to repeat.
fn retry(process: &mut McpProcess, tool: &str, arguments: &Value) -> Value {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let asked = Instant::now();
        let answer = process.call(tool, arguments.clone());
        // A server that is away is looked for, but not for ever, and nobody queues behind another's search.
        assert!(asked.elapsed() < Duration::from_secs(25), "{tool} took {:?}: {answer}", asked.elapsed());
        let content = answer["structuredContent"].clone();
        match content["error"]["code"].as_str() {
            None => return content,
            Some("not_claimable" | "task_claimed") => return json!({"ok": false}),
            Some("store_unavailable" | "store_unsure") if Instant::now() < until => {
                thread::sleep(Duration::from_millis(20));
            }
            _ => panic!("{tool} {arguments}: {answer}"),
        }
    }
}

/// Until some more calls were answered: the server goes away under load, however slow the machine is.
fn advance(progress: &AtomicUsize) {
    let (before, until) = (progress.load(Ordering::Relaxed), Instant::now() + Duration::from_mins(1));
    while progress.load(Ordering::Relaxed) < before + 6 {
        assert!(Instant::now() < until, "nothing goes on");
        thread::sleep(Duration::from_millis(5));
    }
}
