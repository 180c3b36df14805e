//! The pieces that were seen, and how many tokens each has: code repeats itself.
//!
//! All threads share what one has learned. A place holds a piece exactly, so that what is found there is right whoever wrote
//! it and when: up to seven bytes in one number, which is replaced as a whole, and up to fifteen in two, which are written
//! once and never again. What is longer and no token is rare, but lines that divide a file come again and again, and take
//! long: each thread remembers some of those.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

use super::{merge, pages, vocabulary};

/// Zero in a place that has no piece yet: a piece has a length, which stands in the highest byte but one half; there, above
/// it, stands the number of tokens, which is no larger.
static BRIEF: [AtomicU64; 1 << PLACES] = [const { AtomicU64::new(0) }; 1 << PLACES];
/// The last bytes with the length, and the first eight.
static SHORT: [[AtomicU64; 2]; 1 << PLACES] = [const { [AtomicU64::new(0), AtomicU64::new(0)] }; 1 << PLACES];
pub(super) const PLACES: u32 = 15;

/// So many bytes and their number go into a key.
const BRIEF_LENGTH: usize = 7;
const SHORT_LENGTH: usize = 15;
/// Where the length and the number of tokens stand.
const LENGTH: u32 = 56;
const TOKENS: u32 = 60;
const KEY: u64 = (1 << TOKENS) - 1;
/// In a place that is being written; no length is so small.
const WRITING: u64 = 1;

thread_local! {
    static LONG: RefCell<HashMap<Box<[u8]>, usize>> = RefCell::default();
}
/// So many of them, of so many bytes at most.
const MOST_LONG: usize = 512;
const LONGEST: usize = 256;

/// Bytes that were counted, until they are many.
static COUNTED: AtomicUsize = AtomicUsize::new(0);
const MANY: usize = 64 * 1024;
/// For a few texts a part of the places does: each page of memory that is made ready takes as long as many pieces do.
pub(super) const FEW_PLACES: u32 = 11;

/// Whether few texts were counted yet, this one among them.
pub(super) fn are_few(text: &str) -> bool {
    if COUNTED.load(Relaxed) >= MANY {
        return false;
    }
    let before = COUNTED.fetch_add(text.len(), Relaxed);
    if before == 0 {
        touch(FEW_PLACES);
        merge::touch();
        vocabulary::touch();
    }
    if before < MANY && before + text.len() >= MANY {
        touch(PLACES);
    }
    before < MANY
}

/// Makes the memory of so many places ready.
fn touch(places: u32) {
    let short = SHORT[..1 << places].as_flattened();
    for place in pages(&BRIEF[..1 << places]).chain(pages(short)) {
        _ = place.compare_exchange(0, 0, Relaxed, Relaxed);
    }
}

/// The tokens of the piece that begins and ends there in the text.
#[allow(
    clippy::inline_always,
    reason = "a call for every piece of all texts takes as long as what it is for"
)]
#[inline(always)]
pub(super) fn count<const USED: u32>(text: &[u8], start: usize, end: usize) -> usize {
    let length = end - start;
    if length > BRIEF_LENGTH {
        return count_longer::<USED>(text, start, end);
    }
    let key = key(bytes_at(text, start), length, length);
    let place = &BRIEF[place::<USED>(key)];
    let known = place.load(Relaxed);
    if known & KEY == key { (known >> TOKENS) as usize } else { learn(place, key, &text[start..end]) }
}

#[cold]
fn learn(place: &AtomicU64, key: u64, piece: &[u8]) -> usize {
    let count = merge::count(piece);
    place.store(key | (count as u64) << TOKENS, Relaxed);
    count
}

#[inline(never)]
fn count_longer<const USED: u32>(text: &[u8], start: usize, end: usize) -> usize {
    let length = end - start;
    if length > SHORT_LENGTH {
        return long(&text[start..end]);
    }
    let first = u64::from_le_bytes(bytes_at(text, start));
    let last = key(bytes_at(text, start + 8), length - 8, length);
    // Two neighbours: what came first stays where it is.
    let place = place::<USED>(first ^ last.rotate_left(29));
    for [last_known, first_known] in [&SHORT[place], &SHORT[place ^ 1]] {
        let known = last_known.load(Acquire);
        if known & KEY == last && first_known.load(Relaxed) == first {
            return (known >> TOKENS) as usize;
        }
    }
    learn_longer([&SHORT[place], &SHORT[place ^ 1]], [last, first], &text[start..end])
}

#[cold]
fn learn_longer(places: [&[AtomicU64; 2]; 2], [last, first]: [u64; 2], piece: &[u8]) -> usize {
    let count = merge::count(piece);
    for [last_known, first_known] in places {
        if last_known.compare_exchange(0, WRITING, Acquire, Relaxed).is_ok() {
            first_known.store(first, Relaxed);
            last_known.store(last | (count as u64) << TOKENS, Release);
            break;
        }
    }
    count
}

fn long(piece: &[u8]) -> usize {
    if merge::is_token(piece) {
        return 1;
    }
    LONG.with_borrow_mut(|known| {
        if let Some(count) = known.get(piece) {
            return *count;
        }
        let count = merge::count(piece);
        if known.len() < MOST_LONG && piece.len() <= LONGEST {
            known.insert(piece.into(), count);
        }
        count
    })
}

/// The first bytes of these in a number, with the length of the whole.
#[inline]
fn key(bytes: [u8; 8], first: usize, length: usize) -> u64 {
    u64::from_le_bytes(bytes) & ((1 << (8 * first)) - 1) | (length as u64) << LENGTH
}

/// Eight bytes: reading all of them and leaving out what is too much is faster than copying a few. Zeros where the text has
/// no more.
#[inline]
fn bytes_at(text: &[u8], start: usize) -> [u8; 8] {
    text.get(start..).and_then(|rest| rest.first_chunk().copied()).unwrap_or_else(|| last_bytes(text, start))
}

#[cold]
fn last_bytes(text: &[u8], start: usize) -> [u8; 8] {
    let mut padded = [0; 8];
    let rest = text.get(start..).unwrap_or_default();
    padded[..rest.len()].copy_from_slice(rest);
    padded
}

#[inline]
fn place<const USED: u32>(key: u64) -> usize {
    // No larger than there are, as the compiler can see.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - USED) & ((1 << PLACES) - 1)) as usize
}
