//! A throw-away repository, made with git itself and with nothing of the user's configuration.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) struct Repository {
    /// Holds the worktree and all that a test puts beside it.
    root: tempfile::TempDir,
    name: PathBuf,
}

impl Repository {
    /// An empty repository on branch `main`.
    pub(crate) fn new() -> Self {
        Self::named("work")
    }

    pub(crate) fn named(name: impl Into<PathBuf>) -> Self {
        Self::initialised(name, &[])
    }

    /// A repository in another format than the usual one.
    pub(crate) fn initialised(name: impl Into<PathBuf>, options: &[&str]) -> Self {
        let repository = Self { root: tempfile::tempdir().unwrap(), name: name.into() };
        fs_err::create_dir_all(repository.path()).unwrap();
        repository.git(["init", "--quiet", "--initial-branch=main"].iter().chain(options));
        repository
    }

    /// A repository with one commit of `file.txt`.
    pub(crate) fn with_commit() -> Self {
        let repository = Self::new();
        repository.write("file.txt", "one\ntwo\nthree\n");
        repository.commit_all("first");
        repository
    }

    /// The canonical root of the worktree.
    pub(crate) fn path(&self) -> PathBuf {
        self.beside(&self.name)
    }

    /// A canonical path in the folder that holds the worktree.
    pub(crate) fn beside(&self, name: impl AsRef<Path>) -> PathBuf {
        fs_err::canonicalize(self.root.path()).unwrap().join(name)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, content).unwrap();
        path
    }

    pub(crate) fn remove(&self, path: impl AsRef<Path>) {
        fs_err::remove_file(self.path().join(path)).unwrap();
    }

    pub(crate) fn commit_all(&self, message: &str) -> String {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Runs git in the worktree; it must succeed. Gives what it printed.
    pub(crate) fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        git_in(&self.path(), arguments)
    }

    pub(crate) fn try_git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Output {
        command(&self.path(), arguments).output().unwrap()
    }
}

/// Lines that differ in their numbers only.
pub(crate) fn numbered(line: &str, numbers: std::ops::Range<usize>) -> String {
    numbers.map(|number| line.replace('#', &number.to_string()) + "\n").collect()
}

/// What is in a folder, to tell that nothing in it was touched.
pub(crate) fn snapshot(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                files.push((entry.path(), fs_err::read(entry.path()).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[cfg(unix)]
pub(crate) fn symlink(target: &str, link: &Path) {
    std::os::unix::fs::symlink(target, link).unwrap();
}

/// A file link, since all targets in these tests are files.
#[cfg(not(unix))]
pub(crate) fn symlink(target: &str, link: &Path) {
    std::os::windows::fs::symlink_file(target, link).unwrap();
}

pub(crate) fn git_in<A: AsRef<OsStr>>(dir: &Path, arguments: impl IntoIterator<Item = A>) -> String {
    let output = command(dir, arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn command<A: AsRef<OsStr>>(dir: &Path, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir).args(["-c", "protocol.file.allow=always"]).args(arguments);
    for person in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{person}_NAME"), "Ada")
            .env(format!("GIT_{person}_EMAIL"), "ada@example.org");
        command.env(format!("GIT_{person}_DATE"), "2024-05-06T07:08:09+02:00");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}
