//! Where pieces begin among the next 64 bytes, found for all of them at once.
//!
//! Each class of bytes is a number with a bit for every place. Code is nearly all ASCII, and there the pattern looks back
//! no further than a run and ahead no further than one byte, so that the places where a piece begins are a few operations
//! on these numbers instead of decisions byte by byte. Where that does not hold (letters beyond ASCII, `'s` after a word,
//! `/` behind a line break that belongs to signs, a line of blanks alone), the known part ends, and the one piece is left
//! to the slow way.

use wide::i8x16;

/// So many bytes are looked at together, in steps of so many.
const WIDTH: usize = 64;
const SIXTEEN: usize = 16;
/// The bit that small letters have and capitals have not.
const SMALL: i8 = 0x20;

/// For each class, the places where such a byte stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Places {
    letter: u64,
    /// Small, if it is a letter.
    small: u64,
    digit: u64,
    /// Spaces, tabs and the like, but no line breaks.
    blank: u64,
    space: u64,
    line_break: u64,
    quote: u64,
    slash: u64,
    beyond: u64,
}

/// The places where pieces begin, counted from `at`, where one begins. The last one may be longer than what was looked at.
#[allow(clippy::inline_always, reason = "each of two callers asks for every 64 bytes of all texts")]
#[inline(always)]
pub(super) fn starts(bytes: &[u8], at: usize) -> u64 {
    let rest = &bytes[at..];
    if let Some(block) = rest.first_chunk() {
        return among(&Places::of(block), WIDTH);
    }
    let mut block = [0; WIDTH];
    block[..rest.len()].copy_from_slice(rest);
    among(&Places::of(&block), rest.len())
}

#[inline]
fn among(places: &Places, length: usize) -> u64 {
    let length = length.min(places.beyond.trailing_zeros() as usize);
    let known = below(length);
    let letter = places.letter & known;
    let small = letter & places.small;
    let digit = places.digit & known;
    let blank = places.blank & known;
    let line_break = places.line_break & known;
    let sign = known & !(letter | digit | blank | line_break);

    // A word begins behind anything else, and at a capital behind a small letter.
    let word = letter & !(letter << 1);
    // The one sign before it belongs to it unless a space stands before that; so does the one blank.
    let sign_begins = sign & !(sign << 1) & !(places.space << 1);
    let mut starts =
        word & !(sign_begins << 1) & !(blank << 1) | letter & !small & (small << 1) | sign_begins;

    // Digits go by three.
    let mut three = digit & !(digit << 1);
    while three != 0 {
        starts |= three;
        three = (three << 3) & digit & (digit << 1) & (digit << 2);
    }

    // Line breaks belong to the signs or the blanks before them.
    let breaks = line_break & !(line_break << 1);
    starts |= breaks & !(sign << 1) & !(blank << 1);
    let behind_signs = (breaks & (sign << 1)).wrapping_add(line_break) & !line_break;

    // Blanks are a piece up to the last one, which belongs to what follows; those before a line break belong to it.
    let blanks = blank & !(blank << 1);
    starts |= blanks | blank & !(blank >> 1) & !(line_break >> 1);

    // What all this does not see: endings of words, slashes that belong to signs, lines of blanks alone.
    let ending = places.quote & (letter << 1) & (letter >> 1 | 1 << (length.max(1) - 1));
    let mut unknown = ending | behind_signs & places.slash;
    let after_break = blanks & (line_break << 1) & !behind_signs;
    let empty_lines = after_break.wrapping_add(blank) & !blank & line_break;
    if empty_lines != 0 {
        let before = after_break & below(empty_lines.trailing_zeros() as usize);
        unknown |= 1 << before.checked_ilog2().unwrap_or(0);
    }
    let length = length.min(unknown.trailing_zeros() as usize);
    // Where blanks at the end of the known part end is not known.
    let open = ((blank | line_break) << (WIDTH - length.max(1))).leading_ones() as usize;
    (starts | 1) & below(length.saturating_sub(open))
}

/// The places before `length`, which is at most [`WIDTH`].
#[inline]
fn below(length: usize) -> u64 {
    if length == WIDTH { u64::MAX } else { (1 << length) - 1 }
}

impl Places {
    #[allow(clippy::inline_always, reason = "its caller is")]
    #[inline(always)]
    fn of(block: &[u8; WIDTH]) -> Self {
        let mut places = Self::default();
        for (index, bytes) in block.as_chunks().0.iter().enumerate() {
            let bytes = i8x16::new(bytes.map(u8::cast_signed));
            let bits = |found: i8x16| u64::from(found.to_bitmask()) << (index * SIXTEEN);
            let is = |byte: u8| bytes.simd_eq(i8x16::splat(byte.cast_signed()));
            // Bytes beyond ASCII are negative, and so in no range.
            let within = |bytes: i8x16, first: u8, last: u8| {
                let (first, last) = (first.cast_signed(), last.cast_signed());
                bytes.simd_gt(i8x16::splat(first - 1)) & bytes.simd_lt(i8x16::splat(last + 1))
            };
            places.letter |= bits(within(bytes | i8x16::splat(SMALL), b'a', b'z'));
            places.small |= bits(bytes.simd_gt(i8x16::splat(b'Z'.cast_signed())));
            places.digit |= bits(within(bytes, b'0', b'9'));
            places.space |= bits(is(b' '));
            places.line_break |= bits(is(b'\n') | is(b'\r'));
            places.blank |= bits(within(bytes, b'\t', b'\r'));
            places.quote |= bits(is(b'\''));
            places.slash |= bits(is(b'/'));
            places.beyond |= bits(bytes);
        }
        places.blank = (places.blank | places.space) & !places.line_break;
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_its_classes() {
        for byte in 0..=u8::MAX {
            let mut block = [b'\0'; WIDTH];
            let all = [0, 15, 16, 63];
            for place in all {
                block[place] = byte;
            }
            let at = |yes: bool| if yes { all.iter().map(|place| 1 << place).sum() } else { 0 };
            let found = Places::of(&block);
            assert_eq!(found.letter, at(byte.is_ascii_alphabetic()), "{byte:#x}");
            assert_eq!(found.letter & found.small, at(byte.is_ascii_lowercase()), "{byte:#x}");
            assert_eq!(found.digit, at(byte.is_ascii_digit()), "{byte:#x}");
            assert_eq!(found.blank, at(matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)), "{byte:#x}");
            assert_eq!(found.space, at(byte == b' '), "{byte:#x}");
            assert_eq!(found.line_break, at(matches!(byte, b'\r' | b'\n')), "{byte:#x}");
            assert_eq!(found.quote, at(byte == b'\''), "{byte:#x}");
            assert_eq!(found.slash, at(byte == b'/'), "{byte:#x}");
            assert_eq!(found.beyond, at(!byte.is_ascii()), "{byte:#x}");
        }
    }
}
