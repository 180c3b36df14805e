//! The processes of a benchmark: building and starting the binary, and what the system says of it.

#![allow(clippy::disallowed_methods, reason = "it starts what it measures, in a repository that it makes")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::report::Setting;
use super::{BenchError, beside};

/// Builds the shipped binary and says where cargo put it.
pub(crate) fn build_release(root: &Path) -> Result<PathBuf, BenchError> {
    build(root, &["--package", "becket-cli", "--bin", "becket"], "becket")
}

/// Builds a program that measures one crate from inside.
pub(crate) fn build_example(root: &Path, package: &str, example: &str) -> Result<PathBuf, BenchError> {
    build(root, &["--package", package, "--example", example], example)
}

fn build(root: &Path, what: &[&str], target: &str) -> Result<PathBuf, BenchError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).stderr(Stdio::inherit());
    command.args(["build", "--release", "--message-format", "json"]).args(what);
    // What `cargo run` says of xtask, by which a build script would take a finished build for another one.
    let of_xtask = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_xtask)) {
        command.env_remove(name);
    }
    output_of(&mut command)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == target)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or(BenchError::NoBinary)
}

/// The binary with nothing of this shell's settings, at home in its own repository.
pub(crate) fn becket(binary: &Path, home: &Path) -> Command {
    let mut command = Command::new(binary);
    command.env_clear().env("HOME", home).current_dir(home);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

pub(crate) fn time_to_exit(binary: &Path, argument: &str) -> Result<Duration, BenchError> {
    let home = binary.parent().unwrap_or(binary);
    let begun = Instant::now();
    output_of(becket(binary, home).arg(argument))?;
    Ok(begun.elapsed())
}

/// Bytes, as the kernel counts them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) resident: f64,
    pub(crate) peak: f64,
}

/// Nothing where there is no `/proc`.
pub(crate) fn memory(process: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(Memory { resident: field(&status, "VmRSS:")?, peak: field(&status, "VmHWM:")? })
}

fn field(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

/// What all children of this process that have ended have used of the processors; nothing where there is no `/proc`.
pub(crate) fn children_processor_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in parentheses and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(13);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    // Linux counts a hundred ticks a second for programs, whatever it does inside.
    Some(Duration::from_millis((user + system) * 10))
}

/// The time of all processors since the machine started, in the kernel's ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticks {
    all: u64,
    /// In which the host let others run.
    stolen: u64,
}

/// Nothing where there is no `/proc`.
pub(crate) fn ticks() -> Option<Ticks> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks = stat.lines().next()?.split_whitespace().skip(1).take(8);
    let ticks = ticks.map(|ticks| ticks.parse().ok()).collect::<Option<Vec<u64>>>()?;
    Some(Ticks { all: ticks.iter().sum(), stolen: *ticks.get(7)? })
}

pub(crate) fn setting(
    root: &Path,
    command: &'static str,
    before: Option<Ticks>,
) -> Result<Setting, BenchError> {
    let git = |arguments: &[&str]| output_of(Command::new("git").current_dir(root).args(arguments));
    let commit = git(&["rev-parse", "--short", "HEAD"])?.trim().to_owned();
    let is_changed = !git(&["status", "--porcelain"])?.is_empty();
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").ok();
    let load = load.as_deref().and_then(|text| text.split(' ').next());
    let load = load.map(|load| format!(", load {load} at the end")).unwrap_or_default();
    let stolen =
        before.zip(ticks()).filter(|(before, after)| after.all > before.all).map(|(before, after)| {
            let percent = after.stolen.saturating_sub(before.stolen) * 100 / (after.all - before.all);
            format!(", {percent} % of the processors' time taken by the host")
        });
    let stolen = stolen.unwrap_or_default();
    Ok(Setting {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        commit: if is_changed { format!("{commit} with changes") } else { commit },
        command,
        machine: format!("{cores} cores, {} {}{load}{stolen}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

/// A repository with one commit; removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) path: PathBuf,
}

impl Scratch {
    pub(crate) fn repository(binary: &Path) -> Result<Self, BenchError> {
        let path = beside(binary, &format!("bench-repository-{}", std::process::id()));
        let failed = |source| BenchError::Connection { what: "making the benchmark's repository", source };
        fs::create_dir_all(path.join("src")).map_err(failed)?;
        let scratch = Self { path };
        for count in 0..20 {
            let file = scratch.path.join(format!("src/part{count}.ts"));
            let text = format!("export const part{count} = (n: number): number => n + {count};\n");
            fs::write(file, text).map_err(failed)?;
        }
        let identity =
            ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"];
        for arguments in [
            &["init", "--quiet", "--initial-branch", "main"][..],
            &["add", "--all"],
            &["commit", "--quiet", "--no-verify", "--message", "Begin"],
        ] {
            let mut git = Command::new("git");
            git.current_dir(&scratch.path).env("GIT_CONFIG_GLOBAL", scratch.path.join("none"));
            output_of(git.args(identity).args(arguments))?;
        }
        Ok(scratch)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left lies in the build folder and harms nobody.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// stdout of a command that must succeed.
pub(crate) fn output_of(command: &mut Command) -> Result<String, BenchError> {
    let shown = command.get_program().display().to_string();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| BenchError::Start { command: shown.clone(), source })?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(BenchError::Failed { command: shown, status: output.status.to_string(), output: errors });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_figures_are_read_as_bytes() {
        let status = "Name:\tbecket\nVmHWM:\t    8192 kB\nVmRSS:\t    6144 kB\n";
        assert_eq!(field(status, "VmRSS:"), Some(6144.0 * 1024.0));
        assert_eq!(field(status, "VmHWM:"), Some(8192.0 * 1024.0));
        assert_eq!(field(status, "VmSwap:"), None);
    }
}
