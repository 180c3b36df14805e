//! Against the real `git`, in throw-away repositories.
#![allow(clippy::disallowed_methods, reason = "tests make repositories with git and plain files")]

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

use super::*;

struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgSign=false"])
            .args(arguments)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit(&self, subject: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", subject]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn past(&self) -> Provenance {
        Provenance::new(self.0.path(), "")
    }
}

#[test]
fn a_repository_without_a_commit_has_no_past() {
    let repository = Repository::new();
    repository.write("notes/1.md", "a\n");
    let past = repository.past();
    assert!(past.files("notes").unwrap().is_empty());
    assert!(past.ever_added("notes").unwrap().is_empty());
    assert!(past.lines("notes/1.md", &[1]).unwrap().is_empty());
    assert!(past.touches("notes/1.md", None).unwrap().is_empty());
    assert_eq!(past.removal("notes/1.md").unwrap(), None);
}

#[test]
fn files_know_who_brought_and_altered_them() {
    let repository = Repository::new();
    repository.write("deep/notes/1.md", "a\n");
    repository.write("deep/notes/é \"q\".md", "b\n");
    let first = repository.commit("one");
    repository.write("deep/notes/1.md", "a\nb\n");
    repository.write("elsewhere", "x");
    let second = repository.commit("two");
    fs::remove_file(repository.0.path().join("deep/notes/1.md")).unwrap();
    repository.commit("three");
    let past = Provenance::new(repository.0.path().join("deep").as_path(), "deep");
    let files = past.files("notes").unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["notes/1.md", "notes/é \"q\".md"]);
    let one = &files["notes/1.md"];
    assert_eq!((one.introduced.commit.as_str(), one.introduced.subject.as_str()), (first.as_str(), "one"));
    assert_eq!(one.introduced.author, "Ann");
    assert_eq!(one.altered.iter().map(|cause| cause.commit.as_str()).collect::<Vec<_>>(), [second.as_str()]);
    assert_eq!(past.blob(&one.added[0]).unwrap().unwrap(), b"a\n");
    assert_eq!(past.content(&second, "notes/1.md").unwrap().unwrap(), b"a\nb\n");
    assert_eq!(past.content(&second, "notes/none.md").unwrap(), None);
    assert!(past.ever_added("notes").unwrap().contains("notes/1.md"));
    let removal = past.removal("notes/1.md").unwrap().unwrap();
    assert_eq!((removal.cause.subject.as_str(), removal.renamed_to), ("three", None));
}

#[test]
fn lines_know_their_commit_and_what_was_before() {
    let repository = Repository::new();
    repository.write("a.ts", "one\n// refer to context 1\n");
    let first = repository.commit("first");
    repository.write("a.ts", "zero\none\n// refer to context 1, 2\n");
    let second = repository.commit("second");
    repository.write("a.ts", "zero\nnew\none\n// refer to context 1, 2\n");
    let past = repository.past();
    let origins = past.lines("a.ts", &[2, 3, 4]).unwrap();
    let commits: Vec<Option<&str>> =
        origins.iter().map(|origin| origin.cause.as_ref().map(|cause| cause.commit.as_str())).collect();
    assert_eq!(commits, [None, Some(first.as_str()), Some(second.as_str())]);
    assert_eq!(origins[2].previous, Some((first.clone(), "a.ts".to_owned())));
    assert_eq!((origins[2].original_line, origins[1].original_line), (3, 1));
    let earlier = past.lines_at(&first, "a.ts", &[2]).unwrap();
    assert_eq!(earlier[0].cause.as_ref().unwrap().commit, first);
    assert!(past.lines("a.ts", &[99]).unwrap().is_empty());
    assert!(past.lines_at("--output=x", "a.ts", &[1]).is_err());
}

#[test]
fn renames_are_followed_committed_or_not() {
    let repository = Repository::new();
    repository.write("old name.ts", "a long enough line\nanother one\n");
    let first = repository.commit("first");
    repository.git(&["mv", "old name.ts", "new\"name.ts"]);
    assert_eq!(repository.past().uncommitted_rename("old name.ts").unwrap().as_deref(), Some("new\"name.ts"));
    let second = repository.commit("second");
    repository.write("new\"name.ts", "a long enough line\nanother one\nmore\n");
    let third = repository.commit("third");
    let past = repository.past();
    let removal = past.removal("old name.ts").unwrap().unwrap();
    assert_eq!(
        (removal.cause.commit.as_str(), removal.renamed_to.as_deref()),
        (second.as_str(), Some("new\"name.ts"))
    );
    let touches = past.touches("new\"name.ts", Some(&first)).unwrap();
    let seen: Vec<(&str, &str)> =
        touches.iter().map(|touch| (touch.cause.commit.as_str(), touch.path.as_str())).collect();
    assert_eq!(seen, [(third.as_str(), "new\"name.ts"), (second.as_str(), "new\"name.ts")]);
    let origin = &past.lines("new\"name.ts", &[1]).unwrap()[0];
    assert_eq!(
        (origin.path.as_str(), origin.cause.as_ref().unwrap().commit.as_str()),
        ("old name.ts", first.as_str())
    );
}

#[test]
fn branches_and_merges_are_told_apart() {
    let repository = Repository::new();
    repository.write("notes/1.md", "base\n");
    let base = repository.commit("base");
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.write("notes/2.md", "side\n");
    let side = repository.commit("side");
    repository.git(&["checkout", "-q", "main"]);
    repository.write("notes/2.md", "main\n");
    let main = repository.commit("main");
    let past = repository.past();
    let (branches, more) = past.branches().unwrap();
    assert!(!more && branches.contains(&("side".to_owned(), side.clone())));
    assert_ne!(
        past.folder_at(&side, "notes").unwrap()["notes/2.md"],
        past.folder_at(&main, "notes").unwrap()["notes/2.md"]
    );
    assert_eq!(past.introduction(&side, "notes/2.md").unwrap().unwrap().commit, side);
    assert!(past.contains(&main, &base).unwrap() && !past.contains(&main, &side).unwrap());
    let both = BTreeSet::from([base, side.clone()]);
    assert_eq!(past.outside_head(&both).unwrap(), BTreeSet::from([side.clone()]));
    assert!(past.outside_head(&BTreeSet::from(["0".repeat(40)])).is_err());
    let merge = Command::new("git")
        .args(["merge", "-q", "side"])
        .current_dir(Path::new(repository.0.path()))
        .output();
    assert!(!merge.unwrap().status.success());
    assert_eq!(past.merge_head().unwrap(), Some(side));
    let unmerged = &past.unmerged("notes").unwrap()["notes/2.md"];
    assert_eq!(past.blob(unmerged.ours.as_ref().unwrap()).unwrap().unwrap(), b"main\n");
    assert_eq!(past.blob(unmerged.theirs.as_ref().unwrap()).unwrap().unwrap(), b"side\n");
}

#[test]
fn what_differs_in_the_working_tree_is_listed() {
    let repository = Repository::new();
    repository.write("notes/1.md", "a\n");
    repository.write("notes/2.md", "b\n");
    assert!(repository.past().modified("notes").unwrap().is_empty(), "nothing is committed yet");
    repository.commit("one");
    repository.write("notes/2.md", "c\n");
    repository.write("notes/3.md", "new\n");
    assert_eq!(repository.past().modified("notes").unwrap(), BTreeSet::from(["notes/2.md".to_owned()]));
}
