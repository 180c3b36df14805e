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

/// All parts of the bundle of a component.
fn parts(engine: &Engine, component: &str) -> Vec<ReadBundle> {
    let (mut parts, mut cursor) = (Vec::new(), None);
    loop {
        let request = ReadBundleRequest {
            bundle_path: "src/context.json".to_owned(),
            root_component: Some(component.to_owned()),
            cursor,
            ..ReadBundleRequest::default()
        };
        let mut part = engine.read_bundle(&request).unwrap();
        cursor = part.next_cursor.take();
        parts.push(part);
        if cursor.is_none() {
            return parts;
        }
    }
}

/// What a list of a bundle names.
fn names(bundle: &serde_json::Value, place: &str) -> Vec<String> {
    let rows = bundle.pointer(place).and_then(serde_json::Value::as_array).into_iter().flatten();
    rows.map(|row| row.get("entryId").unwrap_or(row).to_string()).collect()
}

#[test]
fn a_bundle_that_is_too_large_comes_in_parts_from_its_root_on() {
    for limit in [8_000, 20_000, 60_000] {
        let repo = large(30, 12);
        repo.write("becket.toml", format!("[security]\nmax_bundle_size = {limit}\n"));
        let engine = engine(&repo);
        refresh(&engine);
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for part in parts(&engine, "file29") {
            assert!(size(&part) <= limit, "{}", size(&part));
            let notice = part.notice.unwrap();
            assert!(notice.contains(&format!("the limits are {limit} and 100000")), "{notice}");
            assert!(!notice.contains("Cut inside"), "{notice}");
            let bundle = part.bundle.unwrap();
            nodes.extend(names(&bundle, "/graph/nodes"));
            edges.extend(names(&bundle, "/graph/edges"));
        }
        assert_eq!(nodes[0], "\"src/file29.ts\"");
        assert_eq!((nodes.len(), edges.len()), (30, 29 * 30 / 2));
        nodes.sort();
        nodes.dedup();
        edges.sort();
        edges.dedup();
        assert_eq!((nodes.len(), edges.len()), (30, 29 * 30 / 2), "each is told once");
    }
}

#[test]
fn a_large_barrel_tells_all_nodes_before_what_it_leaves_out() {
    let repo = TestRepo::new();
    let mut barrel = String::new();
    for number in 0..600 {
        repo.write(format!("src/icon{number:03}.ts"), format!("export const icon{number}: string = 'x';\n"));
        writeln!(barrel, "export * from './icon{number:03}';").unwrap();
    }
    repo.write("src/index.ts", barrel);
    repo.write("becket.toml", "[security]\nmax_bundle_size = 60000\n");
    let engine = engine(&repo);
    refresh(&engine);
    let parts = parts(&engine, "index");
    let all = |place: &str| -> Vec<String> {
        parts.iter().flat_map(|part| names(part.bundle.as_ref().unwrap(), place)).collect()
    };
    let (nodes, cut) = (all("/graph/nodes"), all("/meta/cut"));
    assert_eq!((nodes.len(), nodes.len() + cut.len(), all("/graph/edges").len()), (100, 601, 99));
    let known: BTreeSet<String> = nodes.into_iter().chain(cut).collect();
    assert_eq!(known.len(), 601);
    let first = parts[0].bundle.as_ref().unwrap();
    assert_eq!(names(first, "/graph/nodes")[0], "\"src/index.ts\"");
    assert!(names(first, "/graph/nodes").len() > 20);
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 1024\n");
    let little = read(&super::engine(&repo), Some("index"));
    let notice = little.notice.clone().unwrap();
    assert!(size(&little) <= 2_000, "{} {notice}", size(&little));
    assert!(notice.contains("Cut inside of src/index.ts: ") && notice.contains(" of 600 at /"), "{notice}");
    assert!(little.next_cursor.is_some());
}

#[test]
fn a_cursor_that_is_of_no_bundle_is_refused() {
    let repo = large(3, 2);
    let engine = engine(&repo);
    refresh(&engine);
    for (path, component) in
        [("src/context.json", Some("file02")), ("src/context.json", None), ("context_main.json", None)]
    {
        for cursor in ["garbage", "", "\0", &"x".repeat(100_000)] {
            let request = ReadBundleRequest {
                bundle_path: path.to_owned(),
                root_component: component.map(str::to_owned),
                cursor: Some(cursor.to_owned()),
                ..ReadBundleRequest::default()
            };
            let error = engine.read_bundle(&request).unwrap_err();
            assert_eq!(error.code(), "invalid_cursor", "{path} {component:?}");
        }
    }
}

#[test]
fn a_large_change_of_one_file_comes_in_parts() {
    let types = |of: &str| {
        let declared = |at| format!("export interface Type{at} {{ id: {of} }}\n");
        (0..400).map(declared).collect::<String>()
    };
    let repo = TestRepo::new();
    repo.write("src/gen.ts", types("string"));
    repo.write(
        "src/use.ts",
        "import type { Type390 } from './gen';\nexport const f = (one: Type390): void => {};\n",
    );
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 8000\n");
    let engine = engine(&repo);
    refresh(&engine);
    repo.write("src/gen.ts", types("number"));
    let first = engine.compare_snapshot(&CompareRequest::default()).unwrap();
    for again in [false, true] {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let part = if again {
                engine.last_compare_result(&LastCompareRequest { cursor, ..Default::default() }).unwrap()
            } else if cursor.is_none() {
                first.clone()
            } else {
                engine.compare_snapshot(&CompareRequest { cursor, ..Default::default() }).unwrap()
            };
            assert!(size(&part) <= 8_000, "{}", size(&part));
            let changes = part.result.folder_diffs.into_iter().flat_map(|folder| folder.changes);
            seen.extend(changes.filter(|one| one.entry_id == "src/gen.ts").flat_map(|one| one.declarations));
            cursor = part.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let names: BTreeSet<&str> = seen.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((seen.len(), names.len()), (400, 400));
        assert!(seen.iter().all(|one| one.before != one.after && !one.after.is_empty()));
        let used = seen.iter().find(|one| one.name == "Type390").unwrap();
        assert_eq!(used.used_by, ["src/use.ts"]);
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
    for limits in ["[mcp]\nmax_output_bytes = 2700\n", "[security]\nmax_tokens_per_request = 700\n"] {
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
        // Tokens are counted of the bundles alone.
        let (bundle, around) = if limits.contains("tokens") { (2_100, 600) } else { (most, 0) };
        for part in parts(&engine, "file39") {
            assert!(part.notice.is_some() && size(&part.bundle) <= bundle, "{}", size(&part.bundle));
            assert!(size(&part) <= bundle + around, "{}", size(&part));
        }
        let index = ReadBundleRequest { bundle_path: "context_main.json".to_owned(), ..Default::default() };
        let index = engine.read_bundle(&index).unwrap();
        assert!(index.notice.is_some() && size(&index) <= bundle + around, "{}", size(&index));
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
    // In another encoding it is no less theirs.
    let encoded = b"{\"caf\xe9\": 1}\n";
    repo.write("src/pages/context.json", encoded);
    let refused = engine.context_generate(&ContextRequest::default()).unwrap_err();
    assert_eq!(refused.code(), "not_ours");
    assert_eq!(fs_err::read(repo.path("src/pages/context.json")).unwrap(), encoded);
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
