//! What a run leaves in the folders of a project when it is interrupted, and what it leaves alone.

use super::*;
use crate::Error;

/// A project with a folder for each letter, each with a file of its own.
fn lettered() -> TestRepo {
    let repo = TestRepo::new();
    for letter in ["a", "b", "c"] {
        repo.write(format!("src/{letter}/{letter}.ts"), format!("export const {letter}: number = 1;\n"));
    }
    repo
}

fn generate(repo: &TestRepo) -> Result<ContextReport, Error> {
    engine(repo).context_generate(&ContextRequest::default())
}

const WRITTEN: [&str; 4] =
    ["context_main.json", "src/a/context.json", "src/b/context.json", "src/c/context.json"];

/// Every file of the project that begins with a dot and is not Git's.
fn hidden(repo: &TestRepo) -> Vec<String> {
    let folders = ["", "src/a", "src/b", "src/c"].map(|folder| repo.path(folder));
    let names = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.') && name != ".git").collect()
}

#[test]
fn a_run_that_fails_leaves_the_files_of_the_run_before() {
    // Whichever of them it is that cannot be written.
    for stuck in WRITTEN {
        let repo = lettered();
        generate(&repo).unwrap();
        let others: Vec<&str> = WRITTEN.iter().copied().filter(|path| *path != stuck).collect();
        let texts = || others.iter().map(|path| repo.read(path)).collect::<Vec<_>>();
        let before = texts();
        for letter in ["a", "b", "c"] {
            repo.write(format!("src/{letter}/{letter}.ts"), format!("export const {letter}: string = '';\n"));
        }
        let kept = repo.read(stuck);
        repo.remove(stuck);
        std::fs::create_dir(repo.path(stuck)).unwrap();
        assert_eq!(generate(&repo).unwrap_err().code(), "not_writable", "{stuck}");
        assert_eq!(texts(), before, "{stuck}");
        assert_eq!(hidden(&repo), Vec::<String>::new());
        std::fs::remove_dir(repo.path(stuck)).unwrap();
        repo.write(stuck, kept);
        assert_eq!(generate(&repo).unwrap().files_written, 4);
        assert!(repo.read("src/a/context.json").contains("string"));
    }
}

#[test]
fn a_cycle_names_its_files_as_they_are_called_now() {
    let repo = TestRepo::new();
    repo.write("src/a.ts", "import { b } from './b';\nexport const a = () => b;\n");
    repo.write("src/b.ts", "import { a } from './a';\nexport const b = () => a;\n");
    let resident = engine(&repo);
    let cycles = || {
        let here = resident.context_generate(&ContextRequest::default()).unwrap().cycles;
        let fresh = generate(&repo).unwrap().cycles;
        assert_eq!(fresh, here);
        here.into_iter().flat_map(|cycle| cycle.files).collect::<Vec<_>>()
    };
    assert_eq!(cycles(), ["src/a.ts", "src/b.ts"]);
    // The same edges between as many files, in the same order.
    repo.remove("src/b.ts");
    repo.write("src/c.ts", "import { a } from './a';\nexport const b = () => a;\n");
    repo.write("src/a.ts", "import { b } from './c';\nexport const a = () => b;\n");
    assert_eq!(generate(&repo).unwrap().cycles[0].files, ["src/a.ts", "src/c.ts"]);
    assert_eq!(cycles(), ["src/a.ts", "src/c.ts"]);
}

#[test]
fn what_a_killed_run_left_is_cleared_away() {
    let repo = lettered();
    generate(&repo).unwrap();
    let site = engine(&repo).site(None).unwrap();
    let staging = staging::Staging::begin(&site, &site.folder(), &WRITTEN).unwrap();
    std::mem::forget(staging);
    for path in ["src/a/.context.json.0123456789abcdef.tmp", ".context_main.json.0123456789abcdef.tmp"] {
        repo.write(path, "[");
    }
    repo.write("src/b/.context.json.mine.tmp", "not ours");
    // Nothing else is to be done.
    assert_eq!(generate(&repo).unwrap().files_written, 0);
    assert_eq!(hidden(&repo), [".context.json.mine.tmp"]);
}

#[cfg(unix)]
#[test]
fn the_mode_of_a_file_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let repo = lettered();
    generate(&repo).unwrap();
    for path in WRITTEN {
        std::fs::set_permissions(repo.path(path), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    repo.write("src/a/a.ts", "export const a: string = '';\n");
    assert_eq!(generate(&repo).unwrap().files_written, 2);
    for path in WRITTEN {
        let mode = std::fs::metadata(repo.path(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
}

#[test]
fn an_orphan_can_be_removed_later() {
    let repo = lettered();
    repo.write(".gitignore", "context.json\ncontext_main.json\n");
    generate(&repo).unwrap();
    // Not of this project's own folders, and so nobody's orphan.
    let out = Some(repo.path("ctx"));
    engine(&repo).context_generate(&ContextRequest { out, ..ContextRequest::default() }).unwrap();
    repo.remove("src/b/b.ts");
    let compare = |approve: bool, clean_orphaned: bool| {
        let request = DriftRequest { approve, clean_orphaned, ..DriftRequest::default() };
        engine(&repo).context_compare(&request).unwrap().orphaned
    };
    assert_eq!(compare(true, false), ["src/b/context.json"]);
    assert_eq!(compare(false, false), ["src/b/context.json"]);
    generate(&repo).unwrap();
    assert_eq!(compare(true, true), ["src/b/context.json"]);
    assert!(!repo.path("src/b/context.json").exists());
    assert_eq!(compare(false, false), Vec::<String>::new());
    assert!(repo.path("ctx/src/b/context.json").exists());
}

#[test]
fn files_elsewhere_are_compared_and_approved_where_they_are() {
    let repo = lettered();
    let out = Some(repo.path("ctx"));
    engine(&repo).context_generate(&ContextRequest { out, ..ContextRequest::default() }).unwrap();
    assert!(!repo.path("context_main.json").exists());
    let compare = |baseline: &str, approve: bool| {
        let baseline = Some(baseline.to_owned());
        engine(&repo).context_compare(&DriftRequest { baseline, approve, ..DriftRequest::default() })
    };
    assert!(!compare("ctx", false).unwrap().has_drift());
    repo.write("src/a/a.ts", "export const a: string = '';\n");
    assert_eq!(compare("ctx", false).unwrap().breaking(), 1);
    assert_eq!(compare("ctx/context_main.json", true).unwrap().breaking(), 1);
    assert!(!compare("ctx", false).unwrap().has_drift());
    assert!(!repo.path("context_main.json").exists());
    assert_eq!(compare("src", false).unwrap_err().code(), "context_missing");
    assert_eq!(compare("files", false).unwrap_err().code(), "context_missing");
}

#[test]
fn a_watcher_keeps_its_runs_in_mind() {
    let repo = lettered();
    let following = engine(&repo);
    let mut watch = following.watch_context(&WatchContextRequest::default()).unwrap();
    let site = following.site(None).unwrap();
    let kept = || run::LastRun::that_wrote(&site, &site.folder()).map(|run| run.told.report.total_components);
    assert_eq!(kept(), Some(3));
    repo.write("src/a/more.ts", "export const more = 1;\n");
    let patience = std::time::Duration::from_secs(30);
    while kept() != Some(4) {
        assert!(watch.wait(patience).unwrap().is_some(), "{:?}", kept());
    }
    assert_eq!(generate(&repo).unwrap().files_written, 0);
    watch.close().unwrap();
}

#[test]
fn an_unchanged_project_needs_no_more_than_the_last_run_told() {
    let repo = lettered();
    // Longer than a tick, within which stamps are not believed.
    let settled = || std::thread::sleep(std::time::Duration::from_millis(60));
    for _ in ["written", "folders touched"] {
        settled();
        generate(&repo).unwrap();
    }
    settled();
    let cache = engine(&repo).site(None).unwrap().cache();
    let [parts] = becket_project::files::with_ending(&cache, "parts").try_into().unwrap();
    let whole = std::fs::read(&parts).unwrap();
    std::fs::write(&parts, "rubbish").unwrap();
    let report = generate(&repo).unwrap();
    assert_eq!((report.files_written, report.files_unchanged, report.files_parsed), (0, 4, 0));
    assert_eq!(std::fs::read_to_string(&parts).unwrap(), "rubbish", "nobody asked for it");
    // Neither rubbish nor the parts of another run are taken for those of the last one.
    repo.write("src/a/a.ts", "export const a: string = '';\n");
    assert_eq!(generate(&repo).unwrap().files_written, 2);
    assert_ne!(std::fs::read(&parts).unwrap(), whole);
    std::fs::write(&parts, whole).unwrap();
    repo.write("src/b/b.ts", "import { a } from '../a/a';\nexport const b: string = a;\n");
    let report = generate(&repo).unwrap();
    assert_eq!((report.files_written, report.files_removed, report.total_edges), (2, 1, 1), "{report}");
    let texts = || WRITTEN.map(|path| std::fs::read_to_string(repo.path(path)).ok());
    let made = texts();
    assert_eq!(
        engine(&repo)
            .context_generate(&ContextRequest { clean_cache: true, ..Default::default() })
            .unwrap()
            .files_written,
        0
    );
    assert_eq!(texts(), made);
}

#[test]
fn an_ignored_file_is_called_so() {
    let repo = lettered();
    repo.write("src/a/gone.ts", "export const gone = 1;\n");
    repo.write("src/a/a.ts", "import './gone';\nimport './nowhere';\nexport const a = 1;\n");
    repo.write(".stampignore", r#"{"ignore": ["src/a/gone.ts"]}"#);
    let report = generate(&repo).unwrap();
    let reasons: Vec<_> = report.missing.iter().map(|one| (&*one.name, &*one.reason)).collect();
    assert_eq!(reasons, [("./gone", "ignored or not there"), ("./nowhere", "file not found")]);
    assert!(engine(&repo).context_validate(None).unwrap().valid);
}

#[test]
fn names_of_files_are_drawn_as_they_are() {
    let files = vec!["src/<i>&lt;#1;\"`$$\\n.ts".to_owned()];
    let edges = Vec::new();
    let report =
        GraphReport { project_path: ".".to_owned(), files, edges, cycles: Vec::new(), roots: Vec::new() };
    let drawn = report.draw(GraphFormat::Mermaid);
    let label = "src/#60;i#62;#38;lt;#35;1;#34;#96;#36;#36;#92;n.ts";
    assert_eq!(drawn, format!("flowchart LR\n  f0[\"{label}\"]\n"));
    let drawn = report.draw(GraphFormat::Dot);
    assert!(drawn.contains(r#"  "src/<i>&amp;lt;#1;\"`$$\\n.ts";"#), "{drawn}");
}

#[test]
fn a_folder_has_one_name() {
    let repo = lettered();
    repo.write("src/top.ts", "export const top = 1;\n");
    let engine = engine(&repo);
    for (project_path, first) in [(None, "src"), (Some(repo.path("src").display().to_string()), "src")] {
        let request = RefreshRequest { project_path: project_path.clone(), ..RefreshRequest::default() };
        let refreshed = engine.refresh_snapshot(&request).unwrap();
        let source = SnapshotSource { snapshot_id: Some(refreshed.snapshot_id), project_path };
        let listed = engine.list_bundles(&ListBundlesRequest { source, folder_prefix: None }).unwrap();
        let folders: BTreeSet<&str> = listed.bundles.iter().map(|row| &*row.folder).collect();
        assert_eq!(folders, refreshed.folders.iter().map(|row| &*row.path).collect());
        assert!(folders.contains(first) && folders.contains("src/a"), "{folders:?}");
    }
}

#[test]
fn a_repository_in_the_tree_is_read_though_nobody_calls_it_a_submodule() {
    let repo = lettered();
    repo.git(["init", "--quiet", "nested"]);
    repo.write("nested/src/n.ts", "export const n: number = 1;\n");
    repo.git(["-C", "nested", "add", "."]);
    repo.git(["-C", "nested", "-c", "user.name=n", "-c", "user.email=n@host", "commit", "-qm", "n"]);
    repo.git(["-c", "advice.addEmbeddedRepo=false", "add", "nested"]);
    repo.commit("all");
    assert!(!repo.path(".gitmodules").exists());
    let compare = || {
        let baseline = Some("git:HEAD".to_owned());
        engine(&repo).context_compare(&DriftRequest { baseline, ..DriftRequest::default() }).unwrap()
    };
    assert!(!compare().has_drift(), "{}", compare().compared);
    repo.write("nested/src/n.ts", "export const n: string = '';\n");
    assert_eq!(compare().breaking(), 1);
}

#[test]
fn what_a_run_writes_leads_no_import_elsewhere() {
    let repo = TestRepo::new();
    repo.write("src/grid/grid.ts", "import { C } from './context';\nexport const grid = C;\n");
    repo.write("src/grid/context/index.ts", "export * from './c';\n");
    repo.write("src/grid/context/c.ts", "export const C = 1;\n");
    let engine = engine(&repo);
    let generate = || engine.context_generate(&ContextRequest::default()).unwrap();
    let first = generate();
    assert_eq!((first.total_components, first.bundles_compiled), (3, 1));
    assert!(repo.path("src/grid/context.json").exists());
    assert_eq!(generate().files_written, 0);
    repo.write("src/other.ts", "export const other = 1;\n");
    assert_eq!(generate().bundles_compiled, 2);
}

#[test]
fn a_cache_that_cannot_be_written_does_not_keep_others_from_being_written_to() {
    let repo = shop();
    // As little can be made in it as in a checkout that may only be read.
    repo.write(".git/becket", "");
    let out = repo.home().root().join("out");
    let elsewhere = ContextRequest { out: Some(out.clone()), ..ContextRequest::default() };
    for _ in 0..2 {
        engine(&repo).context_generate(&elsewhere).unwrap();
    }
    assert!(out.join("src/pages/context.json").is_file());
    assert!(!out.join(".becket/staged").exists(), "it is done");
    let here = engine(&repo).context_generate(&ContextRequest::default());
    assert_eq!(here.unwrap_err().code(), "not_writable");
    assert!(!repo.path(".becket").exists());
}
