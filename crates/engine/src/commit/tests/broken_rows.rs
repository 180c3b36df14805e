//! What other tools of this kind get wrong, one case each, all the way from the dirty tree to commits and back. After every
//! one of them the last tree is the dirty tree, what a commit says it holds is what Git says, and undo leaves no trace.

use super::{
    applying::{dirty_tree, make_executable, told, with_identity, worktree},
    *,
};

/// Plans all that is uncommitted, applies it commit by commit, and takes it back. Gives the paths of each commit.
fn all_the_way(repo: &TestRepo, engine: &Engine) -> Vec<Vec<String>> {
    let (before, files, wanted) = (told(repo), worktree(repo), dirty_tree(repo));
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    let proposed = engine
        .propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() })
        .unwrap();
    let mut paths = Vec::new();
    for commit in &proposed.commits {
        let request = ApplyCommitRequest { commit_id: commit.id.clone(), ..ApplyCommitRequest::default() };
        let applied = engine.apply_commit(&request).unwrap();
        let options = ["show", "--format=", "--name-only", "-z", "-M"];
        let told = repo.git(options);
        let mut told: Vec<String> =
            told.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
        told.sort();
        assert_eq!(applied.committed_paths, told, "what it says is what is in it");
        paths.push(told);
    }
    assert_eq!(worktree(repo), files);
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    for _ in &proposed.commits {
        engine.undo(None, None).unwrap();
    }
    assert_eq!(told(repo), before);
    paths
}

fn with_files(files: &[(&str, &str)]) -> TestRepo {
    let repo = with_identity();
    for (path, content) in files {
        repo.write(path, content);
    }
    repo.commit("first");
    repo
}

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

#[test]
fn a_repository_without_a_commit_takes_the_first_one_and_a_wrong_expectation_is_told() {
    let repo = with_identity();
    repo.write("a.txt", "1\n");
    let engine = engine(&repo);
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    let group_ids = vec![grouped.groups[0].id.clone()];
    let proposed = engine
        .propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() })
        .unwrap();
    let options = ApplyOptions { expected_head: Some("0123456789".to_owned()), ..ApplyOptions::default() };
    let request = ApplyCommitRequest {
        commit_id: proposed.commits[0].id.clone(),
        options,
        ..ApplyCommitRequest::default()
    };
    let refused = engine.apply_commit(&request).unwrap_err();
    assert_eq!(refused.code(), "head_moved");
    assert_eq!(refused.to_string(), "HEAD has moved: expected 0123456789, got no commit");
    assert_eq!(all_the_way(&repo, &engine), [["a.txt"]]);
}

#[test]
fn names_that_git_quotes_and_names_that_look_like_its_headers() {
    let names = [
        "ünï/côde.txt",
        "say \"so\".txt",
        "tab\there.txt",
        "back\\slash.txt",
        "a b/b.txt",
        "x b/x b/y",
        "a;b.txt",
        "*.txt",
    ];
    for name in names.iter().filter(|name| cfg!(unix) || !name.contains(['"', '\t', '\\', '*'])) {
        let repo = with_files(&[(name, "1\n")]);
        repo.write(name, "2\n");
        assert_eq!(all_the_way(&repo, &engine(&repo)), [[*name]], "{name}");
    }
}

#[test]
fn a_file_named_like_a_pattern_is_committed_alone() {
    if cfg!(unix) {
        let repo = with_files(&[("*.txt", "1\n"), ("a.txt", "1\n")]);
        repo.write("*.txt", "2\n");
        repo.write("a.txt", "2\n");
        let engine = engine(&repo);
        let listed = engine.list_changes(&ListChangesRequest::default()).unwrap();
        let pattern = listed.changes.iter().find(|change| change.file_path == "*.txt").unwrap();
        let request = GroupChangesRequest {
            change_ids: Some(vec![pattern.id.clone()]),
            ..GroupChangesRequest::default()
        };
        let grouped = engine.group_changes(&request).unwrap();
        let group_ids = vec![grouped.groups[0].id.clone()];
        engine
            .propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() })
            .unwrap();
        engine.apply_all(&ApplyAllRequest::default()).unwrap();
        assert_eq!(repo.git(["show", "--format=", "--name-only"]), "*.txt");
        assert_eq!(repo.git(["status", "--porcelain"]), " M a.txt");
    }
}

#[test]
fn moves_that_git_was_told_of_and_moves_that_it_was_not() {
    let repo = with_files(&[("old.txt", LINES)]);
    repo.git(["mv", "old.txt", "new.txt"]);
    assert_eq!(all_the_way(&repo, &engine(&repo)), [["new.txt"]], "staged");

    let repo = with_files(&[("old.txt", LINES)]);
    std::fs::rename(repo.path("old.txt"), repo.path("new.txt")).unwrap();
    assert_eq!(all_the_way(&repo, &engine(&repo)), [["new.txt"]], "not staged");

    let repo = with_files(&[("old.txt", LINES)]);
    repo.git(["mv", "old.txt", "new.txt"]);
    repo.write("new.txt", LINES.replace("ten", "10"));
    all_the_way(&repo, &engine(&repo));
}

#[test]
fn binary_files_modes_links_and_files_that_git_does_not_know() {
    let repo = with_files(&[("a.txt", LINES), ("run.sh", "#!/bin/sh\n")]);
    repo.write("picture", [0, 1, 2, 255]);
    repo.commit("picture");
    repo.write("picture", [0, 9]);
    repo.write("sound", [0, 7]);
    repo.git(["add", "sound"]);
    repo.write("unknown.txt", "new\n");
    make_executable(&repo.path("run.sh"));
    all_the_way(&repo, &engine(&repo));
}

#[test]
fn a_deletion_that_is_staged_and_one_that_is_not() {
    let repo = with_files(&[("a.txt", LINES), ("b.txt", "b\n"), ("c.txt", "c\n")]);
    repo.git(["rm", "-q", "b.txt"]);
    std::fs::remove_file(repo.path("c.txt")).unwrap();
    all_the_way(&repo, &engine(&repo));
}

#[test]
fn what_is_staged_is_not_committed_with_what_is_not() {
    let repo = with_files(&[("a.txt", LINES), ("b.txt", "b\n")]);
    repo.write("b.txt", "staged\n");
    repo.git(["add", "b.txt"]);
    repo.write("a.txt", LINES.replace("two", "2"));
    let engine = engine(&repo);
    let listed = engine.list_changes(&ListChangesRequest::default()).unwrap();
    let own = listed.changes.iter().find(|change| change.file_path == "a.txt").unwrap();
    let request =
        GroupChangesRequest { change_ids: Some(vec![own.id.clone()]), ..GroupChangesRequest::default() };
    let grouped = engine.group_changes(&request).unwrap();
    let group_ids = vec![grouped.groups[0].id.clone()];
    engine.propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() }).unwrap();
    let applied = engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(applied.commits[0].committed_paths, ["a.txt"]);
    assert_eq!(repo.git(["show", "--format=", "--name-only"]), "a.txt");
    assert_eq!(repo.git(["status", "--porcelain"]), "M  b.txt", "still staged, and nothing else is");
}

#[test]
fn a_server_that_was_started_below_the_root_and_settings_that_change_how_git_shows_things() {
    let repo = with_files(&[("src/deep/a.txt", LINES), ("b.txt", "b\n")]);
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.external", "false"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
        ("diff.renames", "false"),
        ("status.relativePaths", "false"),
        ("diff.algorithm", "patience"),
        ("diff.context", "0"),
    ] {
        repo.git(["config", key, value]);
    }
    repo.write("src/deep/a.txt", LINES.replace("two", "2"));
    repo.write("b.txt", "2\n");
    let below = Engine::open(Environment::new(repo.path("src/deep")), OpenOptions::default());
    let paths: Vec<String> = all_the_way(&repo, &below).concat();
    assert_eq!(paths.iter().collect::<std::collections::BTreeSet<_>>().len(), 2, "{paths:?}");
}

#[test]
fn a_change_of_many_megabytes_is_planned_and_applied() {
    let repo = with_files(&[("big.txt", "begin\n"), ("a.txt", LINES)]);
    let lines = (0..400_000).map(|line| format!("a line of some length, number {line}\n"));
    let text: String = std::iter::once("begin\n".to_owned()).chain(lines).collect();
    repo.write("big.txt", &text);
    repo.write("a.txt", LINES.replace("two", "2"));
    assert!(text.len() > 12_000_000);
    all_the_way(&repo, &engine(&repo));
}
