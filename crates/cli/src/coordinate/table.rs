//! Columns for a person.

use unicode_width::UnicodeWidthStr;

use crate::ui::visible;

/// Rows under a heading, each column as wide on a terminal as its widest cell; the last one is not filled up.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| shown(cell)).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain(heading.get(column).map(|cell| cell.width())).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width()))))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&mut heading.iter().copied())];
    lines.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    lines.join("\n")
}

/// On one line, and with nothing in it that a terminal would obey.
fn shown(cell: &str) -> String {
    visible(&cell.split(['\n', '\t', '\r']).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["T1".to_owned(), "done".to_owned()], vec!["T100".to_owned(), "x".to_owned()]];
        assert_eq!(table(&["ID", "STATUS"], &rows), "ID    STATUS\nT1    done\nT100  x");
    }

    #[test]
    fn columns_line_up_on_a_terminal() {
        let row = |id: &str, title: &str| vec![id.to_owned(), title.to_owned()];
        let rows = [row("登录", "wide"), row("e\u{301}tat", "marks"), row("a", "two\nlines\u{1b}[2J")];
        assert_eq!(
            table(&["ID", "TITLE"], &rows),
            "ID    TITLE\n登录  wide\ne\u{301}tat  marks\na     two lines<U+001B>[2J"
        );
    }
}
