//! A change as the patch that Git prints for it (with `core.quotePath=false`, prefixes `a/` and `b/`).

use crate::model::{Content, Entry, FileChange, Side, Status};
use crate::path::{FilePath, write_patch_path};

/// The patch of one entry, byte for byte what it was parsed from unless a limit left something out.
pub fn print(entry: &Entry) -> Vec<u8> {
    let mut output = Vec::new();
    match entry {
        Entry::File(change) => print_file(change, &mut output),
        Entry::Combined(change) => {
            output.extend_from_slice(&change.header);
            for hunk in &change.hunks {
                line(&mut output, &[&hunk.header]);
                output.extend_from_slice(&hunk.body);
            }
        }
        Entry::Unmerged(path) => line(&mut output, &[b"* Unmerged path ", path.as_bytes()]),
    }
    output
}

fn print_file(change: &FileChange, output: &mut Vec<u8>) {
    let (Some(old), Some(new)) =
        (change.old.as_ref().or(change.new.as_ref()), change.new.as_ref().or(change.old.as_ref()))
    else {
        return;
    };
    line(output, &[b"diff --git ", &prefixed(b"a/", &old.path), b" ", &prefixed(b"b/", &new.path)]);
    print_modes(change, output);
    if let Some(similarity) = change.similarity {
        line(output, &[format!("similarity index {similarity}%").as_bytes()]);
    }
    let verb: &[u8] = if change.status == Status::Copied { b"copy" } else { b"rename" };
    if matches!(change.status, Status::Copied | Status::Renamed) {
        line(output, &[verb, b" from ", &quoted(&old.path)]);
        line(output, &[verb, b" to ", &quoted(&new.path)]);
    }
    print_index(change, output);
    let null = b"/dev/null".to_vec();
    let old_label = change.old.as_ref().map_or_else(|| null.clone(), |side| prefixed(b"a/", &side.path));
    let new_label = change.new.as_ref().map_or(null, |side| prefixed(b"b/", &side.path));
    match &change.content {
        Content::Same => {}
        Content::Binary => line(output, &[b"Binary files ", &old_label, b" and ", &new_label, b" differ"]),
        Content::Text(hunks) => {
            line(output, &[b"--- ", &old_label, tab(&old_label)]);
            line(output, &[b"+++ ", &new_label, tab(&new_label)]);
            for hunk in hunks {
                line(output, &[&hunk.header]);
                output.extend_from_slice(&hunk.body);
            }
        }
    }
}

fn print_modes(change: &FileChange, output: &mut Vec<u8>) {
    let mode = |side: &Option<Side>| side.as_ref().and_then(|side| side.mode).map(|mode| mode.to_string());
    match (change.status, mode(&change.old), mode(&change.new)) {
        (Status::Added, _, Some(mode)) => line(output, &[b"new file mode ", mode.as_bytes()]),
        (Status::Deleted, Some(mode), _) => line(output, &[b"deleted file mode ", mode.as_bytes()]),
        (_, Some(old), Some(new)) if old != new => {
            line(output, &[b"old mode ", old.as_bytes()]);
            line(output, &[b"new mode ", new.as_bytes()]);
        }
        _ => {}
    }
}

fn print_index(change: &FileChange, output: &mut Vec<u8>) {
    let id = |side: &Option<Side>| side.as_ref().and_then(|side| side.id.clone());
    let known = id(&change.old).or_else(|| id(&change.new));
    let Some(known) = known else { return };
    let zeros = "0".repeat(known.len());
    let (old, new) = (id(&change.old).unwrap_or_else(|| zeros.clone()), id(&change.new).unwrap_or(zeros));
    let mode = match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.mode == new.mode => new.mode.map(|mode| format!(" {mode}")),
        _ => None,
    };
    line(output, &[format!("index {old}..{new}{}", mode.unwrap_or_default()).as_bytes()]);
}

/// Git ends a name that has a space with a tab, for the sake of old patch programs.
fn tab(label: &[u8]) -> &'static [u8] {
    if label.contains(&b' ') { b"\t" } else { b"" }
}

fn prefixed(prefix: &[u8], path: &FilePath) -> Vec<u8> {
    let mut output = Vec::new();
    write_patch_path(&[prefix, path.as_bytes()].concat(), &mut output);
    output
}

fn quoted(path: &FilePath) -> Vec<u8> {
    let mut output = Vec::new();
    write_patch_path(path.as_bytes(), &mut output);
    output
}

fn line(output: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        output.extend_from_slice(part);
    }
    output.push(b'\n');
}
