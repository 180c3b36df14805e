//! An upper bound of how deep the parser and the visitors will recurse in a text, before they do.
//!
//! The parser has no limit of its own and a stack overflow ends the process, so a file is measured first. The bound is
//! generous: every operator of a statement counts as one level, as do the words that take something without a bracket, and
//! the brackets around it. Strings and comments are skipped as well as can be without parsing; a wrong guess only makes the
//! bound larger or smaller by what one line holds.

/// A text beyond this is not parsed. Few are written with more operators in one statement (pictures of tens of thousands of
/// paths, unions as long); those that are as deep take a stack of some hundred megabytes, which is given back.
pub(super) const DEEPEST: usize = 100_000;

/// What stands before something that is one level deeper, with nothing else between them, or goes on with what stands
/// before it.
const NESTING: [&[u8]; 26] = [
    b"as",
    b"asserts",
    b"async",
    b"await",
    b"class",
    b"delete",
    b"do",
    b"else",
    b"extends",
    b"for",
    b"if",
    b"in",
    b"infer",
    b"instanceof",
    b"is",
    b"keyof",
    b"new",
    b"readonly",
    b"satisfies",
    b"throw",
    b"typeof",
    b"unique",
    b"void",
    b"while",
    b"with",
    b"yield",
];

const PLAIN: u8 = 0;
const WORD: u8 = 1;
const OPERATOR: u8 = 2;
const OPEN: u8 = 3;
const CLOSE: u8 = 4;
const BOUNDARY: u8 = 5;
const QUOTE: u8 = 6;
const NEWLINE: u8 = 7;

const CLASSES: [u8; 256] = classes();

pub(super) fn deepest(text: &str) -> usize {
    let bytes = text.as_bytes();
    // Each open bracket keeps how much of its statement came before it.
    let mut stack: Vec<u32> = Vec::new();
    let (mut around, mut chain, mut deepest) = (0_usize, 0_u32, 0_usize);
    let (mut at, mut last) = (0, PLAIN);
    while let Some(&byte) = bytes.get(at) {
        let class = CLASSES[byte as usize];
        match class {
            PLAIN => {
                at = past(bytes, at + 1, PLAIN);
                continue;
            }
            WORD => {
                let end = past(bytes, at + 1, WORD);
                let word = &bytes[at..end];
                chain += u32::from(NESTING.contains(&word));
                last = WORD;
                at = end;
                continue;
            }
            OPERATOR => match comment_end(bytes, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => chain += 1,
            },
            OPEN => {
                around += chain as usize + 1;
                stack.push(chain);
                deepest = deepest.max(around);
                chain = 0;
            }
            CLOSE => {
                deepest = deepest.max(around + chain as usize);
                chain = stack.pop().unwrap_or_default();
                around = around.saturating_sub(chain as usize + 1);
            }
            BOUNDARY => {
                deepest = deepest.max(around + chain as usize);
                chain = 0;
            }
            QUOTE => {
                at = string_end(bytes, at);
                last = WORD;
                continue;
            }
            _ if ends_statement(last, &bytes[at..]) => {
                deepest = deepest.max(around + chain as usize);
                chain = 0;
            }
            _ => {}
        }
        if class != NEWLINE {
            last = class;
        }
        at += 1;
    }
    deepest.max(around + chain as usize)
}

/// Past the bytes of this class that begin at `at`.
#[inline]
fn past(bytes: &[u8], at: usize, class: u8) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| CLASSES[*byte as usize] != class).map_or(bytes.len(), |length| at + length)
}

/// A new line ends a statement where the next one begins with a word that does not go on with it.
fn ends_statement(last: u8, rest: &[u8]) -> bool {
    const GOES_ON: [&[u8]; 6] = [b"else", b"in", b"instanceof", b"as", b"extends", b"satisfies"];
    if !matches!(last, WORD | CLOSE) {
        return false;
    }
    let Some(start) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else { return true };
    let word = &rest[start..];
    let length = word.iter().position(|byte| CLASSES[*byte as usize] != WORD).unwrap_or(word.len());
    (length > 0 || word[0] == b'@' || word[0] == b'}') && !GOES_ON.contains(&&word[..length])
}

pub(crate) fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    match (bytes[at], bytes.get(at + 1)?) {
        (b'/', b'/') => Some(memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end)),
        (b'/', b'*') => {
            Some(memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |end| at + end + 4))
        }
        _ => None,
    }
}

/// Past the closing quote, or at the end of the line where there is none: an apostrophe in JSX text is no string.
pub(crate) fn string_end(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut here = at + 1;
    while let Some(found) = bytes.get(here..).and_then(|rest| memchr::memchr3(quote, b'\\', b'\n', rest)) {
        here += found;
        match bytes[here] {
            b'\\' => here += 2,
            b'\n' => return here,
            _ => return here + 1,
        }
    }
    bytes.len()
}

const fn classes() -> [u8; 256] {
    let mut classes = [PLAIN; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | 0x80.. => WORD,
            b'(' | b'[' | b'{' => OPEN,
            b')' | b']' | b'}' => CLOSE,
            b';' | b',' => BOUNDARY,
            b'"' | b'\'' => QUOTE,
            b'\n' => NEWLINE,
            b' ' | b'\t' | b'\r' => PLAIN,
            _ => OPERATOR,
        };
        if byte == u8::MAX {
            return classes;
        }
        byte += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_nesting_is_seen() {
        for piece in [
            "(",
            "[",
            "{",
            "!",
            "a=>",
            "a?b:",
            "typeof ",
            "if(a)",
            "a+",
            "<a>",
            "a.b",
            "keyof ",
            "`${",
            "x=",
            "else if(a){} ",
            "new ",
            "do ",
            "a in ",
            "a as ",
            "class extends ",
            "yield ",
            "if(a)for(;;)",
            "a:",
            "a`${a}`",
            "a!",
            "a?.",
            "<a b={",
        ] {
            assert!(deepest(&piece.repeat(500)) >= 500, "{piece}");
        }
    }

    #[test]
    fn ordinary_code_is_shallow() {
        let line = "const a = f(b, 'it (( is', c) // (((\nif (a) { g(); }\nfunction h() { return [1, 2] }\n";
        assert!(deepest(&line.repeat(1000)) < 40, "{}", deepest(&line.repeat(1000)));
    }

    #[test]
    fn long_is_not_deep() {
        for (line, most) in [
            ("<p>The quick brown fox jumps over the lazy dog.</p>\n", 6),
            ("<path id=\"FR\" d=\"M1 2\" fill={color} />\n", 7),
            ("function f(a){return a}", 0),
            ("| 'arrow-left'\n", 1),
            ("'a' +\n", 1),
            ("${a} b", 0),
            ("export declare function f(a: string, b?: number): void;\n", 0),
        ] {
            let bound = deepest(&line.repeat(1000));
            assert!(bound <= 1000 * most + 20, "{line}: {bound}");
        }
    }
}
