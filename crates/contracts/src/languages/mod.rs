//! One folder per language: source text in, local facts out. Each has a row in `language::LANGUAGES`.

pub(crate) mod typescript;
