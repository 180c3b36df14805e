//! What it costs to follow types, props and exports through other files, beside making the same contracts of each file
//! alone. `cargo xtask bench understand` runs it; a round is in milliseconds, on as many threads as a run has.
#![allow(clippy::print_stdout, reason = "a program that says what something cost")]

use std::borrow::Cow;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use becket_contracts::graph::{Behind, Members, stars, twin_of};
use becket_contracts::link::{link, link_alone};
use becket_contracts::model::LocalFacts;
use becket_contracts::target::Target;
use becket_project::index::{Index, IndexedFile, Local, Place, Reading, Targets};
use becket_project::walk::Tests;
use rayon::prelude::*;

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 7;

/// Which it has at hand is kept for one round, as for one run.
struct Tree<'a> {
    index: &'a Index,
    files: &'a [(&'a IndexedFile, &'a Arc<Local>, &'a Targets)],
    stars: Vec<OnceLock<Box<[usize]>>>,
    behind: Vec<Behind>,
}

impl<'a> Tree<'a> {
    fn of(index: &'a Index, files: &'a [(&'a IndexedFile, &'a Arc<Local>, &'a Targets)]) -> Self {
        let stars = files.iter().map(|_| OnceLock::new()).collect();
        Self { index, files, stars, behind: files.iter().map(|_| Behind::default()).collect() }
    }
}

impl Members for Tree<'_> {
    fn path(&self, at: usize) -> &str {
        &self.files[at].0.path
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        &self.files[at].1.facts
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        self.index.position(self.files[from].2.get(specifier)?.file()?)
    }

    fn matched(&self, from: usize, pattern: &str) -> Vec<usize> {
        let files = self.files[from].2.get(pattern).map(Target::files).unwrap_or_default();
        files.iter().filter_map(|path| self.index.position(path)).collect()
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        Cow::Borrowed(self.stars[at].get_or_init(|| stars(self, at).into()))
    }

    fn behind(&self, at: usize) -> Option<&Behind> {
        self.behind.get(at)
    }

    fn twin(&self, at: usize) -> Option<usize> {
        twin_of(self.path(at), |path| self.index.position(path))
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(root), Some(cache)) = (arguments.next(), arguments.next()) else { return ExitCode::FAILURE };
    let place =
        Place { root: root.into(), cache: cache.into(), tests: Tests::LeftOut, reading: Reading::default() };
    let Ok(index) = Index::of(&place, None) else { return ExitCode::FAILURE };
    let files: Vec<_> = index.files().iter().map(|file| (&**file, file.local(), file.targets())).collect();
    let all = || (0..files.len()).into_par_iter().with_max_len(64);
    let (mut across, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let tree = Tree::of(&index, &files);
        let begun = Instant::now();
        all().for_each(|at| drop(link(&tree, at)));
        across.push(begun.elapsed());
        let begun = Instant::now();
        all().for_each(|at| drop(link_alone(&files[at].0.path, &files[at].1.facts)));
        alone.push(begun.elapsed());
    }
    let [across, alone] = [across, alone].map(|mut rounds| {
        rounds.sort_unstable();
        rounds[ROUNDS / 2].as_secs_f64() * 1e3
    });
    println!("{{\"across\":{across},\"alone\":{alone}}}");
    ExitCode::SUCCESS
}
