//! How tasks move: by whom, along which edges, and what follows from it.

use becket_store::spec_file::Status;
use becket_store::{Call, Cascade, Error, EventType, Policy, Verifier, Warning};

use crate::world::{World, count, events, ids, join, kinds, stamp, task, with_status};

pub fn done_and_verify_unblock_dependents(world: &World) {
    let store =
        world.with(&[task("T1", &[]), task("T2", &["T1"]), task("T10", &["T1"]), task("T3", &["T1", "T2"])]);
    let ada = join(&store, "Ada");
    let call = Call::by(&ada);
    world.claim(&store, &ada, "T1");
    let done = store.done(&call, &world.main, &"T1".into(), None, Some("it works")).unwrap();
    assert_eq!((done.status, done.previous), (Status::Done, Status::Ready));
    assert!(done.ended_lease.is_some() && store.leases().unwrap().is_empty());
    assert!(done.newly_ready.is_empty());
    assert!(
        matches!(&done.warnings[..], [Warning::DependentsWaiting { dependents, .. }] if dependents.len() == 3)
    );
    let verified = store.verify(&call, &world.main, &"T1".into(), None, None).unwrap();
    assert_eq!(ids(&verified.newly_ready), ["T2", "T10"]);
    let state = store.task(&world.main, &"T1".into()).unwrap().state;
    assert_eq!(
        (state.completed_by.as_deref(), state.verified_by.as_deref()),
        (Some(ada.as_str()), Some(ada.as_str()))
    );
    let told = events(&store);
    let told = told.iter().find(|event| event.kind == EventType::TaskVerified).unwrap();
    assert_eq!(told.payload["newlyReadyTaskIds"], serde_json::json!(["T2", "T10"]));
}

pub fn another_holder_refuses_done_and_verify(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    world.claim(&store, &ada, "T1");
    let id = "T1".into();
    for refused in [
        store.done(&Call::by(&bob), &world.main, &id, None, None),
        store.complete(&Call::by(&bob), &world.main, &id, None, None),
        store.done(&Call::default(), &world.main, &id, None, None),
        store.move_task(&Call::by(&bob), &world.main, &id, Status::Blocked),
    ] {
        assert!(matches!(refused, Err(Error::Held(conflict)) if conflict.holder == ada));
    }
    assert!(store.delete_task(&Call::by(&bob), &world.main, &id, Cascade::Refuse).is_err());
    assert_eq!(store.task(&world.main, &id).unwrap().state.status, Status::Ready);
}

pub fn not_claimed_is_allowed_with_a_warning(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &[]), task("T3", &["T2"])]);
    let ada = join(&store, "Ada");
    let call = Call::by(&ada);
    let done = store.done(&call, &world.main, &"T1".into(), None, None).unwrap();
    assert_eq!(done.warnings, [Warning::NotClaimed { task: "T1".into() }]);
    let again = store.done(&call, &world.main, &"T1".into(), None, None).unwrap();
    assert_eq!(again.warnings, [Warning::AlreadyThere { task: "T1".into(), status: Status::Done }]);
    assert_eq!(count(&store, EventType::TaskDone), 1);
    world.claim(&store, &ada, "T2");
    world.clock.pass(1000);
    let late = store.done(&call, &world.main, &"T2".into(), None, None).unwrap();
    assert_eq!(late.warnings[0], Warning::LeaseExpired { task: "T2".into() });
    let early = store.done(&call, &world.main, &"T3".into(), None, None).unwrap();
    assert!(
        early.warnings.contains(&Warning::DependenciesUnmet { task: "T3".into(), unmet: vec!["T2".into()] })
    );
}

pub fn moves_follow_the_legal_edges(world: &World) {
    use Status::{Blocked, Deleted, Done, Ready, Todo, Verified};
    let legal = [
        (Todo, Ready),
        (Todo, Blocked),
        (Todo, Deleted),
        (Ready, Todo),
        (Ready, Blocked),
        (Ready, Done),
        (Ready, Deleted),
        (Blocked, Todo),
        (Blocked, Ready),
        (Blocked, Deleted),
        (Done, Verified),
        (Done, Ready),
        (Done, Deleted),
        (Verified, Ready),
        (Verified, Deleted),
        (Deleted, Todo),
        (Deleted, Ready),
    ];
    let mut tasks = Vec::new();
    for from in Status::ALL {
        for to in Status::ALL {
            tasks.push(with_status(task(&format!("{}-{}", from.word(), to.word()), &[]), from));
        }
    }
    let store = world.with(&tasks);
    let call = Call::by(&join(&store, "Ada"));
    for from in Status::ALL {
        for to in Status::ALL {
            let id = format!("{}-{}", from.word(), to.word()).into();
            let before = store.last_event().unwrap();
            let moved = store.move_task(&call, &world.main, &id, to);
            let is = store.task(&world.main, &id).unwrap().state.status;
            if from == to {
                assert_eq!((is, store.last_event().unwrap()), (from, before), "{id}");
            } else if legal.contains(&(from, to)) {
                assert!(
                    moved.is_ok() && is == to && store.last_event().unwrap() == before + 1,
                    "{id}: {moved:?}"
                );
            } else {
                assert!(matches!(moved, Err(Error::IllegalMove { .. })) && is == from, "{id}: {moved:?}");
                assert_eq!(store.last_event().unwrap(), before);
            }
        }
    }
}

pub fn another_agent_must_verify_where_the_policy_says_so(world: &World) {
    world.with(&[task("T1", &[]), task("T2", &[])]);
    let store = world.open_with(Policy { verify: Verifier::OtherAgent, ..Policy::default() });
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let id = "T1".into();
    store.done(&Call::by(&ada), &world.main, &id, None, None).unwrap();
    let own = store.verify(&Call::by(&ada), &world.main, &id, None, None);
    assert!(matches!(own, Err(Error::SelfVerification { .. })));
    let both = store.complete(&Call::by(&ada), &world.main, &"T2".into(), None, None);
    assert!(matches!(both, Err(Error::SelfVerification { .. })));
    assert_eq!(store.task(&world.main, &"T2".into()).unwrap().state.status, Status::Ready);
    store.verify(&Call::by(&bob), &world.main, &id, None, None).unwrap();
}

pub fn complete_is_both_in_one(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"])]);
    let ada = join(&store, "Ada");
    world.claim(&store, &ada, "T1");
    let outcome = store.complete(&Call::by(&ada), &world.main, &"T1".into(), None, None).unwrap();
    assert_eq!((outcome.status, ids(&outcome.newly_ready)), (Status::Verified, vec!["T2"]));
    assert_eq!(kinds(&store)[2..], [EventType::TaskDone, EventType::TaskVerified]);
    assert!(store.leases().unwrap().is_empty());
}

pub fn reopening_blocks_dependents_again(world: &World) {
    let mut waiting = task("T2", &["T1"]);
    waiting.labels = vec!["ui".to_owned()];
    let store = world.with(&[task("T1", &[]), waiting]);
    let ada = join(&store, "Ada");
    let call = Call::by(&ada);
    let claimable = |label: Option<&str>| {
        let labels = label.into_iter().map(str::to_owned).collect();
        let request = becket_store::NextRequest { labels, ..becket_store::NextRequest::default() };
        let next = store.next(&world.main, &request).unwrap();
        next.candidates.iter().map(|one| one.task.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!((claimable(None), claimable(Some("ui"))), (vec!["T1".to_owned()], vec![]));
    store.complete(&call, &world.main, &"T1".into(), None, None).unwrap();
    assert_eq!((claimable(None), claimable(Some("ui"))), (vec!["T2".to_owned()], vec!["T2".to_owned()]));
    let reopened = store.move_task(&call, &world.main, &"T1".into(), Status::Ready).unwrap();
    assert_eq!(ids(&reopened.newly_ready), ["T1"]);
    assert_eq!((claimable(None), claimable(Some("ui"))), (vec!["T1".to_owned()], vec![]));
    let detail = store.task(&world.main, &"T1".into()).unwrap();
    assert_eq!((detail.state.completed_by, detail.state.verified_by), (None, None));
}

pub fn deleting_refuses_or_takes_dependents_along(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"]), task("T3", &["T2"]), task("T4", &[])]);
    let call = Call::by(&join(&store, "Ada"));
    let refused = store.delete_task(&call, &world.main, &"T1".into(), Cascade::Refuse);
    assert!(matches!(refused, Err(Error::HasDependents { dependents, .. }) if ids(&dependents) == ["T2"]));
    let gone = store.delete_task(&call, &world.main, &"T1".into(), Cascade::Dependents).unwrap();
    assert_eq!(ids(&gone.tasks), ["T1", "T2", "T3"]);
    assert_eq!(count(&store, EventType::TaskDeleted), 3);
    let done = store.done(&call, &world.main, &"T1".into(), None, None);
    assert!(matches!(done, Err(Error::IllegalMove { from: Status::Deleted, .. })));
    let listed = store.tasks(&world.main, &becket_store::TaskQuery::default()).unwrap();
    assert_eq!((listed.total, listed.tasks[0].id.as_str()), (1, "T4"));
}

pub fn every_move_waits_in_the_outbox_until_written(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &[])]);
    let call = Call::by(&join(&store, "Ada"));
    store.done(&call, &world.main, &"T1".into(), None, None).unwrap();
    store.done(&call, &world.main, &"T2".into(), None, None).unwrap();
    let rows = store.outbox(&world.main, 10).unwrap();
    assert_eq!(rows.iter().map(|row| row.task.as_str()).collect::<Vec<_>>(), ["T1", "T2"]);
    assert!(rows.iter().all(|row| row.state.status == Status::Done && row.state.completed_at.is_some()));
    store.verify(&call, &world.main, &"T1".into(), None, None).unwrap();
    store.outbox_written(&world.main, &rows, Some(&stamp("2"))).unwrap();
    let left = store.outbox(&world.main, 10).unwrap();
    assert_eq!(left.len(), 1, "what moved again meanwhile stays");
    assert_eq!(left[0].state.status, Status::Verified);
    assert_eq!(store.outbox_worktrees().unwrap(), [(world.main.clone(), 1)]);
    assert_eq!(store.spec_stamp(&world.main).unwrap(), Some(stamp("2")));
    // What the file says by then is no edit of a person.
    let file = [with_status(task("T1", &[]), Status::Done), with_status(task("T2", &[]), Status::Done)];
    let report = world.sync(&store, "3", &file);
    assert!(report.taken.is_empty() && report.behind.is_empty(), "{report:?}");
}
