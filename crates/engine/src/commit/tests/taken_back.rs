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
    let was_staged = staged(&repo);
    let engine = engine(&repo);
    let (grouped, proposed) = plan(&engine);
    let left: Vec<&Vec<String>> = grouped.left_out.iter().map(|left| &left.hunk_ids).collect();
    assert_eq!(left, [&["change-1-hunk-1", "change-1-hunk-2"]], "{grouped:?}");
    let own: Vec<String> = proposed.commits.iter().flat_map(|commit| commit.hunk_ids.clone()).collect();
    assert_eq!(own, ["change-1-hunk-3"], "{proposed:?}");
    let applied = engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(applied.commits.len(), 1, "{applied:?}");
    assert_eq!(applied.scope.head, Some(repo.head()), "where the branch is now");
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    assert_eq!(worktree(&repo), files);
    assert_eq!(staged(&repo), was_staged, "what was staged is staged");
    engine.undo(None, None).unwrap();
    assert_eq!(told(&repo), before);
}

/// What is staged, by the lines that it adds and removes.
fn staged(repo: &TestRepo) -> Vec<String> {
    let diff = repo.git(["diff", "--cached", "-U0"]);
    diff.lines().filter(|line| line.starts_with(['+', '-'])).map(str::to_owned).collect()
}

#[test]
fn of_several_staged_edits_only_those_that_were_not_taken_back_are_committed() {
    let repo = with_identity();
    repo.write("a.txt", LINES);
    repo.write("b.txt", "1\n");
    repo.commit("first");
    // Lines that are replaced, added and removed are staged; all of these are taken back, and one more is not.
    let index = LINES.replace("two", "2").replace("five\n", "five\nfive and a half\n").replace("B\n", "");
    repo.write("a.txt", index.replace("ten", "10"));
    repo.git(["add", "a.txt"]);
    repo.write("a.txt", LINES.replace("ten", "10").replace("D\n", "d\n"));
    repo.write("b.txt", "2\n");
    let (before, files, wanted) = (told(&repo), worktree(&repo), dirty_tree(&repo));
    let engine = engine(&repo);
    let (grouped, _) = plan(&engine);
    assert_eq!(grouped.left_out.len(), 1, "{grouped:?}");
    assert_eq!(grouped.left_out[0].hunk_ids.len(), 6, "{grouped:?}");
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    assert_eq!(worktree(&repo), files);
    let kept = ["--- a/a.txt", "+++ b/a.txt", "-two", "+2", "+five and a half", "-B"];
    assert_eq!(staged(&repo), kept, "what was staged, less what was committed");
    engine.undo(None, None).unwrap();
    assert_eq!(told(&repo), before);
}

#[test]
fn a_mode_that_is_staged_and_taken_back_stays_so_beside_other_edits() {
    if !cfg!(unix) {
        return;
    }
    let repo = with_identity();
    repo.write("a.txt", LINES);
    repo.commit("first");
    repo.git(["update-index", "--chmod=+x", "a.txt"]);
    repo.write("a.txt", LINES.replace("nine", "9"));
    let (before, wanted) = (told(&repo), dirty_tree(&repo));
    let engine = engine(&repo);
    let (grouped, _) = plan(&engine);
    assert_eq!(grouped.left_out[0].hunk_ids.len(), 2, "{grouped:?}");
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    assert_eq!(repo.git(["diff", "--cached", "--summary"]), " mode change 100644 => 100755 a.txt");
    engine.undo(None, None).unwrap();
    assert_eq!(told(&repo), before);
}

#[test]
fn a_mode_that_is_not_staged_takes_no_staged_lines_with_it() {
    if !cfg!(unix) {
        return;
    }
    let repo = with_identity();
    repo.write("a.txt", LINES);
    repo.commit("first");
    repo.write("a.txt", LINES.replace("two", "2"));
    repo.git(["add", "a.txt"]);
    super::applying::make_executable(&repo.path("a.txt"));
    let (before, wanted) = (told(&repo), dirty_tree(&repo));
    let engine = engine(&repo);
    let (_, proposed) = plan(&engine);
    if proposed.commits.len() == 1 {
        let mode: Vec<String> =
            proposed.commits[0].hunk_ids.iter().filter(|id| !id.contains("-hunk-")).cloned().collect();
        let edits = vec![PlanEdit::Split { commit: proposed.commits[0].id.clone(), hunks: mode }];
        engine.edit_plan(&EditPlanRequest { edits, ..EditPlanRequest::default() }).unwrap();
    }
    let proposed = engine.show_plan(None, None).unwrap();
    let mode = proposed.commits.iter().find(|commit| !commit.hunk_ids[0].contains("-hunk-")).unwrap();
    let request = ApplyCommitRequest { commit_id: mode.id.clone(), ..ApplyCommitRequest::default() };
    engine.apply_commit(&request).unwrap();
    assert_eq!(repo.git(["show", "--format=", "--summary"]), " mode change 100644 => 100755 a.txt");
    assert_eq!(repo.git(["show", "--format=", "--numstat"]), "0\t0\ta.txt");
    assert!(repo.git(["diff", "--cached", "--numstat"]).starts_with("1\t1"), "the lines are still staged");
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    engine.undo(None, None).unwrap();
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
