//! Texts divided at one byte of ASCII: paths at `/`, names at `.`. Asked so often, and of texts so short, that the searchers
//! of the standard library, which are ready for any pattern, take several times as long as what they look for.

/// What stands behind the last such byte; all of it where there is none.
#[inline]
pub fn after_last(text: &str, mark: u8) -> &str {
    around_last(text, mark).map_or(text, |(_, after)| after)
}

/// What stands before the first such byte; all of it where there is none.
#[inline]
pub fn before_first(text: &str, mark: u8) -> &str {
    around_first(text, mark).map_or(text, |(before, _)| before)
}

/// What stands before and behind the last such byte.
#[inline]
pub fn around_last(text: &str, mark: u8) -> Option<(&str, &str)> {
    around(text, text.bytes().rposition(|byte| byte == mark)?)
}

/// What stands before and behind the first such byte.
#[inline]
pub fn around_first(text: &str, mark: u8) -> Option<(&str, &str)> {
    around(text, text.bytes().position(|byte| byte == mark)?)
}

/// Whether there is such a byte.
#[inline]
pub fn has(text: &str, mark: u8) -> bool {
    text.bytes().any(|byte| byte == mark)
}

fn around(text: &str, at: usize) -> Option<(&str, &str)> {
    Some((text.get(..at)?, text.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_the_searchers_find() {
        for text in ["", "a", ".", "a.", ".a", "a.b", "a.b.c", "..", "grün.ö", "a/b.c"] {
            assert_eq!(around_last(text, b'.'), text.rsplit_once('.'), "{text}");
            assert_eq!(around_first(text, b'.'), text.split_once('.'), "{text}");
            assert_eq!(Some(after_last(text, b'.')), text.rsplit('.').next(), "{text}");
            assert_eq!(Some(before_first(text, b'.')), text.split('.').next(), "{text}");
            assert_eq!(has(text, b'.'), text.contains('.'), "{text}");
        }
    }
}
