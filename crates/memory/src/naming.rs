//! Which file is which entry, and which entry a caller means. Owns the reading of file names and references under the
//! configuration of today and the names that entries were given before; does no I/O.

use std::{cell::OnceCell, collections::BTreeMap};

use crate::{config::Config, log::Log};

/// A reference that can mean no entry: a path, letters, nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reference:?} is not the reference of an entry; one looks like `{example}`")]
pub struct InvalidReference {
    pub reference: String,
    pub example: String,
}

/// The number in a file name, with its digits as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<'a> {
    pub number: u64,
    pub digits: &'a str,
}

/// Reads file names and references.
#[derive(Debug)]
pub struct Naming<'a> {
    config: &'a Config,
    log: &'a Log,
    /// Asked for only when a name follows no pattern.
    recorded: OnceCell<BTreeMap<&'a str, u64>>,
    seed: Config,
}

/// More digits do not fit a number that every JSON reader keeps exact.
const MOST_DIGITS: usize = 15;
/// A narrower number in an unknown file name is more likely a year, a version or a chapter.
const NARROWEST_INFERRED: usize = 3;

impl<'a> Naming<'a> {
    pub fn new(config: &'a Config, log: &'a Log) -> Self {
        Self { config, log, recorded: OnceCell::new(), seed: Config::default() }
    }

    /// The entry that a file is under a name that we know: today's, the seed's, or one that the log recorded.
    pub fn known<'n>(&self, file: &'n str) -> Option<Named<'n>> {
        if let Some(named) = self.current(file).or_else(|| with_affixes(file, &self.seed)) {
            return Some(named);
        }
        let number = *self.recorded.get_or_init(|| self.log.files()).get(file)?;
        let digits = digit_runs(file).find(|run| run.parse() == Ok(number))?;
        Some(Named { number, digits })
    }

    pub fn current<'n>(&self, file: &'n str) -> Option<Named<'n>> {
        with_affixes(file, self.config)
    }

    /// The entry that a file probably is: it has a number of exactly the configured width between a prefix and an
    /// extension that were configured once. Only for numbers that no known name takes.
    pub fn inferred<'n>(&self, file: &'n str) -> Option<Named<'n>> {
        let (stem, extension) = file.rsplit_once('.')?;
        let digits = &stem[stem.trim_end_matches(|last: char| last.is_ascii_digit()).len()..];
        let wide = digits.len() == self.config.leading_zeros && digits.len() >= NARROWEST_INFERRED;
        let markdown = matches!(extension, "md" | "markdown" | "mdx" | "mdown" | "txt");
        (wide && markdown).then(|| number(digits)).flatten()
    }

    /// What a caller's reference means: `00012`, `12`, `#12`, `00012.md`, `ctx-00012`, `context://00012`.
    pub fn reference(&self, reference: &str) -> Result<u64, InvalidReference> {
        let invalid =
            || InvalidReference { reference: reference.to_owned(), example: self.config.format_ref(12) };
        let name = reference.trim();
        let name = name.strip_prefix("context://").unwrap_or(name);
        if let Some(named) = self.known(name) {
            return Ok(named.number);
        }
        let bare = name.strip_prefix('#').unwrap_or(name);
        let bare = bare.strip_prefix(self.config.file_prefix.as_str()).unwrap_or(bare);
        let bare = bare.strip_suffix(self.config.file_suffix.as_str()).unwrap_or(bare);
        number(bare).map(|named| named.number).ok_or_else(invalid)
    }
}

fn with_affixes<'n>(file: &'n str, config: &Config) -> Option<Named<'n>> {
    let rest = file.strip_prefix(config.file_prefix.as_str())?;
    number(rest.strip_suffix(config.file_suffix.as_str())?)
}

fn number(digits: &str) -> Option<Named<'_>> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let significant = digits.trim_start_matches('0').len();
    let number = (plain && significant <= MOST_DIGITS && digits.len() <= 2 * MOST_DIGITS)
        .then(|| digits.parse().ok())
        .flatten()?;
    Some(Named { number, digits })
}

fn digit_runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_digit()).filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(config: &Config, file: &str) -> Option<u64> {
        Naming::new(config, &Log::default()).known(file).map(|named| named.number)
    }

    #[test]
    fn other_files_are_no_entries() {
        let config = Config::default();
        for file in [
            "README.md",
            "notes.md",
            "00009abc.md",
            "-5.md",
            "1.5.md",
            "00001.MD.bak",
            ".md",
            "٣.md",
            "config.json",
        ] {
            assert_eq!(read(&config, file), None, "{file}");
        }
        assert_eq!(read(&config, "00009.md"), Some(9));
        assert_eq!(read(&config, "7.md"), Some(7));
        assert_eq!(read(&config, "100000.md"), Some(100_000));
        assert_eq!(read(&config, "99999999999999999999.md"), None);
    }

    #[test]
    fn names_of_before_are_still_names() {
        let line =
            r#"{"event":"created","number":4,"file":"note-4_x.text","hash":"h","at":"2026-01-01T00:00:00Z"}"#;
        let log = Log::parse(line.as_bytes());
        let config =
            Config { file_prefix: "ctx-".into(), file_suffix: ".markdown".into(), ..Config::default() };
        let naming = Naming::new(&config, &log);
        for (file, number) in [("ctx-00001.markdown", 1), ("00002.md", 2), ("note-4_x.text", 4)] {
            assert_eq!(naming.known(file).unwrap().number, number, "{file}");
        }
        assert_eq!(naming.inferred("adr-00003.md").unwrap().number, 3);
        for file in ["adr-0003.md", "adr-000003.md", "adr-00003.md.bak", "2024.md"] {
            assert_eq!(naming.inferred(file), None, "{file}");
        }
    }

    #[test]
    fn references_are_numbers_however_written() {
        let config = Config { file_prefix: "ctx-".into(), ..Config::default() };
        let log = Log::default();
        let naming = Naming::new(&config, &log);
        for text in [
            "00012",
            "12",
            "#12",
            " 12 ",
            "00012.md",
            "ctx-00012",
            "ctx-00012.md",
            "context://00012",
            "ctx-12.md",
        ] {
            assert_eq!(naming.reference(text), Ok(12), "{text}");
        }
        for text in [
            "",
            "../README",
            "/etc/passwd",
            "12/../13",
            "1\0",
            "..",
            "one",
            "-1",
            "1.5",
            "../../proj-evil/secret",
            "C:\\1",
            "１２",
        ] {
            assert!(naming.reference(text).is_err(), "{text:?}");
        }
    }
}
