//! Holds "a module is the noun it defines": a name that fits anything collects everything.

use super::Finding;
use crate::tokens;
use crate::tree::Tree;

const REFUSED: &[&str] = &["core", "common", "shared", "util", "utils", "helper", "helpers", "misc"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let path = file.path.as_str();
        let parts = path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
        findings.extend(
            parts.filter(|part| REFUSED.contains(part)).map(|part| Finding::in_file(path, refusal(part))),
        );
        let declared = tokens::declared(file.tokens(), "mod");
        let refused = declared.iter().filter(|module| REFUSED.contains(&module.name.as_str()));
        findings.extend(refused.map(|module| Finding::at(path, module.line, refusal(&module.name))));
    }
    findings
}

fn refusal(name: &str) -> String {
    format!("`{name}` says nothing: name what it defines")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn empty_names_fail_as_file_folder_and_module() {
        let files = [
            ("crates/a/src/lib.rs", "mod id;\nmod inner { mod helpers {} }\n"),
            ("crates/core/src/lib.rs", ""),
            ("crates/a/tests/common/mod.rs", ""),
            ("crates/a/src/encoder.rs", "use crate::score;"),
        ];
        assert_eq!(
            found(check, &files),
            [
                "crates/a/src/lib.rs:2: `helpers` says nothing: name what it defines",
                "crates/a/tests/common/mod.rs: `common` says nothing: name what it defines",
                "crates/core/src/lib.rs: `core` says nothing: name what it defines",
            ]
        );
    }
}
