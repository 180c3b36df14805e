//! Holds the sizes: what is longer than this is not read to its end.

use super::Finding;
use crate::tree::{File, Tree, has_extension};

/// The most lines of any Rust file.
const RUST: usize = 800;

/// The most lines of single files.
const FILES: &[(&str, usize)] =
    &[("crates/cli/src/main.rs", 30), ("ARCHITECTURE.md", 300), ("AGENTS.md", 100)];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files()
        .filter_map(|File { path, text, .. }| {
            let own = FILES.iter().find(|(file, _)| *file == path).map(|(_, limit)| *limit);
            let limit = own.or(has_extension(path, "rs").then_some(RUST))?;
            let lines = text.lines().count();
            (lines > limit)
                .then(|| Finding::in_file(path, format!("{lines} lines, at most {limit}: split it")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn long_files_fail() {
        let rust = "\n".repeat(801);
        let main = "\n".repeat(31);
        let files =
            [("crates/a/src/b.rs", rust.as_str()), ("crates/cli/src/main.rs", &main), ("docs/a.md", &rust)];
        assert_eq!(
            found(check, &files),
            [
                "crates/a/src/b.rs: 801 lines, at most 800: split it",
                "crates/cli/src/main.rs: 31 lines, at most 30: split it"
            ]
        );
    }

    #[test]
    fn the_limit_itself_passes() {
        assert_eq!(found(check, &[("crates/a/src/b.rs", &"\n".repeat(800))]), Vec::<String>::new());
    }
}
