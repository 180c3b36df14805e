//! The first commit of a history: the same in every clone, and so a name for what is cloned.

use crate::{error::GitError, process::Git};

/// Nothing before the first commit. Of several beginnings the one that sorts first.
pub fn root_commit(git: impl Into<Git>) -> Result<Option<String>, GitError> {
    let git = git.into();
    let resolve = git.command("rev-parse").options(["--verify", "--quiet"]).revision("HEAD");
    let (code, _) = resolve.output_unless(&[1])?;
    if code != 0 {
        return Ok(None);
    }
    let output = git.command("rev-list").option("--max-parents=0").revision("HEAD").output()?;
    let text = String::from_utf8_lossy(&output).into_owned();
    Ok(text.lines().map(str::to_owned).min())
}
