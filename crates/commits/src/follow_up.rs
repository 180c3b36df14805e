//! What follows from the move of a file: lines that named it where it was and name it where it is now, as an import does.
//! Without them the move leaves something broken, so they go with it, whatever else they are like.

use std::collections::BTreeMap;

use becket_diff::{FilePath, Hunk, LineKind, Status};

use crate::change::{Change, Companion};
use crate::unit::Unit;

/// Files that stand for the folder that holds them.
const STANDING_FOR_FOLDERS: &[&[u8]] = &[b"index", b"mod", b"__init__"];
/// What a path may begin with instead of a folder.
const ABOVE: &[&[u8]] = &[b"crate", b"self", b"super"];
/// Of a tree with more moved files than this it is moved as a whole, and says so by itself.
const MOST_MOVES: usize = 500;

/// Units of other files that follow the move of one, in the order of units.
pub(crate) fn follow_ups(changes: &[Change<'_>], units: &[Unit]) -> Vec<Companion> {
    let moves: Vec<Move<'_>> = changes.iter().enumerate().filter_map(|(at, it)| Move::of(at, it)).collect();
    if moves.is_empty() || moves.len() > MOST_MOVES {
        return Vec::new();
    }
    let mut by_change: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, unit) in units.iter().enumerate().filter(|(_, unit)| unit.hunk().is_none()) {
        by_change.entry(unit.change).or_default().push(place);
    }
    let mut found = Vec::new();
    for (place, unit) in units.iter().enumerate() {
        let Some(hunk) = unit.hunk() else { continue };
        let followed = moves.iter().filter(|it| it.change != unit.change && it.is_followed_by(hunk));
        let followed: Vec<&Move<'_>> = followed.collect();
        let with: Vec<usize> =
            followed.iter().filter_map(|it| by_change.get(&it.change)).flatten().copied().collect();
        if let (Some(first), false) = (followed.first(), with.is_empty()) {
            let reason = format!("`{}` was moved, and this names it where it is now", first.old.to_text());
            found.push(Companion { unit: place, with, signal: "rename", reason });
        }
    }
    found
}

struct Move<'a> {
    change: usize,
    old: &'a FilePath,
    before: Vec<Vec<&'a [u8]>>,
    after: Vec<Vec<&'a [u8]>>,
}

impl<'a> Move<'a> {
    fn of(change: usize, it: &Change<'a>) -> Option<Self> {
        let (old, new) = (&it.file.old.as_ref()?.path, &it.file.new.as_ref()?.path);
        (it.file.status == Status::Renamed && old != new).then(|| Self {
            change,
            old,
            before: spellings(old.as_bytes()),
            after: spellings(new.as_bytes()),
        })
    }

    /// Whether a removed line names the file where it was, and an added one where it is.
    fn is_followed_by(&self, hunk: &Hunk) -> bool {
        let named = |kind: LineKind, spellings: &[Vec<&[u8]>]| -> Vec<(Vec<u8>, Vec<u8>, bool)> {
            let lines = hunk.lines().filter(|line| line.kind == kind);
            let mut found = Vec::new();
            for line in lines {
                for (from, to) in mentions(line.content) {
                    let text = &line.content[from..to];
                    if is_named(text, spellings) {
                        let rest = (line.content[..from].to_vec(), line.content[to..].to_vec());
                        let is_path = text.contains(&b'/') || is_quoted(line.content, from, to);
                        found.push((rest.0, rest.1, is_path));
                    }
                }
            }
            found
        };
        let (before, after) = (named(LineKind::Removed, &self.before), named(LineKind::Added, &self.after));
        // A bare word may mean anything, unless it is all that changed on its line.
        before
            .iter()
            .any(|old| after.iter().any(|new| (old.2 && new.2) || (old.0 == new.0 && old.1 == new.1)))
    }
}

/// The parts of a path as a line may write it: with its ending, without, and as the folder that it stands for.
fn spellings(path: &[u8]) -> Vec<Vec<&[u8]>> {
    let full = parts(path);
    let mut found = vec![full.clone()];
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    if name.iter().skip(1).any(|byte| *byte == b'.') {
        let bare: Vec<&[u8]> = full[..full.len() - 1].to_vec();
        if let Some((_, folder)) = bare.split_last().filter(|(last, _)| STANDING_FOR_FOLDERS.contains(last)) {
            found.push(folder.to_vec());
        }
        found.push(bare);
    }
    found.retain(|spelling| !spelling.is_empty());
    found
}

/// Whether a mention is the end of one of the spellings, or goes on from there to what is in the file.
fn is_named(mention: &[u8], spellings: &[Vec<&[u8]>]) -> bool {
    let parts = parts(mention);
    let above = parts.iter().take_while(|part| ABOVE.contains(part)).count();
    let parts = &parts[above..];
    let goes_on = crate::words::find(mention, b"::").is_some();
    let shortest = if goes_on { 1 } else { parts.len() };
    (shortest.max(1)..=parts.len())
        .any(|length| spellings.iter().any(|spelling| spelling.ends_with(&parts[..length])))
}

/// `../a/b.js`, `a::b` and `a.b` in parts.
fn parts(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| matches!(byte, b'/' | b'.' | b':')).filter(|part| !part.is_empty()).collect()
}

/// Where the paths and names of a line are.
fn mentions(line: &[u8]) -> Vec<(usize, usize)> {
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-./:@~".contains(&byte);
    let mut found = Vec::new();
    let mut begin = None;
    for (at, byte) in line.iter().copied().chain([b' ']).enumerate() {
        match (belongs(byte), begin) {
            (true, None) => begin = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                begin = None;
            }
            _ => {}
        }
    }
    found
}

fn is_quoted(line: &[u8], from: usize, to: usize) -> bool {
    let quote = |byte: Option<&u8>| byte.is_some_and(|byte| b"'\"`<>".contains(byte));
    quote(from.checked_sub(1).and_then(|before| line.get(before))) && quote(line.get(to))
}

#[cfg(test)]
mod tests {
    use becket_diff::{Entry, FileChange, parse};

    use super::*;
    use crate::change::Stage;
    use crate::unit::units;

    /// The lines that follow a move, where `removed` becomes `added` in another file.
    fn follows(old: &str, new: &str, removed: &str, added: &str) -> bool {
        let patch = format!(
            "diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n\
             diff --git a/other b/other\n--- a/other\n+++ b/other\n@@ -1 +1 @@\n-{removed}\n+{added}\n"
        );
        let files: Vec<FileChange> = parse(patch.as_bytes())
            .unwrap()
            .into_iter()
            .map(|entry| match entry {
                Entry::File(file) => file,
                other => panic!("{other:?}"),
            })
            .collect();
        let changes: Vec<Change<'_>> =
            files.iter().map(|file| Change { id: "", stage: Stage::Unstaged, file }).collect();
        let units = units(&changes);
        let found = follow_ups(&changes, &units);
        assert!(found.iter().all(|it| it.unit == 1 && it.with == [0]), "{found:?}");
        !found.is_empty()
    }

    #[test]
    fn lines_that_name_a_file_where_it_is_now_follow_its_move() {
        let (old, new) = ("lib/view.js", "lib/template-view.js");
        assert!(follows(old, new, "var View = require('./view');", "var View = require('./template-view');"));
        assert!(follows(
            old,
            new,
            "import {A} from '../lib/view.js'",
            "import {A, B} from '../lib/template-view.js'"
        ));
        assert!(follows(old, new, "see lib/view.js", "see lib/template-view.js for it"));
        assert!(follows("a/b/x.ts", "a/c/x.ts", "from '../b/x'", "from '../c/x'"));
        assert!(follows("src/view.rs", "src/page.rs", "mod view;", "mod page;"));
        assert!(follows("src/view.rs", "src/page.rs", "use crate::view;", "use crate::page;"));
        assert!(follows("src/view.rs", "src/page.rs", "use super::view::View;", "use super::page::View;"));
        assert!(follows("pkg/view.py", "pkg/page.py", "from pkg.view import X", "from pkg.page import X"));
        assert!(follows("ui/menu/index.ts", "ui/bar/index.ts", "from './menu'", "from './bar'"));
        assert!(follows("inc/view.h", "inc/page.h", "#include <view.h>", "#include <page.h>"));
    }

    #[test]
    fn other_lines_do_not() {
        let (old, new) = ("lib/view.js", "lib/template-view.js");
        assert!(!follows(old, new, "var view = 1;", "var other = template_view();"));
        assert!(!follows(old, new, "view.render()", "page.render()"));
        assert!(!follows(old, new, "require('./review')", "require('./template-view')"));
        assert!(!follows(old, new, "require('./view')", "require('./view2')"));
        assert!(!follows(old, new, "the view is drawn", "the page is drawn by template-view code"));
        assert!(!follows("a/b/x.ts", "a/c/x.ts", "from '../d/x'", "from '../c/x'"));
    }
}
