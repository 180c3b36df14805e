//! A repository whose own configuration names commands: none of them may run.

use std::path::{Path, PathBuf};

use becket_git::write::{SnapshotOptions, snapshot};
use becket_git::{
    BlameOptions, ChangesOptions, CompareOptions, Git, LogOptions, Notice, ShowOptions, StatusOptions, blame,
    diff_between_refs, head, list_changes, locate, log, repo_status, show_commit, worktrees,
};

use crate::repository::{Repository, git_in};

/// A repository in which every setting that can name a command names one that leaves a file behind.
pub(crate) struct Trap {
    pub(crate) repository: Repository,
    sprung: PathBuf,
}

impl Trap {
    pub(crate) fn set(repository: Repository) -> Self {
        let sprung = repository.beside("sprung");
        let command = format!("touch '{}'", sprung.display());
        let hooks = repository.beside("hooks");
        fs_err::create_dir_all(&hooks).unwrap();
        for hook in
            ["post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction", "fsmonitor"]
        {
            executable(&hooks.join(hook), &command);
        }
        executable(&repository.beside("program"), &command);
        let trap = Self { repository, sprung };
        trap.arm(&trap.repository.path(), &trap.repository.path().join(".git"), "trap");
        trap
    }

    /// Puts the settings into the configuration of the repository in `dir`, with a filter of that name.
    fn arm(&self, dir: &Path, git_dir: &Path, filter: &str) {
        let script = self.repository.beside("program").to_str().unwrap().to_owned();
        git_in(dir, ["config", "core.hooksPath", self.repository.beside("hooks").to_str().unwrap()]);
        for key in [
            "core.fsmonitor",
            "core.pager",
            "pager.diff",
            "pager.log",
            "core.editor",
            "core.askPass",
            "core.sshCommand",
            "credential.helper",
            "gpg.program",
            "diff.external",
            "diff.trap.command",
            "diff.trap.textconv",
            &format!("filter.{filter}.clean"),
            &format!("filter.{filter}.smudge"),
            "filter.tr=ap.process",
            "alias.status",
            "alias.rev-parse",
        ] {
            let value = if key.starts_with("alias") { format!("!{script}") } else { script.clone() };
            git_in(dir, ["config", key, &value]);
        }
        git_in(dir, ["config", "log.showSignature", "true"]);
        git_in(dir, ["config", "core.fsmonitorHookVersion", "2"]);
        fs_err::create_dir_all(git_dir.join("info")).unwrap();
        let attributes = format!("*.txt diff=trap filter={filter}\n*.bin filter=tr=ap\n");
        fs_err::write(git_dir.join("info/attributes"), attributes).unwrap();
    }

    pub(crate) fn assert_not_sprung(&self, after: &str) {
        assert!(!self.sprung.exists(), "{after} ran a command of the repository's configuration");
    }
}

#[test]
fn the_trap_works_on_a_git_that_is_not_hardened() {
    let trap = Trap::set(Repository::with_commit());
    trap.repository.write("file.txt", "changed\n");
    trap.repository.try_git(["status"]);
    assert!(trap.sprung.exists());
}

#[test]
fn nothing_runs_when_a_repository_is_looked_at() {
    let trap = Trap::set(Repository::with_commit());
    let path = trap.repository.path();
    let location = locate(&path).unwrap().unwrap();
    trap.assert_not_sprung("locate");
    worktrees(&location).unwrap();
    trap.assert_not_sprung("worktrees");
    head(&path).unwrap();
    trap.assert_not_sprung("head");
}

#[test]
fn nothing_runs_when_changes_are_listed() {
    let repository = Repository::with_commit();
    repository.write("data.bin", "one\n");
    repository.commit_all("second");
    let trap = Trap::set(repository);
    let path = trap.repository.path();
    trap.repository.write("file.txt", "changed\n");
    trap.repository.write("data.bin", "changed\n");
    trap.repository.write("new.txt", "new\n");
    let list = list_changes(&path, &ChangesOptions::default()).unwrap();
    trap.assert_not_sprung("list_changes");
    assert_eq!(list.changes.len(), 3);
    assert_eq!(list.notices, [Notice::FiltersNotRun { names: vec!["tr=ap".into(), "trap".into()] }]);
    repo_status(&path, &StatusOptions::default()).unwrap();
    trap.assert_not_sprung("repo_status");
    log(&path, &LogOptions::default()).unwrap();
    trap.assert_not_sprung("log");
    show_commit(&path, "HEAD", &ShowOptions::default()).unwrap();
    trap.assert_not_sprung("show_commit");
    diff_between_refs(&path, "HEAD~1", "HEAD", &CompareOptions::default()).unwrap();
    trap.assert_not_sprung("diff_between_refs");
    blame(&path, &"file.txt".into(), &BlameOptions::default()).unwrap();
    trap.assert_not_sprung("blame");
}

#[test]
fn nothing_runs_in_a_submodule_or_through_one() {
    let library = Repository::with_commit();
    let repository = Repository::with_commit();
    repository.git([Path::new("submodule"), Path::new("add"), &library.path(), Path::new("lib")]);
    repository.commit_all("submodule");
    let inside = repository.path().join("lib");
    // Of the same size, so that only its content can tell that it changed.
    fs_err::write(inside.join("file.txt"), "one\ntwo\nTHREE\n").unwrap();
    let trap = Trap::set(repository);
    trap.arm(&inside, &trap.repository.path().join(".git/modules/lib"), "inside");
    // It asks to be looked into.
    trap.repository.git(["config", "submodule.lib.ignore", "none"]);
    let path = trap.repository.path();
    list_changes(&path, &ChangesOptions::default()).unwrap();
    repo_status(&path, &StatusOptions::default()).unwrap();
    trap.assert_not_sprung("looking at a superproject");
    trap.repository.write("new.md", "untracked\n");
    list_changes(&path, &ChangesOptions::default()).unwrap();
    trap.assert_not_sprung("looking at untracked files");
    let taken = snapshot(&path, &SnapshotOptions::default()).unwrap().snapshot;
    trap.assert_not_sprung("a snapshot");
    assert_eq!(taken.changes.iter().map(|change| change.path.to_string()).collect::<Vec<_>>(), ["new.md"]);
}

#[test]
fn a_submodule_that_moved_went_or_became_a_file_is_in_the_snapshot_as_git_adds_it() {
    let library = Repository::with_commit();
    let repository = Repository::with_commit();
    for name in ["gone", "moved", "replaced", "same", "unborn"] {
        repository.git([Path::new("submodule"), Path::new("add"), &library.path(), Path::new(name)]);
    }
    repository.commit_all("submodules");
    let path = repository.path();
    git_in(&path.join("moved"), ["commit", "-q", "--allow-empty", "-m", "more"]);
    git_in(&path.join("unborn"), ["checkout", "-q", "--orphan", "nothing"]);
    fs_err::remove_dir_all(path.join("gone")).unwrap();
    fs_err::remove_dir_all(path.join("replaced")).unwrap();
    repository.write("replaced", "a file\n");
    let trees = snapshot(&path, &SnapshotOptions::default()).unwrap().snapshot.trees;
    // It says that one has no commit, and adds the others.
    repository.try_git(["add", "--all", "--ignore-errors"]);
    assert_eq!(repository.git(["write-tree"]).trim(), trees.worktree);
    assert_ne!(trees.worktree, trees.index);
}

#[test]
fn a_submodule_without_a_repository_of_its_own_is_not_taken_for_the_one_around_it() {
    let library = Repository::with_commit();
    let repository = Repository::with_commit();
    repository.git([Path::new("submodule"), Path::new("add"), &library.path(), Path::new("lib")]);
    repository.commit_all("submodule");
    fs_err::remove_file(repository.path().join("lib/.git")).unwrap();
    fs_err::create_dir(repository.path().join("lib/.git")).unwrap();
    let trees = snapshot(&repository.path(), &SnapshotOptions::default()).unwrap().snapshot.trees;
    assert_eq!(trees.worktree, trees.index);
}

#[test]
fn the_user_s_own_filter_is_run() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.txt filter=case\n");
    repository.write("x.txt", "abc\n");
    repository.commit_all("first");
    repository.git(["config", "filter.case.clean", "false"]);
    repository.write("x.txt", "abcd\n");
    let global = repository.beside("global");
    fs_err::write(&global, "[filter \"case\"]\n\tclean = tr a-z A-Z\n").unwrap();
    let git = Git::at(repository.path()).with_variable("GIT_CONFIG_GLOBAL", global);
    let list = list_changes(&git, &ChangesOptions::default()).unwrap();
    assert_eq!(list.notices, []);
    let lines: Vec<_> = list.changes[0].hunks().flat_map(becket_diff::Hunk::raw_lines).collect();
    assert_eq!(lines, [&b"-abc"[..], b"+ABCD"]);
}

fn executable(path: &Path, command: &str) {
    fs_err::write(path, format!("#!/bin/sh\n{command}\nexit 1\n")).unwrap();
    make_executable(path);
}

#[cfg(unix)]
pub(crate) fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Git for Windows runs what begins with `#!`.
#[cfg(not(unix))]
pub(crate) fn make_executable(_path: &Path) {}
