//! Plans what init writes: an entry in every chosen host's file, and the block in `AGENTS.md`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agents_md;
use super::baseline::{Baseline, Decision, decide};
use super::document::{DocumentError, Slot};
use super::error::SetupError;
use super::launch::{self, Launch, SERVER_NAME, Snippet, named_repository};
use super::place::{Machine, Scope};
use super::plan::{
    AgentsMd, Because, ChosenHost, HostChoice, InitRequest, PlannedFile, RecordChange, RecordOrder, Replace,
    SetupPlan, Step, Survey,
};
use super::record::{FileRecord, spell};
use super::table::{HOSTS, Host, RepositoryArgument};
use super::target::{Target, exists};

/// The longest part of a folder's name that goes into a server's name: hosts cap the names of tools with it.
const LONGEST_SLUG: usize = 24;

/// Reads everything, decides everything, writes nothing.
pub fn plan_init(request: &InitRequest) -> Result<SetupPlan, SetupError> {
    let survey = Survey::new(&request.root, &request.cache, &request.machine)?;
    let chosen = choose(&request.hosts, &request.machine, &request.root);
    let mut planner = Planner {
        survey,
        replace: request.replace,
        files: Vec::new(),
        records: Vec::new(),
        notes: Vec::new(),
    };
    for (host, because) in &chosen {
        planner.plan_host(host, because, &request.launch)?;
    }
    if request.agents_md == AgentsMd::Write {
        planner.plan_agents_md()?;
    }
    Ok(planner.finish(chosen))
}

/// Snippets for pasting by hand: nothing is read but the signs of hosts.
pub fn snippets(request: &InitRequest) -> Result<Vec<Snippet>, SetupError> {
    choose(&request.hosts, &request.machine, &request.root)
        .into_iter()
        .map(|(host, _)| launch::snippet(host, &request.launch, &request.machine, &request.root))
        .collect()
}

fn choose(choice: &HostChoice, machine: &Machine, root: &Path) -> Vec<(&'static Host, Because)> {
    match choice {
        HostChoice::Named(hosts) => hosts.iter().map(|host| (*host, Because::Named)).collect(),
        HostChoice::Detected => {
            let found: Vec<_> = detect(machine, root);
            if found.is_empty() { vec![(&HOSTS[0], Because::Default)] } else { found }
        }
    }
}

/// The hosts of which a sign is found, in the order of the table.
fn detect(machine: &Machine, root: &Path) -> Vec<(&'static Host, Because)> {
    let sign = |host: &Host| {
        host.signs.iter().find(|sign| sign.on(machine, root).is_some_and(|path| exists(&path))).map(|sign| {
            let front = if sign.scope() == Scope::User { "~/" } else { "" };
            Because::Found(format!("{front}{}", sign.path))
        })
    };
    HOSTS.iter().filter_map(|host| Some((host, sign(host)?))).collect()
}

struct Planner<'a> {
    survey: Survey<'a>,
    replace: Replace,
    files: Vec<PlannedFile>,
    records: Vec<FileRecord>,
    notes: Vec<String>,
}

impl Planner<'_> {
    fn plan_host(&mut self, host: &Host, because: &Because, launch: &Launch) -> Result<(), SetupError> {
        let Some(path) = self.host_file(host) else {
            if *because == Because::Named {
                return Err(SetupError::NoHome { host: host.title });
            }
            self.notes
                .push(format!("{} was found, but no home folder is known to write its file in.", host.title));
            return Ok(());
        };
        let scope = self.survey.scope_of(&path);
        let target = self.survey.read(&path, scope)?;
        if let Some(first) = self.files.iter().find(|file| file.real == target.real) {
            let step = Step::SameFile { owner: first.owner.clone() };
            self.files.push(self.survey.planned(host.name, &target, scope, step));
            return Ok(());
        }
        let entry = launch.entry(host, self.survey.root)?;
        let slot = launch::slot(host, &self.server_name(host, &target)?);
        self.plan_edit(host.name, &target, scope, slot, entry)?;
        if let Some(file) = self.files.last_mut() {
            file.toolsets = launch.toolsets_for(host);
            if file.step.writes() {
                self.notes.extend(host.hint.map(str::to_owned));
            }
        }
        Ok(())
    }

    fn plan_agents_md(&mut self) -> Result<(), SetupError> {
        let path = agents_md::path(self.survey.root)?;
        let target = self.survey.read(&path, Scope::Project)?;
        self.plan_edit("AGENTS.md", &target, Scope::Project, agents_md::slot(), agents_md::block().into())?;
        self.notes.extend(agents_md::claude_md_hint(self.survey.root, &path));
        Ok(())
    }

    /// A file of the host that is already there, else the one that it has by default.
    fn host_file(&self, host: &Host) -> Option<PathBuf> {
        let (machine, root) = (self.survey.machine, self.survey.root);
        let default = host.place(machine).on(machine, root);
        let mut others = host.instead.iter().filter_map(|place| place.on(machine, root));
        // The repository's own file comes before the user's.
        others
            .find(|path| exists(path) && (path.starts_with(root) || !default.as_deref().is_some_and(exists)))
            .or(default)
    }

    /// `becket`, unless that is the server of another repository in a file that all repositories share.
    fn server_name(&self, host: &Host, target: &Target) -> Result<String, SetupError> {
        if host.repository != RepositoryArgument::Path {
            return Ok(SERVER_NAME.to_owned());
        }
        let slot = launch::slot(host, SERVER_NAME);
        let text = target.current.as_deref().unwrap_or_default();
        let servers = slot.siblings(text).map_err(in_file(&target.path))?;
        let root = self.survey.root.to_str();
        let ours = servers
            .iter()
            .find(|(name, server)| name.starts_with(SERVER_NAME) && named_repository(server) == root);
        if let Some((name, _)) = ours {
            return Ok(name.clone());
        }
        let free = |name: &String| {
            servers.iter().all(|(other, server)| other != name || named_repository(server).is_none())
        };
        let slug = format!("{SERVER_NAME}-{}", slug(self.survey.root));
        let numbered = (2..).map(|number: u32| format!("{slug}-{number}"));
        let mut names = [SERVER_NAME.to_owned(), slug.clone()].into_iter().chain(numbered);
        Ok(names.find(free).unwrap_or(slug))
    }

    fn plan_edit(
        &mut self,
        owner: &str,
        target: &Target,
        scope: Scope,
        slot: Slot,
        entry: Value,
    ) -> Result<(), SetupError> {
        let recorded = self.survey.recorded(&target.path);
        let mut file = self.survey.planned(owner, target, scope, Step::AlreadyThere);
        let baseline = Baseline::of(target.current.as_deref(), recorded);
        match decide(&baseline, &slot, &entry, self.replace).map_err(in_file(&target.path))? {
            Decision::Same => {}
            Decision::Theirs { found } => file.step = Step::Differs { found, ours: entry },
            Decision::Write(write) if Some(&write.text) == target.current.as_ref() => {}
            Decision::Write(write) => {
                target.check_writable()?;
                file.step = match (&target.current, write.found.is_some() || baseline.undone) {
                    (None, _) => Step::Create,
                    (Some(_), false) => Step::Insert,
                    (Some(_), true) => Step::Update,
                };
                file.folders.clone_from(&target.missing_folders);
                file.becomes(Some(write.text.clone()));
                let folders = baseline.created_folders(target, self.survey.root)?;
                let path = spell(&target.path, self.survey.root)?;
                self.records.push(baseline.record(owner, path, folders, (slot, entry), write));
            }
        }
        self.files.push(file);
        Ok(())
    }

    fn finish(self, chosen: Vec<(&'static Host, Because)>) -> SetupPlan {
        let Survey { root, cache, tree, seen, file, .. } = self.survey;
        let litter = super::apply::litter(root, cache, file.trees.get(&tree));
        let mut file = file;
        if !self.records.is_empty() {
            let record = file.trees.entry(tree.clone()).or_default();
            record.files.retain(|old| self.records.iter().all(|new| new.path != old.path));
            record.files.extend(self.records);
        }
        SetupPlan {
            hosts: chosen
                .into_iter()
                .map(|(host, because)| ChosenHost { name: host.name, title: host.title, because })
                .collect(),
            files: self.files,
            notes: self.notes,
            records: RecordChange { cache: cache.to_owned(), seen, file, order: RecordOrder::First, litter },
        }
    }
}

fn in_file(path: &Path) -> impl FnOnce(DocumentError) -> SetupError {
    let path = path.to_owned();
    move |source| SetupError::Document { path, source }
}

fn slug(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug: String = words.join("-").chars().take(LONGEST_SLUG).collect();
    if slug.is_empty() { "repository".to_owned() } else { slug }
}
