//! The coordinate plane through the release binary, as hosts use it: starting, claiming and being told, with 50,000 tasks.

#![allow(clippy::disallowed_methods, reason = "it writes the tasks that it measures with")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::process::{self, Scratch};
use super::super::report::{Floor, Goal, Row};
use super::super::sample::Sample;
use super::super::stdio::StdioServer;
use super::super::{BenchError, MIB};

const TASKS: usize = 50_000;
const STARTS: usize = 20;
const CALLS: usize = 300;
const SERVERS: usize = 8;
const LOAD: Duration = Duration::from_secs(5);
const TOLD: usize = 60;
const FOLLOWED: usize = 10;

pub(super) fn measure(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let scratch = Scratch::repository(binary)?;
    write_tasks(&scratch.path)?;
    let mut rows = first_import(binary, &scratch.path)?;
    rows.extend(starts(binary, &scratch.path)?);
    rows.extend(one_server(binary, &scratch.path)?);
    rows.extend(many_servers(binary, &scratch.path)?);
    rows.extend(told(binary, &scratch.path)?);
    Ok(rows)
}

/// As people and the original write them, with descriptions, criteria, labels and locks.
fn write_tasks(repository: &Path) -> Result<(), BenchError> {
    let folder = repository.join(".lodestar");
    let mut text = String::from("project:\n  name: bench\ntasks:\n");
    for n in 0..TASKS {
        let needs = if n >= TASKS * 4 / 5 && n % 4 == 3 {
            format!("    depends_on:\n    - T{}\n", n - 1)
        } else {
            "    depends_on: []\n".to_owned()
        };
        let why = "What is to be done, and why, in a sentence or two. ".repeat(3);
        let _ = write!(
            text,
            "  T{n}:\n    title: Do the thing number {n}\n    description: {why}\n    acceptance_criteria:\n    - It works.\n    \
             - It is tested.\n{needs}    labels:\n    - area-{}\n    - backend\n    locks:\n    - src/area{n}/**\n    \
             priority: {}\n    status: ready\n    created_at: '2026-01-01T00:00:00.000000+00:00'\n    \
             updated_at: '2026-01-01T00:00:00.000000+00:00'\n",
            n % 20,
            n % 10 * 10
        );
    }
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("spec.yaml"), text))
        .map_err(|source| BenchError::Connection { what: "writing the tasks", source })
}

/// The first call that needs tasks, in a repository whose tasks nobody has read yet.
fn first_import(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let mut server = StdioServer::start(binary, repository)?;
    let (_, took) = server.ask("lodestar_task_list", &json!({}))?;
    let memory = process::memory(server.id());
    server.stop()?;
    let name = |what| format!("first `task.list` of {TASKS} tasks that nobody has read yet{what}");
    let mut rows = vec![Row::new(name(""), took.as_secs_f64(), "s").with_goal(Goal::AtMost(3.0))];
    rows.extend(memory.map(|memory| Row::new(name(", peak memory (VmHWM)"), memory.peak / MIB, "MiB")));
    Ok(rows)
}

/// From before the process exists until it has named the next task.
fn starts(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let (mut starts, mut floors, mut peak) = (Sample::default(), Sample::default(), 0.0_f64);
    for _ in 0..STARTS {
        floors.add(process::time_to_exit(binary, "--version")?);
        let begun = Instant::now();
        let mut server = StdioServer::start(binary, repository)?;
        server.ask("lodestar_task_next", &json!({}))?;
        starts.add(begun.elapsed());
        peak = process::memory(server.id()).map_or(peak, |memory| peak.max(memory.peak));
        server.stop()?;
    }
    let floor = Floor { name: "becket --version", value: floors.milliseconds(50) };
    Ok(vec![
        Row::new(
            format!("spawn to answered `task.next` of {TASKS} known tasks, median of {STARTS}"),
            starts.milliseconds(50),
            "ms",
        )
        .with_floor(floor)
        .with_goal(Goal::AtMost(100.0)),
        Row::new("the same, largest peak memory (VmHWM)", peak / MIB, "MiB").with_goal(Goal::AtMost(60.0)),
    ])
}

fn one_server(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let mut server = StdioServer::start(binary, repository)?;
    let agent = join(&mut server)?;
    let (mut lists, mut pairs, mut pings) = (Sample::default(), Sample::default(), Sample::default());
    for n in 0..CALLS {
        lists.add(server.tool("lodestar_task_list", &json!({}))?);
        pings.add(server.ping()?);
        pairs.add(pair(&mut server, &agent, n)?);
    }
    let follows = followed(&mut server, &agent, repository)?;
    server.stop()?;
    let ping = |value| Floor { name: "ping", value };
    Ok(vec![
        Row::new(
            format!("`task.list` (50) of {TASKS} tasks on stdio, p50 of {CALLS}"),
            lists.milliseconds(50),
            "ms",
        )
        .with_floor(ping(pings.milliseconds(50)))
        .with_goal(Goal::AtMost(5.0)),
        Row::new(
            format!("claim + release on stdio, one server, p50 of {CALLS}"),
            pairs.milliseconds(50),
            "ms",
        )
        .with_floor(ping(pings.milliseconds(50)))
        .with_goal(Goal::AtMost(2.0)),
        Row::new("the same, p99", pairs.milliseconds(99), "ms").with_floor(ping(pings.milliseconds(99))),
        Row::new(
            format!("`task.done` answered to `spec.yaml` of {TASKS} tasks says so, largest of {FOLLOWED}"),
            follows.milliseconds(100),
            "ms",
        )
        .with_goal(Goal::AtMost(1000.0)),
    ])
}

/// How long the file lags behind an answer.
fn followed(server: &mut StdioServer, agent: &str, repository: &Path) -> Result<Sample, BenchError> {
    let path = repository.join(".lodestar/spec.yaml");
    let mut sample = Sample::default();
    for n in 0..FOLLOWED {
        let task = format!("T{}", TASKS / 2 + n);
        server.ask("lodestar_task_done", &json!({ "taskId": task, "agentId": agent }))?;
        let answered = Instant::now();
        let entry = format!("\n  {task}:\n");
        loop {
            let text = fs::read_to_string(&path)
                .map_err(|source| BenchError::Connection { what: "reading the tasks", source })?;
            let said = text.find(&entry).and_then(|at| text.get(at..at + 700));
            if said.is_some_and(|said| said.contains("status: done")) {
                break;
            }
            if answered.elapsed() > Duration::from_secs(30) {
                return Err(BenchError::Silent { expected: "the status in spec.yaml" });
            }
            thread::sleep(Duration::from_millis(5));
        }
        sample.add(answered.elapsed());
    }
    Ok(sample)
}

/// Each server works on tasks of its own, all without pause.
fn many_servers(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let together = Barrier::new(SERVERS);
    let work = |index: usize| -> Result<Sample, BenchError> {
        let begun = StdioServer::start(binary, repository).and_then(|mut server| {
            let agent = join(&mut server)?;
            Ok((server, agent))
        });
        // Whoever failed must not keep the others waiting.
        together.wait();
        let (mut server, agent) = begun?;
        let (until, mut sample) = (Instant::now() + LOAD, Sample::default());
        while Instant::now() < until {
            sample.add(pair(&mut server, &agent, 1000 + index * 10 + sample.len() % 10)?);
        }
        server.stop()?;
        Ok(sample)
    };
    let work = &work;
    let samples = thread::scope(|scope| {
        let workers: Vec<_> = (0..SERVERS).map(|index| scope.spawn(move || work(index))).collect();
        let joined = workers.into_iter().map(|worker| worker.join().map_err(|_| BenchError::Client)?);
        joined.collect::<Result<Vec<Sample>, _>>()
    })?;
    #[allow(clippy::cast_precision_loss, reason = "thousands")]
    let counts: Vec<f64> = samples.iter().map(|sample| sample.len() as f64).collect();
    let least = counts.iter().copied().fold(f64::MAX, f64::min);
    let most = counts.iter().copied().fold(0.0, f64::max);
    let mut all = Sample::default();
    for sample in samples {
        all.extend(sample);
    }
    let name = |what| format!("claim + release on stdio, {SERVERS} servers without pause, {what}");
    Ok(vec![
        Row::new(name("p50"), all.milliseconds(50), "ms"),
        Row::new(name("p99"), all.milliseconds(99), "ms").with_goal(Goal::AtMost(20.0)),
        Row::new(name("largest"), all.milliseconds(100), "ms"),
        Row::new(name("pairs per second of all"), counts.iter().sum::<f64>() / LOAD.as_secs_f64(), ""),
        Row::new(name("slowest against fastest"), least / most, "×").with_goal(Goal::AtLeast(0.7)),
    ])
}

/// From sending a message on one server until the client of another has read of it.
fn told(binary: &Path, repository: &Path) -> Result<Vec<Row>, BenchError> {
    let mut here = StdioServer::start(binary, repository)?;
    let mut there = StdioServer::start(binary, repository)?;
    let agent = join(&mut here)?;
    let mut sample = Sample::default();
    for _ in 0..TOLD {
        let begun = Instant::now();
        let (sent, _) =
            here.ask("lodestar_message_send", &json!({ "fromAgentId": agent, "body": "anybody there?" }))?;
        let id = sent["messageId"].clone();
        there.hear(|message| {
            message["method"] == "notifications/message"
                && message["params"]["data"]["event"]["payload"]["messageId"] == id
        })?;
        sample.add(begun.elapsed());
    }
    here.stop()?;
    there.stop()?;
    Ok(vec![
        Row::new(
            format!("sent on one server to told by another, p50 of {TOLD}"),
            sample.milliseconds(50),
            "ms",
        ),
        Row::new("the same, largest", sample.milliseconds(100), "ms").with_goal(Goal::AtMost(100.0)),
    ])
}

fn join(server: &mut StdioServer) -> Result<String, BenchError> {
    let (joined, _) = server.ask("lodestar_agent_join", &json!({}))?;
    let id = joined["agentId"].as_str().map(str::to_owned);
    id.ok_or(BenchError::Silent { expected: "an agentId" })
}

fn pair(server: &mut StdioServer, agent: &str, task: usize) -> Result<Duration, BenchError> {
    let arguments: Value = json!({ "taskId": format!("T{task}"), "agentId": agent });
    Ok(server.tool("lodestar_task_claim", &arguments)? + server.tool("lodestar_task_release", &arguments)?)
}
