//! Graphs from facts that are written down by hand.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::model::{Export, Import, ImportedName, Kind, LocalFacts, NextExports};
use crate::target::Target;

pub(crate) fn facts() -> LocalFacts {
    LocalFacts {
        kind: Kind::TsModule,
        doc: None,
        declarations: Vec::new(),
        imports: Vec::new(),
        exports: Vec::new(),
        hooks: Vec::new(),
        components: Vec::new(),
        decorators: Vec::new(),
        routes: Vec::new(),
        texts: Vec::new(),
        directive: None,
        next: NextExports::default(),
        style: None,
        diagnostics: Vec::new(),
        is_global: false,
        is_common_js: false,
        line_count: 1,
        order: crate::model::Order::default(),
    }
}

/// A file: `a = ["b", "type:c", "dynamic:d", "from:b:x"]`.
pub(crate) fn tree(files: &[(&str, &[&str])]) -> Vec<(String, LocalFacts, BTreeMap<String, Target>)> {
    files
        .iter()
        .map(|(path, imports)| {
            let mut facts = facts();
            let mut targets = BTreeMap::new();
            for import in *imports {
                let parts: Vec<&str> = import.split(':').collect();
                let (kind, specifier, name) = match parts.as_slice() {
                    ["type", specifier] => (ImportKind::TypeOnly, *specifier, None),
                    ["dynamic", specifier] => (ImportKind::Dynamic, *specifier, None),
                    ["use" | "useType", specifier, name] => (ImportKind::Static, *specifier, Some(*name)),
                    ["from", specifier, name] => {
                        let imported = (*name).to_owned();
                        let origin = ExportOrigin::Module { specifier: (*specifier).to_owned(), imported };
                        facts.exports.push(Export { name: (*name).to_owned(), origin, type_only: false });
                        targets.insert((*specifier).to_owned(), Target::File((*specifier).to_owned()));
                        continue;
                    }
                    ["has", name] => {
                        let origin = ExportOrigin::Local((*name).to_owned());
                        facts.exports.push(Export { name: (*name).to_owned(), origin, type_only: false });
                        continue;
                    }
                    [specifier] => (ImportKind::Static, *specifier, None),
                    _ => panic!("{import}"),
                };
                let names = name.map(|name| ImportedName {
                    imported: name.to_owned(),
                    local: name.to_owned(),
                    type_only: parts[0] == "useType",
                });
                facts.imports.push(Import {
                    specifier: specifier.to_owned(),
                    kind,
                    names: names.into_iter().collect(),
                    line: 1,
                });
                targets.insert(specifier.to_owned(), Target::File(specifier.to_owned()));
            }
            ((*path).to_owned(), facts, targets)
        })
        .collect()
}

pub(crate) fn graph(files: &[(&str, &[&str])]) -> Graph {
    graph_of(&tree(files))
}

fn graph_of(tree: &[(String, LocalFacts, BTreeMap<String, Target>)]) -> Graph {
    let members: Vec<Member<'_>> =
        tree.iter().map(|(path, facts, targets)| Member { path, facts, targets }).collect();
    Graph::new(&members)
}

fn pairs(graph: &Graph) -> Vec<String> {
    let mut pairs = Vec::new();
    for from in 0..graph.len() {
        for edge in graph.edges(from) {
            let through = edge.through.map(|at| format!(" through {}", graph.path(at))).unwrap_or_default();
            pairs.push(format!(
                "{}>{} {}{through}",
                graph.path(from),
                graph.path(edge.to),
                edge.kind.as_str()
            ));
        }
    }
    pairs
}

#[test]
fn the_strongest_way_counts() {
    let graph = graph(&[("a", &["type:b", "dynamic:b", "type:c"]), ("b", &[]), ("c", &["dynamic:a"])]);
    assert_eq!(pairs(&graph), ["a>b dynamic", "a>c type-only", "c>a dynamic"]);
}

/// Members that keep who is behind their stars.
struct Keeping<'a>(Slice<'a>, Vec<Behind>);

impl Members for Keeping<'_> {
    fn path(&self, at: usize) -> &str {
        self.0.path(at)
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        self.0.facts(at)
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        self.0.file(from, specifier)
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        self.0.stars(at)
    }

    fn behind(&self, at: usize) -> Option<&Behind> {
        self.1.get(at)
    }
}

#[test]
fn who_keeps_what_is_behind_stars_finds_the_same() {
    let mut files = tree(&[
        ("all", &["from:lost:*", "from:more:*", "from:values:*"]),
        ("lost", &["from:all:*", "from:values:gone"]),
        ("more", &["from:renamed:as", "from:types:*", "from:round:*", "has:default"]),
        ("one", &["use:all:T", "use:all:v", "use:all:as", "use:all:nowhere", "use:more:T", "use:all:gone"]),
        ("renamed", &["has:before"]),
        ("round", &["from:more:x", "from:all:y", "has:gone"]),
        ("two", &["use:all:v", "use:all:T", "use:all:x", "use:all:y", "use:more:x", "use:all:default"]),
        ("types", &["has:T"]),
        ("values", &["has:v", "has:y", "has:T"]),
    ]);
    // `export { before as as } from 'renamed'`
    if let ExportOrigin::Module { imported, .. } = &mut files[2].1.exports[0].origin {
        "before".clone_into(imported);
    }
    for (_, facts, _) in &mut files {
        facts.exports.sort_by_key(|export| (export.name == "*", export.name.clone()));
    }
    let members: Vec<Member<'_>> =
        files.iter().map(|(path, facts, targets)| Member { path, facts, targets }).collect();
    let plain = Slice(&members);
    let keeping = Keeping(plain, members.iter().map(|_| Behind::default()).collect());
    for (at, member) in members.iter().enumerate() {
        assert_eq!(needs(&keeping, at), needs(&plain, at), "{}", member.path);
    }
    let found = |name: &str| match exported(&keeping, 0, name, |_, _| {}) {
        Some(Exported::Here(at, export)) => Some((members[at].path, export.name.as_str())),
        _ => None,
    };
    assert_eq!(found("T"), Some(("types", "T")), "the first in the order of the stars");
    assert_eq!(found("as"), Some(("renamed", "before")), "by another name");
    assert_eq!(found("gone"), Some(("round", "gone")), "the first leads nowhere");
    assert_eq!(found("y"), Some(("values", "y")), "the first leads in a circle");
    assert_eq!([found("x"), found("nowhere"), found("default")], [None; 3]);
}

#[test]
fn a_type_among_values_is_followed_as_a_type() {
    let mut files = tree(&[
        ("barrel", &["from:types:T", "from:values:v"]),
        ("page", &["use:barrel:v", "useType:barrel:T"]),
        ("types", &["has:T"]),
        ("values", &["has:v"]),
    ]);
    // `import { v, type T } from 'barrel'` is one statement.
    let mut statements = std::mem::take(&mut files[1].1.imports);
    let second = statements.pop().unwrap();
    statements[0].names.extend(second.names);
    files[1].1.imports = statements;
    let graph = graph_of(&files);
    assert_eq!(
        pairs(&graph)[2..],
        ["page>barrel static", "page>types type-only through barrel", "page>values static through barrel"]
    );
}

#[test]
fn a_barrel_is_followed_to_the_file_that_declares() {
    let graph = graph(&[
        ("barrel", &["from:middle:Button"]),
        ("button", &["has:Button"]),
        ("middle", &["from:button:*"]),
        ("page", &["use:barrel:Button"]),
    ]);
    assert_eq!(
        pairs(&graph),
        [
            "barrel>middle re-export",
            "middle>button re-export",
            "page>barrel static",
            "page>button static through barrel"
        ]
    );
    let button = graph.position("button").unwrap();
    let users: Vec<&str> = graph.users_of(button, Some("Button")).iter().map(|at| graph.path(*at)).collect();
    assert_eq!(users, ["middle", "page"]);
}

#[test]
fn barrels_that_turn_in_a_circle_end() {
    let graph = graph(&[("a", &["from:b:*"]), ("b", &["from:a:*"]), ("page", &["use:a:X"])]);
    assert_eq!(pairs(&graph), ["a>b re-export", "b>a re-export", "page>a static"]);
}

#[test]
fn cycles_are_found_and_one_of_each_is_a_root() {
    let graph = graph(&[
        ("a", &["b"]),
        ("b", &["a", "c"]),
        ("c", &[]),
        ("d", &["type:e"]),
        ("e", &["d"]),
        ("f", &["c"]),
    ]);
    let cycles = graph.cycles();
    let shown: Vec<_> = cycles.iter().map(|cycle| (cycle.files.join(" "), cycle.types_only)).collect();
    assert_eq!(shown, [("a b".to_owned(), false), ("d e".to_owned(), true)]);
    let roots: Vec<&str> = graph.roots().iter().map(|at| graph.path(*at)).collect();
    assert_eq!(roots, ["a", "d", "f"]);
}

#[test]
fn a_very_long_chain_needs_no_stack() {
    let names: Vec<String> = (0..20_000).map(|number| format!("{number:05}")).collect();
    let imports: Vec<Vec<&str>> =
        (0..names.len()).map(|at| names.get(at + 1).map(String::as_str).into_iter().collect()).collect();
    let files: Vec<(&str, &[&str])> =
        names.iter().zip(&imports).map(|(name, imports)| (name.as_str(), imports.as_slice())).collect();
    let graph = graph(&files);
    assert_eq!(graph.roots(), [0]);
    let dependents = graph.impact(names.len() - 1, None);
    assert_eq!((dependents.len(), dependents[2].distance), (19_999, 3));
}

#[test]
fn impact_is_by_export_first_and_by_file_after() {
    let graph = graph(&[
        ("lib", &["has:one", "has:two"]),
        ("page", &["uses-one"]),
        ("uses-one", &["use:lib:one"]),
        ("uses-two", &["use:lib:two"]),
    ]);
    let one = BTreeSet::from(["one".to_owned()]);
    let dependents = graph.impact(0, Some((&one, &|_, _, _| Taken::default())));
    let shown: Vec<_> =
        dependents.iter().map(|one| (one.path.as_str(), one.distance, one.via.as_str())).collect();
    assert_eq!(shown, [("uses-one", 1, "lib"), ("page", 2, "uses-one")]);
    let direct = graph.direct(0);
    assert_eq!(direct.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["uses-one", "uses-two"]);
}

#[test]
fn a_declaration_file_stands_for_the_file_beside_it() {
    let graph = graph(&[
        ("lib.d.ts", &["has:f"]),
        ("lib.js", &["has:f"]),
        ("more.d.mts", &[]),
        ("more.mjs", &["has:default"]),
        ("own.d.ts", &[]),
        ("own.js", &[]),
        ("own.tsx", &[]),
        ("types.d.cts", &[]),
        ("use", &["use:lib.d.ts:f"]),
        ("view.d.ts", &[]),
        ("view.jsx", &[]),
    ]);
    let stands_for = ["lib.d.ts>lib.js re-export", "more.d.mts>more.mjs re-export"];
    let rest = ["use>lib.d.ts static", "view.d.ts>view.jsx re-export"];
    assert_eq!(pairs(&graph), [stands_for, rest].concat());
    let names = |from: usize| graph.edges(from)[0].names.iter().collect::<Vec<_>>();
    assert_eq!((names(0), names(2)), (vec!["*"], vec!["*", "default"]));
    assert!(graph.edges(0)[0].handed_on);
}

#[test]
fn a_cycle_through_declaration_files_is_one_of_what_runs_or_of_what_is_written() {
    let cycles = |b: &[&str]| {
        let graph = graph(&[("a.d.ts", &["b.d.ts"]), ("a.js", b), ("b.d.ts", &[]), ("b.js", &["a.d.ts"])]);
        graph.cycles()
    };
    // The types of one need those of the other, and the code the other way.
    assert_eq!(cycles(&[]), []);
    let cycle = cycles(&["b.d.ts"]);
    assert_eq!((cycle.len(), cycle[0].files.len(), cycle[0].types_only), (1, 4, false));
}
