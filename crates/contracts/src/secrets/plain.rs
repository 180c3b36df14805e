//! Texts that are assigned to a name such as `token`, and are no secrets all the same: they say the name once more, or an
//! address that anybody may know.

/// In bytes: what is shorter opens nothing.
const SHORTEST_KEY: usize = 16;

/// Whether a text that is assigned behind `at`, which is within the name of what it is assigned to, is none.
pub(super) fn is_plain(text: &str, at: usize, value: &str) -> bool {
    is_address(value) || spells(name_around(text, at), value)
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
