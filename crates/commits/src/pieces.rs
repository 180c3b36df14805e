//! Where one run of changed lines may hold two concerns: before each declaration, import, heading or point of a list that
//! stands at its outermost level, and before each line of a file of records. Whether the pieces do belong to different intents is for the grouping to say.

use becket_diff::{Hunk, Line, LineKind, part};

use crate::place::{Place, Role};
use crate::words::{self, DeclarationKind};

/// A run of more than this is one piece: generated, or moved as a whole.
const MOST_PIECES: usize = 24;

/// Takes a run without context apart, so that each piece can be committed without the others.
pub(crate) fn pieces(run: Hunk, place: &Place) -> Vec<Hunk> {
    let lines: Vec<Line<'_>> = run.lines().collect();
    let side = |kind: LineKind| -> Vec<&[u8]> {
        lines.iter().filter(|line| line.kind == kind).map(|line| line.content).collect()
    };
    let (removed, added) = (side(LineKind::Removed), side(LineKind::Added));
    let document = place.role == Role::Documentation;
    let cuts = if RECORDS.contains(&place.ending.as_str()) {
        records(removed.len(), added.len())
    } else {
        cuts(&removed, &added, document)
    };
    if cuts.is_empty() || cuts.len() >= MOST_PIECES {
        return vec![run];
    }
    part(&run, &cuts)
}

/// Files of which every line is a record of its own.
const RECORDS: &[&str] = &["jsonl", "ndjson"];

/// Behind every line; none where lines were replaced, because nothing tells which by which.
fn records(removed: usize, added: usize) -> Vec<(usize, usize)> {
    match (removed, added) {
        (0, added) => (1..added).map(|line| (0, line)).collect(),
        (removed, 0) => (1..removed).map(|line| (line, 0)).collect(),
        _ => Vec::new(),
    }
}

/// Each is how many removed and how many added lines stand before it.
fn cuts(removed: &[&[u8]], added: &[&[u8]], document: bool) -> Vec<(usize, usize)> {
    let found: Vec<(usize, usize)> = match (removed.is_empty(), added.is_empty()) {
        (true, false) => starts(added, document).into_iter().map(|start| (0, start.line)).collect(),
        (false, true) => starts(removed, document).into_iter().map(|start| (start.line, 0)).collect(),
        _ => same_names(&starts(removed, document), &starts(added, document)),
    };
    let cuts: Vec<(usize, usize)> = found.into_iter().filter(|cut| *cut != (0, 0)).collect();
    let mut places = vec![(0, 0)];
    places.extend(&cuts);
    places.push((removed.len(), added.len()));
    let whole = places
        .windows(2)
        .all(|pair| is_balanced(&removed[pair[0].0..pair[1].0]) && is_balanced(&added[pair[0].1..pair[1].1]));
    if whole { cuts } else { Vec::new() }
}

/// What was replaced by what: declarations of one name, in the same order on both sides.
fn same_names(removed: &[Start<'_>], added: &[Start<'_>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut next = 0;
    for old in removed {
        if let Some(place) = added[next..].iter().position(|new| new.name == old.name) {
            pairs.push((old.line, added[next + place].line));
            next += place + 1;
        }
    }
    pairs
}

struct Start<'a> {
    /// With the comments and attributes that belong to it.
    line: usize,
    name: &'a [u8],
}

/// Nothing where the run does not begin with one: such a run may begin inside something that it does not show.
fn starts<'a>(lines: &[&'a [u8]], document: bool) -> Vec<Start<'a>> {
    let is_blank = |line: &[u8]| line.trim_ascii().is_empty();
    let indent = |line: &[u8]| line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let outermost =
        lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line)).min().unwrap_or_default();
    // Blank lines stand before each of them or behind, as the first line tells.
    let blanks_lead = lines.first().is_some_and(|line| is_blank(line));
    let mut found: Vec<Start<'a>> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(name) = begins(line, document).filter(|_| indent(line) == outermost) else { continue };
        let mut first = number;
        let belongs = |line: &[u8]| !document && is_lead(line) && indent(line) == outermost;
        while first > 0 && belongs(lines[first - 1]) {
            first -= 1;
        }
        while blanks_lead && first > 0 && is_blank(lines[first - 1]) {
            first -= 1;
        }
        // What belongs to it was taken by the one before, as a comment behind an import.
        if found.last().is_some_and(|last| last.line >= first) {
            first = number;
        }
        found.push(Start { line: first, name });
    }
    let before = found.first().map_or(lines.len(), |start| start.line);
    if lines[..before].iter().all(|line| is_blank(line)) {
        if let Some(first) = found.first_mut() {
            first.line = 0;
        }
        found
    } else {
        Vec::new()
    }
}

/// The name of what a line begins; of an import, the line.
fn begins(line: &[u8], document: bool) -> Option<&[u8]> {
    if document {
        return words::heading(line).or_else(|| words::list_item(line));
    }
    if words::is_import(line) {
        return Some(line);
    }
    let declared = words::declaration(line)?;
    (declared.kind != DeclarationKind::Binding).then_some(declared.name)
}

/// A comment, attribute or decorator above a declaration.
fn is_lead(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    words::is_comment(text) || text.starts_with(b"@") || text.starts_with(b"#[")
}

/// Whether every bracket is closed in the same lines, as far as that can be told without knowing the language.
fn is_balanced(lines: &[&[u8]]) -> bool {
    let mut depth = 0_i64;
    for byte in lines.iter().flat_map(|line| line.iter()) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use becket_diff::FilePath;

    use super::*;

    fn parted(path: &str, body: &str) -> Vec<String> {
        let lines: Vec<Line<'_>> = body
            .lines()
            .map(|line| Line {
                kind: if line.starts_with('+') { LineKind::Added } else { LineKind::Removed },
                content: &line.as_bytes()[1..],
                newline: true,
            })
            .collect();
        let run = Hunk::new(10, 10, b"", &lines);
        let pieces = pieces(run, &Place::of(&FilePath::from(path)));
        pieces.iter().map(|piece| String::from_utf8_lossy(&piece.body).into_owned()).collect()
    }

    #[test]
    fn declarations_are_pieces_with_what_belongs_to_them() {
        let rust = "+/// One.\n+#[inline]\n+pub fn one() {\n+    call();\n+}\n+\n+pub fn two() {\n+}\n";
        assert_eq!(
            parted("src/a.rs", rust),
            ["+/// One.\n+#[inline]\n+pub fn one() {\n+    call();\n+}\n+\n", "+pub fn two() {\n+}\n"]
        );
        let python = "+\n+@route\n+def one():\n+    return 1\n+\n+\n+def two():\n+    return 2\n";
        assert_eq!(
            parted("a.py", python),
            ["+\n+@route\n+def one():\n+    return 1\n", "+\n+\n+def two():\n+    return 2\n"]
        );
        let imports = "+import { a } from './a'\n+import {\n+  b,\n+} from './b'\n";
        assert_eq!(
            parted("a.ts", imports),
            ["+import { a } from './a'\n", "+import {\n+  b,\n+} from './b'\n"]
        );
        assert_eq!(
            parted("a.md", "+# One\n+text\n+## Two\n+text\n"),
            ["+# One\n+text\n", "+## Two\n+text\n"]
        );
        assert_eq!(
            parted("CHANGES.rst", "+-   One. :pr:`1`\n+    More of it.\n+\n+    - inner\n+-   Two.\n"),
            ["+-   One. :pr:`1`\n+    More of it.\n+\n+    - inner\n", "+-   Two.\n"]
        );
    }

    #[test]
    fn every_record_is_a_piece() {
        let log = "+{\"number\":1}\n+{\"number\":2}\n";
        assert_eq!(parted("log.jsonl", log), ["+{\"number\":1}\n", "+{\"number\":2}\n"]);
        assert_eq!(parted("log.json", log).len(), 1);
        assert_eq!(parted("log.jsonl", "-{}\n+{\"a\":1}\n+{\"a\":2}\n").len(), 1);
    }

    #[test]
    fn what_was_replaced_stays_with_what_replaced_it() {
        let both = "-fn one() {\n-    old();\n-}\n-fn two() {\n-}\n+fn one() {\n+    new();\n+}\n+fn two() {\n+    more();\n+}\n";
        assert_eq!(
            parted("a.rs", both),
            [
                "-fn one() {\n-    old();\n-}\n+fn one() {\n+    new();\n+}\n",
                "-fn two() {\n-}\n+fn two() {\n+    more();\n+}\n"
            ]
        );
        assert_eq!(parted("a.rs", "-fn one() {}\n+fn other() {}\n+fn third() {}\n").len(), 1);
    }

    #[test]
    fn what_begins_inside_something_is_left_whole() {
        // Git may show the end of one function as the end of another.
        assert_eq!(parted("a.rs", "+}\n+\n+fn one() {\n+}\n+\n+fn two() {\n").len(), 1);
        assert_eq!(parted("a.rb", "+end\n+\n+def one\n+end\n+\n+def two\n").len(), 1);
        assert_eq!(parted("a.ts", "+  const a = 1\n+  const b = 2\n").len(), 1);
    }
}
