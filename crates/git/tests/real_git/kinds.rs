//! Every kind of change, staged and unstaged.

use std::path::Path;

use becket_diff::Mode;
use becket_git::{ChangeKind, ChangeList, ChangesOptions, FileKind, Notice, list_changes};

use crate::changes::{changes, summary};
use crate::hostile::make_executable;
use crate::repository::{Repository, git_in, symlink};

const LONG: &str = "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\n";

fn pairs<const N: usize>(pairs: [(&str, ChangeKind); N]) -> Vec<(String, ChangeKind)> {
    pairs.map(|(path, kind)| (path.to_owned(), kind)).to_vec()
}

#[test]
fn renames_staged_with_and_without_an_edit() {
    let repository = Repository::new();
    repository.write("pure.txt", LONG);
    repository.write("edited.txt", LONG.to_uppercase());
    repository.commit_all("first");
    repository.git(["mv", "pure.txt", "a pure.txt"]);
    repository.git(["mv", "edited.txt", "b.txt"]);
    repository.write("b.txt", LONG.to_uppercase() + "more\n");
    repository.git(["add", "b.txt"]);
    let changes = changes(&repository);
    assert_eq!(
        summary(&changes),
        pairs([("a pure.txt", ChangeKind::Renamed), ("b.txt", ChangeKind::Renamed)])
    );
    assert_eq!(changes[0].old_path().unwrap().as_bytes(), b"pure.txt");
    assert_eq!((changes[0].hunks().count(), changes[0].staged[0].similarity), (0, Some(100)));
    assert_eq!(changes[1].old_path().unwrap().as_bytes(), b"edited.txt");
    assert_eq!(changes[1].staged[0].added, 1);
}

#[test]
fn a_move_that_git_was_not_told_of_is_one_change() {
    let repository = Repository::new();
    repository.write("old.txt", LONG);
    repository.commit_all("first");
    repository.remove("old.txt");
    repository.write("new.txt", LONG.replace("beta", "BETA"));
    let changes = changes(&repository);
    assert_eq!(summary(&changes), pairs([("new.txt", ChangeKind::Renamed)]));
    assert!(changes[0].untracked);
    assert_eq!(changes[0].old_path().unwrap().as_bytes(), b"old.txt");
}

#[test]
fn deletions_staged_unstaged_and_from_the_index_alone() {
    let repository = Repository::new();
    for (path, text) in [("staged", "s\n"), ("unstaged", "u\n"), ("kept", "k\n")] {
        repository.write(path, text);
    }
    repository.commit_all("first");
    repository.git(["rm", "--quiet", "staged"]);
    repository.remove("unstaged");
    repository.git(["rm", "--quiet", "--cached", "kept"]);
    let changes = changes(&repository);
    let expected = pairs([
        ("kept", ChangeKind::Deleted),
        ("staged", ChangeKind::Deleted),
        ("unstaged", ChangeKind::Deleted),
    ]);
    assert_eq!(summary(&changes), expected);
    assert!(changes[0].untracked && !changes[1].untracked);
    assert_eq!(changes[0].unstaged_kind(), Some(ChangeKind::Added));
    assert_eq!((changes[1].unstaged_kind(), changes[2].staged_kind()), (None, None));
}

#[test]
fn binary_files() {
    let repository = Repository::new();
    repository.write("old.bin", b"\0old");
    repository.commit_all("first");
    repository.write("old.bin", b"\0new");
    repository.write("staged.bin", b"\0staged");
    repository.git(["add", "staged.bin"]);
    repository.write("untracked.bin", b"\0untracked");
    let changes = changes(&repository);
    let expected = pairs([
        ("old.bin", ChangeKind::Modified),
        ("staged.bin", ChangeKind::Added),
        ("untracked.bin", ChangeKind::Untracked),
    ]);
    assert_eq!(summary(&changes), expected);
    assert!(
        changes.iter().all(|change| change.file_kind() == FileKind::Binary && change.hunks().count() == 0)
    );
}

#[test]
fn modes_alone_and_with_content() {
    let repository = Repository::new();
    repository.write("mode.sh", "a\n");
    repository.write("both.sh", "a\n");
    repository.commit_all("first");
    repository.git(["update-index", "--chmod=+x", "mode.sh", "both.sh"]);
    make_executable(&repository.path().join("mode.sh"));
    make_executable(&repository.write("both.sh", "b\n"));
    let changes = changes(&repository);
    assert_eq!(
        summary(&changes),
        pairs([("both.sh", ChangeKind::ModeChanged), ("mode.sh", ChangeKind::ModeChanged)])
    );
    assert_eq!(changes[0].unstaged_kind(), Some(ChangeKind::Modified));
    let side = changes[1].staged[0].new.as_ref().unwrap();
    assert_eq!(side.mode, Some(Mode::EXECUTABLE));
}

#[test]
fn links_and_changes_of_type() {
    let repository = Repository::new();
    repository.write("file", "text\n");
    repository.write("to-link", "text\n");
    symlink("file", &repository.path().join("link"));
    symlink("file", &repository.path().join("to-file"));
    repository.commit_all("first");
    for path in ["to-link", "link", "to-file"] {
        repository.remove(path);
    }
    symlink("other", &repository.path().join("link"));
    symlink("file", &repository.path().join("to-link"));
    symlink("file", &repository.path().join("untracked-link"));
    repository.write("to-file", "now text\n");
    let changes = changes(&repository);
    let expected = pairs([
        ("link", ChangeKind::Modified),
        ("to-file", ChangeKind::TypeChanged),
        ("to-link", ChangeKind::TypeChanged),
        ("untracked-link", ChangeKind::Untracked),
    ]);
    assert_eq!(summary(&changes), expected);
    let kinds: Vec<FileKind> = changes.iter().map(becket_git::Change::file_kind).collect();
    assert_eq!(kinds, [FileKind::Symlink, FileKind::Text, FileKind::Symlink, FileKind::Symlink]);
    assert_eq!(changes[1].unstaged.len(), 2);
}

#[test]
fn submodules_with_a_commit_and_with_dirt_only() {
    let library = Repository::with_commit();
    let repository = Repository::with_commit();
    repository.git([Path::new("submodule"), Path::new("add"), &library.path(), Path::new("lib")]);
    repository.commit_all("submodule");
    let inside = repository.path().join("lib");
    fs_err::write(inside.join("file.txt"), "dirty\n").unwrap();
    fs_err::write(inside.join("new.txt"), "dirty\n").unwrap();
    // Nothing that a commit here could take, and said to be so.
    let listed = || list_changes(&repository.path(), &ChangesOptions::default()).unwrap();
    let dirty = [Notice::SubmodulesChanged { paths: vec!["lib".into()] }];
    assert_eq!((listed().changes, listed().notices.as_slice()), (Vec::new(), dirty.as_slice()));
    assert!(dirty[0].to_string().ends_with("cannot be committed here: lib"), "{}", dirty[0]);
    git_in(&inside, ["commit", "--quiet", "--all", "--message", "inside"]);
    let ChangeList { changes, notices } = listed();
    assert_eq!(notices, dirty, "a file that Git does not know is left");
    fs_err::remove_file(inside.join("new.txt")).unwrap();
    assert_eq!(listed().notices, []);
    assert_eq!(summary(&changes), pairs([("lib", ChangeKind::Modified)]));
    assert_eq!(changes[0].file_kind(), FileKind::Submodule);
    let side = changes[0].unstaged[0].new.as_ref().unwrap();
    assert_eq!(side.mode, Some(Mode::SUBMODULE));
}

#[test]
fn a_repository_that_is_no_submodule() {
    let repository = Repository::with_commit();
    let nested = repository.path().join("nested");
    fs_err::create_dir(&nested).unwrap();
    git_in(&nested, ["init", "--quiet"]);
    fs_err::write(nested.join("x"), "x").unwrap();
    repository.write("new.txt", "n\n");
    let check = || {
        let changes = changes(&repository);
        let expected = pairs([("nested", ChangeKind::NestedRepository), ("new.txt", ChangeKind::Untracked)]);
        assert_eq!(summary(&changes), expected);
        assert_eq!((changes[0].unstaged.len(), changes[1].unstaged.len()), (0, 1));
    };
    check();
    git_in(&nested, ["add", "x"]);
    git_in(&nested, ["commit", "--quiet", "--message", "first"]);
    check();
}

#[test]
fn line_ends_and_missing_newlines_are_kept() {
    let repository = Repository::new();
    repository.git(["config", "core.autocrlf", "false"]);
    repository.write("crlf", "a\r\nb\r\n");
    repository.write("latin", b"caf\xe9\n");
    repository.write("no-end", "a");
    repository.write("empty", "");
    repository.commit_all("first");
    repository.write("crlf", "a\r\nB\r\n");
    repository.write("latin", b"caf\xe9\nmore\n");
    repository.write("no-end", "b");
    repository.write("empty-too", "");
    let changes = changes(&repository);
    let lines = |index: usize| -> Vec<Vec<u8>> {
        changes[index].hunks().flat_map(becket_diff::Hunk::raw_lines).map(<[u8]>::to_vec).collect()
    };
    assert_eq!(lines(0), [&b" a\r"[..], b"-b\r", b"+B\r"]);
    assert_eq!((changes[1].path.as_bytes(), changes[1].kind()), (&b"empty-too"[..], ChangeKind::Untracked));
    assert_eq!(changes[1].unstaged.len(), 1);
    assert_eq!(lines(2), [&b" caf\xe9"[..], b"+more"]);
    let marker = &b"\\ No newline at end of file"[..];
    assert_eq!(lines(3), [&b"-a"[..], marker, b"+b", marker]);
}

#[test]
fn a_file_and_a_folder_that_took_each_other_s_place() {
    let repository = Repository::new();
    repository.write("was-file", LONG);
    repository.write("was-folder/x", LONG.to_uppercase());
    repository.commit_all("first");
    repository.remove("was-file");
    repository.write("was-file/y", "new\n");
    fs_err::remove_dir_all(repository.path().join("was-folder")).unwrap();
    repository.write("was-folder", "file\n");
    let expected = pairs([
        ("was-file", ChangeKind::Deleted),
        ("was-file/y", ChangeKind::Untracked),
        ("was-folder", ChangeKind::Untracked),
        ("was-folder/x", ChangeKind::Deleted),
    ]);
    let changes = changes(&repository);
    assert_eq!(summary(&changes), expected);
    assert!(changes.iter().all(|change| change.unstaged.len() == 1));
}

#[test]
fn a_file_that_is_to_be_added_and_one_that_is_hidden() {
    let repository = Repository::with_commit();
    repository.write("hidden.txt", "a\n");
    repository.commit_all("second");
    repository.git(["update-index", "--skip-worktree", "hidden.txt"]);
    repository.write("hidden.txt", "b\n");
    repository.write("intended.txt", "i\n");
    repository.git(["add", "--intent-to-add", "intended.txt"]);
    repository.write("untracked.txt", "u\n");
    let changes = changes(&repository);
    let expected = pairs([("intended.txt", ChangeKind::Added), ("untracked.txt", ChangeKind::Untracked)]);
    assert_eq!(summary(&changes), expected);
}

#[test]
fn a_file_that_was_only_intended_and_is_gone_is_nothing() {
    let repository = Repository::with_commit();
    repository.write("empty.txt", "");
    repository.commit_all("second");
    repository.write("intended.txt", "i\n");
    repository.git(["add", "--intent-to-add", "intended.txt"]);
    repository.remove("intended.txt");
    repository.remove("empty.txt");
    assert_eq!(summary(&changes(&repository)), pairs([("empty.txt", ChangeKind::Deleted)]));
    // With something that Git does not know beside it, too.
    repository.write("new.txt", "n\n");
    let expected = pairs([("empty.txt", ChangeKind::Deleted), ("new.txt", ChangeKind::Untracked)]);
    assert_eq!(summary(&changes(&repository)), expected);
}

/// The file was changed after it was staged, in the same instant and to the same size, so that only its being as young
/// as the index tells that it must be looked at.
#[test]
fn a_change_in_the_same_instant_as_the_index_is_seen() {
    let repository = Repository::new();
    repository.git(["config", "core.trustctime", "false"]);
    let instant = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set_time = |path: &str| {
        let file = fs_err::OpenOptions::new().write(true).open(repository.path().join(path)).unwrap();
        file.file().set_modified(instant).unwrap();
    };
    repository.write("new", "n\n");
    repository.write("x", "aaaa\n");
    set_time("x");
    repository.git(["add", "x"]);
    set_time(".git/index");
    repository.write("x", "bbbb\n");
    set_time("x");
    let changes = changes(&repository);
    let change = changes.iter().find(|change| change.path.as_bytes() == b"x").unwrap();
    assert_eq!(change.unstaged_kind(), Some(ChangeKind::Modified));
}
