//! A patch as `git diff` prints it → entries. It reads piece by piece and can be told how much to keep, so that a patch
//! of any size is read in bounded memory. The options that the patch must be printed with are `becket_git`'s to give.

mod header;
mod hunk;

use crate::model::{CombinedChange, CombinedHunk, Entry, FileChange, Hunk, Omitted};
use crate::path::FilePath;
use header::FileHeader;
use hunk::{Counts, read_hunk_header};

/// A patch that is not one of Git's. `line` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("line {line} of the patch is not what Git prints there: {found}")]
    Unexpected { line: usize, found: String },
    #[error("the patch ends within a hunk")]
    Truncated,
}

/// How much of a patch is kept. What is beyond is counted and dropped; every file keeps its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one line.
    pub line: usize,
    /// Bytes of hunks in one file.
    pub file: usize,
    /// Bytes of hunks in all files.
    pub total: usize,
}

impl Limits {
    pub const NONE: Self = Self { line: usize::MAX, file: usize::MAX, total: usize::MAX };
}

/// Names and modes are never cut, and none is as long as this.
const LONGEST_HEADER_LINE: usize = 1 << 20;

/// Reads a whole patch.
pub fn parse(patch: &[u8]) -> Result<Vec<Entry>, ParseError> {
    let mut entries = Vec::new();
    let mut parser = Parser::new(Limits::NONE);
    parser.feed(patch, &mut |entry| entries.push(entry))?;
    parser.finish(&mut |entry| entries.push(entry))?;
    Ok(entries)
}

/// Reads a patch in pieces that may end anywhere.
#[derive(Debug)]
pub struct Parser {
    limits: Limits,
    line: Vec<u8>,
    /// Bytes of the line beyond what may be kept of it.
    line_cut: usize,
    line_number: usize,
    kept: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Between,
    /// Git prints the name of an unmerged path unquoted, so that a newline in it breaks the line.
    AfterUnmerged,
    File(Box<FileDraft>),
    Combined(Box<CombinedDraft>),
}

#[derive(Debug, Default)]
struct FileDraft {
    header: FileHeader,
    hunks: Vec<Hunk>,
    budget: Budget,
    counts: Option<Counts>,
    added: usize,
    removed: usize,
}

#[derive(Debug)]
struct CombinedDraft {
    change: CombinedChange,
    budget: Budget,
    counts: Option<Counts>,
}

/// What one file has kept, and what it lost since it reached a limit.
#[derive(Debug, Default)]
struct Budget {
    kept: usize,
    spent: bool,
    omitted: Omitted,
}

impl Parser {
    pub fn new(limits: Limits) -> Self {
        Self { limits, line: Vec::new(), line_cut: 0, line_number: 0, kept: 0, state: State::Between }
    }

    /// Reads the next piece; every entry that it completes is given to `emit`.
    pub fn feed(&mut self, piece: &[u8], emit: &mut dyn FnMut(Entry)) -> Result<(), ParseError> {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let (text, complete) = match part.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (part, false),
            };
            let longest = if self.within_hunk() { self.limits.line } else { LONGEST_HEADER_LINE };
            let room = longest.saturating_sub(self.line.len()).min(text.len());
            self.line.extend_from_slice(&text[..room]);
            self.line_cut += text.len() - room;
            if complete {
                self.end_line(emit)?;
            }
        }
        Ok(())
    }

    /// The patch is over: emits the last entry.
    pub fn finish(mut self, emit: &mut dyn FnMut(Entry)) -> Result<(), ParseError> {
        if !self.line.is_empty() {
            self.end_line(emit)?;
        }
        if self.within_hunk() {
            return Err(ParseError::Truncated);
        }
        self.end_entry(emit)
    }

    fn within_hunk(&self) -> bool {
        let counts = match &self.state {
            State::File(draft) => &draft.counts,
            State::Combined(draft) => &draft.counts,
            State::Between | State::AfterUnmerged => return false,
        };
        counts.as_ref().is_some_and(|counts| !counts.is_done())
    }

    fn end_line(&mut self, emit: &mut dyn FnMut(Entry)) -> Result<(), ParseError> {
        self.line_number += 1;
        let line = std::mem::take(&mut self.line);
        let result = self.read_line(&line, emit);
        // Given back for its allocation.
        self.line = line;
        self.line.clear();
        self.line_cut = 0;
        result
    }

    fn read_line(&mut self, line: &[u8], emit: &mut dyn FnMut(Entry)) -> Result<(), ParseError> {
        let understood = match &mut self.state {
            State::File(draft) => match &mut draft.counts {
                Some(counts) if !counts.is_done() || line.starts_with(b"\\") => {
                    draft.added += usize::from(line.starts_with(b"+"));
                    draft.removed += usize::from(line.starts_with(b"-"));
                    let body = draft.hunks.last_mut().map(|hunk| &mut hunk.body);
                    draft.budget.keep(line, self.line_cut, body, &self.limits, &mut self.kept);
                    counts.pass(line)
                }
                _ => match read_hunk_header(line) {
                    Some((spans, counts)) if spans.len() == 2 => {
                        draft.header.has_hunks = true;
                        draft.counts = Some(counts);
                        if draft.budget.keep_header(line, &self.limits, &mut self.kept) {
                            draft.hunks.push(Hunk {
                                old: spans[0],
                                new: spans[1],
                                header: line.to_vec(),
                                body: Vec::new(),
                            });
                        }
                        true
                    }
                    _ => draft.counts.is_none() && draft.header.read(line),
                },
            },
            State::Combined(draft) => match &mut draft.counts {
                Some(counts) if !counts.is_done() || line.starts_with(b"\\") => {
                    let body = draft.change.hunks.last_mut().map(|hunk| &mut hunk.body);
                    draft.budget.keep(line, self.line_cut, body, &self.limits, &mut self.kept);
                    counts.pass(line)
                }
                _ => match read_hunk_header(line) {
                    Some((mut spans, counts)) if spans.len() > 2 => {
                        draft.counts = Some(counts);
                        let new = spans.pop();
                        if draft.budget.keep_header(line, &self.limits, &mut self.kept) {
                            draft.change.hunks.extend(new.map(|new| CombinedHunk {
                                old: spans,
                                new,
                                header: line.to_vec(),
                                body: Vec::new(),
                            }));
                        }
                        true
                    }
                    _ => draft.counts.is_none() && header::read_combined(&mut draft.change, line),
                },
            },
            State::Between => line.is_empty(),
            State::AfterUnmerged => !begins_entry(line),
        };
        if understood {
            return Ok(());
        }
        if !begins_entry(line) || self.within_hunk() {
            return Err(self.unexpected(line));
        }
        self.end_entry(emit)?;
        self.state = self.begin_entry(line, emit)?;
        Ok(())
    }

    fn begin_entry(&self, line: &[u8], emit: &mut dyn FnMut(Entry)) -> Result<State, ParseError> {
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            let header = FileHeader::new(names);
            return Ok(State::File(Box::new(FileDraft { header, ..FileDraft::default() })));
        }
        if let Some(path) = line.strip_prefix(b"* Unmerged path ") {
            emit(Entry::Unmerged(FilePath::new(path)));
            return Ok(State::AfterUnmerged);
        }
        let change = header::begin_combined(line).ok_or_else(|| self.unexpected(line))?;
        Ok(State::Combined(Box::new(CombinedDraft { change, budget: Budget::default(), counts: None })))
    }

    fn end_entry(&mut self, emit: &mut dyn FnMut(Entry)) -> Result<(), ParseError> {
        match std::mem::replace(&mut self.state, State::Between) {
            State::Between | State::AfterUnmerged => {}
            State::Combined(draft) => {
                emit(Entry::Combined(CombinedChange { omitted: draft.budget.omitted, ..draft.change }));
            }
            State::File(draft) => {
                let FileDraft { header, hunks, budget, added, removed, .. } = *draft;
                let names = header.names.clone();
                let change = header.finish(hunks).ok_or_else(|| self.unexpected(&names))?;
                emit(Entry::File(FileChange { added, removed, omitted: budget.omitted, ..change }));
            }
        }
        Ok(())
    }

    fn unexpected(&self, line: &[u8]) -> ParseError {
        let found = String::from_utf8_lossy(line).chars().take(200).collect();
        ParseError::Unexpected { line: self.line_number, found }
    }
}

impl Budget {
    fn keep_header(&mut self, line: &[u8], limits: &Limits, total: &mut usize) -> bool {
        let fits = self.fits(line.len(), limits, total);
        self.omitted.hunks += usize::from(!fits);
        fits
    }

    fn keep(
        &mut self,
        line: &[u8],
        cut: usize,
        body: Option<&mut Vec<u8>>,
        limits: &Limits,
        total: &mut usize,
    ) {
        let is_marker = line.starts_with(b"\\");
        match body {
            // The marker belongs to the line before it: without it, that line would be another.
            Some(body) if if is_marker { !self.spent } else { self.fits(line.len() + 1, limits, total) } => {
                body.extend_from_slice(line);
                body.push(b'\n');
                self.omitted.bytes += cut;
            }
            _ => self.omitted.lines += usize::from(!is_marker),
        }
    }

    /// Once something did not fit nothing more is taken, so that what is kept has no gaps.
    fn fits(&mut self, bytes: usize, limits: &Limits, total: &mut usize) -> bool {
        self.spent |= self.kept + bytes > limits.file || *total + bytes > limits.total;
        if !self.spent {
            self.kept += bytes;
            *total += bytes;
        }
        !self.spent
    }
}

fn begins_entry(line: &[u8]) -> bool {
    [&b"diff --git "[..], b"diff --cc ", b"diff --combined ", b"* Unmerged path "]
        .iter()
        .any(|beginning| line.starts_with(beginning))
}
