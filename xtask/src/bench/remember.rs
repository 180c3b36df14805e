//! `cargo xtask bench remember`: what writing, listing and finding reasons costs, and indexing the code that refers to
//! them. Measured through the server, as an agent sees it.

#![allow(clippy::disallowed_methods, reason = "it makes the repositories that it measures")]

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::BenchError;
use super::process::Scratch;
use super::report::{Floor, Goal, Row};
use super::sample::Sample;
use super::stdio::StdioServer;

const ENTRIES: usize = 10_000;
const FILES: usize = 5_000;
const CREATES: usize = 300;
const WARM: usize = 30;
const COLD: usize = 5;

pub(crate) fn measure(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let mut rows = create_rows(binary, 0)?;
    rows.extend(create_rows(binary, ENTRIES)?);
    rows.extend(read_rows(binary)?);
    rows.extend(index_rows(binary)?);
    Ok(rows)
}

/// The floor is the same work without becket: a file made whole, its folder and a line of a log flushed.
fn create_rows(binary: &Path, present: usize) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    vault(&scratch.path, present)?;
    let mut server = StdioServer::start(binary, &scratch.path)?;
    let (mut creates, mut floors) = (Sample::default(), Sample::default());
    let entry = |n: usize| json!({ "markdown": format!("# Reason {n} of the bench\n\n{}", words(n + 7_000_000, 120)) });
    for n in 0..20 {
        server.tool("context_create", &entry(1_000_000 + n))?;
    }
    let folder = scratch.path.join("floor");
    fs::create_dir_all(&folder).map_err(failed)?;
    for n in 0..CREATES {
        floors.add(durable_write(&folder, n).map_err(failed)?);
        creates.add(server.tool("context_create", &entry(n))?);
    }
    server.stop()?;
    let name = |what| format!("create with {present} entries present, {what} of {CREATES}");
    let floor = |value| Floor { name: "write, link, fsync", value };
    Ok(vec![
        Row::new(name("p50"), creates.milliseconds(50), "ms")
            .with_floor(floor(floors.milliseconds(50)))
            .with_goal(Goal::AtMost(3.0)),
        Row::new(name("p99"), creates.milliseconds(99), "ms").with_floor(floor(floors.milliseconds(99))),
    ])
}

fn read_rows(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    vault(&scratch.path, ENTRIES)?;
    settle();
    let mut rows = Vec::new();
    let calls = [("context_list", json!({})), ("context_search", json!({ "query": "gateway retry" }))];
    for (tool, arguments) in calls {
        let mut cold = Sample::default();
        for _ in 0..COLD {
            let mut server = StdioServer::start(binary, &scratch.path)?;
            cold.add(server.tool(tool, &arguments)?);
            server.stop()?;
        }
        let mut server = StdioServer::start(binary, &scratch.path)?;
        server.tool(tool, &arguments)?;
        let (mut warm, mut pings) = (Sample::default(), Sample::default());
        for _ in 0..WARM {
            pings.add(server.ping()?);
            warm.add(server.tool(tool, &arguments)?);
        }
        server.stop()?;
        let name = |what: &str| format!("`{tool}` over {ENTRIES} entries, {what}");
        rows.push(
            Row::new(name("warm, median"), warm.milliseconds(50), "ms")
                .with_floor(Floor { name: "ping", value: pings.milliseconds(50) })
                .with_goal(Goal::AtMost(30.0)),
        );
        rows.push(
            Row::new(name("first call of a process, median"), cold.milliseconds(50), "ms")
                .with_goal(Goal::AtMost(300.0)),
        );
    }
    Ok(rows)
}

fn index_rows(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    vault(&scratch.path, 50)?;
    for n in 0..FILES {
        let folder = scratch.path.join(format!("code/{}", n % 100));
        fs::create_dir_all(&folder).map_err(failed)?;
        let comment =
            if n % 25 == 0 { format!("// refer to context {:05}\n", 1 + n % 50) } else { String::new() };
        let text = format!(
            "{comment}export function part{n}(value: number) {{\n  // {}\n  return value;\n}}\n",
            words(n, 400)
        );
        fs::write(folder.join(format!("part{n}.ts")), text).map_err(failed)?;
    }
    settle();
    let cache = scratch.path.join(".git/becket");
    let ask = json!({ "target": "code/1/part101.ts" });
    let (mut cold, mut unchanged) = (Sample::default(), Sample::default());
    for _ in 0..COLD {
        if cache.exists() {
            fs::remove_dir_all(&cache).map_err(failed)?;
        }
        let mut server = StdioServer::start(binary, &scratch.path)?;
        cold.add(server.tool("context_refs", &ask)?);
        for _ in 0..WARM {
            unchanged.add(server.tool("context_refs", &ask)?);
        }
        server.stop()?;
    }
    let mut again = Sample::default();
    for _ in 0..COLD {
        let mut server = StdioServer::start(binary, &scratch.path)?;
        again.add(server.tool("context_refs", &ask)?);
        server.stop()?;
    }
    let name = |what: &str| format!("references of {FILES} files, {what}");
    Ok(vec![
        Row::new(name("nothing known, median"), cold.milliseconds(50), "ms").with_goal(Goal::AtMost(1_000.0)),
        Row::new(name("nothing changed, median"), unchanged.milliseconds(50), "ms")
            .with_goal(Goal::AtMost(50.0)),
        Row::new(name("first call of a process, nothing changed, median"), again.milliseconds(50), "ms"),
    ])
}

/// Files that were just written are read again, because their times cannot be trusted yet.
fn settle() {
    std::thread::sleep(Duration::from_secs(3));
}

/// A vault with entries of about 25 lines, as another program would have written them.
fn vault(root: &Path, entries: usize) -> Result<(), BenchError> {
    let folder = root.join(".context");
    fs::create_dir_all(&folder).map_err(failed)?;
    fs::write(folder.join("config.json"), "{}\n").map_err(failed)?;
    for n in 1..=entries {
        let text = format!("# Reason {n}: {}\n\n{}\n", words(n, 6), words(n * 31, 200));
        fs::write(folder.join(format!("{n:05}.md")), text).map_err(failed)?;
    }
    Ok(())
}

/// Words that differ from entry to entry and are the same in every run.
fn words(seed: usize, count: usize) -> String {
    const WORDS: [&str; 32] = [
        "gateway", "retry", "upload", "cache", "parser", "session", "token", "worker", "queue", "index",
        "schema", "field", "timeout", "client", "server", "stream", "buffer", "window", "render", "layout",
        "colour", "theme", "locale", "format", "number", "account", "invoice", "payment", "ledger", "report",
        "export", "import",
    ];
    let mut state = seed as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let mut text = String::new();
    for place in 0..count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let pick = usize::try_from(state % 32).unwrap_or(0);
        text.push_str(WORDS[pick]);
        if state.is_multiple_of(5) {
            text.push_str(&(state % 9_973).to_string());
        }
        text.push(if place % 9 == 8 { '\n' } else { ' ' });
    }
    text
}

fn durable_write(folder: &Path, n: usize) -> io::Result<Duration> {
    let begun = Instant::now();
    let temporary = folder.join("temporary");
    let mut file = fs::File::create(&temporary)?;
    file.write_all(&[b'x'; 900])?;
    file.sync_all()?;
    fs::hard_link(&temporary, folder.join(format!("{n:05}")))?;
    fs::remove_file(&temporary)?;
    fs::File::open(folder)?.sync_all()?;
    let mut log = fs::OpenOptions::new().create(true).append(true).open(folder.join("log"))?;
    log.write_all(&[b'y'; 200])?;
    log.sync_all()?;
    Ok(begun.elapsed())
}

fn failed(source: io::Error) -> BenchError {
    BenchError::Connection { what: "making the benchmark's entries", source }
}
