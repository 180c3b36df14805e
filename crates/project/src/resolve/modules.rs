//! The files of a tree by name, and TypeScript's way of finding one from a path without an ending.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use becket_base::divided;
use becket_contracts::target::Target;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::walk::stamp::is_output;
use crate::walk::{Found, Role, Walked, rules::in_left_out_folder};

/// What may stand in the place of an ending that TypeScript compiles to.
const INSTEAD: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".jsx", &[".tsx", ".ts", ".d.ts", ".jsx"]),
    (".mjs", &[".mts", ".d.mts", ".mjs"]),
    (".cjs", &[".cts", ".d.cts", ".cjs"]),
    (".d.ts", &[".ts", ".tsx", ".d.ts"]),
    (".d.mts", &[".mts", ".d.mts"]),
    (".d.cts", &[".cts", ".d.cts"]),
    (".ts", &[".ts", ".tsx", ".d.ts"]),
];
/// Endings that need not be written.
const ADDED: &[&str] =
    &[".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".d.mts", ".cts", ".d.cts", ".mjs", ".cjs"];
/// Endings of data that some set-ups let be left out.
const DATA: &[&str] = &[".json", ".vue", ".svelte", ".node"];

/// So many links may lead to one another: more are a circle.
const MOST_LINKS: usize = 40;

/// Every file of a tree that an import could name.
#[derive(Debug, Default)]
pub struct Modules {
    files: FxHashMap<Arc<str>, Role>,
    folders: BTreeSet<String>,
    /// By path, what each stands for; nothing where that is not in the tree.
    links: FxHashMap<String, Option<String>>,
    controls: Vec<Arc<str>>,
}

/// Where links lead.
enum Led {
    Inside(String),
    Outside,
}

impl Modules {
    /// With what links stand for.
    pub fn of(walked: &Walked) -> Self {
        let links = walked.links.iter().map(|link| {
            let is_relative = !Path::new(&link.target).has_root();
            let inside = is_relative.then(|| join(super::parent(&link.path), &link.target)).flatten();
            (link.path.clone(), inside)
        });
        Self { links: links.collect(), ..Self::new(&walked.files) }
    }

    pub fn new<'a>(files: impl IntoIterator<Item = &'a Found, IntoIter: ExactSizeIterator>) -> Self {
        let files = files.into_iter();
        let mut modules = Self {
            files: FxHashMap::with_capacity_and_hasher(files.len(), FxBuildHasher),
            ..Self::default()
        };
        modules.folders.insert(String::new());
        let mut last = "";
        for file in files {
            let folder = super::parent(&file.path);
            // Files of a folder come together.
            if folder != last {
                modules.add_folder(folder);
                last = folder;
            }
            if file.role == Role::Control {
                modules.controls.push(Arc::clone(&file.path));
            }
            modules.files.insert(Arc::clone(&file.path), file.role);
        }
        modules.controls.sort();
        modules
    }

    /// A folder and those around it.
    fn add_folder(&mut self, folder: &str) {
        if self.folders.insert(folder.to_owned()) {
            self.add_folder(super::parent(folder));
        }
    }

    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }

    /// Manifests, lock files and tsconfig, by path.
    pub(super) fn controls(&self) -> impl Iterator<Item = &str> {
        self.controls.iter().map(|path| &**path)
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(_, role)| **role == Role::Source).map(|(path, _)| &**path)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(path) || self.real(path).is_some_and(|real| self.folders.contains(&real))
    }

    /// The path without links, where it leads through some and stays in the tree.
    pub(super) fn real(&self, path: &str) -> Option<String> {
        match self.led(path)? {
            Led::Inside(path) => Some(path),
            Led::Outside => None,
        }
    }

    /// Whether what a path may mean leads through links to where nothing is looked at.
    pub(super) fn leads_out(&self, path: &str) -> bool {
        let leads_out = |path: &str| match self.led(path) {
            Some(Led::Inside(path)) => is_left_out(&path),
            Some(Led::Outside) => true,
            None => false,
        };
        let mut names = names_of(path).map(|(stem, ending)| [stem, ending].concat());
        !self.links.is_empty() && (leads_out(path) || names.any(|name| leads_out(&name)))
    }

    /// Nothing for a path without links, and for a circle of them.
    fn led(&self, path: &str) -> Option<Led> {
        if self.links.is_empty() {
            return None;
        }
        let mut real = Cow::Borrowed(path);
        for _ in 0..MOST_LINKS {
            let ends = real.match_indices('/').map(|(at, _)| at).chain([real.len()]);
            let link = ends.map(|end| real.split_at(end)).find_map(|(start, rest)| {
                let target = self.links.get(start)?;
                Some((target.as_deref(), rest))
            });
            match link {
                Some((Some(target), rest)) => real = Cow::Owned(join(target, rest)?),
                Some((None, _)) => return Some(Led::Outside),
                None => {
                    return match real {
                        Cow::Borrowed(_) => None,
                        Cow::Owned(real) => Some(Led::Inside(real)),
                    };
                }
            }
        }
        None
    }

    /// A file at this path, or where an ending or `index` is understood. The suffixes are those that a tsconfig has names end
    /// with before their ending, in its order; none where it has none.
    pub(super) fn probe(&self, path: &str, suffixes: &[String]) -> Option<Target> {
        let folder = || self.probe_folder(path, suffixes);
        self.probe_file(path, suffixes).or_else(folder).or_else(|| self.probe_data(path))
    }

    /// Data without its ending, which is the last that is meant. What becket itself writes is none: `./context` would lead
    /// elsewhere as soon as there is a `context.json`.
    pub(super) fn probe_data(&self, path: &str) -> Option<Target> {
        self.with_ending(path, DATA, &[]).filter(|target| match target {
            Target::Asset(path) => !is_output(divided::after_last(path, b'/')),
            _ => true,
        })
    }

    /// The `index` of a folder.
    pub(super) fn probe_folder(&self, path: &str, suffixes: &[String]) -> Option<Target> {
        let index = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        self.has_folder(path).then(|| self.with_ending(&index, ADDED, suffixes)).flatten()
    }

    /// As [`Modules::probe`], without looking into a folder or for data.
    pub(super) fn probe_file(&self, path: &str, suffixes: &[String]) -> Option<Target> {
        for (written, instead) in INSTEAD {
            if let Some(stem) = path.strip_suffix(written) {
                if let Some(target) = self.with_ending(stem, instead, suffixes) {
                    return Some(target);
                }
            }
        }
        let found = self.target(path);
        // What is no source may have a declaration beside it that says what it exports: `Card.svelte.d.ts`.
        if let Some(Target::Asset(_)) = found {
            return self.with_ending(path, &[".d.ts"], suffixes).or(found);
        }
        let added = || self.with_ending(path, ADDED, suffixes);
        found.or_else(added).or_else(|| self.target(&declared(path)?))
    }

    fn with_ending(&self, stem: &str, endings: &[&str], suffixes: &[String]) -> Option<Target> {
        const PLAIN: &[String] = &[String::new()];
        let suffixes = if suffixes.is_empty() { PLAIN } else { suffixes };
        let mut path = String::with_capacity(stem.len() + 6);
        endings.iter().find_map(|ending| {
            suffixes.iter().find_map(|suffix| {
                path.clear();
                path.extend([stem, suffix, ending]);
                self.target(&path)
            })
        })
    }

    /// The file of this very name, or that a link of this name stands for.
    pub(super) fn target(&self, path: &str) -> Option<Target> {
        let (path, role) = if let Some(role) = self.files.get(path) {
            (path.to_owned(), role)
        } else {
            let real = self.real(path)?;
            let role = self.files.get(&*real)?;
            (real, role)
        };
        Some(match role {
            Role::Source => Target::File(path),
            Role::LeftOut | Role::Control | Role::Asset => Target::Asset(path),
        })
    }
}

/// Whether a path leads where nothing is looked at, as a file or as a folder.
pub(super) fn is_left_out(path: &str) -> bool {
    let name = divided::after_last(path, b'/');
    in_left_out_folder(path) || in_left_out_folder(&[name, "/"].concat())
}

/// What a source may be called that a path stands for, without its ending and with each of these.
pub(super) fn names_of(path: &str) -> impl Iterator<Item = (&str, &'static str)> {
    let instead = INSTEAD.iter().filter_map(move |(written, instead)| {
        let stem = path.strip_suffix(written)?;
        Some(instead.iter().map(move |ending| (stem, *ending)))
    });
    instead.flatten().chain(ADDED.iter().map(move |ending| (path, *ending)))
}

/// What declares a file that only a build writes: `theme.d.css.ts` of `theme.css`.
fn declared(path: &str) -> Option<String> {
    let (stem, ending) = divided::around_last(path, b'.')?;
    let has_stem = !stem.is_empty() && !stem.ends_with('/') && !ending.contains('/');
    has_stem.then(|| format!("{stem}.d.{ending}.ts"))
}

/// Whether a path says what kind of file it is.
pub(super) fn has_ending(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.trim_start_matches('.').contains('.'))
}

/// `folder` and a relative path made one; `None` where it leaves the tree.
pub(super) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut path = String::with_capacity(folder.len() + relative.len() + 1);
    for part in parts(folder) {
        push(&mut path, part);
    }
    for part in parts(relative) {
        match part {
            "." => {}
            ".." if path.is_empty() => return None,
            ".." => path.truncate(path.bytes().rposition(|byte| byte == b'/').unwrap_or(0)),
            name => push(&mut path, name),
        }
    }
    Some(path)
}

fn push(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
}

/// What stands between slashes, without what is empty. Asked for every import: `split` takes longer for so short texts.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        loop {
            let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            rest = after.strip_prefix('/').unwrap_or(after);
            if !part.is_empty() || rest.is_empty() {
                return Some(part).filter(|part| !part.is_empty());
            }
        }
    })
}
