//! What was seen at the last look: stamps, by which an unchanged tree is known without reading it.
#![allow(clippy::disallowed_methods, reason = "asks the disk for stamps")]

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use fs_err as fs;
use rayon::prelude::*;

use super::local::Key;
use super::{IndexError, Place};
use crate::walk::{Folder, Found, Role, Stamp, WalkProblem, Walked, names_in, rules::role_of, walk};
use becket_base::codec::{Decoder, Encoder};

/// A clock tick: what was changed this shortly before a look may have been changed again in the same tick.
const TICK: i64 = 20_000_000;

/// Bytes that a file takes at least when it is stored: a stamp and four more.
const SMALLEST: usize = 36;

/// A look, with the key of each source as far as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) walked: Walked,
    /// Beside `walked.files`.
    pub(super) keys: Vec<Option<Key>>,
    /// When the look began, in nanoseconds since 1970.
    pub(super) taken: i64,
}

/// The tree now, by stamps alone where they say that no name came or went; and when the look began.
pub(super) fn look(place: &Place, known: Option<&Known>) -> Result<(Walked, i64), IndexError> {
    let taken = now();
    if let Some(walked) = known.and_then(|known| same_names(place, known)) {
        return Ok((walked, taken));
    }
    Ok((walk(&place.root, place.tests)?, taken))
}

/// A look at some files only; `None` where one of them is no known source, or is gone.
pub(super) fn look_at(place: &Place, known: &Known, paths: &[String]) -> Option<(Walked, i64)> {
    let mut walked = known.walked.clone();
    for path in paths {
        let at = walked.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        let metadata = fs::symlink_metadata(place.root.join(path)).ok().filter(std::fs::Metadata::is_file)?;
        let stamp = Stamp::of(&metadata);
        let file = &mut walked.files[at];
        if file.role == Role::Control || role_of(path, stamp.size, place.tests) != file.role {
            return None;
        }
        file.stamp = stamp;
    }
    // What was not looked at now is as old as the look before.
    Some((walked, known.taken))
}

/// The same files with their stamps of now; `None` where a name came or went, or a rule may have changed.
fn same_names(place: &Place, known: &Known) -> Option<Walked> {
    let folders: Option<Vec<Folder>> = known
        .walked
        .folders
        .par_iter()
        .map(|folder| {
            let path = place.root.join(&folder.path);
            let metadata = fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_dir)?;
            let stamp = Stamp::of(&metadata);
            if stamp == folder.stamp && known.trusts(stamp) {
                return Some(folder.clone());
            }
            (names_in(&path)? == folder.names).then(|| Folder { stamp, ..folder.clone() })
        })
        .collect();
    let folders = folders?;
    let files: Option<Vec<Found>> = known
        .walked
        .files
        .par_iter()
        .map(|file| {
            let metadata = fs::symlink_metadata(place.root.join(&*file.path)).ok()?;
            let stamp = Stamp::of(&metadata);
            let role = role_of(&file.path, stamp.size, place.tests);
            let trusted = stamp == file.stamp && known.trusts(stamp);
            let sound = metadata.is_file() && (file.role != Role::Control || trusted);
            sound.then(|| Found { path: Arc::clone(&file.path), role, stamp })
        })
        .collect();
    Some(Walked { files: files?, folders, problems: known.walked.problems.clone() })
}

impl Known {
    /// Whether a stamp of this look still speaks for the content.
    pub(super) fn trusts(&self, stamp: Stamp) -> bool {
        stamp.modified.max(stamp.changed).saturating_add(TICK) < self.taken
    }

    /// The key of a file that was not touched since.
    pub(super) fn key(&self, file: &Found) -> Option<Key> {
        let at = self.walked.files.binary_search_by(|known| known.path.cmp(&file.path)).ok()?;
        let known = &self.walked.files[at];
        (known.stamp == file.stamp && self.trusts(file.stamp)).then_some(self.keys[at]).flatten()
    }

    /// Whether a later look found nothing else.
    pub(super) fn is_current(&self, walked: &Walked) -> bool {
        self.walked.problems == walked.problems
            && self.walked.files.len() == walked.files.len()
            && self.walked.files.iter().zip(&walked.files).all(|(old, new)| {
                old.has_path(&new.path)
                    && old.role == new.role
                    && old.stamp == new.stamp
                    && (self.trusts(new.stamp) || !matches!(new.role, Role::Source | Role::Control))
            })
    }

    pub(super) fn encode(&self, encoder: &mut Encoder) {
        encoder.bytes.extend(self.taken.to_le_bytes());
        encoder.count(self.walked.files.len());
        for (file, key) in self.walked.files.iter().zip(&self.keys) {
            encoder.text(&file.path);
            encoder.bytes.push(match file.role {
                Role::Source => 0,
                Role::LeftOut => 1,
                Role::Control => 2,
                Role::Asset => 3,
            });
            file.stamp.encode(encoder);
            encoder.bytes.push(u8::from(key.is_some()));
            encoder.bytes.extend(key.iter().flat_map(|key| key.0));
        }
        encoder.count(self.walked.folders.len());
        for folder in &self.walked.folders {
            encoder.text(&folder.path);
            folder.stamp.encode(encoder);
            encoder.word(folder.names);
        }
        encoder.count(self.walked.problems.len());
        for problem in &self.walked.problems {
            encoder.text(&problem.path);
            encoder.text(&problem.message);
        }
    }

    pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Self> {
        let mut known = Self { taken: i64::from_le_bytes(decoder.array()?), ..Self::default() };
        let count = decoder.count()?;
        // No more than there can be, whatever the number says.
        let room = count.min(decoder.bytes.len() / SMALLEST);
        known.walked.files.reserve_exact(room);
        known.keys.reserve_exact(room);
        for _ in 0..count {
            let path = Arc::from(decoder.str()?);
            let role = match decoder.byte()? {
                0 => Role::Source,
                1 => Role::LeftOut,
                2 => Role::Control,
                _ => Role::Asset,
            };
            let stamp = Stamp::decode(decoder)?;
            let key = if decoder.byte()? == 1 { Some(Key(decoder.array()?)) } else { None };
            known.walked.files.push(Found { path, role, stamp });
            known.keys.push(key);
        }
        for _ in 0..decoder.count()? {
            let (path, stamp) = (decoder.text()?, Stamp::decode(decoder)?);
            known.walked.folders.push(Folder { path, stamp, names: decoder.word()? });
        }
        for _ in 0..decoder.count()? {
            let (path, message) = (decoder.text()?, decoder.text()?);
            known.walked.problems.push(WalkProblem { path, message });
        }
        Some(known)
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
