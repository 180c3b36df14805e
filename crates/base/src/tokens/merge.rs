//! Byte pair merging: the neighbours whose join has the lowest rank become one, again and again, leftmost first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::pages;
use super::vocabulary::rank;

/// Up to here, looking at every neighbour each time is faster than a heap.
const SHORT: usize = 96;
/// Most pieces are no longer, and less room is sooner made ready.
const BRIEF: usize = 16;
const NONE: u32 = u32::MAX;

/// So many joins are looked at together.
const LANES: usize = 8;
/// No join.
const NEVER: i32 = i32::MAX;
/// The bits of a join that say where it stands.
const PLACE: i32 = 127;

/// The rank of each pair of bytes that was asked for, and one more; what has no rank has the highest.
static PAIRS: [AtomicU32; 1 << 16] = [const { AtomicU32::new(0) }; 1 << 16];

/// Makes the memory for pairs that begin in ASCII ready.
pub(super) fn touch() {
    for place in pages(&PAIRS[..1 << 15]) {
        _ = place.compare_exchange(0, 0, Relaxed, Relaxed);
    }
}

/// The tokens of one piece.
pub(super) fn count(piece: &[u8]) -> usize {
    match piece {
        [] | [_] => piece.len(),
        [first, second] => 1 + usize::from(pair(*first, *second) == NONE),
        _ if is_token(piece) => 1,
        // Once two parts are left no more can be joined: the whole is no token.
        [a, b, c] => 3 - usize::from(pair(*a, *b) != NONE || pair(*b, *c) != NONE),
        [a, b, c, d] => count_four(piece, [pair(*a, *b), pair(*b, *c), pair(*c, *d)]),
        _ if piece.len() <= BRIEF => count_short::<BRIEF>(piece),
        _ if piece.len() <= SHORT => count_short::<SHORT>(piece),
        _ => count_long(piece),
    }
}

pub(super) fn is_token(piece: &[u8]) -> bool {
    rank(piece).is_some()
}

/// Four bytes that are no token, by the ranks of their pairs.
fn count_four(piece: &[u8], [first, middle, last]: [u32; 3]) -> usize {
    let lowest = first.min(middle).min(last);
    if lowest == NONE {
        return 4;
    }
    let goes_on = if first == lowest {
        last != NONE || is_token(&piece[..3])
    } else if middle == lowest {
        is_token(&piece[..3]) || is_token(&piece[1..])
    } else {
        first != NONE || is_token(&piece[1..])
    };
    3 - usize::from(goes_on)
}

/// There is room for `ROOM` bytes, a multiple of [`LANES`].
fn count_short<const ROOM: usize>(piece: &[u8]) -> usize {
    let size = piece.len();
    let mut parts = size;
    // Where the part that begins here ends, and where the part that ends before here begins.
    let (mut ends, mut starts) = ([0_u8; ROOM], [0_u8; ROOM]);
    for (at, (end, start)) in (0_u8..).zip(ends.iter_mut().zip(&mut starts)).take(size) {
        (*end, *start) = (at + 1, at.saturating_sub(1));
    }
    let mut joins = [NEVER; ROOM];
    for ((at, join), two) in (0_u8..).zip(&mut joins).zip(piece.windows(2)) {
        *join = ranked(pair(two[0], two[1]), at);
    }
    let used = size.next_multiple_of(LANES).min(ROOM);
    loop {
        let join = lowest(&joins[..used]);
        if join == NEVER {
            return parts;
        }
        let start = (join & PLACE).cast_unsigned() as usize;
        let middle = usize::from(ends[start]);
        let end = usize::from(ends[middle]);
        let here = starts[middle];
        ends[start] = ends[middle];
        (joins[start], joins[middle]) = (NEVER, NEVER);
        parts -= 1;
        if end < size {
            starts[end] = here;
            joins[start] = ranked(joined(piece, start, usize::from(ends[end])), here);
        }
        if start > 0 {
            let before = starts[start];
            joins[usize::from(before)] = ranked(joined(piece, usize::from(before), end), before);
        }
    }
}

/// A rank above the place where it stands, so that the least of them is the lowest rank, and the leftmost of those.
fn ranked(rank: u32, at: u8) -> i32 {
    match rank {
        NONE => NEVER,
        _ => (rank << PLACE.count_ones() | u32::from(at)).cast_signed(),
    }
}

fn pair(first: u8, second: u8) -> u32 {
    let place = &PAIRS[usize::from(first) << 8 | usize::from(second)];
    let mut known = place.load(Relaxed);
    if known == 0 {
        known = rank(&[first, second]).map_or(NONE, |rank| rank + 1);
        place.store(known, Relaxed);
    }
    if known == NONE { NONE } else { known - 1 }
}

/// The least of them, several at a time.
fn lowest(joins: &[i32]) -> i32 {
    let least = joins.as_chunks().0.iter().fold([NEVER; LANES], |least, some: &[i32; LANES]| {
        std::array::from_fn(|lane| least[lane].min(some[lane]))
    });
    least.into_iter().min().unwrap_or(NEVER)
}

fn joined(piece: &[u8], start: usize, end: usize) -> u32 {
    // The whole is no token: that was asked first.
    let part = piece.get(start..end).filter(|part| part.len() < piece.len());
    part.and_then(rank).unwrap_or(NONE)
}

/// The same with a heap of joins; one that is out of date is known by its end.
fn count_long(piece: &[u8]) -> usize {
    let size = piece.len();
    // Where the part that begins here ends; 0 for a place inside a part.
    let mut ends: Vec<usize> = (1..=size).collect();
    let mut before: Vec<usize> = (0..size).map(|at| at.wrapping_sub(1)).collect();
    let join = |start: usize, end: usize| piece.get(start..end).and_then(rank);
    let mut heap: BinaryHeap<Reverse<(u32, usize, usize)>> =
        (0..size.saturating_sub(1)).filter_map(|at| Some(Reverse((join(at, at + 2)?, at, at + 2)))).collect();
    let mut parts = size;
    while let Some(Reverse((_, start, end))) = heap.pop() {
        let middle = ends[start];
        let current = middle != 0 && middle < size && ends[middle] == end;
        if !current {
            continue;
        }
        ends[start] = end;
        ends[middle] = 0;
        parts -= 1;
        if end < size {
            before[end] = start;
            heap.extend(join(start, ends[end]).map(|rank| Reverse((rank, start, ends[end]))));
        }
        if let Some(left) = start.checked_sub(1).map(|_| before[start]) {
            heap.extend(join(left, end).map(|rank| Reverse((rank, left, end))));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_count_the_same() {
        let mut state = 7_u64;
        for length in (0..400).map(|round| 3 + round % 4).chain(2..=SHORT) {
            let piece: Vec<u8> = (0..length)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    b"etaoinshrdlu_ET("[(state >> 60) as usize]
                })
                .collect();
            if rank(&piece).is_some() {
                continue;
            }
            let short = count_short::<SHORT>(&piece);
            assert_eq!(count_long(&piece), short, "{}", String::from_utf8_lossy(&piece));
            assert_eq!(count(&piece), short, "{}", String::from_utf8_lossy(&piece));
        }
    }
}
