//! Printed text taken apart where no bracket and no quote is open.

/// The first group in these brackets that is not inside `<…>`.
pub(crate) fn group(text: &str, open: char, close: char) -> Option<(usize, usize)> {
    let mut angle = 0_usize;
    let mut depth = 0_usize;
    let mut start = None;
    let mut quote = None;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        if let Some(end) = quote {
            if letter == end {
                quote = None;
            }
            continue;
        }
        match letter {
            '\'' | '"' | '`' => quote = Some(letter),
            '<' if start.is_none() => angle += 1,
            '>' if start.is_none() && previous != '=' => angle = angle.saturating_sub(1),
            _ if letter == open && angle == 0 => {
                start = start.or(Some(at));
                depth += 1;
            }
            _ if letter == close && start.is_some() => {
                depth -= 1;
                if depth == 0 {
                    return start.map(|start| (start, at));
                }
            }
            _ => {}
        }
        previous = letter;
    }
    None
}

/// The braces that a class or an interface ends with: those before them are a part of what it extends.
pub(crate) fn body(text: &str) -> Option<(usize, usize)> {
    let mut found = None;
    let mut from = 0;
    while let Some((start, end)) = text.get(from..).and_then(|rest| group(rest, '{', '}')) {
        found = Some((from + start, from + end));
        from += end + 1;
    }
    // One that has no members may end with what a call is given.
    found.filter(|(_, end)| !text[end + 1..].trim_start().starts_with([')', ',', ']']))
}

/// What a class or an interface says that it extends and implements, which is named there and not told.
pub(crate) fn heritage(text: &str) -> std::ops::Range<usize> {
    let end = body(text).map_or(text.len(), |(start, _)| start);
    let head = &text[..end];
    let mut open = 0_usize;
    let mut previous = ' ';
    for (at, letter) in head.char_indices() {
        match letter {
            '<' => open += 1,
            '>' if previous != '=' => open = open.saturating_sub(1),
            ' ' if open == 0
                && [" extends ", " implements "].iter().any(|word| head[at..].starts_with(word)) =>
            {
                return at..end;
            }
            _ => {}
        }
        previous = letter;
    }
    end..end
}

/// Where a list in `<…>` ends, of which the beginning is left out.
pub(crate) fn end_of_list(list: &str) -> Option<usize> {
    let mut depth = 1_usize;
    let mut previous = ' ';
    for (at, letter) in list.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if previous != '=' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        previous = letter;
    }
    None
}

/// What stands in these brackets, where they are around the whole text.
pub(crate) fn inside(text: &str, open: char, close: char) -> Option<&str> {
    let (start, end) = group(text, open, close)?;
    text.get(start + 1..end).filter(|_| start == 0 && end + 1 == text.len())
}

/// At the separators that are in no bracket and no quote; empty parts left out.
pub(crate) fn split(text: &str, separators: &[char]) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0_i32;
    let mut quote = None;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(end), _) if letter == end => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '<' | '>') if is_shift(text, at) => {}
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, '>') if previous == '=' => {}
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, _) if depth == 0 && separators.contains(&letter) => {
                found.push(String::new());
                previous = letter;
                continue;
            }
            _ => {}
        }
        if let Some(last) = found.last_mut() {
            last.push(letter);
        }
        previous = letter;
    }
    found.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Whether a mark is a part of `1 << 2`, and no bracket.
fn is_shift(text: &str, at: usize) -> bool {
    let around = |from: Option<usize>| from.and_then(|from| text.get(from..from + 4));
    let is_one = |text: Option<&str>| matches!(text, Some(" << " | " >> "));
    is_one(around(at.checked_sub(1))) || is_one(around(at.checked_sub(2)))
}
