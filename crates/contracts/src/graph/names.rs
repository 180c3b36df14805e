//! A few names in one piece of memory: a graph has as many lists of them as it has edges.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sorted, each once. The text may be that of many lists.
#[derive(Debug, Clone, Default)]
pub struct Names {
    text: Arc<str>,
    /// Where they begin and end in it.
    here: (u32, u32),
    /// Whether `*` is among them: it is asked for at every step through a graph.
    has_all: bool,
}

/// Ends a name; no name of a program has it.
const END: char = '\0';

impl Names {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.as_text().split_terminator(END)
    }

    pub fn is_empty(&self) -> bool {
        self.here.0 == self.here.1
    }

    /// Whether `*` is among them.
    pub fn has_all(&self) -> bool {
        self.has_all
    }

    pub fn contains(&self, name: &str) -> bool {
        self.iter().take_while(|known| *known <= name).any(|known| known == name)
    }

    /// As one text, for a file.
    pub fn as_text(&self) -> &str {
        &self.text[self.here.0 as usize..self.here.1 as usize]
    }

    /// Writes a list at the end of a text, and tells where it stands there. The names are gone then.
    pub(super) fn write(text: &mut String, names: &mut Vec<&str>) -> Range<usize> {
        let start = text.len();
        names.retain(|name| !name.contains(END));
        names.sort_unstable();
        names.dedup();
        for name in names.drain(..) {
            text.push_str(name);
            text.push(END);
        }
        start..text.len()
    }

    /// Nothing where that part of the text is not one that [`Names::as_text`] gave.
    pub fn from_text(text: &Arc<str>, here: Range<usize>) -> Option<Self> {
        let whole = text.get(here.clone())?.as_bytes();
        whole.last().is_none_or(|last| *last == END as u8).then_some(())?;
        let here = (u32::try_from(here.start).ok()?, u32::try_from(here.end).ok()?);
        let mut names = Self { text: Arc::clone(text), here, has_all: false };
        // Few names come before it, so that one look at the first tells of nearly every list.
        names.has_all = match whole {
            [b'*', 0, ..] => true,
            [first, ..] => *first < b'*' && names.contains("*"),
            [] => false,
        };
        Some(names)
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.as_text() == other.as_text()
    }
}

impl Eq for Names {}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<T: IntoIterator<Item = &'a str>>(names: T) -> Self {
        let mut text = String::new();
        let here = Self::write(&mut text, &mut names.into_iter().collect());
        Self::from_text(&text.into(), here).unwrap_or_default()
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
        assert!(names.contains("a") && !names.contains("c") && names.has_all());
        let text: Arc<str> = format!("b\0{}c", names.as_text()).into();
        let end = 2 + names.as_text().len();
        assert_eq!(Names::from_text(&text, 2..end), Some(names.clone()));
        assert_eq!(Names::from_text(&text, 2..2), Some(Names::default()));
        assert_eq!(Names::from_text(&text, 2..end + 1), None, "a name without an end");
        assert_eq!(Names::from_text(&text, 2..end + 9), None);
        let json = serde_json::to_string(&names).unwrap();
        assert_eq!(json, r#"["","*","a","b"]"#);
        assert_eq!(serde_json::from_str::<Names>(&json).unwrap(), names);
        assert_eq!(Names::default().iter().count(), 0);
        for (names, has_all) in
            [("*", true), ("$ *", true), ("* a", true), ("*a", false), ("$ a", false), ("a", false)]
        {
            assert_eq!(names.split(' ').collect::<Names>().has_all(), has_all, "{names}");
        }
    }
}
