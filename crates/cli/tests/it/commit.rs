//! `becket commit` and `becket pr`: a person's way through a plan, and `kill -9` at any point of applying one.

use std::{process::Stdio, thread, time::Instant};

use becket_testing::{
    TestRepo,
    embeddings::{Behaviour, EmbeddingServer},
};
use serde_json::Value;

use crate::{BECKET, becket, envelope};

/// Unrelated edits, some staged, some not, in files of many sorts.
fn dirty() -> TestRepo {
    let repo = TestRepo::new();
    let lines = |from: usize| {
        (from..from + 60).map(|n| format!("let value_{n} = {n};\n")).collect::<Vec<_>>().concat()
    };
    repo.write("src/money.ts", lines(0));
    repo.write("src/cart.ts", lines(100));
    repo.write("docs/guide.md", "# Guide\n\nOne.\n");
    repo.write("old", "a line that is long enough\nto be recognised again\n");
    repo.commit("first");
    repo.write("src/money.ts", lines(0).replace("value_3 ", "price ").replace("value_50 ", "fee "));
    repo.git(["add", "src/money.ts"]);
    repo.write(
        "src/money.ts",
        lines(0).replace("value_3 ", "price ").replace("value_50 ", "fee ").replace("value_30 ", "tax "),
    );
    repo.write("src/cart.ts", format!("import x from 'y';\n{}", lines(100)));
    repo.write("docs/guide.md", "# Guide\n\nTwo.\n");
    repo.write("docs/new ä.md", "no newline at the end");
    repo.write("picture", [0_u8, 1, 2]);
    repo.git(["mv", "old", "new"]);
    repo
}

fn data(repo: &TestRepo, arguments: &[&str]) -> Value {
    let output = repo.command(BECKET).args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    envelope(&output)["data"].clone()
}

/// Branch, index and worktree, as git tells them.
fn state(repo: &TestRepo) -> [String; 3] {
    [repo.head(), repo.git(["ls-files", "--stage"]), repo.git(["status", "--porcelain"])]
}

#[test]
fn a_person_plans_edits_applies_undoes_and_drafts() {
    let repo = dirty();
    let before = state(&repo);
    let planned = data(&repo, &["commit", "plan"]);
    let commits = planned["commits"].as_array().unwrap();
    assert!(!commits.is_empty());
    assert_eq!(state(&repo), before, "a plan changes nothing");
    let first = commits[0]["id"].as_str().unwrap();

    // An editor that rewords the first commit.
    let editor = repo.write(
        "editor.sh",
        "#!/bin/sh\nsed -i.old 's/^commit \\([a-z]*-1\\) .*/commit \\1 feat: reworded/' \"$1\"\n",
    );
    let output = becket(&repo, ["commit", "edit", "--json"])
        .env("EDITOR", format!("sh '{}'", editor.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    repo.remove("editor.sh");
    assert_eq!(envelope(&output)["data"]["commits"][0]["title"], "feat: reworded");
    let bad =
        becket(&repo, ["commit", "edit"]).env("EDITOR", "sh -c 'echo nonsense > \"$0\"'").output().unwrap();
    assert_eq!(bad.status.code(), Some(2), "{bad:?}");

    let dry = data(&repo, &["commit", "apply", "--dry-run"]);
    assert_eq!(dry["commits"].as_array().unwrap().len(), commits.len());
    assert_eq!(state(&repo), before);
    let one = data(&repo, &["commit", "apply", first, "-m", "fix: my own words"]);
    assert_eq!(repo.git(["log", "-1", "--format=%s"]), "fix: my own words");
    assert_eq!(one["commit_sha"], repo.head().as_str());
    data(&repo, &["commit", "apply"]);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    let pr = data(&repo, &["pr", "--title", "My title"]);
    assert_eq!(pr["title"], "My title");
    assert_eq!(pr["commits"].as_array().unwrap().len(), commits.len());

    let operations = data(&repo, &["commit", "operations"]);
    for _ in operations["operations"].as_array().unwrap() {
        data(&repo, &["commit", "undo"]);
    }
    assert_eq!(state(&repo), before);
    let nothing = becket(&repo, ["commit", "undo"]).output().unwrap();
    assert_eq!(nothing.status.code(), Some(3));
}

/// All in the first commit but the last piece of a hunk, which gets a commit of its own with a description.
#[test]
fn an_edited_sheet_makes_new_commits_merges_others_and_parts_a_hunk() {
    let repo = TestRepo::new();
    repo.write("src/a.rs", "fn a() {}\n");
    repo.write("notes.md", "# Notes\n");
    repo.commit("first");
    repo.write("notes.md", "# Notes\n\nMore.\n");
    repo.write("src/a.rs", "fn a() {}\n\nfn two() {\n    call();\n}\n\nfn three() {\n}\n");
    let before = state(&repo);
    data(&repo, &["commit", "plan"]);
    let script = "#!/bin/sh\nfirst=$(grep -m1 '^commit' \"$1\")\nhunks=$(grep '^hunk' \"$1\" | sort)\n\
        { echo \"$first\"; echo \"$hunks\" | sed '$d'; echo 'commit new feat: the third'; \
        echo '    Because of $HOME and `this`.'; echo \"$hunks\" | tail -1; } > \"$1.new\"\nmv \"$1.new\" \"$1\"\n";
    let editor = repo.home().root().join("editor.sh");
    std::fs::write(&editor, script).unwrap();
    let output = becket(&repo, ["commit", "edit", "--json"])
        .env("EDITOR", format!("sh '{}'", editor.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let edited = envelope(&output)["data"]["commits"].clone();
    assert_eq!(edited.as_array().unwrap().len(), 2, "{edited}");
    assert_eq!(edited[1]["title"], "feat: the third");
    assert_eq!(edited[1]["hunk_ids"], serde_json::json!(["change-2-hunk-1.2"]));
    data(&repo, &["commit", "apply"]);
    assert_eq!(
        repo.git(["log", "-1", "--format=%B"]).trim(),
        "feat: the third\n\nBecause of $HOME and `this`."
    );
    assert_eq!(repo.git(["show", "HEAD~1:src/a.rs"]), "fn a() {}\n\nfn two() {\n    call();\n}");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    data(&repo, &["commit", "undo"]);
    assert_eq!(state(&repo), before);
}

fn kills() -> u64 {
    if std::env::var_os("BECKET_FULL").is_some() { 200 } else { 12 }
}

/// The next call that writes ends what was interrupted; one that looks leaves it.
#[test]
fn kill_nine_at_any_point_of_applying_leaves_before_or_after() {
    let repo = dirty();
    let hook = repo.write(".git/hooks/post-commit", "#!/bin/sh\ntrue\n");
    make_executable(&hook);
    data(&repo, &["commit", "plan"]);
    let before = state(&repo);
    let started = Instant::now();
    data(&repo, &["commit", "apply"]);
    let whole = started.elapsed();
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
    data(&repo, &["commit", "undo"]);
    assert_eq!(state(&repo), before);

    let mut interrupted = 0;
    for round in 0..kills() {
        let mut child =
            becket(&repo, ["commit", "apply"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Spread over the whole of it and a little beyond, never the same twice.
        let share = (round * 37 + 11) % 110;
        thread::sleep(whole.mul_f64(f64::from(u32::try_from(share).unwrap()) / 100.0));
        child.kill().unwrap();
        child.wait().unwrap();
        let journal = repo.path(".git/becket/commit/main/journal.json");
        let lock = repo.path(".git/index.lock");
        interrupted += u64::from(journal.exists() || lock.exists());
        data(&repo, &["changes"]);
        // A git that the dead one had started may still be ending; it is waited for.
        data(&repo, &["commit", "apply"]);
        assert!(!journal.exists() && !lock.exists(), "round {round}: the next call that writes ends it");
        assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), tree, "round {round}");
        assert_eq!(repo.git(["write-tree"]), tree, "round {round}");
        assert_eq!(state(&repo)[2], "", "round {round}");
        data(&repo, &["commit", "undo"]);
        assert_eq!(state(&repo), before, "round {round}");
    }
    assert!(interrupted > 0, "some were killed while they were at it");
    repo.git(["fsck", "--no-dangling", "--connectivity-only"]);
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_path: &std::path::Path) {}

#[test]
fn embeddings_are_one_more_signal_only_where_they_are_turned_on() {
    let server = EmbeddingServer::start();
    let repo = dirty();
    let plan = |provider: Option<&str>| {
        let mut command = becket(&repo, ["commit", "plan", "--json"]);
        if let Some(provider) = provider {
            command.env("SEGMINT_EMBEDDING_PROVIDER", provider).env("OPENAI_API_KEY", "k");
            command.env("OPENAI_BASE_URL", server.url());
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        envelope(&output)["data"].clone()
    };
    plan(None);
    assert!(server.received().is_empty(), "nothing goes out by itself");
    let with = plan(Some("openai"));
    let texts: Vec<String> = server.received().into_iter().flat_map(|request| request.inputs).collect();
    assert!(texts.iter().any(|text| text.contains("price")), "{texts:?}");
    assert_eq!(with["notices"], serde_json::json!([]));
    // A provider that fails costs a note, not the answer.
    server.behave(Behaviour::Status(500, "out of order".to_owned()));
    repo.write("docs/guide.md", "# Guide\n\nThree.\n");
    let without = plan(Some("openai"));
    assert!(without["notices"].to_string().contains("grouped without embeddings"), "{without}");
    assert!(!without["commits"].as_array().unwrap().is_empty());
}
