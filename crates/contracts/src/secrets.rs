//! Known secrets in source text: found by rules that stand here, reported without the secret, and redacted before
//! anything else reads the text.
//!
//! A rule finds the secret itself, not the line around it. What is plainly a placeholder is left alone, judged by the
//! value and never by its surroundings: `latestToken` is a name like any other. A value that says its name once more is none.

mod assigned;
mod escaped;
mod hints;
mod plain;
mod rules;
mod unquoted;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use self::escaped::Unescaped;
use self::hints::Hints;
use self::rules::{ASSIGNED, AT_HINT, AT_WORD};
pub use self::rules::{RULES, Rule};
pub use self::unquoted::{Form, scan_unquoted};

/// In characters, of a secret that is known only by the name that it is assigned to.
const LONGEST_ASSIGNED: usize = 512;
const LEAST_ASSIGNED: usize = 8;

/// Written in the place of a secret.
pub const REDACTED: &str = "PRIVATE_DATA";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretSeverity {
    High,
    Medium,
    Low,
}

/// Where a secret is; never the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Secret {
    /// The name of the rule.
    #[serde(rename = "type")]
    pub rule: String,
    pub severity: SecretSeverity,
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
    /// Characters of the secret.
    pub length: u32,
    /// The line with every secret in it redacted, cut.
    pub snippet: String,
}

fn secret_of(captures: &Captures<'_>) -> Option<Range<usize>> {
    captures.iter().skip(1).flatten().next().map(|secret| secret.range())
}

type Found = (Range<usize>, &'static Rule);

/// Where a secret begins and ends in the text, and the rule that found it. Sorted, none within another.
pub fn find(text: &str) -> Vec<Found> {
    let mut found = found_as_written(text);
    if let Some(unescaped) = Unescaped::of(text) {
        let meant = found_as_written(&unescaped.text).into_iter();
        found.extend(meant.map(|(range, rule)| (unescaped.written(&range), rule)));
    }
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    found.dedup_by(|(range, _), (before, _)| {
        let is_part = range.start < before.end;
        if is_part {
            before.end = before.end.max(range.end);
        }
        is_part
    });
    found
}

/// In no order, and some within others.
fn found_as_written(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (index, (rule, mut places)) in RULES.iter().zip(hinted(text)).enumerate() {
        if places.is_empty() {
            continue;
        }
        let mut add = |start: usize, secret: Range<usize>| {
            let is_secret = rule.is_secret(text, start, &text[secret.clone()]);
            if is_secret {
                found.push((secret, rule));
            }
            is_secret
        };
        if rule.pattern == ASSIGNED {
            places.sort_unstable();
            let mut end = 0;
            for place in places {
                let values =
                    if place < end { Vec::new() } else { assigned::texts(&text.as_bytes()[place..]) };
                for value in values {
                    // What is none may have another in it.
                    if add(place, place + value.start..place + value.end) {
                        end = place + value.end;
                    }
                }
            }
            continue;
        }
        let pattern = COMPILED[index].get_or_init(|| compile(rule.pattern));
        if rule.pattern.starts_with(AT_HINT) {
            places.sort_unstable();
            let mut end = 0;
            for start in places {
                let captures = if start < end { None } else { pattern.captures(&text[start..]) };
                let captured = captures.and_then(|it| Some((it.get(0)?.end(), secret_of(&it)?)));
                if let Some((whole, secret)) = captured {
                    end = start + whole;
                    add(start, start + secret.start..start + secret.end);
                }
            }
        } else {
            let captured = pattern.captures_iter(text);
            captured.filter_map(|captures| secret_of(&captures)).for_each(|secret| {
                add(secret.start, secret);
            });
        }
    }
    found
}

impl Rule {
    /// Whether what its pattern found at a place of a text is one.
    fn is_secret(&self, text: &str, start: usize, value: &str) -> bool {
        // AWS writes its own manuals with keys that end so.
        let is_of_manual = self.name == "aws-access-key" && value.ends_with("EXAMPLE");
        // Nobody chooses such a long one: it is a picture or a program.
        let is_data = || value.chars().nth(LONGEST_ASSIGNED).is_some() || plain::is_plain(text, start, value);
        let is_assigned = self.pattern == ASSIGNED;
        let is_short = || value.chars().nth(LEAST_ASSIGNED - 1).is_none();
        // Behind a colon stands a port more often than so short a number as a password.
        let is_port = self.name == "url-password" && value.len() < 6 && value.parse::<u32>().is_ok();
        let is_other = is_of_manual || is_port || self.checked && !is_secret(value);
        !(is_other || is_assigned && (is_short() || is_prose(value) || is_data()))
    }
}

/// The text without its secrets. Line breaks inside a secret stay, so that line numbers do.
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for (range, _) in found {
        redacted.push_str(&text[at..range.start]);
        redacted.push_str(REDACTED);
        for line in text[range.clone()].split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            // A text that goes on in the next line has to say so.
            redacted.push_str(if line.trim_end().ends_with('\\') { "\\\n" } else { "\n" });
        }
        at = range.end;
    }
    redacted.push_str(&text[at..]);
    Cow::Owned(redacted)
}

/// What the scan of one file reports.
pub fn scan(text: &str) -> Vec<Secret> {
    told(text, &find(text))
}

fn told(text: &str, found: &[(Range<usize>, &'static Rule)]) -> Vec<Secret> {
    found
        .iter()
        .map(|(range, rule)| {
            let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at);
            Secret {
                rule: rule.name.to_owned(),
                severity: rule.severity,
                line: small(text[..range.start].bytes().filter(|byte| *byte == b'\n').count()) + 1,
                column: small(text[line_start..range.start].chars().count()) + 1,
                length: small(text[range.clone()].chars().count()),
                snippet: snippet(text, line_start..line_end, found),
            }
        })
        .collect()
}

/// The line with its secrets taken out, whichever line they begin or end on.
fn snippet(text: &str, line: Range<usize>, found: &[(Range<usize>, &'static Rule)]) -> String {
    const LONGEST: usize = 120;
    let mut shown = String::new();
    let mut at = line.start;
    for (range, _) in found.iter().filter(|(range, _)| range.start < line.end && range.end > line.start) {
        shown.push_str(&text[at..range.start.max(at)]);
        shown.push_str(REDACTED);
        at = range.end.min(line.end).max(at);
    }
    shown.push_str(&text[at..line.end.max(at)]);
    let shown = shown.trim();
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown.to_owned(),
    }
}

fn small(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Whether words stand in it. Those of a secret are none: each has a digit among its letters, small ones and large ones.
fn is_prose(value: &str) -> bool {
    let has = |text: &str, kind: fn(&u8) -> bool| text.bytes().any(|byte| kind(&byte));
    let is_word = |word: &str| !has(word, u8::is_ascii_digit) || !has(word, u8::is_ascii_alphabetic);
    let is_mixed = has(value, u8::is_ascii_lowercase) && has(value, u8::is_ascii_uppercase);
    value.contains(char::is_whitespace) && (!is_mixed || value.split_whitespace().any(is_word))
}

/// Not a placeholder, not the name of a variable, not prose.
fn is_secret(value: &str) -> bool {
    const PLACEHOLDERS: &[&str] = &[
        "changeme",
        "example",
        "placeholder",
        "your_",
        "your-",
        "yourpassword",
        "xxxx",
        "****",
        "<",
        "${",
        "{{",
        "todo",
        "dummy",
        "private_data",
        "process.env",
        "undefined",
        "redacted",
        "...",
    ];
    let lower = value.to_ascii_lowercase();
    if PLACEHOLDERS.iter().any(|word| lower.contains(word)) || value.starts_with(['.', '/', '#', '@']) {
        return false;
    }
    if ["password", "secret", "test", "token", "user", "postgres", "root", "admin", "pass"]
        .contains(&lower.as_str())
    {
        return false;
    }
    // Many languages have no blanks between words.
    if value.chars().filter(|letter| !letter.is_ascii()).count() * 2 > value.chars().count() {
        return false;
    }
    let classes = [
        value.chars().any(|letter| letter.is_ascii_lowercase()),
        // A word may begin so.
        value.chars().skip(1).any(|letter| letter.is_ascii_uppercase()),
        value.chars().any(|letter| letter.is_ascii_digit()),
        value
            .chars()
            .any(|letter| !letter.is_alphanumeric() && !matches!(letter, '-' | '_' | '.' | ':' | '/')),
    ];
    // `access_token` and `refresh-token` are names; `hunter2-x` and `S3cr3t!` are not.
    classes[2] || classes[3] || (classes[0] && classes[1] && value.len() >= 20)
}

/// For each rule, where the hints stand that say that a text may break it, found in one cheap pass: most files break
/// none, and patterns are slow. Of names that something is assigned to, where the hints end.
fn hinted(text: &str) -> [Vec<usize>; RULES.len()] {
    let mut starts = [const { Vec::new() }; RULES.len()];
    HINTS.find(text, |index, place| {
        let (rule, (before, rest)) = (&RULES[index], text.as_bytes().split_at(place.start));
        let in_word = || before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if (rule.follows)(&rest[place.len()..]) && !(rule.pattern.starts_with(AT_WORD) && in_word()) {
            starts[index].push(if rule.pattern == ASSIGNED { place.end } else { place.start });
        }
    });
    starts
}

/// All hints, and for each the rule that it belongs to.
static HINTS: LazyLock<Hints> = LazyLock::new(|| {
    let rules = RULES.iter().enumerate();
    Hints::new(rules.flat_map(|(index, rule)| rule.hints.iter().map(move |hint| (*hint, index))))
});

/// Compiled when first wanted: a run that meets no secret pays for no pattern.
static COMPILED: [OnceLock<Regex>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];

/// The patterns are constants, and a test compiles each; an empty set stands for one that cannot be.
fn compile(pattern: &str) -> Regex {
    let built = RegexBuilder::new(pattern).size_limit(16 << 20).build();
    built.unwrap_or_else(|_| nothing())
}

#[expect(clippy::unwrap_used, reason = "a constant pattern that a test compiles")]
fn nothing() -> Regex {
    Regex::new("$.^").unwrap()
}

#[cfg(test)]
mod tests;
