//! A value that is in memory or in a pack, and is read when somebody asks. What cannot be read is made anew from the
//! files themselves, so that a damaged cache costs time and nothing else.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use becket_contracts::link::Handed;
use becket_contracts::model::Contract;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::local::Key;
use super::pack::{FACTS, LINKED, Pack, Record, Slot};
use super::{Index, Place, Targets};

/// What a file promises, and where its imports lead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linked {
    pub contract: Contract,
    /// By specifier.
    #[serde(serialize_with = "without_arc", deserialize_with = "with_arc")]
    pub targets: Arc<Targets>,
    /// What it mounts of other files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handed: Vec<Handed>,
}

fn without_arc<S: Serializer>(targets: &Arc<Targets>, serializer: S) -> Result<S::Ok, S::Error> {
    (**targets).serialize(serializer)
}

fn with_arc<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Targets>, D::Error> {
    Targets::deserialize(deserializer).map(Arc::new)
}

#[derive(Debug)]
pub(super) struct Kept<T> {
    value: OnceLock<Arc<T>>,
    pub(super) key: Key,
    slot: OnceLock<Slot>,
    /// What is to be written of it.
    unsaved: Mutex<Option<Record>>,
}

impl<T> Kept<T> {
    pub(super) fn fresh(value: Arc<T>, key: Key, unsaved: Option<Record>) -> Self {
        Self { value: OnceLock::from(value), key, slot: OnceLock::new(), unsaved: Mutex::new(unsaved) }
    }

    /// In a pack, which whoever asks for it has to name.
    pub(super) fn stored(key: Key, slot: Slot) -> Self {
        Self { value: OnceLock::new(), key, slot: OnceLock::from(slot), unsaved: Mutex::new(None) }
    }

    /// The same for another file of the index.
    pub(super) fn again(&self) -> Self {
        let again = Self {
            value: OnceLock::new(),
            key: self.key,
            slot: OnceLock::new(),
            unsaved: Mutex::new(self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).clone()),
        };
        if let Some(value) = self.value.get() {
            _ = again.value.set(Arc::clone(value));
        }
        again.with_slot(self.slot())
    }

    pub(super) fn with_slot(self, slot: Option<Slot>) -> Self {
        if let Some(slot) = slot {
            _ = self.slot.set(slot);
        }
        self
    }

    pub(super) fn slot(&self) -> Option<Slot> {
        self.slot.get().copied()
    }

    pub(super) fn saved_at(&self, slot: Slot) {
        _ = self.slot.set(slot);
    }

    pub(super) fn take_unsaved(&self) -> Option<Record> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn in_memory(&self) -> Option<&Arc<T>> {
        self.value.get()
    }
}

impl<T: DeserializeOwned> Kept<T> {
    /// `instead` is asked where what is stored cannot be read.
    pub(super) fn get(&self, pack: Option<&Pack>, instead: impl FnOnce() -> Arc<T>) -> &Arc<T> {
        self.value.get_or_init(|| self.read(pack).unwrap_or_else(instead))
    }

    fn read(&self, pack: Option<&Pack>) -> Option<Arc<T>> {
        let bytes = pack?.read(*self.slot.get()?, self.key)?;
        rmp_serde::from_slice(&bytes).ok().map(Arc::new)
    }
}

/// The way back to the cache that an index was read from, and to the files.
#[derive(Debug)]
pub(super) struct Again {
    pub(super) facts: Pack,
    pub(super) linked: Pack,
    place: Place,
    cold: OnceLock<Option<Index>>,
}

impl Again {
    pub(super) fn new(place: &Place) -> Self {
        let pack = |name| Pack::new(&place.cache, name);
        Self { facts: pack(FACTS), linked: pack(LINKED), place: place.clone(), cold: OnceLock::new() }
    }

    /// The same index, made without a cache; `None` where the files cannot be read any more.
    pub(super) fn index(&self) -> Option<&Index> {
        self.cold
            .get_or_init(|| {
                // So that the next process does not meet it again.
                super::stored::forget(&self.place);
                crate::share::apart(|| Index::without_cache(&self.place).ok())
            })
            .as_ref()
    }

    /// Whether something in the cache could not be read.
    pub(super) fn was_needed(&self) -> bool {
        self.cold.get().is_some()
    }
}

/// What is known of a file that is gone together with what was remembered of it.
pub(super) fn nothing(path: &str) -> Linked {
    let facts = becket_contracts::model::LocalFacts::empty();
    let mut contract = becket_contracts::link::link_alone(path, &facts).contract;
    contract.semantic_hash = becket_contracts::fingerprint::semantic_hash(&contract);
    contract.file_hash = becket_contracts::fingerprint::file_hash("");
    Linked { contract, targets: Arc::default(), handed: Vec::new() }
}
