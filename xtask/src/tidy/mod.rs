//! The rules of the tree that no compiler checks: one file each, listed in [`CHECKS`].
//!
//! A check reads the [`Tree`] and returns what it found; its own tests show it failing on a bad example.
//! Run by `cargo xtask tidy` and, over the real tree, by the test at the end of this file.

mod architecture;
mod changelog;
mod ignored_tests;
mod layers;
mod left_out;
mod length;
mod links;
mod lints;
mod lockfile;
mod machine;
mod module_docs;
mod names;
mod owners;
mod platforms;
mod processes;
mod purity;
mod tables;
mod variables;

use std::fmt;

use crate::tree::Tree;

/// One rule.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    /// The rule as one sentence: what a person reads above the findings.
    pub(crate) rule: &'static str,
    pub(crate) run: fn(&Tree) -> Vec<Finding>,
}

/// Every rule, in the order in which findings are shown.
pub(crate) const CHECKS: &[Check] = &[
    Check { name: "layers", rule: "a crate depends only on layers below its own", run: layers::check },
    Check { name: "owners", rule: "a library belongs to the one crate that knows it", run: owners::check },
    Check {
        name: "purity",
        rule: "pure crates do no I/O and have no clock, randomness or async",
        run: purity::check,
    },
    Check { name: "processes", rule: "only the git crate starts processes", run: processes::check },
    Check { name: "tables", rule: "every file of a table folder has its row", run: tables::check },
    Check { name: "length", rule: "a file stays short enough to be read", run: length::check },
    Check { name: "module docs", rule: "every module opens by saying what it owns", run: module_docs::check },
    Check { name: "names", rule: "a module is the noun it defines", run: names::check },
    Check {
        name: "platforms",
        rule: "code for one platform has its twin for the others",
        run: platforms::check,
    },
    Check { name: "ignored tests", rule: "no test is skipped", run: ignored_tests::check },
    Check { name: "left out", rule: "no schema asks for what an answer leaves out", run: left_out::check },
    Check { name: "lints", rule: "every crate takes the lints of the workspace", run: lints::check },
    Check { name: "lockfile", rule: "the lock file is committed, small and public", run: lockfile::check },
    Check { name: "machine", rule: "nothing in the tree names one machine", run: machine::check },
    Check { name: "architecture", rule: "ARCHITECTURE.md knows every crate", run: architecture::check },
    Check { name: "links", rule: "every relative link leads somewhere", run: links::check },
    Check { name: "variables", rule: "every variable that is read is documented", run: variables::check },
    Check { name: "changelog", rule: "the changelog has a section for the version", run: changelog::check },
];

/// A place that breaks a rule, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    line: Option<usize>,
    message: String,
}

impl Finding {
    pub(crate) fn in_file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into() }
    }

    pub(crate) fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.path, self.message),
            None => write!(formatter, "{}: {}", self.path, self.message),
        }
    }
}

/// What `check` finds in a tree of these files, as `path:line: message`.
#[cfg(test)]
fn found(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files)).iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let tree = Tree::read(&crate::root()).unwrap();
        assert!(tree.contains("xtask/src/tidy/mod.rs"), "the walk must reach the tree");
        let report: Vec<String> = CHECKS
            .iter()
            .flat_map(|check| {
                let findings = (check.run)(&tree);
                findings.into_iter().map(|finding| format!("{finding} ({}: {})", check.name, check.rule))
            })
            .collect();
        assert!(report.is_empty(), "\n{}", report.join("\n"));
    }
}
