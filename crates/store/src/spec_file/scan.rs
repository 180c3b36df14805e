//! Where the tasks of a text stand, by the indentation of its lines alone. Only for a text that was read whole before, by
//! whatever process: what is said here of a text that is no YAML means nothing.

use std::cmp::Ordering;
use std::ops::Range;

/// Each task with its lines, in the order of the file. Nothing where lines alone do not tell: then the text is read whole.
pub(super) fn tasks(text: &str) -> Option<Vec<(String, Range<usize>)>> {
    if is_entangled(text) {
        return None;
    }
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    let mut column = None;
    let mut is_inside = false;
    let mut was_inside = false;
    for (start, line) in lines(text) {
        let content = line.trim_end();
        let indent = content.len() - content.trim_start_matches(' ').len();
        let Some(first) = content.as_bytes().get(indent) else { continue };
        match (*first, indent) {
            (b'\t', _) => return None,
            (b'#', 0) => {}
            (_, 0) => {
                is_inside = is_tasks(content);
                if is_inside && was_inside || content.starts_with("...") {
                    return None;
                }
                was_inside |= is_inside;
            }
            _ if !is_inside => {}
            (first, indent) => {
                // Of a comment that is not deeper than the tasks nobody can say to which of them it belongs.
                if first == b'#' && column.is_none_or(|column| indent <= column) {
                    continue;
                }
                match indent.cmp(column.get_or_insert(indent)) {
                    Ordering::Less => return None,
                    Ordering::Equal => {
                        let id = key(content.get(indent..)?)?;
                        found.push((id, start..start + line.len()));
                    }
                    // Deeper comments count in: they may be the text of a block.
                    Ordering::Greater => found.last_mut()?.1.end = start + line.len(),
                }
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether some node may refer to another, or a text keeps the empty lines behind it.
fn is_entangled(text: &str) -> bool {
    const MARKS: [&str; 9] = [": &", ": *", ": !", "- &", "- *", "- !", "<<:", "|+", ">+"];
    MARKS.iter().any(|mark| text.contains(mark))
}

fn is_tasks(line: &str) -> bool {
    let rest = line.strip_prefix("tasks:");
    rest.is_some_and(|rest| rest.is_empty() || rest.trim_start().starts_with('#') && rest.starts_with(' '))
}

/// A plain key, or one in quotes that need no reading.
fn key(line: &str) -> Option<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/');
    let (name, rest) = match line.chars().next()? {
        quote @ ('"' | '\'') => line.get(1..)?.split_once(quote)?,
        _ => line.split_at(line.find(|letter| !is_plain(letter))?),
    };
    let value = rest.strip_prefix(':')?;
    let is_key = value.is_empty() || value.starts_with(' ');
    let is_simple = !name.is_empty() && name.chars().all(is_plain) && !name.starts_with('-');
    (is_key && is_simple).then(|| name.to_owned())
}

/// With their breaks, and where each begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<(String, &str)>> {
        let tasks = tasks(text)?;
        Some(tasks.into_iter().map(|(id, span)| (id, &text[span])).collect())
    }

    #[test]
    fn a_task_is_its_lines() {
        let text = "project:\n  name: x\ntasks: # all\n  # one\n  T1:\n    title: a\n    description: |\n      b\n      # c\n\n  \
                    # two\n  'T2': {title: d}\n\nfeatures: {}\n";
        let told = found(text).unwrap();
        assert_eq!(
            told[0],
            ("T1".to_owned(), "  T1:\n    title: a\n    description: |\n      b\n      # c\n")
        );
        assert_eq!(told[1], ("T2".to_owned(), "  'T2': {title: d}\n"));
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn what_lines_do_not_tell_is_not_said() {
        for text in [
            "tasks: {T1: {title: a}}\n",
            "tasks:\n  T1: &one\n    title: a\n",
            "tasks:\n  ? T1\n  : title: a\n",
            "tasks:\n  \"T\\u0031\":\n    title: a\n",
            "tasks:\n    T1:\n      title: a\n  T2:\n    title: b\n",
            "tasks:\n  T1:\n    description: |+\n      a\n\n",
            "tasks:\n\tT1: a\n",
            "tasks:\n  T1:\n    title: a\n---\ntasks:\n  T2:\n    title: b\n",
            "project: {}\n",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
