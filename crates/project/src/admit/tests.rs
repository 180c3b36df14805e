//! A temporary tree with every way of leading out, and random paths through it.

use super::*;

struct Disk {
    _folder: tempfile::TempDir,
    top: PathBuf,
}

impl Disk {
    /// `repo` (the root), `repo-evil` and `outside` beside it, and links between them.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = canonical(folder.path()).unwrap();
        let disk = Self { _folder: folder, top };
        for (path, content) in [
            ("repo/src/main.rs", "fn main() {}"),
            ("repo/src/deep/er/file", "x"),
            ("repo/.gitignore", ""),
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/.git/config", ""),
            ("repo/.git/refs/keep", ""),
            ("repo/.git/objects/keep", ""),
            ("repo-evil/file", "evil"),
            ("outside/file", "secret"),
        ] {
            disk.write(path, content);
        }
        disk.link("repo/inside-link", "src/deep");
        disk.link("repo/self", ".");
        disk.link("repo/up", "..");
        disk.link("repo/out", "../outside");
        disk.link("repo/out-file", "../outside/file");
        disk.link("repo/round", "../repo/src");
        disk.link("repo/dangling-in", "src/not-yet");
        disk.link("repo/dangling-out", "../outside/not-yet");
        disk.link("repo/loop", "loop");
        disk.link("repo/config-link", ".git/config");
        disk.link("alias", "repo");
        disk
    }

    fn at(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.at(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, content).unwrap();
    }

    #[cfg(unix)]
    fn link(&self, path: &str, target: &str) {
        fs_err::os::unix::fs::symlink(target, self.at(path)).unwrap();
    }

    #[cfg(not(unix))]
    fn link(&self, path: &str, target: &str) {
        let place = self.at(path).parent().unwrap().join(target);
        if place.is_dir() {
            fs_err::os::windows::fs::symlink_dir(target, self.at(path)).unwrap();
        } else {
            fs_err::os::windows::fs::symlink_file(target, self.at(path)).unwrap();
        }
    }

    fn sandbox(&self) -> Sandbox {
        Sandbox::new(discover(&self.at("repo")).unwrap(), [])
    }

    /// `Ok(relative)` or the name of the variant.
    fn admit(&self, argument: &str) -> Result<String, String> {
        let argument = argument.replace("TOP", &self.top.to_string_lossy());
        match self.sandbox().admit(&argument) {
            Ok(admitted) => {
                let spelled: PathBuf =
                    admitted.root.iter().chain(admitted.relative.components().map(OsStr::new)).collect();
                assert_eq!(spelled, admitted.absolute, "{argument}");
                Ok(admitted.relative.to_string())
            }
            Err(error) => Err(variant(&error)),
        }
    }
}

fn variant(error: &impl std::fmt::Debug) -> String {
    let printed = format!("{error:?}");
    printed.split([' ', '(', '{']).next().unwrap().to_owned()
}

#[test]
fn every_way_in_and_out_has_its_own_answer() {
    let disk = Disk::new();
    let ok = |path: &str| Ok(path.to_owned());
    let no = |variant: &str| Err(variant.to_owned());
    for (argument, expected) in [
        (".", ok(".")),
        ("src/main.rs", ok("src/main.rs")),
        ("./src//deep/../main.rs", ok("src/main.rs")),
        ("TOP/repo/src/main.rs", ok("src/main.rs")),
        ("TOP/repo", ok(".")),
        ("TOP/alias/src/main.rs", ok("src/main.rs")),
        ("TOP/outside/../repo/src", ok("src")),
        ("inside-link/er/file", ok("src/deep/er/file")),
        ("inside-link/../main.rs", ok("src/main.rs")),
        ("self/self/src", ok("src")),
        ("round/main.rs", ok("src/main.rs")),
        (".gitignore", ok(".gitignore")),
        // Not there yet.
        ("new", ok("new")),
        ("src/new/deeper/file.rs", ok("src/new/deeper/file.rs")),
        ("new/../src/main.rs", ok("src/main.rs")),
        ("inside-link/new", ok("src/deep/new")),
        ("TOP/repo/new", ok("new")),
        (".github/workflows/ci.yml", ok(".github/workflows/ci.yml")),
        ("-rf", ok("-rf")),
        ("odd \u{e9}\n\u{1f980}", ok("odd \u{e9}\n\u{1f980}")),
        // `..`
        ("..", no("Escape")),
        ("../outside/file", no("Escape")),
        ("../repo/src/main.rs", no("Escape")),
        ("src/../../outside/file", no("Escape")),
        ("TOP/repo/../outside/file", no("Escape")),
        ("TOP/repo/src/../../repo-evil/file", no("Escape")),
        // Elsewhere
        ("/etc/passwd", no("Outside")),
        ("/", no("Outside")),
        ("TOP", no("Outside")),
        ("TOP/outside/file", no("Outside")),
        ("TOP/outside/missing", no("Outside")),
        ("TOP/outside/file/below", no("Outside")),
        ("TOP/repo-evil/file", no("Sibling")),
        ("TOP/repo-evil", no("Sibling")),
        ("TOP/repository-that-is-not", no("Sibling")),
        // Links
        ("out/file", no("LinkOutside")),
        ("out", no("LinkOutside")),
        ("out-file", no("LinkOutside")),
        ("out/new", no("LinkOutside")),
        ("out/../src", no("LinkOutside")),
        ("up/outside/file", no("LinkOutside")),
        ("up/repo-evil/file", no("LinkOutside")),
        ("self/../outside/file", no("LinkOutside")),
        ("TOP/repo/out/file", no("LinkOutside")),
        ("dangling-in", no("DanglingLink")),
        ("dangling-out", no("DanglingLink")),
        ("dangling-out/x", no("DanglingLink")),
        ("loop", no("Unreadable")),
        ("loop/x", no("Unreadable")),
        // Git
        (".git", no("GitInternal")),
        (".git/config", no("GitInternal")),
        (".GIT/config", no("GitInternal")),
        (".git/new", no("GitInternal")),
        ("src/../.git/hooks/pre-commit", no("GitInternal")),
        ("config-link", no("GitInternal")),
        ("self/.git/config", no("GitInternal")),
        ("sub/.git/config", no("GitInternal")),
        ("git~1/config", no("GitInternal")),
        (".git./config", no("GitInternal")),
        // Spelling
        ("", no("Spelling")),
        ("a\0b", no("Spelling")),
        (r"C:\Windows", no("Spelling")),
        (r"\\server\share", no("Spelling")),
        (r"..\outside\file", no("Escape")),
        (r"src\main.rs", ok("src/main.rs")),
        // Not a folder
        ("src/main.rs/x", no("NotAFolder")),
        ("src/main.rs/../main.rs", ok("src/main.rs")),
    ] {
        assert_eq!(disk.admit(argument), expected, "{argument:?}");
    }
    assert_eq!(disk.admit(&"n".repeat(300)), no("Unreadable"));
    assert_eq!(disk.admit(&"n/".repeat(40_000)), no("Spelling"));
}

#[test]
fn a_refusal_has_a_code_a_message_and_a_next_step() {
    let disk = Disk::new();
    let mut told = Vec::new();
    for argument in
        ["../x", "/etc/passwd", "out/file", ".git/config", "src/main.rs/x", "dangling-out", r"C:\x"]
    {
        let error = disk.sandbox().admit(argument).unwrap_err();
        told.push(format!("{} | {error} | {}", error.code(), error.hint()));
    }
    let told = told.join("\n").replace(&*disk.top.to_string_lossy(), "TOP");
    insta::assert_snapshot!(told, @r"
    path_escapes_root | `../x` leads out of TOP/repo with `..` | Use a path inside the repository, or add its folder to security.allowed_paths.
    path_outside_root | `/etc/passwd` is outside of TOP/repo | Use a path inside the repository, or add its folder to security.allowed_paths.
    path_link_outside_root | `out/file` goes through a link that leads out of TOP/repo | Name the file itself instead of a link, and only inside the repository.
    path_in_git_dir | `.git/config` is inside of Git's own files | Git's own files are never read or written through becket; use Git.
    path_not_a_folder | `src/main.rs/x` goes through TOP/repo/src/main.rs, which is not a folder | Check the path: one of its folders is a file.
    path_link_outside_root | `dangling-out` goes through TOP/repo/dangling-out, a link that leads nowhere | Name the file itself instead of a link, and only inside the repository.
    path_invalid | `C:\x` is not a path that can be used: it names a Windows drive | Give a path relative to the repository root, with forward slashes.
    ");
}

#[test]
fn a_long_or_wild_argument_stays_out_of_the_message() {
    let error = Disk::new().sandbox().admit(format!("../\u{1b}[2J{}", "x".repeat(10_000))).unwrap_err();
    assert!(error.to_string().len() < 600 && !error.to_string().contains('\u{1b}'), "{error}");
}

#[test]
fn nested_git_files_must_stay_inside() {
    let disk = Disk::new();
    for (name, content, expected) in [
        ("submodule", "gitdir: ../.git/modules/submodule\n".to_owned(), None),
        ("pruned", "gitdir: ../.git/worktrees/gone\n".to_owned(), None),
        ("relative-out", "gitdir: ../../outside\n".to_owned(), Some("NestedGitOutside")),
        ("absolute-out", format!("gitdir: {}\n", disk.at("outside").display()), Some("NestedGitOutside")),
        ("missing-out", "gitdir: ../../nowhere/at/all\n".to_owned(), Some("NestedGitOutside")),
        ("sibling", "gitdir: ../../repo-evil\n".to_owned(), Some("NestedGitOutside")),
        ("through-link", "gitdir: ../out\n".to_owned(), Some("NestedGitOutside")),
        ("broken", "what?".to_owned(), Some("NestedGitBroken")),
    ] {
        disk.write(&format!("repo/{name}/src/file"), "x");
        disk.write(&format!("repo/{name}/.git"), &content);
        for path in [format!("{name}/src/file"), format!("{name}/src/new"), name.to_owned()] {
            let expected = expected.map_or(Ok(path.clone()), |variant| Err(variant.to_owned()));
            assert_eq!(disk.admit(&path), expected, "{path}");
        }
    }
    disk.write("repo/whole/.git/HEAD", "");
    disk.write("repo/linked/file", "");
    disk.link("repo/linked/.git", "../../outside");
    assert_eq!(disk.admit("whole/file"), Ok("whole/file".to_owned()));
    assert_eq!(disk.admit("linked/file"), Err("NestedGitOutside".to_owned()));
}

#[test]
fn only_allowed_roots_are_admitted_as_roots() {
    let disk = Disk::new();
    disk.write("projects/app/src/index.ts", "");
    disk.write("projects/stray/.git", "gitdir: ../../outside\n");
    disk.link("projects/out", "../outside");
    let workspace = discover(&disk.at("repo")).unwrap();
    let sandbox = Sandbox::new(workspace, [disk.at("projects"), disk.at("not-yet")]);
    let root = |argument: &str| {
        let argument = argument.replace("TOP", &disk.top.to_string_lossy());
        let found =
            sandbox.admit_root(&argument).map(|workspace| workspace.root).map_err(|error| variant(&error));
        found.map(|root| root.strip_prefix(&disk.top).unwrap().to_string_lossy().into_owned())
    };
    let ok = |path: &str| Ok(path.to_owned());
    let no = |variant: &str| Err(variant.to_owned());
    for (argument, expected) in [
        (".", ok("repo")),
        ("src/deep", ok("repo")),
        ("TOP/repo/src", ok("repo")),
        ("TOP/projects", ok("projects")),
        ("TOP/projects/app/src", ok("projects/app/src")),
        ("TOP/alias", ok("repo")),
        ("TOP/projects/../projects/app", ok("projects/app")),
        ("TOP/outside", no("Outside")),
        ("TOP/repo-evil", no("Sibling")),
        ("TOP/projects-evil", no("Outside")),
        ("TOP/projects/out", no("LinkOutside")),
        ("TOP/projects/stray", no("NestedGitOutside")),
        ("TOP/not-yet", no("Outside")),
        ("../projects", no("Escape")),
        (".git", no("GitInternal")),
        ("out", no("LinkOutside")),
        ("missing", no("Root")),
        ("src/main.rs", no("Root")),
        ("", no("Spelling")),
    ] {
        assert_eq!(root(argument), expected, "{argument:?}");
    }
    disk.write("not-yet/file", "");
    assert_eq!(root("TOP/not-yet"), ok("not-yet"));
}

#[test]
fn a_root_whose_repository_is_outside_is_refused() {
    let disk = Disk::new();
    disk.write("other/.git/HEAD", "ref: refs/heads/main\n");
    disk.write("other/.git/refs/keep", "");
    disk.write("other/.git/objects/keep", "");
    disk.write("other/packages/web/index.ts", "");
    let workspace = discover(&disk.at("repo")).unwrap();
    let error = Sandbox::new(workspace.clone(), [disk.at("other/packages")])
        .admit_root(disk.at("other/packages/web"))
        .unwrap_err();
    assert_eq!(error.code(), "root_not_allowed");
    let sandbox = Sandbox::new(workspace, [disk.at("other")]);
    let found = sandbox.admit_root(disk.at("other/packages/web")).unwrap();
    assert_eq!(found.root, disk.at("other"));
    let admitted = sandbox.around(found).admit("packages/web/index.ts").unwrap();
    assert_eq!(admitted.absolute, disk.at("other/packages/web/index.ts"));
    assert!(sandbox.admit(disk.at("other/packages/web/index.ts")).is_err());
}

/// A repository beside ours, with a linked worktree `foreign-tree`.
fn foreign(disk: &Disk) {
    for name in ["HEAD", "refs/keep", "objects/keep", "worktrees/tree/HEAD"] {
        disk.write(&format!("foreign/.git/{name}"), "ref: refs/heads/main\n");
    }
    disk.write("foreign/.git/worktrees/tree/commondir", "../..\n");
    disk.write(
        "foreign/.git/worktrees/tree/gitdir",
        &format!("{}\n", disk.at("foreign-tree/.git").display()),
    );
    disk.write(
        "foreign-tree/.git",
        &format!("gitdir: {}\n", disk.at("foreign/.git/worktrees/tree").display()),
    );
    disk.write("foreign-tree/file", "");
}

#[test]
fn a_git_directory_that_borrows_from_outside_is_refused() {
    let disk = Disk::new();
    foreign(&disk);
    disk.write("repo/evil/.git/HEAD", "ref: refs/heads/main\n");
    disk.write("repo/evil/.git/refs/keep", "");
    for (commondir, expected) in [
        (disk.at("foreign/.git").display().to_string(), "NestedGitOutside"),
        ("../../../foreign/.git".to_owned(), "NestedGitOutside"),
        ("../../../foreign/.git\0".to_owned(), "NestedGitBroken"),
    ] {
        disk.write("repo/evil/.git/commondir", &commondir);
        for argument in ["evil", "evil/file"] {
            assert_eq!(disk.admit(argument), Err(expected.to_owned()), "{commondir:?} {argument}");
        }
        let error = disk.sandbox().admit_root("evil").unwrap_err();
        assert_eq!((variant(&error).as_str(), error.code()), (expected, "path_nested_git"));
    }
    disk.write("repo/evil/.git/commondir", "../../.git\n");
    assert_eq!(disk.admit("evil/file"), Ok("evil/file".to_owned()), "our own clone may be shared");
    assert!(disk.sandbox().admit_root("evil").is_ok());
}

#[test]
fn an_allowed_root_needs_its_git_directory_allowed_too() {
    let disk = Disk::new();
    foreign(&disk);
    disk.write("borrowed/.git", &format!("gitdir: {}\n", disk.at("foreign/.git").display()));
    let sandbox = |allowed: &[&str]| {
        Sandbox::new(discover(&disk.at("repo")).unwrap(), allowed.iter().map(|path| disk.at(path)))
    };
    for root in ["borrowed", "foreign-tree"] {
        let error = sandbox(&[root]).admit_root(disk.at(root)).unwrap_err();
        assert_eq!((variant(&error).as_str(), error.code()), ("NestedGitOutside", "path_nested_git"));
        assert!(error.hint().contains("security.allowed_paths") && !error.to_string().contains("outside of"));
        assert_eq!(sandbox(&[root, "foreign"]).admit_root(disk.at(root)).unwrap().root, disk.at(root));
    }
}

#[test]
fn a_link_does_not_lend_the_worktrees_of_another_clone() {
    let disk = Disk::new();
    foreign(&disk);
    disk.link("repo/.git/worktrees", "../../foreign/.git/worktrees");
    assert_eq!(disk.admit("TOP/foreign-tree/file"), Err("Outside".to_owned()));
    assert!(disk.sandbox().admit_root(disk.at("foreign-tree")).is_err());
}

#[test]
fn other_worktrees_of_the_clone_are_admitted_by_absolute_path() {
    let disk = Disk::new();
    disk.write("repo/.git/worktrees/two/HEAD", "ref: refs/heads/two\n");
    disk.write("repo/.git/worktrees/two/commondir", "../..\n");
    disk.write("repo/.git/worktrees/two/gitdir", &format!("{}\n", disk.at("two/.git").display()));
    disk.write("two/.git", &format!("gitdir: {}\n", disk.at("repo/.git/worktrees/two").display()));
    disk.write("two/lib.rs", "");
    let admitted = disk.sandbox().admit(disk.at("two/lib.rs")).unwrap();
    assert_eq!((admitted.root, admitted.relative.as_str()), (disk.at("two"), "lib.rs"));
    assert_eq!(disk.sandbox().admit_root(disk.at("two")).unwrap().root, disk.at("two"));
    assert_eq!(disk.admit("TOP/two/.git"), Err("Outside".to_owned()));
    assert_eq!(disk.admit("lib.rs"), Ok("lib.rs".to_owned()));

    let linked = Sandbox::new(discover(&disk.at("two")).unwrap(), []);
    assert_eq!(linked.admit(disk.at("repo/src/main.rs")).unwrap().root, disk.at("repo"));
    assert_eq!(linked.admit("lib.rs").unwrap().root, disk.at("two"));
    assert!(linked.admit(disk.at("repo/.git/config")).is_err());
}

#[test]
fn a_bare_repository_has_no_files_but_its_worktrees_have() {
    let disk = Disk::new();
    disk.write("bare/HEAD", "ref: refs/heads/main\n");
    disk.write("bare/config", "[core]\nbare = true\n");
    disk.write("bare/refs/keep", "");
    disk.write("bare/objects/keep", "");
    disk.write("bare/worktrees/tree/HEAD", "ref: refs/heads/main\n");
    disk.write("bare/worktrees/tree/commondir", "../..\n");
    disk.write("bare/worktrees/tree/gitdir", &format!("{}\n", disk.at("bare/tree/.git").display()));
    disk.write("bare/tree/.git", &format!("gitdir: {}\n", disk.at("bare/worktrees/tree").display()));
    disk.write("bare/tree/file", "");
    let bare = Sandbox::new(discover(&disk.at("bare")).unwrap(), []);
    assert_eq!(bare.admit("config").unwrap_err().code(), "bare_repository");
    assert_eq!(bare.admit(disk.at("bare/tree/file")).unwrap().relative.as_str(), "file");
    assert_eq!(bare.admit_root("tree").unwrap().root, disk.at("bare/tree"));
    let tree = Sandbox::new(discover(&disk.at("bare/tree")).unwrap(), []);
    assert_eq!(tree.admit("file").unwrap().root, disk.at("bare/tree"));
    assert_eq!(tree.admit("../config").unwrap_err().code(), "path_escapes_root");
}

#[test]
fn a_git_directory_of_another_name_is_git_s_own_too() {
    let disk = Disk::new();
    fs_err::rename(disk.at("repo/.git"), disk.at("repo/storage")).unwrap();
    disk.write("repo/.git", "gitdir: storage\n");
    assert_eq!(disk.admit("storage/config"), Err("GitInternal".to_owned()));
    assert_eq!(disk.admit("storage"), Err("GitInternal".to_owned()));
    assert_eq!(disk.admit("storage-2"), Ok("storage-2".to_owned()));
}

#[test]
fn an_open_file_is_still_the_admitted_one() {
    use std::io::Read;
    let disk = Disk::new();
    let admitted = disk.sandbox().admit("src/main.rs").unwrap();
    let mut text = String::new();
    admitted.open().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "fn main() {}");

    fs_err::rename(disk.at("repo/src"), disk.at("moved")).unwrap();
    disk.write("outside/main.rs", "secret");
    disk.link("repo/src", "../outside");
    assert_eq!(admitted.open().unwrap_err().code(), "path_replaced");
    fs_err::remove_file(disk.at("repo/src")).unwrap();
    assert_eq!(admitted.open().unwrap_err().code(), "path_unreadable");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStrExt;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_text_is_refused_as_argument_and_as_target() {
        let disk = Disk::new();
        let name = OsStr::from_bytes(b"caf\xe9");
        assert_eq!(disk.sandbox().admit(name).unwrap_err().code(), "path_not_utf8");
        fs_err::create_dir(disk.at("repo").join(name)).unwrap();
        fs_err::os::unix::fs::symlink(name, disk.at("repo/plain")).unwrap();
        assert_eq!(disk.sandbox().admit("plain").unwrap_err().code(), "path_not_utf8");
    }

    #[test]
    fn a_backslash_can_be_part_of_a_name() {
        let disk = Disk::new();
        disk.write(r"repo/a\b", "");
        let admitted = disk.sandbox().admit(r"./a\b").unwrap();
        assert_eq!(admitted.absolute, disk.at(r"repo/a\b"));
    }

    fn component() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "",
            ".",
            "..",
            "src",
            "deep",
            "er",
            "file",
            "main.rs",
            "inside-link",
            "self",
            "up",
            "out",
            "out-file",
            "round",
            "dangling-in",
            "dangling-out",
            "loop",
            "repo",
            "repo-evil",
            "outside",
            "new",
            ".git",
            ".GIT",
            "config-link",
            "alias",
            "..\\",
            "C:",
            "...",
            " ",
            "\u{200c}",
            "etc",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn no_path_escapes(components in prop::collection::vec(component(), 0..8), absolute in prop::sample::select(vec!["", "/", "TOP/", "TOP/repo/", "TOP/alias/"])) {
            thread_local! { static DISK: Disk = Disk::new(); }
            DISK.with(|disk| {
                let argument = format!("{}{}", absolute.replace("TOP", &disk.top.to_string_lossy()), components.join("/"));
                let root = disk.at("repo");
                let Ok(admitted) = disk.sandbox().admit(&argument) else { return Ok(()) };
                prop_assert_eq!(&admitted.root, &root);
                prop_assert_eq!(&root.join(admitted.relative.as_str()).components().collect::<PathBuf>(), &admitted.absolute);
                prop_assert!(admitted.absolute.components().all(|part| part.as_os_str() != ".."));
                prop_assert!(!admitted.relative.components().any(is_git_name));
                // The system itself must agree on where it leads.
                let place = canonical(&root.join(&argument));
                if let Ok(place) = &place {
                    prop_assert!(place.starts_with(&root));
                    prop_assert_eq!(place, &admitted.absolute);
                }
                let deepest = admitted.absolute.ancestors().find(|path| path.exists()).unwrap();
                prop_assert_eq!(deepest, canonical(deepest).unwrap());
                prop_assert!(deepest.starts_with(&root));
                Ok(())
            })?;
        }

        #[test]
        fn no_text_is_too_odd(argument in any::<String>()) {
            thread_local! { static DISK: Disk = Disk::new(); }
            DISK.with(|disk| {
                if let Ok(admitted) = disk.sandbox().admit(&argument) {
                    prop_assert!(admitted.absolute.starts_with(disk.at("repo")));
                }
                Ok(())
            })?;
        }
    }
}
