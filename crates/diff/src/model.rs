//! What a change is made of. Owns the shapes and how a hunk's lines are read; where they come from is `parse`.

use std::fmt;

use crate::path::FilePath;

/// One part of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file that differs between two trees.
    File(FileChange),
    /// A file that differs from several parents at once: a conflict, as `git diff` shows it.
    Combined(CombinedChange),
    /// A conflict of which there is nothing to show.
    Unmerged(FilePath),
}

/// What happened to one file. A change of type (file to link) is two of them, a deletion and an addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub status: Status,
    /// None when added.
    pub old: Option<Side>,
    /// None when deleted.
    pub new: Option<Side>,
    /// How alike the two sides of a rename or copy are, in percent.
    pub similarity: Option<u8>,
    pub content: Content,
    /// Lines added and removed, those that were omitted included.
    pub added: usize,
    pub removed: usize,
    pub omitted: Omitted,
}

impl FileChange {
    /// Where the file is now, or was before it was deleted.
    pub fn path(&self) -> Option<&FilePath> {
        self.new.as_ref().or(self.old.as_ref()).map(|side| &side.path)
    }

    pub fn hunks(&self) -> &[Hunk] {
        match &self.content {
            Content::Text(hunks) => hunks,
            Content::Same | Content::Binary => &[],
        }
    }

    /// The mode now, or before it was deleted. Unknown for a rename without any other change.
    pub fn mode(&self) -> Option<Mode> {
        self.new.as_ref().or(self.old.as_ref()).and_then(|side| side.mode)
    }

    pub fn mode_changed(&self) -> bool {
        matches!((&self.old, &self.new), (Some(old), Some(new)) if old.mode != new.mode)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Added,
    Deleted,
    Modified,
    Renamed,
    Copied,
}

/// A file before or after the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    pub path: FilePath,
    pub mode: Option<Mode>,
    /// The id of the content as printed; none when only the name or the mode changed. All zeros when Git has not
    /// stored it, which is so for files in the worktree.
    pub id: Option<String>,
}

/// A file mode of Git, such as 100644.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode(pub u32);

impl Mode {
    pub const FILE: Self = Self(0o100_644);
    pub const EXECUTABLE: Self = Self(0o100_755);
    pub const SYMLINK: Self = Self(0o120_000);
    pub const SUBMODULE: Self = Self(0o160_000);
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:06o}", self.0)
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Not changed (a rename, a mode), or empty before and after.
    Same,
    /// A submodule is text too: one line with the id of its commit.
    Text(Vec<Hunk>),
    Binary,
}

/// What a limit left out of a change. All zero when it is whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Hunks of which not even the header was kept.
    pub hunks: usize,
    pub lines: usize,
    /// Bytes cut from the ends of lines that were kept.
    pub bytes: usize,
}

impl Omitted {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Lines `start` to `start + lines` of a file, counted from 1; of no lines, the place after line `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub lines: usize,
}

impl Span {
    /// Whether a line, counted from 1, is one of these.
    pub fn holds(&self, line: usize) -> bool {
        self.lines > 0 && (self.start..self.start + self.lines).contains(&line)
    }
}

/// A run of changed lines with its context.
#[derive(Clone, PartialEq, Eq)]
pub struct Hunk {
    pub old: Span,
    pub new: Span,
    /// The whole `@@ … @@ …` line as Git printed it, without its newline.
    pub header: Vec<u8>,
    /// The lines as they stand in the patch: marker, content, newline.
    pub body: Vec<u8>,
}

impl Hunk {
    /// A hunk whose header is derived from its lines. `section` is what follows the second `@@`.
    pub fn new(old_start: usize, new_start: usize, section: &[u8], lines: &[Line<'_>]) -> Self {
        let count = |skipped| lines.iter().filter(|line| line.kind != skipped).count();
        let old = Span { start: old_start, lines: count(LineKind::Added) };
        let new = Span { start: new_start, lines: count(LineKind::Removed) };
        let mut header = format!("@@ -{old} +{new} @@").into_bytes();
        header.extend_from_slice(section);
        let mut body = Vec::new();
        for line in lines {
            body.push(line.kind.marker());
            body.extend_from_slice(line.content);
            body.extend_from_slice(if line.newline { b"\n" } else { b"\n\\ No newline at end of file\n" });
        }
        Self { old, new, header, body }
    }

    /// What follows the second `@@`: a space and the enclosing declaration, or nothing.
    pub fn section(&self) -> &[u8] {
        let mut parts = self.header.splitn(3, |byte| *byte == b'@').skip(2);
        let rest = parts.next().unwrap_or_default();
        let end = rest.windows(2).position(|pair| pair == b"@@");
        end.map(|end| &rest[end + 2..]).unwrap_or_default()
    }

    /// The lines with their meaning.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut raw = self.raw_lines().peekable();
        std::iter::from_fn(move || {
            let line = raw.next()?;
            let newline = raw.next_if(|next| next.first() == Some(&b'\\')).is_none();
            let kind = match line.first() {
                Some(b'+') => LineKind::Added,
                Some(b'-') => LineKind::Removed,
                _ => LineKind::Context,
            };
            Some(Line { kind, content: line.get(1..).unwrap_or_default(), newline })
        })
    }

    /// The lines as Git printed them, marker first and without newline; `\ No newline at end of file` is one of them.
    pub fn raw_lines(&self) -> impl Iterator<Item = &[u8]> {
        raw_lines(&self.body)
    }
}

impl fmt::Debug for Hunk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}\n{}",
            String::from_utf8_lossy(&self.header),
            String::from_utf8_lossy(&self.body)
        )
    }
}

/// As in a hunk header: `3,2`, and `3` for one line.
impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            1 => write!(formatter, "{}", self.start),
            lines => write!(formatter, "{},{lines}", self.start),
        }
    }
}

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub kind: LineKind,
    /// Without marker and newline; a carriage return is content.
    pub content: &'a [u8],
    /// False on the last line of a file that does not end with a newline.
    pub newline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    Context,
    Added,
    Removed,
}

impl LineKind {
    pub fn marker(self) -> u8 {
        match self {
            Self::Context => b' ',
            Self::Added => b'+',
            Self::Removed => b'-',
        }
    }
}

/// A file that differs from each of several parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CombinedChange {
    pub path: FilePath,
    /// The header lines as Git printed them, from `diff` to before the first hunk.
    pub header: Vec<u8>,
    pub binary: bool,
    pub hunks: Vec<CombinedHunk>,
    pub omitted: Omitted,
}

/// A hunk with one old span, and one marker column, for each parent.
#[derive(Clone, PartialEq, Eq)]
pub struct CombinedHunk {
    pub old: Vec<Span>,
    pub new: Span,
    pub header: Vec<u8>,
    pub body: Vec<u8>,
}

impl CombinedHunk {
    /// The lines as Git printed them, without newline.
    pub fn raw_lines(&self) -> impl Iterator<Item = &[u8]> {
        raw_lines(&self.body)
    }
}

impl fmt::Debug for CombinedHunk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}\n{}",
            String::from_utf8_lossy(&self.header),
            String::from_utf8_lossy(&self.body)
        )
    }
}

fn raw_lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}
