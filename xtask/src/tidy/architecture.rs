//! Holds ARCHITECTURE.md to the tree: a crate that it does not describe is one that nobody finds.

use super::Finding;
use crate::manifest;
use crate::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    const PATH: &str = "ARCHITECTURE.md";
    let Some(text) = tree.text(PATH) else {
        return vec![Finding::in_file(PATH, "is missing")];
    };
    let members = manifest::members(tree);
    let described = |folder: &str| text.lines().any(|line| line.starts_with(&format!("### `{folder}`")));
    let missing = members.iter().filter(|member| !described(&member.folder));
    missing.map(|member| Finding::in_file(PATH, format!("has no section ### `{}`", member.folder))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn an_undescribed_crate_fails() {
        let manifest = ("crates/store/Cargo.toml", "[package]\nname = \"becket-store\"\n");
        let found_in = |text| found(check, &[("ARCHITECTURE.md", text), manifest]);
        assert_eq!(found_in("# Architecture\n\nThe `store` is in words only.\n").len(), 1);
        assert_eq!(found_in("### `store`\n"), Vec::<String>::new());
        assert_eq!(found(check, &[manifest]), ["ARCHITECTURE.md: is missing"]);
    }
}
