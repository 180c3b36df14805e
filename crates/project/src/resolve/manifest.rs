//! The `package.json` files of a tree: which packages are its own, and which others each asks for.

use std::collections::BTreeMap;

use becket_base::divided;
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::conditions::{Loading, said_plainly};
use super::members::{Later, Members};
use super::modules::{Modules, join};
use super::{Contents, folders_around, yaml};
use crate::walk::rules::is_for_output;

/// Every manifest that could be read.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    all: Vec<Manifest>,
    by_folder: FxHashMap<String, usize>,
    /// Packages that any manifest of the workspace may name.
    by_name: BTreeMap<String, usize>,
    /// Ranges that are kept for all manifests below a folder, by the name of the catalog and of the package.
    catalogs: FxHashMap<String, Catalogs>,
    faults: Vec<(String, String)>,
}

type Catalogs = BTreeMap<(String, String), String>;

#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) folder: String,
    bytes: Box<[u8]>,
    /// With a further entry of its lists in the place of each.
    choices: Vec<Vec<u8>>,
    pub(super) fields: Fields,
}

impl Manifest {
    /// As its lists are read by their entry at `choice`.
    pub(super) fn bytes(&self, choice: usize) -> &[u8] {
        let chosen = choice.checked_sub(1).and_then(|at| self.choices.get(at).or(self.choices.last()));
        chosen.map_or(&*self.bytes, Vec::as_slice)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Fields {
    #[serde(deserialize_with = "lenient")]
    pub(super) name: Option<String>,
    #[serde(deserialize_with = "lenient")]
    version: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(super) main: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(super) module: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(super) types: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(super) typings: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(super) source: Option<String>,
    /// What is meant where a tsconfig extends the package.
    #[serde(deserialize_with = "lenient")]
    pub(super) tsconfig: Option<String>,
    pub(super) exports: Option<Value>,
    imports: Option<Value>,
    /// A list, or `{ "packages": [ … ] }` with the catalogs of Bun.
    workspaces: Option<Value>,
    catalog: Option<Value>,
    catalogs: Option<Value>,
    #[serde(deserialize_with = "ranges")]
    dependencies: BTreeMap<String, String>,
    #[serde(deserialize_with = "ranges")]
    dev_dependencies: BTreeMap<String, String>,
    #[serde(deserialize_with = "ranges")]
    peer_dependencies: BTreeMap<String, String>,
    #[serde(deserialize_with = "ranges")]
    optional_dependencies: BTreeMap<String, String>,
}

impl Fields {
    /// Where the package begins, as its manifest says; sources before what is built from them.
    pub(super) fn entries(&self) -> impl Iterator<Item = &str> {
        let named = [&self.source, &self.types, &self.typings, &self.module, &self.main];
        named.into_iter().flatten().map(String::as_str)
    }
}

/// A field of the wrong kind is no reason to lose the others.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

/// Nor is an entry of the wrong kind one to lose those beside it.
fn ranges<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let Value::Object(entries) = Value::deserialize(deserializer)? else { return Ok(BTreeMap::new()) };
    let text = |(name, range)| Some((name, text(range)?));
    Ok(entries.into_iter().filter_map(text).collect())
}

fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(listed(&Value::deserialize(deserializer)?).unwrap_or_default())
}

fn listed(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

impl Manifests {
    pub(super) fn read(modules: &Modules, contents: &dyn Contents) -> Self {
        let mut manifests = Self::default();
        let mut roots: Vec<Members> = Vec::new();
        for path in modules.controls() {
            let (folder, name) = divided::around_last(path, b'/').unwrap_or(("", path));
            let Some(mut bytes) =
                matches!(name, "package.json" | "pnpm-workspace.yaml" | "lerna.json" | ".yarnrc.yml")
                    .then(|| contents.read(path))
                    .flatten()
            else {
                continue;
            };
            match name {
                "package.json" => {
                    let plain = said_plainly(without_mark(&bytes));
                    let (mut bytes, choices) = plain.unwrap_or_else(|| (bytes, Vec::new()));
                    let fields: Fields = manifests.read_json(path, &mut bytes);
                    roots.extend(fields.members().map(|all| Members::new(folder, &all, Later::Wins)));
                    manifests.add_catalogs(folder, fields.all_catalogs());
                    manifests.by_folder.insert(folder.to_owned(), manifests.all.len());
                    let (folder, bytes) = (folder.to_owned(), bytes.into());
                    manifests.all.push(Manifest { folder, bytes, choices, fields });
                }
                "lerna.json" => {
                    let fields: LernaFields = manifests.read_json(path, &mut bytes);
                    roots.push(Members::new(folder, &fields.packages, Later::IsNothing));
                }
                _ => {
                    let (said, fault) = yaml::said(&becket_base::text::decoded(&bytes));
                    if let Some(packages) = said.get("packages").filter(|_| name == "pnpm-workspace.yaml") {
                        let packages = listed(packages).unwrap_or_default();
                        roots.push(Members::new(folder, &packages, Later::IsNothing));
                    }
                    manifests.add_catalogs(folder, catalogs(said.get("catalog"), said.get("catalogs")));
                    let told =
                        fault.map(|fault| (path.to_owned(), format!("is read up to a fault: {fault}")));
                    manifests.faults.extend(told);
                }
            }
        }
        // A build may copy a manifest.
        let mut all: Vec<usize> = (0..manifests.all.len()).collect();
        all.sort_by_key(|index| is_for_output(&manifests.all[*index].folder));
        // A root may have the name of one of its packages, which is the one that is linked for all.
        for (roots_too, index) in
            [false, true].into_iter().flat_map(|too| all.iter().map(move |at| (too, *at)))
        {
            let manifest = &manifests.all[index];
            let Some(name) = &manifest.fields.name else { continue };
            let folder = manifest.folder.as_str();
            let member =
                roots.iter().any(|root| if root.is_root(folder) { roots_too } else { root.have(folder) });
            if member {
                manifests.by_name.entry(name.clone()).or_insert(index);
            }
        }
        manifests
    }

    /// Of several entries of one name the last one holds, as for whatever runs by the file; the bytes say so then, too.
    fn read_json<T: DeserializeOwned + Default>(&mut self, path: &str, bytes: &mut Vec<u8>) -> T {
        // An empty one only marks its folder.
        if without_mark(bytes).trim_ascii().is_empty() {
            return T::default();
        }
        let read = serde_json::from_slice(without_mark(bytes)).or_else(|_| {
            *bytes = serde_json::to_vec(&serde_json::from_slice::<Value>(without_mark(bytes))?)?;
            serde_json::from_slice(bytes)
        });
        read.unwrap_or_else(|error| {
            self.faults.push((path.to_owned(), format!("says nothing that can be read: {error}")));
            T::default()
        })
    }

    /// Files that cannot be read, or not to their end, each with what is said of it.
    pub(super) fn faults(&self) -> &[(String, String)] {
        &self.faults
    }

    fn add_catalogs(&mut self, folder: &str, catalogs: Catalogs) {
        if !catalogs.is_empty() {
            self.catalogs.entry(folder.to_owned()).or_default().extend(catalogs);
        }
    }

    pub(super) fn of_folder(&self, folder: &str) -> Option<usize> {
        self.by_folder.get(folder).copied()
    }

    pub(super) fn get(&self, index: usize) -> &Manifest {
        &self.all[index]
    }

    pub(super) fn folder(&self, index: usize) -> &str {
        &self.all[index].folder
    }

    /// The package of this tree that `name` means, said near the manifest `from`.
    pub(super) fn package(&self, from: Option<usize>, name: &str) -> Option<usize> {
        if let Some(own) = self.own(from, name) {
            return Some(own);
        }
        let around = from.map(|index| self.chain(index)).unwrap_or_default();
        let is_meant = |index: &usize| self.all[*index].fields.name.as_deref() == Some(name);
        // Or one beside it that it asks for by path.
        for index in &around {
            let manifest = &self.all[*index];
            let range = manifest.fields.asked().find_map(|asked| asked.get(name));
            let path = range.and_then(|range| {
                ["file:", "link:", "portal:"].iter().find_map(|prefix| range.strip_prefix(prefix))
            });
            if let Some(index) = path
                .and_then(|path| join(&manifest.folder, path))
                .and_then(|folder| self.by_folder.get(&folder).copied())
            {
                return Some(index);
            }
        }
        self.by_name.get(name).copied().or_else(|| around.iter().copied().find(is_meant))
    }

    /// A package that has `exports` may name itself, whatever else has its name.
    pub(super) fn own(&self, from: Option<usize>, name: &str) -> Option<usize> {
        let mut around = from.map(|index| self.chain(index)).unwrap_or_default().into_iter();
        let own = around.find(|index| self.all[*index].fields.name.is_some())?;
        let Fields { name: own_name, exports, .. } = &self.all[own].fields;
        (own_name.as_deref() == Some(name) && exports.is_some()).then_some(own)
    }

    /// The version range that a manifest, or one above it, asks for.
    pub(super) fn range(&self, from: usize, package: &str) -> Option<String> {
        let chain = self.chain(from);
        let asked = |name: &str| {
            chain
                .iter()
                .flat_map(|index| self.all[*index].fields.asked())
                .find_map(|asked| asked.get(name).cloned())
        };
        asked(package).or_else(|| asked(&types_of(package)))
    }

    /// The version that a range of the manifest `from` comes to: that of a catalog is said there, that of a package beside it
    /// by its own manifest. Nothing where that says none.
    pub(super) fn version(&self, from: usize, package: &str, range: &str) -> Option<String> {
        if let Some(catalog) = range.strip_prefix("catalog:").map(str::trim) {
            let catalog = if catalog.is_empty() { DEFAULT_CATALOG } else { catalog };
            let names = [package.to_owned(), types_of(package)];
            let mut folders = folders_around(&self.all[from].folder);
            let catalogs = folders.find_map(|folder| self.catalogs.get(folder))?;
            return names.into_iter().find_map(|name| catalogs.get(&(catalog.to_owned(), name)).cloned());
        }
        match range.strip_prefix("workspace:") {
            None => Some(range.to_owned()),
            Some("*" | "^" | "~" | "") => {
                let named = || self.all.iter().position(|one| one.fields.name.as_deref() == Some(package));
                let index = self.package(Some(from), package).or_else(named)?;
                self.all[index].fields.version.clone()
            }
            // Otherwise it is a path, or the name of another package.
            Some(range) => range
                .starts_with(|first: char| !first.is_alphabetic() && first != '.' && first != '@')
                .then(|| range.to_owned()),
        }
    }

    /// Whether a package asks for another. A manifest that asks for nothing at all leaves that to the one above it, as where
    /// a monorepo has all of it at its root; one that asks for others does not ask for this.
    pub(super) fn asks(&self, from: usize, package: &str) -> bool {
        self.asks_for_any(from, &[package]).unwrap_or_default()
    }

    /// The same for any of several; nothing where no manifest asks for anything.
    pub(super) fn asks_for_any(&self, from: usize, packages: &[&str]) -> Option<bool> {
        let mut chain = self.chain(from).into_iter().map(|index| &self.all[index].fields);
        let telling = chain.find(|fields| fields.asked().any(|asked| !asked.is_empty()))?;
        Some(telling.asked().any(|asked| packages.iter().any(|package| asked.contains_key(*package))))
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// How many further entries the lists of a manifest have at most.
    pub(super) fn most_choices(&self) -> usize {
        self.all.iter().map(|manifest| manifest.choices.len()).max().unwrap_or_default()
    }

    /// A manifest and those in the folders above it.
    fn chain(&self, index: usize) -> Vec<usize> {
        folders_around(&self.all[index].folder)
            .filter_map(|folder| self.by_folder.get(folder).copied())
            .collect()
    }
}

impl Fields {
    /// What the manifest has a `#name` stand for: a path in the package, or the name of another.
    pub(super) fn imported(&self, loading: Loading, name: &str, conditions: &[String]) -> Option<String> {
        let (_, not) = loading.conditions();
        let under = |to| under(to, conditions, not).or_else(|| under(to, conditions, ""));
        let imports = self.imports.as_ref()?.as_object()?;
        if let Some(to) = imports.get(name) {
            return Some(under(to)?.to_owned());
        }
        let matched = imports.iter().filter_map(|(pattern, to)| {
            let (before, after) = divided::around_first(pattern, b'*')?;
            let star = name.strip_prefix(before)?.strip_suffix(after).filter(|star| !star.is_empty())?;
            Some((before.len(), to, star))
        });
        let (_, to, star) = matched.max_by_key(|(before, ..)| *before)?;
        Some(under(to)?.replace('*', star))
    }

    /// Patterns of the folders that its workspace has.
    fn members(&self) -> Option<Vec<String>> {
        let said = self.workspaces.as_ref()?;
        listed(said.get("packages").unwrap_or(said))
    }

    /// Bun reads them here, and from its workspaces.
    fn all_catalogs(&self) -> Catalogs {
        let inner = |name: &str| self.workspaces.as_ref().and_then(|said| said.get(name));
        catalogs(self.catalog.iter().chain(inner("catalog")), self.catalogs.iter().chain(inner("catalogs")))
    }

    fn asked(&self) -> impl Iterator<Item = &BTreeMap<String, String>> {
        [&self.dependencies, &self.dev_dependencies, &self.peer_dependencies, &self.optional_dependencies]
            .into_iter()
    }
}

/// What is said under the first condition that holds: those given, and those that hold for every program but one.
fn under<'v>(said: &'v Value, conditions: &[String], but: &str) -> Option<&'v str> {
    const ALWAYS: &[&str] = &["types", "import", "module-sync", "node", "require", "default"];
    match said {
        Value::String(text) => Some(text),
        Value::Array(several) => several.iter().find_map(|one| under(one, conditions, but)),
        Value::Object(by_condition) => by_condition.iter().find_map(|(condition, said)| {
            let is_known = ALWAYS.contains(&&**condition) || conditions.contains(condition);
            let holds = is_known && condition != but;
            holds.then(|| under(said, conditions, but)).flatten()
        }),
        _ => None,
    }
}

#[derive(Default, Deserialize)]
struct LernaFields {
    #[serde(default, deserialize_with = "texts")]
    packages: Vec<String>,
}

const DEFAULT_CATALOG: &str = "default";

/// What types a package has that are written elsewhere.
fn types_of(package: &str) -> String {
    format!("@types/{}", package.trim_start_matches('@').replace('/', "__"))
}

/// Of what is said under `catalog`, and by name under `catalogs`.
fn catalogs<'v>(
    default: impl IntoIterator<Item = &'v Value>,
    several: impl IntoIterator<Item = &'v Value>,
) -> Catalogs {
    let default = default.into_iter().map(|ranges| (DEFAULT_CATALOG, ranges));
    let several = several.into_iter().filter_map(Value::as_object).flatten();
    default
        .chain(several.map(|(name, ranges)| (name.as_str(), ranges)))
        .flat_map(|(catalog, ranges)| {
            let ranges = ranges.as_object().into_iter().flatten();
            ranges.map(move |(name, range)| (catalog, name, range.as_str()))
        })
        .filter_map(|(catalog, name, range)| Some(((catalog.to_owned(), name.clone()), range?.to_owned())))
        .collect()
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
