//! Which commit each line of a file comes from.

use std::collections::{BTreeMap, BTreeSet};

use becket_diff::FilePath;

use crate::error::GitError;
use crate::history::{Person, iso_date};
use crate::path::to_native;
use crate::process::Git;
use crate::read::{at_root_if_any, unexpected};
use crate::revision::{CommitId, resolve_at};

#[derive(Debug, Clone)]
pub struct BlameOptions {
    /// Which commit's version; `HEAD` when none.
    pub revision: Option<String>,
    /// First and last line, counted from 1.
    pub start: usize,
    pub end: Option<usize>,
    /// How many lines at most.
    pub limit: usize,
    pub whitespace: Whitespace,
    pub moves: Moves,
}

impl Default for BlameOptions {
    fn default() -> Self {
        Self {
            revision: None,
            start: 1,
            end: None,
            limit: 1000,
            whitespace: Whitespace::Compare,
            moves: Moves::Ignore,
        }
    }
}

/// Whether a commit that only changed spaces counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Whitespace {
    #[default]
    Compare,
    Ignore,
}

/// Whether lines are followed to where they were moved or copied from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Moves {
    #[default]
    Ignore,
    Follow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    pub revision: CommitId,
    pub lines: Vec<BlamedLine>,
    /// The commits that the lines name, by id.
    pub commits: BTreeMap<String, BlamedCommit>,
    /// Whether the asked-for range has more lines.
    pub more: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLine {
    pub line: usize,
    pub commit: String,
    /// The path and line that it has in that commit.
    pub original_path: FilePath,
    pub original_line: usize,
    /// Without newline.
    pub content: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedCommit {
    pub author: Person,
    pub subject: String,
    /// History ends here (a shallow clone, or the first commit), so that the line may be older.
    pub boundary: bool,
}

/// Blames the lines of `path`, which is relative to the root of the worktree.
pub fn blame(git: impl Into<Git>, path: &FilePath, options: &BlameOptions) -> Result<Blame, GitError> {
    let git = at_root_if_any(git.into())?;
    let asked = options.revision.as_deref().unwrap_or("HEAD");
    let revision = resolve_at(&git, asked)?;
    let limit = options.limit.max(1);
    check_range(options)?;
    let last = options.end.unwrap_or(usize::MAX).min(options.start.saturating_add(limit));
    let mut command = git
        .command("blame")
        .options(["--porcelain", "--no-textconv", "--ignore-revs-file="])
        .option(format!("-L{},{last}", options.start));
    if options.whitespace == Whitespace::Ignore {
        command = command.option("-w");
    }
    if options.moves == Moves::Follow {
        command = command.options(["-M", "-C"]);
    }
    // Not behind `--end-of-options`, which blame takes for a revision; an id cannot be an option.
    let output = command.option(revision.as_str()).path(to_native(path.as_bytes())).output();
    let output = output.or_else(|error| explain(error, path, asked, options))?;
    let mut blame = parse(revision, &output).ok_or_else(|| unexpected("blame", &output))?;
    blame.more = blame.lines.len() > limit;
    blame.lines.truncate(limit);
    let named: BTreeSet<&String> = blame.lines.iter().map(|line| &line.commit).collect();
    blame.commits.retain(|id, _| named.contains(id));
    Ok(blame)
}

fn check_range(options: &BlameOptions) -> Result<(), GitError> {
    let refused = |name, value: usize, reason| {
        Err(GitError::InvalidArgument { name, value: value.to_string(), reason })
    };
    match options.end {
        _ if options.start == 0 => refused("start line", 0, "lines are counted from 1"),
        Some(end) if end < options.start => refused("end line", end, "it comes before the start line"),
        _ => Ok(()),
    }
}

/// What a failure of blame means. A file without lines has nothing to blame, and is none.
fn explain(
    error: GitError,
    path: &FilePath,
    revision: &str,
    options: &BlameOptions,
) -> Result<Vec<u8>, GitError> {
    let GitError::Failed { stderr, .. } = &error else { return Err(error) };
    if stderr.contains("no such path") {
        return Err(GitError::UnknownPath { path: path.to_string(), revision: revision.to_owned() });
    }
    if stderr.contains("has only 0 lines") && options.start == 1 {
        return Ok(Vec::new());
    }
    if stderr.contains("has only") {
        return Err(GitError::InvalidArgument {
            name: "start line",
            value: options.start.to_string(),
            reason: "the file is shorter",
        });
    }
    Err(error)
}

/// Each line comes with a header `id original final [count]`, the first of a commit also with what is known of it, and
/// then the content after a tab.
fn parse(revision: CommitId, output: &[u8]) -> Option<Blame> {
    let mut blame = Blame { revision, lines: Vec::new(), commits: BTreeMap::new(), more: false };
    let mut paths: BTreeMap<String, FilePath> = BTreeMap::new();
    let mut current: Option<(String, usize, usize)> = None;
    for record in output.split_inclusive(|byte| *byte == b'\n') {
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        let Some((id, original_line, line)) = &current else {
            let header = std::str::from_utf8(record).ok()?;
            let mut words = header.split(' ');
            current =
                Some((words.next()?.to_owned(), words.next()?.parse().ok()?, words.next()?.parse().ok()?));
            continue;
        };
        if let Some(content) = record.strip_prefix(b"\t") {
            let (original_path, content) = (paths.get(id)?.clone(), content.to_vec());
            let (line, original_line) = (*line, *original_line);
            blame.lines.push(BlamedLine { line, commit: id.clone(), original_path, original_line, content });
            current = None;
            continue;
        }
        let (key, value) = match record.iter().position(|byte| *byte == b' ') {
            Some(space) => (&record[..space], &record[space + 1..]),
            None => (record, &record[record.len()..]),
        };
        if key == b"filename" {
            paths.insert(id.clone(), FilePath::from_quoted(value)?);
            continue;
        }
        let commit = blame.commits.entry(id.clone()).or_insert_with(|| BlamedCommit {
            author: Person { name: String::new(), email: String::new(), date: String::new() },
            subject: String::new(),
            boundary: false,
        });
        let value = String::from_utf8_lossy(value);
        match key {
            b"author" => commit.author.name = value.into_owned(),
            b"author-mail" => value.trim_matches(['<', '>']).clone_into(&mut commit.author.email),
            b"author-time" => commit.author.date = value.into_owned(),
            b"author-tz" => commit.author.date = iso_date(&format!("{} {value}", commit.author.date)),
            b"summary" => commit.subject = value.into_owned(),
            b"boundary" => commit.boundary = true,
            // Committer, encoding, the previous version: not asked for.
            _ => {}
        }
    }
    current.is_none().then_some(blame)
}
