//! A tree that is followed while it is taken away, or while nothing can be written into it.

use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::Error;

const PATIENCE: Duration = Duration::from_secs(30);

/// The next thing that a watcher says.
fn next(watch: &mut ContextWatch<'_>) -> Result<Regenerated, Error> {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < PATIENCE, "the watcher says nothing");
        if let Some(regenerated) = watch.wait(Duration::from_millis(100))? {
            return Ok(regenerated);
        }
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn a_project_that_loses_every_file_is_followed_on() {
    let repo = shop();
    let engine = engine(&repo);
    let mut watch = engine.watch_context(&WatchContextRequest::default()).unwrap();
    std::fs::remove_dir_all(repo.path("src")).unwrap();
    repo.remove("context_main.json");
    let all = ["src/cart.ts", "src/money.ts", "src/pages/Page.tsx"];
    let mut gone = BTreeSet::new();
    while gone.len() < all.len() {
        gone.extend(next(&mut watch).unwrap().changed_files);
    }
    assert!(!repo.path("src").exists());
    repo.write("src/money.ts", MONEY);
    assert_eq!(next(&mut watch).unwrap().changed_files, ["src/money.ts"]);
    assert!(repo.read("context_main.json").contains("money.ts"));
}

#[test]
fn what_a_tool_made_beside_an_edit_is_followed_too() {
    let repo = TestRepo::new();
    repo.write(".gitignore", ".nuxt\n");
    repo.write("tsconfig.json", r#"{"extends": "./.nuxt/tsconfig.json"}"#);
    repo.write("src/a.ts", "export const a = 1;\n");
    repo.write("src/b.ts", "export { a } from '@/a';\n");
    let engine = engine(&repo);
    let mut watch = engine.watch_context(&WatchContextRequest::default()).unwrap();
    repo.write(".nuxt/tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["../src/*"]}}}"#);
    repo.write("src/a.ts", "export const a = 2;\n");
    let mut changed = BTreeSet::new();
    while changed.len() < 2 {
        changed.extend(next(&mut watch).unwrap().changed_files);
    }
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), ["src/a.ts", "src/b.ts"]);
}

#[test]
fn a_page_that_somebody_touched_is_written_again_with_the_next_edit_elsewhere() {
    let repo = TestRepo::new();
    for letter in ["a", "b", "c"] {
        repo.write(format!("src/{letter}/{letter}.ts"), format!("export const {letter}: number = 1;\n"));
    }
    let engine = engine(&repo);
    let mut watch = engine.watch_context(&WatchContextRequest::default()).unwrap();
    let page = "src/b/context.json";
    let bundle =
        |text: String| text.lines().nth(1).map(|line| line.split("\"createdAt\"").next().unwrap().to_owned());
    let whole = bundle(repo.read(page)).unwrap();
    for (round, touch) in [None, Some("[]")].into_iter().enumerate() {
        match touch {
            None => repo.remove(page),
            Some(text) => _ = repo.write(page, text),
        }
        repo.write("src/a/a.ts", format!("export const a: number = 1;\nexport const b{round} = 2;\n"));
        let told = next(&mut watch).unwrap();
        assert_eq!(told.changed_files, ["src/a/a.ts"]);
        assert_eq!(bundle(repo.read(page)).as_deref(), Some(&*whole), "{touch:?}");
        // The one that changed, the index over them, and the one that somebody touched.
        assert_eq!(told.files_written, 3, "{touch:?}");
        assert!(repo.read("src/a/context.json").contains(&format!("b{round}")));
    }
}

#[test]
fn what_somebody_did_to_context_files_is_put_right_without_an_edit() {
    let repo = shop();
    let engine = engine(&repo);
    let mut watch = engine.watch_context(&WatchContextRequest::default()).unwrap();
    let (page, index) = ("src/pages/context.json", "context_main.json");
    let whole = [page, index].map(|path| repo.read(path));
    for touch in
        [&|path: &str| repo.remove(path), &|path: &str| _ = repo.write(path, "[]")] as [&dyn Fn(&str); 2]
    {
        touch(page);
        touch(index);
        let told = next(&mut watch).unwrap();
        assert!(told.changed_files.is_empty() && told.comparison.files.is_empty());
        assert!(told.files_written > 0);
        // In two bursts perhaps.
        let started = Instant::now();
        while [page, index]
            .map(|path| repo.path(path).metadata().map_or(0, |it| it.len()))
            .iter()
            .any(|it| *it < 9)
        {
            assert!(started.elapsed() < PATIENCE);
            _ = watch.wait(Duration::from_millis(100)).unwrap();
        }
    }
    // Nor does it follow what it writes itself.
    for _ in 0..5 {
        assert!(watch.wait(Duration::from_millis(100)).unwrap().is_none());
    }
    repo.write("src/money.ts", MONEY);
    assert_eq!([page, index].map(|path| undated(&repo.read(path))), whole.map(|text| undated(&text)));
}

#[test]
fn what_a_watcher_says_of_itself_is_said_again_when_it_is_lost() {
    let repo = shop();
    let engine = engine(&repo);
    let request = WatchContextRequest { strict: true, log: true, ..WatchContextRequest::default() };
    let mut watch = engine.watch_context(&request).unwrap();
    let said = ["context_watch-status.json", "strict_watch_violations.json"]
        .map(|name| format!(".logicstamp/{name}"));
    let before = said.clone().map(|path| repo.read(path));
    std::fs::remove_dir_all(repo.path(".logicstamp")).unwrap();
    let active = || engine.watch_status(&WatchRequest::default()).unwrap().watch_mode_active;
    assert!(active(), "it goes on watching");
    assert!(watch.wait(Duration::from_millis(10)).unwrap().is_none());
    assert_eq!(said.map(|path| repo.read(path)), before);
    assert!(active());
    std::fs::remove_dir_all(repo.path(".logicstamp")).unwrap();
    repo.write("src/money.ts", MONEY.replace("number", "bigint"));
    next(&mut watch).unwrap();
    assert!(repo.path(".logicstamp/context_watch-mode-logs.json").exists());
    watch.close().unwrap();
    assert!(!active());
}

fn undated(text: &str) -> String {
    let parts = text.split("\"createdAt\":").enumerate();
    parts.map(|(at, part)| if at == 0 { part } else { part.split_once(',').unwrap().1 }).collect()
}

#[test]
fn what_could_not_be_written_is_tried_again_and_told_then() {
    let repo = shop();
    let engine = engine(&repo);
    let request = WatchContextRequest { strict: true, log: true, ..WatchContextRequest::default() };
    let mut watch = engine.watch_context(&request).unwrap();
    let stuck = "src/pages/context.json";
    repo.remove(stuck);
    std::fs::create_dir(repo.path(stuck)).unwrap();
    repo.write("src/money.ts", MONEY.replace("amount: Cents", "amount: Cents, currency: string"));
    assert_eq!(next(&mut watch).unwrap_err().code(), "not_writable");
    // The same is not said again, and another edit comes to it.
    for _ in 0..15 {
        assert!(watch.wait(Duration::from_millis(100)).unwrap().is_none());
    }
    repo.write("src/cart.ts", format!("{CART}export const empty = true;\n"));
    assert!(watch.wait(Duration::from_millis(300)).unwrap().is_none());
    std::fs::remove_dir(repo.path(stuck)).unwrap();
    // Without another edit.
    let told = next(&mut watch).unwrap();
    assert_eq!(told.changed_files, ["src/cart.ts", "src/money.ts"]);
    let verdicts: Vec<_> =
        told.comparison.files.iter().map(|file| (&*file.entry_id, file.verdict.as_str())).collect();
    assert_eq!(verdicts, [("src/cart.ts", "compatible"), ("src/money.ts", "breaking")]);
    assert!(repo.read(stuck).contains("currency"));
    let strict = told.strict.unwrap();
    assert_eq!((strict.regeneration_count, strict.total_errors_detected), (1, 1));
    let log = repo.read(".logicstamp/context_watch-mode-logs.json");
    assert_eq!(log.matches("\"timestamp\"").count(), 2, "{log}");
    // And with the edits taken back meanwhile there is nothing to tell.
    repo.remove(stuck);
    std::fs::create_dir(repo.path(stuck)).unwrap();
    let written = repo.read("src/money.ts");
    repo.write("src/money.ts", MONEY);
    assert_eq!(next(&mut watch).unwrap_err().code(), "not_writable", "as it was not, since");
    repo.write("src/money.ts", written);
    std::fs::remove_dir(repo.path(stuck)).unwrap();
    let started = Instant::now();
    while !repo.path(stuck).exists() {
        assert!(started.elapsed() < PATIENCE);
        assert!(watch.wait(Duration::from_millis(100)).unwrap().is_none());
    }
}

#[test]
fn a_folder_that_goes_while_it_is_written_does_not_come_back() {
    let repo = shop();
    let engine = engine(&repo);
    let options = engine.context_options(&ContextChoice::default()).unwrap();
    let reading = engine.reading(None, options, false).unwrap();
    let folder = reading.site.folder();
    let _lock = session::output_lock(&reading.site, &folder).unwrap();
    let pages = engine.pages(&reading, &folder);
    std::fs::remove_dir_all(repo.path("src/pages")).unwrap();
    engine.write_pages(&reading, &pages, &folder).unwrap();
    assert!(!repo.path("src/pages").exists());
    assert!(repo.path("context_main.json").is_file());
    // Nor is anything put into one that is being emptied.
    std::fs::create_dir(repo.path("src/pages")).unwrap();
    engine.write_pages(&reading, &pages, &folder).unwrap();
    assert!(names_in(&repo.path("src/pages")).is_empty());
    // Elsewhere folders are made, as nobody else makes them.
    let out = repo.home().root().join("out");
    engine.context_generate(&ContextRequest { out: Some(out.clone()), ..ContextRequest::default() }).unwrap();
    assert!(out.join("src/context.json").is_file());
}

#[test]
fn a_repository_that_is_gone_is_missing_and_does_not_come_back() {
    let repo = shop();
    let engine = engine(&repo);
    refresh(&engine);
    let refused = || {
        let code = |error: Error| error.code();
        assert_eq!(
            engine.refresh_snapshot(&RefreshRequest::default()).map_err(code).unwrap_err(),
            "repository_missing"
        );
        let compared = engine.compare_snapshot(&CompareRequest::default());
        assert_eq!(compared.map_err(code).unwrap_err(), "repository_missing");
        let generated = engine.context_generate(&ContextRequest::default());
        assert_eq!(generated.map_err(code).unwrap_err(), "repository_missing");
        let named = RefreshRequest {
            project_path: Some(repo.root().display().to_string()),
            ..RefreshRequest::default()
        };
        if !repo.root().exists() {
            assert_eq!(engine.refresh_snapshot(&named).map_err(code).unwrap_err(), "repository_missing");
        }
        assert_eq!(engine.begin_drift().map_err(code).unwrap_err(), "repository_missing");
    };
    // What is under way when it happens comes to no end either.
    let site = engine.site(None).unwrap();
    let options = engine.context_options(&ContextChoice::default()).unwrap();
    let reading = engine.reading(None, options, false).unwrap();
    let git = repo.path(".git");
    let aside = repo.home().root().join("aside");
    std::fs::rename(&git, &aside).unwrap();
    refused();
    assert!(!git.exists());
    std::fs::rename(&aside, &git).unwrap();
    refresh(&engine);

    std::fs::rename(repo.root(), &aside).unwrap();
    refused();
    assert!(session::output_lock(&site, &site.folder()).is_err());
    let pages = engine.pages(&reading, &site.folder());
    assert_eq!(engine.write_pages(&reading, &pages, &site.folder()).unwrap_err().code(), "not_writable");
    reading.index.save(&site::place(&site, options.tests));
    assert!(!repo.root().exists());
    std::fs::rename(&aside, repo.root()).unwrap();
    refresh(&engine);
}

#[test]
fn strictly_what_breaks_is_an_error_and_what_is_private_is_none() {
    let (both, first) = ("export const K: number = 1;\n", "export const L: number = 2;\n");
    let repo = TestRepo::new();
    repo.write("src/k.ts", format!("{both}{first}"));
    repo.write("src/use.ts", "import { K } from './k';\nexport const used = K;\n");
    repo.write("src/p.ts", "function priv() {}\nexport function open(): void {\n  priv();\n}\n");
    repo.write("src/Card.tsx", "export function Card({ x }: { x?: string }) {\n  return <b>{x}</b>;\n}\n");
    let engine = engine(&repo);
    let request = WatchContextRequest { strict: true, ..WatchContextRequest::default() };
    let mut watch = engine.watch_context(&request).unwrap();
    let mut edit = |path: &str, text: &str| {
        repo.write(path, text);
        let report = next(&mut watch).unwrap().strict.unwrap();
        let detected = (report.total_errors_detected, report.total_warnings_detected);
        (report.cumulative_errors, report.cumulative_warnings, detected, report.resolved_count)
    };
    assert_eq!(
        edit("src/p.ts", "export function open(): void {}\n"),
        (0, 1, (0, 1), 0),
        "a private function"
    );
    assert_eq!(edit("src/k.ts", first), (1, 2, (1, 2), 0), "a constant that is used elsewhere");
    let card = "export function Card({ x }: { x: string }) {\n  return <b>{x}</b>;\n}\n";
    assert_eq!(edit("src/Card.tsx", card), (2, 3, (2, 3), 0), "a prop that is required now");
    assert_eq!(edit("src/k.ts", both), (2, 3, (3, 4), 2), "one mended and one new");
    assert_eq!(edit("src/k.ts", &format!("{both}{first}")), (1, 2, (3, 4), 4), "the rest is still there");
}

#[test]
fn strictly_each_prop_that_breaks_is_an_error_of_its_own() {
    let two = |one: &str, other: &str| {
        format!(
            "export function Card(p: {{ {one} }}) {{\n  return <b>{{p.id}}</b>;\n}}\n\
             export function Row(p: {{ {other} }}) {{\n  return <i>{{p.id}}</i>;\n}}\n"
        )
    };
    let repo = TestRepo::new();
    let (card, row) = (
        "id: string; tone?: string; size?: string; wide?: boolean",
        "id: string; label: string; tone: string",
    );
    repo.write("src/Card.tsx", two(card, row));
    let engine = engine(&repo);
    let request = WatchContextRequest { strict: true, ..WatchContextRequest::default() };
    let mut watch = engine.watch_context(&request).unwrap();
    let mut edit = |card: &str, row: &str| {
        repo.write("src/Card.tsx", two(card, row));
        let report = next(&mut watch).unwrap().strict.unwrap();
        let found = report.last_check.map(|check| check.violations).unwrap_or_default();
        let errors = found.into_iter().filter(|one| one.severity == ViolationSeverity::Error);
        (
            errors.map(|one| one.message).collect::<Vec<_>>(),
            report.total_errors_detected,
            report.resolved_count,
        )
    };
    assert_eq!(
        edit("id: string; tone?: string; size?: string", row),
        (vec!["prop `wide` was removed".to_owned()], 1, 0)
    );
    let (errors, detected, resolved) = edit("id: string; size: string", row);
    assert_eq!(
        errors,
        [
            "prop `wide` was removed",
            "component Card: the prop `size` is required now",
            "component Card: the prop `tone` was removed"
        ]
    );
    assert_eq!((detected, resolved), (3, 0));
    // The other component of the file loses what the first one still has, so that no name is gone from it.
    let (errors, detected, _) = edit("id: string; size: string", "label: string; tone: string");
    assert_eq!(errors.last().map(String::as_str), Some("component Row: the prop `id` was removed"));
    assert_eq!((errors.len(), detected), (4, 4));
    let (errors, detected, _) = edit(card, row);
    assert_eq!((errors.len(), detected), (0, 4));
}

#[test]
fn strictly_a_file_that_is_ignored_now_is_not_gone() {
    let repo = shop();
    let engine = engine(&repo);
    let request = WatchContextRequest { strict: true, ..WatchContextRequest::default() };
    let mut watch = engine.watch_context(&request).unwrap();
    repo.write(".gitignore", "src/cart.ts\n");
    let told = next(&mut watch).unwrap();
    assert!(told.changed_files.iter().any(|file| file == "src/cart.ts"));
    let strict = told.strict.unwrap();
    assert_eq!((strict.cumulative_errors, strict.cumulative_warnings), (0, 0), "{strict:?}");
    repo.write(".gitignore", "");
    next(&mut watch).unwrap();
    repo.remove("src/cart.ts");
    assert_eq!(next(&mut watch).unwrap().strict.unwrap().cumulative_errors, 1);
}
