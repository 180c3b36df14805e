//! Texts without quotes, as files of settings have them: each line is written as one with quotes, and then searched like code.
//! What such a file says in its own way is left as it is: the value of another variable, where a secret is kept, what it is
//! called, how long it lasts.

use super::Secret;

/// How a file assigns its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `NAME=value`, up to a blank.
    Environment,
    /// `name = value` or `name: value`.
    Properties,
    /// `name: value`, and in lists also `- NAME=value`.
    Yaml,
}

/// As short as a text may be that is known by its name alone.
const SHORTEST: usize = 8;

/// What the last word of a name says that has no secret for its value.
const ABOUT_SECRETS: &[&str] = &[
    "algorithm",
    "arn",
    "audience",
    "class",
    "count",
    "dir",
    "directory",
    "endpoint",
    "engine",
    "expiration",
    "expires",
    "expiry",
    "field",
    "file",
    "format",
    "header",
    "id",
    "issuer",
    "length",
    "limit",
    "manager",
    "name",
    "names",
    "namespace",
    "path",
    "policy",
    "prefix",
    "provider",
    "ref",
    "scope",
    "scopes",
    "store",
    "ttl",
    "type",
    "uri",
    "url",
    "version",
    "versions",
];

impl Form {
    /// The lines with quotes around the values that have none, and where these quotes stand.
    fn quoted(self, text: &str) -> (String, Vec<usize>) {
        let mut quoted = String::with_capacity(text.len() + 64);
        let mut quotes = Vec::new();
        for whole in text.split_inclusive('\n') {
            let line = whole.trim_end_matches(['\n', '\r']);
            let place = if is_comment(line) { None } else { self.place(line) };
            let place = place.filter(|(name, value)| is_meant(&line[..*name], &line[value.clone()]));
            let mut at = 0;
            for end in place.into_iter().flat_map(|(_, value)| [value.start, value.end]) {
                quoted.push_str(&whole[at..end]);
                quotes.push(quoted.len());
                quoted.push('"');
                at = end;
            }
            quoted.push_str(&whole[at..]);
        }
        (quoted, quotes)
    }

    /// Where the name ends that a line assigns to, and where the value stands.
    fn place(self, line: &str) -> Option<(usize, std::ops::Range<usize>)> {
        let separators: &[char] = match self {
            Self::Environment => &['='],
            Self::Properties => &['=', ':'],
            Self::Yaml => &[':'],
        };
        let is_item = || line.trim_start().starts_with("- ");
        let name = match (self, line.find(separators)) {
            // What follows a colon in YAML is a value only behind a blank.
            (Self::Yaml, Some(at)) if line[at + 1..].starts_with(' ') => at,
            (Self::Yaml, _) if is_item() => line.find('=')?,
            (Self::Yaml, _) => return None,
            (_, at) => at?,
        };
        let rest = &line[name + 1..];
        let start = name + 1 + (rest.len() - rest.trim_start().len());
        let rest = &line[start..];
        let end = match self {
            Self::Environment => rest.find(char::is_whitespace).unwrap_or(rest.len()),
            Self::Properties | Self::Yaml => rest.find(" #").unwrap_or(rest.len()),
        };
        let value = start..start + rest[..end].trim_end().len();
        (!value.is_empty()).then_some((name, value))
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with(['#', ';', '!'])
}

/// Whether a value may be a secret as it stands: it has neither quotes nor blanks, and the file does not say what else it is.
fn is_meant(name: &str, value: &str) -> bool {
    let is_text = value.len() >= SHORTEST && !value.contains(['"', '\'', '`', ' ', '\t']);
    // Of a variable, a tag, a reference, a block, a list, a pattern.
    let is_other = value.starts_with(['$', '%', '&', '*', '!', '|', '>', '{', '[', '^', '~'])
        || value.contains("$(")
        || value.contains("://") && !value.contains('@')
        || ["arn:", "vault:", "file:", "secret:", "secrets.", "env.", "env:", "sha256:", "ENC("]
            .iter()
            .any(|start| value.starts_with(start));
    let is_version =
        value.starts_with(|letter: char| letter.is_ascii_digit()) && value.matches('.').count() > 1;
    let last = name.trim_end_matches(['"', '\'', ' ']).rsplit(['_', '-', '.', ' ']).next().unwrap_or(name);
    // `secretName` ends in a word, too.
    let start = last.rfind(|letter: char| letter.is_ascii_uppercase()).unwrap_or(0);
    let word = if last.bytes().any(|byte| byte.is_ascii_lowercase()) { &last[start..] } else { last };
    let is_about = ABOUT_SECRETS.contains(&word.to_ascii_lowercase().as_str());
    let lower = name.to_ascii_lowercase();
    let may_be_number = ["passw", "pwd"].iter().any(|known| lower.contains(known));
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b"-:._,".contains(&byte));
    is_text && !is_other && !is_version && !is_about && (may_be_number || !is_number)
}

/// What [`super::scan`] reports, of a file in which texts stand without quotes.
pub fn scan_unquoted(text: &str, form: Form) -> Vec<Secret> {
    let (quoted, quotes) = form.quoted(text);
    // What is told is told of the text as it is.
    let place = |at: usize| at - quotes.partition_point(|quote| *quote < at);
    let found = super::find(&quoted).into_iter();
    let found: Vec<_> = found.map(|(range, rule)| (place(range.start)..place(range.end), rule)).collect();
    super::told(text, &found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, form: Form) -> Vec<(u32, u32, String)> {
        scan_unquoted(text, form).into_iter().map(|one| (one.line, one.column, one.snippet)).collect()
    }

    fn at(line: u32, column: u32, snippet: &str) -> (u32, u32, String) {
        (line, column, snippet.to_owned())
    }

    #[test]
    fn an_environment_has_no_quotes() {
        let text = "PORT=3000\nDB_PASSWORD=Sup3rS3cretValue99 # main\nAPI_KEY='abcd1234efgh5678ijkl'\n\
                    export TOKEN=${OTHER}\nSECRET=changeme\nAWS=AKIAIOSFODNN7ABCDEFG\n";
        let expected = [
            at(2, 13, "DB_PASSWORD=PRIVATE_DATA # main"),
            at(3, 10, "API_KEY='PRIVATE_DATA'"),
            at(6, 5, "AWS=PRIVATE_DATA"),
        ];
        assert_eq!(found(text, Form::Environment), expected);
    }

    #[test]
    fn yaml_has_none_either() {
        let text = "db:\n  password: hunter2verysecret # local\n  - token: \"tok-93kd02kd93kd\"\nenv:\n  AWS_SECRET_ACCESS_KEY: wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzzKEY\n\
                    services:\n  - DB_PASSWORD=hunter2verysecret\n  api-key: 93kd02kd93kd\nAKIAIOSFODNN7ABCDEFG: something # AKIAIOSFODNN7ABCDEFG";
        let expected = [
            at(2, 13, "password: PRIVATE_DATA # local"),
            at(3, 13, "- token: \"PRIVATE_DATA\""),
            at(5, 26, "AWS_SECRET_ACCESS_KEY: PRIVATE_DATA"),
            at(7, 17, "- DB_PASSWORD=PRIVATE_DATA"),
            at(8, 12, "api-key: PRIVATE_DATA"),
            at(9, 1, "PRIVATE_DATA: something # PRIVATE_DATA"),
            at(9, 35, "PRIVATE_DATA: something # PRIVATE_DATA"),
        ];
        assert_eq!(found(text, Form::Yaml), expected);
    }

    #[test]
    fn properties_are_assigned_either_way() {
        let text = "spring.datasource.password=hunter2verysecret\napi.token : 93kd02kd93kd\nclient_secret = 93kd02kd93kd\n";
        let lines: Vec<_> =
            found(text, Form::Properties).into_iter().map(|(line, column, _)| (line, column)).collect();
        assert_eq!(lines, [(1, 28), (2, 13), (3, 17)]);
    }

    #[test]
    fn a_line_is_shown_as_it_is_but_for_the_secret() {
        let token = "npm_abcdefghijklmnopqrstuvwxyz0123456789";
        let text =
            format!("é=1\r\n//registry.npmjs.org/:_authToken={token}\r\npassword = hunter2verysecret\r\n");
        let expected = [
            at(2, 34, "//registry.npmjs.org/:_authToken=PRIVATE_DATA"),
            at(3, 12, "password = PRIVATE_DATA"),
        ];
        assert_eq!(found(&text, Form::Properties), expected);
    }

    #[test]
    fn what_settings_say_of_secrets_is_none() {
        for text in [
            "password: ${{ secrets.DB_PASSWORD_1 }}",
            "token: ${{secrets.GITHUB_TOKEN_2}}",
            "password: $DB_PASSWORD_1",
            "password: ${DB_PASSWORD_1:-x}",
            "password: $(cat /run/secrets/db1)",
            "password: %DB_PASSWORD_1%",
            "password: !vault |",
            "password: !Ref DbPassword1",
            "password: {{ db_password_1 }}",
            "password: *password1ref",
            "password: <your-password-1>",
            "password: string",
            "password: changeme123",
            "secretName: my-app-tls-2024",
            "secret_name: my-app-tls-2024",
            "token_endpoint: https://login.host.io/oauth2/v2.0/token",
            "TOKEN_EXPIRY: 15minutes2",
            "max_tokens: 100000000",
            "tokenDate: 2024-01-01",
            "js-tokens: 10.20.30-beta.1",
            "csrf-token: ^10.20.30-beta.1",
            "PASSWORD_FILE: run/secrets/db1",
            "password: vault:secret/data/db1#key",
            "tokenArn: arn:aws:secretsmanager:eu-1:0123:secret:x",
            "# password: hunter2verysecret",
            "  # token: hunter2verysecret",
            "description: the password is hunter2verysecret",
            "password:hunter2verysecret",
            "id-token: write",
            "secrets: inherit",
        ] {
            assert_eq!(found(text, Form::Yaml), [], "{text}");
        }
        let text = "password: string;\ntoken: Token1234\n";
        assert_eq!(super::super::scan(text), [], "it is a type in code");
    }
}
