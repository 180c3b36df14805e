//! `becket context --watch` as a real process: every kind of change, its files, its end, and who may watch.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Output, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use becket_testing::TestRepo;
use serde_json::{Value, json};

use crate::{BECKET, becket, envelope};

const PATIENCE: Duration = Duration::from_secs(30);
const MONEY: &str = "export function format(amount: number): string {\n  return String(amount);\n}\n";
const CART: &str = "import { format } from './money';\nexport const total = (): string => format(1);\n";

struct Watcher {
    child: Child,
    lines: Receiver<Value>,
}

impl Watcher {
    /// Started, and past its first run.
    fn start(mut command: Command, arguments: &[&str]) -> Self {
        command
            .args(arguments)
            .arg("--json")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        let watcher = Self { child, lines };
        assert_eq!(watcher.next()["type"], "watching");
        watcher
    }

    fn on(repo: &TestRepo, arguments: &[&str]) -> Self {
        Self::start(repo.command(BECKET), &[&["context"], arguments].concat())
    }

    fn next(&self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a line of the watcher")
    }

    /// What the next regenerations changed, until these files have all been among them.
    fn changed(&self, wanted: &[&str]) -> Vec<Value> {
        let mut seen = Vec::new();
        let mut left: Vec<&str> = wanted.to_vec();
        while !left.is_empty() {
            let line = self.next();
            assert_eq!(line["type"], "regenerated", "{line}");
            left.retain(|path| !line["changedFiles"].as_array().unwrap().iter().any(|file| file == path));
            seen.push(line);
        }
        seen
    }

    fn end(mut self, signal: &str) -> (Option<i32>, Value, String) {
        let sent = Command::new("kill").args([format!("-{signal}"), self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let last = self.next();
        let mut talk = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
        (self.child.wait().unwrap().code(), last, talk)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn shop() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/money.ts", MONEY);
    repo.write("src/cart.ts", CART);
    repo
}

/// That what stands there is what a run from nothing writes.
fn is_as_a_fresh_run_writes(repo: &TestRepo) {
    let fresh = repo.home().root().join("fresh");
    let _ = std::fs::remove_dir_all(&fresh);
    let output = becket(repo, ["context", "--quiet", "--clean-cache", "--out", fresh.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    // Where `--out` put it, it can be checked.
    is_valid(repo, fresh.join("context_main.json").to_str().unwrap());
    let index = read(&fresh.join("context_main.json"));
    assert_eq!(timeless(&read(&repo.path("context_main.json"))), timeless(&index));
    for folder in index["folders"].as_array().unwrap() {
        let path = folder["contextFile"].as_str().unwrap();
        assert_eq!(timeless(&read(&repo.path(path))), timeless(&read(&fresh.join(path))), "{path}");
    }
}

fn read(path: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

fn timeless(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "createdAt")
            .map(|(name, value)| (name.clone(), timeless(value)))
            .collect(),
        Value::Array(items) => items.iter().map(timeless).collect(),
        other => other.clone(),
    }
}

#[test]
fn files_follow_edits_deletions_renames_and_new_folders() {
    let repo = shop();
    let watcher = Watcher::on(&repo, &["--watch"]);
    repo.write("src/money.ts", MONEY.replace("amount: number", "amount: number, currency: string"));
    let seen = watcher.changed(&["src/money.ts"]);
    let change = &seen[0]["comparison"]["files"][0];
    assert_eq!((&change["entryId"], &change["verdict"]), (&json!("src/money.ts"), &json!("breaking")));
    assert_eq!(change["declarations"][0]["usedBy"], json!(["src/cart.ts"]));
    is_as_a_fresh_run_writes(&repo);

    repo.write("lib/deep/new.ts", "export const fresh = 1;\n");
    watcher.changed(&["lib/deep/new.ts"]);
    is_as_a_fresh_run_writes(&repo);
    repo.write("lib/deep/new.ts", "export const fresh = 2;\nexport const second = 1;\n");
    watcher.changed(&["lib/deep/new.ts"]);
    is_as_a_fresh_run_writes(&repo);

    std::fs::rename(repo.path("src/money.ts"), repo.path("src/coins.ts")).unwrap();
    watcher.changed(&["src/money.ts", "src/coins.ts"]);
    is_as_a_fresh_run_writes(&repo);

    std::fs::remove_dir_all(repo.path("lib")).unwrap();
    watcher.changed(&["lib/deep/new.ts"]);
    assert!(!repo.path("lib/deep/context.json").exists(), "files of a folder that is gone go with it");
    is_as_a_fresh_run_writes(&repo);
    assert_eq!(watcher.end("INT").0, Some(130));
}

#[test]
fn ignore_rules_and_tsconfig_count_when_they_change() {
    let repo = shop();
    repo.write("src/app.ts", "import { format } from '@/money';\nexport const shown = format(1);\n");
    let watcher = Watcher::on(&repo, &["--watch"]);
    repo.write(".gitignore", "cart.ts\n");
    watcher.changed(&["src/cart.ts"]);
    is_as_a_fresh_run_writes(&repo);
    repo.write("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"]}}}\n");
    watcher.changed(&["src/app.ts"]);
    is_as_a_fresh_run_writes(&repo);
    repo.write(".stampignore", "{\"ignore\": [\"src/money.ts\"]}\n");
    watcher.changed(&["src/money.ts"]);
    is_as_a_fresh_run_writes(&repo);
    std::fs::remove_file(repo.path(".stampignore")).unwrap();
    watcher.changed(&["src/money.ts"]);
    is_as_a_fresh_run_writes(&repo);
    assert_eq!(watcher.end("TERM").0, Some(143));
}

#[test]
fn an_edited_style_sheet_counts_where_style_is_written() {
    let repo = TestRepo::new();
    repo.write("src/card.module.css", ".card { color: red; }\n");
    repo.write(
        "src/card.tsx",
        "import styles from './card.module.css';\nexport function Card() { return <p className={styles.card} />; }\n",
    );
    let watcher = Watcher::on(&repo, &["--watch", "--include-style", "--style-mode", "full"]);
    let written = || std::fs::read_to_string(repo.path("src/context.json")).unwrap();
    assert!(!written().contains("--space"));
    repo.write(
        "src/card.module.css",
        ".card { color: red; margin: var(--space); }\n.wide { display: grid; }\n",
    );
    watcher.changed(&["src/card.module.css"]);
    assert!(written().contains("wide"), "{}", written());
}

#[test]
fn a_branch_switch_is_one_change_and_ends_at_the_new_branch() {
    let repo = shop();
    repo.write(".gitignore", "context.json\ncontext_main.json\n.logicstamp/\n");
    repo.commit("shop");
    repo.git(["checkout", "--quiet", "-b", "other"]);
    for number in 0..30 {
        repo.write(format!("src/other/part{number}.ts"), format!("export const part{number} = 1;\n"));
    }
    std::fs::remove_file(repo.path("src/cart.ts")).unwrap();
    repo.commit("other");
    let watcher = Watcher::on(&repo, &["--watch"]);
    repo.git(["checkout", "--quiet", "main"]);
    watcher.changed(&["src/cart.ts", "src/other/part29.ts"]);
    is_as_a_fresh_run_writes(&repo);
    assert!(!repo.path("src/other/context.json").exists());
    repo.git(["checkout", "--quiet", "other"]);
    watcher.changed(&["src/cart.ts", "src/other/part0.ts"]);
    is_as_a_fresh_run_writes(&repo);
}

#[test]
fn status_and_log_are_those_of_the_original_and_go_at_the_end() {
    let repo = shop();
    let watcher = Watcher::on(&repo, &["--watch", "--watch-log"]);
    let status = read(&repo.path(".logicstamp/context_watch-status.json"));
    assert_eq!((&status["active"], &status["strictWatch"]), (&json!(true), &json!(false)));
    assert_eq!(status["pid"], watcher.child.id());
    for field in ["projectRoot", "startedAt", "outputDir"] {
        assert!(status[field].is_string(), "{status}");
    }
    assert_eq!(watch_status(&repo)["watchModeActive"], true);
    is_valid(&repo, ".logicstamp/context_watch-status.json");
    repo.write("src/money.ts", MONEY.replace("number", "bigint"));
    watcher.changed(&["src/money.ts"]);
    repo.write("src/new.ts", "export const one = 1;\n");
    watcher.changed(&["src/new.ts"]);
    repo.remove("src/new.ts");
    watcher.changed(&["src/new.ts"]);
    let log = read(&repo.path(".logicstamp/context_watch-mode-logs.json"));
    is_valid(&repo, ".logicstamp/context_watch-mode-logs.json");
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0]["removedContracts"], json!(["src/new.ts"]));
    assert_eq!(entries[1]["addedContracts"], json!(["src/new.ts"]));
    let edit = &entries[2];
    assert_eq!((&edit["changedFiles"], &edit["fileCount"]), (&json!(["src/money.ts"]), &json!(1)));
    let contract = &edit["modifiedContracts"][0];
    assert_eq!(
        (&contract["entryId"], &contract["semanticHashChanged"]),
        (&json!("src/money.ts"), &json!(true))
    );
    assert!(contract["semanticHash"]["old"].as_str().unwrap().starts_with("uif:"));
    assert!(edit["modifiedBundles"][0]["bundleHash"]["new"].as_str().unwrap().starts_with("uifb:"));
    assert_eq!(edit["summary"]["modifiedContractsCount"], 1);
    let shown = watch_status_of(&repo, &json!({"includeRecentLogs": true, "logLimit": 2}));
    assert_eq!(shown["recentLogs"].as_array().unwrap().len(), 2);
    let (code, last, talk) = watcher.end("INT");
    assert_eq!((code, &last["type"]), (Some(130), &json!("ended")), "{talk}");
    assert!(!repo.path(".logicstamp/context_watch-status.json").exists());
    assert_eq!(watch_status(&repo)["watchModeActive"], false);
}

#[test]
fn a_watcher_that_was_killed_is_known_to_be_gone() {
    let repo = shop();
    let mut watcher = Watcher::on(&repo, &["--watch"]);
    watcher.child.kill().unwrap();
    watcher.child.wait().unwrap();
    assert!(repo.path(".logicstamp/context_watch-status.json").exists());
    let status = watch_status(&repo);
    assert_eq!(status["watchModeActive"], false, "{status}");
    // And the next one is not kept out by it.
    let next = Watcher::on(&repo, &["--watch"]);
    assert_eq!(watch_status(&repo)["watchModeActive"], true);
    drop(next);
}

#[test]
fn only_one_watches_and_a_run_beside_it_mixes_nothing() {
    let repo = shop();
    let watcher = Watcher::on(&repo, &["--watch"]);
    let second = becket(&repo, ["context", "--watch", "--json"]).output().unwrap();
    assert_eq!(second.status.code(), Some(4), "{second:?}");
    assert_eq!(envelope(&second)["error"]["code"], "already_watched");
    // Runs with the same and with other options, while edits go on.
    let runs: Vec<Child> = (0..6)
        .map(|round| {
            repo.write("src/money.ts", format!("{MONEY}export const round{round} = {round};\n"));
            let mut command = repo.command(BECKET);
            command.args(["context", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    repo.write("src/last.ts", "export const last = 1;\n");
    watcher.changed(&["src/last.ts"]);
    is_as_a_fresh_run_writes(&repo);
}

#[test]
fn strict_watching_counts_what_breaks_and_what_is_mended() {
    let repo = shop();
    repo.write("src/Card.tsx", "export function Card({ title, tone }: { title: string; tone?: string }) {\n  return <b className={tone}>{title}</b>;\n}\n");
    let watcher = Watcher::on(&repo, &["--strict-watch"]);
    let report = || read(&repo.path(".logicstamp/strict_watch_violations.json"));
    assert_eq!((&report()["active"], &report()["cumulativeViolations"]), (&json!(true), &json!(0)));
    repo.write(
        "src/Card.tsx",
        "export function Card({ title }: { title: number }) {\n  return <b>{title}</b>;\n}\n",
    );
    watcher.changed(&["src/Card.tsx"]);
    let broken = report();
    is_valid(&repo, ".logicstamp/strict_watch_violations.json");
    assert_eq!(
        (&broken["cumulativeErrors"], &broken["cumulativeWarnings"]),
        (&json!(2), &json!(1)),
        "{broken}"
    );
    let kinds: Vec<&str> = broken["lastCheck"]["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["breaking_change_prop_type", "breaking_change_prop_removed", "breaking_change_signature"]
    );
    repo.write("src/Card.tsx", "export function Card({ title, tone }: { title: string; tone?: string }) {\n  return <b className={tone}>{title}</b>;\n}\n");
    watcher.changed(&["src/Card.tsx"]);
    let mended = report();
    assert_eq!((&mended["resolvedCount"], &mended["cumulativeViolations"]), (&json!(3), &json!(0)));
    assert_eq!((&mended["totalErrorsDetected"], &mended["totalWarningsDetected"]), (&json!(2), &json!(1)));
    assert!(mended["lastCheck"].is_null());
    // What the original misses: a changed signature, and a file that is gone.
    repo.write("src/money.ts", MONEY.replace("amount: number", "amount: number, currency: string"));
    watcher.changed(&["src/money.ts"]);
    assert_eq!(report()["lastCheck"]["violations"][0]["type"], "breaking_change_signature");
    repo.remove("src/cart.ts");
    watcher.changed(&["src/cart.ts"]);
    assert_eq!(report()["cumulativeErrors"], 2);
    let (code, last, talk) = watcher.end("INT");
    assert_eq!(code, Some(1), "something is still broken: {talk}");
    assert_eq!(last["strict"]["cumulativeViolations"], 2);
    assert_eq!(report()["active"], false);
}

#[test]
fn the_originals_command_line_watches_too() {
    let repo = shop();
    let watcher =
        Watcher::start(repo.command(BECKET), &["as", "stamp", "context", "-w", "--log-file", "--debug"]);
    repo.write("src/money.ts", MONEY.replace("number", "bigint"));
    watcher.changed(&["src/money.ts"]);
    assert!(repo.path(".logicstamp/context_watch-mode-logs.json").exists());
    assert_eq!(watcher.end("HUP").0, Some(129));
}

#[test]
fn what_cannot_be_watched_is_said() {
    let repo = TestRepo::new();
    let nothing = becket(&repo, ["context", "--watch", "--json"]).output().unwrap();
    assert_eq!(envelope(&nothing)["error"]["code"], "nothing_to_analyse");
    assert!(!repo.path(".logicstamp/context_watch-status.json").exists());
    for other in ["--stats", "--dry-run", "--compare-modes"] {
        let both: Output = becket(&shop(), ["context", "--watch", other]).output().unwrap();
        assert_eq!(both.status.code(), Some(2), "{other}");
    }
}

#[test]
fn a_repository_that_is_moved_or_removed_ends_the_watcher_and_does_not_come_back() {
    for moved in [true, false] {
        let repo = shop();
        let mut watcher = Watcher::on(&repo, &["--strict-watch"]);
        let aside = repo.home().root().join("aside");
        if moved {
            std::fs::rename(repo.root(), &aside).unwrap();
        } else {
            std::fs::remove_dir_all(repo.root()).unwrap();
        }
        let last =
            std::iter::repeat_with(|| watcher.next()).find(|line| line["type"] != "regenerated").unwrap();
        assert_eq!(last["error"]["code"], "repository_missing", "{last}");
        assert_eq!(watcher.child.wait().unwrap().code(), Some(3));
        assert!(!repo.root().exists());
        if moved {
            // Where it is now, its watcher is known to have ended.
            std::fs::rename(&aside, repo.root()).unwrap();
            assert_eq!(watch_status(&repo)["watchModeActive"], false);
        }
    }
}

#[test]
fn folders_that_are_removed_stay_away() {
    let repo = shop();
    for number in 0..300 {
        repo.write(format!("lots/part{number}/x.ts"), format!("export const part{number} = {number};\n"));
    }
    let watcher = Watcher::on(&repo, &["--watch"]);
    let removed = Command::new("rm").arg("-rf").arg(repo.path("lots")).output().unwrap();
    assert!(removed.status.success(), "{removed:?}");
    let wanted: Vec<String> = (0..300).map(|number| format!("lots/part{number}/x.ts")).collect();
    watcher.changed(&wanted.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!repo.path("lots").exists());
    is_as_a_fresh_run_writes(&repo);
}

#[test]
fn an_error_says_its_cause_and_is_mended_without_another_edit() {
    let repo = shop();
    let out = repo.home().root().join("out");
    let watcher = Watcher::on(&repo, &["--watch", "--out", out.to_str().unwrap()]);
    std::fs::remove_dir_all(&out).unwrap();
    repo.write("src/money.ts", MONEY.replace("number", "bigint"));
    let line = watcher.next();
    assert_eq!((&line["type"], &line["code"]), (&json!("error"), &json!("not_writable")), "{line}");
    assert!(!line["causes"].as_array().unwrap().is_empty(), "{line}");
    std::fs::create_dir(&out).unwrap();
    watcher.changed(&["src/money.ts"]);
    assert!(out.join("src/context.json").is_file());
    let (_, _, talk) = watcher.end("INT");
    assert!(talk.contains("cause: "), "{talk}");
}

/// By its published schema.
fn is_valid(repo: &TestRepo, path: &str) {
    let output = repo.command(BECKET).args(["context", "validate", path]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn watch_status(repo: &TestRepo) -> Value {
    watch_status_of(repo, &json!({}))
}

fn watch_status_of(repo: &TestRepo, arguments: &Value) -> Value {
    let mut command = repo.command(BECKET);
    command.arg("mcp");
    let mut server = becket_testing::McpProcess::spawn(command);
    server.initialize("2025-06-18");
    let params = json!({"name": "logicstamp_watch_status", "arguments": arguments});
    let answer = server.request("tools/call", params)["result"]["structuredContent"].clone();
    server.finish();
    answer
}
