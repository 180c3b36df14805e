//! What is in the folder: entries in the order of their numbers, and files that are none. One bad file never hides the
//! others.

use std::{fs::FileType, io, sync::Arc};

use fs_err as fs;

use super::{CONFIG_FILE, CachedLog, FileStamp, LOG_FILE, Vault, VaultError, create::TEMPORARY};
use crate::{
    config::Config,
    log::Log,
    naming::{InvalidReference, Naming},
};

/// A file that has the name of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub number: u64,
    /// The digits in the file name, which is how code refers to it.
    pub reference: String,
    pub file: String,
    /// Why it cannot be read, in spite of its name.
    pub problem: Option<Problem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    Directory,
    Link,
    Special,
}

/// Something in the folder that is no entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// As far as it can be shown.
    pub file: String,
}

#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// By number, and by file name where two have the same.
    pub entries: Vec<Listed>,
    pub strays: Vec<Stray>,
}

/// A listing as it was when last read, and of what.
#[derive(Debug, Default)]
pub struct CachedListing {
    listing: Arc<Listing>,
    of: Option<Circumstances>,
}

/// What a listing depends on.
#[derive(Debug, PartialEq, Eq)]
struct Circumstances {
    folder: FileStamp,
    config: Config,
    log: (u64, usize),
}

impl Vault {
    /// Brings a listing that was read before in step with the folder. Files cannot come, go or become something else without
    /// the folder's time changing.
    pub fn refresh_listing(
        &self,
        cached: &mut CachedListing,
        config: &Config,
        log: &CachedLog,
    ) -> Result<Arc<Listing>, VaultError> {
        let folder =
            fs::metadata(&self.directory).ok().and_then(|metadata| FileStamp::from_metadata(&metadata));
        // A folder that changed a moment ago may change again without its time telling.
        let of = folder.filter(|folder| folder.is_older_than(FileStamp::now())).map(|folder| Circumstances {
            folder,
            config: config.clone(),
            log: (log.length, log.lines),
        });
        if of.is_none() || of != cached.of {
            cached.listing = Arc::new(self.list(config, &log.log)?);
            cached.of = of;
        }
        Ok(Arc::clone(&cached.listing))
    }

    pub fn list(&self, config: &Config, log: &Log) -> Result<Listing, VaultError> {
        let naming = Naming::new(config, log);
        let failed = |source: io::Error| VaultError::Read { path: self.directory.clone(), source };
        let mut listing = Listing::default();
        let mut unknown = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let problem = entry.file_type().map_or(Some(Problem::Special), Problem::of);
            let Ok(file) = entry.file_name().into_string() else {
                listing.strays.push(Stray { file: entry.file_name().to_string_lossy().into_owned() });
                continue;
            };
            match naming.known(&file) {
                Some(named) => {
                    let (number, reference) = (named.number, named.digits.to_owned());
                    listing.entries.push(Listed { number, reference, file, problem });
                }
                None if is_ours(&file) => {}
                None => unknown.push((file, problem)),
            }
        }
        listing
            .entries
            .sort_by(|left, right| left.number.cmp(&right.number).then_with(|| left.file.cmp(&right.file)));
        unknown.sort_by(|left, right| left.0.cmp(&right.0));
        for (file, problem) in unknown {
            let free = |number: u64| listing.entries.binary_search_by_key(&number, |entry| entry.number);
            match naming
                .inferred(&file)
                .map(|named| (named.number, named.digits.to_owned(), free(named.number)))
            {
                Some((number, reference, Err(position))) => {
                    listing.entries.insert(position, Listed { number, reference, file, problem });
                }
                _ => listing.strays.push(Stray { file }),
            }
        }
        listing.strays.sort_by(|left, right| left.file.cmp(&right.file));
        Ok(listing)
    }
}

impl Listing {
    /// The entry that a reference means. Where two have one number, an exact file name or today's naming decides.
    pub fn find(&self, reference: &str, config: &Config, log: &Log) -> Result<&Listed, VaultError> {
        let naming = Naming::new(config, log);
        let exact = reference.trim().trim_start_matches("context://");
        if let Some(entry) = self.entries.iter().find(|entry| entry.file == exact) {
            return Ok(entry);
        }
        let number = naming.reference(reference).map_err(|InvalidReference { reference, example }| {
            VaultError::Reference(InvalidReference { reference, example })
        })?;
        let same = self.numbered(number);
        same.iter()
            .find(|entry| naming.current(&entry.file).is_some())
            .or_else(|| same.first())
            .ok_or_else(|| VaultError::NotFound { reference: config.format_ref(number) })
    }

    /// All entries of one number: more than one when two branches took it.
    pub fn numbered(&self, number: u64) -> &[Listed] {
        let start = self.entries.partition_point(|entry| entry.number < number);
        let end = self.entries.partition_point(|entry| entry.number <= number);
        &self.entries[start..end]
    }

    pub fn highest(&self) -> Option<u64> {
        self.entries.last().map(|entry| entry.number)
    }
}

impl Problem {
    pub(super) fn of(file_type: FileType) -> Option<Self> {
        if file_type.is_file() {
            None
        } else if file_type.is_dir() {
            Some(Self::Directory)
        } else if file_type.is_symlink() {
            Some(Self::Link)
        } else {
            Some(Self::Special)
        }
    }

    pub fn describe(self) -> &'static str {
        match self {
            Self::Directory => "a folder",
            Self::Link => "a symbolic link",
            Self::Special => "a special file",
        }
    }
}

fn is_ours(file: &str) -> bool {
    matches!(file, CONFIG_FILE | LOG_FILE | ".gitattributes") || file.starts_with(TEMPORARY)
}
