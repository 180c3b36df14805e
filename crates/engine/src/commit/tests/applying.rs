//! Plans over random repositories: whatever is taken in whatever order, no byte is lost, and undo brings everything back.

use std::collections::BTreeMap;
use std::path::Path;

use becket_commits::{HunkId, Plan, PlannedCommit};
use becket_git::Untracked;

use super::super::{cut::Cut, ledger::Ledger};
use super::*;

/// Numbers that look random and are the same in every run.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

fn text(chance: &mut Chance) -> Vec<u8> {
    let end: &[u8] = if chance.once_in(4) { b"\r\n" } else { b"\n" };
    let mut content = Vec::new();
    for _ in 0..chance.below(40) {
        content.extend(format!("line {}", chance.below(12)).into_bytes());
        content.extend(end);
    }
    if chance.once_in(4) {
        content.truncate(content.len().saturating_sub(end.len()));
    }
    content
}

fn edited(content: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=chance.below(4) {
        let at = chance.below(lines.len() + 1);
        match chance.below(4) {
            0 => lines.insert(at, format!("new {}\n", chance.below(9)).into_bytes()),
            // A run that is cut into pieces.
            3 => {
                let (one, two) = (chance.below(9), chance.below(9));
                let block = format!("fn f{one}() {{\n    call();\n}}\n\nfn f{two}() {{\n}}\nuse x{one};\n");
                lines.splice(at..at, block.split_inclusive('\n').map(|line| line.as_bytes().to_vec()));
            }
            1 if at < lines.len() => drop(lines.remove(at)),
            _ if at < lines.len() => lines[at] = format!("other {}\n", chance.below(9)).into_bytes(),
            _ => lines.push(b"last".to_vec()),
        }
    }
    lines.concat()
}

const NAMES: [&str; 10] = [
    "a.txt",
    "src/b.rs",
    "src/deep/c",
    "ünï côde.txt",
    "with space",
    "\"quoted\"\t",
    "*.glob",
    "-dash",
    "x/y",
    "z",
];

pub(super) fn with_identity() -> TestRepo {
    let repo = TestRepo::new();
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    repo.git(["config", "commit.gpgsign", "false"]);
    repo
}

/// A repository in which all sorts of things are uncommitted.
pub(super) fn random(chance: &mut Chance) -> TestRepo {
    let repo = with_identity();
    if chance.once_in(4) {
        repo.git(["config", "core.autocrlf", "input"]);
    }
    if chance.once_in(5) {
        repo.git(["config", "core.splitIndex", "true"]);
    }
    if chance.once_in(4) {
        repo.write(".gitattributes", "*.txt text=auto\n*.rs -text\n");
    }
    if chance.once_in(3) {
        let library = TestRepo::new_in(repo.home(), "library");
        library.write("l", "1\n");
        library.commit("library");
        let checkout = repo.submodule("sub", &library);
        repo.commit("with a submodule");
        checkout.write("l", "2\n");
        checkout.git(["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "newer"]);
    }
    for name in NAMES {
        if !chance.once_in(4) {
            let content = text(chance);
            repo.write(name, content);
        }
    }
    repo.write("picture", [0, 1, 2, 255]);
    if !chance.once_in(8) {
        repo.commit("first");
    }
    for _ in 0..3 {
        for name in NAMES {
            disturb(&repo, name, chance);
        }
        if chance.once_in(3) {
            repo.write("picture", [0, 9, u8::try_from(chance.below(200)).unwrap()]);
        }
    }
    repo
}

fn disturb(repo: &TestRepo, name: &str, chance: &mut Chance) {
    let path = repo.path(name);
    let exists = path.symlink_metadata().is_ok();
    let is_file = path.symlink_metadata().is_ok_and(|data| data.is_file());
    match chance.below(16) {
        0..=4 if is_file => {
            let content = edited(&std::fs::read(&path).unwrap(), chance);
            std::fs::write(&path, content).unwrap();
        }
        5 | 6 => drop(repo.try_git(["--literal-pathspecs", "add", "--", name])),
        7 if is_file => std::fs::remove_file(&path).unwrap(),
        8 => drop(repo.try_git(["--literal-pathspecs", "rm", "-q", "--cached", "--", name])),
        9 if is_file => {
            let to = format!("moved/{}", chance.below(4));
            if !repo.path(&to).exists() {
                std::fs::create_dir_all(repo.path("moved")).unwrap();
                if repo.try_git(["mv", "--", name, &to]).status.success() && chance.once_in(2) {
                    let content = edited(&std::fs::read(repo.path(&to)).unwrap(), chance);
                    std::fs::write(repo.path(&to), content).unwrap();
                }
            }
        }
        10 if is_file => set_executable(&path, chance.once_in(2)),
        11 if is_file => {
            std::fs::remove_file(&path).unwrap();
            link("somewhere else", &path);
        }
        12 if is_file && chance.once_in(2) => {
            std::fs::remove_file(&path).unwrap();
            repo.write(format!("{name}/inside"), "now a folder\n");
        }
        13 if !exists => drop(repo.write(name, text(chance))),
        14 if !exists => {
            repo.write(name, text(chance));
            repo.try_git(["--literal-pathspecs", "add", "-N", "--", name]);
        }
        // What was staged is taken back, and something else is done.
        15 if is_file => {
            let last = repo.try_git(["show", &format!("HEAD:{name}")]);
            if last.status.success() {
                std::fs::write(&path, edited(&last.stdout, chance)).unwrap();
            }
        }
        _ => {}
    }
}

#[cfg(unix)]
fn set_executable(path: &Path, executable: bool) {
    use std::os::unix::fs::PermissionsExt;
    let mode = if executable { 0o755 } else { 0o644 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_executable(_path: &Path, _executable: bool) {}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

#[cfg(not(unix))]
fn link(target: &str, path: &Path) {
    std::fs::write(path, target).unwrap();
}

pub(super) fn make_executable(path: &Path) {
    set_executable(path, true);
}

/// Every file outside `.git`, with its bytes or its target.
pub(super) fn worktree(repo: &TestRepo) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![repo.root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let (entry, path) = entry.map(|entry| (entry.file_type().unwrap(), entry.path())).unwrap();
            if path.file_name().is_some_and(|name| name == ".git") {
                continue;
            }
            if entry.is_dir() {
                folders.push(path);
            } else if entry.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.insert(path.display().to_string(), target.display().to_string().into_bytes());
            } else {
                found.insert(path.display().to_string(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The tree that `git add --all` would make, by git alone.
pub(super) fn dirty_tree(repo: &TestRepo) -> String {
    let index = repo.home().root().join("other-index");
    let _ = std::fs::remove_file(&index);
    let git = |arguments: &[&str]| {
        let output = repo.command("git").env("GIT_INDEX_FILE", &index).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    if repo.try_git(["rev-parse", "--verify", "-q", "HEAD"]).status.success() {
        git(&["read-tree", "HEAD"]);
    }
    git(&["add", "--all"]);
    git(&["write-tree"])
}

/// Branch, index and status, as git tells them.
pub(super) fn told(repo: &TestRepo) -> [String; 3] {
    let head = repo.try_git(["rev-parse", "--verify", "-q", "HEAD"]);
    [
        String::from_utf8(head.stdout).unwrap(),
        repo.git(["ls-files", "--stage", "--debug"]).lines().filter(|line| !line.starts_with("  ")).collect(),
        repo.git(["status", "--porcelain=v2", "--untracked-files=all"]),
    ]
}

/// What git still tells, but for files that were only intended to be added and are gone: no commit can have them.
pub(super) fn left(repo: &TestRepo, command: &[&str]) -> Vec<String> {
    let told = repo.git([command, &["--ignore-submodules=dirty"]].concat());
    let lines = told.split('\0').filter(|line| !line.is_empty());
    let gone = |line: &&str| {
        let path = line.strip_prefix(" D ").unwrap_or(line);
        let in_head = repo.try_git(["cat-file", "-e", &format!("HEAD:{path}")]).status.success();
        !in_head && repo.path(path).symlink_metadata().is_err()
    };
    lines.filter(|line| !gone(line)).map(str::to_owned).collect()
}

/// Everything that is uncommitted, in as many commits, in any parts.
fn keep_random_plan(engine: &Engine, chance: &mut Chance) -> (String, Vec<String>) {
    let desk = engine.desk(None).unwrap();
    let cut = Cut::of(desk.look(Untracked::Include).unwrap().snapshot);
    let count = 1 + chance.below(5);
    let mut place: Vec<usize> = (0..cut.units.len()).map(|_| chance.below(count)).collect();
    for set in cut.together() {
        for unit in &set {
            place[*unit] = place[set[0]];
        }
    }
    // What is unstaged in a file that is wholly staged needs that; here it goes with it.
    for file in &cut.files {
        let whole = file.staged().iter().find(|unit| cut.units[**unit].part == becket_commits::Part::File);
        if let Some(whole) = whole {
            file.units().for_each(|unit| place[unit] = place[*whole]);
        }
    }
    for set in cut.together() {
        for unit in &set {
            place[*unit] = place[set[0]];
        }
    }
    let commit = |number: usize| {
        let units = place.iter().enumerate().filter(|(_, at)| **at == number);
        let hunks: Vec<HunkId> = units.map(|(unit, _)| cut.units[unit].id.clone()).collect();
        PlannedCommit {
            id: format!("commit-{number}"),
            group_ids: Vec::new(),
            hunks,
            title: format!("feat: part {number}"),
            body: "# not a comment\n\nBecause.".to_owned(),
            trailers: Vec::new(),
            breaking: Vec::new(),
            depends_on: Vec::new(),
            reasons: Vec::new(),
            title_given: false,
            body_given: false,
        }
    };
    let commits = (0..count).map(commit).filter(|commit| !commit.hunks.is_empty()).collect();
    let plan = Plan { commits, requirements: Vec::new() };
    let kept = Ledger::change(&desk.write, |ledger| {
        Ok(ledger.keep_plan(cut.snapshot.trees.clone(), Vec::new(), plan))
    });
    let kept = kept.unwrap();
    (kept.id, kept.plan.commits.into_iter().map(|commit| commit.id).collect())
}

/// How many repositories are made, or the one that somebody asks for.
pub(super) fn seeds() -> std::ops::RangeInclusive<u64> {
    let only = std::env::var("BECKET_SEED").ok().and_then(|seed| seed.parse().ok());
    let cases = if std::env::var_os("BECKET_FULL").is_some() { 400 } else { 8 };
    only.map_or(1..=cases, |seed: u64| seed..=seed)
}

#[test]
fn a_plan_of_any_parts_in_any_order_keeps_every_byte_and_is_undone_exactly() {
    for seed in seeds() {
        let mut chance = Chance::of(seed);
        let repo = random(&mut chance);
        let engine = engine(&repo);
        let (before, files) = (told(&repo), worktree(&repo));
        let index = std::fs::read(repo.path(".git/index")).ok();
        let wanted = dirty_tree(&repo);
        let (plan, mut commits) = keep_random_plan(&engine, &mut chance);
        if commits.is_empty() {
            continue;
        }
        let all_at_once = chance.once_in(2);
        let mut nothing = false;
        let operations = if all_at_once {
            let request = ApplyAllRequest { plan: Some(plan), options: ApplyOptions::default() };
            let applied =
                engine.apply_all(&request).unwrap_or_else(|error| panic!("seed {seed}: {error} {error:?}"));
            assert_eq!(applied.commits.len() + applied.notices.len(), commits.len(), "seed {seed}");
            nothing = !applied.notices.is_empty();
            usize::from(applied.operation.is_some())
        } else {
            let count = commits.len();
            let mut made = 0;
            while !commits.is_empty() {
                let next = commits.swap_remove(chance.below(commits.len()));
                let request = ApplyCommitRequest { commit_id: next, ..ApplyCommitRequest::default() };
                let dry = ApplyOptions { dry_run: true, ..ApplyOptions::default() };
                let preview = engine.apply_commit(&ApplyCommitRequest { options: dry, ..request.clone() });
                match engine.apply_commit(&request) {
                    Ok(applied) => {
                        made += 1;
                        let preview = preview.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                        assert_eq!(preview.committed_paths, applied.committed_paths, "seed {seed}");
                        assert_eq!(repo.head(), applied.commit_sha.unwrap(), "seed {seed}");
                    }
                    // What is taken away by one commit and was never there changes nothing.
                    Err(error) if error.code() == "nothing_to_commit" => {
                        nothing = true;
                        let preview = preview.unwrap_err();
                        assert_eq!(preview.code(), "nothing_to_commit", "seed {seed}");
                    }
                    Err(error) => panic!("seed {seed}: {error} {error:?}"),
                }
                assert_eq!(worktree(&repo), files, "seed {seed}");
            }
            assert!(made <= count && (made > 0 || nothing), "seed {seed}");
            made
        };
        assert_eq!(worktree(&repo), files, "seed {seed}");
        assert_eq!(repo.git(["rev-parse", "HEAD^{tree}"]), wanted, "seed {seed}");
        // A deletion that is staged while the same file is still there changes nothing, and so it stays staged.
        if !nothing {
            assert_eq!(repo.git(["write-tree"]), wanted, "seed {seed}: the index");
            assert_eq!(left(&repo, &["status", "--porcelain", "-z"]), [""; 0], "seed {seed}");
        }
        assert_eq!(left(&repo, &["diff-files", "--name-only", "-z"]), [""; 0], "seed {seed}: stat data");
        repo.git(["fsck", "--no-dangling", "--connectivity-only"]);

        for _ in 0..operations {
            engine.undo(None, None).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        assert_eq!(told(&repo), before, "seed {seed}");
        assert_eq!(std::fs::read(repo.path(".git/index")).ok(), index, "seed {seed}: the index to the byte");
        assert_eq!(worktree(&repo), files, "seed {seed}");
        assert_eq!(engine.undo(None, None).unwrap_err().code(), "nothing_to_undo");
    }
}
