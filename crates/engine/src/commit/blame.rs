//! `blame`: which commit each line of a file comes from.

use std::fmt;

use becket_base::clip;
use becket_git::{Blame, BlameOptions, Moves, Whitespace};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bound::{Extent, fitting},
    history::LONGEST_SUBJECT,
    place::Scope,
    view::shown,
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct BlameRequest {
    pub path: String,
    /// Which commit's version; `HEAD` if left out.
    pub revision: Option<String>,
    /// Counted from 1.
    pub start_line: Option<usize>,
    pub end_line: Option<usize>,
    pub whitespace: Whitespace,
    pub moves: Moves,
    pub worktree: Option<String>,
    pub extent: Extent,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BlamedFile {
    /// Relative to the root.
    pub path: String,
    /// As it was asked for.
    #[serde(rename = "ref")]
    pub revision: String,
    pub lines: Vec<BlamedLine>,
    /// The commit whose version this is.
    pub ref_sha: String,
    /// What was left out of this answer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Where the rest begins; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_start_line: Option<usize>,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlamedLine {
    pub line_number: usize,
    /// A very long line is cut, and says so.
    pub content: String,
    pub commit: BlamedCommit,
    /// The line that it was in that commit.
    pub original_line: usize,
    /// The path that it had there, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_path: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlamedCommit {
    pub sha: String,
    pub short_sha: String,
    pub author_name: String,
    pub author_email: String,
    /// ISO 8601 with the author's own offset.
    pub author_time: String,
    pub summary: String,
    /// History ends here, so that the line may be older.
    pub boundary: bool,
}

const MOST_LINES: usize = 10_000;
/// No file has more, and Git can still count so far on every system.
const EVERY_LINE: usize = 1_000_000_000;
const LONGEST_LINE: usize = 1_000;
const SHORT_ID: usize = 7;

impl Engine {
    pub fn blame(&self, request: &BlameRequest) -> Result<BlamedFile, Error> {
        let place = self.commit_place(request.worktree.as_deref(), Some(&request.path))?;
        let Some(path) = place.path else {
            return Err(Error::invalid("invalid_arguments", "A `path` is needed.")
                .with_hint("Name a file, as `git ls-files` does."));
        };
        let options = BlameOptions {
            revision: request.revision.clone(),
            start: request.start_line.unwrap_or(1),
            end: request.end_line,
            limit: if request.extent == Extent::Whole { EVERY_LINE } else { MOST_LINES },
            whitespace: request.whitespace,
            moves: request.moves,
        };
        crate::progress::tell("asking Git where each line comes from", 0, None);
        let blame = becket_git::blame(place.git, &path, &options)?;
        let path = path.to_text().into_owned();
        let mut lines = lines(&blame, &path);
        let fit = fitting(&lines, self.room(request.extent));
        let more = blame.more || fit < lines.len();
        lines.truncate(fit);
        let next_start_line = lines.last().filter(|_| more).map(|line| line.line_number + 1);
        let cut = next_start_line.map(|next| {
            format!("lines up to {} are shown; call again with `start_line` {next} for the rest.", next - 1)
        });
        let revision = request.revision.clone().unwrap_or_else(|| "HEAD".to_owned());
        let ref_sha = blame.revision.to_string();
        Ok(BlamedFile { path, revision, lines, ref_sha, cut, next_start_line, scope: place.scope })
    }
}

fn lines(blame: &Blame, path: &str) -> Vec<BlamedLine> {
    let line = |line: &becket_git::BlamedLine| {
        let commit = blame.commits.get(&line.commit)?;
        let original_path = line.original_path.to_text().into_owned();
        Some(BlamedLine {
            line_number: line.line,
            content: clip(&String::from_utf8_lossy(&line.content), LONGEST_LINE).to_string(),
            commit: BlamedCommit {
                sha: line.commit.clone(),
                short_sha: line.commit.chars().take(SHORT_ID).collect(),
                author_name: commit.author.name.clone(),
                author_email: commit.author.email.clone(),
                author_time: commit.author.date.clone(),
                summary: clip(&commit.subject, LONGEST_SUBJECT).to_string(),
                boundary: commit.boundary,
            },
            original_line: line.original_line,
            original_path: Some(original_path).filter(|original| original != path),
        })
    };
    blame.lines.iter().filter_map(line).collect()
}

impl fmt::Display for BlamedFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let commit = &line.commit;
            let day = commit.author_time.get(..10).unwrap_or(&commit.author_time);
            let author = shown(&commit.author_name);
            let (sha, number) = (&commit.short_sha, line.line_number);
            writeln!(formatter, "{sha} {day} {author} {number:>5}  {}", line.content.trim_end())?;
        }
        if self.lines.is_empty() {
            writeln!(formatter, "{} has no lines.", shown(&self.path))?;
        }
        self.cut.iter().try_for_each(|cut| writeln!(formatter, "note: {cut}"))
    }
}
