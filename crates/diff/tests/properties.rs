//! Laws that hold for every change: what is printed reads back, and hunks rebuild the new file.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use becket_diff::{
    Choice, Content, Entry, FileChange, FilePath, Hunk, Limits, Line, LineKind, Mode, Omitted, Parser, Side,
    Status, adjoins, apply, compose, join, parse, part, print, select, split,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A line of a few kinds, some of which look like parts of a patch.
fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"a".to_vec()),
        Just(b"b".to_vec()),
        Just(Vec::new()),
        Just(b"-- x".to_vec()),
        Just(b"@@ -1 +1 @@".to_vec()),
        Just(b"\\ No newline at end of file".to_vec()),
        Just(b"diff --git a/x b/x".to_vec()),
        Just(b"crlf\r".to_vec()),
        vec(any::<u8>().prop_filter("a newline ends a line", |byte| *byte != b'\n'), 1..4),
    ]
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    (vec(line(), 0..12), any::<bool>()).prop_map(|(lines, newline)| {
        let mut bytes = lines.join(&b'\n');
        if newline && !lines.is_empty() {
            bytes.push(b'\n');
        }
        bytes
    })
}

fn path() -> impl Strategy<Value = FilePath> {
    vec(prop_oneof![Just(b' '), Just(b'"'), Just(b'\\'), Just(b'\n'), Just(b'/'), 1_u8..=255], 1..9)
        .prop_map(FilePath::new)
}

/// The hunks from `old` to `new`, by a plain longest common subsequence.
fn hunks(old: &[u8], new: &[u8], context: usize) -> Vec<Hunk> {
    let (old, new) = (lines_of(old), lines_of(new));
    let mut longest = vec![vec![0; new.len() + 1]; old.len() + 1];
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            longest[i][j] = if one == other {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut script) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        let (kind, text) = if i < old.len() && j < new.len() && old[i] == new[j] {
            (LineKind::Context, old[i])
        } else if i < old.len() && (j == new.len() || longest[i + 1][j] >= longest[i][j + 1]) {
            (LineKind::Removed, old[i])
        } else {
            (LineKind::Added, new[j])
        };
        script.push((i, j, kind, text));
        i += usize::from(kind != LineKind::Added);
        j += usize::from(kind != LineKind::Removed);
    }
    sort_runs(&mut script);
    let near = |index: usize| {
        let from = index.saturating_sub(context);
        script[from..script.len().min(index + context + 1)]
            .iter()
            .any(|(_, _, kind, _)| *kind != LineKind::Context)
    };
    let mut hunks = Vec::new();
    let mut index = 0;
    while index < script.len() {
        let end = (index..script.len()).find(|at| !near(*at)).unwrap_or(script.len());
        if end > index {
            let part = &script[index..end];
            let lines: Vec<Line<'_>> = part
                .iter()
                .map(|(_, _, kind, text)| Line {
                    kind: *kind,
                    content: text.strip_suffix(b"\n").unwrap_or(text),
                    newline: text.ends_with(b"\n"),
                })
                .collect();
            let start =
                |before: usize, absent| before + usize::from(lines.iter().any(|line| line.kind != absent));
            let (old_before, new_before) = (part[0].0, part[0].1);
            hunks.push(Hunk::new(
                start(old_before, LineKind::Added),
                start(new_before, LineKind::Removed),
                b" fn section",
                &lines,
            ));
        }
        index = end + 1;
    }
    hunks
}

/// Within a run of changes Git prints what is removed first.
fn sort_runs(script: &mut [(usize, usize, LineKind, &[u8])]) {
    for run in script.split_mut(|(_, _, kind, _)| *kind == LineKind::Context) {
        if let Some(&(old, new, ..)) = run.first() {
            run.sort_by_key(|(_, _, kind, _)| *kind == LineKind::Added);
            let mut removed = 0;
            for (index, step) in run.iter_mut().enumerate() {
                (step.0, step.1) = (old + removed, new + index - removed);
                removed += usize::from(step.2 == LineKind::Removed);
            }
        }
    }
}

fn lines_of(file: &[u8]) -> Vec<&[u8]> {
    file.split_inclusive(|byte| *byte == b'\n').collect()
}

fn change(
    status: Status,
    old_path: FilePath,
    new_path: FilePath,
    modes: (Mode, Mode),
    content: Content,
) -> FileChange {
    let two_names = matches!(status, Status::Renamed | Status::Copied);
    let old_path = if two_names { old_path } else { new_path.clone() };
    let count = |marker: u8| {
        let Content::Text(hunks) = &content else { return 0 };
        hunks.iter().flat_map(Hunk::lines).filter(|line| line.kind.marker() == marker).count()
    };
    let id = |digit: &str| (content != Content::Same).then(|| digit.repeat(40));
    let mode = |mode| (content != Content::Same || modes.0 != modes.1 || !two_names).then_some(mode);
    let old = Side { path: old_path, mode: mode(modes.0), id: id("1") };
    let new = Side { path: new_path, mode: mode(modes.1), id: id("2") };
    FileChange {
        status,
        old: (status != Status::Added).then_some(old),
        new: (status != Status::Deleted).then_some(new),
        similarity: two_names.then_some(87),
        added: count(b'+'),
        removed: count(b'-'),
        content,
        omitted: Omitted::default(),
    }
}

fn any_change() -> impl Strategy<Value = FileChange> {
    let status = prop_oneof![
        Just(Status::Added),
        Just(Status::Deleted),
        Just(Status::Modified),
        Just(Status::Renamed),
        Just(Status::Copied)
    ];
    let modes = prop_oneof![
        Just((Mode::FILE, Mode::FILE)),
        Just((Mode::FILE, Mode::EXECUTABLE)),
        Just((Mode::SYMLINK, Mode::SYMLINK))
    ];
    (status, path(), path(), modes, file(), file(), 0_usize..4, any::<bool>()).prop_map(
        |(status, old_path, new_path, modes, old, new, context, binary)| {
            let hunks = hunks(&old, &new, context);
            let content = match (binary, hunks.is_empty()) {
                (true, _) => Content::Binary,
                (false, true) => Content::Same,
                (false, false) => Content::Text(hunks),
            };
            // Git prints no modes, or an entry at all, for what did not change.
            let modes = if content == Content::Same && status == Status::Modified {
                (Mode::FILE, Mode::EXECUTABLE)
            } else {
                modes
            };
            change(status, old_path, new_path, modes, content)
        },
    )
}

/// Pieces as a plan has them: without context, each of its own.
fn pieces(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    hunks(old, new, 1).iter().flat_map(split).collect()
}

fn choices(hunks: &[Hunk], taken: impl Fn(usize) -> bool) -> Vec<Choice<'_>> {
    hunks.iter().enumerate().map(|(number, hunk)| Choice { hunk, taken: taken(number) }).collect()
}

proptest! {
    #[test]
    fn layers_compose_to_each_of_their_texts(base in file(), middle in file(), last in file(), mask: u32) {
        let (lower, upper) = (pieces(&base, &middle), pieces(&middle, &last));
        let text = |low: bool, up: bool| compose(&base, &choices(&lower, |_| low), &choices(&upper, |_| up)).unwrap();
        prop_assert_eq!(text(false, false), base.clone());
        prop_assert_eq!(text(true, false), middle.clone());
        prop_assert_eq!(text(true, true), last.clone());
        // A choice of one layer alone is what `apply` makes of it, but for a missing newline in the middle.
        let some = |number: usize| mask >> (number % 32) & 1 == 1;
        let chosen = compose(&base, &choices(&lower, some), &choices(&upper, |_| false)).unwrap();
        let kept = lower.iter().enumerate().filter(|(number, _)| some(*number)).map(|(_, hunk)| hunk);
        let mut applied = apply(&base, kept).unwrap();
        let mut chosen = chosen;
        applied.retain(|byte| *byte != b'\n');
        chosen.retain(|byte| *byte != b'\n');
        prop_assert_eq!(applied, chosen);
        // Every choice of both has a text.
        compose(&base, &choices(&lower, some), &choices(&upper, |number| !some(number))).unwrap();
    }

    #[test]
    fn what_is_printed_reads_back(changes in vec(any_change(), 0..4), piece in 1_usize..40) {
        let entries: Vec<Entry> = changes.into_iter().map(Entry::File).collect();
        let patch: Vec<u8> = entries.iter().flat_map(print).collect();
        let read = parse(&patch).unwrap();
        prop_assert_eq!(&read.iter().flat_map(print).collect::<Vec<u8>>(), &patch);
        prop_assert_eq!(&read, &entries);

        let mut in_pieces = Vec::new();
        let mut parser = Parser::new(Limits::NONE);
        for piece in patch.chunks(piece) {
            parser.feed(piece, &mut |entry| in_pieces.push(entry)).unwrap();
        }
        parser.finish(&mut |entry| in_pieces.push(entry)).unwrap();
        prop_assert_eq!(in_pieces, entries);
    }

    #[test]
    fn all_hunks_make_the_new_file_and_none_keep_the_old(old in file(), new in file(), context in 0_usize..4) {
        let hunks = hunks(&old, &new, context);
        prop_assert_eq!(apply(&old, &hunks).unwrap(), new.clone());
        prop_assert_eq!(apply(&old, []).unwrap(), old.clone());
        let pieces: Vec<Hunk> = hunks.iter().flat_map(split).collect();
        prop_assert_eq!(apply(&old, &pieces).unwrap(), new);
        for hunk in &hunks {
            prop_assert!(select(hunk, |_| false).is_none());
            let whole = select(hunk, |_| true).unwrap();
            prop_assert_eq!(&whole, hunk);
        }
    }

    #[test]
    fn a_run_is_the_same_in_pieces(old in file(), new in file(), cuts in vec((0_usize..6, 0_usize..6), 0..4), mask: u32) {
        let runs = pieces(&old, &new);
        let parted: Vec<Vec<Hunk>> = runs.iter().map(|run| part(run, &cuts)).collect();
        let flat: Vec<Hunk> = parted.concat();
        prop_assert_eq!(apply(&old, &flat).unwrap(), new.clone());
        for (run, parts) in runs.iter().zip(&parted) {
            prop_assert_eq!(join(&parts.iter().collect::<Vec<_>>()), Some(run.clone()));
            prop_assert!(parts.windows(2).all(|pair| adjoins(&pair[0], &pair[1])));
        }
        prop_assert!(runs.windows(2).all(|pair| !adjoins(&pair[0], &pair[1])));
        // Any of them can be taken without the others, in either way of putting them together.
        let some = |number: usize| mask >> (number % 32) & 1 == 1;
        let kept = flat.iter().enumerate().filter(|(number, _)| some(*number)).map(|(_, hunk)| hunk);
        let mut applied = apply(&old, kept).unwrap();
        let mut chosen = compose(&old, &choices(&flat, some), &[]).unwrap();
        applied.retain(|byte| *byte != b'\n');
        chosen.retain(|byte| *byte != b'\n');
        prop_assert_eq!(applied, chosen);
        prop_assert_eq!(compose(&old, &choices(&flat, |_| true), &[]).unwrap(), new);
    }

    #[test]
    fn any_selection_fits_and_joins_no_lines(
        old in file(), new in file(), context in 0_usize..4, kept in vec(any::<bool>(), 32)
    ) {
        let hunks = hunks(&old, &new, context);
        let mut number = 0;
        let selected: Vec<Hunk> = hunks
            .iter()
            .filter_map(|hunk| {
                let first = number;
                number += hunk.lines().filter(|line| line.kind != LineKind::Context).count();
                select(hunk, |line| kept[(first + line) % kept.len()])
            })
            .collect();
        let between = apply(&old, &selected).unwrap();
        let known = known_lines(&old, &hunks);
        for line in lines_of(&between) {
            prop_assert!(known.contains(&line.to_vec()), "{:?} was in neither file", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn limits_bound_what_is_kept_and_count_the_rest(
        changes in vec(any_change(), 0..4), line in 1_usize..20, file in 0_usize..60, total in 0_usize..90
    ) {
        let patch: Vec<u8> = changes.iter().cloned().map(Entry::File).flat_map(|entry| print(&entry)).collect();
        let mut read = Vec::new();
        let mut parser = Parser::new(Limits { line, file, total });
        let mut keep = |entry| if let Entry::File(change) = entry { read.push(change) };
        parser.feed(&patch, &mut keep).unwrap();
        parser.finish(&mut keep).unwrap();
        prop_assert_eq!(read.len(), changes.len());
        // A missing newline is marked beyond the limit: without the mark the line would be another.
        let lines = |hunk: &Hunk| hunk.raw_lines().filter(|line| !line.starts_with(b"\\")).map(|line| line.len() + 1).sum::<usize>();
        let size = |change: &FileChange| change.hunks().iter().map(|hunk| hunk.header.len() + lines(hunk)).sum::<usize>();
        prop_assert!(read.iter().map(size).sum::<usize>() <= total);
        for (read, whole) in read.iter().zip(&changes) {
            prop_assert!(size(read) <= file);
            prop_assert_eq!((read.added, read.removed), (whole.added, whole.removed));
            prop_assert_eq!(&read.new, &whole.new);
            prop_assert_eq!(read.hunks().len() + read.omitted.hunks, whole.hunks().len());
            let count = |change: &FileChange| change.hunks().iter().flat_map(Hunk::lines).count();
            prop_assert_eq!(count(read) + read.omitted.lines, count(whole));
            prop_assert_eq!(read.omitted.is_nothing(), read == whole);
        }
    }

    #[test]
    fn nothing_that_is_fed_panics(pieces in vec(prop_oneof![
        Just(b"diff --git a/x b/x\n".to_vec()), Just(b"@@ -1,2 +1 @@\n".to_vec()), Just(b"--- a/x\n".to_vec()),
        Just(b"@@@ -1 -1 +1,9 @@@\n".to_vec()), Just(b"diff --cc x\n".to_vec()), Just(b"* Unmerged path x\n".to_vec()),
        Just(b"index 1..2 100644\n".to_vec()), Just(b"+a\n".to_vec()), Just(b"-a\n".to_vec()), Just(b" a\n".to_vec()),
        Just(b"\\ No\n".to_vec()), Just(b"@@ -99999999999999999999 +1 @@\n".to_vec()), vec(any::<u8>(), 0..9)
    ], 0..12)) {
        parse(&pieces.concat()).ok();
    }
}

/// The lines of the old file and those that the hunks add, with their newlines.
fn known_lines(old: &[u8], hunks: &[Hunk]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = lines_of(old).into_iter().map(<[u8]>::to_vec).collect();
    for line in hunks.iter().flat_map(Hunk::lines).filter(|line| line.kind == LineKind::Added) {
        let mut bytes = line.content.to_vec();
        if line.newline {
            bytes.push(b'\n');
        }
        lines.push(bytes);
    }
    lines
}
