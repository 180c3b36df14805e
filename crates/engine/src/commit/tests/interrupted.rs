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
    repo.git(["update-ref", "-m", "becket (operation 1): one", "refs/heads/main", "HEAD^"]);
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
    said(&engine.operations(None).unwrap().notices);
    for error in [
        engine
            .apply_all(&ApplyAllRequest {
                options: ApplyOptions { dry_run: true, ..ApplyOptions::default() },
                plan: None,
            })
            .unwrap_err(),
        engine.propose_commits(&ProposeCommitsRequest::default()).unwrap_err(),
        engine.show_plan(Some("plan-9"), None).unwrap_err(),
    ] {
        assert!(
            error.hint().unwrap().contains("Operation 1 on refs/heads/main was interrupted"),
            "{error:?}"
        );
    }
    assert_eq!(told(&repo), left);
    assert!(repo.path(".git/index.lock").exists());
}

#[test]
fn undo_ends_what_was_interrupted_and_takes_back_nothing_else() {
    let repo = with_identity();
    let before = died(&repo);
    let made = repo.head();
    let undone = engine(&repo).undo(None, None).unwrap();
    assert_eq!(undone.operation, 1);
    assert_eq!(undone.commits, [made], "what left the branch");
    assert!(undone.notices[0].contains("had been interrupted and was taken back"), "{undone}");
    assert_eq!(undone.head, Some(repo.head()));
    assert_eq!(told(&repo), before);
    assert_eq!(engine(&repo).undo(None, None).unwrap_err().code(), "nothing_to_undo");
}

#[test]
fn undo_takes_nothing_back_after_it_finished_what_others_have() {
    let repo = with_identity();
    died(&repo);
    let journal = ".git/becket/commit/main/journal.json";
    let mut left: Value = serde_json::from_str(&repo.read(journal)).unwrap();
    left["phase"]["trees"].as_array_mut().unwrap().truncate(1);
    repo.write(journal, left.to_string());
    repo.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let pushed = repo.head();
    let error = engine(&repo).undo(None, None).unwrap_err();
    assert_eq!(error.code(), "operation_finished");
    assert!(error.hint().unwrap().starts_with("Nothing was taken back"), "{error:?}");
    assert_eq!(repo.head(), pushed);
    assert_eq!(engine(&repo).operations(None).unwrap().operations[0].commits, [pushed]);
}

#[test]
fn undo_leaves_what_somebody_else_committed() {
    let repo = with_identity();
    died(&repo);
    repo.remove(".git/index.lock");
    repo.git(["reset", "-q", "--soft", "HEAD^"]);
    repo.git(["commit", "-qam", "mine"]);
    let mine = told(&repo);
    let error = engine(&repo).undo(None, None).unwrap_err();
    assert_eq!(error.code(), "operation_given_up");
    assert_eq!(told(&repo), mine);
    assert_eq!(engine(&repo).undo(None, None).unwrap_err().code(), "nothing_to_undo");
}

#[test]
fn during_a_merge_undo_and_apply_touch_nothing() {
    let repo = with_identity();
    died(&repo);
    repo.write(".git/MERGE_HEAD", repo.head() + "\n");
    let left = told(&repo);
    assert_eq!(engine(&repo).undo(None, None).unwrap_err().code(), "operation_in_progress");
    let error = engine(&repo).apply_all(&ApplyAllRequest::default()).unwrap_err();
    assert_eq!(error.code(), "operation_in_progress");
    assert_eq!(told(&repo), left);
    assert!(
        repo.path(".git/index.lock").exists() && repo.path(".git/becket/commit/main/journal.json").exists()
    );
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
