//! Conflicts of every kind, and merges under way.

use std::collections::BTreeMap;

use becket_git::{ChangeKind, ConflictKind, FileKind, Operation, StatusOptions, repo_status};

use crate::changes::{changes, summary};
use crate::repository::{Repository, numbered};

/// A merge that stopped at each kind of conflict.
fn conflicted() -> Repository {
    let repository = Repository::new();
    let base = numbered("#", 1..9);
    for path in ["both modified", "deleted by us", "deleted by them", "renamed apart"] {
        repository.write(path, base.clone() + path);
    }
    repository.commit_all("base");
    repository.git(["switch", "--quiet", "--create", "side"]);
    repository.write("both modified", "theirs\n");
    repository.write("deleted by us", "theirs\n");
    repository.git(["rm", "--quiet", "deleted by them"]);
    repository.write("both added", "theirs\n");
    repository.write("picture", b"\0theirs");
    repository.git(["mv", "renamed apart", "their name"]);
    repository.commit_all("side");
    repository.git(["switch", "--quiet", "main"]);
    repository.write("both modified", "ours\n");
    repository.git(["rm", "--quiet", "deleted by us"]);
    repository.write("deleted by them", "ours\n");
    repository.write("both added", "ours\n");
    repository.write("picture", b"\0ours");
    repository.git(["mv", "renamed apart", "our name"]);
    repository.commit_all("main");
    assert!(!repository.try_git(["merge", "side"]).status.success());
    repository
}

#[test]
fn every_kind_is_told_and_nothing_else_is_lost() {
    let repository = conflicted();
    repository.write("untracked", "u\n");
    let changes = changes(&repository);
    let kinds: BTreeMap<String, ConflictKind> = changes
        .iter()
        .filter_map(|change| Some((change.path.to_string(), change.conflict.as_ref()?.kind)))
        .collect();
    let expected = [
        ("both added", ConflictKind::BothAdded),
        ("both modified", ConflictKind::BothModified),
        ("deleted by them", ConflictKind::DeletedByThem),
        ("deleted by us", ConflictKind::DeletedByUs),
        ("our name", ConflictKind::AddedByUs),
        ("picture", ConflictKind::BothAdded),
        ("renamed apart", ConflictKind::BothDeleted),
        ("their name", ConflictKind::AddedByThem),
    ];
    assert_eq!(kinds, expected.map(|(path, kind)| (path.to_owned(), kind)).into_iter().collect());
    assert_eq!(summary(&changes).last().unwrap(), &("untracked".to_owned(), ChangeKind::Untracked));
    let find = |path: &str| changes.iter().find(|change| change.path.as_bytes() == path.as_bytes()).unwrap();
    let combined = find("both modified").conflict.as_ref().unwrap().combined.as_ref().unwrap();
    let lines: Vec<_> =
        combined.hunks[0].raw_lines().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    assert_eq!(lines, ["++<<<<<<< HEAD", " +ours", "++=======", "+ theirs", "++>>>>>>> side"]);
    assert_eq!(find("picture").file_kind(), FileKind::Binary);
    assert_eq!(find("untracked").hunks().count(), 1);

    let status = repo_status(&repository.path(), &StatusOptions::default()).unwrap();
    let from_status: BTreeMap<String, ConflictKind> =
        status.conflicts.iter().map(|(path, kind)| (path.to_string(), *kind)).collect();
    assert_eq!(from_status, kinds);
    assert_eq!(status.operations, [Operation::Merge]);
}

#[test]
fn a_merge_without_conflicts_is_still_a_merge() {
    let repository = Repository::with_commit();
    repository.git(["switch", "--quiet", "--create", "side"]);
    repository.write("side", "s\n");
    repository.commit_all("side");
    repository.git(["switch", "--quiet", "main"]);
    repository.write("main", "m\n");
    repository.commit_all("main");
    repository.git(["merge", "--no-commit", "side"]);
    let status = repo_status(&repository.path(), &StatusOptions::default()).unwrap();
    assert_eq!(
        (status.operations, status.conflicts_count, status.staged_count),
        (vec![Operation::Merge], 0, 1)
    );
    assert_eq!(summary(&changes(&repository)), [("side".to_owned(), ChangeKind::Added)]);
}

#[test]
fn rebase_cherry_pick_revert_bisect_and_mailbox() {
    let operations = |repository: &Repository| {
        repo_status(&repository.path(), &StatusOptions::default()).unwrap().operations
    };
    let start_in = |repository: Repository| {
        repository.write("file.txt", "one\n");
        repository.commit_all("first");
        repository.git(["switch", "--quiet", "--create", "side"]);
        repository.write("file.txt", "side\n");
        repository.commit_all("side");
        repository.git(["switch", "--quiet", "main"]);
        repository.write("file.txt", "main\n");
        repository.commit_all("main");
        assert_eq!(operations(&repository), []);
        repository
    };
    let start = || start_in(Repository::new());
    let repository = start();
    repository.try_git(["rebase", "side"]);
    assert_eq!(operations(&repository), [Operation::Rebase]);
    let repository = start();
    repository.try_git(["cherry-pick", "side"]);
    assert_eq!(operations(&repository), [Operation::CherryPick]);
    let repository = start_in(Repository::initialised("work", &["--ref-format=reftable"]));
    repository.try_git(["cherry-pick", "side"]);
    assert_eq!(operations(&repository), [Operation::CherryPick]);
    let repository = start();
    repository.write("file.txt", "later\n");
    repository.commit_all("later");
    repository.try_git(["revert", "--no-edit", "HEAD~1"]);
    assert_eq!(operations(&repository), [Operation::Revert]);
    let repository = start();
    repository.git(["bisect", "start"]);
    assert_eq!(operations(&repository), [Operation::Bisect]);
    let repository = start();
    let patch = repository.git(["format-patch", "--stdout", "side~1..side"]);
    let mailbox = repository.beside("mailbox");
    fs_err::write(&mailbox, patch).unwrap();
    repository.try_git([std::path::Path::new("am"), &mailbox]);
    assert_eq!(operations(&repository), [Operation::ApplyMailbox]);
}
