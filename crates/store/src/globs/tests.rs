//! Overlap of two patterns, held against every path of a small alphabet.

use proptest::prelude::*;

use super::*;

#[test]
fn patterns_that_share_a_path_overlap() {
    for (left, right) in [
        ("src/**", "src/auth/login.rs"),
        ("src/*.rs", "src/a*"),
        ("**/*.rs", "src/main.rs"),
        ("**", "anything/at/all"),
        ("a/**/b", "a/b"),
        ("a/**/b", "a/x/y/b"),
        ("{src,lib}/*.ts", "lib/index.ts"),
        ("src/[a-m]*", "src/login.rs"),
        ("src/", "src/deep/er.rs"),
        ("./src/a.rs", "src/a.rs"),
        ("a?c", "abc"),
        ("**/test/**", "src/**"),
        ("src/*/mod.rs", "src/auth/*"),
        ("docs/{a,b{1,2}}.md", "docs/b2.md"),
        ("日本/*", "日本/語.md"),
        ("a\\*b", "a*b"),
        ("[]]x", "]x"),
        ("b/a", "b//*"),
        ("b//a", "b/a"),
        ("b//a", "b///*"),
    ] {
        assert!(overlap(left, right), "{left} and {right}");
        assert!(overlap(right, left), "{right} and {left}");
    }
}

#[test]
fn patterns_without_a_common_path_do_not() {
    for (left, right) in [
        ("src/*.rs", "src/*.ts"),
        ("src/a.rs", "src/b.rs"),
        ("src/*", "src/auth/login.rs"),
        ("src/**", "lib/**"),
        ("src/**", "src"),
        ("**/*.rs", "**/*.ts"),
        ("a/*/c", "a/c"),
        ("src/[a-m]*", "src/zebra"),
        ("src/[!a]*", "src/abc"),
        ("{a,b}/x", "c/x"),
        ("a?c", "ac"),
        ("a\\*b", "axb"),
        ("*", "a/b"),
        ("", "**"),
    ] {
        assert!(!overlap(left, right), "{left} and {right}");
        assert!(!overlap(right, left), "{right} and {left}");
    }
}

#[test]
fn long_patterns_are_quick() {
    let left = format!("{}x", "*a".repeat(300));
    let right = format!("{}y", "*a".repeat(300));
    let before = std::time::Instant::now();
    assert!(!overlap(&left, &right));
    // Seconds on a busy machine; without a bound on the work it would be longer than anybody lives.
    assert!(before.elapsed() < std::time::Duration::from_mins(2));
}

#[test]
fn what_cannot_be_worked_with_is_named() {
    assert_eq!(validate(" ./ "), Err(GlobError::Empty));
    assert!(matches!(validate(&"a".repeat(1_001)), Err(GlobError::TooLong { .. })));
    assert!(matches!(validate(&"{a,b}".repeat(12)), Err(GlobError::TooManyAlternatives { .. })));
    assert!(matches!(validate("../x"), Err(GlobError::Outside { .. })));
    assert_eq!(validate("src/{a,b}/**"), Ok(()));
}

/// Written apart from the automaton, and slowly: the pattern is followed character by character.
fn matches(pattern: &str, path: &str) -> bool {
    let alternatives = braces::expand(pattern, 1_000).expect("few alternatives");
    alternatives.iter().any(|pattern| {
        let mut pattern: Vec<&str> = pattern.split('/').filter(|segment| !segment.is_empty()).collect();
        if pattern.is_empty() {
            return false;
        }
        let path: Vec<&str> = path.split('/').collect();
        if pattern.last() == Some(&"**") {
            // At least one segment below.
            pattern.pop();
            return (1..=path.len()).any(|below| {
                let (front, _) = path.split_at(path.len() - below);
                segments(&pattern, front)
            });
        }
        segments(&pattern, &path)
    })
}

fn segments(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|skipped| segments(rest, &path[skipped..])),
        Some((first, rest)) => {
            path.split_first().is_some_and(|(name, others)| letters(first, name) && segments(rest, others))
        }
    }
}

fn letters(pattern: &str, name: &str) -> bool {
    let Some(first) = pattern.chars().next() else { return name.is_empty() };
    let rest = &pattern[1..];
    match first {
        '*' => (0..=name.len()).any(|skipped| letters(rest, &name[skipped..])),
        '?' => !name.is_empty() && letters(rest, &name[1..]),
        '[' => {
            let (class, after) = rest.split_once(']').expect("a closed class");
            let negated = class.starts_with('!');
            let members = class.trim_start_matches('!');
            let named = name.chars().next();
            named.is_some_and(|one| members.contains(one) != negated) && letters(after, &name[1..])
        }
        one => name.starts_with(one) && letters(rest, &name[1..]),
    }
}

fn paths(longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut level = vec![String::new()];
    for _ in 0..longest {
        level = level.iter().flat_map(|path| ['a', 'b', '/'].map(|next| format!("{path}{next}"))).collect();
        all.extend(level.iter().cloned());
    }
    all.retain(|path| !path.is_empty() && path.split('/').all(|segment| !segment.is_empty()));
    all
}

fn pattern() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a"),
        Just("b"),
        Just("*"),
        Just("?"),
        Just("[a]"),
        Just("[!a]"),
        Just("[ab]"),
        Just("{a,b}"),
        Just("{a/b,*}"),
        Just("/"),
        Just("/"),
        Just("/**/"),
        Just("**/"),
        Just("/**"),
        Just("**"),
    ];
    proptest::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat().trim_end_matches('/').to_owned())
}

#[test]
fn what_meets_late_meets() {
    assert!(overlap("[ab][ab]/**/[!a]", "a{a/b,*}a{a/b,*}"));
    assert!(!overlap("[ab][ab]/**/[!ab]", "a{a/b,*}a{a/b,*}b"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]
    #[test]
    fn overlap_is_what_trying_every_path_says(left in pattern(), right in pattern()) {
        thread_local! {
            static PATHS: Vec<String> = paths(7);
            // `[ab][ab]/**/[!a]` and `a{a/b,*}a{a/b,*}` meet first in `aa/baa/b`.
            static LONG_PATHS: Vec<String> = paths(12);
        }
        let find = |paths: &Vec<String>| paths.iter().find(|path| matches(&left, path) && matches(&right, path)).cloned();
        let said = overlap(&left, &right);
        let found = PATHS.with(find).or_else(|| if said { LONG_PATHS.with(find) } else { None });
        prop_assert_eq!(said, found.is_some(), "{:?}", found);
    }
}
