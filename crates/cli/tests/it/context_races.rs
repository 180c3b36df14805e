//! Eight processes in two worktrees create entries at once, delete some, and are killed in between: no number is given
//! twice, nothing that was answered is lost, and nothing is half-written.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    thread,
};

use becket_testing::{McpProcess, Signal, TestRepo};
use serde_json::json;

use crate::{BECKET, becket};

const WRITERS: usize = 8;

/// What one writer did.
#[derive(Debug, Default)]
struct Deeds {
    /// File name and text of every create that was answered.
    answered: Vec<(String, String)>,
    deleted: BTreeSet<String>,
    /// Texts whose create was in flight when the process was killed.
    in_flight: BTreeSet<String>,
}

fn creates() -> usize {
    if std::env::var_os("BECKET_FULL").is_some() { 500 } else { 40 }
}

#[test]
fn eight_writers_and_kill_nine() {
    let repo = TestRepo::new();
    assert!(becket(&repo, ["note", "init"]).output().unwrap().status.success());
    repo.commit("vault");
    let side = repo.worktree("side");
    let deeds: Vec<Deeds> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let place = if writer % 4 == 3 { &side } else { &repo };
                scope.spawn(move || write(place, writer))
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let numbers: BTreeSet<&String> =
        deeds.iter().flat_map(|one| &one.answered).map(|(file, _)| file).collect();
    assert_eq!(numbers.len(), WRITERS * creates(), "every answered create has a number of its own");
    let mut files = BTreeMap::new();
    for place in [&repo, &side] {
        for (file, text) in entries(&place.path(".context")) {
            assert!(files.insert(file.clone(), text).is_none(), "{file} is in both worktrees");
        }
    }
    for one in &deeds {
        for (file, text) in &one.answered {
            if one.deleted.contains(file) {
                assert!(!files.contains_key(file), "{file} was deleted, and its number given again");
            } else {
                assert_eq!(files.get(file), Some(text), "{file}");
            }
        }
    }
    let known: BTreeSet<&String> = deeds
        .iter()
        .flat_map(|one| one.answered.iter().map(|(_, text)| text).chain(&one.in_flight))
        .collect();
    for (file, text) in &files {
        assert!(known.contains(text), "{file} is half-written: {text:?}");
    }
    // One more writer finds the folder clean, and no process's remains.
    assert!(becket(&repo, ["note", "new", "the last"]).output().unwrap().status.success());
    let remains: Vec<_> = fs::read_dir(repo.path(".context"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.') && name != ".gitattributes")
        .collect();
    assert_eq!(remains, Vec::<String>::new());
}

fn write(place: &TestRepo, writer: usize) -> Deeds {
    let mut deeds = Deeds::default();
    let mut server = start(place);
    for n in 0..creates() {
        let text = format!(
            "# Writer {writer}, entry {n}\n{}",
            "words of some length \n".repeat(1 + (n * 7 + writer) % 40)
        );
        // Every ninth create is cut off: whether it happened, nobody was told.
        if n % 9 == writer % 9 {
            let lost = format!("{text}in flight");
            server.start("tools/call", json!({"name": "context_create", "arguments": {"markdown": lost}}));
            server.signal(Signal::Kill);
            server.wait();
            deeds.in_flight.insert(lost);
            server = start(place);
        }
        let result = server.call("context_create", json!({"markdown": text}));
        let file =
            result["structuredContent"]["file"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
        if n % 5 == 4 {
            fs::remove_file(place.path(".context").join(&file)).unwrap();
            deeds.deleted.insert(file.clone());
        }
        deeds.answered.push((file, text));
    }
    server.finish();
    deeds
}

fn start(place: &TestRepo) -> McpProcess {
    let mut command = place.command(BECKET);
    command.arg("mcp");
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-06-18");
    server
}

fn entries(folder: &Path) -> BTreeMap<String, String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"))
        .map(|name| {
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            (name, text)
        })
        .collect()
}
