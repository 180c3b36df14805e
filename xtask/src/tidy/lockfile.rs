//! Holds the dependencies down: few, locked, and from where anybody can get them.

use toml_edit::{DocumentMut, Item};

use super::Finding;
use crate::tree::Tree;

/// More packages than this take longer to build and to trust than they save.
const PACKAGES: usize = 480;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    const PATH: &str = "Cargo.lock";
    let Some(text) = tree.text(PATH) else {
        return vec![Finding::in_file(PATH, "is missing: builds must be the same everywhere")];
    };
    let document = match text.parse::<DocumentMut>() {
        Ok(document) => document,
        Err(error) => return vec![Finding::in_file(PATH, error.message())],
    };
    let Some(packages) = document.get("package").and_then(Item::as_array_of_tables) else {
        return vec![Finding::in_file(PATH, "lists no packages")];
    };
    let mut findings = Vec::new();
    if packages.len() >= PACKAGES {
        let message = format!("{} packages, must stay under {PACKAGES}", packages.len());
        findings.push(Finding::in_file(PATH, message));
    }
    for package in packages {
        let source = package.get("source").and_then(Item::as_str);
        if source.is_some_and(|source| source != REGISTRY) {
            let name = package.get("name").and_then(Item::as_str).unwrap_or_default();
            findings.push(Finding::in_file(PATH, format!("`{name}` does not come from crates.io")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn too_many_packages_fail() {
        let lock = "[[package]]\nname = \"a\"\n".repeat(480);
        assert_eq!(found(check, &[("Cargo.lock", &lock)]), ["Cargo.lock: 480 packages, must stay under 480"]);
        let fewer = "[[package]]\nname = \"a\"\n".repeat(479);
        assert_eq!(found(check, &[("Cargo.lock", &fewer)]), Vec::<String>::new());
    }

    #[test]
    fn another_source_fails() {
        let lock = format!(
            "[[package]]\nname = \"a\"\nsource = \"{REGISTRY}\"\n[[package]]\nname = \"b\"\nsource = \"git+https://x\"\n"
        );
        assert_eq!(found(check, &[("Cargo.lock", &lock)]), ["Cargo.lock: `b` does not come from crates.io"]);
    }

    #[test]
    fn a_missing_or_broken_lock_fails() {
        assert_eq!(found(check, &[]).len(), 1);
        assert_eq!(found(check, &[("Cargo.lock", "[[")]).len(), 1);
    }
}
