//! `cargo xtask bench understand`: what reading a project costs beside the least that reading it can cost, what an edit
//! costs after that, how it grows, and how many tokens contracts take of their source. Measured from outside, on a
//! generated project or on a copy of a given one.

#![allow(clippy::disallowed_methods, reason = "it makes the projects that it measures")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::generated::{self, Project};
use super::process::{self, Scratch};
use super::report::{Floor, Goal, Row};
use super::sample::Sample;
use super::stdio::StdioServer;
use super::{BenchError, beside};

const FILES: usize = 5_000;
const GROWTH: [usize; 7] = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];
const COLD: usize = 11;
/// Cold runs of each size, where projects grow.
const GROWN: usize = 5;
/// A neighbour that stays for a second is met in all runs of a small one: these are run until so many files were read.
const GROWN_FILES: usize = 60_000;
const FRESH: usize = 21;
const COMPARES: usize = 15;
/// So many files the original reads in a minute or two.
const ORIGINAL_FILES: usize = 200;
const ORIGINAL: &str = "logicstamp-context";
/// Longer than the clock tick within which a stamp is not believed.
const SETTLE: Duration = Duration::from_millis(40);
const MIB: f64 = 1024.0 * 1024.0;

pub(crate) fn measure(root: &Path, binary: &Path, given: Option<&Path>) -> Result<Vec<Row>, BenchError> {
    let floor = process::build_example(root, "becket-project", "parse_floor")?;
    let scratch = Scratch::repository(binary)?;
    let project = match given {
        Some(path) => generated::copy(path, &scratch.path.join("given")).map_err(failed)?,
        None => generated::project(&scratch.path.join("generated"), FILES).map_err(failed)?,
    };
    let linking = process::build_example(root, "becket-project", "link_cost")?;
    let mut rows = cold_rows(binary, &floor, &project)?;
    rows.push(linking_row(&linking, &floor, &project, &scratch.path)?);
    rows.extend(token_rows(binary, &project)?);
    rows.extend(fresh_rows(binary, &project)?);
    rows.extend(compare_rows(binary, &project)?);
    if given.is_none() {
        rows.extend(growth_rows(binary, &scratch.path)?);
    }
    rows.extend(original_rows(binary, &scratch.path, given.map(|_| &project))?);
    Ok(rows)
}

/// Everything counted and written, with nothing remembered. The floor walks, reads and parses the same files on as many
/// threads.
fn cold_rows(binary: &Path, floor: &Path, project: &Project) -> Result<Vec<Row>, BenchError> {
    let (mut cold, mut least) = (Cost::default(), Cost::default());
    let mut size = (0.0, 0.0);
    for _ in 0..COLD {
        let mut command = Command::new(floor);
        let (cost, output) = run(command.arg(&project.path))?;
        let told: Value = serde_json::from_str(&output).unwrap_or_default();
        size = (number(&told["files"]), number(&told["bytes"]) / 1e6);
        least.add(cost);
        project.forget().map_err(failed)?;
        cold.add(watched(&mut context(binary, &project.path, &[]))?.0);
    }
    let (files, megabytes) = size;
    let name = |what: &str| format!("{}, {files} files of {megabytes:.1} MB, cold, {what}", project.name);
    let floor = |value| Floor { name: "walk, read, parse", value };
    let (wall, processor) = (cold.wall(), cold.processor());
    let mut rows = vec![
        Row::new(name("wall"), wall, "ms").with_floor(floor(least.wall())),
        Row::new(name("wall, as a multiple of the floor"), wall / least.wall(), "×")
            .with_goal(Goal::AtMost(4.0)),
    ];
    if let (Some(processor), Some(floor_processor)) = (processor, least.processor()) {
        rows.push(Row::new(name("CPU"), processor, "ms").with_floor(floor(floor_processor)));
        rows.push(
            Row::new(name("CPU per MB of source"), processor / megabytes, "ms").with_goal(Goal::AtMost(60.0)),
        );
    }
    if cold.peak > 0.0 {
        // The bound is for 5,000 files; a larger project may take as much more.
        let bound = 200.0 * (files / 5_000.0).max(1.0);
        rows.push(
            Row::new(name("peak memory (VmHWM)"), cold.peak / MIB, "MiB").with_goal(Goal::AtMost(bound)),
        );
    }
    Ok(rows)
}

/// What following types, props and exports through other files costs, within what a cold run costs.
fn linking_row(linking: &Path, floor: &Path, project: &Project, scratch: &Path) -> Result<Row, BenchError> {
    let mut least = Cost::default();
    let (_, output) = run(Command::new(linking).arg(&project.path).arg(scratch.join("linked")))?;
    for _ in 0..COLD {
        least.add(run(Command::new(floor).arg(&project.path))?.0);
    }
    let told: Value = serde_json::from_str(&output).unwrap_or_default();
    let name = format!("{}, linking across files, within the cold run", project.name);
    let wall = number(&told["across"]) - number(&told["alone"]);
    Ok(Row::new(name, wall, "ms").with_floor(Floor { name: "walk, read, parse", value: least.wall() }))
}

/// Each contract once, against its source, both in `o200k_base`.
fn token_rows(binary: &Path, project: &Project) -> Result<Vec<Row>, BenchError> {
    run(&mut context(binary, &project.path, &["--compare-modes", "--stats"]))?;
    let text = fs::read_to_string(project.path.join("context_compare_modes.json")).map_err(failed)?;
    let told: Value = serde_json::from_str(&text).unwrap_or_default();
    let costs = &told["comparisonVsRawSource"];
    let share = |mode: &str| {
        100.0 * number(&costs[mode]["tokensGPT4o"]) / number(&costs["rawSource"]["tokensGPT4o"]).max(1.0)
    };
    let name = |mode: &str| format!("{}, tokens of contracts in `{mode}`, of the source", project.name);
    // Fewer files than that are too few for the goal to speak of.
    let goal = |row: Row, bound| {
        if number(&told["stats"]["totalFiles"]) >= 200.0 { row.with_goal(Goal::AtMost(bound)) } else { row }
    };
    Ok(vec![
        goal(Row::new(name("none"), share("none"), "%"), 25.0),
        goal(Row::new(name("header"), share("header"), "%"), 40.0),
        Row::new(name("header with style"), share("headerStyle"), "%"),
        Row::new(name("full"), share("full"), "%"),
    ])
}

/// A new process each time, from before it exists until it has ended.
fn fresh_rows(binary: &Path, project: &Project) -> Result<Vec<Row>, BenchError> {
    run(&mut context(binary, &project.path, &[]))?;
    thread::sleep(SETTLE);
    run(&mut context(binary, &project.path, &[]))?;
    let (mut same, mut edited) = (Sample::default(), Sample::default());
    // Beside each of the two: what the machine gives changes from one second to the next.
    let (mut same_floors, mut edited_floors) = (Sample::default(), Sample::default());
    for _ in 0..FRESH {
        same_floors.add(process::time_to_exit(binary, "--version")?);
        same.add(run(&mut context(binary, &project.path, &[]))?.0.wall);
    }
    for round in 0..FRESH {
        project.edit(round).map_err(failed)?;
        thread::sleep(SETTLE);
        edited_floors.add(process::time_to_exit(binary, "--version")?);
        edited.add(run(&mut context(binary, &project.path, &[]))?.0.wall);
    }
    let thousands = count(project.count) / 1e3;
    let name = |what: &str| format!("{}, {what} of {FRESH}", project.name);
    let floor = |sample: &Sample| Floor { name: "becket --version", value: sample.milliseconds(50) };
    // The bound is for 5,000 files.
    let bound = 25.0 * (thousands / 5.0).max(1.0);
    Ok(vec![
        Row::new(name("nothing changed, fresh process, median"), same.milliseconds(50), "ms")
            .with_floor(floor(&same_floors))
            .with_goal(Goal::AtMost(5.0 + 2.0 * thousands)),
        Row::new(name("one file edited, fresh process, median"), edited.milliseconds(50), "ms")
            .with_floor(floor(&edited_floors))
            .with_goal(Goal::AtMost(bound)),
        Row::new(name("one file edited, fresh process, p95"), edited.milliseconds(95), "ms"),
    ])
}

/// A snapshot, and then what an agent waits for after each of its edits.
fn compare_rows(binary: &Path, project: &Project) -> Result<Vec<Row>, BenchError> {
    let mut server = StdioServer::start(binary, &project.path)?;
    let refresh = server.tool("logicstamp_refresh_snapshot", &json!({}))?;
    server.tool("logicstamp_compare_snapshot", &json!({}))?;
    let (mut compares, mut pings) = (Sample::default(), Sample::default());
    for round in 0..COMPARES {
        project.edit(1_000 + round).map_err(failed)?;
        thread::sleep(SETTLE);
        pings.add(server.ping()?);
        compares.add(server.tool("logicstamp_compare_snapshot", &json!({}))?);
    }
    server.stop()?;
    let name = |what: &str| format!("{}, {what}", project.name);
    let bound = 50.0 * (count(project.count) / 5_000.0).max(1.0);
    Ok(vec![
        Row::new(name("`logicstamp_refresh_snapshot`, first of a server"), refresh.as_secs_f64() * 1e3, "ms"),
        Row::new(
            name(&format!("`logicstamp_compare_snapshot` after one edit, median of {COMPARES}")),
            compares.milliseconds(50),
            "ms",
        )
        .with_floor(Floor { name: "ping", value: pings.milliseconds(50) })
        .with_goal(Goal::AtMost(bound)),
    ])
}

/// Cold runs over projects of twice the size each. A project and its half are run in turn, because a machine is faster in
/// one minute than in the next; the best of each counts, because a neighbour only ever adds.
fn growth_rows(binary: &Path, scratch: &Path) -> Result<Vec<Row>, BenchError> {
    let made = |files: usize| {
        let project = generated::project(&scratch.join(format!("growing-{files}")), files).map_err(failed);
        // What was made for the run must not be written to the disk during it; without such a program it is.
        _ = Command::new("sync").status();
        project
    };
    let cold = |project: &Project| {
        project.forget().map_err(failed)?;
        Ok(run(&mut context(binary, &project.path, &[]))?.0.wall.as_secs_f64() * 1e3)
    };
    let rounds = |files: usize| (GROWN_FILES / files).max(GROWN);
    let named = |files: usize, rounds: usize| format!("generated, {files} files, cold, best of {rounds}");
    let mut rows = Vec::new();
    let mut half = made(GROWTH[0])?;
    for files in &GROWTH[1..] {
        let whole = made(*files)?;
        let (mut least, mut most) = (f64::INFINITY, f64::INFINITY);
        let rounds = rounds(*files);
        for _ in 0..rounds {
            least = least.min(cold(&half)?);
            most = most.min(cold(&whole)?);
        }
        if rows.is_empty() {
            rows.push(Row::new(named(GROWTH[0], rounds), least, "ms"));
        }
        let floor = Floor { name: "half as many", value: least };
        rows.push(Row::new(named(*files, rounds), most, "ms").with_floor(floor));
        let name = format!("generated, {files} files, as a multiple of half as many");
        rows.push(Row::new(name, most / least, "×").with_goal(Goal::AtMost(2.2)));
        half.remove().map_err(failed)?;
        half = whole;
    }
    half.remove().map_err(failed)?;
    Ok(rows)
}

/// The same command by the program that becket follows, from npm. Where it cannot be had a row says so.
fn original_rows(binary: &Path, scratch: &Path, given: Option<&Project>) -> Result<Vec<Row>, BenchError> {
    let Some(stamp) = original(binary) else {
        return Ok(vec![Row::new(
            format!("`{ORIGINAL}` could not be installed from npm: not compared"),
            0.0,
            "",
        )]);
    };
    let small;
    let project = if let Some(project) = given.filter(|project| project.count <= ORIGINAL_FILES * 3) {
        project
    } else {
        small = generated::project(&scratch.join("small"), ORIGINAL_FILES).map_err(failed)?;
        &small
    };
    project.forget().map_err(failed)?;
    let ours = run(&mut context(binary, &project.path, &[]))?.0;
    project.forget().map_err(failed)?;
    let mut command = Command::new("node");
    command.arg(stamp).args(["context", "--skip-gitignore", "--quiet"]).current_dir(&project.path);
    let theirs = run(&mut command)?.0;
    let name = |what: &str| format!("`{ORIGINAL}` on {} files, {what}", project.count);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let mut rows = vec![
        Row::new(name("wall"), milliseconds(theirs.wall), "ms")
            .with_floor(Floor { name: "becket context", value: milliseconds(ours.wall) }),
    ];
    if let (Some(theirs), Some(ours)) = (theirs.processor, ours.processor) {
        // The kernel counts in hundredths of a second.
        let ours = ours.max(Duration::from_millis(10));
        rows.push(Row::new(name("CPU"), milliseconds(theirs), "ms"));
        rows.push(
            Row::new(name("CPU, as a multiple of becket's"), theirs.as_secs_f64() / ours.as_secs_f64(), "×")
                .with_goal(Goal::AtLeast(200.0)),
        );
    }
    Ok(rows)
}

/// The original's program, installed beside the binary once; `None` where npm or the network is not there.
fn original(binary: &Path) -> Option<PathBuf> {
    let home = beside(binary, "bench-original");
    let package = home.join("node_modules").join(ORIGINAL);
    if !package.is_dir() {
        fs::create_dir_all(&home).ok()?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&home).arg(ORIGINAL);
        npm.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        npm.status().ok().filter(std::process::ExitStatus::success)?;
    }
    let manifest = fs::read_to_string(package.join("package.json")).ok()?;
    let manifest: Value = serde_json::from_str(&manifest).ok()?;
    let program = manifest["bin"]["stamp"].as_str().or(manifest["bin"].as_str())?;
    Some(package.join(program))
}

fn context(binary: &Path, project: &Path, arguments: &[&str]) -> Command {
    let mut command = process::becket(binary, project);
    command.arg("context").args(arguments);
    command
}

/// What one process cost.
#[derive(Debug, Clone, Copy)]
struct Spent {
    wall: Duration,
    /// Nothing where there is no `/proc`.
    processor: Option<Duration>,
    peak: f64,
}

/// Several runs of the same.
#[derive(Debug, Default)]
struct Cost {
    walls: Sample,
    processors: Vec<Duration>,
    peak: f64,
}

impl Cost {
    fn add(&mut self, spent: Spent) {
        self.walls.add(spent.wall);
        self.processors.extend(spent.processor);
        self.peak = self.peak.max(spent.peak);
    }

    fn wall(&self) -> f64 {
        self.walls.milliseconds(50)
    }

    /// The mean, because the kernel counts in coarse steps.
    fn processor(&self) -> Option<f64> {
        let sum: Duration = self.processors.iter().sum();
        (!self.processors.is_empty()).then(|| sum.as_secs_f64() * 1e3 / count(self.processors.len()))
    }
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Result<(Spent, String), BenchError> {
    spend(command, false)
}

/// Looks at its memory while it lives, too: that takes time from a short one where there are few processors.
fn watched(command: &mut Command) -> Result<(Spent, String), BenchError> {
    spend(command, true)
}

fn spend(command: &mut Command, watches: bool) -> Result<(Spent, String), BenchError> {
    let shown = command.get_program().display().to_string();
    let before = process::children_processor_time();
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| BenchError::Start { command: shown.clone(), source })?;
    let id = child.id();
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (wall, status, output, errors, peak) = thread::scope(|scope| {
        let output = scope.spawn(|| drain(output));
        let errors = scope.spawn(|| drain(errors));
        let watched = scope.spawn(move || {
            let mut peak = 0.0_f64;
            while let Some(memory) = watches.then(|| process::memory(id)).flatten() {
                peak = peak.max(memory.peak);
                thread::sleep(Duration::from_millis(3));
            }
            peak
        });
        let status = child.wait();
        let wall = begun.elapsed();
        let texts = (output.join().unwrap_or_default(), errors.join().unwrap_or_default());
        (wall, status, texts.0, texts.1, watched.join().unwrap_or_default())
    });
    let status = status.map_err(|source| BenchError::Connection { what: "waiting for a process", source })?;
    if !status.success() {
        return Err(BenchError::Failed { command: shown, status: status.to_string(), output: errors });
    }
    let after = process::children_processor_time();
    let processor = before.zip(after).map(|(before, after)| after.saturating_sub(before));
    Ok((Spent { wall, processor, peak }, output))
}

fn drain(stream: Option<impl io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[allow(clippy::cast_precision_loss, reason = "thousands")]
fn count(number: usize) -> f64 {
    number as f64
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

fn failed(source: io::Error) -> BenchError {
    BenchError::Connection { what: "making the benchmark's project", source }
}
