//! Several processes at once: one winner, nothing lost, everybody starts.

use std::collections::BTreeMap;

use becket_store::{Call, EventQuery, EventType, Inbox, NewMessage, Severity, TaskQuery};

use crate::counted;
use crate::worker::{fill, join, main, open, place, run_all};

#[test]
fn one_task_never_has_two_winners() {
    let (_folder, place) = place();
    let store = open(&place);
    fill(&store, 1);
    let (processes, wins) = (8, counted(25, 1250));
    let said = run_all(&place, "contend", processes, wins);
    assert_eq!(said.len(), processes);
    // The stream tells the same: claimed and released in turn, each by the same agent.
    let (mut since, mut holder, mut claims) = (0, None, 0);
    loop {
        let page = store.events(&EventQuery { since, limit: Some(1000), ..EventQuery::default() }).unwrap();
        for event in &page.events {
            match event.kind {
                EventType::TaskClaimed => {
                    assert_eq!(holder, None, "event {}", event.id);
                    holder.clone_from(&event.actor);
                    claims += 1;
                }
                EventType::TaskReleased => assert_eq!(holder.take(), event.actor, "event {}", event.id),
                _ => {}
            }
        }
        since = page.next_cursor;
        if !page.more {
            break;
        }
    }
    assert_eq!((claims, holder), (processes * wins, None));
}

#[test]
fn completions_of_all_processes_are_kept() {
    let (_folder, place) = place();
    let store = open(&place);
    let (processes, each) = (8, counted(15, 125));
    fill(&store, processes * each);
    run_all(&place, "complete", processes, each);
    let counts = store.counts(&main(), None).unwrap();
    let verified = becket_store::spec_file::Status::Verified;
    assert_eq!(counts.by_status, [(verified, u64::try_from(processes * each).unwrap())]);
    assert_eq!(store.outbox(&main(), usize::MAX).unwrap().len(), processes * each);
    assert_eq!(counts.active_leases, 0);
}

#[test]
fn many_cold_starts_at_once_all_succeed() {
    for _ in 0..counted(2, 20) {
        let (_folder, place) = place();
        run_all(&place, "cold", 32, 0);
        let store = open(&place);
        let counts = store.counts(&main(), None).unwrap();
        assert_eq!((counts.agents, counts.tasks), (32, 20));
        assert_eq!(store.tasks(&main(), &TaskQuery::default()).unwrap().total, 20);
    }
}

#[test]
fn read_marks_of_all_agents_are_kept() {
    let (_folder, place) = place();
    let store = open(&place);
    fill(&store, 1);
    let call = Call::by(&join(&store, "writer"));
    let messages = counted(40, 160);
    for n in 0..messages {
        let message = NewMessage {
            to: None,
            task: Some("T0".into()),
            subject: None,
            body: n.to_string(),
            severity: Severity::Info,
        };
        store.send(&call, &message).unwrap();
    }
    let said = run_all(&place, "acknowledge", 8, 0);
    let thread = Inbox { task: Some("T0".into()), limit: Some(200), ..Inbox::default() };
    let mut marks: BTreeMap<String, usize> = BTreeMap::new();
    for message in store.messages(&thread).unwrap().messages {
        for reader in message.read_by {
            *marks.entry(reader.to_string()).or_default() += 1;
        }
    }
    let mut readers: Vec<String> = said.into_iter().flatten().filter(|line| line.starts_with('A')).collect();
    readers.sort();
    assert_eq!(readers.len(), 8);
    assert_eq!(marks, readers.into_iter().map(|reader| (reader, messages)).collect());
}
