//! Init and uninit on real folders.

mod agents_md;
mod co_owners;
mod detection;
mod files;
mod interruption;
mod matrix;
mod round_trip;
mod snippets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

/// A repository and a home, both empty.
pub(super) struct World {
    folder: TempDir,
    pub(super) root: PathBuf,
    pub(super) home: PathBuf,
    pub(super) cache: PathBuf,
}

impl World {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (root, home) = (top.join("my repo"), top.join("home"));
        let cache = root.join(".git/becket");
        for path in [&home, &root.join(".git")] {
            fs_err::create_dir_all(path).unwrap();
        }
        Self { folder, root, home, cache }
    }

    pub(super) fn outside(&self) -> PathBuf {
        let path = self.folder.path().canonicalize().unwrap().join("outside");
        fs_err::create_dir_all(&path).unwrap();
        path
    }

    pub(super) fn machine(&self) -> Machine {
        Machine {
            system: System::Linux,
            home: Some(self.home.clone()),
            config_home: None,
            app_data: None,
            state_home: None,
        }
    }

    pub(super) fn request(&self, hosts: &[&str]) -> InitRequest {
        let hosts: Vec<_> = hosts.iter().map(|name| Host::named(name).unwrap()).collect();
        InitRequest {
            root: self.root.clone(),
            cache: self.cache.clone(),
            machine: self.machine(),
            hosts: if hosts.is_empty() { HostChoice::Detected } else { HostChoice::Named(hosts) },
            launch: Launch { executable: Some(PathBuf::from("/opt/bin/becket")), ..Launch::default() },
            agents_md: AgentsMd::Leave,
            replace: Replace::Keep,
        }
    }

    pub(super) fn plan(&self, hosts: &[&str]) -> SetupPlan {
        plan_init(&self.request(hosts)).unwrap()
    }

    pub(super) fn init(&self, hosts: &[&str]) -> SetupPlan {
        init_with(&self.request(hosts))
    }

    pub(super) fn plan_uninit(&self, hosts: Option<&[&str]>) -> SetupPlan {
        let hosts = hosts.map(|names| names.iter().map(|name| Host::named(name).unwrap()).collect());
        let request = UninitRequest {
            root: self.root.clone(),
            cache: self.cache.clone(),
            machine: self.machine(),
            hosts,
        };
        super::plan_uninit(&request).unwrap()
    }

    pub(super) fn uninit(&self) -> SetupPlan {
        let plan = self.plan_uninit(None);
        apply(&plan).unwrap();
        plan
    }

    /// As if somebody had removed what init remembers.
    pub(super) fn forget(&self) {
        fs_err::remove_dir_all(&self.cache).unwrap();
        if self.home.join(".local").exists() {
            fs_err::remove_dir_all(self.home.join(".local")).unwrap();
        }
    }

    pub(super) fn host_file(&self, host: &str) -> PathBuf {
        Host::named(host).unwrap().place(&self.machine()).on(&self.machine(), &self.root).unwrap()
    }

    /// Every file below repository and home with its bytes, every folder without.
    pub(super) fn everything(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.root.clone(), self.home.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs_err::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path.clone());
                    found.insert(path, None);
                } else {
                    let bytes = fs_err::read(&path).unwrap_or_default();
                    found.insert(path, Some(bytes));
                }
            }
        }
        found
    }
}

pub(super) fn only_step(plan: &SetupPlan) -> &Step {
    assert_eq!(plan.files.len(), 1, "{}", plan.listing());
    &plan.files[0].step
}

pub(super) fn init_with(request: &InitRequest) -> SetupPlan {
    let plan = plan_init(request).unwrap();
    apply(&plan).unwrap();
    plan
}

pub(super) fn write(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}
