//! Holds the lints: a crate that forgets `[lints] workspace = true` is checked by none of them.

use super::Finding;
use crate::manifest;
use crate::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let members = manifest::members(tree);
    let careless = members.iter().filter(|member| !member.inherits_lints);
    careless.map(|member| Finding::in_file(&member.path, "add `[lints]` with `workspace = true`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_crate_without_the_lints_fails() {
        let files = [
            ("crates/git/Cargo.toml", "[package]\nname = \"becket-git\"\n[lints]\nworkspace = true\n"),
            (
                "crates/web/Cargo.toml",
                "[package]\nname = \"becket-web\"\n[lints.rust]\nunsafe_code = \"allow\"\n",
            ),
        ];
        assert_eq!(found(check, &files), ["crates/web/Cargo.toml: add `[lints]` with `workspace = true`"]);
    }
}
