//! What every command gets: the environment, the engine and a way to talk.

use std::sync::Arc;

use becket_engine::{Engine, Environment, Error, OpenOptions};

use crate::{Global, ui::Ui};

/// Read once, at the start.
#[derive(Debug)]
pub(crate) struct Context {
    pub ui: Ui,
    pub global: Global,
    environment: Environment,
}

impl Context {
    pub(crate) fn open(global: Global, ui: Ui) -> Self {
        Self { ui, global, environment: becket_engine::environment() }
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The engine on the repository that the command line, the environment or the current directory names.
    pub(crate) fn engine(&self, mut flags: Vec<(&'static str, String)>) -> Arc<Engine> {
        for (flag, value) in [("--log-level", &self.global.log_level), ("--log-file", &self.global.log_file)]
        {
            if let Some(value) = value {
                flags.push((flag, value.clone()));
            }
        }
        if self.global.json_logs {
            flags.push(("--json-logs", "true".to_owned()));
        }
        Arc::new(Engine::open(
            self.environment.clone(),
            OpenOptions { repo: self.global.repo.clone(), flags },
        ))
    }

    /// A path as a person types it: relative to the current directory where that is in the repository, else to its root.
    pub(crate) fn path(&self, engine: &Engine, typed: String) -> String {
        let here = &self.environment.current_dir;
        let inside = engine.workspace().is_ok_and(|workspace| here.starts_with(&workspace.root));
        if !inside || self.global.repo.is_some() {
            return typed;
        }
        match here.join(&typed).into_os_string().into_string() {
            Ok(absolute) => absolute,
            Err(_) => typed,
        }
    }
}

/// The program that is running, for links, host files and the server that doctor and tour start.
pub(crate) fn own_binary() -> Result<std::path::PathBuf, Error> {
    std::env::current_exe().map_err(|error| {
        Error::unavailable("own_binary", "becket cannot find its own program file.").with_source(error)
    })
}
