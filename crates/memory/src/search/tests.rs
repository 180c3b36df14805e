//! Searching real folders.

use becket_base::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::{
    config::Config,
    log::Log,
    vault::{Draft, Vault},
};

struct Shelf {
    root: TempDir,
    state: TempDir,
    corpus: Corpus,
}

impl Shelf {
    fn with(texts: &[&str]) -> Self {
        let mut shelf =
            Self { root: TempDir::new().unwrap(), state: TempDir::new().unwrap(), corpus: Corpus::default() };
        Vault::init(shelf.root.path()).unwrap();
        for text in texts {
            shelf.add(text);
        }
        shelf.refresh();
        shelf
    }

    fn vault(&self) -> Vault {
        Vault::open(self.root.path(), self.state.path()).unwrap()
    }

    fn add(&self, text: &str) {
        let draft = Draft {
            text: text.to_owned(),
            at: Timestamp::UNIX_EPOCH,
            author: None,
            head: None,
            anchors: Vec::new(),
            links: Vec::new(),
        };
        self.vault().create(&Config::default(), draft, || None).unwrap();
    }

    fn refresh(&mut self) {
        let listing = self.vault().list(&Config::default(), &Log::default()).unwrap();
        self.corpus.refresh(&self.vault(), &listing);
    }

    fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        fs_err::write(self.root.path().join(".context").join(file), bytes).unwrap();
    }

    fn found(&self, query: &str) -> Vec<u64> {
        self.corpus.search(query).into_iter().map(|hit| hit.document.number).collect()
    }
}

#[test]
fn every_literal_match_is_found_in_any_case() {
    let shelf =
        Shelf::with(&["The Cache is warm", "nothing here", "it was CACHED twice, cached", "a-cache-b"]);
    let found = shelf.found("cache");
    assert_eq!(found.len(), 3);
    assert!(!found.contains(&2));
    assert_eq!(shelf.found("a-cache-b")[0], 4);
    assert_eq!(shelf.found("E IS W"), [1], "a literal match need not begin at a word");
    assert_eq!(shelf.found(""), [1, 2, 3, 4], "an empty query lists");
    assert_eq!(shelf.found("zebra"), Vec::<u64>::new());
}

#[test]
fn sub_words_match_and_titles_weigh_more() {
    let shelf = Shelf::with(&[
        "# Notes\nwe changed parseHTTPResponse to stream; other words follow to make this entry a little longer",
        "# HTTP response\nbuffered",
        "# Unrelated\nresponse times were measured once over http",
    ]);
    let hits = shelf.corpus.search("http response");
    assert_eq!(hits.iter().map(|hit| hit.document.number).collect::<Vec<_>>(), [2, 3, 1]);
    assert_eq!((hits[0].kind, hits[2].kind), (HitKind::Literal, HitKind::Words));
    assert_eq!(
        hits[2].document.snippet("http response"),
        "we changed parseHTTPResponse to stream; other words follow to make this entry a little longer"
    );
}

#[test]
fn snippets_are_lines_and_bounded() {
    let long = format!("# T\n{}needle{}", "a ".repeat(5_000), " b".repeat(5_000));
    let shelf = Shelf::with(&[&long, "first\r\nsecond Needle line\r\nthird"]);
    let hits = shelf.corpus.search("needle");
    for hit in &hits {
        let snippet = hit.document.snippet("needle");
        assert!(snippet.to_lowercase().contains("needle"), "{snippet}");
        assert!(snippet.chars().count() <= LONGEST_SNIPPET + 2);
    }
    assert_eq!(
        hits.iter().find(|hit| hit.document.number == 2).unwrap().document.snippet("needle"),
        "second Needle line"
    );
    assert_eq!(shelf.corpus.documents()[0].snippet(""), "T");
    let multiline = shelf.corpus.search("line\r\nthird");
    assert_eq!(multiline[0].document.snippet("line\r\nthird"), "second Needle line");
}

#[test]
fn the_corpus_follows_the_folder() {
    let mut shelf = Shelf::with(&["alpha", "beta"]);
    shelf.add("gamma");
    shelf.refresh();
    assert_eq!(shelf.found("gamma"), [3]);
    shelf.write("00001.md", "delta, altered");
    shelf.refresh();
    assert_eq!((shelf.found("alpha"), shelf.found("delta")), (vec![], vec![1]));
    fs_err::remove_file(shelf.root.path().join(".context/00002.md")).unwrap();
    shelf.refresh();
    assert_eq!((shelf.found("beta"), shelf.found("gamma")), (vec![], vec![3]));
}

#[test]
fn a_bad_file_is_skipped_and_named() {
    let mut shelf = Shelf::with(&["good"]);
    shelf.write("00002.md", b"\xff\xfe");
    fs_err::create_dir(shelf.root.path().join(".context/00003.md")).unwrap();
    shelf.refresh();
    assert_eq!(shelf.found("good"), [1]);
    let skipped: Vec<String> = shelf.corpus.skipped().iter().map(|one| one.reason.clone()).collect();
    assert_eq!(skipped, ["00002.md is not UTF-8", "00003.md is a folder, not an entry"]);
}

#[test]
fn near_duplicates_are_told_from_neighbours() {
    let original = "# Retry uploads\nThe storage gateway drops long uploads, so the client retries three times with jitter before it reports a failure.";
    let shelf = Shelf::with(&[
        original,
        "# Retry downloads\nMirrors are slow in the morning; the downloader asks the next mirror after five seconds.",
        "# Colours\nThe palette comes from the design tokens.",
    ]);
    let again = "# Retry uploads\nThe storage gateway drops long uploads; so the client retries four times with jitter, before it reports failure.";
    let similar = shelf.corpus.similar(again);
    assert_eq!(similar.iter().map(|one| one.document.number).collect::<Vec<_>>(), [1]);
    assert!(similar[0].likeness > 0.8, "{}", similar[0].likeness);
    assert!((shelf.corpus.similar(original)[0].likeness - 1.0).abs() < 1e-6);
    assert!(shelf.corpus.similar("# Retry logins\nAccounts lock after five attempts.").is_empty());
    assert!(shelf.corpus.similar("").is_empty());
}
