//! A text cut to a number of characters, at a place where a reader can stop.

/// What is left of a text, and whether something was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    pub truncated: bool,
}

/// At most `budget` characters, the mark of the cut included: at the end of a paragraph if that keeps at least half, else
/// of a word, else in its middle.
pub fn excerpt(text: &str, budget: usize) -> Excerpt {
    let text = text.trim_end();
    if text.chars().count() <= budget {
        return Excerpt { text: text.to_owned(), truncated: false };
    }
    let room = budget.saturating_sub(1);
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    let head = text.get(..end).unwrap_or_default();
    let enough = |at: &usize| *at >= end / 2 && *at > 0;
    // The break that follows right behind the room counts as well.
    let reach = text.get(..text.len().min(end + 2)).unwrap_or(head);
    let paragraph = reach.rfind("\n\n").filter(|at| *at <= end).filter(enough);
    let word = || head.rfind(char::is_whitespace).filter(enough);
    let cut = paragraph.or_else(word).unwrap_or(end);
    let mut text = head.get(..cut).unwrap_or(head).trim_end().to_owned();
    if budget > 0 {
        text.push('…');
    }
    Excerpt { text, truncated: true }
}
