//! `show_commit` and `diff_between_refs`.

use becket_diff::{FileChange, Status};
use becket_git::{
    CompareFrom, CompareOptions, GitError, LogOptions, ShowOptions, diff_between_refs, log, show_commit,
};

use crate::repository::{Repository, git_in};

fn paths(changes: &[FileChange]) -> Vec<(String, Status)> {
    changes.iter().map(|change| (change.path().unwrap().to_string(), change.status)).collect()
}

#[test]
fn a_commit_and_its_changes() {
    let repository = Repository::with_commit();
    repository.write("file.txt", "one\nTWO\nthree\n");
    repository.write("new ñ", "n\n");
    repository.commit_all("second\n\nbody");
    let shown = show_commit(&repository.path(), "HEAD", &ShowOptions::default()).unwrap();
    assert_eq!((shown.commit.subject.as_str(), shown.commit.body.as_str()), ("second", "body"));
    assert_eq!(
        paths(&shown.changes),
        [("file.txt".into(), Status::Modified), ("new ñ".into(), Status::Added)]
    );
    assert_eq!((shown.changes[0].added, shown.changes[0].removed), (1, 1));
    let root = show_commit(&repository.path(), "HEAD~1", &ShowOptions::default()).unwrap();
    assert_eq!(paths(&root.changes), [("file.txt".into(), Status::Added)]);
    assert_eq!(root.commit.parents, Vec::<String>::new());
}

#[test]
fn a_merge_is_shown_against_its_first_parent() {
    let repository = Repository::with_commit();
    repository.git(["switch", "--quiet", "--create", "side"]);
    repository.write("side", "s\n");
    repository.commit_all("side");
    repository.git(["switch", "--quiet", "main"]);
    repository.write("main", "m\n");
    repository.commit_all("main");
    repository.git(["merge", "--quiet", "--no-edit", "side"]);
    let shown = show_commit(&repository.path(), "HEAD", &ShowOptions::default()).unwrap();
    assert_eq!(shown.commit.parents.len(), 2);
    assert_eq!(paths(&shown.changes), [("side".into(), Status::Added)]);
}

#[test]
fn two_commits_compared_directly_and_from_where_they_parted() {
    let repository = Repository::with_commit();
    repository.git(["switch", "--quiet", "--create", "side"]);
    repository.write("dir/side", "s\n");
    repository.commit_all("side");
    repository.git(["switch", "--quiet", "main"]);
    repository.write("main", "m\n");
    repository.commit_all("main");
    let compare =
        |options: &CompareOptions| diff_between_refs(&repository.path(), "main", "side", options).unwrap();
    let direct = compare(&CompareOptions::default());
    assert_eq!(
        paths(&direct.changes),
        [("dir/side".into(), Status::Added), ("main".into(), Status::Deleted)]
    );
    let parted = compare(&CompareOptions { from: CompareFrom::MergeBase, ..CompareOptions::default() });
    assert_eq!(paths(&parted.changes), [("dir/side".into(), Status::Added)]);
    assert_eq!(parted.base.as_str(), repository.git(["merge-base", "main", "side"]).trim());
    let narrowed = compare(&CompareOptions { path: Some("dir".into()), ..CompareOptions::default() });
    assert_eq!(paths(&narrowed.changes), [("dir/side".into(), Status::Added)]);
    repository.git(["switch", "--quiet", "--orphan", "alone"]);
    repository.commit_all("alone");
    let options = CompareOptions { from: CompareFrom::MergeBase, ..CompareOptions::default() };
    let apart = diff_between_refs(&repository.path(), "main", "alone", &options);
    assert!(matches!(apart, Err(GitError::NoMergeBase { .. })));
}

#[test]
fn context_is_as_asked() {
    let repository = Repository::with_commit();
    repository.write("file.txt", "one\nTWO\nthree\n");
    repository.commit_all("second");
    for (context, lines) in [(0, 2), (1, 4), (20, 4)] {
        let options = CompareOptions { context, ..CompareOptions::default() };
        let comparison = diff_between_refs(&repository.path(), "HEAD~1", "HEAD", &options).unwrap();
        assert_eq!(comparison.changes[0].hunks()[0].lines().count(), lines, "{context}");
    }
}

#[test]
fn no_word_of_a_caller_is_an_option() {
    let repository = Repository::with_commit();
    repository.write("file.txt", "two\n");
    repository.commit_all("second");
    let written = repository.beside("written");
    let injected = format!("--output={}", written.display());
    let path = repository.path();
    let refused = |result: Result<(), GitError>| {
        assert!(matches!(result, Err(GitError::InvalidRevision { .. })), "{result:?}");
    };
    refused(diff_between_refs(&path, &injected, "HEAD", &CompareOptions::default()).map(drop));
    refused(diff_between_refs(&path, "HEAD", &injected, &CompareOptions::default()).map(drop));
    refused(show_commit(&path, &injected, &ShowOptions::default()).map(drop));
    refused(log(&path, &LogOptions { revision: Some(injected.clone()), ..LogOptions::default() }).map(drop));
    let file = Some(becket_diff::FilePath::from(injected.as_str()));
    log(&path, &LogOptions { path: file.clone(), ..LogOptions::default() }).unwrap();
    let options = CompareOptions { path: file, ..CompareOptions::default() };
    assert_eq!(diff_between_refs(&path, "HEAD~1", "HEAD", &options).unwrap().changes, []);
    let dated = LogOptions { since: Some(format!("1 {injected}")), ..LogOptions::default() };
    assert!(matches!(log(&path, &dated), Err(GitError::InvalidArgument { name: "since", .. })));
    assert!(!written.exists());
}

#[test]
fn a_branch_named_like_an_option_or_a_file() {
    let repository = Repository::with_commit();
    repository.git(["update-ref", "refs/heads/file.txt", "HEAD"]);
    repository.git(["update-ref", "refs/heads/--all", "HEAD"]);
    repository.write("file.txt", "two\n");
    repository.commit_all("second");
    let options = CompareOptions::default();
    assert_eq!(diff_between_refs(&repository.path(), "file.txt", "main", &options).unwrap().changes.len(), 1);
    let full = diff_between_refs(&repository.path(), "refs/heads/--all", "main", &options).unwrap();
    assert_eq!(full.changes.len(), 1);
}

#[test]
fn what_a_partial_clone_lacks_is_not_fetched() {
    let repository = Repository::with_commit();
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    repository.write("file.txt", "two\n");
    repository.commit_all("second");
    let partial = repository.beside("partial");
    let url = format!("file://{}", repository.path().display());
    repository.git(["clone", "--quiet", "--filter=blob:none", &url, partial.to_str().unwrap()]);
    let missing = diff_between_refs(&partial, "HEAD~1", "HEAD", &CompareOptions::default());
    assert!(matches!(missing, Err(GitError::MissingObject { .. })), "{missing:?}");
    assert_eq!(log(&partial, &LogOptions::default()).unwrap().commits.len(), 2);
    let shallow = repository.beside("shallow");
    repository.git(["clone", "--quiet", "--depth=1", &url, shallow.to_str().unwrap()]);
    assert_eq!(log(&shallow, &LogOptions::default()).unwrap().commits.len(), 1);
    assert_eq!(
        show_commit(&shallow, "HEAD", &ShowOptions::default()).unwrap().changes[0].status,
        Status::Added
    );
    let beyond = show_commit(&shallow, "HEAD~1", &ShowOptions::default());
    assert!(matches!(beyond, Err(GitError::UnknownRevision { .. })));
    git_in(&shallow, ["fsck"]);
}

#[test]
fn a_repository_with_longer_ids() {
    let repository = Repository::initialised("work", &["--object-format=sha256"]);
    repository.write("x", "x\n");
    let id = repository.commit_all("first");
    assert_eq!(id.len(), 64);
    let shown = show_commit(&repository.path(), "HEAD", &ShowOptions::default()).unwrap();
    assert_eq!((shown.commit.id, paths(&shown.changes)), (id, vec![("x".into(), Status::Added)]));
    repository.write("x", "y\n");
    repository.write("new", "n\n");
    assert_eq!(crate::changes::changes(&repository).len(), 2);
}
