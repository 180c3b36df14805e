//! What was written of a project, held against what it is now: with all that is remembered of the run that wrote it, and with
//! the files alone.

use serde_json::Value;

use super::*;

const FIELD: &str = "import { useState } from 'react';\nimport { format } from './format';\n\
    export interface Shown { a: string }\n\
    export function Field(p: { label: string; onDone: () => void; onLeave: () => void }) {\n  \
    const [on, setOn] = useState(false);\n  return <b onClick={() => p.onDone()}>{format(p.label)}</b>;\n}\n\
    export function parse(text: string): Shown {\n  return { a: text };\n}\n";
const PASSED_ON: &str = "export { pad } from './format';\n";

/// What is edited, and the verdict that it has.
const EDITS: &[(&str, &str, &str, &str)] = &[
    ("src/Field.tsx", "return <b", "const [more, setMore] = useState(0);\n  return <b", "compatible"),
    ("src/Field.tsx", "p.onDone()", "{ p.onDone(); p.onLeave(); }", "compatible"),
    ("src/Field.tsx", "import { format }", "import fs from 'node:fs';\nimport { format }", "internal"),
    ("src/Field.tsx", "import { useState } from 'react';\n", "", "internal"),
    ("src/Field.tsx", "text: string)", "text: string, more?: number)", "compatible"),
    ("src/Field.tsx", "a: string }", "a: string; b?: string }", "compatible"),
    ("src/Field.tsx", "a: string }", "a: number }", "breaking"),
    ("src/Field.tsx", "label: string;", "", "breaking"),
    ("src/Field.tsx", "export function parse", "function added() {}\nexport function parse", "internal"),
    ("src/Field.tsx", "return { a: text };", "return { a: text + '' };", "none"),
    ("src/again.ts", "'./format'", "'./other'", "breaking"),
];

pub(super) fn project(files: usize) -> TestRepo {
    let repo = TestRepo::new();
    repo.write("package.json", r#"{"name": "shop", "dependencies": {"react": "^18.0.0"}}"#);
    repo.write("src/Field.tsx", FIELD);
    repo.write(
        "src/format.ts",
        "export const format = (text: string): string => text;\nexport const pad = 2;\n",
    );
    repo.write("src/other.ts", "export const pad = 'x';\n");
    repo.write("src/again.ts", PASSED_ON);
    repo.write("src/use.tsx", "import { Field } from './Field';\nexport const used = Field;\n");
    for at in 5..files {
        repo.write(format!("src/many/m{at}.ts"), format!("export const m{at}: number = {at};\n"));
    }
    repo.commit("all");
    repo
}

pub(super) fn drift(repo: &TestRepo, baseline: Option<&str>) -> DriftReport {
    let baseline = baseline.map(str::to_owned);
    engine(repo).context_compare(&DriftRequest { baseline, ..DriftRequest::default() }).unwrap()
}

/// What is told of the files that changed, without what the contracts cost.
fn told(report: &DriftReport) -> Value {
    let mut told = serde_json::to_value(&report.compared.result.folder_diffs).unwrap();
    for change in
        told.as_array_mut().unwrap().iter_mut().flat_map(|folder| folder["changes"].as_array_mut().unwrap())
    {
        change.as_object_mut().unwrap().remove("tokenDelta");
    }
    told
}

pub(super) fn verdict(report: &DriftReport) -> &'static str {
    let summary = &report.compared.result.summary;
    match (summary.breaking, summary.compatible, summary.internal) {
        (0, 0, 0) => "none",
        (0, 0, _) => "internal",
        (0, ..) => "compatible",
        _ => "breaking",
    }
}

#[test]
fn files_that_a_folder_around_lists_too_are_told_of() {
    let repo = project(5);
    repo.write("around.ts", "import './src/use';\n");
    let run = |path: Option<&str>| {
        let path = path.map(str::to_owned);
        engine(&repo)
            .context_generate(&ContextRequest { path, ..ContextRequest::default() })
            .unwrap()
            .problems
    };
    assert_eq!(run(Some("src")), [""; 0]);
    assert_eq!(run(None), [""; 0]);
    let told = run(Some("src")).join("\n");
    assert!(
        told.starts_with("1 context file of ") && told.contains("run `becket context` there again"),
        "{told}"
    );
}

#[test]
fn a_commit_resolves_by_what_its_rules_extend() {
    let repo = TestRepo::new();
    repo.write("tsconfig.json", r#"{"extends": "./conf/base.json"}"#);
    repo.write("conf/base.json", r#"{"compilerOptions": {"paths": {"@/*": ["../src/*"]}}}"#);
    repo.write("src/a.ts", "export const a = 1;\n");
    repo.write("src/b.ts", "export { a } from '@/a';\n");
    repo.commit("all");
    assert_eq!(verdict(&drift(&repo, Some("git:HEAD"))), "none");
    repo.write("src/a.ts", "export const a = 'x';\n");
    let told = drift(&repo, Some("git:HEAD")).compared.to_string();
    assert!(told.contains("src/b.ts"), "{told}");
}

#[test]
fn a_commit_resolves_by_what_a_tool_made_or_installed_in_the_worktree() {
    for (extends, made, target) in [
        ("./.nuxt/tsconfig.json", ".nuxt/tsconfig.json", "../src/*"),
        ("./gen/base", "gen/base.json", "../src/*"),
        ("@acme/tsconfig/base", "node_modules/@acme/tsconfig/base.json", "${configDir}/src/*"),
    ] {
        let repo = TestRepo::new();
        repo.write(".gitignore", ".nuxt\nnode_modules\ngen\n");
        repo.write("tsconfig.json", format!(r#"{{"extends": "{extends}"}}"#));
        repo.write("src/a.ts", "export const a = 1;\n");
        repo.write("src/b.ts", "export { a } from '@/a';\n");
        repo.commit("all");
        repo.write(made, format!(r#"{{"compilerOptions": {{"paths": {{"@/*": ["{target}"]}}}}}}"#));
        assert_eq!(verdict(&drift(&repo, Some("git:HEAD"))), "none", "{extends}");
        repo.write("src/a.ts", "export const a = 'x';\n");
        let told = drift(&repo, Some("git:HEAD")).compared.to_string();
        assert!(told.contains("src/b.ts"), "{extends}: {told}");
        repo.write("src/a.ts", "export const a = 1;\n");
        repo.remove(made);
        assert_eq!(verdict(&drift(&repo, Some("git:HEAD"))), "none", "{extends}");
        // What a commit has all the same is its own.
        repo.write(made, r#"{"compilerOptions": {"paths": {"@/*": ["./none/*"]}}}"#);
        repo.git(["add", "--force", made]);
        repo.commit("by force");
        assert_eq!(verdict(&drift(&repo, Some("git:HEAD"))), "none", "{extends}");
        repo.write(made, format!(r#"{{"compilerOptions": {{"paths": {{"@/*": ["{target}"]}}}}}}"#));
        let told = drift(&repo, Some("git:HEAD")).compared.to_string();
        assert!(told.contains("src/b.ts"), "{extends}: {told}");
    }
}

#[test]
fn what_is_missing_beside_a_syntax_error_is_not_plainly_removed() {
    let repo = project(5);
    repo.write("src/Field.tsx", FIELD.replace("return { a: text };", "return { a: text + };"));
    let told = drift(&repo, Some("git:HEAD")).compared.to_string();
    assert!(told.contains("internal syntax error 9:22: Unexpected token"), "{told}");
    assert!(!told.contains("function parse"), "a body is nobody else's concern: {told}");
    repo.write("src/Field.tsx", FIELD.replace("function parse(", "function parse(: "));
    let told = drift(&repo, Some("git:HEAD")).compared.to_string();
    assert!(told.contains("function parse: not found, and the file has syntax errors (removed)"), "{told}");
    for _ in 0..2 {
        let request = ContextRequest { dry_run: true, ..ContextRequest::default() };
        let report = engine(&repo).context_generate(&request).unwrap();
        assert_eq!(report.problems, ["1 file has syntax errors: src/Field.tsx"]);
    }
}

#[cfg(unix)]
#[test]
fn a_commit_is_led_through_links_as_the_worktree_is() {
    let repo = TestRepo::new();
    repo.write("real/impl.ts", "export interface Shown { a: string }\n");
    repo.write(
        "src/use.ts",
        "import { Shown } from './link';\nimport { Shown as Too } from './folder/impl';\n\
         export const used = (shown: Shown, too: Too): string => shown.a + too.a;\n",
    );
    std::os::unix::fs::symlink("../real/impl.ts", repo.path("src/link.ts")).unwrap();
    std::os::unix::fs::symlink("../real", repo.path("src/folder")).unwrap();
    repo.commit("all");
    let same = drift(&repo, Some("git:HEAD"));
    assert_eq!(verdict(&same), "none", "{}", same.compared);
    std::fs::remove_file(repo.path("src/link.ts")).unwrap();
    std::os::unix::fs::symlink("../real/gone.ts", repo.path("src/link.ts")).unwrap();
    let other = drift(&repo, Some("git:HEAD"));
    assert!(other.compared.to_string().contains("src/use.ts"), "{}", other.compared);
}

fn edited(repo: &TestRepo, (path, from, to, _): &(&str, &str, &str, &str)) -> String {
    let before = repo.read(path);
    let after = before.replacen(from, to, 1);
    assert_ne!(before, after, "{from}");
    repo.write(path, after);
    before
}

/// A file that comes changes nothing in the others.
fn one_more_file_is_no_more(repo: &TestRepo, made: &str) {
    repo.write("src/extra.ts", "export const extra = 1;\n");
    let report = drift(repo, None);
    let summary = &report.compared.result.summary;
    assert_eq!((summary.breaking, summary.compatible), (0, 1), "{made}: {}", report.compared);
    repo.remove("src/extra.ts");
}

#[test]
fn what_was_written_is_compared_as_a_commit_is() {
    for files in [5, 199] {
        let repo = project(files);
        for mode in ["header", "none", "full"] {
            let choice = ContextChoice { mode: Some(mode.to_owned()), ..ContextChoice::default() };
            engine(&repo).context_generate(&ContextRequest { choice, ..ContextRequest::default() }).unwrap();
            assert_eq!(verdict(&drift(&repo, None)), "none");
            for edit in EDITS.iter().filter(|_| mode == "header") {
                let before = edited(&repo, edit);
                let (written, commit) = (drift(&repo, None), drift(&repo, Some("git:HEAD")));
                assert_eq!(verdict(&commit), edit.3, "{edit:?}: {}", commit.compared);
                assert_eq!(told(&written), told(&commit), "{edit:?}: {}", written.compared);
                repo.write(edit.0, before);
            }
            // One more file, and contracts would be written in fewer words.
            one_more_file_is_no_more(&repo, &format!("{files} {mode}"));
        }
    }
}

/// Whatever was remembered is gone, as in a clone that was made by somebody else.
fn forget(repo: &TestRepo) {
    std::fs::remove_dir_all(repo.path(".git/becket")).unwrap();
}

#[test]
fn files_alone_tell_what_they_can() {
    for files in [5, 199, 205] {
        let repo = project(files);
        for (mode, schema) in
            [("header", "0.3"), ("none", "0.3"), ("header", "0.4"), ("full", "0.3"), ("full", "0.4")]
        {
            let choice = ContextChoice {
                mode: Some(mode.to_owned()),
                schema: Some(schema.to_owned()),
                ..ContextChoice::default()
            };
            engine(&repo).context_generate(&ContextRequest { choice, ..ContextRequest::default() }).unwrap();
            forget(&repo);
            let report = drift(&repo, None);
            assert_eq!(verdict(&report), "none", "{files} {mode}: {}", report.compared);
            // What another file declares is told by the graph alone.
            let edits = EDITS.iter().filter(|(path, ..)| *path == "src/Field.tsx");
            for edit in edits.filter(|_| files != 199 && (files == 5 || mode == "header")) {
                let before = edited(&repo, edit);
                let report = drift(&repo, None);
                // What is not told may be anything, and so it is looked at; what is private need not be told.
                let milder = verdict(&report) != "breaking" && edit.3 == "breaking";
                let same = verdict(&report) == edit.3 || files == 205;
                assert!(same && !milder, "{files} {mode} {schema} {edit:?}: {}", report.compared);
                repo.write(edit.0, before);
            }
            one_more_file_is_no_more(&repo, &format!("{files} {mode}"));
        }
    }
}

#[test]
fn what_is_approved_is_written_as_it_was() {
    let repo = project(5);
    for remembered in [true, false] {
        for (format, name) in [
            ("toon", "context.toon"),
            ("ndjson", "context.ndjson"),
            ("json", "context.json"),
            ("pretty", "context.json"),
        ] {
            let choice = ContextChoice {
                format: Some(format.to_owned()),
                schema: Some("0.4".to_owned()),
                mode: Some("none".to_owned()),
                depth: Some(1),
                ..ContextChoice::default()
            };
            repo.write("src/Field.tsx", FIELD);
            let request = ContextRequest { choice, ..ContextRequest::default() };
            engine(&repo).context_generate(&request).unwrap();
            if !remembered {
                forget(&repo);
            }
            repo.write("src/Field.tsx", FIELD.replace("label: string;", ""));
            let approve = DriftRequest { approve: true, clean_orphaned: true, ..DriftRequest::default() };
            let report = engine(&repo).context_compare(&approve).unwrap();
            assert!(report.has_drift() && report.orphaned.is_empty(), "{format}: {:?}", report.orphaned);
            let approved = repo.read(format!("src/{name}"));
            assert!(!engine(&repo).context_compare(&DriftRequest::default()).unwrap().has_drift());
            engine(&repo).context_generate(&request).unwrap();
            assert_eq!(repo.read(format!("src/{name}")), approved, "{format}");
            assert!(approved.contains("composition") && !approved.contains("codeHeader"), "{approved}");
        }
    }
}

/// A chain of folders, each with a file that imports the one in the next.
fn chain() -> TestRepo {
    let repo = TestRepo::new();
    for at in 0..6 {
        let next = format!("import {{ f{0} }} from '../d{0}/f{0}';\nf{0}();\n", at + 1);
        let import = if at < 5 { next } else { String::new() };
        repo.write(
            format!("src/d{at}/f{at}.ts"),
            format!("{import}export function f{at}(some: string): void {{}}\n"),
        );
    }
    repo.commit("all");
    repo
}

#[test]
fn what_a_limit_cut_is_not_gone() {
    let limits = [
        ContextChoice { token_budget: Some(1), ..ContextChoice::default() },
        ContextChoice { max_nodes: Some(1), ..ContextChoice::default() },
    ];
    for choice in limits {
        let repo = chain();
        let request = |out: &str, choice: &ContextChoice| {
            let request = ContextRequest {
                choice: choice.clone(),
                out: Some(repo.path(out)),
                ..ContextRequest::default()
            };
            engine(&repo).context_generate(&request).unwrap();
        };
        request("", &choice);
        let index = repo.read("context_main.json");
        assert!(engine(&repo).context_validate(None).unwrap().valid);
        for remembered in [true, false] {
            if !remembered {
                forget(&repo);
            }
            let report = drift(&repo, None);
            assert_eq!((verdict(&report), report.orphaned), ("none", Vec::<String>::new()));
        }
        // Written again, it is written with the same limit.
        forget(&repo);
        let approve = DriftRequest { approve: true, clean_orphaned: true, ..DriftRequest::default() };
        engine(&repo).context_compare(&approve).unwrap();
        assert_eq!(repo.read("context_main.json"), index);
        // The files of one folder, one of them without the others that it needs.
        request("whole", &ContextChoice::default());
        request("less", &choice);
        for (old, new) in [("whole", "less"), ("less", "whole")] {
            let file = |folder: &str| repo.path(folder).join("src/d0/context.json").display().to_string();
            let files = Some((file(old), file(new)));
            let request = DriftRequest { files, ..DriftRequest::default() };
            let report = engine(&repo).context_compare(&request).unwrap();
            assert_eq!(verdict(&report), "none", "{}", report.compared);
            let notice = report.compared.notice.unwrap();
            assert!(notice.contains("Not compared: 2 files that a limit cut"), "{notice}");
        }
    }
}

#[test]
fn a_folder_whose_files_others_bring_along_is_no_orphan() {
    let repo = TestRepo::new();
    repo.write("src/lib/a.ts", "export const a = 1;\n");
    repo.write("src/main/b.ts", "export const b = 1;\n");
    engine(&repo).context_generate(&ContextRequest::default()).unwrap();
    repo.write("src/main/b.ts", "import { a } from '../lib/a';\nexport const b = a;\n");
    assert_eq!(drift(&repo, None).orphaned, Vec::<String>::new());
    let approve = DriftRequest { approve: true, ..DriftRequest::default() };
    engine(&repo).context_compare(&approve).unwrap();
    assert!(!repo.path("src/lib/context.json").exists(), "nothing in it is true any more");
    repo.remove("src/main/b.ts");
    repo.write("src/c.ts", "export const c = 1;\n");
    assert_eq!(drift(&repo, None).orphaned, ["src/main/context.json"]);
}

#[test]
fn what_was_written_goes_though_somebody_took_the_index_away() {
    for same_process in [true, false] {
        let repo = TestRepo::new();
        repo.write("src/lib/a.ts", "export const a = 1;\n");
        repo.write("src/main/b.ts", "export const b = 1;\n");
        let first = engine(&repo);
        first.context_generate(&ContextRequest::default()).unwrap();
        repo.remove("context_main.json");
        repo.write("src/main/b.ts", "import { a } from '../lib/a';\nexport const b = a;\n");
        let second = if same_process { first } else { engine(&repo) };
        second.context_generate(&ContextRequest::default()).unwrap();
        assert!(!repo.path("src/lib/context.json").exists(), "{same_process}");
    }
}

#[test]
fn a_full_disk_is_called_one() {
    let failed = |kind: std::io::ErrorKind| {
        let path = std::path::PathBuf::from("context.json");
        let error = becket_project::files::FileError::Failed { path, action: "written", source: kind.into() };
        fault::not_written(error).hint().unwrap_or_default().to_owned()
    };
    assert!(failed(std::io::ErrorKind::StorageFull).contains("disk is full: make room"));
    assert!(failed(std::io::ErrorKind::PermissionDenied).contains("permissions"));
}

#[test]
fn what_is_passed_on_is_still_there_and_its_users_are_found() {
    let repo = TestRepo::new();
    repo.write("src/core/a.ts", "interface Q { a: string }\nexport function f(q: Q): void {}\nexport function g(n: number): void {}\n");
    repo.write("src/core/index.ts", "export * from './a';\n");
    repo.write("src/main.ts", "import * as Core from './core';\nCore.g(1);\n");
    repo.write("src/whole.ts", "import * as Core from './core';\nconsole.log(Core);\n");
    repo.write("src/direct.ts", "import { f } from './core/a';\nf({ a: '' });\n");
    repo.commit("all");
    let only = |report: &DriftReport| {
        let changes = report.compared.result.folder_diffs.iter().flat_map(|folder| folder.changes.clone());
        let found: Vec<_> = changes.filter(|change| change.entry_id == "src/core/a.ts").collect();
        let declared = found[0].declarations.iter().min_by_key(|one| one.verdict).unwrap().clone();
        (declared.name, declared.verdict.as_str(), declared.used_by)
    };
    let users = |names: &[&str]| names.iter().map(|name| format!("src/{name}")).collect::<Vec<_>>();
    let drift = || drift(&repo, Some("git:HEAD"));
    // A private type is seen through what takes it.
    let text = repo.read("src/core/a.ts");
    repo.write("src/core/a.ts", text.replace("a: string", "a: string; b: string"));
    assert_eq!(
        only(&drift()),
        ("Q".to_owned(), "breaking", users(&["core/index.ts", "direct.ts", "whole.ts"]))
    );
    // Who names it of all that a barrel passes on uses it, and so does who takes all.
    repo.write("src/core/a.ts", text.replace("n: number", "n: string"));
    assert_eq!(
        only(&drift()),
        ("g".to_owned(), "breaking", users(&["core/index.ts", "main.ts", "whole.ts"]))
    );
    // What moved to another file and is passed on from there is where it was.
    let rest = text.replace("export function g(n: number): void {}\n", "");
    for passing in
        ["export { g } from './g';\n", "export * from './g';\n", "import { g } from './g';\nexport { g };\n"]
    {
        repo.write("src/core/a.ts", format!("{passing}{rest}"));
        repo.write("src/core/g.ts", "export function g(n: number): void {}\n");
        assert_eq!(
            only(&drift()),
            ("g".to_owned(), "compatible", Vec::new()),
            "{passing}: {}",
            drift().compared
        );
        assert_eq!(drift().breaking(), 0, "{passing}");
        repo.write("src/core/g.ts", "export function g(n: string): void {}\n");
        assert_eq!(only(&drift()).1, "breaking", "{passing}");
    }
}

/// Who is named for the only declaration that broke.
fn named(repo: &TestRepo) -> String {
    let report = drift(repo, Some("git:HEAD"));
    let changes = report.compared.result.folder_diffs.into_iter().flat_map(|folder| folder.changes);
    let broken =
        changes.flat_map(|change| change.declarations).filter(|one| one.verdict.as_str() == "breaking");
    broken.map(|one| format!("{}: {}", one.name, one.used_by.join(" "))).collect::<Vec<_>>().join("; ")
}

#[test]
fn who_meets_a_type_over_several_files_uses_it() {
    let repo = TestRepo::new();
    repo.write("a.ts", "export interface T { a: string }\n");
    repo.write("b.ts", "import type { T } from './a';\nexport interface U { t: T }\nexport const no = 1;\n");
    repo.write("c.ts", "import type { U } from './b';\nexport interface W { u: U }\n");
    repo.write("d.ts", "import type { W } from './c';\nexport declare const w: W;\n");
    repo.write("e.ts", "import { w } from './d';\nexport const a = w.u.t.a;\n");
    repo.write("no.ts", "import { no } from './b';\nconsole.log(no);\n");
    repo.commit("all");
    repo.write("a.ts", "export interface T { b: string }\n");
    assert_eq!(named(&repo), "T: b.ts c.ts d.ts e.ts");
}

#[test]
fn who_uses_what_everybody_sees_is_found_by_its_text() {
    let repo = TestRepo::new();
    repo.write("env.d.ts", "declare const FOO: string;\ninterface Shape { a: string }\n");
    repo.write("window.ts", "declare global { interface Window { mine: string } }\nexport {};\n");
    repo.write("foo.ts", "export const x: string = FOO;\n");
    repo.write("own.ts", "const FOO = 1;\nexport const y = FOO + 1;\n");
    repo.write("shape.ts", "export const f = (s: Shape) => s.a;\n");
    repo.write("mine.ts", "export const f = () => window.mine;\n");
    repo.write("not.ts", "export const FOOD = 1;\nexport const mine = 2;\n");
    repo.commit("all");
    repo.write("env.d.ts", "declare const FOO: number;\ninterface Shape { a: string }\n");
    assert_eq!(named(&repo), "FOO: foo.ts");
    repo.write("env.d.ts", "declare const FOO: string;\ninterface Shape { b: string }\n");
    assert_eq!(named(&repo), "Shape: shape.ts");
    repo.write("env.d.ts", "declare const FOO: string;\ninterface Shape { a: string }\n");
    repo.write("window.ts", "declare global { interface Window { mine: number } }\nexport {};\n");
    assert_eq!(named(&repo), "global: mine.ts");
    repo.write("window.ts", "declare global { var BAR: string }\nexport {};\n");
    repo.write("bar.ts", "export const x: string = BAR;\n");
    repo.commit("more");
    repo.write("window.ts", "declare global { var BAR: number }\nexport {};\n");
    assert_eq!(named(&repo), "global: bar.ts");
}

#[test]
fn a_move_breaks_who_did_not_follow() {
    let repo = TestRepo::new();
    repo.write("tsconfig.json", r#"{"compilerOptions": {"paths": {"@a": ["./src/a.ts"]}}}"#);
    repo.write("src/a.ts", "export function f(x: number): string {\n  return String(x);\n}\n");
    repo.write("src/use.ts", "import { f } from './a';\nf(1);\n");
    repo.write("src/barrel.ts", "export * from './a';\n");
    repo.write("src/through.ts", "import { f } from './barrel';\nf(2);\n");
    repo.write("src/alias.ts", "import { f } from '@a';\nf(3);\n");
    repo.commit("all");
    let moved = |to: &str| {
        let (verdict, users) = barrels::told(&repo, to);
        format!("{verdict}: {}", users.join(" "))
    };
    let all = "src/alias.ts src/barrel.ts src/through.ts src/use.ts";
    repo.write("src/b.ts", repo.read("src/a.ts"));
    repo.remove("src/a.ts");
    assert_eq!(moved("src/b.ts"), format!("breaking: {all}"));
    repo.write("tsconfig.json", r#"{"compilerOptions": {"paths": {"@a": ["./src/b.ts"]}}}"#);
    repo.write("src/barrel.ts", "export * from './b';\n");
    assert_eq!(moved("src/b.ts"), "breaking: src/use.ts");
    repo.write("src/use.ts", "import { f } from './b';\nf(1);\n");
    assert_eq!(moved("src/b.ts"), format!("compatible: {all}"));
    // Who has its name from a barrel depends on what that gives, which is told there.
    repo.write("src/barrel.ts", "export function f(x: number): string {\n  return '';\n}\n");
    assert_eq!(moved("src/b.ts"), format!("compatible: {all}"));
    // Something else is found where it was.
    repo.write("src/use.ts", "import { f } from './a';\nf(1);\n");
    repo.write(
        "src/a/index.ts",
        "export const f = String;\nexport const more = 1;\nexport const most = 2;\n",
    );
    assert_eq!(moved("src/b.ts"), format!("compatible: {all}"));
}

#[test]
fn a_route_may_be_answered_by_another_file() {
    let repo = TestRepo::new();
    let controller = |name: &str, path: &str, routes: &str| {
        format!(
            "import {{ Controller, Get }} from '@nestjs/common';\n@Controller('{path}')\nexport class {name} {{ {routes} }}\n"
        )
    };
    let (one, two) = ("@Get('one') one(): string { return '' }", "@Get('two') two(): string { return '' }");
    repo.write("src/a.controller.ts", controller("A", "cats", &format!("{one} {two}")));
    repo.write("src/b.controller.ts", controller("B", "cats", ""));
    // Another program.
    repo.write("other/a.controller.ts", controller("Other", "cats", two));
    let router = |routes: &str| {
        format!("import {{ Router }} from 'express';\nexport const router = Router();\n{routes}\n")
    };
    let list = "router.get('/', (req, res) => res.json([]));";
    repo.write("web/users.ts", router(list));
    repo.write("web/posts.ts", router(""));
    repo.write("web/people.ts", router(""));
    repo.write(
        "web/app.ts",
        "import express from 'express';\nimport { router as users } from './users';\nimport { router as posts } from './posts';\nimport { router as people } from './people';\nconst app = express();\napp.use('/users', users);\napp.use('/posts', posts);\napp.use('/users', people);\n",
    );
    let page = "export default function Page() { return null; }\n";
    repo.write("package.json", r#"{"dependencies": {"next": "15.0.0"}}"#);
    repo.write("app/photo/page.tsx", page);
    repo.write("app/@modal/(.)photo/page.tsx", "export default function Modal() { return 1; }\n");
    repo.write("app/(site)/about/page.tsx", "export default function About() { return 2; }\n");
    repo.commit("all");
    // The gravest of what is said of an address.
    let told = |name: &str| {
        let report = drift(&repo, Some("git:HEAD"));
        let told = told(&report);
        let all = told.as_array().unwrap().iter().flat_map(|folder| folder["changes"].as_array().unwrap());
        let all = all.flat_map(|change| change["declarations"].as_array().into_iter().flatten());
        all.filter(|one| one["name"] == name)
            .map(|one| one["verdict"].as_str().unwrap().to_owned())
            .min()
            .unwrap()
    };
    repo.write("src/a.controller.ts", controller("A", "cats", ""));
    repo.write("src/b.controller.ts", controller("B", "cats", one));
    assert_eq!((told("GET /cats/one").as_str(), told("GET /cats/two").as_str()), ("compatible", "breaking"));
    repo.write("src/b.controller.ts", controller("B", "cats", "@Get('one') one(): number { return 1 }"));
    assert_eq!(told("GET /cats/one"), "breaking");
    // The same words, mounted elsewhere.
    repo.write("web/users.ts", router(""));
    repo.write("web/posts.ts", router(list));
    assert_eq!(told("GET /"), "breaking");
    repo.write("web/posts.ts", router(""));
    repo.write("web/people.ts", router(list));
    assert_eq!(told("GET /"), "compatible");
    repo.remove("app/@modal/(.)photo/page.tsx");
    assert_eq!(told("PAGE /photo"), "compatible");
    repo.remove("app/photo/page.tsx");
    repo.remove("app/(site)/about/page.tsx");
    assert_eq!((told("PAGE /photo").as_str(), told("PAGE /about").as_str()), ("breaking", "breaking"));
    repo.write(
        "app/(shop)/about/page.tsx",
        "const a = [1];\nexport default () => a;\nexport const dynamic = 'force-static';\n",
    );
    assert_eq!(told("PAGE /about"), "compatible");
}

#[test]
fn what_a_mount_is_behind_counts_for_what_it_mounts() {
    let repo = TestRepo::new();
    let app = |imports: &str, calls: &str| {
        format!("import express from 'express';\n{imports}\nexport const app = express();\n{calls}\n")
    };
    let users =
        "import { Router } from 'express';\nexport const users = Router();\nusers.get('/:id', one);\n";
    repo.write("web/app.ts", app("", "app.use(auth);\napp.get('/users/:id', one);"));
    repo.commit("all");
    repo.write("web/users.ts", users);
    let told = |calls: &str| {
        repo.write("web/app.ts", app("import { users } from './users';", calls));
        let told = told(&drift(&repo, Some("git:HEAD")));
        let all = told.as_array().unwrap().iter().flat_map(|folder| folder["changes"].as_array().unwrap());
        let all = all.flat_map(|change| change["declarations"].as_array().into_iter().flatten());
        let all = all.filter(|one| one["name"] == "GET /users/:id");
        all.map(|one| one["verdict"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(told("app.use(auth);\napp.use('/users', users);"), [""; 0]);
    assert_eq!(told("app.use('/users', auth, users);"), [""; 0]);
    assert_eq!(told("app.use('/users', users);\napp.use(auth);"), ["breaking"]);
}

#[test]
fn a_folder_that_is_gone_took_its_files_along_whatever_is_remembered() {
    for remembered in [true, false] {
        for prefix in ["", "shop/"] {
            let repo = TestRepo::new();
            repo.write(format!("{prefix}src/deep/a.ts"), "export const a: number = 1;\n");
            repo.write(format!("{prefix}src/deep/er/b.ts"), "export const b: number = 1;\n");
            repo.write(format!("{prefix}src/use.ts"), "import { a } from './deep/a';\nexport const c = a;\n");
            let path = (!prefix.is_empty()).then(|| prefix.trim_end_matches('/').to_owned());
            let request = ContextRequest { path: path.clone(), ..ContextRequest::default() };
            engine(&repo).context_generate(&request).unwrap();
            if !remembered {
                forget(&repo);
            }
            std::fs::remove_dir_all(repo.path(format!("{prefix}src/deep"))).unwrap();
            let told = |approve: bool| {
                let request = DriftRequest {
                    path: path.clone(),
                    approve,
                    clean_orphaned: approve,
                    ..DriftRequest::default()
                };
                let report = engine(&repo).context_compare(&request).unwrap();
                assert_eq!(report.orphaned, [""; 0]);
                (report.has_drift(), report.compared.result)
            };
            let (has_drift, result) = told(true);
            assert!(has_drift);
            let result = serde_json::to_value(result).unwrap().to_string();
            for gone in ["src/deep/er/b.ts", "src/deep/a.ts"] {
                assert!(result.contains(&format!("{prefix}{gone}")), "{remembered} {gone}: {result}");
            }
            assert!(!told(false).0, "{remembered} {prefix}");
        }
    }
}

#[test]
fn the_rest_of_a_comparison_is_its_own_whoever_compares_meanwhile() {
    let repo = project(60);
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 20000\n");
    let engine = engine(&repo);
    let compared = |baseline: Option<&str>, cursor: Option<String>| {
        let baseline = baseline.map(str::to_owned);
        engine.compare_snapshot(&CompareRequest { baseline, cursor, ..CompareRequest::default() })
    };
    refresh(&engine);
    for at in 5..60 {
        repo.write(format!("src/many/m{at}.ts"), format!("export const n{at}: number = {at};\n"));
    }
    let first = compared(None, None).unwrap();
    let cursor = first.next_cursor.clone();
    assert!(cursor.is_some());
    for _ in 0..3 {
        compared(Some("git:HEAD"), None).unwrap();
    }
    let rest = compared(None, cursor.clone()).unwrap();
    assert_eq!(rest.result.baseline, first.result.baseline);
    assert_eq!(rest.compared_at, first.compared_at);
    for _ in 0..8 {
        compared(Some("git:HEAD"), None).unwrap();
    }
    assert_eq!(compared(None, cursor).unwrap_err().code(), "invalid_cursor");
}

#[test]
fn rules_that_cannot_be_read_are_told_of() {
    let repo = project(5);
    repo.write(".stampignore", r#"{"ignore": ["src/other.ts""#);
    let engine = engine(&repo);
    let refreshed = engine.refresh_snapshot(&RefreshRequest::default()).unwrap();
    let notice = refreshed.notice.unwrap();
    assert!(notice.contains(".stampignore") && notice.contains("rules do not hold"), "{notice}");
    let compared = engine.compare_snapshot(&CompareRequest::default()).unwrap();
    assert!(compared.notice.unwrap().contains("rules do not hold"));
}

#[test]
fn of_a_folder_that_is_gone_with_its_contracts_the_worst_is_told() {
    let repo = TestRepo::new();
    repo.write("s/b/auth.ts", "export function auth(a: string): void {}\n");
    repo.write("u.ts", "export const q = 1;\n");
    engine(&repo).context_generate(&ContextRequest::default()).unwrap();
    forget(&repo);
    std::fs::remove_dir_all(repo.path("s/b")).unwrap();
    let report = drift(&repo, None);
    assert_eq!(verdict(&report), "breaking");
    assert!(report.compared.to_string().contains("what it exported is not known"), "{}", report.compared);
}

#[test]
fn against_a_commit_sources_are_measured_on_both_sides() {
    let repo = TestRepo::new();
    let list: Vec<String> = (0..300).map(|at| format!("  'entry {at}',\n")).collect();
    let text = format!("export const all: string[] = [\n{}];\n", list.concat());
    repo.write("src/all.ts", &text);
    repo.commit("all");
    repo.write("src/all.ts", text + "export function one(): void {}\n");
    let choice = ContextChoice { mode: Some("full".to_owned()), ..ContextChoice::default() };
    let request = DriftRequest { baseline: Some("git:HEAD".to_owned()), choice, ..DriftRequest::default() };
    let report = engine(&repo).context_compare(&request).unwrap();
    let tokens = report.compared.result.folder_diffs[0].changes[0].token_delta.unwrap();
    assert!((1..200).contains(&tokens), "{tokens}");
}

#[test]
fn of_a_shallow_clone_it_is_said_how_to_get_the_rest() {
    let repo = project(5);
    let hint = || {
        let request = DriftRequest { baseline: Some("git:HEAD~1".to_owned()), ..DriftRequest::default() };
        engine(&repo).context_compare(&request).unwrap_err().hint().unwrap_or_default().to_owned()
    };
    assert!(hint().contains("git log"));
    repo.write("more.ts", "export const more = 1;\n");
    repo.commit("more");
    repo.write(".git/shallow", repo.head() + "\n");
    assert!(hint().contains("git fetch --unshallow"), "{}", hint());
}

#[test]
fn of_two_files_in_the_older_spelling_another_promise_is_never_internal() {
    let repo = project(5);
    let choice = ContextChoice {
        mode: Some("full".to_owned()),
        schema: Some("0.4".to_owned()),
        ..ContextChoice::default()
    };
    let generate = |out: &str| {
        let out = repo.home().root().join(out);
        let (choice, named) = (choice.clone(), Some(out.clone()));
        engine(&repo)
            .context_generate(&ContextRequest { choice, out: named, ..ContextRequest::default() })
            .unwrap();
        out.display().to_string()
    };
    repo.write("src/again.ts", "export * from './format';\n");
    let old = generate("old");
    repo.write("src/again.ts", "export * from './other';\n");
    let files = Some((old, generate("new")));
    let report = engine(&repo).context_compare(&DriftRequest { files, ..DriftRequest::default() }).unwrap();
    assert_eq!(verdict(&report), "breaking", "{}", report.compared);
}
