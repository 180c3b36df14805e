//! What is too large for one answer, part by part: as much of a list, or of a comparison, as there is room for, and where to
//! go on.

use becket_contracts::compare::{ComponentChange, Details, FolderDiff};

use serde::Serialize;

use super::compare::Compared;
use crate::Error;

/// Room for what says that something was cut.
const FRAME: usize = 1_000;
/// Files that use what was broken, where there is no room for all.
const MOST_USERS: usize = 20;

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
    /// The file that a cursor of this comparison names.
    pub(super) fn place<'c>(&self, cursor: &'c str) -> Option<&'c str> {
        cursor.strip_prefix(&*self.compared_at)?.strip_prefix(' ')
    }

    /// The part that begins at the file that the cursor names, in about `room` bytes. The summary is that of the whole.
    pub(super) fn part(mut self, cursor: Option<&str>, room: usize) -> Result<Self, Error> {
        let folders = std::mem::take(&mut self.result.folder_diffs);
        let total: usize = folders.iter().map(|folder| folder.changes.len()).sum();
        let start = match cursor.map(|cursor| self.place(cursor)) {
            None => 0,
            Some(place) => folders
                .iter()
                .flat_map(|folder| &folder.changes)
                .position(|change| Some(change.entry_id.as_str()) == place)
                .ok_or_else(|| {
                    Error::invalid("invalid_cursor", "The cursor is of no comparison that is still kept.")
                        .with_hint("Leave it out to compare again.")
                })?,
        };
        let room = room.saturating_sub(FRAME.min(room / 2) + size(&self));
        let (mut spent, mut at, mut shown, mut less, mut unnamed) = (0, 0, 0, None, 0);
        for folder in folders {
            let mut kept = FolderDiff { changes: Vec::new(), ..folder };
            // One whose files went elsewhere stands with what is before it.
            if folder.changes.is_empty() && (at > start || start == 0) && self.next_cursor.is_none() {
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
                // A folder's own fields are counted with each of its files.
                let frame = kept.path.len() + 64;
                if shown == 0 && size(&change) + frame > room {
                    less = Some(shortened(&mut change, room.saturating_sub(frame)));
                }
                spent += size(&change) + frame;
                if shown > 0 && spent > room {
                    self.next_cursor = Some(format!("{} {}", self.compared_at, change.entry_id));
                    continue;
                }
                shown += 1;
                kept.changes.push(change);
            }
            if !kept.changes.is_empty() {
                self.result.folder_diffs.push(kept);
            }
        }
        let rest = self.next_cursor.is_some() || start > 0;
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

/// Makes the change of one file fit, and says what it lost.
fn shortened(change: &mut ComponentChange, room: usize) -> String {
    for declaration in &mut change.declarations {
        declaration.used_by.truncate(MOST_USERS);
    }
    let all = change.declarations.len();
    while size(change) > room && change.declarations.len() > 1 {
        change.declarations.truncate(change.declarations.len() / 2);
    }
    if size(change) > room {
        change.details = Details::default();
    }
    for declaration in &mut change.declarations {
        if size(declaration) > room {
            (declaration.before, declaration.after) = (Vec::new(), Vec::new());
        }
    }
    let left = change.declarations.len();
    format!("Of {} {left} of {all} declarations are shown, with {MOST_USERS} users at most.", change.entry_id)
}

pub(super) fn size(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

#[cfg(test)]
mod tests {
    use becket_contracts::compare::{Change, CompareResult, CompareSummary, DeclarationChange, Verdict};

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
        assert_eq!(whole.part(Some("no/file.ts"), 20_000).unwrap_err().code(), "invalid_cursor");
    }

    #[test]
    fn one_file_that_is_too_large_loses_declarations_and_it_is_said() {
        let part = compared(1, 2, 500).part(None, 20_000).unwrap();
        assert!(size(&part) <= 20_000, "{}", size(&part));
        let cut = part.cut.unwrap();
        assert!(cut.contains("Files 1 to 1 of 2") && cut.contains("of 500 declarations"), "{cut}");
        assert_eq!(part.next_cursor.as_deref(), Some("2026-01-31T12:00:00Z d0/f1.ts"));
    }
}
