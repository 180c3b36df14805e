//! What a git that becket starts finds around it: which program it is, its environment, and the settings that a
//! repository cannot change.
#![allow(clippy::disallowed_methods, reason = "a child inherits the environment, less what steers git")]

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

pub(crate) type Pair = (OsString, OsString);

/// Settings that a repository could use to run a command, to reach the network, or to change what is printed. They
/// outrank every configuration file and reach the git processes that git itself starts in submodules.
const FIXED_CONFIG: [(&str, &str); 13] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", ":"),
    ("core.askPass", ""),
    ("credential.helper", ""),
    ("log.showSignature", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("core.quotePath", "false"),
    ("diff.suppressBlankEmpty", "false"),
    ("i18n.logOutputEncoding", "UTF-8"),
];

const FIXED_ENVIRONMENT: [(&str, &str); 7] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // No protocol has this name, so that none may be used whatever the configuration allows.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ADVICE", "0"),
    ("LC_ALL", "C"),
];

/// Of the variables that steer git, those that say who and where the user is. The others would move a call to
/// another repository, or were meant for the process that becket was started from.
const KEPT_ENVIRONMENT: [&str; 13] = [
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
];

/// The first `git` in an absolute directory of the PATH. A relative entry would mean the repository's own directory.
pub(crate) fn find_program() -> Option<PathBuf> {
    find_on(std::env::var_os("PATH").as_deref())
}

fn find_on(path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(format!("git{}", std::env::consts::EXE_SUFFIX)))
        .find(|program| program.is_file())
}

/// Gives a git its environment: what it inherits, cleaned, the fixed settings, and then `config` and `variables`.
pub(crate) fn set_environment(process: &mut Command, config: &[Pair], variables: &[Pair]) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let steers = text.starts_with("GIT_") || matches!(text.as_ref(), "SSH_ASKPASS" | "LANGUAGE");
        if steers && !KEPT_ENVIRONMENT.contains(&text.as_ref()) {
            process.env_remove(&name);
        }
    }
    process.envs(FIXED_ENVIRONMENT);
    let fixed = FIXED_CONFIG.iter().map(|(key, value)| (OsStr::new(key), OsStr::new(value)));
    let added = config.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str()));
    // Not `-c key=value`: the name of a filter may hold a `=`.
    let mut count = 0;
    for (key, value) in fixed.chain(added) {
        process.env(format!("GIT_CONFIG_KEY_{count}"), key).env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    process.env("GIT_CONFIG_COUNT", count.to_string());
    process.envs(variables.iter().map(|(name, value)| (name, value)));
}

/// Gives a git that commits the environment that the user's own `git commit` has, since hooks and signing programs see
/// it too: only what would move it to another repository is taken away, and nobody can answer a prompt.
pub(crate) fn set_users_environment(process: &mut Command, variables: &[Pair]) {
    const KEPT_FOR_COMMITS: [&str; 4] = ["GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_TRACE"];
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let kept = KEPT_ENVIRONMENT.iter().chain(&KEPT_FOR_COMMITS).any(|kept| *kept == text);
        if text.starts_with("GIT_") && !kept {
            process.env_remove(&name);
        }
    }
    process.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", ":");
    process.envs(variables.iter().map(|(name, value)| (name, value)));
}

/// A server without a console must not flash one for every git.
#[cfg(windows)]
pub(crate) fn without_window(process: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    process.creation_flags(CREATE_NO_WINDOW);
}

/// Only Windows opens a window for a program.
#[cfg(not(windows))]
pub(crate) fn without_window(_process: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_program_in_a_relative_directory_is_never_taken() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().join(format!("git{}", std::env::consts::EXE_SUFFIX));
        fs_err::write(&git, "").unwrap();
        let path =
            std::env::join_paths([Path::new("."), Path::new(""), Path::new("bin"), dir.path()]).unwrap();
        assert_eq!(find_on(Some(&path)), Some(git));
        assert_eq!(find_on(Some(OsStr::new("."))), None);
        assert_eq!(find_on(None), None);
    }
}
