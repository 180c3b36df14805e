//! Holds "never skipped silently": a test that needs something gets it from the test command.

use super::Finding;
use crate::tokens;
use crate::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .flat_map(|file| {
            let lines = tokens::attributes(file.tokens(), "ignore");
            lines.into_iter().map(move |line| Finding::at(&file.path, line, "an ignored test proves nothing"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn an_ignored_test_fails() {
        let text = "// #[ignore]\n#[test]\n#[ignore = \"needs a database\"]\nfn a() {}\n";
        assert_eq!(
            found(check, &[("crates/a/src/b.rs", text)]),
            ["crates/a/src/b.rs:3: an ignored test proves nothing"]
        );
    }
}
