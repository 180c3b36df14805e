//! A `runtime.sqlite` that the original left.

use std::path::Path;

use becket_store::{AgentFilter, Call, Claim, EventQuery, EventType, Inbox, Severity};

use crate::worker::{claim, fill, join, main, open, place};

fn original(place: &str) {
    let connection = rusqlite::Connection::open(place).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF;
             CREATE TABLE agents (agent_id VARCHAR PRIMARY KEY, display_name VARCHAR, role VARCHAR, created_at VARCHAR,
                last_seen_at VARCHAR, capabilities JSON, session_meta JSON);
             CREATE TABLE leases (lease_id VARCHAR PRIMARY KEY, task_id VARCHAR, agent_id VARCHAR REFERENCES agents (agent_id),
                created_at VARCHAR, expires_at VARCHAR);
             CREATE INDEX ix_leases_task_id ON leases (task_id);
             CREATE TABLE messages (message_id VARCHAR PRIMARY KEY, created_at VARCHAR,
                from_agent_id VARCHAR REFERENCES agents (agent_id), task_id VARCHAR, text VARCHAR, meta JSON, read_by JSON);
             CREATE TABLE events (event_id INTEGER PRIMARY KEY, created_at VARCHAR, event_type VARCHAR, agent_id VARCHAR,
                task_id VARCHAR, target_agent_id VARCHAR, correlation_id VARCHAR, data JSON);
             CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
             INSERT INTO agents VALUES ('A1111111', 'Ada', 'builder', '2026-01-01T10:00:00+00:00',
                '2026-01-01T10:05:00.123456+00:00', '[\"python\"]', '{\"model\": \"m1\", \"tool\": \"cli\"}');
             INSERT INTO leases VALUES ('L1', 'T1', 'A1111111', '2026-01-01T10:00:00+00:00', '2026-01-01T10:15:00+00:00');
             INSERT INTO leases VALUES ('L2', 'T1', 'A1111111', '2026-01-02T10:00:00+00:00', '2099-01-01T00:00:00+00:00');
             INSERT INTO leases VALUES ('L3', 'T1', 'A9', '2026-01-01T09:00:00+00:00', '2099-01-01T00:00:00+00:00');
             INSERT INTO messages VALUES ('MAAA', '2026-01-01T10:01:00+00:00', 'A1111111', 'T1', 'first',
                '{\"subject\": \"s\", \"severity\": \"HANDOFF\"}', '[\"A2\", \"A1111111\"]');
             INSERT INTO messages VALUES ('MBBB', '2026-01-01 10:02:00', 'nobody', 'T1', 'second', '{}', '[]');
             INSERT INTO events VALUES (1, '2026-01-01T10:00:00+00:00', 'agent.join', 'A1111111', NULL, NULL, NULL, '{}');
             INSERT INTO events VALUES (2, '2026-01-01T10:00:01+00:00', 'task.claim', 'A1111111', 'T1', NULL, NULL, '{\"a\": 1}');
             INSERT INTO events VALUES (3, '2026-01-01T10:00:02+00:00', 'task.release', 'A1111111', 'T1', NULL, NULL, '{}');
             INSERT INTO events VALUES (4, '2026-01-01T10:00:02+00:00', 'task.release', 'A1111111', 'T1', NULL, NULL, '{}');
             INSERT INTO events VALUES (5, '2026-01-01T10:00:03+00:00', 'message.send', 'A1111111', 'T1', NULL, NULL, '{}');
             INSERT INTO events VALUES (6, '2026-01-01T10:00:04+00:00', 'task.verify', 'A1111111', 'T2', NULL, NULL, 'broken');",
        )
        .unwrap();
}

#[test]
fn it_is_backed_up_and_taken_over_once() {
    let (folder, place) = place();
    original(&place);
    let store = open(&place);
    let backups = || {
        let names = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|one| one.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".original-")).collect::<Vec<_>>()
    };
    assert_eq!(backups().len(), 1);
    assert_eq!(store.describe().unwrap().imported_from.as_ref(), backups().first());
    let copy = rusqlite::Connection::open(folder.path().join(&backups()[0])).unwrap();
    let rows: i64 = copy.query_row("SELECT COUNT(*) FROM events", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 6);

    let ada = store.agent(&"A1111111".into()).unwrap();
    assert_eq!(
        (ada.name.as_deref(), ada.model.as_deref(), &ada.capabilities[..]),
        (Some("Ada"), Some("m1"), &["python".to_owned()][..])
    );
    assert_eq!(ada.last_seen_at, "2026-01-01T10:05:00.123Z");
    use EventType::{AgentJoined, MessageSent, TaskClaimed, TaskReleased, TaskVerified};
    let events = store.events(&EventQuery::default()).unwrap().events;
    let kinds: Vec<EventType> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [AgentJoined, TaskClaimed, TaskReleased, TaskVerified, MessageSent, MessageSent]);
    assert_eq!(events[1].payload["a"], 1);

    fill(&store, 3);
    let thread = Inbox { task: Some("T1".into()), ..Inbox::default() };
    let messages = store.messages(&thread).unwrap().messages;
    assert_eq!(
        (messages[0].body.as_str(), messages[0].severity, messages[0].read_by.len()),
        ("first", Severity::Handoff, 2)
    );
    assert_eq!(messages[1].from.as_str(), "nobody");
    let bob = join(&store, "Bob");
    let held = claim(&store, &Call::by(&bob), &"T1".into()).unwrap();
    assert!(matches!(held, Claim::Held(conflict) if conflict.holder.as_str() == "A1111111"));
    assert!(matches!(claim(&store, &Call::by(&bob), &"T2".into()), Ok(Claim::Granted { .. })));

    drop(store);
    let again = open(&place);
    assert_eq!(backups().len(), 1, "once");
    assert_eq!(again.agents(&AgentFilter::default()).unwrap().len(), 4);
    assert_eq!(again.tasks(&main(), &becket_store::TaskQuery::default()).unwrap().total, 3);
    becket_store::check(Path::new(&place), None).unwrap();
}
