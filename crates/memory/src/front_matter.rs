//! What an entry says about itself beyond the seed: a block of `key: value` lines between two `---` lines, a small and
//! strict part of YAML. Owns the five keys that becket knows; other keys are somebody else's and stay as they are.

use crate::entry::split_lines;

/// The keys that becket reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    pub supersedes: Vec<u64>,
    pub relates: Vec<u64>,
    pub task: Option<String>,
    pub author: Option<String>,
    pub anchors: Vec<String>,
}

/// Metadata for a key that the text already has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is given both in the text's front matter and beside it")]
pub struct GivenTwice {
    pub key: &'static str,
}

const FENCE: &str = "---";
/// A block that is not closed within this many lines is a thematic break and prose, not front matter.
const LONGEST_BLOCK: usize = 200;

impl FrontMatter {
    /// The front matter of a text and what follows it; nothing if the text does not begin with one.
    pub fn split(text: &str) -> Option<(Self, &str)> {
        let (block, body) = block(text)?;
        Some((Self::read(block), body))
    }

    fn read(block: &str) -> Self {
        let mut front = Self::default();
        let mut open_key = String::new();
        for line in split_lines(block) {
            if let Some(item) = line.trim_start().strip_prefix("- ") {
                front.add(&open_key, &scalar(item));
            } else if let Some((key, value)) =
                line.split_once(':').filter(|_| !line.starts_with([' ', '\t', '#']))
            {
                key.trim().clone_into(&mut open_key);
                for item in items(value.trim()) {
                    front.add(&open_key, &item);
                }
            }
        }
        front
    }

    fn add(&mut self, key: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        let number = || value.trim_start_matches('#').parse::<u64>().ok();
        match key {
            "supersedes" => self.supersedes.extend(number()),
            "relates" => self.relates.extend(number()),
            "anchors" => self.anchors.push(value.to_owned()),
            "task" => self.task = Some(value.to_owned()),
            "author" => self.author = Some(value.to_owned()),
            _ => {}
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The text with this metadata before it, joined to a front matter that it already has.
    pub fn put_before(&self, text: &str, format_ref: impl Fn(u64) -> String) -> Result<String, GivenTwice> {
        if self.is_empty() {
            return Ok(text.to_owned());
        }
        let lines = self.write(format_ref);
        let Some((block, body)) = block(text) else {
            return Ok(format!("{FENCE}\n{lines}{FENCE}\n{text}"));
        };
        let theirs = Self::read(block);
        let twice = [
            ("supersedes", !theirs.supersedes.is_empty() && !self.supersedes.is_empty()),
            ("relates", !theirs.relates.is_empty() && !self.relates.is_empty()),
            ("anchors", !theirs.anchors.is_empty() && !self.anchors.is_empty()),
            ("task", theirs.task.is_some() && self.task.is_some()),
            ("author", theirs.author.is_some() && self.author.is_some()),
        ];
        if let Some((key, _)) = twice.into_iter().find(|(_, both)| *both) {
            return Err(GivenTwice { key });
        }
        let block = block.trim_end_matches(['\r', '\n']);
        let block = if block.is_empty() { String::new() } else { format!("{block}\n") };
        Ok(format!("{FENCE}\n{block}{lines}{FENCE}\n{body}"))
    }

    fn write(&self, format_ref: impl Fn(u64) -> String) -> String {
        let refs =
            |numbers: &[u64]| numbers.iter().map(|number| format_ref(*number)).collect::<Vec<_>>().join(", ");
        let mut lines = Vec::new();
        for (key, numbers) in [("supersedes", &self.supersedes), ("relates", &self.relates)] {
            match numbers.as_slice() {
                [] => {}
                [one] => lines.push(format!("{key}: {}\n", format_ref(*one))),
                many => lines.push(format!("{key}: [{}]\n", refs(many))),
            }
        }
        for (key, value) in [("task", &self.task), ("author", &self.author)] {
            if let Some(value) = value {
                lines.push(format!("{key}: {}\n", quoted(value)));
            }
        }
        if !self.anchors.is_empty() {
            lines.push("anchors:\n".to_owned());
            for anchor in &self.anchors {
                lines.push(format!("  - {}\n", quoted(anchor)));
            }
        }
        lines.concat()
    }
}

/// The lines between the fences, and what follows the second.
fn block(text: &str) -> Option<(&str, &str)> {
    let mut lines = split_lines(text);
    if lines.next()?.trim_end() != FENCE {
        return None;
    }
    let offset = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
    let mut start = None;
    for line in lines.take(LONGEST_BLOCK) {
        let start = *start.get_or_insert(offset(line));
        if line.trim_end() == FENCE {
            let end = offset(line) + line.len();
            let rest = &text[end..];
            let body = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r'])).unwrap_or(rest);
            return Some((&text[start..offset(line)], body));
        }
    }
    None
}

/// `a`, `"a, b"`, or `[a, "b, c"]`.
fn items(value: &str) -> Vec<String> {
    let Some(list) = value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) else {
        // `supersedes: 00012, 00019` is not a YAML list, but what people write.
        let numbers: Option<Vec<String>> = value
            .split(',')
            .map(|part| part.trim().parse::<u64>().ok().map(|_| part.trim().to_owned()))
            .collect();
        return numbers.unwrap_or_else(|| vec![scalar(value)]);
    };
    let mut items = Vec::new();
    let (mut item, mut quote, mut escaped) = (String::new(), None, false);
    for character in list.chars() {
        match (quote, character) {
            (None, ',') => items.push(scalar(&std::mem::take(&mut item))),
            (None, '"' | '\'') if item.trim().is_empty() => {
                quote = Some(character);
                item.push(character);
            }
            (Some('"'), '\\') => {
                escaped = !escaped;
                item.push(character);
            }
            (open, character) => {
                if open == Some(character) && !escaped {
                    quote = None;
                }
                escaped = false;
                item.push(character);
            }
        }
    }
    items.push(scalar(&item));
    items
}

fn scalar(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('"') {
        return serde_json::from_str(text).unwrap_or_else(|_| text.trim_matches('"').to_owned());
    }
    if let Some(single) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return single.replace("''", "'");
    }
    text.split(" #").next().unwrap_or(text).trim().to_owned()
}

/// Plain where YAML reads it back as this very string, else as a JSON string, which YAML reads too.
fn quoted(text: &str) -> String {
    let plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text.chars().all(|one| one.is_alphanumeric() || matches!(one, '/' | '.' | '_' | '-' | '@' | '+'))
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off"
        );
    if plain {
        return text.to_owned();
    }
    let json = serde_json::Value::from(text).to_string();
    // JSON leaves these alone, and they would end the line.
    ['\u{85}', '\u{2028}', '\u{2029}']
        .into_iter()
        .fold(json, |json, separator| json.replace(separator, &format!("\\u{:04x}", u32::from(separator))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn padded(number: u64) -> String {
        format!("{number:05}")
    }

    #[test]
    fn our_writing_is_read_back() {
        let front = FrontMatter {
            supersedes: vec![12],
            relates: vec![19, 101],
            task: Some("F-3/T: \"x\"".into()),
            author: Some("Zoë <zoe@example.org>".into()),
            anchors: vec!["src/a b.ts#Foo.bar".into(), "src/x.rs:10-20".into(), "#odd, name".into()],
        };
        let text = front.put_before("# Body\n", padded).unwrap();
        insta::assert_snapshot!(text, @r##"
        ---
        supersedes: 00012
        relates: [00019, 00101]
        task: "F-3/T: \"x\""
        author: "Zoë <zoe@example.org>"
        anchors:
          - "src/a b.ts#Foo.bar"
          - "src/x.rs:10-20"
          - "#odd, name"
        ---
        # Body
        "##);
        assert_eq!(FrontMatter::split(&text), Some((front, "# Body\n")));
    }

    #[test]
    fn nothing_to_say_leaves_the_text_alone() {
        assert_eq!(FrontMatter::default().put_before("---\nx\n", padded).unwrap(), "---\nx\n");
    }

    #[test]
    fn a_writers_own_block_is_kept_and_joined() {
        let text = "---\r\nstatus: open # ours\r\nsupersedes: [ 00003, '4' ]\r\n---\r\nbody";
        let (front, body) = FrontMatter::split(text).unwrap();
        assert_eq!((front.supersedes.as_slice(), body), (&[3, 4][..], "body"));
        let ours = FrontMatter { task: Some("T1".into()), ..FrontMatter::default() };
        let joined = ours.put_before(text, padded).unwrap();
        assert_eq!(joined, "---\nstatus: open # ours\r\nsupersedes: [ 00003, '4' ]\ntask: T1\n---\nbody");
        let again = FrontMatter { supersedes: vec![9], ..FrontMatter::default() };
        assert_eq!(again.put_before(text, padded), Err(GivenTwice { key: "supersedes" }));
    }

    #[test]
    fn what_only_looks_like_front_matter_is_text() {
        for text in ["---", "--- x\na: b\n---\n", "text\n---\na: b\n---\n", "---\nnever closed\n"] {
            assert_eq!(FrontMatter::split(text), None, "{text:?}");
        }
        assert_eq!(FrontMatter::split("---\n---\nx"), Some((FrontMatter::default(), "x")));
        let (front, _) = FrontMatter::split("---\nsupersedes: 00012, 00019\nrelates: x\n---\n").unwrap();
        assert_eq!((front.supersedes, front.relates), (vec![12, 19], vec![]));
    }

    proptest! {
        #[test]
        fn any_words_survive(task in "\\PC{1,20}", anchor in "[ -~]{1,20}") {
            prop_assume!(!task.trim().is_empty() && !anchor.trim().is_empty());
            let front = FrontMatter { task: Some(task), anchors: vec![anchor], ..FrontMatter::default() };
            let text = front.put_before("x", padded).unwrap();
            prop_assert_eq!(FrontMatter::split(&text), Some((front, "x")));
        }

        #[test]
        fn reading_is_total(text in any::<String>()) {
            FrontMatter::split(&text);
            FrontMatter::split(&format!("---\n{text}\n---\n"));
        }
    }
}
