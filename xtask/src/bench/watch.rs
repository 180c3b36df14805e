//! `becket context --watch` over a generated tree: from the end of a burst of edits to the last byte of the bundles that
//! it changed, as the watching process itself says it. What comes before, the fifty milliseconds of quiet, is a choice and
//! no cost.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::BenchError;
use super::process::{self, Scratch};
use super::report::{Goal, Row};
use super::sample::Sample;

const EDITS: usize = 60;
const FOLDERS: usize = 100;

pub(super) fn measure(binary: &Path) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for files in [500, 5_000] {
        let scratch = Scratch::repository(binary)?;
        generate(&scratch.path, files)
            .map_err(|source| BenchError::Connection { what: "writing the tree", source })?;
        let sample = follow(binary, &scratch.path, files)?;
        let name = |percent: usize| {
            format!("watch, {files} files, one edited: burst over to bundles written, p{percent}")
        };
        let goal = Goal::AtMost(3.0);
        rows.push(Row::new(name(50), sample.milliseconds(50), "ms").with_goal(goal));
        rows.push(Row::new(name(99), sample.milliseconds(99), "ms").with_goal(Goal::AtMost(15.0)));
    }
    Ok(rows)
}

/// Each file imports two others, so that an edit reaches some bundles and not all.
fn generate(root: &Path, files: usize) -> std::io::Result<()> {
    for number in 0..files {
        let folder = root.join(folder(number));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("part{number}.ts")), source(number, 0))?;
    }
    Ok(())
}

fn folder(number: usize) -> String {
    format!("src/folder{}", number % FOLDERS)
}

fn source(number: usize, edit: usize) -> String {
    let mut text = String::new();
    for other in [number / 2, number / 3] {
        if other != number {
            let _ = writeln!(text, "import {{ part{other} }} from '../../{}/part{other}';", folder(other));
        }
    }
    let _ =
        writeln!(text, "export interface Part{number} {{ id: number; name: string; edit{edit}?: string }}");
    let _ = writeln!(text, "/** Says what part {number} is. */");
    let _ = writeln!(
        text,
        "export function part{number}(value: Part{number}): string {{\n  return value.name;\n}}"
    );
    text
}

fn follow(binary: &Path, root: &Path, files: usize) -> Result<Sample, BenchError> {
    let mut command = process::becket(binary, root);
    command.args(["context", "--watch", "--json", "--repo"]).arg(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command
        .spawn()
        .map_err(|source| BenchError::Start { command: binary.display().to_string(), source })?;
    let mut watcher = Watcher::new(child)?;
    watcher.next("watching")?;
    let mut sample = Sample::default();
    for edit in 1..=EDITS {
        let number = files / 2 + edit * 7 % (files / 2);
        let path = root.join(folder(number)).join(format!("part{number}.ts"));
        std::fs::write(path, source(number, edit))
            .map_err(|source| BenchError::Connection { what: "editing a file", source })?;
        let line = watcher.next("regenerated")?;
        let micros =
            line["durationMicros"].as_u64().ok_or(BenchError::Silent { expected: "how long it took" })?;
        sample.add(Duration::from_micros(micros));
    }
    Ok(sample)
}

struct Watcher {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watcher {
    fn new(mut child: Child) -> Result<Self, BenchError> {
        let output = child.stdout.take().ok_or(BenchError::Silent { expected: "its output" })?;
        Ok(Self { child, lines: BufReader::new(output).lines() })
    }

    fn next(&mut self, kind: &'static str) -> Result<Value, BenchError> {
        let silent = || BenchError::Silent { expected: kind };
        let line = self.lines.next().ok_or_else(silent)?.map_err(|_| silent())?;
        let value: Value = serde_json::from_str(&line).map_err(|_| silent())?;
        if value["type"] == kind { Ok(value) } else { Err(silent()) }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // It has nothing to finish: what it wrote is whole.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
