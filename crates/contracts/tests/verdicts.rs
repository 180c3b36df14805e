//! Runs `tests/verdicts.md`: a heading per case with the verdict that it must have, the file before, the file after, and
//! other files, which stay as they are, each with its path.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads its own page and fails loudly"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use becket_contracts::compare::{Comparison, Side, Verdict, compare};
use becket_contracts::fingerprint::semantic_hash;
use becket_contracts::graph::{Graph, Member, Slice};
use becket_contracts::language::Reader;
use becket_contracts::link::link;
use becket_contracts::model::{Contract, ContractDeclaration, LocalFacts, SchemaVersion};
use becket_contracts::render::{CodeMode, NodeSource, Thrift, node, read_node};
use becket_contracts::target::Target;

#[test]
fn every_change_means_what_it_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts.md");
    let text = std::fs::read_to_string(page).unwrap();
    let (mut count, mut failures, mut files) = (0, String::new(), Vec::new());
    for case in text.split("\n## ").skip(1) {
        let (title, body) = case.split_once('\n').unwrap();
        let (expected, what) = title.split_once(": ").unwrap_or_else(|| panic!("{title}: no verdict"));
        let fences: Vec<&str> = body.split("```").skip(1).step_by(2).collect();
        let [before, after, others @ ..] = fences.as_slice() else { panic!("{title}: not two files") };
        let (kind, before) = before.split_once('\n').unwrap();
        let (_, after) = after.split_once('\n').unwrap();
        let path = match kind {
            "tsx" => "src/it.tsx",
            "js" => "src/it.js",
            _ => "src/it.ts",
        };
        let (old, new) = (Tree::of(path, before, others), Tree::of(path, after, others));
        let comparison = compare(&old.side(), &new.side());
        let (old, new) = (old.contract(path), new.contract(path));
        let verdict = comparison.verdict().map_or("none", |verdict| verdict.as_str());
        count += 1;
        if verdict != expected {
            writeln!(failures, "{what}: {verdict} instead of {expected}: {:#?}", comparison.files).unwrap();
        }
        // What a written file leaves out must not make a change look harmless, nor one that is harmless look grave. Of
        // one that was written in few words, or cuts some short, that something changed is all that has to be told.
        for (mode, schema, thrift) in FORMS {
            let read = |text: &str, whole: &Contract| read_back((path, text), whole, mode, schema, thrift);
            let (was, is) = (read(before, &old), read(after, &new));
            // Two files, and one against the code.
            for is in [&written(&is), &side(&new)] {
                let read = compare(&written(&was), is).verdict();
                let read = read.map_or("none", |verdict| verdict.as_str());
                let grave = read == "breaking";
                let sound = if rests_on_more(&old) || rests_on_more(&new) {
                    // What such a name stands for is not in a file; that something changed is.
                    expected != "breaking" || read != "none"
                } else {
                    let few = thrift != Thrift::None || is_cut(&was);
                    grave == (expected == "breaking") || few && read != "none"
                };
                if !sound {
                    writeln!(
                        failures,
                        "{what}: {read} of files with {mode:?} {schema} {thrift:?} instead of {expected}"
                    )
                    .unwrap();
                }
            }
        }
        if is_seen(&comparison) != (old.semantic_hash != new.semantic_hash) {
            writeln!(failures, "{what}: {verdict}, and the hash says otherwise").unwrap();
        }
        files.push((what.to_owned(), old));
        files.push((what.to_owned(), new));
    }
    // Of any two files: another hash is another promise, and a promise that somebody sees broken or widened another hash.
    for (at, (what, old)) in files.iter().enumerate() {
        for (other, new) in files.iter().skip(at + 1).take(40).filter(|(_, new)| new.entry_id == old.entry_id)
        {
            for (old, new) in [(old, new), (new, old)] {
                let comparison = compare(&side(old), &side(new));
                if is_seen(&comparison) != (old.semantic_hash != new.semantic_hash) {
                    let declarations = comparison.files.iter().flat_map(|file| &file.declarations);
                    let said: Vec<_> =
                        declarations.map(|one| (&one.name, one.verdict, &one.reason)).collect();
                    writeln!(failures, "{what} and {other}: the hash says otherwise than {said:?}").unwrap();
                }
            }
        }
    }
    assert!(count >= 100, "only {count} cases were found");
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn what_is_taken_of_a_package_is_no_promise_in_a_written_file() {
    let text = |taken: &str, own: &str| {
        format!(
            "import type {{ PackageProps }} from 'package';\n\
             export function A({{ {taken} }}: PackageProps & {{ own?: string{own} }}) {{ return <p>{{x}}</p>; }}\n"
        )
    };
    let more = ("x", "x, y");
    for (before, after) in [more, (more.1, more.0)] {
        let read = |text: &str| {
            let whole = Tree::of("src/a.tsx", text, &[]).contract("src/a.tsx");
            read_back(("src/a.tsx", text), &whole, CodeMode::Header, SchemaVersion::V03, Thrift::None)
        };
        let (was, is) = (read(&text(before, "")), read(&text(after, "; more?: number")));
        let comparison = compare(&written(&was), &written(&is));
        assert_eq!(comparison.verdict(), Some(Verdict::Compatible), "{:#?}", comparison.files);
    }
}

/// Whether a consumer sees something of it.
fn is_seen(comparison: &Comparison) -> bool {
    matches!(comparison.verdict(), Some(Verdict::Breaking | Verdict::Compatible))
}

/// Files that import each other from one folder.
struct Tree {
    contracts: BTreeMap<String, Contract>,
    graph: Graph,
}

impl Tree {
    fn of(path: &str, text: &str, others: &[&str]) -> Self {
        let others = others.iter().map(|other| {
            let (info, text) = other.split_once('\n').unwrap();
            (info.split_once(' ').unwrap().1, text)
        });
        let facts: BTreeMap<String, LocalFacts> = others
            .chain([(path, text)])
            .map(|(path, text)| (path.to_owned(), Reader::new().read(path.rsplit('/').next().unwrap(), text)))
            .collect();
        let specifier = |path: &String| path.replace("src/", "./").replace(".ts", "");
        let targets: BTreeMap<String, Target> =
            facts.keys().map(|path| (specifier(path), Target::File(path.clone()))).collect();
        let members: Vec<Member<'_>> =
            facts.iter().map(|(path, facts)| Member { path, facts, targets: &targets }).collect();
        let linked = (0..members.len()).map(|at| {
            let mut contract = link(&Slice(&members), at).contract;
            contract.semantic_hash = semantic_hash(&contract);
            (members[at].path.to_owned(), contract)
        });
        let (contracts, graph) = (linked.collect(), Graph::new(&members));
        Self { contracts, graph }
    }

    fn contract(&self, path: &str) -> Contract {
        self.contracts[path].clone()
    }

    fn side(&self) -> Side<'_> {
        let contracts = self.contracts.iter().map(|(path, contract)| (path.as_str(), contract)).collect();
        Side { contracts, graph: Some(&self.graph), reduced: false }
    }
}

/// Whether something that is exported leads to what is not, or to another file.
fn rests_on_more(contract: &Contract) -> bool {
    let more = |one: &ContractDeclaration| {
        !one.imported.is_empty() || !one.inherits.is_empty() || !one.exported && !one.signatures.is_empty()
    };
    !contract.passed_on.is_empty() || contract.declarations.iter().any(more)
}

/// Whether a signature ends before it is told whole.
fn is_cut(contract: &Contract) -> bool {
    contract.declarations.iter().flat_map(|one| &one.signatures).any(|text| text.ends_with('…'))
}

/// How a file may be written.
const FORMS: [(CodeMode, SchemaVersion, Thrift); 6] = [
    (CodeMode::None, SchemaVersion::V03, Thrift::None),
    (CodeMode::Header, SchemaVersion::V03, Thrift::None),
    (CodeMode::Header, SchemaVersion::V04, Thrift::None),
    (CodeMode::Header, SchemaVersion::V03, Thrift::Texts),
    (CodeMode::Header, SchemaVersion::V03, Thrift::Fields),
    (CodeMode::None, SchemaVersion::V03, Thrift::Fields),
];

/// As it would be read from a file that it was written to.
fn read_back(
    (path, text): (&str, &str),
    contract: &Contract,
    mode: CodeMode,
    schema: SchemaVersion,
    thrift: Thrift,
) -> Contract {
    let facts = Reader::new().read(path, text);
    let source =
        NodeSource { contract, facts: &facts, tokens: becket_base::tokens::count(text), thrift, code: None };
    let node = node(&source, schema, mode);
    read_node(&serde_json::from_str(&node.text).unwrap()).unwrap()
}

fn written(contract: &Contract) -> Side<'_> {
    Side { reduced: true, ..side(contract) }
}

fn side(contract: &Contract) -> Side<'_> {
    let contracts = BTreeMap::from([(contract.entry_id.as_str(), contract)]);
    Side { contracts, graph: None, reduced: false }
}
