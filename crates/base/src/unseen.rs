//! Characters that a reader does not see, and that may hide or reorder what he does see.

/// Marks that turn the direction of writing, separate lines or show nothing. Not among them is what holds emoji and some
/// scripts together: the joiners, and the variation selectors that every emoji may have.
pub fn is_unseen(one: char) -> bool {
    turns_direction(one)
        || matches!(one,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        // Tags, and the selectors of rare forms of ideographs, in which a whole text can hide.
        | '\u{e0000}'..='\u{e0fff}')
}

/// Of these, those that turn the direction of writing: what is read is in another order than what is written.
pub fn turns_direction(one: char) -> bool {
    matches!(one, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_or_hides_a_text_is_unseen() {
        let turns =
            ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').chain("\u{61c}\u{200e}\u{200f}".chars());
        let hides = "\u{200b}\u{feff}\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{ad}\u{3164}\u{2028}".chars();
        assert!(turns.clone().all(turns_direction));
        assert!(!hides.clone().any(turns_direction));
        for one in turns.chain('\u{2060}'..='\u{2064}').chain(hides) {
            assert!(is_unseen(one), "{:04X}", u32::from(one));
        }
        for one in "aé\u{301}ש漢 \u{a0}\u{200c}\u{200d}\u{fe0e}\u{fe0f}👩‍🚀".chars() {
            assert!(!is_unseen(one), "{:04X}", u32::from(one));
        }
    }
}
