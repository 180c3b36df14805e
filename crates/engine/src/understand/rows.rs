//! What each entry measured, a row each, as a run wrote it down: the file that it was made of, what was counted, and what it
//! lacks. Whoever wants to know reads the row; one that still holds is written again as it is.

use std::sync::Arc;

use becket_base::Parts;
use becket_base::codec::{Decoder, Encoder};
use becket_contracts::bundle::Missing;
use becket_project::index::FileRecord;

use super::entry::{Entry, Measures};
use super::lacking;

/// More bytes than a row usually takes: what is not used costs nothing.
const USUAL: usize = 256;

#[derive(Debug)]
pub(super) struct Rows {
    bytes: Vec<u8>,
    /// Where each begins, and where the last one ends.
    places: Vec<u32>,
}

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct Row {
    rows: Arc<Rows>,
    at: u32,
}

impl Rows {
    /// Those of entries, behind what stands before them. Nothing where there is one that no later process could take over.
    pub(super) fn written(entries: &Parts<Arc<Entry>>, before: &[u8]) -> Option<Vec<u8>> {
        let mut all = Encoder { bytes: Vec::with_capacity(before.len() + entries.len() * USUAL) };
        all.bytes.extend(before);
        let mut room = Encoder::default();
        for entry in entries {
            let row = if let Some(row) = entry.measures.missing.row() {
                row.rows.row(row.at)?
            } else {
                room.bytes.clear();
                room.bytes.extend(entry.record()?);
                entry.measures.encode(&mut room);
                &room.bytes
            };
            all.small(row.len());
            all.bytes.extend(row);
        }
        Some(all.bytes)
    }

    /// What stands behind `start` in these bytes.
    pub(super) fn read(bytes: Vec<u8>, start: usize) -> Option<Self> {
        let mut places = Vec::with_capacity(bytes.len() / size_of::<FileRecord>());
        let mut decoder = Decoder { bytes: bytes.get(start..)? };
        let place = |decoder: &Decoder<'_>| u32::try_from(bytes.len() - decoder.bytes.len()).ok();
        places.push(place(&decoder)?);
        while !decoder.bytes.is_empty() {
            let length = decoder.small()?;
            decoder.take(length).filter(|row| row.len() >= size_of::<FileRecord>())?;
            places.push(place(&decoder)?);
        }
        Some(Self { bytes, places })
    }

    pub(super) fn len(&self) -> usize {
        self.places.len() - 1
    }

    /// Each with the place where it stands.
    pub(super) fn records(&self) -> impl Iterator<Item = (usize, &[u8])> {
        (0..self.len()).filter_map(|at| Some((at, self.record(at)?)))
    }

    /// Of which file a row was made.
    pub(super) fn record(&self, at: usize) -> Option<&[u8]> {
        self.row(u32::try_from(at).ok()?)?.get(..size_of::<FileRecord>())
    }

    pub(super) fn measures(self: &Arc<Self>, at: usize) -> Option<Measures> {
        let row = Row { rows: Arc::clone(self), at: u32::try_from(at).ok()? };
        Measures::decode(&mut self.counted(row.at)?, row)
    }

    fn row(&self, at: u32) -> Option<&[u8]> {
        let (start, end) = (*self.places.get(at as usize)?, *self.places.get(at as usize + 1)?);
        let mut decoder = Decoder { bytes: self.bytes.get(start as usize..end as usize)? };
        decoder.small()?;
        Some(decoder.bytes)
    }

    /// What stands behind the record.
    fn counted(&self, at: u32) -> Option<Decoder<'_>> {
        Some(Decoder { bytes: self.row(at)?.get(size_of::<FileRecord>()..)? })
    }
}

impl Row {
    /// What the entry lacks.
    pub(super) fn missing(&self) -> Option<Vec<Missing>> {
        let mut decoder = self.rows.counted(self.at)?;
        Measures::decode(&mut decoder, self.clone())?;
        lacking::decode_all(&mut decoder)
    }
}

#[cfg(test)]
mod tests {
    use becket_contracts::bundle::EXTERNAL_PACKAGE;

    use super::*;

    fn missing(name: &str, reason: &str, version: Option<&str>) -> Missing {
        Missing {
            name: name.to_owned(),
            reason: reason.to_owned(),
            referenced_by: "src/räder.ts".to_owned(),
            package_name: version.map(|_| name.to_owned()),
            package_version: version.map(str::to_owned),
        }
    }

    #[test]
    fn what_was_written_down_is_told_again() {
        let package = missing("react", EXTERNAL_PACKAGE, Some("19.0.0"));
        let lost = missing("./gone", "file not found", None);
        let lacking = [vec![], vec![package.clone()], vec![lost.clone(), package]];
        let mut all = Encoder { bytes: b"head".to_vec() };
        for (at, missing) in lacking.iter().enumerate() {
            let mut measures = Measures::lacking(missing.clone());
            measures.tokens = 300 * at;
            let mut row = Encoder { bytes: vec![u8::try_from(at).unwrap(); size_of::<FileRecord>()] };
            measures.encode(&mut row);
            all.small(row.bytes.len());
            all.bytes.extend(row.bytes);
        }
        let rows = Arc::new(Rows::read(all.bytes.clone(), 4).unwrap());
        assert_eq!(rows.len(), lacking.len());
        for (at, (missing, (place, record))) in lacking.iter().zip(rows.records()).enumerate() {
            assert_eq!((place, record), (at, &[u8::try_from(at).unwrap(); size_of::<FileRecord>()][..]));
            let again = rows.measures(at).unwrap();
            assert_eq!((again.tokens, again.missing.is_problem()), (300 * at, missing.contains(&lost)));
            assert_eq!(again.missing.all(), missing);
            assert!(again.missing.problems().eq(missing.iter().filter(|one| **one == lost)));
            // And once more, as it would be written by somebody who never saw the row.
            let mut row = Encoder { bytes: record.to_vec() };
            again.encode(&mut row);
            assert_eq!(rows.row(u32::try_from(at).unwrap()), Some(&*row.bytes));
        }
        assert!(rows.measures(lacking.len()).is_none());
        for length in 0..all.bytes.len() {
            // Whatever a disk held.
            let rows = Rows::read(all.bytes[..length].to_vec(), 4);
            assert!(rows.is_none_or(|rows| rows.len() < lacking.len()), "{length}");
        }
    }
}
