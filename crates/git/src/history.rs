//! Commits and what they say of themselves.

use becket_diff::FilePath;

use crate::date;
use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;
use crate::read::{at_root_if_any, head, unexpected};
use crate::revision::{CommitId, resolve_at};

/// More than this is not an answer but an export.
const MOST_COMMITS: usize = 10_000;

#[derive(Debug, Clone)]
pub struct LogOptions {
    pub limit: usize,
    /// How many of the newest are passed over.
    pub skip: usize,
    /// Where to begin; `HEAD` when none.
    pub revision: Option<String>,
    /// Only commits that touch this file or folder.
    pub path: Option<FilePath>,
    /// Dates as Git understands them: `2024-05-01`, `2 weeks ago`.
    pub since: Option<String>,
    pub until: Option<String>,
    pub merges: Merges,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self {
            limit: 20,
            skip: 0,
            revision: None,
            path: None,
            since: None,
            until: None,
            merges: Merges::Exclude,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Merges {
    Include,
    #[default]
    Exclude,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Newest first.
    pub commits: Vec<Commit>,
    /// Whether there are older ones.
    pub more: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    pub short_id: String,
    pub parents: Vec<String>,
    pub author: Person,
    pub committer: Person,
    pub subject: String,
    /// The message without its subject; empty when there is no more.
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: String,
    /// ISO 8601 with the person's own offset.
    pub date: String,
}

/// The whole message of a commit, as hooks and Git's clean-up have left it.
pub fn message(git: impl Into<Git>, commit: &str) -> Result<String, GitError> {
    let options =
        ["--no-walk", "--encoding=UTF-8", "--no-show-signature", "--no-notes", "--format=tformat:%B"];
    let output = git.into().command("log").options(options).revision(commit).output()?;
    // Git ends the line itself.
    Ok(String::from_utf8_lossy(output.strip_suffix(b"\n").unwrap_or(&output)).into_owned())
}

/// Lists commits, newest first. A branch without a commit has none.
pub fn log(git: impl Into<Git>, options: &LogOptions) -> Result<Log, GitError> {
    let git = at_root_if_any(git.into())?;
    let begin = match &options.revision {
        Some(revision) => resolve_at(&git, revision)?,
        None if head(&git)?.commit().is_none() => return Ok(Log { commits: Vec::new(), more: false }),
        None => resolve_at(&git, "HEAD")?,
    };
    let limit = options.limit.clamp(1, MOST_COMMITS);
    let mut command = git
        .command("log")
        .options(FORMAT_OPTIONS)
        .option(format!("--max-count={}", limit + 1))
        .option(format!("--skip={}", options.skip));
    if options.merges == Merges::Exclude {
        command = command.option("--no-merges");
    }
    for (name, option, date) in [("since", "--since", &options.since), ("until", "--until", &options.until)] {
        if let Some(date) = date {
            date::check(name, date)?;
            command = command.option(format!("{option}={date}"));
        }
    }
    command = command.revision(begin.as_str());
    if let Some(path) = &options.path {
        command = command.path(to_native(path.as_bytes()));
    }
    let mut commits = parse(&command.output()?)?;
    let more = commits.len() > limit;
    commits.truncate(limit);
    Ok(Log { commits, more })
}

/// What one commit says of itself.
pub(crate) fn read_commit(git: &Git, id: &CommitId) -> Result<Commit, GitError> {
    let output =
        git.command("log").options(FORMAT_OPTIONS).option("--max-count=1").revision(id.as_str()).output()?;
    parse(&output)?.pop().ok_or_else(|| unexpected("log", &output))
}

/// The seconds and offset that Git stores, as ISO 8601; itself when it is no date.
pub(crate) fn iso_date(raw: &str) -> String {
    let date = raw.split_once(' ').and_then(|(seconds, offset)| {
        let timestamp = jiff::Timestamp::from_second(seconds.parse().ok()?).ok()?;
        let number: i32 = offset.parse().ok()?;
        let offset = jiff::tz::Offset::from_seconds((number / 100 * 60 + number % 100) * 60).ok()?;
        let zoned = timestamp.to_zoned(jiff::tz::TimeZone::fixed(offset));
        Some(zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    });
    date.unwrap_or_else(|| raw.to_owned())
}

const FIELDS: usize = 11;

/// A NUL after each field and after each commit, since no message can have one.
const FORMAT_OPTIONS: [&str; 8] = [
    "-z",
    "--no-color",
    "--no-show-signature",
    "--no-notes",
    "--no-patch",
    "--no-mailmap",
    "--date=raw",
    "--format=tformat:%H%x00%h%x00%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%s%x00%b",
];

fn parse(output: &[u8]) -> Result<Vec<Commit>, GitError> {
    let output = output.strip_suffix(b"\0").unwrap_or(output);
    if output.is_empty() {
        return Ok(Vec::new());
    }
    let fields: Vec<String> =
        output.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    if !fields.len().is_multiple_of(FIELDS) {
        return Err(unexpected("log", output));
    }
    let person = |fields: &[String]| Person {
        name: fields[0].clone(),
        email: fields[1].clone(),
        date: iso_date(&fields[2]),
    };
    let commit = |fields: &[String]| Commit {
        id: fields[0].clone(),
        short_id: fields[1].clone(),
        parents: fields[2].split_whitespace().map(str::to_owned).collect(),
        author: person(&fields[3..6]),
        committer: person(&fields[6..9]),
        subject: fields[9].clone(),
        body: fields[10].trim_end().to_owned(),
    };
    Ok(fields.chunks_exact(FIELDS).map(commit).collect())
}
