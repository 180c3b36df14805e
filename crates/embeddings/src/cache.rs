//! Vectors on disk, by provider and content: a text goes out once. Can be deleted at any time; what cannot be read is made
//! again.
//!
//! A file begins with a word and the length of its vectors; each record is the digest of a text, its vector and a check.
//! Records are appended in one write each time, so that several processes can share a file.
#![allow(clippy::disallowed_methods, reason = "owns the files of vectors")]

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use fs_err as fs;

use crate::{
    EmbeddingError, Provider,
    provider::{BATCH, Cancelled},
};

/// The vectors of one provider.
#[derive(Debug)]
pub struct VectorCache {
    path: PathBuf,
    dimensions: usize,
    vectors: BTreeMap<Digest, Arc<[f32]>>,
    /// Whether what is on disk can be appended to.
    sound: bool,
}

type Digest = [u8; 32];

const WORD: &[u8; 8] = b"vectors1";
const HEADER: usize = WORD.len() + 4;
const CHECK: usize = 8;
/// More than twenty thousand long vectors. Beyond that it begins anew, so that it cannot grow for ever.
const LARGEST_FILE: usize = 256 * 1024 * 1024;

impl VectorCache {
    /// The vectors that are kept in `folder` for this provider; none if there are none or they cannot be read.
    pub fn open(folder: &Path, provider: &Provider) -> Self {
        let name = blake3::hash(provider.identity().as_bytes()).to_hex();
        let path = folder.join(format!("{}.vectors", &name[..16]));
        let mut cache = Self { path, dimensions: 0, vectors: BTreeMap::new(), sound: false };
        if let Ok(bytes) = fs::read(&cache.path) {
            cache.sound = cache.take(&bytes).is_some();
        }
        cache
    }

    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Whether the vector of a text is there without asking anybody.
    pub fn has(&self, text: &str) -> bool {
        self.vectors.contains_key(&digest(text))
    }

    /// One vector for each text, in their order. Only those that are not known are asked for, and kept batch by batch.
    pub fn embed(
        &mut self,
        provider: &Provider,
        texts: &[&str],
        cancelled: Cancelled<'_>,
    ) -> Result<Vec<Arc<[f32]>>, EmbeddingError> {
        let digests: Vec<Digest> = texts.iter().map(|text| digest(text)).collect();
        // A second round only if the provider has changed its vectors under the same name.
        for _ in 0..2 {
            let mut asked = BTreeSet::new();
            let missing: Vec<(Digest, &str)> = digests
                .iter()
                .zip(texts)
                .filter(|(digest, _)| !self.vectors.contains_key(*digest) && asked.insert(**digest))
                .map(|(digest, text)| (*digest, *text))
                .collect();
            for batch in missing.chunks(BATCH) {
                let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
                let made = provider.embed(&texts, cancelled)?;
                self.keep(batch.iter().map(|(digest, _)| *digest).zip(made).collect());
            }
            let found: Option<Vec<_>> =
                digests.iter().map(|digest| self.vectors.get(digest).cloned()).collect();
            if let Some(found) = found {
                return Ok(found);
            }
        }
        let reason = "the length of its vectors changes from request to request".to_owned();
        Err(EmbeddingError::BadAnswer { host: provider.identity(), reason })
    }

    fn keep(&mut self, made: Vec<(Digest, Vec<f32>)>) {
        let dimensions = made.first().map_or(0, |(_, vector)| vector.len());
        if dimensions != self.dimensions {
            self.vectors.clear();
            self.dimensions = dimensions;
            self.sound = false;
        }
        let mut records = Vec::new();
        for (digest, vector) in made {
            write_record(&mut records, &digest, &vector);
            self.vectors.insert(digest, vector.into());
        }
        if let Err(error) = self.write(&records) {
            tracing::debug!(%error, path = %self.path.display(), "vectors are not kept");
        }
    }

    fn write(&mut self, records: &[u8]) -> std::io::Result<()> {
        let size = fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        let has_room = usize::try_from(size).is_ok_and(|size| size + records.len() <= LARGEST_FILE);
        if self.sound && has_room {
            return fs::OpenOptions::new().append(true).open(&self.path)?.write_all(records);
        }
        if let Some(folder) = self.path.parent() {
            becket_fence::cache::create_folder(folder)?;
        }
        let mut bytes = WORD.to_vec();
        bytes.extend(u32::try_from(self.dimensions).unwrap_or_default().to_le_bytes());
        if has_room {
            for (digest, vector) in &self.vectors {
                write_record(&mut bytes, digest, vector);
            }
        } else {
            bytes.extend(records);
        }
        let whole = self.path.with_extension(format!("{}.part", std::process::id()));
        fs::write(&whole, bytes)?;
        fs::rename(&whole, &self.path)?;
        self.sound = true;
        Ok(())
    }

    /// Takes the records up to the first that is broken; nothing if one is.
    fn take(&mut self, bytes: &[u8]) -> Option<()> {
        let header = bytes.get(..HEADER)?.strip_prefix(WORD)?;
        self.dimensions = usize::try_from(u32::from_le_bytes(header.try_into().ok()?)).ok()?;
        let size = size_of::<Digest>() + self.dimensions.checked_mul(4)? + CHECK;
        let mut records = bytes[HEADER..].chunks_exact(size);
        for record in &mut records {
            let (record, check) = record.split_at(size - CHECK);
            (checked(record) == check).then_some(())?;
            let (digest, numbers) = record.split_at(size_of::<Digest>());
            let numbers =
                numbers.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            self.vectors.insert(digest.try_into().ok()?, numbers.collect());
        }
        records.remainder().is_empty().then_some(())
    }
}

fn write_record(bytes: &mut Vec<u8>, digest: &Digest, vector: &[f32]) {
    let start = bytes.len();
    bytes.extend(digest);
    bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
    let check = checked(&bytes[start..]);
    bytes.extend(check);
}

fn checked(record: &[u8]) -> [u8; CHECK] {
    let mut check = [0; CHECK];
    check.copy_from_slice(&blake3::hash(record).as_bytes()[..CHECK]);
    check
}

fn digest(text: &str) -> Digest {
    *blake3::hash(text.as_bytes()).as_bytes()
}
