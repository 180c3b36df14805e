//! One call's hold on a vault: its configuration, its log and its entries as they are now, with what was read before.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use becket_base::RepoPath;
use becket_git::provenance::{FilePast, Provenance};
use becket_memory::{
    Config, ContentHash, Vault,
    log::{Created, Log},
    references::{Reference, ReferenceIndex},
    search::{Corpus, Document},
    vault::{CachedListing, CachedLog, Listing},
};

use super::{origin::Origins, place::Place};
use crate::{Engine, Error, progress};

/// What was read of one workspace.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) log: CachedLog,
    pub(super) listing: CachedListing,
    pub(super) corpus: Corpus,
    pub(super) index: Option<ReferenceIndex>,
    pub(super) origins: Option<Origins>,
    /// What history says of the entries, under the commit it was asked at.
    pub(super) pasts: Option<AtCommit<FilePast>>,
    /// The blobs of the entries in that commit.
    pub(super) committed: Option<AtCommit<String>>,
    pub(super) author: OnceCell<Option<String>>,
    /// The folder's stamp when its entries were last read for a comparison.
    pub(super) folder: Option<SystemTime>,
}

/// Something about each entry, by path, and the commit that was checked out when it was asked.
type AtCommit<T> = (Option<String>, Arc<BTreeMap<String, T>>);

/// A vault, opened and looked at.
#[derive(Debug)]
pub(super) struct Desk<'a> {
    pub(super) engine: &'a Engine,
    pub(super) place: Place,
    pub(super) vault: Vault,
    pub(super) config: Config,
    pub(super) listing: Arc<Listing>,
    /// For each entry that was replaced, the newest that says so.
    pub(super) replaced: BTreeMap<u64, Arc<Document>>,
    pub(super) view: MutexGuard<'a, View>,
}

/// Where entries lie, below the workspace's root.
pub(super) const FOLDER: &str = ".context";

impl Engine {
    /// Opens the vault and hands it to a use case. Calls on one workspace follow each other.
    pub(super) fn at_desk<T>(
        &self,
        worktree: Option<&str>,
        work: impl FnOnce(&mut Desk<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let place = self.place(worktree)?;
        let vault = Vault::open(&place.root, &place.state)?;
        let config = vault.config()?;
        let view: Arc<Mutex<View>> = self.view(&place);
        let mut view = view.lock().unwrap_or_else(PoisonError::into_inner);
        vault.refresh_log(&mut view.log)?;
        let mut desk = Desk {
            engine: self,
            place,
            vault,
            config,
            listing: Arc::default(),
            replaced: BTreeMap::new(),
            view,
        };
        work(&mut desk)
    }
}

impl Desk<'_> {
    pub(super) fn log(&self) -> &Log {
        &self.view.log.log
    }

    /// Reads which entries there are.
    pub(super) fn list(&mut self) -> Result<(), Error> {
        let View { log, listing, .. } = &mut *self.view;
        self.listing = self.vault.refresh_listing(listing, &self.config, log)?;
        Ok(())
    }

    /// Reads the entries themselves, as far as they are new or changed.
    pub(super) fn read_entries(&mut self) -> Result<(), Error> {
        progress::tell("reading the entries", 0, None);
        self.list()?;
        self.view.corpus.refresh(&self.vault, &self.listing);
        let replaced = self.view.corpus.replacing().flat_map(|document| {
            let numbers = document.front.supersedes.iter().map(|number| self.meant(document, *number));
            numbers.filter(|number| *number != document.number).map(|number| (number, Arc::clone(document)))
        });
        // In the order of numbers, so that the newest stays.
        self.replaced = replaced.collect();
        Ok(())
    }

    /// Looks at the working tree for references, as far as it changed.
    pub(super) fn read_references(&mut self) {
        progress::tell("looking for references in the files", 0, None);
        let cache = self.place.cache("references");
        let mut index = self.view.index.take().unwrap_or_else(|| ReferenceIndex::load(&cache));
        let refreshed = index.refresh(&self.place.root, self.engine.now());
        if refreshed.read > 0 {
            if let Err(error) = index.store(&cache) {
                tracing::debug!(%error, "the index of references is not kept");
            }
        }
        self.view.index = Some(index);
    }

    pub(super) fn documents(&self) -> &[Arc<Document>] {
        self.view.corpus.documents()
    }

    pub(super) fn document(&self, number: u64) -> Option<&Arc<Document>> {
        let documents = self.documents();
        let at = documents.partition_point(|document| document.number < number);
        documents.get(at).filter(|document| document.number == number)
    }

    /// References in code that mean entries: those without a prefix, or with one that entries have or had.
    pub(super) fn references(&self) -> Vec<(RepoPath, Reference)> {
        let Some(index) = &self.view.index else { return Vec::new() };
        if index.all().next().is_none() {
            return Vec::new();
        }
        let prefixes = self.prefixes();
        let all = index.all().filter(|(_, reference)| prefixes.contains(reference.prefix.as_str()));
        all.map(|(path, reference)| (path.clone(), reference.clone())).collect()
    }

    pub(super) fn prefixes(&self) -> BTreeSet<&str> {
        let mut prefixes = BTreeSet::from(["", self.config.file_prefix.as_str()]);
        prefixes.extend(self.listing.entries.iter().filter_map(|entry| {
            let end = entry.file.find(entry.reference.as_str())?;
            Some(&entry.file[..end])
        }));
        prefixes
    }

    /// The event that created an entry: that of its very content, else the only one of its number.
    pub(super) fn creation(&self, number: u64, hash: &ContentHash) -> Option<&Created> {
        let mut only = self.recorded(number);
        self.log().creation(number, hash).or_else(|| only.next().filter(|_| only.next().is_none()))
    }

    /// Events that created an entry of this number, less those whose entry has moved to another.
    pub(super) fn recorded(&self, number: u64) -> impl Iterator<Item = &Created> {
        let events = self.log().created.get(&number).map(Vec::as_slice).unwrap_or_default();
        events.iter().filter(move |event| self.log().current_number(number, &event.hash) == number)
    }

    /// The number that an entry's link means today: what it meant when it was written, wherever that is now.
    pub(super) fn meant(&self, from: &Document, number: u64) -> u64 {
        let event = self.creation(from.number, &from.hash);
        let link = event.and_then(|event| event.links.iter().find(|link| link.number == number));
        link.map_or(number, |link| self.log().current_number(number, &link.hash))
    }

    /// What history says of the entries; empty outside Git.
    pub(super) fn pasts(&mut self) -> Arc<BTreeMap<String, FilePast>> {
        if let Some((head, pasts)) = &self.view.pasts {
            if *head == self.place.head {
                return Arc::clone(pasts);
            }
        }
        let read = self.place.past.as_ref().map(|past| past.files(FOLDER));
        let pasts = Arc::new(self.or_default(read));
        self.view.pasts = Some((self.place.head.clone(), Arc::clone(&pasts)));
        pasts
    }

    /// The blobs of the entries in the commit that is checked out.
    pub(super) fn committed(&mut self) -> Arc<BTreeMap<String, String>> {
        if let Some((head, committed)) = &self.view.committed {
            if *head == self.place.head {
                return Arc::clone(committed);
            }
        }
        let read = self.place.past.as_ref().zip(self.place.head.as_deref());
        let read = read.map(|(past, head)| past.folder_at(head, FOLDER));
        let committed = Arc::new(self.or_default(read));
        self.view.committed = Some((self.place.head.clone(), Arc::clone(&committed)));
        committed
    }

    /// The user's name as Git has it; asked once.
    pub(super) fn author(&self) -> Option<String> {
        self.view.author.get_or_init(|| self.place.past.as_ref().and_then(Provenance::author)).clone()
    }

    /// What Git answered, or nothing where it could not: entries are told without their history then.
    pub(super) fn or_default<T: Default>(&self, answer: Option<Result<T, becket_git::GitError>>) -> T {
        match answer {
            None => T::default(),
            Some(Ok(answer)) => answer,
            Some(Err(error)) => {
                tracing::warn!(%error, root = %self.place.root.display(), "Git's history of entries was not read");
                T::default()
            }
        }
    }
}
