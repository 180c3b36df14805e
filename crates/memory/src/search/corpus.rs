//! All entries in memory, kept in step with the folder: only what came or changed is read again.
#![allow(clippy::disallowed_methods, reason = "asks the file system which entries changed")]

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    thread,
    time::UNIX_EPOCH,
};

use fs_err as fs;

use super::index::{Index, Terms};
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
    pub title: String,
    pub front: FrontMatter,
    pub hash: ContentHash,
    /// Lines of the body.
    pub lines: usize,
    /// For matching without regard to case; made when first searched.
    lower: OnceLock<String>,
    terms: OnceLock<Terms>,
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
    /// Made when first an entry is compared with all others.
    index: OnceLock<Index>,
}

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
        let kept = self.documents.len() <= documents.len()
            && self.documents.iter().zip(&documents).all(|(left, right)| Arc::ptr_eq(left, right));
        // The usual case is that nothing came, or new entries at the end.
        match self.index.get_mut() {
            Some(index) if kept => {
                for document in &documents[self.documents.len()..] {
                    index.add(document.terms());
                }
            }
            Some(_) => self.index = OnceLock::new(),
            None => {}
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
        if let Some(index) = self.index.get_mut() {
            index.add(document.terms());
        }
        self.documents.push(document);
    }

    pub fn documents(&self) -> &[Arc<Document>] {
        &self.documents
    }

    /// Files that have the name of an entry and could not be read.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The words of every document, in their order.
    pub(super) fn terms(&self) -> Vec<&Terms> {
        let unread = self.documents.iter().filter(|document| document.terms.get().is_none()).count();
        if unread >= WORTH_A_THREAD {
            in_parallel(&self.documents, |document| {
                document.terms();
                document.lower();
            });
        }
        self.documents.iter().map(|document| document.terms()).collect()
    }

    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for terms in self.terms() {
                index.add(terms);
            }
            index
        })
    }
}

impl Document {
    fn new(listed: &Listed, text: String, stamp: Option<Stamp>) -> Self {
        let entry = Entry::parse(&text);
        Self {
            number: listed.number,
            reference: listed.reference.clone(),
            file: listed.file.clone(),
            title: entry.title(),
            lines: split_lines(entry.body).count(),
            hash: ContentHash::of(text.as_bytes()),
            // A file whose time is not known never equals itself, and is read every time.
            stamp: stamp.unwrap_or(Stamp { modified: 0, size: u64::MAX }),
            front: entry.front,
            lower: OnceLock::new(),
            terms: OnceLock::new(),
            text,
        }
    }

    pub(super) fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_lowercase())
    }

    pub(super) fn terms(&self) -> &Terms {
        self.terms.get_or_init(|| Terms::of(&self.title, Entry::parse(&self.text).body))
    }
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
