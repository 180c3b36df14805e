//! Holds the five recipes of CONTRIBUTING.md: a file in a table folder without a row in its table is dead code.

use std::collections::BTreeSet;

use super::Finding;
use crate::tokens;
use crate::tree::Tree;

/// A folder of which every module stands in a table.
struct TableFolder {
    folder: &'static str,
    /// The file with the table, and the constant, static, enum or called macro that is the table.
    file: &'static str,
    table: &'static str,
    /// Modules that are not rows.
    beside: &'static [&'static str],
}

const FOLDERS: &[TableFolder] = &[
    TableFolder {
        folder: "crates/cli/src/commands",
        file: "crates/cli/src/commands/mod.rs",
        table: "commands",
        beside: &[],
    },
    TableFolder {
        folder: "crates/commits/src/signals",
        file: "crates/commits/src/signals/mod.rs",
        table: "SIGNALS",
        beside: &[],
    },
    TableFolder {
        folder: "crates/mcp/src/prompts",
        file: "crates/mcp/src/prompts/mod.rs",
        table: "PROMPTS",
        beside: &[],
    },
    TableFolder {
        folder: "crates/mcp/src/resources",
        file: "crates/mcp/src/resources/mod.rs",
        table: "RESOURCES",
        beside: &[],
    },
    TableFolder {
        folder: "crates/mcp/src/tools",
        file: "crates/mcp/src/tools/mod.rs",
        table: "TOOLS",
        beside: &[],
    },
    TableFolder { folder: "xtask/src/tidy", file: "xtask/src/tidy/mod.rs", table: "CHECKS", beside: &[] },
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    FOLDERS.iter().flat_map(|folder| check_folder(tree, folder)).collect()
}

fn check_folder(tree: &Tree, row: &TableFolder) -> Vec<Finding> {
    let Some(file) = tree.file(row.file) else {
        return vec![Finding::in_file(row.file, format!("is missing: correct its row in {}", file!()))];
    };
    let Some(words) = tokens::words_of_item(file.tokens(), row.table) else {
        return vec![Finding::in_file(
            row.file,
            format!("has no `{}`: correct its row in {}", row.table, file!()),
        )];
    };
    let modules = modules(tree, row.folder);
    let mut findings = Vec::new();
    for module in modules.iter().filter(|module| !row.beside.contains(module)) {
        if !words.iter().any(|word| word == module) {
            let message = format!("`{}` has no row for `{module}`", row.table);
            findings.push(Finding::in_file(row.file, message));
        }
    }
    for gone in row.beside.iter().filter(|beside| !modules.contains(**beside)) {
        let message = format!("`{gone}` is gone: take it out of its row in {}", file!());
        findings.push(Finding::in_file(row.file, message));
    }
    findings
}

/// The modules of a folder: `name.rs` and `name/…`.
fn modules<'tree>(tree: &'tree Tree, folder: &str) -> BTreeSet<&'tree str> {
    tree.rust()
        .filter_map(|file| file.path.strip_prefix(folder)?.strip_prefix('/'))
        .map(|rest| rest.split('/').next().unwrap_or(rest))
        .map(|entry| entry.strip_suffix(".rs").unwrap_or(entry))
        .filter(|module| *module != "mod")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: TableFolder =
        TableFolder { folder: "f/tools", file: "f/tools/mod.rs", table: "TOOLS", beside: &["shape"] };

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check_folder(&Tree::of(files), &ROW).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_table_may_be_a_macro() {
        let row = |table: &str| format!("mod a; macro_rules! TOOLS {{ (a) => {{}} }} TOOLS! {{ {table} }}");
        let found = |table: &str| {
            found(&[("f/tools/mod.rs", &row(table)), ("f/tools/a.rs", ""), ("f/tools/shape.rs", "")])
        };
        assert_eq!(found("\"what\" A(a::Tool),"), Vec::<String>::new());
        assert_eq!(found("").len(), 1);
    }

    #[test]
    fn a_file_or_folder_without_a_row_fails() {
        let table = "mod a; mod b; mod c; const TOOLS: &[T] = &[T::of::<a::Tool>()]; use b::X;";
        let files = [
            ("f/tools/mod.rs", table),
            ("f/tools/a.rs", ""),
            ("f/tools/b.rs", ""),
            ("f/tools/c/deep.rs", ""),
            ("f/tools/shape.rs", ""),
        ];
        assert_eq!(
            found(&files),
            ["f/tools/mod.rs: `TOOLS` has no row for `b`", "f/tools/mod.rs: `TOOLS` has no row for `c`"]
        );
    }

    #[test]
    fn a_stale_row_of_this_check_fails() {
        assert!(found(&[])[0].starts_with("f/tools/mod.rs: is missing"));
        assert!(found(&[("f/tools/mod.rs", "")])[0].starts_with("f/tools/mod.rs: has no `TOOLS`"));
        let gone = found(&[("f/tools/mod.rs", "enum TOOLS {}")]);
        assert!(gone[0].starts_with("f/tools/mod.rs: `shape` is gone"), "{gone:?}");
    }
}
