//! Runs `tests/moves.md`: a heading per case, files as they were and as they are (`both` for one that stays), and what is
//! said of every file that is not as it was, with those who use what breaks.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads its own page and fails loudly"
)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use becket_contracts::compare::{Comparison, Side, Verdict, compare};
use becket_contracts::fingerprint::{file_hash, semantic_hash};
use becket_contracts::graph::{DeclaredModules, Graph, Members, needs, stars};
use becket_contracts::language::Reader;
use becket_contracts::link::link;
use becket_contracts::model::{Contract, LocalFacts};

#[test]
fn what_moves_is_told_as_it_is() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/moves.md");
    let text = std::fs::read_to_string(page).unwrap();
    let (mut count, mut failures) = (0, String::new());
    for case in text.split("\n## ").skip(1) {
        let (title, body) = case.split_once('\n').unwrap();
        let (mut before, mut after, mut expected) = (Vec::new(), Vec::new(), "");
        let mut parts = body.split("```");
        while let (Some(lead), Some(fence)) = (parts.next(), parts.next()) {
            let (_, text) = fence.split_once('\n').unwrap();
            let (when, path) = match lead.trim().split_once(" `") {
                Some((when, path)) => (when, path.trim_end_matches('`')),
                None => (lead.trim(), ""),
            };
            match when {
                "before" => before.push((path, text)),
                "after" => after.push((path, text)),
                "both" => {
                    before.push((path, text));
                    after.push((path, text));
                }
                "says" => expected = text,
                other => panic!("{title}: `{other}` is no part of a case"),
            }
        }
        let (old, new) = (Tree::of(&before), Tree::of(&after));
        let comparison = compare(&old.side(), &new.side());
        let said = said(&comparison);
        count += 1;
        if said != expected {
            writeln!(failures, "{title}:\n{said}instead of\n{expected}").unwrap();
        }
        // Of what was written nobody knows who imported whom then; who looks for a file now and finds none is known.
        let written = Side { graph: Some(&new.graph), reduced: true, ..old.side() };
        let written = left_behind(&compare(&written, &new.side()));
        for (path, users) in left_behind(&comparison) {
            let known = written.get(&path);
            if known.is_none_or(|known| known.is_empty() || !known.is_subset(&users)) {
                writeln!(failures, "{title}: {known:?} instead of {users:?} miss {path} of what was written")
                    .unwrap();
            }
        }
    }
    assert!(count >= 10, "only {count} cases were found");
    assert!(failures.is_empty(), "{failures}");
}

/// However much stands beside it: a large class is as easy to see through as a small one.
#[test]
fn what_goes_to_the_parent_of_a_large_class_is_still_there() {
    let mut methods = String::new();
    for at in 0..300 {
        let takes = "make: (one: Mid<any>) => Mid<any>, a: string, b?: Options";
        writeln!(methods, "run{at}({takes}): this {{ return this }}").unwrap();
    }
    let norm = "protected norm(n: any): number { return 1 }";
    let base = |own: &str| {
        format!("import type {{ Options }} from './w';\nexport class Base<E extends Options> {{ {own} }}")
    };
    let mid = |own: &str| {
        let imports = "import { Base } from './base';\nimport type { Options } from './w';";
        format!("{imports}\nexport class Mid<E extends Options> extends Base<E> {{ {methods}\n{own} }}")
    };
    let tree = |base: String, mid: String| {
        let options = "export interface Options { [key: string]: any }";
        Tree::of(&[("src/base.ts", &base), ("src/mid.ts", &mid), ("src/w.ts", options)])
    };
    let (old, new) = (tree(base(""), mid(norm)), tree(base(norm), mid("")));
    let verdict = compare(&old.side(), &new.side()).verdict();
    assert_eq!(verdict, Some(Verdict::Compatible));
    let gone = tree(base(""), mid(""));
    assert_eq!(compare(&old.side(), &gone.side()).verdict(), Some(Verdict::Breaking));
}

/// Files that are not where they were, or nowhere, with those who did not follow.
fn left_behind(comparison: &Comparison) -> BTreeMap<String, BTreeSet<String>> {
    let changes = comparison.files.iter().flat_map(|file| &file.declarations);
    let left = changes.filter(|one| one.kind == "file" && one.verdict == Verdict::Breaking);
    left.map(|one| (one.name.clone(), one.used_by.iter().cloned().collect())).collect()
}

fn said(comparison: &Comparison) -> String {
    let mut text = String::new();
    for file in &comparison.files {
        writeln!(text, "{} {}", file.entry_id, file.verdict.as_str()).unwrap();
        for one in &file.declarations {
            let users =
                if one.used_by.is_empty() { String::new() } else { format!(" ({})", one.used_by.join(", ")) };
            writeln!(text, "  {} {}: {}{users}", one.name, one.verdict.as_str(), one.reason).unwrap();
        }
    }
    text
}

/// Files that import each other by their places.
struct Tree {
    files: Vec<(String, LocalFacts)>,
    modules: DeclaredModules,
    contracts: BTreeMap<String, Contract>,
    graph: Graph,
}

impl Tree {
    fn of(files: &[(&str, &str)]) -> Self {
        let mut reader = Reader::new();
        let texts: BTreeMap<&str, &str> = files.iter().copied().collect();
        let read = texts
            .iter()
            .map(|(path, text)| ((*path).to_owned(), reader.read(path.rsplit('/').next().unwrap(), text)));
        let files: Vec<(String, LocalFacts)> = read.collect();
        let modules = DeclaredModules::of(files.iter().map(|(path, facts)| (path.as_str(), facts)));
        let mut tree = Self { files, modules, contracts: BTreeMap::new(), graph: Graph::default() };
        let linked = (0..tree.files.len()).map(|at| {
            let mut contract = link(&tree, at).contract;
            contract.semantic_hash = semantic_hash(&contract);
            contract.file_hash = file_hash(texts[tree.path(at)]);
            (tree.path(at).to_owned(), contract)
        });
        let contracts = linked.collect();
        let edges = (0..tree.files.len()).map(|at| needs(&tree, at).edges);
        let paths = tree.files.iter().map(|(path, _)| Arc::from(path.as_str())).collect();
        tree.graph = Graph::from_edges(paths, edges);
        tree.contracts = contracts;
        tree
    }

    fn side(&self) -> Side<'_> {
        let contracts = self.contracts.iter().map(|(path, contract)| (path.as_str(), contract)).collect();
        Side { contracts, graph: Some(&self.graph), reduced: false }
    }
}

impl Members for Tree {
    fn path(&self, at: usize) -> &str {
        &self.files[at].0
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        &self.files[at].1
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        stars(self, at).into()
    }

    fn declared(&self, _to: usize, specifier: &str) -> Option<&str> {
        self.modules.name(specifier)
    }

    fn has_declared(&self) -> bool {
        !self.modules.is_empty()
    }

    fn declaring(&self, to: usize, module: &str) -> Vec<usize> {
        let at = |path: &str| self.files.iter().position(|(known, _)| known == path);
        self.modules.near(module, self.path(to)).into_iter().filter_map(at).collect()
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        if let Some(module) = self.modules.name(specifier) {
            return self.declaring(from, module).first().copied();
        }
        let (folder, _) = self.path(from).rsplit_once('/').unwrap();
        let mut parts: Vec<&str> = folder.split('/').collect();
        for part in specifier.starts_with('.').then(|| specifier.split('/'))? {
            match part {
                "." => {}
                ".." => _ = parts.pop(),
                other => parts.push(other),
            }
        }
        let path = parts.join("/");
        let endings = [".ts", ".tsx", ".d.ts", ".js", "/index.ts"];
        endings.iter().find_map(|ending| {
            let path = format!("{path}{ending}");
            self.files.iter().position(|(known, _)| *known == path)
        })
    }
}
