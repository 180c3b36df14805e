//! What written files say of themselves, and what is said of files that are there and not looked at.

use serde_json::Value;

use super::drift::{drift, project, verdict};
use super::*;

#[test]
fn what_a_context_file_says_of_itself_is_checked() {
    let repo = project(5);
    engine(&repo).context_generate(&ContextRequest::default()).unwrap();
    let page: Value = serde_json::from_str(&repo.read("src/context.json")).unwrap();
    let errors = |change: &dyn Fn(&mut Value)| {
        let mut page = page.clone();
        change(&mut page[0]);
        repo.write("changed.json", page.to_string());
        let report = engine(&repo).context_validate(Some("changed.json")).unwrap();
        report.files[0].errors.join("\n")
    };
    assert_eq!(errors(&|_| {}), "");
    let position = errors(&|bundle| bundle["position"] = "9/1".into());
    assert_eq!(position, "/0/position: there is no bundle 9 of 1");
    let entry = errors(&|bundle| bundle["entryId"] = "src/none.ts".into());
    assert_eq!(entry, "/0/entryId: \"src/none.ts\" is none of its nodes");
    let twice = errors(&|bundle| {
        let nodes = bundle["graph"]["nodes"].as_array_mut().unwrap();
        nodes.push(nodes[0].clone());
    });
    assert!(twice.contains("is a node already"), "{twice}");
    let edge = errors(&|bundle| bundle["graph"]["edges"][0][1] = "src/none.ts".into());
    assert_eq!(edge, "/0/graph/edges/0: \"src/none.ts\" is none of its nodes");
    let promise = errors(&|bundle| {
        bundle["graph"]["nodes"][0]["contract"]["semanticHash"] = "uif:000000000000000000000000".into();
    });
    assert!(
        promise.starts_with("/0/bundleHash: it is uifb:") && promise.ends_with("something was changed"),
        "{promise}"
    );
    let code = errors(&|bundle| bundle["graph"]["nodes"][0]["code"] = "export const other = 1;\n".into());
    assert!(code.starts_with("/0/graph/nodes/0/code: its hash is uif:"), "{code}");
    // Whoever made it may hash otherwise.
    let foreign = errors(&|bundle| {
        bundle["meta"]["source"] = "logicstamp-context@0.8.8".into();
        bundle["bundleHash"] = "uifb:000000000000000000000000".into();
    });
    assert_eq!(foreign, "");
    let mut index: Value = serde_json::from_str(&repo.read("context_main.json")).unwrap();
    index["folders"][0]["bundles"] = 9.into();
    repo.write("context_main.json", index.to_string());
    let report = engine(&repo).context_validate(None).unwrap();
    assert!(
        report.files.iter().any(|file| file.errors.join("").contains(", and 9 by the index")),
        "{report:?}"
    );
}

#[test]
fn a_file_that_is_ignored_now_is_not_called_gone() {
    let repo = TestRepo::new();
    repo.write("src/a.ts", "export const a: number = 1;\n");
    repo.write("src/b.ts", "import { a } from './a';\nexport const b: number = a;\n");
    repo.commit("all");
    repo.write(".gitignore", "src/a.ts\n");
    let report = drift(&repo, Some("git:HEAD"));
    assert_eq!(verdict(&report), "compatible");
    let told = report.compared.to_string();
    assert!(told.contains("its file is there, and left out now: an ignore rule names it"), "{told}");
    repo.remove("src/a.ts");
    assert_eq!(verdict(&drift(&repo, Some("git:HEAD"))), "breaking");
}

#[test]
fn what_an_alias_led_to_that_is_ignored_now_breaks_nobody() {
    let repo = TestRepo::new();
    repo.write("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#);
    repo.write("src/money.ts", "export type Cents = number;\n");
    repo.write(
        "src/cart.ts",
        "import type { Cents } from '@/money';\nexport function total(all: Cents[]): string { return `${all}`; }\n",
    );
    repo.commit("all");
    repo.write(".gitignore", "src/money.ts\n");
    assert_eq!(verdict(&drift(&repo, Some("git:HEAD"))), "compatible");
}

#[test]
fn a_file_that_is_there_and_has_no_text_is_unreadable() {
    let repo = project(5);
    std::fs::write(repo.path("u.json"), b"\xff\xfe").unwrap();
    let code = |file: &str| engine(&repo).context_validate(Some(file)).unwrap_err().code();
    assert_eq!((code("u.json"), code("none.json")), ("context_unreadable", "context_missing"));
    let files = Some(("u.json".to_owned(), "u.json".to_owned()));
    let compared = engine(&repo).context_compare(&DriftRequest { files, ..DriftRequest::default() });
    assert_eq!(compared.unwrap_err().code(), "context_unreadable");
    let files = Some(("none.json".to_owned(), "context_main.json".to_owned()));
    let compared = engine(&repo).context_compare(&DriftRequest { files, ..DriftRequest::default() });
    assert_eq!(compared.unwrap_err().code(), "context_missing", "whatever the other one is");
}

#[test]
fn what_stands_in_the_place_of_a_context_file_is_not_called_gone() {
    let repo = project(5);
    engine(&repo).context_generate(&ContextRequest::default()).unwrap();
    repo.remove("src/context.json");
    repo.write("src/context.json/file", "");
    let request = DriftRequest { files: None, ..DriftRequest::default() };
    // In another clone, where nobody remembers what was written.
    std::fs::remove_dir_all(repo.path(".git/becket")).unwrap();
    let told = engine(&repo).context_compare(&request).unwrap_err();
    assert_eq!(told.code(), "context_unreadable");
    assert!(told.message().ends_with("it is no file with text in UTF-8."), "{told}");
}

#[test]
fn files_of_another_folder_are_no_earlier_state_of_the_one_that_they_lie_in() {
    let repo = project(5);
    let out = Some(repo.path("ctx"));
    engine(&repo).context_generate(&ContextRequest { out, ..ContextRequest::default() }).unwrap();
    let compare = |path: Option<&str>, baseline: Option<&str>| {
        let (path, baseline) = (path.map(str::to_owned), baseline.map(str::to_owned));
        engine(&repo).context_compare(&DriftRequest { path, baseline, ..DriftRequest::default() })
    };
    let told = compare(Some("ctx"), None).unwrap_err();
    assert_eq!(told.code(), "context_mismatch");
    assert!(told.hint().unwrap().contains("becket context compare --baseline ctx"), "{told}");
    assert!(!compare(None, Some("ctx")).unwrap().has_drift());
    // A folder that has lost its sources has changed.
    let path = Some("src".to_owned());
    engine(&repo).context_generate(&ContextRequest { path, ..ContextRequest::default() }).unwrap();
    assert!(!compare(Some("src"), None).unwrap().has_drift());
    for name in std::fs::read_dir(repo.path("src")).unwrap().map(|entry| entry.unwrap().path()) {
        if name.extension().is_some_and(|ending| ending != "json") {
            std::fs::remove_file(name).unwrap();
        }
    }
    assert!(compare(Some("src"), None).unwrap().breaking() > 0);
}

#[test]
fn nor_are_they_outside_of_git() {
    let folder = tempfile::tempdir().unwrap();
    let (root, out) = (folder.path(), folder.path().join("ctx"));
    std::fs::write(root.join("a.ts"), "export const a: number = 1;\n").unwrap();
    let engine = Engine::open(Environment::new(root), OpenOptions::default());
    engine.context_generate(&ContextRequest { out: Some(out), ..ContextRequest::default() }).unwrap();
    let path = Some("ctx".to_owned());
    let told = engine.context_compare(&DriftRequest { path, ..DriftRequest::default() }).unwrap_err();
    assert_eq!(told.code(), "context_mismatch");
    assert!(told.hint().unwrap().contains("--baseline ctx"), "{told}");
}

#[test]
fn a_command_line_is_told_of_no_option_of_a_tool() {
    let repo = project(5);
    let told = engine(&repo).context_compare(&DriftRequest::default()).unwrap_err();
    assert_eq!(told.code(), "context_missing");
    assert!(!told.message().contains("forceRegenerate"), "{told}");
    assert!(told.hint().unwrap().contains("--baseline git:HEAD"), "{told}");
    let told = engine(&repo).compare_snapshot(&CompareRequest::default()).unwrap_err();
    assert!(told.message().contains("or use forceRegenerate: true"), "a client may look for it");
}

#[test]
fn rules_that_cannot_be_read_are_neither_lost_nor_context_files() {
    for name in [".stampignore", ".gitignore"] {
        let repo = project(1);
        repo.write(format!("{name}/file"), "");
        let told = if name == ".gitignore" {
            engine(&repo).stamp_init(&StampInitRequest::default()).map(drop).unwrap_err()
        } else {
            engine(&repo).stamp_ignore(&["x".to_owned()]).map(drop).unwrap_err()
        };
        assert_eq!(told.code(), "not_writable");
        assert!(!told.hint().unwrap().contains("--out"), "{told}");
    }
    let repo = project(1);
    std::fs::write(repo.path(".gitignore"), b"caf\xe9\n").unwrap();
    engine(&repo).stamp_init(&StampInitRequest::default()).unwrap();
    let rules = std::fs::read(repo.path(".gitignore")).unwrap();
    assert!(rules.starts_with(b"caf\xe9\n\n# LogicStamp"), "{}", rules.escape_ascii());
}
