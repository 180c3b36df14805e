//! The bearer token as HTTP sees it: which texts can be one, how it is read from a header, how it is compared.
//!
//! Where it comes from (environment, file, generated) is the caller's business.

use std::fmt;

use http::{HeaderMap, HeaderValue, header};
use subtle::ConstantTimeEq;

use crate::error::WebError;

/// A page cannot set headers of a WebSocket, but it names the subprotocols: one of them can carry the token.
const PROTOCOL_PREFIX: &str = "bearer.";
const MAX_LENGTH: usize = 4096;
const WEAK_LENGTH: usize = 16;

/// A token of which only the digest is kept: it cannot be printed, and a comparison tells nothing of its length.
#[derive(Clone)]
pub struct Secret {
    digest: [u8; blake3::OUT_LEN],
    weak: bool,
}

impl Secret {
    /// Takes what RFC 6750 lets stand after `Bearer`: letters, digits, `-._~+/` and `=` at the end.
    pub fn new(text: &str) -> Result<Self, WebError> {
        let unusable = |reason| WebError::UnusableToken { reason };
        if text.is_empty() {
            return Err(unusable("it is empty"));
        }
        if text.len() > MAX_LENGTH {
            return Err(unusable("it is too long for a header"));
        }
        let body = text.trim_end_matches('=');
        let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
        if body.is_empty() || !body.bytes().all(is_token_byte) {
            return Err(unusable("it holds a character that a bearer token cannot have"));
        }
        Ok(Self { digest: digest(text.as_bytes()), weak: text.len() < WEAK_LENGTH })
    }

    /// Short enough to be guessed by another program on this machine.
    pub fn is_weak(&self) -> bool {
        self.weak
    }

    pub(crate) fn matches(&self, candidate: &[u8]) -> bool {
        digest(candidate).ct_eq(&self.digest).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// What the Authorization header of a request holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Presented<'a> {
    Nothing,
    Bearer(&'a [u8]),
    /// Another scheme, no token after the scheme, or more than one header.
    Unusable,
}

pub(crate) fn presented(headers: &HeaderMap) -> Presented<'_> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    match (values.next(), values.next()) {
        (None, _) => Presented::Nothing,
        (Some(value), None) => bearer(value).map_or(Presented::Unusable, Presented::Bearer),
        (Some(_), Some(_)) => Presented::Unusable,
    }
}

/// As [`presented`]; where there is no such header, a subprotocol `bearer.TOKEN` stands in for it.
pub(crate) fn presented_to_feed(headers: &HeaderMap) -> Presented<'_> {
    match presented(headers) {
        Presented::Nothing => {
            let mut tokens = protocols(headers).filter_map(|name| name.strip_prefix(PROTOCOL_PREFIX));
            match (tokens.next(), tokens.next()) {
                (None, _) => Presented::Nothing,
                (Some(token), None) if !token.is_empty() => Presented::Bearer(token.as_bytes()),
                (Some(_), _) => Presented::Unusable,
            }
        }
        other => other,
    }
}

/// The token is never answered, nor seen by what is behind the checks.
pub(crate) fn remove_from_protocols(headers: &mut HeaderMap) {
    if !headers.contains_key(header::SEC_WEBSOCKET_PROTOCOL) {
        return;
    }
    let others: Vec<&str> = protocols(headers).filter(|name| !name.starts_with(PROTOCOL_PREFIX)).collect();
    let value = HeaderValue::from_str(&others.join(", "));
    headers.remove(header::SEC_WEBSOCKET_PROTOCOL);
    if let Some(value) = value.ok().filter(|value| !value.is_empty()) {
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, value);
    }
}

fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).map(str::trim)
}

fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, rest) = value.as_bytes().split_at_checked(b"bearer ".len())?;
    let token = rest.trim_ascii();
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}

fn digest(text: &[u8]) -> [u8; blake3::OUT_LEN] {
    *blake3::hash(text).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_token_matches() {
        let secret = Secret::new("abcDEF-._~+/123=").unwrap();
        assert!(secret.matches(b"abcDEF-._~+/123="));
        for other in ["", "abcDEF-._~+/123", "abcDEF-._~+/123==", "abcdef-._~+/123=", "x"] {
            assert!(!secret.matches(other.as_bytes()), "{other}");
        }
        assert!(!secret.is_weak());
        assert!(Secret::new("short").unwrap().is_weak());
    }

    #[test]
    fn a_text_that_no_header_could_carry_is_refused() {
        let too_long = "x".repeat(MAX_LENGTH + 1);
        for text in ["", "=", "two words", "line\nbreak", "a=b", "schlüssel", &too_long] {
            let error = Secret::new(text).unwrap_err();
            assert_eq!(error.code(), "http_token_unusable", "{text}");
            assert!(!format!("{error} {error:?}").contains("schlüssel"), "an error shows no token");
        }
    }

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new("do-not-print-me-please").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn the_scheme_is_read_in_any_case_and_one_header_only() {
        let read = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().unwrap());
            }
            match presented(&headers) {
                Presented::Bearer(token) => String::from_utf8(token.to_vec()).unwrap(),
                other => format!("{other:?}"),
            }
        };
        assert_eq!(read(&[]), "Nothing");
        for value in ["Bearer abc", "bearer abc", "BEARER   abc "] {
            assert_eq!(read(&[value]), "abc");
        }
        for value in ["Basic abc", "Bearer", "Bearer ", "Bearerabc", "abc", ""] {
            assert_eq!(read(&[value]), "Unusable", "{value}");
        }
        assert_eq!(read(&["Bearer abc", "Bearer abc"]), "Unusable");
    }
}
