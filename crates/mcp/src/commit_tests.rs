//! The commit plane's tools over a real byte stream on real repositories. The adapter holds every result against its
//! output schema in tests, so a call that answers is a call that conforms.
#![allow(clippy::disallowed_methods, reason = "tests make their own folders")]

use std::{path::Path, sync::Arc, time::Duration};

use becket_engine::{Engine, Environment, OpenOptions};
use becket_testing::TestRepo;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use crate::{Choice, Persona, Server, Toolset, transport};

const PATIENCE: Duration = Duration::from_mins(1);

struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: WriteHalf<DuplexStream>,
}

impl Client {
    async fn connect(persona: Persona, root: &Path) -> Self {
        let engine = Engine::open(Environment::new(root), OpenOptions::default());
        let choice = Choice { toolsets: Toolset::PLANES.to_vec(), ..Choice::default() };
        let server = Server::new(Arc::new(engine), persona, &choice, CancellationToken::new()).unwrap();
        let (near, far) = tokio::io::duplex(1 << 16);
        let (reader, input) = tokio::io::split(near);
        let (far_reader, far_writer) = tokio::io::split(far);
        let connection = server.connection();
        let closing = connection.closing();
        tokio::spawn(async move {
            let limits = transport::Limits::default();
            transport::serve(connection, far_reader, far_writer, limits, closing).await.unwrap();
        });
        let mut client = Self { lines: BufReader::new(reader).lines(), input };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1.0.0"}});
        client.request("initialize", hello).await;
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn segmint(root: &Path) -> Self {
        Self::connect(Persona::named("segmint").unwrap(), root).await
    }

    async fn send(&mut self, message: Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        loop {
            let line =
                tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("an answer in time");
            let mut message: Value =
                serde_json::from_str(&line.unwrap().expect("the stream goes on")).unwrap();
            if message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].take();
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    async fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].take()
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn dirty() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.txt", "one\n");
    repo.commit("first");
    repo.write("a.txt", "two\n");
    repo.commit("second");
    repo.write("a.txt", "three\n");
    repo.write("new", "n\n");
    repo
}

#[tokio::test]
async fn every_reading_tool_answers_in_its_own_schema() {
    let repo = dirty();
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let changes = client.answer("list_changes", json!({})).await;
    assert_eq!(changes["changes"][0]["file_path"], "a.txt");
    assert_eq!(changes["changes"][1]["kind"], "untracked");
    assert_eq!(changes["scope"]["branch"], "main");
    let tracked = client.answer("list_changes", json!({"untracked": false})).await;
    assert_eq!(tracked["total"], 1);
    let status = client.answer("repo_status", json!({})).await;
    assert_eq!((&status["is_git_repo"], &status["untracked"]), (&json!(true), &json!(["new"])));
    let log = client.answer("log", json!({"limit": 1, "include_merges": true, "path": "a.txt"})).await;
    assert_eq!(log["commits"][0]["subject"], "second");
    assert!(log["nextCursor"].is_string() && log["cut"].is_string());
    let shown = client.answer("show_commit", json!({"sha": "HEAD"})).await;
    assert_eq!(shown["commit"]["diff"]["changes"][0]["hunks"][0]["lines"], json!(["-one", "+two"]));
    assert_eq!(shown["commit"]["files"], json!([{"path": "a.txt", "status": "modified"}]));
    let arguments = json!({"base": "HEAD~1", "head": "HEAD", "unified": 99, "merge_base": true});
    let compared = client.answer("diff_between_refs", arguments).await;
    assert_eq!((&compared["base"], &compared["total"]), (&json!("HEAD~1"), &json!(1)));
    let arguments =
        json!({"path": "a.txt", "ref": "HEAD~1", "ignore_whitespace": true, "detect_moves": true});
    let blamed = client.answer("blame", arguments).await;
    assert_eq!(blamed["lines"][0]["commit"]["summary"], "first");
}

/// The whole way, as a client of the seed goes it: every answer is the JSON of its result.
#[tokio::test]
async fn segmint_s_sequence_ends_in_commits_and_a_draft() {
    let repo = dirty();
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    let mut client = Client::segmint(repo.root()).await;
    let listed = client.answer("list_changes", json!({})).await;
    let changes: Vec<_> =
        listed["changes"].as_array().unwrap().iter().map(|change| change["id"].clone()).collect();
    assert_eq!(changes, ["change-1", "change-2"]);
    let grouped = client.answer("group_changes", json!({"change_ids": changes})).await;
    let groups: Vec<_> =
        grouped["groups"].as_array().unwrap().iter().map(|group| group["id"].clone()).collect();
    assert_eq!(groups[0], "group-1");
    let proposed = client.answer("propose_commits", json!({"group_ids": groups})).await;
    let commits: Vec<_> =
        proposed["commits"].as_array().unwrap().iter().map(|commit| commit["id"].clone()).collect();
    assert_eq!(commits[0], "commit-1");
    let head = repo.head();
    let preview =
        json!({"commit_id": commits[0], "confirm": true, "dry_run": true, "expected_head_sha": head});
    assert_eq!(client.answer("apply_commit", preview).await["dry_run"], true);
    for commit in &commits {
        let arguments = json!({"commit_id": commit, "confirm": true, "dry_run": false, "allow_staged": true});
        let result = client.call("apply_commit", arguments).await;
        assert_eq!(result["structuredContent"]["success"], true, "{result}");
        let read: Value = serde_json::from_str(text(&result)).unwrap();
        assert_eq!(read, result["structuredContent"]);
    }
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    let draft = client.answer("generate_pr", json!({"commit_ids": commits})).await;
    assert!(draft["title"].is_string() && draft["description"].is_string());
    assert_eq!(draft["commits"].as_array().unwrap().len(), commits.len());
    let by_sha = client.answer("generate_pr", json!({"commit_shas": [repo.head()]})).await;
    assert_eq!(by_sha["commits"][0]["commit_sha"], repo.head());
    for _ in &commits {
        client.answer("undo", json!({})).await;
    }
    assert_eq!(repo.head(), head);
}

#[tokio::test]
async fn segmint_s_refusals_are_in_its_own_words() {
    let repo = dirty();
    let mut client = Client::segmint(repo.root()).await;
    for (tool, arguments, words) in [
        ("group_changes", json!({"change_ids": ["bad-id"]}), "Unknown change IDs: bad-id"),
        ("propose_commits", json!({"group_ids": ["group-7", "x"]}), "Unknown group IDs: group-7, x"),
        ("apply_commit", json!({"commit_id": "commit-7"}), "Unknown commit ID: commit-7"),
        ("generate_pr", json!({"commit_ids": []}), "At least one commit SHA is required"),
        ("generate_pr", json!({"commit_shas": ["HEAD"]}), "Invalid commit SHA format: HEAD"),
        ("generate_pr", json!({"commit_shas": ["0123456789"]}), "Unknown commit SHA: 0123456789"),
        (
            "apply_commit",
            json!({"commit_id": "commit-1", "confirm": false}),
            "confirm must be true to apply a commit. Set confirm: true and dry_run: false to create a real commit.",
        ),
    ] {
        let result = client.call(tool, arguments.clone()).await;
        assert_eq!((&result["isError"], text(&result)), (&json!(true), words), "{tool} {arguments}");
    }
}

#[tokio::test]
async fn a_plan_is_edited_and_applied_as_a_whole() {
    let repo = dirty();
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let grouped = client.answer("group_changes", json!({})).await;
    let groups: Vec<_> =
        grouped["groups"].as_array().unwrap().iter().map(|group| group["id"].clone()).collect();
    let proposed = client.answer("propose_commits", json!({"group_ids": groups})).await;
    let first = &proposed["commits"][0]["id"];
    let edited = client.answer("edit_plan", json!({"commit_id": first, "title": "feat: mine"})).await;
    assert_eq!(edited["commits"][0]["title"], "feat: mine");
    let refused = client.call("edit_plan", json!({"title": "of nothing"})).await;
    assert_eq!(refused["structuredContent"]["error"]["code"], "invalid_arguments");
    let applied = client.answer("apply_all", json!({"plan_id": proposed["plan_id"]})).await;
    assert_eq!(applied["commits"].as_array().unwrap().len(), proposed["commits"].as_array().unwrap().len());
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    assert_eq!(client.answer("undo", json!({"operation": applied["operation"]})).await["operation"], 1);
}

#[tokio::test]
async fn becket_s_text_is_a_summary() {
    let repo = dirty();
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let result = client.call("list_changes", json!({})).await;
    let text = text(&result);
    assert!(text.starts_with("2 changes in ") && text.contains("on main"), "{text}");
    assert!(!text.contains("+three"), "{text}");
}

#[tokio::test]
async fn segmint_s_text_is_the_json_of_the_result() {
    let repo = dirty();
    repo.write("long.txt", "a line that is long enough to fill an answer\n".repeat(5_000));
    let mut client = Client::segmint(repo.root()).await;
    let list = client.request("tools/list", json!({})).await;
    let names: Vec<_> = list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names[0], "list_changes");
    for (tool, arguments) in [
        ("list_changes", json!({})),
        ("repo_status", json!({})),
        ("log", json!({})),
        ("show_commit", json!({"sha": "HEAD"})),
        ("diff_between_refs", json!({"base": "HEAD~1", "head": "HEAD"})),
        ("blame", json!({"path": "a.txt"})),
    ] {
        let result = client.call(tool, arguments).await;
        let read: Value =
            serde_json::from_str(text(&result)).unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert_eq!(read, result["structuredContent"], "{tool}");
    }
    let result = client.call("list_changes", json!({})).await;
    assert!(text(&result).len() > 8_000, "a long answer is not cut in the middle of its JSON");
    assert!(text(&result).len() <= 100_000);
}

#[tokio::test]
async fn segmint_s_errors_are_the_sentence_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::segmint(folder.path()).await;
    for tool in ["list_changes", "repo_status", "log"] {
        let result = client.call(tool, json!({})).await;
        assert_eq!((&result["isError"], text(&result)), (&json!(true), "Not a git repository"), "{tool}");
        assert_eq!(result["structuredContent"]["error"]["code"], "not_a_repository");
    }
}

#[tokio::test]
async fn bad_input_is_a_tool_error_and_writes_nothing() {
    let repo = dirty();
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let stray = repo.path("stray");
    let option = format!("--output={}", stray.display());
    for (tool, arguments, code) in [
        ("show_commit", json!({"sha": option}), "invalid_revision"),
        ("show_commit", json!({"sha": "nothing"}), "unknown_revision"),
        ("show_commit", json!({}), "invalid_arguments"),
        ("log", json!({"ref": option}), "invalid_revision"),
        ("log", json!({"cursor": "x"}), "invalid_cursor"),
        ("log", json!({"path": "../.."}), "path_escapes_root"),
        ("diff_between_refs", json!({"base": option, "head": "HEAD"}), "invalid_revision"),
        ("blame", json!({"path": "nothing"}), "unknown_path"),
        ("blame", json!({"path": ".git/config"}), "path_in_git_dir"),
        ("blame", json!({"path": "a.txt", "start_line": 0}), "invalid_arguments"),
        ("list_changes", json!({"limit": 0}), "invalid_arguments"),
        ("list_changes", json!({"worktree": "../.."}), "path_escapes_root"),
    ] {
        let result = client.call(tool, arguments.clone()).await;
        assert_eq!(result["isError"], true, "{tool} {arguments}");
        assert_eq!(result["structuredContent"]["error"]["code"], code, "{tool} {arguments}");
    }
    assert!(!stray.exists());
}

#[tokio::test]
async fn a_long_list_goes_on_by_cursor_within_the_byte_budget() {
    let repo = TestRepo::new();
    for number in 0..60 {
        repo.write(format!("f{number:02}"), "forty characters of content in this line\n".repeat(100));
    }
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let (mut arguments, mut seen, mut pages) = (json!({}), Vec::new(), 0);
    loop {
        let answer = client.answer("list_changes", arguments.clone()).await;
        assert!(answer.to_string().len() <= 100_000);
        seen.extend(answer["changes"].as_array().unwrap().iter().map(|change| change["id"].clone()));
        pages += 1;
        let Some(cursor) = answer.get("nextCursor") else { break };
        arguments = json!({"cursor": cursor});
    }
    assert_eq!(seen, (1..=60).map(|number| json!(format!("change-{number}"))).collect::<Vec<_>>());
    assert!(pages > 2, "{pages}");
}

/// The bytes of a result as it is sent.
fn size(result: &Value) -> usize {
    result.to_string().len()
}

#[tokio::test]
async fn a_whole_result_fits_and_the_rest_of_a_list_is_had_by_cursor() {
    const MOST: usize = 20_000;
    let repo = TestRepo::new();
    repo.write("becket.toml", format!("[mcp]\nmax_output_bytes = {MOST}\n"));
    repo.commit("first");
    for number in 0..240 {
        let text = format!("line \"{number}\"\n").repeat(6);
        repo.write(format!("folder-{number}/\"quoted\" and long name {number}.txt"), text);
    }
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let mut arguments = json!({});
    let (mut seen, mut pages) = (0, 0);
    loop {
        let result = client.call("list_changes", arguments).await;
        assert!(size(&result) <= MOST, "list_changes: {}", size(&result));
        let answer = &result["structuredContent"];
        seen += answer["changes"].as_array().unwrap().len();
        pages += 1;
        if answer["nextCursor"].is_null() {
            assert_eq!(seen, answer["total"]);
            break;
        }
        assert!(answer["cut"].is_string());
        arguments = json!({"cursor": answer["nextCursor"]});
    }
    assert!(pages > 1);
    let groups = rows(&mut client, "group_changes", json!({}), "groups", MOST).await;
    let ids: Vec<&str> = groups.iter().map(|group| group["id"].as_str().unwrap()).collect();
    let commits = rows(&mut client, "propose_commits", json!({"group_ids": ids}), "commits", MOST).await;
    let dry = rows(&mut client, "apply_all", json!({"dry_run": true}), "commits", MOST).await;
    assert_eq!(dry.len(), commits.len());
    for (tool, arguments) in [("repo_status", json!({})), ("becket_status", json!({})), ("log", json!({}))] {
        let result = client.call(tool, arguments).await;
        assert!(size(&result) <= MOST, "{tool}: {}", size(&result));
    }
}

#[tokio::test]
async fn a_cursor_never_commits_and_one_of_groups_that_have_gone_is_refused() {
    let repo = dirty();
    let head = repo.head();
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let mut ids = Vec::new();
    for change in ["change-1", "change-2"] {
        let grouped = client.answer("group_changes", json!({"change_ids": [change]})).await;
        ids.push(grouped["groups"][0]["id"].clone());
    }
    client.answer("propose_commits", json!({"group_ids": ids})).await;
    let dry = client.answer("apply_all", json!({"dry_run": true, "limit": 1})).await;
    let asked = json!({"limit": 1, "cursor": dry["nextCursor"]});
    let refused = client.call("apply_all", asked).await;
    assert_eq!(refused["structuredContent"]["error"]["code"], "invalid_cursor", "{refused}");
    assert_eq!(repo.head(), head);
    let applied = client.answer("apply_all", json!({"limit": 1})).await;
    assert_ne!(repo.head(), head);
    assert!(
        applied["nextCursor"].is_null() && applied["cut"].as_str().unwrap().contains("`log`"),
        "{applied}"
    );
    repo.write("more.txt", "more\n");
    let gone = client.call("group_changes", json!({"cursor": "after:group-1"})).await;
    assert_eq!(gone["structuredContent"]["error"]["code"], "invalid_cursor", "{gone}");
}

/// Every row of a list, page by page, each of which fits.
async fn rows(client: &mut Client, tool: &str, mut arguments: Value, list: &str, most: usize) -> Vec<Value> {
    let mut rows: Vec<Value> = Vec::new();
    loop {
        let result = client.call(tool, arguments.clone()).await;
        assert!(size(&result) <= most, "{tool}: {}", size(&result));
        assert_ne!(result["isError"], true, "{result}");
        let answer = &result["structuredContent"];
        rows.extend(answer[list].as_array().unwrap().iter().cloned());
        if answer["nextCursor"].is_null() {
            return rows;
        }
        assert!(answer["cut"].is_string(), "{tool}");
        arguments["cursor"] = answer["nextCursor"].clone();
    }
}

#[tokio::test]
async fn a_failure_does_not_repeat_a_long_argument() {
    let repo = dirty();
    let mut client = Client::connect(Persona::BECKET, repo.root()).await;
    let long = "x".repeat(200_000);
    for (tool, arguments) in [
        ("context_get", json!({"ref": long})),
        ("lodestar_task_get", json!({"taskId": long})),
        ("apply_commit", json!({"commit_id": long})),
        ("log", json!({"revision": long})),
        ("group_changes", json!({"change_ids": [long, long]})),
        ("list_changes", json!({(&long): 1})),
    ] {
        let result = client.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}");
        assert!(size(&result) < 5_000, "{tool}: {}", size(&result));
        let error = &result["structuredContent"]["error"];
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{tool}");
    }
    let result = client.call("apply_commit", json!({"commit_id": long})).await;
    assert!(text(&result).contains("… [199880 characters cut]"), "{}", text(&result));
}
