//! Writing, seen from the folder in which it happens: what is there afterwards, and that nothing else is.
#![allow(clippy::disallowed_methods, reason = "tests prepare files")]

use super::*;

struct Disk(tempfile::TempDir);

impl Disk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[test]
fn a_write_makes_and_replaces_and_leaves_nothing_beside() {
    let disk = Disk::new();
    let path = disk.at("settings.json");
    write(&path, b"one").unwrap();
    write(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(disk.names(), ["settings.json"]);
}

#[test]
fn a_failed_write_leaves_nothing_beside() {
    let disk = Disk::new();
    fs::create_dir(disk.at("folder")).unwrap();
    assert!(matches!(write(&disk.at("folder"), b""), Err(FileError::NotAFile { .. })));
    assert!(matches!(write(&disk.at("missing/file"), b""), Err(FileError::Failed { .. })));
    assert!(matches!(write(Path::new("/"), b""), Err(FileError::NotAFile { .. })));
    assert_eq!(disk.names(), ["folder"]);
}

#[test]
fn what_holds_a_cache_is_not_made_for_it() {
    let disk = Disk::new();
    for file in ["repo/.git/becket/understand/locks/one", "plain/.becket/understand/one"] {
        let holder = disk.at(file.split_once("becket").unwrap().0.trim_end_matches('.'));
        assert!(create_folder_of(&disk.at(file)).is_err(), "{file}");
        assert_eq!(disk.names(), Vec::<String>::new());
        fs::create_dir_all(&holder).unwrap();
        create_folder_of(&disk.at(file)).unwrap();
        assert!(disk.at(file).parent().unwrap().is_dir());
        fs::remove_dir_all(disk.at(file.split('/').next().unwrap())).unwrap();
    }
}

#[test]
fn what_nobody_finishes_any_more_is_cleared_away() {
    let disk = Disk::new();
    let old = ".index.tree.0123456789abcdef.tmp";
    let names = [old, "index.0123456789abcdef.tmp", ".new.tree.0123456789abcdef.tmp", "mine.tmp", "x.12.tmp"];
    for name in names {
        fs::write(disk.at(name), "half").unwrap();
    }
    let hour_ago = fs::metadata(disk.at(old)).unwrap().modified().unwrap() - Duration::from_hours(1);
    for name in names.iter().filter(|name| !name.contains("new")) {
        fs::OpenOptions::new().write(true).open(disk.at(name)).unwrap().set_modified(hour_ago).unwrap();
    }
    write_derived(&disk.at("tree"), b"whole").unwrap();
    clear_half_written(disk.0.path(), &disk.at("tree"));
    assert_eq!(disk.names(), [".new.tree.0123456789abcdef.tmp", "mine.tmp", "tree", "x.12.tmp"]);
}

#[test]
fn pieces_are_one_text_and_not_written_where_it_stands() {
    let disk = Disk::new();
    let path = disk.at("context.json");
    // More than a system takes at once, with empty ones at both ends and between.
    let many: Vec<String> =
        (0..5_000).map(|at| if at % 7 == 0 { String::new() } else { at.to_string() }).collect();
    let pieces: Vec<&str> = many.iter().map(String::as_str).chain([""]).collect();
    stage_derived(&path, &pieces).unwrap().unwrap().put().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), pieces.concat());
    assert!(stage_derived(&path, &[&pieces.concat()]).unwrap().is_none());
    assert!(stage_derived(&path, &pieces).unwrap().is_none());
    // As long, and another in its last byte.
    let other = format!("{}x", &pieces.concat()[1..]);
    assert!(stage_derived(&path, &[&other[..9], &other[9..]]).unwrap().is_some());
    write_derived(&path, b"").unwrap();
    assert_eq!((fs::read(&path).unwrap().len(), disk.names()), (0, vec!["context.json".to_owned()]));
}

#[test]
fn a_read_only_file_is_left_alone() {
    let disk = Disk::new();
    let path = disk.at("kept");
    fs::write(&path, "kept").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(matches!(write(&path, b"new"), Err(FileError::ReadOnly { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"kept");
}

#[test]
fn readers_see_the_old_or_the_new_bytes_and_nothing_between() {
    let disk = Disk::new();
    let path = disk.at("file");
    let texts = [vec![b'a'; 100_000], vec![b'b'; 50_000]];
    write(&path, &texts[0]).unwrap();
    std::thread::scope(|scope| {
        let writers: Vec<_> = texts
            .iter()
            .map(|text| scope.spawn(|| (0..20).for_each(|_| write(&path, text).unwrap())))
            .collect();
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            assert!(texts.contains(&fs::read(&path).unwrap()));
        }
    });
    assert_eq!(disk.names(), ["file"]);
}

#[test]
fn only_one_of_many_makes_a_file() {
    let disk = Disk::new();
    let path = disk.at("token");
    let made = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8_u8)
            .map(|number| {
                let path = &path;
                scope.spawn(move || create_secret(path, &[number; 64]).is_ok())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|made| *made).count()
    });
    assert_eq!(made, 1);
    assert_eq!(fs::read(&path).unwrap().len(), 64);
    assert_eq!(disk.names(), ["token"]);
    assert!(matches!(create(&path, b"x"), Err(FileError::Exists { .. })));
}

#[test]
fn folders_are_made_inside_only() {
    let disk = Disk::new();
    let root = canonical(disk.0.path()).unwrap();
    let made = create_folder(&root, Path::new("a/./b/c")).unwrap();
    assert_eq!(made, root.join("a/b/c"));
    assert_eq!(create_folder(&root, Path::new("a/b/c")).unwrap(), made);
    assert_eq!(create_folder(&root, Path::new("")).unwrap(), root);
    for outside in ["..", "a/../../x", "/x"] {
        assert!(
            matches!(create_folder(&root, Path::new(outside)), Err(FileError::Outside { .. })),
            "{outside}"
        );
    }
    fs::write(root.join("file"), "").unwrap();
    assert!(matches!(create_folder(&root, Path::new("file")), Err(FileError::NotAFolder { .. })));
    assert!(create_folder(&root, Path::new("file/x")).is_err());
    assert!(matches!(create_folder(&root.join("gone"), Path::new("x")), Err(FileError::Failed { .. })));
}

#[test]
fn reading_is_bounded() {
    let disk = Disk::new();
    let path = disk.at("file");
    assert!(read(&path, 10).unwrap().is_none());
    fs::write(&path, "0123456789").unwrap();
    assert_eq!(read(&path, 10).unwrap().unwrap(), b"0123456789");
    assert!(matches!(read(&path, 9), Err(FileError::TooLarge { limit: 9, .. })));
    assert!(matches!(read(disk.0.path(), 9), Err(FileError::NotAFile { .. })));
    assert!(matches!(read(&disk.at(&"n".repeat(300)), 9), Err(FileError::Failed { .. })));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;

    use fs_err::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn the_mode_of_a_file_is_kept() {
        let disk = Disk::new();
        let path = disk.at("script");
        for wanted in [0o755, 0o600, 0o666, 0o640] {
            write(&path, b"one").unwrap();
            fs::set_permissions(&path, std::fs::Permissions::from_mode(wanted)).unwrap();
            write(&path, b"two").unwrap();
            assert_eq!(mode(&path), wanted);
        }
    }

    #[test]
    fn a_secret_is_the_users_alone() {
        let disk = Disk::new();
        create_secret(&disk.at("token"), b"secret").unwrap();
        assert_eq!(mode(&disk.at("token")), 0o600);
        assert_eq!(fs::read(disk.at("token")).unwrap(), b"secret");
        write_in_place(&disk.at("in-place"), b"secret", Audience::User).unwrap();
        assert_eq!(mode(&disk.at("in-place")), 0o600);
        assert_eq!(
            write_in_place(&disk.at("in-place"), b"x", Audience::User).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
    }

    #[test]
    fn links_are_never_written_through() {
        let disk = Disk::new();
        fs::write(disk.at("target"), "kept").unwrap();
        symlink("target", disk.at("link")).unwrap();
        symlink("nowhere", disk.at("dangling")).unwrap();
        assert!(matches!(write(&disk.at("link"), b"x"), Err(FileError::Link { .. })));
        assert!(matches!(write(&disk.at("dangling"), b"x"), Err(FileError::Link { .. })));
        assert!(matches!(create_secret(&disk.at("dangling"), b"x"), Err(FileError::Exists { .. })));
        assert_eq!(fs::read(disk.at("target")).unwrap(), b"kept");
        assert_eq!(disk.names(), ["dangling", "link", "target"]);
    }

    #[test]
    fn a_folder_is_not_made_through_a_link_that_leads_out() {
        let (disk, outside) = (Disk::new(), Disk::new());
        fs::create_dir(disk.at("inside")).unwrap();
        symlink("inside", disk.at("stays")).unwrap();
        symlink(outside.0.path(), disk.at("leaves")).unwrap();
        symlink(outside.at("gone"), disk.at("dangling")).unwrap();
        let root = canonical(disk.0.path()).unwrap();
        assert_eq!(create_folder(&root, Path::new("stays/x")).unwrap(), root.join("inside/x"));
        assert!(matches!(create_folder(&root, Path::new("leaves/x")), Err(FileError::Outside { .. })));
        assert!(create_folder(&root, Path::new("dangling/x")).is_err());

        let folders = Folders::new(&root, MissingFolders::Made);
        for _ in 0..2 {
            folders.open(Path::new("stays/y/z")).unwrap();
            assert!(root.join("inside/y/z").is_dir());
            for outside in ["leaves", "leaves/y", "../y", "inside/../../y", "/y"] {
                let refused = folders.open(Path::new(outside));
                assert!(matches!(refused, Err(FileError::Outside { .. })), "{outside}");
            }
            assert!(folders.open(Path::new("dangling/x")).is_err());
        }
        assert_eq!(outside.names(), Vec::<String>::new());

        let folders = Folders::new(&root, MissingFolders::LeftOut);
        assert!(folders.open(Path::new("inside/y")).unwrap());
        assert!(folders.open(Path::new("stays/y")).unwrap());
        assert!(matches!(folders.open(Path::new("leaves/y")), Err(FileError::Outside { .. })));
        for missing in ["inside/new", "stays/new/deep", "new"] {
            assert!(!folders.open(Path::new(missing)).unwrap(), "{missing}");
            assert!(!root.join(missing).exists(), "{missing}");
        }
        let staged = stage_derived(&root.join("inside/y/page"), &["text"]).unwrap().unwrap();
        fs::remove_file(&staged.temporary.path).unwrap();
        assert!(folders.is_gone(&staged.put().unwrap_err()), "though its folder is there yet");
        fs::remove_dir_all(root.join("inside")).unwrap();
        let gone = stage_derived(&root.join("inside/y/page"), &["text"]).unwrap_err();
        assert!(folders.is_gone(&gone));
        assert!(!Folders::new(&root, MissingFolders::Made).is_gone(&gone));
        fs::remove_dir_all(&root).unwrap();
        assert!(
            !folders.is_gone(&stage_derived(&root.join("page"), &["text"]).unwrap_err()),
            "the root itself"
        );
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let disk = Disk::new();
        let made = std::process::Command::new("mkfifo").arg(disk.at("pipe")).status().unwrap();
        assert!(made.success());
        assert!(matches!(read(&disk.at("pipe"), 10), Err(FileError::NotAFile { .. })));
        assert!(matches!(write(&disk.at("pipe"), b""), Err(FileError::NotAFile { .. })));
    }
}
