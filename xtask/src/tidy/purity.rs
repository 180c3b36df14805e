//! Holds invariant 1: the pure crates turn values into values.

use super::Finding;
use crate::manifest::{self, Kind};
use crate::tokens;
use crate::tree::Tree;

const PURE: &[&str] = &["base", "diff", "contracts", "commits"];

/// Paths that reach outside; a path that has these segments in a row names them.
const OUTSIDE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "time::Instant",
    "time::SystemTime",
    "std::time::*",
];

/// Libraries that reach outside, as Rust spells them.
const LIBRARIES: &[&str] = &[
    "async_std",
    "fastrand",
    "fs_err",
    "getrandom",
    "notify",
    "rand",
    "reqwest",
    "smol",
    "sqlx",
    "tempfile",
    "tokio",
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.shipped_rust().filter(|file| PURE.iter().any(|pure| is_in(&file.path, pure))) {
        for named in tokens::paths(file.shipped_tokens()) {
            let library = named.name.split_once("::").is_some_and(|(first, _)| LIBRARIES.contains(&first));
            if library || OUTSIDE.iter().any(|outside| tokens::names(&named.name, outside)) {
                let message = format!("a pure crate names `{}`: take the value as an argument", named.name);
                findings.push(Finding::at(&file.path, named.line, message));
            }
        }
    }
    for member in manifest::members(tree).iter().filter(|member| PURE.contains(&member.folder.as_str())) {
        for dependency in member.dependencies.iter().filter(|dependency| dependency.kind != Kind::Development)
        {
            if LIBRARIES.contains(&dependency.package.replace('-', "_").as_str()) {
                let message = format!("a pure crate depends on `{}`", dependency.package);
                findings.push(Finding::at(&member.path, dependency.line, message));
            }
        }
    }
    findings
}

fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix("crates/")
        .and_then(|rest| rest.strip_prefix(folder))
        .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn input_output_clock_and_async_fail_in_pure_crates() {
        let text = "//! Doc.\nuse std::{env, time::{Duration, Instant}};\nfn f() { tokio::spawn(g(std::fs::read(p))) }\n";
        assert_eq!(
            found(check, &[("crates/diff/src/lib.rs", text), ("crates/git/src/lib.rs", text)]),
            [
                "crates/diff/src/lib.rs:2: a pure crate names `std::env`: take the value as an argument",
                "crates/diff/src/lib.rs:2: a pure crate names `std::time::Instant`: take the value as an argument",
                "crates/diff/src/lib.rs:3: a pure crate names `tokio::spawn`: take the value as an argument",
                "crates/diff/src/lib.rs:3: a pure crate names `std::fs::read`: take the value as an argument",
            ]
        );
    }

    #[test]
    fn an_import_of_the_parent_does_not_hide_it() {
        let text = "use std::time;\nfn f() { time::SystemTime::now(); }\n";
        assert_eq!(found(check, &[("crates/base/src/id.rs", text)]).len(), 1);
    }

    #[test]
    fn tests_and_words_in_strings_pass() {
        let text = "/// Not std::fs.\nconst A: &str = \"tokio::spawn\";\nlet rand = 1;\n#[cfg(test)]\nmod tests { use std::fs; }";
        let files = [("crates/base/src/lib.rs", text), ("crates/base/tests/spec.rs", "use std::fs;")];
        assert_eq!(found(check, &files), Vec::<String>::new());
    }

    #[test]
    fn a_dependency_on_an_outside_library_fails() {
        let manifest = "[package]\nname = \"becket-base\"\n[dependencies]\nfs-err = \"3\"\n[dev-dependencies]\ntempfile = \"3\"\n";
        assert_eq!(
            found(check, &[("crates/base/Cargo.toml", manifest)]),
            ["crates/base/Cargo.toml:4: a pure crate depends on `fs-err`"]
        );
    }
}
