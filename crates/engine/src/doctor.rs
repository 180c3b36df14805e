//! Checks of the set-up: what works, what does not, and the command that mends it.

use std::path::Path;

use becket_base::counted;
use becket_project::Environment;
use serde::Serialize;

use crate::{
    Engine, Error,
    commit::interrupted_operations,
    settings::Problem,
    setup::{AgentsMd, Because, ChosenHost, InitOptions, Machine, PlannedFile, Replace, SERVER_NAME, Step},
};

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub state: CheckState,
    pub message: String,
    /// The command or step that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Works,
    /// It works, and could work better.
    Advice,
    Broken,
}

impl Check {
    pub fn works(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, state: CheckState::Works, message: message.into(), fix: None }
    }

    pub fn advice(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: CheckState::Advice, message: message.into(), fix: Some(fix.into()) }
    }

    pub fn broken(name: &'static str, error: &Error) -> Self {
        let message = format!("{} [{}]", error.message(), error.code());
        Self { name, state: CheckState::Broken, message, fix: error.hint().map(str::to_owned) }
    }
}

impl Engine {
    /// Everything that can be checked without starting a server.
    pub fn checks(&self) -> Vec<Check> {
        let mut checks = vec![self.check_git(), self.check_repository()];
        checks.extend(self.check_settings());
        checks.push(self.check_cache());
        checks.extend(self.check_operations());
        checks.extend(self.lodestar_checks().into_iter().filter_map(|check| {
            use crate::coordinate::CheckState as Found;
            let state = match check.status {
                Found::Pass => CheckState::Works,
                Found::Warn => CheckState::Advice,
                Found::Fail => CheckState::Broken,
                Found::Info => return None,
            };
            let message = format!("{}: {}", check.name, check.message);
            Some(Check { name: "tasks", state, message, fix: check.fix })
        }));
        checks
    }

    /// Whether the hosts that are used here know of becket and can start it. A host that does not know it is advice:
    /// nobody has to be connected.
    pub fn check_hosts(&self, machine: Machine, environment: &Environment) -> Vec<Check> {
        let options = InitOptions {
            hosts: Vec::new(),
            command: None,
            executable: None,
            toolsets: Vec::new(),
            other_tools: 0,
            agents_md: AgentsMd::Leave,
            replace: Replace::Keep,
        };
        let plan = match self.plan_init(machine, &options) {
            Ok(plan) => plan,
            Err(error) => return vec![Check::broken("hosts", &error)],
        };
        let found = plan.files.iter().filter(|file| plan.hosts.iter().any(|host| is_used(host, file)));
        let on_path = environment.program(SERVER_NAME);
        let checks: Vec<Check> = found.map(|file| check_host(file, on_path.as_deref())).collect();
        if checks.is_empty() {
            return vec![Check::advice("hosts", "No agent host is connected.", "Run `becket init`.")];
        }
        checks
    }

    fn check_git(&self) -> Check {
        match becket_git::version(self.directory()) {
            Ok(version) if (version.major, version.minor) < becket_git::MINIMUM_VERSION => {
                let (major, minor) = becket_git::MINIMUM_VERSION;
                let message = format!("git {} is older than {major}.{minor}.", version.text);
                Check::broken(
                    "git",
                    &Error::unavailable("git_too_old", message).with_hint("Install a newer git."),
                )
            }
            Ok(version) => Check::works("git", format!("git {}", version.text)),
            Err(error) => Check::broken("git", &Error::from(error)),
        }
    }

    fn check_repository(&self) -> Check {
        let workspace = match self.workspace() {
            Ok(workspace) => workspace,
            Err(error) => return Check::broken("repository", &error),
        };
        let root = workspace.root.display();
        match self.repository() {
            Ok(Some(repository)) => {
                let worktrees = counted(repository.worktrees.len(), "worktree");
                Check::works("repository", format!("{root}, {worktrees}"))
            }
            Ok(None) => Check::advice(
                "repository",
                format!("{root} is not in a Git repository: notes and commits need one."),
                "Run `git init` there, or name a repository with --repo.",
            ),
            Err(error) => Check::broken("repository", &error),
        }
    }

    fn check_settings(&self) -> Vec<Check> {
        let report = self.settings_report();
        if report.problems.is_empty() && report.notices.is_empty() {
            return vec![Check::works("settings", "every setting is understood")];
        }
        let broken = report.problems.iter().map(|problem| Check {
            name: "settings",
            state: CheckState::Broken,
            message: problem.message.clone(),
            fix: problem.hint.clone(),
        });
        let notices = report.notices.iter().map(|notice| Check {
            name: "settings",
            state: CheckState::Advice,
            message: notice.clone(),
            fix: None,
        });
        broken.chain(notices).collect()
    }

    /// Commits that a becket which died was making.
    fn check_operations(&self) -> Vec<Check> {
        let Ok(Some(repository)) = self.repository() else { return Vec::new() };
        let check = |problem: Problem| Check {
            name: "commits",
            state: CheckState::Broken,
            message: problem.message,
            fix: problem.hint,
        };
        interrupted_operations(&repository).into_iter().map(check).collect()
    }

    fn check_cache(&self) -> Check {
        let workspace = match self.workspace() {
            Ok(workspace) => workspace,
            Err(error) => return Check::broken("cache", &error),
        };
        let cache = &workspace.cache_dir;
        let parent = cache.parent().unwrap_or(cache);
        let name = cache.file_name().unwrap_or_default();
        match becket_project::files::create_folder(parent, name.as_ref()) {
            Ok(_) => Check::works("cache", format!("{} is there", cache.display())),
            Err(error) => Check::broken(
                "cache",
                &Error::denied("cache_not_writable", format!("{} cannot be made.", cache.display()))
                    .with_hint("Check its owner and permissions: becket keeps its index and records there.")
                    .with_source(error),
            ),
        }
    }
}

fn is_used(host: &ChosenHost, file: &PlannedFile) -> bool {
    host.name == file.owner && host.because != Because::Default
}

fn check_host(file: &PlannedFile, on_path: Option<&Path>) -> Check {
    match &file.step {
        // The entry is the one that names no folder.
        Step::AlreadyThere if on_path.is_none() => Check::broken(
            "hosts",
            &Error::unavailable(
                "command_not_on_path",
                format!(
                    "{} starts `{SERVER_NAME}` ({}), which no folder of the PATH has.",
                    file.owner, file.shown
                ),
            )
            .with_hint(
                "Put it there (`cargo install --path crates/cli`, or a link in a folder of the PATH).",
            ),
        ),
        Step::AlreadyThere | Step::SameFile { .. } | Step::Update => {
            Check::works("hosts", format!("{} starts becket ({})", file.owner, file.shown))
        }
        // Its own words win; whether they work, its own log says.
        Step::Differs { .. } => Check::works(
            "hosts",
            format!("{} has an entry of your own for becket ({})", file.owner, file.shown),
        ),
        _ => Check::advice(
            "hosts",
            format!("{} is used here and does not know becket.", file.owner),
            format!("Run `becket init --hosts {}`.", file.owner),
        ),
    }
}
