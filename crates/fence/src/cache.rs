//! The folder of becket's own state: in a Git directory, or in a project that has none. Owns what it is called, how it is
//! made, and that Git takes nothing of it should the project get a Git directory later.

use std::io::{self, Write};
use std::path::Path;

use fs_err as fs;
use fs_err::OpenOptions;

pub const IN_GIT: &str = "becket";
pub const IN_PROJECT: &str = ".becket";

const IGNORE_FILE: &str = ".gitignore";
const IGNORE_ALL: &str = "*\n";

/// What holds the folder of state that a path is in: a Git directory, or a project.
pub fn holder(path: &Path) -> Option<&Path> {
    of(path)?.parent()
}

/// Makes a folder of state, and what is missing above it.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    keep_from_git(folder);
    Ok(())
}

/// For a folder of state that is there: `git add -A` would take the HTTP token from one in a project. A file that somebody
/// wrote says what they want, and where none can be made, nothing else can.
pub fn keep_from_git(folder: &Path) {
    let Some(own) = of(folder).filter(|own| own.ends_with(IN_PROJECT)) else { return };
    let path = own.join(IGNORE_FILE);
    let Ok(mut file) = crate::open(&path, OpenOptions::new().write(true).create_new(true)) else { return };
    if file.write_all(IGNORE_ALL.as_bytes()).is_err() {
        // Half of it would stay for good.
        _ = fs::remove_file(&path);
    }
}

/// Takes that back in a folder that has nothing else, so that it can be removed as an empty one.
pub fn empty(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let path = folder.join(IGNORE_FILE);
    let alone = entries.flatten().all(|entry| entry.path() == path);
    if alone
        && folder.ends_with(IN_PROJECT)
        && fs::read(&path).is_ok_and(|text| text == IGNORE_ALL.as_bytes())
    {
        _ = fs::remove_file(path);
    }
}

fn of(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| folder.ends_with(IN_GIT) || folder.ends_with(IN_PROJECT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_takes_nothing_of_what_is_kept_in_a_project() {
        let project = tempfile::tempdir().unwrap();
        let own = project.path().join(IN_PROJECT);
        let ignore = own.join(IGNORE_FILE);
        create_folder(&own.join("memory/deep")).unwrap();
        assert_eq!(fs::read_to_string(&ignore).unwrap(), IGNORE_ALL);
        assert!(!project.path().join(IGNORE_FILE).exists());

        fs::remove_file(&ignore).unwrap();
        create_folder(&own.join("memory")).unwrap();
        assert!(ignore.exists(), "a folder of an older version gets one");
        fs::write(&ignore, "mine\n").unwrap();
        create_folder(&own).unwrap();
        assert_eq!(fs::read_to_string(&ignore).unwrap(), "mine\n");
    }

    #[test]
    fn a_git_directory_needs_none_whatever_is_around_it() {
        let around = tempfile::tempdir().unwrap();
        let own = around.path().join(".becket/project/.git/becket");
        create_folder(&own).unwrap();
        assert!(!own.join(IGNORE_FILE).exists() && !around.path().join(".becket/.gitignore").exists());
    }

    #[test]
    fn only_what_stands_alone_is_taken_back() {
        let project = tempfile::tempdir().unwrap();
        let own = project.path().join(IN_PROJECT);
        create_folder(&own).unwrap();
        fs::write(own.join("http-token"), "secret").unwrap();
        empty(&own);
        assert!(own.join(IGNORE_FILE).exists());
        fs::remove_file(own.join("http-token")).unwrap();
        empty(&own);
        fs::remove_dir(&own).unwrap();
    }
}
