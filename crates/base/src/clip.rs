//! Bounding a text, with a notice of how much was left out. Owns the wording of that notice; what the bound is,
//! and how to get the rest, is the caller's to say.

use std::fmt;

/// The beginning of a text and how many characters follow it. Displays as the beginning and a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clip<'a> {
    /// At most the asked-for number of characters, cut between two of them.
    pub text: &'a str,
    /// Characters left out; zero when the text is whole.
    pub omitted: usize,
}

/// The first `limit` characters (Unicode scalar values, not bytes) of `text`.
pub fn clip(text: &str, limit: usize) -> Clip<'_> {
    match text.char_indices().nth(limit) {
        None => Clip { text, omitted: 0 },
        Some((end, _)) => Clip { text: &text[..end], omitted: text[end..].chars().count() },
    }
}

impl Clip<'_> {
    pub fn is_cut(&self) -> bool {
        self.omitted > 0
    }
}

impl fmt::Display for Clip<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text)?;
        match self.omitted {
            0 => Ok(()),
            1 => formatter.write_str("… [1 character cut]"),
            omitted => write!(formatter, "… [{omitted} characters cut]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_within_the_limit_is_whole() {
        assert_eq!(clip("añb", 3).to_string(), "añb");
        assert!(!clip("añb", 3).is_cut());
        assert_eq!(clip("", 0).to_string(), "");
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(clip("ñandú", 1).to_string(), "ñ… [4 characters cut]");
        assert_eq!(clip("日本", 1).to_string(), "日… [1 character cut]");
        assert_eq!(clip("ab", 0).to_string(), "… [2 characters cut]");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_from_the_count(text in any::<String>(), limit in 0_usize..40) {
            let clip = clip(&text, limit);
            prop_assert!(text.starts_with(clip.text));
            prop_assert!(clip.text.chars().count() <= limit);
            prop_assert_eq!(clip.text.chars().count() + clip.omitted, text.chars().count());
            prop_assert_eq!(clip.is_cut(), clip.text.len() < text.len());
        }
    }
}
