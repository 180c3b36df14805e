//! Git's merge driver for `spec.yaml`: the merge itself, and its place in a clone.
#![allow(clippy::disallowed_methods, reason = "Git hands a merge driver its three versions as files")]

use std::path::Path;

use becket_project::files;
use becket_store::spec_file::{self, Labels};

use crate::{Engine, Error};

const NAME: &str = "becket-spec";
const TITLE: &str = "becket: tasks of spec.yaml, one by one";
const ATTRIBUTE: &str = "spec.yaml merge=becket-spec";

/// Merges `theirs` into the file `ours`, and says how many conflicts are left in it.
pub fn merge_spec(base: &Path, ours: &Path, theirs: &Path) -> Result<usize, Error> {
    let read = |path: &Path| {
        let unusable = |error: std::io::Error| {
            Error::unavailable("merge_input", format!("{} cannot be read.", path.display()))
                .with_hint("Git calls this command; merge the file by hand.")
                .with_source(error)
        };
        let bytes = fs_err::read(path).map_err(unusable)?;
        String::from_utf8(bytes).map_err(|_| {
            Error::invalid("merge_input", format!("{} is not UTF-8.", path.display()))
                .with_hint("Merge the file by hand.")
        })
    };
    let labels = Labels { ours: "ours", theirs: "theirs" };
    let merged = spec_file::merge(&read(base)?, &read(ours)?, &read(theirs)?, &labels);
    fs_err::write(ours, merged.text).map_err(|error| {
        Error::unavailable("merge_output", format!("{} cannot be written.", ours.display()))
            .with_source(error)
    })?;
    Ok(merged.conflicts)
}

impl Engine {
    /// Registers the driver where the clone has tasks; says whether something was changed.
    pub fn register_merge_driver(&self, executable: &Path) -> Result<bool, Error> {
        let Some((root, git)) = self.mergeable() else { return Ok(false) };
        let driver = format!("{} merge-spec %O %A %B %P", self.program(executable));
        let known = becket_git::merge_driver(&git, NAME)?;
        if known.as_deref() != Some(driver.as_str()) {
            becket_git::set_merge_driver(&git, NAME, TITLE, &driver)?;
        }
        let path = root.join(".lodestar").join(".gitattributes");
        let before = text(&path)?;
        if before.lines().any(|line| line.trim() == ATTRIBUTE) {
            return Ok(known.as_deref() != Some(driver.as_str()));
        }
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        write(&path, &format!("{before}{gap}{ATTRIBUTE}\n"))?;
        Ok(true)
    }

    /// Whether the tasks ask for the driver and this clone does not have it: Git carries the one over and not the other.
    pub(super) fn lacks_merge_driver(&self) -> bool {
        let Some((root, git)) = self.mergeable() else { return false };
        let asked = text(&root.join(".lodestar").join(".gitattributes")).unwrap_or_default();
        asked.lines().any(|line| line.trim() == ATTRIBUTE)
            && becket_git::merge_driver(&git, NAME).is_ok_and(|driver| driver.is_none())
    }

    /// Takes back exactly what [`Self::register_merge_driver`] wrote.
    pub fn unregister_merge_driver(&self) -> Result<bool, Error> {
        let Some((root, git)) = self.mergeable() else { return Ok(false) };
        let known = becket_git::merge_driver(&git, NAME)?.is_some();
        if known {
            becket_git::remove_merge_driver(&git, NAME)?;
        }
        let path = root.join(".lodestar").join(".gitattributes");
        let before = text(&path)?;
        if !before.lines().any(|line| line.trim() == ATTRIBUTE) {
            return Ok(known);
        }
        let kept: String = before.split_inclusive('\n').filter(|line| line.trim() != ATTRIBUTE).collect();
        if kept.is_empty() {
            fs_err::remove_file(&path).map_err(|error| {
                Error::unavailable("file_not_writable", format!("{} cannot be removed.", path.display()))
                    .with_source(error)
            })?;
        } else {
            write(&path, &kept)?;
        }
        Ok(true)
    }

    /// What Git shall start: the name alone where the path leads to this very program, so that it may move; else the
    /// program itself.
    fn program(&self, executable: &Path) -> String {
        let name = format!("becket{}", std::env::consts::EXE_SUFFIX);
        let folders = self.environment().variables.get("PATH").map(String::as_str).unwrap_or_default();
        let found = std::env::split_paths(folders).map(|folder| folder.join(&name)).find(|one| one.is_file());
        let real = |path: &Path| fs_err::canonicalize(path).ok();
        if found.is_some_and(|found| real(&found).is_some() && real(&found) == real(executable)) {
            return "becket".to_owned();
        }
        format!("'{}'", executable.display().to_string().replace('\'', "'\\''"))
    }

    /// The folder with `.lodestar/` and the worktree of Git around it.
    fn mergeable(&self) -> Option<(std::path::PathBuf, std::path::PathBuf)> {
        let (root, workspace) = self.board_root(None).ok()?;
        workspace.git_dir.as_ref()?;
        Some((root, workspace.root))
    }
}

fn text(path: &Path) -> Result<String, Error> {
    let bytes = files::read(path, 1 << 20).map_err(unwritable)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    files::write(path, text.as_bytes()).map_err(unwritable)
}

fn unwritable(error: files::FileError) -> Error {
    Error::unavailable("file_not_writable", crate::repository::sentence(&error.to_string()))
        .with_hint("Check the permissions of the file.")
        .with_source(error)
}
