//! `repo_status`.

use becket_git::{FileState, Git, GitError, Head, StatusOptions, Untracked, Upstream, head, repo_status};

use crate::repository::{Repository, git_in};

#[test]
fn paths_by_state() {
    let repository = Repository::new();
    for path in ["staged ñ", "both", "gone", "moved from here", "\"quoted\""] {
        repository.write(path, format!("{path}\nwith\nsome\nlines\n"));
    }
    repository.commit_all("first");
    repository.write("staged ñ", "s\n");
    repository.write("both", "s\n");
    repository.git(["add", "--all"]);
    repository.write("both", "u\n");
    repository.write("\"quoted\"", "u\n");
    repository.remove("gone");
    repository.git(["mv", "moved from here", "moved"]);
    repository.write("new\nline", "n\n");
    repository.write("folder/new", "n\n");
    let status = repo_status(&repository.path().join("folder"), &StatusOptions::default()).unwrap();
    let states = |entries: &[becket_git::StatusEntry]| -> Vec<(String, FileState, Option<String>)> {
        let old = |entry: &becket_git::StatusEntry| entry.old_path.as_ref().map(ToString::to_string);
        entries.iter().map(|entry| (entry.path.to_string(), entry.state, old(entry))).collect()
    };
    let expected = [
        ("both".into(), FileState::Modified, None),
        ("moved".into(), FileState::Renamed, Some("moved from here".into())),
        ("staged ñ".into(), FileState::Modified, None),
    ];
    assert_eq!(states(&status.staged), expected);
    let expected = [
        ("\"quoted\"".into(), FileState::Modified, None),
        ("both".into(), FileState::Modified, None),
        ("gone".into(), FileState::Deleted, None),
    ];
    assert_eq!(states(&status.unstaged), expected);
    let untracked: Vec<String> = status.untracked.iter().map(ToString::to_string).collect();
    assert_eq!(untracked, ["folder/new", "new\nline"]);
    assert_eq!(status.location.worktree, Some(repository.path()));
    assert_eq!(status.head, head(&repository.path()).unwrap());
    assert_eq!((status.operations, status.conflicts), (vec![], vec![]));
}

#[test]
fn lists_are_bounded_and_counted() {
    let repository = Repository::with_commit();
    for number in 0..9 {
        repository.write(format!("new{number}"), "");
    }
    let options = StatusOptions { limit: 2, ..StatusOptions::default() };
    let status = repo_status(&repository.path(), &options).unwrap();
    assert_eq!((status.untracked.len(), status.untracked_count), (2, 9));
    let options = StatusOptions { untracked: Untracked::Exclude, ..StatusOptions::default() };
    assert_eq!(repo_status(&repository.path(), &options).unwrap().untracked_count, 0);
}

#[test]
fn branch_and_upstream() {
    let repository = Repository::new();
    let status = |dir: &std::path::Path| repo_status(dir, &StatusOptions::default()).unwrap();
    assert_eq!(status(&repository.path()).head, Head::Unborn { name: "main".into() });
    repository.write("x", "");
    repository.commit_all("first");
    let clone = repository.beside("clone");
    repository.git(["clone", "--quiet", ".", clone.to_str().unwrap()]);
    repository.commit_all("second");
    repository.commit_all("third");
    git_in(&clone, ["commit", "--quiet", "--allow-empty", "--message", "own"]);
    git_in(&clone, ["fetch", "--quiet"]);
    let upstream = status(&clone).upstream;
    assert_eq!(upstream, Some(Upstream { name: "origin/main".into(), ahead_behind: Some((1, 2)) }));
    git_in(&clone, ["update-ref", "-d", "refs/remotes/origin/main"]);
    assert_eq!(status(&clone).upstream.unwrap().ahead_behind, None);
    git_in(&clone, ["switch", "--quiet", "--detach"]);
    assert!(matches!(status(&clone).head, Head::Detached { .. }));
    assert_eq!(status(&clone).upstream, None);
}

#[test]
fn no_worktree_and_no_repository() {
    let repository = Repository::with_commit();
    let inside = repo_status(&repository.path().join(".git"), &StatusOptions::default());
    assert!(matches!(inside, Err(GitError::NoWorktree { .. })));
    let dir = tempfile::tempdir().unwrap();
    let outside = repo_status(Git::at(dir.path()), &StatusOptions::default());
    assert!(matches!(outside, Err(GitError::NotARepository { .. })));
}
