//! Agents: identity, presence, and what they are told.

use becket_store::{
    AgentFilter, AgentId, Call, Error, EventType, Heartbeat, Join, NewMessage, Presence, Severity,
};

use crate::world::{World, count, ids, join, join_able, task};

pub fn joining_gives_an_identity_that_others_see(world: &World) {
    let (store, other) = (world.open(), world.open());
    let ada = join_able(&store, "Ada", &["rust", "sql"]);
    assert!(ada.id.as_str().starts_with('A') && ada.id.as_str().len() == 9);
    assert_eq!(ada.presence, Presence::Active);
    join(&store, "Bob");
    let listed = other.agents(&AgentFilter::default()).unwrap();
    assert_eq!(listed.len(), 2);
    let able = AgentFilter { capability: Some("sql".to_owned()), ..AgentFilter::default() };
    assert_eq!(other.agents(&able).unwrap()[0].id, ada.id);
    assert_eq!(other.agent(&ada.id).unwrap(), ada);
    assert_eq!(count(&other, EventType::AgentJoined), 2);
}

pub fn what_an_agent_says_of_itself_is_bounded(world: &World) {
    let store = world.open();
    let long = Join { name: Some("x".repeat(100_000)), ..Join::default() };
    assert!(matches!(store.join(&long, None), Err(Error::Invalid { field: "name", .. })));
    let many = Join { capabilities: vec!["a".to_owned(); 1000], ..Join::default() };
    assert!(matches!(store.join(&many, None), Err(Error::Invalid { field: "capabilities", .. })));
    assert_eq!(store.last_event().unwrap(), 0);
}

pub fn an_unknown_heartbeat_is_an_answer(world: &World) {
    let store = world.open();
    assert_eq!(store.heartbeat(&"A0000000".into()).unwrap(), Heartbeat::Unknown);
    let ada = join(&store, "Ada");
    assert!(matches!(store.heartbeat(&ada).unwrap(), Heartbeat::Alive { .. }));
    let stranger = Call::by(&"A0000000".into());
    let refused = store.claim(
        &stranger,
        &world.main,
        &becket_store::ClaimRequest { task: "T1".into(), ttl_seconds: None },
    );
    assert!(matches!(refused, Err(Error::UnknownAgent { .. })));
}

pub fn presence_follows_the_clock_and_not_the_wall(world: &World) {
    let store = world.open();
    let join = Join { ttl_seconds: Some(60), ..Join::default() };
    let ada = store.join(&join, None).unwrap().agent.id;
    let presence = || store.agent(&ada).unwrap().presence;
    world.clock.jump(100_000);
    assert_eq!(presence(), Presence::Active);
    world.clock.pass(61);
    assert_eq!(presence(), Presence::Idle);
    world.clock.pass(200);
    assert_eq!(presence(), Presence::Offline);
    store.heartbeat(&ada).unwrap();
    assert_eq!(presence(), Presence::Active);
}

pub fn any_call_is_a_sign_of_life_at_most_once_in_ten_seconds(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let ada = join(&store, "Ada");
    let seen = || store.agent(&ada).unwrap().last_seen_at;
    let at_first = seen();
    world.clock.pass(9);
    world.claim(&store, &ada, "T1");
    store.digest(&world.main, &ada).unwrap();
    assert_eq!(seen(), at_first);
    world.clock.pass(1);
    store.digest(&world.main, &ada).unwrap();
    let later = seen();
    assert!(later > at_first);
    world.clock.pass(10);
    world.claim(&store, &ada, "T1");
    assert!(seen() > later);
    assert!(matches!(store.digest(&world.main, &"A0000000".into()), Err(Error::UnknownAgent { .. })));
}

pub fn leaving_gives_leases_back(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    world.claim(&store, &ada, "T1");
    world.claim(&store, &ada, "T2");
    let farewell = store.leave(&Call::by(&ada), Some("lunch")).unwrap();
    assert_eq!(farewell.released.len(), 2);
    assert_eq!(store.agent(&ada).unwrap().presence, Presence::Offline);
    world.claim(&store, &bob, "T1");
    assert_eq!(count(&store, EventType::TaskReleased), 2);
    assert_eq!(count(&store, EventType::AgentLeft), 1);
    // Once is enough.
    assert!(store.leave(&Call::by(&ada), None).unwrap().released.is_empty());
    assert_eq!(count(&store, EventType::AgentLeft), 1);
    assert_eq!(store.agent(&ada).unwrap().presence, Presence::Offline);
}

pub fn the_digest_tells_news_once(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"]), task("T10", &["T1"])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let digest = |agent: &AgentId| store.digest(&world.main, agent).unwrap();
    assert!(digest(&bob).is_empty());
    store.complete(&Call::by(&ada), &world.main, &"T1".into(), None, None).unwrap();
    let message = NewMessage {
        to: Some(bob.clone()),
        task: None,
        subject: None,
        body: "hi".to_owned(),
        severity: Severity::Info,
    };
    store.send(&Call::by(&ada), &message).unwrap();
    let news = digest(&bob);
    assert_eq!(ids(&news.newly_ready), ["T2", "T10"]);
    assert_eq!((news.unread, news.newest[0].body.as_str()), (1, "hi"));
    assert!(digest(&ada).is_empty(), "its own doing is no news");
    let again = digest(&bob);
    assert!(again.newly_ready.is_empty() && again.unread == 1);
    // Another process knows what was told, too.
    assert!(world.open().digest(&world.main, &bob).unwrap().newly_ready.is_empty());
}

pub fn the_digest_names_a_lease_about_to_end(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let ada = join(&store, "Ada");
    world.claim(&store, &ada, "T1");
    world.clock.pass(700);
    assert!(store.digest(&world.main, &ada).unwrap().is_empty());
    world.clock.pass(100);
    let digest = store.digest(&world.main, &ada).unwrap();
    assert_eq!((digest.expiring[0].task.as_str(), digest.expiring[0].remaining_seconds), ("T1", 100));
    world.clock.pass(101);
    let digest = store.digest(&world.main, &ada).unwrap();
    assert_eq!(ids(&digest.lost), ["T1"]);
    assert!(store.digest(&world.main, &ada).unwrap().is_empty());
}
