//! What the last run of the same command left behind: an unchanged project is known by the index and by the stamps of the
//! files that were written, without reading either.

use std::path::{Path, PathBuf};

use becket_base::codec::{Decoder, Encoder};
use becket_project::files;
use becket_project::index::Index;
use becket_project::walk::{Stamp, stamp_of};
use rayon::prelude::*;

use super::generate::ContextReport;
use super::options::ContextOptions;
use super::site::Site;

const MAGIC: &[u8] = concat!("becket ", env!("CARGO_PKG_VERSION"), " run 1\n").as_bytes();
const LARGEST: u64 = 64 * 1024 * 1024;

/// A folder under some options, written to a place.
pub(super) struct Run {
    file: PathBuf,
}

impl Run {
    pub(super) fn at(site: &Site, options: ContextOptions, output: &Path) -> Self {
        let mut hasher = blake3::Hasher::new();
        let root = site.workspace.root.to_string_lossy();
        let asked = (root, &site.prefix, options, output.to_string_lossy());
        let written = serde_json::to_writer(&mut hasher, &asked);
        debug_assert!(written.is_ok());
        Self { file: site.cache().join(format!("{}.run", &hasher.finalize().to_hex()[..16])) }
    }

    /// What the last run said, if it would write the same bytes over untouched files.
    pub(super) fn unchanged(&self, index: &Index, output: &Path) -> Option<ContextReport> {
        let bytes = files::read(&self.file, LARGEST).ok()??;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        if blake3::hash(body).as_bytes() != sum {
            return None;
        }
        let mut decoder = Decoder { bytes: body.strip_prefix(MAGIC)? };
        (decoder.array()? == index.id()).then_some(())?;
        let length = decoder.count()?;
        let report: ContextReport = serde_json::from_slice(decoder.take(length)?).ok()?;
        let mut written = Vec::new();
        while !decoder.bytes.is_empty() {
            written.push((decoder.text()?, Stamp::decode(&mut decoder)?));
        }
        let untouched = written.par_iter().all(|(path, stamp)| stamp_of(&output.join(path)) == Some(*stamp));
        let unchanged = report.files_written + report.files_unchanged;
        untouched.then_some(ContextReport {
            files_written: 0,
            files_unchanged: unchanged,
            files_removed: 0,
            files_parsed: index.work().parsed,
            ..report
        })
    }

    /// Keeps a run in mind; that it could not is no failure.
    pub(super) fn keep<'a>(
        &self,
        index: &Index,
        output: &Path,
        written: impl Iterator<Item = &'a String>,
        report: &ContextReport,
    ) {
        let mut encoder = Encoder { bytes: MAGIC.to_vec() };
        encoder.bytes.extend(index.id());
        let text = serde_json::to_vec(report).unwrap_or_default();
        encoder.count(text.len());
        encoder.bytes.extend(text);
        for path in written {
            let Some(stamp) = stamp_of(&output.join(path)) else { return };
            encoder.text(path);
            stamp.encode(&mut encoder);
        }
        let sum = blake3::hash(&encoder.bytes);
        encoder.bytes.extend(sum.as_bytes());
        if let Err(error) = files::write_derived(&self.file, &encoder.bytes) {
            tracing::debug!(%error, "the run is not kept in mind");
        }
    }
}
