//! Searching real folders.

use becket_base::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::{
    config::Config,
    log::Log,
    vault::{CachedListing, CachedLog, Draft, Vault},
};

struct Shelf {
    root: TempDir,
    state: TempDir,
    listing: CachedListing,
    corpus: Corpus,
}

impl Shelf {
    fn with(texts: &[&str]) -> Self {
        let mut shelf = Self {
            root: TempDir::new().unwrap(),
            state: TempDir::new().unwrap(),
            listing: CachedListing::default(),
            corpus: Corpus::default(),
        };
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

    /// Through the listing that is kept, as a server does.
    fn refresh(&mut self) {
        let vault = self.vault();
        let listing =
            vault.refresh_listing(&mut self.listing, &Config::default(), &CachedLog::default()).unwrap();
        self.corpus.refresh(&vault, &listing);
    }

    /// What somebody sees who has just come.
    fn new_corpus(&self) -> Corpus {
        let mut corpus = Corpus::default();
        corpus.refresh(&self.vault(), &self.vault().list(&Config::default(), &Log::default()).unwrap());
        corpus
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

mod steps {
    use proptest::prelude::*;

    use super::*;

    /// Something that happens to the folder between two searches.
    #[derive(Debug, Clone)]
    enum Step {
        Create(String),
        Alter(usize, String),
        /// The same length, so that only times can tell.
        AlterLetters(usize),
        Remove(usize),
        Swap(usize, usize),
        Break(usize),
        Search(String),
        Compare(String),
    }

    fn text() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "retry",
            "parseHTTPResponse",
            "Grüße",
            "cache_key",
            "CACHE",
            "日本語",
            "the",
            "42nd",
        ]);
        prop::collection::vec(word, 0..8)
            .prop_map(|words| format!("# {}", words.join(" ").replace("the ", "\n")))
    }

    fn step() -> impl Strategy<Value = Step> {
        let place = 0..12_usize;
        prop_oneof![
            3 => text().prop_map(Step::Create),
            2 => (place.clone(), text()).prop_map(|(place, text)| Step::Alter(place, text)),
            2 => place.clone().prop_map(Step::AlterLetters),
            1 => place.clone().prop_map(Step::Remove),
            1 => (place.clone(), place.clone()).prop_map(|(left, right)| Step::Swap(left, right)),
            1 => place.prop_map(Step::Break),
            2 => text().prop_map(Step::Search),
            1 => text().prop_map(Step::Compare),
        ]
    }

    fn answers(corpus: &Corpus, query: &str) -> Vec<(String, HitKind, u32, String)> {
        let hits = corpus.search(query);
        hits.iter()
            .map(|hit| {
                (hit.document.file.clone(), hit.kind, hit.score.to_bits(), hit.document.snippet(query))
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
        /// What is kept between searches never shows: a corpus that lived through everything answers as a new one.
        #[test]
        fn a_corpus_that_was_there_answers_as_a_new_one(steps in prop::collection::vec(step(), 1..25)) {
            let mut shelf = Shelf::with(&["alpha retry", "# HTTP response\n\nbuffered", "the 42nd"]);
            for step in steps {
                let files = || {
                    let listing = shelf.vault().list(&Config::default(), &Log::default()).unwrap();
                    listing.entries.into_iter().map(|entry| entry.file).collect::<Vec<_>>()
                };
                let path = |place: usize| {
                    let files = files();
                    (!files.is_empty()).then(|| shelf.vault().directory().join(&files[place % files.len()]))
                };
                match step {
                    Step::Create(text) => shelf.add(&text),
                    Step::Alter(place, text) => {
                        if let Some(path) = path(place) { fs_err::write(path, text).unwrap(); }
                    }
                    Step::AlterLetters(place) => {
                        if let Some(path) = path(place) {
                            let text = fs_err::read(&path).unwrap().iter().map(|byte| if *byte == b'e' { b'a' } else { *byte }).collect::<Vec<u8>>();
                            fs_err::write(path, text).unwrap();
                        }
                    }
                    Step::Remove(place) => {
                        if let Some(path) = path(place) { fs_err::remove_file(path).unwrap(); }
                    }
                    Step::Swap(left, right) => {
                        if let (Some(left), Some(right)) = (path(left), path(right)) {
                            let beside = left.with_extension("beside");
                            if left != right {
                                fs_err::rename(&left, &beside).unwrap();
                                fs_err::rename(&right, &left).unwrap();
                                fs_err::rename(&beside, &right).unwrap();
                            }
                        }
                    }
                    Step::Break(place) => {
                        if let Some(path) = path(place) { fs_err::write(path, b"\xff\xfe retry").unwrap(); }
                    }
                    Step::Search(query) => {
                        shelf.refresh();
                        let fresh = shelf.new_corpus();
                        prop_assert_eq!(answers(&shelf.corpus, &query), answers(&fresh, &query));
                        let skipped = |corpus: &Corpus| corpus.skipped().iter().map(|one| one.reason.clone()).collect::<Vec<_>>();
                        prop_assert_eq!(skipped(&shelf.corpus), skipped(&fresh));
                    }
                    Step::Compare(text) => {
                        shelf.refresh();
                        let fresh = shelf.new_corpus();
                        let similar = |corpus: &Corpus| {
                            corpus.similar(&text).iter().map(|one| (one.document.number, one.likeness.to_bits())).collect::<Vec<_>>()
                        };
                        prop_assert_eq!(similar(&shelf.corpus), similar(&fresh));
                    }
                }
            }
        }
    }
}
