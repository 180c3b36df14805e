//! What was seen at the last look: stamps, by which an unchanged tree is known without reading it.
#![allow(clippy::disallowed_methods, reason = "asks the disk for stamps")]

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use becket_base::Parts;
use fs_err as fs;
use rayon::prelude::*;

use super::local::Key;
use super::{IndexError, Place};
use crate::walk::rules::{is_sheet, role_of};
use crate::walk::stamp::Below;
use crate::walk::{
    Folder, Found, LeftOut, Link, Role, Stamp, Unlisted, WalkProblem, Walked, Way, names_in, unlisted_stamp,
    walk,
};
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
    pub(super) keys: Parts<Option<Key>>,
    /// When the look began, in nanoseconds since 1970.
    pub(super) taken: i64,
}

/// The tree now, by stamps alone where they say that no name came or went; and when the look began.
pub(super) fn look(place: &Place, known: Option<&Known>) -> Result<(Walked, i64), IndexError> {
    let taken = now();
    if let Some(walked) = known.and_then(|known| same_names(place, known)) {
        return Ok((walked, taken));
    }
    let unlisted = known.map(|known| unlisted(place, known)).unwrap_or_default();
    Ok((Walked { unlisted, ..walk(&place.root, place.tests)? }, taken))
}

/// What is not listed, with its stamps of now.
fn unlisted(place: &Place, known: &Known) -> Arc<Unlisted> {
    let stamp = |(way, path): &(Way, String)| match way {
        Way::Folders => unlisted_stamp(&place.root, path),
        Way::Links => LeftOut::at(&place.root, path).map(|found| found.stamp),
    };
    let stamps: Unlisted = known.walked.unlisted.keys().map(|key| (key.clone(), stamp(key))).collect();
    stamps.into()
}

/// A look at some files only, and where they stand; `None` where one of them is not known, or is gone.
pub(super) fn look_at(place: &Place, known: &Known, paths: &[String]) -> Option<(Walked, Vec<usize>)> {
    let mut walked = Walked { unlisted: unlisted(place, known), ..known.walked.clone() };
    if !known.has_same_unlisted(&walked) {
        return None;
    }
    let mut places = Vec::with_capacity(paths.len());
    for path in paths {
        let at = walked.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        let metadata = fs::symlink_metadata(place.root.join(path)).ok().filter(std::fs::Metadata::is_file)?;
        let stamp = Stamp::of(&metadata);
        let file = &walked.files[at];
        if file.role == Role::Control || role_of(path, stamp.size, place.tests) != file.role {
            return None;
        }
        let file = Found { stamp, ..file.clone() };
        walked.files.set(at, file);
        places.push(at);
    }
    Some((walked, places))
}

/// The same files with their stamps of now; `None` where a name came or went, or a rule may have changed.
fn same_names(place: &Place, known: &Known) -> Option<Walked> {
    let links = &known.walked.links;
    if links.iter().any(|link| Link::at(&place.root, link.path.clone()).as_ref() != Some(link)) {
        return None;
    }
    let folders = looked_at_again(&known.walked.folders, |folder| {
        let path = place.root.join(&folder.path);
        let metadata = fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_dir)?;
        let stamp = Stamp::of(&metadata);
        let same = (stamp == folder.stamp && known.trusts(stamp)) || names_in(&path)? == folder.names;
        same.then(|| Seen::new(stamp == folder.stamp, || Folder { stamp, ..folder.clone() }))
    })?;
    let below = Below::new(&place.root);
    let files = looked_at_again(&known.walked.files, |file| {
        // Nobody reads it, and its folder tells whether it is there.
        if file.role == Role::Asset && !is_sheet(&file.path) {
            return Some(Seen::AsBefore);
        }
        let stamp = below.file(&file.path)?;
        let same = stamp == file.stamp;
        // By the same name a file is something else only where it got small or large.
        let role = if same { file.role } else { role_of(&file.path, stamp.size, place.tests) };
        let sound = file.role != Role::Control || (same && known.trusts(stamp));
        sound.then(|| Seen::new(same, || Found { path: Arc::clone(&file.path), role, stamp }))
    })?;
    let (links, problems) = (links.clone(), known.walked.problems.clone());
    Some(Walked { files, folders, links, unlisted: unlisted(place, known), problems })
}

enum Seen<T> {
    AsBefore,
    Otherwise(T),
}

impl<T> Seen<T> {
    fn new(same: bool, otherwise: impl FnOnce() -> T) -> Self {
        if same { Self::AsBefore } else { Self::Otherwise(otherwise()) }
    }
}

/// The list with what is seen otherwise now; `None` where `look` gives none for one of them.
fn looked_at_again<T: Clone + Send + Sync>(
    list: &Parts<T>,
    look: impl Fn(&T) -> Option<Seen<T>> + Sync,
) -> Option<Parts<T>> {
    let parts = list.parts().par_iter().map(|part| {
        let mut part = Arc::clone(part);
        for at in 0..part.len() {
            if let Seen::Otherwise(item) = look(&part[at])? {
                Arc::make_mut(&mut part)[at] = item;
            }
        }
        Some(part)
    });
    parts.collect::<Option<Vec<_>>>().map(Parts::of_parts)
}

impl Known {
    /// Those whose files an index has.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&Arc<str>, Key)> {
        let files = self.walked.files.iter().zip(&self.keys);
        let sources = files.filter(|(file, _)| file.role == Role::Source);
        sources.filter_map(|(file, key)| Some((&file.path, (*key)?)))
    }

    /// Whether a stamp of this look still speaks for the content.
    pub(super) fn trusts(&self, stamp: Stamp) -> bool {
        stamp.modified.max(stamp.changed).saturating_add(TICK) < self.taken
    }

    /// Whether what is not listed was not touched since.
    pub(super) fn has_same_unlisted(&self, walked: &Walked) -> bool {
        let mut stamps = walked.unlisted.values().flatten();
        self.walked.unlisted == walked.unlisted && stamps.all(|stamp| self.trusts(*stamp))
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
            && self.walked.links == walked.links
            && self.has_same_unlisted(walked)
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
        // In two halves, with the length of the first, so that two can read them.
        let parts = self.walked.files.parts();
        let first: usize = parts[..parts.len() / 2].iter().map(|part| part.len()).sum();
        let mut files = self.walked.files.iter().zip(&self.keys);
        for half in [first, self.walked.files.len() - first] {
            encoder.count(half);
            let start = encoder.bytes.len();
            encoder.count(0);
            files.by_ref().take(half).for_each(|(file, key)| encode_file(encoder, file, *key));
            let length = (encoder.bytes.len() - start - size_of::<u64>()) as u64;
            encoder.bytes[start..][..size_of::<u64>()].copy_from_slice(&length.to_le_bytes());
        }
        encoder.count(self.walked.folders.len());
        for folder in &self.walked.folders {
            encoder.text(&folder.path);
            folder.stamp.encode(encoder);
            encoder.word(folder.names);
        }
        encoder.count(self.walked.links.len());
        for link in &self.walked.links {
            encoder.text(&link.path);
            encoder.text(&link.target);
        }
        encoder.count(self.walked.unlisted.len());
        for ((way, path), stamp) in &*self.walked.unlisted {
            encoder.text(path);
            encoder.bytes.push(u8::from(*way == Way::Links));
            encoder.bytes.push(u8::from(stamp.is_some()));
            stamp.unwrap_or_default().encode(encoder);
        }
        encoder.count(self.walked.problems.len());
        for problem in &self.walked.problems {
            encoder.text(&problem.path);
            encoder.text(&problem.message);
        }
    }

    pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Self> {
        let taken = i64::from_le_bytes(decoder.array()?);
        let mut half = || {
            let (count, length) = (decoder.count()?, decoder.count()?);
            Some((count, Decoder { bytes: decoder.take(length)? }))
        };
        let ((first, mut firsts), (second, mut seconds)) = (half()?, half()?);
        let halves = rayon::join(|| decode_files(&mut firsts, first), || decode_files(&mut seconds, second));
        let ((files, keys), (more_files, more_keys)) = (halves.0?, halves.1?);
        let (files, keys) = (files.followed_by(more_files)?, keys.followed_by(more_keys)?);
        let (mut folders, mut links, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..decoder.count()? {
            let (path, stamp) = (decoder.text()?, Stamp::decode(decoder)?);
            folders.push(Folder { path, stamp, names: decoder.word()? });
        }
        for _ in 0..decoder.count()? {
            let (path, target) = (decoder.text()?, decoder.text()?);
            links.push(Link { path, target });
        }
        let mut unlisted = Unlisted::new();
        for _ in 0..decoder.count()? {
            let path = decoder.text()?;
            let way = if decoder.byte()? == 1 { Way::Links } else { Way::Folders };
            let (is_there, stamp) = (decoder.byte()? == 1, Stamp::decode(decoder)?);
            unlisted.insert((way, path), is_there.then_some(stamp));
        }
        for _ in 0..decoder.count()? {
            let (path, message) = (decoder.text()?, decoder.text()?);
            problems.push(WalkProblem { path, message });
        }
        let unlisted = unlisted.into();
        let walked = Walked { files, folders: folders.into(), links, unlisted, problems };
        Some(Self { walked, keys, taken })
    }
}

fn encode_file(encoder: &mut Encoder, file: &Found, key: Option<Key>) {
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

fn decode_files(decoder: &mut Decoder<'_>, count: usize) -> Option<(Parts<Found>, Parts<Option<Key>>)> {
    // No more than there can be, whatever the number says.
    let room = count.min(decoder.bytes.len() / SMALLEST);
    let (mut files, mut keys) = (Vec::with_capacity(room), Vec::with_capacity(room));
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
        files.push(Found { path, role, stamp });
        keys.push(key);
    }
    Some((files.into(), keys.into()))
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
