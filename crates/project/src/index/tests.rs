//! The index on real folders: what is remembered never shows in the answer.
#![allow(clippy::disallowed_methods, reason = "tests make files")]

mod configs;
mod deciding;
mod packages;

use fs_err as fs;
use proptest::prelude::*;

use becket_contracts::target::Target;

use super::*;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            bench.write(path, text);
        }
        bench
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join("tree").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        _ = fs::remove_file(self.folder.path().join("tree").join(path));
    }

    fn place(&self, cache: &str) -> Place {
        let root = self.folder.path().join("tree");
        Place {
            root,
            cache: self.folder.path().join(cache),
            tests: Tests::LeftOut,
            reading: Reading::default(),
        }
    }
}

fn shown(index: &Index) -> Vec<String> {
    let mut lines: Vec<String> = index
        .files()
        .iter()
        .map(|file| {
            let json = serde_json::to_string(&(&**file.local(), file.contract())).unwrap();
            format!("{} {} {:?} {json}", file.path, file.tokens, file.targets())
        })
        .collect();
    lines.push(serde_json::to_string(index.graph()).unwrap());
    lines
}

const BUTTON: &str = "import type { Size } from './types';\nexport interface ButtonProps { label: string; size?: Size }\nexport function Button({ label }: ButtonProps) { return <button>{label}</button>; }\n";

/// Looks, and remembers.
fn look(place: &Place, previous: Option<&Index>) -> Result<Index, IndexError> {
    let index = Index::of(place, previous)?;
    index.save(place);
    Ok(index)
}

#[test]
fn only_what_changed_is_read_and_only_what_it_reaches_is_linked() {
    let bench = Bench::new(&[
        ("src/types.ts", "export type Size = 's' | 'm';\n"),
        ("src/button.tsx", BUTTON),
        ("src/alone.ts", "export const one = 1;\n"),
    ]);
    let place = bench.place("cache");
    let first = look(&place, None).unwrap();
    assert_eq!((first.files().len(), first.work().parsed, first.work().linked), (3, 3, 3));
    assert_eq!(first.graph().edge_count(), 1);

    // Whoever names a type knows it by its name alone.
    bench.write("src/types.ts", "export type Size = 's' | 'm' | 'l';\n");
    let second = look(&place, Some(&first)).unwrap();
    assert_eq!((second.work().parsed, second.work().linked), (1, 1));

    bench.write("src/types.ts", "export type Sizes = 's' | 'm' | 'l';\n");
    let third = look(&place, Some(&second)).unwrap();
    assert_eq!((third.work().parsed, third.work().linked), (1, 2));

    // Another process: what the first look read is remembered by content, and then the edits too.
    let fourth = look(&place, None).unwrap();
    assert_eq!((fourth.work().parsed, fourth.work().linked), (1, 2));
    assert_eq!(shown(&fourth), shown(&third));
    assert_eq!(look(&place, None).unwrap().work().parsed, 0);
}

#[test]
fn who_asked_a_barrel_for_another_name_is_left_alone() {
    let bench = Bench::new(&[
        ("all/a.ts", "export const one = 1;\nconst hidden = 1;\n"),
        ("all/b.ts", "export interface Props { two: number }\n"),
        ("all/index.ts", "export * from './a';\nexport * from './b';\n"),
        ("outer.ts", "export * from './all';\nexport { one as uno } from './all';\n"),
        ("by-name.ts", "import { one } from './outer';\nexport const x = one;\n"),
        ("by-new-name.ts", "import { uno } from './outer';\nexport const y = uno;\n"),
        (
            "view.tsx",
            "import { Props } from './outer';\nexport const View = (props: Props) => <b>{props.two}</b>;\n",
        ),
    ]);
    let place = bench.place("cache");
    let mut last = look(&place, None).unwrap();
    let mut edit = |path: &str, text: &str| {
        bench.write(path, text);
        let next = look(&place, Some(&last)).unwrap();
        assert_eq!(shown(&next), shown(&look(&bench.place("fresh"), None).unwrap()), "{path}: {text}");
        Index::clear(&bench.place("fresh").cache).unwrap();
        let linked = next.work().linked;
        last = next;
        linked
    };
    // Only the file itself.
    assert_eq!(edit("all/a.ts", "export const one = 1;\nconst hidden = 1;\nfunction other() {}\n"), 1);
    // And the two barrels, which export it too.
    assert_eq!(edit("all/a.ts", "export const one = 1;\nexport const more = 1;\n"), 3);
    // What is looked at, and the component that takes it.
    assert_eq!(edit("all/b.ts", "export interface Props { two: string }\n"), 2);
    // Both who asked for it, by whatever name.
    assert_eq!(edit("all/a.ts", "export const more = 1;\n"), 5);
    // The component looked at this one, too.
    assert_eq!(edit("all/b.ts", "export interface Props { two: string }\nexport const one = 2;\n"), 6);
}

#[test]
fn what_is_made_anew_of_a_damaged_record_says_nothing_of_what_changed() {
    let bench = Bench::new(&[
        ("a.ts", "export const a = 1;\nexport const old = 1;\n"),
        ("b.ts", "export * from './a';\n"),
        ("c.ts", "import { old } from './b';\nexport const c = old;\n"),
    ]);
    let place = bench.place("cache");
    look(&place, None).unwrap();
    let pack = place.cache.join(super::FACTS);
    let mut bytes = fs::read(&pack).unwrap();
    bytes[20] ^= 0x55;
    fs::write(&pack, bytes).unwrap();
    bench.write("a.ts", "export const a = 1;\n");
    let edited = shown(&look(&place, None).unwrap());
    assert_eq!(edited, shown(&look(&bench.place("other"), None).unwrap()));
}

#[test]
fn a_second_worktree_costs_only_what_differs() {
    let bench = Bench::new(&[("a.ts", "export const a = 1;\n"), ("b.ts", "export const b = 1;\n")]);
    look(&bench.place("cache"), None).unwrap();
    let other = Bench::new(&[("a.ts", "export const a = 1;\n"), ("b.ts", "export const b = 2;\n")]);
    let place = Place { cache: bench.folder.path().join("cache"), ..other.place("unused") };
    assert_eq!(look(&place, None).unwrap().work().parsed, 1);
}

#[test]
fn a_damaged_cache_is_noticed_and_made_anew() {
    let bench = Bench::new(&[
        ("a.ts", "export const a = 1;\n"),
        ("b.ts", "import { a } from './a';\nexport const b = a;\n"),
    ]);
    let place = bench.place("cache");
    let whole = shown(&look(&place, None).unwrap());
    let files: Vec<PathBuf> =
        fs::read_dir(&place.cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 4, "{files:?}");
    for path in &files {
        for damage in ["", "cut", "flip", "garbage"] {
            // A cache that was just made whole.
            Index::clear(&place.cache).unwrap();
            look(&place, None).unwrap();
            let bytes = fs::read(path).unwrap();
            let mut broken = bytes.clone();
            match damage {
                "" => broken.clear(),
                "cut" => broken.truncate(bytes.len() / 2),
                "flip" => {
                    let middle = bytes.len() / 2;
                    broken[middle] ^= 0x55;
                }
                _ => broken = b"not a cache at all".to_vec(),
            }
            fs::write(path, &broken).unwrap();
            assert_eq!(shown(&look(&place, None).unwrap()), whole, "{} {damage}", path.display());
            assert_eq!(shown(&look(&place, None).unwrap()), whole);
            // Noticed once: the process after that finds a sound cache again.
            let last = look(&place, None).unwrap();
            assert_eq!(shown(&last), whole);
            assert!(!last.is_damaged(), "{} {damage}", path.display());

            // The same where a file was edited meanwhile.
            fs::write(path, &broken).unwrap();
            let edited = format!("import {{ a }} from './a';\nexport const b = a; // {damage}\n");
            bench.write("b.ts", &edited);
            for _ in 0..2 {
                assert_eq!(
                    look(&place, None).unwrap().graph().edge_count(),
                    1,
                    "{} {damage}",
                    path.display()
                );
            }
            let last = look(&place, None).unwrap();
            assert_eq!(last.graph().edge_count(), 1);
            assert!(!last.is_damaged(), "{} {damage}", path.display());
            bench.write("b.ts", "import { a } from './a';\nexport const b = a;\n");
        }
    }
    Index::clear(&place.cache).unwrap();
    assert_eq!(look(&place, None).unwrap().work().parsed, 2);
}

#[test]
fn a_tsconfig_and_a_new_file_change_where_imports_lead() {
    let bench = Bench::new(&[
        ("src/a.ts", "import { b } from '@/b';\nexport const a = b;\n"),
        ("lib/b.ts", "export const b = 1;\n"),
    ]);
    let place = bench.place("cache");
    let first = look(&place, None).unwrap();
    assert_eq!(first.graph().edge_count(), 0);
    bench.write("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}}"#);
    let second = look(&place, Some(&first)).unwrap();
    assert_eq!(second.graph().edge_count(), 1);
    bench.write("lib/b/index.ts", "export const b = 2;\n");
    bench.remove("lib/b.ts");
    let third = look(&place, Some(&second)).unwrap();
    assert_eq!(
        third.file("src/a.ts").unwrap().targets().get("@/b"),
        Some(&Target::File("lib/b/index.ts".to_owned()))
    );
    assert_eq!(shown(&third), shown(&look(&bench.place("other"), None).unwrap()));
}

#[test]
fn what_nobody_reads_may_be_edited_and_is_missed_when_it_is_gone() {
    let bench = Bench::new(&[
        ("src/a.ts", "import data from './data.json';\nimport './look.css';\nexport const a = data;\n"),
        ("src/data.json", "{}\n"),
        ("src/look.css", "a { top: 0 }\n"),
    ]);
    let place = bench.place("cache");
    let first = look(&place, None).unwrap();
    bench.write("src/data.json", "{\"a\": 1}\n");
    bench.write("src/look.css", "a { left: 0 }\n");
    let second = look(&place, Some(&first)).unwrap();
    assert_eq!(second.touched_assets(&first).collect::<Vec<_>>(), ["src/look.css"]);
    assert_eq!((second.id(), second.work().parsed), (first.id(), 0));
    bench.remove("src/data.json");
    let third = look(&place, Some(&second)).unwrap();
    assert!(
        third
            .file("src/a.ts")
            .unwrap()
            .targets()
            .get("./data.json")
            .is_some_and(|target| target.file().is_none())
    );
    assert_eq!(shown(&third), shown(&look(&bench.place("other"), None).unwrap()));
}

#[test]
fn bytes_of_any_kind_give_an_index() {
    let bench = Bench::new(&[]);
    let root = bench.folder.path().join("tree");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("a.ts"), [0xff, 0xfe, b'{', 0, b'<']).unwrap();
    fs::write(root.join("b.tsx"), "export default <".repeat(50)).unwrap();
    let index = look(&bench.place("cache"), None).unwrap();
    assert_eq!(index.files().len(), 2);
}

#[test]
fn what_one_file_adds_to_the_types_of_another_is_seen_whoever_is_edited() {
    let theme = "import './types';\ndeclare module './types' { interface P { tone?: string } }\n";
    let bench = Bench::new(&[
        ("types.ts", "export interface P { a: string }\n"),
        ("view.tsx", "import { P } from './types';\nexport const V = (props: P) => <i>{props.a}</i>;\n"),
        ("theme.ts", theme),
        ("z.ts", "export {};\n"),
    ]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    let props = |index: &Index| {
        let contract = index.file("view.tsx").unwrap().contract();
        contract.logic_signature.props.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(props(&index), "a tone");
    let edits = [
        ("theme.ts", theme.replace("tone", "shade"), "a shade"),
        ("types.ts", "export interface P { b: string }\n".to_owned(), "b shade"),
        (
            "view.tsx",
            "import { P } from './types';\nexport const W = (p: P) => <i>{p.b}</i>;\n".to_owned(),
            "b shade",
        ),
        ("theme.ts", "export {};\n".to_owned(), "b"),
        ("z.ts", theme.to_owned(), "b tone"),
        ("types.ts", "export * from './more';\n".to_owned(), ""),
        ("more.ts", "export interface P { c: string }\n".to_owned(), "c tone"),
    ];
    for (step, (path, text, expected)) in edits.iter().enumerate() {
        bench.write(path, text);
        index = look(&place, Some(&index)).unwrap();
        assert_eq!(props(&index), *expected, "{path} {text}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{path} {text}");
    }
}

#[test]
fn a_module_that_is_only_declared_leads_to_its_declaration() {
    let heading = "declare module '@theme/heading' {\n  type Size = 1 | 2;\n  export interface Props { as: string; size?: Size }\n}\n";
    let view = "import type { Props } from '@theme/heading';\nexport const V = (props: Props) => <i>{props.as}</i>;\n";
    let bench = Bench::new(&[
        ("theme.d.ts", heading),
        ("view.tsx", view),
        (
            "adds.d.ts",
            "import '@theme/other';\ndeclare module '@theme/other' { interface P { a: 1 } }\nexport {};\n",
        ),
        ("late.tsx", "export {};\n"),
    ]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    let props = |index: &Index, path: &str| {
        let contract = index.file(path).unwrap().contract();
        let led = index.file(path).unwrap().targets().get("@theme/heading").and_then(|target| target.file());
        let props = contract.logic_signature.props.keys().cloned().collect::<Vec<_>>().join(" ");
        format!("{} {props}", led.unwrap_or("nowhere"))
    };
    assert_eq!(props(&index, "view.tsx"), "theme.d.ts as size");
    let other = index.file("adds.d.ts").unwrap().targets().get("@theme/other").cloned();
    assert!(matches!(other, Some(becket_contracts::target::Target::Package { .. })), "{other:?}");
    let edits = [
        ("late.tsx", view.to_owned(), "late.tsx", "theme.d.ts as size"),
        ("theme.d.ts", heading.replace("as: string", "level: number"), "view.tsx", "theme.d.ts level size"),
        ("theme.d.ts", "declare const nothing: 1;\n".to_owned(), "view.tsx", "nowhere "),
        ("theme.d.ts", heading.to_owned(), "late.tsx", "theme.d.ts as size"),
        (
            "package.json",
            "{ \"dependencies\": { \"@theme/heading\": \"1\" } }".to_owned(),
            "view.tsx",
            "nowhere ",
        ),
    ];
    for (step, (path, text, of, expected)) in edits.iter().enumerate() {
        bench.write(path, text);
        index = look(&place, Some(&index)).unwrap();
        let shown_props = props(&index, of);
        assert!(shown_props.starts_with(expected), "{path} {text}: {shown_props}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{path} {text}");
    }
}

#[test]
fn declared_modules_are_one_in_however_many_files_they_stand() {
    let view =
        |import: &str, of: &str| format!("{import}\nexport const V = (props: {of}) => <i>{{props.a}}</i>;\n");
    let named = view("import type { Props, More } from '@theme/card';", "Props & More");
    let whole = view("import * as Card from '@theme/card';", "Card.Props & Card.More");
    let behind = view("import type { Props, More } from './barrel';", "Props & More");
    let through = view("import { Card } from './barrel';", "Card.Props & Card.More");
    let heading = view("import type { Props } from '@theme/Heading';", "Props");
    let bench = Bench::new(&[
        (
            "a.d.ts",
            "declare module '@theme/card' { interface Base { b: 1 } export interface Props extends Base { a: More } }\n",
        ),
        (
            "b.d.ts",
            "declare module '@theme/card' { export interface More { m: 1 } }\ndeclare module '@theme/*' { export interface Props { star: 1 } }\n",
        ),
        (
            "c.d.ts",
            "declare module '*.svg' { const url: string; export default url; }\ndeclare module 'own' { export interface P { c: 1 } }\n",
        ),
        ("named.tsx", &named),
        ("whole.tsx", &whole),
        ("barrel.ts", "export * from '@theme/card';\nexport * as Card from '@theme/card';\n"),
        ("behind.tsx", &behind),
        ("through.tsx", &through),
        ("heading.tsx", &heading),
        (
            "icon.ts",
            "import icon from './icon.svg';\nimport there from './there.svg';\nexport const it = [icon, there];\n",
        ),
        ("there.svg", "<svg/>"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"paths\": { \"own\": [\"./own.ts\"] } } }"),
        ("own.ts", "export interface P { a: 1 }\n"),
        ("aliased.tsx", &view("import type { P } from 'own';", "P")),
    ]);
    let place = bench.place("cache");
    let props = |index: &Index, path: &str| {
        let contract = index.file(path).unwrap().contract();
        contract.logic_signature.props.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    let led = |index: &Index, path: &str| {
        let graph = index.graph();
        let edges = graph.edges(graph.position(path).unwrap()).iter();
        let shown = edges.map(|edge| {
            format!("{} {}", graph.path(edge.to), edge.names.iter().collect::<Vec<_>>().join(","))
        });
        shown.collect::<Vec<_>>().join("; ")
    };
    let mut index = look(&place, None).unwrap();
    for path in ["named.tsx", "whole.tsx", "behind.tsx", "through.tsx"] {
        assert_eq!(props(&index, path), "a b m", "{path}");
    }
    assert_eq!(props(&index, "heading.tsx"), "star");
    assert_eq!(props(&index, "aliased.tsx"), "a");
    assert_eq!(led(&index, "named.tsx"), "a.d.ts Props; b.d.ts More");
    assert_eq!(led(&index, "whole.tsx"), "a.d.ts Props; b.d.ts More");
    assert_eq!(led(&index, "behind.tsx"), "a.d.ts Props; b.d.ts More; barrel.ts More,Props");
    assert_eq!(led(&index, "barrel.ts"), "a.d.ts *; b.d.ts *");
    assert_eq!(led(&index, "heading.tsx"), "b.d.ts Props");
    assert_eq!(led(&index, "icon.ts"), "c.d.ts default");
    assert_eq!(led(&index, "aliased.tsx"), "own.ts P");
    let names = &index.file("barrel.ts").unwrap().contract().exports.named;
    assert_eq!(names.join(" "), "Base Card More Props");
    let edits = [
        ("b.d.ts", "declare module '@theme/card' { export interface More { n: 1 } }\n", "a b n", ""),
        ("b.d.ts", "declare module '@theme/card' { export interface Most { n: 1 } }\n", "a b", ""),
        ("b.d.ts", "declare module '@theme/H*' { export interface Props { n: 1 } }\n", "a b", "n"),
        ("d.d.ts", "declare module '@theme/card' { export interface More { d: 1 } }\n", "a b d", "n"),
        (
            "e.d.ts",
            "declare module '@theme/card' { interface More { e: 1 } interface Props { e2: 1 } }\n",
            "a b d e e2",
            "n",
        ),
        ("e.d.ts", "declare module '@theme/card' { interface More { e3: 1 } }\n", "a b d e3", "n"),
        ("e.d.ts", "export {};\n", "a b d", "n"),
        ("d.d.ts", "declare module '@theme/Heading' { export interface Props { d: 1 } }\n", "a b", "d"),
    ];
    for (step, (path, text, expected, of_heading)) in edits.iter().enumerate() {
        bench.write(path, text);
        index = look(&place, Some(&index)).unwrap();
        let is_small = *path == "b.d.ts" && step < 1;
        assert!(!is_small || index.work().linked < 8, "{step}: {:?}", index.work());
        for path in ["named.tsx", "whole.tsx", "behind.tsx", "through.tsx"] {
            assert_eq!(props(&index, path), *expected, "{step} {path}");
        }
        assert_eq!(props(&index, "heading.tsx"), *of_heading, "{step}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{path} {text}");
    }
}

#[test]
fn what_a_name_stands_for_elsewhere_is_seen_when_only_a_body_is_edited() {
    let base = "import { Component } from 'pkg';\nexport class Base extends Component {}\nfunction v() { return <i />; }\n";
    let root = "import * as P from 'pkg';\nexport const R = P.Root;\nfunction w() { return <P.Root />; }\n";
    let bench = Bench::new(&[
        ("base.tsx", base),
        ("root.tsx", root),
        (
            "a.ts",
            "import { Base } from './base';\nimport { R } from './root';\nexport class A extends Base {}\nexport const S = R;\n",
        ),
    ]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    let kinds = |index: &Index| {
        let contract = index.file("a.ts").unwrap().contract();
        contract.declarations.iter().map(|one| one.kind.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kinds(&index), "component component");
    let edits = [
        ("base.tsx", base.replace("<i />", "1"), "class component"),
        ("root.tsx", root.replace("<P.Root />", "1"), "class constant"),
        ("base.tsx", base.to_owned(), "component constant"),
        ("root.tsx", root.to_owned(), "component component"),
    ];
    for (path, text, expected) in edits {
        bench.write(path, &text);
        index = look(&place, Some(&index)).unwrap();
        assert_eq!(kinds(&index), expected, "{path} {text}");
        assert_eq!(kinds(&look(&place, None).unwrap()), expected, "{path} {text}");
    }
}

#[test]
fn a_pattern_leads_to_whatever_matches_it_now() {
    let bench = Bench::new(&[
        ("app/[id]/page.ts", "export const all = import.meta.glob(['./parts/*.ts', '!./parts/_*.ts']);\n"),
        ("app/[id]/parts/one.ts", "export const one = 1;\n"),
        ("app/i/parts/other.ts", "export const other = 1;\n"),
    ]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    let steps: &[(&str, Option<&str>, &str)] = &[
        ("app/[id]/parts/two.ts", Some("export const two = 2;\n"), "one two"),
        ("app/[id]/parts/_three.ts", Some("export const three = 3;\n"), "one two"),
        ("app/[id]/parts/two.ts", Some("export const more = 2;\n"), "one two"),
        ("app/[id]/parts/one.ts", None, "two"),
    ];
    for (step, (path, text, expected)) in steps.iter().enumerate() {
        match text {
            Some(text) => bench.write(path, text),
            None => bench.remove(path),
        }
        index = look(&place, Some(&index)).unwrap();
        let graph = index.graph();
        let edges = graph.edges(graph.position("app/[id]/page.ts").unwrap()).iter();
        let led: Vec<_> = edges.map(|edge| format!("{} {:?}", graph.path(edge.to), edge.kind)).collect();
        let expected = expected.split(' ').map(|name| format!("app/[id]/parts/{name}.ts Dynamic"));
        assert_eq!(led, expected.collect::<Vec<_>>(), "{step}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{step}");
    }
}

#[test]
fn a_declaration_file_leads_to_the_file_beside_it_whoever_comes_and_goes() {
    let bench = Bench::new(&[
        ("lib.js", "exports.a = 1;\n"),
        ("lib.d.ts", "export const a: number;\n"),
        ("all.js", "export * as lib from './lib';\n"),
        ("use.js", "const { a } = require('./lib');\nexports.b = a;\n"),
    ]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    let edges = |index: &Index, from: &str| {
        let graph = index.graph();
        let edges = graph.edges(graph.position(from).unwrap()).iter();
        let shown = edges.map(|edge| format!("{}:{}", graph.path(edge.to), edge.names.as_text()));
        shown.collect::<Vec<_>>().join(" ").replace('\0', ",")
    };
    assert_eq!(edges(&index, "lib.d.ts"), "lib.js:*,");
    let steps: &[(&str, Option<&str>, &str)] = &[
        ("lib.js", Some("exports.a = 1;\nexports.more = 1;\n"), "lib.js:*,"),
        ("lib.d.ts", Some("export const a: number;\nexport const more: number;\n"), "lib.js:*,"),
        ("lib.js", Some("export default 1;\n"), "lib.js:*,default,"),
        ("lib.d.ts", Some("export const a: number;\nexport default a;\n"), "lib.js:*,default,"),
        ("lib.js", None, ""),
        ("lib.jsx", Some("exports.a = 1;\n"), "lib.jsx:*,"),
        ("lib.js", Some("exports.a = 1;\n"), "lib.js:*,"),
        ("lib.ts", Some("export const a = 1;\n"), ""),
        ("lib.ts", None, "lib.js:*,"),
    ];
    for (step, (path, text, expected)) in steps.iter().enumerate() {
        match text {
            Some(text) => bench.write(path, text),
            None => bench.remove(path),
        }
        index = look(&place, Some(&index)).unwrap();
        assert_eq!(edges(&index, "lib.d.ts"), *expected, "{step}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{step}");
    }
}

#[test]
fn the_default_of_a_common_js_module_is_all_of_it_whatever_it_was_before() {
    let bench = Bench::new(&[
        ("lib.js", "exports.a = 1;\n"),
        ("index.js", "module.exports = require('./lib');\n"),
        ("use.mjs", "import lib from './index.js';\nimport own from './lib.js';\nlib.a(own);\n"),
    ]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    for (step, text) in [
        "module.exports = function (a) {};\n",
        "export const a = 1;\n",
        "exports.a = 1;\n",
        "export default 1;\n",
        "const lib = { a: 1 };\nmodule.exports = lib;\n",
    ]
    .into_iter()
    .enumerate()
    {
        bench.write("lib.js", text);
        index = look(&place, Some(&index)).unwrap();
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{text}");
    }
}

fn full_paths(index: &Index, path: &str) -> Vec<String> {
    let routes = &index.file(path).unwrap().contract().routes;
    routes.iter().flat_map(|route| route.full_paths.clone()).collect()
}

#[test]
fn a_router_knows_where_it_is_mounted_whoever_is_edited() {
    let router =
        "import { Router } from 'express';\nexport const users = Router();\nusers.get('/:id', one);\n";
    let api = "import { Router } from 'express';\nimport { users } from './users';\nexport const api = Router();\napi.use('/users', users);\n";
    let app = "import express from 'express';\nimport { api } from './api';\nconst app = express();\napp.use('/v1', api);\n";
    let bench = Bench::new(&[("users.ts", router), ("api.ts", api), ("app.ts", app), ("z.ts", "export {};")]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    assert_eq!(full_paths(&index, "users.ts"), ["/v1/users/:id"]);
    let hash = |index: &Index| index.file("users.ts").unwrap().contract().semantic_hash.clone();
    let first = hash(&index);
    let edits = [
        // The mount, two files away.
        ("app.ts", app.replace("/v1", "/v2"), vec!["/v2/users/:id"]),
        // The one between.
        ("api.ts", api.replace("'/users'", "'/people'"), vec!["/v2/people/:id"]),
        // The router itself, of which the others show what it says.
        ("users.ts", router.replace("/:id", "/:name"), vec!["/v2/people/:name"]),
        ("users.ts", format!("// nothing\n{router}"), vec!["/v2/people/:id"]),
        // Nobody mounts the one between any more, and then nobody anything.
        ("app.ts", "export {};\n".to_owned(), vec!["/people/:id"]),
        ("api.ts", "export {};\n".to_owned(), vec![]),
        ("api.ts", api.to_owned(), vec!["/users/:id"]),
        ("app.ts", app.to_owned(), vec!["/v1/users/:id"]),
    ];
    for (step, (path, text, expected)) in edits.iter().enumerate() {
        bench.write(path, text);
        index = look(&place, Some(&index)).unwrap();
        assert_eq!(full_paths(&index, "users.ts"), *expected, "{path} {text}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{path} {text}");
    }
    // What is mounted where is a promise of whoever mounts.
    assert_eq!(hash(&index), first);
}

#[test]
fn of_several_that_declare_a_module_the_nearest_is_meant() {
    let user =
        "import icon, { type Size } from './icon.svg';\nexport const V = (props: Size) => <i>{icon}</i>;\n";
    let declared = |member: &str| {
        format!(
            "declare module '*.svg' {{ export type Size = {{ {member}: 1 }}; const url: string; export default url; }}\n"
        )
    };
    let bench = Bench::new(&[
        ("packages/a/svg.d.ts", &declared("a")),
        ("packages/a/src/view.tsx", user),
        ("packages/b/svg.d.ts", &declared("b")),
        ("packages/b/src/view.tsx", user),
        ("src/view.tsx", user),
        ("types/svg.d.ts", &declared("root")),
    ]);
    let place = bench.place("cache");
    let led = |index: &Index, path: &str| {
        let graph = index.graph();
        let edges = graph.edges(graph.position(path).unwrap()).iter();
        let to: Vec<&str> = edges.map(|edge| graph.path(edge.to)).collect();
        let props = &index.file(path).unwrap().contract().logic_signature.props;
        format!("{} {}", to.join(" "), props.keys().cloned().collect::<Vec<_>>().join(" "))
    };
    let mut index = look(&place, None).unwrap();
    assert_eq!(led(&index, "packages/a/src/view.tsx"), "packages/a/svg.d.ts a");
    assert_eq!(led(&index, "packages/b/src/view.tsx"), "packages/b/svg.d.ts b");
    assert_eq!(led(&index, "src/view.tsx"), "types/svg.d.ts root");
    for (step, (path, text, expected)) in [
        ("packages/b/src/svg.d.ts", declared("near"), "packages/b/src/svg.d.ts near"),
        ("packages/b/src/svg.d.ts", declared("other"), "packages/b/src/svg.d.ts other"),
        ("packages/b/src/svg.d.ts", "export {};\n".to_owned(), "packages/b/svg.d.ts b"),
        ("packages/b/svg.d.ts", "export {};\n".to_owned(), "packages/a/svg.d.ts a"),
    ]
    .into_iter()
    .enumerate()
    {
        bench.write(path, &text);
        index = look(&place, Some(&index)).unwrap();
        assert_eq!(led(&index, "packages/b/src/view.tsx"), expected, "{step}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{step}");
    }
}

#[derive(Debug, Clone)]
enum Edit {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, usize),
}

const PATHS: &[&str] = &[
    "a.ts",
    "b.tsx",
    "lib/c.ts",
    "lib/index.ts",
    "lib/d/index.tsx",
    "e.d.ts",
    "a.d.ts",
    "f.d.ts",
    "a.js",
    "lib/c.js",
    "lib/f.d.ts",
    "lib/d/g.d.ts",
];
const TEXTS: &[&str] = &[
    "export const x = 1;\n",
    "import { x } from './a';\nexport function run(value: typeof x): void {}\n",
    "export * from './c';\nexport { run } from '../b';\n",
    "import type { P } from './lib';\nexport const V = (props: P) => <i>{props.a}</i>;\n",
    "export interface P { a: string; b?: number }\n",
    "import { Router } from 'express';\nexport const x = Router();\nx.get('/a', f);\n",
    "import express from 'express';\nimport { x } from './a';\nexport const app = express();\napp.use('/b', x);\n",
    "import express from 'express';\nimport { app } from '../b';\nconst all = express();\nall.use('/c', app);\n",
    "import './lib/c';\ndeclare module './lib/c' { interface P { z?: 1 } }\n",
    "import { Q } from 'declared';\nexport const U = (props: Q) => <i>{props.q}</i>;\n",
    "declare module 'declared' { export interface Q { q: string } }\n",
    "declare module 'declared' { export interface R { r: string } }\ndeclare module 'de*' { export interface Q { s: 1 } }\n",
    "declare module 'declared' { export type Q = { t: 1 }; export const v: Q }\n",
    "import { type Q, v } from 'declared';\nexport const U = (props: Q) => <i>{props.t}{v.t}</i>;\n",
    "import * as N from 'declared';\nexport const U = (props: N.Q & N.R) => <i>{props.q}</i>;\n",
    "export * from 'declared';\nexport { Q as P } from 'desert';\n",
    "export const all = import.meta.glob(['./**/*.ts', '!./**/*.d.ts'], { eager: true });\n",
    "import { P } from '..';\nexport class K extends Array<P> { go(): P { return this[0]; } }\n",
];

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        4 => (0..PATHS.len(), 0..TEXTS.len()).prop_map(|(path, text)| Edit::Write(path, text)),
        1 => (0..PATHS.len()).prop_map(Edit::Remove),
        1 => (0..PATHS.len(), 0..PATHS.len()).prop_map(|(from, to)| Edit::Rename(from, to)),
    ];
    proptest::collection::vec(edit, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn increments_give_what_a_cold_look_gives(edits in edits()) {
        let bench = Bench::new(&[("a.ts", TEXTS[0]), ("lib/c.ts", TEXTS[4])]);
        let place = bench.place("cache");
        let mut index = look(&place, None).unwrap();
        for (step, edit) in edits.iter().enumerate() {
            match edit {
                Edit::Write(path, text) => bench.write(PATHS[*path], TEXTS[*text]),
                Edit::Remove(path) => bench.remove(PATHS[*path]),
                Edit::Rename(from, to) => {
                    let tree = bench.folder.path().join("tree");
                    let target = tree.join(PATHS[*to]);
                    fs::create_dir_all(target.parent().unwrap()).unwrap();
                    _ = fs::rename(tree.join(PATHS[*from]), target);
                }
            }
            index = look(&place, Some(&index)).unwrap();
            let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
            prop_assert_eq!(shown(&index), shown(&cold));
            let process = look(&place, None).unwrap();
            prop_assert_eq!(shown(&process), shown(&cold));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_elsewhere_is_seen() {
    let bench = Bench::new(&[
        ("src/a.ts", "import { one } from './link';\nexport const two = one;\n"),
        ("real/a.ts", "export const one = 1;\n"),
        ("real/b.ts", "export const one = 2;\n"),
    ]);
    let place = bench.place("cache");
    let link = |target: &str| {
        bench.remove("src/link.ts");
        std::os::unix::fs::symlink(target, place.root.join("src/link.ts")).unwrap();
    };
    let target = |index: &Index| index.file("src/a.ts").unwrap().targets().get("./link").cloned();
    let file = |path: &str| Some(Target::File(path.to_owned()));
    link("../real/a.ts");
    let first = look(&place, None).unwrap();
    assert_eq!(target(&first), file("real/a.ts"));
    assert_eq!(first.graph().edge_count(), 1);
    let again = look(&place, None).unwrap();
    assert_eq!((again.work().linked, target(&again)), (0, file("real/a.ts")));
    link("../real/b.ts");
    assert_eq!(target(&look(&place, Some(&first)).unwrap()), file("real/b.ts"));
    assert_eq!(target(&look(&place, None).unwrap()), file("real/b.ts"));
    bench.remove("src/link.ts");
    bench.write("src/link.ts", "export const one = 3;\n");
    assert_eq!(target(&look(&place, None).unwrap()), file("src/link.ts"));
}
