//! Edits of an index: which path gets which content. Contents that Git does not have yet are stored first.

use std::path::Path;

use becket_diff::{FilePath, Mode};
use serde::{Deserialize, Serialize};

use super::error::WriteError;
use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;
use crate::read::text;

/// What Git stores for a path: a file, a link, or the commit of a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub mode: Mode,
    pub id: String,
}

/// What a path becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEdit {
    pub path: FilePath,
    /// Nothing when it goes.
    pub entry: Option<(Mode, NewContent)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewContent {
    /// In the repository already.
    Stored(String),
    Bytes(Vec<u8>),
}

/// An edit whose content is stored, as a journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredEdit {
    pub(super) path: Vec<u8>,
    pub(super) entry: Option<(u32, String)>,
}

/// Stores what is not stored yet, by one git for all of it.
pub(super) fn store(git: &Git, scratch: &Path, edits: &[&TreeEdit]) -> Result<Vec<StoredEdit>, WriteError> {
    let mut input = Vec::new();
    let mut written = 0;
    for edit in edits {
        if let Some((_, NewContent::Bytes(bytes))) = &edit.entry {
            // Its own name for each: Git takes the type of a file from no name.
            let path = scratch.join(written.to_string());
            fs_err::write(&path, bytes).map_err(WriteError::io("storing a content"))?;
            input.extend_from_slice(path.as_os_str().as_encoded_bytes());
            input.push(b'\n');
            written += 1;
        }
    }
    let output = if written == 0 {
        Vec::new()
    } else {
        let options = ["-w", "--no-filters", "--stdin-paths"];
        git.clone().with_filters_checked().command("hash-object").options(options).input(input).output()?
    };
    let output = text(&output);
    let mut ids = output.lines();
    edits
        .iter()
        .map(|edit| {
            let entry = match &edit.entry {
                None => None,
                Some((mode, NewContent::Stored(id))) => Some((mode.0, id.clone())),
                Some((mode, NewContent::Bytes(_))) => {
                    let id = ids.next().ok_or_else(|| GitError::Unexpected {
                        command: "hash-object",
                        found: output.clone(),
                    })?;
                    Some((mode.0, id.to_owned()))
                }
            };
            Ok(StoredEdit { path: edit.path.as_bytes().to_vec(), entry })
        })
        .collect()
}

/// Enters edits into the index that `git` sees.
pub(super) fn enter(git: &Git, edits: &[StoredEdit]) -> Result<(), GitError> {
    if edits.is_empty() {
        return Ok(());
    }
    let zeros = edits.iter().find_map(|edit| edit.entry.as_ref()).map_or(40, |(_, id)| id.len());
    let zeros = "0".repeat(zeros);
    let mut input = Vec::new();
    // What goes first makes room: a file may become a folder of the same name.
    let (gone, set): (Vec<_>, Vec<_>) = edits.iter().partition(|edit| edit.entry.is_none());
    for edit in gone.into_iter().chain(set) {
        let line = match &edit.entry {
            None => format!("0 {zeros} 0\t"),
            Some((mode, id)) => format!("{mode:06o} {id} 0\t"),
        };
        input.extend_from_slice(line.as_bytes());
        input.extend_from_slice(&edit.path);
        input.push(0);
    }
    git.command("update-index").options(["-z", "--index-info"]).input(input).output().map(drop)
}

/// What Git must not forget of an entry that is replaced: files that a sparse checkout leaves out, and those that the
/// user asked Git not to look at.
#[derive(Debug, Default)]
pub(super) struct Flags {
    skip_worktree: Vec<u8>,
    assume_unchanged: Vec<u8>,
}

/// The flags of the entries of `paths` in the index that `git` sees.
pub(super) fn flags(git: &Git, paths: &[&[u8]]) -> Result<Flags, GitError> {
    let mut flags = Flags::default();
    for some in paths.chunks(500) {
        let command = git.command("ls-files").options(["-v", "-z", "--cached", "--sparse"]);
        let command = some.iter().fold(command, |command, path| command.path(to_native(path)));
        for record in command.output()?.split(|byte| *byte == 0) {
            let [tag, b' ', path @ ..] = record else { continue };
            let named = [path, b"\0"].concat();
            if tag.eq_ignore_ascii_case(&b'S') {
                flags.skip_worktree.extend_from_slice(&named);
            }
            if tag.is_ascii_lowercase() {
                flags.assume_unchanged.extend_from_slice(&named);
            }
        }
    }
    Ok(flags)
}

/// Sets flags again, where the entries still are.
pub(super) fn restore_flags(git: &Git, flags: Flags) -> Result<(), GitError> {
    let set = [("--skip-worktree", flags.skip_worktree), ("--assume-unchanged", flags.assume_unchanged)];
    for (option, paths) in set {
        if !paths.is_empty() {
            // Fails for a path that went, and there is then nothing to set.
            let command = git.command("update-index").options(["-z", option, "--stdin"]);
            command.input(paths).output_unless(&[128])?;
        }
    }
    Ok(())
}
