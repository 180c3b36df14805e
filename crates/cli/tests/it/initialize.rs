//! `init` and `uninit` on the real binary.

use std::path::Path;

use becket_testing::TestRepo;
use insta::assert_snapshot;

use crate::{BECKET, becket, envelope, seen};

#[test]
fn init_is_idempotent_and_uninit_leaves_the_repository_as_it_was() {
    let repo = TestRepo::new();
    repo.write(
        ".mcp.json",
        "// ours\n{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"}, // kept\n\t},\n}\n",
    );
    let before = repo.read(".mcp.json");
    let text = seen(&repo, becket(&repo, ["init", "--hosts", "claude-code,codex"]));
    assert_snapshot!(text);
    let after = repo.read(".mcp.json");
    assert!(after.contains("// kept") && after.contains("\"becket\""), "{after}");
    let again = becket(&repo, ["init", "--hosts", "claude-code,codex", "--json"]).output().unwrap();
    let steps: Vec<_> = envelope(&again)["data"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["step"]["kind"].clone())
        .collect();
    assert!(steps.iter().all(|step| step == "already_there"), "{steps:?}");
    assert!(becket(&repo, ["uninit"]).output().unwrap().status.success());
    assert_eq!(repo.read(".mcp.json"), before);
    assert_eq!(repo.git(["status", "--porcelain"]).trim(), "?? .mcp.json");
    assert!(!repo.home().home().join(".codex").exists());
    let twice = seen(&repo, becket(&repo, ["uninit"]));
    assert!(twice.contains("nothing of becket's"), "{twice}");
}

#[test]
fn a_dry_run_writes_nothing_and_print_prints() {
    let repo = TestRepo::new();
    let output = becket(&repo, ["init", "--dry-run", "--hosts", "all"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    let output = becket(&repo, ["init", "--print", "--hosts", "vscode,zed"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\"servers\"") && text.contains("\"context_servers\""), "{text}");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_malformed_host_file_stops_everything_before_the_first_write() {
    let repo = TestRepo::new();
    repo.write(".vscode/mcp.json", "{\"servers\": {,}}");
    let text = seen(&repo, becket(&repo, ["init", "--hosts", "claude-code,vscode"]));
    assert_snapshot!(text);
    assert!(!repo.path(".mcp.json").exists() && !repo.path("AGENTS.md").exists());
}

#[test]
fn an_unknown_host_is_answered_with_the_nearest() {
    let repo = TestRepo::new();
    assert_snapshot!(seen(&repo, becket(&repo, ["init", "--hosts", "curser"])));
}

#[test]
fn doctor_speaks_to_what_init_connected() {
    let repo = TestRepo::new();
    assert!(becket(&repo, ["init", "--hosts", "claude-code"]).output().unwrap().status.success());
    let agents = repo.read("AGENTS.md");
    let block: Vec<_> = agents.lines().skip_while(|line| !line.contains("becket:begin")).collect();
    assert!((2..=12).contains(&block.len()), "{agents}");
    let entry: serde_json::Value = serde_json::from_str(&repo.read(".mcp.json")).unwrap();
    assert_eq!(entry["mcpServers"]["becket"]["args"][0], "mcp");

    let hosts = |path: &Path| {
        let mut command = becket(&repo, ["doctor", "--json"]);
        let mut folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect();
        folders.retain(|folder| !folder.join("becket").exists());
        folders.insert(0, path.to_owned());
        let output = command.env("PATH", std::env::join_paths(folders).unwrap()).output().unwrap();
        let checks = envelope(&output)["data"]["checks"].clone();
        let found = checks.as_array().unwrap().iter().find(|check| check["name"] == "hosts").unwrap().clone();
        (output.status.code(), found["state"].clone(), found["message"].as_str().unwrap().to_owned())
    };
    let (code, state, message) = hosts(Path::new(BECKET).parent().unwrap());
    assert_eq!((code, state), (Some(0), "works".into()), "{message}");
    // The entry says `becket`, and there is none to start.
    let (code, state, message) = hosts(&repo.home().temporary());
    assert_eq!((code, state), (Some(1), "broken".into()), "{message}");
    assert!(message.contains("command_not_on_path"), "{message}");
}
