//! Where a directory belongs, in every shape of repository.

use std::path::{Path, PathBuf};

use becket_git::{Git, GitError, Head, MINIMUM_VERSION, head, locate, version, worktrees};

use crate::repository::{Repository, git_in};

fn location(dir: &Path) -> becket_git::Location {
    locate(dir).unwrap().unwrap()
}

#[test]
fn a_plain_repository_from_its_root_and_from_a_folder() {
    let repository = Repository::with_commit();
    repository.write("deep/er/x", "");
    for dir in [repository.path(), repository.path().join("deep/er")] {
        let location = location(&dir);
        assert_eq!(location.worktree, Some(repository.path()));
        assert_eq!(location.git_dir, repository.path().join(".git"));
        assert_eq!(location.common_dir, location.git_dir);
        assert_eq!(location.main_worktree, Some(repository.path()));
        assert_eq!(location.superproject, None);
        assert!(!location.bare && !location.is_linked());
    }
}

#[test]
fn inside_the_git_directory_there_is_no_worktree_but_a_main_one() {
    let repository = Repository::with_commit();
    let location = location(&repository.path().join(".git"));
    assert_eq!(location.worktree, None);
    assert_eq!(location.main_worktree, Some(repository.path()));
    assert!(!location.bare);
    assert_eq!(location.dir(), repository.path().join(".git"));
}

#[test]
fn a_folder_outside_git_is_none() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(locate(dir.path()).unwrap(), None);
    assert!(matches!(head(dir.path()), Err(GitError::NotARepository { .. })));
}

#[test]
fn a_bare_repository_and_its_worktrees() {
    let source = Repository::with_commit();
    let bare = source.beside("bare.git");
    source.git([Path::new("clone"), Path::new("--bare"), Path::new("."), &bare]);
    let in_bare = location(&bare);
    assert!(in_bare.bare);
    assert_eq!((in_bare.worktree.as_ref(), in_bare.main_worktree.as_ref()), (None, None));
    assert_eq!(in_bare.dir(), bare);
    let linked = source.beside("linked");
    git_in(&bare, [Path::new("worktree"), Path::new("add"), &linked]);
    let in_linked = location(&linked);
    assert_eq!(in_linked.worktree, Some(linked.clone()));
    assert_eq!(in_linked.main_worktree, None);
    assert_eq!(in_linked.common_dir, bare);
    assert!(in_linked.is_linked());
    let list = worktrees(&in_linked).unwrap();
    assert_eq!(list.iter().map(|one| &one.path).collect::<Vec<_>>(), [&bare, &linked]);
    assert!(list[0].bare && list[0].head.is_none());
    assert_eq!(list[1].branch.as_deref(), Some("linked"));
}

#[test]
fn linked_worktrees_share_the_common_directory() {
    let repository = Repository::with_commit();
    let commit = repository.git(["rev-parse", "HEAD"]).trim().to_owned();
    let odd = repository.beside("-a b\nñ");
    repository.git([Path::new("worktree"), Path::new("add"), Path::new("-b"), Path::new("side"), &odd]);
    let loose = repository.beside("loose");
    repository.git([Path::new("worktree"), Path::new("add"), Path::new("--detach"), &loose]);
    repository.git([Path::new("worktree"), Path::new("lock"), Path::new("--reason=on a\nstick"), &loose]);
    let gone = repository.beside("gone");
    repository.git([Path::new("worktree"), Path::new("add"), &gone]);
    fs_err::remove_dir_all(&gone).unwrap();

    let in_odd = location(&odd);
    assert_eq!(in_odd.worktree.as_ref(), Some(&odd));
    assert_eq!(in_odd.main_worktree, Some(repository.path()));
    assert_eq!(in_odd.common_dir, repository.path().join(".git"));
    assert_eq!(in_odd.git_dir.parent().unwrap(), repository.path().join(".git/worktrees"));

    let list = worktrees(&in_odd).unwrap();
    assert_eq!(list, worktrees(&location(&repository.path())).unwrap());
    let paths: Vec<&PathBuf> = list.iter().map(|worktree| &worktree.path).collect();
    assert_eq!(paths, [&odd, &gone, &loose, &repository.path()]);
    assert_eq!(list[0].branch.as_deref(), Some("side"));
    assert!(list[1].prunable.as_deref().unwrap().contains("non-existent"));
    assert!(list[2].detached && list[2].branch.is_none());
    assert_eq!(list[2].locked.as_deref(), Some("on a\nstick"));
    assert_eq!((list[3].branch.as_deref(), list[3].head.as_ref()), (Some("main"), Some(&commit)));
    assert_eq!(list[3].locked, None);
}

#[test]
fn a_submodule_knows_its_superproject() {
    let library = Repository::with_commit();
    let repository = Repository::with_commit();
    let library_path = library.path();
    repository.git([Path::new("submodule"), Path::new("add"), &library_path, Path::new("vendor/lib")]);
    let path = repository.path().join("vendor/lib");
    let submodule = location(&path);
    assert_eq!(submodule.superproject, Some(repository.path()));
    assert_eq!(submodule.worktree.as_ref(), Some(&path));
    assert_eq!(submodule.git_dir, repository.path().join(".git/modules/vendor/lib"));
    assert_eq!(location(&submodule.git_dir).main_worktree.as_ref(), Some(&path));
    assert_eq!(worktrees(&submodule).unwrap()[0].path, path);
    let linked = repository.beside("linked");
    git_in(&path, [Path::new("worktree"), Path::new("add"), &linked]);
    assert_eq!(location(&linked).main_worktree, Some(path));
}

#[test]
fn a_repository_inside_another_is_not_a_submodule() {
    let outer = Repository::with_commit();
    let inner = outer.path().join("inner");
    fs_err::create_dir(&inner).unwrap();
    git_in(&inner, ["init", "--quiet"]);
    let location = location(&inner);
    assert_eq!((location.worktree, location.superproject), (Some(inner), None));
}

#[test]
fn head_on_a_branch_detached_and_unborn() {
    let repository = Repository::new();
    assert_eq!(head(&repository.path()).unwrap(), Head::Unborn { name: "main".into() });
    assert_eq!(worktrees(&location(&repository.path())).unwrap()[0].head, None);
    repository.write("x", "");
    let commit = repository.commit_all("first");
    repository.git(["switch", "--quiet", "--create", "feature/ñ"]);
    let on_branch = head(&repository.path()).unwrap();
    assert_eq!(on_branch, Head::Branch { name: "feature/ñ".into(), commit: commit.clone() });
    assert_eq!((on_branch.branch(), on_branch.commit()), (Some("feature/ñ"), Some(commit.as_str())));
    repository.git(["switch", "--quiet", "--detach"]);
    assert_eq!(head(&repository.path()).unwrap(), Head::Detached { commit });
}

#[test]
fn odd_directory_names() {
    for name in ["with space", "new\nline", "-dash", "日本 ñ", "tab\t\"quote\"", "trailing\n"] {
        let repository = Repository::named(name);
        let location = location(&repository.path());
        assert_eq!(location.worktree, Some(repository.path()), "{name:?}");
        assert_eq!(location.git_dir, repository.path().join(".git"), "{name:?}");
        assert_eq!(worktrees(&location).unwrap()[0].path, repository.path(), "{name:?}");
    }
}

#[test]
fn each_failure_has_its_own_variant() {
    let repository = Repository::with_commit();
    let missing = repository.beside("missing");
    assert!(matches!(locate(&missing), Err(GitError::Directory { .. })));
    let file = repository.path().join("file.txt");
    assert!(matches!(locate(&file), Err(GitError::Directory { .. })));
    let without_program = Git::at(repository.path()).with_program(&missing);
    assert!(matches!(locate(&without_program), Err(GitError::ProgramMissing)));
    let of_another = Git::at(repository.path())
        .with_variable("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        .with_variable("GIT_CONFIG_GLOBAL", "/dev/null")
        .with_variable("GIT_CONFIG_NOSYSTEM", "1");
    assert!(matches!(locate(&of_another), Err(GitError::DubiousOwnership { .. })));
    repository.write("nested/.git", "gitdir: ../nowhere\n");
    let dangling = locate(&repository.path().join("nested"));
    assert!(matches!(dangling, Err(GitError::Unreadable { .. })), "{dangling:?}");
    repository.write("nested/.git", "nonsense\n");
    assert!(matches!(locate(&repository.path().join("nested")), Err(GitError::Unreadable { .. })));
    repository.write(".git/config", "[core\n");
    let broken = locate(&repository.path());
    assert!(matches!(broken, Err(GitError::Unreadable { .. })), "{broken:?}");
}

#[test]
fn the_version_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let version = version(dir.path()).unwrap();
    assert!((version.major, version.minor) >= MINIMUM_VERSION, "{version:?}");
    assert!(version.text.starts_with(&format!("{}.{}", version.major, version.minor)));
}
