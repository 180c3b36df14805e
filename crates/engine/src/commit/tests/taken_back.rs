//! Changes of which the worktree takes back what is staged: they come to nothing, and must not stop the rest.

use super::{
    applying::{dirty_tree, told, with_identity, worktree},
    *,
};

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nA\nB\nC\nD\nE\nF\nnine\nten\n";

fn plan(engine: &Engine) -> (GroupedChanges, ProposedCommits) {
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    let request = ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() };
    let proposed = engine.propose_commits(&request).unwrap();
    (grouped, proposed)
}

#[test]
fn a_file_that_is_staged_as_deleted_and_still_there_is_left_as_it_is() {
    let repo = with_identity();
    repo.write("kept.txt", "same\n");
    repo.write("a.txt", "1\n");
    repo.commit("first");
    repo.git(["rm", "-q", "--cached", "kept.txt"]);
    repo.write("a.txt", "2\n");
    let (before, files, wanted) = (told(&repo), worktree(&repo), dirty_tree(&repo));
    let engine = engine(&repo);
    let (grouped, proposed) = plan(&engine);
    assert_eq!(grouped.left_out.len(), 1, "{grouped:?}");
    assert!(grouped.left_out[0].reason.contains("take each other back"), "{:?}", grouped.left_out);
    assert_eq!(proposed.commits.iter().flat_map(|commit| &commit.files).collect::<Vec<_>>(), ["a.txt"]);
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    assert_eq!(worktree(&repo), files);
    assert_eq!(repo.git(["status", "--porcelain"]), "D  kept.txt\n?? kept.txt", "it stays staged");
    engine.undo(None, None).unwrap();
    assert_eq!(told(&repo), before);

    // With files that Git does not know left out, its removal is a change like any other.
    let tracked = ListChangesRequest { tracked_only: true, ..ListChangesRequest::default() };
    engine.list_changes(&tracked).unwrap();
    let (grouped, _) = plan(&engine);
    assert_eq!(grouped.left_out.len(), 0, "{grouped:?}");
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["ls-tree", "--name-only", "HEAD"]), "a.txt");
    assert_eq!(repo.git(["status", "--porcelain"]), "?? kept.txt");
    assert_eq!(worktree(&repo), files);
    engine.undo(None, None).unwrap();
    assert_eq!(told(&repo), before);
}

#[test]
fn a_plan_made_without_untracked_files_still_sees_that_a_known_one_changed() {
    let repo = with_identity();
    repo.write("a.txt", "1\n");
    repo.commit("first");
    repo.write("a.txt", "2\n");
    let engine = engine(&repo);
    engine.list_changes(&ListChangesRequest { tracked_only: true, ..ListChangesRequest::default() }).unwrap();
    plan(&engine);
    repo.write("a.txt", "3\n");
    assert_eq!(engine.apply_all(&ApplyAllRequest::default()).unwrap_err().code(), "stale_plan");
}

#[test]
fn what_is_staged_and_taken_back_stays_so_beside_other_edits_of_the_file() {
    let repo = with_identity();
    repo.write("a.txt", LINES);
    repo.commit("first");
    repo.write("a.txt", LINES.replace("two", "2"));
    repo.git(["add", "a.txt"]);
    repo.write("a.txt", LINES.replace("nine", "9"));
    let (before, files, wanted) = (told(&repo), worktree(&repo), dirty_tree(&repo));
    let staged = repo.git(["diff", "--cached"]);
    let engine = engine(&repo);
    let (_, proposed) = plan(&engine);
    // Whatever the grouping says, a commit of the two that come to nothing is none.
    let own: Vec<String> = proposed.commits.iter().flat_map(|commit| commit.hunk_ids.clone()).collect();
    assert!(own.iter().any(|id| id.starts_with("change-1-hunk-")), "{proposed:?}");
    let alone = proposed.commits.iter().find(|commit| commit.hunk_ids.len() == 3);
    if let Some(commit) = alone {
        let hunks = vec!["change-1-hunk-1".to_owned(), "change-1-hunk-2".to_owned()];
        let edits = vec![PlanEdit::Split { commit: commit.id.clone(), hunks }];
        engine.edit_plan(&EditPlanRequest { edits, ..EditPlanRequest::default() }).unwrap();
        let dry = ApplyOptions { dry_run: true, ..ApplyOptions::default() };
        let preview =
            engine.apply_all(&ApplyAllRequest { options: dry, ..ApplyAllRequest::default() }).unwrap();
        assert_eq!((preview.commits.len(), preview.notices.len()), (1, 1), "{preview:?}");
    }
    let applied = engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(applied.commits.len(), 1, "{applied:?}");
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    assert_eq!(worktree(&repo), files);
    let lines = |diff: &str| -> Vec<String> {
        diff.lines().filter(|line| line.starts_with(['+', '-'])).map(str::to_owned).collect()
    };
    assert_eq!(lines(&repo.git(["diff", "--cached"])), lines(&staged), "what was staged is staged");
    engine.undo(None, None).unwrap();
    assert_eq!(told(&repo), before);
}

#[test]
fn a_tree_that_comes_to_nothing_has_no_plan_and_says_why() {
    let repo = with_identity();
    repo.write("a.txt", "1\n");
    repo.commit("first");
    repo.write("a.txt", "2\n");
    repo.git(["add", "a.txt"]);
    repo.write("a.txt", "1\n");
    let engine = engine(&repo);
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    assert_eq!((grouped.groups.len(), grouped.left_out.len()), (0, 1), "{grouped:?}");
}

#[test]
fn a_file_that_is_partly_staged_is_told_of_once() {
    let repo = with_identity();
    repo.write("src/old.rs", "pub fn price() -> u32 {\n    1\n}\n".to_owned() + LINES);
    repo.commit("first");
    repo.git(["mv", "src/old.rs", "src/new.rs"]);
    repo.write("src/new.rs", "pub fn price() -> u32 {\n    2\n}\n".to_owned() + LINES);
    let engine = engine(&repo);
    let (_, proposed) = plan(&engine);
    let body = &proposed.commits[0].description;
    assert!(body.starts_with("- src/new.rs: moved from src/old.rs; change `price`"), "{body}");
}
