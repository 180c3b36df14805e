//! The six other names, as links and as `becket as NAME`.

use becket_testing::{McpProcess, TestRepo};
use serde_json::json;

use crate::{becket, envelope, seen};

#[test]
fn links_are_made_once_and_removed_again() {
    let repo = TestRepo::new();
    let bin = repo.home().root().join("bin");
    let run = |action: &str| {
        let mut command = becket(&repo, ["alias", action, "--json", "--dir"]);
        command.arg(&bin);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let links = envelope(&output)["data"].as_array().unwrap().clone();
        links.iter().map(|link| link["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(run("install"), ["made"; 6]);
    assert_eq!(run("install"), ["already_there"; 6]);

    let mut server = McpProcess::spawn({
        let mut command = repo.command(bin.join("crinkle"));
        command.arg("mcp");
        command
    });
    assert_eq!(server.initialize("2025-06-18")["serverInfo"]["name"], "crinkle");
    assert_eq!(server.request("tools/list", json!({}))["result"]["tools"], json!([]));
    server.finish();

    std::fs::remove_file(bin.join("lodestar")).unwrap();
    std::fs::write(bin.join("lodestar"), "somebody else's").unwrap();
    assert_eq!(run("remove").iter().filter(|state| *state == "removed").count(), 5);
    assert_eq!(std::fs::read_to_string(bin.join("lodestar")).unwrap(), "somebody else's");
    assert_eq!(run("remove").iter().filter(|state| *state == "absent").count(), 5);
}

#[test]
fn each_name_starts_its_server_as_its_seed_does() {
    let repo = TestRepo::new();
    for words in [
        &["crinkle", "mcp"][..],
        &["lodestar", "mcp", "serve", "--stdio"],
        &["context-stash", "--serve"],
        &["segmint"],
        &["logicstamp-mcp"],
        &["stamp", "mcp"],
    ] {
        let mut command = repo.command(crate::BECKET);
        command.arg("as").args(words);
        let mut server = McpProcess::spawn(command);
        assert_eq!(server.initialize("2025-06-18")["serverInfo"]["name"], words[0], "{words:?}");
        let tools = server.request("tools/list", json!({}))["result"]["tools"].clone();
        assert!(!tools.to_string().contains("becket_status"), "{words:?}");
        server.finish();
    }
}

#[test]
fn an_unknown_name_or_command_says_what_there_is() {
    let repo = TestRepo::new();
    insta::assert_snapshot!(seen(&repo, becket(&repo, ["as", "lodstar", "mcp"])));
    insta::assert_snapshot!(seen(&repo, becket(&repo, ["as", "crinkle", "lex"])));
    insta::assert_snapshot!(seen(&repo, becket(&repo, ["as", "segmint", "--help"])));
}
