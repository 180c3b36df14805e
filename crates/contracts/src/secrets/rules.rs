//! The rules by which secrets are known: one row each, with what says cheaply that a text need not be searched.

use super::{SecretSeverity, assigned};

/// How a pattern begins that begins where its hint does: it is tried there and nowhere else.
pub(super) const AT_HINT: &str = r"\A";
/// The same for a hint that begins a word, which a text that is cut there cannot tell.
pub(super) const AT_WORD: &str = r"\A(?-u:\b)";

/// In the place of a pattern, of the rule for what [`assigned`] reads behind a name.
pub(super) const ASSIGNED: &str = "";

/// One rule. The group of the pattern is what must not be seen; of several the one that matched.
#[derive(Debug)]
pub struct Rule {
    pub name: &'static str,
    pub severity: SecretSeverity,
    pub description: &'static str,
    /// In small letters; a text without any of them need not be searched.
    pub(super) hints: &'static [&'static str],
    pub(super) pattern: &'static str,
    /// Whether the pattern can match where this follows a hint: `task-` and `msg.` end in hints too, and a pattern costs
    /// more than all of a file's hints.
    pub(super) follows: fn(&[u8]) -> bool,
    /// The value is checked for being a placeholder or a word; token formats are beyond doubt.
    pub(super) checked: bool,
}

pub const RULES: &[Rule] = &[
    sure(
        "private-key",
        SecretSeverity::High,
        "A private key in PEM form, its body included",
        &["private key-----", "private key block-----"],
        |_| true,
        concat!(
            r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?:",
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
        "A token of DigitalOcean, Shopify, Stripe's webhooks, Supabase, Linear, Vault, PyPI, age, Google, Square, Doppler, Netlify or Vercel",
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
            "vercel_blob_rw_",
        ],
        |rest| is_token(rest, 20),
        concat!(
            r"\A(?-u:\b)(do[por]_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|whsec_[A-Za-z0-9+/]{24,}|sbp_[a-f0-9]{40}",
            r"|lin_api_[A-Za-z0-9]{40}|hvs\.[A-Za-z0-9_-]{24,}|pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}",
            r"|AGE-SECRET-KEY-1[0-9A-Z]{58}|ya29\.[A-Za-z0-9_-]{20,}|sq0atp-[A-Za-z0-9_-]{22}|sq0csp-[A-Za-z0-9_-]{43}",
            r"|dp\.pt\.[A-Za-z0-9]{40,}|nfp_[A-Za-z0-9]{36,}|vercel_blob_rw_[A-Za-z0-9_]{20,})",
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
    sure(
        "mailgun-key",
        SecretSeverity::High,
        "An API key of Mailgun",
        &["key-"],
        |rest| rest.get(..32).is_some_and(|key| key.iter().all(u8::is_ascii_hexdigit)),
        r"\A(?-u:\b)(key-[0-9a-f]{32})(?-u:\b)",
    ),
    sure(
        "firebase-server-key",
        SecretSeverity::High,
        "A server key of Firebase Cloud Messaging",
        &[":apa91b"],
        |rest| is_token(rest, 100),
        r"\A:(APA91b[A-Za-z0-9_-]{100,})",
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
        |rest| !assigned::texts(rest).is_empty(),
        ASSIGNED,
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
