//! Holds the environment page: a variable that it does not list is one that nobody can know of.

use super::Finding;
use crate::tokens;
use crate::tree::Tree;

const PREFIX: &str = "BECKET_";
const PAGE: &str = "docs/reference/environment.md";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let page = tree.text(PAGE).unwrap_or_default();
    let mut findings = Vec::new();
    for file in tree.shipped_rust() {
        for literal in tokens::strings(file.shipped_tokens()) {
            let is_variable = literal.name.strip_prefix(PREFIX).is_some_and(|rest| !rest.is_empty())
                && literal
                    .name
                    .chars()
                    .all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_');
            if is_variable && !page.contains(&format!("`{}`", literal.name)) {
                let message =
                    format!("`{}` is not in {PAGE}: make it a setting or a root variable", literal.name);
                findings.push(Finding::at(&file.path, literal.line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn an_unlisted_variable_fails() {
        let source =
            "fn f() { get(\"BECKET_KNOWN\"); get(\"BECKET_SECRET_SWITCH\"); say(\"BECKET_ALL is set\"); }
#[cfg(test)] mod tests { fn g() { get(\"BECKET_FULL\"); } }";
        let page = "| `BECKET_KNOWN` | Known. |\n| `BECKET_SECRET_SWITCH_TWO` | Another. |\n";
        assert_eq!(
            found(check, &[("crates/a/src/lib.rs", source), (PAGE, page)]),
            [
                "crates/a/src/lib.rs:1: `BECKET_SECRET_SWITCH` is not in docs/reference/environment.md: make it a setting or a \
              root variable"
            ]
        );
    }
}
