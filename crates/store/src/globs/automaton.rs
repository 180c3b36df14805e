//! A pattern as a machine that reads a path character by character, and the question whether two of them can read the
//! same path to their ends.

use std::collections::BTreeSet;

use super::braces::closes_class;

#[derive(Debug)]
pub(super) struct Automaton {
    states: Vec<State>,
    starts: Vec<usize>,
}

#[derive(Debug, Default)]
struct State {
    /// Without reading anything.
    free: Vec<usize>,
    moves: Vec<(Symbols, usize)>,
    end: bool,
}

/// What a step may read: the separator, or some of the other characters.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Symbols {
    Separator,
    /// Sorted ranges that do not touch.
    Characters(Vec<(u32, u32)>),
}

const LAST: u32 = char::MAX as u32;
const SLASH: u32 = '/' as u32;

impl Automaton {
    /// Reads what any of the patterns matches; they have no braces.
    pub(super) fn new(patterns: &[String]) -> Self {
        let mut automaton = Automaton { states: Vec::new(), starts: Vec::new() };
        for pattern in patterns {
            let start = automaton.state();
            automaton.starts.push(start);
            let end = automaton.pattern(pattern, start);
            if let Some(state) = automaton.states.get_mut(end) {
                state.end = true;
            }
        }
        automaton
    }

    /// Whether both can read one and the same path. A path has no empty segment, which `*` alone would allow.
    pub(super) fn meets(&self, other: &Automaton) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<(usize, usize, bool)> = Vec::new();
        for left in &self.starts {
            waiting.extend(other.starts.iter().map(|right| (*left, *right, false)));
        }
        while let Some((left, right, named)) = waiting.pop() {
            if !seen.insert((left, right, named)) {
                continue;
            }
            let (Some(here), Some(there)) = (self.states.get(left), other.states.get(right)) else {
                continue;
            };
            if here.end && there.end && named {
                return true;
            }
            waiting.extend(here.free.iter().map(|next| (*next, right, named)));
            waiting.extend(there.free.iter().map(|next| (left, *next, named)));
            for (symbols, next) in &here.moves {
                for (others, beside) in &there.moves {
                    match (symbols, others) {
                        (Symbols::Separator, Symbols::Separator) if named => {
                            waiting.push((*next, *beside, false));
                        }
                        (Symbols::Characters(some), Symbols::Characters(others)) if share(some, others) => {
                            waiting.push((*next, *beside, true));
                        }
                        _ => {}
                    }
                }
            }
        }
        false
    }

    fn state(&mut self) -> usize {
        self.states.push(State::default());
        self.states.len() - 1
    }

    fn step(&mut self, from: usize, symbols: Symbols, to: usize) {
        if let Some(state) = self.states.get_mut(from) {
            state.moves.push((symbols, to));
        }
    }

    fn free(&mut self, from: usize, to: usize) {
        if let Some(state) = self.states.get_mut(from) {
            state.free.push(to);
        }
    }

    fn pattern(&mut self, pattern: &str, start: usize) -> usize {
        // `folder/` is everything below it.
        let (body, below) = match pattern.strip_suffix('/') {
            Some(body) => (body.trim_end_matches('/'), true),
            None => (pattern, false),
        };
        let mut segments: Vec<&str> =
            body.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
        if below {
            segments.push("**");
        }
        let mut at = start;
        for (index, segment) in segments.iter().enumerate() {
            let last = index + 1 == segments.len();
            at = match (*segment, last) {
                ("**", true) => self.everything(at),
                ("**", false) => self.folders(at),
                (segment, last) => {
                    let end = self.segment(segment, at);
                    if last {
                        end
                    } else {
                        let next = self.state();
                        self.step(end, Symbols::Separator, next);
                        next
                    }
                }
            };
        }
        at
    }

    /// Any number of folders, each with its separator.
    fn folders(&mut self, from: usize) -> usize {
        let inside = self.state();
        let after = self.state();
        self.step(from, anything(), inside);
        self.step(inside, anything(), inside);
        self.step(inside, Symbols::Separator, from);
        // What comes next is entered from here, so that it is never read as one more folder's beginning.
        self.free(from, after);
        after
    }

    /// One or more segments.
    fn everything(&mut self, from: usize) -> usize {
        let inside = self.state();
        self.step(from, anything(), inside);
        self.step(inside, anything(), inside);
        self.step(inside, Symbols::Separator, from);
        inside
    }

    fn segment(&mut self, segment: &str, start: usize) -> usize {
        let mut at = start;
        let mut rest = segment;
        while let Some(first) = rest.chars().next() {
            let mut used = first.len_utf8();
            let symbols = match first {
                '*' => {
                    // Its own state, because a loop on a state that a folder leads back to would be one too many.
                    let around = self.state();
                    self.free(at, around);
                    self.step(around, anything(), around);
                    at = around;
                    rest = rest.get(used..).unwrap_or_default();
                    continue;
                }
                '?' => anything(),
                '[' if closes_class(rest, 0) => {
                    let (class, length) = class(rest);
                    used = length;
                    Symbols::Characters(class)
                }
                '\\' => match rest.chars().nth(1) {
                    Some(next) => {
                        used += next.len_utf8();
                        exactly(next)
                    }
                    None => exactly('\\'),
                },
                one => exactly(one),
            };
            let next = self.state();
            self.step(at, symbols, next);
            at = next;
            rest = rest.get(used..).unwrap_or_default();
        }
        at
    }
}

fn anything() -> Symbols {
    Symbols::Characters(vec![(0, SLASH - 1), (SLASH + 1, LAST)])
}

fn exactly(one: char) -> Symbols {
    Symbols::Characters(vec![(one as u32, one as u32)])
}

/// A class and its length in bytes. It never holds the separator.
fn class(text: &str) -> (Vec<(u32, u32)>, usize) {
    let mut ranges = Vec::new();
    let body = text.get(1..).unwrap_or_default();
    let negated = body.starts_with(['!', '^']);
    let mut characters = body.char_indices().skip(usize::from(negated)).peekable();
    let mut first = true;
    let mut length = text.len();
    while let Some((at, one)) = characters.next() {
        if one == ']' && !first {
            length = 1 + at + 1;
            break;
        }
        first = false;
        let low = if one == '\\' { characters.next().map_or(one, |(_, next)| next) } else { one };
        let mut high = low;
        let mut ahead = characters.clone();
        if let (Some((_, '-')), Some((_, end))) = (ahead.next(), ahead.next()) {
            if end != ']' {
                high = end;
                characters.next();
                characters.next();
            }
        }
        if low <= high {
            ranges.push((low as u32, high as u32));
        }
    }
    (without_slash(&settled(ranges, negated)), length)
}

fn settled(mut ranges: Vec<(u32, u32)>, negated: bool) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (low, high) in ranges {
        match joined.last_mut() {
            Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
            _ => joined.push((low, high)),
        }
    }
    if !negated {
        return joined;
    }
    let mut rest = Vec::new();
    let mut from = 0;
    for (low, high) in joined {
        if low > from {
            rest.push((from, low - 1));
        }
        from = high.saturating_add(1);
    }
    if from <= LAST {
        rest.push((from, LAST));
    }
    rest
}

fn without_slash(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut rest = Vec::new();
    for &(low, high) in ranges {
        if low <= SLASH && SLASH <= high {
            if low < SLASH {
                rest.push((low, SLASH - 1));
            }
            if high > SLASH {
                rest.push((SLASH + 1, high));
            }
        } else {
            rest.push((low, high));
        }
    }
    rest
}

fn share(left: &[(u32, u32)], right: &[(u32, u32)]) -> bool {
    left.iter().any(|(low, high)| right.iter().any(|(other, end)| low <= end && other <= high))
}
