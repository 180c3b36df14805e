//! Commits made in a private index, taken back and refused.

use std::path::Path;
use std::time::Duration;

use becket_diff::{FilePath, Mode};
use becket_git::GitError;
use becket_git::write::{
    ApplyRequest, DetachedHead, Filters, NewCommit, NewContent, Session, SessionOptions, Snapshot,
    SnapshotOptions, TreeEdit, WriteError, WritePlace, snapshot, undo,
};

use crate::repository::{Repository, git_in};

pub(crate) fn begin(repository: &Repository) -> Result<Session, WriteError> {
    Session::begin(&repository.path(), SessionOptions { wait: Duration::ZERO, ..SessionOptions::default() })
}

fn taken(repository: &Repository) -> Snapshot {
    snapshot(&repository.path(), &SnapshotOptions::default()).unwrap().snapshot
}

pub(crate) fn edit(path: &str, content: &str) -> TreeEdit {
    let entry = Some((Mode::FILE, NewContent::Bytes(content.as_bytes().to_vec())));
    TreeEdit { path: FilePath::from(path), entry }
}

pub(crate) fn commit(message: &str, edits: Vec<TreeEdit>) -> NewCommit {
    NewCommit { message: message.to_owned(), edits }
}

pub(crate) fn apply(
    repository: &Repository,
    commits: Vec<NewCommit>,
    index: Vec<TreeEdit>,
) -> Result<Vec<String>, WriteError> {
    let session = begin(repository)?;
    let snapshot = taken(repository);
    let payload = serde_json::json!({"for": "a test"});
    let request = ApplyRequest { snapshot: &snapshot, filters: Filters::All, commits, index, payload };
    session.apply(&request).map(|applied| applied.operation.commits)
}

pub(crate) fn hook(repository: &Repository, name: &str, script: &str) {
    let path = repository.write(format!(".git/hooks/{name}"), format!("#!/bin/sh\n{script}\n"));
    make_executable(&path);
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Every script is one here.
#[cfg(not(unix))]
fn make_executable(_path: &Path) {}

/// The identity of commits is the repository's own, since becket asks no test for one.
pub(crate) fn repository() -> Repository {
    let repository = Repository::with_commit();
    repository.git(["config", "user.name", "Ada"]);
    repository.git(["config", "user.email", "ada@example.org"]);
    repository.git(["config", "commit.gpgsign", "false"]);
    repository
}

/// Two edits of `file.txt`: the first line is staged, the last is not.
pub(crate) fn partly_staged() -> Repository {
    let repository = repository();
    repository.write("file.txt", "ONE\ntwo\nthree\n");
    repository.git(["add", "file.txt"]);
    repository.write("file.txt", "ONE\ntwo\nTHREE\n");
    repository
}

fn state(repository: &Repository) -> [String; 4] {
    [
        repository.git(["rev-parse", "HEAD"]),
        repository.git(["diff", "--cached"]),
        repository.git(["diff"]),
        repository.git(["status", "--porcelain"]),
    ]
}

#[test]
fn a_commit_of_what_is_not_staged_leaves_what_is() {
    let repository = partly_staged();
    let staged = repository.git(["diff", "--cached"]);
    let commits = vec![commit("Shout the end", vec![edit("file.txt", "one\ntwo\nTHREE\n")])];
    let made = apply(&repository, commits, vec![edit("file.txt", "ONE\ntwo\nTHREE\n")]).unwrap();

    assert_eq!(repository.git(["rev-parse", "HEAD"]).trim(), made[0]);
    assert_eq!(repository.git(["log", "-1", "--format=%B"]).trim(), "Shout the end");
    assert_eq!(repository.git(["show", "HEAD:file.txt"]), "one\ntwo\nTHREE\n");
    assert_eq!(repository.git(["diff"]), "");
    let still = repository.git(["diff", "--cached"]);
    assert!(still.contains("-one\n+ONE\n") && staged.contains("-one\n+ONE\n"), "{still}");
    assert_eq!(fs_err::read_to_string(repository.path().join("file.txt")).unwrap(), "ONE\ntwo\nTHREE\n");
    assert!(!repository.path().join(".git/index.lock").exists());
}

#[test]
fn undo_puts_back_branch_and_index_to_the_byte() {
    let repository = partly_staged();
    let before = state(&repository);
    let index = fs_err::read(repository.path().join(".git/index")).unwrap();
    let commits = vec![
        commit("one", vec![edit("file.txt", "ONE\ntwo\nthree\n")]),
        commit("two", vec![edit("file.txt", "ONE\ntwo\nTHREE\n"), edit("new.txt", "new\n")]),
    ];
    apply(&repository, commits, vec![edit("file.txt", "ONE\ntwo\nTHREE\n"), edit("new.txt", "new\n")])
        .unwrap();
    assert_ne!(state(&repository), before);

    let session = begin(&repository).unwrap();
    let wrong = undo(&session, Some(9), serde_json::Value::Null);
    assert!(matches!(wrong, Err(WriteError::UnknownOperation { number: 9 })), "{wrong:?}");
    undo(&session, Some(1), serde_json::Value::Null).unwrap();
    drop(session);
    assert_eq!(fs_err::read(repository.path().join(".git/index")).unwrap(), index);
    assert_eq!(state(&repository), before);
    let again = undo(&begin(&repository).unwrap(), None, serde_json::Value::Null);
    assert!(matches!(again, Err(WriteError::NothingToUndo)), "{again:?}");
}

/// The halves of an index that is split.
fn halves(repository: &Repository) -> Vec<(String, Vec<u8>)> {
    let mut halves: Vec<(String, Vec<u8>)> = fs_err::read_dir(repository.path().join(".git"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().contains("sharedindex."))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs_err::read(&path).unwrap()))
        .collect();
    halves.sort();
    halves
}

#[test]
fn undo_puts_back_an_index_in_two_halves_to_the_byte() {
    let repository = partly_staged();
    // So few files would change by more than a fifth with the next one, and Git would begin another half.
    repository.git(["config", "splitIndex.maxPercentChange", "100"]);
    repository.git(["update-index", "--split-index"]);
    repository.write("staged.txt", "staged\n");
    repository.git(["add", "staged.txt"]);
    let before = state(&repository);
    let index = fs_err::read(repository.path().join(".git/index")).unwrap();
    let shared = halves(&repository);
    assert_eq!(shared.len(), 1);
    for gone in [false, true] {
        let commits = vec![commit("one", vec![edit("file.txt", "ONE\ntwo\nthree\n")])];
        apply(&repository, commits, vec![edit("file.txt", "ONE\ntwo\nthree\n")]).unwrap();
        if gone {
            // As Git does with one that nothing has asked for in a while.
            fs_err::remove_file(repository.path().join(".git").join(&shared[0].0)).unwrap();
        }
        undo(&begin(&repository).unwrap(), None, serde_json::Value::Null).unwrap();
        assert_eq!(fs_err::read(repository.path().join(".git/index")).unwrap(), index);
        assert_eq!(halves(&repository), shared);
        assert_eq!(state(&repository), before);
    }
}

#[test]
fn undo_is_refused_once_the_branch_or_the_index_moved() {
    let repository = repository();
    repository.write("file.txt", "1\n");
    let commits = || vec![commit("one", vec![edit("file.txt", "1\n")])];
    apply(&repository, commits(), vec![edit("file.txt", "1\n")]).unwrap();
    repository.write("other.txt", "o\n");
    repository.git(["add", "other.txt"]);
    let result = undo(&begin(&repository).unwrap(), None, serde_json::Value::Null);
    assert!(matches!(result, Err(WriteError::IndexMoved { ref paths }) if paths.len() == 1), "{result:?}");
    repository.git(["commit", "-qm", "mine"]);
    let result = undo(&begin(&repository).unwrap(), None, serde_json::Value::Null);
    assert!(matches!(result, Err(WriteError::BranchMoved { .. })), "{result:?}");
}

#[test]
fn the_first_commit_is_made_and_undone() {
    let repository = Repository::new();
    repository.git(["config", "user.name", "Ada"]);
    repository.git(["config", "user.email", "ada@example.org"]);
    repository.write("a.txt", "a\n");
    let made =
        apply(&repository, vec![commit("first", vec![edit("a.txt", "a\n")])], vec![edit("a.txt", "a\n")]);
    assert_eq!(repository.git(["rev-parse", "HEAD"]).trim(), made.unwrap()[0]);
    assert_eq!(repository.git(["status", "--porcelain"]), "");
    undo(&begin(&repository).unwrap(), None, serde_json::Value::Null).unwrap();
    assert!(!repository.try_git(["rev-parse", "--verify", "HEAD"]).status.success());
    assert_eq!(repository.git(["status", "--porcelain"]), "?? a.txt\n");
    assert!(!repository.path().join(".git/index").exists());
}

#[test]
fn hooks_run_as_in_git_commit_and_see_only_this_commit() {
    let repository = partly_staged();
    repository.git(["commit", "-qm", "staged"]);
    repository.write("file.txt", "ONE\nTWO\nTHREE\n");
    let hooks = repository.beside("hooks");
    fs_err::create_dir_all(&hooks).unwrap();
    repository.git(["config", "core.hooksPath", hooks.to_str().unwrap()]);
    let log = repository.beside("log");
    let script = |text: &str| format!("#!/bin/sh\n{text}\n").replace("LOG", log.to_str().unwrap());
    for (name, text) in [
        (
            "pre-commit",
            "git diff --cached --name-only -- '*.txt' >> LOG; git diff --cached | grep '^[-+][A-Zt]' >> LOG",
        ),
        ("prepare-commit-msg", "echo prepared >> LOG"),
        ("commit-msg", "printf '\\nSigned: hook\\n' >> \"$1\""),
        ("post-commit", "git log -1 --format=%s >> LOG"),
    ] {
        let path = hooks.join(name);
        fs_err::write(&path, script(text)).unwrap();
        make_executable(&path);
    }
    let commits = vec![
        commit("# two", vec![edit("file.txt", "ONE\nTWO\nthree\n")]),
        commit("three", vec![edit("file.txt", "ONE\nTWO\nTHREE\n")]),
    ];
    apply(&repository, commits, vec![edit("file.txt", "ONE\nTWO\nTHREE\n")]).unwrap();
    let told = fs_err::read_to_string(&log).unwrap();
    let expected = "file.txt\n-two\n+TWO\nprepared\n# two\nfile.txt\n-three\n+THREE\nprepared\nthree\n";
    assert_eq!(told, expected);
    assert_eq!(repository.git(["log", "-1", "--format=%B"]).trim(), "three\n\nSigned: hook");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn a_hook_that_says_no_leaves_everything_as_it_was() {
    let repository = partly_staged();
    let before = state(&repository);
    let index = fs_err::read(repository.path().join(".git/index")).unwrap();
    hook(&repository, "commit-msg", "grep -q good \"$1\" || { echo 'not good' >&2; exit 1; }");
    let commits = vec![
        commit("good", vec![edit("file.txt", "ONE\ntwo\nthree\n")]),
        commit("bad", vec![edit("file.txt", "ONE\ntwo\nTHREE\n")]),
    ];
    let result = apply(&repository, commits, vec![edit("file.txt", "ONE\ntwo\nTHREE\n")]);
    match result {
        Err(WriteError::Refused { number: 2, hook: true, stderr }) => assert_eq!(stderr, "not good"),
        other => panic!("{other:?}"),
    }
    assert_eq!(state(&repository), before);
    assert_eq!(fs_err::read(repository.path().join(".git/index")).unwrap(), index);
    assert!(!WritePlace::has_unfinished(&repository.path().join(".git")));
}

#[test]
fn a_hook_that_writes_files_is_found_and_nothing_is_committed() {
    let formatter = "tr a-z A-Z < file.txt > t && mv t file.txt";
    for (script, stages) in [(formatter.to_owned(), false), (format!("{formatter}; git add file.txt"), true)]
    {
        let repository = repository();
        repository.write("file.txt", "one\ntwo\nthree\nfour\n");
        hook(&repository, "pre-commit", &script);
        let head = repository.git(["rev-parse", "HEAD"]);
        let all = || edit("file.txt", "one\ntwo\nthree\nfour\n");
        let result = apply(&repository, vec![commit("four", vec![all()])], vec![all()]);
        match result {
            Err(WriteError::HookChangedFiles { number: 1, paths }) => {
                assert_eq!(paths, [FilePath::from("file.txt")]);
            }
            other => panic!("{other:?}, stages: {stages}"),
        }
        assert_eq!(repository.git(["rev-parse", "HEAD"]), head);
        assert_eq!(repository.git(["status", "--porcelain"]), " M file.txt\n");
        assert_eq!(repository.git(["diff", "--cached"]), "");
    }
}

#[test]
fn a_hook_that_changes_only_the_commit_is_found() {
    let repository = repository();
    repository.write("file.txt", "one\n");
    hook(
        &repository,
        "pre-commit",
        "git rm -q --cached file.txt; git add -f .git/description 2>/dev/null; true",
    );
    let head = repository.git(["rev-parse", "HEAD"]);
    let result = apply(&repository, vec![commit("c", vec![edit("file.txt", "one\n")])], Vec::new());
    assert!(matches!(result, Err(WriteError::HookChangedCommit { number: 1, .. })), "{result:?}");
    assert_eq!(repository.git(["rev-parse", "HEAD"]), head);
}

#[test]
fn a_state_in_which_nobody_should_commit_is_refused() {
    let repository = repository();
    repository.git(["checkout", "-q", "-b", "side"]);
    repository.write("file.txt", "side\n");
    repository.commit_all("side");
    repository.git(["checkout", "-q", "main"]);
    repository.write("other.txt", "main\n");
    repository.commit_all("main");
    let refused = |what: &str| match begin(&repository) {
        Err(WriteError::UnderWay { operation }) => assert_eq!(format!("{operation:?}"), what),
        other => panic!("{what}: {other:?}"),
    };
    repository.git(["merge", "-q", "--no-commit", "side"]);
    refused("Merge");
    repository.git(["merge", "--abort"]);
    repository.git(["bisect", "start"]);
    refused("Bisect");
    repository.git(["bisect", "reset"]);
    repository.git(["cherry-pick", "-n", "side"]);
    repository.git(["reset", "-q", "--hard"]);
    repository.write("file.txt", "main\n");
    repository.commit_all("conflicting");
    for (command, what) in [("cherry-pick", "CherryPick"), ("rebase", "Rebase"), ("revert", "Revert")] {
        let target = if command == "revert" { "HEAD~2" } else { "side" };
        assert!(!repository.try_git([command, target]).status.success() || command == "revert");
        if repository.path().join(".git/REVERT_HEAD").exists() || command != "revert" {
            refused(what);
            repository.git([command, "--abort"]);
        }
    }
    let lock = repository.write(".git/index.lock", "");
    assert!(matches!(begin(&repository), Err(WriteError::IndexLocked { .. })));
    fs_err::remove_file(lock).unwrap();
    repository.git(["checkout", "-q", "--detach"]);
    assert!(matches!(begin(&repository), Err(WriteError::Detached { .. })));
    let options = SessionOptions { detached: DetachedHead::Allow, ..SessionOptions::default() };
    Session::begin(&repository.path(), options).unwrap();
}

#[test]
fn a_branch_that_another_worktree_has_is_refused() {
    let repository = repository();
    let other = repository.beside("other");
    repository.git(["worktree", "add", "-q", "--force", other.to_str().unwrap(), "main"]);
    let result = begin(&repository);
    assert!(matches!(result, Err(WriteError::CheckedOutElsewhere { .. })), "{result:?}");
    git_in(&other, ["checkout", "-q", "-b", "side"]);
    begin(&repository).unwrap();
}

#[test]
fn two_beckets_do_not_commit_at_once() {
    let repository = repository();
    let first = begin(&repository).unwrap();
    assert!(matches!(begin(&repository), Err(WriteError::Busy)));
    drop(first);
    begin(&repository).unwrap();
}

#[test]
fn a_linked_worktree_commits_on_its_own() {
    let repository = repository();
    let other = repository.beside("other");
    repository.git(["worktree", "add", "-q", "-b", "side", other.to_str().unwrap()]);
    fs_err::write(other.join("file.txt"), "side\n").unwrap();
    let main = repository.git(["rev-parse", "main"]);
    let session = Session::begin(&other, SessionOptions::default()).unwrap();
    let snapshot = snapshot(&other, &SnapshotOptions::default()).unwrap().snapshot;
    let request = ApplyRequest {
        snapshot: &snapshot,
        filters: Filters::All,
        commits: vec![commit("side", vec![edit("file.txt", "side\n")])],
        index: vec![edit("file.txt", "side\n")],
        payload: serde_json::Value::Null,
    };
    session.apply(&request).unwrap();
    assert_eq!(git_in(&other, ["status", "--porcelain"]), "");
    assert_eq!(git_in(&other, ["log", "-1", "--format=%s", "side"]), "side\n");
    assert_eq!(repository.git(["rev-parse", "main"]), main);
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn an_unmerged_path_is_refused_by_the_snapshot() {
    let repository = repository();
    repository.git(["checkout", "-q", "-b", "side"]);
    repository.git(["rm", "-q", "file.txt"]);
    repository.git(["commit", "-qm", "side"]);
    repository.git(["checkout", "-q", "main"]);
    repository.write("file.txt", "main\n");
    repository.commit_all("main");
    repository.try_git(["merge", "side"]);
    repository.remove(".git/MERGE_HEAD");
    let result = snapshot(&repository.path(), &SnapshotOptions::default());
    assert!(matches!(result, Err(WriteError::Unmerged { ref paths }) if paths.len() == 1), "{result:?}");
}

#[test]
fn nothing_to_commit_is_told_before_anything_is_done() {
    let repository = repository();
    let result =
        apply(&repository, vec![commit("same", vec![edit("file.txt", "one\ntwo\nthree\n")])], Vec::new());
    assert!(matches!(result, Err(WriteError::NothingToCommit { number: 1 })), "{result:?}");
    let outside = tempfile::tempdir().unwrap();
    let result = Session::begin(outside.path(), SessionOptions::default());
    assert!(matches!(result, Err(WriteError::Git(GitError::NotARepository { .. }))), "{result:?}");
}
