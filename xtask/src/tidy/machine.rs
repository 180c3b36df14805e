//! Holds "works on every machine": no path and no host of the machine where a file was written.

use super::Finding;
use crate::tree::{File, Tree};

/// Files that would send every other machine to a registry of somebody's own.
const SETTINGS: &[&str] = &[".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", ".pypirc"];

/// Tables of a Cargo configuration that do the same.
const TABLES: &[&str] = &["[source", "[registries", "[registry"];

/// The hosts that a lock file of npm may name.
const NPM: &str = "https://registry.npmjs.org/";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for File { path, text, .. } in tree.files() {
        let file = path.rsplit('/').next().unwrap_or(path);
        if SETTINGS.contains(&file) {
            findings.push(Finding::in_file(path, "registry settings belong to the user, not to the tree"));
        }
        for (index, line) in text.lines().enumerate() {
            if let Some(name) = tree.machine.iter().find(|name| names_whole(line, name)) {
                findings.push(Finding::at(path, index + 1, format!("names this machine: `{name}`")));
            }
            if path.ends_with(".cargo/config.toml")
                && TABLES.iter().any(|table| line.trim_start().starts_with(table))
            {
                findings.push(Finding::at(
                    path,
                    index + 1,
                    "registry settings belong to the user, not to the tree",
                ));
            }
            if file == "package-lock.json" && line.contains("\"resolved\"") && !line.contains(NPM) {
                findings.push(Finding::at(path, index + 1, format!("packages come from {NPM}")));
            }
        }
    }
    findings
}

/// Whether `line` has `name`, not as the tail of a longer word or path and not as the start of a longer word.
fn names_whole(line: &str, name: &str) -> bool {
    let continues = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    line.match_indices(name).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + name.len()..].chars().next();
        !before.is_some_and(|letter| continues(letter) || letter == '.' || letter == '>')
            && !after.is_some_and(continues)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn paths_and_hosts_of_this_machine_fail() {
        let mut tree = Tree::of(&[
            ("docs/a.md", "fine\nrun /somewhere/tree/target/debug/becket\n"),
            ("docs/b.md", "see https://example.org/somewhere/tree and /somewhere/trees\n"),
            ("test", "pip install --index-url https://mirror.example/simple\n"),
        ]);
        tree.machine = vec!["/somewhere/tree".to_owned(), "mirror.example".to_owned()];
        let findings: Vec<_> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(
            findings,
            [
                "docs/a.md:2: names this machine: `/somewhere/tree`",
                "test:1: names this machine: `mirror.example`"
            ]
        );
    }

    #[test]
    fn registry_settings_fail() {
        let files = [
            (
                ".cargo/config.toml",
                "[alias]\nxtask = \"run\"\n[source.crates-io]\nreplace-with = \"mirror\"\n",
            ),
            (".npmrc", "registry=https://mirror.example\n"),
            ("clients/package-lock.json", "\"resolved\": \"https://mirror.example/a.tgz\"\n"),
        ];
        assert_eq!(
            found(check, &files),
            [
                ".cargo/config.toml:3: registry settings belong to the user, not to the tree",
                ".npmrc: registry settings belong to the user, not to the tree",
                "clients/package-lock.json:1: packages come from https://registry.npmjs.org/",
            ]
        );
    }
}
