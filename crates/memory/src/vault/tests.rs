//! The folder as real programs leave it: missing, wrong, raced for, tampered with.

use std::{collections::BTreeSet, fs, path::Path, thread};

use becket_base::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::entry::ContentHash;

struct Workspace {
    root: TempDir,
    state: TempDir,
}

impl Workspace {
    fn new() -> Self {
        let workspace = Self::empty();
        Vault::init(workspace.root.path()).unwrap();
        workspace
    }

    fn empty() -> Self {
        Self { root: TempDir::new().unwrap(), state: TempDir::new().unwrap() }
    }

    fn vault(&self) -> Vault {
        Vault::open(self.root.path(), self.state.path()).unwrap()
    }

    fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.root.path().join(FOLDER).join(file), bytes).unwrap();
    }

    fn exists(&self, file: &str) -> bool {
        self.root.path().join(FOLDER).join(file).exists()
    }

    fn create(&self, text: &str) -> String {
        let vault = self.vault();
        vault.create(&vault.config().unwrap(), draft(text), || None).unwrap().file
    }

    fn listed(&self) -> Vec<String> {
        let vault = self.vault();
        let listing = vault.list(&vault.config().unwrap(), &vault.log().unwrap()).unwrap();
        listing.entries.into_iter().map(|entry| format!("{} {}", entry.number, entry.file)).collect()
    }
}

fn draft(text: &str) -> Draft {
    Draft {
        text: text.to_owned(),
        at: Timestamp::UNIX_EPOCH,
        author: None,
        head: None,
        anchors: Vec::new(),
        links: Vec::new(),
    }
}

#[test]
fn init_makes_what_is_missing_and_touches_nothing_else() {
    let workspace = Workspace::empty();
    let first = Vault::init(workspace.root.path()).unwrap();
    assert_eq!(first, Initialised { folder_created: true, config: ConfigOutcome::Created });
    assert_eq!(
        fs::read_to_string(workspace.root.path().join(".context/config.json")).unwrap(),
        "{\n  \"maxLines\": 50,\n  \"startIndex\": 1,\n  \"leadingZeros\": 5,\n  \"filePrefix\": \"\",\n  \"fileSuffix\": \".md\"\n}\n"
    );
    workspace.write("config.json", "{\"maxLines\": 9}");
    let second = Vault::init(workspace.root.path()).unwrap();
    assert_eq!(second, Initialised { folder_created: false, config: ConfigOutcome::Completed });
    assert_eq!(workspace.vault().config().unwrap().max_lines, 9);
    let third = Vault::init(workspace.root.path()).unwrap();
    assert_eq!(third, Initialised { folder_created: false, config: ConfigOutcome::Kept });
    assert_eq!(
        fs::read_to_string(workspace.root.path().join(".context/.gitattributes")).unwrap(),
        "log.jsonl text eol=lf merge=union\n"
    );
    workspace.write("config.json", "{\"maxLines\": null}");
    assert!(matches!(Vault::init(workspace.root.path()), Err(VaultError::Config(_))));
    assert_eq!(
        fs::read(workspace.root.path().join(".context/config.json")).unwrap(),
        b"{\"maxLines\": null}"
    );
}

#[test]
fn a_missing_or_unfit_folder_is_said_so() {
    let workspace = Workspace::empty();
    let open = || Vault::open(workspace.root.path(), workspace.state.path());
    assert!(matches!(open(), Err(VaultError::Missing { .. })));
    fs::write(workspace.root.path().join(FOLDER), "").unwrap();
    assert!(matches!(open(), Err(VaultError::Unfit { .. })));
    assert!(matches!(Vault::init(workspace.root.path()), Err(VaultError::Unfit { .. })));
    fs::remove_file(workspace.root.path().join(FOLDER)).unwrap();
    fs::create_dir(workspace.root.path().join(FOLDER)).unwrap();
    assert!(matches!(open().unwrap().config(), Err(VaultError::ConfigMissing { .. })));
    workspace.write("config.json", b"\xff{}");
    assert!(matches!(open().unwrap().config(), Err(VaultError::ConfigNotText { .. })));
}

#[cfg(unix)]
#[test]
fn a_folder_that_leads_outside_is_refused() {
    let workspace = Workspace::empty();
    let outside = TempDir::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), workspace.root.path().join(FOLDER)).unwrap();
    let opened = Vault::open(workspace.root.path(), workspace.state.path());
    assert!(matches!(opened, Err(VaultError::Unfit { .. })), "{opened:?}");
    assert!(Vault::init(workspace.root.path()).is_err());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    fs::remove_file(workspace.root.path().join(FOLDER)).unwrap();
    fs::create_dir(workspace.root.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", workspace.root.path().join(FOLDER)).unwrap();
    Vault::init(workspace.root.path()).unwrap();
    assert_eq!(workspace.create("x"), "00001.md");
}

#[test]
fn numbers_go_up_and_never_come_back() {
    let workspace = Workspace::new();
    assert_eq!(workspace.create("one"), "00001.md");
    assert_eq!(workspace.create("two"), "00002.md");
    fs::remove_file(workspace.root.path().join(".context/00002.md")).unwrap();
    assert_eq!(workspace.create("three"), "00003.md");
    // A lost mark is made up for by the log, a lost log by the mark, and both by what Git remembers.
    fs::remove_file(workspace.root.path().join(".context/00003.md")).unwrap();
    fs::remove_file(workspace.state.path().join("mark")).unwrap();
    assert_eq!(workspace.create("four"), "00004.md");
    fs::remove_file(workspace.root.path().join(".context/00004.md")).unwrap();
    fs::remove_file(workspace.root.path().join(".context/log.jsonl")).unwrap();
    assert_eq!(workspace.create("five"), "00005.md");
    fs::remove_file(workspace.state.path().join("mark")).unwrap();
    let vault = workspace.vault();
    let written = vault.create(&Config::default(), draft("x"), || Some(40)).unwrap();
    assert_eq!(written.file, "00041.md");
    fs::write(workspace.state.path().join("mark"), "damaged").unwrap();
    assert_eq!(workspace.create("y"), "00042.md");
}

#[test]
fn zero_and_large_start_indexes_work() {
    let workspace = Workspace::new();
    workspace.write("config.json", "{\"startIndex\": 0, \"leadingZeros\": 0}");
    assert_eq!(workspace.create("x"), "0.md");
    assert_eq!(workspace.create("x"), "1.md");
    workspace.write("config.json", "{\"startIndex\": 99999}");
    assert_eq!(workspace.create("x"), "99999.md");
    assert_eq!(workspace.create("x"), "100000.md");
    assert_eq!(workspace.listed(), ["0 0.md", "1 1.md", "99999 99999.md", "100000 100000.md"]);
    workspace.write("config.json", "{\"startIndex\": 999999999999999}");
    workspace.create("last");
    let vault = workspace.vault();
    let refused = vault.create(&vault.config().unwrap(), draft("x"), || None);
    assert!(matches!(refused, Err(VaultError::NumbersExhausted { .. })));
}

#[test]
fn what_another_program_wrote_meanwhile_is_never_overwritten() {
    let workspace = Workspace::new();
    workspace.create("ours");
    workspace.write("00002.md", "theirs");
    workspace.write("00003.md", "theirs too");
    assert_eq!(workspace.create("ours again"), "00004.md");
    assert_eq!(fs::read(workspace.root.path().join(".context/00002.md")).unwrap(), b"theirs");
}

#[test]
fn changing_the_names_hides_and_renumbers_nothing() {
    let workspace = Workspace::new();
    workspace.create("first");
    workspace
        .write("config.json", "{\"filePrefix\": \"ctx-\", \"fileSuffix\": \".text\", \"leadingZeros\": 2}");
    assert_eq!(workspace.create("second"), "ctx-02.text");
    workspace.write("config.json", "{\"filePrefix\": \"note-\"}");
    workspace.write("adr-00009.md", "by another program, under a prefix that is gone");
    assert_eq!(workspace.create("third"), "note-00010.md");
    assert_eq!(workspace.listed(), ["1 00001.md", "2 ctx-02.text", "9 adr-00009.md", "10 note-00010.md"]);
    let vault = workspace.vault();
    let (config, log) = (vault.config().unwrap(), vault.log().unwrap());
    let listing = vault.list(&config, &log).unwrap();
    for (reference, text) in
        [("2", "second"), ("00002", "second"), ("ctx-02.text", "second"), ("note-00010", "third")]
    {
        assert_eq!(vault.read(listing.find(reference, &config, &log).unwrap()).unwrap(), text, "{reference}");
    }
}

#[test]
fn strays_are_no_entries_and_bad_files_break_nothing() {
    let workspace = Workspace::new();
    workspace.create("good");
    for stray in ["README.md", "notes.md", "00009abc.md", "draft-00001.md"] {
        workspace.write(stray, "x");
    }
    workspace.write("00002.md", b"\xff\xfe not text");
    fs::create_dir(workspace.root.path().join(".context/00003.md")).unwrap();
    let vault = workspace.vault();
    let (config, log) = (vault.config().unwrap(), vault.log().unwrap());
    let listing = vault.list(&config, &log).unwrap();
    assert_eq!(workspace.listed(), ["1 00001.md", "2 00002.md", "3 00003.md"]);
    let strays: Vec<&str> = listing.strays.iter().map(|stray| stray.file.as_str()).collect();
    assert_eq!(strays, ["00009abc.md", "README.md", "draft-00001.md", "notes.md"]);
    let read = |reference: &str| vault.read(listing.find(reference, &config, &log).unwrap());
    assert_eq!(read("1").unwrap(), "good");
    assert!(matches!(read("2"), Err(VaultError::NotText { .. })));
    assert!(matches!(read("3"), Err(VaultError::NotAnEntry { .. })));
    assert!(matches!(listing.find("4", &config, &log), Err(VaultError::NotFound { .. })));
    assert!(matches!(listing.find("../README", &config, &log), Err(VaultError::Reference(_))));
    assert_eq!(workspace.create("next"), "00004.md");
}

#[cfg(unix)]
#[test]
fn a_linked_entry_is_not_followed() {
    let workspace = Workspace::new();
    let secret = workspace.state.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    std::os::unix::fs::symlink(&secret, workspace.root.path().join(".context/00001.md")).unwrap();
    let vault = workspace.vault();
    let (config, log) = (vault.config().unwrap(), vault.log().unwrap());
    let listing = vault.list(&config, &log).unwrap();
    assert!(matches!(vault.read(&listing.entries[0]), Err(VaultError::NotAnEntry { .. })));
    assert!(matches!(vault.read_bytes("00001.md"), Err(VaultError::NotAnEntry { .. })));
    assert_eq!(workspace.create("x"), "00002.md");
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
}

#[test]
fn threads_and_worktrees_get_numbers_of_their_own() {
    let one = Workspace::new();
    let other_root = TempDir::new().unwrap();
    Vault::init(other_root.path()).unwrap();
    let create = |root: &Path, text: &str| {
        let vault = Vault::open(root, one.state.path()).unwrap();
        vault.create(&Config::default(), draft(text), || None).unwrap().number
    };
    let numbers: Vec<u64> = thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let root = if writer % 2 == 0 { one.root.path() } else { other_root.path() };
                scope.spawn(move || {
                    (0..25).map(|n| create(root, &format!("{writer} {n}"))).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), 200);
    assert_eq!(numbers.iter().max(), Some(&200));
}

#[test]
fn what_a_dead_process_left_is_swept_and_a_torn_log_mended() {
    let workspace = Workspace::new();
    workspace.create("one");
    workspace.write(".writing-99", "half");
    let log = workspace.root.path().join(".context/log.jsonl");
    let mut torn = fs::read_to_string(&log).unwrap();
    torn.push_str("{\"event\":\"created\",\"numb");
    fs::write(&log, torn).unwrap();
    assert_eq!(workspace.create("two"), "00002.md");
    assert!(!workspace.exists(".writing-99"));
    let log = workspace.vault().log().unwrap();
    assert_eq!((log.created.len(), log.malformed), (2, vec![2]));
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.root.path().join(".context/log.jsonl")).unwrap();
    let vault = workspace.vault();
    let failed = vault.create(&Config::default(), draft("x"), || None);
    assert!(failed.is_err());
    assert!(!workspace.exists("00001.md"));
    fs::remove_dir(workspace.root.path().join(".context/log.jsonl")).unwrap();
    fs::remove_dir_all(workspace.state.path()).unwrap();
    fs::write(workspace.state.path(), "").unwrap();
    assert!(matches!(vault.create(&Config::default(), draft("x"), || None), Err(VaultError::Write { .. })));
    assert!(!workspace.exists("00001.md"));
}

#[test]
fn a_log_that_was_read_follows_the_file() {
    let workspace = Workspace::new();
    let vault = workspace.vault();
    let mut cached = CachedLog::default();
    vault.refresh_log(&mut cached).unwrap();
    assert_eq!(cached.log.highest(), None);
    for number in 1..=3 {
        workspace.create(&format!("entry {number}"));
        vault.refresh_log(&mut cached).unwrap();
        assert_eq!((cached.log.highest(), cached.log.malformed.len()), (Some(number), 0));
    }
    let path = workspace.root.path().join(".context/log.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let reordered: Vec<&str> = text.lines().rev().take(2).collect();
    fs::write(&path, format!("broken\n{}\n", reordered.join("\n"))).unwrap();
    vault.refresh_log(&mut cached).unwrap();
    assert_eq!((cached.log.created.len(), cached.log.malformed.as_slice()), (2, &[1][..]));
    workspace.create("again");
    vault.refresh_log(&mut cached).unwrap();
    assert_eq!((cached.log.created.len(), cached.log.malformed.as_slice()), (3, &[1][..]));
    fs::remove_file(&path).unwrap();
    vault.refresh_log(&mut cached).unwrap();
    assert_eq!(cached.log.created.len(), 0);
}

#[test]
fn a_renumbered_entry_is_moved_whole_and_recorded() {
    let workspace = Workspace::new();
    workspace.create("ours");
    workspace.write("ctx-00001.md", "theirs");
    workspace.write("config.json", "{\"filePrefix\": \"ctx-\"}");
    let vault = workspace.vault();
    let config = vault.config().unwrap();
    let entry = Move { from: 1, bytes: b"theirs".to_vec(), at: Timestamp::UNIX_EPOCH, author: None };
    let (to, file) = vault.renumber(&config, entry, || Some(6)).unwrap();
    assert_eq!((to, file.as_str()), (2, "ctx-00002.md"));
    assert!(
        workspace.exists("ctx-00001.md"),
        "the old file stays until everything that refers to it is rewritten"
    );
    vault.settle("ctx-00001.md", None).unwrap();
    assert_eq!(workspace.listed(), ["1 00001.md", "2 ctx-00002.md"]);
    vault.settle("00001.md", Some(b"restored")).unwrap();
    assert_eq!(vault.read_bytes("00001.md").unwrap(), b"restored");
    let log = vault.log().unwrap();
    assert_eq!(log.current_number(1, &ContentHash::of(b"theirs")), 2);
}

/// A clone brings links with it: what is written through one would be written anywhere.
#[cfg(unix)]
#[test]
fn no_file_of_the_vault_is_a_link_that_leads_outside() {
    use std::os::unix::fs::symlink;
    let leads_out = |error: VaultError| match error {
        VaultError::Read { source, .. } | VaultError::Write { source, .. } => {
            becket_fence::Refused::of(&source).is_some()
        }
        _ => false,
    };
    for name in ["log.jsonl", "config.json", ".gitattributes"] {
        for target in ["victim", "new"] {
            let (workspace, outside) = (Workspace::new(), TempDir::new().unwrap());
            let link = workspace.root.path().join(FOLDER).join(name);
            _ = fs::remove_file(&link);
            fs::write(outside.path().join("victim"), "mine").unwrap();
            symlink(outside.path().join(target), &link).unwrap();
            let vault = workspace.vault();
            let error = match name {
                "log.jsonl" => {
                    assert!(leads_out(vault.log().unwrap_err()), "{target}");
                    assert!(leads_out(vault.refresh_log(&mut CachedLog::default()).unwrap_err()), "{target}");
                    vault.create(&Config::default(), draft("x"), || None).unwrap_err()
                }
                "config.json" => {
                    assert!(leads_out(vault.config().unwrap_err()), "{target}");
                    Vault::init(workspace.root.path()).unwrap_err()
                }
                _ => {
                    assert!(leads_out(Vault::init(workspace.root.path()).unwrap_err()), "{target}");
                    vault.create(&Config::default(), draft("x"), || None).unwrap_err()
                }
            };
            assert!(leads_out(error), "{name} {target}");
            assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "{name} {target}");
            assert_eq!(fs::read_to_string(outside.path().join("victim")).unwrap(), "mine");
            assert!(!workspace.exists("00001.md"), "{name} {target}: nothing half done is left");
        }
    }
}

/// The name can be guessed by whoever prepares a clone.
#[cfg(unix)]
#[test]
fn what_is_written_beside_a_file_goes_through_no_link_either() {
    let (workspace, outside) = (Workspace::empty(), TempDir::new().unwrap());
    let victim = outside.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    fs::create_dir(workspace.root.path().join(FOLDER)).unwrap();
    let beside = format!("config.json.{}.new", std::process::id());
    std::os::unix::fs::symlink(&victim, workspace.root.path().join(FOLDER).join(beside)).unwrap();
    Vault::init(workspace.root.path()).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(workspace.vault().config().is_ok());
}
