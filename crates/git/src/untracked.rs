//! Files that Git does not know yet: which there are. What is in them is seen through a
//! [`crate::private_index::PrivateIndex`].

use std::collections::BTreeSet;

use becket_diff::FilePath;

use crate::error::GitError;
use crate::process::{Flow, Git};

/// Whether files that Git does not know are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Untracked {
    #[default]
    Include,
    Exclude,
}

/// What Git does not know and does not ignore.
#[derive(Debug, Default)]
pub(crate) struct UntrackedFiles {
    pub(crate) files: BTreeSet<FilePath>,
    /// Folders that are repositories of their own and no submodules.
    pub(crate) repositories: BTreeSet<FilePath>,
    /// How many more there are.
    pub(crate) omitted: usize,
}

pub(crate) fn find_untracked(git: &Git, limit: usize) -> Result<UntrackedFiles, GitError> {
    let mut found = UntrackedFiles::default();
    let mut partial = Vec::new();
    let command = git.command("ls-files").options(["--others", "--exclude-standard", "-z"]);
    let finished = command.run(&mut |piece| {
        for part in piece.split_inclusive(|byte| *byte == 0) {
            partial.extend_from_slice(part);
            if partial.pop_if(|last| *last == 0).is_some() {
                found.take(std::mem::take(&mut partial), limit);
            }
        }
        Flow::More
    })?;
    if finished.code != Some(0) {
        return Err(GitError::from_exit(git.dir(), "ls-files", finished.code, &finished.stderr));
    }
    Ok(found)
}

impl UntrackedFiles {
    fn take(&mut self, mut path: Vec<u8>, limit: usize) {
        if self.files.len() + self.repositories.len() >= limit {
            self.omitted += 1;
        } else if path.pop_if(|last| *last == b'/').is_some() {
            self.repositories.insert(FilePath::new(path));
        } else {
            self.files.insert(FilePath::new(path));
        }
    }
}
