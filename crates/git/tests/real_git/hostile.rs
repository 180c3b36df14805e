//! A repository whose own configuration names commands: none of them may run.

use std::path::{Path, PathBuf};

use becket_git::{head, locate, worktrees};

use crate::repository::Repository;

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
        repository.git([Path::new("config"), Path::new("core.hooksPath"), &hooks]);
        let program = repository.beside("program");
        executable(&program, &command);
        let script = program.to_str().unwrap();
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
            "filter.trap.clean",
            "filter.trap.smudge",
            "filter.tr=ap.process",
            "alias.status",
            "alias.rev-parse",
        ] {
            let value = if key.starts_with("alias") { format!("!{script}") } else { script.to_owned() };
            repository.git(["config", key, &value]);
        }
        repository.git(["config", "log.showSignature", "true"]);
        repository.git(["config", "core.fsmonitorHookVersion", "2"]);
        repository.write(".git/info/attributes", "*.txt diff=trap filter=trap\n*.bin filter=tr=ap\n");
        Self { repository, sprung }
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
