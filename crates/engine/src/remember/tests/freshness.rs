//! Whether an entry still holds, and who made it stale.

use super::*;
use crate::remember::{RefsRequest, VerifyRequest};

const CART: &str = "export function total() {\n  return 1;\n}\n\nexport function other() {\n  return 2;\n}\n";

fn verify(bench: &Bench, reference: &str) -> crate::remember::VerifiedEntry {
    let request = VerifyRequest {
        reference: reference.into(),
        note: Some("looked".into()),
        ..VerifyRequest::default()
    };
    bench.engine.context_verify(&request).unwrap()
}

#[test]
fn a_cited_place_is_fresh_moved_changed_or_gone_with_the_commit() {
    let bench = Bench::new();
    bench.repo.write("src/cart.ts", CART);
    bench.repo.commit("code");
    for anchor in ["src/cart.ts", "src/cart.ts#total", "src/cart.ts:5-7"] {
        bench
            .create_with(&format!("about {anchor}"), |request| request.anchors = vec![anchor.into()])
            .unwrap();
    }
    bench.repo.commit("entries");
    let states = |bench: &Bench| [bench.state("1"), bench.state("2"), bench.state("3")];
    assert_eq!(states(&bench), [Freshness::Fresh; 3]);
    bench.repo.write("src/cart.ts", format!("// a new first line\n\n{CART}"));
    assert_eq!(states(&bench), [Freshness::Changed, Freshness::Fresh, Freshness::Moved]);
    assert_eq!(bench.get("1").anchors[0].by, None, "not committed yet");
    assert_eq!(bench.get("3").anchors[0].now.as_deref(), Some("src/cart.ts:7-9"));
    let shifted = bench.repo.commit("shift");
    assert_eq!(bench.get("1").anchors[0].by.as_ref().unwrap().commit, shifted);
    bench.repo.write("src/cart.ts", CART.replace("return 1", "return 3"));
    let edited = bench.repo.commit("edit");
    bench.repo.write("other.txt", "x");
    bench.repo.commit("unrelated");
    assert_eq!(states(&bench), [Freshness::Changed, Freshness::Changed, Freshness::Fresh]);
    assert_eq!(bench.get("2").anchors[0].by.as_ref().unwrap().commit, edited);
    assert_eq!(bench.get("1").anchors[0].by.as_ref().unwrap().commit, shifted, "the first that differs");
    bench.repo.write("src/cart.ts", CART);
    assert_eq!(states(&bench), [Freshness::Fresh; 3], "content decides, not age");
    bench.repo.remove("src/cart.ts");
    let removed = bench.repo.commit("remove");
    assert_eq!(states(&bench), [Freshness::Gone; 3]);
    assert_eq!(bench.get("2").anchors[0].by.as_ref().unwrap().commit, removed);
}

#[test]
fn renames_are_followed_committed_staged_or_neither() {
    let bench = Bench::new();
    bench.repo.write("src/cart.ts", CART);
    bench
        .create_with("why", |request| {
            request.anchors = vec!["src/cart.ts#total".into(), "src/cart.ts".into()];
        })
        .unwrap();
    bench.repo.commit("all");
    let now = |bench: &Bench| {
        bench.get("1").anchors.into_iter().map(|view| (view.state, view.now)).collect::<Vec<_>>()
    };
    let expected = |path: &str| {
        vec![(Freshness::Moved, Some(format!("{path}#total"))), (Freshness::Moved, Some(path.to_owned()))]
    };
    std::fs::rename(bench.repo.path("src/cart.ts"), bench.repo.path("cart.ts")).unwrap();
    assert_eq!(now(&bench), expected("cart.ts"), "moved by hand");
    bench.repo.git(["add", "--all"]);
    assert_eq!(now(&bench), expected("cart.ts"), "staged");
    bench.repo.commit("move");
    assert_eq!(now(&bench), expected("cart.ts"), "committed");
    bench.repo.git(["mv", "cart.ts", "basket.ts"]);
    bench.repo.commit("move again");
    assert_eq!(now(&bench), expected("basket.ts"), "twice");
    bench.repo.write("basket.ts", CART.replace("return 1", "return 9"));
    let edited = bench.repo.commit("edit after the move");
    let view = &bench.get("1").anchors[0];
    assert_eq!((view.state, view.now.as_deref()), (Freshness::Changed, Some("basket.ts#total")));
    assert_eq!(view.by.as_ref().unwrap().commit, edited);
}

#[test]
fn a_reference_in_code_is_an_anchor_whose_baseline_is_the_commit_that_wrote_it() {
    let bench = Bench::new();
    bench.create("why total is so");
    bench.repo.write("src/cart.ts", CART);
    bench.repo.commit("code first");
    let commented = CART.replace("export function total", "// refer to context 00001\nexport function total");
    bench.repo.write("src/cart.ts", &commented);
    assert_eq!(bench.state("1"), Freshness::Fresh, "not committed: it was just written");
    let wrote = bench.repo.commit("refer");
    let view = bench.get("1");
    assert_eq!(
        (view.state, view.references[0].since.as_ref().unwrap().commit.as_str()),
        (Freshness::Fresh, wrote.as_str())
    );
    assert_eq!(view.references[0].declaration.as_deref(), Some("total"));
    bench.repo.write("src/cart.ts", commented.replace("return 2", "return 7"));
    bench.repo.commit("another function");
    assert_eq!(bench.state("1"), Freshness::Fresh);
    let changed = commented.replace("return 1", "return 5");
    bench.repo.write("src/cart.ts", &changed);
    assert_eq!(bench.get("1").references[0].by, None);
    assert_eq!(bench.state("1"), Freshness::Changed);
    let edited = bench.repo.commit("total differs");
    bench.repo.write("src/cart.ts", format!("{changed}\nexport const x = 1;\n"));
    bench.repo.commit("unrelated");
    let reference = &bench.get("1").references[0];
    assert_eq!(
        (reference.state, reference.by.as_ref().unwrap().commit.as_str()),
        (Freshness::Changed, edited.as_str())
    );
    assert_eq!(
        bench.again().context_get("1", None).unwrap().references[0].by,
        reference.by,
        "another process finds the same"
    );
}

#[test]
fn editing_the_comment_itself_does_not_make_a_new_baseline() {
    let bench = Bench::new();
    bench.create("one");
    bench.create("two");
    let commented = CART.replace("export function total", "// refer to context 00001\nexport function total");
    bench.repo.write("cart.ts", &commented);
    let first = bench.repo.commit("refer to one");
    bench.repo.write("cart.ts", commented.replace("return 1", "return 5"));
    bench.repo.commit("change");
    bench.repo.write("cart.ts", commented.replace("return 1", "return 5").replace("00001", "00001, 00002"));
    let second = bench.repo.commit("refer to two as well");
    let (one, two) = (bench.get("1"), bench.get("2"));
    assert_eq!((one.state, two.state), (Freshness::Changed, Freshness::Fresh));
    assert_eq!(one.references[0].since.as_ref().unwrap().commit, first);
    assert_eq!(two.references[0].since.as_ref().unwrap().commit, second);
    bench.repo.write("cart.ts", commented.replace("return 1", "return 5").replace("00001", "00002, 00001"));
    assert_eq!(
        bench.get("1").references[0].since.as_ref().unwrap().commit,
        first,
        "an edit without a commit"
    );
}

#[test]
fn a_second_reference_in_the_same_file_has_a_baseline_of_its_own() {
    let bench = Bench::new();
    bench.create("one");
    let first = CART.replace("export function total", "// refer to context 1\nexport function total");
    bench.repo.write("cart.ts", &first);
    bench.repo.commit("first");
    let both = first
        .replace("return 1", "return 4")
        .replace("export function other", "// refer to context 1\nexport function other");
    bench.repo.write("cart.ts", both);
    bench.repo.commit("second");
    let states: Vec<Freshness> = bench.get("1").references.iter().map(|reference| reference.state).collect();
    assert_eq!(states, [Freshness::Changed, Freshness::Fresh]);
}

#[test]
fn a_renamed_file_keeps_its_references_and_a_rewritten_history_is_noticed() {
    let bench = Bench::new();
    bench.create("one");
    let commented = CART.replace("export function total", "// refer to context 1\nexport function total");
    bench.repo.write("src/cart.ts", commented);
    bench.repo.commit("refer");
    bench.repo.git(["mv", "src/cart.ts", "basket.ts"]);
    bench.repo.commit("move");
    assert_eq!(bench.get("1").references[0].state, Freshness::Moved);
    bench.repo.git(["commit", "--quiet", "--amend", "-m", "moved, amended"]);
    bench.repo.git(["checkout", "--quiet", "--orphan", "fresh"]);
    let orphan = bench.repo.commit("one commit of it all");
    assert_eq!(bench.get("1").references[0].since.as_ref().unwrap().commit, orphan);
}

#[test]
fn verifying_is_an_event_and_leaves_the_entry_alone() {
    let bench = Bench::new();
    bench.repo.write(
        "cart.ts",
        CART.replace("export function total", "// refer to context 1\nexport function total"),
    );
    bench.create_with("why", |request| request.anchors = vec!["cart.ts#other".into()]).unwrap();
    bench.repo.commit("all");
    let text = bench.repo.read("cart.ts").replace("return 1", "return 11").replace("return 2", "return 22");
    bench.repo.write("cart.ts", &text);
    bench.repo.commit("both changed");
    let bytes = bench.repo.read(".context/00001.md");
    let verified = verify(&bench, "1");
    assert_eq!((verified.before, verified.state), (Freshness::Changed, Freshness::Fresh));
    assert_eq!(bench.repo.read(".context/00001.md"), bytes);
    let view = bench.get("1");
    assert_eq!((view.state, view.verified.unwrap().note.as_deref()), (Freshness::Fresh, Some("looked")));
    assert_eq!(bench.again().context_get("1", None).unwrap().state, Freshness::Fresh);
    bench.repo.write("cart.ts", text.replace("return 22", "return 33"));
    let later = bench.repo.commit("changed again");
    let view = bench.get("1");
    assert_eq!(
        (view.state, view.anchors[0].by.as_ref().unwrap().commit.as_str()),
        (Freshness::Changed, later.as_str())
    );
    bench.repo.remove("cart.ts");
    assert_eq!(bench.state("1"), Freshness::Gone);
    assert_eq!(verify(&bench, "1").state, Freshness::Fresh, "that it is gone was accepted");
    let missing = VerifyRequest { reference: "9".into(), ..VerifyRequest::default() };
    assert_eq!(code(bench.engine.context_verify(&missing)), "entry_not_found");
}

#[test]
fn an_altered_entry_is_told_by_the_log_and_by_git() {
    let bench = Bench::new();
    bench.create("first text");
    bench.repo.write(".context/00002.md", "by the original");
    bench.repo.commit("entries");
    assert_eq!((bench.get("1").altered, bench.get("2").altered), (None, None));
    bench.repo.write(".context/00001.md", "other text");
    bench.repo.write(".context/00002.md", "by somebody else");
    let (one, two) = (bench.get("1").altered.unwrap(), bench.get("2").altered.unwrap());
    assert_eq!((one.witness.as_str(), one.by), ("log", None));
    assert_eq!((two.witness.as_str(), two.by), ("git", None));
    let commit = bench.repo.commit("alter");
    for reference in ["1", "2"] {
        let altered = bench.get(reference).altered.unwrap();
        assert_eq!((altered.witness.as_str(), altered.by.unwrap().commit.as_str()), ("git", commit.as_str()));
    }
    bench.repo.write(".context/00001.md", "first text");
    bench.repo.commit("restore");
    assert_eq!(bench.get("1").altered, None, "what it says again is what was written");
}

#[test]
fn references_answer_both_ways() {
    let bench = Bench::new();
    bench.repo.write(
        "src/cart.ts",
        CART.replace("export function total", "// refer to context 00001, 00009\nexport function total"),
    );
    bench.repo.write("src/x.py", "# refer to context ctx-00001\nx = 1\n");
    bench.create("about total");
    bench.create_with("about other", |request| request.anchors = vec!["src/cart.ts#other".into()]).unwrap();
    bench.create("about nothing");
    assert_eq!(bench.explained("src/cart.ts"), ["00001 src/cart.ts:1", "00002 src/cart.ts#other"]);
    assert_eq!(bench.explained("src"), ["00001 src/cart.ts:1", "00002 src/cart.ts#other"]);
    assert_eq!(bench.explained("src/cart.ts:3"), ["00001 src/cart.ts:1"]);
    assert_eq!(bench.explained("src/cart.ts:6-7"), ["00002 src/cart.ts#other"]);
    assert_eq!(bench.explained("src/cart.ts#total"), ["00001 src/cart.ts:1"]);
    assert_eq!(bench.explained("src/nothing.ts"), Vec::<String>::new());
    let request = RefsRequest { reference: Some("1".into()), ..RefsRequest::default() };
    let answer = bench.engine.context_refs(&request).unwrap();
    assert_eq!((answer.references.len(), answer.references[0].line), (1, 1));
    let loose = bench.engine.context_refs(&RefsRequest::default()).unwrap();
    assert_eq!(
        loose
            .dangling
            .iter()
            .map(|one| format!("{} {}:{}", one.reference, one.file, one.line))
            .collect::<Vec<_>>(),
        ["00009 src/cart.ts:1"]
    );
    assert_eq!(loose.orphans.iter().map(|row| row.reference.as_str()).collect::<Vec<_>>(), ["00003"]);
    let gone = RefsRequest { reference: Some("9".into()), ..RefsRequest::default() };
    assert_eq!(bench.engine.context_refs(&gone).unwrap().dangling.len(), 1);
    let never = RefsRequest { reference: Some("8".into()), ..RefsRequest::default() };
    assert_eq!(code(bench.engine.context_refs(&never)), "entry_not_found");
    bench.repo.write(".context/config.json", "{\"filePrefix\": \"ctx-\"}");
    assert_eq!(
        bench.engine.context_refs(&request).unwrap().references.len(),
        2,
        "the prefix is one that entries have"
    );
    for bad in ["../x", "/etc/passwd", "src/cart.ts#nothing", "src/cart.ts:9-2"] {
        let request = RefsRequest { target: Some(bad.into()), ..RefsRequest::default() };
        assert_eq!(code(bench.engine.context_refs(&request)), "invalid_anchor", "{bad}");
    }
}

#[test]
fn a_place_that_is_not_there_cannot_be_cited() {
    let bench = Bench::new();
    bench.repo.write("a.ts", CART);
    for bad in ["b.ts", "a.ts#nothing", "a.ts:1-99", "../repo/a.ts", "a.ts:0", ".git/config"] {
        let refused = bench.create_with("x", |request| request.anchors = vec![bad.into()]);
        assert_eq!(code(refused), "invalid_anchor", "{bad}");
    }
    assert!(!bench.repo.path(".context/00001.md").exists());
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_outside_is_not_read_for_an_anchor() {
    let bench = Bench::new();
    let secret = bench.repo.home().root().join("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    std::os::unix::fs::symlink(&secret, bench.repo.path("link.txt")).unwrap();
    assert_eq!(
        code(bench.create_with("x", |request| request.anchors = vec!["link.txt".into()])),
        "invalid_anchor"
    );
}
