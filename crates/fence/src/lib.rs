//! Files of becket's own inside of a repository: its store, its log, its locks. A clone brings links with it, so a name
//! below the root is no proof of a place below the root. Whoever opens such a file asks here, and nowhere else.
//!
//! Owns where such a file is, and how it is opened. Which paths a caller may name is `admit`'s, in `becket-project`.
#![allow(clippy::disallowed_methods, reason = "asks the disk where a path leads")]

pub mod cache;
pub mod canonical;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;
use fs_err::OpenOptions;

use canonical::canonical;

/// Why a file is not opened. Carried by an [`io::Error`], so that whoever opens files need not tell it apart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{} leads out of {} by a link", path.display(), root.display())]
    LeadsOut { path: PathBuf, root: PathBuf },
    #[error("{} is a link that leads nowhere", path.display())]
    LeadsNowhere { path: PathBuf },
    #[error("{} is a link, in the place of a file of becket's own", path.display())]
    Link { path: PathBuf },
}

impl Refused {
    /// What an error of this crate says, if it is no failure of the disk.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// Stable and machine-readable.
    pub fn code(&self) -> &'static str {
        "path_link_outside_root"
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        "becket opens no file of its own through such a link, which may have come with a clone. Look where it leads, then \
         remove the link or put a file in its place."
    }
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        io::Error::other(refused)
    }
}

/// Where a file is or would be made: without a link in it, and inside of `root`.
pub fn place(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let here = |path| if path == Path::new("") { Path::new(".") } else { path };
    let root = canonical(here(root))?;
    let mut existing = path;
    let mut below: Vec<OsString> = Vec::new();
    let found = loop {
        match canonical(here(existing)) {
            Ok(found) => break found,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) if fs::symlink_metadata(existing).is_ok() => {
                return Err(Refused::LeadsNowhere { path: existing.to_owned() }.into());
            }
            Err(error) => match (existing.parent(), existing.file_name()) {
                (Some(parent), Some(name)) => {
                    below.push(name.to_owned());
                    existing = parent;
                }
                _ => return Err(error),
            },
        }
    };
    if !found.starts_with(&root) {
        return Err(Refused::LeadsOut { path: path.to_owned(), root }.into());
    }
    Ok(found.iter().chain(below.iter().rev().map(OsString::as_os_str)).collect())
}

/// Opens a file that lies inside of `root`. A link on the way may lead elsewhere in it, and nowhere else.
pub fn open_inside(root: &Path, path: &Path, options: &mut OpenOptions) -> io::Result<fs::File> {
    open(&place(root, path)?, options)
}

/// Opens the file of this very name: a link in its place is not followed, also not one that was put there just now.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<fs::File> {
    open_without_following(path, options)
        .map_err(|error| if is_link(path) { Refused::Link { path: path.to_owned() }.into() } else { error })
}

/// Refuses a link: for what somebody else opens by its name.
pub fn no_link(path: &Path) -> io::Result<()> {
    if is_link(path) { Err(Refused::Link { path: path.to_owned() }.into()) } else { Ok(()) }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

#[cfg(unix)]
fn open_without_following(path: &Path, options: &mut OpenOptions) -> io::Result<fs::File> {
    use fs_err::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
    options.custom_flags(flags).open(path)
}

/// Nothing here opens a name and no link in one step: it is looked at before, and again once it is open.
#[cfg(not(unix))]
fn open_without_following(path: &Path, options: &mut OpenOptions) -> io::Result<fs::File> {
    no_link(path)?;
    let file = options.open(path)?;
    no_link(path)?;
    Ok(file)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    struct Clone {
        _home: TempDir,
        root: PathBuf,
        outside: PathBuf,
    }

    /// A repository, and a folder beside it whose name begins like its own.
    fn clone() -> Clone {
        let home = TempDir::new().unwrap();
        let (root, outside) = (home.path().join("clone"), home.path().join("clone-not"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        let [root, outside] = [root, outside].map(|path| fs::canonicalize(path).unwrap());
        Clone { _home: home, root, outside }
    }

    fn refused<T: std::fmt::Debug>(opened: io::Result<T>) -> Refused {
        Refused::of(&opened.unwrap_err()).expect("a refusal").clone()
    }

    fn append() -> OpenOptions {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        options
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused_and_nothing_is_made_behind_it() {
        let Clone { root, outside, .. } = &clone();
        fs::write(outside.join("victim"), "mine").unwrap();
        symlink(outside.join("victim"), root.join("log")).unwrap();
        symlink(outside.join("new"), root.join("lock")).unwrap();
        symlink(outside, root.join("folder")).unwrap();
        symlink("../clone-not/victim", root.join("relative")).unwrap();
        let open = |name: &str| open_inside(root, &root.join(name), &mut append());
        for name in ["log", "folder/victim", "folder/new", "relative"] {
            assert!(matches!(refused(open(name)), Refused::LeadsOut { .. }), "{name}");
        }
        assert!(matches!(refused(open("lock")), Refused::LeadsNowhere { .. }));
        assert_eq!(fs::read_dir(outside).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(outside.join("victim")).unwrap(), "mine");
    }

    #[test]
    fn a_link_that_stays_inside_is_followed_and_a_file_is_made_where_there_is_none() {
        let Clone { root, .. } = &clone();
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("folder")).unwrap();
        fs::write(root.join("real/file"), "").unwrap();
        symlink("real/file", root.join("link")).unwrap();
        assert_eq!(place(root, &root.join("folder/deep/new")).unwrap(), root.join("real/deep/new"));
        assert_eq!(place(root, &root.join("link")).unwrap(), root.join("real/file"));
        open_inside(root, &root.join("folder/new"), &mut append()).unwrap();
        assert!(root.join("real/new").is_file());
    }

    #[test]
    fn a_link_that_came_after_the_look_is_not_followed() {
        let Clone { root, outside, .. } = &clone();
        let place = place(root, &root.join("lock")).unwrap();
        symlink(outside.join("new"), &place).unwrap();
        assert_eq!(refused(open(&place, &mut append())), Refused::Link { path: place });
        assert!(!outside.join("new").exists());
    }

    #[test]
    fn what_fails_for_another_reason_is_told_as_it_is() {
        let Clone { root, .. } = &clone();
        let error = open(&root.join("none/file"), &mut append()).unwrap_err();
        assert_eq!((error.kind(), Refused::of(&error)), (io::ErrorKind::NotFound, None));
    }
}
