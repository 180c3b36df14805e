//! All entries in memory, kept in step with the folder: only what came or changed is read again.
#![allow(clippy::disallowed_methods, reason = "asks the file system which entries changed")]

use std::{
    cmp::Ordering,
    sync::{
        Arc, OnceLock,
        atomic::{self, AtomicI64},
    },
};

use super::{
    index::{Index, Tokens},
    parallel::in_parallel,
};
use crate::{
    entry::{ContentHash, Entry, split_lines},
    front_matter::FrontMatter,
    vault::{FileStamp, Listed, Listing, Vault, VaultError},
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
    tokens: OnceLock<Tokens>,
    /// Nothing if the file's times are not known: then it is read every time.
    stamp: Option<FileStamp>,
    /// When its file was last read, in nanoseconds.
    looked: AtomicI64,
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

/// What became of one file.
#[derive(Debug)]
enum Taken {
    Same,
    New(Arc<Document>),
    Skipped(Skipped),
}

/// The entries of one vault.
#[derive(Debug, Default)]
pub struct Corpus {
    /// By number, then by file name.
    documents: Vec<Arc<Document>>,
    /// Places of those that replace others.
    replacing: Vec<usize>,
    skipped: Vec<Skipped>,
    /// Made when first an entry is compared with all others.
    index: OnceLock<Index>,
}

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
        let looked = FileStamp::now();
        let files = joined(&listing.entries, &self.documents);
        let folder = vault.stamps();
        let take = |(listed, before): &(&Listed, Option<&Arc<Document>>)| -> Taken {
            let stamp = match (before, trust) {
                (Some(_), Known::AsItWas) => return Taken::Same,
                _ => folder.of(&listed.file),
            };
            let unchanged = before.filter(|document| stamp.is_some() && document.stamp == stamp);
            if unchanged.is_some_and(|document| document.is_settled()) {
                return Taken::Same;
            }
            match (vault.read(listed), unchanged) {
                (Ok(text), Some(document)) if document.text == text => {
                    document.looked.store(looked, atomic::Ordering::Relaxed);
                    Taken::Same
                }
                (Ok(text), _) => Taken::New(Arc::new(Document::new(listed, text, stamp, looked))),
                (Err(error), _) => Taken::Skipped(skipped(listed, &error)),
            }
        };
        let results = in_parallel(&files, take);
        if self.documents.len() == files.len() && results.iter().all(|one| matches!(one, Taken::Same)) {
            self.skipped.clear();
            return;
        }
        let (mut documents, mut skipped) = (Vec::with_capacity(results.len()), Vec::new());
        for (result, (_, before)) in results.into_iter().zip(&files) {
            match (result, before) {
                (Taken::New(document), _) => documents.push(document),
                (Taken::Same, Some(document)) => documents.push(Arc::clone(document)),
                (Taken::Same, None) => {}
                (Taken::Skipped(one), _) => skipped.push(one),
            }
        }
        let kept = self.documents.len() <= documents.len()
            && self.documents.iter().zip(&documents).all(|(left, right)| Arc::ptr_eq(left, right));
        // The usual case is that nothing came, or new entries at the end.
        match self.index.get_mut() {
            Some(index) if kept => {
                for document in &documents[self.documents.len()..] {
                    index.add(&document.tokens().terms());
                }
            }
            Some(_) => self.index = OnceLock::new(),
            None => {}
        }
        let replaces = |(_, document): &(usize, &Arc<Document>)| !document.front.supersedes.is_empty();
        self.replacing = documents.iter().enumerate().filter(replaces).map(|(place, _)| place).collect();
        self.documents = documents;
        self.skipped = skipped;
    }

    /// Adds an entry that was just written, so that the folder need not be read again for it.
    pub fn add(&mut self, vault: &Vault, listed: &Listed, text: String) {
        if self.documents.last().is_some_and(|last| last.number >= listed.number) {
            // Not at the end: the next refresh puts it in its place.
            return;
        }
        let stamp = vault.stamps().of(&listed.file);
        let document = Arc::new(Document::new(listed, text, stamp, FileStamp::now()));
        if let Some(index) = self.index.get_mut() {
            index.add(&document.tokens().terms());
        }
        if !document.front.supersedes.is_empty() {
            self.replacing.push(self.documents.len());
        }
        self.documents.push(document);
    }

    pub fn documents(&self) -> &[Arc<Document>] {
        &self.documents
    }

    /// Those that say they replace others, by number.
    pub fn replacing(&self) -> impl Iterator<Item = &Arc<Document>> {
        self.replacing.iter().filter_map(|place| self.documents.get(*place))
    }

    /// Files that have the name of an entry and could not be read.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for terms in in_parallel(&self.documents, |document| document.tokens().terms()) {
                index.add(&terms);
            }
            index
        })
    }
}

impl Document {
    fn new(listed: &Listed, text: String, stamp: Option<FileStamp>, looked: i64) -> Self {
        let entry = Entry::parse(&text);
        Self {
            number: listed.number,
            reference: listed.reference.clone(),
            file: listed.file.clone(),
            title: entry.title(),
            lines: split_lines(entry.body).count(),
            hash: ContentHash::of(text.as_bytes()),
            stamp,
            looked: AtomicI64::new(looked),
            front: entry.front,
            lower: OnceLock::new(),
            tokens: OnceLock::new(),
            text,
        }
    }

    pub(super) fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_lowercase())
    }

    pub(super) fn tokens(&self) -> &Tokens {
        self.tokens.get_or_init(|| Tokens::of(&self.title, Entry::parse(&self.text).body))
    }

    /// Whether equal times mean equal content: the file was read long enough after it was written.
    fn is_settled(&self) -> bool {
        self.stamp.is_some_and(|stamp| stamp.is_older_than(self.looked.load(atomic::Ordering::Relaxed)))
    }
}

/// Every file with what was read of it before. Both are in one order.
fn joined<'a>(
    listed: &'a [Listed],
    documents: &'a [Arc<Document>],
) -> Vec<(&'a Listed, Option<&'a Arc<Document>>)> {
    let mut rest = documents.iter().peekable();
    let before = |listed: &Listed| loop {
        let document = *rest.peek()?;
        let order = document.number.cmp(&listed.number).then_with(|| document.file.cmp(&listed.file));
        match order {
            Ordering::Less => rest.next(),
            Ordering::Equal => return rest.next(),
            Ordering::Greater => return None,
        };
    };
    let mut before = before;
    listed.iter().map(|listed| (listed, before(listed))).collect()
}

fn skipped(listed: &Listed, error: &VaultError) -> Skipped {
    Skipped { listed: listed.clone(), reason: error.to_string() }
}
