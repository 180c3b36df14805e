//! What a host is told to start: the command, its arguments, and the toolsets that fit under the host's tool limit.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::document::Slot;
use super::error::SetupError;
use super::place::{Machine, Scope};
use super::table::{CommandSearch, Host, RepositoryArgument, Start};
use crate::config::TOOLSETS;

/// The name under which hosts know the server, and the command that starts it.
pub const SERVER_NAME: &str = "becket";

/// What is to be started.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The user's own choice of command, for every host.
    pub command: Option<String>,
    /// This program, for the hosts that know no search path.
    pub executable: Option<PathBuf>,
    /// The toolsets that the server could list, the most useful first.
    pub toolsets: Vec<ToolsetSize>,
    /// Tools that are listed whatever the toolsets are.
    pub other_tools: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsetSize {
    pub name: String,
    pub tools: usize,
}

/// What a person pastes into a host's file by hand.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Snippet {
    pub host: &'static str,
    pub title: &'static str,
    pub scope: Scope,
    /// None when no home folder is known.
    pub file: Option<PathBuf>,
    pub text: String,
    pub hint: Option<&'static str>,
}

impl Launch {
    /// The server as this host writes it.
    pub(super) fn entry(&self, host: &Host, root: &Path) -> Result<Value, SetupError> {
        let mut arguments = vec!["mcp".to_owned()];
        match host.repository {
            RepositoryArgument::None => {}
            RepositoryArgument::Variable(variable) => {
                arguments.extend(["--repo".to_owned(), variable.to_owned()]);
            }
            RepositoryArgument::Path => arguments.extend(["--repo".to_owned(), unicode(root)?]),
        }
        if let Some(chosen) = self.toolsets_for(host) {
            arguments.extend(["--toolsets".to_owned(), chosen.join(",")]);
        }
        Ok((host.entry)(&Start { command: self.command(host)?, arguments }))
    }

    /// The toolsets that fit, or none when all of them do. Where even the smallest is too large it is still the one
    /// that leaves the host most room.
    pub fn toolsets_for(&self, host: &Host) -> Option<Vec<String>> {
        let limit = host.tool_limit?;
        let total: usize = self.toolsets.iter().map(|toolset| toolset.tools).sum();
        if self.other_tools + total <= limit {
            return None;
        }
        let mut used = self.other_tools;
        let mut chosen = Vec::new();
        for toolset in &self.toolsets {
            if used + toolset.tools <= limit {
                used += toolset.tools;
                chosen.push(toolset.name.clone());
            }
        }
        if chosen.is_empty() {
            chosen.extend(
                self.toolsets.iter().min_by_key(|toolset| toolset.tools).map(|least| least.name.clone()),
            );
        }
        (!chosen.is_empty()).then_some(chosen)
    }

    fn command(&self, host: &Host) -> Result<String, SetupError> {
        match (&self.command, &self.executable, host.search) {
            (Some(command), _, _) => Ok(command.clone()),
            (None, Some(executable), CommandSearch::FullPath) => unicode(executable),
            _ => Ok(SERVER_NAME.to_owned()),
        }
    }
}

/// The whole text of a host's file that holds nothing but our server.
pub fn snippet(
    host: &'static Host,
    launch: &Launch,
    machine: &Machine,
    root: &Path,
) -> Result<Snippet, SetupError> {
    let place = host.place(machine);
    let file = place.on(machine, root);
    let path = || file.clone().unwrap_or_else(|| PathBuf::from(place.path));
    let edited = slot(host, SERVER_NAME)
        .put("", &launch.entry(host, root)?)
        .map_err(|source| SetupError::Document { path: path(), source })?;
    let scope = place.scope();
    Ok(Snippet { host: host.name, title: host.title, scope, text: edited.text, hint: host.hint, file })
}

pub(super) fn slot(host: &Host, name: &str) -> Slot {
    Slot {
        form: host.form,
        container: host.container.iter().map(|key| (*key).to_owned()).collect(),
        name: name.to_owned(),
    }
}

/// The repository that a server entry names, in whatever shape a host writes its arguments.
pub(super) fn named_repository(entry: &Value) -> Option<&str> {
    ["args", "command"].iter().find_map(|key| {
        let words = entry.get(key)?.as_array()?;
        let at = words.iter().position(|word| word == "--repo")?;
        words.get(at + 1)?.as_str()
    })
}

/// Whether init could have written this entry, whichever toolsets it left and wherever becket lay. An entry with a
/// command of the user's own choice cannot be told from one written by hand, and does not count.
pub(super) fn could_be_written(host: &Host, root: &Path, entry: &Value) -> bool {
    let mut words = Vec::new();
    for value in ["command", "args"].iter().filter_map(|key| entry.get(key)) {
        match value {
            Value::Array(values) => words.extend(values.iter().filter_map(Value::as_str)),
            value => words.extend(value.as_str()),
        }
    }
    let [command, arguments @ ..] = words.as_slice() else { return false };
    let path = Path::new(command);
    let full_path = host.search == CommandSearch::FullPath
        && path.is_absolute()
        && path.file_stem().is_some_and(|stem| stem == SERVER_NAME);
    let repository = match host.repository {
        RepositoryArgument::None => None,
        RepositoryArgument::Variable(variable) => Some(variable),
        RepositoryArgument::Path => root.to_str(),
    };
    let arguments_are_ours = match arguments {
        ["mcp", "--repo", named, rest @ ..] if repository == Some(*named) => is_toolsets(rest),
        ["mcp", rest @ ..] => is_toolsets(rest),
        _ => false,
    };
    let start = Start {
        command: (*command).to_owned(),
        arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
    };
    // Made again from its words it must be the same: nothing else stands in it.
    (*command == SERVER_NAME || full_path) && arguments_are_ours && (host.entry)(&start) == *entry
}

fn is_toolsets(arguments: &[&str]) -> bool {
    match arguments {
        [] => true,
        ["--toolsets", names] => names.split(',').all(|name| TOOLSETS.contains(&name)),
        _ => false,
    }
}

fn unicode(path: &Path) -> Result<String, SetupError> {
    let text = path.to_str().ok_or_else(|| SetupError::NotUnicode { path: path.to_owned() })?;
    Ok(text.to_owned())
}
