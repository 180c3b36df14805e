//! Where a host keeps its settings, as data: a base folder and a path below it, per operating system. Owns no disk
//! access; the home folder and the system are values, so that every system's paths are computed on every system.

use std::path::{Path, PathBuf};

/// The operating systems that place files differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum System {
    Linux,
    MacOs,
    Windows,
}

impl System {
    /// The system that this program was built for; every other Unix places files as Linux does.
    pub fn current() -> Self {
        match std::env::consts::OS {
            "macos" => System::MacOs,
            "windows" => System::Windows,
            _ => System::Linux,
        }
    }
}

/// The user's side of the machine.
#[derive(Debug, Clone)]
pub struct Machine {
    pub system: System,
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`; without it, `.config` in the home folder.
    pub config_home: Option<PathBuf>,
    /// `APPDATA`; without it, `AppData/Roaming` in the home folder.
    pub app_data: Option<PathBuf>,
    /// `XDG_STATE_HOME`, on Windows `LOCALAPPDATA`; without it, the system's usual folder below the home folder.
    pub state_home: Option<PathBuf>,
}

impl Machine {
    /// Where becket keeps what belongs to the user and to no repository; none when the home folder is not known.
    pub(super) fn state_folder(&self) -> Option<PathBuf> {
        let usual: &[&str] = match self.system {
            System::Linux => &[".local", "state"],
            System::MacOs => &["Library", "Application Support"],
            System::Windows => &["AppData", "Local"],
        };
        let mut folder = match (&self.state_home, &self.home) {
            (Some(folder), _) => folder.clone(),
            (None, home) => home.as_ref()?.join(usual.iter().collect::<PathBuf>()),
        };
        folder.push("becket");
        Some(folder)
    }
}

/// Who shares the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In the repository, meant to be committed.
    Project,
    /// In the user's home, for every repository.
    User,
}

/// The folder that a [`Place`] starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Repository,
    Home,
    Config,
    AppData,
}

/// A file or folder, told from its base; `path` is written with `/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub base: Base,
    pub path: &'static str,
}

pub(super) const fn repository(path: &'static str) -> Place {
    Place { base: Base::Repository, path }
}

pub(super) const fn home(path: &'static str) -> Place {
    Place { base: Base::Home, path }
}

pub(super) const fn config(path: &'static str) -> Place {
    Place { base: Base::Config, path }
}

pub(super) const fn app_data(path: &'static str) -> Place {
    Place { base: Base::AppData, path }
}

impl Place {
    pub fn scope(self) -> Scope {
        match self.base {
            Base::Repository => Scope::Project,
            Base::Home | Base::Config | Base::AppData => Scope::User,
        }
    }

    /// The path on this machine; none when the home folder is not known.
    pub fn on(self, machine: &Machine, root: &Path) -> Option<PathBuf> {
        let mut path = self.base.folder(machine, root)?;
        path.extend(self.path.split('/'));
        Some(path)
    }
}

impl Base {
    pub(super) fn folder(self, machine: &Machine, root: &Path) -> Option<PathBuf> {
        let below_home = |parts: &[&str]| {
            machine.home.as_ref().map(|home| {
                let mut folder = home.clone();
                folder.extend(parts);
                folder
            })
        };
        match self {
            Base::Repository => Some(root.to_owned()),
            Base::Home => machine.home.clone(),
            Base::Config => machine.config_home.clone().or_else(|| below_home(&[".config"])),
            Base::AppData => machine.app_data.clone().or_else(|| below_home(&["AppData", "Roaming"])),
        }
    }
}
