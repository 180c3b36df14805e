//! Words of a text and the words inside its identifiers: `parseHTTPResponse` is also `parse`, `http` and `response`.

/// Calls `take` with every word, in lower case. An identifier of several words is given whole and in its parts.
pub(crate) fn words(text: &str, mut take: impl FnMut(&str)) {
    let mut lower = String::new();
    for run in text.split(|one: char| !(one.is_alphanumeric() || one == '_')) {
        if run.is_empty() {
            continue;
        }
        lower.clear();
        lower.extend(run.chars().flat_map(char::to_lowercase));
        let whole = lower.trim_matches('_');
        if whole.is_empty() {
            continue;
        }
        let mut parts = Parts::new(run);
        let first = parts.next();
        let several = parts.next().is_some();
        if several || first.is_none() {
            take(whole);
        }
        for part in Parts::new(run) {
            lower.clear();
            lower.extend(part.chars().flat_map(char::to_lowercase));
            take(stem(&lower));
        }
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
    if !word.is_ascii() || length < 4 {
        return word;
    }
    for (ending, least) in [("ies", 5), ("ing", 6), ("ed", 6), ("es", 6), ("s", 4), ("e", 5), ("y", 5)] {
        if let Some(stem) = word.strip_suffix(ending) {
            let plural_only = ending == "s" && stem.ends_with(['s', 'u', 'i']);
            if length >= least && !plural_only {
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
        fn any_text_has_words(text in any::<String>()) {
            words(&text, |word| assert!(!word.is_empty()));
        }
    }
}
