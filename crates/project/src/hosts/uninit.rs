//! Plans what uninit takes back: what the record says that init wrote, or, without a record, what bears our name and is
//! as init writes it. What somebody wrote or changed by hand is theirs and stays.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agents_md;
use super::document::{DocumentError, Form, Slot};
use super::error::SetupError;
use super::launch::{self, SERVER_NAME, could_be_written, named_repository};
use super::place::Scope;
use super::plan::{
    PlannedFile, RecordChange, RecordOrder, SetupPlan, SharedChange, Step, Survey, UninitRequest,
};
use super::record::{FileRecord, Standing, locate};
use super::table::{HOSTS, Host, RepositoryArgument};
use super::target::{Target, exists};

/// Reads everything, decides everything, writes nothing.
pub fn plan_uninit(request: &UninitRequest) -> Result<SetupPlan, SetupError> {
    let mut survey = Survey::new(&request.root, &request.cache, &request.machine)?;
    let wanted = |owner: &str| match &request.hosts {
        Some(hosts) => hosts.iter().any(|host| host.name == owner),
        None => true,
    };
    let by_name = ByName { named: request.hosts.is_some(), recorded: survey.record().is_some() };
    let recorded: Vec<FileRecord> = survey.record().map(|record| record.files.clone()).unwrap_or_default();
    let (back, kept): (Vec<_>, Vec<_>) = recorded.into_iter().partition(|file| wanted(&file.owner));

    let shared = survey.shared_by_us();
    let unknown = !by_name.recorded && shared.is_empty();
    let mut files = Vec::new();
    for record in &back {
        files.push(take_back(&survey, record)?);
    }
    for record in shared.into_iter().filter(|record| wanted(&record.owner)) {
        files.push(leave(&mut survey, &record)?);
    }
    let hosts: Vec<&'static Host> = request.hosts.clone().unwrap_or_else(|| HOSTS.iter().collect());
    for host in hosts {
        by_name.plan_host(&survey, host, &mut files)?;
    }
    if request.hosts.is_none() {
        by_name.plan_agents_md(&survey, &mut files)?;
    }

    let mut notes = Vec::new();
    if unknown {
        notes.push(
            "There is no record of an init here: entries and block are known by their name and shape."
                .to_owned(),
        );
    }
    Ok(finish(survey, kept, files, notes))
}

fn finish(
    survey: Survey<'_>,
    kept: Vec<FileRecord>,
    files: Vec<PlannedFile>,
    notes: Vec<String>,
) -> SetupPlan {
    let mut folders = survey.registered_folders();
    let Survey { root, cache, tree, seen, mut file, user, mut shared, .. } = survey;
    let litter = super::apply::litter(root, cache, file.trees.get(&tree));
    let wants_more = shared.as_ref().is_some_and(|shared| shared.record.wants(&user));
    if let Some(shared) = shared.as_mut().filter(|shared| shared.record.entries.is_empty()) {
        folders.extend(std::mem::take(&mut shared.record.folders));
        folders.sort();
        folders.dedup();
        shared.folders = folders;
    }
    if kept.is_empty() && !wants_more {
        file.trees.remove(&tree);
    } else if let Some(record) = file.trees.get_mut(&tree) {
        record.files = kept;
        record.registered = record.registered.take().filter(|_| wants_more);
    }
    SetupPlan {
        hosts: Vec::new(),
        files,
        notes,
        records: RecordChange {
            cache: cache.to_owned(),
            seen,
            file,
            order: RecordOrder::Last,
            shared,
            litter,
        },
    }
}

/// In a file that repositories share, an entry stays for as long as one of them wants it, and those of the others stay
/// as they are.
fn leave(survey: &mut Survey<'_>, record: &FileRecord) -> Result<PlannedFile, SetupError> {
    let target = survey.read(Path::new(&record.path), Scope::User)?;
    let mut file = survey.planned(&record.owner, &target, Scope::User, Step::NothingThere);
    let Some(SharedChange { record: shared, .. }) = &mut survey.shared else { return Ok(file) };
    let others = shared.leave(&record.path, &record.slot, &survey.user);
    if others > 0 {
        let repositories = if others == 1 { "repository wants" } else { "repositories want" };
        file.step = Step::Left { reason: format!("{others} other {repositories} the same entry") };
        return Ok(file);
    }
    let current = target.current.as_deref();
    let lifted = shared.lift(&record.path, &record.slot, current);
    shared.remove(record, lifted.is_some());
    if let Some(lifted) = lifted {
        let in_file = |source| SetupError::Document { path: target.path.clone(), source };
        let is_top = lifted.is_top();
        match shared.put_back(&record.path, &lifted, lifted.text.clone()).map_err(in_file)? {
            None => delete(&mut file),
            text => {
                file.step = if is_top { Step::Restore } else { Step::TakeOut };
                file.becomes(text);
            }
        }
    } else if record.standing(current) != Standing::Before {
        take_out(&mut file, &target, record, survey)?;
    }
    if file.step.writes() {
        target.check_writable()?;
    }
    if file.after.is_none() {
        let folders = record.created_folders.iter().map(PathBuf::from);
        file.folders = folders.filter(|folder| folder.is_dir()).collect();
    }
    Ok(file)
}

fn take_back(survey: &Survey<'_>, record: &FileRecord) -> Result<PlannedFile, SetupError> {
    let path = locate(&record.path, survey.root);
    let scope = survey.scope_of(&path);
    let target = survey.read(&path, scope)?;
    let mut file = survey.planned(&record.owner, &target, scope, Step::NothingThere);
    match record.standing(target.current.as_deref()) {
        Standing::Before => {}
        Standing::After(None) => delete(&mut file),
        Standing::After(Some(before)) => {
            file.step = Step::Restore;
            file.becomes(Some(before));
        }
        Standing::Edited => take_out(&mut file, &target, record, survey)?,
    }
    if file.step.writes() {
        target.check_writable()?;
    }
    if file.after.is_none() {
        // Also those of an init that was interrupted before it came to the file.
        let folders = record.created_folders.iter().map(|folder| locate(folder, survey.root));
        file.folders = folders.filter(|folder| folder.is_dir()).collect();
    }
    Ok(file)
}

fn delete(file: &mut PlannedFile) {
    file.step = Step::Delete;
    file.becomes(None);
}

fn take_out(
    file: &mut PlannedFile,
    target: &Target,
    record: &FileRecord,
    survey: &Survey<'_>,
) -> Result<(), SetupError> {
    let Some(text) = &target.current else { return Ok(()) };
    let in_file = |source| SetupError::Document { path: target.path.clone(), source };
    let Some(found) = record.slot.find(text).map_err(in_file)? else { return Ok(()) };
    // An update that was interrupted left an older entry of ours, which the record no longer tells.
    let older = || Host::named(&record.owner).is_ok_and(|host| could_be_written(host, survey.root, &found));
    // What stands between the markers of a block is ours by their word; an entry may be the user's work.
    if record.slot.form != Form::Markdown && found != record.entry && !older() {
        file.step = differs(&record.slot.name);
        return Ok(());
    }
    let rest = match &record.replaced {
        Some(theirs) => record.slot.put(text, theirs).map_err(in_file)?.text,
        None => record.slot.take(text, record.new_containers).map_err(in_file)?,
    };
    if record.created_file && is_blank(record.slot.form, &rest) {
        delete(file);
    } else {
        file.step = Step::TakeOut;
        file.becomes(Some(rest));
    }
    Ok(())
}

fn differs(name: &str) -> Step {
    Step::Left {
        reason: format!("`{name}` differs from what init writes; take it out by hand if it is to go"),
    }
}

fn is_blank(form: Form, text: &str) -> bool {
    let words: String = text.trim_start_matches('\u{feff}').split_whitespace().collect();
    words.is_empty() || (form == Form::Json && words == "{}")
}

/// Looks for what bears our name and is in no record.
struct ByName {
    /// The user named these hosts: then what is found there goes, if init could have written it.
    named: bool,
    /// There is a record: then what it does not tell was written by somebody else.
    recorded: bool,
}

impl ByName {
    fn plan_host(
        &self,
        survey: &Survey<'_>,
        host: &Host,
        files: &mut Vec<PlannedFile>,
    ) -> Result<(), SetupError> {
        let (machine, root) = (survey.machine, survey.root);
        let places = std::iter::once(host.place(machine)).chain(host.instead.iter().copied());
        for (place, path) in places.filter_map(|place| Some((place, place.on(machine, root)?))) {
            if files.iter().any(|file| file.path == path) || !exists(&path) {
                continue;
            }
            let slots = |text: &str| -> Result<Vec<Found>, DocumentError> {
                let servers = launch::slot(host, SERVER_NAME).siblings(text)?;
                let ours = servers.iter().filter(|(name, server)| match host.repository {
                    RepositoryArgument::Path => {
                        name.starts_with(SERVER_NAME) && named_repository(server) == root.to_str()
                    }
                    _ => name == SERVER_NAME,
                });
                let found = |(name, server): &(String, Value)| Found {
                    slot: launch::slot(host, name),
                    ours: could_be_written(host, root, server),
                };
                Ok(ours.map(found).collect())
            };
            // A file for every repository keeps its entry, unless that names this one.
            let shared = place.scope() == Scope::User && host.repository != RepositoryArgument::Path;
            self.plan(
                survey,
                &Search { owner: host.name, path, scope: place.scope(), shared, slots: &slots },
                files,
            )?;
        }
        Ok(())
    }

    fn plan_agents_md(&self, survey: &Survey<'_>, files: &mut Vec<PlannedFile>) -> Result<(), SetupError> {
        let path = agents_md::path(survey.root)?;
        if files.iter().any(|file| file.path == path) || !exists(&path) {
            return Ok(());
        }
        let slots = |text: &str| -> Result<Vec<Found>, DocumentError> {
            let slot = agents_md::slot();
            Ok(slot.find(text)?.map(|_| Found { slot, ours: true }).into_iter().collect())
        };
        let scope = Scope::Project;
        self.plan(survey, &Search { owner: "AGENTS.md", path, scope, shared: false, slots: &slots }, files)
    }

    fn plan(
        &self,
        survey: &Survey<'_>,
        search: &Search<'_>,
        files: &mut Vec<PlannedFile>,
    ) -> Result<(), SetupError> {
        match self.plan_file(survey, search, files) {
            Ok(file) => files.extend(file),
            Err(error) if self.named => return Err(error),
            Err(error) if search.scope == Scope::Project => {
                let target = Target {
                    path: search.path.clone(),
                    real: search.path.clone(),
                    current: None,
                    missing_folders: Vec::new(),
                };
                let step = Step::Left { reason: error.to_string() };
                files.push(survey.planned(search.owner, &target, search.scope, step));
            }
            // Nobody spoke of this file of the user's, and nothing says that it has anything of ours.
            Err(error) => tracing::debug!(%error, "a file could not be searched for becket's entry"),
        }
        Ok(())
    }

    fn plan_file(
        &self,
        survey: &Survey<'_>,
        search: &Search<'_>,
        files: &[PlannedFile],
    ) -> Result<Option<PlannedFile>, SetupError> {
        let in_file = |source| SetupError::Document { path: search.path.clone(), source };
        let target = survey.read(&search.path, search.scope)?;
        let Some(text) = target.current.clone() else { return Ok(None) };
        let slots = (search.slots)(&text).map_err(in_file)?;
        if slots.is_empty() || files.iter().any(|file| file.real == target.real) {
            return Ok(None);
        }
        let mut file = survey.planned(search.owner, &target, search.scope, Step::TakeOut);
        if self.recorded && !self.named {
            file.step = Step::Left { reason: "init did not write what bears becket's name there".to_owned() };
        } else if let Some(theirs) = slots.iter().find(|found| !found.ours) {
            file.step = differs(&theirs.slot.name);
        } else if slots.iter().any(|found| survey.others_want(&search.path, &found.slot)) {
            file.step = Step::Left { reason: "the init of another repository wrote it".to_owned() };
        } else if search.shared && !self.named {
            let command = format!("becket uninit --hosts {}", search.owner);
            file.step =
                Step::Left { reason: format!("other repositories use it too; `{command}` takes it out") };
        } else {
            target.check_writable()?;
            let mut rest = text;
            for Found { slot, .. } in &slots {
                rest = slot.take(&rest, 0).map_err(in_file)?;
            }
            file.becomes(Some(rest));
        }
        Ok(Some(file))
    }
}

/// Something that bears our name.
struct Found {
    slot: Slot,
    /// Whether init could have written it as it is.
    ours: bool,
}

/// A file that may hold something of ours.
struct Search<'a> {
    owner: &'a str,
    path: PathBuf,
    scope: Scope,
    /// Whether what stands there serves other repositories too.
    shared: bool,
    slots: &'a dyn Fn(&str) -> Result<Vec<Found>, DocumentError>,
}
