//! The two settings of a Git directory that say where its work tree is: `core.bare` and `core.worktree`. Git reads them
//! before anything else and without includes, and so does this; every other setting is Git's own business.

use std::io;
use std::path::{Path, PathBuf};

use super::git_dir::found;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CoreSettings {
    pub(crate) bare: bool,
    /// As written: relative to the Git directory.
    pub(crate) work_tree: Option<PathBuf>,
    worktree_config: bool,
}

/// No real file comes near it; a device or a mistake would.
const LARGEST: u64 = 4 * 1024 * 1024;

impl CoreSettings {
    /// Reads `config`, and `config.worktree` where the repository says that it has one.
    pub(crate) fn read(common: &Path) -> io::Result<Self> {
        let mut settings = Self::default();
        settings.add(&read(&common.join("config"))?);
        if settings.worktree_config {
            settings.add(&read(&common.join("config.worktree"))?);
        }
        Ok(settings)
    }

    fn add(&mut self, text: &str) {
        each_setting(text, |section, key, value| match (section, key) {
            ("core", "bare") => self.bare = is_true(value),
            ("core", "worktree") => self.work_tree = value.map(PathBuf::from),
            ("extensions", "worktreeconfig") => self.worktree_config = is_true(value),
            _ => {}
        });
    }
}

fn read(path: &Path) -> io::Result<String> {
    match found(fs_err::metadata(path))? {
        Some(metadata) if metadata.is_file() && metadata.len() <= LARGEST => {
            Ok(String::from_utf8_lossy(&fs_err::read(path)?).into_owned())
        }
        _ => Ok(String::new()),
    }
}

/// A key without `=` is true, as Git has it.
fn is_true(value: Option<&str>) -> bool {
    value.is_none_or(|value| {
        let value = value.to_ascii_lowercase();
        matches!(value.as_str(), "true" | "yes" | "on")
            || value.parse::<i64>().is_ok_and(|number| number != 0)
    })
}

/// Sections with a subsection are given with an empty name: none of them concerns us.
fn each_setting(text: &str, mut visit: impl FnMut(&str, &str, Option<&str>)) {
    let mut section = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_owned();
        if let Some(header) = line.strip_prefix('[') {
            let Some((name, rest)) = header.split_once(']') else { continue };
            section =
                if name.contains(['"', '.']) { String::new() } else { name.trim().to_ascii_lowercase() };
            line = rest.trim_start().to_owned();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        while ends_in_continuation(&line) {
            line.pop();
            let Some(next) = lines.next() else { break };
            line.push_str(next);
        }
        if let Some((key, value)) = line.split_once('=') {
            visit(&section, &key.trim().to_ascii_lowercase(), Some(&unquoted(value)));
        } else {
            let key = line.split(['#', ';']).next().unwrap_or_default();
            visit(&section, &key.trim().to_ascii_lowercase(), None);
        }
    }
}

fn ends_in_continuation(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Quotes protect blanks and comment signs; outside of them both end the value.
fn unquoted(value: &str) -> String {
    let mut result = String::new();
    let mut kept = 0;
    let mut quoted = false;
    let mut characters = value.trim_start().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => result.push(match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(escaped) => escaped,
                None => break,
            }),
            _ => result.push(character),
        }
        if quoted || !character.is_whitespace() {
            kept = result.len();
        }
    }
    result.truncate(kept);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> (bool, Option<String>) {
        let mut settings = CoreSettings::default();
        settings.add(text);
        (settings.bare, settings.work_tree.map(|path| path.to_string_lossy().into_owned()))
    }

    #[test]
    fn core_is_found_in_every_spelling() {
        for (text, bare, tree) in [
            ("", false, None),
            ("[core]\n\tbare = true\n", true, None),
            ("[CORE] BARE\n", true, None),
            ("[core]\nbare ; comment\n", true, None),
            ("[core]\nbare = 0\n", false, None),
            ("[core]\nbare = 2\n", true, None),
            ("[core]\nbare = true\nbare = off\n", false, None),
            ("[core \"x\"]\nbare = true\n", false, None),
            ("[core]\n[remote \"core\"]\nbare = true\n", false, None),
            ("# [core]\n;bare\nbare = true\n", false, None),
            ("[core]\nworktree = ../../../sub # note\n", false, Some("../../../sub")),
            ("[core]\nworktree = \"a # b \" ; c\n", false, Some("a # b ")),
            ("[core]\nworktree = a\\\\b\\\"c\n", false, Some("a\\b\"c")),
            ("[core]\nworktree = one\\\ntwo\n", false, Some("onetwo")),
            ("[core]\nworktree = a b  \n\tbare=yes", true, Some("a b")),
            ("[core\nbare = true", false, None),
            ("[core]\nworktree = x\\", false, Some("x")),
        ] {
            assert_eq!(settings(text), (bare, tree.map(str::to_owned)), "{text:?}");
        }
    }

    #[test]
    fn the_worktree_file_counts_only_where_it_is_declared() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("config"), "[core]\nbare = false\n").unwrap();
        fs_err::write(folder.path().join("config.worktree"), "[core]\nbare = true\n").unwrap();
        assert!(!CoreSettings::read(folder.path()).unwrap().bare);
        fs_err::write(folder.path().join("config"), "[extensions]\nworktreeConfig = true\n").unwrap();
        assert!(CoreSettings::read(folder.path()).unwrap().bare);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[\\[\\]a-z=\"\\\\#;\n ]{0,60}") {
            settings(&text);
        }
    }
}
