//! The files of a tree as links and edges ask for them, and whom a name that one of them exports leads to: through
//! renames, and through the stars of barrels.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHasher};

use super::declared::showing;
use super::twin_of;
use crate::model::{Export, ExportOrigin, LocalFacts};
use crate::target::Target;

/// The files of a tree, by path.
pub trait Members: Sync {
    fn path(&self, at: usize) -> &str;
    fn facts(&self, at: usize) -> &LocalFacts;

    /// The file that a specifier leads to that is said in a file; `None` for a package, an asset, or nothing at all.
    fn file(&self, from: usize, specifier: &str) -> Option<usize>;

    /// The files that a [pattern](crate::model::Import::is_pattern) leads to.
    fn matched(&self, _from: usize, _pattern: &str) -> Vec<usize> {
        Vec::new()
    }

    /// As [`stars`] finds them, by somebody who may have them at hand.
    fn stars(&self, at: usize) -> Cow<'_, [usize]>;

    /// Who is behind the stars of a file, by somebody who keeps it.
    fn behind(&self, _at: usize) -> Option<&Behind> {
        None
    }

    /// The file that a declaration file stands for, as [`twin_of`](super::twin_of) finds it.
    fn twin(&self, _at: usize) -> Option<usize> {
        None
    }

    /// The name by which a module is declared in the file that a specifier leads to, where it leads there by that.
    fn declared(&self, _to: usize, _specifier: &str) -> Option<&str> {
        None
    }

    /// Whether any module is only declared: there is nothing to look for in most trees.
    fn has_declared(&self) -> bool {
        false
    }

    /// The files that declare a module by this name, the nearest to a file first.
    fn declaring(&self, _to: usize, _module: &str) -> Vec<usize> {
        Vec::new()
    }

    /// Asked of files alone that [may be routes](crate::link::may_be_route).
    fn next_app(&self, _at: usize) -> NextApp<'_> {
        NextApp::Unknown
    }

    /// Asked of files alone that [may be of any](crate::link::may_be_of_any_library).
    fn library(&self, _at: usize) -> Library {
        Library::Unknown
    }

    /// The files that add members to types of a file by `declare module`.
    fn adding(&self, _at: usize) -> Vec<usize> {
        Vec::new()
    }
}

/// What hooks and components are of in the package of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// There is no manifest that could tell.
    Unknown,
    React,
    Vue,
    Other,
}

/// The app of Next.js that a file belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextApp<'a> {
    /// There is no manifest that could tell.
    Unknown,
    /// The package does not depend on Next.js.
    Absent,
    /// The folder of the package.
    In(&'a str),
}

/// The files of which a file exports everything, in its order.
pub fn stars(members: &(impl Members + ?Sized), at: usize) -> Vec<usize> {
    let stars = members.facts(at).exported_as("*").1.iter();
    let files = stars.filter_map(|star| match &star.origin {
        ExportOrigin::Module { specifier, .. } => members.file(at, specifier),
        ExportOrigin::Local(_) => None,
    });
    files.collect()
}

/// What one file brings to a tree.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub path: &'a str,
    pub facts: &'a LocalFacts,
    /// By specifier.
    pub targets: &'a BTreeMap<String, Target>,
}

/// Members by path, as a value that can be handed on.
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a>(pub &'a [Member<'a>]);

impl Slice<'_> {
    fn position(&self, path: &str) -> Option<usize> {
        self.0.binary_search_by(|member| member.path.cmp(path)).ok()
    }
}

impl Members for Slice<'_> {
    fn path(&self, at: usize) -> &str {
        self.0[at].path
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        self.0[at].facts
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        self.position(self.0[from].targets.get(specifier)?.file()?)
    }

    fn matched(&self, from: usize, pattern: &str) -> Vec<usize> {
        let files = self.0[from].targets.get(pattern).map(Target::files).unwrap_or_default();
        files.iter().filter_map(|path| self.position(path)).collect()
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        stars(self, at).into()
    }

    fn twin(&self, at: usize) -> Option<usize> {
        twin_of(self.path(at), |path| self.position(path))
    }
}

/// What a file exports under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exported<'a> {
    /// What is declared in this file, which exports it so.
    Here(usize, &'a Export),
    /// All that this file exports: `export * as Primitive from './primitive'`.
    All(usize),
    /// What this file shows by this name in a module that is only declared.
    Declared { file: usize, module: &'a str, name: &'a str },
    /// All that is in such a module, to which this file is the nearest.
    Module(usize, &'a str),
    /// Something of a module that is no file of the tree; its specifier.
    Outside(&'a str),
}

/// What `file` exports as `name`. `entered` is told of every other file that is asked for a name on the way, except for
/// those that are asked because they stand behind stars.
pub fn exported<'a>(
    members: &'a dyn Members,
    file: usize,
    name: &str,
    mut entered: impl FnMut(usize, &str),
) -> Option<Exported<'a>> {
    Way { members, entered: &mut entered, passed: Vec::new() }.find(file, name)
}

/// Files between a name and its declaration; a longer way is a cycle that renames as it goes.
const LONGEST_WAY: usize = 1_000;

struct Way<'a, 'n> {
    members: &'a dyn Members,
    entered: &'n mut dyn FnMut(usize, &str),
    /// Barrels may lead in circles.
    passed: Vec<(usize, &'n str)>,
}

impl<'a: 'n, 'n> Way<'a, 'n> {
    fn find(&mut self, file: usize, name: &'n str) -> Option<Exported<'a>> {
        let (named, stars) = self.members.facts(file).exported_as(name);
        if let Some(export) = named.first() {
            return self.follow(file, export);
        }
        // A default is not passed on by a star.
        let may_be_behind = !stars.is_empty() && name != "default";
        if may_be_behind && self.passes(file, name) { self.find_behind(file, name) } else { None }
    }

    fn passes(&mut self, file: usize, name: &'n str) -> bool {
        let is_first = self.passed.len() < LONGEST_WAY && !self.passed.contains(&(file, name));
        if is_first {
            self.passed.push((file, name));
        }
        is_first
    }

    fn follow(&mut self, file: usize, export: &'a Export) -> Option<Exported<'a>> {
        let ExportOrigin::Module { specifier, imported } = &export.origin else {
            return Some(Exported::Here(file, export));
        };
        let Some(next) = self.members.file(file, specifier) else {
            return Some(Exported::Outside(specifier));
        };
        match self.members.declared(next, specifier) {
            Some(module) => self.declared(next, module, imported),
            None if imported == "*" => Some(Exported::All(next)),
            None => {
                if !self.passes(file, &export.name) {
                    return None;
                }
                (self.entered)(next, imported);
                self.find(next, imported)
            }
        }
    }

    /// A name of a module that is only declared.
    fn declared(&mut self, to: usize, module: &'a str, name: &str) -> Option<Exported<'a>> {
        if name == "*" {
            return Some(Exported::Module(to, module));
        }
        let shown = showing(self.members, to, module, name, |file| (self.entered)(file, name));
        shown.first().map(|(file, name)| Exported::Declared { file: *file, module, name })
    }

    /// Through the stars of a file, in their order, to the first that has the name and leads somewhere by it.
    fn find_behind(&mut self, file: usize, name: &'n str) -> Option<Exported<'a>> {
        let members = self.members;
        let named = |file: usize| members.facts(file).exported_as(name).0.first();
        let first = members.behind(file).map(|behind| behind.first(members, file, name));
        if first == Some(None) {
            return self.find_declared_behind(file, name);
        }
        if let Some(first) = first.flatten() {
            if let Some(found) = named(first).and_then(|export| self.follow(first, export)) {
                return Some(found);
            }
        }
        let found = through_stars(members, file, |file| match named(file) {
            Some(export) => Through::Past(self.follow(file, export)),
            None => Through::Into,
        });
        found.or_else(|| self.find_declared_behind(file, name))
    }

    /// Among the stars of a file, and of those behind them, that lead to modules which are only declared.
    fn find_declared_behind(&mut self, file: usize, name: &str) -> Option<Exported<'a>> {
        let members = self.members;
        if !members.has_declared() {
            return None;
        }
        let mut of = |file: usize| {
            members.facts(file).exported_as("*").1.iter().find_map(|star| match &star.origin {
                ExportOrigin::Module { specifier, .. } => {
                    let to = members.file(file, specifier)?;
                    self.declared(to, members.declared(to, specifier)?, name)
                }
                ExportOrigin::Local(_) => None,
            })
        };
        of(file).or_else(|| {
            through_stars(members, file, |file| match of(file) {
                None => Through::Into,
                found => Through::Past(found),
            })
        })
    }
}

/// Which file behind the stars of one comes first with a name: many ask a large barrel.
#[derive(Debug, Default)]
pub struct Behind(OnceLock<FxHashMap<u64, usize>>);

impl Behind {
    fn first(&self, members: &dyn Members, file: usize, name: &str) -> Option<usize> {
        let first = self.0.get_or_init(|| {
            let mut first = FxHashMap::default();
            let nothing: Option<()> = through_stars(members, file, |file| {
                let exports = members.facts(file).exports.iter();
                let named = exports.filter(|export| export.name != "*" && export.name != "default");
                for export in named {
                    first.entry(hash(&export.name)).or_insert(file);
                }
                Through::Into
            });
            debug_assert!(nothing.is_none());
            first
        });
        first.get(&hash(name)).copied()
    }
}

/// Two names may have the same: whoever finds a file by it looks whether it has the name.
fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}

enum Through<T> {
    /// On with what is behind the stars of this file.
    Into,
    /// Done, or on without them.
    Past(Option<T>),
}

/// Goes to every file behind the stars of one, each once, in their order.
fn through_stars<T>(
    members: &dyn Members,
    file: usize,
    mut visit: impl FnMut(usize) -> Through<T>,
) -> Option<T> {
    thread_local! {
        /// There are many more files than one asks.
        static SEEN: Cell<Seen> = const { Cell::new(Seen { round: 0, marks: Vec::new() }) };
    }
    let mut seen = SEEN.take();
    seen.round = seen.round.checked_add(1).unwrap_or_else(|| {
        seen.marks.clear();
        1
    });
    let mut open = Vec::new();
    let enter = |open: &mut Vec<usize>, file: usize| open.extend(members.stars(file).iter().rev());
    seen.is_first(file);
    enter(&mut open, file);
    let mut found = None;
    while let Some(file) = open.pop() {
        if !seen.is_first(file) {
            continue;
        }
        match visit(file) {
            Through::Into => enter(&mut open, file),
            Through::Past(None) => {}
            Through::Past(Some(one)) => {
                found = Some(one);
                break;
            }
        }
    }
    SEEN.set(seen);
    found
}

/// Where one was in this round.
#[derive(Default)]
struct Seen {
    round: u32,
    marks: Vec<u32>,
}

impl Seen {
    fn is_first(&mut self, file: usize) -> bool {
        if file >= self.marks.len() {
            self.marks.resize(file + 1, 0);
        }
        std::mem::replace(&mut self.marks[file], self.round) != self.round
    }
}
