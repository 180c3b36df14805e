//! What comes with a clone, or was left by others, is data: it says nothing that is obeyed, and nothing that is believed
//! unseen.

use becket_project::files::FileError;
use becket_project::snapshot::SnapshotError;

use super::*;
use crate::ErrorKind;

fn generate(repo: &TestRepo) -> ContextReport {
    engine(repo).context_generate(&ContextRequest::default()).unwrap()
}

/// An index that lists these files and no others.
fn index_over(files: &[&str]) -> String {
    let folders: Vec<_> = files
        .iter()
        .map(|file| {
            serde_json::json!({"path": "a", "contextFile": file, "bundles": 1, "components": [], "isRoot": false,
                "tokenEstimate": 1})
        })
        .collect();
    serde_json::json!({"type": "LogicStampIndex", "schemaVersion": "0.2", "projectRoot": ".",
        "createdAt": "2026-01-01T00:00:00Z",
        "summary": {"totalComponents": 0, "totalBundles": 0, "totalFolders": 0, "totalTokenEstimate": 0},
        "folders": folders, "meta": {"source": "logicstamp-context@0.1.0"}})
    .to_string()
}

#[cfg(unix)]
#[test]
fn what_an_index_names_is_removed_only_where_a_run_wrote_it() {
    let outside = tempfile::tempdir().unwrap();
    let bundles = "[\n{\"type\":\"LogicStampBundle\"}\n]\n";
    std::fs::write(outside.path().join("context.json"), bundles).unwrap();
    let repo = shop();
    std::os::unix::fs::symlink(outside.path(), repo.path("link")).unwrap();
    repo.write("docs/context.json", "{\"mine\": 1}\n");
    repo.write("old/context.json", bundles);
    repo.write(".git/context.json", bundles);
    let kept = ["src/money.ts", ".git/HEAD", ".git/context.json", "link/context.json", "docs/context.json"];
    let named =
        [&kept[..], &["package.json", "../x/context.json", "/etc/passwd", "old/context.json"]].concat();
    repo.write("context_main.json", index_over(&named));
    assert_eq!(generate(&repo).files_removed, 1);
    for path in kept.iter().chain(&["package.json"]) {
        assert!(repo.path(path).exists(), "{path}");
    }
    assert!(!repo.path("old/context.json").exists());
}

#[cfg(unix)]
#[test]
fn what_an_index_names_elsewhere_is_neither_read_nor_passed_over() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("context.json"), "[\n{\"type\":\"LogicStampBundle\"}\n]\n").unwrap();
    let repo = shop();
    std::fs::create_dir(repo.path("base")).unwrap();
    std::os::unix::fs::symlink(outside.path(), repo.path("base/link")).unwrap();
    repo.write("base/context_main.json", index_over(&["link/context.json"]));
    let request = CompareRequest { baseline: Some("base".to_owned()), ..CompareRequest::default() };
    assert_eq!(engine(&repo).compare_snapshot(&request).unwrap_err().code(), "context_unreadable");
    let checked = engine(&repo).context_validate(Some("base/context_main.json")).unwrap();
    assert!(!checked.valid && checked.files[1].errors[0].contains("no context file"), "{checked:?}");
}

#[test]
fn files_that_are_broken_or_others_are_not_compared() {
    let repo = shop();
    generate(&repo);
    let page = "src/pages/context.json";
    let whole = repo.read(page);
    let drift = |files: Option<(&str, &str)>| {
        let files = files.map(|(old, new)| (old.to_owned(), new.to_owned()));
        engine(&repo).context_compare(&DriftRequest { files, ..DriftRequest::default() })
    };
    repo.write(page, &whole[..whole.len() / 2]);
    assert_eq!(drift(None).unwrap_err().code(), "context_unreadable");
    repo.write(page, &whole);
    assert!(!drift(None).unwrap().has_drift());
    repo.write("b.json", "{\"a\": 1}");
    assert_eq!(drift(Some(("b.json", "b.json"))).unwrap_err().code(), "context_unreadable");
    for (old, new) in [("context_main.json", page), (page, "context_main.json"), (page, "src")] {
        let unlike = drift(Some((old, new))).unwrap_err();
        assert_eq!(unlike.code(), "context_mismatch", "{old} {new}");
        assert!(unlike.hint().is_some_and(|hint| hint.contains("the same folder")), "{unlike:?}");
    }
    assert!(!drift(Some(("context_main.json", "context_main.json"))).unwrap().has_drift());
    repo.write("context_main.json", "<<<<<<< HEAD\n{}\n");
    let broken = drift(None).unwrap_err();
    assert_eq!(broken.code(), "context_unreadable", "{}", broken.message());
}

/// Enough files that what is written of them is cut.
fn wide() -> TestRepo {
    let repo = TestRepo::new();
    for number in 0..220 {
        let one = |one: usize| {
            format!(
                "export function fn{number}_{one}(alpha: string, beta: number, gamma: boolean): Promise<Map<string, number>> {{ return null as any }}\n"
            )
        };
        let text = (0..10).map(one).collect::<Vec<_>>().concat();
        repo.write(format!("src/m{number}.ts"), text);
    }
    repo.write("src/use.ts", "import { fn0_9 } from './m0';\nfn0_9('a', 1, true);\n");
    repo
}

#[test]
fn what_files_leave_out_is_known_from_the_commit_that_brought_them() {
    let repo = wide();
    generate(&repo);
    repo.commit("Begin");
    let changed = repo.read("src/m0.ts").replace("fn0_9(alpha: string", "fn0_9(alpha: number");
    // Nothing but the files is left of the run, as in a clone.
    for history in [true, false] {
        std::fs::remove_dir_all(repo.path(".git/becket")).unwrap();
        if !history {
            std::fs::remove_dir_all(repo.path(".git")).unwrap();
        }
        repo.write("src/m0.ts", &changed);
        let drift = engine(&repo).context_compare(&DriftRequest::default()).unwrap();
        assert_eq!(drift.breaking(), 1, "{history}");
        let changes: Vec<_> =
            drift.compared.result.folder_diffs.iter().flat_map(|one| &one.changes).collect();
        let [change] = changes.as_slice() else { panic!("{changes:?}") };
        let told = &change.declarations[0];
        assert_eq!(told.used_by, ["src/use.ts"]);
        assert_eq!(
            (told.name.as_str(), told.before.len()),
            if history { ("fn0_9", 1) } else { ("src/m0.ts", 0) }
        );
    }
}

#[test]
fn a_call_that_was_cancelled_writes_nothing() {
    let repo = shop();
    let engine = engine(&repo);
    let first = refresh(&engine).snapshot_id;
    repo.write("src/money.ts", format!("{MONEY}export const more: number = 1;\n"));
    let written = repo.read("src/pages/context.json");
    let refused =
        crate::cancellable(Arc::new(|| true), || engine.refresh_snapshot(&RefreshRequest::default()));
    assert_eq!(refused.unwrap_err().code(), "cancelled");
    assert_eq!(repo.read("src/pages/context.json"), written);
    let compared = compare(&engine);
    assert_eq!((compared.baseline_id, compared.result.status.as_str()), (Some(first), "diff"));
}

#[test]
fn a_baseline_that_is_none_is_answered_with_what_was_meant() {
    let repo = shop();
    repo.commit("all");
    let engine = engine(&repo);
    refresh(&engine);
    for (named, hint) in [
        ("Disk", "Did you mean `disk`?"),
        ("snapshots", "Did you mean `snapshot`?"),
        ("GIT:HEAD", "Did you mean `git:HEAD`?"),
        ("Git: main", "Did you mean `git:main`?"),
        ("src/money.ts", "A baseline is disk, snapshot, the id of a snapshot, git:<ref>"),
        ("no/such/folder", "A baseline is disk, snapshot, the id of a snapshot, git:<ref>"),
    ] {
        let request = CompareRequest { baseline: Some(named.to_owned()), ..CompareRequest::default() };
        let error = engine.compare_snapshot(&request).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::NotFound, "unknown_baseline"), "{named}");
        assert!(error.hint().unwrap().starts_with(hint), "{named}: {error:?}");
    }
}

#[test]
fn a_snapshot_is_a_baseline_by_its_id_also_when_it_is_not_the_newest() {
    let repo = shop();
    let engine = engine(&repo);
    let first = refresh(&engine).snapshot_id;
    repo.write("src/money.ts", format!("{MONEY}export const more: number = 1;\n"));
    let second = refresh(&engine).snapshot_id;
    let against = |project: Option<&str>, named: &str| {
        let project_path = project.map(|path| repo.path(path).display().to_string());
        let baseline = Some(named.to_owned());
        engine.compare_snapshot(&CompareRequest { project_path, baseline, ..CompareRequest::default() })
    };
    let compared = against(None, &first).unwrap();
    assert_eq!((compared.result.status.as_str(), compared.baseline_id), ("diff", Some(first.clone())));
    assert_eq!(against(None, &second).unwrap().result.status, "pass");
    let error = against(None, "snap_1").unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::NotFound, "unknown_snapshot"));
    let error = against(Some("src"), &first).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Invalid, "unknown_baseline"));
}

#[test]
fn the_snapshot_of_somebody_else_is_not_taken_for_ones_own() {
    let repo = shop();
    let engine = engine(&repo);
    let own = refresh(&engine).snapshot_id;
    repo.write("src/money.ts", MONEY.replace("(amount: Cents)", "(amount: Cents, currency: string)"));
    let of_other = refresh(&engine).snapshot_id;
    for named in [None, Some("disk"), Some("snapshot")] {
        let (baseline, own) = (named.map(str::to_owned), vec![own.clone(), "snap_1".to_owned()]);
        let request = CompareRequest { baseline, own: own.clone(), ..CompareRequest::default() };
        let compared = engine.compare_snapshot(&request).unwrap();
        assert_eq!((compared.result.summary.breaking, compared.baseline_id), (1, Some(own[0].clone())));
        assert!(compared.notice.is_some_and(|notice| notice.contains(&of_other)), "{named:?}");
    }
    assert_eq!(compare(&engine).baseline_id, Some(of_other.clone()));
    // Somebody whose own is gone is told what was compared instead.
    let request = CompareRequest { own: vec!["snap_1".to_owned()], ..CompareRequest::default() };
    let compared = engine.compare_snapshot(&request).unwrap();
    assert_eq!((compared.result.status.as_str(), compared.baseline_id), ("pass", Some(of_other.clone())));
    let notice = compared.notice.unwrap();
    assert!(notice.contains("no longer kept") && notice.contains(&of_other), "{notice}");
}

#[test]
fn a_folder_that_moved_is_removed_where_it_was() {
    let repo = shop();
    let engine = engine(&repo);
    refresh(&engine);
    std::fs::rename(repo.path("src/pages"), repo.path("src/views")).unwrap();
    let result = compare(&engine).result;
    let told: Vec<_> = result.folder_diffs.iter().map(|one| (&*one.path, &*one.status)).collect();
    assert_eq!(told, [("src/pages", "removed"), ("src/views", "added")]);
    assert_eq!((result.summary.removed_folders, result.summary.added_folders), (1, 1));
}

#[test]
fn style_that_could_not_be_compared_is_told() {
    let repo = shop();
    let engine = engine(&repo);
    refresh(&engine);
    let choice = ContextChoice { include_style: true, ..ContextChoice::default() };
    let request = CompareRequest { choice: choice.clone(), ..CompareRequest::default() };
    let compared = engine.compare_snapshot(&request).unwrap();
    assert!(compared.notice.is_some_and(|notice| notice.contains("style was not compared")));
    engine.refresh_snapshot(&RefreshRequest { choice, ..RefreshRequest::default() }).unwrap();
    assert_eq!(engine.compare_snapshot(&request).unwrap().notice, None);
}

#[test]
fn a_project_that_lost_all_of_its_sources_is_written_as_that() {
    let repo = shop();
    let engine = engine(&repo);
    let generate = || engine.context_generate(&ContextRequest::default());
    generate().unwrap();
    std::fs::remove_dir_all(repo.path("src")).unwrap();
    let report = generate().unwrap();
    assert_eq!((report.total_components, report.files_removed > 0), (0, true), "{report:?}");
    assert!(!repo.path("src").exists());
    std::fs::remove_file(repo.path("context_main.json")).unwrap();
    assert_eq!(generate().unwrap_err().code(), "nothing_to_analyse");
    assert!(!repo.path("context_main.json").exists());
}

#[test]
fn nothing_is_written_among_what_is_gits_own() {
    let repo = shop();
    for out in [".git/hooks", ".git", "src/../.git/x/context.json"] {
        let request = ContextRequest { out: Some(repo.path(out)), ..ContextRequest::default() };
        let error = engine(&repo).context_generate(&request).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Denied, "path_in_git_dir"), "{out}");
    }
    assert!(!repo.path(".git/hooks/context_main.json").exists() && !repo.path(".git/x").exists());
}

#[test]
fn a_baseline_without_an_index_says_how_to_write_one_there() {
    let repo = shop();
    let engine = engine(&repo);
    refresh(&engine);
    let request = CompareRequest { baseline: Some("src/pages".to_owned()), ..CompareRequest::default() };
    let error = engine.compare_snapshot(&request).unwrap_err();
    let folder = repo.path("src/pages").display().to_string();
    assert_eq!(error.code(), "context_missing");
    assert_eq!(error.message(), format!("There is no context_main.json in {folder}."));
    assert!(error.hint().unwrap().starts_with(&format!("`becket context --out {folder}`")), "{error:?}");
}

#[test]
fn tokens_of_two_modes_are_said_to_be_such() {
    let repo = shop();
    let engine = engine(&repo);
    refresh(&engine);
    let compare = |mode: Option<&str>| {
        let choice = ContextChoice { mode: mode.map(str::to_owned), ..ContextChoice::default() };
        engine.compare_snapshot(&CompareRequest { choice, ..CompareRequest::default() }).unwrap()
    };
    assert_eq!(compare(Some("none")).notice, None, "nothing changed");
    repo.write("src/money.ts", format!("{MONEY}export const more: number = 1;\n"));
    assert_eq!(compare(None).notice, None);
    assert_eq!(compare(Some("header")).notice, None);
    let notice = compare(Some("none")).notice.unwrap();
    assert!(notice.contains("made in mode header and compared in mode none"), "{notice}");
}

#[test]
fn a_full_disk_is_named_as_what_it_is() {
    let failed = |kind: std::io::ErrorKind| {
        let path = "snapshots/a".into();
        let error = FileError::Failed { path, action: "written", source: kind.into() };
        snapshot::of_snapshot(SnapshotError::File(error)).hint().unwrap_or_default().to_owned()
    };
    assert!(failed(std::io::ErrorKind::StorageFull).starts_with("The disk is full: make room"));
    assert!(failed(std::io::ErrorKind::PermissionDenied).contains("permissions"));
}

#[test]
fn a_folder_that_is_not_there_is_not_found() {
    let repo = shop();
    let engine = engine(&repo);
    for (path, kind) in [
        ("nowhere", ErrorKind::NotFound),
        ("src/money.ts", ErrorKind::Invalid),
        ("a\0b", ErrorKind::Invalid),
        (&"x".repeat(5_000), ErrorKind::Invalid),
        ("..", ErrorKind::Denied),
    ] {
        let request = ContextRequest { path: Some(path.to_owned()), ..ContextRequest::default() };
        let error = engine.context_generate(&request).unwrap_err();
        assert_eq!(error.kind(), kind, "{path}: {error:?}");
        assert!(!error.hint().unwrap().contains("--"), "{error:?}");
    }
}

#[test]
fn versions_show_no_passwords() {
    let repo = shop();
    let package = r#"{"name": "shop", "dependencies": {"react": "git+https://x:ghp_16C7e42F292c6912E7710c838347Ae178B4a@github.com/a/b.git"}}"#;
    repo.write("package.json", package);
    generate(&repo);
    let text = repo.read("src/pages/context.json");
    assert!(text.contains("git+https://x:PRIVATE_DATA@") && !text.contains("16C7e42F"), "{text}");
}

#[test]
fn dependents_are_told_part_by_part() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 10000\n");
    repo.write("src/base.ts", "export const base = 1;\n");
    for number in 0..300 {
        repo.write(
            format!("src/user{number}.ts"),
            "import { base } from './base';\nexport const own = base;\n",
        );
    }
    let (mut seen, mut cursor) = (BTreeSet::new(), None);
    loop {
        let target = "src/base.ts".to_owned();
        let request = ImpactRequest { target, limit: Some(1000), cursor, ..ImpactRequest::default() };
        let report = engine(&repo).impact(&request).unwrap();
        assert!(serde_json::to_string(&report).unwrap().len() <= 10_000);
        assert!(report.total == 300 && report.notice.is_some());
        seen.extend(report.dependents.into_iter().map(|one| one.path));
        cursor = report.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 300);
}

#[test]
fn who_is_further_away_than_asked_is_counted_all_the_same() {
    let repo = shop();
    let engine = engine(&repo);
    let ask = |depth| {
        let target = "src/money.ts".to_owned();
        engine.impact(&ImpactRequest { target, depth, ..ImpactRequest::default() }).unwrap()
    };
    let (all, near) = (ask(None), ask(Some(1)));
    assert!(all.total > all.direct && all.notice.is_none(), "{all:?}");
    assert_eq!((near.total, near.direct, near.dependents.len()), (all.total, all.direct, all.direct));
    assert!(near.notice.unwrap().contains("further away"));
}

#[test]
fn who_uses_what_has_a_type_depends_on_the_type() {
    let repo = shop();
    repo.write("src/bill.ts", "import { format } from './money';\nexport const bill = () => format(1);\n");
    repo.write("src/other.ts", "export interface Size { n: number }\nexport const one = 1;\n");
    repo.write("src/uses.ts", "import { one } from './other';\nexport const two = one;\n");
    let engine = engine(&repo);
    let paths = |target: &str| -> Vec<String> {
        let request = ImpactRequest { target: target.to_owned(), ..ImpactRequest::default() };
        engine.impact(&request).unwrap().dependents.into_iter().map(|one| one.path).collect()
    };
    assert_eq!(paths("src/money.ts#Cents"), ["src/bill.ts", "src/cart.ts", "src/pages/Page.tsx"]);
    assert_eq!(paths("src/other.ts#Size"), Vec::<String>::new());
}

#[test]
fn who_imports_to_export_hands_on_each_name_by_itself() {
    let repo = TestRepo::new();
    repo.write("m.ts", "export function f() {}\nexport function g() {}\n");
    repo.write("barrel.ts", "import { f, g } from './m';\nexport { f, g };\n");
    repo.write("user.ts", "import { g } from './barrel';\ng();\n");
    repo.write("package.json", r#"{"name": "core", "exports": "./m.ts"}"#);
    repo.write("whole.ts", "import * as core from 'core';\ncore.g();\n");
    let engine = engine(&repo);
    let paths = |target: &str| -> Vec<String> {
        let request = ImpactRequest { target: target.to_owned(), ..ImpactRequest::default() };
        engine.impact(&request).unwrap().dependents.into_iter().map(|one| one.path).collect()
    };
    assert_eq!(paths("m.ts#f"), ["barrel.ts"]);
    assert_eq!(paths("m.ts#g"), ["barrel.ts", "user.ts", "whole.ts"]);
}

#[test]
fn a_large_cycle_leaves_room_for_who_depends() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 13333\n");
    for number in 0..400 {
        let next = (number + 1) % 400;
        repo.write(
            format!("c/file_with_a_long_name_{number}.ts"),
            format!("import {{ v{next} }} from './file_with_a_long_name_{next}';\nexport const v{number} = () => v{next};\n"),
        );
    }
    let engine = engine(&repo);
    let ask = |cursor: Option<String>, limit| {
        let target = "c/file_with_a_long_name_0.ts".to_owned();
        engine
            .impact(&ImpactRequest { target, limit: Some(limit), cursor, ..ImpactRequest::default() })
            .unwrap()
    };
    let first = ask(None, 1000);
    assert!(serde_json::to_string(&first).unwrap().len() <= 10_000);
    let cycle = first.cycle.unwrap().files.len();
    assert!(first.dependents.len() > 40 && cycle > 10, "{} and {cycle}", first.dependents.len());
    assert!(first.notice.unwrap().contains(&format!("{cycle} of 400 files of its cycle.")));
    let second = ask(first.next_cursor, 1000);
    assert!(second.dependents.len() > first.dependents.len(), "the cycle is told once");
    assert_eq!(ask(None, 1).cycle.unwrap().files.len(), 1);
}
