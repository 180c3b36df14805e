//! Contracts by hand: one change at a time, and what is said of it.

use super::*;
use crate::fingerprint::semantic_hash;
use crate::model::{Exports, Kind, Lines, LogicSignature, Member, Version};

fn declaration(name: &str, kind: DeclarationKind, signature: &str) -> ContractDeclaration {
    ContractDeclaration {
        name: name.to_owned(),
        kind,
        exported: true,
        lines: Lines { first: 1, last: 1 },
        signatures: vec![signature.to_owned()],
        decorators: Vec::new(),
        doc: None,
        form: None,
        props: Vec::new(),
        emits: Vec::new(),
        state: Vec::new(),
        imported: Vec::new(),
        given_by: Vec::new(),
        inherits: Vec::new(),
    }
}

fn contract(entry: &str, declarations: Vec<ContractDeclaration>) -> Contract {
    let named = declarations.iter().filter(|one| one.exported).map(|one| one.name.clone()).collect();
    let mut contract = Contract {
        type_name: "UIFContract".to_owned(),
        schema_version: "0.3".to_owned(),
        kind: Kind::TsModule,
        entry_id: entry.to_owned(),
        description: String::new(),
        version: Version::default(),
        logic_signature: LogicSignature::default(),
        exports: Exports { named, ..Exports::default() },
        passed_on: Vec::new(),
        declarations,
        routes: Vec::new(),
        nextjs: None,
        style: None,
        prediction: Vec::new(),
        unresolved: Vec::new(),
        diagnostics: Vec::new(),
        semantic_hash: String::new(),
        file_hash: format!("uif:{entry}"),
        brief: false,
    };
    contract.semantic_hash = semantic_hash(&contract);
    contract
}

fn side(contracts: &[Contract]) -> Side<'_> {
    Side {
        contracts: contracts.iter().map(|one| (one.entry_id.as_str(), one)).collect(),
        graph: None,
        reduced: false,
    }
}

fn verdict(kind: DeclarationKind, before: &str, after: &str) -> Option<(Verdict, String)> {
    let old = [contract("a.ts", vec![declaration("it", kind, before)])];
    let new = [contract("a.ts", vec![declaration("it", kind, after)])];
    let comparison = compare(&side(&old), &side(&new));
    let change = comparison.files.first()?.declarations.first()?;
    Some((change.verdict, change.reason.clone()))
}

#[test]
fn functions() {
    use DeclarationKind::Function;
    use Verdict::{Breaking, Compatible};
    let base = "function it(a: string, b?: number): string";
    for (after, expected) in [
        ("function it(a: string, b?: number, c?: boolean): string", Compatible),
        ("function it(a: string, b?: number, ...rest: string[]): string", Compatible),
        ("function it(a: string, b?: number, c = 1): string", Compatible),
        ("function it(a: string | number, b?: number): string", Compatible),
        ("function it(x: string, b?: number): string", Compatible),
        ("function it(a: string, b?: number, c: boolean): string", Breaking),
        ("function it(a: string, b: number): string", Breaking),
        ("function it(a: string): string", Breaking),
        ("function it(a: number, b?: number): string", Breaking),
        ("function it(a: string, b?: number): number", Breaking),
        ("async function it(a: string, b?: number): string", Breaking),
    ] {
        assert_eq!(verdict(Function, base, after).unwrap().0, expected, "{after}");
    }
    assert_eq!(verdict(Function, base, base), None);
}

#[test]
fn types_and_enums() {
    use DeclarationKind::{Constant, Enum, Interface, Type};
    use Verdict::{Breaking, Compatible};
    for (kind, before, after, expected) in [
        (Interface, "interface A { a: string }", "interface A { a: string; b?: number }", Compatible),
        (Interface, "interface A { a: string }", "interface A { a: string; b: number }", Breaking),
        (Interface, "interface A { a: string }", "interface A { a: number }", Breaking),
        (Enum, "enum A { One }", "enum A { One, Two }", Breaking),
        (Enum, "enum A { One, Two }", "enum A { One }", Breaking),
        (Type, "type A = string", "type A = number", Breaking),
        (Constant, "const A: string", "const A: number", Breaking),
    ] {
        assert_eq!(verdict(kind, before, after).unwrap().0, expected, "{after}");
    }
    let reordered = ["interface A { a: string; b: number }", "interface A { b: number; a: string }"];
    assert_eq!(verdict(Interface, reordered[0], reordered[1]), None);
}

#[test]
fn props_one_by_one() {
    let member = |name: &str, text: &str, optional: bool| Member {
        name: name.to_owned(),
        kind: crate::model::MemberKind::Property,
        text: text.to_owned(),
        optional,
        doc: None,
        elsewhere: false,
    };
    let with = |props: Vec<Member>| {
        let mut component =
            declaration("Button", DeclarationKind::Component, "function Button(props: P): inferred");
        component.props = vec![props];
        [contract("a.tsx", vec![component])]
    };
    let old = with(vec![member("label", "string", false), member("size", "'s' | 'm'", true)]);
    for (props, expected) in [
        (vec![member("label", "string", false)], Verdict::Breaking),
        (
            vec![member("label", "string", false), member("size", "'s' | 'm' | 'l'", true)],
            Verdict::Compatible,
        ),
        (vec![member("label", "string", false), member("size", "'s'", true)], Verdict::Breaking),
        (vec![member("label", "string", true), member("size", "'s' | 'm'", true)], Verdict::Compatible),
        (vec![member("label", "string", false), member("size", "'s' | 'm'", false)], Verdict::Breaking),
        (
            vec![
                member("label", "string", false),
                member("size", "'s' | 'm'", true),
                member("on", "x", true),
            ],
            Verdict::Compatible,
        ),
        (
            vec![
                member("label", "string", false),
                member("size", "'s' | 'm'", true),
                member("on", "x", false),
            ],
            Verdict::Breaking,
        ),
    ] {
        let new = with(props.clone());
        let comparison = compare(&side(&old), &side(&new));
        assert_eq!(comparison.files[0].verdict, expected, "{props:?}");
    }
    // The signature names them and is the same: what is shown are the props.
    let new = with(vec![member("label", "string", true), member("size", "'s' | 'm'", true)]);
    let comparison = compare(&side(&old), &side(&new));
    let change = &comparison.files[0].declarations[0];
    let shown = (&*change.before[0], &*change.after[0]);
    assert_eq!(shown, ("props { label: string; … }", "props { label?: string; … }"));
}

#[test]
fn private_names_are_a_diff_and_internal() {
    let mut old =
        contract("a.ts", vec![declaration("run", DeclarationKind::Function, "function run(): void")]);
    let mut new = old.clone();
    new.version.functions = vec!["helper".to_owned()];
    let mut helper = declaration("helper", DeclarationKind::Function, "");
    helper.exported = false;
    helper.signatures.clear();
    new.declarations.push(helper);
    old.semantic_hash = semantic_hash(&old);
    new.semantic_hash = semantic_hash(&new);
    assert_eq!(old.semantic_hash, new.semantic_hash);
    let (old, new) = ([old], [new]);
    let comparison = compare(&side(&old), &side(&new));
    assert_eq!(comparison.files[0].verdict, Verdict::Internal);
    assert_eq!(comparison.files[0].details.added_functions, ["helper"]);
    let result = CompareResult::new("disk", (&side(&old), &side(&new)), comparison, &|_| Costs {
        before: TokenDelta { gpt4o_mini: 10, claude: 12 },
        after: TokenDelta { gpt4o_mini: 14, claude: 17 },
    });
    assert_eq!((result.status.as_str(), result.summary.token_delta.gpt4o_mini), ("diff", 4));
    assert_eq!(result.folder_diffs[0].changes[0].kind, "uif_contract_changed");
    assert_eq!(result.folder_diffs[0].path, ".");
}

#[test]
fn a_moved_file_is_the_same_file() {
    let run = || vec![declaration("run", DeclarationKind::Function, "function run(): void")];
    let old = [contract("src/a.ts", run()), contract("src/b.ts", Vec::new())];
    let new = [contract("lib/a.ts", run()), contract("src/b.ts", Vec::new())];
    let comparison = compare(&side(&old), &side(&new));
    assert_eq!(comparison.files.len(), 1);
    assert_eq!(comparison.files[0].moved_from.as_deref(), Some("src/a.ts"));
    assert_eq!(comparison.files[0].change, Change::Moved);
    let result = CompareResult::new("x", (&side(&old), &side(&new)), comparison, &|_| Costs::default());
    assert_eq!((result.summary.total_folders, result.summary.added_folders), (2, 1));
}

/// Thousands of barrels are the same. With a number at the front or the end, so that no order of the paths tells them apart.
#[test]
fn very_many_files_that_are_the_same_move_with_their_neighbours() {
    const FOLDERS: usize = 2000;
    let equal =
        |path: String, text: &str| Contract { file_hash: text.to_owned(), ..contract(&path, Vec::new()) };
    let tree = |folder: &dyn Fn(usize) -> String| -> Vec<Contract> {
        let all = (0..FOLDERS).flat_map(|at| {
            let (folder, hash) = (folder(at), format!("uif:view{at}"));
            [equal(format!("{folder}/index.ts"), "uif:barrel"), equal(format!("{folder}/view.tsx"), &hash)]
        });
        all.collect()
    };
    let from = |comparison: &Comparison, path: &str| {
        comparison.files.iter().find(|file| file.entry_id == path).unwrap().moved_from.clone()
    };
    // Each has another name, and their neighbours tell.
    let (old, new) = (tree(&|at| format!("src/c{at}")), tree(&|at| format!("src/d{}", FOLDERS - at)));
    let comparison = compare(&side(&old), &side(&new));
    for at in 0..FOLDERS {
        let now = format!("src/d{}/index.ts", FOLDERS - at);
        assert_eq!(from(&comparison, &now), Some(format!("src/c{at}/index.ts")), "{now}");
    }
    // All are elsewhere, and only their paths tell.
    let barrels = |folder: &str, first: usize| -> Vec<Contract> {
        (first..FOLDERS).map(|at| equal(format!("{folder}/c{at}/index.ts"), "uif:barrel")).collect()
    };
    let (old, new) = (barrels("src", 1), barrels("lib", 0));
    let comparison = compare(&side(&old), &side(&new));
    for at in 0..FOLDERS {
        let expected = (at > 0).then(|| format!("src/c{at}/index.ts"));
        assert_eq!(from(&comparison, &format!("lib/c{at}/index.ts")), expected);
    }
}

#[test]
fn a_file_that_moved_and_changed_is_judged_by_what_changed() {
    let functions = |walk: &str| {
        vec![
            declaration("run", DeclarationKind::Function, "function run(): void"),
            declaration("walk", DeclarationKind::Function, walk),
            declaration("stand", DeclarationKind::Function, "function stand(): void"),
        ]
    };
    let old = [contract("src/a.ts", functions("function walk(far: string): void"))];
    let new = [contract("lib/b.ts", functions("function walk(far: number): void"))];
    let comparison = compare(&side(&old), &side(&new));
    assert_eq!(comparison.files.len(), 1);
    assert_eq!(comparison.files[0].moved_from.as_deref(), Some("src/a.ts"));
    let changed: Vec<_> = comparison.files[0].declarations.iter().map(|one| one.name.as_str()).collect();
    assert!(changed.contains(&"walk") && !changed.contains(&"run"), "{changed:?}");

    // With a single export it has to be called what it was.
    let one =
        |path: &str, text: &str| [contract(path, vec![declaration("run", DeclarationKind::Function, text)])];
    let old = one("src/run.ts", "function run(far: string): void");
    for (path, from) in [("lib/run.ts", Some("src/run.ts")), ("lib/other.ts", None)] {
        let new = one(path, "function run(far: number): void");
        let comparison = compare(&side(&old), &side(&new));
        let found = comparison.files.iter().find(|file| file.entry_id == path).unwrap();
        assert_eq!(found.moved_from.as_deref(), from, "{path}");
    }

    // Or importers have to find it where it was, of whatever kind it is and however much is new.
    for path in ["src/run.tsx", "src/run/index.js"] {
        let more = ["Walk", "Stand", "Sit", "Lie"];
        let mut new = vec![declaration("run", DeclarationKind::Function, "function run(far: number): void")];
        new.extend(more.map(|name| declaration(name, DeclarationKind::Component, "function (): inferred")));
        let mut new = contract(path, new);
        new.kind = Kind::ReactComponent;
        let comparison = compare(&side(&old), &side(&[new]));
        assert_eq!(comparison.files[0].moved_from.as_deref(), Some("src/run.ts"), "{path}");
        let moved = comparison.files[0].declarations.iter().find(|one| one.kind == "file").unwrap();
        assert!(moved.reason.contains("without the ending"), "{}", moved.reason);
    }
}

#[test]
fn files_that_come_and_go() {
    let run = || vec![declaration("run", DeclarationKind::Function, "function run(): void")];
    let other = || vec![declaration("walk", DeclarationKind::Class, "class walk { }")];
    let (old, new) = ([contract("a.ts", run())], [contract("b.ts", other())]);
    let comparison = compare(&side(&old), &side(&new));
    let shown: Vec<_> =
        comparison.files.iter().map(|file| (file.entry_id.as_str(), file.change, file.verdict)).collect();
    assert_eq!(
        shown,
        [("a.ts", Change::Removed, Verdict::Breaking), ("b.ts", Change::Added, Verdict::Compatible)]
    );
    assert!(compare(&side(&old), &side(&old)).files.is_empty());
}

#[test]
fn what_nobody_answers_any_more_is_missed_though_nobody_imports_it() {
    use crate::language::Reader;
    use crate::link::link_alone;
    let linked = |path: &str, text: &str| {
        let facts = Reader::new().read(path, text);
        let mut contract = link_alone(path, &facts).contract;
        contract.semantic_hash = semantic_hash(&contract);
        contract
    };
    let server =
        [linked("server.ts", "import express from 'express';\nconst app = express();\napp.get('/a', f);\n")];
    let comparison = compare(&side(&server), &side(&[]));
    assert_eq!(comparison.verdict(), Some(Verdict::Breaking));
    assert_eq!(comparison.files[0].declarations[0].name, "GET /a");
    assert_eq!(comparison.files[0].declarations[0].before, ["()"]);

    let page = |path: &str| [linked(path, "export default function Blog() { return <p /> }\n")];
    let (old, new) = (page("app/blog/page.tsx"), page("app/news/page.tsx"));
    let comparison = compare(&side(&old), &side(&new));
    assert_eq!(comparison.files[0].moved_from.as_deref(), Some("app/blog/page.tsx"));
    assert_eq!(comparison.verdict(), Some(Verdict::Breaking));
    let named: Vec<&str> = comparison.files[0].declarations.iter().map(|one| one.name.as_str()).collect();
    assert!(named.contains(&"PAGE /blog") && named.contains(&"PAGE /news"), "{named:?}");
    let pages = comparison.files[0].declarations.iter().filter(|one| one.name.starts_with("PAGE"));
    let said: Vec<&String> = pages.flat_map(|one| one.before.iter().chain(&one.after)).collect();
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn a_name_that_comes_from_another_file_is_judged_by_what_it_is_there() {
    use std::sync::Arc;

    use crate::graph::{Edge, EdgeKind, Graph};
    let files = |signature: &str| {
        let mut barrel = contract("a.ts", Vec::new());
        barrel.exports.named = vec!["x".to_owned()];
        let constant = |text: &str| vec![declaration("x", DeclarationKind::Constant, text)];
        [barrel, contract("b.ts", constant("const x: string")), contract("c.ts", constant(signature))]
    };
    let graph = |to: usize| {
        let names = std::iter::once("x").collect();
        let edge = Edge { to, kind: EdgeKind::ReExport, names, through: None, handed_on: true };
        let paths = ["a.ts", "b.ts", "c.ts"].map(Arc::from).to_vec();
        Graph::from_edges(paths, vec![vec![edge], Vec::new(), Vec::new()])
    };
    for (signature, expected) in [
        ("const x: number", Some(Verdict::Breaking)),
        ("const x: 'a'", Some(Verdict::Compatible)),
        ("const x: string", None),
    ] {
        let (old, mut new) = (files(signature), files(signature));
        new[0].version.imports = vec!["./c".to_owned()];
        let (before, after) = (graph(1), graph(2));
        let comparison = compare(
            &Side { graph: Some(&before), ..side(&old) },
            &Side { graph: Some(&after), ..side(&new) },
        );
        let change = comparison.files[0].declarations.iter().find(|one| one.name == "x");
        assert_eq!(change.map(|one| one.verdict), expected, "{signature}");
    }
}

#[test]
fn a_directive_matters_to_those_who_are_not_clients_themselves() {
    use crate::graph::{Edge, EdgeKind, Graph};
    use crate::model::{Directive, NextFacts};
    let file = |entry: &str, directive: Option<Directive>| {
        let mut file =
            contract(entry, vec![declaration("it", DeclarationKind::Function, "function it(): void")]);
        file.nextjs = Some(NextFacts {
            is_in_app_dir: false,
            router: None,
            directive,
            route_role: None,
            segment_path: None,
            slot: None,
            intercepts: false,
            metadata: None,
            methods: Vec::new(),
            data: Vec::new(),
            actions: Vec::new(),
        });
        file.semantic_hash = semantic_hash(&file);
        file
    };
    let edge = Edge {
        to: 0,
        kind: EdgeKind::Static,
        names: ["it"].into_iter().collect(),
        through: None,
        handed_on: false,
    };
    let graph = Graph::from_edges(vec!["a.tsx".into(), "user.tsx".into()], vec![Vec::new(), vec![edge]]);
    let client = Some(Directive::Client);
    for (before, after) in [(client, None), (None, client)] {
        for (user, expected) in [(client, Verdict::Compatible), (None, Verdict::Breaking)] {
            let old = [file("a.tsx", before), file("user.tsx", user)];
            let new = [file("a.tsx", after), file("user.tsx", user)];
            let side = |files| Side { graph: Some(&graph), ..side(files) };
            let comparison = compare(&side(&old), &side(&new));
            let [changed] = comparison.files.as_slice() else { panic!("{comparison:?}") };
            assert_eq!(changed.verdict, expected, "{before:?} {after:?} {user:?}");
            let users: Vec<String> =
                if expected == Verdict::Breaking { vec!["user.tsx".to_owned()] } else { Vec::new() };
            assert_eq!(
                (&*changed.declarations[0].kind, &changed.declarations[0].used_by),
                ("directive", &users)
            );
        }
    }
}

#[test]
fn a_type_is_used_by_who_meets_it_through_something_else() {
    use crate::graph::{Edge, EdgeKind, Graph};
    let file = |member: &str| {
        let signature = format!("interface O {{ {member} }}");
        let ty = declaration("O", DeclarationKind::Interface, &signature);
        [contract("a.ts", vec![ty, declaration("f", DeclarationKind::Function, "function f(): O")])]
    };
    let edge = Edge {
        to: 0,
        kind: EdgeKind::Static,
        names: ["f"].into_iter().collect(),
        through: None,
        handed_on: false,
    };
    let graph = Graph::from_edges(vec!["a.ts".into(), "user.ts".into()], vec![Vec::new(), vec![edge]]);
    let (old, new) = (file("a: string"), file("a: string | null"));
    let gone = [contract("a.ts", vec![old[0].declarations[1].clone()])];
    let side = |files| Side { graph: Some(&graph), ..side(files) };
    let changed = |new| compare(&side(&old), &side(new)).files[0].declarations[0].clone();
    let is_told = changed(&new);
    assert_eq!((&*is_told.name, is_told.used_by), ("O", vec!["user.ts".to_owned()]));
    // Who does not name it does not miss its name.
    assert_eq!(changed(&gone).used_by, Vec::<String>::new());
}

#[test]
fn a_file_that_could_not_be_read_is_no_other_only_while_its_text_is_none() {
    use crate::language::Reader;
    use crate::link::link_alone;
    let read = |end: &str| {
        let text = format!("export const x = {}1;{end}", "!".repeat(150_000));
        let mut contract = link_alone("a.ts", &Reader::new().read("a.ts", &text)).contract;
        contract.file_hash = crate::fingerprint::file_hash(&text);
        contract.semantic_hash = crate::fingerprint::semantic_hash(&contract);
        contract
    };
    let (old, new) = ([read("")], [read(" export const y = 2;")]);
    assert!(compare(&side(&old), &side(&old)).files.is_empty());
    let comparison = compare(&side(&old), &side(&new));
    let [changed] = comparison.files.as_slice() else { panic!("{comparison:?}") };
    assert_eq!(changed.declarations[0].reason, "nested too deeply to be read");
}

#[test]
fn what_became_something_else_is_called_by_its_name() {
    let kinds = |was: DeclarationKind, before: &str, is: DeclarationKind, after: &str| {
        let judged = verdict::judge(&declaration("A", was, before), &declaration("A", is, after));
        judged.1
    };
    let (class, enumeration) = (DeclarationKind::Class, DeclarationKind::Enum);
    let interface = DeclarationKind::Interface;
    assert_eq!(kinds(class, "class A {}", interface, "interface A { a: 1 }"), "was a class, is an interface");
    assert_eq!(kinds(enumeration, "enum A { B }", class, "class A {}"), "was an enum, is a class");
}

#[test]
fn overloads_in_another_order_are_no_more_of_them() {
    let ways = ["function f(a: string): string".to_owned(), "function f(a: number): number".to_owned()];
    let overloaded = |signatures: Vec<String>| {
        let one = declaration("f", DeclarationKind::Function, "");
        ContractDeclaration { signatures, ..one }
    };
    let (one, other) = (overloaded(ways.to_vec()), overloaded(ways.iter().rev().cloned().collect()));
    let (verdict, reason) = verdict::judge(&one, &other);
    assert_eq!((verdict, reason.as_str()), (Verdict::Compatible, "its overloads stand in another order"));
}
