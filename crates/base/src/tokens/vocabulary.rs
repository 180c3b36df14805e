//! The vocabulary as a table that is used as it lies in the program. `cargo xtask vocabulary` writes it, in this layout:
//!
//! 1. the number of character ranges, and each range: its first character, with its class in the highest byte;
//! 2. where each of the 65,536 buckets begins among the entries, and where the last one ends: 8 bytes each, of which the
//!    upper 42 bits have two for each of its tokens, so that what is no token is known by one look;
//! 3. the entries of each bucket: length (1 byte), rank (3 bytes), and the token itself.
//!
//! All numbers are little-endian; the bucket of a token is the upper half of its hash, and its bits come from the lower.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::pages;

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
    let hash = hash(token);
    let bucket = (hash >> 16) as usize;
    let offsets = 4 + 4 * number(0) as usize;
    let here = offset(offsets + 8 * bucket);
    if here & bits(hash) != bits(hash) {
        return None;
    }
    let key = key(token);
    let place = &FOUND[(hash & FOUND_MASK) as usize];
    let known = place.load(Relaxed);
    if key != 0 && known >> RANK_BITS == key {
        return Some((known & RANK) as u32);
    }
    let found = search(token, offsets, here, bucket)?;
    if key != 0 {
        place.store(key << RANK_BITS | u64::from(found), Relaxed);
    }
    Some(found)
}

/// Short tokens that were found, whole and with their ranks: texts that are no words have few others, and they are nearer
/// together here than among all entries. Zero in a place that has none.
static FOUND: [AtomicU64; 1 << 14] = [const { AtomicU64::new(0) }; 1 << 14];
const FOUND_MASK: u32 = (1 << 14) - 1;
const RANK_BITS: u32 = 18;
const RANK: u64 = (1 << RANK_BITS) - 1;

/// Makes the memory for them ready.
pub(super) fn touch() {
    for place in pages(&FOUND) {
        _ = place.compare_exchange(0, 0, Relaxed, Relaxed);
    }
}

/// A token of three to five bytes with its length; zero for others.
fn key(token: &[u8]) -> u64 {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    match token {
        [_, _, _] | [_, _, _, _] | [_, _, _, _, _] => number(token) | (token.len() as u64) << 40,
        _ => 0,
    }
}

fn search(token: &[u8], offsets: usize, here: u64, bucket: usize) -> Option<u32> {
    let entries = offsets + 8 * (BUCKETS + 1);
    let end = entries + (offset(offsets + 8 * (bucket + 1)) & OFFSET) as usize;
    let mut at = entries + (here & OFFSET) as usize;
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

/// Of what says where a bucket begins, the bits that say it.
const OFFSET: u64 = (1 << 22) - 1;

/// Those of the 42 bits above them that tokens with this hash have; public for the program that writes the table, as
/// [`hash`] is.
pub const fn bits(hash: u32) -> u64 {
    let (one, other) = (hash & 0xff, hash >> 8 & 0xff);
    1 << (22 + ((one * 42) >> 8)) | 1 << (22 + ((other * 42) >> 8))
}

/// Mixed the same on every machine, because the table depends on it.
pub fn hash(token: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = token.len() as u64;
    let mut rest = token;
    while let Some((eight, more)) = rest.split_first_chunk() {
        hash = (hash ^ u64::from_le_bytes(*eight)).wrapping_mul(FACTOR);
        hash ^= hash >> 29;
        rest = more;
    }
    // Up to seven bytes are two numbers that may overlap, or three bytes.
    let last = match (rest.first_chunk(), rest.last_chunk(), rest) {
        (Some(first), Some(last), _) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        }
        (_, _, [first, .., last]) => {
            u64::from(*first) | u64::from(rest[rest.len() / 2]) << 8 | u64::from(*last) << 16
        }
        (_, _, [only]) => u64::from(*only),
        _ => 0,
    };
    hash = (hash ^ last).wrapping_mul(FACTOR);
    hash ^= hash >> 32;
    (hash.wrapping_mul(FACTOR) >> 32) as u32
}

#[inline]
fn offset(at: usize) -> u64 {
    TABLE[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn number(at: usize) -> u32 {
    TABLE[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}
