//! The text of a file from its bytes: UTF-8, or what a byte order mark says it is instead.

use std::borrow::Cow;

/// Total: what is no text at all becomes one with replacement characters. A byte order mark of UTF-8 is left in.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    // A text that is sound, as almost all are, is checked much faster than one is mended.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(rest, u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// UTF-16; a byte too many at the end is no letter.
fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let pairs = bytes.chunks(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0xfffd,
    });
    char::decode_utf16(pairs).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_utf16(text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn a_byte_order_mark_says_which_encoding_it_is() {
        let text = "export const grüße = '🦀';\r\n";
        assert_eq!(decoded(text.as_bytes()), text);
        assert_eq!(decoded(&in_utf16(text, [0xff, 0xfe], u16::to_le_bytes)), text);
        assert_eq!(decoded(&in_utf16(text, [0xfe, 0xff], u16::to_be_bytes)), text);
        assert_eq!(decoded(&in_utf16("", [0xff, 0xfe], u16::to_le_bytes)), "");
    }

    #[test]
    fn whatever_the_bytes_are_there_is_a_text() {
        assert_eq!(decoded(b"caf\xe9 = 1"), "caf\u{fffd} = 1");
        assert_eq!(decoded(b"\xff\xfea\0b"), "a\u{fffd}");
        // Half of a pair of surrogates.
        assert_eq!(decoded(b"\xfe\xff\xd8\x00\x00a"), "\u{fffd}a");
    }
}
