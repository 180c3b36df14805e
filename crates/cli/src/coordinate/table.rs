//! Columns for a person.

/// Rows under a heading, each column as wide as its widest cell; the last one is not filled up.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(heading.get(column).map(|cell| cell.chars().count())).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> =
            cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}", width = *width)).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&mut heading.iter().copied())];
    lines.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["T1".to_owned(), "done".to_owned()], vec!["T100".to_owned(), "x".to_owned()]];
        assert_eq!(table(&["ID", "STATUS"], &rows), "ID    STATUS\nT1    done\nT100  x");
    }
}
