//! Which version of a package is installed, from the lock files of npm, Yarn, pnpm, Bun and Deno. Each is read once, for
//! nothing but names and versions.

use std::collections::BTreeMap;
use std::fmt;

use becket_base::divided;
use memchr::{memchr, memmem};
use rustc_hash::FxHashMap;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::modules::Modules;
use super::tsconfig::relaxed;
use super::{Contents, folders_around};

/// The lock files of a tree, by their folder.
#[derive(Debug, Default)]
pub(super) struct Versions {
    by_folder: BTreeMap<String, Lock>,
}

#[derive(Debug, Default)]
struct Lock {
    /// By place (`packages/a/node_modules/react`), as npm writes them.
    placed: FxHashMap<String, String>,
    /// By `name@range`, as Yarn writes them.
    ranged: FxHashMap<String, String>,
    /// By importing folder and name, as pnpm writes them.
    imported: FxHashMap<(String, String), String>,
    /// By name alone: the first that the file has.
    named: FxHashMap<String, String>,
}

impl Versions {
    pub(super) fn read(modules: &Modules, contents: &dyn Contents) -> Self {
        let mut versions = Self::default();
        for path in modules.controls() {
            let (folder, name) = divided::around_last(path, b'/').unwrap_or(("", path));
            let read: fn(&str) -> Lock = match name {
                "package-lock.json" | "npm-shrinkwrap.json" => npm,
                "yarn.lock" => yarn,
                "pnpm-lock.yaml" => pnpm,
                "bun.lock" => bun,
                "deno.lock" => deno,
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
        self.around(home).find_map(|(lock, home)| {
            lock.asked(home, package, range).or_else(|| lock.named.get(package)).cloned()
        })
    }

    /// Whether one is there for that manifest and range, other than for a folder that is linked.
    pub(super) fn installed(&self, home: &str, package: &str, range: &str) -> bool {
        let is_version = |version: &String| {
            version.starts_with(|first: char| first.is_ascii_digit()) && version != USED_HERE
        };
        self.around(home).any(|(lock, home)| lock.asked(home, package, Some(range)).is_some_and(is_version))
    }

    /// The lock files in a folder and above it, nearest first, each with the way from it to that folder.
    fn around<'a>(&'a self, home: &'a str) -> impl Iterator<Item = (&'a Lock, &'a str)> {
        folders_around(home).filter_map(move |folder| {
            let inside = home.strip_prefix(folder).unwrap_or(home).trim_start_matches('/');
            Some((self.by_folder.get(folder)?, inside))
        })
    }
}

/// What Yarn has for the version of a package of the workspace.
const USED_HERE: &str = "0.0.0-use.local";

impl Lock {
    /// The version of what a manifest asks for.
    fn asked(&self, home: &str, package: &str, range: Option<&str>) -> Option<&String> {
        let importer = if home.is_empty() { "." } else { home };
        if let Some(version) = self.imported.get(&(importer.to_owned(), package.to_owned())) {
            return Some(version);
        }
        if !self.placed.is_empty() {
            let placed = folders_around(home).find_map(|folder| {
                let slash = if folder.is_empty() { "" } else { "/" };
                self.placed.get(&format!("{folder}{slash}node_modules/{package}"))
            });
            if placed.is_some() {
                return placed;
            }
        }
        let range = range.map(|range| range.strip_prefix("npm:").unwrap_or(range));
        range.and_then(|range| self.ranged.get(&format!("{package}@{range}")))
    }
}

/// Versions by name, of packages that say more of themselves.
#[derive(Default)]
struct Said(FxHashMap<String, String>);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Said::default())
    }
}

impl<'de> Visitor<'de> for Said {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("packages by name")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut packages: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        struct Package {
            version: Option<String>,
        }
        while let Some((name, Package { version })) = packages.next_entry::<String, Package>()? {
            if let Some(version) = version {
                self.0.insert(name, without_alias(&version).to_owned());
            }
        }
        Ok(self)
    }
}

fn npm(text: &str) -> Lock {
    npm_by_lines(text).unwrap_or_else(|| npm_as_json(text))
}

/// Before version 2 `npm:other@4.2.0` stands for a package under the name of another.
fn without_alias(version: &str) -> &str {
    version.strip_prefix("npm:").and_then(|aliased| aliased.rsplit('@').next()).unwrap_or(version)
}

/// As npm writes it: a field to a line, two blanks for each level. Most lines say something that nobody asks for.
fn npm_by_lines(text: &str) -> Option<Lock> {
    let mut all = lines(text);
    if all.next() != Some("{") || !text.lines().nth(1)?.starts_with("  \"") {
        return None;
    }
    let mut lock = Lock::default();
    let mut nowhere = FxHashMap::default();
    let (mut section, mut package) = (&mut nowhere, "");
    for line in all {
        if let Some(version) = line.strip_prefix(r#"      "version": ""#) {
            let version = version.trim_end_matches(',').strip_suffix('"')?;
            section.insert(package.to_owned(), without_alias(version).to_owned());
        } else if let Some(name) = line.strip_prefix("    \"") {
            package = divided::around_first(name, b'"')?.0;
        } else if line.starts_with("  \"") {
            section = match line {
                r#"  "packages": {"# => &mut lock.placed,
                r#"  "dependencies": {"# => &mut lock.named,
                _ => &mut nowhere,
            };
        }
    }
    Some(lock)
}

fn npm_as_json(text: &str) -> Lock {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct File {
        packages: Said,
        /// Before version 2.
        dependencies: Said,
    }
    let file: File = serde_json::from_str(text).unwrap_or_default();
    Lock { placed: file.packages.0, named: file.dependencies.0, ..Lock::default() }
}

/// Both generations: `react@^18.0.0, react@^18.2.0:` over `version "18.2.0"`, or over `version: 18.2.0`.
fn yarn(text: &str) -> Lock {
    let mut lock = Lock::default();
    let mut asked: Vec<&str> = Vec::new();
    let names_registry = memmem::find(text.as_bytes(), b"@npm:").is_some();
    for line in lines(text) {
        // Most lines say something else of a package.
        if line.starts_with(' ') {
            let Some(version) = line.strip_prefix("  version").filter(|rest| rest.starts_with([' ', ':']))
            else {
                continue;
            };
            let version = version.trim_start_matches(':').trim().trim_matches('"');
            for name in asked.drain(..) {
                let name = if names_registry { name.replacen("@npm:", "@", 1) } else { name.to_owned() };
                // A scope begins with the same sign, and a range may have it too: `a@npm:b@^1.0.0` asks for `b` as `a`.
                let end = name.get(1..).and_then(|rest| rest.find('@'));
                if let Some(package) = end.map(|end| &name[..=end]) {
                    if !lock.named.contains_key(package) {
                        lock.named.insert(package.to_owned(), version.to_owned());
                    }
                }
                lock.ranged.insert(name, version.to_owned());
            }
        } else if !line.starts_with('#') && !line.trim().is_empty() {
            let names = line.trim_end().trim_end_matches(':').split(',');
            asked.clear();
            asked.extend(names.map(|name| name.trim().trim_matches('"')));
        }
    }
    lock
}

/// As `str::lines` gives them; a lock file has many, and most are looked at for a moment.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr(b'\n', rest.as_bytes()).or((!rest.is_empty()).then_some(rest.len()))?;
        let (line, after) = rest.split_at(end);
        rest = after.strip_prefix('\n').unwrap_or(after);
        Some(line.strip_suffix('\r').unwrap_or(line))
    })
}

/// The `importers` of version 6 and later, and the flat lists before them.
fn pnpm(text: &str) -> Lock {
    let mut lock = Lock::default();
    // Before `importers` the lists stood at the top, two levels further out.
    let mut shift = None;
    let mut importer = ".".to_owned();
    let mut listing = false;
    let mut package = String::new();
    // Packages that are an archive or a commit of Git have their version elsewhere, by what an importer says of them.
    let mut elsewhere: Vec<(String, String, String)> = Vec::new();
    let (mut in_packages, mut id) = (false, "");
    for line in lines(text) {
        if in_packages && !elsewhere.is_empty() {
            if let Some(key) = line.strip_prefix("  ").filter(|key| !key.starts_with(' ')) {
                id = plain(key.trim_end().trim_end_matches(':'));
            } else if let Some(version) = line.strip_prefix("    version:") {
                let said = |package: &str, said: &str| {
                    id == said
                        || id.strip_prefix(package).and_then(|rest| rest.strip_prefix('@')) == Some(said)
                };
                for (importer, package, _) in elsewhere.iter().filter(|(_, package, it)| said(package, it)) {
                    note(&mut lock, importer, package, version);
                }
            }
        }
        // Most of the file is about packages that others ask for.
        if shift.is_none() && line.starts_with(' ') {
            continue;
        }
        let depth = line.len() - line.trim_start_matches(' ').len();
        let Some((key, value)) = line.trim().split_once(':').map(|(key, value)| (plain(key), value.trim()))
        else {
            continue;
        };
        let lists = matches!(key, "dependencies" | "devDependencies" | "optionalDependencies");
        if depth == 0 {
            in_packages = key == "packages";
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
            Some(8) if listing && key == "version" && !note(&mut lock, &importer, &package, value) => {
                let said = plain(value).split('(').next().unwrap_or_default();
                if !said.starts_with("link:") {
                    elsewhere.push((importer.clone(), package.clone(), said.to_owned()));
                }
            }
            _ => {}
        }
    }
    lock
}

/// Whether it is a version that is noted.
fn note(lock: &mut Lock, importer: &str, package: &str, value: &str) -> bool {
    // `18.2.0(react@18.2.0)` and `18.2.0_react@18.2.0` name their peers too, `other@18.2.0` and `/other/18.2.0` the package
    // that stands for this one; `link:../a` is no version.
    let said = plain(value).split('(').next().unwrap_or_default();
    let last = said.rsplit('/').next().filter(|_| !said.contains(':')).unwrap_or_default();
    let is_version = last.starts_with(|letter: char| letter.is_ascii_digit());
    let version = if is_version { last.split('_').next() } else { last.rsplit('@').next() };
    let version = version.unwrap_or_default();
    // A commit of Git may begin with a digit, too.
    let is_version = version.starts_with(|letter: char| letter.is_ascii_digit()) && version.contains('.');
    if is_version {
        lock.imported.insert((importer.to_owned(), package.to_owned()), version.to_owned());
        lock.named.entry(package.to_owned()).or_insert_with(|| version.to_owned());
    }
    is_version
}

fn plain(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}

fn bun(text: &str) -> Lock {
    let mut lock = Lock::default();
    let value = relaxed(text).ok();
    let packages = value.as_ref().and_then(|value| value.get("packages")).and_then(|value| value.as_object());
    let folders =
        value.as_ref().and_then(|value| value.get("workspaces")).and_then(|value| value.as_object());
    let importers: BTreeMap<&str, &str> = folders
        .into_iter()
        .flatten()
        .filter_map(|(folder, entry)| Some((entry.get("name")?.as_str()?, folder.as_str())))
        .collect();
    for (name, entry) in packages.into_iter().flatten() {
        let id = entry.get(0).and_then(serde_json::Value::as_str).unwrap_or_default();
        if let Some((_, version)) = divided::around_last(id, b'@').filter(|(package, _)| !package.is_empty())
        {
            // `a/zod` is the one that the package `a` of the workspace has.
            let mut slashes = name.match_indices('/').map(|(at, _)| at);
            if let Some((folder, at)) = slashes.find_map(|at| Some((*importers.get(&name[..at])?, at))) {
                let importer = if folder.is_empty() { "." } else { folder };
                lock.imported.insert((importer.to_owned(), name[at + 1..].to_owned()), version.to_owned());
            }
            lock.named.insert(name.clone(), version.to_owned());
        }
    }
    lock
}

/// `"npm:zod@^3.22.0": "3.23.8"`, with peers behind a line; before version 4 in `packages`, and with the name once more.
fn deno(text: &str) -> Lock {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let specifiers = value.get("specifiers").or_else(|| value.pointer("/packages/specifiers"));
    let mut lock = Lock::default();
    for (asked, got) in specifiers.and_then(|all| all.as_object()).into_iter().flatten() {
        let asked = divided::around_first(asked, b':').map_or(asked.as_str(), |(_, asked)| asked);
        let got = got.as_str().unwrap_or_default();
        let got = super::deno::package(got).and_then(|(_, version)| version).unwrap_or(got);
        lock.ranged.insert(asked.to_owned(), divided::before_first(got, b'_').to_owned());
    }
    lock
}
