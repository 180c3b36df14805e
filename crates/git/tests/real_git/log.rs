//! `log` and the resolving of revisions.

use becket_git::{GitError, LogOptions, Merges, log, resolve};

use crate::repository::Repository;

fn subjects(repository: &Repository, options: &LogOptions) -> Vec<String> {
    log(&repository.path(), options).unwrap().commits.into_iter().map(|commit| commit.subject).collect()
}

#[test]
fn everything_that_a_commit_says() {
    let repository = Repository::with_commit();
    let first = repository.git(["rev-parse", "HEAD"]).trim().to_owned();
    repository.write("x", "");
    let second = repository.commit_all("Subject: ñ\n\nBody line\n\nTask: T12\n");
    let log = log(&repository.path(), &LogOptions::default()).unwrap();
    let commit = &log.commits[0];
    assert_eq!((commit.id.as_str(), &commit.parents[..]), (second.as_str(), &[first][..]));
    assert!(second.starts_with(&commit.short_id) && commit.short_id.len() < 40);
    assert_eq!((commit.subject.as_str(), commit.body.as_str()), ("Subject: ñ", "Body line\n\nTask: T12"));
    assert_eq!((commit.author.name.as_str(), commit.author.email.as_str()), ("Ada", "ada@example.org"));
    assert_eq!(commit.author.date, "2024-05-06T07:08:09+02:00");
    assert_eq!(commit.committer, commit.author);
    assert_eq!((log.commits.len(), log.more), (2, false));
    assert_eq!(log.commits[1].body, "");
}

#[test]
fn limits_paths_merges_and_dates() {
    let repository = Repository::with_commit();
    repository.write("-odd *.txt", "x");
    repository.commit_all("odd");
    repository.write("plain.txt", "x");
    repository.commit_all("plain");
    repository.git(["switch", "--quiet", "--create", "side", "HEAD~1"]);
    repository.commit_all("side");
    repository.git(["switch", "--quiet", "main"]);
    repository.git(["merge", "--quiet", "--no-edit", "side"]);
    let options = LogOptions::default;
    let page = log(&repository.path(), &LogOptions { limit: 2, ..options() }).unwrap();
    assert_eq!((page.commits.len(), page.more), (2, true));
    let rest = log(&repository.path(), &LogOptions { limit: 2, skip: 2, ..options() }).unwrap();
    assert_eq!((rest.commits.len(), rest.more), (2, false));
    assert_eq!(subjects(&repository, &LogOptions { path: Some("-odd *.txt".into()), ..options() }), ["odd"]);
    let merges = LogOptions { merges: Merges::Include, ..options() };
    assert_eq!(subjects(&repository, &merges)[0], "Merge branch 'side'");
    assert_eq!(subjects(&repository, &options()).len(), 4);
    let side = LogOptions { revision: Some("side".into()), ..options() };
    assert_eq!(subjects(&repository, &side), ["side", "odd", "first"]);
    assert_eq!(subjects(&repository, &LogOptions { since: Some("2024-05-07".into()), ..options() }).len(), 0);
    assert_eq!(subjects(&repository, &LogOptions { until: Some("2024-05-07".into()), ..options() }).len(), 4);
    let nonsense = log(&repository.path(), &LogOptions { since: Some("soonish".into()), ..options() });
    assert!(matches!(nonsense, Err(GitError::InvalidArgument { name: "since", .. })));
    // A path is relative to the root wherever git is run.
    repository.write("deep/x", "x");
    repository.commit_all("deep");
    let from_folder =
        log(&repository.path().join("deep"), &LogOptions { path: Some("plain.txt".into()), ..options() });
    assert_eq!(from_folder.unwrap().commits[0].subject, "plain");
}

#[test]
fn without_a_commit_and_in_a_bare_repository() {
    let repository = Repository::new();
    assert_eq!(subjects(&repository, &LogOptions::default()), Vec::<String>::new());
    let head = resolve(&repository.path(), "HEAD");
    assert!(matches!(head, Err(GitError::UnknownRevision { .. })), "{head:?}");
    repository.write("x", "");
    repository.commit_all("first");
    let bare = repository.beside("bare");
    repository.git(["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let options = LogOptions { path: Some("x".into()), ..LogOptions::default() };
    assert_eq!(log(&bare, &options).unwrap().commits.len(), 1);
}

#[test]
fn revisions_are_commits_and_nothing_else() {
    let repository = Repository::with_commit();
    let id = repository.git(["rev-parse", "HEAD"]).trim().to_owned();
    repository.git(["tag", "--annotate", "--message=x", "v1"]);
    for revision in
        ["HEAD", "main", "v1", "refs/heads/main", "@", "HEAD^0", &id, &id[..7], ":/first", "HEAD^{/first}"]
    {
        assert_eq!(resolve(&repository.path(), revision).unwrap().as_str(), id, "{revision}");
    }
    for revision in ["", "  ", "-h", "--output=x", "^HEAD", "HEAD..HEAD", "HEAD...HEAD", "a\nb", "a\0b"] {
        let refused = resolve(&repository.path(), revision);
        assert!(matches!(refused, Err(GitError::InvalidRevision { .. })), "{revision:?}: {refused:?}");
    }
    for revision in ["nowhere", "HEAD~9", "HEAD:file.txt", "HEAD^{tree}", ":file.txt", &"1".repeat(40)] {
        let unknown = resolve(&repository.path(), revision);
        assert!(matches!(unknown, Err(GitError::UnknownRevision { .. })), "{revision:?}: {unknown:?}");
    }
}

#[test]
fn a_short_id_that_several_objects_share() {
    let repository = Repository::new();
    // Two of these commits must share their first four digits.
    let tree = repository.git(["write-tree"]).trim().to_owned();
    let mut seen = std::collections::BTreeSet::new();
    let shared = (0..5000).find_map(|number| {
        let id = repository.git(["commit-tree", "-m", &number.to_string(), &tree]);
        let short = id[..4].to_owned();
        (!seen.insert(short.clone())).then_some(short)
    });
    let ambiguous = resolve(&repository.path(), &shared.unwrap());
    assert!(matches!(ambiguous, Err(GitError::AmbiguousRevision { .. })), "{ambiguous:?}");
}
