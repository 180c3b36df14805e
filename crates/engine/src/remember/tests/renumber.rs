//! Two branches that took one number.

use super::*;
use crate::remember::{CheckRequest, RenumberReport, RenumberRequest};

fn renumber(bench: &Bench, reference: &str) -> RenumberReport {
    let request = RenumberRequest { reference: reference.into(), ..RenumberRequest::default() };
    bench.engine.context_renumber(&request).unwrap()
}

fn duplicates(bench: &Bench) -> Vec<String> {
    let report = bench.engine.context_check(&CheckRequest::default()).unwrap();
    report.findings.into_iter().filter(|one| one.code == "duplicate-number").map(|one| one.file).collect()
}

/// `main` and `side` each have another 00002, and code that refers to it.
fn two_branches() -> Bench {
    let bench = Bench::new();
    bench.create("one");
    bench.repo.commit("base");
    bench.repo.git(["checkout", "--quiet", "-b", "side"]);
    bench.create_with("side's reason", |request| request.supersedes = vec!["1".into()]).unwrap();
    bench.repo.write("side.ts", "// refer to context 00002, 00001\nside();\n");
    bench.repo.commit("side");
    bench.repo.git(["checkout", "--quiet", "main"]);
    // Another clone would not know the mark of this one.
    std::fs::remove_dir_all(bench.repo.path(".git/becket")).unwrap();
    bench.repo.write(".context/00002.md", "main's reason");
    bench.repo.write("main.ts", "// refer to context 00002\nmain();\n");
    bench.repo.commit("main");
    Bench::at(bench.repo)
}

#[test]
fn another_branch_with_the_same_number_is_noticed_and_ours_moves() {
    let bench = two_branches();
    assert_eq!(duplicates(&bench), [".context/00002.md"]);
    bench.repo.git(["checkout", "--quiet", "side"]);
    let side = Bench::at(bench.repo);
    assert_eq!(duplicates(&side), [".context/00002.md"]);
    let request = RenumberRequest { reference: "2".into(), dry_run: true, ..RenumberRequest::default() };
    let planned = side.engine.context_renumber(&request).unwrap();
    assert_eq!((planned.to, planned.rewritten.len()), (None, 1));
    assert!(side.repo.read("side.ts").contains("00002"));
    let report = renumber(&side, "00002");
    assert_eq!((report.to.as_deref(), report.new_file.as_deref()), (Some("00003"), Some("00003.md")));
    assert_eq!(side.repo.read("side.ts"), "// refer to context 00003, 00001\nside();\n");
    assert!(!side.repo.path(".context/00002.md").exists());
    let moved = side.get("3");
    assert_eq!((moved.markdown.contains("side's reason"), moved.altered), (true, None));
    assert_eq!(side.get("1").superseded_by.unwrap().reference, "00003", "the chain follows the move");
    side.repo.commit("renumbered");
    assert_eq!(duplicates(&side), Vec::<String>::new());
    side.repo.git(["merge", "--quiet", "main"]);
    assert_eq!((side.get("2").markdown.as_str(), side.get("3").state), ("main's reason", Freshness::Fresh));
    assert_eq!(side.get("2").altered, None);
    assert_eq!(side.get("3").altered, None);
}

#[test]
fn a_merge_that_could_not_join_them_keeps_both() {
    let bench = two_branches();
    let merge = bench.repo.command("git").args(["merge", "--quiet", "side"]).output().unwrap();
    assert!(!merge.status.success());
    assert_eq!(duplicates(&bench), [".context/00002.md", ".context/00002.md"]);
    let report = renumber(&bench, "2");
    assert_eq!(report.rewritten.iter().map(|one| one.file.as_str()).collect::<Vec<_>>(), ["side.ts"]);
    assert!(report.notices[0].contains("git add"), "{:?}", report.notices);
    assert_eq!(bench.repo.read(".context/00002.md"), "main's reason");
    assert!(bench.repo.read(".context/00003.md").contains("side's reason"));
    assert_eq!(bench.repo.read("main.ts"), "// refer to context 00002\nmain();\n");
    assert_eq!(bench.repo.read("side.ts"), "// refer to context 00003, 00001\nside();\n");
    bench.repo.commit("merged");
    let bench = Bench::at(bench.repo);
    assert_eq!((bench.get("2").altered, bench.get("3").altered), (None, None));
    assert_eq!(bench.get("1").superseded_by.unwrap().reference, "00003");
}

#[test]
fn two_files_of_one_number_are_told_by_prefix_and_by_history() {
    let bench = Bench::new();
    bench.create("ours");
    bench.repo.write("early.ts", "// refer to context 00001\nearly();\n");
    bench.repo.commit("ours");
    bench.repo.write(".context/ctx-00001.md", "theirs");
    bench.repo.write(".context/config.json", "{\"filePrefix\": \"ctx-\"}");
    bench.repo.write("late.ts", "// refer to context 00001\nlate();\n");
    bench.repo.write("clear.ts", "// refer to context ctx-00001\nclear();\n");
    bench.repo.commit("theirs");
    assert_eq!(duplicates(&bench), [".context/00001.md", ".context/ctx-00001.md"]);
    assert!(bench.get("00001.md").notices[0].contains("taken twice"), "{:?}", bench.get("00001.md").notices);
    let report = renumber(&bench, "ctx-00001.md");
    assert_eq!(report.rewritten.iter().map(|one| one.file.as_str()).collect::<Vec<_>>(), ["clear.ts"]);
    assert_eq!(report.left.iter().map(|one| one.file.as_str()).collect::<Vec<_>>(), ["late.ts"]);
    assert_eq!(bench.repo.read("clear.ts"), "// refer to context ctx-00002\nclear();\n");
    assert_eq!(bench.get("2").markdown, "theirs");
    assert_eq!(bench.get("1").markdown, "ours");
}

#[test]
fn an_interrupted_move_goes_on_with_the_number_it_took() {
    let bench = Bench::new();
    bench.create("one");
    bench.repo.write("a.ts", "// refer to context 1\na();\n");
    bench.repo.write("latin.ts", b"// caf\xe9 refer to context 1\n");
    let first = renumber(&bench, "1");
    assert_eq!(first.to.as_deref(), Some("00002"));
    assert!(first.notices[0].starts_with("latin.ts was not rewritten"), "{:?}", first.notices);
    assert_eq!(bench.repo.read("a.ts"), "// refer to context 2\na();\n");
    // As if the process had died before the old file went.
    bench.repo.write(".context/00001.md", "one");
    assert_eq!(renumber(&bench, "1").to.as_deref(), Some("00002"));
    let missing = RenumberRequest { reference: "7".into(), ..RenumberRequest::default() };
    assert_eq!(code(bench.engine.context_renumber(&missing)), "entry_not_found");
}
