//! Where a line or a file comes from: the commit that introduced it, what it looked like then, what touched it since,
//! where it went. Paths are relative to a folder of the worktree, which is asked for once.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    error::GitError,
    process::Git,
    read::{text, unexpected},
};

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

/// The commit that a line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOrigin {
    pub line: usize,
    /// Nothing while the line is not committed.
    pub cause: Option<Cause>,
    /// Its path and line in that commit.
    pub path: String,
    pub original_line: usize,
    /// The commit and path before that one, where the line may have stood in another form.
    pub previous: Option<(String, String)>,
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

    /// The commits that lines of a working file come from; nothing for a file that Git does not know.
    pub fn lines(&self, path: &str, lines: &[usize]) -> Result<Vec<LineOrigin>, GitError> {
        self.blame(path, lines, None)
    }

    /// The same for a line as it stood in a commit.
    pub fn lines_at(&self, commit: &str, path: &str, lines: &[usize]) -> Result<Vec<LineOrigin>, GitError> {
        self.blame(path, lines, Some(commit))
    }

    fn blame(&self, path: &str, lines: &[usize], commit: Option<&str>) -> Result<Vec<LineOrigin>, GitError> {
        let mut command =
            self.git.command("blame").options(["--porcelain", "--no-textconv", "--ignore-revs-file="]);
        command = command.options(lines.iter().map(|line| format!("-L{line},{line}")));
        if let Some(commit) = commit {
            // Not as a revision: blame knows no `--end-of-options`, and an id is no option.
            command = command.option(checked(commit)?);
        }
        match command.path(path).output() {
            Ok(output) => self.parse_blame(&output),
            Err(GitError::Failed { stderr, .. })
                if ["no such path", "has only", "no such ref", "cannot stat path"]
                    .iter()
                    .any(|known| stderr.contains(known)) =>
            {
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }

    fn parse_blame(&self, output: &[u8]) -> Result<Vec<LineOrigin>, GitError> {
        let printed = String::from_utf8_lossy(output);
        let mut known: BTreeMap<String, (Cause, String, Option<(String, String)>)> = BTreeMap::new();
        let mut origins = Vec::new();
        let mut current: Option<(String, usize, usize)> = None;
        for line in printed.split('\n') {
            if line.starts_with('\t') {
                let Some((commit, original_line, line)) = current.take() else { continue };
                let Some((cause, path, previous)) = known.get(&commit) else {
                    return Err(unexpected("blame", output));
                };
                let committed = commit.bytes().any(|byte| byte != b'0');
                origins.push(LineOrigin {
                    line,
                    cause: committed.then(|| cause.clone()),
                    path: path.clone(),
                    original_line,
                    previous: previous.clone(),
                });
                continue;
            }
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let Some((commit, _, _)) = &current else {
                let mut numbers = value.split(' ').map(str::parse);
                if let (Some(Ok(original)), Some(Ok(now))) = (numbers.next(), numbers.next()) {
                    current = Some((key.to_owned(), original, now));
                    known.entry(key.to_owned()).or_insert_with(|| {
                        let cause = Cause {
                            commit: key.to_owned(),
                            author: String::new(),
                            at: 0,
                            subject: String::new(),
                        };
                        (cause, String::new(), None)
                    });
                }
                continue;
            };
            let Some((cause, path, previous)) = known.get_mut(commit) else { continue };
            match key {
                "author" => value.clone_into(&mut cause.author),
                "author-time" => cause.at = value.parse().unwrap_or(0),
                "summary" => value.clone_into(&mut cause.subject),
                "filename" => *path = self.relative(&unquoted(value)).unwrap_or_default(),
                "previous" => {
                    *previous = value.split_once(' ').and_then(|(commit, path)| {
                        Some((commit.to_owned(), self.relative(&unquoted(path))?))
                    });
                }
                _ => {}
            }
        }
        Ok(origins)
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
            | GitError::Io { .. }
    )
}

/// Blame quotes a path that has a quote, a backslash or a control character in it.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(first @ b'0'..=b'3') => {
                let digits = [first, rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                let value = digits
                    .iter()
                    .fold(0_u32, |value, digit| value * 8 + u32::from(digit.saturating_sub(b'0')));
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
