//! Making `.lodestar/`: the file of tasks, what Git is to ignore, and what agents are told. Never overwrites without force.
#![allow(clippy::disallowed_methods, reason = "makes .lodestar and the files that `init` promises")]

use std::{
    io,
    path::{Path, PathBuf},
};

use becket_project::files;
use becket_store::spec_file::SpecFile;
use serde::Serialize;

use super::board::is_folder;
use crate::{Engine, Error, sandbox::refused_link};

/// What `init` was asked for.
#[derive(Debug, Clone, Default)]
pub struct InitOptions {
    pub name: Option<String>,
    pub force: bool,
    /// Also `.mcp.json` and `.vscode/mcp.json`.
    pub mcp: bool,
    /// Also a prompt to write requirements with.
    pub prd: bool,
    /// Only `.lodestar/`: nothing for agents to read.
    pub bare: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct InitOutcome {
    pub initialized: bool,
    pub path: String,
    pub project_name: String,
    pub mcp_enabled: bool,
    pub prd_prompt_created: bool,
    pub files_created: Vec<String>,
}

const IGNORE: &str = "runtime.sqlite\nruntime.sqlite-*\nruntime.sqlite.*\nruntime.jsonl\n*.lock\n*.tmp\n";
const AGENTS: &str = include_str!("agents.md");
const PRD_PROMPT: &str = include_str!("prd_prompt.md");
const BEGIN: &str = "<!-- lodestar:begin -->";
const END: &str = "<!-- lodestar:end -->";

impl Engine {
    /// In `folder`, or where the command was started.
    pub fn lodestar_init(&self, folder: Option<&Path>, options: &InitOptions) -> Result<InitOutcome, Error> {
        let here = &self.environment().current_dir;
        let folder = folder.map_or_else(|| here.clone(), |folder| here.join(folder));
        if !folder.is_dir() {
            return Err(Error::not_found("folder_missing", format!("{} is not a folder.", folder.display()))
                .with_hint("Make it first."));
        }
        if let Some(taken) = folder.ancestors().find(|one| has_tasks(&one.join(".lodestar"))) {
            if !options.force || taken != folder {
                let hint = if taken == folder {
                    "Use that one; `init --force` of lodestar (`as lodestar` of becket) empties its file of tasks."
                } else {
                    "Use that one."
                };
                return Err(Error::conflict(
                    "already_initialised",
                    format!("{} has a `.lodestar/` already.", taken.display()),
                )
                .with_hint(hint));
            }
        }
        make(&folder, options)
    }
}

fn has_tasks(folder: &Path) -> bool {
    is_folder(folder) && fs_err::symlink_metadata(folder.join("spec.yaml")).is_ok()
}

fn make(root: &Path, options: &InitOptions) -> Result<InitOutcome, Error> {
    let failed = |path: &Path, error: io::Error| {
        if let Some(refused) = refused_link(&error) {
            return refused;
        }
        Error::unavailable("file_not_writable", format!("{} cannot be written.", path.display()))
            .with_hint("Check the permissions of the folder.")
            .with_source(error)
    };
    let folder = root.join(".lodestar");
    becket_fence::place(root, &folder)
        .and_then(|_| becket_fence::no_link(&folder))
        .map_err(|error| failed(&folder, error))?;
    fs_err::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
    let name =
        options.name.clone().or_else(|| root.file_name().map(|name| name.to_string_lossy().into_owned()));
    let name = name.unwrap_or_else(|| "unnamed".to_owned());
    let mut created = vec![".lodestar/spec.yaml".to_owned()];
    let quoted = becket_store::spec_file::quoted(&name);
    let text = format!(
        "project:\n  name: {quoted}\n  default_branch: main\n  conventions: {{}}\ntasks: {{}}\nfeatures: {{}}\n"
    );
    let spec = SpecFile::new(&folder);
    if options.force {
        spec.overwrite(&text)?;
    } else {
        spec.create(&text)?;
    }
    write_ignore(&folder).map_err(|error| failed(&folder, error))?;
    created.push(".lodestar/.gitignore".to_owned());
    if !options.bare {
        created.extend(agents(root)?);
    }
    if options.mcp {
        for (file, key) in [(".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers")] {
            created.extend(host_file(root, file, key, options.force)?);
        }
    }
    if options.prd {
        created.extend(write_new(&inside(root, "PRD-PROMPT.md")?, PRD_PROMPT, options.force)?);
    }
    Ok(InitOutcome {
        initialized: true,
        path: root.display().to_string(),
        project_name: name,
        mcp_enabled: options.mcp,
        prd_prompt_created: options.prd,
        files_created: created,
    })
}

/// What must not be committed; an existing file of the original gets the lines that it lacks.
pub(super) fn write_ignore(folder: &Path) -> io::Result<()> {
    let path = folder.join(".gitignore");
    let before = fs_err::read_to_string(&path).unwrap_or_default();
    let missing: Vec<&str> =
        IGNORE.lines().filter(|line| !before.lines().any(|known| known.trim() == *line)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let text = format!("{before}{gap}{}\n", missing.join("\n"));
    files::write(&path, text.as_bytes()).map_err(io::Error::other)
}

/// The block in `AGENTS.md`, once.
fn agents(root: &Path) -> Result<Option<String>, Error> {
    let path = inside(root, "AGENTS.md")?;
    let before = read(&path)?;
    if before.as_deref().is_some_and(|text| text.contains(BEGIN)) {
        return Ok(None);
    }
    let block = format!("{BEGIN}\n{}\n{END}\n", AGENTS.trim_end());
    let text = match &before {
        None => block,
        Some(before) => format!("{}\n\n{block}", before.trim_end()),
    };
    write(&path, &text)?;
    Ok(Some("AGENTS.md".to_owned()))
}

/// Adds the server to a host's file; another server in it stays.
fn host_file(root: &Path, file: &str, key: &str, force: bool) -> Result<Option<String>, Error> {
    let path = inside(root, file)?;
    let mut value = match read(&path)? {
        None => serde_json::json!({}),
        Some(text) => serde_json::from_str(&text).map_err(|error| {
            Error::invalid("host_file_malformed", format!("{file} is not JSON."))
                .with_hint("Correct it, or use `becket init`, which understands comments.")
                .with_source(error)
        })?,
    };
    let servers =
        value.as_object_mut().map(|object| object.entry(key).or_insert_with(|| serde_json::json!({})));
    let Some(servers) = servers.and_then(serde_json::Value::as_object_mut) else {
        return Err(Error::invalid("host_file_malformed", format!("`{key}` of {file} is not an object."))
            .with_hint("Correct it."));
    };
    if servers.contains_key("lodestar") && !force {
        return Ok(None);
    }
    servers
        .insert("lodestar".to_owned(), serde_json::json!({"command": "lodestar", "args": ["mcp", "serve"]}));
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder).map_err(|error| {
            Error::unavailable("file_not_writable", format!("{} cannot be made.", folder.display()))
                .with_source(error)
        })?;
    }
    write(&path, &format!("{text}\n"))?;
    Ok(Some(file.to_owned()))
}

fn write_new(path: &Path, text: &str, force: bool) -> Result<Option<String>, Error> {
    if read(path)?.is_some() && !force {
        return Ok(None);
    }
    write(path, text)?;
    Ok(path.file_name().map(|name| name.to_string_lossy().into_owned()))
}

/// Where a file of the repository is: what came with a clone may be a link to anywhere.
fn inside(root: &Path, file: &str) -> Result<PathBuf, Error> {
    let path = root.join(file);
    becket_fence::place(root, &path).map_err(|error| match refused_link(&error) {
        Some(refused) => refused,
        None => Error::unavailable("file_not_writable", format!("{} cannot be found.", path.display()))
            .with_hint("Check the permissions of the folder.")
            .with_source(error),
    })
}

fn read(path: &Path) -> Result<Option<String>, Error> {
    let bytes = files::read(path, 16 * 1024 * 1024).map_err(unwritable)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    files::write(path, text.as_bytes()).map_err(unwritable)
}

fn unwritable(error: files::FileError) -> Error {
    Error::unavailable("file_not_writable", crate::repository::sentence(&error.to_string()))
        .with_hint("Check the permissions of the file.")
        .with_source(error)
}
