//! The hosts that becket can be put into: one row each. A new host is a new row; nothing else names a host.

use serde_json::{Value, json};

use super::document::Form;
use super::error::SetupError;
use super::place::{Machine, Place, System, app_data, config, home, repository};

/// A program that starts MCP servers, and how it wants to be told of ours.
#[derive(Debug)]
pub struct Host {
    /// As `--hosts` takes it.
    pub name: &'static str,
    /// As people call it.
    pub title: &'static str,
    /// The file that is edited, by system.
    pub file: PerSystem,
    /// Files of the same shape that are edited in its stead when one of them is already there.
    pub instead: &'static [Place],
    pub form: Form,
    /// The keys that lead to the servers.
    pub container: &'static [&'static str],
    /// A server as this host writes it.
    pub entry: fn(&Start) -> Value,
    /// How the server learns which repository it serves.
    pub repository: RepositoryArgument,
    /// How the command is found when the host starts it.
    pub search: CommandSearch,
    /// The most tools that it takes from all servers together.
    pub tool_limit: Option<usize>,
    /// Files and folders that say that somebody uses it.
    pub signs: &'static [Place],
    /// What the user still has to do by hand, if anything.
    pub hint: Option<&'static str>,
}

/// The command line of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    pub command: String,
    pub arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub struct PerSystem {
    pub linux: Place,
    pub macos: Place,
    pub windows: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepositoryArgument {
    /// The host starts the server in the repository.
    None,
    /// The host replaces this text.
    Variable(&'static str),
    /// The path is written out, because the host starts the server anywhere.
    Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSearch {
    /// Started from a shell, or committed for people whose paths differ: the bare command.
    SearchPath,
    /// Started by a desktop, which knows no shell profile: the full path.
    FullPath,
}

pub const HOSTS: &[Host] = &[
    Host {
        name: "claude-code",
        title: "Claude Code",
        file: everywhere(repository(".mcp.json")),
        instead: &[],
        form: Form::Json,
        container: &["mcpServers"],
        entry: |start| json!({"type": "stdio", "command": start.command, "args": start.arguments, "env": {}}),
        repository: RepositoryArgument::None,
        search: CommandSearch::SearchPath,
        tool_limit: None,
        signs: &[
            repository(".mcp.json"),
            repository(".claude"),
            repository("CLAUDE.md"),
            home(".claude"),
            home(".claude.json"),
        ],
        hint: Some("Claude Code asks once per repository whether the servers of .mcp.json may run."),
    },
    Host {
        name: "cursor",
        title: "Cursor",
        file: everywhere(repository(".cursor/mcp.json")),
        instead: &[],
        form: Form::Json,
        container: &["mcpServers"],
        entry: plain,
        repository: RepositoryArgument::Variable("${workspaceFolder}"),
        search: CommandSearch::SearchPath,
        tool_limit: Some(40),
        signs: &[repository(".cursor"), repository(".cursorrules"), home(".cursor")],
        hint: None,
    },
    Host {
        name: "vscode",
        title: "VS Code",
        file: everywhere(repository(".vscode/mcp.json")),
        instead: &[],
        form: Form::Json,
        container: &["servers"],
        entry: |start| json!({"type": "stdio", "command": start.command, "args": start.arguments}),
        repository: RepositoryArgument::Variable("${workspaceFolder}"),
        search: CommandSearch::SearchPath,
        tool_limit: Some(128),
        signs: &[
            repository(".vscode"),
            home(".vscode"),
            home(".vscode-server"),
            config("Code"),
            home("Library/Application Support/Code"),
            app_data("Code"),
        ],
        hint: None,
    },
    Host {
        name: "codex",
        title: "Codex",
        file: everywhere(repository(".codex/config.toml")),
        instead: &[],
        form: Form::Toml,
        container: &["mcp_servers"],
        entry: plain,
        repository: RepositoryArgument::None,
        search: CommandSearch::SearchPath,
        tool_limit: None,
        signs: &[repository(".codex"), home(".codex")],
        hint: Some("Codex reads .codex/config.toml only in a project that you have marked as trusted."),
    },
    Host {
        name: "gemini",
        title: "Gemini CLI",
        file: everywhere(repository(".gemini/settings.json")),
        instead: &[],
        form: Form::Json,
        container: &["mcpServers"],
        entry: plain,
        repository: RepositoryArgument::None,
        search: CommandSearch::SearchPath,
        tool_limit: None,
        signs: &[repository(".gemini"), repository("GEMINI.md"), home(".gemini")],
        hint: None,
    },
    Host {
        name: "zed",
        title: "Zed",
        file: PerSystem {
            linux: config("zed/settings.json"),
            macos: home(".config/zed/settings.json"),
            windows: app_data("Zed/settings.json"),
        },
        instead: &[],
        form: Form::Json,
        container: &["context_servers"],
        entry: |start| json!({"command": start.command, "args": start.arguments, "env": {}}),
        repository: RepositoryArgument::None,
        search: CommandSearch::FullPath,
        tool_limit: None,
        signs: &[repository(".zed"), config("zed"), app_data("Zed")],
        hint: None,
    },
    Host {
        name: "windsurf",
        title: "Windsurf",
        file: everywhere(home(".codeium/windsurf/mcp_config.json")),
        instead: &[],
        form: Form::Json,
        container: &["mcpServers"],
        entry: plain,
        repository: RepositoryArgument::Path,
        search: CommandSearch::FullPath,
        tool_limit: Some(50),
        signs: &[repository(".windsurf"), repository(".windsurfrules"), home(".codeium/windsurf")],
        hint: None,
    },
    Host {
        name: "opencode",
        title: "OpenCode",
        file: everywhere(config("opencode/opencode.json")),
        instead: &[
            repository("opencode.json"),
            repository("opencode.jsonc"),
            config("opencode/opencode.jsonc"),
        ],
        form: Form::Json,
        container: &["mcp"],
        entry: |start| {
            let words: Vec<&String> = std::iter::once(&start.command).chain(&start.arguments).collect();
            json!({"type": "local", "command": words})
        },
        repository: RepositoryArgument::None,
        search: CommandSearch::SearchPath,
        tool_limit: None,
        signs: &[
            repository("opencode.json"),
            repository("opencode.jsonc"),
            repository(".opencode"),
            config("opencode"),
        ],
        hint: None,
    },
    Host {
        name: "claude-desktop",
        title: "Claude Desktop",
        file: PerSystem {
            linux: config("Claude/claude_desktop_config.json"),
            macos: home("Library/Application Support/Claude/claude_desktop_config.json"),
            windows: app_data("Claude/claude_desktop_config.json"),
        },
        instead: &[],
        form: Form::Json,
        container: &["mcpServers"],
        entry: plain,
        repository: RepositoryArgument::Path,
        search: CommandSearch::FullPath,
        tool_limit: None,
        signs: &[config("Claude"), home("Library/Application Support/Claude"), app_data("Claude")],
        hint: Some("Restart Claude Desktop: it reads its servers only when it starts."),
    },
];

impl Host {
    pub fn place(&self, machine: &Machine) -> Place {
        match machine.system {
            System::Linux => self.file.linux,
            System::MacOs => self.file.macos,
            System::Windows => self.file.windows,
        }
    }

    pub fn named(name: &str) -> Result<&'static Host, SetupError> {
        HOSTS.iter().find(|host| host.name == name).ok_or_else(|| SetupError::UnknownHost {
            name: name.to_owned(),
            nearest: becket_base::nearest(name, HOSTS.iter().map(|host| host.name)).map(str::to_owned),
        })
    }
}

const fn everywhere(place: Place) -> PerSystem {
    PerSystem { linux: place, macos: place, windows: place }
}

fn plain(start: &Start) -> Value {
    json!({"command": start.command, "args": start.arguments})
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::System::{Linux, MacOs, Windows};
    use super::*;
    use crate::hosts::place::Scope;

    #[test]
    fn every_name_is_once_in_the_table_and_is_found() {
        for host in HOSTS {
            assert_eq!(HOSTS.iter().filter(|other| other.name == host.name).count(), 1);
            assert_eq!(Host::named(host.name).unwrap().title, host.title);
            assert!(!host.signs.is_empty() && !host.container.is_empty());
        }
        let error = Host::named("claud-code").unwrap_err();
        assert!(
            matches!(&error, SetupError::UnknownHost { nearest: Some(name), .. } if name == "claude-code"),
            "{error:?}"
        );
    }

    #[test]
    fn files_of_every_system_are_data() {
        let on = |system, host: &str| {
            let machine = Machine {
                system,
                home: Some(PathBuf::from("/users/me")),
                config_home: None,
                app_data: None,
                state_home: None,
            };
            let place = Host::named(host).unwrap().place(&machine);
            place.on(&machine, Path::new("/repo")).unwrap().to_string_lossy().replace('\\', "/")
        };
        let desktop = "claude_desktop_config.json";
        assert_eq!(on(Linux, "claude-desktop"), format!("/users/me/.config/Claude/{desktop}"));
        assert_eq!(
            on(MacOs, "claude-desktop"),
            format!("/users/me/Library/Application Support/Claude/{desktop}")
        );
        assert_eq!(on(Windows, "claude-desktop"), format!("/users/me/AppData/Roaming/Claude/{desktop}"));
        assert_eq!(on(Linux, "zed"), "/users/me/.config/zed/settings.json");
        assert_eq!(on(MacOs, "zed"), "/users/me/.config/zed/settings.json");
        assert_eq!(on(Windows, "zed"), "/users/me/AppData/Roaming/Zed/settings.json");
        for system in [Linux, MacOs, Windows] {
            assert_eq!(on(system, "claude-code"), "/repo/.mcp.json");
            assert_eq!(on(system, "cursor"), "/repo/.cursor/mcp.json");
            assert_eq!(on(system, "vscode"), "/repo/.vscode/mcp.json");
            assert_eq!(on(system, "codex"), "/repo/.codex/config.toml");
            assert_eq!(on(system, "gemini"), "/repo/.gemini/settings.json");
            assert_eq!(on(system, "windsurf"), "/users/me/.codeium/windsurf/mcp_config.json");
            assert_eq!(on(system, "opencode"), "/users/me/.config/opencode/opencode.json");
        }
    }

    #[test]
    fn the_environment_moves_the_base_folders() {
        let machine = Machine {
            system: System::Windows,
            home: None,
            config_home: Some(PathBuf::from("/xdg")),
            app_data: Some(PathBuf::from("/roaming")),
            state_home: None,
        };
        let path = |host: &str| Host::named(host).unwrap().place(&machine).on(&machine, Path::new("/repo"));
        assert_eq!(path("opencode"), Some(PathBuf::from("/xdg/opencode/opencode.json")));
        assert_eq!(path("zed"), Some(PathBuf::from("/roaming/Zed/settings.json")));
        assert_eq!(path("windsurf"), None, "no home, no file");
        assert_eq!(path("claude-code"), Some(PathBuf::from("/repo/.mcp.json")));
    }

    #[test]
    fn project_files_never_hold_a_path_of_one_machine() {
        for host in HOSTS {
            for place in [host.file.linux, host.file.macos, host.file.windows] {
                if place.scope() == Scope::Project {
                    assert_ne!(host.repository, RepositoryArgument::Path, "{}", host.name);
                    assert_eq!(host.search, CommandSearch::SearchPath, "{}", host.name);
                }
            }
        }
    }
}
