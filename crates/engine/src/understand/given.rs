//! A tree of the object database as this plane reads it, with some files other than the tree has them: what would be there
//! if a plan were committed. Nothing is checked out and nothing is written but the cache of what files say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use becket_contracts::compare::{Comparison, Side, compare};
use becket_git::Git;
use becket_git::tree::{TreeFile, TreeFiles, files_of, not_checked_out};
use becket_project::Workspace;
use becket_project::index::Index;
use becket_project::resolve::Contents;
use becket_project::walk::{LeftOut, Link, Role, Tests, from_paths};

use crate::remember::FileEdit;
use crate::repository::sentence;
use crate::{Engine, Error};

/// Submodules in submodules are followed so far.
const SUBMODULES_DEEP: usize = 8;

#[derive(Debug, Clone)]
pub(crate) struct Given {
    git: Git,
    /// Where contents may be that the repository has not.
    objects: Option<PathBuf>,
    files: BTreeMap<String, Content>,
    links: Vec<Link>,
    /// Repositories in it, by path, with their commits.
    modules: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
enum Content {
    Stored { blob: String, size: u64 },
    Bytes(Vec<u8>),
}

impl Content {
    fn size(&self) -> u64 {
        match self {
            Self::Stored { size, .. } => *size,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

impl Given {
    /// A commit or tree, by its id.
    pub(crate) fn of(git: &Git, objects: Option<&Path>, tree: &str) -> Result<Self, Error> {
        let stored = |file: TreeFile| (file.path, Content::Stored { blob: file.blob, size: file.size });
        let TreeFiles { files, links, modules } = files_of(git.clone(), tree)?;
        let files = files.into_iter().map(stored).collect();
        let objects = objects.map(Path::to_path_buf);
        let mut given = Self { git: git.clone(), objects, files, links: Vec::new(), modules };
        let ids: Vec<&str> = links.iter().map(|link| link.blob.as_str()).collect();
        let targets = given.read(&ids)?;
        let said = |(link, target): (&TreeFile, Vec<u8>)| Link {
            path: link.path.clone(),
            target: String::from_utf8_lossy(&target).into_owned(),
        };
        given.links = links.iter().zip(targets).map(said).collect();
        Ok(given)
    }

    /// As the worktree at `workspace` would have it: with the files of the submodules that are there, and without those
    /// that a sparse checkout leaves out.
    pub(super) fn checked_out(mut self, workspace: &Workspace) -> Result<Self, Error> {
        let sparse = workspace.git_dir.as_ref().is_some_and(|git| git.join("info/sparse-checkout").exists());
        if sparse {
            for path in not_checked_out(self.git.clone())? {
                self.files.remove(&path);
                self.links.retain(|link| link.path != path);
            }
        }
        let modules = std::mem::take(&mut self.modules);
        self.add_modules(&workspace.root, "", &modules, SUBMODULES_DEEP)?;
        self.links = self.links.into_iter().map(|link| link.within(&workspace.root)).collect();
        Ok(self)
    }

    /// The files of submodules, and of repositories that nobody calls one.
    fn add_modules(
        &mut self,
        root: &Path,
        prefix: &str,
        modules: &[(String, String)],
        deep: usize,
    ) -> Result<(), Error> {
        for (path, commit) in modules.iter().filter(|_| deep > 0) {
            let prefix = format!("{prefix}{path}/");
            let git = Git::at(root.join(&prefix));
            // A commit that was never fetched cannot be told.
            let module = root.join(&prefix).join(".git").exists().then(|| Self::of(&git, None, commit));
            let Some(Ok(module)) = module else { continue };
            let mut texts = module.contents(is_read)?;
            for path in module.files.keys() {
                let bytes = texts.remove(path).unwrap_or_default();
                self.files.insert(format!("{prefix}{path}"), Content::Bytes(bytes));
            }
            let inside = |link: Link| Link { path: format!("{prefix}{}", link.path), ..link };
            self.links.extend(module.links.into_iter().map(inside));
            self.add_modules(root, &prefix, &module.modules, deep - 1)?;
        }
        Ok(())
    }

    /// Without files.
    pub(crate) fn empty(git: &Git) -> Self {
        let (links, modules) = (Vec::new(), Vec::new());
        Self { git: git.clone(), objects: None, files: BTreeMap::new(), links, modules }
    }

    pub(crate) fn edit(&mut self, edits: &[FileEdit]) {
        for (path, _) in edits.iter().filter_map(|edit| edit.old.as_ref()) {
            self.files.remove(path);
        }
        // Afterwards, since what takes the place of another file comes to stay.
        for (path, content) in edits.iter().filter_map(|edit| edit.new.as_ref()) {
            self.files.insert(path.clone(), Content::Bytes(content.clone()));
        }
    }

    /// How many files there are that contracts can be read from, those that a rule leaves out included.
    pub(crate) fn sources(&self) -> usize {
        self.files.keys().filter(|path| becket_contracts::language::language_of(path).is_some()).count()
    }

    /// `beside` is the index of another state of the same tree.
    pub(super) fn index(&self, tests: Tests, cache: &Path, beside: Option<&Index>) -> Result<Index, Error> {
        let sizes = || self.files.iter().map(|(path, content)| (path.as_str(), content.size()));
        // Rule files first: they decide which of the others are read at all.
        let rules = |path: &str| path.ends_with(".gitignore") || path == ".stampignore";
        let first = self.contents(rules)?;
        let walked = from_paths(sizes(), &self.links, tests, |path| first.get(path).cloned());
        let wanted: Vec<&str> = walked
            .files
            .iter()
            .filter(|file| matches!(file.role, Role::Source | Role::Control))
            .map(|file| &*file.path)
            .collect();
        let texts = self.contents(|path| wanted.binary_search(&path).is_ok())?;
        Ok(Index::of_given(walked.clone(), &Files { given: self, wanted, texts }, cache, beside))
    }

    /// Whether a path is a folder of the tree.
    fn has_folder(&self, path: &str) -> bool {
        let inside = [path, "/"].concat();
        self.files.range(inside.clone()..).next().is_some_and(|(file, _)| file.starts_with(&inside))
    }

    fn contents(&self, wanted: impl Fn(&str) -> bool) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let mut found = BTreeMap::new();
        let (mut paths, mut ids) = (Vec::new(), Vec::new());
        for (path, content) in self.files.iter().filter(|(path, _)| wanted(path)) {
            match content {
                Content::Bytes(bytes) => {
                    found.insert(path.clone(), bytes.clone());
                }
                Content::Stored { blob, .. } => {
                    paths.push(path.clone());
                    ids.push(blob.as_str());
                }
            }
        }
        found.extend(paths.into_iter().zip(self.read(&ids)?));
        Ok(found)
    }

    /// Contents by their ids.
    fn read(&self, ids: &[&str]) -> Result<Vec<Vec<u8>>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        becket_git::write::read_blobs(self.git.clone(), self.objects.as_deref(), ids).map_err(|error| {
            Error::unavailable("git_failed", sentence(&error.to_string()))
                .with_hint("Run `git fsck` to see whether the object database is whole.")
                .with_source(error)
        })
    }
}

/// What an index is made of.
struct Files<'a> {
    given: &'a Given,
    /// By path, those that were read at once.
    wanted: Vec<&'a str>,
    texts: BTreeMap<String, Vec<u8>>,
}

impl Contents for Files<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        // What a tsconfig extends may be called anything.
        let other = || {
            let is_known = self.wanted.binary_search(&path).is_ok() || !self.given.files.contains_key(path);
            if is_known { None } else { self.given.contents(|one| one == path).ok()?.remove(path) }
        };
        self.texts.get(path).cloned().or_else(other)
    }

    /// Where the tree has none it is that of the worktree, as for the files on the disk: what a tool made or installed is
    /// no change of either.
    fn left_out(&self, path: &str) -> Option<LeftOut> {
        if self.given.files.contains_key(path) {
            Some(LeftOut::file(path))
        } else if self.given.has_folder(path) {
            Some(LeftOut::folder(path))
        } else {
            LeftOut::at(self.given.git.dir(), path)
        }
    }

    fn read_left_out(&self, path: &str) -> Option<Vec<u8>> {
        self.read(path).or_else(|| LeftOut::read(self.given.git.dir(), path))
    }
}

/// Whether the content of a file is asked for, and not only its name.
fn is_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    becket_contracts::language::language_of(path).is_some() || becket_project::walk::rules::is_control(name)
}

/// Two states of a tree, compared.
#[derive(Debug)]
pub(crate) struct Drift {
    pub(crate) comparison: Comparison,
    before: Index,
    after: Index,
}

impl Engine {
    /// What is promised otherwise after than before, and to whom.
    pub(crate) fn drift(&self, workspace: &Workspace, before: &Given, after: &Given) -> Result<Drift, Error> {
        let cache = super::site::cache_of(workspace);
        let before = before.index(Tests::LeftOut, &cache, None)?;
        let after = after.index(Tests::LeftOut, &cache, Some(&before))?;
        let comparison = compare(&side(&before), &side(&after));
        Ok(Drift { comparison, before, after })
    }
}

impl Drift {
    /// The files that need one of `paths`, and are none of them, nearest first; on either side of the change.
    pub(crate) fn dependents(&self, paths: &[String]) -> Vec<String> {
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for index in [&self.before, &self.after] {
            let graph = index.graph();
            for at in paths.iter().filter_map(|path| graph.position(path)) {
                for dependent in graph.impact(at, None) {
                    let distance = found.entry(dependent.path).or_insert(dependent.distance);
                    *distance = dependent.distance.min(*distance);
                }
            }
        }
        found.retain(|path, _| !paths.contains(path));
        let mut found: Vec<(usize, String)> = found.into_iter().map(|(path, far)| (far, path)).collect();
        found.sort();
        found.into_iter().map(|(_, path)| path).collect()
    }
}

fn side(index: &Index) -> Side<'_> {
    let contracts = index.files().iter().map(|file| (&*file.path, file.contract()));
    Side { contracts: contracts.collect(), graph: Some(index.graph()), reduced: false }
}
