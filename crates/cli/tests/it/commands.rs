//! Commands as a person and as a script see them.

use becket_testing::TestRepo;
use insta::assert_snapshot;

use crate::{BECKET, becket, envelope, seen};

#[test]
fn status_outside_and_inside_git() {
    let repo = TestRepo::new();
    assert_snapshot!(seen(&repo, becket(&repo, ["status"])));
    let plain = repo.home().root().join("plain");
    std::fs::create_dir(&plain).unwrap();
    let mut command = repo.home().command(BECKET);
    command.args(["status", "--repo"]).arg(&plain);
    assert_snapshot!(seen(&repo, command));
}

#[test]
fn state_outside_git_stays_out_of_a_repository_that_is_made_later() {
    let repo = TestRepo::new();
    let plain = repo.home().root().join("plain");
    std::fs::create_dir(&plain).unwrap();
    std::fs::write(plain.join("a.ts"), "export const a = 1\n").unwrap();
    let run = |arguments: &[&str]| {
        let output = repo.home().command(BECKET).current_dir(&plain).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    let git = |arguments: &[&str]| {
        let output = repo.home().command("git").current_dir(&plain).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // Each of them may be the first to keep something there.
    for first in [&["context", "-q"][..], &["doctor"], &["init", "--hosts", "cursor"]] {
        run(first);
        assert!(plain.join(".becket").exists(), "{first:?}");
        std::fs::write(plain.join(".becket/http-token"), "secret").unwrap();
        git(&["init", "-q"]);
        let taken = git(&["status", "--porcelain", "-uall"]);
        assert!(taken.contains("a.ts") && !taken.contains(".becket"), "{first:?}: {taken}");
        for folder in [".becket", ".git"] {
            std::fs::remove_dir_all(plain.join(folder)).unwrap();
        }
    }
}

#[test]
fn every_command_has_one_envelope() {
    let repo = TestRepo::new();
    for arguments in [
        &["status"][..],
        &["config"],
        &["doctor"],
        &["init", "--dry-run"],
        &["uninit"],
        &["completions", "bash"],
        &["tour"],
    ] {
        let output = repo.command(BECKET).args(arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let envelope = envelope(&output);
        assert_eq!(envelope["ok"], true, "{arguments:?}");
        assert_eq!(envelope["command"], arguments[0]);
        assert!(envelope["data"].is_object(), "{arguments:?}");
    }
}

#[test]
fn a_failure_is_an_envelope_a_message_a_hint_and_an_exit_code() {
    let repo = TestRepo::new();
    assert_snapshot!(seen(&repo, becket(&repo, ["status", "--worktree", "../elsewhere"])));
    let output = becket(&repo, ["status", "--worktree", "../elsewhere", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    let envelope = envelope(&output);
    assert_eq!((&envelope["ok"], &envelope["error"]["code"]), (&false.into(), &"path_escapes_root".into()));
    assert!(envelope["error"]["hint"].is_string());
    let output = becket(&repo, ["status", "--worktree", "nowhere", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(crate::envelope(&output)["error"]["code"], "unknown_worktree");
    let output = becket(&repo, ["status", "--repo", "nowhere", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(crate::envelope(&output)["error"]["code"], "repository_missing");
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let repo = TestRepo::new();
    for arguments in [&["nonsense"][..], &["status", "--nonsense"], &["completions", "csh"], &[]] {
        let output = repo.command(BECKET).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
    let output = repo.command(BECKET).arg("--help").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Exit codes:"));
}

#[test]
fn help_is_for_people() {
    let repo = TestRepo::new();
    assert_snapshot!(seen(&repo, becket(&repo, ["--help"])));
}

#[test]
fn config_names_every_source() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[mcp]\ntoolsets = [\"remember\"]\n\n[log]\nlevel = \"warn\"\n");
    repo.write(
        "mcp-config.json",
        "{\"server\": {\"version\": \"0.1.0\", \"defaultMode\": \"none\"},\n \"paths\": {\"cliPath\": \"stamp\"},\n \"security\": {\"maxBundleSize\": 2048}}\n",
    );
    let mut command = becket(&repo, ["config", "--json-logs"]);
    command.env("BECKET_LOG", "debug").env("BECKET_HTTP_TOKEN", "do-not-print-this-token");
    let text = seen(&repo, command);
    assert!(!text.contains("do-not-print"), "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_wrong_key_names_file_line_and_the_nearest_right_one() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[mcp]\nread_only = true\ntoolset = [\"all\"]\n\n[log]\nlevel = \"loud\"\n");
    let text = seen(&repo, becket(&repo, ["config"]));
    let problems: Vec<_> = text.lines().skip_while(|line| !line.starts_with("problem")).collect();
    assert_snapshot!(problems.join("\n"));
    assert!(text.starts_with("exit 1"));
}

#[test]
fn doctor_is_content_with_a_sound_repository() {
    let repo = TestRepo::new();
    let output = becket(&repo, ["doctor", "--json"]).output().unwrap();
    let envelope = envelope(&output);
    assert_eq!(envelope["data"]["sound"], true, "{envelope}");
    let servers =
        envelope["data"]["checks"].as_array().unwrap().iter().filter(|check| check["name"] == "server");
    assert_eq!(servers.count(), 2, "one real handshake in each era");
}

#[test]
fn doctor_says_what_is_broken_and_how_to_mend_it() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[log]\nlevle = \"info\"\n");
    let output = becket(&repo, ["doctor", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let checks = envelope(&output)["data"]["checks"].clone();
    let broken: Vec<_> =
        checks.as_array().unwrap().iter().filter(|check| check["state"] == "broken").cloned().collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0]["message"].as_str().unwrap().starts_with("becket.toml:2:1"));
    assert!(broken[0]["fix"].is_string());
}

#[test]
fn doctor_without_git_on_the_path_says_so() {
    let repo = TestRepo::new();
    let mut command = becket(&repo, ["doctor", "--json"]);
    command.env("PATH", repo.home().temporary());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(envelope(&output)["data"]["checks"][0]["message"].as_str().unwrap().contains("git_missing"));
}

#[test]
fn completions_exist_for_every_shell() {
    let repo = TestRepo::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = becket(&repo, ["completions", shell]).output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("becket"), "{shell}");
    }
}

#[test]
fn the_tour_ends_well_and_leaves_nothing_behind() {
    let repo = TestRepo::new();
    let output = becket(&repo, ["tour"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    for words in [
        "Connect",
        "Where am I?",
        "Sandbox",
        "Both eras",
        "path_escapes_root",
        "path_in_git_dir",
        "2026-07-28",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "no colour without a terminal");
    assert_eq!(
        std::fs::read_dir(repo.home().temporary()).unwrap().count(),
        0,
        "the throw-away repository is gone"
    );
}

#[test]
fn temp_dir_of_the_seed_moves_the_snapshots_but_not_out_of_the_repository() {
    let repo = TestRepo::new();
    let value = |repo: &TestRepo| {
        let output = becket(repo, ["config", "--json"]).output().unwrap();
        let settings = envelope(&output)["data"]["settings"].as_array().unwrap().clone();
        settings.iter().find(|setting| setting["key"] == "snapshots.dir").unwrap()["value"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    repo.write("mcp-config.json", "{\"paths\": {\"tempDir\": \".logicstamp/mcp-snapshots\"}}");
    assert_eq!(value(&repo), repo.path(".logicstamp/mcp-snapshots").display().to_string());
    repo.write("mcp-config.json", "{\"paths\": {\"tempDir\": \"/etc\"}}");
    assert_eq!(value(&repo), "(unset)");
}

#[test]
fn a_wrong_command_line_is_an_envelope_too_when_json_is_asked_for() {
    let repo = TestRepo::new();
    let output = becket(&repo, ["--json", "status", "--bogus"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let envelope = envelope(&output);
    assert_eq!((&envelope["ok"], &envelope["error"]["code"]), (&false.into(), &"usage".into()));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_not_taken_for_done() {
    let repo = TestRepo::new();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in [["status", "--json"], ["completions", "bash"]] {
        let output = becket(&repo, arguments).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(6), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"), "{output:?}");
    }
}

#[test]
fn doctor_tells_what_the_server_said_when_it_does_not_start() {
    let repo = TestRepo::new();
    repo.write("becket.toml", "[mcp]\ntools = [\"becket_stats\"]\n");
    let output = becket(&repo, ["doctor", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = envelope(&output)["data"]["checks"].to_string();
    assert!(text.contains("unknown_tool") && text.contains("becket.toml:2"), "{text}");
    let mut command = becket(&repo, ["tour"]);
    command.env("BECKET_TOOLS", "no_such_tool");
    assert!(command.output().unwrap().status.success(), "the tour does not see the user's settings");
}

#[test]
fn a_legitimate_exclusion_is_no_defect() {
    let repo = TestRepo::new();
    let mut command = becket(&repo, ["doctor"]);
    command.env("BECKET_EXCLUDE", "becket_status");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
