//! What was seen at the last look: stamps, by which an unchanged tree is known without reading it. One file per worktree
//! and choice of tests, replaced in one step.
#![allow(clippy::disallowed_methods, reason = "the owner of the stamps")]

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use fs_err as fs;
use rayon::prelude::*;

use super::local::Key;
use super::{IndexError, Place};
use crate::walk::{Folder, Found, Role, Stamp, Tests, WalkProblem, Walked, names_in, rules::role_of, walk};

/// A clock tick: what was changed this shortly before a look may have been changed again in the same tick.
const TICK: i64 = 20_000_000;
const MAGIC: &[u8] = b"becket tree 1\n";

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
            let metadata = fs::symlink_metadata(place.root.join(&file.path)).ok()?;
            let stamp = Stamp::of(&metadata);
            let role = role_of(&file.path, stamp.size, place.tests);
            let trusted = stamp == file.stamp && known.trusts(stamp);
            let sound = metadata.is_file() && (file.role != Role::Control || trusted);
            sound.then(|| Found { path: file.path.clone(), role, stamp })
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
                old.path == new.path
                    && old.role == new.role
                    && old.stamp == new.stamp
                    && (self.trusts(new.stamp) || !matches!(new.role, Role::Source | Role::Control))
            })
    }

    pub(super) fn load(place: &Place) -> Option<Self> {
        let bytes = fs::read(file_of(place)).ok()?;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        if blake3::hash(body).as_bytes() != sum {
            return None;
        }
        Cursor { bytes: body.strip_prefix(MAGIC)? }.known()
    }

    /// Remembers the look; that it could not is no failure.
    pub(super) fn save(&self, place: &Place) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.taken.to_le_bytes());
        put_count(&mut bytes, self.walked.files.len());
        for (file, key) in self.walked.files.iter().zip(&self.keys) {
            put_text(&mut bytes, &file.path);
            bytes.push(match file.role {
                Role::Source => 0,
                Role::LeftOut => 1,
                Role::Control => 2,
                Role::Asset => 3,
            });
            put_stamp(&mut bytes, file.stamp);
            bytes.push(u8::from(key.is_some()));
            bytes.extend(key.iter().flat_map(|key| key.0));
        }
        put_count(&mut bytes, self.walked.folders.len());
        for folder in &self.walked.folders {
            put_text(&mut bytes, &folder.path);
            put_stamp(&mut bytes, folder.stamp);
            bytes.extend(folder.names.to_le_bytes());
        }
        put_count(&mut bytes, self.walked.problems.len());
        for problem in &self.walked.problems {
            put_text(&mut bytes, &problem.path);
            put_text(&mut bytes, &problem.message);
        }
        let sum = blake3::hash(&bytes);
        bytes.extend(sum.as_bytes());
        if let Err(error) = replace(&file_of(place), &bytes) {
            tracing::debug!(%error, "stamps are not remembered");
        }
    }
}

/// Removes what was remembered.
pub(super) fn clear(cache: &Path) -> io::Result<()> {
    match fs::read_dir(cache) {
        Ok(entries) => {
            for entry in entries {
                let path = entry?.path();
                let ours = path.extension().is_some_and(|ending| ending == "pack" || ending == "tree");
                if ours {
                    match fs::remove_file(&path) {
                        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                        _ => {}
                    }
                }
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn file_of(place: &Place) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    hasher.update(place.root.to_string_lossy().as_bytes());
    hasher.update(&[u8::from(place.tests == Tests::Included)]);
    place.cache.join(format!("{}.tree", &hasher.finalize().to_hex()[..16]))
}

/// Without a sync: after a crash of the machine the checksum tells.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let temporary = path.with_extension(format!("{:016x}.tmp", u64::from_le_bytes(random)));
    fs::write(&temporary, bytes)?;
    fs::rename(&temporary, path).inspect_err(|_| _ = fs::remove_file(&temporary))
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend((count as u64).to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_count(bytes, text.len());
    bytes.extend(text.as_bytes());
}

fn put_stamp(bytes: &mut Vec<u8>, stamp: Stamp) {
    bytes.extend(stamp.size.to_le_bytes());
    bytes.extend(stamp.modified.to_le_bytes());
    bytes.extend(stamp.changed.to_le_bytes());
    bytes.extend(stamp.inode.to_le_bytes());
}

struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn known(&mut self) -> Option<Known> {
        let mut known = Known { taken: i64::from_le_bytes(self.array()?), ..Known::default() };
        for _ in 0..self.count()? {
            let path = self.text()?;
            let role = match self.array::<1>()? {
                [0] => Role::Source,
                [1] => Role::LeftOut,
                [2] => Role::Control,
                _ => Role::Asset,
            };
            let stamp = self.stamp()?;
            let key = if self.array::<1>()? == [1] { Some(Key(self.array()?)) } else { None };
            known.walked.files.push(Found { path, role, stamp });
            known.keys.push(key);
        }
        for _ in 0..self.count()? {
            let (path, stamp) = (self.text()?, self.stamp()?);
            known.walked.folders.push(Folder { path, stamp, names: u64::from_le_bytes(self.array()?) });
        }
        for _ in 0..self.count()? {
            let (path, message) = (self.text()?, self.text()?);
            known.walked.problems.push(WalkProblem { path, message });
        }
        self.bytes.is_empty().then_some(known)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.array()?)).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn stamp(&mut self) -> Option<Stamp> {
        Some(Stamp {
            size: u64::from_le_bytes(self.array()?),
            modified: i64::from_le_bytes(self.array()?),
            changed: i64::from_le_bytes(self.array()?),
            inode: u64::from_le_bytes(self.array()?),
        })
    }
}
