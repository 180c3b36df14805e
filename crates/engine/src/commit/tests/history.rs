//! Commits: listed, shown, compared and blamed.

use serde_json::{Value, json};

use super::*;

#[test]
fn the_log_goes_on_where_it_began_whatever_is_committed_meanwhile() {
    let repo = TestRepo::new();
    for number in 0..5 {
        repo.write("a", number.to_string());
        repo.commit(&format!("commit {number}"));
    }
    let engine = engine(&repo);
    let subjects =
        |log: &ListedCommits| log.commits.iter().map(|one| one.subject.clone()).collect::<Vec<_>>();
    let first = engine.log(&LogRequest { limit: Some(2), ..Default::default() }).unwrap();
    assert_eq!(subjects(&first), ["commit 4", "commit 3"]);
    repo.commit("later");
    let request = LogRequest { limit: Some(2), cursor: first.next_cursor, ..Default::default() };
    let second = engine.log(&request).unwrap();
    assert_eq!(subjects(&second), ["commit 2", "commit 1"]);
    let request = LogRequest { limit: Some(2), cursor: second.next_cursor, ..Default::default() };
    let third = engine.log(&request).unwrap();
    assert_eq!((subjects(&third), third.next_cursor), (vec!["commit 0".to_owned()], None));
    let held = engine.log(&LogRequest { limit: Some(-3), ..Default::default() }).unwrap();
    assert_eq!(held.commits.len(), 1, "held between 1 and 200, as the original does");
    let row = serde_json::to_value(&held.commits[0]).unwrap();
    assert_eq!(row["author_date"], "2026-01-02T03:04:05+00:00");
    assert_eq!(row["parents"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_word_of_the_caller_is_never_an_option() {
    let repo = committed();
    let engine = engine(&repo);
    let stray = repo.path("stray");
    let option = format!("--output={}", stray.display());
    let errors = [
        engine.log(&LogRequest { revision: Some(option.clone()), ..Default::default() }).unwrap_err(),
        engine.show_commit(&ShowCommitRequest { sha: option.clone(), ..Default::default() }).unwrap_err(),
        engine
            .diff_between_refs(&CompareRequest {
                base: option.clone(),
                head: "HEAD".into(),
                ..Default::default()
            })
            .unwrap_err(),
        engine
            .blame(&BlameRequest { path: "a.txt".into(), revision: Some(option), ..Default::default() })
            .unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.kind(), error.code()), (ErrorKind::Invalid, "invalid_revision"), "{error}");
        assert!(error.hint().is_some());
    }
    assert!(!stray.exists());
}

#[test]
fn what_git_refuses_has_its_own_code() {
    let repo = committed();
    repo.git(["checkout", "--quiet", "--orphan", "island"]);
    repo.commit("alone");
    let engine = engine(&repo);
    let compare = |base: &str, from| {
        let request = CompareRequest { base: base.into(), head: "HEAD".into(), from, ..Default::default() };
        engine.diff_between_refs(&request)
    };
    let code = |error: crate::Error| (error.code(), error.kind());
    assert_eq!(
        code(compare("main", CompareFrom::MergeBase).unwrap_err()),
        ("no_merge_base", ErrorKind::Invalid)
    );
    assert_eq!(
        code(compare("nothing", CompareFrom::Base).unwrap_err()),
        ("unknown_revision", ErrorKind::NotFound)
    );
    assert_eq!(
        code(compare("main..HEAD", CompareFrom::Base).unwrap_err()),
        ("invalid_revision", ErrorKind::Invalid)
    );
    let since = LogRequest { since: Some("soonish".into()), ..Default::default() };
    assert_eq!(code(engine.log(&since).unwrap_err()), ("invalid_arguments", ErrorKind::Invalid));
    let missing = engine.blame(&BlameRequest { path: "nothing".into(), ..Default::default() }).unwrap_err();
    assert_eq!((missing.code(), missing.message()), ("unknown_path", "`nothing` is not in HEAD."));
    let far = BlameRequest { path: "a.txt".into(), start_line: Some(99), ..Default::default() };
    assert_eq!(engine.blame(&far).unwrap_err().code(), "invalid_arguments");
}

#[test]
fn a_commit_is_shown_whole() {
    let repo = committed();
    repo.git(["mv", "a.txt", "z.txt"]);
    repo.write("src/b.rs", "fn main() {\n    run();\n}\n");
    repo.commit("subject\n\nbody line\n\nTrailer: x");
    let show = |sha: &str, limit, cursor| {
        let request = ShowCommitRequest { sha: sha.into(), limit, cursor, ..Default::default() };
        engine(&repo).show_commit(&request).unwrap()
    };
    let shown = show("HEAD", None, None);
    let commit = &shown.commit;
    assert_eq!((commit.subject.as_str(), commit.body.as_str()), ("subject", "body line\n\nTrailer: x"));
    assert_eq!(commit.sha, repo.head());
    let files: Vec<_> = commit.files.iter().map(|file| (file.path.as_str(), file.status.as_str())).collect();
    assert_eq!(files, [("src/b.rs", "modified"), ("z.txt", "renamed")]);
    assert_eq!(commit.diff.changes[0].hunks[0].area, Area::Committed);
    assert_eq!(commit.diff.changes[0].hunks[0].lines, [" fn main() {", "+    run();", " }"]);
    let first = show("HEAD", Some(1), None);
    let second = show("HEAD", Some(1), first.next_cursor);
    assert_eq!(second.commit.diff.changes[0].file_path, "z.txt");
    assert_eq!(second.next_cursor, None);
    assert_eq!(show("HEAD~1", None, None).commit.files.len(), 2, "the first commit has no parent");
}

#[test]
fn two_refs_are_compared_as_they_are_or_from_where_they_parted() {
    let repo = committed();
    repo.git(["checkout", "--quiet", "-b", "feature"]);
    repo.write("a.txt", "one\nTWO\nthree\n");
    repo.commit("feature");
    repo.git(["checkout", "--quiet", "main"]);
    repo.write("src/b.rs", "main went on\n");
    let main = repo.commit("main");
    let compare = |path: Option<&str>, unified, from| {
        let request = CompareRequest {
            base: "main".into(),
            head: "feature".into(),
            path: path.map(str::to_owned),
            unified,
            from,
            ..Default::default()
        };
        engine(&repo).diff_between_refs(&request).unwrap()
    };
    let plain = compare(None, None, CompareFrom::Base);
    assert_eq!((plain.base.as_str(), plain.base_sha.as_str(), plain.total), ("main", main.as_str(), 2));
    let parted = compare(None, Some(0), CompareFrom::MergeBase);
    assert_eq!(rows(&parted.changes), [("change-1", "a.txt", "modified", "text")]);
    assert_eq!(parted.changes[0].hunks[0].lines, ["-two", "+TWO"]);
    assert_eq!(compare(Some("src"), None, CompareFrom::Base).changes[0].file_path, "src/b.rs");
    let held = compare(Some("a.txt"), Some(-9), CompareFrom::Base);
    assert_eq!(held.changes[0].hunks[0].lines.len(), 2, "held between 0 and 20");
}

#[test]
fn blame_is_in_the_original_s_shape_and_goes_on_by_line() {
    let repo = committed();
    repo.write("a.txt", "one\nTWO\nthree\n");
    let second = repo.commit("second");
    let request =
        BlameRequest { path: "a.txt".into(), start_line: Some(2), end_line: Some(2), ..Default::default() };
    let blamed = engine(&repo).blame(&request).unwrap();
    let value: Value = serde_json::to_value(&blamed).unwrap();
    assert_eq!((&value["path"], &value["ref"]), (&json!("a.txt"), &json!("HEAD")));
    assert_eq!(
        value["lines"],
        json!([{"line_number": 2, "content": "TWO", "original_line": 2, "commit": {
            "sha": second, "short_sha": &second[..7], "author_name": "Test Author",
            "author_email": "author@example.com", "author_time": "2026-01-02T03:04:05+00:00", "summary": "second", "boundary": false}}])
    );
    repo.write("long", "some words on every line\n".repeat(3_000));
    repo.commit("long");
    let engine = engine(&repo);
    let (mut start, mut seen) = (None, 0);
    loop {
        let request = BlameRequest { path: "long".into(), start_line: start, ..Default::default() };
        let blamed = engine.blame(&request).unwrap();
        assert!(serde_json::to_vec(&blamed).unwrap().len() <= engine.max_output_bytes());
        seen += blamed.lines.len();
        start = blamed.next_start_line;
        if start.is_none() {
            break;
        }
        assert!(blamed.cut.unwrap().contains("start_line"));
    }
    assert_eq!(seen, 3_000);
}
