//! `.context/log.jsonl`: what happened to entries, one event a line, only ever appended, merged by union. Owns the shape
//! of events and what they add up to; the file itself is [`crate::vault`]'s.

use std::collections::BTreeMap;

use becket_base::Timestamp;
use serde::{Deserialize, Serialize};

use crate::entry::ContentHash;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Created(Created),
    Verified(Verified),
    Renumbered(Renumbered),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    pub number: u64,
    pub file: String,
    pub hash: ContentHash,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The commit that was checked out, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Baseline>,
    /// What the entry's `supersedes` and `relates` meant, so that a later renumbering does not mislead them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
}

/// Somebody looked again and the entry still holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    pub number: u64,
    pub hash: ContentHash,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// New baselines of the cited anchors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Baseline>,
    /// What the code around each reference looked like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<ContentHash>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renumbered {
    pub from: u64,
    pub to: u64,
    pub file: String,
    pub hash: ContentHash,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

/// What an anchor looked like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    pub anchor: String,
    /// Absent when the anchor was gone, and that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<ContentHash>,
    /// Where it stood, first and last line; absent for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(usize, usize)>,
    /// Lines that count towards the hash, to find the piece again elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub number: u64,
    pub hash: ContentHash,
}

/// What the events add up to.
#[derive(Debug, Clone, Default)]
pub struct Log {
    pub created: BTreeMap<u64, Vec<Created>>,
    pub verified: Vec<Verified>,
    pub renumbered: Vec<Renumbered>,
    /// Numbers of the lines that are no event: half-written, or edited by hand.
    pub malformed: Vec<usize>,
}

impl Log {
    /// Never fails: a line that cannot be read is counted and passed over, one of a kind from the future is skipped, and
    /// one that a union merge doubled counts once.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut log = Self::default();
        log.extend(bytes, 0);
        log
    }

    /// Reads more lines, after `lines_before` that are in already.
    pub(crate) fn extend(&mut self, bytes: &[u8], lines_before: usize) {
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice::<Event>(line) {
                Ok(event) => self.add(event),
                Err(_) if is_foreign_event(line) => {}
                Err(_) => self.malformed.push(lines_before + index + 1),
            }
        }
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Created(event) => push_new(self.created.entry(event.number).or_default(), event),
            Event::Verified(event) => push_new(&mut self.verified, event),
            Event::Renumbered(event) => push_new(&mut self.renumbered, event),
        }
    }

    /// The largest number that was ever given out, deleted entries included.
    pub fn highest(&self) -> Option<u64> {
        let created = self.created.last_key_value().map(|(number, _)| *number);
        let moved = self.renumbered.iter().map(|event| event.from.max(event.to)).max();
        created.max(moved)
    }

    /// The event that created the entry of this number and content, followed back through renumberings.
    pub fn creation(&self, number: u64, hash: &ContentHash) -> Option<&Created> {
        let number = self.original_number(number, hash);
        self.created.get(&number)?.iter().find(|event| event.hash == *hash)
    }

    /// Verifications of the entry of this number and content, in the order of the log.
    pub fn verifications<'a>(
        &'a self,
        number: u64,
        hash: &'a ContentHash,
    ) -> impl Iterator<Item = &'a Verified> {
        let numbers = self.numbers(number, hash);
        self.verified.iter().filter(move |event| event.hash == *hash && numbers.contains(&event.number))
    }

    /// Where the entry that had this number and content is now.
    pub fn current_number(&self, number: u64, hash: &ContentHash) -> u64 {
        let mut current = number;
        // As many steps as there are events: a circle, which only a hand can write, ends too.
        for _ in 0..self.renumbered.len() {
            match self.renumbered.iter().find(|event| event.from == current && event.hash == *hash) {
                Some(event) => current = event.to,
                None => break,
            }
        }
        current
    }

    fn original_number(&self, number: u64, hash: &ContentHash) -> u64 {
        self.numbers(number, hash).last().copied().unwrap_or(number)
    }

    /// This number and those that the same content had before, newest first.
    fn numbers(&self, number: u64, hash: &ContentHash) -> Vec<u64> {
        let mut numbers = vec![number];
        let mut current = number;
        while let Some(event) =
            self.renumbered.iter().find(|event| event.to == current && event.hash == *hash)
        {
            if numbers.contains(&event.from) {
                break;
            }
            current = event.from;
            numbers.push(current);
        }
        numbers
    }

    /// The number that the log gives to a file name, whatever the configuration says now.
    pub fn files(&self) -> BTreeMap<&str, u64> {
        let created = self.created.values().flatten().map(|event| (event.file.as_str(), event.number));
        let moved = self.renumbered.iter().map(|event| (event.file.as_str(), event.to));
        created.chain(moved).collect()
    }
}

impl Event {
    /// One line, with its line break.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|line| line + "\n")
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn is_foreign_event(line: &[u8]) -> bool {
    let value: Result<serde_json::Value, _> = serde_json::from_slice(line);
    value.is_ok_and(|value| {
        value
            .get("event")
            .and_then(|event| event.as_str())
            .is_some_and(|event| !matches!(event, "created" | "verified" | "renumbered"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(number: u64, text: &str) -> Event {
        Event::Created(Created {
            number,
            file: format!("{number:05}.md"),
            hash: ContentHash::of(text.as_bytes()),
            at: Timestamp::UNIX_EPOCH,
            author: None,
            head: None,
            anchors: Vec::new(),
            links: Vec::new(),
        })
    }

    fn renumbered(from: u64, to: u64, text: &str) -> Event {
        Event::Renumbered(Renumbered {
            from,
            to,
            file: format!("{to:05}.md"),
            hash: ContentHash::of(text.as_bytes()),
            at: Timestamp::UNIX_EPOCH,
            author: None,
        })
    }

    fn log(events: &[Event]) -> Log {
        Log::parse(events.iter().map(|event| event.to_line().unwrap()).collect::<String>().as_bytes())
    }

    #[test]
    fn the_line_of_a_plain_entry_is_short_and_stable() {
        assert_eq!(
            created(1, "x").to_line().unwrap(),
            "{\"event\":\"created\",\"number\":1,\"file\":\"00001.md\",\"hash\":\"3ae7d805f6789a6402acb70ad4096a85\",\"at\":\"1970-01-01T00:00:00Z\"}\n"
        );
    }

    #[test]
    fn broken_doubled_and_foreign_lines_do_no_harm() {
        let line = created(3, "x").to_line().unwrap();
        let text =
            format!("{line}{{\"event\":\"crea\n\n{line}{{\"event\":\"pinned\",\"number\":9}}\n\u{fffd}\n7\n");
        let log = Log::parse(text.as_bytes());
        assert_eq!((log.created[&3].len(), log.highest(), log.malformed), (1, Some(3), vec![2, 6, 7]));
    }

    #[test]
    fn a_renumbered_entry_keeps_its_past() {
        let hash = ContentHash::of(b"theirs");
        let log = log(&[
            created(12, "ours"),
            created(12, "theirs"),
            renumbered(12, 31, "theirs"),
            renumbered(31, 40, "theirs"),
        ]);
        assert_eq!(log.creation(40, &hash).unwrap().number, 12);
        assert_eq!(log.current_number(12, &hash), 40);
        assert_eq!(log.current_number(12, &ContentHash::of(b"ours")), 12);
        assert_eq!(log.creation(12, &ContentHash::of(b"ours")).unwrap().hash, ContentHash::of(b"ours"));
        assert_eq!(log.highest(), Some(40));
        assert_eq!(log.files()["00040.md"], 40);
    }

    #[test]
    fn a_circle_of_renumberings_ends() {
        let hash = ContentHash::of(b"x");
        let log = log(&[renumbered(1, 2, "x"), renumbered(2, 1, "x")]);
        log.current_number(1, &hash);
        assert!(log.creation(1, &hash).is_none());
    }
}
