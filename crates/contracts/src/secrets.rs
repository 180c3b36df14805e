//! Known secrets in source text: found by rules that stand here, reported without the secret, and redacted before
//! anything else reads the text.
//!
//! A rule finds the secret itself, not the line around it. What is plainly a placeholder is left alone, judged by the
//! value and never by its surroundings: `latestToken` is a name like any other. A value that says its name once more is none.

mod hints;
mod plain;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use self::hints::Hints;

/// In characters, of a secret that is known only by the name that it is assigned to.
const LONGEST_ASSIGNED: usize = 512;

/// How a pattern begins that begins where its hint does: it is tried there and nowhere else.
const AT_HINT: &str = r"\A";
/// The same for a hint that begins a word, which a text that is cut there cannot tell.
const AT_WORD: &str = r"\A(?-u:\b)";

/// Written in the place of a secret.
pub const REDACTED: &str = "PRIVATE_DATA";

/// One rule. The group of the pattern is what must not be seen; of several the one that matched.
#[derive(Debug)]
pub struct Rule {
    pub name: &'static str,
    pub severity: SecretSeverity,
    pub description: &'static str,
    /// In small letters; a text without any of them need not be searched.
    hints: &'static [&'static str],
    pattern: &'static str,
    /// Whether the pattern can match where this follows a hint: `task-` and `msg.` end in hints too, and a pattern costs
    /// more than all of a file's hints.
    follows: fn(&[u8]) -> bool,
    /// The value is checked for being a placeholder or a word; token formats are beyond doubt.
    checked: bool,
}

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

pub const RULES: &[Rule] = &[
    sure(
        "private-key",
        SecretSeverity::High,
        "A private key in PEM form, its body included",
        &["private key-----"],
        |_| true,
        concat!(
            r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:",
            // Within one text: whatever it is.
            r#"([^"'`;{(<\[]+?)-----END|"#,
            // Put together from several, or without an end: what a key is written in. Code about keys has the marks, too.
            r#"((?:[\s"'`+,]|\\[nr])*[A-Za-z0-9+/]{16}[A-Za-z0-9+/=\s"'`,\\-]*?)-----END|"#,
            r#"((?:[\s"'`+,]|\\[nr])*[A-Za-z0-9+/]{16}(?:[A-Za-z0-9+/=\s]|\\[nr])*))"#,
        ),
    ),
    sure(
        "aws-access-key",
        SecretSeverity::High,
        "An access key id of AWS",
        &["akia", "asia"],
        |rest| is_token(rest, 16),
        r"\A(?-u:\b)((?:AKIA|ASIA)[0-9A-Z]{16})(?-u:\b)",
    ),
    sure(
        "github-token",
        SecretSeverity::High,
        "A token of GitHub",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        |rest| is_token(rest, 30),
        r"\A(?-u:\b)(gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255})(?-u:\b)",
    ),
    sure(
        "gitlab-token",
        SecretSeverity::High,
        "A personal access token of GitLab",
        &["glpat-"],
        |rest| is_token(rest, 20),
        r"\A(?-u:\b)(glpat-[A-Za-z0-9_-]{20,})",
    ),
    sure(
        "slack-token",
        SecretSeverity::High,
        "A token or hook of Slack",
        &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "hooks.slack.com"],
        |rest| is_token(rest, 10),
        r"\A(?-u:\b)(xox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[A-Za-z0-9/+]{20,})",
    ),
    sure(
        "stripe-key",
        SecretSeverity::High,
        "A secret key of Stripe",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        |rest| is_token(rest, 16),
        r"\A(?-u:\b)([rs]k_(?:live|test)_[A-Za-z0-9]{16,})(?-u:\b)",
    ),
    sure(
        "openai-key",
        SecretSeverity::High,
        "An API key of OpenAI or Anthropic",
        &["sk-"],
        |rest| is_token(rest, 20),
        r"\A(?-u:\b)(sk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9_-]{20,})",
    ),
    sure(
        "google-key",
        SecretSeverity::High,
        "An API key of Google",
        &["aiza"],
        |rest| is_token(rest, 35),
        r"\A(?-u:\b)(AIza[0-9A-Za-z_-]{35})",
    ),
    sure(
        "npm-token",
        SecretSeverity::High,
        "A token of npm",
        &["npm_"],
        |rest| is_token(rest, 36),
        r"\A(?-u:\b)(npm_[A-Za-z0-9]{36})(?-u:\b)",
    ),
    sure(
        "sendgrid-key",
        SecretSeverity::High,
        "An API key of SendGrid",
        &["sg."],
        |rest| is_token(rest, 66),
        r"\A(?-u:\b)(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})(?-u:\b)",
    ),
    sure(
        "hugging-face-token",
        SecretSeverity::High,
        "A token of Hugging Face",
        &["hf_"],
        |rest| is_token(rest, 34),
        r"\A(?-u:\b)(hf_[A-Za-z0-9]{34,})(?-u:\b)",
    ),
    sure(
        "service-token",
        SecretSeverity::High,
        "A token of DigitalOcean, Shopify, Stripe's webhooks, Supabase, Linear, Vault, PyPI, age, Google, Square, Doppler or Netlify",
        &[
            "dop_v1_",
            "doo_v1_",
            "dor_v1_",
            "shpat_",
            "shpca_",
            "shppa_",
            "shpss_",
            "whsec_",
            "sbp_",
            "lin_api_",
            "hvs.",
            "pypi-",
            "age-secret-key-1",
            "ya29.",
            "sq0atp-",
            "sq0csp-",
            "dp.pt.",
            "nfp_",
        ],
        |rest| is_token(rest, 20),
        concat!(
            r"\A(?-u:\b)(do[por]_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|whsec_[A-Za-z0-9+/]{24,}|sbp_[a-f0-9]{40}",
            r"|lin_api_[A-Za-z0-9]{40}|hvs\.[A-Za-z0-9_-]{24,}|pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}",
            r"|AGE-SECRET-KEY-1[0-9A-Z]{58}|ya29\.[A-Za-z0-9_-]{20,}|sq0atp-[A-Za-z0-9_-]{22}|sq0csp-[A-Za-z0-9_-]{43}",
            r"|dp\.pt\.[A-Za-z0-9]{40,}|nfp_[A-Za-z0-9]{36,})",
        ),
    ),
    sure(
        "discord-webhook",
        SecretSeverity::High,
        "A webhook of Discord",
        &["api/webhooks/"],
        |rest| is_token(rest, 60),
        r"\Aapi/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{40,})",
    ),
    sure(
        "telegram-token",
        SecretSeverity::High,
        "The token of a bot of Telegram",
        &[":aa"],
        |rest| is_token(rest, 33),
        r"\A:(AA[A-Za-z0-9_-]{33})(?-u:\b)",
    ),
    sure(
        "azure-storage-key",
        SecretSeverity::High,
        "The account key in a connection string of Azure",
        &["accountkey="],
        |rest| is_token(rest, 40),
        r"\A(?i)AccountKey=([A-Za-z0-9+/]{40,}={0,2})",
    ),
    sure(
        "json-web-token",
        SecretSeverity::Medium,
        "A signed JSON web token",
        &["eyj"],
        |rest| is_token(rest, 29),
        r"\A(?-u:\b)(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    ),
    doubtful(
        "database-url",
        SecretSeverity::High,
        "A database address with a password",
        &["postgres", "mysql", "mariadb", "mongodb", "redis", "amqp", "mssql"],
        |rest| rest.windows(3).take(8).any(|three| three == b"://"),
        r"\A(?:postgres|postgresql|mysql|mariadb|mongodb|mongodb\+srv|redis|rediss|amqp|amqps|mssql)://[^\s:/@'\x22`]*:([^\s@/'\x22`]+)@",
    ),
    doubtful(
        "url-password",
        SecretSeverity::High,
        "An address with a user and a password",
        &["://"],
        has_password,
        r"\A://[^\s:/@'\x22`]*:((?:[^\s@/'\x22`<>{}\[\]$%?#\\]|%[0-9A-Fa-f]{2}){4,})@",
    ),
    sure(
        "twilio-key",
        SecretSeverity::High,
        "An API key of Twilio",
        &[
            "sk0", "sk1", "sk2", "sk3", "sk4", "sk5", "sk6", "sk7", "sk8", "sk9", "ska", "skb", "skc", "skd",
            "ske", "skf",
        ],
        |rest| rest.get(..31).is_some_and(|key| key.iter().all(u8::is_ascii_hexdigit)),
        r"\A(?-u:\b)(SK[0-9a-f]{32})(?-u:\b)",
    ),
    doubtful(
        "assigned-secret",
        SecretSeverity::Medium,
        "A text that is assigned to a name such as apiKey, secret, token or password",
        &[
            "apikey",
            "api_key",
            "api-key",
            "secret",
            "passw",
            "pwd",
            "token",
            "private_key",
            "private-key",
            "privatekey",
            "credential",
        ],
        assigns_text,
        r"\A(?i)(?:api[_-]?key|apikey|secret|passw(?:or)?d|pwd|auth[_-]?token|access[_-]?token|private[_-]?key|client[_-]?secret|token|credential)(?-u:[A-Za-z0-9_$]){0,24}[\x22']?\s*(?::\s*string\s*)?[:=]\s*[\x22'`]([^\x22'`\s]{8,})[\x22'`]",
    ),
    doubtful(
        "authorization-header",
        SecretSeverity::Medium,
        "A bearer or basic credential in a header",
        &["bearer", "basic"],
        is_credential,
        r"\A(?-u:\b)(?i)(?:bearer|basic)\s{1,4}([A-Za-z0-9._~+/-]{20,}={0,2})",
    ),
];

fn secret_of(captures: &Captures<'_>) -> Option<Range<usize>> {
    captures.iter().skip(1).flatten().next().map(|secret| secret.range())
}

/// Where a secret begins and ends in the text, and the rule that found it. Sorted, none within another.
pub fn find(text: &str) -> Vec<(Range<usize>, &'static Rule)> {
    let mut found: Vec<(Range<usize>, &'static Rule)> = Vec::new();
    for (index, (rule, mut starts)) in RULES.iter().zip(hinted(text)).enumerate() {
        if starts.is_empty() {
            continue;
        }
        let pattern = COMPILED[index].get_or_init(|| compile(rule.pattern));
        let mut add = |start: usize, secret: Range<usize>| {
            if rule.is_secret(text, start, &text[secret.clone()]) {
                found.push((secret, rule));
            }
        };
        if rule.pattern.starts_with(AT_HINT) {
            starts.sort_unstable();
            let mut end = 0;
            for start in starts {
                let captures = if start < end { None } else { pattern.captures(&text[start..]) };
                let captured = captures.and_then(|it| Some((it.get(0)?.end(), secret_of(&it)?)));
                if let Some((whole, secret)) = captured {
                    end = start + whole;
                    add(start, start + secret.start..start + secret.end);
                }
            }
        } else {
            let captured = pattern.captures_iter(text);
            captured.filter_map(|captures| secret_of(&captures)).for_each(|secret| add(secret.start, secret));
        }
    }
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|(range, _)| {
        let keep = range.start >= end;
        end = end.max(range.end);
        keep
    });
    found
}

impl Rule {
    /// Whether what its pattern found at a place of a text is one.
    fn is_secret(&self, text: &str, start: usize, value: &str) -> bool {
        // AWS writes its own manuals with keys that end so.
        let is_of_manual = self.name == "aws-access-key" && value.ends_with("EXAMPLE");
        // Nobody chooses such a long one: it is a picture or a program.
        let is_data = || value.chars().nth(LONGEST_ASSIGNED).is_some() || plain::is_plain(text, start, value);
        let is_assigned = self.name == "assigned-secret";
        // Behind a colon stands a port more often than so short a number as a password.
        let is_port = self.name == "url-password" && value.len() < 6 && value.parse::<u32>().is_ok();
        let is_other = is_of_manual || is_port || self.checked && !is_secret(value);
        !(is_other || is_assigned && is_data())
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
        redacted.extend(text[range.clone()].chars().filter(|letter| *letter == '\n'));
        at = range.end;
    }
    redacted.push_str(&text[at..]);
    Cow::Owned(redacted)
}

/// What the scan of one file reports.
pub fn scan(text: &str) -> Vec<Secret> {
    let found = find(text);
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
                snippet: snippet(text, line_start..line_end, &found),
            }
        })
        .collect()
}

/// The same of a file that sets an environment, where texts stand without quotes.
pub fn scan_environment(text: &str) -> Vec<Secret> {
    let lines: Vec<(String, bool)> = text.lines().map(quoted_value).collect();
    let quoted: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
    let mut found = scan(&quoted.join("\n"));
    for secret in &mut found {
        let is_quoted = lines.get(secret.line as usize - 1).is_some_and(|(_, is_quoted)| *is_quoted);
        secret.column -= u32::from(is_quoted);
    }
    found
}

/// A line `NAME=value` with the value in quotes, and whether it had none.
fn quoted_value(line: &str) -> (String, bool) {
    let parts = line.split_once('=').map(|(name, rest)| {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        (name, rest.split_at(end))
    });
    match parts {
        Some((name, (value, rest))) if !value.is_empty() && !value.contains(['"', '\'', '`']) => {
            (format!("{name}=\"{value}\"{rest}"), true)
        }
        _ => (line.to_owned(), false),
    }
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
/// none, and patterns are slow.
fn hinted(text: &str) -> [Vec<usize>; RULES.len()] {
    let mut starts = [const { Vec::new() }; RULES.len()];
    HINTS.find(text, |index, place| {
        let (rule, (before, rest)) = (&RULES[index], text.as_bytes().split_at(place.start));
        let in_word = || before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if (rule.follows)(&rest[place.len()..]) && !(rule.pattern.starts_with(AT_WORD) && in_word()) {
            starts[index].push(place.start);
        }
    });
    starts
}

/// Whether as many letters, digits and signs follow as a token of some kind has at least.
fn is_token(rest: &[u8], least: usize) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/~".contains(byte);
    rest.get(..least).is_some_and(|token| token.iter().all(plain))
}

/// Whether an address goes on with a user, a password and a host that is not one of those that manuals have.
fn has_password(rest: &[u8]) -> bool {
    const REACH: usize = 512;
    const OF_MANUALS: [&[u8]; 4] = [b"example.com", b"example.org", b"example.net", b".example"];
    let ends = |byte: &u8| *byte <= b' ' || b"/'\"`?#<>\\".contains(byte);
    let end = rest.iter().take(REACH).position(ends).unwrap_or(rest.len().min(REACH));
    let Some(at) = rest[..end].iter().position(|byte| *byte == b'@') else { return false };
    let host = &rest[at + 1..end];
    let name = host.split(|byte| *byte == b':').next().unwrap_or_default();
    let of_manual = OF_MANUALS.iter().any(|known| {
        name.len().checked_sub(known.len()).is_some_and(|start| name[start..].eq_ignore_ascii_case(known))
    });
    let is_host = host.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'[');
    rest[..at].contains(&b':') && is_host && !of_manual
}

/// Whether blanks follow, which may lie beyond ASCII, and a token.
fn is_credential(rest: &[u8]) -> bool {
    // Four blanks of three bytes each.
    const REACH: usize = 13;
    let start = rest.iter().take(REACH).position(|byte| *byte > b' ' && byte.is_ascii());
    start.is_some_and(|start| start > 0 && is_token(&rest[start..], 20))
}

/// Whether a text may be assigned right after this: most names that look like a secret's are a type's or an argument's.
fn assigns_text(rest: &[u8]) -> bool {
    // As far as the pattern reaches: the rest of a name, a type; how it is laid out has no say.
    const REACH: usize = 64;
    let mut assigned = false;
    for byte in rest.iter().filter(|byte| **byte > b' ').take(REACH) {
        match byte {
            b':' | b'=' => assigned = true,
            b'"' | b'\'' | b'`' if assigned => return true,
            // Blanks are blanks beyond ASCII too.
            byte if !byte.is_ascii() => {}
            _ => assigned = false,
        }
    }
    false
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

const fn sure(
    name: &'static str,
    severity: SecretSeverity,
    description: &'static str,
    hints: &'static [&'static str],
    follows: fn(&[u8]) -> bool,
    pattern: &'static str,
) -> Rule {
    Rule { name, severity, description, hints, follows, pattern, checked: false }
}

const fn doubtful(
    name: &'static str,
    severity: SecretSeverity,
    description: &'static str,
    hints: &'static [&'static str],
    follows: fn(&[u8]) -> bool,
    pattern: &'static str,
) -> Rule {
    Rule { name, severity, description, hints, follows, pattern, checked: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        find(text).into_iter().map(|(_, rule)| rule.name).collect()
    }

    #[test]
    fn every_pattern_is_one_and_names_its_secret() {
        for rule in RULES {
            let pattern = RegexBuilder::new(rule.pattern).size_limit(16 << 20).build().unwrap();
            assert!(pattern.captures_len() > 1, "{}", rule.name);
        }
        let names = |text: &str| {
            let met = RULES.iter().zip(hinted(text)).filter(|(_, starts)| !starts.is_empty());
            met.map(|(rule, _)| rule.name).collect::<Vec<_>>()
        };
        assert!(names("const a = 1;").is_empty());
        assert_eq!(names("PASSWORD = 'x'"), ["assigned-secret"]);
        assert_eq!(names("\"password\": \"x\""), ["assigned-secret"]);
        assert_eq!(names("const passwordOfSomebody: string\u{a0}=\n `x`"), ["assigned-secret"]);
        assert_eq!(
            names("function login(password: string, name = 'x')"),
            ["assigned-secret"],
            "the pattern decides"
        );
        assert!(names("interface Login { password: string; token?: Token }").is_empty());
        let names_of_nothing =
            "task-queue msg.payload basic auth, a bearer of news, redis and mongodb, npm_config, Asia/Tokyo";
        assert!(names(names_of_nothing).is_empty(), "{:?}", names(names_of_nothing));
    }

    #[test]
    fn an_environment_has_no_quotes() {
        let text = "PORT=3000\nDB_PASSWORD=Sup3rS3cretValue99 # main\nAPI_KEY='abcd1234efgh5678ijkl'\n\
                    export TOKEN=${OTHER}\nSECRET=changeme\nAWS=AKIAIOSFODNN7ABCDEFG\n";
        let found: Vec<_> =
            scan_environment(text).into_iter().map(|one| (one.line, one.column, one.snippet)).collect();
        let expected = [
            (2, 13, "DB_PASSWORD=\"PRIVATE_DATA\" # main"),
            (3, 10, "API_KEY='PRIVATE_DATA'"),
            (6, 5, "AWS=\"PRIVATE_DATA\""),
        ];
        assert_eq!(found, expected.map(|(line, column, snippet)| (line, column, snippet.to_owned())));
    }

    #[test]
    fn what_is_secret_is_found() {
        let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        for (text, rule) in [
            (format!("const t = 'ghp_{long}';"), "github-token"),
            ("aws: AKIAIOSFODNN7ABCDEFG".to_owned(), "aws-access-key"),
            (format!("key = \"sk_live_{long}\""), "stripe-key"),
            (format!("apikey2 = \"sk-{long}\""), "openai-key"),
            ("url = 'postgresql://u:hunter22@host/db'".to_owned(), "database-url"),
            ("url = 'mongodb+srv://u:p4ss@host'".to_owned(), "database-url"),
            ("const password: string = 'S3cr3t!pass';".to_owned(), "assigned-secret"),
            ("latestToken = { token: \"tok-93kd02kd93kd\" }".to_owned(), "assigned-secret"),
            (format!("headers: {{ Authorization: 'Bearer {long}' }}"), "authorization-header"),
            (format!("eyJ{long}.eyJ{long}.{long}"), "json-web-token"),
            (format!("'SG.{}.{long}x7y8z9A'", &long[..22]), "sendgrid-key"),
            (format!("'hf_{long}'"), "hugging-face-token"),
            (format!("'AccountName=x;AccountKey={long}{long}==;'"), "azure-storage-key"),
            (format!("const t = 'github_pat_{long}{long}';"), "github-token"),
            ("'glpat-abcdefghij0123456789'".to_owned(), "gitlab-token"),
            ("'xoxb-0123456789'".to_owned(), "slack-token"),
            ("'https://hooks.slack.com/services/T0000000/B0000000/abc'".to_owned(), "slack-token"),
            ("'sk_test_0123456789abcdef'".to_owned(), "stripe-key"),
            ("'sk-ant-0123456789abcdef0123'".to_owned(), "openai-key"),
            (format!("'AIza{}'", &long[..35]), "google-key"),
            (format!("'npm_{long}'"), "npm-token"),
            (format!("'dop_v1_{}'", "0123456789abcdef".repeat(4)), "service-token"),
            ("'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'; x = `sbp_${id}`".to_owned(), "service-token"),
            (format!("x('hvs.{long}')"), "service-token"),
            (format!("`ya29.{long}`"), "service-token"),
            (
                format!("'https://discord.com/api/webhooks/123456789012345678/{long}{long}'"),
                "discord-webhook",
            ),
            (format!("'123456789:AA{}'", &long[..33]), "telegram-token"),
            ("'eyJ01234567.eyJ01234567.01234567'".to_owned(), "json-web-token"),
            ("'redis://:p4ss@host'".to_owned(), "database-url"),
            ("fetch('https://deploy:S3cretPw99@registry.corp.io/x')".to_owned(), "url-password"),
            ("`ftp://:S3cret%21@${host}`; 'sftp://u:S3cret%21@10.0.0.1:22/'".to_owned(), "url-password"),
            ("git+https://ci:93kd02kd@[::1]/repo.git".to_owned(), "url-password"),
            ("const sid = 'SKb355f235f79c7f79b7aecca9ed085ebc';".to_owned(), "twilio-key"),
            (format!("'postgres://{}:p4ss@host'", "u".repeat(300)), "database-url"),
            (format!("'Basic\u{2003}\u{2003}\u{2003}\u{2003}{}=='", &long[..20]), "authorization-header"),
            (format!("password =\u{b}'{}1'", "q".repeat(511)), "assigned-secret"),
            ("é auth_token='tok-93kd02kd93kd'; token = 'x'".to_owned(), "assigned-secret"),
            ("secretToken: 'token-token-93kd'".to_owned(), "assigned-secret"),
            (format!("password\n{0}:\n{0}'S3cr3t!pass'", " ".repeat(200)), "assigned-secret"),
            ("password: 'Password1'".to_owned(), "assigned-secret"),
            ("password: 'Password!'".to_owned(), "assigned-secret"),
            ("adminPassword: 'SuperSecretAdminPassword'".to_owned(), "assigned-secret"),
            ("accessToken: 'aKdjQpZxYwVuTsRqPoNmLk'".to_owned(), "assigned-secret"),
            ("tokenUrl: 'https://host.io/hook?key=abcdefghijklmnop'".to_owned(), "assigned-secret"),
            ("tokenUrl: 'https://host.io/hooks/b355f235f79c7f79b7ae'".to_owned(), "assigned-secret"),
            ("tokenUrl: 'https://S3cretPw99@host.io/x'".to_owned(), "assigned-secret"),
        ] {
            assert_eq!(rules(&text), [rule], "{text}");
        }
    }

    #[test]
    fn what_is_not_is_left_alone() {
        for text in [
            "const token = getToken();",
            "password: 'process.env.PASSWORD'",
            "type: 'access_token'",
            "tokenType = 'refresh-token'",
            "const secretName = 'your-secret-here'",
            "apiKey: '${API_KEY}'",
            "url = 'postgres://user:password@localhost/db'",
            "placeholder='Enter password'",
            "'https://user:password@host.io', 'https://user:pass@host.io', 'https://a:b@c'",
            "'https://user:S3cretPw99@example.org/x', 'http://u:S3cretPw99@api.Example.com:80/'",
            "`https://${user}:${password}@host.io`, `https://ci:${process.env.T0KEN}@host.io`",
            "'http://%s:%s@%s/', 'http://$USER:$PASS1@host', 'http://<user>:<pa55word>@host'",
            "'http://{user}:{pa55word}@host', 'http://user:[pa55word]@host', 'http://u:****@host'",
            "'https://host.io:8080@other', 'https://host.io:8080/@scope/name1@2', 'https://u:xxxxxxxx1@host'",
            "// see https://host.io/a:b1c2@d and http://host.io:8080?to=a@b.io",
            "'git+ssh://git@github.com:user/repo1.git', 'mailto:a1@b.io', \"://\"",
            "SKb355f235f79c7f79b7aecca9ed085ebcd, TASKb355f235f79c7f79b7aecca9ed085ebc, ask0, SKEW",
            "import { tokenize } from './token-stream';",
            "password: 'パスワードを確認してください。2', credential: 'Delegationslegitimation'",
            "AccessControlAllowCredentials: \"Access-Control-Allow-Credentials\"",
            "const OAUTH2_TOKEN = 'oauth2-token', errors = { tokenHasExpired: 'auth.errors.tokenHasExpired' }",
            "'x-amz-security-token-2': 'X-Amz-Security-Token-2', passwordIsMissing2 = 'MISSING2-password'",
            "tokenUrl: \"https://login.host.io/oauth2/v2.0/token?v=2\", tokenHost = 'https://host.io:8443'",
            "const key = 'AKIAIOSFODNN7EXAMPLE';",
            "{ token: 'RequestChainController' }, { token: 'AppV1Controller' }, { token: 'Symbol(ApplicationConfig)' }",
            "rememberCredentialsKey = 'window.rememberProxyCredentials', apiKeyHeader = 'X-Api-Key-V2'",
            "enum Kind { A = 'a', RS256_TOKENS = 'client-RS256-tokens', Password = 'b355f235-f79c-7f79-b7ae-cca9ed085ebc' }",
            "SERVER_TOKENFILE=\"$SERVER_DATA_DIR/.$DISTRO_COMMIT.token\"",
            &format!("const tokenizer = '{}1';", "q".repeat(512)),
        ] {
            assert_eq!(rules(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn a_private_key_is_gone_with_its_body_and_lines_stay() {
        let text = "const k = `-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nMIIdef\n-----END RSA PRIVATE KEY-----`;\nconst after = 1;\n";
        let redacted = redact(text);
        assert!(!redacted.contains("MII") && redacted.contains(REDACTED));
        assert_eq!(redacted.lines().count(), text.lines().count());
    }

    #[test]
    fn a_private_key_is_known_however_it_is_written() {
        const KEY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        for (text, rest) in [
            (
                format!(r"const k = '-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----';"),
                "const k = '",
            ),
            (
                format!(
                    "['-----BEGIN PRIVATE KEY-----', '{KEY}', '{KEY}=', '-----END PRIVATE KEY-----'].join('\n')"
                ),
                "'].join(",
            ),
            (
                format!(
                    "'-----BEGIN EC PRIVATE KEY-----\\n' +\n  \"{KEY}\\n\" +\n  '-----END EC PRIVATE KEY-----'"
                ),
                "PRIVATE KEY-----'",
            ),
            (
                format!("const k = '-----BEGIN PRIVATE KEY-----\\n{KEY}'\nexport const after = 1;"),
                "'\nexport const after = 1;",
            ),
            (
                format!(
                    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY}\n-----END RSA PRIVATE KEY-----"
                ),
                "-----END",
            ),
        ] {
            let redacted = redact(&text);
            assert!(!redacted.contains("MIIE") && redacted.contains(rest), "{redacted}");
        }
    }

    #[test]
    fn code_about_private_keys_is_left_alone() {
        for text in [
            "s.startsWith('-----BEGIN PRIVATE KEY-----');\nexport function after(a: string): number { return 1 }\n",
            "const head = '-----BEGIN PRIVATE KEY-----'\nexport class Mid {}\nconst foot = '-----END PRIVATE KEY-----'\n",
            "`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`",
            r"text.match(/-----BEGIN PRIVATE KEY-----([\s\S]*)-----END PRIVATE KEY-----/)",
            "'-----BEGIN PRIVATE KEY-----<your key>-----END PRIVATE KEY-----'",
            "text.replace(/-----BEGIN PRIVATE KEY-----/, '').replace(/-----END PRIVATE KEY-----/, '')",
        ] {
            assert_eq!(rules(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn the_report_never_holds_the_secret() {
        let text = "// é\nconst password = 'S3cr3t!pass', token = 'tok-93kd02kd93kd';\n";
        let found = scan(text);
        assert_eq!(
            found.iter().map(|secret| (secret.line, secret.column)).collect::<Vec<_>>(),
            [(2, 19), (2, 42)]
        );
        let written = serde_json::to_string(&found).unwrap();
        assert!(!written.contains("S3cr3t") && !written.contains("93kd"), "{written}");
    }
}
