//! What past commits touched.

use becket_git::past::{PastCommit, PastContent, PastOptions, is_ancestor, past_commits};
use becket_git::resolve;

use crate::repository::{Repository, numbered};

fn past(repository: &Repository, since: Option<&str>, content: PastContent) -> Vec<PastCommit> {
    let tip = resolve(&repository.path(), "HEAD").unwrap();
    let since = since.map(|since| resolve(&repository.path(), since).unwrap());
    let mut commits = Vec::new();
    let options = PastOptions { since, skip: 0, limit: 100, content };
    past_commits(&repository.path(), &tip, &options, &mut |commit| commits.push(commit)).unwrap();
    commits
}

#[test]
fn paths_and_patches_of_every_commit_are_handed_out_newest_first() {
    let repository = Repository::with_commit();
    repository.git(["commit", "-q", "--allow-empty", "-m", "nothing"]);
    repository.write("ä b\n.txt", numbered("line #", 0..20_000));
    repository.write("nul.bin", "a\0\0b");
    let second = repository.commit_all("second");
    repository.write("file.txt", "one\n2\nthree");
    repository.git(["mv", "nul.bin", "moved.bin"]);
    repository.commit_all("third");

    let paths: Vec<Vec<String>> = past(&repository, None, PastContent::Paths)
        .iter()
        .map(|commit| commit.paths.iter().map(ToString::to_string).collect())
        .collect();
    let expected: [&[&str]; 4] =
        [&["file.txt", "moved.bin", "nul.bin"], &["nul.bin", "ä b\n.txt"], &[], &["file.txt"]];
    assert_eq!(paths, expected);

    let patches = past(&repository, None, PastContent::Patches);
    assert_eq!(patches.len(), 4);
    let counts: Vec<(usize, usize)> =
        patches[0].patch.iter().map(|change| (change.added, change.removed)).collect();
    assert_eq!(counts, [(2, 2), (0, 0), (0, 0)]);
    assert_eq!(patches[1].patch[1].added, 20_000);
    assert!(patches[2].patch.is_empty());

    let newer = past(&repository, Some(&second), PastContent::Patches);
    assert_eq!(newer.len(), 1);
    assert_eq!(newer[0].patch.len(), 3);
    let tip = resolve(&repository.path(), "HEAD~1").unwrap();
    assert!(is_ancestor(&repository.path(), &second, &tip).unwrap());
    assert!(!is_ancestor(&repository.path(), &newer[0].id, &tip).unwrap());
    assert!(!is_ancestor(&repository.path(), &"1".repeat(40), &tip).unwrap());
}
