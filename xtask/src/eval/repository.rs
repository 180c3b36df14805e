//! The clone that tangles are made from. It is only read: what a cherry-pick writes goes to an object folder of its own.

#![allow(clippy::disallowed_methods, reason = "it runs git on the clone that it is told to read")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use becket_diff::{Entry, FileChange, FilePath};

use super::EvalError;

#[derive(Debug)]
pub(super) struct Repository {
    path: PathBuf,
    objects: PathBuf,
    scratch: tempfile::TempDir,
}

/// A commit with one parent, and what it changed.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) author: String,
    /// Seconds of the author's clock.
    pub(super) time: i64,
    pub(super) subject: String,
    pub(super) paths: Vec<FilePath>,
    /// None where a blob is missing or the patch is too large to learn from.
    pub(super) patch: Option<Vec<FileChange>>,
}

/// More than any commit of one intent has.
const LARGEST_PATCH: usize = 400 << 10;

impl Repository {
    pub(super) fn open(path: &Path) -> Result<Self, EvalError> {
        let scratch = tempfile::tempdir()
            .map_err(|source| EvalError::Start { command: "tempdir".to_owned(), source })?;
        let mut repository = Self { path: path.to_path_buf(), objects: PathBuf::new(), scratch };
        let output = repository.git(&["rev-parse", "--path-format=absolute", "--git-path", "objects"])?;
        repository.objects = PathBuf::from(text(&output));
        Ok(repository)
    }

    /// The last part of the path that says something.
    pub(super) fn name(&self) -> String {
        let names: Vec<String> =
            self.path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let plain = |name: &&String| !["repo", ".git", ".", ".."].contains(&name.as_str());
        let name = names.iter().rev().find(plain).cloned().unwrap_or_default();
        name.rsplit('+').next().unwrap_or_default().trim_end_matches(".git").to_owned()
    }

    /// All commits that are no merges, oldest first.
    pub(super) fn commits(&self, cache: Option<&Path>) -> Result<Vec<Commit>, EvalError> {
        let log = self.git(&[
            "log",
            "--no-merges",
            "--date-order",
            "--reverse",
            "-z",
            "--format=%H%x01%P%x01%ae%x01%at%x01%s",
        ])?;
        let mut commits: Vec<Commit> = log
            .split(|byte| *byte == 0)
            .filter_map(|record| {
                let record = String::from_utf8_lossy(record);
                let fields: Vec<&str> = record.splitn(5, '\u{1}').collect();
                let [id, parents, author, time, subject] = fields.as_slice() else { return None };
                Some(Commit {
                    id: (*id).to_owned(),
                    parent: parents.split(' ').next().filter(|parent| !parent.is_empty()).map(str::to_owned),
                    author: (*author).to_owned(),
                    time: time.parse().unwrap_or_default(),
                    subject: (*subject).to_owned(),
                    paths: Vec::new(),
                    patch: None,
                })
            })
            .collect();
        let kept = cache.map(|folder| folder.join(format!("{}.patches", self.name())));
        let known = kept.as_ref().and_then(|file| std::fs::read(file).ok());
        let patches = if let Some(patches) = known {
            patches
        } else {
            let patches = self.patches(&commits)?;
            if let Some(file) = &kept {
                std::fs::write(file, &patches)
                    .map_err(|source| EvalError::Write { path: file.clone(), source })?;
            }
            patches
        };
        take_patches(&mut commits, &patches);
        Ok(commits)
    }

    /// Ids of the first-parent line, newest first.
    pub(super) fn first_parents(&self) -> Result<Vec<String>, EvalError> {
        Ok(text(&self.git(&["rev-list", "--first-parent", "HEAD"])?).lines().map(str::to_owned).collect())
    }

    /// The tree after `commit` is picked onto `tree`; nothing when they conflict.
    pub(super) fn pick(&self, tree: &str, commit: &Commit) -> Result<Option<String>, EvalError> {
        let Some(parent) = &commit.parent else { return Ok(None) };
        let base = format!("--merge-base={parent}");
        let output = self.run(&["merge-tree", "--write-tree", "--no-messages", &base, tree, &commit.id])?;
        Ok(output.map(|output| text(&output).trim().to_owned()))
    }

    pub(super) fn tree(&self, commit: &str) -> Result<Option<String>, EvalError> {
        let output = self.run(&["rev-parse", "--verify", "--quiet", &format!("{commit}^{{tree}}")])?;
        Ok(output.map(|output| text(&output).trim().to_owned()))
    }

    /// The patch between two trees; nothing when a blob is missing.
    pub(super) fn diff(&self, from: &str, to: &str, context: u32) -> Result<Option<Vec<u8>>, EvalError> {
        let context = format!("--unified={context}");
        self.run(&[
            "diff-tree",
            "-r",
            "-p",
            "--full-index",
            "--histogram",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            &context,
            from,
            to,
        ])
    }

    /// Patches of all commits, each behind a line with its id. A missing blob ends git, so it is begun again behind it.
    fn patches(&self, commits: &[Commit]) -> Result<Vec<u8>, EvalError> {
        let mut all = Vec::new();
        let mut next = 0;
        while next < commits.len() {
            let input: String =
                commits[next..].iter().flat_map(|commit| [commit.id.as_str(), "\n"]).collect();
            let mut command = self.command(&[
                "diff-tree",
                "--stdin",
                "-r",
                "--root",
                "-p",
                "--full-index",
                "--histogram",
                "--no-renames",
                "--no-ext-diff",
                "--no-textconv",
                "--unified=0",
            ]);
            let failed = |source| EvalError::Start { command: "git diff-tree".to_owned(), source };
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .map_err(failed)?;
            let mut stdin = child.stdin.take();
            let writer = std::thread::spawn(move || {
                if let Some(stdin) = &mut stdin {
                    let _ = stdin.write_all(input.as_bytes());
                }
            });
            let mut seen = 0;
            let mut size = 0;
            if let Some(stdout) = child.stdout.take() {
                let mut reader = BufReader::new(stdout);
                let mut line = Vec::new();
                while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
                    if is_id(&line) {
                        let at = commits[next..]
                            .iter()
                            .position(|commit| commit.id.as_bytes() == line.trim_ascii());
                        seen = at.map_or(seen, |at| at + 1);
                        size = 0;
                    }
                    size += line.len();
                    if size <= LARGEST_PATCH * 2 {
                        all.extend_from_slice(&line);
                    }
                    line.clear();
                }
            }
            let _ = writer.join();
            let done = child.wait().map_err(failed)?.success();
            next = if done { commits.len() } else { next + seen.max(1) };
        }
        Ok(all)
    }

    fn git(&self, arguments: &[&str]) -> Result<Vec<u8>, EvalError> {
        self.run(arguments)?
            .ok_or_else(|| EvalError::Git { command: arguments.join(" "), path: self.path.clone() })
    }

    /// Nothing when git says no.
    fn run(&self, arguments: &[&str]) -> Result<Option<Vec<u8>>, EvalError> {
        let output = self.command(arguments).stdin(Stdio::null()).output();
        let output =
            output.map_err(|source| EvalError::Start { command: format!("git {}", arguments[0]), source })?;
        Ok(output.status.success().then_some(output.stdout))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.path).args([
            "-c",
            "core.quotePath=false",
            "-c",
            "diff.noprefix=false",
            "-c",
            "diff.mnemonicPrefix=false",
        ]);
        command
            .args(arguments)
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_NO_LAZY_FETCH", "1");
        if !self.objects.as_os_str().is_empty() {
            command
                .env("GIT_OBJECT_DIRECTORY", self.scratch.path())
                .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.objects);
        }
        command
    }
}

pub(super) fn files(patch: &[u8]) -> Option<Vec<FileChange>> {
    let entries = becket_diff::parse(patch).ok()?;
    entries
        .into_iter()
        .map(|entry| match entry {
            Entry::File(file) => Some(file),
            Entry::Combined(_) | Entry::Unmerged(_) => None,
        })
        .collect()
}

fn take_patches(commits: &mut [Commit], patches: &[u8]) {
    let mut places: std::collections::HashMap<Vec<u8>, usize> = std::collections::HashMap::new();
    for (place, commit) in commits.iter().enumerate() {
        places.insert(commit.id.clone().into_bytes(), place);
    }
    let mut current: Option<usize> = None;
    let mut begin = 0;
    let mut position = 0;
    for line in patches.split_inclusive(|byte| *byte == b'\n').chain([&b""[..]]) {
        if is_id(line) || line.is_empty() {
            if let Some(commit) = current.map(|place| &mut commits[place]) {
                let chunk = &patches[begin..position];
                let patch = (chunk.len() <= LARGEST_PATCH).then(|| files(chunk)).flatten();
                commit.paths = patch.iter().flatten().filter_map(|file| file.path().cloned()).collect();
                commit.patch = patch;
            }
            current = places.get(line.trim_ascii()).copied();
            begin = position + line.len();
        }
        position += line.len();
    }
}

fn is_id(line: &[u8]) -> bool {
    line.len() == 41 && line[..40].iter().all(u8::is_ascii_hexdigit)
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim_end().to_owned()
}
