//! A home directory that no test shares, and the environment that goes with it.
//!
//! Owns which variables a tested process may see: none of the developer's own but what the system needs to run a
//! program.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

/// What a program needs from outside to start at all, and what coverage tools need to see it run.
const INHERITED: &[&str] = &["PATH", "SYSTEMROOT", "PATHEXT", "COMSPEC", "LLVM_PROFILE_FILE"];

/// Hooks and signing of the developer must not reach a test, nor a prompt stop it.
const GIT_CONFIG: &str = "[user]\n\tname = Test Author\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n\
                          [commit]\n\tgpgSign = false\n[core]\n\tautocrlf = false\n[protocol \"file\"]\n\tallow = always\n\
                          [advice]\n\tdetachedHead = false\n[maintenance]\n\tauto = false\n[gc]\n\tauto = 0\n";

/// A temporary directory with a home in it. Clones share it; it goes with the last.
#[derive(Debug, Clone)]
pub struct TestHome {
    _directory: Arc<TempDir>,
    root: PathBuf,
}

impl TestHome {
    pub fn new() -> Self {
        let directory = TempDir::with_prefix("becket-test-").expect("a temporary directory");
        // The system's temporary directory is often a link, and tools print what it points to.
        let root = directory.path().canonicalize().expect("the temporary directory exists");
        let home = Self { _directory: Arc::new(directory), root };
        for path in [home.home(), home.temporary()] {
            fs::create_dir(&path).expect("a directory in the temporary directory");
        }
        fs::write(home.home().join(".gitconfig"), GIT_CONFIG).expect("a git configuration");
        home
    }

    /// The directory that holds all of it: repositories go beside the home, not into it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `HOME` of every command.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The temporary directory of every command.
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// A program that sees this home and nothing of the developer's environment. It starts in `root`.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(&self.root);
        for name in INHERITED {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        let home = self.home();
        command
            .env("HOME", &home)
            .env("USERPROFILE", &home)
            .env("APPDATA", home.join("AppData/Roaming"))
            .env("LOCALAPPDATA", home.join("AppData/Local"))
            .env("TMPDIR", self.temporary())
            .env("TEMP", self.temporary())
            .env("TMP", self.temporary())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC");
        command
    }
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_command_sees_only_its_own_home() {
        let home = TestHome::new();
        let output = home.command("env").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("HOME={}", home.home().display())), "{text}");
        for line in text.lines() {
            let name = line.split('=').next().unwrap();
            let foreign = ["XDG_", "BECKET_", "CARGO", "LODESTAR_", "PROJECT_"];
            assert!(!foreign.iter().any(|prefix| name.starts_with(prefix)), "{line}");
            assert!(
                !name.starts_with("GIT_") || ["GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT"].contains(&name)
            );
        }
    }

    #[test]
    fn it_goes_with_its_last_clone() {
        let home = TestHome::new();
        let root = home.root().to_owned();
        let clone = home.clone();
        drop(home);
        assert!(root.is_dir());
        drop(clone);
        assert!(!root.exists());
    }
}
