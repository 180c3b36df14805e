//! Commands that find something wrong: what they say, to people and in the envelope, and what they leave unsaid.

use std::{path::Path, process::Output};

use becket_testing::TestRepo;
use serde_json::Value;

use crate::{BECKET, envelope};

const KEY: &str = "AKIAIOSFODNN7ABCDEFG";

fn shop() -> TestRepo {
    let repo = TestRepo::new();
    repo.write(
        "src/money.ts",
        "export function format(amount: number): string {\n  return `${amount}`;\n}\n",
    );
    repo.write("src/cart.ts", "import { format } from './money';\nexport const total: string = format(1);\n");
    repo
}

fn run(repo: &TestRepo, arguments: &[&str]) -> Output {
    repo.command(BECKET).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The code of the error, which must be whole.
fn code(output: &Output) -> String {
    let envelope: Value = envelope(output);
    assert_eq!(envelope["ok"], false, "{envelope}");
    for field in ["code", "kind", "message", "hint"] {
        let text = envelope["error"][field].as_str().unwrap_or_default();
        assert!(!text.is_empty(), "{field}: {envelope}");
    }
    envelope["error"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn every_envelope_that_is_not_ok_has_an_error_also_where_a_check_found_something() {
    let repo = shop();
    repo.write("src/lost.ts", "import { gone } from './nowhere';\nexport const kept = gone;\n");
    let check = |arguments: &[&str]| {
        let output = run(&repo, &[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        assert!(envelope(&output)["data"].is_object(), "{output:?}");
        code(&output)
    };
    assert_eq!(check(&["context", "--strict"]), "missing_dependencies");
    repo.write("src/money.ts", "export function format(amount: string): string {\n  return amount;\n}\n");
    assert_eq!(check(&["context", "compare"]), "drift");
    assert_eq!(check(&["context", "compare", "--strict"]), "breaking_changes");
    repo.write("src/context.json", "[]");
    assert_eq!(check(&["context", "validate"]), "context_invalid");
    repo.write("src/key.ts", format!("export const key = '{KEY}';\n"));
    assert_eq!(check(&["as", "stamp", "security", "scan"]), "secrets_found");
    assert_eq!(check(&["as", "stamp", "init"]), "secrets_found");
    assert!(run(&repo, &["note", "init"]).status.success());
    repo.write("src/why.ts", "// refer to context 00099\n");
    assert_eq!(check(&["note", "check"]), "entries_unsound");
    repo.write("becket.toml", "[log]\nlevle = \"info\"\n");
    assert_eq!(check(&["config"]), "settings_invalid");
    assert_eq!(check(&["doctor"]), "checks_failed");
    repo.remove("becket.toml");

    assert_eq!(code(&run(&repo, &["context", "--depth", "x", "--json"])), "usage");
    assert_eq!(code(&run(&repo, &["as", "stamp", "context", "--depth", "x", "--json"])), "usage");
    assert_eq!(code(&run(&repo, &["context", "show", "nowhere.ts", "--json"])), "unknown_file");
    assert!(run(&repo, &["context", "--strict"]).stderr.is_empty(), "for people the report says it");
}

#[test]
fn a_claim_that_is_refused_has_an_error_in_both_envelopes() {
    let repo = TestRepo::new();
    assert!(run(&repo, &["task", "init"]).status.success());
    let created = run(&repo, &["task", "create", "--title", "Round once", "--id", "T1"]);
    assert!(created.status.success(), "{created:?}");
    let agent = || {
        let joined = envelope(&run(&repo, &["agent", "join", "--json"]));
        joined["data"]["agent_id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (agent(), agent());
    assert!(run(&repo, &["task", "claim", "T1", "--agent", &first]).status.success());
    let claim = ["task", "claim", "T1", "--agent", &second, "--json"];
    assert_eq!(code(&run(&repo, &claim)), "task_claimed");
    assert_eq!(code(&run(&repo, &[&["as", "lodestar"][..], &claim].concat())), "task_claimed");
    assert_eq!(
        code(&run(&repo, &["task", "claim", "--next", "--agent", &second, "--json"])),
        "nothing_claimable"
    );
    assert_eq!(code(&run(&repo, &["as", "lodestar", "task", "show", "T9", "--json"])), "unknown_task");
}

#[test]
fn orphaned_files_that_are_removed_are_named() {
    let repo = shop();
    repo.write("old/gone.ts", "export const gone = 1;\n");
    assert!(run(&repo, &["context"]).status.success());
    repo.remove("old/gone.ts");
    let drift = said(&run(&repo, &["context", "compare"]));
    assert!(drift.contains("orphaned: old/context.json"), "{drift}");
    let kept = said(&run(&repo, &["context", "compare", "--approve"]));
    assert!(kept.contains("orphaned: old/context.json") && repo.path("old/context.json").exists(), "{kept}");
    let removed = said(&run(&repo, &["context", "compare", "--approve", "--clean-orphaned"]));
    assert!(removed.contains("removed: old/context.json"), "{removed}");
    assert!(!repo.path("old/context.json").exists());
}

#[test]
fn init_of_stamp_names_the_places_of_secrets_and_never_a_secret() {
    let repo = shop();
    repo.write("src/key.ts", format!("\nexport const key = '{KEY}';\n"));
    for arguments in
        [&["as", "stamp", "init"][..], &["as", "stamp", "init", "-q"], &["as", "stamp", "init", "--json"]]
    {
        let output = run(&repo, arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = said(&output) + &String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains(KEY) && !text.contains(&KEY[..12]), "{text}");
        if !arguments.contains(&"--json") {
            assert!(text.contains("src/key.ts:2:"), "{text}");
            assert!(text.contains("aws-access-key"), "the rule: {text}");
        }
    }
}

#[test]
fn a_baseline_is_read_wherever_the_user_had_it_written_and_never_for_an_agent() {
    let repo = shop();
    let outside = repo.home().root().join("before");
    let relative = format!("../{}", Path::new("before").display());
    let place = outside.to_str().unwrap();
    assert!(run(&repo, &["context", "-q", "-o", place]).status.success());
    assert!(run(&repo, &["context", "compare", "--baseline", place]).status.success());
    let beside = repo.root().parent().unwrap().join("before").exists();
    if beside {
        assert!(run(&repo, &["context", "compare", "--baseline", &relative]).status.success());
    }
    repo.write("src/money.ts", "export function format(amount: string): string {\n  return amount;\n}\n");
    let drift = run(&repo, &["context", "compare", "--baseline", place]);
    assert_eq!(drift.status.code(), Some(1));
    assert!(said(&drift).contains("breaking function format"), "{drift:?}");
    let missing = run(&repo, &["context", "compare", "--baseline", "../nowhere", "--json"]);
    assert_eq!(code(&missing), "unknown_baseline");
    // From below the root it is named as `--out` is.
    let below = |arguments: &[&str]| {
        repo.command(BECKET).args(arguments).current_dir(repo.path("src")).output().unwrap()
    };
    assert!(below(&["context", "..", "-q", "-o", "../kept"]).status.success());
    assert!(repo.path("kept/context_main.json").exists());
    assert!(below(&["context", "compare", "--baseline", "../kept"]).status.success());

    let mut server = becket_testing::McpProcess::spawn({
        let mut command = repo.command(BECKET);
        command.arg("mcp");
        command
    });
    server.initialize("2025-06-18");
    let refused = server.call("logicstamp_compare_snapshot", serde_json::json!({"baseline": place}));
    assert_eq!(refused["structuredContent"]["error"]["code"], "path_outside_root", "{refused}");
}

#[test]
fn another_repository_is_named_by_an_option_and_the_hint_says_so() {
    let (repo, other) = (shop(), shop());
    let place = other.root().to_str().unwrap();
    for command in ["context", "impact"] {
        let refused = run(&repo, &[command, place]);
        assert_eq!(refused.status.code(), Some(5), "{refused:?}");
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(told.contains("--repo PATH"), "{told}");
    }
    assert!(run(&repo, &["context", "--repo", place]).status.success());
    assert!(other.path("context_main.json").exists());
}

#[test]
fn one_is_not_several() {
    let repo = shop();
    assert!(run(&repo, &["context"]).status.success());
    let told = said(&run(&repo, &["context", "src"]));
    assert!(told.contains("1 context file of") && told.contains("now has only"), "{told}");
    let found = said(&run(&repo, &["as", "stamp", "security", "scan"]));
    assert!(found.contains("0 secrets in 5 files scanned"), "{found}");
}
