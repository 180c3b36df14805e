//! `becket note` and `becket why`, as a person and as CI see them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::process::Output;

use becket_testing::TestRepo;
use insta::{assert_snapshot, with_settings};
use serde_json::Value;

use crate::{BECKET, becket, envelope, seen};

fn run(repo: &TestRepo, arguments: &[&str]) -> Output {
    repo.command(BECKET).args(arguments).output().unwrap()
}

fn json(repo: &TestRepo, arguments: &[&str]) -> Value {
    let output = repo.command(BECKET).args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    envelope(&output)["data"].clone()
}

/// A repository with code, an entry that cites it, and a change that makes the entry stale.
fn stale() -> TestRepo {
    let repo = TestRepo::new();
    assert!(run(&repo, &["note", "init"]).status.success());
    repo.write(
        "src/upload.ts",
        "export function upload() {\n  // refer to context 00001\n  return retry(3);\n}\n",
    );
    let text = "# Why uploads are retried\n\nThe gateway drops long uploads.\n";
    assert!(
        run(&repo, &["note", "new", text, "--anchor", "src/upload.ts#upload", "--author", "Ann"])
            .status
            .success()
    );
    repo.commit("upload");
    repo.write("src/upload.ts", repo.read("src/upload.ts").replace("retry(3)", "retry(5)"));
    repo.commit("retry more");
    repo
}

#[test]
fn a_stale_entry_is_shown_with_the_commit_that_made_it_so() {
    let repo = stale();
    with_settings!({filters => vec![
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[TIME]"),
        (r"\b[0-9a-f]{10}\b", "[COMMIT]"),
    ]}, {
        assert_snapshot!(seen(&repo, becket(&repo, ["note", "show", "1"])));
        assert_snapshot!(seen(&repo, becket(&repo, ["note", "list"])));
        assert_snapshot!(seen(&repo, becket(&repo, ["why", "src/upload.ts:3"])));
        assert_snapshot!(seen(&repo, becket(&repo, ["note", "check"])));
    });
    let mut below = repo.command(BECKET);
    below.current_dir(repo.path("src")).args(["why", "upload.ts#upload", "--json"]);
    let output = below.output().unwrap();
    assert_eq!(envelope(&output)["data"]["target"], "src/upload.ts#upload");
}

#[test]
fn the_lint_speaks_to_people_json_and_sarif_and_fails_as_told() {
    let repo = stale();
    for (arguments, code) in [
        (&["note", "check"][..], 1),
        (&["note", "check", "--fail-on", "error"], 0),
        (&["note", "check", "--fail-on", "note"], 1),
        (&["note", "check", "--format", "json"], 1),
        (&["note", "check", "--format", "sarif"], 1),
    ] {
        assert_eq!(run(&repo, arguments).status.code(), Some(code), "{arguments:?}");
    }
    let report = envelope(&run(&repo, &["note", "check", "--format", "json"]));
    assert_eq!((&report["ok"], &report["data"]["warnings"]), (&false.into(), &2.into()));
    let sarif: Value =
        serde_json::from_slice(&run(&repo, &["note", "check", "--format", "sarif"]).stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"][1]["ruleId"], "stale-entry");
    assert_eq!(json(&repo, &["note", "verify", "1", "-m", "still three or more"])["state"], "fresh");
    assert_eq!(run(&repo, &["note", "check"]).status.code(), Some(0));
    repo.write(".context/config.json", "{\"maxLines\": \"many\"}");
    let broken = run(&repo, &["note", "check"]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&broken.stdout).starts_with(".context/config.json:1: error: "),
        "{broken:?}"
    );
}

#[test]
fn a_text_comes_from_an_argument_stdin_or_the_editor() {
    let repo = TestRepo::new();
    run(&repo, &["note", "init"]);
    assert_eq!(json(&repo, &["note", "new", "by argument"])["file"], "00001.md");
    let mut piped = repo.command("sh");
    piped.args(["-c", "printf 'by stdin\\n' | \"$0\" note new -", BECKET]);
    assert!(piped.output().unwrap().status.success());
    assert_eq!(repo.read(".context/00002.md"), "by stdin\n");
    let script = repo.home().root().join("my editor");
    std::fs::write(&script, "#!/bin/sh\nprintf 'by %s\\n' \"$1\" >> \"$2\"\n").unwrap();
    make_executable(&script);
    let editor = |value: &str| {
        let mut command = becket(&repo, ["note", "new"]);
        command.env("EDITOR", value).output().unwrap()
    };
    let edited = editor(&format!("'{}' hand", script.display()));
    assert!(edited.status.success(), "{edited:?}");
    assert_eq!(repo.read(".context/00003.md"), "by hand\n");
    for (value, code, part) in
        [("true", 2, "empty_markdown"), ("false", 6, "editor_failed"), ("/no/such", 6, "editor_failed")]
    {
        let refused = editor(value);
        assert_eq!(refused.status.code(), Some(code), "{value}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(part), "{value}: {refused:?}");
    }
    let nothing = becket(&repo, ["note", "new"]).env_remove("EDITOR").env_remove("VISUAL").output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
    assert!(!repo.path(".context/00004.md").exists());
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_path: &std::path::Path) {}

#[test]
fn what_an_entry_says_cannot_steer_the_terminal() {
    let repo = TestRepo::new();
    run(&repo, &["note", "init"]);
    run(&repo, &["note", "new", "# \u{1b}]0;owned\u{7}\nred \u{1b}[31m \u{202e}txet"]);
    let shown = run(&repo, &["note", "show", "1", "--color", "always"]);
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.contains("<U+001B>]0;owned<U+0007>") && text.contains("<U+202E>"), "{text}");
    assert!(!text.contains('\u{7}') && !text.contains("\u{1b}]") && !text.contains("\u{1b}[31m"), "{text:?}");
}

#[test]
fn exit_codes_tell_what_went_wrong() {
    let repo = TestRepo::new();
    assert_eq!(run(&repo, &["note", "list"]).status.code(), Some(3), "no vault");
    run(&repo, &["note", "init"]);
    assert_eq!(run(&repo, &["note", "show", "9"]).status.code(), Some(3));
    assert_eq!(run(&repo, &["note", "show", "../x"]).status.code(), Some(2));
    assert_eq!(run(&repo, &["why", "/etc/passwd"]).status.code(), Some(2));
    let secret = format!("AKIA{}", "ABCDEFGH12345678");
    assert_eq!(run(&repo, &["note", "new", &secret]).status.code(), Some(5));
    assert_eq!(run(&repo, &["note", "list", "--state", "rotten"]).status.code(), Some(2));
}

/// A process that may not write any file beyond a size stands in for a disk that is full.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_loses_and_leaves_nothing() {
    let repo = TestRepo::new();
    run(&repo, &["note", "init"]);
    run(&repo, &["note", "new", "kept"]);
    let before: Vec<_> = listing(&repo);
    let text = "word ".repeat(2_000);
    let mut limited = repo.command("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$0\" note new \"$1\"", BECKET, &text]);
    let failed = limited.output().unwrap();
    assert_eq!(failed.status.code(), Some(6), "{failed:?}");
    assert!(String::from_utf8_lossy(&failed.stderr).contains("context_not_writable"), "{failed:?}");
    assert_eq!(listing(&repo), before);
    assert_eq!(repo.read(".context/00001.md"), "kept");
    assert!(run(&repo, &["note", "new", "again"]).status.success());
}

#[cfg(unix)]
fn listing(repo: &TestRepo) -> Vec<(std::ffi::OsString, u64)> {
    let mut files: Vec<_> = std::fs::read_dir(repo.path(".context"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name(), entry.metadata().unwrap().len()))
        .collect();
    files.sort();
    files
}

#[test]
fn context_stash_makes_its_vault_where_it_is_called() {
    let repo = TestRepo::new();
    repo.write("packages/app/package.json", "{}");
    let below = repo.path("packages/app");
    let mut init = repo.command(BECKET);
    init.current_dir(&below).args(["as", "context-stash", "--init"]);
    let made = init.output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&made.stdout),
        "Created .context/\nCreated .context/config.json\nCreated agents.md\n"
    );
    assert!(below.join(".context/config.json").exists() && !repo.path(".context").exists());
    let again = init.output().unwrap();
    assert!(again.status.success());
    let text = std::fs::read_to_string(below.join("agents.md")).unwrap();
    assert_eq!(text.matches("# Context Stash (MCP Tool)").count(), 1);
}
