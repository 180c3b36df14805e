//! Answers that are too large, and files that are somebody else's.

use std::fmt::Write;

use super::part::size;
use super::*;

/// Files that import one another in a chain and a star, each with some functions.
fn large(files: usize, functions: usize) -> TestRepo {
    let repo = TestRepo::new();
    repo.write("package.json", r#"{"name": "large"}"#);
    for number in 0..files {
        let mut text = String::new();
        for other in 0..number {
            writeln!(text, "import {{ f{other}x0 }} from './file{other:02}';").unwrap();
        }
        for at in 0..functions {
            let types = "value: string, count: number, names: readonly string[]";
            writeln!(
                text,
                "export function f{number}x{at}({types}): Record<string, number> {{ return {{}}; }}"
            )
            .unwrap();
        }
        repo.write(format!("src/file{number:02}.ts"), text);
    }
    repo
}

fn read(engine: &Engine, component: Option<&str>) -> ReadBundle {
    let request = ReadBundleRequest {
        bundle_path: "src/context.json".to_owned(),
        root_component: component.map(str::to_owned),
        ..ReadBundleRequest::default()
    };
    engine.read_bundle(&request).unwrap()
}

#[test]
fn a_bundle_that_is_cut_keeps_its_root_and_lists_all_that_went() {
    for limit in [8_000, 20_000, 60_000] {
        let repo = large(30, 12);
        repo.write("becket.toml", format!("[security]\nmax_bundle_size = {limit}\n"));
        let engine = engine(&repo);
        refresh(&engine);
        let answer = read(&engine, Some("file29"));
        let bundle = answer.bundle.unwrap();
        assert!(bundle.to_string().len() <= limit, "{}", bundle.to_string().len());
        let notice = answer.notice.unwrap();
        assert!(notice.contains(&format!("the limits are {limit} and 100000")), "{notice}");
        let names = |place: &str, field: &str| -> BTreeSet<String> {
            let rows = bundle.pointer(place).unwrap().as_array().unwrap().iter();
            rows.map(|row| row.get(field).unwrap_or(row).as_str().unwrap().to_owned()).collect()
        };
        let nodes = names("/graph/nodes", "entryId");
        assert!(nodes.contains("src/file29.ts"), "{nodes:?}");
        for edge in bundle["graph"]["edges"].as_array().unwrap() {
            assert!(
                edge.as_array().unwrap().iter().all(|end| nodes.contains(end.as_str().unwrap())),
                "{edge}"
            );
        }
        let cut = names("/meta/cut", "entryId");
        assert_eq!(nodes.len() + cut.len(), 30, "{nodes:?} {cut:?}");
    }
}

#[test]
fn a_bundle_may_be_as_large_as_its_own_limit_says() {
    let repo = large(12, 80);
    let engine = engine(&repo);
    refresh(&engine);
    let answer = read(&engine, Some("file11"));
    assert_eq!(answer.notice, None);
    let size = answer.bundle.unwrap().to_string().len();
    assert!(size > engine.max_output_bytes() && size < engine.max_bundle_answer_bytes(), "{size}");
}

#[test]
fn a_large_comparison_comes_in_parts() {
    let repo = large(40, 6);
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 20000\n");
    let engine = engine(&repo);
    refresh(&engine);
    for number in 0..40 {
        let path = format!("src/file{number:02}.ts");
        repo.write(&path, repo.read(&path).replace("value: string", "value: number"));
    }
    let (mut seen, mut cursor) = (BTreeSet::new(), None);
    loop {
        let request = CompareRequest { cursor, ..CompareRequest::default() };
        let part = engine.compare_snapshot(&request).unwrap();
        assert!(serde_json::to_string(&part).unwrap().len() <= 20_000);
        assert_eq!(part.result.summary.breaking, 40);
        assert!(part.cut.is_some());
        for change in part.result.folder_diffs.iter().flat_map(|folder| &folder.changes) {
            assert!(seen.insert(change.entry_id.clone()), "{}", change.entry_id);
        }
        cursor = part.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 40);
}

#[test]
fn a_search_that_finds_too_much_says_so() {
    let repo = large(40, 6);
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 10000\n");
    let request =
        SearchComponentsRequest { query: "f3x1".to_owned(), limit: Some(200), ..Default::default() };
    let found = engine(&repo).search_components(&request).unwrap();
    assert!(serde_json::to_string(&found).unwrap().len() <= 10_000);
    let request =
        SearchComponentsRequest { query: "file".to_owned(), limit: Some(200), ..Default::default() };
    let found = engine(&repo).search_components(&request).unwrap();
    assert!(found.notice.is_some() == (found.results.len() < found.total), "{:?}", found.notice);
    assert!(serde_json::to_string(&found).unwrap().len() <= 10_000);
}

/// Whatever the limit is, an answer keeps to it and says what it left out.
#[test]
fn answers_fit_into_little_room() {
    for limits in ["[mcp]\nmax_output_bytes = 2000\n", "[security]\nmax_tokens_per_request = 700\n"] {
        let repo = large(40, 6);
        for number in 0..60 {
            let text = format!("import './gone{number}';\nexport const a = 1;\n");
            repo.write(format!("lib/d{number}/a{number}.ts"), text);
            repo.write(format!("lib/d{number}/a.min.js"), "a\n");
        }
        repo.write("becket.toml", limits);
        let engine = engine(&repo);
        let most = engine.max_output_bytes();
        assert!(most <= 2_100, "{most}");
        let refreshed = refresh(&engine);
        assert!(size(&refreshed) <= most, "{}", size(&refreshed));
        assert!((1..60).contains(&refreshed.folders.len()), "{refreshed:?}");
        assert_eq!((refreshed.left_out_files, refreshed.left_out.is_empty()), (60, false));
        let notice = refreshed.notice.unwrap();
        assert!(notice.contains("61 folders, 60 missing dependencies and 60 sources"), "{notice}");
        let bundle = read(&engine, Some("file39"));
        assert!(bundle.notice.is_some() && size(&bundle) <= most + 600, "{}", size(&bundle));
        let index = ReadBundleRequest { bundle_path: "context_main.json".to_owned(), ..Default::default() };
        let index = engine.read_bundle(&index).unwrap();
        assert!(index.notice.is_some() && size(&index) <= most + 600, "{}", size(&index));
        let (mut texts, mut cursor) = (String::new(), None);
        loop {
            let part = engine.logicstamp_documents(&DocumentsRequest { cursor }).unwrap();
            assert!(size(&part) <= most, "{}", size(&part));
            texts.push_str(&part.text());
            assert_eq!(part.next_cursor.is_some(), part.notice.is_some());
            cursor = part.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert!(texts.contains("# LogicStamp for LLMs") && texts.contains("# Known Limitations"));
        repo.remove("becket.toml");
        let whole = super::engine(&repo).logicstamp_documents(&DocumentsRequest::default()).unwrap();
        let lines = |text: &str| text.lines().filter(|line| !line.is_empty()).count();
        assert_eq!((lines(&texts), whole.notice.as_deref()), (lines(&whole.text()), None));
        let foreign = DocumentsRequest { cursor: Some("usage:999999".to_owned()) };
        assert_eq!(engine.logicstamp_documents(&foreign).unwrap_err().code(), "invalid_cursor");
    }
}

#[test]
fn the_projects_own_files_of_these_names_are_left_alone() {
    let repo = shop();
    let own = "{\"hello\": 1}\n";
    repo.write("src/pages/context.json", own);
    let engine = engine(&repo);
    let refused = engine.context_generate(&ContextRequest::default()).unwrap_err();
    assert_eq!(refused.code(), "not_ours");
    assert!(refused.message().contains("src/pages/context.json"), "{}", refused.message());
    assert!(!repo.path("context_main.json").exists() && !repo.path("src/context.json").exists());
    let snapshot = refresh(&engine);
    assert!(snapshot.notice.unwrap().contains("src/pages/context.json"));
    repo.write("src/money.ts", format!("{MONEY}export const more = 1;\n"));
    assert_eq!(compare(&engine).result.status, "diff", "with the snapshot, though there is no index");
    repo.write("src/money.ts", MONEY);
    let elsewhere = ContextRequest { out: Some("ctx".into()), ..ContextRequest::default() };
    engine.context_generate(&elsewhere).unwrap();
    let cleaned = engine.context_clean(&CleanRequest { path: None, remove: true }).unwrap();
    assert!(!cleaned.files.iter().any(|file| file == "src/pages/context.json"), "{:?}", cleaned.files);
    assert_eq!(repo.read("src/pages/context.json"), own);
    repo.remove("src/pages/context.json");
    fs_err::create_dir_all(repo.path("src/pages/context.json")).unwrap();
    let snapshot = refresh(&engine);
    assert!(snapshot.notice.unwrap().contains("is not a file"));
    fs_err::remove_dir(repo.path("src/pages/context.json")).unwrap();
    repo.write("src/pages/context.json", "");
    engine.context_generate(&ContextRequest::default()).unwrap();
    assert!(repo.read("src/pages/context.json").contains("LogicStampBundle"));
}

#[test]
fn a_token_budget_is_kept_by_bundles_as_they_are_written() {
    const BUDGET: usize = 2_000;
    let repo = TestRepo::new();
    let leaf = |at| format!("import left from 'left-{at}';\nexport const value{at} = left({at});\n");
    for at in 0..60 {
        repo.write(format!("src/leaf_module_{at}.ts"), leaf(at));
    }
    let all = |from: usize, to: usize| {
        let import = |at| format!("import {{ value{at} }} from './leaf_module_{at}'; value{at};\n");
        (from..to).map(import).collect::<String>()
    };
    repo.write("src/many.ts", all(0, 60));
    repo.write("src/some.ts", all(0, 30));
    let choice = ContextChoice { token_budget: Some(BUDGET), ..ContextChoice::default() };
    engine(&repo).context_generate(&ContextRequest { choice, ..ContextRequest::default() }).unwrap();
    let bundles: Vec<serde_json::Value> = serde_json::from_str(&repo.read("src/context.json")).unwrap();
    let (mut several, mut named) = (0, BTreeSet::new());
    for bundle in &bundles {
        let nodes = bundle["graph"]["nodes"].as_array().unwrap();
        named.extend(nodes.iter().map(|node| node["entryId"].as_str().unwrap().to_owned()));
        if nodes.len() > 1 {
            several += 1;
            let tokens = becket_base::tokens::count(&bundle.to_string());
            assert!(tokens <= BUDGET, "{tokens} in {}", bundle["entryId"]);
        }
    }
    assert!(several > 0, "the budget leaves room for more than a root");
    assert_eq!(named.len(), 62, "every file is in a bundle");
}
