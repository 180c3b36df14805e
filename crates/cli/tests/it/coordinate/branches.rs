//! What Git does to `spec.yaml` under a running store: an older branch takes nothing back, a newer one brings its work.

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use super::{ask, join, repository, server};
use crate::{becket, envelope};

fn status_of(process: &mut McpProcess, task: &str) -> String {
    let got = ask(process, "lodestar_task_get", json!({"taskId": task}));
    got["task"]["status"].as_str().unwrap().to_owned()
}

fn events(process: &mut McpProcess, kind: &str) -> Vec<Value> {
    let pulled = ask(process, "lodestar_events_pull", json!({"filterTypes": [kind]}));
    pulled["events"].as_array().unwrap().clone()
}

/// A task that is finished and committed, one commit after it was not.
fn finished(repo: &TestRepo) {
    let mut process = server(repo);
    let agent = join(&mut process);
    ask(&mut process, "lodestar_task_complete", json!({"taskId": "T0", "agentId": agent}));
    process.close_stdin();
    assert!(process.wait().success());
    assert!(repo.read(".lodestar/spec.yaml").contains("status: verified"));
    repo.commit("T0 is finished");
}

#[test]
fn an_older_branch_is_reported_and_rolls_nothing_back() {
    let repo = repository(2);
    finished(&repo);
    // A running server and a command see it alike, on a detached head and on a branch.
    let mut process = server(&repo);
    for switch in [&["checkout", "--quiet", "HEAD~1"][..], &["checkout", "--quiet", "-b", "older"][..]] {
        repo.git(switch);
        assert!(!repo.read(".lodestar/spec.yaml").contains("verified"));
        assert_eq!(status_of(&mut process, "T0"), "verified");
        let listed =
            envelope(&becket(&repo, ["task", "list", "--status", "verified", "--json"]).output().unwrap());
        assert_eq!(listed["data"]["count"], 1, "{listed}");
        let status = ask(&mut process, "lodestar_repo_status", json!({}));
        let warnings = status["warnings"].to_string();
        assert!(warnings.contains("T0 (verified, not ready)"), "{status}");
        let doctor = becket(&repo, ["doctor"]).output().unwrap();
        let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(doctor.contains("T0 (verified, not ready)"), "{doctor}");
    }
    assert!(events(&mut process, "task.updated").is_empty());
    assert!(!repo.read(".lodestar/spec.yaml").contains("verified"), "the branch's file is the branch's");

    // Back again: nothing new has happened.
    repo.git(["checkout", "--quiet", "-"]);
    repo.git(["checkout", "--quiet", "main"]);
    assert_eq!(status_of(&mut process, "T0"), "verified");
    assert_eq!(events(&mut process, "task.verified").len(), 1);
    let status = ask(&mut process, "lodestar_repo_status", json!({}));
    assert_eq!(status["warnings"], json!([]), "{status}");
}

#[test]
fn what_a_pull_brings_is_taken_over_with_an_event() {
    let theirs = repository(2);
    let ours = TestRepo::new_in(theirs.home(), "ours");
    ours.git(["pull", "--quiet", theirs.root().to_str().unwrap(), "main"]);
    let mut process = server(&ours);
    assert_eq!(status_of(&mut process, "T0"), "ready");
    finished(&theirs);
    ours.git(["pull", "--quiet", theirs.root().to_str().unwrap(), "main"]);
    assert_eq!(status_of(&mut process, "T0"), "verified");
    assert_eq!(events(&mut process, "task.verified").len(), 1);
}

#[test]
fn a_person_may_take_a_status_back_by_hand() {
    let repo = repository(2);
    finished(&repo);
    let mut process = server(&repo);
    assert_eq!(status_of(&mut process, "T0"), "verified");
    let text = repo.read(".lodestar/spec.yaml").replace("status: verified", "status: ready");
    repo.write(".lodestar/spec.yaml", text);
    assert_eq!(status_of(&mut process, "T0"), "ready");
    assert_eq!(events(&mut process, "task.updated").len(), 1);
}
