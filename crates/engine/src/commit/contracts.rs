//! What the contracts say of the changed files, for grouping and wording: what each declares before and after, and which
//! names it takes from where. Only the changed files are read, and the barrels that their imports go through.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use becket_commits::{ContractFacts, DeclaredName, SideFacts, UsedName};
use becket_contracts::graph::{Members, stars};
use becket_contracts::language::language_of;
use becket_contracts::link::declaring_file;
use becket_contracts::model::{ExportOrigin, LocalFacts};
use becket_diff::Side;
use becket_git::tree::names_of;
use becket_git::write::{StepStage, read_blobs_up_to};
use becket_project::index::facts_of;
use becket_project::resolve::{Modules, Resolver};
use becket_project::walk::rules::role_of;
use becket_project::walk::{Found, Role, Stamp, Tests};

use super::{cut::Cut, desk::Desk, refusal::refused};
use crate::Error;

/// Changes of more files than this are grouped by their text alone.
const MOST_FILES: usize = 1_500;
/// Files between a name and what declares it, that are read besides.
const MOST_BARRELS: usize = 400;
/// How many barrels in a row are followed.
const BARREL_STEPS: usize = 3;
/// Longer files are generated.
const LONGEST: usize = 2 << 20;
/// Manifests and the like that decide where imports lead.
const MOST_CONTROLS: usize = 1_000;

/// For every step of the cut that the contracts know something of. Without them grouping is as good as without: whatever
/// goes wrong here is told and nothing else.
pub(super) fn contract_facts<'a>(desk: &Desk, cut: &'a Cut) -> &'a [ContractFacts] {
    cut.facts(|| {
        facts(desk, cut).unwrap_or_else(|error| {
            tracing::warn!(%error, "grouped without contracts");
            Vec::new()
        })
    })
}

/// A file on one side of a step.
struct Version {
    change: usize,
    is_new: bool,
    path: String,
    blob: String,
}

fn facts(desk: &Desk, cut: &Cut) -> Result<Vec<ContractFacts>, Error> {
    let versions = versions(cut);
    if versions.is_empty() || versions.len() > 2 * MOST_FILES {
        return Ok(Vec::new());
    }
    let objects = desk.write.objects();
    let read =
        |ids: &[&str]| read_blobs_up_to(desk.git.clone(), Some(&objects), ids, LONGEST).map_err(refused);
    let ids: BTreeSet<&str> = versions.iter().map(|version| version.blob.as_str()).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let texts: BTreeMap<&str, Option<Vec<u8>>> = ids.iter().copied().zip(read(&ids)?).collect();
    let text = |version: &Version| texts.get(version.blob.as_str()).and_then(Option::as_ref);
    let versions: Vec<&Version> = versions.iter().filter(|version| text(version).is_some()).collect();
    let sources: Vec<(&str, &[u8])> = versions
        .iter()
        .map(|version| (version.path.as_str(), text(version).map(Vec::as_slice).unwrap_or_default()))
        .collect();
    let said = facts_of(&sources);

    let mut stored = names_of(desk.git.clone(), &cut.snapshot.trees.head)?;
    for version in &versions {
        stored.insert(version.path.clone(), version.blob.clone());
    }
    let mut tree = Tree::of(&stored, &read)?;
    for (version, facts) in versions.iter().zip(&said) {
        // Of two versions of a file, others see the new one.
        if version.is_new || !tree.files.contains_key(&version.path) {
            tree.files.insert(version.path.clone(), facts.clone());
        }
    }
    tree.read_barrels(&said, &versions, &stored, &read)?;
    let known = Known::of(&tree);

    let mut found: BTreeMap<usize, ContractFacts> = BTreeMap::new();
    for (version, facts) in versions.iter().zip(&said) {
        let entry = found
            .entry(version.change)
            .or_insert_with(|| ContractFacts { change: version.change, ..ContractFacts::default() });
        let side = if version.is_new { &mut entry.new } else { &mut entry.old };
        *side = SideFacts { declares: declares(facts), uses: known.uses(&version.path, facts) };
    }
    Ok(found.into_values().collect())
}

fn versions(cut: &Cut) -> Vec<Version> {
    let snapshot = &cut.snapshot;
    let mut versions = Vec::new();
    for (change, step) in snapshot.steps().enumerate() {
        let blobs = match step.stage {
            StepStage::Staged => &snapshot.staged,
            StepStage::Unstaged => &snapshot.unstaged,
        };
        let version = |side: &Side, is_new: bool| {
            let path = std::str::from_utf8(side.path.as_bytes()).ok()?;
            language_of(path)?;
            let sides = blobs.get(&side.path)?;
            let blob = if is_new { sides.new.as_ref() } else { sides.old.as_ref() }?;
            let regular = blob.mode.0 & 0o170_000 == 0o100_000;
            regular.then(|| Version { change, is_new, path: path.to_owned(), blob: blob.id.clone() })
        };
        versions.extend(step.file.old.as_ref().and_then(|side| version(side, false)));
        versions.extend(step.file.new.as_ref().and_then(|side| version(side, true)));
    }
    versions
}

fn declares(facts: &LocalFacts) -> Vec<DeclaredName> {
    let declared = |declaration: &becket_contracts::model::Declaration| DeclaredName {
        name: declaration.name.clone(),
        exported: declaration.exported,
        first_line: declaration.lines.first as usize,
        last_line: declaration.lines.last as usize,
    };
    facts.declarations.iter().map(declared).collect()
}

/// The contents of blobs; nothing for one that is too long.
type Read<'a> = dyn Fn(&[&str]) -> Result<Vec<Option<Vec<u8>>>, Error> + 'a;

/// What imports can lead to, and what is known of it.
struct Tree {
    resolver: Resolver,
    files: BTreeMap<String, LocalFacts>,
}

impl Tree {
    fn of(stored: &BTreeMap<String, String>, read: &Read<'_>) -> Result<Self, Error> {
        let role = |path: &str| role_of(path, 0, Tests::Included);
        let found: Vec<Found> = stored
            .keys()
            .map(|path| Found { path: path.as_str().into(), role: role(path), stamp: Stamp::default() })
            .collect();
        // Which version of a package is installed decides nothing here, and lock files are long.
        let is_rule = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            role(path) == Role::Control && !name.contains("lock") && !name.contains("shrinkwrap")
        };
        let rules: Vec<(&String, &String)> =
            stored.iter().filter(|(path, _)| is_rule(path)).take(MOST_CONTROLS).collect();
        let ids: Vec<&str> = rules.iter().map(|(_, blob)| blob.as_str()).collect();
        let texts = if ids.is_empty() { Vec::new() } else { read(&ids)? };
        let texts: BTreeMap<&str, Option<Vec<u8>>> =
            rules.iter().map(|(path, _)| path.as_str()).zip(texts).collect();
        let contents = |path: &str| texts.get(path).cloned().flatten();
        Ok(Self { resolver: Resolver::new(Modules::new(&found), &contents), files: BTreeMap::new() })
    }

    /// Reads the files that names may come through.
    fn read_barrels(
        &mut self,
        said: &[LocalFacts],
        versions: &[&Version],
        stored: &BTreeMap<String, String>,
        read: &Read<'_>,
    ) -> Result<(), Error> {
        let imported = versions.iter().zip(said).flat_map(|(version, facts)| {
            facts.imports.iter().map(|import| (version.path.as_str(), import.specifier.as_str()))
        });
        let mut wanted = self.unknown(imported);
        for _ in 0..BARREL_STEPS {
            wanted.truncate(MOST_BARRELS);
            if wanted.is_empty() || self.files.len() > MOST_FILES + MOST_BARRELS {
                break;
            }
            let known: Vec<(&str, &str)> =
                wanted.iter().filter_map(|path| Some((path.as_str(), stored.get(path)?.as_str()))).collect();
            let ids: Vec<&str> = known.iter().map(|(_, blob)| *blob).collect();
            let texts = read(&ids)?;
            let sources: Vec<(&str, &[u8])> = known
                .iter()
                .zip(&texts)
                .filter_map(|((path, _), text)| Some((*path, text.as_deref()?)))
                .collect();
            let facts = facts_of(&sources);
            self.files.extend(sources.iter().map(|(path, _)| (*path).to_owned()).zip(facts));
            let passed_on = wanted.iter().filter_map(|path| Some((path, self.files.get(path)?)));
            let passed_on = passed_on.flat_map(|(path, facts)| {
                facts.exports.iter().filter_map(|export| match &export.origin {
                    ExportOrigin::Module { specifier, .. } => Some((path.as_str(), specifier.as_str())),
                    ExportOrigin::Local(_) => None,
                })
            });
            wanted = self.unknown(passed_on);
        }
        Ok(())
    }

    /// The files that these imports lead to and of which nothing is known yet.
    fn unknown<'a>(&self, imports: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
        let found = imports
            .filter_map(|(from, specifier)| self.resolver.resolve(from, specifier).file().map(str::to_owned));
        let found: BTreeSet<String> = found.filter(|path| !self.files.contains_key(path)).collect();
        found.into_iter().collect()
    }
}

/// What was read of a tree, by path.
struct Known<'a> {
    tree: &'a Tree,
    files: Vec<(&'a str, &'a LocalFacts)>,
}

impl Known<'_> {
    fn of(tree: &Tree) -> Known<'_> {
        Known { tree, files: tree.files.iter().map(|(path, facts)| (path.as_str(), facts)).collect() }
    }

    /// What a file takes from others of the repository. A whole namespace is no name.
    fn uses(&self, path: &str, facts: &LocalFacts) -> Vec<UsedName> {
        let mut uses: BTreeMap<String, UsedName> = BTreeMap::new();
        for import in &facts.imports {
            let target = self.tree.resolver.resolve(path, &import.specifier);
            let Some(from) = target.file() else { continue };
            for name in import.names.iter().filter(|name| name.imported != "*") {
                let declared =
                    self.position(from).and_then(|file| declaring_file(self, file, &name.imported));
                let (path, there) =
                    declared.map_or((from, name.imported.as_str()), |(at, there)| (self.path(at), there));
                let used =
                    UsedName { local: name.local.clone(), path: path.to_owned(), name: there.to_owned() };
                uses.insert(name.local.clone(), used);
            }
        }
        uses.into_values().collect()
    }

    fn position(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|(known, _)| (*known).cmp(path)).ok()
    }
}

impl Members for Known<'_> {
    fn path(&self, at: usize) -> &str {
        self.files[at].0
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        self.files[at].1
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        self.position(self.tree.resolver.resolve(self.path(from), specifier).file()?)
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        stars(self, at).into()
    }
}
