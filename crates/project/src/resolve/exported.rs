//! What the packages of a tree let be imported: `exports`, `imports`, and the entry fields before them, by
//! `oxc_resolver` over the names of the tree. A package's build output is not in the tree; what it is built from stands
//! in for it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_base::divided;
use becket_contracts::target::{Reason, Target};
use oxc_resolver::{FileMetadata, FileSystem, ResolveError, ResolveOptions, ResolverGeneric};
use rustc_hash::FxHashMap;

use super::conditions::Loading;
use super::manifest::{Manifest, Manifests};
use super::modules::{Modules, join};

/// Where the tree stands in the eyes of the resolver: no path of the machine.
const TREE: &str = if cfg!(windows) { "C:\\tree" } else { "/tree" };
/// Asked in this order, after those that a tsconfig has: the first that leads to a file of the tree wins.
const CONDITIONS: &[&[&str]] = &[
    &["source", "types", "import", "module-sync", "node", "default"],
    &["types", "import", "module", "browser", "development", "default"],
    &["import", "module-sync", "node", "default"],
    &["require", "module-sync", "node", "default"],
];
/// Asked before these where a module is required.
const REQUIRED: &[&[&str]] = &[
    &["source", "types", "require", "module-sync", "node", "default"],
    &["types", "require", "module", "browser", "development", "default"],
];
/// Folders that builds write to; what is in them comes from `src` or from the package's own folder.
const OUTPUT: &[&str] = &["dist", "lib", "build", "out", "src"];

/// Folders that builds add for each of the forms that they write.
const FORMS: &[&str] = &[
    "esm",
    "cjs",
    "es",
    "types",
    "umd",
    "module",
    "commonjs",
    "development",
    "production",
    "modern",
    "legacy",
    "browser",
    "node",
];

/// Folders that builds read, in a package.
const SOURCES: [&str; 4] = ["src", "source", "lib", "."];

/// Endings of what builds write, the longer ones first.
const BUILT: &[&str] = &[".d.ts", ".d.mts", ".d.cts", ".mjs", ".cjs"];

pub(super) struct Exported {
    modules: Arc<Modules>,
    manifests: Arc<Manifests>,
    /// One for each entry that the lists in manifests have, and one at least.
    choices: Vec<Resolvers>,
}

struct Resolvers {
    always: Vec<ResolverGeneric<TreeFiles>>,
    required: Vec<ResolverGeneric<TreeFiles>>,
    /// By the conditions of a tsconfig, asked before the others.
    by_conditions: FxHashMap<Vec<String>, ResolverGeneric<TreeFiles>>,
}

impl Resolvers {
    fn new(files: TreeFiles, conditions: &BTreeSet<Vec<String>>) -> Self {
        let options = |condition_names: Vec<String>| ResolveOptions {
            condition_names,
            extensions: [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"]
                .map(str::to_owned)
                .to_vec(),
            // The tree knows where its links lead, and resolving them would ask for every folder above.
            symlinks: false,
            ..ResolveOptions::default()
        };
        let first = ResolverGeneric::new_with_file_system(files, options(Vec::new()));
        let by = |conditions: Vec<String>| first.clone_with_options(options(conditions));
        let each = |list: &[&[&str]]| {
            let names = list.iter().map(|names| names.iter().map(|&name| name.to_owned()).collect());
            names.map(by).collect()
        };
        let by_conditions = conditions.iter().map(|names| (names.clone(), by(names.clone()))).collect();
        Self { always: each(CONDITIONS), required: each(REQUIRED), by_conditions }
    }

    /// In the order in which they are asked.
    fn of(
        &self,
        loading: Loading,
        conditions: &[String],
    ) -> impl Iterator<Item = &ResolverGeneric<TreeFiles>> {
        let required = match loading {
            Loading::Import => &[][..],
            Loading::Require => &self.required,
        };
        let own = self.by_conditions.get(&loading.among(conditions));
        own.into_iter().chain(required).chain(&self.always)
    }
}

impl std::fmt::Debug for Exported {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Exported").finish_non_exhaustive()
    }
}

impl Exported {
    pub(super) fn new<'t>(
        modules: Arc<Modules>,
        manifests: Arc<Manifests>,
        conditions: impl Iterator<Item = &'t [String]>,
    ) -> Self {
        let both = |names: &'t [String]| {
            [Loading::Import, Loading::Require].into_iter().map(move |loading| loading.among(names))
        };
        let conditions: BTreeSet<Vec<String>> = conditions.flat_map(both).collect();
        let files =
            |choice| TreeFiles { modules: Arc::clone(&modules), manifests: Arc::clone(&manifests), choice };
        let choices = 0..=manifests.most_choices();
        let choices = choices.map(|choice| Resolvers::new(files(choice), &conditions)).collect();
        Self { modules, manifests, choices }
    }

    /// A `#name` of the package around `folder`.
    pub(super) fn internal(
        &self,
        loading: Loading,
        folder: &str,
        name: &str,
        conditions: &[String],
    ) -> Target {
        self.ask(loading, folder, name, conditions).unwrap_or_else(Target::Unresolved)
    }

    /// Where a bare specifier leads, when its package is one of this tree's.
    pub(super) fn workspace_package(
        &self,
        loading: Loading,
        from: Option<usize>,
        (package, specifier): (&str, &str),
        conditions: &[String],
    ) -> Option<Target> {
        let manifest = self.manifests.get(self.manifests.package(from, package)?);
        let (_, inside) = specifier.split_at(package.len());
        // A package may import itself by its own name, which is how any other would, by whatever name.
        if let (Some(_), Some(name)) = (&manifest.fields.exports, &manifest.fields.name) {
            let exported = self.ask(loading, &manifest.folder, &[name, inside].concat(), conditions);
            return Some(exported.unwrap_or_else(Target::Unresolved));
        }
        let found = self.by_path(from, package, specifier);
        Some(found.unwrap_or(Target::Unresolved(Reason::FileNotFound)))
    }

    /// The same without what its manifest exports: what stands in its folder.
    pub(super) fn by_path(&self, from: Option<usize>, package: &str, specifier: &str) -> Option<Target> {
        let manifest = self.manifests.get(self.manifests.package(from, package)?);
        let subpath = specifier[package.len()..].trim_start_matches('/');
        let within_src = format!("src/{subpath}");
        if subpath.is_empty() {
            self.entry_of(&manifest.folder)
        } else {
            self.first_of(manifest, [subpath, within_src.as_str()].into_iter())
        }
    }

    /// What a folder with a manifest of its own stands for, when it is imported by its path or by its name.
    pub(super) fn entry_of(&self, folder: &str) -> Option<Target> {
        let manifest = self.manifests.get(self.manifests.of_folder(folder)?);
        let named = self.first_of(manifest, manifest.fields.entries());
        named.or_else(|| self.modules.probe_folder(folder, &[])).or_else(|| {
            let sources = join(folder, SOURCES[0])?;
            self.modules.probe_folder(&sources, &[])
        })
    }

    /// Whether such a folder is said to begin in what a build writes.
    pub(super) fn begins_outside(&self, folder: &str) -> bool {
        let manifest = self.manifests.of_folder(folder).map(|index| self.manifests.get(index));
        manifest.is_some_and(|manifest| {
            let mut folders = manifest.fields.entries().filter_map(|entry| {
                let (folder, _) = entry.trim_start_matches("./").split_once('/')?;
                Some(folder)
            });
            folders.any(|folder| OUTPUT.contains(&folder) || FORMS.contains(&folder))
        })
    }

    fn first_of<'e>(
        &self,
        manifest: &Manifest,
        mut entries: impl Iterator<Item = &'e str>,
    ) -> Option<Target> {
        entries.find_map(|entry| {
            let path = join(&manifest.folder, entry)?;
            self.modules.probe(&path, &[]).or_else(|| source_of(&self.modules, manifest, &path))
        })
    }

    /// What a manifest leads to. Where it names a file that is not in the tree, that is what a build writes.
    fn ask(
        &self,
        loading: Loading,
        folder: &str,
        specifier: &str,
        conditions: &[String],
    ) -> Result<Target, Reason> {
        let directory = absolute(folder);
        let mut reason = Reason::NotExported;
        for resolver in self.choices.iter().flat_map(|one| one.of(loading, conditions)) {
            match resolver.resolve(&directory, specifier) {
                Ok(found) => {
                    let target = relative(found.path()).and_then(|path| {
                        let built = || source_of(&self.modules, around(&self.manifests, &path)?, &path);
                        self.modules.probe_file(&path, &[]).or_else(built)
                    });
                    if let Some(target) = target {
                        return Ok(target);
                    }
                }
                Err(ResolveError::NotFound(_)) => reason = Reason::OutsideScanPath,
                Err(_) => {}
            }
        }
        Err(reason)
    }
}

/// The package that a path belongs to.
fn around<'m>(manifests: &'m Manifests, path: &str) -> Option<&'m Manifest> {
    let mut folder = path;
    loop {
        folder = divided::around_last(folder, b'/').map_or("", |(parent, _)| parent);
        if let Some(index) = manifests.of_folder(folder) {
            return Some(manifests.get(index));
        }
        if folder.is_empty() {
            return None;
        }
    }
}

/// What a file of a build was built from: the same name without the folders that builds add, or the package's own entry
/// where it is named after the package.
fn source_of(modules: &Modules, package: &Manifest, output: &str) -> Option<Target> {
    let inside = output.strip_prefix(package.folder.as_str())?.trim_start_matches('/');
    // Whatever a build makes of it, it is written as one of these; `.js` stands for all that TypeScript makes into it.
    let stem = BUILT.iter().find_map(|ending| inside.strip_suffix(ending));
    let written = stem.map_or_else(|| inside.to_owned(), |stem| format!("{stem}.js"));
    let find = |folder: &str, rest: &str| {
        let path = join(&package.folder, &format!("{folder}/{rest}"))?;
        let index = || modules.probe_folder(path.strip_suffix(".js").unwrap_or(&path), &[]);
        modules.probe_file(&path, &[]).or_else(index)
    };
    // Some builds write beside the folder of the sources, under the same names.
    if let Some(target) = SOURCES[..2].iter().find_map(|folder| find(folder, &written)) {
        return Some(target);
    }
    let mut rest = written.as_str();
    while let Some((first, inner)) = divided::around_first(rest, b'/') {
        // Built together with the packages beside it, one is written below its own name.
        let is_own_name = rest.len() < written.len() && package.folder.rsplit('/').next() == Some(first);
        if !OUTPUT.contains(&first) && !FORMS.contains(&first) && !is_own_name {
            break;
        }
        rest = inner;
        if let Some(target) = SOURCES.iter().find_map(|folder| find(folder, rest)) {
            return Some(target);
        }
    }
    if rest.len() == written.len() {
        return None;
    }
    let plain: Vec<&str> = rest.split('/').filter(|name| !FORMS.contains(name)).collect();
    let plain = plain.join("/");
    let name = package.fields.name.as_deref().map(|name| divided::after_last(name, b'/'));
    let is_entry = plain.split('.').next() == name;
    SOURCES.iter().find_map(|folder| {
        find(folder, &plain).or_else(|| if is_entry { find(folder, "index.js") } else { None })
    })
}

fn absolute(path: &str) -> PathBuf {
    let mut absolute = PathBuf::from(TREE);
    absolute.extend(path.split('/').filter(|part| !part.is_empty()));
    absolute
}

fn relative(path: &Path) -> Option<String> {
    let inside = path.strip_prefix(TREE).ok()?;
    let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
    Some(names?.join("/"))
}

/// The tree, as far as the resolver asks: manifests have content, everything else only a name.
struct TreeFiles {
    modules: Arc<Modules>,
    manifests: Arc<Manifests>,
    /// Which entry of lists is meant.
    choice: usize,
}

impl FileSystem for TreeFiles {
    fn new() -> Self {
        Self { modules: Arc::default(), manifests: Arc::default(), choice: 0 }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = relative(path).ok_or(io::ErrorKind::NotFound)?;
        let folder = path.strip_suffix("package.json").ok_or(io::ErrorKind::NotFound)?.trim_end_matches('/');
        let index = self.manifests.of_folder(folder).ok_or(io::ErrorKind::NotFound)?;
        Ok(self.manifests.get(index).bytes(self.choice).to_vec())
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        let path = relative(path).ok_or(io::ErrorKind::NotFound)?;
        if self.modules.has_folder(&path) {
            return Ok(FileMetadata::new(false, true, false));
        }
        let known = self.modules.has(&path) || self.modules.probe_file(&path, &[]).is_some();
        let built =
            || around(&self.manifests, &path).and_then(|package| source_of(&self.modules, package, &path));
        if known || built().is_some() {
            return Ok(FileMetadata::new(true, false, false));
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        self.metadata(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        Ok(path.to_owned())
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }
}
