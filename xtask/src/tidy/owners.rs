//! Holds "the only crate that knows …": which crate may depend on a library that shapes everything around it.

use super::Finding;
use crate::manifest;
use crate::tree::Tree;

/// A library (or, with `*`, a family of them) and the crates that may depend on it.
const OWNERS: &[(&str, &[&str])] = &[
    ("rmcp", &["mcp"]),
    ("axum", &["web"]),
    ("clap", &["cli", "xtask"]),
    ("sqlx", &["store"]),
    ("rusqlite", &["store"]),
    ("tokio-postgres", &["store"]),
    ("oxc*", &["contracts", "project"]),
    ("minijinja", &["commits"]),
    ("notify", &["project"]),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in manifest::members(tree) {
        for dependency in &member.dependencies {
            let owned = OWNERS.iter().find(|(library, _)| is_of(&dependency.package, library));
            let Some((library, owners)) = owned else { continue };
            if !owners.contains(&member.folder.as_str()) {
                let message = format!("only {} may depend on `{library}`", owners.join(" and "));
                findings.push(Finding::at(&member.path, dependency.line, message));
            }
        }
    }
    findings
}

fn is_of(package: &str, library: &str) -> bool {
    match library.strip_suffix('*') {
        Some(family) => package.starts_with(family),
        None => package == library,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_library_in_a_foreign_crate_fails() {
        let files = [
            (
                "crates/web/Cargo.toml",
                "[package]\nname = \"becket-web\"\n[dependencies]\naxum = \"0.8\"\nrmcp = \"3\"\n",
            ),
            (
                "crates/git/Cargo.toml",
                "[package]\nname = \"becket-git\"\n[dev-dependencies]\noxc_parser = \"1\"\n",
            ),
        ];
        assert_eq!(
            found(check, &files),
            [
                "crates/git/Cargo.toml:4: only contracts and project may depend on `oxc*`",
                "crates/web/Cargo.toml:5: only mcp may depend on `rmcp`"
            ]
        );
    }
}
