//! Which of many short texts occur in a long one, whatever their case: asked of every file, answered with no in most.
//!
//! Of each short text three neighbouring letters are chosen that are rare in code. A pass over the long one looks for the
//! two pairs in them, of which one stands at an even place: it needs only every other place, remembers nothing from one
//! to the next, and so is faster than an automaton. Only where it meets a pair is the text around it compared.

/// A pair of letters as a place in a table; case is lost, and so are some differences that the comparison makes again.
const PLACES: usize = 32 * 32;
/// Letters from frequent to rare, as in code; what is no letter is rarer still.
const FREQUENT: &[u8] = b"etarnosilcdupmgfhbyvwxkqjz";

/// Hints, each with an owner.
#[derive(Debug)]
pub(super) struct Hints {
    /// Those whose pair falls on each place.
    places: Vec<Vec<Hint>>,
    /// The letters that may follow the pair in one of them, a bit for each; all where it ends one.
    next: Box<[u32; PLACES]>,
}

#[derive(Debug, Clone, Copy)]
struct Hint {
    text: &'static [u8],
    /// Where one of its pairs stands in it.
    pair: usize,
    owner: usize,
}

impl Hints {
    /// Of hints of three letters or more; a shorter one is never found.
    pub(super) fn new(hints: impl Iterator<Item = (&'static str, usize)>) -> Self {
        let mut made = Self { places: vec![Vec::new(); PLACES], next: Box::new([0; PLACES]) };
        for (text, owner) in hints {
            let text = text.as_bytes();
            let rarity = |at: &usize| rank(text[*at]) + 2 * rank(text[at + 1]) + rank(text[at + 2]);
            let Some(first) = (0..text.len().saturating_sub(2)).max_by_key(rarity) else { continue };
            for pair in [first, first + 1] {
                let place = place(text[pair], text[pair + 1]);
                made.places[place].push(Hint { text, pair, owner });
                made.next[place] |= text.get(pair + 2).map_or(u32::MAX, |letter| bit(*letter));
            }
        }
        made
    }

    /// Calls `found` with the owner of every hint that is met, more than once for some, and what follows it.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(usize, &[u8])) {
        let bytes = text.as_bytes();
        for (half, pair) in bytes.chunks_exact(2).enumerate() {
            let place = place(pair[0], pair[1]);
            let next = self.next[place];
            if next == 0 {
                continue;
            }
            let at = 2 * half;
            if bytes.get(at + 2).is_none_or(|letter| next & bit(*letter) != 0) {
                for hint in &self.places[place] {
                    let here =
                        at.checked_sub(hint.pair).and_then(|start| bytes.get(start..start + hint.text.len()));
                    if here.is_some_and(|here| here.eq_ignore_ascii_case(hint.text)) {
                        found(hint.owner, &bytes[at - hint.pair + hint.text.len()..]);
                    }
                }
            }
        }
    }
}

#[inline]
fn place(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

/// Case is lost here too.
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
            hints.find(text, |owner, rest| {
                assert!(text.as_bytes().ends_with(rest));
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
