//! Signatures with their members in one order: where a member stands is nothing to who uses it.

use std::borrow::Cow;

use memchr::memchr;

/// The same text with what stands in braces sorted by name; what has one name, as overloads do, stays in its order. Lists
/// with commas, as those of an enum, are as they were.
pub(crate) fn in_order(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memchr(b';', bytes).is_none() {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    // Where braces opened, with how many members of those outside are known; and where members end.
    let (mut open, mut ends): (Vec<(usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
    let (mut at, mut done) = (0, 0);
    while let Some(step) =
        bytes.get(at..).and_then(|rest| rest.iter().position(|byte| TELLING[usize::from(*byte)]))
    {
        at += step;
        match bytes[at] {
            b'\'' | b'"' | b'`' => at = quoted(bytes, at),
            b'{' => {
                out.push_str(&text[done..=at]);
                done = at + 1;
                open.push((out.len(), ends.len()));
            }
            b';' if !open.is_empty() => {
                out.push_str(&text[done..at]);
                done = at + 1;
                ends.push(out.len());
            }
            b'}' => {
                out.push_str(&text[done..at]);
                done = at;
                if let Some((start, outside)) = open.pop() {
                    sort(&mut out, start, &ends[outside..]);
                    ends.truncate(outside);
                }
            }
            _ => {}
        }
        at += 1;
    }
    out.push_str(&text[done..]);
    out.into()
}

/// The bytes that [`in_order`] looks at.
const TELLING: [bool; 256] = {
    let mut telling = [false; 256];
    let bytes = b"'\"`{};";
    let mut at = 0;
    while at < bytes.len() {
        telling[bytes[at] as usize] = true;
        at += 1;
    }
    telling
};

/// Where a text ends that begins here.
fn quoted(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at).filter(|byte| **byte != bytes[start]) {
        at += if *byte == b'\\' { 2 } else { 1 };
    }
    at
}

fn sort(out: &mut String, start: usize, ends: &[usize]) {
    if ends.is_empty() {
        return;
    }
    let body = out.split_off(start);
    let mut from = 0;
    let mut members: Vec<(&str, &str)> = Vec::with_capacity(ends.len() + 1);
    for end in ends.iter().map(|end| end - start).chain([body.len()]) {
        let member = body[from..end].trim_ascii();
        members.push((name(member), member));
        from = end;
    }
    members.sort_by_key(|(name, _)| *name);
    for (_, member) in members {
        out.push_str(member);
        out.push(';');
    }
}

fn name(member: &str) -> &str {
    let end = member.bytes().position(|byte| matches!(byte, b'(' | b':' | b'<' | b'?' | b'='));
    end.map_or(member, |end| &member[..end])
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn members_have_one_order_and_overloads_their_own() {
        for (one, other) in [
            ("interface A { a: string; b?: number }", "interface A { b?: number; a: string }"),
            ("f(a: { x: { c: 1; d: 2 }; y: 'a;b' }): void", "f(a: { y: 'a;b'; x: { d: 2; c: 1 } }): void"),
            (
                "class A { b(): void; f(a: 1): void; f(a: 2): void }",
                "class A { f(a: 1): void; f(a: 2): void; b(): void }",
            ),
        ] {
            assert_eq!(in_order(one), in_order(other));
        }
        for (one, other) in [
            ("class A { f(a: 1): void; f(a: 2): void }", "class A { f(a: 2): void; f(a: 1): void }"),
            ("interface A { (a: 1): void; (a: 2): void }", "interface A { (a: 2): void; (a: 1): void }"),
            ("enum A { a, b }", "enum A { b, a }"),
            ("type A = { a: { b: 1 }; c: 2 }", "type A = { a: { b: 1; c: 2 } }"),
        ] {
            assert_ne!(in_order(one), in_order(other));
        }
        assert_eq!(in_order("type A = string"), "type A = string");
    }

    #[test]
    fn whatever_the_text_is_it_ends() {
        for text in ["{;", "};{", "';", "'\\", "{ä;ö}", "`;${", "{{;};", ";"] {
            for times in [1, 50] {
                assert!(!in_order(&text.repeat(times)).is_empty());
            }
        }
    }
}
