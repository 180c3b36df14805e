//! Which repository and worktree a call speaks of.

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use crate::{BECKET, becket, envelope};

fn status(repo: &TestRepo, arguments: &[&str]) -> Value {
    let output = repo.command(BECKET).args(["status", "--json"]).args(arguments).output().unwrap();
    envelope(&output)["data"].clone()
}

#[test]
fn every_kind_of_place_is_named() {
    let repo = TestRepo::new();
    repo.write("src/a", "1");
    repo.commit("one");
    assert_eq!(status(&repo, &[])["repository"]["kind"], "repository");

    let mut inside = repo.home().command(BECKET);
    inside.current_dir(repo.path("src")).args(["status", "--json"]);
    let inside = envelope(&inside.output().unwrap())["data"].clone();
    assert_eq!(inside["repository"]["root"], repo.root().display().to_string(), "found by walking up");

    let linked = repo.worktree("feature");
    let seen = status(&linked, &[]);
    assert_eq!(seen["repository"]["kind"], "linked_worktree");
    assert_eq!(seen["worktree"]["branch"], "feature");
    assert_eq!(seen["worktree"]["main"], false);
    assert_eq!(seen["worktrees"].as_array().unwrap().len(), 2);

    let bare = repo.bare_clone();
    let seen = status(&bare, &[]);
    assert_eq!((&seen["repository"]["kind"], &seen["worktree"]), (&json!("bare"), &Value::Null));

    let other = TestRepo::new_in(repo.home(), "other");
    other.write("b", "1");
    other.commit("one");
    let submodule = repo.submodule("vendor/other", &other);
    let seen = status(&submodule, &[]);
    assert_eq!(seen["repository"]["kind"], "submodule");
    assert_eq!(seen["repository"]["superproject"], repo.root().display().to_string());
}

#[test]
fn the_worktree_argument_is_read_on_every_call() {
    let repo = TestRepo::new();
    repo.write("a", "1");
    repo.commit("one");
    let linked = repo.worktree("feature");
    let mut server = McpProcess::spawn(becket(&repo, ["mcp"]));
    server.initialize("2025-11-25");
    let path = linked.root().display().to_string();
    let folder = linked.root().file_name().unwrap().to_string_lossy().into_owned();
    for name in ["feature", path.as_str(), folder.as_str()] {
        let answer = server.call("becket_status", json!({"worktree": name}));
        assert_eq!(answer["structuredContent"]["worktree"]["path"], path, "{name}: {answer}");
    }
    // A worktree that comes while the server runs is known at once.
    let later = repo.worktree("later");
    let answer = server.call("becket_status", json!({"worktree": "later"}));
    assert_eq!(answer["structuredContent"]["worktree"]["path"], later.root().display().to_string());
    server.finish();
}

#[test]
fn the_environment_names_the_repository_and_the_flag_wins() {
    let repo = TestRepo::new();
    let other = TestRepo::new_in(repo.home(), "other");
    let root = |variable: &str, flag: Option<&TestRepo>| {
        let mut command = repo.home().command(BECKET);
        command.args(["status", "--json"]).env(variable, other.root());
        if let Some(flag) = flag {
            command.arg("--repo").arg(flag.root());
        }
        envelope(&command.output().unwrap())["data"]["repository"]["root"].clone()
    };
    assert_eq!(root("PROJECT_PATH", None), other.root().display().to_string());
    assert_eq!(root("BECKET_REPO", None), other.root().display().to_string());
    assert_eq!(root("BECKET_REPO", Some(&repo)), repo.root().display().to_string());
}

#[test]
fn odd_names_are_carried_unharmed() {
    let home = TestRepo::new();
    for name in ["with space", "ünïcödé-日本", "-dash", "quote'\"", "new\nline"] {
        let repo = TestRepo::new_in(home.home(), name);
        let seen = status(&repo, &[]);
        assert_eq!(seen["worktree"]["path"], repo.root().display().to_string(), "{name:?}");
    }
}

#[test]
fn many_worktrees_come_page_by_page() {
    let repo = TestRepo::new();
    repo.write("a", "1");
    repo.commit("one");
    for number in 0..24 {
        repo.worktree(&format!("w{number:02}"));
    }
    let mut server = McpProcess::spawn(becket(&repo, ["mcp"]));
    server.initialize("2025-11-25");
    let mut arguments = json!({});
    let mut paths = Vec::new();
    loop {
        let answer = server.call("becket_status", arguments.clone());
        let content = &answer["structuredContent"];
        paths.extend(
            content["worktrees"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["path"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = content.get("nextCursor") else { break };
        assert!(content["cut"].as_str().unwrap().contains("of 25"), "{content}");
        arguments = json!({"cursor": cursor});
    }
    assert_eq!(paths.len(), 25);
    paths.dedup();
    assert_eq!(paths.len(), 25);
    server.finish();
}
