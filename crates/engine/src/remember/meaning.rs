//! What entries mean, as vectors, where the user has a provider for that. Asked without holding the vault, because the
//! network is slow; whatever goes wrong becomes a warning, and the answer is made from words alone.

use std::{collections::BTreeMap, sync::Arc};

use becket_base::{counted, verb};
use becket_embeddings::cosine;
use becket_memory::{ContentHash, Entry, screen::secrets, search::Document};

use crate::{Engine, embeddings::Embedder};

/// A text's vector and those of the entries to compare it with.
#[derive(Debug)]
pub(super) struct Meaning {
    text: Arc<[f32]>,
    entries: BTreeMap<ContentHash, Arc<[f32]>>,
}

/// What came of asking.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) meaning: Option<Meaning>,
    pub(super) warnings: Vec<String>,
}

/// Which entries are to be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// Those that have a vector, and some of those that have none yet.
    Everything,
    /// Those that have a vector.
    Known,
}

/// So that the first search of a large vault answers within seconds.
const MOST_NEW: usize = 512;

impl Engine {
    pub(super) fn meaning(&self, text: &str, among: Among, worktree: Option<&str>) -> Asked {
        let without = |error: &dyn std::fmt::Display| Asked {
            meaning: None,
            warnings: vec![format!("Compared by words alone: {error}.")],
        };
        let embedder = match self.embedder() {
            Ok(Some(embedder)) if !text.trim().is_empty() => embedder,
            Ok(_) => return Asked::default(),
            Err(error) => return without(&error),
        };
        let documents = self.at_desk(worktree, |desk| {
            desk.read_entries()?;
            Ok(desk.documents().to_vec())
        });
        // What is wrong with the vault is told by the call itself.
        let Ok(documents) = documents else { return Asked::default() };
        match compare(&embedder, text, among, &documents) {
            Ok(asked) => asked,
            Err(error) => without(&error),
        }
    }
}

impl Meaning {
    /// From -1 to 1; nothing for an entry that has no vector.
    pub(super) fn likeness(&self, document: &Document) -> Option<f32> {
        self.entries.get(&document.hash).map(|vector| cosine(&self.text, vector))
    }
}

fn compare(
    embedder: &Embedder<'_>,
    text: &str,
    among: Among,
    documents: &[Arc<Document>],
) -> Result<Asked, becket_embeddings::EmbeddingError> {
    let body = |document: &Arc<Document>| Entry::parse(&document.text).body.trim().to_owned();
    let (known, new): (Vec<_>, Vec<_>) =
        documents.iter().map(|document| (document, body(document))).partition(|(_, body)| embedder.has(body));
    // An entry that somebody wrote by hand may hold what must not leave the machine.
    let new: Vec<_> = new.into_iter().rev().filter(|(_, body)| secrets(body).is_empty()).collect();
    let taken = if among == Among::Known { 0 } else { new.len().min(MOST_NEW) };
    let mut warnings = Vec::new();
    if among == Among::Everything && taken < new.len() {
        let left = new.len() - taken;
        let (have, are) = (verb(left, "has", "have"), verb(left, "is", "are"));
        warnings.push(format!(
            "{} {have} no vector yet and {are} ranked by words alone; every search makes {MOST_NEW} more.",
            counted(left, "entry")
        ));
    }
    let compared: Vec<_> = known.iter().chain(&new[..taken]).collect();
    let texts: Vec<&str> =
        std::iter::once(text.trim()).chain(compared.iter().map(|(_, body)| body.as_str())).collect();
    let mut vectors = embedder.embed(&texts)?.into_iter();
    let Some(text) = vectors.next() else { return Ok(Asked::default()) };
    let hashes = compared.iter().map(|(document, _)| document.hash.clone());
    Ok(Asked { meaning: Some(Meaning { text, entries: hashes.zip(vectors).collect() }), warnings })
}
