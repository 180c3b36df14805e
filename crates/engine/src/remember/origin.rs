//! When a reference was written and what the code around it looked like then. Found by blame, followed back through edits
//! of the comment itself, and kept: for a commit that stays in history the answer does not change.

use std::collections::{BTreeMap, BTreeSet};

use becket_base::RepoPath;
use becket_git::{
    GitError,
    provenance::{LineOrigin, Provenance},
};
use becket_memory::{
    ContentHash,
    references::{Reference, references_in},
};
use serde::{Deserialize, Serialize};

use super::{desk::Desk, view::CommitView};

/// Where references come from, by file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Origins {
    version: u32,
    head: Option<String>,
    files: BTreeMap<RepoPath, FileOrigins>,
    #[serde(skip)]
    changed: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct FileOrigins {
    stamp: Option<(i128, u64)>,
    /// By line and number, `12:00003`.
    references: BTreeMap<String, Origin>,
}

/// Where one reference comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The commit that wrote it; nothing while it is not committed.
    pub(super) since: Option<CommitView>,
    /// The path that the file had then.
    pub(super) path: String,
    /// The code around it then.
    pub(super) baseline: Option<ContentHash>,
    /// For a code around it that differs: that code's hash, and the commit that made it differ.
    pub(super) culprit: Option<(ContentHash, Option<CommitView>)>,
}

const VERSION: u32 = 1;
/// Edits of one comment that are followed back.
const MOST_STEPS: usize = 20;

impl Desk<'_> {
    /// Finds where the references of these files come from, as far as it is not known.
    pub(super) fn read_origins(&mut self, paths: &BTreeSet<RepoPath>) {
        let Some(past) = self.place.past.clone() else { return };
        let mut origins = self.view.origins.take().unwrap_or_else(|| load(&self.place.cache("origins")));
        origins.follow_head(&past, self.place.head.as_deref());
        for path in paths {
            let Some(index) = &self.view.index else { continue };
            let stamp = index.stamp(path);
            let references = index.of(path);
            let known = origins.files.get(path).is_some_and(|file| {
                file.stamp == stamp && references.iter().all(|one| file.references.contains_key(&key(one)))
            });
            if known {
                continue;
            }
            let read = read_file(&past, path, references);
            let references = self.or_default(Some(read));
            origins.files.insert(path.clone(), FileOrigins { stamp, references });
            origins.changed = true;
        }
        self.view.origins = Some(origins);
    }

    pub(super) fn origin(&self, path: &RepoPath, reference: &Reference) -> Option<&Origin> {
        self.view.origins.as_ref()?.files.get(path)?.references.get(&key(reference))
    }

    pub(super) fn keep_culprit(
        &mut self,
        path: &RepoPath,
        reference: &Reference,
        culprit: Option<CommitView>,
    ) {
        let Some(origins) = &mut self.view.origins else { return };
        let origin = origins.files.get_mut(path).and_then(|file| file.references.get_mut(&key(reference)));
        if let Some(origin) = origin {
            origin.culprit = Some((reference.region.clone(), culprit));
            origins.changed = true;
        }
    }

    /// Keeps what was found for the next process.
    pub(super) fn store_origins(&mut self) {
        let cache = self.place.cache("origins");
        let Some(origins) = self.view.origins.as_mut().filter(|origins| origins.changed) else { return };
        origins.changed = false;
        origins.version = VERSION;
        let stored = serde_json::to_vec(origins).map_err(|error| error.to_string()).and_then(|bytes| {
            becket_project::files::write(&cache, &bytes).map_err(|error| error.to_string())
        });
        if let Err(error) = stored {
            tracing::debug!(error, "the origins of references are not kept");
        }
    }
}

impl Origins {
    /// Forgets what another commit may have changed: what was not committed, and commits that are no longer in history.
    fn follow_head(&mut self, past: &Provenance, head: Option<&str>) {
        if self.head.as_deref() == head {
            return;
        }
        let commits: BTreeSet<String> = self
            .files
            .values()
            .flat_map(|file| file.references.values())
            .flat_map(|origin| [&origin.since].into_iter().chain(origin.culprit.iter().map(|(_, by)| by)))
            .flatten()
            .map(|view| view.commit.clone())
            .collect();
        match past.outside_head(&commits) {
            Ok(outside) => {
                let gone = |view: &Option<CommitView>| {
                    view.as_ref().is_none_or(|view| outside.contains(&view.commit))
                };
                for file in self.files.values_mut() {
                    file.references.retain(|_, origin| !gone(&origin.since));
                    for origin in file.references.values_mut() {
                        origin.culprit.take_if(|(_, by)| gone(by));
                    }
                }
            }
            Err(_) => self.files.clear(),
        }
        self.head = head.map(str::to_owned);
        self.changed = true;
    }
}

fn load(cache: &std::path::Path) -> Origins {
    let bytes = becket_project::files::read(cache, u64::MAX).ok().flatten();
    let read: Option<Origins> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    read.filter(|origins| origins.version == VERSION).unwrap_or_default()
}

fn key(reference: &Reference) -> String {
    format!("{}:{}{}", reference.line, reference.prefix, reference.number)
}

fn read_file(
    past: &Provenance,
    path: &RepoPath,
    references: &[Reference],
) -> Result<BTreeMap<String, Origin>, GitError> {
    let lines: BTreeSet<usize> = references.iter().map(|reference| reference.line).collect();
    let lines: Vec<usize> = lines.into_iter().collect();
    let blamed = past.lines(path.as_str(), &lines)?;
    let mut origins = BTreeMap::new();
    for reference in references {
        let line = blamed.iter().find(|line| line.line == reference.line);
        let origin = match line {
            Some(line) => follow(past, reference, line.clone())?,
            None => Origin::default(),
        };
        origins.insert(key(reference), origin);
    }
    Ok(origins)
}

/// From the commit that last touched the comment back to the one that first had this number in this place.
fn follow(past: &Provenance, reference: &Reference, last: LineOrigin) -> Result<Origin, GitError> {
    let mut line = last;
    for _ in 0..MOST_STEPS {
        let Some(earlier) = earlier_form(past, reference, &line)? else { break };
        line = earlier;
    }
    let Some(cause) = &line.cause else { return Ok(Origin::default()) };
    let content = past.content(&cause.commit, &line.path)?.unwrap_or_default();
    let then = references_in(&line.path, &String::from_utf8_lossy(&content));
    let baseline = then
        .iter()
        .find(|one| one.number == reference.number && one.line == line.original_line)
        .map(|one| one.region.clone());
    Ok(Origin { since: Some(cause.into()), path: line.path, baseline, culprit: None })
}

/// The line in the commit before, if the same place referred to the same entry there already.
fn earlier_form(
    past: &Provenance,
    reference: &Reference,
    line: &LineOrigin,
) -> Result<Option<LineOrigin>, GitError> {
    let Some((commit, path)) = &line.previous else { return Ok(None) };
    let same = |one: &&Reference| {
        one.number == reference.number
            && one.prefix == reference.prefix
            && one.declaration == reference.declaration
    };
    let in_commit = |commit: &str, path: &str| -> Result<Vec<Reference>, GitError> {
        let content = past.content(commit, path)?.unwrap_or_default();
        Ok(references_in(path, &String::from_utf8_lossy(&content)))
    };
    let before = in_commit(commit, path)?;
    let after = match &line.cause {
        Some(cause) => in_commit(&cause.commit, &line.path)?,
        None => vec![reference.clone()],
    };
    let (before, after): (Vec<&Reference>, Vec<&Reference>) =
        (before.iter().filter(same).collect(), after.iter().filter(same).collect());
    // More of them than before: this one is new, and another is the old one.
    if before.is_empty() || after.len() > before.len() {
        return Ok(None);
    }
    let nearest = before.iter().min_by_key(|one| one.line.abs_diff(line.original_line));
    let Some(nearest) = nearest else { return Ok(None) };
    Ok(past.lines_at(commit, path, &[nearest.line])?.pop())
}
