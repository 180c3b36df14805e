//! Holds the changelog to the version: a release is described before it is made.

use toml_edit::{DocumentMut, Item};

use super::Finding;
use crate::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    const PATH: &str = "CHANGELOG.md";
    let Some(text) = tree.text(PATH) else {
        return vec![Finding::in_file(PATH, "is missing")];
    };
    let Some(version) = version(tree.text("Cargo.toml").unwrap_or_default()) else {
        return vec![Finding::in_file("Cargo.toml", "has no workspace.package.version")];
    };
    let heading = format!("## [{version}]");
    if text.lines().any(|line| line.starts_with(&heading)) {
        return Vec::new();
    }
    vec![Finding::in_file(PATH, format!("has no section `{heading}`"))]
}

fn version(manifest: &str) -> Option<String> {
    let document = manifest.parse::<DocumentMut>().ok()?;
    let package = document.get("workspace")?.get("package")?;
    package.get("version").and_then(Item::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_version_without_its_section_fails() {
        let manifest = ("Cargo.toml", "[workspace.package]\nversion = \"0.2.0\"\n");
        let files = [manifest, ("CHANGELOG.md", "# Changelog\n\n## [0.1.0]\n")];
        assert_eq!(found(check, &files), ["CHANGELOG.md: has no section `## [0.2.0]`"]);
        let files = [manifest, ("CHANGELOG.md", "# Changelog\n\n## [0.2.0] - 2027-01-01\n")];
        assert_eq!(found(check, &files), Vec::<String>::new());
        assert_eq!(found(check, &[manifest]), ["CHANGELOG.md: is missing"]);
    }
}
