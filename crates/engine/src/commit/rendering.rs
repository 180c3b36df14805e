//! The files of a plan with some of its hunks and not others, and with that what each commit of it does.

use std::collections::{BTreeMap, BTreeSet};

use becket_commits::{HunkId, Part};
use becket_diff::{FilePath, Mode};
use becket_git::write::{NewContent, read_blobs, read_blobs_up_to};

use super::{
    cut::Cut,
    desk::Desk,
    layered::Rendered,
    refusal::{layer_refused, refused},
};
use crate::{Error, remember::FileEdit};

/// The files that some units touch, with what they are put together from.
#[derive(Debug)]
pub(super) struct Rendering<'a> {
    desk: &'a Desk,
    cut: &'a Cut,
    touched: Vec<usize>,
    contents: BTreeMap<&'a str, Vec<u8>>,
}

/// Longer files are not looked into for what a commit means to others.
const LONGEST: usize = 2 << 20;

impl<'a> Rendering<'a> {
    pub(super) fn of(desk: &'a Desk, cut: &'a Cut, units: &BTreeSet<usize>) -> Result<Self, Error> {
        let touched: Vec<usize> = (0..cut.files.len())
            .filter(|file| cut.files[*file].units().any(|unit| units.contains(&unit)))
            .collect();
        // A file that is only ever taken whole is put together from nothing, and may be large.
        let divided = touched.iter().filter(|file| {
            cut.files[**file].units().any(|unit| matches!(cut.units[unit].part, Part::Lines(_)))
        });
        let ids: BTreeSet<&str> = divided.flat_map(|file| cut.files[*file].bases(&cut.units)).collect();
        let ids: Vec<&str> = ids.into_iter().collect();
        let contents = read_blobs(desk.git.clone(), Some(&desk.write.objects()), &ids).map_err(refused)?;
        Ok(Self { desk, cut, touched, contents: ids.into_iter().zip(contents).collect() })
    }

    /// The files with the taken units and no others.
    pub(super) fn with(&self, taken: &dyn Fn(usize) -> bool) -> Result<Vec<Rendered>, Error> {
        let content_of = |id: &str| self.contents.get(id).cloned();
        let rendered =
            self.touched.iter().map(|file| self.cut.files[*file].with(&self.cut.units, taken, &content_of));
        rendered
            .collect::<Result<_, _>>()
            .map_err(|error| layer_refused(error, |unit| self.cut.handles[unit].clone()))
    }

    /// Whether two states of the files are one to Git.
    pub(super) fn is_same(&self, one: &[Rendered], other: &[Rendered]) -> bool {
        type Files<'a> = BTreeMap<&'a FilePath, (Mode, &'a NewContent)>;
        let (mut before, mut after) = (Files::new(), Files::new());
        for (old, new) in one.iter().zip(other).filter(|(old, new)| old != new) {
            before.extend(old.iter().map(|(path, mode, content)| (path, (*mode, content))));
            after.extend(new.iter().map(|(path, mode, content)| (path, (*mode, content))));
        }
        let same = |one: &NewContent, other: &NewContent| match (one, other) {
            (NewContent::Stored(id), NewContent::Bytes(bytes))
            | (NewContent::Bytes(bytes), NewContent::Stored(id)) => {
                self.contents.get(id.as_str()).is_some_and(|content| content == bytes)
            }
            (one, other) => one == other,
        };
        before.len() == after.len()
            && before.iter().zip(&after).all(|((old_path, (old_mode, old)), (path, (mode, new)))| {
                old_path == path && old_mode == mode && same(old, new)
            })
    }

    /// What leads from one state of the files to another, as far as it is text that somebody may have written.
    pub(super) fn edits(&self, before: &[Rendered], after: &[Rendered]) -> Result<Vec<FileEdit>, Error> {
        let pairs: Vec<(&Rendered, &Rendered)> =
            before.iter().zip(after).filter(|(before, after)| before != after).collect();
        let ids: BTreeSet<&str> = pairs
            .iter()
            .flat_map(|(before, after)| [stored_id(before), stored_id(after)])
            .flatten()
            .collect();
        let ids: Vec<&str> = ids.into_iter().collect();
        let objects = self.desk.write.objects();
        let read = read_blobs_up_to(self.desk.git.clone(), Some(&objects), &ids, LONGEST).map_err(refused)?;
        let texts: BTreeMap<&str, Option<Vec<u8>>> = ids.into_iter().zip(read).collect();
        // Nothing at all for what is there and cannot be read as text.
        let side = |rendered: &Rendered| {
            let Some((path, mode, content)) = rendered else { return Some(None) };
            let path = named(path).filter(|_| is_regular(*mode))?;
            let bytes = match content {
                NewContent::Bytes(bytes) => bytes.clone(),
                NewContent::Stored(id) => texts.get(id.as_str())?.clone()?,
            };
            (bytes.len() <= LONGEST).then_some(Some((path, bytes)))
        };
        let edit = |(before, after): &(&Rendered, &Rendered)| {
            Some(FileEdit { old: side(before)?, new: side(after)? })
        };
        let edits = pairs.iter().filter_map(edit);
        Ok(edits.filter(|edit| edit.old != edit.new).collect())
    }
}

fn stored_id(rendered: &Rendered) -> Option<&str> {
    match rendered {
        Some((_, mode, NewContent::Stored(id))) if is_regular(*mode) => Some(id.as_str()),
        _ => None,
    }
}

fn is_regular(mode: Mode) -> bool {
    mode.0 & 0o170_000 == 0o100_000
}

fn named(path: &FilePath) -> Option<String> {
    std::str::from_utf8(path.as_bytes()).ok().map(str::to_owned)
}

/// The units that hunks are, by number.
pub(super) fn numbers(cut: &Cut, hunks: &[HunkId]) -> BTreeSet<usize> {
    hunks.iter().filter_map(|id| cut.number(id)).collect()
}
