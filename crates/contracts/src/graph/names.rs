//! A few names in one piece of memory: a graph has as many lists of them as it has edges.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sorted, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(Box<str>);

/// Ends a name; no name of a program has it.
const END: char = '\0';

impl Names {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator(END)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.iter().any(|known| known == name)
    }

    /// As one text, for a file.
    pub fn as_text(&self) -> &str {
        &self.0
    }

    /// Nothing where the text is not one that [`Names::as_text`] gave.
    pub fn from_text(text: &str) -> Option<Self> {
        (text.is_empty() || text.ends_with(END)).then(|| Self(text.into()))
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<T: IntoIterator<Item = &'a str>>(names: T) -> Self {
        let mut names: Vec<&str> = names.into_iter().filter(|name| !name.contains(END)).collect();
        names.sort_unstable();
        names.dedup();
        let mut text = String::with_capacity(names.iter().map(|name| name.len() + 1).sum());
        for name in names {
            text.push_str(name);
            text.push(END);
        }
        Self(text.into())
    }
}

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        Ok(names.iter().map(String::as_str).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_survive_a_text_and_json() {
        let names: Names = ["b", "a", "*", "b", ""].into_iter().collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["", "*", "a", "b"]);
        assert!(names.contains("a") && !names.contains("c"));
        assert_eq!(Names::from_text(names.as_text()), Some(names.clone()));
        assert_eq!(Names::from_text("a"), None);
        let json = serde_json::to_string(&names).unwrap();
        assert_eq!(json, r#"["","*","a","b"]"#);
        assert_eq!(serde_json::from_str::<Names>(&json).unwrap(), names);
        assert_eq!(Names::default().iter().count(), 0);
    }
}
