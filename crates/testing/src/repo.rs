//! A real repository, made by the real `git`, in a hermetic home.
//!
//! Owns the few steps that many tests share. What a test is about, it does with `git` itself.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::TestHome;

/// Every commit is made at this moment, so that its id depends on nothing but its content.
const COMMIT_DATE: &str = "2026-01-02T03:04:05Z";

/// A repository with a working tree on branch `main`.
#[derive(Debug, Clone)]
pub struct TestRepo {
    home: TestHome,
    root: PathBuf,
}

impl TestRepo {
    /// An empty repository in a home of its own.
    pub fn new() -> Self {
        Self::new_in(&TestHome::new(), "repo")
    }

    /// An empty repository beside others; `name` is its directory under the home's root.
    pub fn new_in(home: &TestHome, name: impl AsRef<Path>) -> Self {
        let root = home.root().join(name);
        fs::create_dir_all(&root).expect("a directory for the repository");
        let repo = Self { home: home.clone(), root };
        repo.git(["init", "--quiet", "--initial-branch=main"]);
        repo
    }

    pub fn home(&self) -> &TestHome {
        &self.home
    }

    /// The top of the working tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A program that starts at the top of this working tree.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.home.command(program);
        command.current_dir(&self.root);
        command
    }

    /// Writes a file, with the directories above it.
    pub fn write(&self, relative: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("the directories above a file");
        }
        fs::write(&path, contents).unwrap_or_else(|error| panic!("writing {}: {error}", path.display()));
        path
    }

    pub fn read(&self, relative: impl AsRef<Path>) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("reading {}: {error}", path.display()))
    }

    pub fn remove(&self, relative: impl AsRef<Path>) {
        let path = self.path(relative);
        fs::remove_file(&path).unwrap_or_else(|error| panic!("removing {}: {error}", path.display()));
    }

    /// Commits the whole working tree, changed or not, and returns the new commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "--no-verify", "-m", message]);
        self.head()
    }

    pub fn head(&self) -> String {
        self.git(["rev-parse", "HEAD"])
    }

    /// A linked worktree on a new branch of the same name, beside the repository.
    pub fn worktree(&self, branch: &str) -> Self {
        let name =
            format!("{}-{}", self.root.file_name().unwrap_or_default().display(), branch.replace('/', "-"));
        let root = self.root.with_file_name(name);
        self.git([
            OsStr::new("worktree"),
            "add".as_ref(),
            "--quiet".as_ref(),
            "-b".as_ref(),
            branch.as_ref(),
            root.as_ref(),
        ]);
        Self { home: self.home.clone(), root }
    }

    /// Adds another repository as a submodule, uncommitted, and gives its checkout.
    pub fn submodule(&self, relative: &str, other: &Self) -> Self {
        self.git([
            OsStr::new("submodule"),
            "add".as_ref(),
            "--quiet".as_ref(),
            other.root.as_ref(),
            relative.as_ref(),
        ]);
        Self { home: self.home.clone(), root: self.path(relative) }
    }

    /// A bare clone beside the repository.
    pub fn bare_clone(&self) -> Self {
        let name = format!("{}.git", self.root.file_name().unwrap_or_default().display());
        let root = self.root.with_file_name(name);
        self.git([
            OsStr::new("clone"),
            "--quiet".as_ref(),
            "--bare".as_ref(),
            self.root.as_ref(),
            root.as_ref(),
        ]);
        Self { home: self.home.clone(), root }
    }

    /// Runs `git` at the top of the tree; its output without the last line end.
    pub fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        let arguments: Vec<A> = arguments.into_iter().collect();
        let output = self.try_git(&arguments);
        let shown: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {}: {}\n{stderr}", shown.join(" "), output.status);
        let text = String::from_utf8_lossy(&output.stdout);
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }

    /// Runs `git` and leaves the judgement to the caller.
    pub fn try_git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Output {
        self.command("git")
            .env("GIT_AUTHOR_DATE", COMMIT_DATE)
            .env("GIT_COMMITTER_DATE", COMMIT_DATE)
            .args(arguments)
            .output()
            .expect("git can be started")
    }
}

impl Default for TestRepo {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_gives_the_same_commit_everywhere() {
        let commit = || {
            let repo = TestRepo::new();
            repo.write("src/ä b.ts", "export {};\n");
            repo.commit("first")
        };
        assert_eq!(commit(), commit());
    }

    #[test]
    fn worktrees_submodules_and_bare_clones_are_real() {
        let repo = TestRepo::new();
        repo.write("a.txt", "a\n");
        let first = repo.commit("first");

        let worktree = repo.worktree("feature/x");
        assert_eq!(worktree.git(["branch", "--show-current"]), "feature/x");
        assert_eq!(worktree.head(), first);

        let library = TestRepo::new_in(repo.home(), "library");
        library.write("lib.txt", "l\n");
        library.commit("library");
        let submodule = repo.submodule("vendor/library", &library);
        assert_eq!(submodule.read("lib.txt"), "l\n");
        assert!(submodule.path(".git").is_file());

        let bare = repo.bare_clone();
        assert_eq!(bare.git(["rev-parse", "--is-bare-repository"]), "true");
        assert_eq!(bare.head(), first);

        repo.remove("a.txt");
        assert!(!repo.try_git(["diff", "--quiet"]).status.success());
    }
}
