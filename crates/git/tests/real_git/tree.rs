//! The files of trees, and contents that are only read where they are short.

use becket_git::tree::{files_of, names_of};
use becket_git::write::{empty_tree, read_blobs_up_to};

use crate::repository::Repository;

#[test]
fn files_of_a_commit_of_a_tree_and_of_nothing() {
    let repository = Repository::with_commit();
    repository.write("sub/ünï \"q\".ts", "export {}\n");
    let commit = repository.commit_all("second");
    let tree = repository.git(["rev-parse", "HEAD^{tree}"]).trim().to_owned();
    let files = files_of(&repository.path(), &commit).unwrap().files;
    let paths: Vec<(&str, u64)> = files.iter().map(|file| (file.path.as_str(), file.size)).collect();
    assert!(paths.contains(&("sub/ünï \"q\".ts", 10)), "{paths:?}");
    assert_eq!(files_of(&repository.path(), &tree).unwrap().files, files);
    let names = names_of(&repository.path(), &tree).unwrap();
    assert!(files.iter().all(|file| names.get(&file.path) == Some(&file.blob)));
    assert_eq!(names.len(), files.len());
    assert!(names_of(&repository.path(), empty_tree(&commit)).unwrap().is_empty());
    assert!(names_of(&repository.path(), "--help").is_err());
}

#[test]
fn what_is_long_or_lost_is_not_read() {
    let repository = Repository::with_commit();
    repository.write("short", "12345");
    repository.write("long", "123456");
    repository.commit_all("second");
    let id = |name: &str| repository.git(["rev-parse", &format!("HEAD:{name}")]).trim().to_owned();
    let (short, long, lost) = (id("short"), id("long"), "1".repeat(40));
    let read = read_blobs_up_to(&repository.path(), None, &[&long, &short, &lost, &short], 5).unwrap();
    assert_eq!(read, [None, Some(b"12345".to_vec()), None, Some(b"12345".to_vec())]);
    assert!(read_blobs_up_to(&repository.path(), None, &[], 5).unwrap().is_empty());
}
