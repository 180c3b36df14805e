//! Random repositories all the way: grouped, planned, applied and undone as a caller would, with what Git says as the judge.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    applying::{Chance, dirty_tree, left, random, seeds, told, worktree},
    *,
};

/// By path, the lines that are staged: added and removed ones, and whether the mode or all of it changed.
fn staged_lines(repo: &TestRepo) -> BTreeMap<String, BTreeMap<String, usize>> {
    let listed = repo.git(["diff", "--cached", "--no-renames", "--name-only", "-z"]);
    let of = |path: &str| {
        let options =
            ["--literal-pathspecs", "diff", "--cached", "--no-renames", "--text", "-U0", "--", path];
        let output = repo.try_git(options);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_header = |line: &&str| line.starts_with("+++ ") || line.starts_with("--- ");
        let mut counts = BTreeMap::new();
        for line in text.lines().filter(|line| line.starts_with(['+', '-'])).filter(|line| !is_header(line)) {
            *counts.entry(line.trim_end_matches('\r').to_owned()).or_insert(0) += 1;
        }
        counts
    };
    listed.split('\0').filter(|path| !path.is_empty()).map(|path| (path.to_owned(), of(path))).collect()
}

#[test]
fn a_plan_as_it_is_proposed_keeps_every_byte_and_what_is_staged() {
    for seed in seeds() {
        let mut chance = Chance::of(seed ^ 0x5eed);
        let repo = random(&mut chance);
        let engine = engine(&repo);
        let (before, files, wanted) = (told(&repo), worktree(&repo), dirty_tree(&repo));
        let staged = staged_lines(&repo);
        let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
        assert_eq!(told(&repo), before, "seed {seed}: looking changes nothing");
        if grouped.groups.is_empty() {
            continue;
        }
        let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
        let request = ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() };
        let proposed =
            engine.propose_commits(&request).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let planned: Vec<&String> = proposed.commits.iter().flat_map(|commit| &commit.hunk_ids).collect();
        assert_eq!(
            planned.len(),
            planned.iter().collect::<BTreeSet<_>>().len(),
            "seed {seed}: in one commit"
        );
        let left_out: BTreeSet<&str> = grouped.left_out.iter().map(|left| left.change_id.as_str()).collect();
        let operations = if chance.once_in(2) {
            let applied = engine.apply_all(&ApplyAllRequest::default());
            let applied = applied.unwrap_or_else(|error| panic!("seed {seed}: {error} {error:?}"));
            usize::from(applied.operation.is_some())
        } else {
            let mut made = 0;
            for commit in &proposed.commits {
                let request =
                    ApplyCommitRequest { commit_id: commit.id.clone(), ..ApplyCommitRequest::default() };
                engine.apply_commit(&request).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                made += 1;
            }
            made
        };
        assert_eq!(worktree(&repo), files, "seed {seed}");
        assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted, "seed {seed}");
        // All was committed but what comes to nothing, and that is as it was.
        if left_out.is_empty() && proposed.notices.is_empty() {
            assert_eq!(repo.git(["write-tree"]), wanted, "seed {seed}: the index");
            assert_eq!(left(&repo, &["status", "--porcelain", "-z"]), [""; 0], "seed {seed}");
        }
        for (path, lines) in staged_lines(&repo) {
            let earlier = staged.get(&path).unwrap_or_else(|| panic!("seed {seed}: {path} was not staged"));
            for (line, count) in lines {
                let had = earlier.get(&line).copied().unwrap_or_default();
                assert!(count <= had, "seed {seed}: {path}: {line:?} was not staged");
            }
        }
        for _ in 0..operations {
            engine.undo(None, None).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        assert_eq!(told(&repo), before, "seed {seed}");
        assert_eq!(worktree(&repo), files, "seed {seed}");
    }
}
