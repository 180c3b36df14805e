//! Connecting the hosts of a repository and taking that back: what `becket init` and `becket uninit` do.
//!
//! Owns which workspace is meant and what sort of failure each one is; hosts, files and records are
//! `becket_project::hosts`'.

use std::path::PathBuf;

use becket_project::hosts::{self, HostChoice, InitRequest, Launch, UninitRequest};
use becket_project::{Environment, Workspace, WorkspaceKind, files::FileError};

pub use becket_project::hosts::{
    AgentsMd, Because, ChosenHost, HOSTS, Host, Machine, PlannedFile, Replace, SERVER_NAME, Scope,
    SetupError, SetupPlan, Snippet, Step, System, ToolsetSize,
};

use crate::repository::sentence;
use crate::{Engine, Error, ErrorKind};

/// What the command line decides for init.
#[derive(Debug, Clone)]
pub struct InitOptions {
    /// Names of hosts, `all` among them; none for those that are found.
    pub hosts: Vec<String>,
    /// The command that hosts start, where the user does not want the usual one.
    pub command: Option<String>,
    /// This program, for the hosts that know no search path.
    pub executable: Option<PathBuf>,
    /// How many tools each toolset lists, the most useful first.
    pub toolsets: Vec<ToolsetSize>,
    /// Tools that are listed whatever the toolsets are.
    pub other_tools: usize,
    pub agents_md: AgentsMd,
    pub replace: Replace,
}

/// The user's side of the machine.
pub fn machine(environment: &Environment) -> Machine {
    let folder = |name: &str| environment.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Machine {
        system: System::current(),
        home: environment.home.clone(),
        config_home: folder("XDG_CONFIG_HOME"),
        app_data: folder("APPDATA"),
        state_home: folder(match System::current() {
            System::Windows => "LOCALAPPDATA",
            System::Linux | System::MacOs => "XDG_STATE_HOME",
        }),
    }
}

/// Does what a plan of either says, if everything is still as it was when the plan was made.
pub fn apply(plan: &SetupPlan) -> Result<(), Error> {
    hosts::apply(plan).map_err(error)
}

impl Engine {
    /// Reads, decides, and writes nothing.
    pub fn plan_init(&self, machine: Machine, options: &InitOptions) -> Result<SetupPlan, Error> {
        hosts::plan_init(&self.init_request(machine, options)?).map_err(error)
    }

    /// What a person pastes by hand instead.
    pub fn init_snippets(&self, machine: Machine, options: &InitOptions) -> Result<Vec<Snippet>, Error> {
        hosts::snippets(&self.init_request(machine, options)?).map_err(error)
    }

    /// Takes back these hosts, or, when none is named, everything.
    pub fn plan_uninit(&self, machine: Machine, hosts: &[String]) -> Result<SetupPlan, Error> {
        let workspace = self.work_tree()?;
        let named = HostChoice::parse(hosts).map_err(error)?;
        let request = UninitRequest {
            root: workspace.root.clone(),
            cache: workspace.cache_dir.clone(),
            machine,
            hosts: (!hosts.is_empty()).then_some(named),
        };
        hosts::plan_uninit(&request).map_err(error)
    }

    fn init_request(&self, machine: Machine, options: &InitOptions) -> Result<InitRequest, Error> {
        let workspace = self.work_tree()?;
        let named = HostChoice::parse(&options.hosts).map_err(error)?;
        Ok(InitRequest {
            root: workspace.root.clone(),
            cache: workspace.cache_dir.clone(),
            machine,
            hosts: if options.hosts.is_empty() { HostChoice::Detected } else { HostChoice::Named(named) },
            launch: Launch {
                command: options.command.clone(),
                executable: options.executable.clone(),
                toolsets: options.toolsets.clone(),
                other_tools: options.other_tools,
            },
            agents_md: options.agents_md,
            replace: options.replace,
        })
    }

    /// Host files belong to a work tree; a bare repository has none.
    fn work_tree(&self) -> Result<&Workspace, Error> {
        let workspace = self.workspace()?;
        if workspace.kind == WorkspaceKind::Bare {
            let message =
                format!("{} is a bare repository and has no files for hosts.", workspace.root.display());
            return Err(Error::invalid("no_work_tree", message)
                .with_hint("Run it in one of its worktrees, or name one with --repo."));
        }
        Ok(workspace)
    }
}

fn error(error: SetupError) -> Error {
    Error::new(kind(&error), error.code(), sentence(&error.to_string()))
        .with_hint(error.hint())
        .with_source(error)
}

fn kind(error: &SetupError) -> ErrorKind {
    match error {
        SetupError::Outside { .. } | SetupError::File(FileError::ReadOnly { .. }) => ErrorKind::Denied,
        SetupError::Changed { .. } => ErrorKind::Conflict,
        SetupError::Busy { .. }
        | SetupError::NoHome { .. }
        | SetupError::Io { .. }
        | SetupError::File(FileError::Failed { .. }) => ErrorKind::Unavailable,
        SetupError::Document { source: hosts::DocumentError::Unverified { .. }, .. } => ErrorKind::Internal,
        SetupError::Undone { cause, .. } => kind(cause),
        SetupError::UnknownHost { .. }
        | SetupError::NotUnicode { .. }
        | SetupError::DanglingLink { .. }
        | SetupError::NotAFolder { .. }
        | SetupError::NotText { .. }
        | SetupError::Document { .. }
        | SetupError::Record { .. }
        | SetupError::File(_) => ErrorKind::Invalid,
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the tests make the folders that they work on")]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::OpenOptions;

    fn options(hosts: &[&str]) -> InitOptions {
        InitOptions {
            hosts: hosts.iter().map(|name| (*name).to_owned()).collect(),
            command: None,
            executable: Some(PathBuf::from("/opt/bin/becket")),
            toolsets: vec![ToolsetSize { name: "understand".to_owned(), tools: 60 }],
            other_tools: 1,
            agents_md: AgentsMd::Write,
            replace: Replace::Keep,
        }
    }

    fn engine(folder: &Path) -> (Engine, Machine) {
        let environment = Environment::new(folder).with_home(folder.join("home"));
        let machine = machine(&environment);
        (Engine::open(environment, OpenOptions::default()), machine)
    }

    #[test]
    fn a_plain_folder_is_set_up_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, machine) = engine(folder.path());
        let plan = engine.plan_init(machine.clone(), &options(&["cursor"])).unwrap();
        assert!(!folder.path().join(".cursor").exists(), "a plan is only a plan");
        apply(&plan).unwrap();
        let text = std::fs::read_to_string(folder.path().join(".cursor/mcp.json")).unwrap();
        assert!(text.contains("--toolsets"), "{text}");
        assert!(folder.path().join("AGENTS.md").exists());
        assert!(engine.plan_init(machine.clone(), &options(&["cursor"])).unwrap().is_empty());

        let plan = engine.plan_uninit(machine.clone(), &[]).unwrap();
        apply(&plan).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing stays, the cache neither");
        assert!(engine.plan_uninit(machine, &[]).unwrap().is_empty());
    }

    #[test]
    fn a_plan_is_data_for_programs_too() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, machine) = engine(folder.path());
        let plan = engine.plan_init(machine, &options(&["claude-code"])).unwrap();
        let json = serde_json::to_value(&plan).unwrap();
        assert_eq!(json["files"][0]["shown"], ".mcp.json");
        assert_eq!(json["files"][0]["step"]["kind"], "create");
        assert_eq!(json["files"][0]["scope"], "project");
        assert!(json["files"][0]["diff"].as_str().unwrap().contains("+    \"becket\": {"));
        assert_eq!(json["hosts"][0]["because"], "named");
    }

    #[test]
    fn failures_have_kind_code_and_hint() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, machine) = engine(folder.path());
        let unknown = engine.plan_init(machine.clone(), &options(&["cursr"])).unwrap_err();
        assert_eq!((unknown.kind(), unknown.code()), (ErrorKind::Invalid, "unknown_host"));
        assert!(unknown.hint().unwrap().starts_with("Did you mean `cursor`?"));

        std::fs::write(folder.path().join(".mcp.json"), "{\n  \"a\": 1,,\n}").unwrap();
        let broken = engine.plan_init(machine, &options(&["claude-code"])).unwrap_err();
        assert_eq!((broken.kind(), broken.code()), (ErrorKind::Invalid, "file_malformed"));
        assert!(broken.message().contains("line 2, column 10"), "{}", broken.message());
    }

    #[test]
    fn a_bare_repository_has_no_host_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["objects", "refs"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(folder.path().join("config"), "[core]\n\tbare = true\n").unwrap();
        let (engine, machine) = engine(folder.path());
        let error = engine.plan_init(machine, &options(&["cursor"])).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Invalid, "no_work_tree"));
    }
}
