//! Where the bearer token of the HTTP server comes from: given, read from a file, or generated into one.
//!
//! Owns when a token file can be trusted. Which texts can be a token, and how they are compared, is the HTTP face's.

use std::fmt;
use std::path::{Path, PathBuf};

use becket_project::files::{self, FileError};

use crate::error::Error;

/// The name of a generated token file in its folder.
pub const FILE_NAME: &str = "http-token";

const RANDOM_BYTES: usize = 32;
const GENERATED_LENGTH: usize = RANDOM_BYTES * 2;
const MAX_FILE_BYTES: u64 = 16 * 1024;

/// Where to take the token from.
#[derive(Clone)]
pub enum TokenSource {
    /// The token itself, as an environment variable gives it.
    Given(String),
    /// A file that the user keeps.
    File(PathBuf),
    /// The file [`FILE_NAME`] in this folder, made when it is not there yet and used again when it is, so that hosts
    /// which were configured once go on working.
    Generated { folder: PathBuf },
}

/// A token and the file that holds it, if one does. It is never printed.
#[derive(Clone)]
pub struct Token {
    pub value: String,
    pub file: Option<PathBuf>,
}

pub fn obtain(source: TokenSource) -> Result<Token, Error> {
    match source {
        TokenSource::Given(text) => Ok(Token { value: text.trim().to_owned(), file: None }),
        TokenSource::File(path) => {
            let value = read(&path)?.ok_or_else(|| {
                Error::not_found("token_file_missing", format!("There is no token file {}.", path.display()))
                    .with_hint(
                        "Make it with one line and mode 600, or leave the setting out to get one generated.",
                    )
            })?;
            Ok(Token { value, file: Some(path) })
        }
        TokenSource::Generated { folder } => generated(&folder),
    }
}

fn generated(folder: &Path) -> Result<Token, Error> {
    let path = made_folder(folder)?.join(FILE_NAME);
    if let Some(value) = read_generated(&path)? {
        return Ok(Token { value, file: Some(path) });
    }
    let value = random_token()?;
    match files::create_secret(&path, format!("{value}\n").as_bytes()) {
        Ok(()) => Ok(Token { value, file: Some(path) }),
        // Another server was quicker: both must take the same one.
        Err(FileError::Exists { .. }) => match read_generated(&path)? {
            Some(value) => Ok(Token { value, file: Some(path) }),
            None => Err(unsound(&path, "came and went while the server started")),
        },
        Err(error) => Err(unwritable(&path, error)),
    }
}

fn made_folder(folder: &Path) -> Result<PathBuf, Error> {
    match (folder.parent(), folder.file_name()) {
        (Some(parent), Some(name)) => {
            files::create_folder(parent, Path::new(name)).map_err(|error| unwritable(folder, error))
        }
        _ => Ok(folder.to_owned()),
    }
}

/// What we wrote ourselves must still look like it: anything else was put there by somebody.
fn read_generated(path: &Path) -> Result<Option<String>, Error> {
    if is_link(path) {
        return Err(unsound(path, "is a link"));
    }
    let Some(text) = read(path)? else { return Ok(None) };
    if !is_own(path) {
        return Err(unsound(path, "belongs to another user"));
    }
    if text.len() != GENERATED_LENGTH || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(unsound(path, "does not hold a whole generated token"));
    }
    Ok(Some(text))
}

/// The text of a token file that only its user can read.
fn read(path: &Path) -> Result<Option<String>, Error> {
    let unreadable = |error| {
        Error::unavailable(
            "token_file_unreadable",
            format!("The token file {} cannot be read.", path.display()),
        )
        .with_hint("It must be a regular file of yours with mode 600.")
        .with_source(error)
    };
    let Some(bytes) = files::read(path, MAX_FILE_BYTES).map_err(unreadable)? else { return Ok(None) };
    if is_open_to_others(path) {
        return Err(Error::denied(
            "token_file_exposed",
            format!("Other users can read or change the token file {}.", path.display()),
        )
        .with_hint(format!(
            "Delete it, or put a new token into it and run: chmod 600 '{}'",
            path.display()
        )));
    }
    let text = String::from_utf8(bytes).map_err(|_| unsound(path, "is not text"))?;
    match text.trim() {
        "" => Err(unsound(path, "is empty")),
        text => Ok(Some(text.to_owned())),
    }
}

fn random_token() -> Result<String, Error> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::unavailable("no_randomness", "The system gives no random bytes for a token.")
            .with_hint("Give a token by environment or file.")
            .with_source(error)
    })?;
    Ok(bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect())
}

fn unsound(path: &Path, what: &str) -> Error {
    Error::invalid("token_file_unsound", format!("The token file {} {what}.", path.display()))
        .with_hint(format!("Delete {} and start again.", path.display()))
}

fn unwritable(path: &Path, error: FileError) -> Error {
    Error::unavailable("token_file_unwritable", format!("No token file can be made at {}.", path.display()))
        .with_hint("Make the folder writable, or give a token by environment or file.")
        .with_source(error)
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.metadata().is_ok_and(|metadata| metadata.mode() & 0o077 != 0)
}

/// Permissions come from the folder here, and a user's profile is closed to others.
#[cfg(not(unix))]
fn is_open_to_others(_path: &Path) -> bool {
    false
}

/// Root can read everything, so being able to read a closed file does not yet mean that we made it.
#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.metadata().is_ok_and(|metadata| metadata.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own(_path: &Path) -> bool {
    true
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Token").field("file", &self.file).finish_non_exhaustive()
    }
}

impl fmt::Debug for TokenSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(_) => formatter.write_str("Given(…)"),
            Self::File(path) => formatter.debug_tuple("File").field(path).finish(),
            Self::Generated { folder } => {
                formatter.debug_struct("Generated").field("folder", folder).finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    fn in_folder(folder: &Path) -> Result<Token, Error> {
        obtain(TokenSource::Generated { folder: folder.to_owned() })
    }

    fn put(path: &Path, text: &str) {
        files::create_secret(path, text.as_bytes()).unwrap();
    }

    #[test]
    fn a_token_is_generated_once_and_used_again() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("becket");
        let first = in_folder(&folder).unwrap();
        assert_eq!(first.value.len(), 64);
        assert_eq!(first.file.as_ref().unwrap().file_name().unwrap(), FILE_NAME);
        let again = in_folder(&folder).unwrap();
        assert_eq!((&again.value, again.file), (&first.value, first.file));
        let other = in_folder(&place.path().join("other")).unwrap();
        assert_ne!(other.value, first.value);
    }

    #[test]
    fn a_token_in_a_project_is_none_that_git_would_take() {
        let project = tempfile::tempdir().unwrap();
        let folder = project.path().join(".becket");
        in_folder(&folder).unwrap();
        assert_eq!(files::read(&folder.join(".gitignore"), 9).unwrap().unwrap(), b"*\n");
    }

    #[test]
    fn servers_that_start_together_take_the_same_token() {
        let place = tempfile::tempdir().unwrap();
        let together = Barrier::new(8);
        let tokens: Vec<String> = std::thread::scope(|scope| {
            let start = || {
                together.wait();
                in_folder(&place.path().join("becket")).unwrap().value
            };
            let servers: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
            servers.into_iter().map(|server| server.join().unwrap()).collect()
        });
        assert!(tokens.iter().all(|token| *token == tokens[0]), "{tokens:?}");
    }

    #[test]
    fn a_file_that_becket_did_not_write_whole_is_not_taken() {
        let half = "0123456789abcdef";
        let not_hexadecimal = "x".repeat(GENERATED_LENGTH);
        for text in ["", "\n", half, not_hexadecimal.as_str()] {
            let place = tempfile::tempdir().unwrap();
            put(&place.path().join(FILE_NAME), text);
            let error = in_folder(place.path()).unwrap_err();
            assert_eq!(error.code(), "token_file_unsound", "{text:?}");
            assert!(error.hint().unwrap().starts_with("Delete "));
        }
    }

    #[test]
    fn a_file_of_the_user_may_hold_any_one_token() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("my token");
        let source = TokenSource::File(path.clone());
        assert_eq!(obtain(source.clone()).unwrap_err().code(), "token_file_missing");
        put(&path, "  chosen-by-me\r\n");
        let token = obtain(source).unwrap();
        assert_eq!((token.value.as_str(), token.file), ("chosen-by-me", Some(path)));
        let error = obtain(TokenSource::File(place.path().to_owned())).unwrap_err();
        assert_eq!(error.code(), "token_file_unreadable");
    }

    #[test]
    fn a_given_token_has_no_file_and_is_never_printed() {
        let source = TokenSource::Given("given-secret\n".to_owned());
        assert_eq!(format!("{source:?}"), "Given(…)");
        let token = obtain(source).unwrap();
        assert!(!format!("{token:?}").contains("given-secret"));
        assert_eq!((token.value.as_str(), token.file), ("given-secret", None));
    }

    #[cfg(unix)]
    #[allow(clippy::disallowed_methods, reason = "the test makes the files that must be refused")]
    mod unix {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        use super::*;

        fn set_mode(path: &Path, mode: u32) {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }

        #[test]
        fn only_the_user_can_read_what_was_generated() {
            let place = tempfile::tempdir().unwrap();
            let token = in_folder(place.path()).unwrap();
            assert_eq!(token.file.unwrap().metadata().unwrap().mode() & 0o777, 0o600);
        }

        #[test]
        fn a_file_that_others_can_read_is_refused() {
            let place = tempfile::tempdir().unwrap();
            let path = in_folder(place.path()).unwrap().file.unwrap();
            for mode in [0o640, 0o604, 0o620, 0o644, 0o666] {
                set_mode(&path, mode);
                for source in [
                    TokenSource::File(path.clone()),
                    TokenSource::Generated { folder: place.path().to_owned() },
                ] {
                    let error = obtain(source).unwrap_err();
                    assert_eq!(error.code(), "token_file_exposed", "{mode:o}");
                    assert!(error.hint().unwrap().contains("chmod 600"));
                }
            }
            set_mode(&path, 0o400);
            in_folder(place.path()).unwrap();
        }

        #[test]
        fn a_link_in_place_of_the_generated_file_is_refused() {
            let place = tempfile::tempdir().unwrap();
            let elsewhere = tempfile::tempdir().unwrap();
            let real = in_folder(elsewhere.path()).unwrap().file.unwrap();
            for target in [real, elsewhere.path().join("nowhere")] {
                let link = place.path().join(FILE_NAME);
                symlink(target, &link).unwrap();
                assert_eq!(in_folder(place.path()).unwrap_err().code(), "token_file_unsound");
                std::fs::remove_file(link).unwrap();
            }
            let link = place.path().join("mine");
            symlink(elsewhere.path().join(FILE_NAME), &link).unwrap();
            obtain(TokenSource::File(link)).unwrap();
        }

        #[test]
        fn a_folder_that_cannot_be_made_is_named() {
            let place = tempfile::tempdir().unwrap();
            let error = in_folder(&place.path().join("not there").join("becket")).unwrap_err();
            assert_eq!(error.code(), "token_file_unwritable");
        }
    }
}
