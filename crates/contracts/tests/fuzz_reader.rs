//! Damaged sources against the reader: whatever was cut, doubled or thrown in, there are facts and a contract, and the
//! same ones every time.
//!
//! A bounded number of cases in an ordinary run; for as many seconds as `BECKET_FUZZ_SECONDS` says when it is set.
//! A failure names its seed, with which `BECKET_FUZZ_SEED` runs the same cases again, and the smallest input found.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test: its length is asked for by the environment, and it says how much it did"
)]

use becket_contracts::header;
use becket_contracts::language::Reader;
use becket_contracts::link::link_alone;
use becket_contracts::model::SchemaVersion;
use becket_testing::fuzz;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const PAGES: &[&str] = &[
    include_str!("spec/broken.md"),
    include_str!("spec/components.md"),
    include_str!("spec/modules.md"),
    include_str!("spec/probes.md"),
    include_str!("spec/servers.md"),
];
const NAMES: &[&str] = &["a.ts", "a.tsx", "a.d.ts", "a.mts", "a.cts", "a.js", "a.jsx", "a.mjs", "a.cjs"];

/// One way of damaging a text.
#[derive(Debug, Clone)]
enum Damage {
    Remove(Index, u8),
    Double(Index, u8),
    Insert(Index, Vec<u8>),
    Flip(Index, u8),
    End(Index),
    /// A piece of another source.
    Graft(Index, Index, Index, u8),
}

#[test]
fn damaged_sources_are_read() {
    let sources = sources();
    assert!(sources.len() > 40, "{} sources", sources.len());
    let damage = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, count)| Damage::Remove(at, count)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, count)| Damage::Double(at, count)),
        (any::<Index>(), vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, mask)| Damage::Flip(at, mask)),
        any::<Index>().prop_map(Damage::End),
        (any::<Index>(), any::<Index>(), any::<Index>(), any::<u8>())
            .prop_map(|(at, source, from, count)| Damage::Graft(at, source, from, count)),
    ];
    let strategy = (select(NAMES), any::<Index>(), vec(damage, 0..6));
    fuzz(1500, &strategy, |(name, source, damages)| {
        let mut bytes = sources[source.index(sources.len())].as_bytes().to_vec();
        for damage in &damages {
            apply(damage, &mut bytes, &sources);
        }
        let text = String::from_utf8_lossy(&bytes);
        let facts = Reader::new().read(name, &text);
        prop_assert_eq!(&facts, &Reader::new().read(name, &text));
        let linked = link_alone("src/a.tsx", &facts);
        prop_assert_eq!(&linked, &link_alone("src/a.tsx", &facts));
        let _ = linked.contract.to_json(SchemaVersion::V03);
        let _ = header::code_header(&facts, 400);
        let _ = becket_contracts::secrets::redact(&text);
        Ok(())
    });
}

/// The sources in the fenced blocks of the specification.
fn sources() -> Vec<&'static str> {
    let mut sources = Vec::new();
    for page in PAGES {
        for block in page.split("\n```").skip(1).step_by(2) {
            let (language, text) = block.split_once('\n').unwrap_or((block, ""));
            if matches!(language, "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts") {
                sources.push(text);
            }
        }
    }
    sources
}

fn apply(damage: &Damage, bytes: &mut Vec<u8>, sources: &[&str]) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    let range = |at: &Index, count: u8| {
        let start = at.index(length);
        start..(start + usize::from(count)).min(length)
    };
    match damage {
        Damage::Remove(at, count) => {
            bytes.drain(range(at, *count));
        }
        Damage::Double(at, count) => {
            let range = range(at, *count);
            let piece = bytes[range.clone()].to_vec();
            bytes.splice(range.end..range.end, piece);
        }
        Damage::Insert(at, piece) => {
            let at = at.index(length);
            bytes.splice(at..at, piece.iter().copied());
        }
        Damage::Flip(at, mask) => bytes[at.index(length)] ^= mask,
        Damage::End(at) => bytes.truncate(at.index(length)),
        Damage::Graft(at, source, from, count) => {
            let other = sources[source.index(sources.len())].as_bytes();
            let start = from.index(other.len().max(1));
            let end = (start + usize::from(*count)).min(other.len());
            let at = at.index(length);
            bytes.splice(at..at, other[start.min(end)..end].iter().copied());
        }
    }
}
