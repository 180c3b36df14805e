//! The crate against the real `git`, in throw-away repositories.
#![allow(clippy::disallowed_methods, reason = "tests make repositories with git and plain files")]

mod hostile;
mod locate;
mod repository;
