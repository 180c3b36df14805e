//! Sections, their hashes, and cuts to a budget.

use proptest::prelude::*;

use super::*;

const DOCUMENT: &str = "# Shop\n\nIntro.\n\n## Login {#auth}\n\nUsers log in.\n\n```md\n## Not a heading\n```\n\n### Tokens\n\nThey expire.\n\n## 1.2 Cart\n\nItems.\n\n## 1.20 Other\n\nElse.\n\nSetext\n------\n\nUnder.\n\n## Tokens\n\nAgain.\n";

fn find(anchor: &str) -> Option<Section<'static>> {
    section(DOCUMENT, &PrdReference { anchor: anchor.to_owned(), ..PrdReference::default() })
}

#[test]
fn a_section_is_found_by_anchor_slug_or_words() {
    for anchor in ["auth", "#auth", "login", "Login"] {
        let found = find(anchor).unwrap();
        assert!(found.text.starts_with("## Login"), "{anchor}");
        assert!(found.text.contains("They expire."), "the lower headings belong to it");
        assert!(!found.text.contains("Cart"));
    }
    assert!(find("setext").unwrap().text.starts_with("Setext\n---"));
    assert!(find("tokens-1").unwrap().text.contains("Again."));
    assert!(find("1.2").unwrap().text.contains("Items."));
    assert!(find("missing").is_none());
    assert!(find("").is_none());
}

#[test]
fn a_heading_in_a_fence_is_none() {
    assert!(find("not-a-heading").is_none());
    assert!(find("auth").unwrap().text.contains("## Not a heading"));
}

#[test]
fn lines_win_over_the_anchor_and_are_bounded() {
    let reference =
        |first, last| PrdReference { anchor: "auth".into(), lines: Some((first, last)), section_hash: None };
    let found = section(DOCUMENT, &reference(1, 3)).unwrap();
    assert_eq!((found.text, found.first_line, found.last_line), ("# Shop\n\nIntro.\n", 1, 3));
    assert_eq!(section(DOCUMENT, &reference(25, 9_999)).unwrap().last_line, DOCUMENT.lines().count());
    assert!(section(DOCUMENT, &reference(5, 4)).is_none());
    assert!(section(DOCUMENT, &reference(9_999, 10_000)).is_none());
    assert!(section("", &reference(1, 1)).is_none());
}

#[test]
fn the_lines_of_a_section_are_counted() {
    let found = find("tokens").unwrap();
    assert_eq!((found.first_line, found.last_line), (13, 15));
}

#[test]
fn only_a_change_of_the_section_is_drift() {
    let before = section_hash(&find("auth").unwrap());
    let elsewhere = DOCUMENT.replace("Items.", "Many items.\n\nMore.");
    let inside = DOCUMENT.replace("They expire.", "They never expire.");
    let reference = PrdReference { anchor: "auth".into(), ..PrdReference::default() };
    assert_eq!(section_hash(&section(&elsewhere, &reference).unwrap()), before);
    assert_ne!(section_hash(&section(&inside, &reference).unwrap()), before);
    let windows = DOCUMENT.replace('\n', "\r\n");
    assert_eq!(section_hash(&section(&windows, &reference).unwrap()), before);
}

#[test]
fn the_hash_is_that_of_the_original() {
    assert_eq!(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hash("a\r\nb"), hash("a\nb"));
}

#[test]
fn an_excerpt_ends_at_a_paragraph_or_a_word() {
    assert_eq!(excerpt("One two.\n\nThree four five.", 12).text, "One two.…");
    assert_eq!(excerpt("One two three four", 12).text, "One two…");
    assert_eq!(excerpt("Onetwothreefour", 8).text, "Onetwot…");
    assert_eq!(excerpt("short", 5), Excerpt { text: "short".into(), truncated: false });
    assert_eq!(excerpt("short", 0), Excerpt { text: String::new(), truncated: true });
}

proptest! {
    #[test]
    fn an_excerpt_keeps_to_its_budget_and_to_the_text(text in "[a-zé漢 \n]{0,80}", budget in 0_usize..60) {
        let cut = excerpt(&text, budget);
        prop_assert!(cut.text.chars().count() <= budget);
        prop_assert!(text.starts_with(cut.text.trim_end_matches('…')));
        prop_assert_eq!(cut.truncated, text.trim_end().chars().count() > budget);
    }

    #[test]
    fn no_document_breaks_it(document in "[#\\-=`~ a\n{}>*]{0,120}", anchor in "[a #-]{0,5}", first in 0_u64..9, last in 0_u64..9) {
        let by_anchor = PrdReference { anchor: anchor.clone(), ..PrdReference::default() };
        section(&document, &by_anchor);
        section(&document, &PrdReference { anchor, lines: Some((first, last)), section_hash: None });
    }
}
