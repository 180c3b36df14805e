//! Repositories that are set up otherwise than most: the whole way from a dirty tree to commits and back.

use std::path::Path;

use super::{
    applying::{dirty_tree, make_executable, told, with_identity, worktree},
    *,
};

/// Two matters in two folders, one staged and one not, and a new file.
fn disturb(repo: &TestRepo) {
    repo.write("src/money.rs", "pub fn price() -> u32 {\n    2\n}\n\npub fn fee() -> u32 {\n    1\n}\n");
    repo.git(["add", "src/money.rs"]);
    repo.write("docs/guide.md", "# Guide\n\nOpen all day, every day.\n");
    repo.write("docs/new.md", "# New\n");
}

fn start(repo: &TestRepo) {
    repo.write("src/money.rs", "pub fn price() -> u32 {\n    1\n}\n");
    repo.write("docs/guide.md", "# Guide\n\nOpen.\n");
    repo.commit("first");
}

fn plan(engine: &Engine) -> ProposedCommits {
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    engine.propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() }).unwrap()
}

/// Plans, applies and takes back; nothing of it may cost a byte. Gives the commits that were made.
fn whole_way(repo: &TestRepo) -> Vec<String> {
    let engine = engine(repo);
    let (before, files, wanted) = (told(repo), worktree(repo), dirty_tree(repo));
    plan(&engine);
    assert_eq!(told(repo), before, "a plan changes nothing");
    let applied = engine.apply_all(&ApplyAllRequest::default()).unwrap();
    let made: Vec<String> = applied.commits.into_iter().filter_map(|row| row.commit_sha).collect();
    assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted);
    assert_eq!(repo.git(["write-tree"]), wanted, "the index");
    assert_eq!(worktree(repo), files);
    assert_eq!(repo.git(["status", "--porcelain", "--ignore-submodules=dirty"]), "");
    engine.undo(None, None).unwrap();
    assert_eq!(told(repo), before);
    assert_eq!(worktree(repo), files);
    made
}

#[test]
fn ids_of_sha_256() {
    let home = becket_testing::TestHome::new();
    let root = home.root().join("repo");
    let made =
        home.command("git").args(["init", "-q", "-b", "main", "--object-format=sha256"]).arg(&root).output();
    assert!(made.unwrap().status.success());
    let repo = TestRepo::new_in(&home, "repo");
    identify(&repo);
    start(&repo);
    disturb(&repo);
    assert!(whole_way(&repo).iter().all(|id| id.len() == 64));
    let engine = engine(&repo);
    let head = repo.head();
    let pr = engine.generate_pr(&GeneratePrRequest { commits: vec![head], ..GeneratePrRequest::default() });
    assert_eq!(pr.unwrap().title, "first");
}

#[test]
fn refs_in_a_reftable() {
    let home = becket_testing::TestHome::new();
    let root = home.root().join("repo");
    let made =
        home.command("git").args(["init", "-q", "-b", "main", "--ref-format=reftable"]).arg(&root).output();
    let made = made.unwrap();
    assert!(made.status.success(), "this test needs git 2.45 or newer: {made:?}");
    let repo = TestRepo::new_in(&home, "repo");
    identify(&repo);
    start(&repo);
    disturb(&repo);
    assert!(!whole_way(&repo).is_empty());
    // The first commit of a branch is made and taken back there too.
    repo.git(["checkout", "-q", "--orphan", "empty"]);
    whole_way(&repo);
}

#[test]
fn a_split_index_and_one_of_another_version() {
    for setting in [["core.splitIndex", "true"], ["index.version", "4"], ["core.untrackedCache", "true"]] {
        let repo = with_identity();
        repo.git(["config", setting[0], setting[1]]);
        start(&repo);
        repo.git(["update-index", "--refresh"]);
        disturb(&repo);
        whole_way(&repo);
    }
    let repo = with_identity();
    repo.git(["config", "index.sparse", "true"]);
    repo.git(["config", "feature.manyFiles", "true"]);
    start(&repo);
    disturb(&repo);
    whole_way(&repo);
}

#[test]
fn a_sparse_checkout_keeps_what_it_does_not_show() {
    for cone in ["--cone", "--no-cone"] {
        let repo = with_identity();
        start(&repo);
        repo.write("far/away.txt", "far\n");
        repo.commit("second");
        repo.git(["sparse-checkout", "set", cone, "src", "docs"]);
        assert!(!repo.path("far/away.txt").exists());
        disturb(&repo);
        let engine = engine(&repo);
        let before = told(&repo);
        plan(&engine);
        engine.apply_all(&ApplyAllRequest::default()).unwrap();
        assert_eq!(repo.git(["show", "HEAD:far/away.txt"]), "far");
        assert_eq!(repo.git(["status", "--porcelain"]), "");
        assert!(repo.git(["ls-files", "-t", "far"]).starts_with("S "), "it is still not shown");
        assert!(!repo.path("far/away.txt").exists());
        engine.undo(None, None).unwrap();
        assert_eq!(told(&repo), before);
    }
}

#[test]
fn what_the_user_hid_from_git_stays_hidden() {
    let repo = with_identity();
    start(&repo);
    repo.write("local.cfg", "shared\n");
    repo.write("other.cfg", "shared\n");
    repo.commit("second");
    repo.git(["update-index", "--assume-unchanged", "local.cfg"]);
    repo.git(["update-index", "--skip-worktree", "other.cfg"]);
    repo.write("local.cfg", "mine\n");
    repo.write("other.cfg", "mine\n");
    disturb(&repo);
    let engine = engine(&repo);
    let before = told(&repo);
    let flags = repo.git(["ls-files", "-v", "*.cfg"]);
    plan(&engine);
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    for name in ["local.cfg", "other.cfg"] {
        assert_eq!(repo.git(["show", &format!("HEAD:{name}")]), "shared", "{name}");
        assert_eq!(repo.read(name), "mine\n");
    }
    assert_eq!(repo.git(["ls-files", "-v", "*.cfg"]), flags);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    engine.undo(None, None).unwrap();
    assert_eq!((told(&repo), repo.git(["ls-files", "-v", "*.cfg"])), (before, flags));
}

#[test]
fn a_file_that_is_only_intended_is_committed_whole() {
    let repo = with_identity();
    start(&repo);
    repo.write("intended.rs", "fn intended() {\n}\n");
    repo.git(["add", "-N", "intended.rs"]);
    disturb(&repo);
    whole_way(&repo);
}

#[test]
fn line_ends_are_converted_as_git_does() {
    for (setting, attributes) in [
        (["core.autocrlf", "true"], ""),
        (["core.autocrlf", "input"], ""),
        (["core.eol", "crlf"], "* text=auto\n*.raw -text\n"),
    ] {
        let repo = with_identity();
        repo.git(["config", setting[0], setting[1]]);
        repo.git(["config", "core.safecrlf", "false"]);
        if !attributes.is_empty() {
            repo.write(".gitattributes", attributes);
        }
        repo.write("a.txt", "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\nseven\r\neight\r\n");
        repo.write("b.raw", "one\r\ntwo\n");
        start(&repo);
        repo.write("a.txt", "ONE\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\nseven\r\nEIGHT\r\n");
        repo.write("b.raw", "one\ntwo\r\n");
        disturb(&repo);
        whole_way(&repo);
    }
}

#[test]
fn a_filter_of_the_user_s_keeps_pointers_for_large_files() {
    let repo = with_identity();
    let store = repo.home().root().join("store");
    std::fs::create_dir(&store).unwrap();
    // As LFS does: the commit has a pointer, the content lies elsewhere.
    let clean = script(
        &repo,
        "clean",
        &format!(
            "cat > {0}/last && id=$(git hash-object {0}/last) && cp {0}/last {0}/$id && echo pointer $id",
            store.display()
        ),
    );
    let smudge = script(&repo, "smudge", &format!("read word id && cat {}/$id", store.display()));
    // As `git lfs install` leaves it, in the user's own configuration; `--global` is this test's home.
    repo.git(["config", "--global", "filter.large.clean", &clean]);
    repo.git(["config", "--global", "filter.large.smudge", &smudge]);
    repo.git(["config", "filter.large.clean", &clean]);
    repo.git(["config", "filter.large.smudge", &smudge]);
    repo.write(".gitattributes", "*.big filter=large\n");
    repo.write("film.big", "a very long film\n");
    start(&repo);
    assert!(repo.git(["show", "HEAD:film.big"]).starts_with("pointer "));
    repo.write("film.big", "a very long film, directed by another\n");
    repo.write("sequel.big", "more of it\n");
    disturb(&repo);
    let made = whole_way(&repo);
    let last = made.last().unwrap();
    for name in ["film.big", "sequel.big"] {
        assert!(repo.git(["show", &format!("{last}:{name}")]).starts_with("pointer "), "{name}");
    }
}

#[test]
fn a_submodule_with_a_new_commit_and_with_dirt() {
    let repo = with_identity();
    let library = TestRepo::new_in(repo.home(), "library");
    library.write("l", "1\n");
    library.commit("library");
    let checkout = repo.submodule("vendor/library", &library);
    start(&repo);
    checkout.write("l", "2\n");
    checkout.git(["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "newer"]);
    checkout.write("l", "dirt that is nobody's business\n");
    disturb(&repo);
    let made = whole_way(&repo);
    let entry = repo.git(["ls-tree", made.last().unwrap(), "vendor/library"]);
    assert!(entry.contains(&checkout.head()), "{entry}");
    assert_eq!(checkout.read("l"), "dirt that is nobody's business\n");
}

#[test]
fn a_worktree_with_a_configuration_of_its_own() {
    let repo = with_identity();
    start(&repo);
    repo.git(["config", "extensions.worktreeConfig", "true"]);
    let linked = repo.worktree("side");
    linked.git(["config", "--worktree", "user.name", "Side"]);
    linked.git(["config", "--worktree", "user.email", "side@example.org"]);
    disturb(&linked);
    repo.write("docs/guide.md", "# Guide\n\nAnother matter.\n");
    let main = told(&repo);
    let made = whole_way(&linked);
    assert_eq!(told(&repo), main, "the other worktree is as it was");
    let last = made.last().unwrap();
    assert_eq!(linked.git(["show", "-s", "--format=%an <%ae>", last]), "Side <side@example.org>");
    // From the main worktree, by name.
    let engine = engine(&repo);
    let grouped = engine
        .group_changes(&GroupChangesRequest {
            worktree: Some("side".to_owned()),
            ..GroupChangesRequest::default()
        })
        .unwrap();
    assert_eq!(grouped.scope.branch.as_deref(), Some("side"));
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    let request = ProposeCommitsRequest {
        group_ids,
        worktree: Some("side".to_owned()),
        ..ProposeCommitsRequest::default()
    };
    engine.propose_commits(&request).unwrap();
    let options = ApplyOptions { worktree: Some("side".to_owned()), ..ApplyOptions::default() };
    engine.apply_all(&ApplyAllRequest { plan: None, options }).unwrap();
    assert_eq!(linked.git(["status", "--porcelain"]), "");
    assert_eq!(told(&repo)[1..], main[1..]);
}

#[test]
fn a_bare_repository_has_nothing_to_commit_and_says_so() {
    let repo = with_identity();
    start(&repo);
    let bare = repo.bare_clone();
    let engine = engine(&bare);
    for error in [
        engine.group_changes(&GroupChangesRequest::default()).unwrap_err(),
        engine.apply_all(&ApplyAllRequest::default()).unwrap_err(),
        engine.undo(None, None).unwrap_err(),
    ] {
        assert_eq!(error.code(), "no_worktree", "{error}");
    }
}

#[test]
fn commits_are_signed_with_the_user_s_key() {
    let repo = with_identity();
    start(&repo);
    let key = repo.home().root().join("key");
    let made = repo
        .command("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f"])
        .arg(&key)
        .output();
    assert!(made.as_ref().is_ok_and(|made| made.status.success()), "this test needs ssh-keygen: {made:?}");
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    let allowed = repo.home().root().join("allowed");
    std::fs::write(&allowed, format!("ada@example.org {public}")).unwrap();
    for (name, value) in [
        ("gpg.format", "ssh"),
        ("user.signingKey", key.to_str().unwrap()),
        ("gpg.ssh.allowedSignersFile", allowed.to_str().unwrap()),
        ("commit.gpgSign", "true"),
    ] {
        repo.git(["config", name, value]);
    }
    disturb(&repo);
    for id in whole_way(&repo) {
        assert_eq!(repo.git(["show", "-s", "--format=%G? %GS", &id]), "G ada@example.org");
    }
    // A key that is not there fails the commit, and leaves everything as it was.
    repo.git(["config", "user.signingKey", "/nowhere/key"]);
    let before = told(&repo);
    let engine = engine(&repo);
    plan(&engine);
    let error = engine.apply_all(&ApplyAllRequest::default()).unwrap_err();
    assert_eq!(error.code(), "commit_refused", "{error}");
    assert_eq!(told(&repo), before);
}

#[test]
fn templates_comment_characters_and_cleanup_leave_the_message_alone() {
    let repo = with_identity();
    let template = repo.home().root().join("template");
    std::fs::write(&template, "Say why!\n\n# at most 50 letters\n").unwrap();
    for (name, value) in [
        ("commit.template", template.to_str().unwrap()),
        ("core.commentChar", "*"),
        ("commit.cleanup", "scissors"),
        ("commit.verbose", "true"),
        ("commit.status", "true"),
        ("i18n.commitEncoding", "UTF-8"),
    ] {
        repo.git(["config", name, value]);
    }
    start(&repo);
    disturb(&repo);
    let engine = engine(&repo);
    let proposed = plan(&engine);
    let commit_id = proposed.commits[0].id.clone();
    let message = "fix: ünï # not a comment\n\n* a point\n# another\n\nTask: T1".to_owned();
    let request = ApplyCommitRequest {
        commit_id,
        message_override: Some(message.clone()),
        ..ApplyCommitRequest::default()
    };
    engine.apply_commit(&request).unwrap();
    assert_eq!(repo.git(["log", "-1", "--format=%B"]).trim_end(), message);
}

#[test]
fn hooks_are_found_where_the_user_keeps_them_and_may_not_write() {
    let repo = with_identity();
    start(&repo);
    repo.write("hooks/pre-commit", "#!/bin/sh\necho formatted >> docs/guide.md\n");
    make_executable(&repo.path("hooks/pre-commit"));
    repo.commit("hooks");
    repo.git(["config", "core.hooksPath", "hooks"]);
    disturb(&repo);
    let engine = engine(&repo);
    plan(&engine);
    let head = repo.head();
    let error = engine.apply_all(&ApplyAllRequest::default()).unwrap_err();
    assert_eq!(error.code(), "hook_changed_files", "{error}");
    assert!(error.message().contains("docs/guide.md"), "{error}");
    assert_eq!(repo.head(), head);
    assert!(
        repo.read("docs/guide.md").ends_with("formatted\n"),
        "what the hook wrote is the user's to judge"
    );
    // What the hook did made the plan stale: it has to be made again, and then nothing hinders it.
    repo.git(["config", "--unset", "core.hooksPath"]);
    assert_eq!(engine.apply_all(&ApplyAllRequest::default()).unwrap_err().code(), "stale_plan");
    whole_way(&repo);
}

#[test]
fn a_shallow_clone_and_one_without_contents() {
    let repo = with_identity();
    start(&repo);
    repo.write("src/money.rs", "pub fn price() -> u32 {\n    3\n}\n");
    repo.commit("second");
    repo.git(["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", repo.root().display());
    for (name, option) in [("shallow", "--depth=1"), ("blobless", "--filter=blob:none")] {
        let root = repo.home().root().join(name);
        let made =
            repo.home().command("git").args(["clone", "-q", option, &url]).arg(&root).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let clone = TestRepo::new_in(repo.home(), name);
        identify(&clone);
        disturb(&clone);
        whole_way(&clone);
    }
}

fn identify(repo: &TestRepo) {
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
}

fn script(repo: &TestRepo, name: &str, text: &str) -> String {
    let path = repo.home().root().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    make_executable(Path::new(&path));
    format!("sh {}", path.display())
}
