//! A clone is data: nothing in it leads becket out of it, neither a link nor a settings file. Also not while reading.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{io::Read, net::TcpListener};

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use crate::{BECKET, becket, envelope};

fn server(repo: &TestRepo, arguments: &[&str], variables: &[(&str, &str)]) -> McpProcess {
    let mut command = repo.command(BECKET);
    command.arg("mcp").args(arguments).envs(variables.iter().copied());
    let mut process = McpProcess::spawn(command);
    process.initialize("2025-11-25");
    process.notify("notifications/initialized", json!({}));
    process
}

fn refusal(server: &mut McpProcess, tool: &str, arguments: Value) -> String {
    let answer = server.call(tool, arguments);
    let error = &answer["structuredContent"]["error"];
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{tool}: {answer}");
    error["code"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}")).to_owned()
}

#[cfg(unix)]
mod links {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use super::*;

    const REFUSED: &str = "path_link_outside_root";

    /// A clone in which one file is a link to a file outside, which is there or not.
    fn clone_with(file: &str, outside: &Path, target: &str) -> TestRepo {
        let origin = TestRepo::new();
        origin.write(".lodestar/spec.yaml", "tasks:\n  T1: {title: a, status: ready}\n");
        origin.write(".context/config.json", "{}");
        origin.write(".context/00001.md", "# one\n");
        if !file.starts_with(".lodestar/") {
            origin.write(".lodestar/.gitignore", "runtime.sqlite*\n");
        }
        symlink(outside.join(target), origin.path(file)).unwrap();
        origin.git(["add", "-fA"]);
        origin.git(["commit", "-qm", "links"]);
        let clone = TestRepo::new();
        clone.git(["pull", "-q", &origin.root().display().to_string(), "main"]);
        assert!(clone.path(file).is_symlink(), "{file}");
        clone
    }

    #[test]
    fn lead_nowhere_out_of_a_clone() {
        let calls: [(&str, &[(&str, Value)]); 2] = [
            (".lodestar/", &[("lodestar_task_list", json!({})), ("lodestar_agent_join", json!({}))]),
            (
                ".context/",
                &[
                    ("context_list", json!({})),
                    ("context_verify", json!({"ref": "1", "note": "$(touch owned)"})),
                    ("context_create", json!({"markdown": "# x"})),
                ],
            ),
        ];
        for file in [
            ".lodestar/runtime.sqlite",
            ".lodestar/runtime.sqlite-wal",
            ".lodestar/runtime.queue.lock",
            ".lodestar/spec.lock",
            ".context/log.jsonl",
            ".context/.gitattributes",
        ] {
            for target in ["victim", "new"] {
                let outside = TestRepo::new();
                outside.write("victim", "");
                let repo = clone_with(file, outside.root(), target);
                let before = listing(outside.root());
                for arguments in [&["--read-only"][..], &[]] {
                    let mut server = server(&repo, arguments, &[]);
                    let (_, calls) = calls.iter().find(|(folder, _)| file.starts_with(folder)).unwrap();
                    let calls = calls.iter().filter(|(tool, _)| {
                        arguments.is_empty() || matches!(*tool, "lodestar_task_list" | "context_list")
                    });
                    let codes: Vec<String> = calls
                        .filter_map(|(tool, arguments)| {
                            let answer = server.call(tool, arguments.clone());
                            let error = &answer["structuredContent"]["error"];
                            error["code"].as_str().map(str::to_owned)
                        })
                        .collect();
                    assert!(codes.iter().all(|code| code == REFUSED), "{file} {target}: {codes:?}");
                    // What only reads has no need of some of these.
                    assert!(!codes.is_empty() || !arguments.is_empty(), "{file} {target} is not refused");
                    server.finish();
                }
                for arguments in [
                    &["task", "list"][..],
                    &["note", "init"],
                    &["note", "new", "# x"],
                    &["task", "init"],
                    &["doctor"],
                    &["doctor", "--repair"],
                    &["as", "lodestar", "init", "--force", "--mcp"],
                ] {
                    let mut command = repo.command(BECKET);
                    command.args(arguments).output().unwrap();
                }
                assert_eq!(listing(outside.root()), before, "{file} {target}");
                assert_eq!(fs::read_to_string(outside.path("victim")).unwrap(), "");
            }
        }
    }

    fn listing(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn are_told_by_doctor_with_what_to_do() {
        let outside = TestRepo::new();
        outside.write("victim", "");
        let repo = clone_with(".lodestar/runtime.sqlite", outside.root(), "victim");
        let output = becket(&repo, ["doctor", "--json"]).output().unwrap();
        let text = envelope(&output).to_string();
        assert!(text.contains("runtime.sqlite leads out of") && text.contains("remove the link"), "{text}");
        assert!(!output.status.success());
    }

    #[test]
    fn of_a_store_that_a_settings_file_names_are_no_way_out_either() {
        let outside = TestRepo::new();
        outside.write("victim", "");
        let secret = outside.path("victim").display().to_string();
        for (url, link) in [("s.sqlite", true), (secret.as_str(), false), ("../../victim", false)] {
            let repo = TestRepo::new();
            repo.write(".lodestar/spec.yaml", "tasks: {}\n");
            repo.write("becket.toml", format!("[store]\nurl = \"{url}\"\n"));
            if link {
                symlink(outside.path("victim"), repo.path("s.sqlite")).unwrap();
            }
            let mut server = server(&repo, &[], &[]);
            assert_eq!(refusal(&mut server, "lodestar_task_list", json!({})), "settings_invalid");
            let status = server.call("becket_status", json!({}));
            let problem = &status["structuredContent"]["problems"][0];
            assert_eq!(problem["code"], "setting_path_refused", "{url}: {status}");
            server.finish();
            assert!(!becket(&repo, ["task", "list"]).output().unwrap().status.success());
            assert_eq!(fs::read(outside.path("victim")).unwrap(), b"", "{url}");
            assert_eq!(listing(outside.root()), [".git", "victim"], "{url}");
        }
    }

    #[test]
    fn in_the_place_of_what_becket_sets_up_are_refused_by_one_code() {
        for (file, arguments) in [
            ("AGENTS.md", &["init", "--hosts", "claude-code"][..]),
            (".mcp.json", &["init", "--hosts", "claude-code"]),
            (".stampignore", &["as", "stamp", "ignore", "x"]),
            (".gitignore", &["as", "stamp", "init"]),
            (".lodestar", &["task", "list"]),
            (".lodestar", &["task", "init"]),
            (".lodestar", &["doctor"]),
        ] {
            for target in ["victim", "new", "folder"] {
                let (repo, outside) = (TestRepo::new(), TestRepo::new());
                outside.write("victim", "{}");
                outside.write("folder/spec.yaml", "tasks: {}\n");
                let before = listing(outside.root());
                symlink(outside.path(target), repo.path(file)).unwrap();
                let output = repo.command(BECKET).args(arguments).output().unwrap();
                let said = format!("{output:?}");
                let is_told = said.contains(REFUSED) || said.contains("remove the link");
                assert!(is_told && !output.status.success(), "{file} {target} {arguments:?}: {said}");
                assert_eq!(listing(outside.root()), before, "{file} {target}");
                assert_eq!(fs::read_to_string(outside.path("victim")).unwrap(), "{}");
            }
        }
    }

    #[test]
    fn of_snapshots_in_the_project_lead_nowhere_out_of_it() {
        let (repo, outside) = (TestRepo::new(), TestRepo::new());
        let blob = "0".repeat(64);
        outside.write(&blob, "mine");
        repo.write("a.ts", "export const a = 1;\n");
        repo.write("becket.toml", "[snapshots]\ndir = \"kept\"\nmax_snapshots = 1\n");
        fs::create_dir(repo.path("kept")).unwrap();
        symlink(outside.root(), repo.path("kept/objects")).unwrap();
        let mut server = server(&repo, &[], &[]);
        assert_eq!(refusal(&mut server, "logicstamp_refresh_snapshot", json!({})), REFUSED);
        server.finish();
        assert_eq!(listing(outside.root()), [".git", blob.as_str()]);
    }
}

/// Who connects is heard by this one.
struct Ear(TcpListener);

impl Ear {
    fn new() -> Self {
        let ear = TcpListener::bind("127.0.0.1:0").unwrap();
        ear.set_nonblocking(true).unwrap();
        Self(ear)
    }

    fn url(&self) -> String {
        format!("postgres://ada:hunter2@{}/db?sslmode=disable", self.0.local_addr().unwrap())
    }

    fn heard_somebody(&self) -> bool {
        match self.0.accept() {
            Ok((mut stream, _)) => {
                _ = stream.read(&mut [0]);
                true
            }
            Err(_) => false,
        }
    }
}

#[test]
fn a_settings_file_names_no_server() {
    let ear = Ear::new();
    for name in ["becket.toml", "mcp-config.json"] {
        let repo = TestRepo::new();
        repo.write(".lodestar/spec.yaml", "tasks: {}\n");
        let text = match name {
            "becket.toml" => format!("[store]\nurl = \"{}\"\n", ear.url()),
            _ => json!({"store": {"url": ear.url()}}).to_string(),
        };
        repo.write(name, text);
        for arguments in [&["--read-only"][..], &[]] {
            let mut server = server(&repo, arguments, &[("PGPASSWORD", "hunter3")]);
            let status = server.call("becket_status", json!({}));
            let problem = &status["structuredContent"]["problems"][0];
            assert_eq!(problem["code"], "setting_not_from_file", "{status}");
            assert!(problem["hint"].as_str().unwrap().contains("BECKET_STORE"), "{status}");
            assert_eq!(status["structuredContent"]["store"]["kind"], "none", "{status}");
            assert!(!status.to_string().contains("hunter"), "{status}");
            assert_eq!(refusal(&mut server, "lodestar_task_list", json!({})), "settings_invalid");
            server.request("resources/read", json!({"uri": "lodestar://tasks"}));
            server.finish();
        }
        for arguments in [["task", "list"], ["store", "status"], ["doctor", "--repair"]] {
            let output = becket(&repo, arguments).output().unwrap();
            assert!(!output.status.success(), "{output:?}");
        }
        let told = becket(&repo, ["doctor", "--json"]).output().unwrap();
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.contains("set BECKET_STORE to its address") && !told.contains("hunter"), "{told}");
        assert!(!ear.heard_somebody(), "{name}");
        assert!(!repo.path(".lodestar/runtime.sqlite").exists(), "no other store is taken instead");

        // The environment decides, and then the file's word is none.
        let mut command = becket(&repo, ["task", "list"]);
        let output = command.env("BECKET_STORE", repo.path("own.sqlite")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(!ear.heard_somebody() && repo.path("own.sqlite").exists());
    }
}
