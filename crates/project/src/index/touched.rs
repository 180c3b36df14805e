//! Sources that may have been edited since a look, each read by whoever asks first: while one thread reads an index back,
//! another can be at what will be put into it.

use std::sync::{Arc, OnceLock};

use super::known::Known;
use super::local::{Key, Local, read};
use crate::walk::{Below, Role, Walked};

/// With more it is better to share them out than to have one thread at them.
const FEW: usize = 4;

#[derive(Debug)]
pub(super) struct Touched(Vec<Source>);

/// One whose stamp does not speak for it.
#[derive(Debug)]
pub(super) struct Source {
    /// Among the files of the look.
    pub(super) seen: usize,
    pub(super) path: Arc<str>,
    /// What it was.
    key: Option<Key>,
    /// Nothing where it cannot be read.
    content: OnceLock<Option<Content>>,
}

/// What a file is now.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) key: Key,
    /// Nothing where it is what it was.
    pub(super) local: Option<Arc<Local>>,
}

impl Touched {
    /// Those of a later look; `None` where a name, a role or a rule is another.
    pub(super) fn since(known: &Known, walked: &Walked) -> Option<Self> {
        let same_rest = known.walked.problems == walked.problems && known.walked.links == walked.links;
        if known.walked.files.len() != walked.files.len() || !same_rest || !known.has_same_unlisted(walked) {
            return None;
        }
        let mut touched = Vec::new();
        for (at, (old, new)) in known.walked.files.iter().zip(&walked.files).enumerate() {
            if !old.has_path(&new.path) || old.role != new.role {
                return None;
            }
            let trusted = old.stamp == new.stamp && known.trusts(new.stamp);
            match new.role {
                Role::Control if !trusted => return None,
                Role::Source if !trusted => touched.push(at),
                _ => {}
            }
        }
        Some(Self::at(known, walked, touched))
    }

    /// The sources among the files at these places.
    pub(super) fn at(known: &Known, walked: &Walked, places: Vec<usize>) -> Self {
        let sources = places.into_iter().filter(|at| walked.files[*at].role == Role::Source);
        let source = |seen: usize| {
            let (path, key) = (Arc::clone(&walked.files[seen].path), known.keys[seen]);
            Source { seen, path, key, content: OnceLock::new() }
        };
        Self(sources.map(source).collect())
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.0
    }

    /// Before anybody asks, where there are few.
    pub(super) fn read_ahead(&self, root: &Below<'_>) {
        for source in self.0.iter().filter(|_| self.0.len() < FEW) {
            source.content(root);
        }
    }
}

impl Source {
    pub(super) fn content(&self, root: &Below<'_>) -> Option<&Content> {
        let read = || {
            let bytes = read(root, &self.path)?;
            let content = blake3::hash(&bytes);
            let key = Key::of(&self.path, &content);
            let local = || Arc::new(Local::parse(&self.path, &bytes, &content));
            Some(Content { key, local: (self.key != Some(key)).then(local) })
        };
        self.content.get_or_init(read).as_ref()
    }
}
