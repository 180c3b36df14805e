//! Whatever is edited, and whoever remembers what: the files that are written are those of a project that is read for the
//! first time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use becket_contracts::render::CodeMode;
use proptest::prelude::*;

use super::*;

/// One change to a project of a few files in two folders.
#[derive(Debug, Clone)]
enum Change {
    Write { file: usize, imports: Vec<usize>, exports: usize, private: usize },
    Remove(usize),
    Move(usize, usize),
    Paths(bool),
    Output,
}

const FILES: usize = 7;
/// Files that are never edited, so that there are some that later readings share with earlier ones.
const QUIET: usize = 80;

fn path(file: usize) -> String {
    let folder = if file.is_multiple_of(2) { "src/ui" } else { "src/data" };
    format!("{folder}/part{file}.{}", if file.is_multiple_of(3) { "tsx" } else { "ts" })
}

fn quiet(file: usize) -> String {
    format!("src/quiet/part{file}.ts")
}

/// In how many ways a file is imported; so often its number is counted on.
const WAYS: usize = 6;

fn text(imports: &[usize], exports: usize, private: usize) -> String {
    let mut text = String::new();
    for (at, import) in imports.iter().enumerate() {
        let name = path(import % FILES);
        let name = name.split('.').next().unwrap_or_default().trim_start_matches("src/");
        _ = match import / FILES {
            0 => writeln!(text, "import {{ value0 }} from '@/{name}';"),
            1 => writeln!(text, "export * from '@/{name}';"),
            2 => writeln!(text, "export {{ value0 as again{at} }} from '@/{name}';"),
            3 => writeln!(text, "import * as all{at} from '@/{name}';"),
            4 => writeln!(text, "import * as some{at} from '@/{name}';\nsome{at}.value0(some{at}.again0);"),
            _ => writeln!(text, "import {{ value1, again0 }} from '@/{name}';"),
        };
    }
    for at in 0..exports {
        _ = writeln!(text, "export function value{at}(one: number): string {{ return String(one); }}");
    }
    for at in 0..private {
        _ = writeln!(text, "function hidden{at}() {{ return {at}; }}");
    }
    text
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let one = prop_oneof![
        6 => (0..FILES, prop::collection::vec(0..FILES * WAYS, 0..4), 0..4_usize, 0..3_usize)
            .prop_map(|(file, imports, exports, private)| Change::Write { file, imports, exports, private }),
        1 => (0..FILES).prop_map(Change::Remove),
        1 => (0..FILES, 0..FILES).prop_map(|(from, to)| Change::Move(from, to)),
        1 => any::<bool>().prop_map(Change::Paths),
        1 => Just(Change::Output),
    ];
    prop::collection::vec(one, 1..6)
}

fn project() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("package.json", r#"{"name": "again"}"#);
    paths(&repo, true);
    for file in 0..FILES {
        repo.write(path(file), text(&[(file + 1) % FILES], 1 + file % 2, file % 2));
    }
    for file in 0..QUIET {
        repo.write(quiet(file), text(&[file % FILES], 1, 0));
    }
    repo
}

fn paths(repo: &TestRepo, known: bool) {
    let target = if known { "src/*" } else { "lost/*" };
    repo.write("tsconfig.json", format!(r#"{{"compilerOptions": {{"paths": {{"@/*": ["{target}"]}}}}}}"#));
}

/// What is written in a folder, less the times of making.
fn written(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(here) = folders.pop() {
        for entry in fs_err::read_dir(here).unwrap() {
            let place = entry.unwrap().path();
            if place.is_dir() {
                folders.push(place);
            } else {
                let text = fs_err::read_to_string(&place).unwrap();
                let parts = text.split("\"createdAt\"");
                let parts = parts.map(|part| {
                    part.trim_start_matches([':', ' ']).split_once(',').map_or(part, |(_, rest)| rest)
                });
                found.insert(
                    place.strip_prefix(folder).unwrap().display().to_string(),
                    parts.collect::<String>(),
                );
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn what_is_remembered_never_shows(changes in changes(), none in any::<bool>()) {
        let repo = project();
        let out = tempfile::tempdir().unwrap();
        let mode = if none { CodeMode::None } else { CodeMode::Header };
        let into = |name: &str| ContextRequest {
            out: Some(out.path().join(name)),
            choice: ContextChoice { mode: Some(mode.as_str().to_owned()), ..ContextChoice::default() },
            ..ContextRequest::default()
        };
        // One that stays, and one that is new each time and knows what the last one left behind.
        let resident = engine(&repo);
        resident.context_generate(&into("resident")).unwrap();
        engine(&repo).context_generate(&into("fresh")).unwrap();
        for change in &changes {
            match change {
                Change::Write { file, imports, exports, private } => {
                    repo.write(path(*file), text(imports, *exports, *private));
                }
                Change::Remove(file) => _ = fs_err::remove_file(repo.root().join(path(*file))),
                Change::Move(from, to) => {
                    _ = fs_err::rename(repo.root().join(path(*from)), repo.root().join(path(*to)));
                }
                Change::Paths(known) => paths(&repo, *known),
                Change::Output => {
                    for name in ["fresh", "resident"] {
                        let page = out.path().join(name).join("src/ui/context.json");
                        if page.exists() {
                            fs_err::write(page, "[]").unwrap();
                        }
                    }
                }
            }
            let answers =
                [resident.context_generate(&into("resident")), engine(&repo).context_generate(&into("fresh"))];
            let cold = tempfile::tempdir().unwrap();
            let rules = ["package.json".to_owned(), "tsconfig.json".to_owned()];
            for file in rules.into_iter().chain((0..FILES).map(path)).chain((0..QUIET).map(quiet)) {
                if let Ok(text) = fs_err::read_to_string(repo.root().join(&file)) {
                    let place = cold.path().join(file);
                    fs_err::create_dir_all(place.parent().unwrap()).unwrap();
                    fs_err::write(place, text).unwrap();
                }
            }
            let target = tempfile::tempdir().unwrap();
            let request = ContextRequest { out: Some(target.path().to_owned()), ..into("") };
            let cold = Engine::open(Environment::new(cold.path()), OpenOptions::default());
            let first = cold.context_generate(&request).unwrap();
            let wanted = written(target.path());
            for (name, answer) in ["resident", "fresh"].into_iter().zip(answers) {
                prop_assert_eq!(&written(&out.path().join(name)), &wanted, "{} after {:?}", name, change);
                let answer = answer.unwrap();
                prop_assert_eq!(
                    (answer.total_components, answer.bundles_compiled, answer.total_nodes, answer.total_edges),
                    (first.total_components, first.bundles_compiled, first.total_nodes, first.total_edges)
                );
                prop_assert_eq!((answer.tokens_gpt4, &answer.cycles), (first.tokens_gpt4, &first.cycles));
                prop_assert_eq!(
                    (answer.root_components, answer.leaf_components, answer.missing_dependencies),
                    (first.root_components, first.leaf_components, first.missing_dependencies)
                );
            }
        }
    }
}

/// One of many folders is edited: one file is parsed, and one bundle file and the index are written.
#[test]
fn a_new_process_makes_only_what_an_edit_touches() {
    let repo = TestRepo::new();
    for at in 0..40 {
        repo.write(format!("src/area{at}/index.ts"), text(&[], 2, 1));
    }
    let generate = || engine(&repo).context_generate(&ContextRequest::default()).unwrap();
    assert_eq!(generate().files_written, 41);
    repo.write("src/area7/index.ts", text(&[], 2, 2));
    let report = generate();
    assert_eq!((report.files_parsed, report.files_written, report.files_unchanged), (1, 2, 39));
    let again = generate();
    assert_eq!((again.files_parsed, again.files_written, again.files_unchanged), (0, 0, 41));
}

/// Bundles are counted in parts, many of which stand in many of them; the sum is what their files really have.
#[test]
fn what_bundles_cost_is_what_is_in_their_files() {
    let repo = project();
    engine(&repo).context_generate(&ContextRequest::default()).unwrap();
    let read = |path: &str| fs_err::read_to_string(repo.root().join(path)).unwrap();
    let index: serde_json::Value = serde_json::from_str(&read("context_main.json")).unwrap();
    for folder in index["folders"].as_array().unwrap() {
        let counted = becket_base::tokens::count(&read(folder["contextFile"].as_str().unwrap()));
        let said = usize::try_from(folder["tokenEstimate"].as_u64().unwrap()).unwrap();
        assert!(said.abs_diff(counted) * 100 <= counted * 2, "{said} for {counted} in {}", folder["path"]);
    }
}

/// What stands in the file that is replaced is copied from there, in a bundle that changed too.
#[test]
fn a_new_process_makes_no_contract_again_that_it_finds_written() {
    for format in ["json", "ndjson", "pretty"] {
        let repo = project();
        repo.write("src/all.ts", "export * from './ui/part0';\nexport * from './quiet/part0';\n");
        let choice = ContextChoice { format: Some(format.to_owned()), ..ContextChoice::default() };
        let request = ContextRequest { choice, ..ContextRequest::default() };
        engine(&repo).context_generate(&request).unwrap();
        repo.write(path(0), text(&[1], 1, 4));
        let second = engine(&repo);
        assert!(second.context_generate(&request).unwrap().files_written > 1);
        let materials = second.understanding.materials.lock().unwrap();
        let entries = &materials[0].1.entries;
        let made = entries.iter().filter(|entry| entry.made_node().is_some()).count();
        // The others have no bundle on a line of its own.
        assert_eq!(made == 1, format != "pretty", "{format}: {made} of {}", entries.len());
    }
}
