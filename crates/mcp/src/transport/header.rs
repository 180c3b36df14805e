//! The header block of `Content-Length` framing: read line by line, bounded, with its faults named.
//!
//! Owns which headers mean something and what follows from a broken block. It does not read the body.

use thiserror::Error;

/// What a header block may take in all. Ours are about 25 bytes; a peer that needs more is not speaking to us.
pub const MAX_HEADER_BYTES: usize = 8 * 1024;

const CONTENT_LENGTH: &str = "content-length";
const CONTENT_TYPE: &str = "content-type";

/// How the one header that matters begins, in lower case.
pub(super) const CONTENT_LENGTH_FIELD: &[u8] = b"content-length:";

/// Why a header block cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeaderFault {
    #[error("a line before the message is not a header")]
    NotAHeader,
    #[error("the header block has no Content-Length")]
    MissingLength,
    #[error("the header block has more than one Content-Length")]
    DuplicateLength,
    #[error("Content-Length must be a number of bytes, not {value:?}")]
    InvalidLength { value: String },
    #[error("the charset {charset:?} is not supported; send utf-8")]
    UnsupportedCharset { charset: String },
    #[error("the header block is longer than {MAX_HEADER_BYTES} bytes")]
    TooLong,
}

/// What to do with the bytes behind the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Read(u64),
    Skip(u64),
    Unknown,
}

/// What one push told.
#[derive(Debug)]
pub(super) struct HeaderStep {
    pub(super) used: usize,
    pub(super) fault: Option<HeaderFault>,
    /// Present when the block has ended.
    pub(super) body: Option<Body>,
}

/// A header block in the making.
#[derive(Debug, Default)]
pub(super) struct HeaderBlock {
    bytes: usize,
    line: Vec<u8>,
    length: Length,
    reported: bool,
    /// The block is understood, and its body must not be.
    refused: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Length {
    #[default]
    Missing,
    Known(u64),
    Unknowable,
}

impl HeaderBlock {
    pub(super) fn starting_with(line: &[u8]) -> Self {
        Self { bytes: line.len(), line: line.to_vec(), ..Self::default() }
    }

    /// Whether something of a block has been read that nothing was said about.
    pub(super) fn is_open(&self) -> bool {
        self.bytes > 0 && !self.reported
    }

    /// Reads up to the end of one line.
    pub(super) fn push(&mut self, bytes: &[u8]) -> HeaderStep {
        let padding = if self.bytes == 0 {
            bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
        } else {
            0
        };
        let bytes = &bytes[padding..];
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let wanted = end.map_or(bytes.len(), |end| end + 1);
        let taken = wanted.min(MAX_HEADER_BYTES - self.bytes);
        self.bytes += taken;
        self.line.extend_from_slice(&bytes[..taken]);
        let used = padding + taken;
        if taken < wanted {
            return HeaderStep { used, fault: self.report(HeaderFault::TooLong), body: Some(Body::Unknown) };
        }
        if end.is_none() {
            return HeaderStep { used, fault: None, body: None };
        }
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        if line.is_empty() {
            let fault =
                if self.length == Length::Missing { self.report(HeaderFault::MissingLength) } else { None };
            return HeaderStep { used, fault, body: Some(self.body()) };
        }
        let fault = self.field(line).and_then(|fault| self.report(fault));
        HeaderStep { used, fault, body: None }
    }

    fn body(&self) -> Body {
        match self.length {
            Length::Known(length) if self.refused => Body::Skip(length),
            Length::Known(length) => Body::Read(length),
            Length::Missing | Length::Unknowable => Body::Unknown,
        }
    }

    /// One fault of each block is told; the others would only repeat it.
    fn report(&mut self, fault: HeaderFault) -> Option<HeaderFault> {
        if std::mem::replace(&mut self.reported, true) { None } else { Some(fault) }
    }

    fn field(&mut self, line: &[u8]) -> Option<HeaderFault> {
        let Some((name, value)) = split_field(line) else { return Some(HeaderFault::NotAHeader) };
        if name.eq_ignore_ascii_case(CONTENT_LENGTH) {
            self.content_length(value)
        } else if name.eq_ignore_ascii_case(CONTENT_TYPE) {
            self.content_type(value)
        } else {
            None
        }
    }

    fn content_length(&mut self, value: &str) -> Option<HeaderFault> {
        let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let parsed = if digits { value.parse::<u64>().ok() } else { None };
        let seen = self.length;
        self.length = match (seen, parsed) {
            (Length::Missing, Some(length)) => Length::Known(length),
            (Length::Known(first), Some(second)) if first == second => seen,
            _ => Length::Unknowable,
        };
        if seen != Length::Missing {
            self.refused = true;
            Some(HeaderFault::DuplicateLength)
        } else if parsed.is_none() {
            Some(HeaderFault::InvalidLength { value: excerpt(value) })
        } else {
            None
        }
    }

    fn content_type(&mut self, value: &str) -> Option<HeaderFault> {
        let charset = value.split(';').skip(1).find_map(|parameter| {
            let (name, charset) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then(|| charset.trim().trim_matches('"'))
        })?;
        if ["utf-8", "utf8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known)) {
            return None;
        }
        self.refused = true;
        Some(HeaderFault::UnsupportedCharset { charset: excerpt(charset) })
    }
}

fn split_field(line: &[u8]) -> Option<(&str, &str)> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    let name = name.trim_end();
    is_name(name.as_bytes()).then(|| (name, value.trim()))
}

/// Whether a block can begin with it. Later lines may have any name; the first one also has to tell a header from
/// whatever else a stream can begin with.
pub(super) fn is_known_name(name: &[u8]) -> bool {
    [CONTENT_LENGTH, CONTENT_TYPE].iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// A token, as HTTP has it.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// A value from outside, short enough to be quoted back.
fn excerpt(value: &str) -> String {
    value.chars().take(40).collect()
}
