//! How well entries are found: recall@5 and mean reciprocal rank over queries with known answers, for the seed's substring
//! search, for BM25 over whole words alone, and for what becket does. `retrieval/README.md` says where they came from.
#![allow(clippy::cast_precision_loss, reason = "counts of a few hundred")]
#![allow(clippy::disallowed_methods, reason = "it makes the entries that it searches")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and this one reports"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use becket_memory::{Config, Log, Vault, search::Corpus};
use serde::Deserialize;
use tempfile::TempDir;

#[derive(Debug, Deserialize)]
struct Pair {
    query: String,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Quality {
    recall_at_5: f64,
    reciprocal_rank: f64,
}

fn pairs() -> Vec<Pair> {
    include_str!("retrieval/ripgrep.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn corpus(pairs: &[Pair]) -> (Corpus, TempDir) {
    let root = tempfile::tempdir().unwrap();
    Vault::init(root.path()).unwrap();
    for (place, pair) in pairs.iter().enumerate() {
        fs::write(root.path().join(format!(".context/{:05}.md", place + 1)), &pair.text).unwrap();
    }
    let vault = Vault::open(root.path(), root.path()).unwrap();
    let listing = vault.list(&Config::default(), &Log::default()).unwrap();
    let mut corpus = Corpus::default();
    corpus.refresh(&vault, &listing);
    (corpus, root)
}

/// `rank` gives the numbers that a query finds, best first.
fn quality(pairs: &[Pair], rank: impl Fn(&str) -> Vec<usize>) -> Quality {
    let (mut found, mut reciprocal) = (0.0, 0.0);
    for (place, pair) in pairs.iter().enumerate() {
        let ranked = rank(&pair.query);
        if let Some(position) = ranked.iter().position(|number| *number == place + 1) {
            found += f64::from(u8::from(position < 5));
            reciprocal += 1.0 / (position as f64 + 1.0);
        }
    }
    let all = pairs.len() as f64;
    Quality { recall_at_5: found / all, reciprocal_rank: reciprocal / all }
}

fn substring(pairs: &[Pair]) -> Quality {
    quality(pairs, |query| {
        let query = query.to_lowercase();
        let matching = pairs.iter().enumerate().filter(|(_, pair)| pair.text.to_lowercase().contains(&query));
        matching.map(|(place, _)| place + 1).collect()
    })
}

/// A second BM25, written for this comparison: whole words, no parts of identifiers, no endings, no titles.
fn whole_words(pairs: &[Pair]) -> Quality {
    let words = |text: &str| -> Vec<String> {
        text.split(|one: char| !one.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let documents: Vec<Vec<String>> = pairs.iter().map(|pair| words(&pair.text)).collect();
    let average = documents.iter().map(Vec::len).sum::<usize>() as f64 / documents.len() as f64;
    let mut having: BTreeMap<&str, usize> = BTreeMap::new();
    for document in &documents {
        for word in document.iter().collect::<BTreeSet<_>>() {
            *having.entry(word).or_default() += 1;
        }
    }
    quality(pairs, |query| {
        let terms: BTreeSet<String> = words(query).into_iter().collect();
        let mut scores: Vec<(f64, usize)> = Vec::new();
        for (place, document) in documents.iter().enumerate() {
            let score: f64 = terms
                .iter()
                .map(|term| {
                    let count = document.iter().filter(|word| *word == term).count() as f64;
                    let having = having.get(term.as_str()).copied().unwrap_or(0) as f64;
                    let rarity = (1.0 + (documents.len() as f64 - having + 0.5) / (having + 0.5)).ln();
                    let length = 0.25 + 0.75 * document.len() as f64 / average;
                    rarity * count * 2.2 / (count + 1.2 * length)
                })
                .sum();
            if score > 0.0 {
                scores.push((score, place + 1));
            }
        }
        scores.sort_by(|left, right| right.0.total_cmp(&left.0));
        scores.into_iter().map(|(_, number)| number).collect()
    })
}

#[test]
fn becket_finds_more_than_substring_and_whole_words() {
    let pairs = pairs();
    let (corpus, _root) = corpus(&pairs);
    let ours = quality(&pairs, |query| {
        corpus.search(query).iter().map(|hit| usize::try_from(hit.document.number).unwrap()).collect()
    });
    let (substring, whole_words) = (substring(&pairs), whole_words(&pairs));
    println!("{} queries over as many entries\n", pairs.len());
    println!("| ranking | recall@5 | MRR |\n| --- | ---: | ---: |");
    for (name, quality) in [("substring", substring), ("BM25, whole words", whole_words), ("becket", ours)] {
        println!("| {name} | {:.3} | {:.3} |", quality.recall_at_5, quality.reciprocal_rank);
    }
    assert!(ours.recall_at_5 > whole_words.recall_at_5 && ours.reciprocal_rank > whole_words.reciprocal_rank);
    assert!(whole_words.recall_at_5 > substring.recall_at_5);
}

#[test]
fn every_literal_match_is_among_the_results() {
    let pairs = pairs();
    let (corpus, _root) = corpus(&pairs);
    for query in ["regex", "the", "--hidden", "UTF-8", "don't"] {
        let found: BTreeSet<u64> = corpus.search(query).iter().map(|hit| hit.document.number).collect();
        for (number, pair) in (1..).zip(&pairs) {
            if pair.text.to_lowercase().contains(&query.to_lowercase()) {
                assert!(found.contains(&number), "{query} {number}");
            }
        }
    }
}
