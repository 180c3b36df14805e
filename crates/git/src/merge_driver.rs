//! Registering a merge driver in the configuration of one clone, and taking it out again.

use std::path::Path;

use crate::{error::GitError, process::Git};

/// The command that Git runs for files with `merge=name`; nothing when there is none.
pub fn merge_driver(dir: &Path, name: &str) -> Result<Option<String>, GitError> {
    let git = Git::at(dir);
    let ask = git.command("config").options(["--local", "--get"]).option(format!("merge.{name}.driver"));
    let (code, output) = ask.output_unless(&[1])?;
    Ok((code == 0).then(|| String::from_utf8_lossy(&output).trim_end_matches('\n').to_owned()))
}

/// Only for this clone: a command of this machine is nothing for others.
pub fn set_merge_driver(dir: &Path, name: &str, title: &str, driver: &str) -> Result<(), GitError> {
    let git = Git::at(dir);
    for (key, value) in [("name", title), ("driver", driver)] {
        git.command("config")
            .option("--local")
            .option(format!("merge.{name}.{key}"))
            .option(value)
            .output()?;
    }
    Ok(())
}

/// Takes the whole section away; it need not be there.
pub fn remove_merge_driver(dir: &Path, name: &str) -> Result<(), GitError> {
    let git = Git::at(dir);
    let remove =
        git.command("config").options(["--local", "--remove-section"]).option(format!("merge.{name}"));
    remove.output_unless(&[128, 5]).map(drop)
}
