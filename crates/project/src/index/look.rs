//! A look at a place before what is remembered of its files is read: most looks find what the last one found.

use std::sync::Arc;

use super::known::{self, Known};
use super::stored::Stored;
use super::touched::Touched;
use super::{Index, IndexError, IndexId, Place, left_out};
use crate::walk::{Below, Walked};

/// What was seen, and what the last look remembered.
#[derive(Debug)]
pub struct Look {
    stored: Option<Stored>,
    walked: Walked,
    taken: i64,
}

/// What an index says of itself, without its files.
#[derive(Debug)]
pub struct Gist<'a> {
    pub id: IndexId,
    /// Files that were parsed for it.
    pub parsed: usize,
    known: &'a Known,
}

impl Look {
    /// For a process that has no index of the place in memory.
    pub fn at(place: &Place) -> Result<Self, IndexError> {
        crate::share::prepare();
        let stored = Stored::read(place);
        let (walked, taken) = known::look(place, stored.as_ref().map(|stored| &stored.known))?;
        Ok(Self { stored, walked, taken })
    }

    /// Of the index, where nothing else was found than at the last look.
    pub fn same(&self) -> Option<Gist<'_>> {
        let stored = self.stored.as_ref()?;
        let is_same = stored.known.is_current(&self.walked) && stored.known.walked == self.walked;
        Some(Gist { id: stored.id, parsed: 0, known: &stored.known }).filter(|_| is_same)
    }

    /// The index, and what `rest` gives, which is made beside it.
    pub fn index<R: Send>(self, place: &Place, rest: impl FnOnce() -> R + Send) -> (Index, R) {
        let Self { stored, walked, taken } = self;
        let graph = stored.as_ref().map(|stored| Arc::new(stored.graph(place)));
        // Where no file came or went, whoever asks for the index asks for its graph.
        let near = stored.as_ref().filter(|stored| stored.known.walked.files.len() == walked.files.len());
        let paths = near.map(|stored| stored.known.sources().map(|(path, _)| Arc::clone(path)).collect());
        let beside = graph.as_deref().zip(paths);
        let touched = near.and_then(|stored| Touched::since(&stored.known, &walked));
        let seen = || {
            let loaded = stored.zip(graph.clone()).and_then(|(stored, graph)| stored.index(place, graph));
            Index::seen(place, (walked, taken), loaded.as_ref(), touched.as_ref(), false)
        };
        // Edits wait for what was edited, then for the graph, and not for the rest.
        let beside = || {
            if let Some(touched) = &touched {
                touched.read_ahead(&Below::new(&place.root));
            }
            beside.map(|(graph, paths)| graph.read(|| paths).is_some());
            rest()
        };
        rayon::join(seen, beside)
    }
}

impl Index {
    pub fn gist(&self) -> Gist<'_> {
        Gist { id: self.id, parsed: self.work.parsed, known: &self.known }
    }
}

impl Gist<'_> {
    /// As [`Index::left_out`].
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &'static str)> {
        left_out(self.known)
    }
}
