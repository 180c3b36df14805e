//! Real repositories of every kind, made by Git itself.
#![allow(clippy::disallowed_methods, reason = "tests make repositories with git")]

use std::process::Command;

use super::*;

struct Disk {
    _folder: tempfile::TempDir,
    top: PathBuf,
}

impl Disk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = canonical(folder.path()).unwrap();
        Self { _folder: folder, top }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    fn folder(&self, path: &str) -> PathBuf {
        let folder = self.at(path);
        fs_err::create_dir_all(&folder).unwrap();
        folder
    }

    fn git(&self, path: &str, arguments: &[&str]) {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.org",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(["-c", "init.defaultBranch=main"])
            .args(arguments)
            .current_dir(self.at(path))
            .env("GIT_CONFIG_GLOBAL", self.at("no-config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A repository with one commit.
    fn repository(&self, path: &str) -> PathBuf {
        let root = self.folder(path);
        self.git(path, &["init", "--quiet"]);
        self.git(path, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
        root
    }
}

fn found(start: &Path) -> Workspace {
    discover(start).unwrap()
}

#[track_caller]
fn assert_found(start: &Path, root: &Path, kind: WorkspaceKind) -> Workspace {
    let workspace = found(start);
    assert_eq!((workspace.root.as_path(), workspace.kind), (root, kind));
    workspace
}

#[test]
fn an_ordinary_repository_is_found_from_anywhere_inside() {
    let disk = Disk::new();
    let root = disk.repository("repo with space é");
    let deep = disk.folder("repo with space é/a/b");
    let workspace = assert_found(&deep, &root, WorkspaceKind::Repository);
    assert_eq!(workspace.start, deep);
    assert_eq!(workspace.git_dir, Some(root.join(".git")));
    assert_eq!(workspace.common_dir, Some(root.join(".git")));
    assert_eq!(workspace.main_root, Some(root.clone()));
    assert_eq!(workspace.cache_dir, root.join(".git/becket"));
    assert_eq!(workspace.work_trees(), std::slice::from_ref(&root));

    for inside in [".git", ".git/hooks", ".git/refs/heads"] {
        let workspace = assert_found(&root.join(inside), &root, WorkspaceKind::Repository);
        assert_eq!(workspace.main_root, Some(root.clone()));
    }
}

#[test]
fn a_repository_without_commits_is_one() {
    let disk = Disk::new();
    let root = disk.folder("repo");
    disk.git("repo", &["init", "--quiet"]);
    assert_found(&root, &root, WorkspaceKind::Repository);
}

#[test]
fn every_reference_and_object_format_is_a_repository() {
    let disk = Disk::new();
    for (name, option) in [("reftable", "--ref-format=reftable"), ("sha256", "--object-format=sha256")] {
        let root = disk.folder(name);
        disk.git(name, &["init", "--quiet", option]);
        disk.git(name, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
        disk.git(name, &["checkout", "--quiet", "--detach"]);
        assert_found(&root, &root, WorkspaceKind::Repository);
    }
}

#[test]
fn linked_worktrees_share_the_cache_and_know_the_main_one() {
    let disk = Disk::new();
    let main = disk.repository("repo");
    disk.git("repo", &["worktree", "add", "--quiet", "../linked"]);
    disk.git("repo", &["worktree", "add", "--quiet", "nested/tree"]);
    let linked = disk.at("linked");
    let workspace = assert_found(&linked, &linked, WorkspaceKind::LinkedWorktree);
    assert_eq!(workspace.git_dir, Some(main.join(".git/worktrees/linked")));
    assert_eq!(workspace.common_dir, Some(main.join(".git")));
    assert_eq!(workspace.cache_dir, main.join(".git/becket"));
    assert_eq!(workspace.main_root, Some(main.clone()));
    let all = [main.clone(), linked.clone(), main.join("nested/tree")];
    assert_eq!(workspace.work_trees(), all);
    assert_eq!(found(&main).work_trees(), all);

    assert_found(&main.join("nested/tree"), &main.join("nested/tree"), WorkspaceKind::LinkedWorktree);
    assert_found(&main.join(".git/worktrees/linked"), &linked, WorkspaceKind::LinkedWorktree);
    assert_found(&main.join(".git/worktrees/linked/refs"), &linked, WorkspaceKind::LinkedWorktree);

    fs_err::remove_dir_all(&linked).unwrap();
    assert_found(&main.join(".git/worktrees/linked"), &main, WorkspaceKind::Repository);
    assert_eq!(found(&main).work_trees(), [main.clone(), main.join("nested/tree")]);
}

#[test]
fn what_is_checked_out_is_read_where_a_file_says_it() {
    let disk = Disk::new();
    disk.repository("repo");
    let at = |folder: &str| discover(&disk.at(folder)).unwrap().checked_out();
    disk.git("repo", &["checkout", "--quiet", "-b", "feature/one"]);
    disk.git("repo", &["worktree", "add", "--quiet", "-b", "two", "../linked"]);
    disk.git("repo", &["worktree", "add", "--quiet", "--detach", "../apart"]);
    assert_eq!(at("repo"), CheckedOut::Branch("feature/one".to_owned()));
    assert_eq!(at("linked"), CheckedOut::Branch("two".to_owned()));
    assert_eq!(at("apart"), CheckedOut::Detached);
    disk.git("", &["init", "--quiet", "--ref-format=reftable", "tables"]);
    assert_eq!(at("tables"), CheckedOut::Unsaid);
}

#[test]
fn a_worktree_is_not_claimed_by_a_directory_that_it_does_not_name() {
    let disk = Disk::new();
    let main = disk.repository("repo");
    let victim = disk.repository("victim");
    disk.git("repo", &["worktree", "add", "--quiet", "../linked"]);
    let claim = main.join(".git/worktrees/linked/gitdir");
    fs_err::write(&claim, format!("{}\n", victim.join(".git").display())).unwrap();
    assert_found(&main.join(".git/worktrees/linked"), &main, WorkspaceKind::Repository);
    assert_eq!(found(&main).work_trees(), [main]);
}

#[test]
fn a_submodule_is_its_own_root() {
    let disk = Disk::new();
    disk.repository("library");
    let root = disk.repository("repo");
    disk.git("repo", &["submodule", "--quiet", "add", "../library", "deps/library"]);
    let module = root.join("deps/library");
    let workspace = assert_found(&module, &module, WorkspaceKind::Submodule);
    assert_eq!(workspace.git_dir, Some(root.join(".git/modules/deps/library")));
    assert_eq!(workspace.main_root, Some(module.clone()));
    assert_eq!(workspace.cache_dir, root.join(".git/modules/deps/library/becket"));
    assert_found(&root.join(".git/modules/deps/library/hooks"), &module, WorkspaceKind::Submodule);

    disk.git("repo/deps/library", &["worktree", "add", "--quiet", "../../../of-module"]);
    let linked = assert_found(&disk.at("of-module"), &disk.at("of-module"), WorkspaceKind::LinkedWorktree);
    assert_eq!(linked.main_root, Some(module));
}

#[test]
fn a_bare_repository_is_its_own_root() {
    let disk = Disk::new();
    disk.repository("repo");
    disk.git("", &["clone", "--quiet", "--bare", "repo", "bare.git"]);
    let bare = disk.at("bare.git");
    let workspace = assert_found(&bare.join("refs"), &bare, WorkspaceKind::Bare);
    assert_eq!(workspace.main_root, None);
    assert_eq!(workspace.cache_dir, bare.join("becket"));
    assert_eq!(workspace.work_trees(), Vec::<PathBuf>::new());

    disk.git("bare.git", &["worktree", "add", "--quiet", "../tree", "main"]);
    let tree = assert_found(&disk.at("tree"), &disk.at("tree"), WorkspaceKind::LinkedWorktree);
    assert_eq!(tree.main_root, None);
    assert_eq!(tree.common_dir, Some(bare.clone()));
    assert_eq!(found(&bare).work_trees(), [disk.at("tree")]);
}

#[test]
fn a_bare_repository_behind_a_git_entry_is_bare() {
    let disk = Disk::new();
    disk.repository("repo");
    disk.folder("a");
    disk.git("", &["clone", "--quiet", "--bare", "repo", "a/.git"]);
    assert_found(&disk.at("a"), &disk.at("a/.git"), WorkspaceKind::Bare);
    disk.folder("b");
    disk.git("", &["clone", "--quiet", "--bare", "repo", "b/.bare"]);
    fs_err::write(disk.at("b/.git"), "gitdir: ./.bare\n").unwrap();
    assert_found(&disk.at("b"), &disk.at("b/.bare"), WorkspaceKind::Bare);
    disk.git("b", &["worktree", "add", "--quiet", "main-tree", "main"]);
    assert_found(&disk.at("b/main-tree"), &disk.at("b/main-tree"), WorkspaceKind::LinkedWorktree);
}

#[test]
fn a_git_directory_kept_apart_is_followed() {
    let disk = Disk::new();
    disk.folder("repo");
    disk.git("repo", &["init", "--quiet", "--separate-git-dir", "../apart"]);
    let workspace = assert_found(&disk.at("repo"), &disk.at("repo"), WorkspaceKind::Repository);
    assert_eq!(workspace.git_dir, Some(disk.at("apart")));
}

#[test]
fn what_looks_like_git_cannot_move_the_root() {
    let disk = Disk::new();
    let root = disk.repository("repo");
    disk.folder("elsewhere");
    disk.git("", &["clone", "--quiet", "--bare", "repo", "repo/fixture"]);
    disk.git("repo/fixture", &["config", "core.bare", "false"]);
    disk.git("repo", &["config", "--file", "fixture/config", "core.worktree", "../../elsewhere"]);
    assert_found(&root.join("fixture"), &root.join("fixture"), WorkspaceKind::Bare);
}

#[test]
fn a_plain_folder_is_its_own_root_unless_a_settings_file_is_above() {
    let disk = Disk::new();
    let deep = disk.folder("plain/a/b");
    let workspace = assert_found(&deep, &deep, WorkspaceKind::Plain);
    assert_eq!((workspace.git_dir, workspace.common_dir), (None, None));
    assert_eq!(workspace.cache_dir, deep.join(".becket"));
    fs_err::write(disk.at("plain/becket.toml"), "").unwrap();
    assert_found(&deep, &disk.at("plain"), WorkspaceKind::Plain);
}

#[test]
fn a_git_folder_that_is_not_a_git_directory_is_passed_over() {
    let disk = Disk::new();
    let root = disk.repository("repo");
    for (name, head) in [("empty", None), ("odd", Some("something else\n"))] {
        let folder = disk.folder(&format!("repo/{name}/.git"));
        if let Some(head) = head {
            fs_err::write(folder.join("HEAD"), head).unwrap();
        }
        assert_found(&root.join(name), &root, WorkspaceKind::Repository);
    }
    disk.folder("repo/half/.git/objects");
    fs_err::write(root.join("half/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert_found(&root.join("half"), &root, WorkspaceKind::Repository);
}

#[test]
fn a_broken_git_file_is_an_error() {
    let disk = Disk::new();
    let root = disk.folder("repo");
    for (content, code, message) in [
        ("gitdir: ../gone\n", "git_file_broken", "leads to"),
        ("gitdir: .\n", "git_file_broken", "leads to"),
        ("nonsense", "git_file_broken", "does not begin with `gitdir: `"),
        ("", "git_file_broken", "does not begin"),
        ("gitdir:\n", "git_file_broken", "empty"),
    ] {
        fs_err::write(root.join(".git"), content).unwrap();
        let error = discover(&root).unwrap_err();
        assert_eq!(error.code(), code, "{content:?}");
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().contains("worktree repair"));
    }
}

#[test]
fn what_is_not_a_folder_is_an_error() {
    let disk = Disk::new();
    fs_err::write(disk.at("file"), "").unwrap();
    for (path, code) in [
        ("missing", "repository_missing"),
        ("file", "repository_not_a_folder"),
        ("file/x", "repository_not_a_folder"),
    ] {
        let error = discover(&disk.at(path)).unwrap_err();
        assert_eq!(error.code(), code, "{path}");
        assert!(error.to_string().contains(path), "{error}");
    }
    let long = disk.at(&"n".repeat(300));
    assert_eq!(discover(&long).unwrap_err().code(), "repository_unreadable");
}

#[cfg(unix)]
#[test]
fn links_are_resolved() {
    use fs_err::os::unix::fs::symlink;
    let disk = Disk::new();
    let root = disk.repository("repo");
    disk.folder("repo/src");
    symlink(root.join("src"), disk.at("link")).unwrap();
    assert_found(&disk.at("link"), &root, WorkspaceKind::Repository);

    disk.folder("view");
    symlink(root.join(".git"), disk.at("view/.git")).unwrap();
    let view = assert_found(&disk.at("view"), &disk.at("view"), WorkspaceKind::Repository);
    assert_eq!(view.git_dir, Some(root.join(".git")));

    symlink("loop", disk.at("loop")).unwrap();
    assert_eq!(discover(&disk.at("loop")).unwrap_err().code(), "repository_unreadable");
    disk.folder("dangling");
    symlink("nowhere", disk.at("dangling/.git")).unwrap();
    assert_eq!(discover(&disk.at("dangling")).unwrap_err().code(), "git_file_broken");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_text_is_refused_by_name() {
    use std::os::unix::ffi::OsStrExt;
    let disk = Disk::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    let main = disk.repository("repo");
    let target = disk.top.join(name);
    Command::new("git")
        .args(["worktree", "add", "--quiet"])
        .arg(&target)
        .current_dir(&main)
        .status()
        .unwrap();
    let refused = discover(&target).unwrap_err();
    assert!(matches!(&refused, RootError::NotUnicode { path } if *path == target), "{refused:?}");
}

#[test]
fn the_flag_comes_before_the_variables_and_those_before_the_current_directory() {
    let disk = Disk::new();
    let [here, flag, variable, seed] = ["here", "flag", "variable", "seed"].map(|name| disk.folder(name));
    let environment = Environment::new(&here);
    assert_eq!(locate(None, &environment).unwrap().root, here);
    let environment = environment.with_variable("PROJECT_PATH", "../seed");
    assert_eq!(locate(None, &environment).unwrap().root, seed);
    let environment = environment.with_variable("BECKET_REPO", variable.to_str().unwrap());
    assert_eq!(locate(None, &environment).unwrap().root, variable);
    assert_eq!(locate(Some(Path::new("../flag")), &environment).unwrap().root, flag);
    let environment = environment.with_variable("BECKET_REPO", "");
    assert_eq!(locate(None, &environment).unwrap().root, seed);
}

#[test]
fn who_named_a_wrong_root_is_told() {
    let disk = Disk::new();
    let environment =
        Environment::new(disk.folder("here")).with_variable("PROJECT_PATH", "/path/to/your/project");
    let error = locate(None, &environment).unwrap_err();
    assert_eq!(error.to_string(), "PROJECT_PATH: /path/to/your/project does not exist");
    assert_eq!(error.code(), "repository_missing");
    let error = locate(Some(Path::new("gone")), &environment).unwrap_err();
    assert!(error.to_string().starts_with("--repo: "), "{error}");
}

/// What was unpacked somewhere may have one in it.
#[cfg(unix)]
#[test]
fn a_cache_that_leads_out_of_its_folder_is_refused() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(outside.path(), folder.path().join(".becket")).unwrap();
    let refused = discover(folder.path()).unwrap_err();
    assert_eq!(refused.code(), "path_link_outside_root", "{refused}");
    fs_err::remove_file(folder.path().join(".becket")).unwrap();
    discover(folder.path()).unwrap();
}
