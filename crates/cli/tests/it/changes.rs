//! `becket changes`, `becket log` and `becket blame`, and Segmint's server on the same repository.

use becket_testing::{McpProcess, TestRepo};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{BECKET, becket, envelope, seen};

fn dirty() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/a.txt", "one\ntwo\n");
    repo.write("old name", "a line that is long enough\nto be recognised again\n");
    repo.commit("first");
    repo.write("src/a.txt", "one\nTWO\n");
    repo.commit("second");
    repo.write("src/a.txt", "ONE\nTWO\n");
    repo.git(["add", "src/a.txt"]);
    repo.write("src/a.txt", "ONE\nTWO\nthree\n");
    repo.git(["mv", "old name", "new name"]);
    repo.write("picture", [0_u8, 1, 2]);
    repo
}

#[test]
fn changes_as_a_person_sees_them() {
    let repo = dirty();
    assert_snapshot!(seen(&repo, becket(&repo, ["changes"])));
    assert_snapshot!(seen(&repo, becket(&repo, ["changes", "--patch", "src"])));
    let clean = TestRepo::new();
    clean.write("new", "left out\n");
    assert_snapshot!(seen(&clean, becket(&clean, ["changes", "--no-untracked"])));
}

#[test]
fn log_and_blame_as_a_person_sees_them() {
    let repo = dirty();
    assert_snapshot!(seen(&repo, becket(&repo, ["log", "-n", "1"])));
    assert_snapshot!(seen(&repo, becket(&repo, ["blame", "src/a.txt"])));
    assert_snapshot!(seen(&repo, becket(&repo, ["blame", "nothing"])));
}

#[test]
fn each_has_one_envelope() {
    let repo = dirty();
    let data = |arguments: &[&str]| -> Value {
        let output = repo.command(BECKET).args(arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let envelope = envelope(&output);
        assert_eq!((&envelope["ok"], &envelope["command"]), (&json!(true), &json!(arguments[0])));
        envelope["data"].clone()
    };
    let changes = data(&["changes"]);
    let paths: Vec<_> = changes["changes"].as_array().unwrap().iter().map(|one| &one["file_path"]).collect();
    assert_eq!(paths, ["new name", "picture", "src/a.txt"]);
    assert_eq!(changes["scope"]["branch"], "main");
    assert_eq!(data(&["log", "--path", "src"])["commits"].as_array().unwrap().len(), 2);
    assert_eq!(data(&["log", "HEAD~1"])["commits"][0]["subject"], "first");
    assert_eq!(data(&["blame", "src/a.txt", "HEAD~1"])["lines"][1]["content"], "two");
}

#[test]
fn paths_are_those_of_the_current_directory() {
    let repo = dirty();
    let mut command = becket(&repo, ["blame", "a.txt", "--json"]);
    command.current_dir(repo.path("src"));
    assert_eq!(envelope(&command.output().unwrap())["data"]["path"], "src/a.txt");
    let mut command = becket(&repo, ["changes", "..", "--json"]);
    command.current_dir(repo.path("src"));
    assert_eq!(envelope(&command.output().unwrap())["data"]["total"], 3);
}

#[test]
fn without_git_and_outside_a_repository_the_words_are_the_seed_s() {
    let repo = dirty();
    let mut command = becket(&repo, ["changes", "--json"]);
    command.env("PATH", repo.home().temporary());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    let error = envelope(&output)["error"].clone();
    assert_eq!(error["message"], "git command not found. Please install git.");
    let plain = repo.home().root().join("plain");
    std::fs::create_dir(&plain).unwrap();
    let mut command = repo.home().command(BECKET);
    command.current_dir(&plain).args(["log", "--json"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(envelope(&output)["error"]["message"], "Not a git repository");
}

#[test]
fn a_revision_that_looks_like_an_option_writes_nothing() {
    let repo = dirty();
    let output = becket(&repo, ["log", "--json", "--", "--output=stray"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(envelope(&output)["error"]["code"], "invalid_revision");
    assert!(!repo.path("stray").exists());
}

#[test]
fn segmint_lists_real_changes_over_stdio() {
    let repo = dirty();
    let mut server = McpProcess::spawn(becket(&repo, ["as", "segmint"]));
    server.initialize("2024-11-05");
    let answer = server.call("list_changes", json!({}));
    let text: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, answer["structuredContent"]);
    assert_eq!(text["changes"][2]["hunks"].as_array().unwrap().len(), 2, "staged, then unstaged");
    assert_eq!(text["changes"][0]["id"], "change-1");
    server.finish();
}
