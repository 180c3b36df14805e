//! What is too large for one answer, part by part: as much of a list, or of a comparison, as there is room for, and where to
//! go on.

use becket_contracts::compare::{ComponentChange, DeclarationChange, FolderDiff};

use serde::Serialize;

use super::compare::Compared;
use crate::Error;

/// Room for what says that something was cut.
const FRAME: usize = 1_000;
/// Files that use what was broken, where there is no room for all.
const MOST_USERS: usize = 20;
/// Shorter texts and lists of a declaration say what it is, and stay.
const LEAST_TEXT: usize = 200;
const LEAST_LIST: usize = 4;

/// A part of a list.
pub(super) struct Part<T> {
    pub(super) items: Vec<T>,
    /// What the next part is asked for by.
    pub(super) next_cursor: Option<String>,
    /// Which of how many they are, where they are not all.
    pub(super) notice: Option<String>,
}

/// `limit` items at most from where the cursor says, as many as fit into `room` bytes beside the rest of the answer.
pub(super) fn part_of<T: Serialize>(
    all: Vec<T>,
    cursor: Option<&str>,
    limit: usize,
    room: usize,
) -> Result<Part<T>, Error> {
    let total = all.len();
    let start = match cursor.map(str::parse::<usize>) {
        None => 0,
        Some(Ok(start)) if start < total => start,
        Some(_) => {
            return Err(Error::invalid("invalid_cursor", "The cursor is none of this list.")
                .with_hint("Take it from nextCursor of the answer before, or leave it out to begin."));
        }
    };
    let rest = all.into_iter().skip(start).take(limit);
    let items = fitting(rest, room.saturating_sub(FRAME.min(room / 2)));
    let end = start + items.len();
    let next_cursor = (end < total).then(|| end.to_string());
    let notice = (items.len() < total).then(|| {
        let more = next_cursor.as_ref().map(|next| format!(" Call again with the cursor {next} for more."));
        let shown = if start == 0 { items.len().to_string() } else { format!("{} to {end}", start + 1) };
        format!("{shown} of {total}.{}", more.unwrap_or_default())
    });
    Ok(Part { items, next_cursor, notice })
}

/// As many as fit into `room` bytes, and one at least: who asks for the next has to come to an end.
pub(super) fn fitting<T: Serialize>(items: impl IntoIterator<Item = T>, room: usize) -> Vec<T> {
    let mut spent = 0;
    let fits = |one: &T| {
        let is_first = spent == 0;
        spent += size(one) + 1;
        is_first || spent <= room
    };
    items.into_iter().take_while(fits).collect()
}

impl Compared {
    /// What a cursor of this comparison names: a file, and how much of its change was told before.
    pub(super) fn place<'c>(&self, cursor: &'c str) -> Option<(&'c str, usize)> {
        let (told, entry) = cursor.strip_prefix(&*self.compared_at)?.strip_prefix(' ')?.split_once(' ')?;
        Some((entry, told.parse().ok()?))
    }

    /// The part that begins where the cursor says, in about `room` bytes. The summary is that of the whole.
    pub(super) fn part(mut self, cursor: Option<&str>, room: usize) -> Result<Self, Error> {
        let mut folders = std::mem::take(&mut self.result.folder_diffs);
        let total: usize = folders.iter().map(|folder| folder.changes.len()).sum();
        let longest = folders.iter().flat_map(|folder| &folder.changes).map(|change| size(&change.entry_id));
        // The file is named three times at most: in `cut`, twice, and in the cursor.
        let naming = 3 * longest.max().unwrap_or_default();
        let (start, told) = match cursor.map(|cursor| self.place(cursor)) {
            None => (0, 0),
            Some(place) => place
                .and_then(|(entry, told)| {
                    let mut changes = folders.iter_mut().flat_map(|folder| &mut folder.changes);
                    let is_it = |change: &mut ComponentChange| {
                        change.entry_id == entry && (told == 0 || told < steps(change))
                    };
                    Some((changes.position(is_it)?, told))
                })
                .ok_or_else(|| {
                    Error::invalid("invalid_cursor", "The cursor is of no comparison that is still kept.")
                        .with_hint("Leave it out to compare again.")
                })?,
        };
        let room = room.saturating_sub(FRAME.min(room / 2) + naming + size(&self));
        let (mut spent, mut at, mut shown, mut less, mut unnamed) = (0, 0, 0, None, 0);
        for folder in folders {
            let mut kept = FolderDiff { changes: Vec::new(), ..folder };
            // One whose files went elsewhere stands with what is before it.
            if folder.changes.is_empty() && (at > start || cursor.is_none()) && self.next_cursor.is_none() {
                let own = size(&kept) + 1;
                if spent + own <= room {
                    spent += own;
                    self.result.folder_diffs.push(kept);
                } else {
                    unnamed += 1;
                }
                continue;
            }
            for mut change in folder.changes {
                at += 1;
                if at <= start || self.next_cursor.is_some() {
                    continue;
                }
                let told = if at == start + 1 { told } else { 0 };
                // A folder's own fields are counted with each of its files.
                let frame = kept.path.len() + 64;
                let is_whole = told == 0 && spent + size(&change) + frame <= room;
                let mut next = None;
                if !is_whole && shown > 0 {
                    next = Some(0);
                } else if !is_whole {
                    let piece = Piece::of(&mut change, told, room.saturating_sub(spent + frame));
                    next = piece.next;
                    less = Some(piece.said).filter(|said| !said.is_empty());
                }
                self.next_cursor =
                    next.map(|told| format!("{} {told} {}", self.compared_at, change.entry_id));
                if next == Some(0) {
                    continue;
                }
                spent += size(&change) + frame;
                shown += 1;
                kept.changes.push(change);
            }
            if !kept.changes.is_empty() {
                self.result.folder_diffs.push(kept);
            }
        }
        let rest = self.next_cursor.is_some() || cursor.is_some();
        let of_all = rest.then(|| {
            let (first, last) = (start + 1, start + shown);
            let more = if self.next_cursor.is_some() { "; call again with nextCursor as cursor" } else { "" };
            format!("Files {first} to {last} of {total} are shown{more}.")
        });
        let unnamed = (unnamed > 0).then(|| {
            format!(
                "{unnamed} removed folders are not named: their files moved, and movedFrom says from where."
            )
        });
        let parts: Vec<String> = of_all.into_iter().chain(less).chain(unnamed).collect();
        self.cut = (!parts.is_empty()).then(|| parts.join(" "));
        Ok(self)
    }
}

/// The change of one file is told declaration by declaration, then name by name of its details.
fn steps(change: &mut ComponentChange) -> usize {
    let names: usize = change.details.lists_mut().iter().map(|list| list.len()).sum();
    change.declarations.len() + names
}

/// As much of the change of one file as there is room for.
struct Piece {
    /// How much is told with it and before it, where there is more.
    next: Option<usize>,
    /// What it is of the whole.
    said: String,
}

impl Piece {
    /// Leaves of the change what comes after `told` steps and fits into `room` bytes, and one step at least.
    fn of(change: &mut ComponentChange, told: usize, room: usize) -> Self {
        let all = steps(change);
        let declarations = std::mem::take(&mut change.declarations);
        let mut details = std::mem::take(&mut change.details);
        let (before, of_details) = (declarations.len(), all - declarations.len());
        // With the names of both fields.
        let around = size(change) + 40;
        let (mut spent, mut taken, mut lost) = (around, 0, None);
        let mut fits = |bytes: usize| {
            spent += bytes + 1;
            let fits = taken == 0 || spent <= room;
            taken += usize::from(fits);
            fits
        };
        for (at, mut declaration) in declarations.into_iter().enumerate().skip(told) {
            if at == told {
                lost = clipped(&mut declaration, &change.entry_id, room.saturating_sub(around));
            }
            if !fits(size(&declaration)) {
                break;
            }
            change.declarations.push(declaration);
        }
        let mut skipped = told.saturating_sub(before);
        if told + change.declarations.len() >= before {
            'lists: for (list, kept) in details.lists_mut().into_iter().zip(change.details.lists_mut()) {
                let length = list.len();
                for name in list.drain(..).skip(skipped) {
                    // With the first of a list its own name.
                    let own = if kept.is_empty() { 24 } else { 0 };
                    if !fits(size(&name) + own) {
                        break 'lists;
                    }
                    kept.push(name);
                }
                skipped = skipped.saturating_sub(length);
            }
        }
        let end = told + taken;
        let entry = &change.entry_id;
        let of_declarations = (told < before).then(|| {
            let (first, last) = (told + 1, end.min(before));
            let behind = if of_details > 0 && end <= before { "; its details come after them" } else { "" };
            format!("Of {entry} declarations {first} to {last} of {before} are shown{behind}.")
        });
        let of_names = (end > before).then(|| {
            let (first, last) = (told.max(before) - before + 1, end - before);
            format!("Of the details of {entry} names {first} to {last} of {of_details} are shown.")
        });
        let said = of_declarations.into_iter().chain(of_names).chain(lost).collect::<Vec<_>>().join(" ");
        Self { next: (end < all).then_some(end), said }
    }
}

/// Makes one declaration fit that is too large for any part, and says what it lost.
fn clipped(declaration: &mut DeclarationChange, entry: &str, room: usize) -> Option<String> {
    if size(declaration) <= room {
        return None;
    }
    let (users, before, after) =
        (declaration.used_by.len(), declaration.before.len(), declaration.after.len());
    declaration.used_by.truncate(MOST_USERS);
    let (old, new) = (declaration.before.clone(), declaration.after.clone());
    let longest = old.iter().chain(&new).map(String::len).max().unwrap_or_default();
    let mut most = longest;
    while size(declaration) > room && most > LEAST_TEXT {
        most = (most / 2).max(LEAST_TEXT);
        let clip =
            |texts: &[String]| texts.iter().map(|text| becket_base::clip(text, most).to_string()).collect();
        (declaration.before, declaration.after) = (clip(&old), clip(&new));
    }
    while size(declaration) > room {
        let lists = [&mut declaration.used_by, &mut declaration.before, &mut declaration.after];
        let Some(list) = lists.into_iter().filter(|list| list.len() > LEAST_LIST).max_by_key(size) else {
            break;
        };
        list.truncate((list.len() / 2).max(LEAST_LIST));
    }
    let shown = |left: usize, all: usize, what: &str| {
        (left < all).then(|| format!("{left} of {all} {what} are shown"))
    };
    let lost: Vec<String> = (most < longest)
        .then(|| format!("signatures are clipped to {most} characters"))
        .into_iter()
        .chain(shown(declaration.before.len(), before, "old signatures"))
        .chain(shown(declaration.after.len(), after, "new signatures"))
        .chain(shown(declaration.used_by.len(), users, "users"))
        .collect();
    if lost.is_empty() {
        return None;
    }
    let named = becket_base::clip(&declaration.name, 80);
    let impact = if declaration.used_by.len() < users {
        format!(" logicstamp_impact of {entry} lists who depends on it.")
    } else {
        String::new()
    };
    Some(format!(
        "`{named}` is too large for an answer: {}.{impact} More room (mcp.max_output_bytes, \
         security.max_tokens_per_request) gives the rest.",
        lost.join(", ")
    ))
}

pub(super) fn size(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

#[cfg(test)]
mod tests {
    use becket_contracts::compare::{Change, CompareResult, CompareSummary, Details, Verdict};

    use super::*;

    #[test]
    fn the_parts_of_a_list_are_all_of_it() {
        let all: Vec<String> = (0..1000).map(|number| format!("src/file{number}.ts")).collect();
        let (mut seen, mut cursor, mut parts) = (Vec::new(), None, 0);
        loop {
            let part = part_of(all.clone(), cursor.as_deref(), 400, 5_000).unwrap();
            assert!(size(&part.items) <= 4_000 && part.notice.is_some());
            seen.extend(part.items);
            parts += 1;
            cursor = part.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((seen, parts > 3), (all.clone(), true));
        let few = part_of(all[..3].to_vec(), None, 400, 5_000).unwrap();
        assert_eq!((few.items.len(), few.next_cursor, few.notice), (3, None, None));
        assert!(part_of(all.clone(), Some("1000"), 1, 5_000).is_err());
        assert!(part_of(all.clone(), Some("x"), 1, 5_000).is_err());
        assert!(part_of(Vec::<String>::new(), None, 1, 0).unwrap().notice.is_none());
        let tight = part_of(all[..3].to_vec(), None, 400, 0).unwrap();
        assert_eq!((tight.items.len(), tight.next_cursor.as_deref()), (1, Some("1")));
    }

    fn declaration(name: String) -> DeclarationChange {
        DeclarationChange {
            name,
            kind: "function".to_owned(),
            change: Change::Changed,
            before: vec!["f(a: string): void".to_owned()],
            after: vec!["f(a: number): void".to_owned()],
            verdict: Verdict::Breaking,
            reason: "its parameter changed".to_owned(),
            used_by: (0..40).map(|user| format!("src/users/user{user}.ts")).collect(),
        }
    }

    fn compared(folders: usize, files: usize, declarations: usize) -> Compared {
        let change = |folder: usize, file: usize| ComponentChange {
            root_component: format!("f{file}"),
            kind: "hash_changed".to_owned(),
            entry_id: format!("d{folder}/f{file}.ts"),
            moved_from: None,
            semantic_hash_before: None,
            semantic_hash_after: None,
            token_delta: None,
            verdict: Verdict::Breaking,
            details: Details::default(),
            declarations: (0..declarations).map(|at| declaration(format!("f{at}"))).collect(),
        };
        let folder_diffs = (0..folders)
            .map(|folder| FolderDiff {
                path: format!("d{folder}"),
                status: "changed".to_owned(),
                changes: (0..files).map(|file| change(folder, file)).collect(),
            })
            .collect();
        Compared {
            result: CompareResult {
                baseline: "disk".to_owned(),
                status: "diff".to_owned(),
                summary: CompareSummary { breaking: folders * files, ..CompareSummary::default() },
                folder_diffs,
                error: None,
            },
            project_path: ".".to_owned(),
            branch: None,
            baseline_id: None,
            compared_at: "2026-01-31T12:00:00Z".to_owned(),
            cut: None,
            next_cursor: None,
            notice: None,
        }
    }

    #[test]
    fn the_parts_together_are_the_whole() {
        let whole = compared(7, 30, 2);
        assert_eq!(compared(2, 2, 1).part(None, 100_000).unwrap().cut, None);
        let (mut seen, mut cursor, mut parts) = (Vec::new(), None, 0);
        loop {
            let part = whole.clone().part(cursor.as_deref(), 20_000).unwrap();
            assert!(size(&part) <= 20_000, "{}", size(&part));
            assert!(part.cut.is_some());
            assert_eq!(part.result.summary, whole.result.summary);
            let changes = part.result.folder_diffs.iter().flat_map(|folder| &folder.changes);
            seen.extend(changes.map(|change| change.entry_id.clone()));
            parts += 1;
            cursor = part.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let all = whole.result.folder_diffs.iter().flat_map(|folder| &folder.changes);
        assert!(all.map(|change| &change.entry_id).eq(&seen), "{seen:?}");
        assert!(parts > 5, "{parts}");
        assert_eq!(whole.part(Some("0 no/file.ts"), 20_000).unwrap_err().code(), "invalid_cursor");
    }

    #[test]
    fn the_parts_of_one_large_file_are_all_of_it() {
        let mut whole = compared(1, 3, 60);
        let change = &mut whole.result.folder_diffs[0].changes[0];
        change.details.added_props = vec!["color".to_owned()];
        change.details.modified_exports = (0..100).map(|at| format!("export{at}")).collect();
        let all = whole.result.folder_diffs[0].changes.clone();
        for room in [1_024, 4_000, 12_000] {
            let (mut seen, mut cursor, mut parts): (Vec<ComponentChange>, Option<String>, usize) =
                (Vec::new(), None, 0);
            loop {
                let part = whole.clone().part(cursor.as_deref(), room).unwrap();
                let cut = part.cut.clone().unwrap();
                // One declaration with its file and the summary takes so much.
                assert!(size(&part) <= room.max(2_000), "{} {cut}", size(&part));
                for mut change in part.result.folder_diffs.into_iter().flat_map(|folder| folder.changes) {
                    assert!(
                        change.declarations.iter().all(|one| one.before.len() == 1 && one.after.len() == 1)
                    );
                    match seen.last_mut().filter(|last| last.entry_id == change.entry_id) {
                        None => seen.push(change),
                        Some(last) => {
                            last.declarations.append(&mut change.declarations);
                            for (list, more) in
                                last.details.lists_mut().into_iter().zip(change.details.lists_mut())
                            {
                                list.append(more);
                            }
                        }
                    }
                }
                parts += 1;
                cursor = part.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert!(parts > 5, "{parts}");
            if room > 4_000 {
                assert_eq!(seen, all);
            }
            let names = |changes: &[ComponentChange]| -> Vec<String> {
                changes.iter().flat_map(|one| &one.declarations).map(|one| one.name.clone()).collect()
            };
            assert_eq!(names(&seen), names(&all));
            assert_eq!(seen[0].details, all[0].details);
        }
        let first = whole.clone().part(None, 12_000).unwrap();
        let cut = first.cut.unwrap();
        assert!(cut.contains("Files 1 to 1 of 3") && cut.contains("of 60 are shown; its details"), "{cut}");
        for wrong in ["161 d0/f0.ts", "60 d0/f1.ts", "-1 d0/f0.ts", "d0/f0.ts", "1 d0/f9.ts", ""] {
            let cursor = format!("2026-01-31T12:00:00Z {wrong}");
            assert_eq!(whole.clone().part(Some(&cursor), 20_000).unwrap_err().code(), "invalid_cursor");
        }
    }

    #[test]
    fn one_declaration_that_is_too_large_is_clipped_and_it_is_said() {
        let mut whole = compared(1, 1, 2);
        let one = &mut whole.result.folder_diffs[0].changes[0].declarations[0];
        one.used_by = (0..900).map(|user| format!("src/users/user{user}.ts")).collect();
        one.before = vec!["x".repeat(30_000)];
        let first = whole.clone().part(None, 6_000).unwrap();
        assert!(size(&first) <= 6_000, "{}", size(&first));
        let cut = first.cut.unwrap();
        assert!(cut.contains("20 of 900 users") && cut.contains("signatures are clipped to"), "{cut}");
        let told = &first.result.folder_diffs[0].changes[0].declarations;
        assert!(told[0].before[0].ends_with("characters cut]") && told[0].after.len() == 1, "{told:?}");
        let second = whole.part(first.next_cursor.as_deref(), 6_000).unwrap();
        assert_eq!(
            (second.result.folder_diffs[0].changes[0].declarations.len(), second.next_cursor),
            (1, None)
        );
    }
}
