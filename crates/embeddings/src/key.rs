//! The key of the provider: goes into one header, and nowhere else.

use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// So much of a key is already a hint to the rest.
const TELLING: usize = 6;

impl ApiKey {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether a text of the provider repeats the key, or a telling part of it.
    pub(crate) fn is_told_by(&self, text: &str) -> bool {
        let key = self.0.as_bytes();
        if key.len() < TELLING {
            return !key.is_empty() && text.contains(&self.0);
        }
        let told = |part: &[u8]| text.as_bytes().windows(TELLING).any(|window| window == part);
        key.windows(TELLING).any(told)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_key_counts_as_the_key() {
        let key = ApiKey::new("sk-abcdefghijkl");
        assert!(key.is_told_by("Incorrect key: sk-abcd***jkl"));
        assert!(key.is_told_by("sk-abcdefghijkl"));
        assert!(!key.is_told_by("the model does not exist"));
        assert!(ApiKey::new("abc").is_told_by("no abc here"));
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
    }
}
