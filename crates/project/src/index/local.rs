//! What one file says by itself, and the key by which it is remembered: its content and the ending of its name.
#![allow(clippy::disallowed_methods, reason = "reads source files")]

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;

use becket_base::divided;
use becket_base::text::decoded;
use becket_contracts::fingerprint;
use becket_contracts::language::Reader;
use becket_contracts::model::{Declaration, DeclarationDetail, DeclarationKind, LocalFacts, Route};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128};

use crate::resolve::Contents;
use crate::walk::rules::LARGEST_SOURCE;
use crate::walk::{Below, LeftOut, Stamp, unlisted_stamp};

/// Changes whenever what is read from a file changes, so that nothing older is taken for it.
pub const GENERATION: &str = concat!("becket ", env!("CARGO_PKG_VERSION"), " facts 87");

/// Stands for a content under an ending.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

impl Key {
    pub(super) fn of(path: &str, content: &blake3::Hash) -> Self {
        // Two contents differ in what is left of their hash, too.
        let mut key = *content.as_bytes();
        let read_as = xxh3_64_with_seed(ending(path).as_bytes(), xxh3_64(GENERATION.as_bytes()));
        key[24..].copy_from_slice(&read_as.to_le_bytes());
        Self(key)
    }
}

impl Key {
    pub(super) fn words(&self) -> [u64; 4] {
        std::array::from_fn(|word| u64::from_le_bytes(std::array::from_fn(|byte| self.0[8 * word + byte])))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0[..6] {
            write!(formatter, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// The facts of a file with its measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Local {
    pub facts: LocalFacts,
    pub file_hash: String,
    /// Of the source, for GPT-4o.
    pub tokens: usize,
    pub bytes: usize,
}

/// Over what other files can see of a file through an import, so that an edit of a body is nobody else's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Surface(pub(super) [u8; 16]);

impl Surface {
    pub(super) fn of(facts: &LocalFacts) -> Self {
        let mut bytes = Bytes(Vec::with_capacity(1024));
        facts.kind.hash(&mut bytes);
        // Whether a name for something else is one for a component is told by what is rendered beside.
        let stands_for = |one: &Declaration| {
            one.kind != DeclarationKind::Component && matches!(one.detail, DeclarationDetail::Component(_))
        };
        if facts.declarations.iter().any(stands_for) {
            facts.components.hash(&mut bytes);
        }
        facts.declarations.len().hash(&mut bytes);
        for one in &facts.declarations {
            (&one.name, one.kind, value(one), seen(&one.detail)).hash(&mut bytes);
        }
        facts.imports.len().hash(&mut bytes);
        for one in &facts.imports {
            (&one.specifier, one.kind, &one.names).hash(&mut bytes);
        }
        (&facts.exports, facts.is_common_js).hash(&mut bytes);
        // What mounts a router shows its routes; where they stand in their file is not among it.
        for one in &facts.routes {
            Route { line: 0, ..one.clone() }.hash(&mut bytes);
        }
        facts.texts.hash(&mut bytes);
        Self(xxh3_128(&bytes.0).to_le_bytes())
    }
}

/// What is hashed, gathered, to be hashed at once.
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        xxh3_64(&self.0)
    }
}

/// The text of a constant may be part of a route elsewhere.
fn value(one: &Declaration) -> Option<&String> {
    let text = one.signatures.first().filter(|_| one.kind == DeclarationKind::Constant)?;
    text.contains(" = '").then_some(text)
}

/// Of a component only what it takes; what it does inside shows in its own contract alone.
fn seen(detail: &DeclarationDetail) -> impl Hash {
    match detail {
        DeclarationDetail::Component(component) => (None, Some((&component.props, &component.destructured))),
        other => (Some(other), None),
    }
}

thread_local! {
    /// Its memory is used again from file to file.
    static READER: RefCell<Reader> = RefCell::new(Reader::new());
}

impl Local {
    /// Reads source text, whose hash is at hand; anything that is not UTF-8 in it is replaced.
    pub(super) fn parse(path: &str, bytes: &[u8], content: &blake3::Hash) -> Self {
        let text = decoded(bytes);
        Self {
            facts: facts(path, &text),
            file_hash: match text {
                Cow::Borrowed(text) => fingerprint::file_hash_of(text, || *content),
                Cow::Owned(ref mended) => fingerprint::file_hash(mended),
            },
            tokens: becket_base::tokens::count(&text),
            bytes: bytes.len(),
        }
    }
}

/// What files say by themselves, each with its path and bytes, in their order. Nothing is remembered.
pub fn facts_of(files: &[(&str, &[u8])]) -> Vec<LocalFacts> {
    crate::share::prepare();
    files.par_iter().map(|(path, bytes)| facts(path, &decoded(bytes))).collect()
}

fn facts(path: &str, text: &str) -> LocalFacts {
    let name = divided::after_last(path, b'/');
    READER.with(|reader| match reader.try_borrow_mut() {
        Ok(mut reader) => reader.read(name, text),
        Err(_) => Reader::new().read(name, text),
    })
}

thread_local! {
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Takes the room of bytes that were read, for the next ones of this thread; not for ever what a rare file needs.
pub(super) fn reuse(bytes: Vec<u8>) {
    if bytes.capacity() <= 256 * 1024 {
        ROOM.set(bytes);
    }
}

/// The bytes of a source file, if it is one that can be read.
pub(super) fn read(root: &Below<'_>, path: &str) -> Option<Vec<u8>> {
    let mut bytes = ROOM.take();
    bytes.clear();
    root.read(path, LARGEST_SOURCE, &mut bytes).ok()?;
    Some(bytes)
}

/// The files of a tree as they are now.
pub(super) struct OnDisk<'a> {
    root: &'a Path,
    below: Below<'a>,
}

impl<'a> OnDisk<'a> {
    pub(super) fn at(root: &'a Path) -> Self {
        Self { root, below: Below::new(root) }
    }
}

impl Contents for OnDisk<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        read(&self.below, path)
    }

    fn read_unlisted(&self, path: &str) -> Option<(Vec<u8>, Stamp)> {
        let stamp = unlisted_stamp(self.root, path)?;
        Some((self.read(path)?, stamp))
    }

    fn left_out(&self, path: &str) -> Option<LeftOut> {
        LeftOut::at(self.root, path)
    }

    fn read_left_out(&self, path: &str) -> Option<Vec<u8>> {
        self.read(path)
    }
}

/// `.d.ts` differs from `.ts` in meaning.
fn ending(path: &str) -> &str {
    let last = path.bytes().rposition(|byte| matches!(byte, b'.' | b'/')).unwrap_or(path.len());
    let (before, ending) = path.split_at(last);
    match (ending.starts_with('.'), before.as_bytes().ends_with(b".d")) {
        (true, true) => &path[last - 2..],
        (true, false) => ending,
        (false, _) => "",
    }
}
