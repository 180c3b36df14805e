//! What a barrel hands on, and what it does not.

use serde_json::{Value, json};

use super::*;

fn project() -> TestRepo {
    let repo = TestRepo::new();
    for (path, text) in [
        ("package.json", r#"{"name": "barrels"}"#),
        ("core/a.ts", "export const a1 = 1;\nexport const a2 = 2;\nexport default 3;\n"),
        ("core/b.ts", "export const b1 = 1;\nexport const b2 = 2;\n"),
        ("core/index.ts", "export * from './a';\nexport { b2 as renamed, b1 } from './b';\n"),
        ("all.ts", "export * from './core';\nexport * as core from './core/a';\n"),
        ("by-name.ts", "import { a2, b1 } from './core';\nexport const sum = a2 + b1;\n"),
        ("by-new-name.ts", "import { renamed } from './all';\nexport const more = renamed;\n"),
        ("whole.ts", "import * as Core from './core';\nexport const all = Core;\n"),
        ("member.ts", "import * as Core from './core';\nexport const some = Core.b1;\n"),
        ("last.ts", "import { sum } from './by-name';\nexport const twice = sum * 2;\n"),
        ("inner.ts", "import { core } from './all';\nexport const one = core.a1;\n"),
    ] {
        repo.write(path, text);
    }
    repo
}

/// Everybody who feels a change of a file or an export, by path.
fn felt(engine: &Engine, target: &str) -> Vec<String> {
    let request = ImpactRequest { target: target.to_owned(), ..ImpactRequest::default() };
    let report = engine.impact(&request).unwrap();
    assert_eq!(report.total, report.dependents.len());
    let mut paths: Vec<String> = report.dependents.into_iter().map(|one| one.path).collect();
    paths.sort();
    paths
}

#[test]
fn an_export_is_followed_through_barrels_under_its_names() {
    let repo = project();
    let engine = engine(&repo);
    let felt = |target: &str| felt(&engine, target);
    assert_eq!(felt("core/b.ts#b2"), ["all.ts", "by-new-name.ts", "core/index.ts", "whole.ts"]);
    assert_eq!(
        felt("core/b.ts#b1"),
        ["all.ts", "by-name.ts", "core/index.ts", "last.ts", "member.ts", "whole.ts"]
    );
    assert_eq!(felt("core/a.ts#a1"), ["all.ts", "core/index.ts", "inner.ts", "whole.ts"]);
    assert_eq!(felt("core/a.ts#default"), ["all.ts", "inner.ts"]);
    assert_eq!(felt("core/index.ts#renamed"), ["all.ts", "by-new-name.ts", "whole.ts"]);
}

#[test]
fn a_barrel_that_uses_one_name_itself_hands_on_the_others() {
    let repo = TestRepo::new();
    repo.write("a.ts", "export const reg = 1;\nexport const debounce = 2;\nexport const props = 3;\n");
    repo.write("both.ts", "import { reg } from './a';\nexport * from './a';\nexport const ready = reg;\n");
    repo.write("whole.ts", "import * as all from './a';\nexport * from './a';\nexport const keys = all;\n");
    repo.write("slow.ts", "import { debounce } from './both';\nexport const slow = debounce;\n");
    repo.write("fast.ts", "import { debounce } from './whole';\nexport const fast = debounce;\n");
    let engine = engine(&repo);
    assert_eq!(felt(&engine, "a.ts#props"), ["both.ts", "fast.ts", "whole.ts"]);
    assert_eq!(felt(&engine, "a.ts#debounce"), ["both.ts", "fast.ts", "slow.ts", "whole.ts"]);
    assert_eq!(felt(&engine, "a.ts#reg"), ["both.ts", "fast.ts", "slow.ts", "whole.ts"]);
}

#[test]
fn what_a_barrel_has_itself_is_not_that_of_its_stars_and_what_is_assigned_is_taken_as_a_whole() {
    let repo = TestRepo::new();
    repo.write("mod.ts", "export const a = 1;\nexport const b = 2;\n");
    repo.write("barrel.ts", "export const b = 1;\nexport * from './mod';\n");
    repo.write("user.ts", "import * as all from './barrel';\nexport const sum = all.a + all.b;\n");
    repo.write("widget.ts", "class Widget { static make() {} }\nexport = Widget;\n");
    repo.write("made.ts", "import * as W from './widget';\nexport const made = W.make();\n");
    let engine = engine(&repo);
    let felt = |target: &str| felt(&engine, target);
    assert_eq!(felt("mod.ts#a"), ["barrel.ts", "user.ts"]);
    assert!(felt("mod.ts#b").is_empty());
    assert_eq!(felt("barrel.ts#b"), ["user.ts"]);
    assert_eq!(felt("widget.ts#default"), ["made.ts"]);
}

#[test]
fn who_imports_a_declaration_file_uses_what_it_stands_for() {
    let repo = TestRepo::new();
    let lib = "function make() {}\nfunction gone() {}\nmodule.exports = { make, gone };\n";
    repo.write("lib.js", lib);
    repo.write("lib.d.ts", "export function make(): void;\nexport function gone(): void;\n");
    repo.write("use.js", "const { gone } = require('./lib');\ngone();\n");
    repo.write("other.mjs", "import { make } from './lib.js';\nmake();\n");
    repo.write("all.js", "const lib = require('./lib');\nlib.run(lib);\n");
    repo.write("again.js", "export { gone as went } from './lib';\n");
    repo.write("last.js", "import { went } from './again';\nwent();\n");
    repo.commit("all");
    let felt = |target: &str| felt(&engine(&repo), target);
    assert_eq!(felt("lib.js"), ["again.js", "all.js", "last.js", "lib.d.ts", "other.mjs", "use.js"]);
    let users = ["again.js", "all.js", "last.js", "lib.d.ts", "use.js"];
    assert_eq!(felt("lib.js#gone"), users);
    repo.write("lib.js", lib.replace(", gone", ""));
    assert_eq!(used_by(&repo, "gone"), users);
}

#[test]
fn a_default_is_not_of_who_hands_on_the_rest() {
    let repo = TestRepo::new();
    let api = "export const load = 1;\nexport default function run(a: string) {}\n";
    repo.write("api.ts", api);
    repo.write("barrel.ts", "export * from './api';\n");
    repo.write("behind.ts", "import * as all from './barrel';\nexport const kept = all;\n");
    repo.write("named.ts", "export * as api from './api';\n");
    repo.write("taken.ts", "import run from './api';\nrun('');\n");
    repo.write("whole.ts", "import * as api from './api';\nexport const all = api;\n");
    repo.commit("all");
    repo.write("api.ts", api.replace("a: string", "a: number"));
    assert_eq!(used_by(&repo, "run"), ["named.ts", "taken.ts", "whole.ts"]);
    assert_eq!(felt(&engine(&repo), "api.ts#default"), ["named.ts", "taken.ts", "whole.ts"]);
    repo.write("api.ts", api.replace("const load = 1", "const load = 'x'"));
    assert_eq!(used_by(&repo, "load"), ["barrel.ts", "behind.ts", "named.ts", "whole.ts"]);
}

/// Who uses what changed since the last commit.
#[test]
fn a_file_may_hand_on_one_name_and_use_another_itself() {
    let repo = TestRepo::new();
    repo.write("types.ts", "export interface Input { a: 1 }\nexport interface Others { b: 1 }\n");
    repo.write(
        "index.ts",
        "import type { Input } from './types';\nexport type { Others } from './types';\nexport function make(input: Input): void {}\n",
    );
    repo.write("main.ts", "import { make } from './index';\nmake({ a: 1 });\n");
    repo.write("else.ts", "import type { Others } from './index';\nexport type Mine = Others;\n");
    let engine = engine(&repo);
    assert_eq!(felt(&engine, "types.ts#Input"), ["else.ts", "index.ts", "main.ts"]);
    assert_eq!(felt(&engine, "types.ts#Others"), ["else.ts", "index.ts"]);
}

#[test]
fn whoever_adds_to_a_type_uses_it() {
    let repo = TestRepo::new();
    repo.write("core/ref.ts", "export interface Bails { own: 1 }\nexport interface Others { other: 1 }\n");
    repo.write("core/index.ts", "export * from './ref';\n");
    repo.write("dom.ts", "export {};\ndeclare module './core' {\n  interface Bails { dom: Node }\n}\n");
    repo.write(
        "more.ts",
        "export const x = 1;\ndeclare module './core' {\n  interface Unknown { more: 1 }\n}\n",
    );
    let engine = engine(&repo);
    let felt = |target: &str| felt(&engine, target);
    assert_eq!(felt("core/ref.ts#Bails"), ["core/index.ts", "dom.ts"]);
    assert_eq!(felt("core/ref.ts#Others"), ["core/index.ts"]);
    assert_eq!(felt("core/index.ts"), ["dom.ts", "more.ts"]);
    repo.commit("all");
    repo.write("core/ref.ts", repo.read("core/ref.ts").replace("own: 1", "own: 2"));
    assert_eq!(used_by(&repo, "Bails"), ["core/index.ts", "dom.ts"]);
}

#[test]
fn a_package_is_the_same_behind_a_file_that_passes_it_on() {
    let repo = TestRepo::new();
    repo.write(
        "index.ts",
        "export { produce as next, current } from 'immer';\nexport { pick } from 'lodash';\n",
    );
    repo.write(
        "use.ts",
        "import { memo } from 'reselect';\nimport type { Draft } from 'immer';\nexport const made: typeof memo = memo;\nexport function f(draft: Draft): void {}\n",
    );
    repo.commit("all");
    repo.write("immer.ts", "export * from 'immer';\n");
    repo.write(
        "others.ts",
        "import { memo } from 'reselect';\nexport { memo };\nexport { pick } from 'ramda';\n",
    );
    repo.write(
        "index.ts",
        "export { produce as next, current } from './immer';\nexport { pick } from './others';\n",
    );
    repo.write(
        "use.ts",
        "import { memo } from './others';\nimport type { Draft } from './immer';\nexport const made: typeof memo = memo;\nexport function f(draft: Draft): void {}\n",
    );
    for name in ["made", "f"] {
        assert_eq!(told(&repo, name).0, "compatible", "{name}");
    }
    assert_eq!(compared(&repo).breaking(), 1, "only `pick` is another's");
    assert_eq!(told(&repo, "pick").0, "breaking");
}

#[test]
fn a_type_is_the_same_under_another_name_in_another_file() {
    let repo = TestRepo::new();
    repo.write("user.ts", "export interface User { id: string }\n");
    repo.write(
        "api.ts",
        "import type { User } from './user';\nimport type { Def } from './defs';\nexport function save(user: User, how?: { deep: boolean; by: User }): void {}\nexport type Resolve<T extends Def> = T;\nexport function load(of: { by: User }): void {}\n",
    );
    repo.write("defs.ts", "export interface Def { input: unknown; output: unknown }\n");
    repo.write(
        "main.ts",
        "import { save, load } from './api';\nsave({ id: '' });\nload({ by: { id: '' } });\n",
    );
    repo.commit("all");
    repo.write("how.ts", "import { User } from './user';\nexport type How = { deep: boolean; by: User };\n");
    repo.write(
        "defs.ts",
        "export interface FullDef { input: unknown; output: unknown }\nexport type Def = FullDef;\n",
    );
    let api = |of: &str| {
        format!(
            "import type {{ User }} from './user';\nimport type {{ How }} from './how';\nimport type {{ Of }} from './of';\nimport type {{ FullDef }} from './defs';\nexport function save(user: User, how?: How): void {{}}\nexport type Resolve<T extends FullDef> = T;\nexport function load(of: {of}): void {{}}\n"
        )
    };
    repo.write("api.ts", api("Of"));
    // The same words, of which one means something else.
    repo.write("of.ts", "import type { User } from 'other';\nexport interface Of { by: User }\n");
    assert_eq!(told(&repo, "save").0, "compatible");
    assert_eq!(told(&repo, "Resolve").0, "compatible");
    assert_eq!(told(&repo, "load"), ("breaking".to_owned(), vec!["main.ts".to_owned()]));
    repo.write("of.ts", "import type { User } from './user';\nexport interface Of { by: User }\n");
    assert_eq!(told(&repo, "load").0, "compatible");
}

#[test]
fn who_hands_a_type_over_without_its_name_uses_it() {
    let repo = TestRepo::new();
    repo.write("types.ts", "export interface Options { a: string }\nexport interface Others { b: string }\n");
    repo.write(
        "call.ts",
        "import type { Options, Others } from './types';\ninterface Whole { options: Options }\nexport function call(whole: Whole): void {}\nexport function other(others: Others): void {}\n",
    );
    repo.write("barrel.ts", "export * from './call';\n");
    repo.write("main.ts", "import { call } from './barrel';\ncall({ options: { a: '' } });\n");
    repo.write("else.ts", "import { other } from './call';\nother({ b: '' });\n");
    repo.commit("all");
    repo.write(
        "types.ts",
        "export interface Options { a: string; more: string }\nexport interface Others { b: string }\n",
    );
    assert_eq!(used_by(&repo, "Options"), ["barrel.ts", "call.ts", "main.ts"]);
}

#[test]
fn what_is_named_is_compared_by_itself_and_with_what_it_is_given() {
    let repo = TestRepo::new();
    let was = |text: &str| repo.write("a.ts", text);
    let breaks = |name: &str| told(&repo, name).0;
    repo.write("b.ts", "import { A, make } from './a';\nexport const a: A = { x: 1 };\nmake({});\n");
    was(
        "export interface P { a: string }\nexport type A = { x: number; run?: (p: P) => Promise<void> };\nexport interface Options { snapshot?: boolean; preview?: boolean; name?: string }\nexport function make(options: Pick<Options, 'snapshot'>): void {}\nexport type Tags<T> = ReadonlyArray<T | null>;\nexport function tags<T>(all: ReadonlyArray<T | null>, more: T[]): void {}\n",
    );
    repo.write(
        "list.ts",
        "export type List<Item, More = Item[]> = ReadonlyArray<Item | null>;\nexport type Item = 1;\n",
    );
    repo.commit("all");
    was(
        "import type { List } from './list';\nexport interface P { a: string; pause(): void }\nexport type Handler = (p: P) => Promise<void>;\nexport type A = { x: number; run?: Handler };\nexport interface Options { snapshot?: boolean; preview?: boolean; name?: string }\nexport function make(options: Pick<Options, 'snapshot' | 'preview'>): void {}\nexport type Tags<T> = List<T>;\nexport function tags<T>(all: List<T>, more: T[]): void {}\n",
    );
    assert_eq!(breaks("P"), "breaking");
    for name in ["A", "make", "Tags", "tags"] {
        assert_eq!(breaks(name), "compatible", "{name}");
    }
    repo.write(
        "list.ts",
        "export type List<Item, More = Item[]> = ReadonlyArray<Item | undefined>;\nexport type Item = 1;\n",
    );
    assert_eq!((breaks("Tags"), breaks("tags")), ("breaking".to_owned(), "breaking".to_owned()));
    // What is given is given on.
    let told = |result: &str| {
        format!(
            "export type Tell<R> = (result: R | undefined) => string;\nexport type Told<R, T = string> = T[] | Tell<R>;\nexport interface Query<R> {{ tags?: Told<{result}> }}\n"
        )
    };
    was(&told("R"));
    repo.commit("told");
    was(&told("R[]"));
    assert_eq!(breaks("Query"), "breaking");
}

#[test]
fn a_prop_of_another_file_names_what_is_meant_there() {
    let repo = TestRepo::new();
    repo.write(
        "types.ts",
        "export type Frame = { width: number };\nexport interface Props { frame?: Frame; own?: string }\n",
    );
    repo.write(
        "frame.tsx",
        "export default function Frame() { return <i/>; }\nexport const Border = Frame;\n",
    );
    let app = |import: &str, tag: &str| {
        format!(
            "import {import} from './frame';\nimport type {{ Props }} from './types';\nexport function App(props: Props) {{ return <{tag}/>; }}\n"
        )
    };
    repo.write("app.tsx", app("Frame", "Frame"));
    repo.write("main.tsx", "import { App } from './app';\nexport const main = <App/>;\n");
    repo.commit("all");
    repo.write("app.tsx", app("{ Border }", "Border"));
    assert_eq!(compared(&repo).breaking(), 0);
}

fn used_by(repo: &TestRepo, name: &str) -> Vec<String> {
    told(repo, name).1
}

/// With the last commit.
fn compared(repo: &TestRepo) -> DriftReport {
    let request = DriftRequest { baseline: Some("git:HEAD".to_owned()), ..DriftRequest::default() };
    engine(repo).context_compare(&request).unwrap()
}

/// The verdict on it, and who uses it.
pub(super) fn told(repo: &TestRepo, name: &str) -> (String, Vec<String>) {
    let report = compared(repo);
    let told = serde_json::to_value(&report.compared.result.folder_diffs).unwrap();
    let changes = told.as_array().unwrap().iter().flat_map(|folder| folder["changes"].as_array().unwrap());
    let declared = changes.flat_map(|change| change["declarations"].as_array().into_iter().flatten());
    let mut named = declared.filter(|one| one["name"] == name);
    let one = named.next().unwrap_or_else(|| panic!("{told:#}"));
    let users = one["usedBy"].as_array().cloned().unwrap_or_default();
    let users = users.iter().map(|user| user.as_str().unwrap().to_owned()).collect();
    (one["verdict"].as_str().unwrap().to_owned(), users)
}

#[test]
fn each_member_of_a_common_js_module_has_its_own_users() {
    let repo = TestRepo::new();
    let lib = "const api = { one: (a) => a, two: (a) => a };\nmodule.exports = api;\n";
    repo.write("lib.js", lib);
    repo.write("main.js", "module.exports = function main(a) {};\n");
    repo.write("index.js", "module.exports = require('./lib');\n");
    repo.write("whole.js", "module.exports = require('./main');\n");
    repo.write("behind.js", "const lib = require('./index');\nlib.two(1);\n");
    repo.write("called.js", "const main = require('./whole');\nmain(1);\n");
    repo.write("default.mjs", "import lib from './lib.js';\nlib.two(1);\n");
    repo.write("one.js", "const { one } = require('./lib');\none(1);\n");
    repo.write("two.js", "const { two } = require('./lib');\ntwo(1);\n");
    repo.commit("all");
    repo.write("lib.js", lib.replace("two: (a)", "two: (a, b)"));
    assert_eq!(used_by(&repo, "two"), ["behind.js", "default.mjs", "index.js", "two.js"]);
    repo.write("main.js", "module.exports = function main(a, b) {};\n");
    assert_eq!(used_by(&repo, "main"), ["called.js", "whole.js"]);
    assert_eq!(felt(&engine(&repo), "main.js#default"), ["called.js", "whole.js"]);
}

#[test]
fn what_is_required_is_used_in_every_form() {
    let repo = TestRepo::new();
    repo.write("route.js", "module.exports = function route() {};\n");
    repo.write("utils.js", "exports.x = 1;\nexports.y = 2;\n");
    repo.write("given.js", "run(require('./route'));\n");
    repo.write("happens.js", "require('./route');\n");
    repo.write("member.js", "var x = require('./utils').x;\nrun(x);\n");
    repo.write("called.js", "run(require('./utils').y());\n");
    repo.write("apart.js", "const { x } = require('./utils');\nrun(x);\n");
    repo.write("whole.js", "const utils = require('./utils');\nrun(utils.y);\n");
    let engine = engine(&repo);
    let felt = |target: &str| felt(&engine, target);
    assert_eq!(felt("route.js#default"), ["given.js"]);
    assert_eq!(felt("route.js"), ["given.js", "happens.js"]);
    assert_eq!(felt("utils.js#x"), ["apart.js", "member.js"]);
    assert_eq!(felt("utils.js#y"), ["called.js", "whole.js"]);
}

#[test]
fn a_bundle_has_of_a_barrel_what_is_asked_for_and_says_the_rest() {
    let repo = project();
    repo.write("core/c.ts", "export type C = string;\n");
    repo.write(
        "core/index.ts",
        "export * from './a';\nexport { b2 as renamed, b1 } from './b';\nexport type { C } from './c';\n",
    );
    let engine = engine(&repo);
    let report = engine.context_generate(&ContextRequest::default()).unwrap();
    assert_eq!(report.total_components, 11);
    let validated = engine.context_validate(None).unwrap();
    assert!(validated.valid, "{:?}", validated.files);
    let seen = crate::understand::written::contracts_in(repo.root(), "").unwrap().contracts;
    assert_eq!(seen.len(), 11, "{:?}", seen.keys());
    let bundle = |component: &str| {
        let request = ReadBundleRequest {
            bundle_path: "context.json".to_owned(),
            root_component: Some(component.to_owned()),
            ..ReadBundleRequest::default()
        };
        engine.read_bundle(&request).unwrap().bundle.unwrap()
    };
    let nodes = |bundle: &Value| -> Vec<String> {
        let nodes = bundle["graph"]["nodes"].as_array().unwrap().iter();
        nodes.map(|node| node["entryId"].as_str().unwrap().to_owned()).collect()
    };
    refresh(&engine);
    let by_name = bundle("by-name");
    assert_eq!(nodes(&by_name), ["by-name.ts", "core/a.ts", "core/b.ts", "core/index.ts"]);
    assert_eq!(
        by_name["meta"]["cut"],
        json!([{"entryId": "core/c.ts", "reason": "re-export not used", "referencedBy": "core/index.ts"}])
    );
    // Through two barrels, and from the second of them only the one file.
    let renamed = bundle("by-new-name");
    assert_eq!(nodes(&renamed), ["all.ts", "by-new-name.ts", "core/b.ts"]);
    let cut: Vec<&str> = renamed["meta"]["cut"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cut| cut["entryId"].as_str().unwrap())
        .collect();
    assert_eq!(cut, ["core/a.ts", "core/index.ts"]);
    assert_eq!(nodes(&bundle("member")), ["core/b.ts", "core/index.ts", "member.ts"]);
    assert_eq!(nodes(&bundle("whole")), ["core/a.ts", "core/b.ts", "core/c.ts", "core/index.ts", "whole.ts"]);
    assert_eq!(
        nodes(&bundle("all")),
        ["all.ts", "core/a.ts", "core/b.ts", "core/c.ts", "core/index.ts"],
        "a barrel that is the root is asked for all of it"
    );
}
