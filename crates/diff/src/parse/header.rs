//! What stands before the hunks: names, modes, ids.

use crate::model::{CombinedChange, Content, FileChange, Hunk, Mode, Omitted, Side, Status};
use crate::path::{FilePath, read_patch_path};

/// The header of one file as far as it was read.
#[derive(Debug, Default)]
pub(super) struct FileHeader {
    /// What follows `diff --git `.
    pub(super) names: Vec<u8>,
    pub(super) has_hunks: bool,
    status: Option<Status>,
    similarity: Option<u8>,
    old_path: Option<Vec<u8>>,
    new_path: Option<Vec<u8>>,
    old_mode: Option<Mode>,
    new_mode: Option<Mode>,
    ids: Option<(String, String)>,
    binary: bool,
}

impl FileHeader {
    pub(super) fn new(names: &[u8]) -> Self {
        Self { names: names.to_vec(), ..Self::default() }
    }

    /// Reads one line; false when it is not a line of a header.
    pub(super) fn read(&mut self, line: &[u8]) -> bool {
        self.try_read(line).is_some()
    }

    fn try_read(&mut self, line: &[u8]) -> Option<()> {
        if let Some(mode) = line.strip_prefix(b"old mode ") {
            self.old_mode = Some(read_mode(mode)?);
        } else if let Some(mode) = line.strip_prefix(b"new mode ") {
            self.new_mode = Some(read_mode(mode)?);
        } else if let Some(mode) = line.strip_prefix(b"new file mode ") {
            self.status = Some(Status::Added);
            self.new_mode = Some(read_mode(mode)?);
        } else if let Some(mode) = line.strip_prefix(b"deleted file mode ") {
            self.status = Some(Status::Deleted);
            self.old_mode = Some(read_mode(mode)?);
        } else if let Some(percent) = line.strip_prefix(b"similarity index ") {
            self.similarity = Some(read_text(percent.strip_suffix(b"%")?)?.parse().ok()?);
        } else if let Some(path) = line.strip_prefix(b"rename from ") {
            self.status = Some(Status::Renamed);
            self.old_path = Some(read_whole(path)?);
        } else if let Some(path) = line.strip_prefix(b"copy from ") {
            self.status = Some(Status::Copied);
            self.old_path = Some(read_whole(path)?);
        } else if let Some(path) = line.strip_prefix(b"rename to ").or_else(|| line.strip_prefix(b"copy to "))
        {
            self.new_path = Some(read_whole(path)?);
        } else if let Some(ids) = line.strip_prefix(b"index ") {
            self.read_index(ids)?;
        } else if let Some(label) = line.strip_prefix(b"--- ") {
            read_label(label, b"a/", &mut self.old_path)?;
        } else if let Some(label) = line.strip_prefix(b"+++ ") {
            read_label(label, b"b/", &mut self.new_path)?;
        } else if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
            self.binary = true;
        } else {
            return None;
        }
        Some(())
    }

    fn read_index(&mut self, text: &[u8]) -> Option<()> {
        let text = read_text(text)?;
        let (ids, mode) = text.split_once(' ').map_or((text, None), |(ids, mode)| (ids, Some(mode)));
        let (old, new) = ids.split_once("..")?;
        self.ids = Some((old.to_owned(), new.to_owned()));
        if let Some(mode) = mode {
            let mode = read_mode(mode.as_bytes())?;
            (self.old_mode, self.new_mode) = (Some(mode), Some(mode));
        }
        Some(())
    }

    /// The change, but for what was counted in its hunks. Nothing when its names cannot be read.
    pub(super) fn finish(self, hunks: Vec<Hunk>) -> Option<FileChange> {
        let status = self.status.unwrap_or(Status::Modified);
        let (old_path, new_path) = match (self.old_path, self.new_path) {
            (Some(old), Some(new)) => (old, new),
            // Only renames and copies have two names, and they say both.
            (Some(path), None) | (None, Some(path)) => (path.clone(), path),
            (None, None) => {
                let path = read_equal_names(&self.names)?;
                (path.clone(), path)
            }
        };
        let (old_id, new_id) = self.ids.unzip();
        let old = Side { path: FilePath::new(old_path), mode: self.old_mode, id: old_id };
        let new = Side { path: FilePath::new(new_path), mode: self.new_mode, id: new_id };
        let content = if self.binary {
            Content::Binary
        } else if self.has_hunks {
            Content::Text(hunks)
        } else {
            Content::Same
        };
        Some(FileChange {
            status,
            old: (status != Status::Added).then_some(old),
            new: (status != Status::Deleted).then_some(new),
            similarity: self.similarity,
            content,
            added: 0,
            removed: 0,
            omitted: Omitted::default(),
        })
    }
}

/// Reads `diff --cc path`.
pub(super) fn begin_combined(line: &[u8]) -> Option<CombinedChange> {
    let path = line.strip_prefix(b"diff --cc ").or_else(|| line.strip_prefix(b"diff --combined "))?;
    let mut header = line.to_vec();
    header.push(b'\n');
    Some(CombinedChange {
        path: FilePath::new(read_whole(path)?),
        header,
        binary: false,
        hunks: Vec::new(),
        omitted: Omitted::default(),
    })
}

/// Takes a header line of a combined change as it is; false when it is not one.
pub(super) fn read_combined(change: &mut CombinedChange, line: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 7] =
        [b"index ", b"mode ", b"new file mode ", b"deleted file mode ", b"--- ", b"+++ ", b"Binary files "];
    let known = BEGINNINGS.iter().any(|beginning| line.starts_with(beginning));
    if known {
        change.binary |= line.starts_with(b"Binary files ");
        change.header.extend_from_slice(line);
        change.header.push(b'\n');
    }
    known
}

/// Reads `a/x b/x`, in which both names are the same, so that spaces in them do not matter.
fn read_equal_names(names: &[u8]) -> Option<Vec<u8>> {
    let (old, new) = if names.starts_with(b"\"") {
        let (old, rest) = read_patch_path(names)?;
        (old, read_whole(rest.strip_prefix(b" ")?)?)
    } else {
        let middle = names.len() / 2;
        (names[..middle].to_vec(), names[middle..].strip_prefix(b" ")?.to_vec())
    };
    let old = old.strip_prefix(b"a/")?;
    (old == new.strip_prefix(b"b/")?).then(|| old.to_vec())
}

/// Reads the name in a `---` or `+++` line. A rename has said it before, and `/dev/null` says nothing.
fn read_label(label: &[u8], prefix: &[u8], path: &mut Option<Vec<u8>>) -> Option<()> {
    let label = label.strip_suffix(b"\t").unwrap_or(label);
    if label != b"/dev/null" {
        *path = Some(read_whole(label)?.strip_prefix(prefix)?.to_vec());
    }
    Some(())
}

fn read_whole(text: &[u8]) -> Option<Vec<u8>> {
    FilePath::from_quoted(text).map(|path| path.as_bytes().to_vec())
}

fn read_mode(text: &[u8]) -> Option<Mode> {
    u32::from_str_radix(read_text(text)?, 8).ok().map(Mode)
}

fn read_text(text: &[u8]) -> Option<&str> {
    std::str::from_utf8(text).ok()
}
