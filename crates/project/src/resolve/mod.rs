//! Where an import leads. It owns the rules of TypeScript and Node for finding a module among the files of a tree:
//! relative paths, tsconfig `paths` and `baseUrl`, packages of the workspace with their `exports`, packages outside with
//! their versions. It reads through [`Contents`] and asks no disk, so that a commit resolves as a checkout does: what no
//! commit has ([`Contents::left_out`]) is the same file for both.

mod builtin;
mod conditions;
mod deno;
mod exported;
mod frameworks;
mod home;
mod installed;
mod lockfile;
mod manifest;
mod members;
mod modules;
mod patterns;
mod range;
mod tsconfig;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use becket_base::divided;
use becket_contracts::graph::Library;
use becket_contracts::model::Import;
use becket_contracts::secrets;
use becket_contracts::target::{Reason, Target};
use rustc_hash::FxHashMap;

pub use self::conditions::Loading;
use self::exported::Exported;
use self::lockfile::Versions;
use self::manifest::Manifests;
pub use self::modules::Modules;
use self::tsconfig::Tsconfigs;
use crate::walk::{Ignored, LeftOut, Stamp, Unlisted, Way, rules::is_rule_file};

/// Reads the small files that decide resolution: manifests, lock files, tsconfig.
pub trait Contents: Sync {
    /// The bytes at a path of the tree, relative to its root.
    fn read(&self, path: &str) -> Option<Vec<u8>>;

    /// The same of a file that is not listed (it lies in a hidden folder), with the stamp that it had before it was read.
    fn read_unlisted(&self, path: &str) -> Option<(Vec<u8>, Stamp)> {
        Some((self.read(path)?, Stamp::default()))
    }

    /// What is at a path where neither a walk nor a commit comes to: a rule leaves it out, or it is installed.
    fn left_out(&self, _path: &str) -> Option<LeftOut> {
        None
    }

    /// The bytes of such a file, by the path without links.
    fn read_left_out(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
}

impl<F: Fn(&str) -> Option<Vec<u8>> + Sync> Contents for F {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self(path)
    }
}

/// Contents, and what was asked for.
struct Noted<'a> {
    contents: &'a dyn Contents,
    paths: Mutex<BTreeSet<String>>,
    unlisted: Mutex<Unlisted>,
    /// Those that were asked for: many ask for the same.
    left_out: Mutex<FxHashMap<String, Option<LeftOut>>>,
}

impl Contents for Noted<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        self.contents.read(path)
    }

    fn read_unlisted(&self, path: &str) -> Option<(Vec<u8>, Stamp)> {
        let read = self.contents.read_unlisted(path);
        let stamp = read.as_ref().map(|(_, stamp)| *stamp);
        self.unlisted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((Way::Folders, path.to_owned()), stamp);
        read
    }

    fn left_out(&self, path: &str) -> Option<LeftOut> {
        let mut known = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(path) {
            return found.clone();
        }
        let found = self.contents.left_out(path);
        known.insert(path.to_owned(), found.clone());
        let stamp = found.as_ref().map(|found| found.stamp);
        self.unlisted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((Way::Links, path.to_owned()), stamp);
        found
    }

    fn read_left_out(&self, path: &str) -> Option<Vec<u8>> {
        self.contents.read_left_out(path)
    }
}

/// Made once for a tree, asked for every import in it.
#[derive(Debug)]
pub struct Resolver {
    modules: Arc<Modules>,
    rests_on: BTreeSet<String>,
    unlisted: Unlisted,
    lost: Vec<(String, String)>,
    tsconfigs: Tsconfigs,
    /// Whether any tsconfig has names end with more than they are written with.
    has_suffixes: bool,
    manifests: Arc<Manifests>,
    deno: deno::Configs,
    versions: Versions,
    exported: Exported,
    ignored: Ignored,
    folders: FxHashMap<String, Surroundings>,
    /// By manifest, once somebody asks.
    libraries: Vec<OnceLock<Library>>,
    /// Bare names by what decides them; the same few are asked for thousands of times.
    known: RwLock<FxHashMap<(Surroundings, Loading, String), Target>>,
}

/// What a folder's imports are decided by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Surroundings {
    tsconfig: Option<usize>,
    manifest: Option<usize>,
    deno: Option<usize>,
}

impl Resolver {
    pub fn new(modules: Modules, contents: &dyn Contents) -> Self {
        let contents = &Noted {
            contents,
            paths: Mutex::default(),
            unlisted: Mutex::default(),
            left_out: Mutex::default(),
        };
        let modules = Arc::new(modules);
        let manifests = Arc::new(Manifests::read(&modules, contents));
        let rules = modules.controls().filter(|path| is_rule_file(divided::after_last(path, b'/')));
        let rules: BTreeMap<String, Vec<u8>> =
            rules.filter_map(|path| Some((path.to_owned(), contents.read(path)?))).collect();
        let tsconfigs = Tsconfigs::read(&modules, &manifests, &rules, contents);
        let ignored = Ignored::by(rules);
        let deno = deno::Configs::read(&modules, contents);
        let versions = Versions::read(&modules, contents);
        let exported =
            Exported::new(Arc::clone(&modules), Arc::clone(&manifests), tsconfigs.all_conditions());
        let mut folders: FxHashMap<String, Surroundings> = FxHashMap::default();
        // By path: what is around a folder comes before it.
        for folder in modules.folders() {
            let around = folders.get(parent(folder)).copied().unwrap_or_default();
            let here = Surroundings {
                tsconfig: tsconfigs.of_folder(folder).or(around.tsconfig),
                manifest: manifests.of_folder(folder).or(around.manifest),
                deno: deno.of_folder(folder).or(around.deno),
            };
            folders.insert(folder.to_owned(), here);
        }
        let libraries = vec![OnceLock::new(); manifests.count()];
        let rests_on = std::mem::take(&mut *contents.paths.lock().unwrap_or_else(PoisonError::into_inner));
        let unlisted = std::mem::take(&mut *contents.unlisted.lock().unwrap_or_else(PoisonError::into_inner));
        let mut lost = [manifests.faults(), tsconfigs.lost_extends()].concat();
        lost.sort();
        Self {
            modules,
            rests_on,
            unlisted,
            lost,
            has_suffixes: tsconfigs.have_suffixes(),
            tsconfigs,
            manifests,
            deno,
            versions,
            exported,
            ignored,
            folders,
            libraries,
            known: RwLock::default(),
        }
    }

    /// The files that it was made of: what a tsconfig extends may be called anything.
    pub fn rests_on(&self) -> &BTreeSet<String> {
        &self.rests_on
    }

    /// Files that are not listed and decide resolution all the same, with their stamps; nothing for one that is not there.
    pub(crate) fn unlisted(&self) -> &Unlisted {
        &self.unlisted
    }

    /// Manifests and tsconfig files that cannot be read, and those whose `extends` leads to nothing in the tree, each with what
    /// is said of it. By path.
    pub fn lost_extends(&self) -> &[(String, String)] {
        &self.lost
    }

    /// Where `specifier` leads, said in a statement of the file `from`.
    pub fn resolve(&self, from: &str, specifier: &str) -> Target {
        self.resolve_for(Loading::within(from), from, specifier)
    }

    /// The same for what is imported or required.
    pub fn resolve_for(&self, loading: Loading, from: &str, specifier: &str) -> Target {
        // What is put together when the program runs: only then there is a name to look for.
        if specifier.contains(Import::PUT_IN) {
            return Target::Unresolved(Reason::DecidedAtRunTime);
        }
        let folder = parent(from);
        let here = || {
            let here = self.folders.get(folder).copied().unwrap_or_default();
            let tsconfig = here.tsconfig.map(|index| self.tsconfigs.for_file(index, from));
            Surroundings { tsconfig, ..here }
        };
        if Import::is_pattern(specifier) {
            // A file may be called so.
            let plain = self.plain(loading, folder, here(), specifier);
            let is_there = matches!(plain, Target::File(_) | Target::Asset(_));
            return if is_there { plain } else { self.matching(folder, here(), specifier) };
        }
        // Bundlers append a query and prepend loaders; neither is part of the name, unless a file or a folder is called so.
        if specifier.bytes().any(|byte| matches!(byte, b'!' | b'?')) && !specifier.contains('\0') {
            let ends = [specifier.len()].into_iter().chain(specifier.rfind('?'));
            let whole =
                ends.filter(|end| *end > 0).map(|end| self.plain(loading, folder, here(), &specifier[..end]));
            let mut found = whole.filter(|target| matches!(target, Target::File(_) | Target::Asset(_)));
            if let Some(target) = found.next() {
                return target;
            }
        }
        let start = specifier.bytes().rposition(|byte| byte == b'!').map_or(0, |at| at + 1);
        let name = &specifier[start..];
        let name = &name[..name.bytes().position(|byte| byte == b'?').unwrap_or(name.len())];
        if name.is_empty() || name.bytes().any(|byte| byte == 0) {
            return Target::Unresolved(Reason::InvalidSpecifier);
        }
        if is_relative(name) {
            return self.relative(folder, name, || here().tsconfig);
        }
        let key = (here(), loading, name.to_owned());
        if let Some(target) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return target.clone();
        }
        let target = self.bare(loading, folder, key.0, name);
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(key, target.clone());
        target
    }

    fn plain(&self, loading: Loading, folder: &str, here: Surroundings, name: &str) -> Target {
        if is_relative(name) {
            self.relative(folder, name, || here.tsconfig)
        } else {
            self.bare(loading, folder, here, name)
        }
    }

    fn relative(&self, folder: &str, name: &str, tsconfig: impl Fn() -> Option<usize>) -> Target {
        let Some(path) = modules::join(folder, name) else {
            return Target::Unresolved(Reason::OutsideScanPath);
        };
        // A name that ends so means a folder, whatever stands beside it.
        let is_folder = name.ends_with('/') || matches!(name.rsplit('/').next(), Some("." | ".."));
        // Few projects have any, and which tsconfig is meant takes longer to tell than where most names lead.
        let suffixes = if self.has_suffixes { self.suffixes(tsconfig()) } else { &[] };
        let look = |path: &String| {
            let file = || if is_folder { None } else { self.modules.probe_file(path, suffixes) };
            let data = || if is_folder { None } else { self.modules.probe_data(path) };
            file().or_else(|| self.folder(path, suffixes)).or_else(data)
        };
        if let Some(found) = look(&path) {
            return found;
        }
        // Folders may be meant as one, and what is made lie in one of them.
        let beside = tsconfig().map(|index| self.tsconfigs.beside(index, &path)).unwrap_or_default();
        let found = beside.iter().find_map(look);
        let absent = |path: &String| {
            if self.exported.begins_outside(path) {
                return Target::Unresolved(Reason::OutsideScanPath);
            }
            Target::Unresolved(self.lost(path))
        };
        let absent = || beside.iter().chain([&path]).map(absent).max();
        found.or_else(absent).unwrap_or(Target::Unresolved(Reason::FileNotFound))
    }

    /// Why there is no file at a path of the tree.
    fn lost(&self, path: &str) -> Reason {
        if modules::is_left_out(path) || self.modules.leads_out(path) {
            return Reason::OutsideScanPath;
        }
        if self.ignored.is_empty() {
            return Reason::FileNotFound;
        }
        let folder = parent(path);
        let Some(rules) = self.ignored.inside(folder) else { return Reason::Ignored };
        // A rule for every file with that ending, as for what a compiler makes, says nothing of this one.
        let is_named = |(stem, ending): (&str, &str)| {
            rules.ignores_file(&[stem, ending].concat())
                && !rules.ignores_file(&[folder, "/\0", ending].concat())
        };
        // What is not written in TypeScript says its ending.
        let mut names = modules::names_of(path).filter(|(_, ending)| matches!(*ending, ".ts" | ".tsx"));
        let is_whole = || modules::has_ending(path) && rules.ignores_file(path);
        let has_index = || {
            let index = [path, "/index.ts"].concat();
            self.ignored.inside(path).is_none_or(|rules| rules.ignores_file(&index))
        };
        if names.any(is_named) || has_index() || is_whole() { Reason::Ignored } else { Reason::FileNotFound }
    }

    /// What a folder stands for: what its manifest says, or was made of, else its `index`.
    fn folder(&self, path: &str, suffixes: &[String]) -> Option<Target> {
        let real = self.modules.real(path);
        let path = real.as_deref().unwrap_or(path);
        self.exported.entry_of(path).or_else(|| self.modules.probe_folder(path, suffixes))
    }

    fn suffixes(&self, tsconfig: Option<usize>) -> &[String] {
        tsconfig.map(|index| self.tsconfigs.suffixes(index)).unwrap_or_default()
    }

    /// In TypeScript's order: `paths`, `baseUrl`, then packages.
    fn bare(&self, loading: Loading, folder: &str, here: Surroundings, name: &str) -> Target {
        let mapped = here.tsconfig.map(|index| self.tsconfigs.candidates(index, name)).unwrap_or_default();
        let suffixes = self.suffixes(here.tsconfig);
        let found = mapped.iter().find_map(|(path, is_written_out)| {
            let as_written = if *is_written_out { self.modules.target(path) } else { None };
            let source = || self.modules.probe_file(path, suffixes).or_else(|| self.folder(path, suffixes));
            as_written.or_else(source).or_else(|| self.modules.probe_data(path))
        });
        if let Some(target) = found.or_else(|| self.of_framework(here.manifest, name)) {
            return target;
        }
        let of_deno = here.deno.and_then(|index| self.of_deno(index, name));
        // A manifest beside it may ask for the same package, and has the version.
        let is_file = matches!(of_deno, Some(Target::File(_) | Target::Asset(_)));
        if let Some(target) = of_deno.filter(|_| is_file || self.range_of(here.manifest, name).is_none()) {
            return target;
        }
        let conditions = here.tsconfig.map(|index| self.tsconfigs.conditions(index)).unwrap_or_default();
        if name.starts_with('#') {
            let inside = self.exported.internal(loading, folder, name, conditions);
            let imported = || {
                let manifest = self.manifests.get(here.manifest?);
                manifest
                    .fields
                    .imported(loading, name, conditions)
                    .filter(|to| !is_relative(to) && !to.starts_with('#'))
            };
            return match inside {
                Target::Unresolved(_) => {
                    imported().map_or(inside, |to| self.bare(loading, folder, here, &to))
                }
                _ => inside,
            };
        }
        if name.starts_with('/') {
            let inside = name.trim_start_matches('/');
            return self
                .modules
                .probe(inside, suffixes)
                .unwrap_or(Target::Unresolved(Reason::OutsideScanPath));
        }
        if let Some((scheme, _)) = divided::around_first(name, b':') {
            return match scheme {
                "http" | "https" => Target::Package { name: name.to_owned(), version: None, declared: true },
                "npm" | "jsr" => self.of_registry(folder, name),
                "data" | "blob" | "file" => Target::Unresolved(Reason::InvalidSpecifier),
                _ => Target::Builtin(name.to_owned()),
            };
        }
        let lost = || {
            let reasons = mapped.iter().map(|(path, _)| self.lost(path));
            Target::Unresolved(reasons.max().unwrap_or(Reason::FileNotFound))
        };
        let Some(package) = package_name(name) else {
            let of_framework = || self.framework_places(here.manifest, name).next().is_some();
            return if mapped.is_empty() && !of_framework() {
                Target::Unresolved(Reason::InvalidSpecifier)
            } else {
                lost()
            };
        };
        let range = self.range(here.manifest, package);
        // One of the tree may have the name of one that is installed.
        let is_installed =
            range.as_deref().is_some_and(|range| self.is_installed(here.manifest, package, range));
        let ignores_exports = || here.tsconfig.is_some_and(|index| self.tsconfigs.ignores_exports(index));
        let of_tree = || {
            let exported =
                self.exported.workspace_package(loading, here.manifest, (package, name), conditions)?;
            let is_lost = matches!(exported, Target::Unresolved(_)) && ignores_exports();
            let by_path = || self.exported.by_path(here.manifest, package, name);
            Some(is_lost.then(by_path).flatten().unwrap_or(exported))
        };
        if let Some(target) = (!is_installed).then(of_tree).flatten() {
            return target;
        }
        if range.is_none() && builtin::is_builtin(name) {
            return Target::Builtin(format!("node:{name}"));
        }
        // An alias of this project that leads nowhere is a lost file, not a package.
        if range.is_none() && here.tsconfig.is_some_and(|index| self.tsconfigs.is_mapped(index, name)) {
            return lost();
        }
        self.outside(here.manifest, package, range)
    }

    /// What a manifest asks for of the package that a name begins with.
    fn range_of(&self, manifest: Option<usize>, name: &str) -> Option<String> {
        self.range(manifest, package_name(name)?)
    }

    fn range(&self, manifest: Option<usize>, package: &str) -> Option<String> {
        manifest.and_then(|index| self.manifests.range(index, package))
    }

    /// Whether the lock file has a version of a package for the manifest that asks for it, and no link to a folder.
    fn is_installed(&self, manifest: Option<usize>, package: &str, range: &str) -> bool {
        let home = manifest.map_or("", |index| self.manifests.folder(index));
        self.manifests.own(manifest, package).is_none() && self.versions.installed(home, package, range)
    }

    /// A package that is not of this tree.
    fn outside(&self, manifest: Option<usize>, package: &str, range: Option<String>) -> Target {
        let home = manifest.map_or("", |index| self.manifests.folder(index));
        let declared = range.is_some();
        // A version may be an address, and an address may have a password in it.
        let version = self.versions.of(home, package, range.as_deref());
        let said = manifest.zip(range).and_then(|(at, range)| self.manifests.version(at, package, &range));
        // Who imports it has its own name for it, which the import says.
        let (name, asked) =
            said.map_or_else(|| (package.to_owned(), None), |said| range::meant(package, &said));
        let version = version.or(asked).map(|version| secrets::redact(&version).into_owned());
        Target::Package { name, version, declared }
    }

    fn framework_places<'a>(
        &'a self,
        manifest: Option<usize>,
        name: &'a str,
    ) -> impl Iterator<Item = String> + 'a {
        let home = manifest.map_or("", |index| self.manifests.folder(index));
        let asked =
            frameworks::places(name).filter(move |(package, ..)| self.range(manifest, package).is_some());
        asked.flat_map(move |(_, folders, rest)| {
            folders.iter().filter_map(move |folder| modules::join(home, &format!("{folder}/{rest}")))
        })
    }

    /// What a framework that the package around asks for makes of a name.
    fn of_framework(&self, manifest: Option<usize>, name: &str) -> Option<Target> {
        if !name.starts_with(['$', '~', '@', '#']) {
            return None;
        }
        let file = self.framework_places(manifest, name).find_map(|path| self.modules.probe(&path, &[]));
        file.or_else(|| {
            frameworks::makers(name).find_map(|package| {
                let range = self.range(manifest, package)?;
                Some(self.outside(manifest, package, Some(range)))
            })
        })
    }
}

fn is_relative(name: &str) -> bool {
    name == "." || name == ".." || name.starts_with("./") || name.starts_with("../")
}

/// `@scope/name` or `name`, where it is one that npm allows.
fn package_name(specifier: &str) -> Option<&str> {
    let mut ends = specifier.match_indices('/').map(|(at, _)| at);
    let end = if specifier.starts_with('@') {
        let scope_end = ends.next()?;
        if scope_end < 2 || scope_end + 1 == specifier.len() {
            return None;
        }
        ends.next()
    } else {
        ends.next()
    };
    let name = &specifier[..end.unwrap_or(specifier.len())];
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "@/._-~!'()*".contains(letter);
    (name.chars().all(allowed) && !name.starts_with(['.', '~', '_'])).then_some(name)
}

/// A folder and those above it.
fn folders_around(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then_some(parent(folder)))
}

fn parent(path: &str) -> &str {
    &path[..path.bytes().rposition(|byte| byte == b'/').unwrap_or(0)]
}

#[cfg(test)]
mod tests;
