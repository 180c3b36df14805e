//! A becket that died while it committed: who looks is told and changes nothing, who writes ends it and says so.

use serde_json::Value;

use super::{
    applying::{told, with_identity},
    *,
};

/// The journal says that two commits were being made and one was. Gives what the repository was before.
fn died(repo: &TestRepo) -> [String; 3] {
    repo.write("src/count.rs", "pub fn count() -> u8 {\n    1\n}\n");
    repo.write("docs/river.md", "The river is long.\n");
    repo.commit("first");
    repo.write("src/count.rs", "pub fn count() -> u8 {\n    2\n}\n");
    repo.write("docs/river.md", "Mountains stand around it.\n");
    let before = told(repo);
    let engine = engine(repo);
    let group = |change: &str| {
        let change_ids = Some(vec![change.to_owned()]);
        let request = GroupChangesRequest { change_ids, ..GroupChangesRequest::default() };
        engine.group_changes(&request).unwrap().groups[0].id.clone()
    };
    let group_ids = vec![group("change-1"), group("change-2")];
    engine.propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() }).unwrap();
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    let folder = ".git/becket/commit/main";
    let record = format!("{folder}/operations/000001.json");
    let mut operation: Value = serde_json::from_str(&repo.read(&record)).unwrap();
    operation["head_after"] = Value::Null;
    operation["commits"] = json!([]);
    let trees = ["HEAD^^{tree}", "HEAD^{tree}"].map(|tree| repo.git(["rev-parse", tree]));
    repo.remove(&record);
    std::fs::copy(repo.path(format!("{folder}/operations/000001.index")), repo.path(".git/index")).unwrap();
    repo.git(["update-ref", "-m", "commit: one", "refs/heads/main", "HEAD^"]);
    let journal = json!({"operation": operation, "phase": {"phase": "begun", "trees": trees}});
    repo.write(format!("{folder}/journal.json"), journal.to_string());
    repo.write(".git/index.lock", "becket is committing\n");
    before
}

#[test]
fn who_only_looks_is_told_and_ends_nothing() {
    let repo = with_identity();
    died(&repo);
    let (left, engine) = (told(&repo), engine(&repo));
    let listed = engine.list_changes(&ListChangesRequest::default()).unwrap();
    let said = |notices: &[String]| {
        assert!(
            notices.iter().any(|notice| notice.starts_with("Operation 1 on refs/heads/main was interrupted")),
            "{notices:?}"
        );
    };
    said(&listed.notices);
    said(&engine.group_changes(&GroupChangesRequest::default()).unwrap().notices);
    said(&engine.repo_status(&RepoStatusRequest::default()).unwrap().notices);
    let show = ShowCommitRequest { sha: "HEAD".to_owned(), ..ShowCommitRequest::default() };
    said(&engine.show_commit(&show).unwrap().notices);
    let status = engine.status(&crate::status::StatusRequest::default()).unwrap();
    assert_eq!(status.problems[0].code, "operation_interrupted");
    let checks = engine.checks();
    assert!(checks.iter().any(|check| check.name == "commits" && check.fix.is_some()), "{checks:?}");
    engine
        .apply_all(&ApplyAllRequest {
            options: ApplyOptions { dry_run: true, ..ApplyOptions::default() },
            plan: None,
        })
        .unwrap_err();
    assert_eq!(told(&repo), left);
    assert!(repo.path(".git/index.lock").exists());
}

#[test]
fn undo_ends_what_was_interrupted_and_takes_back_nothing_else() {
    let repo = with_identity();
    let before = died(&repo);
    let undone = engine(&repo).undo(None, None).unwrap();
    assert_eq!(undone.operation, 1);
    assert!(undone.notices[0].contains("had been interrupted and was taken back"), "{undone}");
    assert_eq!(undone.head, Some(repo.head()));
    assert_eq!(told(&repo), before);
    assert_eq!(engine(&repo).undo(None, None).unwrap_err().code(), "nothing_to_undo");
}

#[test]
fn the_plan_is_applied_after_what_was_interrupted_was_taken_back() {
    let repo = with_identity();
    let before = died(&repo);
    let applied = engine(&repo).apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(applied.commits.len(), 2);
    assert!(applied.notices[0].contains("had been interrupted"), "{applied}");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    engine(&repo).undo(None, None).unwrap();
    assert_eq!(told(&repo), before);
}

#[test]
fn a_call_that_fails_after_it_ended_something_says_so() {
    let repo = with_identity();
    died(&repo);
    repo.write("src/count.rs", "pub fn count() -> u8 {\n    3\n}\n");
    repo.write("docs/river.md", "Nothing.\n");
    let error = engine(&repo).apply_all(&ApplyAllRequest::default()).unwrap_err();
    assert_eq!(error.code(), "stale_plan");
    assert!(error.hint().unwrap().contains("Before that: Operation 1 had been interrupted"), "{error:?}");
}

#[cfg(unix)]
#[test]
fn the_message_is_the_one_that_the_commit_has() {
    use std::os::unix::fs::PermissionsExt;
    let repo = with_identity();
    repo.write("a.txt", "one\n");
    repo.commit("first");
    repo.write("a.txt", "two\n");
    let hook = repo.write(".git/hooks/commit-msg", "#!/bin/sh\nprintf '\\nChange-Id: I1\\n' >> \"$1\"\n");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let engine = engine(&repo);
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    let proposed = engine
        .propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() })
        .unwrap();
    let mut request = ApplyCommitRequest {
        commit_id: proposed.commits[0].id.clone(),
        message_override: Some("Say it\n\n\n\nagain   ".to_owned()),
        ..ApplyCommitRequest::default()
    };
    let applied = engine.apply_commit(&request).unwrap();
    assert_eq!(applied.message, "Say it\n\nagain\n\nChange-Id: I1\n");
    request.message_override = None;
    assert_eq!(engine.apply_commit(&request).unwrap().message, applied.message, "also when asked again");
}

#[cfg(not(unix))]
#[test]
fn the_message_is_the_one_that_the_commit_has() {
    let repo = with_identity();
    repo.write("a.txt", "one\n");
    repo.commit("first");
    repo.write("a.txt", "two\n");
    let engine = engine(&repo);
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    engine.propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() }).unwrap();
    let applied = engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(applied.commits[0].message.trim_end(), repo.git(["log", "-1", "--format=%B"]).trim_end());
}
