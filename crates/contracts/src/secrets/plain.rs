//! Texts that are assigned to a name such as `token`, and are no secrets all the same: they say the name once more, are a
//! name themselves, or an address that anybody may know.

/// In bytes: what is shorter opens nothing.
const SHORTEST_KEY: usize = 16;

/// Whether a text that is assigned behind `at`, which is within the name of what it is assigned to, is none.
pub(super) fn is_plain(text: &str, at: usize, value: &str) -> bool {
    let name = name_around(text, at);
    is_of_enum(text, at) || is_address(value) || spells(name, value) || !may_be_words(name) && is_name(value)
}

/// Whether it is assigned to a member of an enum, which is a name for others to compare with.
fn is_of_enum(text: &str, at: usize) -> bool {
    /// How far before it the enum may begin.
    const REACH: usize = 8192;
    let start = at.saturating_sub(REACH);
    let before = text.as_bytes().get(start..at).unwrap_or_default();
    let Some(open) = before.iter().rposition(|byte| matches!(byte, b'{' | b'}')) else { return false };
    let mut words = text.get(..start + open).unwrap_or_default().split_whitespace().rev();
    before[open] == b'{' && words.next().is_some() && words.next() == Some("enum")
}

/// Whether somebody may have made up the value of words, whatever it opens.
fn may_be_words(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["passw", "pwd", "secret"].iter().any(|word| name.contains(word))
}

/// `RequestChainController`, `Symbol(token)`, `X-Api-Key-V2`, `$SERVER_DATA_DIR/.token`: words as programs put them
/// together. A key has hardly any that are as long as words.
fn is_name(value: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/$()".contains(&byte);
    let is_version = |word: &String| word.len() <= 3 && word.trim_start_matches('v').parse::<u8>().is_ok();
    let words = words(value);
    let (spelled, others): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let letters =
        |least: usize| spelled.iter().map(|word| word.len()).filter(|length| *length >= least).sum::<usize>();
    value.bytes().all(is_of_name) && others.into_iter().all(is_version) && letters(3) * 5 >= letters(0) * 4
}

fn name_around(text: &str, at: usize) -> &str {
    let is_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-');
    let start =
        at - text[..at].chars().rev().take_while(|it| is_of_name(*it)).map(char::len_utf8).sum::<usize>();
    let end = text[at..].find(|letter| !is_of_name(letter)).map_or(text.len(), |length| at + length);
    &text[start..end]
}

/// `allowCredentials: 'Allow-Credentials'`, `TOKEN_EXPIRED = 'auth.errors.tokenExpired'`: the name itself, perhaps behind
/// where it belongs, or words of it.
fn spells(name: &str, value: &str) -> bool {
    if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte)) {
        return false;
    }
    let last = value.rsplit(['.', '/', ':']).next().unwrap_or(value);
    let known = words(name);
    words(last).concat() == known.concat() || words(value).iter().all(|word| known.contains(word))
}

/// In small letters: `access`, `control` of `AccessControl`, `access-control` and `ACCESS_CONTROL`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut is_open, mut was_small) = (false, false);
    for letter in text.chars() {
        let is_large = letter.is_uppercase();
        if letter.is_alphanumeric() {
            if !is_open || is_large && was_small {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
        }
        is_open = letter.is_alphanumeric();
        was_small = is_open && !is_large;
    }
    words
}

/// An address with neither a user nor a part that could be a key: `https://login.host.io/oauth2/token`.
fn is_address(value: &str) -> bool {
    let Some((scheme, rest)) = value.split_once("://") else { return false };
    let (host, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (path, asked) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    let is_long = |part: &str| part.len() >= SHORTEST_KEY;
    let has_digit = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !host.contains('@')
        && !path.split('/').any(|part| is_long(part) && has_digit(part))
        && !asked.split(['?', '#', '&', '=', ';']).any(is_long)
}
