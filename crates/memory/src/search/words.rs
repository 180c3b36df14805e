//! Words of a text and the words inside its identifiers: `parseHTTPResponse` is also `parse`, `http` and `response`.

/// Calls `take` with every word, in lower case. An identifier of several words is given whole and in its parts.
pub(crate) fn words(text: &str, mut take: impl FnMut(&str)) {
    let mut lower = String::new();
    let bytes = text.as_bytes();
    let mut position = 0;
    // Byte by byte: entries are mostly ASCII, and what is not is looked at more closely below.
    while position < bytes.len() {
        let start = position;
        let mut plain = true;
        while position < bytes.len() && is_word_byte(bytes[position]) {
            plain &= bytes[position].is_ascii_lowercase();
            position += 1;
        }
        if start == position {
            position += 1;
            continue;
        }
        let run = &text[start..position];
        if plain {
            take(stem(run));
        } else if run.is_ascii() {
            identifier(run, &mut lower, &mut take);
        } else {
            for run in run.split(|one: char| !(one.is_alphanumeric() || one == '_')) {
                any_script(run, &mut lower, &mut take);
            }
        }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// An ASCII run that is not plain: capitals, digits or underscores are in it.
fn identifier(run: &str, lower: &mut String, take: &mut impl FnMut(&str)) {
    lower.clear();
    lower.push_str(run);
    lower.make_ascii_lowercase();
    let whole = lower.trim_matches('_');
    if whole.is_empty() {
        return;
    }
    let bytes = run.as_bytes();
    let character = |place: usize| bytes.get(place).map(|byte| char::from(*byte));
    let is_cut = |place: usize| {
        bytes[place - 1] == b'_'
            || is_boundary(char::from(bytes[place - 1]), char::from(bytes[place]), character(place + 1))
    };
    let mut start = 0;
    let mut parts = 0;
    for end in 1..=bytes.len() {
        if end < bytes.len() && !is_cut(end) {
            continue;
        }
        let part = lower[start..end].trim_matches('_');
        start = end;
        if part.is_empty() {
            continue;
        }
        // Whether there are several is known once the first does not reach the end.
        if parts == 0 && part.len() < whole.len() {
            take(whole);
        }
        parts += 1;
        take(stem(part));
    }
}

fn any_script(run: &str, lower: &mut String, take: &mut impl FnMut(&str)) {
    lower.clear();
    lower.extend(run.chars().flat_map(char::to_lowercase));
    let whole = lower.trim_matches('_');
    if whole.is_empty() {
        return;
    }
    if Parts::new(run).nth(1).is_some() {
        take(whole);
    }
    for part in Parts::new(run) {
        lower.clear();
        lower.extend(part.chars().flat_map(char::to_lowercase));
        take(stem(lower));
    }
}

/// The pieces of an identifier: at underscores, at changes of case and between letters and digits; a script that is
/// written without spaces is cut at every character.
#[derive(Debug)]
struct Parts<'a> {
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn new(run: &'a str) -> Self {
        Self { rest: run }
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start_matches('_');
        let mut characters = self.rest.char_indices().peekable();
        let (_, mut before) = characters.next()?;
        let mut end = self.rest.len();
        while let Some((offset, one)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            if is_boundary(before, one, next) {
                end = offset;
                break;
            }
            before = one;
        }
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(part)
    }
}

fn is_boundary(before: char, one: char, next: Option<char>) -> bool {
    one == '_'
        || (before.is_lowercase() && one.is_uppercase())
        || (before.is_numeric() != one.is_numeric())
        // `HTTPResponse`: the last capital belongs to the word that follows it.
        || (before.is_uppercase() && one.is_uppercase() && next.is_some_and(char::is_lowercase))
        || is_ideograph(before)
        || is_ideograph(one)
}

fn is_ideograph(one: char) -> bool {
    matches!(u32::from(one), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// English endings that hide a word from its other forms. Deliberately little: what it joins wrongly costs rank, what it
/// misses only costs a synonym.
fn stem(word: &str) -> &str {
    let length = word.len();
    // Most words end in none of these letters, and every word of every entry comes by here.
    let endings: &[(&str, usize)] = match word.as_bytes().last() {
        Some(b's') => &[("ies", 5), ("es", 6), ("s", 4)],
        Some(b'g') => &[("ing", 6)],
        Some(b'd') => &[("ed", 6)],
        Some(b'e') => &[("e", 5)],
        Some(b'y') => &[("y", 5)],
        _ => return word,
    };
    if length < 4 || !word.is_ascii() {
        return word;
    }
    for (ending, least) in endings {
        if let Some(stem) = word.strip_suffix(ending) {
            let plural_only = *ending == "s" && stem.ends_with(['s', 'u', 'i']);
            if length >= *least && !plural_only {
                return stem;
            }
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        words(text, |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn identifiers_give_their_parts() {
        assert_eq!(of("parseHTTPResponse"), ["parsehttpresponse", "pars", "http", "respons"]);
        assert_eq!(of("max_retry_count2"), ["max_retry_count2", "max", "retr", "count", "2"]);
        assert_eq!(of("http response"), ["http", "respons"]);
        assert_eq!(of("__init__"), ["init"]);
        assert_eq!(of("_ - !"), Vec::<String>::new());
        assert_eq!(of("Ärger straßeName"), ["ärger", "straßename", "straße", "name"]);
        assert_eq!(of("数据库"), ["数据库", "数", "据", "库"]);
    }

    #[test]
    fn forms_of_a_word_meet() {
        for (one, other) in [
            ("retries", "retry"),
            ("caches", "cache"),
            ("caching", "cached"),
            ("tests", "test"),
            ("rejected", "reject"),
            ("responses", "response"),
        ] {
            assert_eq!(of(one), of(other));
        }
        assert_eq!(of("class status is bus"), ["class", "status", "is", "bus"]);
    }

    proptest! {
        #[test]
        fn the_quick_way_and_the_general_one_agree(run in "[a-zA-Z0-9_]{1,12}") {
            let (mut quick, mut general) = (Vec::new(), Vec::new());
            let mut lower = String::new();
            words(&run, |word| quick.push(word.to_owned()));
            any_script(&run, &mut lower, &mut |word: &str| general.push(word.to_owned()));
            prop_assert_eq!(quick, general);
        }

        #[test]
        fn any_text_has_words(text in any::<String>()) {
            words(&text, |word| assert!(!word.is_empty()));
        }
    }
}
