//! What can happen to the file under a running store.

use std::fs;
use std::path::Path;
use std::process::Command;

use becket_store::{
    Call, Claim, Error, EventQuery, Join, NewMessage, Options, Place, Severity, SpecStamp, Store, TaskQuery,
    check, repair,
};
use rusqlite::config::DbConfig;

use crate::worker::{claim, fill, join, main, open, place};

#[test]
fn a_removed_file_is_made_again_under_a_new_stream() {
    let (_folder, place) = place();
    let store = open(&place);
    fill(&store, 3);
    join(&store, "Ada");
    let before = store.events(&EventQuery::default()).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{place}{suffix}")).unwrap();
    }
    let after =
        store.events(&EventQuery { stream: Some(before.stream.clone()), ..EventQuery::default() }).unwrap();
    assert!(after.reset && after.events.is_empty() && after.stream != before.stream);
    assert_eq!(store.spec_stamp(&main()).unwrap(), None);
    fill(&store, 3);
    join(&store, "Bob");
    // Only the main file: its log must not come back to life in the new one.
    fs::remove_file(&place).unwrap();
    assert_eq!(store.tasks(&main(), &TaskQuery::default()).unwrap().total, 0);
    join(&store, "Eve");
    check(Path::new(&place), None).unwrap();
}

#[test]
fn damage_is_named_and_repaired() {
    let (_folder, place) = place();
    let ada;
    {
        let store = open(&place);
        fill(&store, 300);
        ada = join(&store, "Ada");
        for n in 0..200 {
            let body = format!("{n} {}", "words ".repeat(60));
            let message = NewMessage { to: None, task: None, subject: None, body, severity: Severity::Info };
            store.send(&Call::by(&ada), &message).unwrap();
        }
        assert!(matches!(claim(&store, &Call::by(&ada), &"T7".into()), Ok(Claim::Granted { .. })));
    }
    // Everything is in the main file once the last connection is gone. Wipe a stretch of it.
    let mut bytes = fs::read(&place).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 3 * 4096].fill(0xAA);
    fs::write(&place, &bytes).unwrap();
    assert!(matches!(check(Path::new(&place), None), Err(Error::Corrupt { .. })));
    let report = repair(Path::new(&place), None).unwrap();
    assert!(report.backup.exists() && fs::read(&report.backup).unwrap().len() == bytes.len());
    check(Path::new(&place), None).unwrap();
    let store = open(&place);
    assert!(store.agent(&ada).is_ok(), "{report:?}");
    let kept: u64 = report.kept.iter().map(|(_, rows)| rows).sum();
    assert!(kept > 300, "{report:?}");
    fill(&store, 300);
    join(&store, "Bob");
}

#[test]
fn what_an_agent_holds_outlasts_the_loss_of_the_agents() {
    let (_folder, place) = place();
    let (ada, generation);
    {
        let store = open(&place);
        fill(&store, 10);
        ada = join(&store, "Ada");
        let Ok(Claim::Granted { lease, .. }) = claim(&store, &Call::by(&ada), &"T7".into()) else { panic!() };
        generation = lease.generation;
    }
    let page = |name: &str| -> usize {
        let connection = rusqlite::Connection::open(&place).unwrap();
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        usize::try_from(connection.query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap()).unwrap()
    };
    let at = (page("agents") - 1) * 4096;
    let mut bytes = fs::read(&place).unwrap();
    bytes[at..at + 4096].fill(0x5A);
    fs::write(&place, &bytes).unwrap();
    let report = repair(Path::new(&place), None).unwrap();
    assert_eq!(report.lost, ["agents"]);
    let store = open(&place);
    assert_eq!(store.agent(&ada).unwrap().name.as_deref(), Some("Ada"));
    let leases = store.leases().unwrap();
    assert_eq!(leases.len(), 1, "{report:?}");
    assert_eq!((&leases[0].agent, leases[0].generation), (&ada, generation));
    store.release(&Call::by(&ada), &"T7".into(), Some(generation), None).unwrap();
}

#[test]
fn a_file_that_is_no_database_is_named_and_set_aside() {
    let (_folder, place) = place();
    fs::write(
        &place,
        "this is no database, whatever its name says; it only lies where one should be.".repeat(100),
    )
    .unwrap();
    let opened =
        becket_store::Store::open(&becket_store::Options::new(becket_store::Place::parse(&place).unwrap()));
    let Err(error @ Error::Corrupt { .. }) = opened else { panic!("{opened:?}") };
    assert!(error.to_string().contains("runtime.sqlite is damaged"), "{error}");
    let report = repair(Path::new(&place), None).unwrap();
    assert!(fs::read_to_string(&report.backup).unwrap().starts_with("this is no database"));
    join(&open(&place), "Ada");
}

#[test]
fn a_newer_schema_is_refused() {
    let (_folder, place) = place();
    join(&open(&place), "Ada");
    let connection = rusqlite::Connection::open(&place).unwrap();
    connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'", []).unwrap();
    let opened =
        becket_store::Store::open(&becket_store::Options::new(becket_store::Place::parse(&place).unwrap()));
    assert!(matches!(opened, Err(Error::Newer { found: 99, .. })), "{opened:?}");
}

/// As another user who may read but not write; root could write anywhere.
#[test]
fn a_read_only_folder_can_be_read() {
    if std::env::var_os("BECKET_STORE_TEST_READER").is_some() {
        return read_only_reader();
    }
    let (folder, place) = place();
    let store = open(&place);
    fill(&store, 3);
    let ada = join(&store, "Ada");
    assert!(matches!(claim(&store, &Call::by(&ada), &"T1".into()), Ok(Claim::Granted { .. })));
    let modes = |file: u32, directory: u32| {
        use std::os::unix::fs::PermissionsExt;
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::set_permissions(entry.unwrap().path(), fs::Permissions::from_mode(file)).unwrap();
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(directory)).unwrap();
    };
    modes(0o444, 0o555);
    // The test program itself must be readable by that user, which it may not be where it was built.
    let reader = tempfile::TempDir::new().unwrap();
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(reader.path(), fs::Permissions::from_mode(0o777)).unwrap();
    }
    let program = reader.path().join("reader");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let arguments = ["--exact", "files::a_read_only_folder_can_be_read", "--nocapture"];
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&program);
        command
    } else {
        Command::new(&program)
    };
    let run = command
        .args(arguments)
        .current_dir(reader.path())
        .env("BECKET_STORE_TEST_READER", &place)
        .env("TMPDIR", reader.path())
        .output()
        .unwrap();
    modes(0o644, 0o755);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn read_only_reader() {
    let place = std::env::var("BECKET_STORE_TEST_READER").unwrap();
    assert!(fs::write(format!("{place}.probe"), "x").is_err(), "the folder can be written");
    let store = open(&place);
    assert!(store.is_read_only());
    let page = store.tasks(&main(), &TaskQuery::default()).unwrap();
    assert_eq!(
        (page.total, page.tasks[1].claimed_by.is_some()),
        (3, true),
        "what is only in the log is seen"
    );
    assert!(matches!(store.join(&Join::default(), None), Err(Error::ReadOnly { .. })));
    fill(&store, 5);
    assert_eq!(store.tasks(&main(), &TaskQuery::default()).unwrap().total, 5, "files can still be mirrored");
    let nothing_there = Path::new(&place).with_file_name("other.sqlite");
    let empty = open(nothing_there.to_str().unwrap());
    assert_eq!(empty.last_event().unwrap(), 0);
}

/// A limit on the size of files stands in for a disk: the same write fails, at any size that is wanted.
#[test]
fn a_full_disk_refuses_writes_and_not_reads() {
    if std::env::var_os("BECKET_STORE_TEST_FULL").is_some() {
        return full_disk_worker();
    }
    let (_folder, place) = place();
    fill(&open(&place), 3);
    let run = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec prlimit --fsize=300000 \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "files::a_full_disk_refuses_writes_and_not_reads", "--nocapture"])
        .env("BECKET_STORE_TEST_FULL", &place)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stdout));
    let store = open(&place);
    check(Path::new(&place), None).unwrap();
    join(&store, "Bob");
}

fn full_disk_worker() {
    let store = open(&std::env::var("BECKET_STORE_TEST_FULL").unwrap());
    let call = Call::by(&join(&store, "Ada"));
    let message = NewMessage {
        to: None,
        task: None,
        subject: None,
        body: "x".repeat(10_000),
        severity: Severity::Info,
    };
    let mut sent = 0;
    let error = loop {
        match store.send(&call, &message) {
            Ok(_) => sent += 1,
            Err(error) => break error,
        }
        assert!(sent < 1000, "the limit was never met");
    };
    assert!(matches!(error, Error::Full { .. } | Error::Unavailable { .. }), "{error:?}");
    assert_eq!(store.tasks(&main(), &TaskQuery::default()).unwrap().total, 3);
    assert_eq!(
        store.counts(&main(), None).unwrap().messages,
        sent,
        "what was refused is not there, what was answered is"
    );
    // Whoever reads asks first what the file says now.
    store.touch_stamp(&main(), &SpecStamp { stat: "later".to_owned(), ..SpecStamp::default() }).unwrap();
    fill(&store, 40);
    assert_eq!(store.tasks(&main(), &TaskQuery::default()).unwrap().total, 40);
    assert_eq!(store.counts(&main(), None).unwrap().messages, sent);
}

/// Not one byte, also not for a copy: what is there is read all the same.
#[test]
fn a_disk_without_a_byte_left_can_be_read() {
    if std::env::var_os("BECKET_STORE_TEST_NO_ROOM").is_some() {
        return no_room_reader();
    }
    let (folder, place) = place();
    let store = open(&place);
    fill(&store, 3);
    let ada = join(&store, "Ada");
    assert!(matches!(claim(&store, &Call::by(&ada), &"T1".into()), Ok(Claim::Granted { .. })));
    drop(store);
    let run = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec prlimit --fsize=0:unlimited \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "files::a_disk_without_a_byte_left_can_be_read", "--nocapture"])
        .env("BECKET_STORE_TEST_NO_ROOM", &place)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stdout));
    let store = open(&place);
    assert!(!store.is_read_only());
    assert_eq!(store.counts(&main(), None).unwrap().agents, 2, "what was refused was not kept");
    join(&store, "Bob");
    check(Path::new(&place), None).unwrap();
    drop(folder);
}

fn no_room_reader() {
    let place = std::env::var("BECKET_STORE_TEST_NO_ROOM").unwrap();
    let store = open(&place);
    assert!(store.is_read_only());
    let page = store.tasks(&main(), &TaskQuery::default()).unwrap();
    assert_eq!((page.total, page.tasks[1].claimed_by.is_some()), (3, true));
    assert!(matches!(store.join(&Join::default(), None), Err(Error::Full { .. })));
    fill(&store, 5);
    assert_eq!(store.tasks(&main(), &TaskQuery::default()).unwrap().total, 5, "files can still be mirrored");
    let nothing_there = Path::new(&place).with_file_name("odd %3f name?#.sqlite");
    let empty = open(nothing_there.to_str().unwrap());
    assert_eq!(empty.last_event().unwrap(), 0);
    assert!(matches!(empty.join(&Join::default(), None), Err(Error::Full { .. })));
    // As soon as there is room, the same store can write.
    let limit = rustix::process::Rlimit { current: Some(1 << 30), maximum: None };
    rustix::process::setrlimit(rustix::process::Resource::Fsize, limit).unwrap();
    join(&store, "Cleo");
    assert!(!store.is_read_only());
}

/// Every file of a folder, and what is in it.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut contents: Vec<_> =
        names.map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect();
    contents.sort();
    contents
}

fn try_open(place: &str, within: Option<&Path>, read_only: bool) -> Result<Store, Error> {
    let within = within.map(Path::to_owned);
    Store::open(&Options { within, read_only, ..Options::new(Place::File(place.into())) })
}

#[test]
fn a_database_of_something_else_is_refused_and_not_touched() {
    for (journal, schema) in [
        ("DELETE", "CREATE TABLE mine (x)"),
        ("WAL", "CREATE TABLE mine (x)"),
        // Tables of such names are in many databases.
        ("DELETE", "CREATE TABLE meta (name, content); CREATE TABLE events (id)"),
        ("DELETE", "CREATE VIEW one AS SELECT 1 AS x"),
    ] {
        let (folder, place) = place();
        let theirs = rusqlite::Connection::open(&place).unwrap();
        theirs.execute_batch(&format!("PRAGMA journal_mode = {journal}; {schema};")).unwrap();
        drop(theirs);
        let before = contents(folder.path());
        for read_only in [true, false] {
            let refused = try_open(&place, None, read_only).unwrap_err();
            assert!(matches!(refused, Error::Foreign { .. }), "{schema}: {refused:?}");
        }
        assert_eq!(contents(folder.path()), before, "{journal}: {schema}");
        assert!(matches!(check(Path::new(&place), None), Err(Error::Foreign { .. })), "{schema}");
    }
}

/// What stands in the log of a database is not in its file yet.
#[test]
fn a_database_of_something_else_is_known_by_its_log_too() {
    let (_folder, place) = place();
    let theirs = rusqlite::Connection::open(&place).unwrap();
    theirs.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE mine (x);").unwrap();
    assert!(fs::metadata(format!("{place}-wal")).unwrap().len() > 0);
    let refused = try_open(&place, None, false).unwrap_err();
    assert!(matches!(refused, Error::Foreign { .. }), "{refused:?}");
    let tables = "SELECT group_concat(name) FROM sqlite_schema";
    let tables: String = theirs.query_row(tables, [], |row| row.get(0)).unwrap();
    assert_eq!(tables, "mine");
}

/// A program that was killed has left its log.
#[test]
fn a_log_that_something_else_left_stays_as_it_is() {
    for schema in
        ["CREATE TABLE mine (x)", "CREATE TABLE mine (x); PRAGMA wal_checkpoint; INSERT INTO mine VALUES (1)"]
    {
        let (folder, place) = place();
        let theirs = rusqlite::Connection::open(&place).unwrap();
        theirs.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        theirs.execute_batch(&format!("PRAGMA journal_mode = WAL; {schema};")).unwrap();
        drop(theirs);
        assert!(fs::metadata(format!("{place}-wal")).unwrap().len() > 0);
        let before = contents(folder.path());
        for read_only in [true, false] {
            let refused = try_open(&place, None, read_only).unwrap_err();
            assert!(matches!(refused, Error::Foreign { .. }), "{schema}: {refused:?}");
            assert!(matches!(check(Path::new(&place), None), Err(Error::Foreign { .. })), "{schema}");
        }
        assert_eq!(contents(folder.path()), before, "{schema}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_repository() {
    use std::os::unix::fs::symlink;
    let refused = |opened: Result<Store, Error>| match opened.unwrap_err() {
        Error::File { source, .. } => assert!(becket_fence::Refused::of(&source).is_some(), "{source}"),
        other => panic!("{other:?}"),
    };
    for name in [
        "runtime.sqlite",
        "runtime.sqlite-wal",
        "runtime.sqlite-shm",
        "runtime.sqlite-journal",
        "runtime.queue.lock",
        "runtime.writer.lock",
    ] {
        for target in ["victim", "new"] {
            let (outside, _) = place();
            let (folder, place) = place();
            fs::write(outside.path().join("victim"), "").unwrap();
            if name != "runtime.sqlite" {
                drop(open(&place));
                _ = fs::remove_file(folder.path().join(name));
            }
            symlink(outside.path().join(target), folder.path().join(name)).unwrap();
            for read_only in [true, false] {
                refused(try_open(&place, Some(folder.path()), read_only));
            }
            assert_eq!(contents(outside.path()), [("victim".to_owned(), Vec::new())], "{name}");
        }
    }
    // One that stays inside is the user's own affair, and so is where a place is that the user named.
    let (folder, place) = place();
    fs::create_dir(folder.path().join("real")).unwrap();
    symlink("real/store", &place).unwrap();
    fs::write(folder.path().join("real/store"), "").unwrap();
    join(&try_open(&place, Some(folder.path()), false).unwrap(), "Ada");
    join(&try_open(&place, None, false).unwrap(), "Bob");
    assert!(fs::metadata(folder.path().join("real/store")).unwrap().len() > 0);
}

#[cfg(unix)]
#[test]
fn a_link_that_is_put_in_the_place_of_an_open_store_is_refused() {
    let (outside, _) = place();
    let (folder, place) = place();
    let store = try_open(&place, Some(folder.path()), false).unwrap();
    join(&store, "Ada");
    fs::write(outside.path().join("victim"), "").unwrap();
    fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink(outside.path().join("victim"), &place).unwrap();
    assert!(matches!(store.join(&Join::default(), None), Err(Error::File { .. })));
    assert_eq!(contents(outside.path()), [("victim".to_owned(), Vec::new())]);
}
