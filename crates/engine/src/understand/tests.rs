//! Real projects in real folders; the engine as a face calls it.
#![allow(clippy::disallowed_methods, reason = "tests make repositories and files")]

mod again;
mod barrels;
mod checked;
mod drift;
mod kept;
mod led;
mod limits;
mod trust;
mod watched;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use becket_testing::TestRepo;

use super::*;
use crate::{Engine, Environment, OpenOptions};

const MONEY: &str = "/** An amount in cents. */\nexport type Cents = number;\n\nexport function format(amount: Cents): string {\n  return String(amount);\n}\n";
const CART: &str = "import { format, type Cents } from './money.js';\nexport function total(prices: Cents[]): string {\n  return format(prices[0] ?? 0);\n}\n";
const PAGE: &str = "import { useState } from 'react';\nimport { total } from '../cart';\nexport interface PageProps { title: string; onPaid?: (id: number) => void }\nexport function Page({ title, onPaid }: PageProps) {\n  const [busy, setBusy] = useState(false);\n  return <button onClick={() => { setBusy(true); onPaid?.(1); }}>{title}{total([])}</button>;\n}\n";

fn shop() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("package.json", r#"{"name": "shop", "dependencies": {"react": "^18.0.0"}}"#);
    repo.write("src/money.ts", MONEY);
    repo.write("src/cart.ts", CART);
    repo.write("src/pages/Page.tsx", PAGE);
    repo
}

fn engine(repo: &TestRepo) -> Engine {
    Engine::open(Environment::new(repo.root()), OpenOptions::default())
}

fn refresh(engine: &Engine) -> Refreshed {
    engine.refresh_snapshot(&RefreshRequest::default()).unwrap()
}

fn compare(engine: &Engine) -> Compared {
    engine.compare_snapshot(&CompareRequest::default()).unwrap()
}

#[test]
fn a_bundle_is_read_by_the_name_that_it_is_listed_by() {
    let repo = TestRepo::new();
    repo.write("s/Card.ts", "export const c = 1;");
    repo.write("s/Card.tsx", "import { c } from './Card.ts'; export const Card = () => <i>{c}</i>;");
    repo.write("s/util.ts", "export const u = 1;");
    repo.write("s/util.mjs", "export const u = 1;");
    repo.write("s/alone.ts", "export const alone = 1;");
    let engine = engine(&repo);
    refresh(&engine);
    let listed = engine.list_bundles(&ListBundlesRequest::default()).unwrap().bundles;
    let names: Vec<&str> = listed.iter().map(|row| row.root_component.as_str()).collect();
    assert_eq!(names, ["Card.tsx", "alone", "util.mjs", "util.ts"]);
    let read = |component: &str| {
        let request = ReadBundleRequest {
            bundle_path: "s/context.json".to_owned(),
            root_component: Some(component.to_owned()),
            ..ReadBundleRequest::default()
        };
        engine.read_bundle(&request).unwrap().bundle.unwrap()["entryId"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    for row in &listed {
        assert_eq!(read(&row.root_component), row.file_path);
    }
    assert_eq!(read("Card"), "s/Card.tsx", "the one that a bundle begins with");
}

#[test]
fn refresh_list_read_edit_compare() {
    let repo = shop();
    let engine = engine(&repo);
    let snapshot = refresh(&engine);
    assert_eq!(snapshot.summary.total_components, 3);
    assert!(repo.path("context_main.json").is_file() && repo.path("src/pages/context.json").is_file());

    let list = |folder: &str| {
        let source = SnapshotSource { snapshot_id: Some(snapshot.snapshot_id.clone()), project_path: None };
        engine.list_bundles(&ListBundlesRequest { source, folder_prefix: Some(folder.to_owned()) }).unwrap()
    };
    let listed = list("src/pages");
    assert_eq!(listed.total_bundles, 1);
    assert_eq!(listed.bundles[0].root_component, "Page");
    assert_eq!(listed.bundles[0].bundle_path, "src/pages/context.json");

    let read = |component: Option<&str>, path: &str| {
        engine.read_bundle(&ReadBundleRequest {
            bundle_path: path.to_owned(),
            root_component: component.map(str::to_owned),
            ..ReadBundleRequest::default()
        })
    };
    for spelling in ["src\\pages", "./src/pages/", "/src/pages"] {
        assert_eq!(list(spelling).bundles.len(), listed.bundles.len(), "{spelling}");
    }
    assert_eq!(list("src/page").total_bundles, 0);
    assert!(read(None, "src\\pages\\context.json").is_ok());
    let bundle = read(Some("Page"), "src/pages/context.json").unwrap().bundle.unwrap();
    assert_eq!(bundle["entryId"], "src/pages/Page.tsx");
    let nodes = bundle["graph"]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 3, "{bundle}");
    assert_eq!(bundle["meta"]["missing"][0]["packageVersion"], "^18.0.0");
    // Not a root, and read all the same.
    assert_eq!(read(Some("money"), "src/context.json").unwrap().bundle.unwrap()["entryId"], "src/money.ts");
    assert_eq!(read(Some("monye"), "src/context.json").unwrap_err().code(), "unknown_component");
    // By what the file declares, and told where it is otherwise.
    assert_eq!(read(Some("format"), "src/context.json").unwrap().bundle.unwrap()["entryId"], "src/money.ts");
    let elsewhere = read(Some("format"), "src/pages/context.json").unwrap_err();
    assert_eq!(elsewhere.code(), "unknown_component");
    assert!(elsewhere.hint().is_some_and(|hint| hint.contains("`src/context.json`")), "{elsewhere:?}");
    assert_eq!(read(None, "../other/context.json").unwrap_err().code(), "unknown_bundle_path");
    let folder = read(None, "src/context.json").unwrap();
    assert!(folder.bundles.is_some_and(|bundles| bundles.is_empty()));
    assert!(folder.notice.is_some_and(|notice| notice.contains("cart, money")), "it says where they are");
    assert!(read(None, "context_main.json").unwrap().index.is_some());

    assert_eq!((compare(&engine).result.status.as_str(), compare(&engine).notice), ("pass", None));
    repo.write("src/money.ts", MONEY.replace("return String(amount)", "// rounded\n  return `${amount}`"));
    assert_eq!(compare(&engine).result.status, "pass", "a body is no promise");
    repo.write("src/money.ts", MONEY.replace("(amount: Cents)", "(amount: Cents, currency: string)"));
    let compared = compare(&engine);
    assert_eq!((compared.result.status.as_str(), compared.result.summary.breaking), ("diff", 1));
    let change = &compared.result.folder_diffs[0].changes[0];
    assert_eq!((change.root_component.as_str(), change.kind.as_str()), ("money", "props_signature_changed"));
    assert_eq!(change.details.modified_exports, ["format"]);
    assert_eq!(change.declarations[0].used_by, ["src/cart.ts"]);
    assert_eq!(engine.last_compare_result(&LastCompareRequest::default()).unwrap().result, compared.result);

    // The snapshot is what it was.
    let bundle = read(Some("money"), "src/context.json").unwrap().bundle.unwrap();
    assert!(!bundle.to_string().contains("currency"));
}

#[test]
fn private_functions_and_imports_are_a_diff_with_details() {
    let repo = shop();
    let engine = engine(&repo);
    refresh(&engine);
    let with_helper = format!(
        "import {{ join }} from 'node:path';\n{MONEY}\nfunction helper() {{ return join('a'); }}\nhelper();\n"
    );
    repo.write("src/money.ts", with_helper);
    let compared = compare(&engine);
    let change = &compared.result.folder_diffs[0].changes[0];
    assert_eq!(change.kind, "uif_contract_changed");
    assert_eq!(change.semantic_hash_before, change.semantic_hash_after);
    assert_eq!(change.details.added_functions, ["helper"]);
    assert_eq!(change.details.added_imports, ["node:path"]);
    assert_eq!(compared.result.summary.internal, 1);
}

#[test]
fn a_commit_is_a_baseline_without_a_checkout() {
    let repo = shop();
    repo.commit("a shop");
    let engine = engine(&repo);
    let git = |revision: &str| {
        engine.compare_snapshot(&CompareRequest {
            baseline: Some(format!("git:{revision}")),
            ..CompareRequest::default()
        })
    };
    assert_eq!(git("HEAD").unwrap().result.status, "pass");
    repo.write("src/cart.ts", CART.replace("): string", "): number"));
    repo.remove("src/pages/Page.tsx");
    let compared = git("HEAD").unwrap();
    assert_eq!((compared.result.summary.breaking, compared.result.summary.removed_folders), (2, 1));
    assert_eq!(git("nowhere").unwrap_err().code(), "unknown_revision");
    assert!(!repo.path("context_main.json").exists(), "nothing is written");
}

#[test]
fn a_commit_is_read_with_its_submodules_and_as_sparse_as_the_tree() {
    let repo = shop();
    let library = TestRepo::new();
    library.write("src/rounding.ts", "export const rounding: number = 2;\n");
    library.commit("a library");
    let module = repo.submodule("vendor/library", &library);
    repo.write("apart/unseen.ts", "export const unseen = 1;\n");
    repo.write("src/vendored.ts", "export { rounding } from '../vendor/library/src/rounding';\n");
    repo.commit("a shop");
    let status = |repo: &TestRepo| {
        let baseline = Some("git:HEAD".to_owned());
        let compared =
            engine(repo).compare_snapshot(&CompareRequest { baseline, ..CompareRequest::default() }).unwrap();
        (compared.result.status, compared.result.summary.breaking)
    };
    assert_eq!(status(&repo), ("pass".to_owned(), 0));
    module.write("src/rounding.ts", "export const rounding: string = '2';\n");
    assert_eq!(status(&repo), ("diff".to_owned(), 1));
    module.git(["checkout", "-q", "."]);
    repo.git(["sparse-checkout", "set", "src"]);
    assert!(!repo.path("apart/unseen.ts").exists());
    assert_eq!(status(&repo), ("pass".to_owned(), 0));
}

#[test]
fn a_missing_index_is_told_in_the_words_of_the_seed() {
    let repo = shop();
    let engine = engine(&repo);
    let error = engine.compare_snapshot(&CompareRequest::default()).unwrap_err();
    assert_eq!(error.code(), "context_missing");
    assert!(error.message().contains("Run 'stamp context' or 'logicstamp_refresh_snapshot' first"));
    let regenerated = engine.compare_snapshot(&CompareRequest {
        force_regenerate: true,
        baseline: Some("git:HEAD".to_owned()),
        ..CompareRequest::default()
    });
    assert_eq!(regenerated.unwrap_err().code(), "unknown_revision");
    let anew = CompareRequest { force_regenerate: true, ..CompareRequest::default() };
    assert_eq!(engine.compare_snapshot(&anew).unwrap_err().code(), "no_snapshot");
    repo.git(["add", "--all"]);
    repo.git(["commit", "-q", "-m", "Begin"]);
    repo.write("src/new.ts", "export const added = 1;\n");
    let compared = engine.compare_snapshot(&anew).unwrap();
    assert!(
        compared.notice.as_ref().is_some_and(|notice| notice.contains("the last commit")),
        "{compared:?}"
    );
    assert_eq!(compared.result.status, "diff");
    assert!(repo.path("context_main.json").is_file());
}

#[test]
fn every_file_is_in_a_bundle_and_every_file_written_is_valid() {
    let repo = shop();
    repo.write("src/loop/a.ts", "import { b } from './b';\nexport const a = b;\n");
    repo.write("src/loop/b.ts", "import { a } from './a';\nexport const b = a;\n");
    for depth in 1..6 {
        let next = depth + 1;
        repo.write(
            format!("src/chain/l{depth}.ts"),
            format!("import {{ l{next} }} from './l{next}';\nexport const l{depth} = l{next};\n"),
        );
    }
    repo.write("src/chain/l6.ts", "export const l6 = 1;\n");
    repo.write("src/broken.tsx", "export function Broken({ a: number }: { a: number }) { return <div>; }\n");
    let engine = engine(&repo);
    for (format, schema) in
        [("json", "0.3"), ("json", "0.4"), ("pretty", "0.3"), ("ndjson", "0.3"), ("toon", "0.3")]
    {
        for mode in ["none", "header", "full"] {
            let choice = ContextChoice {
                format: Some(format.to_owned()),
                schema: Some(schema.to_owned()),
                mode: Some(mode.to_owned()),
                include_style: true,
                ..ContextChoice::default()
            };
            let report =
                engine.context_generate(&ContextRequest { choice, ..ContextRequest::default() }).unwrap();
            assert_eq!(report.total_components, 12);
            assert_eq!(report.cycles.len(), 1);
            let validated = engine.context_validate(None).unwrap();
            assert!(validated.valid, "{format} {schema} {mode}: {:?}", validated.files);
            if format == "toon" {
                assert!(!repo.path("src/context.json").exists(), "older files of ours are gone");
                continue;
            }
            let seen: BTreeSet<String> =
                super::written::contracts_in(repo.root(), "").unwrap().contracts.into_keys().collect();
            assert_eq!(seen.len(), 12, "{seen:?}");
        }
    }
}

#[test]
fn how_far_the_reading_is_is_told() {
    let repo = TestRepo::new();
    for number in 0..130 {
        repo.write(format!("src/part{number}.ts"), format!("export const part{number} = {number};\n"));
    }
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener: crate::progress::Listener = {
        let heard = Arc::clone(&heard);
        Arc::new(move |progress| heard.lock().unwrap().push((progress.phase, progress.done, progress.total)))
    };
    let run = || engine(&repo).context_generate(&ContextRequest::default()).unwrap();
    crate::progress::followed(listener, run);
    let heard = heard.lock().unwrap();
    let read: Vec<_> = heard.iter().filter(|(_, _, total)| *total == Some(130)).collect();
    assert_eq!(read, [&("reading sources", 64, Some(130)), &("reading sources", 128, Some(130))]);
}

#[test]
fn an_unchanged_project_writes_nothing_and_another_directory_gives_the_same_bytes() {
    let repo = shop();
    let generate = |repo: &TestRepo| engine(repo).context_generate(&ContextRequest::default()).unwrap();
    let first = generate(&repo);
    // One root holds everything, so one folder has a file.
    assert_eq!(first.files_written, 2);
    let second = generate(&repo);
    assert_eq!((second.files_written, second.files_unchanged, second.files_parsed), (0, 2, 0));
    let other = shop();
    generate(&other);
    let plain = |repo: &TestRepo, path: &str| {
        let text = repo.read(path);
        let mut out = String::new();
        for part in text.split("\"createdAt\"") {
            out.push_str(part.trim_start_matches([':', ' ']).split_once(',').map_or(part, |(_, rest)| rest));
        }
        out
    };
    for path in ["context_main.json", "src/pages/context.json"] {
        assert_eq!(plain(&repo, path), plain(&other, path), "{path}");
    }
    assert!(!repo.read("src/pages/context.json").contains(&repo.root().display().to_string()));
}

#[test]
fn search_and_impact_say_why() {
    let repo = shop();
    let engine = engine(&repo);
    let found = engine
        .search_components(&SearchComponentsRequest {
            query: "format".to_owned(),
            ..SearchComponentsRequest::default()
        })
        .unwrap();
    assert_eq!(found.results[0].entry_id, "src/money.ts");
    assert_eq!(found.results[0].name.as_deref(), Some("format"));
    assert!(found.results[0].why.contains("name is the query"), "{}", found.results[0].why);

    repo.write(
        "src/hooks.ts",
        "/** A hook for CMS plugins. */\nexport function usePlugin() {}\nexport function useCMS() { return useContext(C); }\n",
    );
    let kinds = SearchComponentsRequest { query: "use CMS hook".to_owned(), ..Default::default() };
    let found = engine.search_components(&kinds).unwrap();
    assert_eq!(found.results[0].name.as_deref(), Some("useCMS"), "what it is counts: {:?}", found.results);

    let of_kind = |kind: &str| {
        let (query, kind) = ("format".to_owned(), Some(kind.to_owned()));
        engine.search_components(&SearchComponentsRequest {
            query,
            kind,
            ..SearchComponentsRequest::default()
        })
    };
    assert!(of_kind("Function").unwrap().results.iter().all(|one| one.kind == "function"));
    let refused = of_kind("funktion").unwrap_err();
    assert!(refused.hint().is_some_and(|hint| hint.contains("function")), "{refused}");

    let impact = |target: &str| {
        engine.impact(&ImpactRequest { target: target.to_owned(), ..ImpactRequest::default() })
    };
    let report = impact("src/money.ts#format").unwrap();
    let paths: Vec<&str> = report.dependents.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["src/cart.ts", "src/pages/Page.tsx"]);
    assert_eq!((report.direct, report.total), (1, 2));
    assert_eq!(impact("src/money.ts#fromat").unwrap_err().code(), "unknown_export");
    assert_eq!(impact("money.ts").unwrap_err().code(), "unknown_file");
    assert_eq!(impact("../outside.ts").unwrap_err().kind(), crate::ErrorKind::Denied);
    if cfg!(unix) {
        repo.write("src/back\\slash.ts", "export const back = 1;\n");
        assert_eq!(impact("src/back\\slash.ts").unwrap().file, "src/back\\slash.ts");
    }
}

#[test]
fn sources_in_other_encodings_are_read_written_out_and_searched() {
    let repo = shop();
    let key = "AKIAIOSFODNN7QWERTYU";
    let text = format!("export const grüße: string = 'ü';\nconst id = '{key}';\n");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    fs_err::write(repo.root().join("src/wide.ts"), wide).unwrap();
    let mut mended = b"export const ok = 1; // caf\xe9\n".to_vec();
    mended.extend_from_slice(format!("const id = '{key}';\n").as_bytes());
    fs_err::write(repo.root().join("src/latin.ts"), mended).unwrap();
    let engine = engine(&repo);
    let choice = ContextChoice { mode: Some("full".to_owned()), ..ContextChoice::default() };
    engine.refresh_snapshot(&RefreshRequest { choice, ..RefreshRequest::default() }).unwrap();
    let written = repo.read("src/context.json");
    assert!(written.contains("grüße"), "{written}");
    assert!(written.contains("export const ok = 1; // caf\u{fffd}"), "{written}");
    assert!(!written.contains("appears to be binary") && !written.contains(key), "{written}");
    let report = engine.security_scan(&ScanRequest { path: None, keep_report: false }).unwrap();
    assert_eq!(report.files_with_secrets, ["src/latin.ts", "src/wide.ts"]);
}

#[test]
fn a_table_of_routes_that_is_cut_says_so() {
    let (repo, enough) = (shop(), shop());
    let table = |rows: usize| {
        let rows: Vec<String> = (0..rows).map(|row| format!("app.get('/{row}', handle);\n")).collect();
        let rows = rows.concat();
        format!(
            "import express from 'express';\nimport {{ handle }} from './handle';\nconst app = express();\n{rows}"
        )
    };
    for (repo, rows, is_cut) in [(&repo, 2_001, true), (&enough, 2_000, false)] {
        repo.write("routes/table.ts", table(rows));
        engine(repo).context_generate(&ContextRequest::default()).unwrap();
        let text = repo.read("routes/context.json");
        assert_eq!(text.contains("more than 2000 routes"), is_cut, "{rows}");
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let contract = &file[0]["graph"]["nodes"][0]["contract"];
        assert_eq!(contract["routes"].as_array().unwrap().len(), 2_000);
    }
}

#[test]
fn modes_are_measured_and_wrong_words_are_refused() {
    let repo = shop();
    let engine = engine(&repo);
    let modes = engine.compare_modes(&ModesRequest::default()).unwrap();
    let costs = &modes.comparison_vs_raw_source;
    assert!(costs.none.tokens_gpt4o < costs.header.tokens_gpt4o);
    assert!(costs.header.tokens_gpt4o < costs.full.tokens_gpt4o);
    assert_eq!((modes.stats.total_files, modes.stats.total_tsx), (3, 1));
    for choice in [
        ContextChoice { profile: Some("nope".to_owned()), ..ContextChoice::default() },
        ContextChoice { mode: Some("; touch x #".to_owned()), ..ContextChoice::default() },
        ContextChoice { format: Some("qqq".to_owned()), ..ContextChoice::default() },
        ContextChoice { max_nodes: Some(0), ..ContextChoice::default() },
        ContextChoice { token_budget: Some(0), ..ContextChoice::default() },
    ] {
        let error =
            engine.context_generate(&ContextRequest { choice, ..ContextRequest::default() }).unwrap_err();
        assert_eq!(error.code(), "invalid_arguments");
    }
}

#[test]
fn large_folders_come_in_parts_and_large_bundles_are_cut() {
    let repo = shop();
    for number in 0..40 {
        let function = |at| {
            format!(
                "export function f{at}(value: string, count: number): Record<string, number> {{ return {{}}; }}\n"
            )
        };
        let body = (0..60).map(function).collect::<Vec<_>>().concat();
        repo.write(format!("src/big/file{number:02}.ts"), body);
    }
    repo.write("becket.toml", "[mcp]\nmax_output_bytes = 100000\n");
    let engine = engine(&repo);
    refresh(&engine);
    let mut cursor = None;
    let mut seen = BTreeSet::new();
    for _ in 0..50 {
        let answer = engine
            .read_bundle(&ReadBundleRequest {
                bundle_path: "src/big/context.json".to_owned(),
                cursor: cursor.clone(),
                ..ReadBundleRequest::default()
            })
            .unwrap();
        assert!(serde_json::to_string(&answer).unwrap().len() <= engine.max_output_bytes());
        for bundle in answer.bundles.unwrap() {
            assert!(seen.insert(bundle["entryId"].as_str().unwrap().to_owned()));
        }
        cursor = answer.next_cursor;
        if cursor.is_none() {
            break;
        }
        assert!(answer.notice.is_some());
    }
    assert_eq!(seen.len(), 40);
}

#[test]
fn files_that_are_compared_and_approved() {
    let repo = shop();
    let engine = engine(&repo);
    engine.context_generate(&ContextRequest::default()).unwrap();
    let drift = |approve: bool| {
        engine
            .context_compare(&DriftRequest { approve, clean_orphaned: approve, ..DriftRequest::default() })
            .unwrap()
    };
    assert!(!drift(false).has_drift());
    let old = repo.write("old.json", repo.read("src/pages/context.json"));
    repo.write("src/pages/Page.tsx", PAGE.replace("title: string; ", ""));
    let report = drift(false);
    assert!(report.has_drift() && report.breaking() == 1, "{}", report.compared);
    assert!(drift(true).has_drift());
    assert!(!drift(false).has_drift());
    let files = Some((old.display().to_string(), repo.path("src/pages/context.json").display().to_string()));
    let report = engine.context_compare(&DriftRequest { files, ..DriftRequest::default() }).unwrap();
    assert!(report.breaking() == 1, "{}", report.compared);
    repo.remove("src/pages/Page.tsx");
    let report = drift(false);
    assert_eq!(report.orphaned, ["src/pages/context.json"]);
    drift(true);
    assert!(!repo.path("src/pages/context.json").exists());
}

#[test]
fn a_page_that_came_along_with_a_renamed_folder_goes() {
    let repo = shop();
    repo.write("src/tools/trace.ts", "export const trace = 1;\n");
    repo.write("src/tools/deep/log.ts", "export const log = 1;\n");
    let engine = engine(&repo);
    let generate = || engine.context_generate(&ContextRequest::default()).unwrap();
    generate();
    let page = repo.read("src/tools/context.json");
    assert!(repo.path("src/tools/deep/context.json").exists());
    std::fs::rename(repo.path("src/tools"), repo.path("src/kit")).unwrap();
    repo.write(
        "src/app.ts",
        "import './kit/trace';\nimport './kit/deep/log';\nimport './cart';\nimport './pages/Page';\n",
    );
    assert!(repo.path("src/kit/context.json").exists());
    let report = generate();
    assert!(!repo.path("src/kit/context.json").exists() && !repo.path("src/kit/deep/context.json").exists());
    // Those of the folder under both names, and of the page that is imported now.
    assert_eq!(report.files_removed, 5);
    repo.write("src/kit/context.json", page);
    generate();
    assert!(repo.path("src/kit/context.json").exists(), "nothing was renamed");
}

#[test]
fn secrets_are_found_and_never_written() {
    let repo = shop();
    let key = ["AKIA", "IOSFODNN7", "QWERTYU"].concat();
    repo.write("src/keys.ts", format!("export const awsKey = \"{key}\";\n"));
    let engine = engine(&repo);
    repo.write("src/huge.json", " ".repeat(10 * 1024 * 1024 + 1));
    repo.write(".gitignore", "own/.env\nown/.x\n");
    for path in [".env", "apps/web/.env.local", "own/.env"] {
        repo.write(path, format!("PORT=1\nAWS={key}\nDB_PASSWORD=Sup3rS3cretValue99\n"));
    }
    repo.write("run.sh", "export DB_PASSWORD=Sup3rS3cretValue99\n");
    let secret = "DB_PASSWORD: Sup3rS3cretValue99";
    repo.write(
        ".github/workflows/ci.yml",
        format!("env:\n  {secret}\n  TOKEN: ${{{{ secrets.TOKEN_1 }}}}\n"),
    );
    for path in [".turbo/x.yml", "node_modules/.x/x.yml", "own/.x/x.yml"] {
        repo.write(path, secret);
    }
    let report = engine.security_scan(&ScanRequest { path: None, keep_report: true }).unwrap();
    assert_eq!(
        report.files_with_secrets,
        [".env", ".github/workflows/ci.yml", "apps/web/.env.local", "run.sh", "src/keys.ts"]
    );
    assert_eq!((report.secrets_found, report.matches[1].line, report.matches[1].column), (7, 3, 13));
    assert!(!repo.read("stamp_security_report.json").contains("Sup3r"));
    let not_scanned: Vec<_> = report.not_scanned.iter().map(|one| (&*one.file, &*one.reason)).collect();
    assert_eq!(not_scanned, [("src/huge.json", "larger than 10 MiB")]);
    assert!(!repo.read("stamp_security_report.json").contains(&key));
    let choice = ContextChoice { mode: Some("full".to_owned()), ..ContextChoice::default() };
    engine.context_generate(&ContextRequest { choice, ..ContextRequest::default() }).unwrap();
    assert!(!repo.read("src/context.json").contains(&key));
    assert!(engine.security_reset(None).unwrap());
    // As an editor on Windows writes it.
    repo.write(".stampignore", "\u{feff}{\"ignore\": []}\n");
    let ignored = engine.stamp_ignore(&["src/keys.ts".to_owned()]).unwrap();
    assert_eq!(ignored.added, ["src/keys.ts"]);
    let report = engine.context_generate(&ContextRequest::default()).unwrap();
    assert_eq!(report.total_components, 3);
}

/// An hour is what a snapshot is kept for.
#[test]
fn an_expired_snapshot_is_none() {
    let repo = shop();
    let engine = engine(&repo);
    let clock = Arc::new(Hand::default());
    engine.set_clock(Arc::clone(&clock) as Arc<dyn becket_base::Clock>);
    let id = refresh(&engine).snapshot_id;
    let list = |snapshot_id: Option<String>| {
        let source = SnapshotSource { snapshot_id, project_path: None };
        engine.list_bundles(&ListBundlesRequest { source, folder_prefix: None })
    };
    clock.set(59);
    assert_eq!(list(Some(id.clone())).unwrap().total_bundles, 1);
    clock.set(60);
    let told = list(Some(id.clone())).unwrap_err();
    assert_eq!(told.code(), "unknown_snapshot");
    assert!(told.to_string().contains("expired: one is kept for 60 minutes"), "{told}");
    assert_eq!(list(None).unwrap_err().code(), "no_snapshot");
    let compare = |baseline: &str| {
        engine.compare_snapshot(&CompareRequest {
            baseline: Some(baseline.to_owned()),
            ..CompareRequest::default()
        })
    };
    assert_eq!(compare("snapshot").unwrap_err().code(), "no_snapshot");
    let of_files = compare("disk").unwrap();
    assert_eq!(of_files.result.status, "pass", "the files are still there");
    assert!(of_files.notice.as_ref().is_some_and(|notice| notice.contains("no snapshot")));
    assert!(of_files.to_string().contains("no snapshot"), "{of_files}");
    clock.set(0);
    assert_eq!(list(Some(id)).unwrap_err().code(), "unknown_snapshot", "whoever noticed has removed it");
}

#[test]
fn a_snapshot_has_the_same_index_whenever_it_is_read() {
    let repo = shop();
    let engine = engine(&repo);
    let clock = Arc::new(Hand::default());
    engine.set_clock(Arc::clone(&clock) as Arc<dyn becket_base::Clock>);
    refresh(&engine);
    let read = || {
        let bundle_path = "context_main.json".to_owned();
        let request = ReadBundleRequest { bundle_path, ..ReadBundleRequest::default() };
        engine.read_bundle(&request).unwrap().index.unwrap()
    };
    let first = read();
    clock.set(5);
    assert_eq!(first, read());
    let written: serde_json::Value = serde_json::from_str(&repo.read("context_main.json")).unwrap();
    assert_eq!(first["createdAt"], written["createdAt"], "that of the files that were written with it");
}

#[test]
fn the_last_comparison_is_that_of_who_asks() {
    let repo = shop();
    let engine = engine(&repo);
    refresh(&engine);
    let compare = |connection| {
        engine.compare_snapshot(&CompareRequest { connection, ..CompareRequest::default() }).unwrap()
    };
    let last = |connection| {
        let request = LastCompareRequest { connection, ..LastCompareRequest::default() };
        engine
            .last_compare_result(&request)
            .map(|last| last.result.status)
            .map_err(|error| error.code().to_owned())
    };
    let none = Err("no_compare_result".to_owned());
    assert_eq!(compare(Some(1)).result.status, "pass");
    assert_eq!((last(Some(2)), last(None)), (none.clone(), none));
    repo.write("src/money.ts", MONEY.replace("(amount: Cents)", "(amount: Cents, currency: string)"));
    // However often somebody else compares.
    for _ in 0..20 {
        compare(Some(2));
    }
    assert_eq!((last(Some(1)), last(Some(2))), (Ok("pass".to_owned()), Ok("diff".to_owned())));
    // Not for ever: connections come and go.
    for connection in 3..70 {
        compare(Some(connection));
    }
    assert!(last(Some(1)).is_err() && last(Some(69)).is_ok());
}

/// A clock that is set by hand, in minutes.
#[derive(Debug, Default)]
struct Hand(std::sync::atomic::AtomicI64);

impl Hand {
    fn set(&self, minutes: i64) {
        self.0.store(minutes, std::sync::atomic::Ordering::SeqCst);
    }
}

impl becket_base::Clock for Hand {
    fn now(&self) -> becket_base::Timestamp {
        let minutes = self.0.load(std::sync::atomic::Ordering::SeqCst);
        becket_base::Timestamp::from_second(1_900_000_000 + 60 * minutes).unwrap()
    }
}
