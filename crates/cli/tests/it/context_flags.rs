//! `becket context`, flag by flag, as the original has them.

use std::path::Path;

use becket_testing::TestRepo;
use serde_json::{Value, json};

use crate::{BECKET, becket};

fn cards() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/a/Card.tsx", "export function Card() {\n  return <i className=\"p-4 flex\">a</i>;\n}\n");
    repo.write(
        "src/b/Card.tsx",
        "export function Card({ title }: { title: string }) {\n  return <b>{title}</b>;\n}\n",
    );
    repo.write(
        "src/Page.tsx",
        "import { Card } from './b/Card';\nimport { useUser } from './useUser';\nexport default function Page() {\n  return <Card title={useUser().name} />;\n}\n",
    );
    repo.write(
        "src/useUser.ts",
        "export function useUser(): { name: string } {\n  return { name: '' };\n}\n",
    );
    repo
}

fn context(repo: &TestRepo, arguments: &[&str]) -> std::process::Output {
    let mut command = repo.command(BECKET);
    command.arg("context").args(arguments);
    command.output().unwrap()
}

fn bundles(folder: &Path) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(folder.join("src/context.json")).unwrap()).unwrap()
}

fn nodes(bundle: &Value) -> Vec<&str> {
    bundle["graph"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["entryId"].as_str().unwrap())
        .collect()
}

#[test]
fn wrong_values_are_errors_and_write_nothing() {
    let repo = cards();
    for arguments in [
        ["--profile", "nope"],
        ["--include-code", "zzz"],
        ["-c", "zzz"],
        ["--format", "qqq"],
        ["-f", "qqq"],
        ["--style-mode", "fat"],
        ["--schema", "0.9"],
        ["--depth", "-1"],
        ["--depth", "two"],
        ["--max-nodes", "0"],
        ["--max-nodes", "x"],
    ] {
        let output = context(&repo, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let mut stamp = becket(&repo, ["as", "stamp", "context"]);
        assert_eq!(stamp.args(arguments).output().unwrap().status.code(), Some(1), "{arguments:?}");
    }
    assert!(!repo.path("context_main.json").exists());
    for depth in ["-1", "two", "1.5"] {
        let said = String::from_utf8(context(&repo, &["--depth", depth]).stderr).unwrap();
        assert!(said.contains("it is no whole number from 0 on"), "{said}");
    }
}

#[test]
fn how_much_is_packed() {
    let repo = cards();
    for (arguments, count) in [
        (&["--depth", "0"][..], 1),
        (&["-d", "0"], 1),
        (&["--depth", "1"], 3),
        (&["--max-nodes", "2"], 2),
        (&["-m", "1"], 1),
        (&["--profile", "llm-chat"], 3),
        (&["--profile", "llm-safe"], 3),
        (&["--profile", "ci-strict"], 3),
        (&["--profile", "watch-fast"], 3),
    ] {
        let output = context(&repo, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let bundles = bundles(repo.root());
        let page = bundles.iter().find(|bundle| bundle["entryId"] == "src/Page.tsx").unwrap();
        assert_eq!(nodes(page).len(), count, "{arguments:?}");
    }
}

#[test]
fn how_much_code_and_style() {
    let repo = cards();
    let node = |arguments: &[&str]| -> Value {
        let output = context(&repo, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let all: Vec<Value> =
            serde_json::from_slice(&std::fs::read(repo.path("src/a/context.json")).unwrap()).unwrap();
        all[0]["graph"]["nodes"][0].clone()
    };
    assert!(node(&["--include-code", "none"]).get("code").is_none());
    assert!(node(&["-c", "full"])["code"].as_str().unwrap().contains("<i className"));
    assert!(node(&["--include-code", "header"]).get("code").is_none());
    assert!(node(&[])["contract"].get("style").is_none());
    let lean = node(&["--include-style"])["contract"]["style"].clone();
    assert!(lean.is_object(), "{lean}");
    let full = node(&["--include-style", "--style-mode", "full"])["contract"]["style"].clone();
    assert_ne!(lean, full);
    assert!(node(&["style"])["contract"]["style"].is_object());
    assert_eq!(context(&repo, &["style", "--compare-modes"]).status.code(), Some(2));
}

#[test]
fn where_and_how_files_are_written() {
    let repo = cards();
    let out = repo.home().root().join("out");
    let place = out.to_str().unwrap();
    for (format, name) in [
        ("json", "context.json"),
        ("pretty", "context.json"),
        ("ndjson", "context.ndjson"),
        ("toon", "context.toon"),
    ] {
        let folder = format!("{place}/{format}");
        assert!(context(&repo, &["--format", format, "--out", &folder]).status.success(), "{format}");
        assert!(out.join(format).join("src").join(name).exists(), "{format}");
        assert!(out.join(format).join("context_main.json").exists(), "{format}");
    }
    assert!(context(&repo, &["-o", &format!("{place}/file/context.json")]).status.success());
    assert!(out.join("file/context_main.json").exists(), "a name that ends in .json means its folder");
    assert!(!repo.path("context_main.json").exists());
    // Another format takes the place of the one before.
    assert!(context(&repo, &[]).status.success());
    assert!(context(&repo, &["-f", "toon"]).status.success());
    assert!(repo.path("src/context.toon").exists() && !repo.path("src/context.json").exists());
}

#[test]
fn what_is_only_said() {
    let repo = cards();
    let dry = context(&repo, &["--dry-run"]);
    assert!(dry.status.success() && String::from_utf8_lossy(&dry.stdout).contains("4 files"), "{dry:?}");
    let stats = context(&repo, &["--stats"]);
    let line: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!((&line["totalComponents"], &line["totalEdges"]), (&json!(4), &json!(2)));
    for field in ["bundlesCompiled", "totalNodes", "missingDependencies", "tokensGPT4", "tokensClaude"] {
        assert!(line[field].is_u64(), "{field}: {line}");
    }
    assert_eq!(line["modeEstimates"]["header"]["gpt4"], line["tokensGPT4"], "{line}");
    for mode in ["none", "header", "headerStyle", "full"] {
        assert!(line["modeEstimates"][mode]["claude"].is_u64(), "{mode}: {line}");
    }
    assert_eq!(line["savingsGPT4"], json!(line["savingsPercent"].to_string()), "{line}");
    assert!(line["savingsClaude"].is_string() && line["elapsedMs"].is_u64(), "{line}");
    let modes = context(&repo, &["--compare-modes"]);
    assert!(String::from_utf8_lossy(&modes.stdout).contains("header"), "{modes:?}");
    assert!(!repo.path("context_main.json").exists(), "none of these write");
    assert!(!repo.path("context_compare_modes.json").exists());
    assert!(context(&repo, &["--compare-modes", "--stats"]).status.success());
    assert!(repo.path("context_compare_modes.json").exists());
    assert!(context(&repo, &["--compare-modes", "--stats", "--out", "far/away"]).status.success());
    assert!(repo.path("far/away/context_compare_modes.json").exists(), "a folder that was not there");
    let quiet = context(&repo, &["--quiet", "--skip-gitignore"]);
    assert!(quiet.stdout.is_empty(), "{quiet:?}");
    assert!(!repo.path(".gitignore").exists());
    assert!(context(&repo, &["--predict-behavior"]).status.success());
    assert!(repo.read("src/context.json").contains("prediction"));
    let summary = String::from_utf8_lossy(&context(&repo, &[]).stdout).into_owned();
    for word in ["4 files", "2 edges", "tokens for", "each contract counted once"] {
        assert!(summary.contains(word), "{word}: {summary}");
    }
}

#[test]
fn strictness_is_an_exit_code() {
    let repo = cards();
    assert!(context(&repo, &["--strict-missing"]).status.success());
    repo.write("src/lost.ts", "import { gone } from './nowhere';\nexport const kept = gone;\n");
    for flag in ["--strict-missing", "--strict", "-s"] {
        assert_eq!(context(&repo, &[flag]).status.code(), Some(1), "{flag}");
        assert!(repo.path("context_main.json").exists(), "the files are written all the same");
    }
    assert!(context(&repo, &[]).status.success());
}

#[test]
fn the_summary_names_cycles_and_imports_that_lead_nowhere() {
    let repo = TestRepo::new();
    repo.write("src/a.ts", "import { b } from './b';\nimport './nowhere';\nexport const a = b;\n");
    repo.write("src/b.ts", "import { a } from './a';\nexport const b = a;\n");
    let summary = String::from_utf8_lossy(&context(&repo, &[]).stdout).into_owned();
    for line in [
        "2 files, 2 edges, 1 bundle in 1 folder",
        "1 cycle, 1 unresolved import",
        "cycle of 2: src/a.ts, src/b.ts",
        "missing: ./nowhere in src/a.ts: file not found",
        "2 files written, 0 unchanged, 0 removed",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
}

#[test]
fn of_many_imports_that_lead_nowhere_the_summary_shows_some_for_each_reason() {
    let repo = TestRepo::new();
    let lost: Vec<String> = (0..30).map(|at| format!("import './lost{at:02}';\n")).collect();
    repo.write("src/a.ts", lost.concat() + "import 'unheard-of';\n");
    let summary = String::from_utf8_lossy(&context(&repo, &[]).stdout).into_owned();
    assert_eq!(summary.lines().filter(|line| line.starts_with("missing: ./lost")).count(), 8, "{summary}");
    for line in [
        "0 cycles, 31 unresolved imports",
        "missing: 22 more: file not found; --json lists them",
        "missing: unheard-of in src/a.ts: undeclared package",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
    let all = context(&repo, &["--json"]);
    let all: serde_json::Value = serde_json::from_slice(&all.stdout).unwrap();
    assert_eq!(all["data"]["missing"].as_array().map(Vec::len), Some(31), "{all}");
}

#[test]
fn verbose_has_a_line_for_every_folders_file() {
    let repo = cards();
    for _ in ["written", "unchanged"] {
        let said = String::from_utf8_lossy(&context(&repo, &["--verbose"]).stdout).into_owned();
        let lines: Vec<&str> = said.lines().take(2).collect();
        assert!(lines[0].starts_with("src/context.json: 1 bundle, "), "{said}");
        assert!(lines[1].starts_with("src/a/context.json: 1 bundle, "), "{said}");
    }
    let said = String::from_utf8_lossy(&context(&repo, &["-v", "--dry-run"]).stdout).into_owned();
    assert!(said.starts_with("4 files"), "{said}");
}

#[test]
fn what_is_written_beside_context_files_has_a_schema_too() {
    let repo = cards();
    repo.write("src/key.ts", "export const key = 'AKIAIOSFODNN7ABCDEFG';\n");
    assert!(context(&repo, &["--compare-modes", "--stats"]).status.success());
    assert_eq!(becket(&repo, ["as", "stamp", "security", "scan"]).output().unwrap().status.code(), Some(1));
    for file in ["context_compare_modes.json", "stamp_security_report.json"] {
        let written = repo.read(file);
        assert!(!written.contains(&repo.root().display().to_string()), "{written}");
        assert!(context(&repo, &["validate", file]).status.success(), "{written}");
        let mut value: Value = serde_json::from_str(&written).unwrap();
        value["more"] = json!(1);
        repo.write(file, value.to_string());
        assert_eq!(context(&repo, &["validate", file]).status.code(), Some(1), "{file}");
    }
}

#[test]
fn a_style_sheet_that_changes_is_read_again() {
    let repo = TestRepo::new();
    repo.write(
        "src/a.tsx",
        "import s from './a.module.css';\nexport const A = () => <b className={s.a} />;\n",
    );
    repo.write("src/a.module.css", ".a { color: red }\n");
    let style = || -> Value {
        assert!(context(&repo, &["style", "--style-mode", "full"]).status.success());
        bundles(repo.root())[0]["graph"]["nodes"][0]["contract"]["style"]["styleSources"].clone()
    };
    assert_eq!(style()["cssDetails"]["selectors"], json!([".a"]));
    repo.write("src/a.module.css", ".a, .b { margin: 0 }\n");
    let changed = style();
    assert_eq!(changed["cssModule"], "./a.module.css");
    assert_eq!(changed["cssDetails"]["selectors"], json!([".a", ".b"]));
    assert_eq!(changed["cssDetails"]["properties"], json!(["margin"]));
}

#[test]
fn show_says_what_a_file_takes_keeps_and_answers() {
    let repo = cards();
    repo.write(
        "src/Field.tsx",
        "import { useState } from 'react';\nexport function Field({ tone, onSave }: { tone?: 'a' | 'b'; onSave: (text: string) => void }) {\n  \
         const [text] = useState('');\n  return <b className={tone} onClick={() => onSave(text)} />;\n}\n",
    );
    repo.write(
        "src/api.ts",
        "import express from 'express';\nconst app = express();\napp.get('/users/:id', getUser);\n",
    );
    let shown = |file: &str| {
        let output = context(&repo, &["show", file]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let field = shown("src/Field.tsx");
    for line in [
        "\nprops\n  onSave: (text: string) => void\n  tone?: 'a' | 'b'\n",
        "\nemits\n  onSave: (text: string) => void\n",
        "\nstate\n  text: string\n",
    ] {
        assert!(field.contains(line), "{line}: {field}");
    }
    let api = shown("src/api.ts");
    assert!(api.contains("\nroutes\n  GET /users/:id getUser\n"), "{api}");
}

#[test]
fn many_small_files_say_less_and_are_still_valid_and_comparable() {
    let repo = TestRepo::new();
    for at in 1..200 {
        let before = at - 1;
        repo.write(
            format!("src/f{at}.ts"),
            format!(
                "import {{ v{before} }} from './f{before}';\nexport const v{at}: number = v{before} + 1;\n"
            ),
        );
    }
    let contract = || bundles(repo.root())[0]["graph"]["nodes"][0]["contract"].clone();
    for mode in ["none", "header"] {
        assert!(context(&repo, &["-c", mode]).status.success());
        assert_eq!(contract()["type"], "UIFContract", "199 files: {mode}");
        assert!(contract()["version"]["imports"].is_array());
    }
    repo.write("src/f0.ts", "export const v0: number = 0;\n");
    for mode in ["none", "header"] {
        assert!(context(&repo, &["-c", mode]).status.success());
        let written = contract();
        assert_eq!(written.get("type").is_some(), mode == "header", "{written}");
        assert_eq!(written.get("description").is_some(), mode == "header", "{written}");
        assert!(written["semanticHash"].is_string(), "{written}");
        assert!(context(&repo, &["validate"]).status.success(), "{written}");
        assert!(context(&repo, &["compare"]).status.success(), "{written}");
        repo.write("src/f7.ts", "export const v7: string = '';\n");
        assert_eq!(context(&repo, &["compare"]).status.code(), Some(1));
        repo.write("src/f7.ts", "import { v6 } from './f6';\nexport const v7: number = v6 + 1;\n");
    }
}

#[test]
fn what_fails_a_quiet_run_is_said() {
    let repo = cards();
    repo.write("src/lost.ts", "import './nowhere';\n");
    let output = context(&repo, &["--strict-missing", "--quiet"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("./nowhere in src/lost.ts"), "{said}");
    assert!(!said.contains('✓'), "{said}");
}

#[test]
fn sources_that_are_not_read_are_listed_with_the_reason() {
    let repo = cards();
    repo.write("src/vendor.min.js", "!function(){}();\n");
    let said = String::from_utf8(context(&repo, &[]).stdout).unwrap();
    assert!(said.contains("left out: src/vendor.min.js: minified"), "{said}");
    // An unchanged project says it, too, and what came since.
    repo.write("src/other.min.js", "!function(){}();\n");
    let stats: Value = serde_json::from_slice(&context(&repo, &["--stats"]).stdout).unwrap();
    let listed = json!([
        {"path": "src/other.min.js", "reason": "minified"},
        {"path": "src/vendor.min.js", "reason": "minified"},
    ]);
    assert_eq!((&stats["leftOut"], &stats["leftOutFiles"]), (&listed, &json!(2)));
    let shown = context(&repo, &["show", "src/vendor.min.js"]);
    assert!(String::from_utf8_lossy(&shown.stderr).contains("it is minified"), "{shown:?}");
}

#[test]
fn two_files_are_compared_wherever_they_lie() {
    let (repo, elsewhere) = (cards(), TestRepo::new());
    let (before, after) = (elsewhere.path("before"), elsewhere.path("after"));
    let out = |folder: &Path| context(&repo, &["--quiet", "--out", folder.to_str().unwrap()]);
    assert!(out(&before).status.success());
    repo.write(
        "src/b/Card.tsx",
        "export function Card({ name }: { name?: string }) {\n  return <b>{name}</b>;\n}\n",
    );
    assert!(out(&after).status.success());
    let same = after.to_str().unwrap();
    assert!(context(&repo, &["compare", "--skip-gitignore", same, same]).status.success());
    let compared = context(&repo, &["compare", before.to_str().unwrap(), after.to_str().unwrap()]);
    assert_eq!(compared.status.code(), Some(1), "{compared:?}");
    let said = String::from_utf8_lossy(&compared.stdout).into_owned();
    assert!(said.contains("breaking component Card"), "{said}");
    assert!(said.contains("Two written files were compared"), "{said}");
}

#[test]
fn a_quiet_command_says_nothing_but_what_went_wrong() {
    let repo = cards();
    let stamp = |arguments: &[&str]| {
        let output = repo.command(BECKET).args(["as", "stamp"]).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let sound = (Some(0), String::new());
    assert_eq!(stamp(&["init", "-q", "--no-secure", "--skip-gitignore"]), sound);
    assert!(!repo.path("stamp_security_report.json").exists() && !repo.path(".gitignore").exists());
    assert_eq!(stamp(&["init", "--quiet"]), sound);
    assert!(repo.path("stamp_security_report.json").exists() && repo.path(".gitignore").exists());
    assert!(context(&repo, &[]).status.success());
    assert_eq!(stamp(&["context", "-q"]), sound);
    assert_eq!(stamp(&["context", "compare", "-q", "--approve"]), sound);
    for flag in ["-q", "--quiet"] {
        assert_eq!(stamp(&["context", "validate", flag]), sound);
        assert_eq!(stamp(&["context", "clean", flag]), sound);
    }
    repo.write("src/context.json", r#"[{"type": "LogicStampBundle"}]"#);
    let (code, said) = stamp(&["context", "validate", "-q"]);
    assert!(
        code == Some(1) && said.starts_with('✗') && said.contains("src/context.json") && !said.contains('✓'),
        "{said}"
    );
    assert!(context(&repo, &[]).status.success());
    assert_eq!(stamp(&["context", "clean", "-q", "--all", "--yes"]), sound);
    assert!(!repo.path("context_main.json").exists());
    assert_eq!(stamp(&["context", "clean", "-q", "--all", "--yes"]), sound);
}

#[test]
fn two_files_leave_no_room_for_a_baseline() {
    let repo = cards();
    assert!(context(&repo, &[]).status.success());
    let refused =
        context(&repo, &["compare", "--baseline", "git:HEAD", "src/context.json", "src/context.json"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("Two files need no baseline"), "{said}");
}

#[test]
fn every_flag_of_the_original_is_taken() {
    let repo = cards();
    let stamp = |arguments: &[&str]| {
        let output = repo.command(BECKET).args(["as", "stamp"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    stamp(&["init", "--yes", "--no-secure", "--skip-gitignore", "-q"]);
    stamp(&["init", "src", "-y"]);
    let out = repo.home().root().join("out");
    let out = out.to_str().unwrap();
    for flags in [
        &["--depth", "1", "--include-code", "none", "--format", "json", "--max-nodes", "9", "--out", out][..],
        &["-d", "1", "-c", "full", "-f", "pretty", "-m", "9", "-o", out],
        &["--profile", "ci-strict", "--strict", "--strict-missing"],
        &["-s", "-q", "-v"],
        &["--quiet", "--verbose", "--skip-gitignore"],
        &["--include-style", "--style-mode", "full", "--predict-behavior"],
        &["--dry-run", "--debug", "--log-file"],
        &["--stats"],
        &["--compare-modes"],
        &["src"],
    ] {
        stamp(&[&["context"], flags].concat());
    }
    stamp(&["context", "style", "src"]);
    stamp(&["context", "--skip-gitignore"]);
    stamp(&["context", "validate", "context_main.json", "--quiet"]);
    stamp(&["context", "compare", "--strict", "--stats", "--quiet", "--skip-gitignore"]);
    stamp(&["context", "compare", "context_main.json", "context_main.json", "-q"]);
    stamp(&["context", "compare", "--approve", "--clean-orphaned"]);
    stamp(&["ignore", "src/a", "**/*.gen.ts"]);
    stamp(&["security", "scan", "src", "--quiet"]);
    stamp(&["security", "--hard-reset", "src"]);
    stamp(&["context", "clean", ".", "--all", "-y", "--quiet"]);
    for version in ["-v", "--version", "-h", "--help"] {
        stamp(&[version]);
    }
}

#[test]
fn a_wrong_value_is_answered_with_the_possible_ones() {
    let repo = cards();
    for (flag, values) in [
        ("--profile", "llm-chat, llm-safe, ci-strict, watch-fast"),
        ("--include-code", "none, header, full"),
        ("--style-mode", "lean, full"),
        ("--format", "json, pretty, ndjson, toon"),
        ("--schema", "0.3, 0.4"),
    ] {
        let output = repo.command(BECKET).args(["as", "stamp", "context", flag, "nope"]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && told.contains(values), "{flag}: {told}");
    }
}
