//! Repositories inside the root: a `.git` between the root and a path must lead to a Git directory that is ours too,
//! else whoever runs Git there would be led elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use super::AdmitError;
use super::walk::normal;
use crate::canonical::canonical;
use crate::root::GitFileError;
use crate::root::git_dir::{common_of, found, read_git_file};
use crate::shown::shown;

/// Checks every folder below `root` down to `place`, which exists. `is_home` says whether a Git directory may lie at a
/// canonical path.
pub(super) fn check(
    root: &Path,
    place: &Path,
    argument: &str,
    is_home: impl Fn(&Path) -> bool,
) -> Result<(), AdmitError> {
    let unreadable = |source: io::Error| AdmitError::Unreadable { argument: shown(argument), source };
    for folder in place.ancestors().take_while(|folder| *folder != root) {
        let dot_git = folder.join(".git");
        let Some(metadata) = found(fs_err::symlink_metadata(&dot_git)).map_err(unreadable)? else { continue };
        let broken = |source| AdmitError::NestedGitBroken {
            argument: shown(argument),
            dot_git: dot_git.clone(),
            source,
        };
        let is_folder = metadata.is_dir() || (metadata.is_symlink() && dot_git.is_dir());
        let target = if is_folder { dot_git.clone() } else { read_git_file(&dot_git).map_err(broken)? };
        // What lies elsewhere is not asked where it leads.
        let at_home = is_home(&resolved(&target)) && {
            let common = common_of(&target).map_err(unreadable)?;
            is_home(&resolved(&common.ok_or_else(|| broken(GitFileError::NotAPath))?))
        };
        if !at_home {
            return Err(AdmitError::NestedGitOutside { argument: shown(argument), dot_git });
        }
    }
    Ok(())
}

/// Canonical as far as it exists; the rest as spelled. A Git directory that is gone leads nowhere, so its spelling is
/// all there is to judge.
fn resolved(target: &Path) -> PathBuf {
    for (depth, ancestor) in target.ancestors().enumerate() {
        if let Ok(place) = canonical(ancestor) {
            let names: Vec<String> = target
                .iter()
                .skip(target.iter().count() - depth)
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            return normal(&place, &names);
        }
    }
    target.to_owned()
}
