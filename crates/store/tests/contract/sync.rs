//! What a `spec.yaml` says, taken into the store: definitions always, statuses only where they say more.

use becket_store::spec_file::{Definition, Status};
use becket_store::{Call, Change, Error, EventType, Origin, Worktree};

use crate::world::{World, count, events, ids, join, kinds, stamp, task, with_status};

pub fn the_first_reading_is_silent_and_later_ones_tell(world: &World) {
    let store = world.open();
    assert_eq!(store.spec_stamp(&world.main).unwrap(), None);
    let first = world.sync(&store, "1", &[task("T1", &[]), task("T2", &[])]);
    assert!(first.first && first.created.len() == 2 && kinds(&store).is_empty());
    assert_eq!(store.spec_stamp(&world.main).unwrap(), Some(stamp("1")));
    let changed = Definition { title: "Other".to_owned(), ..task("T1", &[]) };
    let second = world.sync(&store, "2", &[changed, task("T3", &[])]);
    assert_eq!(
        (ids(&second.created), ids(&second.updated), ids(&second.removed)),
        (vec!["T3"], vec!["T1"], vec!["T2"])
    );
    assert_eq!(kinds(&store), [EventType::TaskCreated, EventType::TaskUpdated]);
    assert_eq!(store.task(&world.main, &"T1".into()).unwrap().definition.title, "Other");
    assert!(store.task(&world.main, &"T2".into()).is_err());
    let third = world.sync(
        &store,
        "3",
        &[Definition { title: "Other".to_owned(), ..task("T1", &[]) }, task("T3", &[])],
    );
    assert!(third.created.is_empty() && third.updated.is_empty() && third.removed.is_empty());
    store.touch_stamp(&world.main, &stamp("4")).unwrap();
    assert_eq!(world.open().spec_stamp(&world.main).unwrap(), Some(stamp("4")));
}

pub fn a_forward_status_is_taken_over(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"])]);
    let ada = join(&store, "Ada");
    world.claim(&store, &ada, "T1");
    let pulled = Definition {
        completed_by: Some("A1".to_owned()),
        verified_by: Some("A2".to_owned()),
        ..with_status(task("T1", &[]), Status::Verified)
    };
    let report = world.sync(&store, "2", &[pulled, task("T2", &["T1"])]);
    assert_eq!((report.taken[0].from, report.taken[0].to), (Status::Ready, Status::Verified));
    let detail = store.task(&world.main, &"T1".into()).unwrap();
    assert_eq!(
        (detail.state.completed_by.as_deref(), detail.state.verified_by.as_deref()),
        (Some("A1"), Some("A2"))
    );
    assert!(detail.lease.is_none(), "somebody else has finished it");
    assert!(store.task(&world.main, &"T2".into()).unwrap().claimable);
    assert_eq!(count(&store, EventType::TaskVerified), 1);
    assert_eq!(events(&store).last().unwrap().payload["source"], "spec.yaml");
    assert!(store.outbox(&world.main, 10).unwrap().is_empty(), "the file says it already");
}

pub fn an_older_checkout_is_reported_and_rolls_nothing_back(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"])]);
    let call = Call::by(&join(&store, "Ada"));
    store.complete(&call, &world.main, &"T1".into(), None, None).unwrap();
    let rows = store.outbox(&world.main, 10).unwrap();
    store.outbox_written(&world.main, &rows, Some(&stamp("2"))).unwrap();
    let told = store.last_event().unwrap();
    let report = world.sync(&store, "1", &[task("T1", &[]), task("T2", &["T1"])]);
    assert_eq!((report.behind[0].file, report.behind[0].store), (Status::Ready, Status::Verified));
    assert_eq!((report.taken.len(), store.last_event().unwrap()), (0, told));
    assert!(store.task(&world.main, &"T2".into()).unwrap().claimable);
    let again = world.sync(&store, "1b", &[task("T1", &[]), task("T2", &["T1"]), task("T3", &[])]);
    assert!(again.behind.is_empty(), "what was seen is not told again");
}

pub fn a_hand_edit_may_go_back(world: &World) {
    let store = world.with(&[
        with_status(task("T1", &[]), Status::Verified),
        task("T2", &["T1"]),
        with_status(task("T3", &[]), Status::Done),
    ]);
    let edited = [
        task("T1", &[]),
        with_status(task("T2", &["T1"]), Status::Blocked),
        with_status(task("T3", &[]), Status::Todo),
    ];
    let report = store.sync(&world.main, &stamp("2"), Origin::Edit, &edited).unwrap();
    assert_eq!(report.taken.len(), 2);
    assert_eq!(report.behind.len(), 1, "from done to todo is no legal move");
    assert_eq!(store.task(&world.main, &"T1".into()).unwrap().state.status, Status::Ready);
    assert_eq!(ids(&store.task(&world.main, &"T2".into()).unwrap().unmet), ["T1"]);
    assert_eq!(count(&store, EventType::TaskUpdated), 2);
    // A file that waits to be written is not edited by being old.
    let call = Call::by(&join(&store, "Ada"));
    store.done(&call, &world.main, &"T1".into(), None, None).unwrap();
    let old = [with_status(task("T1", &[]), Status::Todo), edited[1].clone(), edited[2].clone()];
    store.sync(&world.main, &stamp("3"), Origin::Edit, &old).unwrap();
    let stale = [task("T1", &[]), edited[1].clone(), edited[2].clone()];
    let report = store.sync(&world.main, &stamp("4"), Origin::Edit, &stale).unwrap();
    assert!(report.taken.is_empty(), "{report:?}");
    assert_eq!(store.task(&world.main, &"T1".into()).unwrap().state.status, Status::Done);
}

pub fn worktrees_have_their_own_definitions_and_one_status(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"])]);
    let side = Worktree::new("side");
    let sided = [task("T1", &[]), task("T3", &["T1"])];
    store.sync(&side, &stamp("s"), Origin::Checkout, &sided).unwrap();
    assert!(store.task(&side, &"T2".into()).is_err() && store.task(&world.main, &"T3".into()).is_err());
    let call = Call::by(&join(&store, "Ada"));
    let outcome = store.complete(&call, &side, &"T1".into(), None, None).unwrap();
    assert_eq!(ids(&outcome.newly_ready), ["T3"]);
    assert!(store.task(&world.main, &"T2".into()).unwrap().claimable);
    assert_eq!((store.outbox(&side, 9).unwrap().len(), store.outbox(&world.main, 9).unwrap().len()), (1, 0));
    // The other worktree's file still says ready: neither an edit nor news.
    let report = world.sync(&store, "2", &[task("T1", &[]), task("T2", &["T1"]), task("T4", &[])]);
    assert!(report.taken.is_empty() && report.behind.is_empty());
    store.forget_worktree(&side).unwrap();
    assert_eq!(store.spec_stamp(&side).unwrap(), None);
    assert_eq!(store.task(&world.main, &"T1".into()).unwrap().state.status, Status::Verified);
}

pub fn dependencies_that_appear_later_count(world: &World) {
    let store = world.with(&[task("T1", &["T9"])]);
    assert!(!store.task(&world.main, &"T1".into()).unwrap().claimable);
    let side = Worktree::new("side");
    store
        .sync(&side, &stamp("s"), Origin::Checkout, &[with_status(task("T9", &[]), Status::Verified)])
        .unwrap();
    assert!(store.task(&world.main, &"T1".into()).unwrap().claimable);
    // And once only, when the file has it too.
    world.sync(&store, "2", &[task("T1", &["T9", "T9"]), with_status(task("T9", &[]), Status::Verified)]);
    let detail = store.task(&world.main, &"T1".into()).unwrap();
    assert!(detail.claimable && detail.unmet.is_empty() && detail.problems.is_empty());
}

pub fn creating_and_updating_mirror_the_file(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let ada = join(&store, "Ada");
    let call = Call::by(&ada);
    store.check_definition(&world.main, &task("T2", &["T1"]), Change::Create).unwrap();
    store.create_task(&call, &world.main, &stamp("2"), &task("T2", &["T1"])).unwrap();
    assert_eq!(store.spec_stamp(&world.main).unwrap(), Some(stamp("2")));
    let created = events(&store).pop().unwrap();
    assert_eq!(
        (created.kind, created.actor, created.task.unwrap().as_str()),
        (EventType::TaskCreated, Some(ada), "T2")
    );
    let freed = store.update_task(&call, &world.main, &stamp("3"), &task("T2", &[])).unwrap();
    assert_eq!(ids(&freed), ["T2"]);
    // The same file read again brings nothing new.
    let report = world.sync(&store, "3", &[task("T1", &[]), task("T2", &[])]);
    assert!(report.created.is_empty() && report.updated.is_empty());
    assert_eq!(kinds(&store).len(), 3);
    // Another process may have read the file before its writer tells of it.
    world.sync(&store, "4", &[task("T1", &[]), task("T2", &[]), task("T3", &[])]);
    store.create_task(&call, &world.main, &stamp("4"), &task("T3", &[])).unwrap();
    store.update_task(&call, &world.main, &stamp("4"), &task("T3", &[])).unwrap();
    assert_eq!(count(&store, EventType::TaskCreated), 2);
    assert_eq!(count(&store, EventType::TaskUpdated), 1);
}

pub fn a_definition_that_would_cycle_is_refused(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"]), task("T3", &["T2"])]);
    let check = |definition: &Definition, change| store.check_definition(&world.main, definition, change);
    let Err(Error::WouldCycle { cycle }) = check(&task("T1", &["T3"]), Change::Update) else {
        panic!("accepted")
    };
    assert_eq!(cycle.len(), 3);
    assert!(matches!(check(&task("T1", &["T1"]), Change::Update), Err(Error::WouldCycle { .. })));
    assert!(matches!(check(&task("T4", &["T9"]), Change::Create), Err(Error::UnknownDependency { .. })));
    assert!(matches!(check(&task("T9", &[]), Change::Update), Err(Error::UnknownTask { .. })));
    assert!(matches!(check(&task("  ", &[]), Change::Create), Err(Error::Invalid { .. })));
    check(&task("T3", &["T1"]), Change::Update).unwrap();
    // What a hand has broken already does not keep a title from being changed.
    world.sync(&store, "2", &[task("T1", &["T2"]), task("T2", &["T1"]), task("T3", &["gone"])]);
    let call = Call::by(&join(&store, "Ada"));
    for broken in [task("T1", &["T2"]), task("T3", &["gone"])] {
        let renamed = Definition { title: "Better".to_owned(), ..broken };
        check(&renamed, Change::Update).unwrap();
        store.update_task(&call, &world.main, &stamp("3"), &renamed).unwrap();
    }
    assert_eq!(store.problems(&world.main, 10).unwrap().len(), 3);
}
