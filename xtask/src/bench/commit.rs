//! `cargo xtask bench commit`: what listing and grouping cost beside git itself, what a long diff and a long history cost.
//! Measured through the server, as an agent sees it.

#![allow(clippy::disallowed_methods, reason = "it makes the repositories that it measures")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::BenchError;
use super::process::{self, Scratch};
use super::report::{Floor, Goal, Row};
use super::sample::Sample;
use super::stdio::StdioServer;

const FILES: usize = 200;
const LISTS: usize = 30;
const COMMITS: usize = 10_000;
const MIB: f64 = 1024.0 * 1024.0;

pub(crate) fn measure(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let mut rows = list_rows(binary)?;
    rows.extend(long_rows(binary)?);
    rows.extend(history_rows(binary)?);
    rows.extend(super::grouping::measure()?);
    Ok(rows)
}

/// The floor is what git itself takes for the same questions: two diffs and the files that it does not know.
fn list_rows(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    for number in 0..FILES {
        write(&scratch.path, number, 60, "before")?;
    }
    git(&scratch.path, &["add", "--all"])?;
    git(&scratch.path, &["-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "files"])?;
    for number in 0..FILES {
        write(&scratch.path, number, 60, "after")?;
    }
    git(&scratch.path, &["add", "src/file1.ts", "src/file2.ts"])?;
    let mut server = StdioServer::start(binary, &scratch.path)?;
    let (mut lists, mut floors, mut groups) = (Sample::default(), Sample::default(), Sample::default());
    server.tool("list_changes", &json!({}))?;
    for _ in 0..LISTS {
        let begun = Instant::now();
        git(&scratch.path, &["diff", "--cached", "--no-color", "--unified=3"])?;
        git(&scratch.path, &["diff", "--no-color", "--unified=3"])?;
        git(&scratch.path, &["ls-files", "--others", "--exclude-standard"])?;
        floors.add(begun.elapsed());
        lists.add(server.tool("list_changes", &json!({}))?);
    }
    groups.add(server.tool("group_changes", &json!({}))?);
    groups.add(server.tool("group_changes", &json!({}))?);
    server.stop()?;
    let (list, floor) = (lists.milliseconds(50), floors.milliseconds(50));
    Ok(vec![
        Row::new(format!("`list_changes` of {FILES} files, median of {LISTS}"), list, "ms")
            .with_floor(Floor { name: "two `git diff`, one `git ls-files`", value: floor }),
        Row::new(format!("`list_changes` of {FILES} files, as a multiple of git alone"), list / floor, "×")
            .with_goal(Goal::AtMost(1.3)),
        Row::new(format!("`group_changes` of {FILES} files, first"), groups.milliseconds(100), "ms"),
        Row::new(format!("`group_changes` of {FILES} files, the same again"), groups.milliseconds(0), "ms"),
    ])
}

fn long_rows(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    let line =
        "a line of some length that repeats until there are fifty million bytes of it, or so, in all\n";
    let text = line.repeat(50_000_000 / line.len());
    fs::write(scratch.path.join("long.txt"), text).map_err(failed)?;
    let mut server = StdioServer::start(binary, &scratch.path)?;
    let list = server.tool("list_changes", &json!({}))?;
    let group = server.tool("group_changes", &json!({}))?;
    let peak = process::memory(server.id()).map_or(0.0, |memory| memory.peak / MIB);
    server.stop()?;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    Ok(vec![
        Row::new("`list_changes` of a diff of 50 MB", milliseconds(list), "ms"),
        Row::new("`group_changes` of a diff of 50 MB", milliseconds(group), "ms"),
        Row::new("a diff of 50 MB, listed and grouped, peak memory (VmHWM)", peak, "MiB")
            .with_goal(Goal::AtMost(300.0)),
    ])
}

/// The first grouping counts the history; the next ones only what is new.
fn history_rows(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    import(&scratch.path)?;
    git(&scratch.path, &["reset", "--quiet", "--hard", "refs/heads/main"])?;
    let mut server = StdioServer::start(binary, &scratch.path)?;
    let mut times = Vec::new();
    // Each tree is new, so that none is answered from what was kept.
    for round in 0..3 {
        write(&scratch.path, 1, 30, &format!("round {round}"))?;
        times.push(server.tool("group_changes", &json!({}))?.as_secs_f64() * 1e3);
    }
    git(&scratch.path, &["-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qam", "one more"])?;
    write(&scratch.path, 1, 30, "last round")?;
    times.push(server.tool("group_changes", &json!({}))?.as_secs_f64() * 1e3);
    server.stop()?;
    let (first, counted, one_more) = (times[0], times[1].min(times[2]), times[3]);
    Ok(vec![
        Row::new(format!("`group_changes` over {COMMITS} commits, first of a clone"), first, "ms")
            .with_goal(Goal::AtMost(5_000.0)),
        Row::new(format!("`group_changes` over {COMMITS} commits, counted before"), counted, "ms"),
        Row::new("the history in it (first less counted before)", first - counted, "ms")
            .with_goal(Goal::AtMost(5_000.0)),
        Row::new("the history in it after one more commit", (one_more - counted).max(0.0), "ms")
            .with_goal(Goal::AtMost(50.0)),
    ])
}

/// Commits of one to three files each.
fn import(repository: &Path) -> Result<(), BenchError> {
    let mut stream = String::new();
    for number in 0..COMMITS {
        let message = format!("Change number {number}");
        // Writing to a string cannot fail.
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter b <b@localhost> {} +0000\ndata {}\n{message}\n",
            1_600_000_000 + number * 60,
            message.len()
        );
        if number == 0 {
            stream.push_str("from refs/heads/main^0\n");
        }
        for file in 0..=number % 3 {
            let text = format!("export const name{number} = call{}({number});\n", number % 97);
            let _ = writeln!(
                stream,
                "M 100644 inline src/file{}.ts\ndata {}\n{text}",
                (number * 7 + file) % 400,
                text.len()
            );
        }
    }
    let shown = || "git fast-import".to_owned();
    let mut child = Command::new("git")
        .current_dir(repository)
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|source| BenchError::Start { command: shown(), source })?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(stream.as_bytes()).map_err(failed)?;
    }
    let status = child.wait().map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    Err(BenchError::Failed { command: shown(), status: status.to_string(), output: String::new() })
}

fn write(repository: &Path, number: usize, lines: usize, word: &str) -> Result<(), BenchError> {
    let text: String = (0..lines)
        .map(|line| match line % 20 {
            7 => format!("  return {word}({line}, {number});\n"),
            _ => format!("  const value{line} = {line};\n"),
        })
        .collect();
    fs::write(repository.join(format!("src/file{number}.ts")), text).map_err(failed)
}

fn git(repository: &Path, arguments: &[&str]) -> Result<(), BenchError> {
    let shown = || format!("git {}", arguments.join(" "));
    let output = Command::new("git")
        .current_dir(repository)
        .args(arguments)
        .output()
        .map_err(|source| BenchError::Start { command: shown(), source })?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(BenchError::Failed { command: shown(), status: output.status.to_string(), output: errors })
}

fn failed(source: std::io::Error) -> BenchError {
    BenchError::Connection { what: "making the benchmark's repository", source }
}
