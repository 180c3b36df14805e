//! Clean and smudge filters. Git runs them while it compares files, and a repository can bring its own; only those
//! that the user has configured (such as Git LFS) are run.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;

/// `git` with the filters of the repository's own configuration switched off, and the names of those that would have
/// been used. Where the user has configured a filter of the same name, the user's stands. [`crate::process`] asks this of
/// itself for commands that run filters.
pub(crate) fn without_own_filters(git: Git) -> Result<(Git, Vec<String>), GitError> {
    let list = git.command("config").options(["--null", "--show-scope", "--get-regexp", r"^filter\."]);
    let (_, output) = list.output_unless(&[1])?;
    let mut settings: BTreeMap<&[u8], Setting<'_>> = BTreeMap::new();
    let mut fields = output.split(|byte| *byte == 0);
    while let (Some(scope), Some(field)) = (fields.next(), fields.next()) {
        let end = field.iter().position(|byte| *byte == b'\n').unwrap_or(field.len());
        let setting = settings.entry(&field[..end]).or_default();
        if matches!(scope, b"local" | b"worktree") {
            setting.own = true;
        } else {
            setting.users = Some(field.get(end + 1..).unwrap_or(b"true"));
        }
    }
    let mut names = Vec::new();
    let git = settings.iter().filter(|(_, setting)| setting.own).fold(git, |git, (key, setting)| {
        let required = key.ends_with(b".required");
        if setting.users.is_none() && !required {
            names.extend(name(key));
        }
        let neutral: &[u8] = if required { b"false" } else { b"" };
        git.with_config(to_os(key), to_os(setting.users.unwrap_or(neutral)))
    });
    names.dedup();
    Ok((git.with_filters_checked(), names))
}

#[derive(Default)]
struct Setting<'a> {
    own: bool,
    users: Option<&'a [u8]>,
}

/// The `x` of `filter.x.clean`.
fn name(key: &[u8]) -> Option<String> {
    let rest = key.strip_prefix(b"filter.")?;
    let end = rest.iter().rposition(|byte| *byte == b'.')?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

fn to_os(bytes: &[u8]) -> OsString {
    to_native(bytes).into_os_string()
}
