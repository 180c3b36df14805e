//! Which commits are likely of one intent: rule 1 of the protocol.

use becket_commits::learning::is_lockfile;
use becket_diff::{Content, FileChange};

use super::repository::Commit;

const SOURCE: &[&str] = &[
    "rs", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "go", "rb", "java", "kt", "kts", "c", "h", "cc",
    "cpp", "cxx", "hpp", "cs", "php", "swift", "scala", "lua", "sh", "pl", "ex", "exs", "erl", "hs", "ml",
    "clj", "dart", "vue", "svelte", "css", "scss", "tcl", "m", "zig", "jl", "r",
];
const VENDORED: &[&str] =
    &["vendor", "node_modules", "third_party", "thirdparty", "deps", "dist", "external", "bower_components"];
/// Beginnings of words that announce anything but one intent.
const TELLING: &[&str] =
    &["merge", "revert", "bump", "release", "format", "lint", "typo", "cleanup", "misc", "wip", "reformat"];

pub(super) fn is_eligible(commit: &Commit) -> bool {
    let Some(patch) = &commit.patch else { return false };
    let lines: usize = patch.iter().map(|file| file.added + file.removed).sum();
    commit.parent.is_some()
        && (1..=8).contains(&patch.len())
        && (2..=300).contains(&lines)
        && patch.iter().all(is_plain)
        && patch.iter().any(is_source)
        && says_one_thing(&commit.subject)
}

fn is_plain(file: &FileChange) -> bool {
    let path = path(file);
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(file.content, Content::Text(_))
        && !file.path().is_some_and(is_lockfile)
        && !name.contains(".min.")
        && !path.split('/').any(|part| VENDORED.contains(&part))
}

fn is_source(file: &FileChange) -> bool {
    path(file).rsplit_once('.').is_some_and(|(_, ending)| SOURCE.contains(&ending))
}

fn path(file: &FileChange) -> String {
    file.path().map(|path| path.to_text().to_lowercase()).unwrap_or_default()
}

fn says_one_thing(subject: &str) -> bool {
    let subject = subject.to_lowercase();
    let words: Vec<&str> =
        subject.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    subject.chars().count() >= 12
        && !subject.contains([';', '&'])
        && !subject.contains("clean up")
        && !words.iter().any(|word| {
            ["and", "also"].contains(word) || TELLING.iter().any(|telling| word.starts_with(telling))
        })
}

#[cfg(test)]
mod tests {
    use super::says_one_thing;

    #[test]
    fn a_subject_of_two_intents_is_told_by_its_words() {
        assert!(says_one_thing("Expand the parser of headers"));
        for subject in [
            "fix",
            "Add a parser and a test",
            "Bump serde to 2.0",
            "style: reformat it all",
            "One thing; another",
        ] {
            assert!(!says_one_thing(subject), "{subject}");
        }
    }
}
