//! Where a line or a file comes from: the commit that introduced it, what it looked like then, what touched it since,
//! where it went. Paths are relative to a folder of the worktree, which is asked for once.

mod lines;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    error::GitError,
    process::Git,
    read::{text, unexpected},
};

pub use lines::LineOrigin;

/// Questions about the past of one folder.
#[derive(Debug, Clone)]
pub struct Provenance {
    git: Git,
    /// From the root of the worktree to the folder, with a final slash; empty for the root.
    prefix: String,
}

/// A commit as far as a reader of its effects needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub commit: String,
    pub author: String,
    /// Seconds since 1970.
    pub at: i64,
    pub subject: String,
}

/// What history says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePast {
    /// The commit that brought it, the oldest if several did.
    pub introduced: Cause,
    /// The contents that commits brought it with, as blob ids, oldest first: more than one when branches did so apart.
    pub added: Vec<String>,
    /// Commits that changed it afterwards, oldest first.
    pub altered: Vec<Cause>,
}

/// A commit that touched a file, and the path the file had in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub cause: Cause,
    pub path: String,
}

/// The commit that took a file away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    pub cause: Cause,
    pub renamed_to: Option<String>,
}

/// The two sides of a file that a merge could not join, as blob ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unmerged {
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

const FORMAT: &str = "--format=%x01%H%x1f%at%x1f%an%x1f%s";
/// Of branches; the most recently committed to come first.
const MOST_BRANCHES: usize = 200;
const MOST_TOUCHES: usize = 500;

impl Provenance {
    /// `prefix` leads from the root of the worktree to `git`'s directory, with forward slashes.
    pub fn new(git: impl Into<Git>, prefix: &str) -> Self {
        let prefix =
            if prefix.is_empty() || prefix.ends_with('/') { prefix.to_owned() } else { format!("{prefix}/") };
        Self { git: git.into(), prefix }
    }

    /// The past of every file in a folder, as the commits of `HEAD` tell it.
    pub fn files(&self, folder: &str) -> Result<BTreeMap<String, FilePast>, GitError> {
        let log = self.git.command("log").options([
            "--raw",
            "--no-abbrev",
            "-z",
            "--no-renames",
            "--diff-filter=AM",
            FORMAT,
        ]);
        let output = match log.path(folder).output() {
            Err(error) if is_refusal(&error) && self.is_unborn()? => return Ok(BTreeMap::new()),
            output => output?,
        };
        let mut files: BTreeMap<String, FilePast> = BTreeMap::new();
        let mut altered: BTreeMap<String, Vec<Cause>> = BTreeMap::new();
        // Oldest first, so that the first that brings a file is the one that introduced it.
        for record in records(&output)?.into_iter().rev() {
            for [status, path] in pairs(&record.fields) {
                let Some(path) = self.relative(path) else { continue };
                let (kind, blob) = (
                    status.rsplit(' ').next().unwrap_or(""),
                    status.split(' ').nth(3).unwrap_or("").to_owned(),
                );
                match files.get_mut(&path) {
                    Some(past) if kind == "A" => past.added.push(blob),
                    None if kind == "A" => {
                        let introduced = record.cause.clone();
                        files.insert(path, FilePast { introduced, added: vec![blob], altered: Vec::new() });
                    }
                    _ => altered.entry(path).or_default().push(record.cause.clone()),
                }
            }
        }
        for (path, causes) in altered {
            if let Some(past) = files.get_mut(&path) {
                past.altered = causes;
            }
        }
        Ok(files)
    }

    /// Files of a folder that differ from `HEAD` in the working tree.
    pub fn modified(&self, folder: &str) -> Result<BTreeSet<String>, GitError> {
        let diff =
            self.git.command("diff").options(["--name-only", "-z", "--no-ext-diff", "--no-renames", "HEAD"]);
        match diff.path(folder).output() {
            Ok(output) => Ok(self.names(&output)),
            Err(error) if is_refusal(&error) => Ok(BTreeSet::new()),
            Err(error) => Err(error),
        }
    }

    fn names(&self, output: &[u8]) -> BTreeSet<String> {
        let names =
            output.split(|byte| matches!(byte, 0 | b'\n')).filter_map(|name| std::str::from_utf8(name).ok());
        names.filter(|name| !name.is_empty()).filter_map(|name| self.relative(name)).collect()
    }

    /// Every path that any branch ever had in a folder.
    pub fn ever_added(&self, folder: &str) -> Result<BTreeSet<String>, GitError> {
        let log = self.git.command("log").options([
            "--all",
            "--name-only",
            "-z",
            "--no-renames",
            "--diff-filter=A",
            "--format=",
        ]);
        Ok(self.names(&log.path(folder).output()?))
    }

    /// A file as it was in a commit; nothing if it was not in it.
    pub fn content(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        self.blob(&format!("{}:{}{path}", checked(commit)?, self.prefix))
    }

    /// The content of a blob, by its id or another name of it.
    pub fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, GitError> {
        match self.git.command("cat-file").option("blob").revision(name).output() {
            Ok(content) => Ok(Some(content)),
            Err(error) if is_refusal(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Commits after `since` that touched a file, newest first, followed through renames.
    pub fn touches(&self, path: &str, since: Option<&str>) -> Result<Vec<Touch>, GitError> {
        let log = self
            .git
            .command("log")
            .options(["--follow", "--name-status", "-z", FORMAT])
            .option(format!("-n{MOST_TOUCHES}"));
        let log = match since {
            Some(since) => log.option(format!("{}..HEAD", checked(since)?)),
            None => log,
        };
        let output = match log.path(path).output() {
            Err(error) if is_refusal(&error) && self.is_unborn()? => return Ok(Vec::new()),
            output => output?,
        };
        let touch = |record: Record| {
            let path = self.relative(record.fields.last()?)?;
            Some(Touch { cause: record.cause, path })
        };
        Ok(records(&output)?.into_iter().filter_map(touch).collect())
    }

    /// The commit that took away a file which is no longer there, and where it put it.
    pub fn removal(&self, path: &str) -> Result<Option<Removal>, GitError> {
        let log = self.git.command("log").options(["-n1", "--no-renames", "--diff-filter=D", "-z", FORMAT]);
        let output = match log.path(path).output() {
            Err(error) if is_refusal(&error) && self.is_unborn()? => return Ok(None),
            output => output?,
        };
        let Some(record) = records(&output)?.pop() else { return Ok(None) };
        let show =
            self.git.command("show").options(["--format=", "--name-status", "-z", "-M", "--diff-filter=R"]);
        let shown = show.revision(record.cause.commit.as_str()).output()?;
        let renamed_to = self.renamed(&shown, path);
        Ok(Some(Removal { cause: record.cause, renamed_to }))
    }

    /// Where a file that is in `HEAD` was moved to without a commit.
    pub fn uncommitted_rename(&self, path: &str) -> Result<Option<String>, GitError> {
        let diff = self.git.command("diff").options([
            "--name-status",
            "-z",
            "-M",
            "--diff-filter=R",
            "--no-ext-diff",
            "HEAD",
        ]);
        match diff.output() {
            Ok(output) => Ok(self.renamed(&output, path)),
            Err(error) if is_refusal(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn renamed(&self, output: &[u8], path: &str) -> Option<String> {
        let output = String::from_utf8_lossy(output);
        let fields: Vec<&str> = output.split('\0').map(|field| field.trim_start_matches('\n')).collect();
        let renames = fields.chunks_exact(3).filter(|chunk| chunk[0].starts_with('R'));
        renames.into_iter().find_map(|chunk| {
            (self.relative(chunk[1]).as_deref() == Some(path)).then(|| self.relative(chunk[2])).flatten()
        })
    }

    /// Those of the commits that `HEAD` does not contain; an error if one does not exist at all.
    pub fn outside_head(&self, commits: &BTreeSet<String>) -> Result<BTreeSet<String>, GitError> {
        if commits.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut command = self.git.command("rev-list");
        for commit in commits {
            command = command.option(checked(commit)?);
        }
        let output = command.option("^HEAD").output()?;
        let outside: BTreeSet<String> = text(&output).lines().map(str::to_owned).collect();
        Ok(commits.intersection(&outside).cloned().collect())
    }

    /// Whether `later` contains `earlier`.
    pub fn contains(&self, later: &str, earlier: &str) -> Result<bool, GitError> {
        let command = self.git.command("merge-base").option("--is-ancestor");
        let (code, _) = command.option(checked(earlier)?).option(checked(later)?).output_unless(&[1])?;
        Ok(code == 0)
    }

    /// Branches here and of remotes, with their commits; and whether there are more.
    pub fn branches(&self) -> Result<(Vec<(String, String)>, bool), GitError> {
        let command = self
            .git
            .command("for-each-ref")
            .options(["--sort=-committerdate", "--format=%(objectname) %(refname:short)"]);
        let output = command
            .option(format!("--count={}", MOST_BRANCHES + 1))
            .options(["refs/heads", "refs/remotes"])
            .output()?;
        let mut branches: Vec<(String, String)> = text(&output)
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(commit, name)| (name.to_owned(), commit.to_owned()))
            .collect();
        let more = branches.len() > MOST_BRANCHES;
        branches.truncate(MOST_BRANCHES);
        Ok((branches, more))
    }

    /// The files of a folder in a commit, with their blob ids.
    pub fn folder_at(&self, commit: &str, folder: &str) -> Result<BTreeMap<String, String>, GitError> {
        let command =
            self.git.command("ls-tree").options(["-r", "-z", "--full-tree"]).option(checked(commit)?);
        let output = command.path(format!("{}{folder}/", self.prefix)).output()?;
        let output = String::from_utf8_lossy(&output);
        let entry = |line: &str| {
            let (description, path) = line.split_once('\t')?;
            Some((self.relative(path)?, description.rsplit(' ').next()?.to_owned()))
        };
        Ok(output.split('\0').filter_map(entry).collect())
    }

    /// The commit that first brought a path into the history of another commit.
    pub fn introduction(&self, commit: &str, path: &str) -> Result<Option<Cause>, GitError> {
        let log = self.git.command("log").options(["--no-renames", "--diff-filter=A", "-z", FORMAT]);
        let output = log.option(checked(commit)?).path(path).output()?;
        Ok(records(&output)?.pop().map(|record| record.cause))
    }

    /// Files of a folder that a merge could not join.
    pub fn unmerged(&self, folder: &str) -> Result<BTreeMap<String, Unmerged>, GitError> {
        let output = self
            .git
            .command("ls-files")
            .options(["--unmerged", "-z", "--full-name"])
            .path(folder)
            .output()?;
        let output = String::from_utf8_lossy(&output);
        let mut files: BTreeMap<String, Unmerged> = BTreeMap::new();
        for line in output.split('\0') {
            let Some((description, path)) = line.split_once('\t') else { continue };
            let Some(path) = self.relative(path) else { continue };
            let mut words = description.split(' ').skip(1);
            let (blob, stage) = (words.next().map(str::to_owned), words.next());
            let file = files.entry(path).or_default();
            match stage {
                Some("2") => file.ours = blob,
                Some("3") => file.theirs = blob,
                _ => {}
            }
        }
        Ok(files)
    }

    /// The commit that is being merged into `HEAD`.
    pub fn merge_head(&self) -> Result<Option<String>, GitError> {
        let command = self.git.command("rev-parse").options(["--verify", "--quiet"]).revision("MERGE_HEAD");
        let (code, output) = command.output_unless(&[1])?;
        Ok((code == 0).then(|| text(&output)))
    }

    /// The user's name as commits would have it.
    pub fn author(&self) -> Option<String> {
        let output = self.git.command("var").option("GIT_AUTHOR_IDENT").output().ok()?;
        let name = text(&output).split(" <").next().unwrap_or("").trim().to_owned();
        (!name.is_empty()).then_some(name)
    }

    fn is_unborn(&self) -> Result<bool, GitError> {
        let command = self.git.command("rev-parse").options(["--verify", "--quiet"]).revision("HEAD");
        command.output_unless(&[1]).map(|(code, _)| code == 1)
    }

    /// A path below our folder, from one that Git printed.
    fn relative(&self, path: &str) -> Option<String> {
        path.strip_prefix(&self.prefix).map(str::to_owned)
    }
}

#[derive(Debug)]
struct Record {
    cause: Cause,
    fields: Vec<String>,
}

/// Commits with the fields that follow each, all separated by NUL.
fn records(output: &[u8]) -> Result<Vec<Record>, GitError> {
    let printed = String::from_utf8_lossy(output);
    let mut records: Vec<Record> = Vec::new();
    for field in
        printed.split('\0').map(|field| field.trim_start_matches('\n')).filter(|field| !field.is_empty())
    {
        match field.strip_prefix('\u{1}') {
            Some(header) => {
                let mut parts = header.splitn(4, '\u{1f}').map(str::to_owned);
                let (Some(commit), Some(at), Some(author), Some(subject)) =
                    (parts.next(), parts.next(), parts.next(), parts.next())
                else {
                    return Err(unexpected("log", output));
                };
                let cause = Cause { commit, author, at: at.parse().unwrap_or(0), subject };
                records.push(Record { cause, fields: Vec::new() });
            }
            None => match records.last_mut() {
                Some(record) => record.fields.push(field.to_owned()),
                None => return Err(unexpected("log", output)),
            },
        }
    }
    Ok(records)
}

fn pairs(fields: &[String]) -> impl Iterator<Item = [&str; 2]> {
    fields.chunks_exact(2).map(|pair| [pair[0].as_str(), pair[1].as_str()])
}

/// Only ids that Git gave us reach a command line outside `--end-of-options`.
fn checked(commit: &str) -> Result<String, GitError> {
    let is_id = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { Ok(commit.to_owned()) } else { Err(unexpected("rev-parse", commit.as_bytes())) }
}

/// Whether git ran and said no, as opposed to not having been able to say anything.
fn is_refusal(error: &GitError) -> bool {
    !matches!(
        error,
        GitError::ProgramMissing
            | GitError::Directory { .. }
            | GitError::Timeout { .. }
            | GitError::Cancelled { .. }
            | GitError::TooLarge { .. }
            | GitError::DiskFull { .. }
            | GitError::Io { .. }
    )
}

#[cfg(test)]
mod tests;
