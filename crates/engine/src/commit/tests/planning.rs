//! Groups and plans that are kept: what their ids mean later, and when they no longer do.

use super::*;

/// Two matters in three files, one of which has a part of both, and one staged line.
fn tangled() -> TestRepo {
    let repo = TestRepo::new();
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    let lines =
        |range: std::ops::Range<usize>| range.map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    repo.write("src/money.ts", format!("export const rate = 1;\n{}", lines(0..40)));
    repo.write("src/cart.ts", lines(0..10));
    repo.write("README.md", "# Shop\n");
    repo.commit("first");
    repo.write("src/money.ts", format!("export const rate = 2;\n{}export const fee = 3;\n", lines(0..40)));
    repo.write("src/cart.ts", lines(1..10));
    repo.write("README.md", "# Shop\n\nOpen all day.\n");
    repo.write("src/new.ts", "import { fee } from './money';\nexport const total = fee;\n");
    repo
}

fn all_groups(engine: &Engine) -> GroupedChanges {
    engine.group_changes(&GroupChangesRequest::default()).unwrap()
}

fn propose(engine: &Engine, grouped: &GroupedChanges) -> ProposedCommits {
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    engine.propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() }).unwrap()
}

fn apply(engine: &Engine, commit: &str) -> Result<AppliedCommit, crate::Error> {
    engine.apply_commit(&ApplyCommitRequest { commit_id: commit.to_owned(), ..ApplyCommitRequest::default() })
}

/// A plan of at least two commits, whatever the grouping says.
fn in_two(engine: &Engine) -> ProposedCommits {
    let proposed = propose(engine, &all_groups(engine));
    if proposed.commits.len() > 1 {
        return proposed;
    }
    let commit = proposed.commits[0].id.clone();
    let readme = proposed.commits[0].hunk_ids.iter().find(|id| id.starts_with("change-1-")).unwrap().clone();
    let edits = vec![PlanEdit::Split { commit, hunks: vec![readme] }];
    engine.edit_plan(&EditPlanRequest { edits, ..EditPlanRequest::default() }).unwrap()
}

#[test]
fn every_hunk_is_in_exactly_one_group_and_one_commit() {
    let repo = tangled();
    let engine = engine(&repo);
    let listed = engine.list_changes(&ListChangesRequest::default()).unwrap();
    let hunks: Vec<String> =
        listed.changes.iter().flat_map(|change| &change.hunks).map(|hunk| hunk.id.clone()).collect();
    let grouped = all_groups(&engine);
    let mut of_groups: Vec<String> = grouped.groups.iter().flat_map(|group| group.hunk_ids.clone()).collect();
    of_groups.sort();
    assert_eq!(of_groups, hunks);
    let proposed = propose(&engine, &grouped);
    let mut of_commits: Vec<String> =
        proposed.commits.iter().flat_map(|commit| commit.hunk_ids.clone()).collect();
    of_commits.sort();
    assert_eq!(of_commits, hunks);
    for commit in &proposed.commits {
        assert!(!commit.title.is_empty() && !commit.change_group_ids.is_empty());
    }
    // The same again is the same, also for another process.
    let again = super::engine(&repo);
    assert_eq!(
        serde_json::to_value(all_groups(&again).groups).unwrap(),
        serde_json::to_value(&grouped.groups).unwrap()
    );
    assert_eq!(propose(&again, &grouped).plan_id, proposed.plan_id);
}

#[test]
fn after_one_commit_the_other_ids_mean_the_same_hunks() {
    let repo = tangled();
    let first = engine(&repo);
    let proposed = in_two(&first);
    let (one, two) = (&proposed.commits[0], &proposed.commits[1]);
    let applied = apply(&first, &one.id).unwrap();
    assert_eq!(applied.committed_paths, one.files);
    // Listing again hands out other numbers; the plan's stay.
    let other = engine(&repo);
    other.list_changes(&ListChangesRequest::default()).unwrap();
    let newer = all_groups(&other);
    assert!(newer.groups.iter().all(|group| !one.change_group_ids.contains(&group.id)));
    let applied = apply(&other, &two.id).unwrap();
    assert_eq!(applied.committed_paths, two.files);
    let again = apply(&other, &two.id).unwrap();
    assert!(again.already_applied && again.commit_sha == applied.commit_sha);
}

#[test]
fn a_plan_that_no_longer_fits_is_refused_and_says_where() {
    let repo = tangled();
    let engine = engine(&repo);
    let proposed = in_two(&engine);
    let commit = &proposed.commits[0].id;
    let head = repo.head();
    let readme = repo.read("README.md");
    repo.write("README.md", "# Shop\n\nClosed.\n");
    let error = apply(&engine, commit).unwrap_err();
    assert_eq!(error.code(), "stale_plan");
    assert!(error.message().contains("README.md (worktree)"), "{error}");
    repo.write("README.md", &readme);
    repo.git(["add", "README.md"]);
    let error = apply(&engine, commit).unwrap_err();
    assert!(error.message().contains("README.md (index)"), "{error}");
    repo.git(["reset", "-q", "README.md"]);
    // What is not in the plan may come and go.
    repo.write("notes.txt", "mine\n");
    let dry = ApplyOptions { dry_run: true, ..ApplyOptions::default() };
    let request =
        ApplyCommitRequest { commit_id: commit.clone(), options: dry, ..ApplyCommitRequest::default() };
    let preview = engine.apply_commit(&request).unwrap();
    assert!(preview.dry_run && preview.commit_sha.is_none());
    assert_eq!(repo.head(), head);
    repo.git(["commit", "-q", "--allow-empty", "-m", "theirs"]);
    let error = apply(&engine, commit).unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        ("head_moved", format!("HEAD has moved: expected {head}, got {}", repo.head()).as_str())
    );
}

#[test]
fn ids_that_nobody_handed_out_are_named_in_the_seed_s_words() {
    let repo = tangled();
    let engine = engine(&repo);
    let ids = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    let error = engine
        .group_changes(&GroupChangesRequest {
            change_ids: Some(ids(&["change-1", "bad-id", "worse"])),
            ..GroupChangesRequest::default()
        })
        .unwrap_err();
    assert_eq!(error.message(), "Unknown change IDs: bad-id, worse");
    let error = engine
        .propose_commits(&ProposeCommitsRequest {
            group_ids: ids(&["group-9"]),
            ..ProposeCommitsRequest::default()
        })
        .unwrap_err();
    assert_eq!(error.message(), "Unknown group IDs: group-9");
    assert_eq!(apply(&engine, "commit-9").unwrap_err().message(), "Unknown commit ID: commit-9");
    let pr = |commits: &[&str]| {
        engine.generate_pr(&GeneratePrRequest { commits: ids(commits), ..GeneratePrRequest::default() })
    };
    assert_eq!(pr(&[]).unwrap_err().message(), "At least one commit SHA is required");
    assert_eq!(pr(&["main"]).unwrap_err().message(), "Invalid commit SHA format: main");
    assert_eq!(pr(&["12345678"]).unwrap_err().message(), "Unknown commit SHA: 12345678");
    assert_eq!(pr(&["commit-9"]).unwrap_err().message(), "Unknown commit ID: commit-9");
    let none = engine.group_changes(&GroupChangesRequest {
        change_ids: Some(Vec::new()),
        ..GroupChangesRequest::default()
    });
    assert!(none.unwrap().groups.is_empty());
}

#[test]
fn a_change_that_moved_on_since_it_was_listed_is_refused() {
    let repo = tangled();
    let engine = engine(&repo);
    engine.list_changes(&ListChangesRequest::default()).unwrap();
    repo.write("README.md", "# Another\n");
    let group = |id: &str| {
        let change_ids = Some(vec![id.to_owned()]);
        engine.group_changes(&GroupChangesRequest { change_ids, ..GroupChangesRequest::default() })
    };
    assert_eq!(group("change-1").unwrap_err().code(), "stale_changes");
    assert_eq!(group("change-2").unwrap().groups.len(), 1);
    repo.write("A.md", "now the first\n");
    let error = group("change-2").unwrap_err();
    assert!(error.message().contains("was src/cart.ts"), "{error}");
}

#[test]
fn the_caller_s_wording_and_grouping_win() {
    let repo = tangled();
    let engine = engine(&repo);
    let proposed = in_two(&engine);
    let (one, two) = (proposed.commits[0].clone(), proposed.commits[1].clone());
    let edit = |edits: Vec<PlanEdit>| {
        engine.edit_plan(&EditPlanRequest { plan: Some(one.id.clone()), edits, ..EditPlanRequest::default() })
    };
    let edited = edit(vec![
        PlanEdit::Merge { commits: vec![one.id.clone(), two.id.clone()] },
        PlanEdit::Title { commit: one.id.clone(), title: "feat: mine".to_owned() },
        PlanEdit::Description { commit: one.id.clone(), description: "Because.".to_owned() },
    ])
    .unwrap();
    let merged = edited.commits.iter().find(|commit| commit.id == one.id).unwrap();
    assert_eq!(merged.hunk_count, one.hunk_count + two.hunk_count);
    assert!(edited.commits.iter().all(|commit| commit.id != two.id));
    let applied = apply(&engine, &one.id).unwrap();
    assert!(applied.message.starts_with("feat: mine\n\nBecause."), "{}", applied.message);
    assert_eq!(repo.git(["log", "-1", "--format=%s"]), "feat: mine");
    let error = edit(vec![PlanEdit::Title { commit: one.id.clone(), title: "late".to_owned() }]).unwrap_err();
    assert_eq!(error.code(), "already_applied");
    let error = edit(vec![PlanEdit::Move { hunks: vec!["change-77-hunk-1".to_owned()], to: one.id.clone() }])
        .unwrap_err();
    assert_eq!(error.message(), "Unknown hunk ID: change-77-hunk-1");
}

#[test]
fn a_draft_is_made_from_planned_and_from_made_commits() {
    let repo = tangled();
    let engine = engine(&repo);
    let proposed = in_two(&engine);
    let ids: Vec<String> = proposed.commits.iter().map(|commit| commit.id.clone()).collect();
    let request = GeneratePrRequest { commits: ids.clone(), ..GeneratePrRequest::default() };
    let planned = engine.generate_pr(&request).unwrap();
    assert_eq!(planned.commits.len(), ids.len());
    assert!(!planned.title.is_empty());
    for commit in &proposed.commits {
        assert!(planned.description.contains(&commit.title), "{}", planned.description);
    }
    let base = repo.head();
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    let made =
        engine.generate_pr(&GeneratePrRequest { base: Some(base), ..GeneratePrRequest::default() }).unwrap();
    assert_eq!(made.title, planned.title);
    assert!(made.commits.iter().all(|commit| commit.commit_sha.is_some()));
    let own =
        GeneratePrRequest { commits: ids, title: Some("Mine".to_owned()), ..GeneratePrRequest::default() };
    assert_eq!(engine.generate_pr(&own).unwrap().title, "Mine");
}

#[test]
fn a_filter_of_the_repository_s_own_is_run_by_the_commit_and_by_nothing_else() {
    let repo = tangled();
    let traces = repo.home().root().join("traces");
    repo.git(["config", "filter.shout.clean", &format!("echo ran >> {}; tr a-z A-Z", traces.display())]);
    repo.write(".gitattributes", "*.loud filter=shout\n");
    repo.write("voice.loud", "hello\n");
    let engine = engine(&repo);
    engine.list_changes(&ListChangesRequest::default()).unwrap();
    propose(&engine, &all_groups(&engine));
    assert!(!traces.exists(), "looking runs nothing that the repository brings");
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["show", "HEAD:voice.loud"]), "HELLO");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_plan_that_is_proposed_again_is_the_newest() {
    let repo = tangled();
    let engine = engine(&repo);
    let first = propose(&engine, &all_groups(&engine));
    repo.write("passing.ts", "export const passing = 1;\n");
    let second = propose(&engine, &all_groups(&engine));
    std::fs::remove_file(repo.path("passing.ts")).unwrap();
    assert_eq!(propose(&engine, &all_groups(&engine)).plan_id, first.plan_id);
    assert_ne!(second.plan_id, first.plan_id);
    assert_eq!(engine.show_plan(None, None).unwrap().plan_id, first.plan_id);
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}
