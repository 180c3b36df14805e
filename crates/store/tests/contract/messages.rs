//! Messages: who gets them, who has read them, and that they come back as they went in.

use becket_store::{AgentId, Call, Error, EventType, Inbox, MessageSearch, NewMessage, Severity, Store};

use crate::world::{World, count, join, task};

fn text(body: &str) -> NewMessage {
    NewMessage { to: None, task: None, subject: None, body: body.to_owned(), severity: Severity::Info }
}

fn inbox(agent: &AgentId) -> Inbox {
    Inbox { agent: Some(agent.clone()), unread_only: true, ..Inbox::default() }
}

fn bodies(store: &Store, inbox: &Inbox) -> Vec<String> {
    store.messages(inbox).unwrap().messages.into_iter().map(|message| message.body).collect()
}

pub fn direct_broadcast_and_thread(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob, eve) = (join(&store, "Ada"), join(&store, "Bob"), join(&store, "Eve"));
    let by_ada = Call::by(&ada);
    let direct = store.send(&by_ada, &NewMessage { to: Some(bob.clone()), ..text("to Bob") }).unwrap();
    assert_eq!(direct.delivered_to, std::slice::from_ref(&bob));
    let broadcast = store.send(&by_ada, &text("to all")).unwrap();
    let mut others = vec![bob.clone(), eve.clone()];
    others.sort();
    assert_eq!(broadcast.delivered_to, others);
    store
        .send(&by_ada, &NewMessage { task: Some("T1".into()), severity: Severity::Handoff, ..text("on T1") })
        .unwrap();
    assert_eq!(bodies(&store, &inbox(&bob)), ["to Bob", "to all", "on T1"]);
    assert_eq!(bodies(&store, &inbox(&eve)), ["to all", "on T1"]);
    assert!(bodies(&store, &inbox(&ada)).is_empty(), "nobody writes to itself by broadcast");
    // Whoever comes later reads the thread, not old broadcasts.
    let zoe = join(&store, "Zoe");
    assert!(bodies(&store, &inbox(&zoe)).is_empty());
    let thread = Inbox { task: Some("T1".into()), ..inbox(&zoe) };
    assert_eq!(bodies(&store, &thread), ["on T1"]);
    assert_eq!(store.acknowledge_thread(&Call::by(&zoe), &"T1".into()).unwrap(), 1);
    assert!(bodies(&store, &thread).is_empty());
    let unknown = store.send(&by_ada, &NewMessage { to: Some("A0".into()), ..text("x") });
    assert!(matches!(unknown, Err(Error::UnknownAgent { .. })));
    let unknown = store.send(&by_ada, &NewMessage { task: Some("T9".into()), ..text("x") });
    assert!(matches!(unknown, Err(Error::UnknownTask { .. })));
}

pub fn unread_is_filtered_before_the_limit(world: &World) {
    let store = world.open();
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let sent: Vec<String> =
        (0..60).map(|n| store.send(&Call::by(&ada), &text(&format!("m{n}"))).unwrap().message_id).collect();
    assert_eq!(store.acknowledge(&Call::by(&bob), &sent[..55]).unwrap(), 55);
    let page = store.messages(&inbox(&bob)).unwrap();
    assert_eq!((page.messages.len(), page.messages[0].body.as_str(), page.unread), (5, "m55", 5));
    let mut all = Inbox { unread_only: false, limit: Some(25), ..inbox(&bob) };
    let mut seen = Vec::new();
    loop {
        let page = store.messages(&all).unwrap();
        seen.extend(page.messages.into_iter().map(|message| message.id));
        all.since_id = page.next_cursor;
        if all.since_id.is_none() {
            break;
        }
    }
    assert_eq!(seen, sent);
}

pub fn marks_are_kept_and_counted(world: &World) {
    let store = world.open();
    let agents: Vec<AgentId> = (0..4).map(|n| join(&store, &format!("agent {n}"))).collect();
    let sent = store.send(&Call::by(&agents[0]), &text("hello")).unwrap().message_id;
    for agent in &agents[1..] {
        assert_eq!(store.acknowledge(&Call::by(agent), std::slice::from_ref(&sent)).unwrap(), 1);
        assert_eq!(store.acknowledge(&Call::by(agent), std::slice::from_ref(&sent)).unwrap(), 0);
    }
    let all = Inbox { unread_only: false, ..inbox(&agents[1]) };
    let message = store.messages(&all).unwrap().messages.remove(0);
    let mut readers = agents[1..].to_vec();
    readers.sort();
    assert_eq!((message.read_by, message.read_at.is_some()), (readers, true));
    assert_eq!(count(&store, EventType::MessageRead), 3);
    // Nothing of what was sent to others becomes read by whoever says so, and none of it counts.
    let direct = NewMessage { to: Some(agents[1].clone()), ..text("for one") };
    let direct = store.send(&Call::by(&agents[0]), &direct).unwrap().message_id;
    let late = join(&store, "late");
    for (agent, message) in
        [(&agents[2], &direct), (&agents[0], &direct), (&late, &sent), (&agents[0], &sent)]
    {
        assert_eq!(store.acknowledge(&Call::by(agent), std::slice::from_ref(message)).unwrap(), 0);
    }
    assert_eq!(store.acknowledge(&Call::by(&agents[1]), &[direct, sent]).unwrap(), 1);
    let read_by: Vec<usize> =
        store.messages(&all).unwrap().messages.iter().map(|message| message.read_by.len()).collect();
    assert_eq!((read_by, count(&store, EventType::MessageRead)), (vec![3, 1], 4));
    let unknown = store.acknowledge(&Call::by(&agents[1]), &["M0".to_owned()]);
    assert!(matches!(unknown, Err(Error::UnknownMessage { .. })));
}

pub fn texts_come_back_as_they_went_in(world: &World) {
    let store = world.open();
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let odd = "NUL \0, emoji 🪢, \u{E000} private, 'quote' \"double\" %_\\ ?1 $1 \r\n\ttab";
    let subject = Some(odd.to_owned());
    store.send(&Call::by(&ada), &NewMessage { subject: subject.clone(), ..text(odd) }).unwrap();
    let message = store.messages(&inbox(&bob)).unwrap().messages.remove(0);
    assert_eq!((message.body.as_str(), message.subject), (odd, subject));
}

pub fn bounds_are_in_bytes(world: &World) {
    let store = world.open();
    let ada = join(&store, "Ada");
    let send = |message: NewMessage| store.send(&Call::by(&ada), &message);
    send(text(&"x".repeat(16 * 1024))).unwrap();
    assert!(matches!(send(text(&"語".repeat(6000))), Err(Error::Invalid { field: "body", .. })));
    assert!(matches!(send(text(" \n")), Err(Error::Invalid { field: "body", .. })));
    let subject = NewMessage { subject: Some("s".repeat(200_000)), ..text("x") };
    assert!(matches!(send(subject), Err(Error::Invalid { field: "subject", .. })));
}

pub fn search_says_when_there_is_more(world: &World) {
    let store = world.open();
    let ada = join(&store, "Ada");
    for number in 0..7 {
        store.send(&Call::by(&ada), &text(&format!("note {number}"))).unwrap();
    }
    let mut search =
        MessageSearch { keyword: Some("note".into()), limit: Some(3), ..MessageSearch::default() };
    let mut seen = Vec::new();
    loop {
        let page = store.search_messages(&search).unwrap();
        assert!(page.messages.len() <= 3);
        seen.extend(page.messages.into_iter().map(|message| message.body));
        match page.next_cursor {
            Some(cursor) => search.before_id = Some(cursor),
            None => break,
        }
    }
    assert_eq!(seen, (0..7).rev().map(|number| format!("note {number}")).collect::<Vec<_>>());
    search.before_id = Some("M000000000000".into());
    assert!(matches!(store.search_messages(&search), Err(Error::UnknownMessage { .. })));
}

pub fn search_takes_its_wildcards_literally(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    store.send(&Call::by(&ada), &text("100% Sure")).unwrap();
    store.send(&Call::by(&ada), &text("1000 sure")).unwrap();
    world.clock.pass(60);
    store
        .send(
            &Call::by(&bob),
            &NewMessage { task: Some("T1".into()), subject: Some("a_b".to_owned()), ..text("x") },
        )
        .unwrap();
    let found = |search: MessageSearch| {
        store
            .search_messages(&search)
            .unwrap()
            .messages
            .into_iter()
            .map(|message| message.body)
            .collect::<Vec<_>>()
    };
    let keyword = |word: &str| MessageSearch { keyword: Some(word.to_owned()), ..MessageSearch::default() };
    assert_eq!(found(keyword("100% s")), ["100% Sure"]);
    assert_eq!(found(keyword("SURE")), ["1000 sure", "100% Sure"]);
    assert_eq!(found(keyword("a_b")), ["x"]);
    assert_eq!(found(MessageSearch { from: Some(bob), ..MessageSearch::default() }), ["x"]);
    let since = MessageSearch { since: Some("2027-01-15T08:00:30Z".to_owned()), ..MessageSearch::default() };
    assert_eq!(found(since), ["x"]);
    let day = |since: &str, until: &str| MessageSearch {
        since: Some(since.to_owned()),
        until: Some(until.to_owned()),
        ..MessageSearch::default()
    };
    assert_eq!(found(day("2027-01-15", "2027-01-15")).len(), 3, "a day is the whole of it");
    assert_eq!(found(day("2027-01-15T08:00:30", "2027-01-16")), ["x"], "without an offset it is UTC");
    assert!(found(day("2027-01-16", "2027-01-17")).is_empty());
    assert!(matches!(store.search_messages(&MessageSearch::default()), Err(Error::Invalid { .. })));
    let wrong = MessageSearch { until: Some("yesterday".to_owned()), ..MessageSearch::default() };
    assert!(matches!(store.search_messages(&wrong), Err(Error::Invalid { field: "until", .. })));
}
