//! What a becket left that died while it committed: it is ended where nothing of anybody else's can be lost by it, and left
//! where it can. A hook copies the whole repository at the moment of the death.

use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_git::write::{
    ApplyRequest, Filters, Operation, Recovered, Recovery, Session, SessionOptions, SnapshotOptions,
    Unfinished, WriteError, WritePlace, recover, snapshot,
};
use serde_json::{Value, json};

use crate::repository::{Repository, git_in};
use crate::write::{apply, commit, edit, hook, partly_staged, repository};

const FOLDER: &str = ".git/becket/commit/main";
const ALL: &str = "ONE\ntwo\nTHREE\n";

/// Makes two commits, of what is staged and of the rest, and gives the repository as it was when this hook ran and the
/// branch had so many commits.
fn died(repository: &Repository, in_hook: &str, commits: usize) -> PathBuf {
    hook(repository, in_hook, "cp -a . \"../dead-$(git rev-list --count HEAD)\"");
    let planned = vec![
        commit("one", vec![edit("file.txt", "ONE\ntwo\nthree\n")]),
        commit("two", vec![edit("file.txt", ALL)]),
    ];
    apply(repository, planned, vec![edit("file.txt", ALL)]).unwrap();
    let dead = repository.beside(format!("dead-{commits}"));
    fs_err::remove_dir_all(dead.join(".git/hooks")).unwrap();
    assert!(dead.join(".git/index.lock").exists());
    dead
}

/// As a person does who wants to go on with git.
fn unlocked(dead: PathBuf) -> PathBuf {
    fs_err::remove_file(dead.join(".git/index.lock")).unwrap();
    dead
}

fn state(dir: &Path) -> [String; 3] {
    [git_in(dir, ["rev-parse", "HEAD"]), git_in(dir, ["diff", "--cached"]), git_in(dir, ["diff"])]
}

fn ended(dir: &Path) -> (Recovered, Operation) {
    match recover(dir, Duration::ZERO).unwrap() {
        Recovery::Done(recovered, operation) => (recovered, *operation),
        Recovery::Nothing => panic!("nothing was left"),
    }
}

fn assert_given_up(dir: &Path) {
    let (before, index) = (state(dir), fs_err::read(dir.join(".git/index")).unwrap());
    assert_eq!(ended(dir).0, Recovered::GivenUp);
    assert_eq!(state(dir), before);
    assert_eq!(fs_err::read(dir.join(".git/index")).unwrap(), index);
    assert_eq!(WritePlace::of(dir).unwrap().unfinished().unwrap(), None);
}

#[test]
fn what_was_made_is_taken_back_and_told() {
    for (in_hook, commits) in [("pre-commit", 1), ("post-commit", 2), ("pre-commit", 2), ("post-commit", 3)] {
        let repository = partly_staged();
        let before = state(&repository.path());
        let dead = died(&repository, in_hook, commits);
        // Who only looks sees it, and changes nothing.
        let looked = WritePlace::of(&dead).unwrap().unfinished().unwrap();
        assert!(matches!(looked, Some(Unfinished::Begun(ref begun)) if begun.number == 1), "{looked:?}");
        assert!(dead.join(".git/index.lock").exists());
        let listed = git_in(&dead, ["rev-list", "--reverse", "HEAD"]);
        let (recovered, operation) = ended(&dead);
        assert_eq!(recovered, Recovered::RolledBack);
        assert_eq!(operation.commits, listed.lines().skip(1).collect::<Vec<_>>());
        assert_eq!(state(&dead), before);
        assert!(!dead.join(".git/index.lock").exists());
        assert_eq!(WritePlace::of(&dead).unwrap().unfinished().unwrap(), None);
    }
}

/// What a person does after becket died there.
fn given_up_after(in_hook: &str, commits: usize, commands: &[&[&str]]) {
    let repository = partly_staged();
    let dead = unlocked(died(&repository, in_hook, commits));
    for command in commands {
        git_in(&dead, *command);
    }
    assert_given_up(&dead);
}

#[test]
fn a_commit_of_somebody_else_is_left_though_its_tree_is_the_planned_one() {
    given_up_after("pre-commit", 1, &[&["commit", "-qm", "mine"]]);
    given_up_after("post-commit", 2, &[&["reset", "-q", "--soft", "HEAD^"], &["commit", "-qm", "mine"]]);
    given_up_after("post-commit", 2, &[&["commit", "-qam", "the rest by hand"]]);
    given_up_after("pre-commit", 2, &[&["commit", "-qam", "the rest by hand"]]);
    given_up_after("post-commit", 2, &[&["commit", "-q", "--amend", "--only", "-m", "in other words"]]);
}

#[test]
fn a_branch_that_is_not_checked_out_any_more_is_left() {
    let away: [&[&str]; 2] = [&["branch", "other", "main^"], &["symbolic-ref", "HEAD", "refs/heads/other"]];
    given_up_after("post-commit", 2, &away);
}

#[test]
fn without_a_log_of_the_branch_only_commits_that_were_noted_are_taken_back() {
    for (in_hook, expected) in [("post-commit", Recovered::GivenUp), ("pre-commit", Recovered::RolledBack)] {
        let repository = partly_staged();
        repository.git(["config", "core.logAllRefUpdates", "false"]);
        fs_err::remove_dir_all(repository.path().join(".git/logs")).unwrap();
        assert_eq!(ended(&died(&repository, in_hook, 2)).0, expected);
    }
}

#[test]
fn what_was_pushed_meanwhile_is_finished_where_all_was_made_and_else_left() {
    for (commits, expected) in [(2, Recovered::GivenUp), (3, Recovered::Finished)] {
        let repository = partly_staged();
        let dead = died(&repository, "post-commit", commits);
        git_in(&dead, ["update-ref", "refs/remotes/origin/main", "HEAD"]);
        let tip = git_in(&dead, ["rev-parse", "HEAD"]);
        assert_eq!(ended(&dead).0, expected);
        assert_eq!(git_in(&dead, ["rev-parse", "HEAD"]), tip, "the branch stays");
        let known = WritePlace::of(&dead).unwrap().operations().unwrap();
        assert_eq!(known.len(), commits - 2, "what was finished can be undone");
    }
}

#[test]
fn during_a_merge_nothing_is_touched() {
    let repository = partly_staged();
    let dead = died(&repository, "post-commit", 2);
    let tip = git_in(&dead, ["rev-parse", "HEAD"]);
    fs_err::write(dead.join(".git/MERGE_HEAD"), &tip).unwrap();
    let result = recover(&dead, Duration::ZERO);
    assert!(matches!(result, Err(WriteError::UnderWay { .. })), "{result:?}");
    assert_eq!(git_in(&dead, ["rev-parse", "HEAD"]), tip);
    assert!(dead.join(FOLDER).join("journal.json").exists() && dead.join(".git/index.lock").exists());
    fs_err::remove_file(dead.join(".git/MERGE_HEAD")).unwrap();
    assert_eq!(ended(&dead).0, Recovered::RolledBack);
}

/// All was made, and the last steps were not: the index is still the old one. Gives the index that was to be.
fn finishing(repository: &Repository) -> Vec<u8> {
    let planned = vec![commit("one", vec![edit("file.txt", ALL)])];
    apply(repository, planned, vec![edit("file.txt", ALL)]).unwrap();
    let (folder, index) = (repository.path().join(FOLDER), repository.path().join(".git/index"));
    let after = fs_err::read(&index).unwrap();
    fs_err::write(folder.join("index-after"), &after).unwrap();
    fs_err::copy(folder.join("operations/000001.index"), &index).unwrap();
    let record = folder.join("operations/000001.json");
    let operation: Value = serde_json::from_slice(&fs_err::read(&record).unwrap()).unwrap();
    fs_err::remove_file(record).unwrap();
    let phase = json!({"phase": "finishing", "index": "replaced", "reference": "moved"});
    fs_err::write(folder.join("journal.json"), json!({"operation": operation, "phase": phase}).to_string())
        .unwrap();
    after
}

#[test]
fn the_index_is_replaced_only_if_its_entries_are_those_that_were_kept() {
    let repository = partly_staged();
    let after = finishing(&repository);
    // Other bytes and the same entries.
    repository.git(["update-index", "--index-version", "4"]);
    assert_eq!(ended(&repository.path()).0, Recovered::Finished);
    assert_eq!(fs_err::read(repository.path().join(".git/index")).unwrap(), after);

    let repository = partly_staged();
    finishing(&repository);
    repository.write("new.txt", "staged since\n");
    repository.git(["add", "new.txt"]);
    assert_given_up(&repository.path());

    let repository = partly_staged();
    finishing(&repository);
    repository.git(["update-index", "--assume-unchanged", "file.txt"]);
    assert_given_up(&repository.path());

    let repository = partly_staged();
    finishing(&repository);
    repository.git(["reset", "-q", "--soft", "HEAD^"]);
    assert_given_up(&repository.path());
}

#[test]
fn an_undo_that_was_interrupted_is_left_where_something_was_staged_since() {
    for staged in [false, true] {
        let repository = partly_staged();
        let before = repository.git(["rev-parse", "HEAD"]);
        apply(&repository, vec![commit("one", vec![edit("file.txt", ALL)])], Vec::new()).unwrap();
        let (folder, index) = (repository.path().join(FOLDER), repository.path().join(".git/index"));
        fs_err::copy(folder.join("operations/000001.index"), folder.join("index-after")).unwrap();
        fs_err::copy(&index, folder.join("operations/000002.index")).unwrap();
        let record = fs_err::read(folder.join("operations/000001.json")).unwrap();
        let mut operation: Value = serde_json::from_slice(&record).unwrap();
        operation["number"] = json!(2);
        operation["kind"] = json!({"kind": "undo", "of": 1});
        operation["head_before"] = operation["head_after"].take();
        operation["head_after"] = json!(before.trim());
        let phase = json!({"phase": "finishing", "index": "replaced", "reference": "to_move"});
        let journal = json!({"operation": operation, "phase": phase}).to_string();
        fs_err::write(folder.join("journal.json"), journal).unwrap();
        if staged {
            repository.write("new.txt", "staged since\n");
            repository.git(["add", "new.txt"]);
            assert_given_up(&repository.path());
        } else {
            assert_eq!(ended(&repository.path()).0, Recovered::Finished);
            assert_eq!(repository.git(["rev-parse", "HEAD"]), before);
        }
    }
}

#[test]
fn a_worktree_that_was_made_again_under_the_same_name_is_another_one() {
    for made_again in [false, true] {
        let repository = repository();
        let other = repository.beside("other");
        let path = other.to_str().unwrap();
        repository.git(["worktree", "add", "-q", "-b", "side", path]);
        let own = repository.path().join(".git/worktrees/other");
        let folder = repository.path().join(".git/becket/commit/worktrees/other");
        let (kept, mark) = (repository.beside("journal"), own.join("becket-commits"));
        let script = format!(
            "cp '{}' '{}' && test -e '{}'",
            folder.join("journal.json").display(),
            kept.display(),
            mark.display()
        );
        hook(&repository, "pre-commit", &script);
        let before = git_in(&other, ["rev-parse", "HEAD"]);
        apply_in(&other);
        assert!(!mark.exists());
        fs_err::copy(&kept, folder.join("journal.json")).unwrap();
        if made_again {
            repository.git(["worktree", "remove", "--force", path]);
            repository.git(["worktree", "add", "-q", path, "side"]);
            let made = git_in(&other, ["rev-parse", "HEAD"]);
            assert_eq!(ended(&other).0, Recovered::GivenUp);
            assert_eq!(git_in(&other, ["rev-parse", "HEAD"]), made);
        } else {
            fs_err::write(&mark, "").unwrap();
            assert_eq!(ended(&other).0, Recovered::RolledBack);
            assert_eq!(git_in(&other, ["rev-parse", "HEAD"]), before);
        }
    }
}

fn apply_in(worktree: &Path) {
    fs_err::write(worktree.join("file.txt"), ALL).unwrap();
    let session = Session::begin(worktree, SessionOptions::default()).unwrap();
    let snapshot = snapshot(worktree, &SnapshotOptions::default()).unwrap().snapshot;
    let request = ApplyRequest {
        snapshot: &snapshot,
        filters: Filters::All,
        commits: vec![commit("side", vec![edit("file.txt", ALL)])],
        index: vec![edit("file.txt", ALL)],
        payload: Value::Null,
    };
    session.apply(&request).unwrap();
}

#[test]
fn a_commit_that_a_hook_makes_by_itself_is_left() {
    let repository = partly_staged();
    let script = "[ -e ../once ] || { touch ../once; git commit -q --allow-empty -m theirs; }";
    hook(&repository, "post-commit", script);
    let result = apply(&repository, vec![commit("one", vec![edit("file.txt", ALL)])], Vec::new());
    assert!(matches!(result, Err(WriteError::HeadMoved { .. })), "{result:?}");
    assert_eq!(repository.git(["log", "-2", "--format=%s"]), "theirs\none\n");
    assert_eq!(WritePlace::of(&repository.path()).unwrap().unfinished().unwrap(), None);
}

#[test]
fn an_operation_that_is_under_way_is_told_from_one_that_was_interrupted() {
    let repository = partly_staged();
    let place = WritePlace::of(&died(&repository, "post-commit", 2)).unwrap();
    let lock = fs_err::File::open(place.folder().join("lock")).unwrap().into_file();
    lock.lock().unwrap();
    assert!(matches!(place.unfinished().unwrap(), Some(Unfinished::UnderWay(_))));
    drop(lock);
    assert!(matches!(place.unfinished().unwrap(), Some(Unfinished::Begun(_))));
}

#[test]
fn a_lock_that_a_dead_becket_left_is_found_without_a_journal() {
    let repository = partly_staged();
    let before = state(&repository.path());
    let other = repository.beside("other");
    repository.git(["worktree", "add", "-q", "-b", "side", other.to_str().unwrap()]);
    let common = repository.path().join(".git");
    for (lock, worktree) in [
        (common.join("index.lock"), repository.path()),
        (common.join("worktrees/other/index.lock"), other.clone()),
    ] {
        assert!(!WritePlace::has_unfinished(&common));
        fs_err::write(&lock, "becket is committing\n").unwrap();
        assert!(WritePlace::has_unfinished(&common), "{}", lock.display());
        assert_eq!(recover(worktree.as_path(), Duration::ZERO).unwrap(), Recovery::Nothing);
        assert!(!lock.exists());
        // One of Git's own is left to its owner.
        fs_err::write(&lock, "DIRC").unwrap();
        assert!(!WritePlace::has_unfinished(&common));
        recover(worktree.as_path(), Duration::ZERO).unwrap();
        assert!(lock.exists());
        fs_err::remove_file(&lock).unwrap();
    }
    assert_eq!(state(&repository.path()), before);
}
