//! Holds "an answer satisfies its own schema": what is left out of an answer must not be asked for by its schema.
//!
//! The schema generator asks for every field that has no default and is no `Option`, whatever serde leaves out.

use super::Finding;
use crate::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.shipped_rust()
        .filter(|file| file.text.contains("JsonSchema"))
        .flat_map(|file| {
            // A default of the whole type counts for its fields.
            let whole = file.text.contains("default)]\npub struct");
            let lines = file.text.lines().enumerate();
            lines
                .filter(move |(_, line)| {
                    line.contains("skip_serializing_if") && !line.contains("Option::is_none") && !whole
                })
                .filter(|(_, line)| !line.contains("default"))
                .map(|(index, _)| {
                    Finding::at(&file.path, index + 1, "left out, yet asked for: add `default`")
                })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_list_that_may_be_missing_needs_a_default() {
        let text = "#[derive(JsonSchema)]\nstruct A {\n\
                    #[serde(skip_serializing_if = \"Option::is_none\")]\na: Option<u8>,\n\
                    #[serde(default, skip_serializing_if = \"Vec::is_empty\")]\nb: Vec<u8>,\n\
                    #[serde(skip_serializing_if = \"Vec::is_empty\")]\nc: Vec<u8>,\n}\n";
        assert_eq!(
            found(check, &[("crates/a/src/b.rs", text)]),
            ["crates/a/src/b.rs:7: left out, yet asked for: add `default`"]
        );
    }
}
