//! Two branches took one number: one entry moves to a free number, and the code that meant it follows.

use std::collections::{BTreeMap, BTreeSet};

use becket_base::RepoPath;
use becket_git::provenance::Unmerged;
use becket_memory::{
    ContentHash,
    code::{Source, mentions},
    naming::Naming,
    references::Reference,
    vault::Move,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    create::highest_ever,
    desk::{Desk, FOLDER},
    place::Scope,
};
use crate::{Engine, Error, repository::sentence};

#[derive(Debug, Clone, Default)]
pub struct RenumberRequest {
    /// The entry that moves: its reference, or its file name where two have the number.
    pub reference: String,
    /// Only say what would be done.
    pub dry_run: bool,
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenumberReport {
    pub from: String,
    /// The new reference; absent when nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The file that moves, or moved.
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_file: Option<String>,
    /// References in code that follow.
    pub rewritten: Vec<Rewritten>,
    /// References that may mean either entry, and stay as they are.
    pub left: Vec<Rewritten>,
    pub dry_run: bool,
    /// What is left to do.
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rewritten {
    pub file: String,
    pub line: usize,
    /// Why it follows or stays.
    pub reason: String,
}

/// Another branch that gave a number of ours to another text.
#[derive(Debug, Clone)]
pub(super) struct Clash {
    pub(super) branch: String,
    pub(super) reference: String,
    pub(super) file: String,
}

/// What is to be done.
#[derive(Debug)]
struct Plan {
    number: u64,
    file: String,
    bytes: Vec<u8>,
    /// The text that keeps the old file, where a merge left two in it.
    keeps: Option<Vec<u8>>,
    follow: Vec<(RepoPath, Reference, &'static str)>,
    stay: Vec<(RepoPath, Reference, &'static str)>,
}

impl Engine {
    pub fn context_renumber(&self, request: &RenumberRequest) -> Result<RenumberReport, Error> {
        self.at_desk(request.worktree.as_deref(), |desk| {
            desk.read_entries()?;
            desk.read_references();
            let plan = plan(desk, &request.reference)?;
            let shown = |all: &[(RepoPath, Reference, &'static str)]| {
                let row = |(path, reference, reason): &(RepoPath, Reference, &'static str)| Rewritten {
                    file: path.to_string(),
                    line: reference.line,
                    reason: (*reason).to_owned(),
                };
                all.iter().map(row).collect::<Vec<_>>()
            };
            let mut report = RenumberReport {
                from: desk.config.format_ref(plan.number),
                to: None,
                file: plan.file.clone(),
                new_file: None,
                rewritten: shown(&plan.follow),
                left: shown(&plan.stay),
                dry_run: request.dry_run,
                notices: Vec::new(),
                scope: desk.place.scope(),
            };
            if !request.dry_run {
                apply(desk, &plan, &mut report)?;
            }
            desk.store_origins();
            Ok(report)
        })
    }
}

fn plan(desk: &mut Desk<'_>, reference: &str) -> Result<Plan, Error> {
    let listed = desk.listing.find(reference, &desk.config, desk.log())?.clone();
    let number = listed.number;
    let referring: Vec<(RepoPath, Reference)> = desk.referrers().remove(&number).unwrap_or_default();
    let paths: BTreeSet<RepoPath> = referring.iter().map(|(path, _)| path.clone()).collect();
    desk.read_origins(&paths);
    let sides = desk.unmerged()?.remove(&listed.file);
    let twins: Vec<String> = desk
        .listing
        .numbered(number)
        .iter()
        .filter(|other| other.file != listed.file)
        .map(|other| other.file.clone())
        .collect();
    let (bytes, keeps) = match &sides {
        Some(sides) => {
            let (ours, theirs) = desk.both_sides(&listed.file, sides)?;
            (theirs, Some(ours))
        }
        None => (desk.vault.read_bytes(&listed.file)?, None),
    };
    let mut plan =
        Plan { number, file: listed.file.clone(), bytes, keeps, follow: Vec::new(), stay: Vec::new() };
    for (path, reference) in referring {
        let owner = if sides.is_some() {
            desk.written_by_merged_branch(&path, &reference)?
        } else if twins.is_empty() {
            Owner::Moved("the only entry of this number here")
        } else {
            desk.meant_of_twins(&path, &reference, &listed.file, &twins)?
        };
        match owner {
            Owner::Moved(reason) => plan.follow.push((path, reference, reason)),
            Owner::Other => {}
            Owner::Unclear(reason) => plan.stay.push((path, reference, reason)),
        }
    }
    Ok(plan)
}

/// Which of two entries a reference means.
#[derive(Debug)]
enum Owner {
    Moved(&'static str),
    Other,
    Unclear(&'static str),
}

impl Desk<'_> {
    /// Entries that a merge could not join, by file name.
    pub(super) fn unmerged(&self) -> Result<BTreeMap<String, Unmerged>, Error> {
        let Some(past) = &self.place.past else { return Ok(BTreeMap::new()) };
        let name =
            |path: String| path.strip_prefix(FOLDER).map(|rest| rest.trim_start_matches('/').to_owned());
        let naming = Naming::new(&self.config, self.log());
        let files = past.unmerged(FOLDER)?.into_iter().filter_map(|(path, sides)| Some((name(path)?, sides)));
        Ok(files.filter(|(file, _)| naming.known(file).is_some()).collect())
    }

    fn both_sides(&self, file: &str, sides: &Unmerged) -> Result<(Vec<u8>, Vec<u8>), Error> {
        let past = self.place.past.as_ref();
        let blob = |id: &Option<String>| {
            let content = past.zip(id.as_ref()).map(|(past, id)| past.blob(id)).transpose()?.flatten();
            Ok::<_, Error>(content)
        };
        match (blob(&sides.ours)?, blob(&sides.theirs)?) {
            (Some(ours), Some(theirs)) => Ok((ours, theirs)),
            _ => Err(Error::conflict(
                "entry_deleted_in_merge",
                format!("One side of the merge deleted {file}."),
            )
            .with_hint("Settle this file with git; there is only one text to keep.")),
        }
    }

    /// During a merge: what the other branch wrote means the other branch's entry.
    fn written_by_merged_branch(&self, path: &RepoPath, reference: &Reference) -> Result<Owner, Error> {
        let Some(past) = &self.place.past else { return Ok(Owner::Other) };
        let (Some(merged), Some(head)) = (past.merge_head()?, &self.place.head) else {
            return Ok(Owner::Unclear("no merge is under way any more, so its author cannot be told"));
        };
        let Some(since) = self.origin(path, reference).and_then(|origin| origin.since.clone()) else {
            return Ok(Owner::Unclear("it is not committed"));
        };
        Ok(match (past.contains(&merged, &since.commit)?, past.contains(head, &since.commit)?) {
            (true, false) => Owner::Moved("written on the branch that is being merged"),
            (false, true) => Owner::Other,
            _ => Owner::Unclear("both branches have it"),
        })
    }

    /// Of two files with one number: the one whose prefix the reference has, else the one that the writer could know.
    fn meant_of_twins(
        &mut self,
        path: &RepoPath,
        reference: &Reference,
        moved: &str,
        twins: &[String],
    ) -> Result<Owner, Error> {
        let has_prefix = |file: &str| !reference.prefix.is_empty() && file.starts_with(&reference.prefix);
        if has_prefix(moved) && !twins.iter().any(|twin| has_prefix(twin)) {
            return Ok(Owner::Moved("it has this file's prefix"));
        }
        if !has_prefix(moved) && twins.iter().any(|twin| has_prefix(twin)) {
            return Ok(Owner::Other);
        }
        let pasts = self.pasts();
        let introduced =
            |file: &str| pasts.get(&format!("{FOLDER}/{file}")).map(|past| past.introduced.commit.clone());
        let since = self.origin(path, reference).and_then(|origin| origin.since.clone());
        let (Some(past), Some(since)) = (&self.place.past, since) else {
            return Ok(Owner::Unclear("it is not committed"));
        };
        let knew = |file: &str| -> Result<bool, Error> {
            match introduced(file) {
                Some(commit) => Ok(past.contains(&since.commit, &commit)?),
                None => Ok(false),
            }
        };
        let mut knew_twin = false;
        for twin in twins {
            knew_twin |= knew(twin)?;
        }
        Ok(match (knew(moved)?, knew_twin) {
            (true, false) => Owner::Moved("written where only this entry existed"),
            (false, true) => Owner::Other,
            (true, true) => Owner::Unclear("both entries existed when it was written"),
            (false, false) => Owner::Unclear("neither entry was committed when it was written"),
        })
    }

    /// Numbers of ours that other branches gave to other texts; and whether branches were left out.
    pub(super) fn clashes(&mut self) -> Result<(Vec<Clash>, bool), Error> {
        let (Some(past), Some(head)) = (self.place.past.clone(), self.place.head.clone()) else {
            return Ok((Vec::new(), false));
        };
        let (pasts, committed) = (self.pasts(), self.committed());
        let naming = Naming::new(&self.config, self.log());
        let (branches, more) = past.branches()?;
        let mut seen_commits = BTreeSet::from([head]);
        let mut clashes = Vec::new();
        for (branch, commit) in branches {
            if !seen_commits.insert(commit.clone()) {
                continue;
            }
            for (path, blob) in past.folder_at(&commit, FOLDER)? {
                let Some(named) =
                    path.strip_prefix(FOLDER).and_then(|rest| naming.known(rest.trim_start_matches('/')))
                else {
                    continue;
                };
                for ours in self.listing.numbered(named.number) {
                    let our_path = format!("{FOLDER}/{}", ours.file);
                    let same = match (committed.get(&our_path), pasts.get(&our_path)) {
                        (Some(our_blob), _) if *our_blob == blob => true,
                        // The same entry, altered on one side: that is another finding.
                        (Some(_), Some(our_past)) => past
                            .introduction(&commit, &path)?
                            .is_none_or(|theirs| theirs.commit == our_past.introduced.commit),
                        _ => {
                            let theirs = past.blob(&blob)?.unwrap_or_default();
                            self.vault
                                .read_bytes(&ours.file)
                                .is_ok_and(|bytes| ContentHash::of(&bytes) == ContentHash::of(&theirs))
                        }
                    };
                    if !same {
                        let (branch, reference, file) =
                            (branch.clone(), ours.reference.clone(), ours.file.clone());
                        clashes.push(Clash { branch, reference, file });
                    }
                }
            }
        }
        Ok((clashes, more))
    }
}

fn apply(desk: &mut Desk<'_>, plan: &Plan, report: &mut RenumberReport) -> Result<(), Error> {
    let hash = ContentHash::of(&plan.bytes);
    let (to, file) = if let Some(begun) = unfinished(desk, plan.number, &hash) {
        begun
    } else {
        let author = desk.author();
        let entry =
            Move { from: plan.number, bytes: plan.bytes.clone(), at: desk.engine.this_second(), author };
        desk.vault.renumber(&desk.config, entry, || highest_ever(desk))?
    };
    let mut by_file: BTreeMap<&RepoPath, BTreeSet<usize>> = BTreeMap::new();
    for (path, reference, _) in &plan.follow {
        by_file.entry(path).or_default().insert(reference.line);
    }
    for (path, lines) in by_file {
        if let Err(error) = desk.rewrite(path, &lines, plan.number, to) {
            report.rewritten.retain(|one| one.file != path.to_string());
            report.notices.push(format!("{path} was not rewritten: {}", error.message()));
        }
    }
    desk.vault.settle(&plan.file, plan.keeps.as_deref())?;
    desk.vault.refresh_log(&mut desk.view.log)?;
    if plan.keeps.is_some() {
        report.notices.push(format!("Stage the result: git add {FOLDER}, and the files above."));
    }
    report.to = Some(desk.config.format_ref(to));
    report.new_file = Some(file);
    Ok(())
}

/// A move that was begun and not ended: it goes on, and takes no second number.
fn unfinished(desk: &Desk<'_>, number: u64, hash: &ContentHash) -> Option<(u64, String)> {
    let begun = desk.log().renumbered.iter().filter(|event| event.from == number && event.hash == *hash);
    begun.into_iter().rev().find_map(|event| {
        let document = desk.document(event.to).filter(|document| document.hash == *hash)?;
        Some((document.number, document.file.clone()))
    })
}

impl Desk<'_> {
    /// Writes the new number where the old one stands, on the given lines of a file.
    fn rewrite(&self, path: &RepoPath, lines: &BTreeSet<usize>, from: u64, to: u64) -> Result<(), Error> {
        let unreadable = || {
            Error::unavailable("file_unreadable", format!("{path} cannot be read."))
                .with_hint("Check its permissions, and run the command again.")
        };
        let bytes = self.read_file(path).ok_or_else(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::invalid("file_not_utf8", format!("{path} is not UTF-8; edit it by hand."))
                .with_hint("Put the new number there yourself, and run the command again.")
        })?;
        let source = Source::new(path.as_str(), &text);
        let mut rewritten = text.clone();
        for mention in mentions(&source).iter().rev() {
            if mention.number != from || !lines.contains(&mention.line) {
                continue;
            }
            let digits = &text[mention.digits.clone()];
            let padded = digits.starts_with('0') || digits.len() >= self.config.leading_zeros;
            let new = if padded { self.config.format_ref(to) } else { to.to_string() };
            rewritten.replace_range(mention.digits.clone(), &new);
        }
        let admitted = self
            .place
            .sandbox
            .admit(self.place.root.join(path.as_str()).as_os_str())
            .map_err(|error| Error::denied(error.code(), sentence(&error.to_string())))?;
        becket_project::files::write(&admitted.absolute, rewritten.as_bytes()).map_err(|error| {
            Error::unavailable("file_not_writable", sentence(&error.to_string())).with_source(error)
        })
    }
}
