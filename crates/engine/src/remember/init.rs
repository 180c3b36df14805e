//! Making a vault in a workspace, and telling agents of it in `agents.md`. Merges and never overwrites.

use std::path::{Path, PathBuf};

use becket_memory::{
    Vault,
    vault::{ConfigOutcome, Initialised},
};
use becket_project::canonical::canonical;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Engine, Error, repository::sentence};

/// What was made, as sentences for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitReport {
    pub root: String,
    pub steps: Vec<String>,
}

const BEGIN: &str = "<!-- context-stash:begin -->";
const END: &str = "<!-- context-stash:end -->";
const CONTENT: &str = include_str!("agents.md");
/// No file of instructions is longer.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

impl Engine {
    /// Makes what is missing of the vault that calls speak of.
    pub fn context_init(&self, worktree: Option<&str>) -> Result<InitReport, Error> {
        init(&self.place(worktree)?.root)
    }
}

/// Makes what is missing of a vault in `root`.
pub fn init(root: &Path) -> Result<InitReport, Error> {
    let Initialised { folder_created, config } = Vault::init(root)?;
    let mut steps = Vec::new();
    steps.push(if folder_created { "Created .context/" } else { ".context/ exists already" }.to_owned());
    steps.push(
        match config {
            ConfigOutcome::Created => "Created .context/config.json",
            ConfigOutcome::Completed => "Added the missing keys to .context/config.json",
            ConfigOutcome::Kept => ".context/config.json exists already",
        }
        .to_owned(),
    );
    steps.push(agents(root)?);
    Ok(InitReport { root: root.display().to_string(), steps })
}

/// Adds the block to the file of instructions, once.
fn agents(root: &Path) -> Result<String, Error> {
    let path = instructions(root)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let failed = |error: becket_project::files::FileError| {
        Error::unavailable("file_not_writable", sentence(&error.to_string()))
            .with_hint("Check the permissions of the file.")
            .with_source(error)
    };
    let present = becket_project::files::read(&path, MOST_BYTES).map_err(failed)?;
    let Some(present) = present else {
        becket_project::files::write(&path, block("\n").as_bytes()).map_err(failed)?;
        return Ok(format!("Created {name}"));
    };
    let text = String::from_utf8(present).map_err(|_| {
        Error::invalid("file_not_utf8", format!("{name} is not UTF-8.")).with_hint("Save the file as UTF-8.")
    })?;
    // The original wrote the same heading without markers: that file tells agents already.
    if text.contains(BEGIN) || text.contains("# Context Stash (MCP Tool)") {
        return Ok(format!("{name} speaks of the entries already"));
    }
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let separator = match (text.is_empty(), text.ends_with('\n')) {
        (true, _) => String::new(),
        (false, true) => line_break.to_owned(),
        (false, false) => line_break.repeat(2),
    };
    let appended = format!("{text}{separator}{}", block(line_break));
    becket_project::files::write(&path, appended.as_bytes()).map_err(failed)?;
    Ok(format!("Added a block to {name}"))
}

fn block(line_break: &str) -> String {
    format!("{BEGIN}\n{}\n{END}\n", CONTENT.trim_end()).replace('\n', line_break)
}

/// `agents.md`, in whatever case it is written there; where it is a link that stays inside, what it leads to.
fn instructions(root: &Path) -> Result<PathBuf, Error> {
    let path = Vault::instructions(root)?;
    let inside = |target: &PathBuf| canonical(root).is_ok_and(|root| target.starts_with(root));
    Ok(canonical(&path).ok().filter(inside).unwrap_or(path))
}
