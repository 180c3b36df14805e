//! Holds "`//!` on every module": a reader learns what a file owns before the first line of code.

use super::Finding;
use crate::tree::{File, Tree, is_test};

/// Fewer words than this name the module again instead of describing it.
const WORDS: usize = 3;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter_map(|File { path, text, .. }| {
            let mut lines = text.lines().skip_while(|line| line.trim().is_empty() || line.starts_with("#!/"));
            let first = lines.next().unwrap_or_default();
            let Some(doc) = first.strip_prefix("//!") else {
                return Some(Finding::in_file(path, "must open with `//!`: what it owns, what it does not"));
            };
            let short = !is_test(path) && doc.split_whitespace().count() < WORDS;
            short.then(|| Finding::at(path, 1, "the `//!` must say what the module owns"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_module_without_a_description_fails() {
        let files = [
            ("crates/a/src/bare.rs", "use x;\n//! Too late to be one.\n"),
            ("crates/a/src/empty.rs", ""),
            ("crates/a/src/named.rs", "//! placeholder\n"),
            ("crates/a/src/described.rs", "//! What it owns.\n"),
            ("crates/a/src/named/tests.rs", "//! Tests.\n"),
            ("crates/a/src/other_tests.rs", "use super::*;\n"),
        ];
        assert_eq!(
            found(check, &files),
            [
                "crates/a/src/bare.rs: must open with `//!`: what it owns, what it does not",
                "crates/a/src/empty.rs: must open with `//!`: what it owns, what it does not",
                "crates/a/src/named.rs:1: the `//!` must say what the module owns",
                "crates/a/src/other_tests.rs: must open with `//!`: what it owns, what it does not",
            ]
        );
    }
}
