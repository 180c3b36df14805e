//! Which version of a package is installed, from the lock files of npm, Yarn, pnpm and Bun. Each is read once, for
//! nothing but names and versions.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::Contents;
use super::modules::Modules;

/// The lock files of a tree, by their folder.
#[derive(Debug, Default)]
pub(super) struct Versions {
    by_folder: BTreeMap<String, Lock>,
}

#[derive(Debug, Default)]
struct Lock {
    /// By place (`packages/a/node_modules/react`), as npm writes them.
    placed: HashMap<String, String>,
    /// By `name@range`, as Yarn writes them.
    ranged: HashMap<String, String>,
    /// By importing folder and name, as pnpm writes them.
    imported: HashMap<(String, String), String>,
    /// By name alone: the first that the file has.
    named: HashMap<String, String>,
}

impl Versions {
    pub(super) fn read(modules: &Modules, contents: &dyn Contents) -> Self {
        let mut versions = Self::default();
        for path in modules.controls() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let read: fn(&str) -> Lock = match name {
                "package-lock.json" | "npm-shrinkwrap.json" => npm,
                "yarn.lock" => yarn,
                "pnpm-lock.yaml" => pnpm,
                "bun.lock" => bun,
                _ => continue,
            };
            if let Some(bytes) = contents.read(path) {
                versions.by_folder.insert(folder.to_owned(), read(&becket_base::text::decoded(&bytes)));
            }
        }
        versions
    }

    /// The version for the manifest in `home`, which asks for `range`.
    pub(super) fn of(&self, home: &str, package: &str, range: Option<&str>) -> Option<String> {
        let mut folder = home;
        loop {
            if let Some(lock) = self.by_folder.get(folder) {
                let inside = home.strip_prefix(folder).unwrap_or(home).trim_start_matches('/');
                if let Some(version) = lock.version(inside, package, range) {
                    return Some(version);
                }
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }
}

impl Lock {
    fn version(&self, home: &str, package: &str, range: Option<&str>) -> Option<String> {
        let importer = if home.is_empty() { "." } else { home };
        if let Some(version) = self.imported.get(&(importer.to_owned(), package.to_owned())) {
            return Some(version.clone());
        }
        let mut place = home;
        while !self.placed.is_empty() {
            let slash = if place.is_empty() { "" } else { "/" };
            if let Some(version) = self.placed.get(&format!("{place}{slash}node_modules/{package}")) {
                return Some(version.clone());
            }
            if place.is_empty() {
                break;
            }
            place = place.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        range
            .and_then(|range| self.ranged.get(&format!("{package}@{range}")))
            .or_else(|| self.named.get(package))
            .cloned()
    }
}

fn npm(text: &str) -> Lock {
    #[derive(Deserialize)]
    struct Package {
        version: Option<String>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct File {
        packages: HashMap<String, Package>,
        /// Before version 2.
        dependencies: HashMap<String, Package>,
    }
    let file: File = serde_json::from_str(text).unwrap_or_default();
    let versions = |packages: HashMap<String, Package>| -> HashMap<String, String> {
        packages.into_iter().filter_map(|(name, package)| Some((name, package.version?))).collect()
    };
    Lock { placed: versions(file.packages), named: versions(file.dependencies), ..Lock::default() }
}

/// Both generations: `react@^18.0.0, react@^18.2.0:` over `version "18.2.0"`, or over `version: 18.2.0`.
fn yarn(text: &str) -> Lock {
    let mut lock = Lock::default();
    let mut asked: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if !line.starts_with(' ') {
            let names = line.trim_end().trim_end_matches(':').split(',');
            asked = names.map(|name| name.trim().trim_matches('"').replacen("@npm:", "@", 1)).collect();
        } else if let Some(version) =
            line.strip_prefix("  version").filter(|rest| rest.starts_with([' ', ':']))
        {
            let version = version.trim_start_matches(':').trim().trim_matches('"').to_owned();
            for name in asked.drain(..) {
                if let Some((package, _)) = name.rsplit_once('@').filter(|(package, _)| !package.is_empty()) {
                    lock.named.entry(package.to_owned()).or_insert_with(|| version.clone());
                }
                lock.ranged.insert(name, version.clone());
            }
        }
    }
    lock
}

/// The `importers` of version 6 and later, and the flat lists before them.
fn pnpm(text: &str) -> Lock {
    let mut lock = Lock::default();
    // Before `importers` the lists stood at the top, two levels further out.
    let mut shift = None;
    let mut importer = ".".to_owned();
    let mut listing = false;
    let mut package = String::new();
    for line in text.lines() {
        let depth = line.len() - line.trim_start_matches(' ').len();
        let Some((key, value)) = line.trim().split_once(':').map(|(key, value)| (plain(key), value.trim()))
        else {
            continue;
        };
        let lists = matches!(key, "dependencies" | "devDependencies" | "optionalDependencies");
        if depth == 0 {
            shift = lists.then_some(4).or((key == "importers").then_some(0));
            listing = lists;
            continue;
        }
        match shift.map(|shift| depth + shift) {
            Some(2) => {
                key.clone_into(&mut importer);
                listing = false;
            }
            Some(4) => listing = lists,
            Some(6) if listing => {
                key.clone_into(&mut package);
                note(&mut lock, &importer, key, value);
            }
            Some(8) if listing && key == "version" => note(&mut lock, &importer, &package, value),
            _ => {}
        }
    }
    lock
}

fn note(lock: &mut Lock, importer: &str, package: &str, value: &str) {
    // `18.2.0(react@18.2.0)` names its peers too; `link:../a` is no version.
    let version = plain(value).split(['(', '_']).next().unwrap_or_default();
    if version.starts_with(|letter: char| letter.is_ascii_digit()) {
        lock.imported.insert((importer.to_owned(), package.to_owned()), version.to_owned());
        lock.named.entry(package.to_owned()).or_insert_with(|| version.to_owned());
    }
}

fn plain(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}

fn bun(text: &str) -> Lock {
    let mut lock = Lock::default();
    let value: Option<serde_json::Value> =
        jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok();
    let packages = value.as_ref().and_then(|value| value.get("packages")).and_then(|value| value.as_object());
    for (name, entry) in packages.into_iter().flatten() {
        let id = entry.get(0).and_then(serde_json::Value::as_str).unwrap_or_default();
        if let Some((_, version)) = id.rsplit_once('@').filter(|(package, _)| !package.is_empty()) {
            lock.named.insert(name.clone(), version.to_owned());
        }
    }
    lock
}
