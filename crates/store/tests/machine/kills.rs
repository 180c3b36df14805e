//! `kill -9` at any moment: what was answered is there, and what is there agrees with itself.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use becket_store::spec_file::Status;
use becket_store::{EventQuery, EventType, Inbox, Store, TaskId};

use crate::counted;
use crate::worker::{fill, main, open, place, start};

#[test]
fn what_was_answered_survives_kills() {
    let (_folder, place) = place();
    let store = open(&place);
    let kills = counted(12, 200);
    fill(&store, 4000);
    let mut answered = Vec::new();
    let mut state = 0x9E37_79B9_u64;
    for round in 0..kills {
        // Two at a time, so that a kill also meets a process that waits for its turn.
        let mut workers: Vec<_> = (0..2).map(|n| start(&place, "work", 0, round * 2 + n)).collect();
        for worker in &mut workers {
            drop(worker.stdin.take());
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(30_000 + (state >> 33) % 120_000));
        for worker in &mut workers {
            worker.kill().unwrap();
        }
        for mut worker in workers {
            let output = BufReader::new(worker.stdout.take().unwrap());
            worker.wait().unwrap();
            answered.extend(
                output
                    .lines()
                    .map_while(Result::ok)
                    .filter(|line| line.contains(' ') && !line.starts_with("test")),
            );
        }
        becket_store::check(std::path::Path::new(&place), None).unwrap();
    }
    assert!(
        answered.iter().any(|line| line.starts_with("completed ")),
        "nothing was answered before the kills"
    );
    for line in &answered {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["completed", task] => {
                let detail = store.task(&main(), &TaskId::from(task)).unwrap();
                assert_eq!(detail.state.status, Status::Verified, "{line}");
            }
            ["sent", message, task] => {
                let thread = Inbox { task: Some(task.into()), ..Inbox::default() };
                let found = store.messages(&thread).unwrap().messages;
                assert!(found.iter().any(|one| one.id == message), "{line}");
            }
            ["claimed", task, generation, agent] => {
                assert!(is_told(&store, task, agent, generation), "{line}");
            }
            _ => {}
        }
    }
    agrees(&store);
}

fn is_told(store: &Store, task: &str, agent: &str, generation: &str) -> bool {
    all(store).iter().any(|event| {
        event.kind == EventType::TaskClaimed
            && event.task.as_ref().is_some_and(|one| one.as_str() == task)
            && event.actor.as_ref().is_some_and(|one| one.as_str() == agent)
            && event.payload["generation"].as_u64() == generation.parse().ok()
    })
}

/// Every status has its event and its row in the outbox, every lease its claim.
fn agrees(store: &Store) {
    let events = all(store);
    let verified: Vec<&TaskId> = events
        .iter()
        .filter(|one| one.kind == EventType::TaskVerified)
        .filter_map(|one| one.task.as_ref())
        .collect();
    let counts = store.counts(&main(), None).unwrap();
    let moved = counts
        .by_status
        .iter()
        .find(|(status, _)| *status == Status::Verified)
        .map_or(0, |(_, count)| *count);
    assert_eq!(usize::try_from(moved).unwrap(), verified.len());
    assert_eq!(store.outbox(&main(), usize::MAX).unwrap().len(), verified.len());
    let sent = events.iter().filter(|one| one.kind == EventType::MessageSent).count();
    assert_eq!(usize::try_from(counts.messages).unwrap(), sent);
    let claims = events.iter().filter(|one| one.kind == EventType::TaskClaimed).count();
    assert_eq!(claims, verified.len() + store.leases().unwrap().len());
}

fn all(store: &Store) -> Vec<becket_store::Event> {
    let (mut since, mut events) = (0, Vec::new());
    loop {
        let page = store.events(&EventQuery { since, limit: Some(1000), ..EventQuery::default() }).unwrap();
        since = page.next_cursor;
        events.extend(page.events);
        if !page.more {
            return events;
        }
    }
}
