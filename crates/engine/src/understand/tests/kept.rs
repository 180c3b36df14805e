//! What a run leaves in the folders of a project when it is interrupted, and what it leaves alone.

use super::*;
use crate::Error;

/// A project with a folder for each letter, each with a file of its own.
fn lettered() -> TestRepo {
    let repo = TestRepo::new();
    for letter in ["a", "b", "c"] {
        repo.write(format!("src/{letter}/{letter}.ts"), format!("export const {letter}: number = 1;\n"));
    }
    repo
}

fn generate(repo: &TestRepo) -> Result<ContextReport, Error> {
    engine(repo).context_generate(&ContextRequest::default())
}

const WRITTEN: [&str; 4] =
    ["context_main.json", "src/a/context.json", "src/b/context.json", "src/c/context.json"];

/// Every file of the project that begins with a dot and is not Git's.
fn hidden(repo: &TestRepo) -> Vec<String> {
    let folders = ["", "src/a", "src/b", "src/c"].map(|folder| repo.path(folder));
    let names = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.') && name != ".git").collect()
}

#[test]
fn a_run_that_fails_leaves_the_files_of_the_run_before() {
    // Whichever of them it is that cannot be written.
    for stuck in 0..WRITTEN.len() {
        let repo = lettered();
        generate(&repo).unwrap();
        let others: Vec<&str> = WRITTEN.iter().copied().filter(|path| *path != WRITTEN[stuck]).collect();
        let texts = || others.iter().map(|path| repo.read(path)).collect::<Vec<_>>();
        let before = texts();
        for letter in ["a", "b", "c"] {
            repo.write(format!("src/{letter}/{letter}.ts"), format!("export const {letter}: string = '';\n"));
        }
        let kept = repo.read(WRITTEN[stuck]);
        repo.remove(WRITTEN[stuck]);
        std::fs::create_dir(repo.path(WRITTEN[stuck])).unwrap();
        assert_eq!(generate(&repo).unwrap_err().code(), "not_writable", "{}", WRITTEN[stuck]);
        assert_eq!(texts(), before, "{}", WRITTEN[stuck]);
        assert_eq!(hidden(&repo), Vec::<String>::new());
        std::fs::remove_dir(repo.path(WRITTEN[stuck])).unwrap();
        repo.write(WRITTEN[stuck], kept);
        assert_eq!(generate(&repo).unwrap().files_written, 4);
        assert!(repo.read("src/a/context.json").contains("string"));
    }
}

#[test]
fn what_a_killed_run_left_is_cleared_away() {
    let repo = lettered();
    generate(&repo).unwrap();
    let site = engine(&repo).site(None).unwrap();
    let staging = staging::Staging::begin(&site, &site.folder(), &WRITTEN).unwrap();
    std::mem::forget(staging);
    for path in ["src/a/.context.json.0123456789abcdef.tmp", ".context_main.json.0123456789abcdef.tmp"] {
        repo.write(path, "[");
    }
    repo.write("src/b/.context.json.mine.tmp", "not ours");
    // Nothing else is to be done.
    assert_eq!(generate(&repo).unwrap().files_written, 0);
    assert_eq!(hidden(&repo), [".context.json.mine.tmp"]);
}

#[cfg(unix)]
#[test]
fn the_mode_of_a_file_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let repo = lettered();
    generate(&repo).unwrap();
    for path in WRITTEN {
        std::fs::set_permissions(repo.path(path), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    repo.write("src/a/a.ts", "export const a: string = '';\n");
    assert_eq!(generate(&repo).unwrap().files_written, 2);
    for path in WRITTEN {
        let mode = std::fs::metadata(repo.path(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
}
