//! The stream of events: each change once, in one order, for every reader.

use std::time::Duration;

use becket_store::{Call, EventQuery, EventType, NewMessage, Severity};

use crate::world::{World, events, join, kinds, task};

pub fn every_change_is_told_once_in_order(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let call = Call { correlation_id: Some("call-7".to_owned()), ..Call::by(&ada) };
    let id = "T1".into();
    world.claim(&store, &ada, "T1");
    store.renew(&call, &id, None, None).unwrap();
    store.release(&call, &id, None, None).unwrap();
    world.claim(&store, &ada, "T1");
    store.done(&call, &world.main, &id, None, None).unwrap();
    store.verify(&call, &world.main, &id, None, None).unwrap();
    let message = NewMessage {
        to: Some(bob.clone()),
        task: Some("T2".into()),
        subject: None,
        body: "go".to_owned(),
        severity: Severity::Info,
    };
    let sent = store.send(&call, &message).unwrap();
    store.acknowledge(&Call::by(&bob), &[sent.message_id]).unwrap();
    store.leave(&call, None).unwrap();
    use EventType::{
        AgentJoined, AgentLeft, LeaseRenewed, MessageRead, MessageSent, TaskClaimed, TaskDone, TaskReleased,
        TaskVerified,
    };
    assert_eq!(
        kinds(&store),
        [
            AgentJoined,
            AgentJoined,
            TaskClaimed,
            LeaseRenewed,
            TaskReleased,
            TaskClaimed,
            TaskDone,
            TaskVerified,
            MessageSent,
            MessageRead,
            AgentLeft
        ]
    );
    let all = events(&store);
    assert_eq!(all.iter().map(|event| event.id).collect::<Vec<_>>(), (1..=11).collect::<Vec<i64>>());
    assert_eq!(all[8].target, Some(bob));
    assert_eq!(all[8].correlation_id.as_deref(), Some("call-7"));
    assert_eq!(all[2].actor, Some(ada));
}

pub fn paging_shows_each_once(world: &World) {
    let store = world.open();
    for n in 0..25 {
        join(&store, &format!("agent {n}"));
    }
    let (mut seen, mut since) = (Vec::new(), 0);
    loop {
        let page = store.events(&EventQuery { since, limit: Some(10), ..EventQuery::default() }).unwrap();
        seen.extend(page.events.iter().map(|event| event.id));
        since = page.next_cursor;
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, (1..=25).collect::<Vec<i64>>());
    let rest = store.events(&EventQuery { since, ..EventQuery::default() }).unwrap();
    assert_eq!((rest.events.len(), rest.next_cursor, rest.reset), (0, 25, false));
    let types = vec![EventType::AgentLeft];
    assert!(store.events(&EventQuery { types, ..EventQuery::default() }).unwrap().events.is_empty());
}

pub fn a_foreign_cursor_starts_over(world: &World) {
    let store = world.open();
    join(&store, "Ada");
    let stream = store.events(&EventQuery::default()).unwrap().stream;
    let beyond = store.events(&EventQuery { since: 999, ..EventQuery::default() }).unwrap();
    assert!(beyond.reset && beyond.events.len() == 1);
    let foreign = EventQuery { since: 1, stream: Some("other".to_owned()), ..EventQuery::default() };
    assert!(store.events(&foreign).unwrap().reset);
    let same = EventQuery { since: 1, stream: Some(stream), ..EventQuery::default() };
    assert!(!store.events(&same).unwrap().reset);
}

pub fn waiting_ends_with_what_concerns_the_agent(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob, eve) = (join(&store, "Ada"), join(&store, "Bob"), join(&store, "Eve"));
    let since = store.last_event().unwrap();
    let query = EventQuery { since, concerning: Some(bob.clone()), ..EventQuery::default() };
    let nothing = store.wait(&query, Duration::ZERO, &|| false).unwrap();
    assert!(nothing.events.is_empty() && nothing.next_cursor == since);
    assert!(store.wait(&query, Duration::from_secs(55), &|| true).unwrap().events.is_empty(), "cancelled");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| world.open().wait(&query, Duration::from_secs(30), &|| false).unwrap());
        let other = world.open();
        let to = |agent: &becket_store::AgentId, body: &str| {
            let message = NewMessage {
                to: Some(agent.clone()),
                task: None,
                subject: None,
                body: body.to_owned(),
                severity: Severity::Info,
            };
            other.send(&Call::by(&ada), &message).unwrap();
        };
        world.claim(&other, &ada, "T1");
        to(&eve, "not for Bob");
        to(&bob, "for Bob");
        let page = waiting.join().unwrap();
        assert_eq!(page.events.len(), 1);
        assert_eq!(
            (page.events[0].kind, page.events[0].target.as_ref()),
            (EventType::MessageSent, Some(&bob))
        );
    });
}

/// So that what happens between a call and the wait after it is neither missed nor told twice.
pub fn an_agent_is_told_up_to_its_last_call(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    assert_eq!(store.told(&bob).unwrap(), 1, "from when it joined");
    store.digest(&world.main, &bob).unwrap();
    assert_eq!(store.told(&bob).unwrap(), 2);
    world.claim(&store, &ada, "T1");
    assert_eq!(store.told(&bob).unwrap(), 2, "somebody else's call tells Bob nothing");
    store.digest(&world.main, &bob).unwrap();
    assert_eq!(store.told(&bob).unwrap(), 3);
    assert!(store.told(&"A0".into()).is_err());
}

pub fn a_watch_sees_other_connections(world: &World) {
    let (store, other) = (world.open(), world.open());
    let mut watch = store.watch().unwrap();
    assert!(!watch.wait(Duration::ZERO).unwrap());
    join(&other, "Ada");
    assert!(watch.wait(Duration::from_secs(20)).unwrap());
    assert!(!watch.wait(Duration::ZERO).unwrap());
    join(&store, "Bob");
    assert!(watch.wait(Duration::from_secs(20)).unwrap());
}
