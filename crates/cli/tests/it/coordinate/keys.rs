//! A call that is repeated under its key is done once, on the command line and over MCP. That holds when
//! the first attempt was killed half way, too: `crashes` repeats what it kills.

use becket_testing::TestRepo;
use serde_json::json;

use super::{ask, join, repository, server};
use crate::{becket, envelope};

fn titles(repo: &TestRepo, title: &str) -> usize {
    repo.read(".lodestar/spec.yaml").matches(&format!("title: {title}")).count()
}

#[test]
fn a_creation_that_is_repeated_under_its_key_makes_one_task() {
    let repo = repository(1);
    let mut process = server(&repo);
    let (agent, other) = (join(&mut process), join(&mut process));
    let keyed = json!({"title": "Once", "agentId": agent, "idempotencyKey": "k1"});
    let made = ask(&mut process, "lodestar_task_create", keyed.clone());
    // A second server, as after a crash of the first.
    let mut again = server(&repo);
    let repeated = ask(&mut again, "lodestar_task_create", keyed);
    assert_eq!(repeated["task"]["id"], made["task"]["id"]);
    assert_eq!(titles(&repo, "Once"), 1);
    // Another agent has keys of its own, and without a key every call is another.
    for arguments in [
        json!({"title": "Once", "agentId": other, "idempotencyKey": "k1"}),
        json!({"title": "Once", "agentId": agent}),
    ] {
        ask(&mut again, "lodestar_task_create", arguments);
    }
    assert_eq!(titles(&repo, "Once"), 3);
    let reused = again
        .call("lodestar_message_send", json!({"fromAgentId": agent, "body": "hi", "idempotencyKey": "k1"}));
    assert_eq!(reused["structuredContent"]["error"]["code"], "key_reused", "{reused}");

    let create = || {
        let arguments = ["task", "create", "--title", "Typed", "--idempotency-key", "k2", "--json"];
        envelope(&becket(&repo, arguments).output().unwrap())["data"]["id"].clone()
    };
    assert_eq!(create(), create());
    assert_eq!(titles(&repo, "Typed"), 1);
}

#[test]
fn whoever_joins_again_under_its_key_is_the_same_agent() {
    let repo = repository(1);
    let mut process = server(&repo);
    let keyed = json!({"name": "Ada", "capabilities": ["rust"], "idempotencyKey": "ada-1"});
    let joined = ask(&mut process, "lodestar_agent_join", keyed.clone());
    let again = ask(&mut server(&repo), "lodestar_agent_join", keyed);
    assert_eq!(again["agentId"], joined["agentId"]);
    // The word of another is not taken for one's own.
    let other = process.call("lodestar_agent_join", json!({"name": "Bob", "idempotencyKey": "ada-1"}));
    assert_eq!(other["structuredContent"]["error"]["code"], "key_reused", "{other}");

    let join = || {
        let arguments = ["agent", "join", "--name", "Cleo", "--idempotency-key", "cleo-1", "--json"];
        envelope(&becket(&repo, arguments).output().unwrap())["data"]["agent_id"].clone()
    };
    assert_eq!(join(), join());
    let pulled = ask(&mut process, "lodestar_events_pull", json!({"filterTypes": ["agent.joined"]}));
    assert_eq!(pulled["events"].as_array().unwrap().len(), 2, "{pulled}");
}

#[test]
fn an_id_that_another_has_taken_is_refused_under_any_key() {
    let repo = repository(1);
    let mut process = server(&repo);
    let agent = join(&mut process);
    let taken = json!({"title": "Mine", "id": "T0", "agentId": agent, "idempotencyKey": "k1"});
    for _ in 0..2 {
        let refused = process.call("lodestar_task_create", taken.clone());
        assert_eq!(refused["structuredContent"]["error"]["code"], "task_exists", "{refused}");
    }
}
