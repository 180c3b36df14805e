//! Holds the drawing in ARCHITECTURE.md: the layer of every crate, and which way it may depend.

use super::Finding;
use crate::manifest::{self, Kind, Manifest};
use crate::tree::Tree;

/// The layers, lowest first. A crate depends only on crates of layers before its own.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &["base"]),
    ("pure", &["contracts", "diff", "commits"]),
    ("fence", &["fence"]),
    ("boundaries", &["project", "store", "memory", "git", "embeddings"]),
    ("use cases", &["engine"]),
    ("faces", &["cli", "mcp", "web"]),
];

/// The edges inside a layer that are drawn.
const DRAWN: &[(&str, &str)] = &[("cli", "mcp"), ("cli", "web"), ("commits", "diff")];

/// The layer whose crates hold no rules, and so reach everything through `engine`, and the two that it may see.
const FACES: &str = "faces";
const SEEN_BY_FACES: &[&str] = &["use cases", "base"];

/// Test support: may use everything, is used only by tests.
const TESTING: &str = "testing";

/// This program: may use everything, is used by nothing.
const XTASK: &str = "xtask";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let members = manifest::members(tree);
    let mut findings = Vec::new();
    for member in &members {
        let expected =
            if member.folder == XTASK { XTASK.to_owned() } else { format!("becket-{}", member.folder) };
        if member.package != expected {
            findings.push(Finding::in_file(&member.path, format!("the package must be called {expected}")));
        }
        if rank(&member.folder).is_none() && !beside(&member.folder) {
            let message = format!("`{}` has no layer: give it one in {}", member.folder, file!());
            findings.push(Finding::in_file(&member.path, message));
            continue;
        }
        for dependency in &member.dependencies {
            let target = members.iter().find(|other| other.package == dependency.package);
            let Some(target) = target else { continue };
            if let Some(reason) = refusal(member, target, dependency.kind) {
                findings.push(Finding::at(&member.path, dependency.line, reason));
            }
        }
    }
    findings
}

fn refusal(from: &Manifest, to: &Manifest, kind: Kind) -> Option<String> {
    let (from, to) = (from.folder.as_str(), to.folder.as_str());
    if to == XTASK {
        return Some(format!("`{from}` depends on `{XTASK}`, which is shipped nowhere"));
    }
    if from == XTASK {
        return None;
    }
    if to == TESTING {
        let wrong = kind != Kind::Development;
        return wrong.then(|| format!("`{from}` may use `{TESTING}` only as a dev-dependency"));
    }
    if from == TESTING || DRAWN.contains(&(from, to)) {
        return None;
    }
    let (below, above) = (rank(to)?, rank(from)?);
    if LAYERS[above].0 == FACES
        && below < above
        && kind != Kind::Development
        && !SEEN_BY_FACES.contains(&LAYERS[below].0)
    {
        return Some(format!(
            "`{from}` must reach `{to}` through `engine`: a rule exists once, for every face"
        ));
    }
    (below >= above)
        .then(|| format!("`{from}` ({}) must not depend on `{to}` ({})", LAYERS[above].0, LAYERS[below].0))
}

fn rank(folder: &str) -> Option<usize> {
    LAYERS.iter().position(|(_, crates)| crates.contains(&folder))
}

fn beside(folder: &str) -> bool {
    folder == TESTING || folder == XTASK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    fn crate_of(name: &str, tail: &str) -> (String, String) {
        (format!("crates/{name}/Cargo.toml"), format!("[package]\nname = \"becket-{name}\"\n{tail}"))
    }

    fn check_of(crates: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = crates.iter().map(|(name, tail)| crate_of(name, tail)).collect();
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        found(check, &files)
    }

    #[test]
    fn downward_and_drawn_edges_pass() {
        let findings = check_of(&[
            ("base", ""),
            ("diff", "[dependencies]\nbecket-base.workspace = true\n"),
            ("commits", "[dependencies]\nbecket-diff.workspace = true\n"),
            ("web", "[dev-dependencies]\nbecket-testing.workspace = true\n"),
            ("cli", "[dependencies]\nbecket-web.workspace = true\nbecket-base.workspace = true\n"),
            ("testing", "[dependencies]\nbecket-diff.workspace = true\n"),
        ]);
        assert_eq!(findings, Vec::<String>::new());
    }

    #[test]
    fn upward_edges_fail() {
        let findings = check_of(&[("base", "[dependencies]\nbecket-git.workspace = true\n"), ("git", "")]);
        assert_eq!(
            findings,
            ["crates/base/Cargo.toml:4: `base` (base) must not depend on `git` (boundaries)"]
        );
    }

    #[test]
    fn sideways_edges_fail_also_for_tests() {
        let findings =
            check_of(&[("memory", "[dev-dependencies]\nbecket-git.workspace = true\n"), ("git", "")]);
        assert_eq!(
            findings,
            ["crates/memory/Cargo.toml:4: `memory` (boundaries) must not depend on `git` (boundaries)"]
        );
        assert_eq!(
            check_of(&[("diff", "[dependencies]\nbecket-commits.workspace = true\n"), ("commits", "")]).len(),
            1
        );
    }

    #[test]
    fn a_face_reaches_a_boundary_only_through_the_engine() {
        let findings = check_of(&[("cli", "[dependencies]\nbecket-git.workspace = true\n"), ("git", "")]);
        assert_eq!(
            findings,
            [
                "crates/cli/Cargo.toml:4: `cli` must reach `git` through `engine`: a rule exists once, for every face"
            ]
        );
        let for_tests =
            check_of(&[("cli", "[dev-dependencies]\nbecket-git.workspace = true\n"), ("git", "")]);
        assert_eq!(for_tests, Vec::<String>::new());
    }

    #[test]
    fn a_rename_does_not_hide_an_edge() {
        let tail = "[target.'cfg(windows)'.build-dependencies]\nfine = { package = \"becket-cli\", path = \"../cli\" }\n";
        let findings = check_of(&[("engine", tail), ("cli", "")]);
        assert_eq!(
            findings,
            ["crates/engine/Cargo.toml:4: `engine` (use cases) must not depend on `cli` (faces)"]
        );
    }

    #[test]
    fn testing_is_for_tests_and_xtask_for_nobody() {
        let findings =
            check_of(&[("git", "[dependencies]\nbecket-testing.workspace = true\n"), ("testing", "")]);
        assert_eq!(findings, ["crates/git/Cargo.toml:4: `git` may use `testing` only as a dev-dependency"]);
        let findings = found(
            check,
            &[
                ("xtask/Cargo.toml", "[package]\nname = \"xtask\"\n"),
                (
                    "crates/git/Cargo.toml",
                    "[package]\nname = \"becket-git\"\n[dev-dependencies]\nxtask.path = \"\"\n",
                ),
            ],
        );
        assert_eq!(findings, ["crates/git/Cargo.toml:4: `git` depends on `xtask`, which is shipped nowhere"]);
    }

    #[test]
    fn every_crate_has_a_layer_and_the_name_of_its_folder() {
        let findings = check_of(&[("sync", "")]);
        assert!(findings[0].starts_with("crates/sync/Cargo.toml: `sync` has no layer"), "{findings:?}");
        let findings = found(check, &[("crates/git/Cargo.toml", "[package]\nname = \"becket-vcs\"\n")]);
        assert_eq!(findings, ["crates/git/Cargo.toml: the package must be called becket-git"]);
    }
}
