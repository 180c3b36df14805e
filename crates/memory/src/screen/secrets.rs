//! Keys, tokens and passwords, by the shapes that their issuers give them and by what people write beside them.

use std::sync::LazyLock;

use regex::Regex;

use crate::entry::split_lines;

/// Where something secret stands, and what it looks like; never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// One-based.
    pub line: usize,
    pub kind: &'static str,
}

/// One shape.
#[derive(Debug)]
struct Shape {
    kind: &'static str,
    pattern: &'static str,
    /// The captured value must look random, or a placeholder would be refused.
    guessed: bool,
}

const SHAPES: &[Shape] = &[
    shape("an AWS access key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    guess(
        "an AWS secret key",
        r#"(?i)aws.{0,30}(?:secret|key).{0,20}?['":=\s]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    shape("a GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})\b"),
    shape("a GitLab token", r"\bgl(?:pat|dt|rt|ptt|ft|soat|agent|cbt|imt|oas)-[A-Za-z0-9_-]{20,}"),
    shape(
        "a Slack token",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/services/T[A-Za-z0-9_]+/B[A-Za-z0-9_]+/[A-Za-z0-9_]+",
    ),
    shape("a Stripe key", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}\b"),
    shape("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    shape("an OpenAI key", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}"),
    shape("a Google API key", r"\bAIza[A-Za-z0-9_-]{35}"),
    shape("a Google OAuth secret", r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    shape("an npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    shape("a PyPI token", r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    shape("a SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    shape("a Twilio key", r"\bSK[0-9a-f]{32}\b"),
    shape("a Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}\b"),
    shape("a DigitalOcean token", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    shape("a Telegram bot token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    shape("a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    shape("an age secret key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b"),
    shape("a JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    guess("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^/\s:@]+:([^/\s:@]{3,})@[^\s/]+"),
    guess(
        "a password or key",
        r#"(?i)\b[a-z0-9_.-]*(?:password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key|client[_-]?secret|bearer)[a-z0-9_-]*['"]?\s*(?::=|[:=]|=>)\s*['"]?(?:bearer\s+)?([^\s'"`,;]{8,})"#,
    ),
    guess("a bearer token", r"(?i)\bauthorization:\s*(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})"),
];

const fn shape(kind: &'static str, pattern: &'static str) -> Shape {
    Shape { kind, pattern, guessed: false }
}

const fn guess(kind: &'static str, pattern: &'static str) -> Shape {
    Shape { kind, pattern, guessed: true }
}

static PATTERNS: LazyLock<Vec<(&'static Shape, Regex)>> = LazyLock::new(|| {
    SHAPES.iter().filter_map(|shape| Some((shape, Regex::new(shape.pattern).ok()?))).collect()
});

/// Everything in a text that looks secret, at most one finding a line.
pub fn secrets(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for (index, line) in split_lines(text).enumerate() {
        let matches = |shape: &Shape, pattern: &Regex| match (shape.guessed, pattern.captures(line)) {
            (_, None) => false,
            (false, Some(_)) => true,
            (true, Some(captures)) => captures.get(1).is_some_and(|value| looks_random(value.as_str())),
        };
        if let Some((shape, _)) = PATTERNS.iter().find(|(shape, pattern)| matches(shape, pattern)) {
            found.push(Secret { line: index + 1, kind: shape.kind });
        }
    }
    found
}

/// Whether a value is one that somebody chose or generated, not a stand-in, a variable or a word about it.
fn looks_random(value: &str) -> bool {
    let lower = value.to_lowercase();
    let stand_in = [
        "example",
        "placeholder",
        "redacted",
        "changeme",
        "change_me",
        "your",
        "dummy",
        "xxxx",
        "****",
        "...",
        "…",
        "<",
        "${",
        "{{",
        "$(",
        "%(",
        "env",
        "process.",
        "os.",
        "none",
        "null",
        "undefined",
        "true",
        "false",
    ];
    if stand_in.iter().any(|word| lower.contains(word))
        || value.starts_with('$')
        || value.ends_with("()")
        || value.contains("()")
    {
        return false;
    }
    let mut characters: Vec<char> = value.chars().collect();
    let length = characters.len();
    let digits = characters.iter().any(char::is_ascii_digit);
    let letters = characters.iter().any(|one| one.is_alphabetic());
    let marks =
        characters.iter().any(|one| !one.is_alphanumeric() && !matches!(one, '.' | '_' | '-' | '/' | ':'));
    let cases =
        characters.iter().any(|one| one.is_uppercase()) && characters.iter().any(|one| one.is_lowercase());
    characters.sort_unstable();
    characters.dedup();
    // Words are letters of one case, paths have few marks; what was made to be unguessable mixes.
    let varied = characters.len() * 2 >= length.min(16);
    let kinds = usize::from(digits) + usize::from(letters) + usize::from(marks) + usize::from(cases);
    varied && kinds >= 2 && (digits || marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Put together here, so that no scanner takes this file for a leak.
    fn sample(parts: &[&str]) -> String {
        parts.concat()
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.len(), SHAPES.len());
    }

    #[test]
    fn known_shapes_are_refused_with_their_line() {
        let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        for (kind, secret) in [
            ("an AWS access key", sample(&["AKIA", "IOSFODNN7EXAMPLE"])),
            (
                "an AWS secret key",
                sample(&["aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCY", "kGhT5nQwLp2Z"]),
            ),
            ("a GitHub token", sample(&["gh", "p_", &letters[..36]])),
            ("a GitHub token", sample(&["github_", "pat_", letters])),
            ("a GitLab token", sample(&["gl", "pat-", &letters[..20]])),
            ("a Slack token", sample(&["xo", "xb-1234567890-abcdef"])),
            ("a Stripe key", sample(&["sk_", "live_", &letters[..24]])),
            ("an Anthropic key", sample(&["sk-", "ant-api03-", letters])),
            ("an OpenAI key", sample(&["sk-", "proj-", letters])),
            ("a Google API key", sample(&["AI", "za", &letters[..35]])),
            ("an npm token", sample(&["np", "m_", &letters[..36]])),
            ("a private key", sample(&["-----BEGIN RSA ", "PRIVATE KEY-----"])),
            (
                "a JSON web token",
                sample(&["eyJ", "hbGciOiJIUzI1NiJ9.eyJ", "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"]),
            ),
            ("a password in a URL", sample(&["postgres://app:hunter2", "pass@db.internal/x"])),
            ("a password or key", sample(&["DB_PASSWORD=", "c0rrect-Horse!"])),
            ("a password or key", sample(&["\"apiKey\": \"", "9f8e7d6c5b4a39281706", "\""])),
            ("a bearer token", sample(&["Authorization: Bearer ", "abcDEF123456abcDEF123456"])),
        ] {
            assert_eq!(
                secrets(&format!("fine\r\nuse {secret} here")),
                [Secret { line: 2, kind }],
                "{secret}"
            );
        }
    }

    #[test]
    fn talk_about_secrets_is_no_secret() {
        for text in [
            "The password is stored hashed with argon2.",
            "password: <your password>",
            "API_KEY=${API_KEY}",
            "token: process.env.GITHUB_TOKEN_VALUE",
            "set `secret: changeme123` in dev",
            "postgres://user:password@localhost/db",
            "bearer tokens are checked in constant time",
            "secret = load_secret()",
            "the access key: rotation happens weekly",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "sk-learn is a library; see sk-something",
            "https://example.org/a/b?c=d#e",
        ] {
            assert_eq!(secrets(text), [], "{text}");
        }
    }
}
