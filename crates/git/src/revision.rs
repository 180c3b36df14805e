//! A caller's name for a commit → the id of that commit. Every other command gets ids only, so that no word of a caller
//! can be an option, a range or a path to it.

use std::fmt;

use crate::error::GitError;
use crate::process::Git;
use crate::read::{at_root_if_any, text, unexpected};

/// The full id of a commit that exists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(String);

impl CommitId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the tree without files, in the hash function of this id.
    pub(crate) fn empty_tree(&self) -> &'static str {
        match self.0.len() {
            40 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            _ => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The commit that a branch, tag, id or expression such as `HEAD~2` stands for.
pub fn resolve(git: impl Into<Git>, revision: &str) -> Result<CommitId, GitError> {
    resolve_at(&at_root_if_any(git.into())?, revision)
}

pub(crate) fn resolve_at(git: &Git, revision: &str) -> Result<CommitId, GitError> {
    let refused = |reason| GitError::InvalidRevision { revision: revision.to_owned(), reason };
    if revision.trim().is_empty() {
        return Err(refused("it is empty"));
    }
    if revision.starts_with('-') {
        return Err(refused("it begins with a dash"));
    }
    if revision.starts_with('^') || revision.contains("..") {
        return Err(refused("it is a range, and one commit is needed"));
    }
    if revision.chars().any(char::is_control) || revision.len() > 1000 {
        return Err(refused("it is too long or has control characters"));
    }
    // A search for a message takes all that follows for the message, and finds nothing but commits.
    let wanted =
        if revision.starts_with(":/") { revision.to_owned() } else { format!("{revision}^{{commit}}") };
    let command = git.command("rev-parse").options(["--verify", "--quiet"]).revision(wanted);
    match command.output_unless(&[1]) {
        Ok((0, output)) => {
            let id = text(&output);
            let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_id { Ok(CommitId(id)) } else { Err(unexpected("rev-parse", &output)) }
        }
        // Git is silent about why; an id too short to be one is worth telling apart.
        Ok(_) if is_ambiguous(git, revision)? => {
            Err(GitError::AmbiguousRevision { revision: revision.to_owned() })
        }
        Ok(_) | Err(GitError::Failed { code: Some(128), .. }) => {
            Err(GitError::UnknownRevision { revision: revision.to_owned() })
        }
        Err(error) => Err(error),
    }
}

fn is_ambiguous(git: &Git, revision: &str) -> Result<bool, GitError> {
    if revision.len() < 4 || !revision.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(false);
    }
    let output = git.command("rev-parse").option(format!("--disambiguate={revision}")).output()?;
    Ok(output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() > 1)
}
