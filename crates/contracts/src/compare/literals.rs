//! Of what keyword a literal is. What types are made of them is told in `types`.

use super::spelled;

/// A literal, or a keyword that stands for some.
pub(super) fn is_primitive(text: &str) -> bool {
    matches!(text, "string" | "number" | "bigint" | "symbol" | "true" | "false")
        || text.starts_with(['\'', '"', '`', '-'])
        || text.starts_with(|first: char| first.is_ascii_digit())
}

/// The type that a number is of, where a literal is one.
pub(super) fn numeric(literal: &str) -> Option<&'static str> {
    let is_number = literal.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    is_number.then(|| if literal.ends_with('n') { "bigint" } else { "number" })
}

/// A literal of a keyword.
pub(super) fn is_value_of(one: &str, other: &str) -> bool {
    match other {
        "string" => one.starts_with(['\'', '"', '`']),
        "number" | "bigint" => numeric(one) == Some(other),
        "void" => one == "undefined",
        "symbol" => one == "unique symbol",
        _ if other.starts_with('`') => spelled::fits(one, other),
        // What React shows, by the name that everybody knows it by.
        "ReactNode" | "React.ReactNode" => {
            one.starts_with(['\'', '"', '`', '-'])
                || one.starts_with(|first: char| first.is_ascii_digit())
                || matches!(one, "string" | "number" | "true" | "false" | "null" | "undefined")
                || matches!(one.trim_start_matches("React."), "ReactNode" | "ReactElement" | "JSX.Element")
        }
        _ => false,
    }
}
