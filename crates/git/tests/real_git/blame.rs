//! `blame`.

use becket_diff::FilePath;
use becket_git::{BlameOptions, GitError, Moves, Whitespace, blame};

use crate::repository::{Repository, numbered};

#[test]
fn each_line_names_its_commit() {
    let repository = Repository::new();
    repository.write("dir/ñ \"x\".txt", "one\ntwo\ncaf\u{e9}");
    let first = repository.commit_all("first: it");
    repository.write("dir/ñ \"x\".txt", "one\nTWO\n\tcaf\u{e9}");
    let second = repository.commit_all("second");
    let path = FilePath::from("dir/ñ \"x\".txt");
    for dir in [repository.path(), repository.path().join("dir")] {
        let blame = blame(&dir, &path, &BlameOptions::default()).unwrap();
        let commits: Vec<&str> = blame.lines.iter().map(|line| line.commit.as_str()).collect();
        assert_eq!(commits, [&first, &second, &second]);
        assert_eq!(blame.lines[2].content, "\tcaf\u{e9}".as_bytes());
        assert_eq!((blame.lines[1].line, blame.lines[1].original_line), (2, 2));
        assert_eq!(blame.lines[0].original_path, path);
        let commit = &blame.commits[&first];
        assert_eq!((commit.subject.as_str(), commit.boundary), ("first: it", true));
        assert_eq!((commit.author.name.as_str(), commit.author.email.as_str()), ("Ada", "ada@example.org"));
        assert_eq!(commit.author.date, "2024-05-06T07:08:09+02:00");
        assert_eq!((blame.revision.as_str(), blame.more), (second.as_str(), false));
    }
    let options = BlameOptions { whitespace: Whitespace::Ignore, ..BlameOptions::default() };
    assert_eq!(blame(&repository.path(), &path, &options).unwrap().lines[2].commit, first);
    let options = BlameOptions { revision: Some("HEAD~1".into()), ..BlameOptions::default() };
    assert!(
        blame(&repository.path(), &path, &options).unwrap().lines.iter().all(|line| line.commit == first)
    );
}

#[test]
fn ranges_and_bounds() {
    let repository = Repository::new();
    repository.write("ten", numbered("#", 1..11));
    repository.write("empty", "");
    repository.commit_all("first");
    let path = FilePath::from("ten");
    let lines = |options: BlameOptions| {
        let blame = blame(&repository.path(), &path, &options).unwrap();
        (blame.lines.iter().map(|line| line.line).collect::<Vec<_>>(), blame.more)
    };
    let options = BlameOptions::default;
    assert_eq!(lines(BlameOptions { start: 3, end: Some(4), ..options() }), (vec![3, 4], false));
    assert_eq!(lines(BlameOptions { start: 9, end: Some(99), ..options() }), (vec![9, 10], false));
    assert_eq!(lines(BlameOptions { limit: 2, ..options() }), (vec![1, 2], true));
    assert_eq!(lines(BlameOptions { start: 9, limit: 2, ..options() }), (vec![9, 10], false));
    assert_eq!(lines(BlameOptions { start: 2, end: Some(3), limit: 2, ..options() }), (vec![2, 3], false));
    for wrong in [
        BlameOptions { start: 0, ..options() },
        BlameOptions { start: 5, end: Some(4), ..options() },
        BlameOptions { start: 11, ..options() },
    ] {
        let refused = blame(&repository.path(), &path, &wrong);
        assert!(matches!(refused, Err(GitError::InvalidArgument { .. })), "{refused:?}");
    }
    assert_eq!(blame(&repository.path(), &"empty".into(), &options()).unwrap().lines, []);
    for missing in ["nowhere", "--output=x", "-s"] {
        let unknown = blame(&repository.path(), &missing.into(), &options());
        assert!(matches!(unknown, Err(GitError::UnknownPath { .. })), "{unknown:?}");
    }
}

#[test]
fn moved_lines_are_followed_on_request() {
    let repository = Repository::new();
    let block = numbered("a line that is long enough to be followed #", 0..9);
    repository.write("from", &block);
    let first = repository.commit_all("first");
    repository.write("from", "");
    repository.write("to", &block);
    let second = repository.commit_all("moved");
    let commit = |moves| {
        let options = BlameOptions { moves, ..BlameOptions::default() };
        blame(&repository.path(), &"to".into(), &options).unwrap().lines[0].clone()
    };
    assert_eq!(commit(Moves::Ignore).commit, second);
    let followed = commit(Moves::Follow);
    assert_eq!((followed.commit, followed.original_path), (first, "from".into()));
}
