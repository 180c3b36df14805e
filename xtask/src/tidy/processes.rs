//! Holds half of invariant 11: no shell is ever started, and `git` only through one hardened argument builder.

use super::Finding;
use crate::tokens;
use crate::tree::Tree;

/// Where processes may be started from, and which.
const STARTERS: &[(&str, &str)] = &[
    ("crates/git/", "git, with hardened arguments"),
    ("crates/cli/src/client.rs", "becket itself, to test and to show its own server"),
    ("crates/cli/src/editor.rs", "the user's own editor, when the user asks for it"),
    ("crates/store/examples/", "itself, to measure several processes at one store"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.shipped_rust() {
        if STARTERS.iter().any(|(starter, _)| file.path.starts_with(starter)) {
            continue;
        }
        for named in tokens::paths(file.shipped_tokens()) {
            let starts = ["process::Command", "process::*", "tokio::process"];
            if starts.iter().any(|one| tokens::names(&named.name, one)) {
                let message =
                    format!("`{}` starts a process: ask becket_git, or add a row to {}", named.name, file!());
                findings.push(Finding::at(&file.path, named.line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    const TEXT: &str = "use std::process::{self, ExitCode};\nfn f() { process::Command::new(\"sh\"); }\n";

    #[test]
    fn a_command_outside_git_fails() {
        let findings = found(check, &[("crates/engine/src/lib.rs", TEXT)]);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].starts_with("crates/engine/src/lib.rs:2: `process::Command::new` starts a process")
        );
        assert_eq!(found(check, &[("crates/mcp/src/a.rs", "use tokio::process::Child;")]).len(), 1);
    }

    #[test]
    fn git_tests_and_test_support_may() {
        let tested = "#[cfg(test)]\nmod tests { use std::process::Command; }";
        let files = [
            ("crates/git/src/process.rs", TEXT),
            ("crates/testing/src/server.rs", TEXT),
            ("crates/cli/tests/it.rs", TEXT),
            ("crates/memory/src/lib.rs", tested),
            ("xtask/src/bench.rs", TEXT),
        ];
        assert_eq!(found(check, &files), Vec::<String>::new());
    }
}
