//! Repositories inside the root: a `.git` between the root and a path must lead to a Git directory that is ours too,
//! else whoever runs Git there would be led elsewhere.

use std::path::{Path, PathBuf};

use super::{AdmitError, normal};
use crate::canonical::canonical;
use crate::root::git_dir::read_git_file;

/// Checks every folder below `root` down to `place`. `homes` are canonical folders in which a Git directory may lie.
pub(super) fn check(root: &Path, place: &Path, homes: &[PathBuf], argument: &str) -> Result<(), AdmitError> {
    let folders = place.ancestors().take_while(|folder| *folder != root);
    for folder in folders {
        let dot_git = folder.join(".git");
        let Ok(metadata) = fs_err::symlink_metadata(&dot_git) else { continue };
        if metadata.is_dir() {
            continue;
        }
        let target = if metadata.is_symlink() && dot_git.is_dir() {
            dot_git.clone()
        } else {
            read_git_file(&dot_git).map_err(|source| AdmitError::NestedGitBroken {
                argument: argument.to_owned(),
                dot_git: dot_git.clone(),
                source,
            })?
        };
        if !homes.iter().any(|home| resolved(&target).starts_with(home)) {
            return Err(AdmitError::NestedGitOutside { argument: argument.to_owned(), dot_git });
        }
    }
    Ok(())
}

/// Canonical as far as it exists; the rest as spelled. A Git directory that is gone leads nowhere, so its spelling is
/// all there is to judge.
fn resolved(target: &Path) -> PathBuf {
    for (depth, ancestor) in target.ancestors().enumerate() {
        if let Ok(mut place) = canonical(ancestor) {
            let missing: Vec<_> = target.iter().rev().take(depth).collect();
            for name in missing.into_iter().rev() {
                place = normal(&place, &[name.to_string_lossy().into_owned()]);
            }
            return place;
        }
    }
    target.to_owned()
}
