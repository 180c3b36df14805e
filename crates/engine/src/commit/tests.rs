//! Reading real repositories.
#![allow(clippy::disallowed_methods, reason = "tests make repositories and files")]

mod applying;
mod broken_rows;
mod history;
mod interrupted;
mod odd;
mod others;
mod planning;
mod taken_back;
mod whole_way;

use becket_testing::TestRepo;
use serde_json::json;

use super::*;
use crate::{Engine, Environment, ErrorKind, OpenOptions};

fn engine(repo: &TestRepo) -> Engine {
    Engine::open(Environment::new(repo.root()), OpenOptions::default())
}

fn changes(repo: &TestRepo) -> Vec<ChangeView> {
    engine(repo).list_changes(&ListChangesRequest::default()).unwrap().changes
}

/// Id, path, kind and file kind of each change.
fn rows(changes: &[ChangeView]) -> Vec<(&str, &str, &str, &str)> {
    changes
        .iter()
        .map(|one| (one.id.as_str(), one.file_path.as_str(), one.kind.as_str(), one.file_kind.as_str()))
        .collect()
}

fn committed() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.txt", "one\ntwo\nthree\n");
    repo.write("src/b.rs", "fn main() {\n}\n");
    repo.commit("first");
    repo
}

#[test]
fn staged_and_unstaged_hunks_of_a_path_are_one_change_in_the_seed_s_shape() {
    let repo = committed();
    repo.write("a.txt", "ONE\ntwo\nthree\n");
    repo.git(["add", "a.txt"]);
    repo.write("a.txt", "ONE\ntwo\nTHREE\n");
    repo.write("new", "n");
    let listed = engine(&repo).list_changes(&ListChangesRequest::default()).unwrap();
    assert_eq!(
        rows(&listed.changes),
        [("change-1", "a.txt", "modified", "text"), ("change-2", "new", "untracked", "text")]
    );
    assert_eq!(listed.scope.worktree.as_deref(), Some(repo.root().to_str().unwrap()));
    assert_eq!(
        (listed.scope.branch.as_deref(), listed.scope.head.as_deref()),
        (Some("main"), Some(repo.head().as_str()))
    );
    let value = serde_json::to_value(&listed.changes[0]).unwrap();
    let members: Vec<_> = value.as_object().unwrap().keys().take(3).collect();
    assert_eq!(members, ["id", "file_path", "hunks"]);
    assert_eq!(
        value["hunks"],
        json!([
            {"old_start": 1, "old_lines": 3, "new_start": 1, "new_lines": 3, "header": "@@ -1,3 +1,3 @@",
             "lines": ["-one", "+ONE", " two", " three"], "id": "change-1-hunk-1", "area": "staged"},
            {"old_start": 1, "old_lines": 3, "new_start": 1, "new_lines": 3, "header": "@@ -1,3 +1,3 @@",
             "lines": [" ONE", " two", "-three", "+THREE"], "id": "change-1-hunk-2", "area": "unstaged"},
        ])
    );
    assert_eq!(listed.changes[1].hunks[0].lines, ["+n", "\\ No newline at end of file"]);
    assert!(listed.to_string().contains("partly staged"), "{listed}");
}

#[test]
fn every_kind_is_told_apart() {
    let repo = committed();
    repo.write("gone", "g\n");
    repo.write("picture", [0_u8, 1, 2, 255]);
    repo.write("old name", "a long enough line to be recognised\nand another one\n");
    repo.write("script", "#!/bin/sh\n");
    repo.write("plain", "will be a link\n");
    repo.commit("second");
    repo.remove("gone");
    repo.write("picture", [0_u8, 9, 9, 255]);
    repo.git(["mv", "old name", "new name"]);
    repo.git(["update-index", "--chmod=+x", "script"]);
    #[cfg(unix)]
    {
        repo.remove("plain");
        std::os::unix::fs::symlink("a.txt", repo.path("plain")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(repo.path("script"), mode).unwrap();
    }
    #[cfg(not(unix))]
    repo.git([
        "update-index",
        "--cacheinfo",
        &format!("120000,{},plain", repo.git(["hash-object", "a.txt"])),
    ]);
    let seen = changes(&repo);
    let kinds: Vec<_> = seen.iter().map(|one| (one.file_path.as_str(), one.kind, one.file_kind)).collect();
    assert_eq!(kinds[0], ("gone", ChangeKind::Deleted, FileKind::Text));
    assert_eq!(kinds[1], ("new name", ChangeKind::Renamed, FileKind::Text));
    assert_eq!(kinds[2], ("picture", ChangeKind::Modified, FileKind::Binary));
    assert_eq!((kinds[3].0, kinds[3].1), ("plain", ChangeKind::TypeChanged));
    assert_eq!(kinds[4], ("script", ChangeKind::ModeChanged, FileKind::Text));
    assert_eq!(kinds.len(), 5);
    assert_eq!(seen[1].old_path.as_deref(), Some("old name"));
    assert_eq!(seen[1].parts[0].similarity, Some(100));
    let modes = |change: &ChangeView| (change.parts[0].old_mode.clone(), change.parts[0].new_mode.clone());
    assert_eq!(modes(&seen[3]), (Some("100644".into()), Some("120000".into())));
    assert_eq!(modes(&seen[4]), (Some("100644".into()), Some("100755".into())));
}

#[test]
fn a_submodule_and_a_nested_repository_are_kinds_of_their_own() {
    let repo = committed();
    let library = TestRepo::new_in(repo.home(), "library");
    library.write("l", "1");
    library.commit("one");
    repo.submodule("vendor/library", &library);
    TestRepo::new_in(repo.home(), "repo/nested").commit("inner");
    let seen = changes(&repo);
    assert_eq!(
        rows(&seen),
        [
            ("change-1", ".gitmodules", "added", "text"),
            ("change-2", "nested", "nested_repository", "text"),
            ("change-3", "vendor/library", "added", "submodule"),
        ]
    );
}

#[test]
fn a_conflict_shows_both_sides() {
    let repo = committed();
    repo.git(["checkout", "--quiet", "-b", "other"]);
    repo.write("a.txt", "theirs\ntwo\nthree\n");
    repo.commit("theirs");
    repo.git(["checkout", "--quiet", "main"]);
    repo.write("a.txt", "ours\ntwo\nthree\n");
    repo.commit("ours");
    assert!(!repo.try_git(["merge", "other"]).status.success());
    let seen = changes(&repo);
    assert_eq!(rows(&seen), [("change-1", "a.txt", "conflict", "text")]);
    assert_eq!(seen[0].conflict.as_deref(), Some("both_modified"));
    assert_eq!(seen[0].hunks[0].area, Area::Conflict);
    assert!(seen[0].hunks[0].header.starts_with("@@@"));
    let status = engine(&repo).repo_status(&RepoStatusRequest::default()).unwrap();
    assert!(status.merge_in_progress && !status.rebase_in_progress);
    assert_eq!((status.operations, status.conflicts_count), (vec!["merge".to_owned()], 1));
    assert_eq!(status.conflicts[0].status, "both_modified");
}

#[test]
fn odd_names_are_carried_unharmed() {
    let repo = TestRepo::new();
    let mut names = vec!["-dash", "a b/c", "ünï", "x\\y", "quote\"d", "semi;colon", "*.txt"];
    if cfg!(unix) {
        names.extend(["new\nline", "tab\there"]);
    }
    for name in &names {
        repo.write(name, "x\n");
    }
    names.sort_unstable();
    let seen = changes(&repo);
    assert_eq!(seen.iter().map(|one| one.file_path.as_str()).collect::<Vec<_>>(), names);
    for name in &names {
        let request = ListChangesRequest { path: Some(format!("./{name}")), ..Default::default() };
        let found = engine(&repo).list_changes(&request).unwrap().changes;
        assert_eq!(found.len(), 1, "{name:?}");
        assert_eq!(found[0].file_path, *name);
    }
}

#[test]
fn latin_1_is_shown_and_said() {
    let repo = committed();
    repo.write("a.txt", b"caf\xe9\n");
    let seen = changes(&repo);
    assert!(seen[0].not_utf8 && seen[0].hunks[0].lines.contains(&"+caf\u{fffd}".to_owned()), "{seen:?}");
    assert!(!changes(&committed()).iter().any(|one| one.not_utf8));
}

#[test]
fn it_works_before_the_first_commit_and_from_a_subdirectory() {
    let repo = TestRepo::new();
    repo.write("src/deep/a", "1\n");
    repo.git(["add", "--all"]);
    let inside = Engine::open(Environment::new(repo.path("src/deep")), OpenOptions::default());
    let listed = inside.list_changes(&ListChangesRequest::default()).unwrap();
    assert_eq!(rows(&listed.changes), [("change-1", "src/deep/a", "added", "text")]);
    assert_eq!((listed.scope.branch.as_deref(), listed.scope.head), (Some("main"), None));
    assert!(inside.log(&LogRequest::default()).unwrap().commits.is_empty());
    let status = inside.repo_status(&RepoStatusRequest::default()).unwrap();
    assert_eq!(status.head, HeadView { kind: "branch".into(), name: Some("main".into()), sha: None });
    assert_eq!(status.root_path, repo.root().display().to_string());
    let error =
        inside.show_commit(&ShowCommitRequest { sha: "HEAD".into(), ..Default::default() }).unwrap_err();
    assert_eq!(error.code(), "unknown_revision");
}

#[test]
fn untracked_files_can_be_left_out_and_a_path_keeps_the_ids() {
    let repo = committed();
    repo.write("a.txt", "changed\n");
    repo.write("src/b.rs", "changed\n");
    repo.write("src2", "not below src\n");
    let ask = |request: ListChangesRequest| engine(&repo).list_changes(&request).unwrap().changes;
    let tracked = ask(ListChangesRequest { tracked_only: true, ..Default::default() });
    assert_eq!(tracked.len(), 2);
    let below = ask(ListChangesRequest { path: Some("src".into()), ..Default::default() });
    assert_eq!(rows(&below), [("change-2", "src/b.rs", "modified", "text")]);
}

#[test]
fn pages_hold_every_change_once_though_one_comes_between() {
    let repo = TestRepo::new();
    for number in 0..7 {
        repo.write(format!("f{number}"), "x\n");
    }
    let engine = engine(&repo);
    let mut cursor = None;
    let mut seen = Vec::new();
    loop {
        let request = ListChangesRequest { limit: Some(3), cursor, ..Default::default() };
        let listed = engine.list_changes(&request).unwrap();
        seen.extend(listed.changes.into_iter().map(|one| one.file_path));
        repo.write("a", "before everything\n");
        let Some(next) = listed.next_cursor else { break };
        assert!(listed.cut.unwrap().contains("nextCursor"));
        cursor = Some(next);
    }
    assert_eq!(seen, ["f0", "f1", "f2", "f3", "f4", "f5", "f6"]);
    for (limit, cursor, code) in [
        (Some(0), None, "invalid_arguments"),
        (None, Some("after:zz"), "invalid_cursor"),
        (None, Some("f1"), "invalid_cursor"),
    ] {
        let request = ListChangesRequest { limit, cursor: cursor.map(str::to_owned), ..Default::default() };
        assert_eq!(engine.list_changes(&request).unwrap_err().code(), code);
    }
}

#[test]
fn a_long_change_is_cut_with_a_count_and_a_notice() {
    let repo = committed();
    let long = "a \"quoted\" line\n".repeat(50_000);
    repo.write("a.txt", &long);
    repo.write("b.txt", "short\n");
    let engine = engine(&repo);
    let listed = engine.list_changes(&ListChangesRequest::default()).unwrap();
    assert!(serde_json::to_vec(&listed).unwrap().len() <= engine.max_output_bytes());
    let omitted = listed.changes[0].omitted.unwrap();
    let kept: usize = listed.changes[0].hunks.iter().map(|hunk| hunk.lines.len()).sum();
    assert!(kept > 300, "{kept}");
    assert_eq!(kept + omitted.lines, 50_003, "every line is shown or counted");
    assert!(listed.notices.iter().any(|notice| notice.contains("change-1")), "{:?}", listed.notices);
    assert_eq!(listed.changes[1].file_path, "b.txt", "it hides no other");
    let alone = ListChangesRequest { path: Some("a.txt".into()), ..Default::default() };
    let alone = engine.list_changes(&alone).unwrap();
    assert!(alone.changes[0].hunks[0].lines.len() > 3 * kept, "alone it has all the room");
    assert!(serde_json::to_vec(&alone).unwrap().len() <= engine.max_output_bytes());
    let whole = ListChangesRequest { extent: Extent::Whole, ..Default::default() };
    assert_eq!(engine.list_changes(&whole).unwrap().changes.len(), 2);
}

#[test]
fn a_worktree_is_named_by_argument_or_by_its_path() {
    let repo = committed();
    let linked = repo.worktree("feature");
    linked.write("a.txt", "in the worktree\n");
    let engine = engine(&repo);
    let ask = |worktree: Option<&str>, path: Option<&str>| {
        let request = ListChangesRequest {
            worktree: worktree.map(str::to_owned),
            path: path.map(str::to_owned),
            ..Default::default()
        };
        engine.list_changes(&request)
    };
    assert!(ask(None, None).unwrap().changes.is_empty());
    let absolute = linked.path("a.txt").display().to_string();
    for (worktree, path) in
        [(Some("feature"), None), (Some("feature"), Some("a.txt")), (None, Some(absolute.as_str()))]
    {
        let listed = ask(worktree, path).unwrap();
        assert_eq!(listed.changes.len(), 1, "{worktree:?} {path:?}");
        assert_eq!(listed.scope.branch.as_deref(), Some("feature"));
    }
    let elsewhere = repo.path("a.txt").display().to_string();
    assert_eq!(ask(Some("feature"), Some(&elsewhere)).unwrap_err().code(), "path_outside_worktree");
    assert_eq!(ask(None, Some("../x")).unwrap_err().code(), "path_escapes_root");
    assert_eq!(ask(None, Some(".git/config")).unwrap_err().code(), "path_in_git_dir");
    assert!(ask(Some("nowhere"), None).is_err());
}

#[test]
fn outside_git_the_seed_s_sentence_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(Environment::new(folder.path()), OpenOptions::default());
    let error = engine.list_changes(&ListChangesRequest::default()).unwrap_err();
    assert_eq!((error.code(), error.message()), ("not_a_repository", "Not a git repository"));
    assert_eq!(engine.repo_status(&RepoStatusRequest::default()).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_bare_repository_has_history_and_no_changes() {
    let repo = committed();
    let bare = repo.bare_clone();
    let engine = engine(&bare);
    assert_eq!(engine.list_changes(&ListChangesRequest::default()).unwrap_err().code(), "no_worktree");
    let log = engine.log(&LogRequest { path: Some("src".into()), ..Default::default() }).unwrap();
    assert_eq!((log.commits.len(), log.scope.worktree), (1, None));
    let blamed = engine.blame(&BlameRequest { path: "a.txt".into(), ..Default::default() }).unwrap();
    assert_eq!(blamed.lines.len(), 3);
    let error = engine.blame(&BlameRequest { path: "../a.txt".into(), ..Default::default() }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
}

#[test]
fn status_tells_states_and_upstream() {
    let repo = committed();
    let clone = TestRepo::new_in(repo.home(), "clone");
    clone.git(["remote", "add", "origin", repo.root().to_str().unwrap()]);
    clone.git(["fetch", "--quiet", "origin"]);
    clone.git(["reset", "--quiet", "--hard", "origin/main"]);
    clone.git(["branch", "--set-upstream-to=origin/main"]);
    clone.write("c", "1\n");
    clone.commit("ahead");
    clone.git(["mv", "a.txt", "moved.txt"]);
    clone.write("src/b.rs", "changed\n");
    clone.write("new", "1\n");
    let status = engine(&clone).repo_status(&RepoStatusRequest::default()).unwrap();
    assert_eq!((status.ahead_by, status.behind_by), (Some(1), Some(0)));
    assert_eq!(status.upstream.as_deref(), Some("origin/main"));
    let renamed =
        StatusRow { path: "moved.txt".into(), status: "renamed".into(), old_path: Some("a.txt".into()) };
    assert_eq!(status.staged, [renamed]);
    assert_eq!(
        (status.unstaged[0].path.as_str(), status.unstaged[0].status.as_str()),
        ("src/b.rs", "modified")
    );
    assert_eq!(status.untracked, ["new"]);
    assert!(!status.truncated);
}

#[test]
fn a_long_status_fits_and_says_so() {
    let repo = TestRepo::new();
    for number in 0..900 {
        repo.write(format!("{}/{number}", "long-folder-name/".repeat(8)), "");
    }
    let engine = engine(&repo);
    let status = engine.repo_status(&RepoStatusRequest::default()).unwrap();
    assert!(serde_json::to_vec(&status).unwrap().len() <= engine.max_output_bytes());
    assert_eq!((status.untracked_count, status.truncated), (900, true));
    assert!(status.untracked.len() > 100);
}
