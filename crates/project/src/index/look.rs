//! A look at a place before what is remembered of its files is read: most looks find what the last one found.

use super::stored::Stored;
use super::{Index, IndexError, IndexId, Place, known, left_out};
use crate::walk::Walked;

/// What was seen, and what the last look remembered.
#[derive(Debug)]
pub struct Look {
    stored: Option<Stored>,
    walked: Walked,
    taken: i64,
}

/// A look that found nothing else than the one before.
#[derive(Debug)]
pub struct Same<'a> {
    /// Of the index, then and now.
    pub id: IndexId,
    walked: &'a Walked,
}

impl Look {
    /// For a process that has no index of the place in memory.
    pub fn at(place: &Place) -> Result<Self, IndexError> {
        crate::share::prepare();
        let stored = Stored::read(place);
        let (walked, taken) = known::look(place, stored.as_ref().map(|stored| &stored.known))?;
        Ok(Self { stored, walked, taken })
    }

    pub fn same(&self) -> Option<Same<'_>> {
        let stored = self.stored.as_ref()?;
        let is_same = stored.known.is_current(&self.walked) && stored.known.walked == self.walked;
        Some(Same { id: stored.id().filter(|_| is_same)?, walked: &self.walked })
    }

    /// The same as [`Index::of`] gives.
    pub fn index(self, place: &Place) -> Index {
        let Self { stored, walked, taken } = self;
        let loaded = stored.and_then(|stored| stored.index(place));
        Index::seen(place, walked, taken, loaded.as_ref(), false)
    }
}

impl Same<'_> {
    /// As [`Index::left_out`].
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &'static str)> {
        left_out(self.walked)
    }
}
