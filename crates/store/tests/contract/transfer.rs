//! The store as a whole: carried elsewhere, emptied, only read.

use becket_store::{
    AgentFilter, Call, Error, EventQuery, Inbox, NewMessage, Options, Severity, Store, TaskQuery,
};

use crate::world::{World, events, join, stamp, task};

pub fn an_export_makes_the_same_store(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    world.claim(&store, &ada, "T1");
    let message = NewMessage {
        to: None,
        task: None,
        subject: None,
        body: "NUL \0".to_owned(),
        severity: Severity::Info,
    };
    store.send(&Call::by(&ada), &message).unwrap();
    let mut lines = Vec::new();
    store.export(&mut lines).unwrap();
    let other = world.elsewhere();
    assert!(other.import(&mut &lines[..]).unwrap() > 8);
    assert_eq!(events(&other), events(&store));
    assert_eq!(other.leases().unwrap(), store.leases().unwrap());
    assert_eq!(
        other.agents(&AgentFilter::default()).unwrap(),
        store.agents(&AgentFilter::default()).unwrap()
    );
    let inbox = Inbox { agent: Some(bob), ..Inbox::default() };
    assert_eq!(other.messages(&inbox).unwrap(), store.messages(&inbox).unwrap());
    assert_eq!(
        other.tasks(&world.main, &TaskQuery::default()).unwrap(),
        store.tasks(&world.main, &TaskQuery::default()).unwrap()
    );
    // Ids go on where they were.
    let last = other.last_event().unwrap();
    join(&other, "Eve");
    assert_eq!(other.last_event().unwrap(), last + 1);
    assert!(matches!(other.import(&mut &lines[..]), Err(Error::Import { .. })), "it is not empty");
    let third = world.open();
    third.reset().unwrap();
    assert!(matches!(third.import(&mut &b"{}\n"[..]), Err(Error::Import { .. })));
    let cut = &lines[..lines.len() - 10];
    assert!(matches!(third.import(&mut &cut[..]), Err(Error::Import { .. })));
    assert_eq!(third.last_event().unwrap(), 0, "half an import is none");
}

pub fn a_reset_begins_a_new_stream(world: &World) {
    let (store, other) = (world.with(&[task("T1", &[])]), world.open());
    let ada = join(&store, "Ada");
    world.claim(&store, &ada, "T1");
    let before = other.events(&EventQuery::default()).unwrap();
    let counts = store.reset().unwrap();
    assert_eq!((counts.agents, counts.leases, counts.events), (1, 1, 2));
    let stale = EventQuery {
        since: before.next_cursor,
        stream: Some(before.stream.clone()),
        ..EventQuery::default()
    };
    let after = other.events(&stale).unwrap();
    assert!(after.reset && after.stream != before.stream);
    assert_eq!(other.spec_stamp(&world.main).unwrap(), None, "the file is to be read again");
    join(&other, "Bob");
    assert!(other.last_event().unwrap() > before.next_cursor, "ids are not used twice");
}

pub fn a_read_only_store_reads_and_refuses(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let ada = join(&store, "Ada");
    let reader = Store::open(&Options { read_only: true, ..world.options() }).unwrap();
    assert!(reader.is_read_only() && reader.describe().unwrap().read_only);
    assert!(reader.task(&world.main, &"T1".into()).unwrap().claimable);
    let request = becket_store::ClaimRequest { task: "T1".into(), ttl_seconds: None };
    assert!(matches!(reader.claim(&Call::by(&ada), &world.main, &request), Err(Error::ReadOnly { .. })));
    world.clock.pass(20);
    let seen = store.agent(&ada).unwrap().last_seen_at;
    reader.digest(&world.main, &ada).unwrap();
    assert_eq!(store.agent(&ada).unwrap().last_seen_at, seen, "no sign of life is written");
    let mirror = reader.sync(&world.main, &stamp("2"), becket_store::Origin::Checkout, &[task("T2", &[])]);
    assert_eq!(mirror.unwrap().created.len(), 1);
}
