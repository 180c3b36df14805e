//! The worktrees of a clone.

use std::path::PathBuf;

use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;
use crate::read::{Location, unexpected};

/// One worktree, as Git has it registered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worktree {
    /// Canonical where it exists; a prunable worktree often does not. For a bare repository, its Git directory.
    pub path: PathBuf,
    /// The commit that is checked out; none when bare or unborn.
    pub head: Option<String>,
    /// The branch, without `refs/heads/`.
    pub branch: Option<String>,
    pub detached: bool,
    pub bare: bool,
    /// Whether it is locked, and the reason that was given for it (which may be empty).
    pub locked: Option<String>,
    /// Whether it may be pruned, and why.
    pub prunable: Option<String>,
}

/// Every worktree of the clone, the main one included, sorted by path.
pub fn worktrees(location: &Location) -> Result<Vec<Worktree>, GitError> {
    worktrees_with(&Git::at(location.dir()), location)
}

/// [`worktrees`] within the limits of `git`.
pub fn worktrees_with(git: &Git, location: &Location) -> Result<Vec<Worktree>, GitError> {
    let list = git.clone().in_dir(location.dir());
    let output = list.command("worktree").options(["list", "--porcelain", "-z"]).output()?;
    let mut worktrees = parse(&output)?;
    // The main one comes first, and Git derives its path by rules that fail for submodules and bare repositories.
    if let Some(main) = worktrees.first_mut() {
        main.path = location.main_worktree.clone().unwrap_or_else(|| location.common_dir.clone());
    }
    for worktree in &mut worktrees {
        if let Ok(path) = fs_err::canonicalize(&worktree.path) {
            worktree.path = path;
        }
    }
    worktrees.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(worktrees)
}

fn parse(output: &[u8]) -> Result<Vec<Worktree>, GitError> {
    let mut worktrees: Vec<Worktree> = Vec::new();
    for field in output.split(|byte| *byte == 0).filter(|field| !field.is_empty()) {
        let (name, value) = match field.iter().position(|byte| *byte == b' ') {
            Some(space) => (&field[..space], &field[space + 1..]),
            None => (field, &field[field.len()..]),
        };
        if name == b"worktree" {
            worktrees.push(Worktree { path: to_native(value), ..Worktree::default() });
            continue;
        }
        let worktree = worktrees.last_mut().ok_or_else(|| unexpected("worktree", output))?;
        let value = String::from_utf8_lossy(value);
        match name {
            b"HEAD" => {
                worktree.head = Some(value.into_owned()).filter(|id| id.bytes().any(|digit| digit != b'0'));
            }
            b"branch" => {
                worktree.branch = Some(value.strip_prefix("refs/heads/").unwrap_or(&value).to_owned());
            }
            b"detached" => worktree.detached = true,
            b"bare" => worktree.bare = true,
            b"locked" => worktree.locked = Some(value.into_owned()),
            b"prunable" => worktree.prunable = Some(value.into_owned()),
            // A later git may say more about a worktree.
            _ => {}
        }
    }
    Ok(worktrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_is_read() {
        let output = b"worktree /a\nb\0HEAD 12ab\0branch refs/heads/x/y\0\0\
            worktree /c\0HEAD 34cd\0detached\0locked on a stick\0prunable gone\0\0\
            worktree /d\0HEAD 0000\0branch refs/heads/new\0locked\0\0\
            worktree /e\0bare\0novelty 1\0\0";
        let worktrees = parse(output).unwrap();
        let expected = [
            Worktree {
                path: "/a\nb".into(),
                head: Some("12ab".into()),
                branch: Some("x/y".into()),
                ..Worktree::default()
            },
            Worktree {
                path: "/c".into(),
                head: Some("34cd".into()),
                detached: true,
                locked: Some("on a stick".into()),
                prunable: Some("gone".into()),
                ..Worktree::default()
            },
            Worktree {
                path: "/d".into(),
                branch: Some("new".into()),
                locked: Some(String::new()),
                ..Worktree::default()
            },
            Worktree { path: "/e".into(), bare: true, ..Worktree::default() },
        ];
        assert_eq!(worktrees, expected);
        assert!(matches!(parse(b"HEAD 12ab\0"), Err(GitError::Unexpected { .. })));
    }
}
