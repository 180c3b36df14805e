//! Plans what init writes: an entry in every chosen host's file, and the block in `AGENTS.md`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agents_md;
use super::baseline::{Baseline, Decision, Write, decide};
use super::document::{DocumentError, Slot};
use super::error::SetupError;
use super::launch::{self, Launch, SERVER_NAME, Snippet, named_repository};
use super::place::{Machine, Place, Scope};
use super::plan::{
    AgentsMd, Because, ChosenHost, HostChoice, InitRequest, PlannedFile, RecordChange, RecordOrder, Replace,
    SetupPlan, Step, Survey,
};
use super::record::{FileRecord, Registration, spell};
use super::table::{HOSTS, Host, RepositoryArgument};
use super::target::{Target, exists, missing_folders};

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
        let Some((path, scope)) = self.host_file(host) else {
            if *because == Because::Named {
                return Err(SetupError::NoHome { host: host.title });
            }
            self.notes
                .push(format!("{} was found, but no home folder is known to write its file in.", host.title));
            return Ok(());
        };
        let target = self.survey.read(&path, scope)?;
        if let Some(first) = self.files.iter().find(|file| file.real == target.real) {
            let step = Step::SameFile { owner: first.owner.clone() };
            self.files.push(self.survey.planned(host.name, &target, scope, step));
            return Ok(());
        }
        let entry = launch.entry(host, self.survey.root)?;
        let slot = launch::slot(host, &self.server_name(host, &target)?);
        match scope {
            Scope::Project => self.plan_edit(host.name, &target, slot, entry)?,
            Scope::User => self.plan_shared(host, &target, slot, entry)?,
        }
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
        self.plan_edit("AGENTS.md", &target, agents_md::slot(), agents_md::block().into())?;
        self.notes.extend(agents_md::claude_md_hint(self.survey.root, &path));
        Ok(())
    }

    /// A file of the host that is already there, else the one that it has by default.
    fn host_file(&self, host: &Host) -> Option<(PathBuf, Scope)> {
        let on = |place: Place| Some((place.on(self.survey.machine, self.survey.root)?, place.scope()));
        let default = on(host.place(self.survey.machine));
        let default_exists = default.as_ref().is_some_and(|(path, _)| exists(path));
        let mut others = host.instead.iter().filter_map(|place| on(*place));
        // The repository's own file comes before the user's.
        others.find(|(path, scope)| exists(path) && (*scope == Scope::Project || !default_exists)).or(default)
    }

    /// `becket`, unless that is the server of another repository in a file that all repositories share.
    fn server_name(&self, host: &Host, target: &Target) -> Result<String, SetupError> {
        if host.repository != RepositoryArgument::Path {
            return Ok(SERVER_NAME.to_owned());
        }
        let spelled = absolute(&target.path)?;
        let wanted =
            self.survey.shared.as_ref().and_then(|shared| shared.record.of(&spelled, &self.survey.user));
        if let Some(wanted) = wanted {
            return Ok(wanted.record.slot.name.clone());
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
        slot: Slot,
        entry: Value,
    ) -> Result<(), SetupError> {
        let root = self.survey.root;
        let mut file = self.survey.planned(owner, target, Scope::Project, Step::AlreadyThere);
        let baseline = Baseline::of(target.current.as_deref(), self.survey.recorded(&target.path));
        if let Some(write) = admitted(&mut file, target, &baseline, (&slot, &entry), self.replace)? {
            if Some(&write.text) != target.current.as_ref() {
                becomes(&mut file, target, &baseline, &write)?;
                file.becomes(Some(write.text.clone()));
                let folders = baseline.created_folders(target, |folder| spell(folder, root))?;
                let path = spell(&target.path, root)?;
                self.records.push(baseline.record(owner, path, folders, (slot, entry), write));
            }
        }
        self.files.push(file);
        Ok(())
    }

    /// An entry in a file that other repositories write into too: written once for those that want the same one, and
    /// under those of the others that came after it.
    fn plan_shared(
        &mut self,
        host: &Host,
        target: &Target,
        slot: Slot,
        entry: Value,
    ) -> Result<(), SetupError> {
        let mut file = self.survey.planned(host.name, target, Scope::User, Step::AlreadyThere);
        let Some(shared) = &mut self.survey.shared else {
            return Err(SetupError::NoHome { host: host.title });
        };
        let path = absolute(&target.path)?;
        let current = target.current.as_deref();
        let known = shared.record.at(&path, &slot).map(|known| known.record.clone());
        let found = slot.find(current.unwrap_or_default()).map_err(in_file(&target.path))?;
        if found.as_ref() == Some(&entry) && known.as_ref().is_some_and(|known| known.entry == entry) {
            shared.record.join(&path, &slot, &self.survey.user);
            self.files.push(file);
            return Ok(());
        }
        let lifted = known.as_ref().and_then(|known| shared.record.lift(&path, &known.slot, current));
        let baseline = match (&lifted, &known) {
            (Some(lifted), Some(known)) => Baseline::under(lifted.text.clone(), known),
            _ => Baseline::as_it_is(current, known.as_ref()),
        };
        if let Some(write) = admitted(&mut file, target, &baseline, (&slot, &entry), self.replace)? {
            becomes(&mut file, target, &baseline, &write)?;
            let mut text = Some(write.text.clone());
            let folders = baseline.created_folders(target, absolute)?;
            let record = baseline.record(host.name, path.clone(), folders, (slot, entry), write);
            shared.record.put(record, &self.survey.user);
            if let Some(lifted) = &lifted {
                text = shared.record.put_back(&path, lifted, text).map_err(in_file(&target.path))?;
            }
            file.becomes(text);
        }
        self.files.push(file);
        Ok(())
    }

    fn finish(self, chosen: Vec<(&'static Host, Because)>) -> SetupPlan {
        let made = self.survey.registered_folders();
        let Survey { root, cache, tree, seen, mut file, user, mut shared, .. } = self.survey;
        let litter = super::apply::litter(root, cache, file.trees.get(&tree));
        let registered = shared.as_mut().filter(|shared| shared.record.wants(&user)).map(|shared| {
            shared.folders = shared.path.parent().map(missing_folders).unwrap_or_default();
            let mut folders = made;
            folders.extend(
                shared.folders.iter().filter(|folder| !folders.contains(folder)).cloned().collect::<Vec<_>>(),
            );
            if shared.seen.is_none() {
                shared.record.folders.clone_from(&folders);
            }
            Registration { user, folders }
        });
        if registered.is_some() || !self.records.is_empty() {
            let record = file.trees.entry(tree).or_default();
            record.files.retain(|old| self.records.iter().all(|new| new.path != old.path));
            record.files.extend(self.records);
            record.registered = registered;
        }
        SetupPlan {
            hosts: chosen
                .into_iter()
                .map(|(host, because)| ChosenHost { name: host.name, title: host.title, because })
                .collect(),
            files: self.files,
            notes: self.notes,
            records: RecordChange {
                cache: cache.to_owned(),
                seen,
                file,
                order: RecordOrder::First,
                shared,
                litter,
            },
        }
    }
}

/// What is to be written; nothing when it is there already or somebody else's, as the step then says.
fn admitted(
    file: &mut PlannedFile,
    target: &Target,
    baseline: &Baseline<'_>,
    (slot, entry): (&Slot, &Value),
    replace: Replace,
) -> Result<Option<Write>, SetupError> {
    Ok(match decide(baseline, slot, entry, replace).map_err(in_file(&target.path))? {
        Decision::Same => None,
        Decision::Theirs { found } => {
            file.step = Step::Differs { found, ours: entry.clone() };
            None
        }
        Decision::Write(write) => Some(write),
    })
}

fn becomes(
    file: &mut PlannedFile,
    target: &Target,
    baseline: &Baseline<'_>,
    write: &Write,
) -> Result<(), SetupError> {
    target.check_writable()?;
    file.step = match (&target.current, write.found.is_some() || baseline.undone) {
        (None, _) => Step::Create,
        (Some(_), false) => Step::Insert,
        (Some(_), true) => Step::Update,
    };
    file.folders.clone_from(&target.missing_folders);
    Ok(())
}

/// As the user's own record spells paths: it belongs to no worktree.
fn absolute(path: &Path) -> Result<String, SetupError> {
    path.to_str().map(str::to_owned).ok_or_else(|| SetupError::NotUnicode { path: path.to_owned() })
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
