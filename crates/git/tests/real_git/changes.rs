//! `list_changes`: order, ids, exact hunks, any place, any path, any size.

use std::path::Path;
use std::time::Duration;

use becket_diff::{Limits, apply, parse, print};
use becket_git::{
    Change, ChangeKind, ChangeList, ChangesOptions, Git, GitError, Notice, Untracked, list_changes,
};
use proptest::prelude::*;

use crate::repository::{Repository, git_in, numbered, snapshot};

pub(crate) fn changes(repository: &Repository) -> Vec<Change> {
    let list = list_changes(&repository.path(), &ChangesOptions::default()).unwrap();
    assert_eq!(list.notices, []);
    list.changes
}

/// Id, path and kind of each.
pub(crate) fn summary(changes: &[Change]) -> Vec<(String, ChangeKind)> {
    changes.iter().map(|change| (change.path.to_string(), change.kind())).collect()
}

fn raw_lines(change: &Change) -> Vec<String> {
    change
        .hunks()
        .flat_map(becket_diff::Hunk::raw_lines)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect()
}

#[test]
fn nothing_changed() {
    assert_eq!(changes(&Repository::with_commit()), []);
    assert_eq!(changes(&Repository::new()), []);
}

#[test]
fn sorted_by_path_numbered_and_staged_before_unstaged() {
    let repository = Repository::with_commit();
    for path in ["b.txt", "a.txt", "B.txt", "a/z.txt", "a-b.txt"] {
        repository.write(path, "one\ntwo\nthree\n");
    }
    repository.commit_all("more");
    for path in ["b.txt", "a.txt", "B.txt", "a/z.txt", "a-b.txt"] {
        repository.write(path, "ONE\ntwo\nthree\n");
    }
    repository.git(["add", "a.txt"]);
    repository.write("a.txt", "ONE\ntwo\nTHREE\n");
    let changes = changes(&repository);
    let ids: Vec<(&str, String)> =
        changes.iter().map(|change| (change.id.as_str(), change.path.to_string())).collect();
    let expected = [
        ("change-1", "B.txt"),
        ("change-2", "a-b.txt"),
        ("change-3", "a.txt"),
        ("change-4", "a/z.txt"),
        ("change-5", "b.txt"),
    ];
    assert_eq!(ids, expected.map(|(id, path)| (id, path.to_owned())));
    let change = &changes[2];
    assert_eq!((change.staged.len(), change.unstaged.len()), (1, 1));
    let headers: Vec<_> =
        change.hunks().map(|hunk| String::from_utf8_lossy(&hunk.header).into_owned()).collect();
    assert_eq!(headers, ["@@ -1,3 +1,3 @@", "@@ -1,3 +1,3 @@"]);
    assert_eq!(raw_lines(change), ["-one", "+ONE", " two", " three", " ONE", " two", "-three", "+THREE"]);
}

#[test]
fn the_header_is_exactly_git_s() {
    let repository = Repository::new();
    let body = numbered("    line#();", 1..30);
    repository.write("a.c", format!("int main(void)\n{{\n{body}}}\n"));
    repository.commit_all("first");
    repository.write("a.c", format!("int main(void)\n{{\n{}}}\n", body.replace("line20", "line_20")));
    let printed = repository.git(["diff"]);
    let header = printed.lines().find(|line| line.starts_with("@@")).unwrap();
    assert!(header.ends_with("int main(void)"), "{header}");
    let changes = changes(&repository);
    assert_eq!(changes[0].hunks().next().unwrap().header, header.as_bytes());
}

#[test]
fn a_fresh_repository_without_a_commit() {
    let repository = Repository::new();
    repository.write("staged.txt", "a\n");
    repository.git(["add", "staged.txt"]);
    repository.write("staged.txt", "a\nb\n");
    repository.write("new.txt", "n\n");
    let changes = changes(&repository);
    let expected = [("new.txt", ChangeKind::Untracked), ("staged.txt", ChangeKind::Added)];
    assert_eq!(summary(&changes), expected.map(|(path, kind)| (path.to_owned(), kind)));
    assert_eq!(raw_lines(&changes[1]), ["+a", " a", "+b"]);
}

#[test]
fn every_path_is_seen_as_it_is() {
    let repository = Repository::new();
    let paths = [
        "with space",
        "semi;colon",
        "quo\"te",
        "tab\there",
        "back\\slash",
        "new\nline",
        "ünïcödé/日本",
        "a b/a b/c",
        "-dash",
        "--output=x",
        "*.txt",
        ":(top)x",
        "[a]",
        "'single'",
        "trailing ",
        "$HOME",
        "@",
        "HEAD",
        "a\u{7}bell",
    ];
    for path in paths {
        repository.write(path, "one\n");
    }
    repository.commit_all("odd");
    for path in paths {
        repository.write(path, "two\n");
    }
    repository.write("other.txt", "x\n");
    let changes = changes(&repository);
    let mut seen: Vec<String> = changes.iter().map(|change| change.path.to_string()).collect();
    let mut expected: Vec<String> = paths.map(str::to_owned).to_vec();
    expected.push("other.txt".to_owned());
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected);
    for change in changes.iter().filter(|change| change.path.as_bytes() != b"other.txt") {
        assert_eq!(
            (change.kind(), raw_lines(change)),
            (ChangeKind::Modified, vec!["-one".into(), "+two".into()])
        );
    }
    let patch = repository.try_git(["-c", "core.quotePath=false", "diff", "--full-index"]).stdout;
    let printed: Vec<u8> = parse(&patch).unwrap().iter().flat_map(print).collect();
    assert_eq!(String::from_utf8_lossy(&printed), String::from_utf8_lossy(&patch));
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::with_commit();
    for name in [b"caf\xe9".as_slice(), b"caf\xe8"] {
        repository.write(std::ffi::OsStr::from_bytes(name), "x\n");
    }
    let changes = changes(&repository);
    assert_eq!(changes[0].path.as_bytes(), b"caf\xe8");
    assert_eq!(changes[1].path.to_string(), "\"caf\\351\"");
}

/// There are no such files here, but other systems' commits can name them.
#[cfg(not(unix))]
#[test]
fn a_path_that_is_not_text() {
    assert_eq!(becket_diff::FilePath::new(b"caf\xe9".to_vec()).to_string(), "\"caf\\351\"");
}

#[test]
fn from_a_folder_and_a_linked_worktree() {
    let repository = Repository::with_commit();
    repository.write("deep/er/x.txt", "x\n");
    repository.commit_all("deep");
    repository.write("deep/er/x.txt", "y\n");
    repository.write("file.txt", "changed\n");
    repository.write("top.txt", "new\n");
    let from_folder =
        list_changes(&repository.path().join("deep/er"), &ChangesOptions::default()).unwrap().changes;
    assert_eq!(from_folder, changes(&repository));
    assert_eq!(from_folder.len(), 3);

    let linked = repository.beside("linked");
    repository.git([Path::new("worktree"), Path::new("add"), &linked]);
    fs_err::write(linked.join("file.txt"), "linked\n").unwrap();
    fs_err::write(linked.join("only-here.txt"), "linked\n").unwrap();
    let in_linked = list_changes(&linked, &ChangesOptions::default()).unwrap().changes;
    let expected = [("file.txt", ChangeKind::Modified), ("only-here.txt", ChangeKind::Untracked)];
    assert_eq!(summary(&in_linked), expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn a_sparse_and_a_shallow_clone() {
    let source = Repository::with_commit();
    source.write("kept/a.txt", "a\n");
    source.write("left/b.txt", "b\n");
    source.commit_all("second");
    let sparse = source.beside("sparse");
    let url = format!("file://{}", source.path().display());
    source.git(["clone", "--quiet", "--depth=1", &url, sparse.to_str().unwrap()]);
    git_in(&sparse, ["sparse-checkout", "set", "--sparse-index", "kept"]);
    assert!(!sparse.join("left").exists());
    fs_err::write(sparse.join("kept/a.txt"), "A\n").unwrap();
    fs_err::write(sparse.join("kept/new.txt"), "n\n").unwrap();
    let list = list_changes(&sparse, &ChangesOptions::default()).unwrap();
    let expected = [("kept/a.txt", ChangeKind::Modified), ("kept/new.txt", ChangeKind::Untracked)];
    assert_eq!(summary(&list.changes), expected.map(|(path, kind)| (path.to_owned(), kind)));
    // A file outside the cone, which a person may well make.
    fs_err::create_dir(sparse.join("left")).unwrap();
    fs_err::write(sparse.join("left/new.txt"), "n\n").unwrap();
    let list = list_changes(&sparse, &ChangesOptions::default()).unwrap();
    assert!(list.changes.iter().any(|change| change.path.as_bytes() == b"left/new.txt"), "{list:?}");
}

#[test]
fn the_user_s_configuration_changes_nothing() {
    let repository = Repository::with_commit();
    repository.write("z/moved.txt", "a\nb\nc\nd\ne\nf\n");
    repository.commit_all("second");
    repository.write("file.txt", "one\n\nTWO\nthree\n");
    repository.git(["mv", "z/moved.txt", "z/there.txt"]);
    repository.write("new.txt", "new\n");
    let plain = changes(&repository);
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.external", "false"),
        ("diff.context", "0"),
        ("diff.interHunkContext", "9"),
        ("diff.renames", "false"),
        ("diff.algorithm", "patience"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.relative", "true"),
        ("diff.orderFile", "/nonexistent"),
        ("diff.submodule", "log"),
        ("diff.colorMoved", "zebra"),
        ("diff.wsErrorHighlight", "all"),
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("core.quotePath", "true"),
        ("core.pager", "false"),
        ("status.showUntrackedFiles", "no"),
        ("status.renames", "false"),
    ] {
        repository.git(["config", key, value]);
    }
    assert_eq!(changes(&repository), plain);
    assert_eq!(plain.len(), 3);
}

#[test]
fn looking_writes_nothing() {
    let repository = Repository::named("a:b \"c\" \\d\n");
    repository.write("file.txt", "one\n");
    repository.commit_all("first");
    repository.write("file.txt", "changed\n");
    repository.write("staged.txt", "s\n");
    repository.git(["add", "staged.txt"]);
    repository.write("new.txt", "new\n");
    // A stale time in the index is what a plain `git diff` would write back.
    repository.git(["config", "core.splitIndex", "true"]);
    let before = snapshot(&repository.path());
    assert_eq!(changes(&repository).len(), 3);
    let after = snapshot(&repository.path());
    let differing: Vec<_> =
        before.iter().filter(|file| !after.contains(file)).map(|(path, _)| path).collect();
    assert_eq!((differing, after.len()), (vec![], before.len()));
}

#[test]
fn untracked_files_can_be_left_out_and_are_bounded() {
    let repository = Repository::with_commit();
    repository.write(".gitignore", "ignored\n");
    repository.commit_all("ignore");
    for path in ["ignored", "b/x", "a"] {
        repository.write(path, "x\n");
    }
    let without = ChangesOptions { untracked: Untracked::Exclude, ..ChangesOptions::default() };
    assert_eq!(list_changes(&repository.path(), &without).unwrap().changes, []);
    let expected = [("a", ChangeKind::Untracked), ("b/x", ChangeKind::Untracked)];
    assert_eq!(summary(&changes(&repository)), expected.map(|(path, kind)| (path.to_owned(), kind)));
    let bounded = ChangesOptions { untracked_limit: 1, ..ChangesOptions::default() };
    let list = list_changes(&repository.path(), &bounded).unwrap();
    assert_eq!(
        (list.changes.len(), &list.notices[..]),
        (1, &[Notice::UntrackedCut { listed: 1, omitted: 1 }][..])
    );
    assert_eq!(list.changes[0].unstaged, []);
}

#[test]
fn a_diff_of_many_megabytes_is_cut_with_a_notice() {
    let repository = Repository::with_commit();
    let line = "x".repeat(99) + "\n";
    repository.write("big.txt", line.repeat(200_000));
    repository.write("one-line.txt", "y".repeat(4 << 20));
    repository.write("z.txt", "small\n");
    repository.git(["add", "big.txt"]);
    let ChangeList { changes, notices } =
        list_changes(&repository.path(), &ChangesOptions::default()).unwrap();
    assert_eq!(notices, [Notice::ContentCut { changes: 2 }]);
    let big = &changes[0].staged[0];
    assert_eq!((big.added, big.removed), (200_000, 0));
    let kept = big.hunks()[0].lines().count();
    assert_eq!(kept + big.omitted.lines, 200_000);
    assert!((9_000..11_000).contains(&kept), "{kept}");
    let one_line = &changes[1].unstaged[0];
    assert_eq!(one_line.omitted.bytes + one_line.hunks()[0].lines().next().unwrap().content.len(), 4 << 20);
    assert!(!changes[2].is_cut());
    let whole = ChangesOptions { limits: Limits::NONE, ..ChangesOptions::default() };
    let list = list_changes(&repository.path(), &whole).unwrap();
    assert_eq!(
        (list.changes[0].hunks().next().unwrap().lines().count(), &list.notices[..]),
        (200_000, &[][..])
    );
}

#[test]
fn failures_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let options = ChangesOptions::default();
    assert!(matches!(list_changes(dir.path(), &options), Err(GitError::NotARepository { .. })));
    let repository = Repository::with_commit();
    let inside = repository.path().join(".git");
    assert!(matches!(list_changes(&inside, &options), Err(GitError::NoWorktree { .. })));
    let bare = repository.beside("bare");
    repository.git([Path::new("clone"), Path::new("--bare"), Path::new("."), &bare]);
    assert!(matches!(list_changes(&bare, &options), Err(GitError::NoWorktree { .. })));
    let cancelled = Git::at(repository.path()).with_cancellation(|| true);
    assert!(matches!(list_changes(&cancelled, &options), Err(GitError::Cancelled { .. })));
    let late = Git::at(repository.path()).with_timeout(Duration::ZERO);
    assert!(matches!(list_changes(&late, &options), Err(GitError::Timeout { .. })));
    repository.write(".git/index", "nonsense");
    let broken = list_changes(&repository.path(), &options);
    assert!(matches!(broken, Err(GitError::Unreadable { .. } | GitError::Failed { .. })), "{broken:?}");
}

/// Content with all that makes a line end.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just(b"a\n".to_vec()),
        Just(b"b\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"c\r\n".to_vec()),
        Just(b"caf\xe9\n".to_vec()),
        Just(b"no end".to_vec()),
    ];
    prop::collection::vec(line, 0..14).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The hunks of a real diff rebuild the index from the commit and the file from the index.
    #[test]
    fn hunks_rebuild_the_file(committed in content(), staged in content(), unstaged in content()) {
        let repository = Repository::new();
        repository.git(["config", "core.autocrlf", "false"]);
        repository.write("x", &committed);
        repository.commit_all("first");
        repository.write("x", &staged);
        repository.git(["add", "x"]);
        repository.write("x", &unstaged);
        let changes = changes(&repository);
        let parts = changes.first().map(|change| (change.staged.clone(), change.unstaged.clone())).unwrap_or_default();
        let rebuilt = apply(&committed, parts.0.iter().flat_map(becket_diff::FileChange::hunks)).unwrap();
        prop_assert_eq!(&rebuilt, &staged);
        let rebuilt = apply(&staged, parts.1.iter().flat_map(becket_diff::FileChange::hunks)).unwrap();
        prop_assert_eq!(&rebuilt, &unstaged);
    }
}
