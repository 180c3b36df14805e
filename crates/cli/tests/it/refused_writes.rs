//! A vault or a runtime that may not be written or read, and a disk that is full: a clear error, and nothing lost or
//! half-written.
//!
//! What permissions forbid is forbidden to everybody but root. Where the tests run as root, the binary therefore runs as
//! somebody else; elsewhere it runs as whoever runs the tests. Windows has no such permissions on folders: there the twin
//! at the end makes the folder unfit in another way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[cfg(unix)]
mod unix {
    use std::{
        collections::BTreeMap,
        fs,
        os::unix::fs::{MetadataExt, PermissionsExt, chown},
        os::unix::process::CommandExt,
        path::{Path, PathBuf},
        process::{Command, Output},
    };

    use becket_testing::{McpProcess, TestRepo};
    use serde_json::{Value, json};

    use crate::{BECKET, envelope};

    /// Nobody's number on every usual system.
    const NOBODY: u32 = 65_534;

    /// A repository with three entries that belongs to an ordinary user, and the binary where that user can start it.
    struct Place {
        repo: TestRepo,
        binary: PathBuf,
        as_root: bool,
    }

    impl Place {
        fn new() -> Self {
            let repo = TestRepo::new();
            let home = repo.home().root().to_owned();
            let as_root = fs::metadata(&home).unwrap().uid() == 0;
            let binary = home.join("becket");
            fs::copy(BECKET, &binary).unwrap();
            let place = Self { repo, binary, as_root };
            if as_root {
                give_to_nobody(&home);
            }
            assert!(place.run(&["note", "init"]).status.success());
            for text in ["# One\n\nneedle", "# Two\n\nneedle", "# Three\n\nneedle"] {
                let output = place.run(&["note", "new", text]);
                assert!(output.status.success(), "{output:?}");
            }
            place
        }

        fn command(&self, program: &Path) -> Command {
            let mut command = self.repo.command(program);
            if self.as_root {
                command.uid(NOBODY).gid(NOBODY);
            }
            command
        }

        fn run(&self, arguments: &[&str]) -> Output {
            self.command(&self.binary).args(arguments).output().unwrap()
        }

        fn server(&self) -> McpProcess {
            let mut command = self.command(&self.binary);
            command.arg("mcp");
            let mut server = McpProcess::spawn(command);
            server.initialize("2025-06-18");
            server
        }

        fn mode(&self, path: &str, mode: u32) {
            fs::set_permissions(self.repo.path(path), fs::Permissions::from_mode(mode)).unwrap();
        }

        fn files(&self) -> BTreeMap<String, Vec<u8>> {
            fs::read_dir(self.repo.path(".context"))
                .unwrap()
                .map(|entry| {
                    let entry = entry.unwrap();
                    (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap_or_default())
                })
                .collect()
        }
    }

    impl Drop for Place {
        /// So that the folder can be removed by whoever runs the tests.
        fn drop(&mut self) {
            for path in [".context", ".git", ".lodestar"] {
                let _ = fs::set_permissions(self.repo.path(path), fs::Permissions::from_mode(0o755));
            }
            let _ = fs::set_permissions(self.repo.path(".git/becket"), fs::Permissions::from_mode(0o755));
        }
    }

    fn give_to_nobody(path: &Path) {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        if fs::symlink_metadata(path).unwrap().is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                give_to_nobody(&entry.unwrap().path());
            }
        }
    }

    fn error(result: &Value) -> (String, String) {
        assert_eq!(result["isError"], true, "{result}");
        let error = &result["structuredContent"]["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{result}");
        (error["code"].as_str().unwrap().to_owned(), error["hint"].as_str().unwrap_or_default().to_owned())
    }

    #[test]
    fn clean_removes_what_it_can_and_names_the_rest() {
        let place = Place::new();
        for folder in ["a", "b", "c"] {
            place.repo.write(format!("{folder}/one.ts"), "export const one = 1;\n");
        }
        if place.as_root {
            give_to_nobody(place.repo.root());
        }
        assert!(place.run(&["context", "-q"]).status.success());
        place.mode("b", 0o555);
        let cleaned = place.run(&["context", "clean", "--all", "--yes"]);
        let again = place.run(&["context", "clean", "--all", "--yes", "--json"]);
        place.mode("b", 0o755);
        assert_eq!(cleaned.status.code(), Some(1), "{cleaned:?}");
        let said = String::from_utf8_lossy(&cleaned.stdout).into_owned();
        assert!(said.contains("not removed: b/context.json (permission denied)"), "{said}");
        let left = ["a", "b", "c"].map(|folder| place.repo.path(format!("{folder}/context.json")).exists());
        assert_eq!((left, place.repo.path("context_main.json").exists()), ([false, true, false], false));
        let again = envelope(&again);
        assert_eq!(
            (&again["ok"], &again["error"]["code"]),
            (&json!(false), &json!("not_removed")),
            "{again}"
        );
        let data = &again["data"];
        assert_eq!(data["notRemoved"][0]["file"], "b/context.json", "{again}");
        assert_eq!((&data["files"], &data["removed"]), (&json!([]), &json!(false)), "{again}");
    }

    #[test]
    fn a_read_only_folder_can_be_read_and_says_why_it_cannot_be_written() {
        let place = Place::new();
        place.mode(".context", 0o555);
        place.mode(".context/log.jsonl", 0o444);
        let before = place.files();
        let mut server = place.server();
        let listed = server.call("context_list", json!({}));
        assert_eq!(listed["structuredContent"]["total"], 3, "{listed}");
        let found = server.call("context_search", json!({"query": "needle"}));
        assert_eq!(found["structuredContent"]["total"], 3, "{found}");
        let got = server.call("context_get", json!({"ref": "2"}));
        assert_eq!(got["structuredContent"]["markdown"], "# Two\n\nneedle");
        let (code, hint) = error(&server.call("context_create", json!({"markdown": "# Four"})));
        assert_eq!(code, "context_not_writable");
        assert!(hint.contains("permissions"), "{hint}");
        let (code, _) = error(&server.call("context_verify", json!({"ref": "1"})));
        assert_eq!(code, "context_not_writable");
        assert_eq!(place.files(), before);
        let output = place.run(&["note", "new", "# Four", "--json"]);
        assert_eq!(envelope(&output)["error"]["code"], "context_not_writable", "{output:?}");
        assert_ne!(output.status.code(), Some(0));
        // The server goes on once it may.
        place.mode(".context", 0o755);
        place.mode(".context/log.jsonl", 0o644);
        let created = server.call("context_create", json!({"markdown": "# Four"}));
        assert_ne!(created["isError"], true, "{created}");
        server.finish();
    }

    #[test]
    fn a_source_that_cannot_be_read_is_counted_among_those_left_out() {
        let place = Place::new();
        fs::create_dir(place.repo.path("src")).unwrap();
        for name in ["src/a.ts", "src/locked.ts", "src/b.min.js"] {
            place.repo.write(name, "export const a = 1;\n");
        }
        place.mode("src/locked.ts", 0o000);
        if place.as_root {
            give_to_nobody(&place.repo.path("src"));
        }
        let left = json!([
            {"path": "src/b.min.js", "reason": "minified"},
            {"path": "src/locked.ts", "reason": "unreadable"},
        ]);
        for _ in 0..2 {
            let data = &envelope(&place.run(&["context", "--json"]))["data"];
            assert_eq!(
                (&data["leftOut"], &data["leftOutFiles"], &data["problems"]),
                (&left, &json!(2), &json!([]))
            );
        }
        let mut server = place.server();
        let data = &server.call("logicstamp_refresh_snapshot", json!({}))["structuredContent"];
        assert_eq!((&data["leftOut"], &data["leftOutFiles"]), (&left, &json!(2)));
        server.finish();
    }

    #[test]
    fn a_log_that_cannot_be_written_takes_the_entry_with_it() {
        let place = Place::new();
        place.mode(".context/log.jsonl", 0o444);
        let before = place.files();
        let output = place.run(&["note", "new", "# Four", "--json"]);
        assert_eq!(envelope(&output)["error"]["code"], "context_not_writable", "{output:?}");
        assert_eq!(place.files(), before);
    }

    #[test]
    fn a_folder_that_cannot_be_read_says_so() {
        let place = Place::new();
        place.mode(".context", 0o000);
        let mut server = place.server();
        for (tool, arguments) in [
            ("context_list", json!({})),
            ("context_search", json!({"query": "x"})),
            ("context_create", json!({"markdown": "x"})),
        ] {
            let (code, hint) = error(&server.call(tool, arguments));
            assert!(
                ["context_unreadable", "context_not_writable", "config_unreadable"].contains(&code.as_str()),
                "{tool}: {code}"
            );
            assert!(hint.contains("permissions"), "{tool}: {hint}");
        }
        server.finish();
    }

    #[test]
    fn an_entry_that_cannot_be_read_does_not_hide_the_others() {
        let place = Place::new();
        place.mode(".context/00002.md", 0o000);
        let mut server = place.server();
        for (tool, arguments, rows) in [
            ("context_list", json!({}), "entries"),
            ("context_search", json!({"query": "needle"}), "results"),
        ] {
            let answer = server.call(tool, arguments)["structuredContent"].clone();
            let references: Vec<&str> =
                answer[rows].as_array().unwrap().iter().map(|row| row["ref"].as_str().unwrap()).collect();
            assert_eq!(references.len(), 2, "{answer}");
            assert!(!references.contains(&"00002"), "{answer}");
            assert_eq!(answer["unreadable"][0]["file"], "00002.md", "{answer}");
        }
        let (code, _) = error(&server.call("context_get", json!({"ref": "2"})));
        assert_eq!(code, "context_unreadable");
        server.finish();
    }

    #[test]
    fn a_cache_that_cannot_be_written_stops_only_writing() {
        let place = Place::new();
        fs::remove_dir_all(place.repo.path(".git/becket")).unwrap();
        place.mode(".git", 0o555);
        let mut server = place.server();
        let found = server.call("context_search", json!({"query": "needle"}));
        assert_eq!(found["structuredContent"]["total"], 3, "{found}");
        let refused = server.call("context_create", json!({"markdown": "# Four"}));
        let (code, hint) = error(&refused);
        assert_eq!(code, "context_not_writable");
        assert!(hint.contains("permissions"), "{hint}");
        assert!(refused["content"][0]["text"].as_str().unwrap().contains("ermission denied"), "{refused}");
        assert!(!place.repo.path(".context/00004.md").exists());
        server.finish();
    }

    /// Files may not grow beyond a few kilobytes, which a writer meets like the end of the disk: in the middle of a write.
    fn on_a_full_disk(place: &Place, arguments: &[&str]) -> Output {
        let mut command = place.command(Path::new("/bin/sh"));
        command
            .arg("-c")
            .arg("trap '' XFSZ; ulimit -f 8; exec \"$@\"")
            .arg("sh")
            .arg(&place.binary)
            .args(arguments);
        command.output().unwrap()
    }

    #[test]
    fn a_full_disk_leaves_nothing_behind() {
        let place = Place::new();
        let before = place.files();
        let large = format!("# Large\n\n{}", format!("{}\n", "word ".repeat(60)).repeat(45));
        let output = on_a_full_disk(&place, &["note", "new", &large, "--json"]);
        assert_eq!(envelope(&output)["error"]["code"], "context_not_writable", "{output:?}");
        assert!(envelope(&output)["error"]["hint"].as_str().unwrap().contains("free space"), "{output:?}");
        assert_eq!(place.files(), before);
        let listed = on_a_full_disk(&place, &["note", "list", "--json"]);
        assert_eq!(envelope(&listed)["data"]["total"], 3, "{listed:?}");
        assert!(place.run(&["note", "new", &large]).status.success(), "there is room again");
    }

    fn lodestar(place: &Place) {
        assert!(place.run(&["task", "init"]).status.success());
        for title in ["One", "Two"] {
            assert!(place.run(&["task", "create", "--title", title]).status.success());
        }
    }

    #[test]
    fn tasks_in_a_read_only_folder_can_be_read() {
        let place = Place::new();
        lodestar(&place);
        for file in fs::read_dir(place.repo.path(".lodestar")).unwrap() {
            fs::set_permissions(file.unwrap().path(), fs::Permissions::from_mode(0o444)).unwrap();
        }
        place.mode(".lodestar", 0o555);
        let mut server = place.server();
        let listed = server.call("lodestar_task_list", json!({}));
        assert_eq!(listed["structuredContent"]["total"], 2, "{listed}");
        let found = server.call("lodestar_task_get", json!({"taskId": "T001"}));
        assert_eq!(found["structuredContent"]["task"]["title"], "One", "{found}");
        assert_ne!(server.call("lodestar_task_next", json!({}))["isError"], true);
        assert_ne!(server.call("lodestar_repo_status", json!({}))["isError"], true);
        assert_ne!(server.call("lodestar_events_pull", json!({}))["isError"], true);
        let (code, hint) = error(&server.call("lodestar_agent_join", json!({})));
        assert_eq!(code, "store_read_only");
        assert!(hint.contains("permissions"), "{hint}");
        let output = place.run(&["task", "list", "--json"]);
        assert_eq!(envelope(&output)["data"]["count"], 2, "{output:?}");
        place.mode(".lodestar", 0o755);
        server.finish();
    }

    /// Room for the memory that processes share, but not for many commits.
    #[test]
    fn a_full_disk_is_said_and_loses_nothing() {
        let place = Place::new();
        lodestar(&place);
        let joined = place.run(&["agent", "join", "--json"]);
        let agent = envelope(&joined)["data"]["agent_id"].as_str().unwrap().to_owned();
        let mut command = place.command(Path::new("/bin/sh"));
        let limited = "trap '' XFSZ; ulimit -f 160; exec \"$@\"";
        command.args(["-c", limited, "sh"]).arg(&place.binary).arg("mcp");
        let mut server = McpProcess::spawn(command);
        server.initialize("2025-06-18");
        let body = "word ".repeat(3_000);
        let (mut sent, mut refused) = (Vec::new(), None);
        for _ in 0..60 {
            let message = json!({"fromAgentId": agent, "body": body});
            let answer = server.call("lodestar_message_send", message);
            if answer["isError"] == true {
                refused = Some(error(&answer));
                break;
            }
            sent.push(answer["structuredContent"]["messageId"].clone());
        }
        let (code, hint) = refused.expect("the disk is full some time");
        assert_eq!(code, "disk_full");
        assert!(hint.contains("room"), "{hint}");
        let listed = server.call("lodestar_task_list", json!({}));
        assert_eq!(listed["structuredContent"]["total"], 2, "reading goes on: {listed}");
        server.finish();
        let mut server = place.server();
        let found = server.call("lodestar_message_search", json!({"fromAgentId": agent, "limit": 200}));
        let kept: Vec<&Value> =
            found["structuredContent"]["messages"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
        assert!(sent.iter().all(|id| kept.contains(&id)), "{sent:?} {kept:?}");
        assert_eq!(kept.len(), sent.len(), "and nothing half-written");
        let again = server.call("lodestar_message_send", json!({"fromAgentId": agent, "body": body}));
        assert_ne!(again["isError"], true, "there is room again: {again}");
        server.finish();
    }

    #[test]
    fn a_log_that_has_no_room_takes_the_entry_with_it_and_keeps_its_own_lines() {
        let place = Place::new();
        let log = place.repo.path(".context/log.jsonl");
        let mut lines = fs::read_to_string(&log).unwrap();
        while lines.len() < 9_000 {
            lines.push_str("{\"event\":\"from a later version\",\"padding\":\"");
            lines.push_str(&"x".repeat(400));
            lines.push_str("\"}\n");
        }
        fs::write(&log, &lines).unwrap();
        let before = place.files();
        let output = on_a_full_disk(&place, &["note", "new", "# Small", "--json"]);
        assert_eq!(envelope(&output)["error"]["code"], "context_not_writable", "{output:?}");
        assert_eq!(place.files(), before);
        let created = place.run(&["note", "new", "# Small", "--json"]);
        let file = envelope(&created)["data"]["file"].as_str().unwrap().to_owned();
        assert!(file == "00004.md" || file == "00005.md", "a number that was tried may stay used: {file}");
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use becket_testing::TestRepo;

    use crate::{becket, envelope};

    #[test]
    fn a_folder_that_is_a_file_says_so() {
        let repo = TestRepo::new();
        repo.write(".context", "not a folder");
        let output = becket(&repo, ["note", "new", "# One", "--json"]).output().unwrap();
        assert_eq!(envelope(&output)["error"]["code"], "context_unfit", "{output:?}");
    }
}
