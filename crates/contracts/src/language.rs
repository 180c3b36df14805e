//! Which language a file is in, and the one way to read it.
//!
//! A language is a folder in `languages` and a row in `LANGUAGES`. What a file is called decides its language; which
//! files are looked at is `project`'s to say.

use std::fmt;

use oxc_allocator::Allocator;

use crate::conflict::{FirstSides, first_sides};
use crate::languages::typescript;
use crate::model::LocalFacts;

/// One row of the table.
pub struct Language {
    pub name: &'static str,
    /// Endings of file names, with their dot.
    pub endings: &'static [&'static str],
    read: for<'a> fn(&'a Allocator, &str, &'a str) -> LocalFacts,
}

/// `.d.ts` and its kin end in one of these too.
pub const LANGUAGES: &[Language] = &[Language {
    name: "typescript",
    endings: &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
    read: typescript::read,
}];

/// The language of a file by the ending of its name; any case, because file systems differ in that.
pub fn language_of(file_name: &str) -> Option<&'static Language> {
    let lower = file_name.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| language.endings.iter().any(|ending| lower.ends_with(ending)))
}

/// Reads files one after the other, with memory that is used again. One per thread.
#[derive(Default)]
pub struct Reader {
    allocator: Allocator,
}

impl Reader {
    pub fn new() -> Self {
        Self::default()
    }

    /// The facts of one file. Broken source gives what could be read, and diagnostics; a file in no known language
    /// gives facts without content.
    pub fn read(&mut self, file_name: &str, source: &str) -> LocalFacts {
        self.allocator.reset();
        match language_of(file_name) {
            Some(language) => {
                let facts = (language.read)(&self.allocator, file_name, source);
                // A text in the source may look like a conflict.
                let conflicts = if facts.diagnostics.is_empty() { None } else { first_sides(source) };
                let Some(FirstSides { text, mut diagnostics }) = conflicts else { return facts };
                self.allocator.reset();
                let facts = (language.read)(&self.allocator, file_name, &text);
                diagnostics.extend(facts.diagnostics);
                LocalFacts { diagnostics, ..facts }
            }
            None => LocalFacts::empty(),
        }
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Language").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides() {
        let named = |name: &str| language_of(name).map(|language| language.name);
        for name in
            ["a.ts", "a.d.ts", "a.tsx", "A.TSX", "a.mts", "a.d.cts", "a.js", "a.jsx", "a.mjs", "a.cjs"]
        {
            assert_eq!(named(name), Some("typescript"), "{name}");
        }
        for name in ["a.vue", "a.css", "ts", "a.ts.map", "a"] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
