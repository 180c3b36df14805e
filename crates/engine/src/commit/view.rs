//! A change as callers see it: the seed's shape first, then what the seed does not know. Text where Git has bytes.

use std::{borrow::Cow, fmt};

use becket_diff::{FileChange, Omitted, Span};
use becket_git::{Change, ConflictKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::bound::json_size;

/// All that happened to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeView {
    /// `change-N` by the order of paths, for as long as the list stays as it is.
    pub id: String,
    /// Relative to the root; quoted as Git quotes it where it is not UTF-8.
    pub file_path: String,
    /// Staged ones first, then unstaged ones.
    pub hunks: Vec<HunkView>,
    pub kind: ChangeKind,
    pub file_kind: FileKind,
    /// Where a renamed or copied file came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// What happened in the index and in the worktree, or in the commit.
    pub parts: Vec<PartView>,
    /// Which sides of a merge changed it: `both_modified`, `deleted_by_us` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
    /// What was too long for this answer; absent when all is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedView>,
    /// Whether the path or a line has bytes that are not UTF-8 and stand here as replacements.
    pub not_utf8: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HunkView {
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
    /// The whole `@@ … @@ …` line.
    pub header: String,
    /// As Git prints them: marker first; `\ No newline at end of file` is one of them.
    pub lines: Vec<String>,
    /// `change-N-hunk-M`, for as long as the list stays as it is.
    pub id: String,
    pub area: Area,
}

/// Between which two states a part or hunk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// Between the last commit and the index.
    Staged,
    /// Between the index and the file.
    Unstaged,
    /// A file in conflict, against both sides; the old lines are those of ours.
    Conflict,
    /// Between two commits.
    Committed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartView {
    pub area: Area,
    pub kind: ChangeKind,
    /// As in 100644; absent when added, or when only the name changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_mode: Option<String>,
    /// How alike the two sides of a rename or copy are, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u8>,
    pub added_lines: usize,
    pub removed_lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Added,
    Deleted,
    Modified,
    Renamed,
    Copied,
    ModeChanged,
    TypeChanged,
    Untracked,
    NestedRepository,
    Conflict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    Text,
    Binary,
    Symlink,
    Submodule,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OmittedView {
    pub hunks: usize,
    pub lines: usize,
    /// Bytes cut from the ends of lines that are here.
    pub bytes: usize,
}

impl ChangeView {
    /// `staged` says what the staged part of `change` stands for.
    pub(super) fn of(change: &Change, staged: Area) -> Self {
        let areas = [(staged, &change.staged, change.staged_kind())];
        let areas = areas.into_iter().chain([(Area::Unstaged, &change.unstaged, change.unstaged_kind())]);
        let mut view = Self {
            id: change.id.clone(),
            file_path: change.path.to_text().into_owned(),
            hunks: Vec::new(),
            kind: change.kind().into(),
            file_kind: change.file_kind().into(),
            old_path: change.old_path().map(|path| path.to_text().into_owned()),
            parts: Vec::new(),
            conflict: change.conflict.as_ref().map(|conflict| conflict_name(conflict.kind).to_owned()),
            omitted: None,
            not_utf8: std::str::from_utf8(change.path.as_bytes()).is_err(),
        };
        let mut omitted = OmittedView::default();
        for (area, files, kind) in areas {
            view.parts.extend(kind.map(|kind| part(area, kind.into(), files)));
            for file in files {
                omitted.add(file.omitted);
                for hunk in file.hunks() {
                    view.push_hunk(area, hunk.old, hunk.new, &hunk.header, hunk.raw_lines());
                }
            }
        }
        let combined = change.conflict.as_ref().and_then(|conflict| conflict.combined.as_ref());
        if let Some(combined) = combined {
            omitted.add(combined.omitted);
            for hunk in &combined.hunks {
                let ours = hunk.old.first().copied().unwrap_or(Span { start: 0, lines: 0 });
                view.push_hunk(Area::Conflict, ours, hunk.new, &hunk.header, hunk.raw_lines());
            }
        }
        view.omitted = Some(omitted).filter(|omitted| *omitted != OmittedView::default());
        view
    }

    fn push_hunk<'a>(
        &mut self,
        area: Area,
        old: Span,
        new: Span,
        header: &[u8],
        lines: impl Iterator<Item = &'a [u8]>,
    ) {
        let mut not_utf8 = false;
        let mut text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            not_utf8 |= matches!(text, Cow::Owned(_));
            text.into_owned()
        };
        let header = text(header);
        let lines = lines.map(&mut text).collect();
        self.not_utf8 |= not_utf8;
        self.hunks.push(HunkView {
            old_start: old.start,
            old_lines: old.lines,
            new_start: new.start,
            new_lines: new.lines,
            header,
            lines,
            id: format!("{}-hunk-{}", self.id, self.hunks.len() + 1),
            area,
        });
    }

    /// Drops lines and hunks from the end until the change takes at most `room` bytes of JSON.
    pub(super) fn fit(&mut self, room: usize) {
        if json_size(self) <= room {
            return;
        }
        let mut omitted = self.omitted.unwrap_or_default();
        let hunks = std::mem::take(&mut self.hunks);
        self.omitted = Some(OmittedView { hunks: usize::MAX, lines: usize::MAX, bytes: usize::MAX });
        let mut left = room.saturating_sub(json_size(self));
        let mut full = false;
        let mut take = |size: usize| {
            full |= size >= left;
            left -= if full { 0 } else { size };
            !full
        };
        for mut hunk in hunks {
            let lines = std::mem::take(&mut hunk.lines);
            if !take(json_size(&hunk) + 1) {
                omitted.hunks += 1;
                omitted.lines += lines.len();
                continue;
            }
            for line in lines {
                if take(json_size(&line) + 1) {
                    hunk.lines.push(line);
                } else {
                    omitted.lines += 1;
                }
            }
            self.hunks.push(hunk);
        }
        self.omitted = Some(omitted);
    }

    fn lines(&self) -> (usize, usize) {
        let sum = |count: fn(&PartView) -> usize| self.parts.iter().map(count).sum();
        (sum(|part| part.added_lines), sum(|part| part.removed_lines))
    }
}

/// One line for people: id, kind, path, size, areas.
impl fmt::Display for ChangeView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (added, removed) = self.lines();
        let kind = self.conflict.as_deref().unwrap_or_else(|| self.kind.as_str()).replace('_', " ");
        write!(formatter, "{:<10} {kind:<12} ", self.id)?;
        if let Some(old) = &self.old_path {
            write!(formatter, "{} → ", shown(old))?;
        }
        write!(formatter, "{}", shown(&self.file_path))?;
        if self.file_kind == FileKind::Text {
            write!(formatter, "  +{added} -{removed}")?;
        } else {
            write!(formatter, "  {}", self.file_kind.as_str())?;
        }
        let staged = self.parts.iter().any(|part| part.area == Area::Staged);
        let unstaged = self.parts.iter().any(|part| part.area == Area::Unstaged);
        match (staged, unstaged) {
            (true, true) => formatter.write_str("  partly staged")?,
            (true, false) => formatter.write_str("  staged")?,
            _ => {}
        }
        if self.omitted.is_some() { formatter.write_str("  (cut)") } else { Ok(()) }
    }
}

/// A newline or an escape sequence in a name would be read as something else.
pub(super) fn shown(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_control) { Cow::Owned(format!("{name:?}")) } else { Cow::Borrowed(name) }
}

fn part(area: Area, kind: ChangeKind, files: &[FileChange]) -> PartView {
    let old = files.iter().find_map(|file| file.old.as_ref());
    let new = files.iter().rev().find_map(|file| file.new.as_ref());
    PartView {
        area,
        kind,
        old_mode: old.and_then(|side| side.mode).map(|mode| mode.to_string()),
        new_mode: new.and_then(|side| side.mode).map(|mode| mode.to_string()),
        similarity: files.iter().find_map(|file| file.similarity),
        added_lines: files.iter().map(|file| file.added).sum(),
        removed_lines: files.iter().map(|file| file.removed).sum(),
    }
}

impl OmittedView {
    fn add(&mut self, omitted: Omitted) {
        self.hunks += omitted.hunks;
        self.lines += omitted.lines;
        self.bytes += omitted.bytes;
    }
}

impl ChangeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::ModeChanged => "mode_changed",
            Self::TypeChanged => "type_changed",
            Self::Untracked => "untracked",
            Self::NestedRepository => "nested_repository",
            Self::Conflict => "conflict",
        }
    }
}

impl FileKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Binary => "binary",
            Self::Symlink => "symlink",
            Self::Submodule => "submodule",
        }
    }
}

impl From<becket_git::ChangeKind> for ChangeKind {
    fn from(kind: becket_git::ChangeKind) -> Self {
        match kind {
            becket_git::ChangeKind::Added => Self::Added,
            becket_git::ChangeKind::Deleted => Self::Deleted,
            becket_git::ChangeKind::Modified => Self::Modified,
            becket_git::ChangeKind::Renamed => Self::Renamed,
            becket_git::ChangeKind::Copied => Self::Copied,
            becket_git::ChangeKind::ModeChanged => Self::ModeChanged,
            becket_git::ChangeKind::TypeChanged => Self::TypeChanged,
            becket_git::ChangeKind::Untracked => Self::Untracked,
            becket_git::ChangeKind::NestedRepository => Self::NestedRepository,
            becket_git::ChangeKind::Conflict => Self::Conflict,
        }
    }
}

impl From<becket_git::FileKind> for FileKind {
    fn from(kind: becket_git::FileKind) -> Self {
        match kind {
            becket_git::FileKind::Text => Self::Text,
            becket_git::FileKind::Binary => Self::Binary,
            becket_git::FileKind::Symlink => Self::Symlink,
            becket_git::FileKind::Submodule => Self::Submodule,
        }
    }
}

pub(super) fn conflict_name(kind: ConflictKind) -> &'static str {
    match kind {
        ConflictKind::BothModified => "both_modified",
        ConflictKind::BothAdded => "both_added",
        ConflictKind::BothDeleted => "both_deleted",
        ConflictKind::AddedByUs => "added_by_us",
        ConflictKind::AddedByThem => "added_by_them",
        ConflictKind::DeletedByUs => "deleted_by_us",
        ConflictKind::DeletedByThem => "deleted_by_them",
    }
}
