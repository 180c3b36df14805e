//! The one place that starts `git`. It owns how: no shell, no prompt, no lock, no network, a clean environment, a
//! repository's own commands neutralised, a deadline, cancellation, and a bound on what is kept. What is asked of git,
//! and what the answer means, belongs to the other modules.
#![allow(
    clippy::disallowed_methods,
    reason = "this module owns the git process and the environment it runs in"
)]

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::cancel::Cancelled;
use crate::environment::{find_program, set_environment, set_users_environment, without_window};
use crate::error::GitError;
use crate::filters::without_own_filters;

/// The oldest git that has all that is used here (`worktree list -z`).
pub const MINIMUM_VERSION: (u32, u32) = (2, 36);

const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);
const DEFAULT_OUTPUT_LIMIT: usize = 64 << 20;
const STDERR_LIMIT: usize = 8 << 10;
/// Commands that compare files of the worktree, for which they run the clean filters of the configuration.
const RUNS_FILTERS: [&str; 5] = ["add", "blame", "diff", "hash-object", "status"];
/// Commands that start a git in every submodule, which would obey that repository's configuration. What is inside is a
/// change of that repository; here only its commit counts.
const LOOKS_INTO_SUBMODULES: [&str; 2] = ["diff", "status"];
/// How soon a cancellation or a deadline is noticed while git is silent.
const TICK: Duration = Duration::from_millis(20);

/// Where git is run, and within what limits.
#[derive(Clone)]
pub struct Git {
    dir: PathBuf,
    program: Option<PathBuf>,
    timeout: Duration,
    cancelled: Cancelled,
    variables: Vec<(OsString, OsString)>,
    config: Vec<(OsString, OsString)>,
    filters_checked: bool,
    as_user: bool,
}

impl Git {
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            program: None,
            timeout: DEFAULT_TIMEOUT,
            cancelled: crate::cancel::cancellation(),
            variables: Vec::new(),
            config: Vec::new(),
            filters_checked: false,
            as_user: false,
        }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The same limits in another directory.
    #[must_use]
    pub fn in_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = dir.into();
        self.filters_checked = false;
        self
    }

    /// The longest that one run of git may take.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Asked often while git runs; git is killed once it says yes.
    #[must_use]
    pub fn with_cancellation(mut self, cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.cancelled = Arc::new(cancelled);
        self
    }

    /// Another program than the first `git` on the PATH.
    #[must_use]
    pub fn with_program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// A variable for git's environment, set after the environment was cleaned.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// A setting that outranks every configuration file.
    #[must_use]
    pub fn with_config(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.config.push((key.into(), value.into()));
        self
    }

    /// The filters of this directory's repository are dealt with by `with_config`.
    pub(crate) fn with_filters_checked(mut self) -> Self {
        self.filters_checked = true;
        self
    }

    /// As the user's own git: hooks, filters, signing and every other setting of the user and the repository count. For
    /// commits, which the user asked for, and for nothing that only looks.
    pub(crate) fn for_user(mut self) -> Self {
        self.as_user = true;
        self.filters_checked = true;
        self
    }

    pub(crate) fn command(&self, subcommand: &'static str) -> Command<'_> {
        Command {
            git: self,
            subcommand,
            options: Vec::new(),
            revisions: Vec::new(),
            paths: Vec::new(),
            input: None,
            stdin: None,
            limit: DEFAULT_OUTPUT_LIMIT,
        }
    }
}

impl fmt::Debug for Git {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Git")
            .field("dir", &self.dir)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Functions of this crate take `impl Into<Git>`: a directory, or a directory with limits.
impl From<&Git> for Git {
    fn from(git: &Git) -> Self {
        git.clone()
    }
}

impl From<&Path> for Git {
    fn from(dir: &Path) -> Self {
        Self::at(dir)
    }
}

impl From<&PathBuf> for Git {
    fn from(dir: &PathBuf) -> Self {
        Self::at(dir)
    }
}

/// One run of git. Options are ours; what came from a caller is a revision or a path, and git cannot take either for
/// an option: they stand behind `--end-of-options` and `--`.
#[derive(Debug)]
pub(crate) struct Command<'a> {
    git: &'a Git,
    subcommand: &'static str,
    options: Vec<OsString>,
    revisions: Vec<OsString>,
    paths: Vec<OsString>,
    input: Option<Vec<u8>>,
    stdin: Option<std::fs::File>,
    limit: usize,
}

/// Whether a consumer of output wants more of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    More,
    Enough,
}

/// How a run ended. There is no code when git was stopped because there was enough, or died of a signal.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stopped: bool,
    pub(crate) stderr: Vec<u8>,
}

impl Command<'_> {
    pub(crate) fn name(&self) -> &'static str {
        self.subcommand
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.git.dir
    }

    pub(crate) fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    pub(crate) fn options<T: Into<OsString>>(mut self, options: impl IntoIterator<Item = T>) -> Self {
        self.options.extend(options.into_iter().map(Into::into));
        self
    }

    pub(crate) fn revision(mut self, revision: impl Into<OsString>) -> Self {
        self.revisions.push(revision.into());
        self
    }

    pub(crate) fn path(mut self, path: impl Into<OsString>) -> Self {
        self.paths.push(path.into());
        self
    }

    /// What git reads from its standard input, which is otherwise empty.
    pub(crate) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = Some(input);
        self
    }

    /// A file as git's standard input. A lock that is held on it is held until git has ended too.
    pub(crate) fn stdin(mut self, file: std::fs::File) -> Self {
        self.stdin = Some(file);
        self
    }

    /// All that git printed; a non-zero exit is an error.
    pub(crate) fn output(self) -> Result<Vec<u8>, GitError> {
        self.output_unless(&[]).map(|(_, output)| output)
    }

    /// All that git printed and its exit code, which is zero or one of `expected`.
    pub(crate) fn output_unless(self, expected: &[i32]) -> Result<(i32, Vec<u8>), GitError> {
        let (git, command, limit) = (self.git, self.subcommand, self.limit);
        let mut output = Vec::new();
        let finished = self.run(&mut |chunk: &[u8]| {
            output.extend_from_slice(chunk);
            if output.len() > limit { Flow::Enough } else { Flow::More }
        })?;
        if finished.stopped {
            return Err(GitError::TooLarge { command, limit });
        }
        match finished.code {
            Some(code) if code == 0 || expected.contains(&code) => Ok((code, output)),
            code => Err(GitError::from_exit(&git.dir, command, code, &finished.stderr)),
        }
    }

    /// Hands out what git prints, piece by piece, and never holds more than a few pieces. The exit code is the
    /// caller's to judge.
    pub(crate) fn run(self, consume: &mut dyn FnMut(&[u8]) -> Flow) -> Result<Finished, GitError> {
        if RUNS_FILTERS.contains(&self.subcommand) && !self.git.filters_checked {
            let (git, _) = without_own_filters(self.git.clone())?;
            return Command { git: &git, ..self }.run(consume);
        }
        let (git, command) = (self.git, self.subcommand);
        let started = Instant::now();
        let mut process = self.spawn()?;
        let (pieces, pieces_end) = mpsc::sync_channel(8);
        if let Some(stdout) = process.0.stdout.take() {
            thread::spawn(move || read_pieces(stdout, &mut |piece| pieces.send(piece).is_ok()));
        }
        let stderr = Stderr::of(&mut process.0);
        let failed = |source| GitError::Io { command, source };
        let within_limits = || {
            if (git.cancelled)() {
                Err(GitError::Cancelled { command })
            } else if started.elapsed() > git.timeout {
                Err(GitError::Timeout { command, after: git.timeout })
            } else {
                Ok(())
            }
        };
        loop {
            within_limits()?;
            match pieces_end.recv_timeout(TICK) {
                Ok(piece) => {
                    if consume(&piece.map_err(failed)?) == Flow::Enough {
                        return Ok(Finished { code: None, stopped: true, stderr: Vec::new() });
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = loop {
            match process.0.try_wait().map_err(failed)? {
                Some(status) => break status,
                None => thread::sleep(Duration::from_micros(200)),
            }
            within_limits()?;
        };
        tracing::debug!(command, code = status.code(), elapsed = ?started.elapsed(), "git finished");
        Ok(Finished { code: status.code(), stopped: false, stderr: stderr.taken() })
    }

    fn spawn(self) -> Result<Process, GitError> {
        let (git, command) = (self.git, self.subcommand);
        // Asked first, because a missing directory and a missing program fail alike.
        let unusable = |source| GitError::Directory { dir: git.dir.clone(), source };
        if !fs_err::metadata(&git.dir).map_err(unusable)?.is_dir() {
            return Err(unusable(io::ErrorKind::NotADirectory.into()));
        }
        let program = git.program.clone().or_else(find_program).ok_or(GitError::ProgramMissing)?;
        let mut process = std::process::Command::new(program);
        process.current_dir(&git.dir).arg("--no-pager");
        if !git.as_user {
            process.arg("--literal-pathspecs");
        }
        process.arg(command);
        if LOOKS_INTO_SUBMODULES.contains(&command) {
            process.arg("--ignore-submodules=dirty");
        }
        process.args(&self.options);
        if !self.revisions.is_empty() {
            process.arg("--end-of-options").args(&self.revisions);
        }
        if !self.paths.is_empty() {
            process.arg("--").args(&self.paths);
        }
        if git.as_user {
            set_users_environment(&mut process, &git.variables);
        } else {
            set_environment(&mut process, &git.config, &git.variables);
        }
        process.stdin(match (self.stdin, &self.input) {
            (Some(file), _) => Stdio::from(file),
            (None, Some(_)) => Stdio::piped(),
            (None, None) => Stdio::null(),
        });
        process.stdout(Stdio::piped()).stderr(Stdio::piped());
        without_window(&mut process);
        let mut child = process.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => GitError::ProgramMissing,
            _ => GitError::Io { command, source },
        })?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), self.input) {
            // A git that does not read to the end says by its exit code whether that was a failure.
            thread::spawn(move || stdin.write_all(&input).ok());
        }
        Ok(Process(child, git.as_user))
    }
}

/// A started git that does not outlive its value, and whether it may hold locks that it must give back itself.
struct Process(Child, bool);

impl Drop for Process {
    fn drop(&mut self) {
        if self.1 && matches!(self.0.try_wait(), Ok(None)) {
            ask_to_end(&self.0);
            let asked = Instant::now();
            while matches!(self.0.try_wait(), Ok(None)) && asked.elapsed() < PATIENCE {
                thread::sleep(TICK);
            }
        }
        // Fails only when it has ended already.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// How long a git that was asked to end may take for it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Git removes its lock files when it is asked to end, and leaves them when it is killed.
#[cfg(unix)]
fn ask_to_end(child: &Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).ok();
    }
}

/// There is no such request here; it is killed.
#[cfg(not(unix))]
fn ask_to_end(_child: &Child) {}

/// The beginning of what git says on stderr; the rest is read too, so that git never blocks on it.
struct Stderr {
    kept: Arc<Mutex<Vec<u8>>>,
    end: mpsc::Receiver<()>,
}

impl Stderr {
    fn of(process: &mut Child) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (end_marker, end) = mpsc::channel();
        if let Some(stream) = process.stderr.take() {
            let kept = Arc::clone(&kept);
            thread::spawn(move || {
                read_pieces(stream, &mut |piece: io::Result<Vec<u8>>| {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = STDERR_LIMIT - kept.len();
                    kept.extend(piece.unwrap_or_default().into_iter().take(room));
                    true
                });
                drop(end_marker);
            });
        }
        Self { kept, end }
    }

    /// Waits for the end of the stream, but not for a stray grandchild that keeps it open.
    fn taken(self) -> Vec<u8> {
        self.end.recv_timeout(Duration::from_millis(500)).ok();
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read_pieces(mut stream: impl Read, take: &mut dyn FnMut(io::Result<Vec<u8>>) -> bool) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let piece = match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => Ok(buffer[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = piece.is_err();
        if !take(piece) || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_limit_is_an_error_and_a_streamed_run_can_stop() {
        let dir = tempfile::tempdir().unwrap();
        let git = Git::at(dir.path());
        let mut help = git.command("help").option("-a");
        help.limit = 10;
        assert!(matches!(help.output(), Err(GitError::TooLarge { limit: 10, .. })));
        let mut pieces = 0;
        let finished = git.command("help").option("-a").run(&mut |_| {
            pieces += 1;
            Flow::Enough
        });
        assert!(finished.unwrap().stopped);
        assert_eq!(pieces, 1);
    }

    #[test]
    fn a_deadline_and_a_cancellation_end_a_git_that_waits() {
        let dir = tempfile::tempdir().unwrap();
        let attributes = dir.path().join("attributes");
        fs_err::write(&attributes, "* filter=slow").unwrap();
        let git = Git::at(dir.path())
            .with_config("core.attributesFile", attributes)
            .with_config("filter.slow.clean", "sleep 5");
        git.command("init").output().unwrap();
        let wait = |git: &Git| {
            let started = Instant::now();
            let result = git.command("hash-object").path("attributes").output();
            assert!(started.elapsed() < Duration::from_secs(4));
            result.unwrap_err()
        };
        let error = wait(&git.clone().with_timeout(Duration::from_millis(100)));
        assert!(matches!(error, GitError::Timeout { command: "hash-object", .. }), "{error}");
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let error = wait(
            &git.with_cancellation(move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 2),
        );
        assert!(matches!(error, GitError::Cancelled { .. }), "{error}");
    }

    #[test]
    fn what_git_says_on_stderr_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let error = Git::at(dir.path()).command("hash-object").option("--nonsense").output().unwrap_err();
        assert!(
            matches!(error, GitError::Failed { code: Some(129), ref stderr, .. } if stderr.contains("nonsense"))
        );
    }
}
