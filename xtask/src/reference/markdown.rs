//! The few forms of Markdown that the reference pages are made of. Each block ends with an empty line.

/// `text` in backticks, also when it has backticks of its own.
pub(super) fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

pub(super) fn heading(level: usize, title: &str) -> String {
    format!("{} {title}\n\n", "#".repeat(level))
}

pub(super) fn paragraph(text: &str) -> String {
    format!("{}\n\n", text.trim_end())
}

pub(super) fn fence(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n\n", text.trim_end())
}

/// A table; columns that are empty in every row are left out, and without rows there is no table.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let used: Vec<usize> =
        (0..head.len()).filter(|column| rows.iter().any(|row| !row[*column].is_empty())).collect();
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut table = line(used.iter().map(|column| head[*column].to_owned()).collect());
    table.push_str(&line(used.iter().map(|_| "---".to_owned()).collect()));
    for row in rows {
        table.push_str(&line(used.iter().map(|column| cell(&row[*column])).collect()));
    }
    table.push('\n');
    table
}

/// What stands folded until a reader opens it.
pub(super) fn fold(summary: &str, body: &str) -> String {
    format!("<details>\n<summary>{summary}</summary>\n\n{}\n\n</details>\n\n", body.trim_end())
}

/// Text as a sentence: with a full stop at its end.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?', ':']) { text.to_owned() } else { format!("{text}.") }
}

fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_their_shape_whatever_the_cells_hold() {
        let rows = [vec!["`a|b`".to_owned(), String::new(), "two\nlines".to_owned()]];
        assert_eq!(table(&["A", "B", "C"], &rows), "| A | C |\n| --- | --- |\n| `a\\|b` | two lines |\n\n");
        assert_eq!(table(&["A"], &[]), "");
    }

    #[test]
    fn code_survives_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
