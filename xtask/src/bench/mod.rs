//! `cargo xtask bench`: what the release binary costs, measured from outside as a host sees it.
//!
//! Every time stands beside a floor taken in the same run on the same machine, because only the ratio of the two can
//! be compared from one machine to the next. The goals are those of `docs/benchmarks.md`.

#![allow(clippy::disallowed_methods, reason = "it starts what it measures, in a repository that it makes")]

mod commit;
mod coordinate;
mod generated;
mod grouping;
mod http;
mod process;
mod remember;
mod report;
mod sample;
mod stdio;
mod understand;
mod watch;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use http::{HttpClient, HttpServer};
use process::Scratch;
use report::{Floor, Goal, Report, Row};
use sample::Sample;
use stdio::StdioServer;

const STARTS: usize = 60;
const CALLS: usize = 2_000;
const WARM_UP: usize = 50;
const CALLS_BEFORE_MEMORY: usize = 50;
const HTTP_CLIENTS: usize = 32;
const HTTP_CALLS: usize = 200;
/// Long enough for the server to have nothing left to do.
const SETTLE: Duration = Duration::from_millis(300);
const MIB: f64 = 1024.0 * 1024.0;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The MCP server: start, memory, round trips on stdio and HTTP, size.
    Mcp(Output),
    /// The remember plane: writing, listing and finding entries, indexing references.
    Remember(Output),
    /// The coordinate plane: claims, lists and rates at the store, on SQLite and PostgreSQL.
    Coordinate(Output),
    /// The commit plane: listing beside git itself, long diffs, long histories, grouping.
    Commit(Output),
    /// Watching: from an edit to the bundles that it changed.
    Watch(Output),
    /// The understand plane: cold runs beside a floor, edits, growth, tokens, and the original from npm.
    Understand {
        #[command(flatten)]
        output: Output,
        /// Measure a copy of this project instead of a generated one.
        #[arg(long, value_name = "PATH")]
        repo: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, clap::Args)]
struct Output {
    /// Print one JSON object instead of a Markdown table.
    #[arg(long)]
    json: bool,
    /// Fail when a goal is missed.
    #[arg(long)]
    check: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("`{command}` could not be started")]
    Start { command: String, source: io::Error },
    #[error("`{command}` failed ({status}): {output}")]
    Failed { command: String, status: String, output: String },
    #[error("cargo built no program called becket")]
    NoBinary,
    #[error("{what} failed")]
    Connection { what: &'static str, source: io::Error },
    #[error("the server ended early, or said something else than {expected}")]
    Silent { expected: &'static str },
    #[error("the server refused `{call}`: {answer}")]
    Refused { call: String, answer: String },
    #[error("an HTTP client of the benchmark itself broke")]
    Client,
}

/// Runs one benchmark over the tree at `root`.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<ExitCode, BenchError> {
    let before = process::ticks();
    let (Output { json, check }, command, rows) = match &arguments.what {
        What::Mcp(output) => (*output, "cargo xtask bench mcp", measure(&process::build_release(root)?)?),
        What::Remember(output) => {
            (*output, "cargo xtask bench remember", remember::measure(&process::build_release(root)?)?)
        }
        What::Coordinate(output) => (*output, "cargo xtask bench coordinate", coordinate::measure(root)?),
        What::Commit(output) => {
            (*output, "cargo xtask bench commit", commit::measure(&process::build_release(root)?)?)
        }
        What::Understand { output, repo } => {
            let binary = process::build_release(root)?;
            (*output, "cargo xtask bench understand", understand::measure(root, &binary, repo.as_deref())?)
        }
        What::Watch(output) => {
            (*output, "cargo xtask bench watch", watch::measure(&process::build_release(root)?)?)
        }
    };
    let report = Report { setting: process::setting(root, command, before)?, rows };
    if json {
        println!("{:#}", report.to_json());
    } else {
        print!("{}", report.to_markdown());
    }
    let missed = report.rows.iter().any(|row| row.is_met() == Some(false));
    Ok(if check && missed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn measure(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    let mut rows = start_times(binary, &scratch.path)?;
    rows.extend(stdio_rows(binary, &scratch.path)?);
    rows.extend(http_rows(binary, &scratch.path)?);
    let size = binary
        .metadata()
        .map_err(|source| BenchError::Connection { what: "reading the binary's size", source })?;
    #[allow(clippy::cast_precision_loss, reason = "no binary has 2^53 bytes")]
    rows.push(Row::new("release binary", size.len() as f64 / 1e6, "MB").with_goal(Goal::AtMost(40.0)));
    Ok(rows)
}

/// From before the process exists until its answer to `initialize` is read. The floor is the same program asked for
/// nothing: what the system itself takes to start and end it.
fn start_times(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let (mut starts, mut floors) = (Sample::default(), Sample::default());
    for _ in 0..STARTS {
        floors.add(process::time_to_exit(binary, "--version")?);
        let begun = Instant::now();
        let server = StdioServer::start(binary, repository)?;
        starts.add(begun.elapsed());
        server.stop()?;
    }
    let floor = |value| Floor { name: "becket --version", value };
    let name = |what| format!("spawn to answered `initialize`, {what} of {STARTS}");
    Ok(vec![
        Row::new(name("median"), starts.milliseconds(50), "ms")
            .with_floor(floor(floors.milliseconds(50)))
            .with_goal(Goal::AtMost(15.0)),
        Row::new(name("p95"), starts.milliseconds(95), "ms").with_floor(floor(floors.milliseconds(95))),
    ])
}

fn stdio_rows(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let mut server = StdioServer::start(binary, repository)?;
    thread::sleep(SETTLE);
    let idle = process::memory(server.id());
    for _ in 0..CALLS_BEFORE_MEMORY {
        server.call_status()?;
    }
    thread::sleep(SETTLE);
    let used = process::memory(server.id());
    for _ in 0..WARM_UP {
        server.ping()?;
        server.call_status()?;
    }
    let (mut calls, mut pings) = (Sample::default(), Sample::default());
    for _ in 0..CALLS {
        pings.add(server.ping()?);
        calls.add(server.call_status()?);
    }
    server.stop()?;

    let mut rows = Vec::new();
    if let (Some(idle), Some(used)) = (idle, used) {
        let after = format!("after {CALLS_BEFORE_MEMORY} calls");
        rows.push(
            Row::new("memory after `initialize` (VmRSS)", idle.resident / MIB, "MiB")
                .with_goal(Goal::AtMost(20.0)),
        );
        rows.push(Row::new("memory after `initialize`, peak (VmHWM)", idle.peak / MIB, "MiB"));
        rows.push(Row::new(format!("memory {after} (VmRSS)"), used.resident / MIB, "MiB"));
        rows.push(Row::new(format!("memory {after}, peak (VmHWM)"), used.peak / MIB, "MiB"));
    }
    for (percent, name, goal) in [(50, "p50", 0.2), (99, "p99", 2.0)] {
        rows.push(
            Row::new(
                format!("`becket_status` on stdio, {name} of {CALLS}"),
                calls.milliseconds(percent),
                "ms",
            )
            .with_floor(Floor { name: "ping", value: pings.milliseconds(percent) })
            .with_goal(Goal::AtMost(goal)),
        );
    }
    Ok(rows)
}

fn http_rows(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let server = HttpServer::start(binary, repository)?;
    let floor = http_load(&server, |client| client.health().map(|()| true))?;
    let load = http_load(&server, HttpClient::call_status)?;
    let memory = process::memory(server.id());
    drop(server);

    let name = |what| format!("{HTTP_CLIENTS} HTTP clients × {HTTP_CALLS} `becket_status`, {what}");
    let health = |value| Floor { name: "GET /healthz", value };
    let mut rows = vec![
        Row::new(name("errors"), load.errors, "").with_goal(Goal::AtMost(0.0)),
        Row::new(name("p50"), load.latency.milliseconds(50), "ms")
            .with_floor(health(floor.latency.milliseconds(50))),
        Row::new(name("p99"), load.latency.milliseconds(99), "ms")
            .with_floor(health(floor.latency.milliseconds(99))),
        Row::new(name("calls per second"), load.per_second(), "").with_floor(health(floor.per_second())),
    ];
    rows.extend(memory.map(|memory| Row::new(name("peak memory (VmHWM)"), memory.peak / MIB, "MiB")));
    Ok(rows)
}

/// What one client, or all of them together, did between `begun` and `ended`.
#[derive(Debug)]
struct Load {
    latency: Sample,
    errors: f64,
    begun: Instant,
    ended: Instant,
}

impl Load {
    fn starting_now() -> Self {
        let now = Instant::now();
        Self { latency: Sample::default(), errors: 0.0, begun: now, ended: now }
    }

    fn joined(mut self, other: Self) -> Self {
        self.latency.extend(other.latency);
        self.errors += other.errors;
        self.begun = self.begun.min(other.begun);
        self.ended = self.ended.max(other.ended);
        self
    }

    #[allow(clippy::cast_precision_loss, reason = "thousands")]
    fn per_second(&self) -> f64 {
        self.latency.len() as f64 / self.ended.duration_since(self.begun).as_secs_f64()
    }
}

/// Every client does its calls one after the other, all clients at once, each on its own connection and session. A
/// call that answers `false` or not at all is an error; its time does not count.
fn http_load(
    server: &HttpServer,
    call: impl Fn(&mut HttpClient) -> Result<bool, BenchError> + Sync,
) -> Result<Load, BenchError> {
    let clients = (0..HTTP_CLIENTS).map(|_| server.client()).collect::<Result<Vec<_>, _>>()?;
    let together = Barrier::new(HTTP_CLIENTS);
    let work = |mut client: HttpClient| {
        together.wait();
        let mut load = Load::starting_now();
        for _ in 0..HTTP_CALLS {
            let begun = Instant::now();
            match call(&mut client) {
                Ok(true) => load.latency.add(begun.elapsed()),
                Ok(false) | Err(_) => load.errors += 1.0,
            }
        }
        load.ended = Instant::now();
        load
    };
    thread::scope(|scope| {
        let workers: Vec<_> = clients.into_iter().map(|client| scope.spawn(|| work(client))).collect();
        let loads = workers.into_iter().map(|worker| worker.join().map_err(|_| BenchError::Client));
        let loads = loads.collect::<Result<Vec<Load>, _>>()?;
        loads.into_iter().reduce(Load::joined).ok_or(BenchError::Client)
    })
}

/// The first message of every connection.
fn initialize_params() -> serde_json::Value {
    json!({
        "protocolVersion": PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": { "name": "becket-bench", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn status_params() -> serde_json::Value {
    json!({ "name": "becket_status", "arguments": {} })
}

const PROTOCOL_VERSION: &str = "2025-11-25";

/// A result that is neither a protocol error nor a tool's own.
fn is_success(answer: &serde_json::Value) -> bool {
    answer
        .get("result")
        .is_some_and(|result| result.get("isError").and_then(serde_json::Value::as_bool) != Some(true))
}

/// Where the benchmark's own repository lies: beside the binary, which is ignored by Git and on the same disk.
fn beside(binary: &Path, name: &str) -> PathBuf {
    binary.with_file_name(name)
}
