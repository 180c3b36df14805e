//! Which of many short texts occur in a long one, whatever their case: asked of every file, answered with no in most.
//!
//! Of each short text three neighbouring letters are chosen that are rare in code. A pass over the long one looks for the
//! two pairs in them, of which one stands at an even place: it needs only every other place, remembers nothing from one
//! to the next, and so is faster than an automaton. Only where it meets a pair is the text around it compared.

use std::ops::Range;

/// Letters from frequent to rare, as in code; what is no letter is rarer still.
const FREQUENT: &[u8] = b"etarnosilcdupmgfhbyvwxkqjz";

/// Of two bytes.
const NUMBERS: usize = 1 << 16;

/// Hints, each with an owner.
#[derive(Debug)]
pub(super) struct Hints {
    /// For two bytes as a number, which of the pairs they are, counted from 1; 0 for none.
    numbers: Box<[u8]>,
    pairs: Vec<Pair>,
}

#[derive(Debug, Default)]
struct Pair {
    /// The letters that may stand before and behind it in one of the hints, a bit for each; all where the pair begins or ends
    /// one. Case is lost here, and so are some differences that the comparison makes again.
    before: u32,
    behind: u32,
    hints: Vec<Hint>,
}

#[derive(Debug, Clone, Copy)]
struct Hint {
    text: &'static [u8],
    /// Where one of its pairs stands in it.
    pair: usize,
    owner: usize,
}

impl Hints {
    /// Of hints of three letters or more; a shorter one is never found. There may be a hundred.
    pub(super) fn new(hints: impl Iterator<Item = (&'static str, usize)>) -> Self {
        let mut made = Self { numbers: vec![0; NUMBERS].into_boxed_slice(), pairs: Vec::new() };
        for (text, owner) in hints {
            let text = text.as_bytes();
            let rarity = |at: &usize| rank(text[*at]) + 2 * rank(text[at + 1]) + rank(text[at + 2]);
            let Some(first) = (0..text.len().saturating_sub(2)).max_by_key(rarity) else { continue };
            for at in [first, first + 1] {
                let pair = made.pair(text[at], text[at + 1]);
                pair.hints.push(Hint { text, pair: at, owner });
                let letters = |at: Option<usize>| {
                    at.and_then(|at| text.get(at)).map_or(u32::MAX, |letter| bit(*letter))
                };
                pair.before |= letters(at.checked_sub(1));
                pair.behind |= letters(Some(at + 2));
            }
        }
        made
    }

    /// The pair of these letters, in whatever case.
    fn pair(&mut self, first: u8, second: u8) -> &mut Pair {
        let (small, large) = (
            [first, second].map(|it| it.to_ascii_lowercase()),
            [first, second].map(|it| it.to_ascii_uppercase()),
        );
        let known = usize::from(self.numbers[number(small)]);
        let index = if known == 0 { self.pairs.len() } else { known - 1 };
        if known == 0 {
            self.pairs.push(Pair::default());
            let number_of = u8::try_from(self.pairs.len()).unwrap_or(u8::MAX);
            for pair in [small, large, [small[0], large[1]], [large[0], small[1]]] {
                self.numbers[number(pair)] = number_of;
            }
        }
        &mut self.pairs[index]
    }

    /// Calls `found` with the owner of every hint that is met, more than once for some, and where it begins and ends.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let bytes = text.as_bytes();
        let Some(numbers) = self.numbers.first_chunk::<NUMBERS>() else { return };
        let number_at = |pair: &[u8; 2]| numbers[number(*pair)];
        let (eights, rest) = bytes.as_chunks::<8>();
        for (index, eight) in eights.iter().enumerate() {
            let (pairs, _) = eight.as_chunks();
            // Most have none.
            if pairs.iter().fold(0, |all, pair| all | number_at(pair)) != 0 {
                for (pair, at) in pairs.iter().zip((8 * index..).step_by(2)) {
                    self.meet(number_at(pair), bytes, at, &mut found);
                }
            }
        }
        for (pair, at) in rest.as_chunks().0.iter().zip((8 * eights.len()..).step_by(2)) {
            self.meet(number_at(pair), bytes, at, &mut found);
        }
    }

    /// The same for hints that have the pair of this number where it stands. The letters around it mostly say no.
    #[inline]
    fn meet(&self, known: u8, bytes: &[u8], at: usize, found: &mut impl FnMut(usize, Range<usize>)) {
        let Some(pair) = usize::from(known).checked_sub(1).map(|known| &self.pairs[known]) else { return };
        let may_be = |at: Option<usize>, letters: u32| {
            at.and_then(|at| bytes.get(at)).is_none_or(|letter| letters & bit(*letter) != 0)
        };
        if may_be(Some(at + 2), pair.behind) && may_be(at.checked_sub(1), pair.before) {
            pair.compare(bytes, at, found);
        }
    }
}

impl Pair {
    /// The same for its hints, where it stands.
    #[inline(never)]
    fn compare(&self, bytes: &[u8], at: usize, found: &mut impl FnMut(usize, Range<usize>)) {
        for hint in &self.hints {
            let start = at.checked_sub(hint.pair);
            let place = start.map(|start| start..start + hint.text.len());
            let here = place.clone().and_then(|place| bytes.get(place));
            if let Some(place) = place
                && here.is_some_and(|here| here.eq_ignore_ascii_case(hint.text))
            {
                found(hint.owner, place);
            }
        }
    }
}

#[inline]
fn number(pair: [u8; 2]) -> usize {
    usize::from(u16::from_le_bytes(pair))
}

#[inline]
fn bit(letter: u8) -> u32 {
    1 << (letter & 31)
}

fn rank(letter: u8) -> usize {
    FREQUENT.iter().position(|known| *known == letter.to_ascii_lowercase()).unwrap_or(FREQUENT.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_found_wherever_it_stands_and_however_it_is_written() {
        let words = ["token", "sk-", "private key-----", "-----", "AIza", "x"];
        let hints = Hints::new(words.iter().copied().zip(0..));
        let met = |text: &str| {
            let mut met = [0; 6];
            hints.find(text, |owner, place| {
                assert!(text[place].eq_ignore_ascii_case(words[owner]));
                met[owner] += 1;
            });
            met
        };
        assert_eq!(met(""), [0; 6]);
        assert_eq!(met("t"), [0; 6]);
        assert_eq!(met("token"), [1, 0, 0, 0, 0, 0]);
        assert_eq!(met("ä myTOKEN, toKen"), [2, 0, 0, 0, 0, 0]);
        assert_eq!(met("toke ken oken"), [0; 6]);
        assert_eq!(met("a SK-1 aiZA"), [0, 1, 0, 0, 1, 0]);
        assert_eq!(met("PRIVATE KEY------"), [0, 0, 1, 2, 0, 0]);
    }
}
