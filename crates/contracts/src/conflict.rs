//! What a merge that nobody has resolved yet leaves in a text. One side of each conflict is read, as it would be were the
//! conflict resolved so: with both, everything that they share would be declared twice.

use crate::model::{Diagnostic, Severity};

/// A text with the first side of each conflict, each line where it was.
pub(crate) struct FirstSides {
    pub(crate) text: String,
    /// One for each conflict.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Around,
    First,
    /// What both sides come from, or the second one.
    LeftOut,
}

/// `None` for a text in which no conflict begins and ends.
pub(crate) fn first_sides(text: &str) -> Option<FirstSides> {
    let mut sides = FirstSides { text: String::with_capacity(text.len()), diagnostics: Vec::new() };
    let mut place = Place::Around;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let (words, end) = line.split_at(line.trim_end_matches(['\r', '\n']).len());
        let next = match place {
            Place::Around if is_mark(words, '<') => {
                let line = u32::try_from(at + 1).unwrap_or(u32::MAX);
                let message = "merge conflict: its first side was read".to_owned();
                sides.diagnostics.push(Diagnostic { severity: Severity::Error, message, line, column: 1 });
                Some(Place::First)
            }
            Place::First if is_mark(words, '|') || words == "=======" => Some(Place::LeftOut),
            Place::LeftOut if is_mark(words, '>') => Some(Place::Around),
            _ => None,
        };
        if next.is_none() && place != Place::LeftOut {
            sides.text.push_str(words);
        }
        sides.text.push_str(end);
        place = next.unwrap_or(place);
    }
    (place == Place::Around && !sides.diagnostics.is_empty()).then_some(sides)
}

/// `<<<<<<< HEAD`, `>>>>>>> branch`.
fn is_mark(line: &str, letter: char) -> bool {
    let rest = line.trim_start_matches(letter);
    line.len() - rest.len() == 7 && (rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_conflict_the_first_side_is_left_where_it_was() {
        let text = "a\r\n<<<<<<< HEAD\r\nb\r\n||||||| base\r\nx\r\n=======\r\nc\r\n>>>>>>> other\r\nd\r\n<<<<<<<\n=======\ne\n>>>>>>>";
        let sides = first_sides(text).unwrap();
        assert_eq!(sides.text, "a\r\n\r\nb\r\n\r\n\r\n\r\n\r\n\r\nd\r\n\n\n\n");
        assert_eq!(sides.diagnostics.iter().map(|one| one.line).collect::<Vec<_>>(), [2, 10]);
        for text in [
            "a\n",
            "<<<<<<< HEAD\na\n=======\nb\n",
            "=======\n>>>>>>> b\n",
            "<<<<<<<< HEAD\n=======\n>>>>>>> b\n",
        ] {
            assert!(first_sides(text).is_none(), "{text}");
        }
    }
}
