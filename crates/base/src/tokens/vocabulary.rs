//! The vocabulary as a table that is used as it lies in the program. `cargo xtask vocabulary` writes it, in this layout:
//!
//! 1. the number of character ranges, and each range: its first character, with its class in the highest byte;
//! 2. where each of the 65,536 buckets begins among the entries, and where the last one ends;
//! 3. the entries of each bucket: length (1 byte), rank (3 bytes), and the token itself.
//!
//! All numbers are little-endian; the bucket of a token is the upper half of the lower 32 bits of its hash.

const TABLE: &[u8] = include_bytes!("o200k_base.bin");
const BUCKETS: usize = 1 << 16;

/// The class of a character, as the pattern of the encoding tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Neither a letter, nor a number, nor space.
    Other,
    /// `Lu`, `Lt`
    Upper,
    /// `Ll`
    Lower,
    /// `Lm`, `Lo`: goes with upper and lower case alike.
    Letter,
    /// `M`: the same, but it may also stand before a word like a sign.
    Mark,
    /// `N`
    Number,
    Space,
    /// `\r`, `\n`
    Break,
}

/// The rank of a token, if there is such a token.
pub(super) fn rank(token: &[u8]) -> Option<u32> {
    let bucket = (hash(token) >> 16) as usize & (BUCKETS - 1);
    let offsets = 4 + 4 * number(0) as usize;
    let entries = offsets + 4 * (BUCKETS + 1);
    let end = entries + number(offsets + 4 * (bucket + 1)) as usize;
    let mut at = entries + number(offsets + 4 * bucket) as usize;
    while at < end {
        let length = TABLE[at] as usize;
        // Most of a bucket is told apart by its first byte, without a call.
        let alike = length == token.len() && TABLE.get(at + 4) == token.first();
        if alike && TABLE[at + 4..at + 4 + length] == *token {
            return Some(u32::from_le_bytes([TABLE[at + 1], TABLE[at + 2], TABLE[at + 3], 0]));
        }
        at += 4 + length;
    }
    None
}

/// The class of a character beyond ASCII.
pub(super) fn class(letter: char) -> Class {
    let (mut low, mut high) = (0, number(0) as usize);
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if number(4 + 4 * middle) & 0x00ff_ffff <= letter as u32 { low = middle } else { high = middle }
    }
    match number(4 + 4 * low) >> 24 {
        1 => Class::Upper,
        2 => Class::Lower,
        3 => Class::Letter,
        4 => Class::Mark,
        5 => Class::Number,
        6 => Class::Space,
        _ => Class::Other,
    }
}

/// Mixed the same on every machine, because the table depends on it; public for the program that writes the table.
pub fn hash(token: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut chunks = token.chunks_exact(8);
    for chunk in chunks.by_ref() {
        let word = u64::from_le_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    let mut last = token.len() as u64;
    for byte in chunks.remainder() {
        last = (last << 8) | u64::from(*byte);
    }
    hash = (hash ^ last).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((hash ^ (hash >> 32)) & 0xffff_ffff) as u32
}

fn number(at: usize) -> u32 {
    u32::from_le_bytes([TABLE[at], TABLE[at + 1], TABLE[at + 2], TABLE[at + 3]])
}
