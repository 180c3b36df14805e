//! The likeliest meant spelling of a mistyped name. Owns the measure and its threshold, so that settings, toolsets
//! and arguments all suggest alike.

/// Beyond this nobody mistyped a name, and the measure is quadratic.
const LONGEST_NAME: usize = 100;

/// The candidate that `word` was probably meant to be, or nothing when none is near enough to be worth proposing.
///
/// Case and the separators `-`, `_`, `.` and space are not told apart. A candidate is near when at most a third of the
/// word was mistyped (one slip is always forgiven), or when the word is the beginning of it. Of equally near
/// candidates the first given wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().take(LONGEST_NAME + 1).count();
    if length == 0 || length > LONGEST_NAME {
        return None;
    }
    let word = fold(word);
    let allowed = (length / 3).max(1);
    let distance = |candidate: &str| {
        let candidate = fold(candidate);
        let distance = strsim::damerau_levenshtein(&word, &candidate);
        let similar = distance <= allowed && distance < length;
        let abbreviated = length >= 3 && candidate.starts_with(&word);
        // An abbreviation comes after every slip that is within the threshold.
        if similar { Some(distance) } else { abbreviated.then(|| allowed + distance) }
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn fold(name: &str) -> String {
    name.chars()
        .map(|character| if matches!(character, '-' | '_' | '.' | ' ') { '_' } else { character })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 5] = ["read_only", "log-level", "toolsets", "tools", "understand"];

    fn meant(word: &str) -> Option<&'static str> {
        nearest(word, KEYS)
    }

    #[test]
    fn slips_are_forgiven() {
        assert_eq!(meant("raed_only"), Some("read_only"));
        assert_eq!(meant("READ-ONLY"), Some("read_only"));
        assert_eq!(meant("loglevel"), Some("log-level"));
        assert_eq!(meant("log_levle"), Some("log-level"));
        assert_eq!(meant("tolsets"), Some("toolsets"));
        assert_eq!(meant("tool"), Some("tools"));
    }

    #[test]
    fn a_beginning_is_completed() {
        assert_eq!(meant("under"), Some("understand"));
        assert_eq!(meant("un"), None);
    }

    #[test]
    fn what_is_far_is_not_proposed() {
        assert_eq!(meant("database"), None);
        assert_eq!(meant(""), None);
        assert_eq!(meant("x"), None);
        assert_eq!(meant(&"tools".repeat(1_000_000)), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("tools", []), None);
    }

    #[test]
    fn the_first_of_equals_wins() {
        assert_eq!(nearest("cat", ["bat", "hat"]), Some("bat"));
        assert_eq!(nearest("cat", ["hat", "bat"]), Some("hat"));
    }
}
