//! All entries in memory, kept in step with the folder: only what came or changed is read again.
#![allow(clippy::disallowed_methods, reason = "asks the file system which entries changed")]

use std::{collections::HashMap, sync::Arc, thread, time::UNIX_EPOCH};

use fs_err as fs;

use super::words::words;
use crate::{
    entry::{ContentHash, Entry, split_lines},
    front_matter::FrontMatter,
    vault::{Listed, Listing, Vault, VaultError},
};

/// One entry, read and counted.
#[derive(Debug)]
pub struct Document {
    pub number: u64,
    pub reference: String,
    pub file: String,
    pub text: String,
    /// For matching without regard to case.
    pub(super) lower: String,
    pub title: String,
    pub front: FrontMatter,
    pub hash: ContentHash,
    /// Lines of the body.
    pub lines: usize,
    /// Distinct words and how much each counts here.
    pub(super) terms: Vec<(Box<str>, f32)>,
    pub(super) length: f32,
    stamp: Stamp,
}

/// What has the name of an entry and cannot be read as one.
#[derive(Debug, Clone)]
pub struct Skipped {
    pub listed: Listed,
    pub reason: String,
}

/// When an entry that was read before need not be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    IfUnchanged,
    AsItWas,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: u128,
    size: u64,
}

/// The entries of one vault.
#[derive(Debug, Default)]
pub struct Corpus {
    /// By number, then by file name.
    documents: Vec<Arc<Document>>,
    skipped: Vec<Skipped>,
    /// For every word, the documents that have it, by their place in `documents`.
    postings: HashMap<Box<str>, Vec<(u32, f32)>>,
    total_length: f64,
}

/// A word in the title says more about an entry than one in its text.
const TITLE_WEIGHT: f32 = 3.0;
/// Below this a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 64;

impl Corpus {
    /// Brings the corpus in step with the folder.
    pub fn refresh(&mut self, vault: &Vault, listing: &Listing) {
        self.take(vault, listing, Known::IfUnchanged);
    }

    /// Reads entries that came, and takes those that were read before as they were: enough to compare a new text with.
    pub fn refresh_new(&mut self, vault: &Vault, listing: &Listing) {
        self.take(vault, listing, Known::AsItWas);
    }

    fn take(&mut self, vault: &Vault, listing: &Listing, trust: Known) {
        let known: HashMap<&str, &Arc<Document>> =
            self.documents.iter().map(|document| (document.file.as_str(), document)).collect();
        let read = |listed: &Listed| -> Result<Arc<Document>, Skipped> {
            let before = known.get(listed.file.as_str()).filter(|document| document.number == listed.number);
            if let (Some(document), Known::AsItWas) = (before, trust) {
                return Ok(Arc::clone(document));
            }
            let stamp = stamp(vault, listed);
            if let Some(document) = before.filter(|document| Some(document.stamp) == stamp) {
                return Ok(Arc::clone(document));
            }
            let skip = |error: VaultError| Skipped { listed: listed.clone(), reason: error.to_string() };
            let text = vault.read(listed).map_err(skip)?;
            Ok(Arc::new(Document::new(listed, text, stamp)))
        };
        let results = in_parallel(&listing.entries, read);
        let (mut documents, mut skipped) = (Vec::with_capacity(results.len()), Vec::new());
        for result in results {
            match result {
                Ok(document) => documents.push(document),
                Err(reason) => skipped.push(reason),
            }
        }
        let same = |left: &Arc<Document>, right: &Arc<Document>| Arc::ptr_eq(left, right);
        let kept = self.documents.len() <= documents.len()
            && self.documents.iter().zip(&documents).all(|(left, right)| same(left, right));
        // The usual case is that nothing came, or new entries at the end.
        let indexed = if kept { self.documents.len() } else { 0 };
        if !kept {
            self.postings.clear();
            self.total_length = 0.0;
        }
        for (place, document) in documents.iter().enumerate().skip(indexed) {
            self.index(place, document);
        }
        self.documents = documents;
        self.skipped = skipped;
    }

    /// Adds an entry that was just written, so that the folder need not be read again for it.
    pub fn add(&mut self, vault: &Vault, listed: &Listed, text: String) {
        if self.documents.last().is_some_and(|last| last.number >= listed.number) {
            // Not at the end: the next refresh puts it in its place.
            return;
        }
        let document = Arc::new(Document::new(listed, text, stamp(vault, listed)));
        self.index(self.documents.len(), &document);
        self.documents.push(document);
    }

    fn index(&mut self, place: usize, document: &Document) {
        self.total_length += f64::from(document.length);
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        for (term, weight) in &document.terms {
            match self.postings.get_mut(term) {
                Some(list) => list.push((place, *weight)),
                None => {
                    self.postings.insert(term.clone(), vec![(place, *weight)]);
                }
            }
        }
    }

    pub fn documents(&self) -> &[Arc<Document>] {
        &self.documents
    }

    /// Files that have the name of an entry and could not be read.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    pub(super) fn postings(&self, term: &str) -> &[(u32, f32)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "an average of small numbers"
    )]
    pub(super) fn average_length(&self) -> f32 {
        if self.documents.is_empty() { 1.0 } else { (self.total_length / self.documents.len() as f64) as f32 }
    }
}

impl Document {
    fn new(listed: &Listed, text: String, stamp: Option<Stamp>) -> Self {
        let entry = Entry::parse(&text);
        let title = entry.title();
        let lines = split_lines(entry.body).count();
        let (terms, length) = count(&title, entry.body);
        Self {
            number: listed.number,
            reference: listed.reference.clone(),
            file: listed.file.clone(),
            lower: text.to_lowercase(),
            title,
            lines,
            hash: ContentHash::of(text.as_bytes()),
            terms,
            length,
            // A file whose time is not known never equals itself, and is read every time.
            stamp: stamp.unwrap_or(Stamp { modified: 0, size: u64::MAX }),
            front: entry.front,
            text,
        }
    }
}

/// How much each word counts in a text with a title, and how long that makes it.
pub(super) fn count(title: &str, body: &str) -> (Vec<(Box<str>, f32)>, f32) {
    let mut counts: HashMap<Box<str>, f32> = HashMap::new();
    let mut length = 0.0;
    let mut add = |word: &str, weight: f32| {
        length += weight;
        match counts.get_mut(word) {
            Some(count) => *count += weight,
            None => {
                counts.insert(word.into(), weight);
            }
        }
    };
    words(body, |word| add(word, 1.0));
    words(title, |word| add(word, TITLE_WEIGHT - 1.0));
    let mut terms: Vec<(Box<str>, f32)> = counts.into_iter().collect();
    terms.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    (terms, length)
}

fn stamp(vault: &Vault, listed: &Listed) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(vault.directory().join(&listed.file)).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(Stamp { modified, size: metadata.len() })
}

fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads =
        thread::available_parallelism().map_or(1, usize::from).min(items.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return items.iter().map(work).collect();
    }
    let share = items.len().div_ceil(threads);
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> = items
            .chunks(share)
            .map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let join = |handle: thread::ScopedJoinHandle<'_, Vec<R>>| match handle.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().flat_map(join).collect()
    })
}
