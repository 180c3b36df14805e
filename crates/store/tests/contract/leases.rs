//! Leases: one holder, counted on a clock that does not jump.

use becket_store::spec_file::Status;
use becket_store::{
    AgentId, Call, Claim, ClaimNext, ClaimRequest, Error, EventType, LockPolicy, NewMessage, NextRequest,
    Policy, Severity, Store,
};

use crate::world::{World, count, events, ids, join, join_able, task, with_status};

pub fn a_task_has_one_holder(world: &World) {
    let (store, other) = (world.with(&[task("T1", &[])]), world.open());
    let (ada, bob) = (join(&store, "Ada"), join(&other, "Bob"));
    let lease = world.claim(&store, &ada, "T1");
    assert_eq!((lease.generation, lease.ttl_seconds, lease.remaining_seconds), (1, 900, 900));
    let Claim::Held(conflict) = world.try_claim(&other, &bob, "T1") else { panic!("two holders") };
    assert_eq!((conflict.holder, conflict.expires_at), (ada, lease.expires_at));
    assert_eq!(count(&store, EventType::TaskClaimed), 1);
    assert_eq!(store.leases().unwrap().len(), 1);
}

/// A client may expect to find what it left; between two of its calls another one changes what a claim hangs on.
pub fn what_another_client_changed_meanwhile_counts(world: &World) {
    let (store, other) = (world.with(&[task("T1", &[]), task("T2", &[])]), world.open());
    let (ada, bob) = (join(&store, "Ada"), join(&other, "Bob"));
    warm_up(world, &store, &ada, "T1");
    other.leave(&Call::by(&ada), None).unwrap();
    world.claim(&store, &ada, "T1");
    assert!(other.agent(&ada).unwrap().left_at.is_none(), "whoever claims is there");
    store.release(&Call::by(&ada), &"T1".into(), None, None).unwrap();

    warm_up(world, &store, &ada, "T1");
    world.claim(&other, &bob, "T1");
    assert!(matches!(world.try_claim(&store, &ada, "T1"), Claim::Held(_)));
    world.clock.pass(895);
    warm_up(world, &store, &ada, "T2");
    world.clock.pass(5);
    let lease = world.claim(&store, &ada, "T1");
    assert_eq!((lease.agent, count(&other, EventType::LeaseExpired)), (ada.clone(), 1));

    warm_up(world, &store, &ada, "T2");
    other.reset().unwrap();
    let request = ClaimRequest { task: "T2".into(), ttl_seconds: None };
    let refused = store.claim(&Call::by(&ada), &world.main, &request).unwrap_err();
    assert!(matches!(refused, Error::UnknownAgent { .. }), "{refused}");
}

fn warm_up(world: &World, store: &Store, agent: &AgentId, task: &str) {
    for _ in 0..4 {
        world.claim(store, agent, task);
        store.release(&Call::by(agent), &task.into(), None, None).unwrap();
    }
}

pub fn claiming_again_renews(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let ada = join(&store, "Ada");
    let first = world.claim(&store, &ada, "T1");
    world.clock.pass(600);
    let Claim::Granted { lease, renewed, .. } = world.try_claim(&store, &ada, "T1") else {
        panic!("refused")
    };
    assert!(renewed && lease.lease_id == first.lease_id && lease.generation == first.generation);
    assert_eq!(lease.remaining_seconds, 900);
    assert_eq!((count(&store, EventType::TaskClaimed), count(&store, EventType::LeaseRenewed)), (1, 1));
}

pub fn the_time_to_live_is_clamped(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let ada = join(&store, "Ada");
    for (wanted, given) in [(0, 60), (59, 60), (61, 61), (u64::MAX, 7200)] {
        let request = ClaimRequest { task: "T1".into(), ttl_seconds: Some(wanted) };
        let Claim::Granted { lease, .. } = store.claim(&Call::by(&ada), &world.main, &request).unwrap()
        else {
            panic!("refused")
        };
        assert_eq!((lease.ttl_seconds, lease.remaining_seconds), (given, given));
    }
}

pub fn expiry_is_written_once_by_whoever_looks(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let others: Vec<_> = (0..3).map(|_| world.open()).collect();
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let first = world.claim(&store, &ada, "T1");
    world.clock.pass(899);
    assert!(matches!(world.try_claim(&store, &bob, "T1"), Claim::Held(_)));
    world.clock.pass(1);
    for other in &others {
        assert!(other.task(&world.main, &"T1".into()).unwrap().claimable);
        assert_eq!(count(other, EventType::LeaseExpired), 1);
    }
    let told = events(&store).into_iter().find(|event| event.kind == EventType::LeaseExpired).unwrap();
    assert_eq!((told.target, told.actor), (Some(ada), None));
    let second = world.claim(&store, &bob, "T1");
    assert_eq!(second.generation, first.generation + 1);
    assert_eq!(count(&store, EventType::LeaseExpired), 1);
}

pub fn a_jumped_wall_clock_frees_nothing_and_freezes_nothing(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    world.claim(&store, &ada, "T1");
    world.clock.jump(16 * 60);
    assert!(matches!(world.try_claim(&store, &bob, "T1"), Claim::Held(_)));
    world.clock.jump(-10 * 24 * 60 * 60);
    world.clock.pass(900);
    world.claim(&store, &bob, "T1");
}

pub fn a_lease_outlives_a_reboot_by_what_was_left(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let lease = world.claim(&store, &ada, "T1");
    world.clock.pass(300);
    world.clock.reboot(100);
    let after = world.open();
    assert!(matches!(world.try_claim(&after, &bob, "T1"), Claim::Held(_)));
    assert_eq!(after.leases().unwrap()[0].remaining_seconds, 500);
    assert_eq!(after.leases().unwrap()[0].generation, lease.generation);
    world.clock.reboot(600);
    world.claim(&world.open(), &bob, "T1");
    // A clock set back while the machine was off gives nobody more than the lease had.
    world.clock.jump(-1_000_000);
    world.clock.reboot(0);
    assert_eq!(world.open().leases().unwrap()[0].remaining_seconds, 900);
}

pub fn a_stale_holder_is_refused_by_generation(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let (by_ada, by_bob) = (Call::by(&ada), Call::by(&bob));
    let old = world.claim(&store, &ada, "T1").generation;
    world.clock.pass(1000);
    let new = world.claim(&store, &bob, "T1").generation;
    let id = "T1".into();
    let refusals = [
        store.renew(&by_ada, &id, Some(old), None).err(),
        store.release(&by_ada, &id, None, None).err(),
        store.done(&by_ada, &world.main, &id, Some(old), None).err(),
    ];
    for refusal in refusals {
        let Some(Error::Held(conflict)) = refusal else { panic!("{refusal:?}") };
        assert_eq!(conflict.holder, bob);
    }
    store.release(&by_bob, &id, Some(new), None).unwrap();
    let newest = world.claim(&store, &ada, "T1").generation;
    assert!(newest > new);
    let stale = store.done(&by_ada, &world.main, &id, Some(old), None);
    assert!(
        matches!(stale, Err(Error::StaleLease { presented, current, .. }) if presented == old && current == newest)
    );
    store.done(&by_ada, &world.main, &id, Some(newest), None).unwrap();
}

pub fn renew_and_release_are_the_holders(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    let id = "T1".into();
    assert!(matches!(store.release(&Call::by(&ada), &id, None, None), Err(Error::NotHeld { .. })));
    let lease = world.claim(&store, &ada, "T1");
    assert!(matches!(store.release(&Call::by(&bob), &id, None, None), Err(Error::Held(_))));
    world.clock.pass(800);
    let renewed = store.renew(&Call::by(&ada), &id, Some(lease.generation), Some(120)).unwrap();
    assert_eq!((renewed.remaining_seconds, renewed.generation), (120, lease.generation));
    let released = store.release(&Call::by(&ada), &id, Some(lease.generation), Some("stuck")).unwrap();
    assert_eq!(released.lease_id, lease.lease_id);
    assert!(matches!(store.renew(&Call::by(&ada), &id, None, None), Err(Error::NotHeld { .. })));
    assert!(matches!(
        store.claim(&Call::default(), &world.main, &ClaimRequest { task: id, ttl_seconds: None }),
        Err(Error::NoAgent)
    ));
    assert_eq!(count(&store, EventType::TaskReleased), 1);
}

pub fn a_task_that_is_not_there_is_held_by_nobody(world: &World) {
    let store = world.with(&[task("T1", &[])]);
    let call = Call::by(&join(&store, "Ada"));
    let unknown = "T9".into();
    for refused in [
        store.renew(&call, &unknown, None, None).unwrap_err(),
        store.release(&call, &unknown, None, None).unwrap_err(),
    ] {
        assert!(matches!(refused, Error::UnknownTask { .. }), "{refused:?}");
    }
    let known = "T1".into();
    assert!(matches!(store.renew(&call, &known, None, None), Err(Error::NotHeld { .. })));
    assert!(matches!(store.release(&call, &known, None, None), Err(Error::NotHeld { .. })));
}

pub fn only_ready_tasks_with_verified_dependencies_are_claimable(world: &World) {
    let store = world.with(&[
        with_status(task("T1", &[]), Status::Done),
        task("T2", &["T1", "T9"]),
        with_status(task("T3", &[]), Status::Todo),
        with_status(task("T9", &[]), Status::Verified),
    ]);
    let ada = join(&store, "Ada");
    let claim = |id: &str| {
        store.claim(&Call::by(&ada), &world.main, &ClaimRequest { task: id.into(), ttl_seconds: None })
    };
    let Err(Error::NotClaimable { status: Status::Ready, unmet, .. }) = claim("T2") else {
        panic!("claimed")
    };
    assert_eq!(ids(&unmet), ["T1"]);
    assert!(matches!(claim("T3"), Err(Error::NotClaimable { status: Status::Todo, .. })));
    assert!(matches!(claim("T4"), Err(Error::UnknownTask { .. })));
    store.verify(&Call::by(&ada), &world.main, &"T1".into(), None, None).unwrap();
    assert!(matches!(claim("T2"), Ok(Claim::Granted { .. })));
}

pub fn claim_next_finds_and_claims(world: &World) {
    let mut labelled = task("T9", &[]);
    labelled.labels = vec!["rust".to_owned()];
    let store = world.with(&[task("T10", &[]), task("T2", &[]), labelled, task("T11", &["T2"])]);
    let (ada, bob) = (join(&store, "Ada"), join_able(&store, "Bob", &["rust"]).id);
    let next =
        |agent| store.claim_next(&Call::by(agent), &world.main, &NextRequest::default(), None).unwrap();
    let claimed = |answer: ClaimNext| match answer {
        ClaimNext::Claimed { task, lease, .. } => {
            assert_eq!(task.id, lease.task);
            task.id.as_str().to_owned()
        }
        ClaimNext::Nothing { leased, waiting } => format!("nothing {leased} {waiting}"),
    };
    assert_eq!(claimed(next(&bob)), "T9");
    assert_eq!(claimed(next(&ada)), "T2");
    assert_eq!(claimed(next(&ada)), "T10");
    assert_eq!(claimed(next(&ada)), "nothing 3 1");
}

pub fn locks_warn_or_refuse(world: &World) {
    let locked = |id: &str, lock: &str| {
        let mut task = task(id, &[]);
        task.locks = vec![lock.to_owned()];
        task
    };
    let store =
        world.with(&[locked("T1", "src/**/*.rs"), locked("T2", "src/a/*.rs"), locked("T3", "docs/*")]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    world.claim(&store, &ada, "T1");
    let Claim::Granted { overlaps, .. } = world.try_claim(&store, &bob, "T2") else { panic!("refused") };
    assert_eq!((overlaps[0].other_task.as_str(), &overlaps[0].other_agent), ("T1", &ada));
    store.release(&Call::by(&bob), &"T2".into(), None, None).unwrap();
    let strict = world.open_with(Policy { locks: LockPolicy::Enforce, ..Policy::default() });
    let request = ClaimRequest { task: "T2".into(), ttl_seconds: None };
    assert!(matches!(strict.claim(&Call::by(&bob), &world.main, &request), Err(Error::LocksOverlap { .. })));
    assert_eq!(strict.leases().unwrap().len(), 1, "a refusal leaves nothing behind");
    let next = strict.claim_next(&Call::by(&bob), &world.main, &NextRequest::default(), None).unwrap();
    assert!(matches!(next, ClaimNext::Claimed { task, .. } if task.id.as_str() == "T3"));
}

pub fn activity_on_the_task_renews_an_expiring_lease(world: &World) {
    let store = world.with(&[task("T1", &[]), task("T2", &[])]);
    let (ada, bob) = (join(&store, "Ada"), join(&store, "Bob"));
    world.claim(&store, &ada, "T1");
    let left = || store.leases().unwrap()[0].remaining_seconds;
    world.clock.pass(500);
    store.activity(&Call::by(&ada), &"T1".into()).unwrap();
    assert_eq!(left(), 400, "it is not about to expire");
    world.clock.pass(200);
    store.activity(&Call::by(&ada), &"T2".into()).unwrap();
    store.activity(&Call::by(&bob), &"T1".into()).unwrap();
    assert_eq!(left(), 200);
    store.activity(&Call::by(&ada), &"T1".into()).unwrap();
    assert_eq!(left(), 900);
    assert_eq!(count(&store, EventType::LeaseRenewed), 1);
}

pub fn a_key_is_answered_once(world: &World) {
    let (store, other) = (world.with(&[task("T1", &[]), task("T2", &[])]), world.open());
    let ada = join(&store, "Ada");
    let call = Call {
        idempotency_key: Some("k1".to_owned()),
        correlation_id: Some("c1".to_owned()),
        ..Call::by(&ada)
    };
    let request = ClaimRequest { task: "T1".into(), ttl_seconds: None };
    let first = store.claim(&call, &world.main, &request).unwrap();
    let told = store.last_event().unwrap();
    assert_eq!(other.claim(&call, &world.main, &request).unwrap(), first);
    assert_eq!(store.last_event().unwrap(), told);
    assert_eq!(events(&store).last().unwrap().correlation_id.as_deref(), Some("c1"));
    let reused = store.claim(&call, &world.main, &ClaimRequest { task: "T2".into(), ttl_seconds: None });
    assert!(matches!(reused, Err(Error::KeyReused { .. })));
    let letter = Call { idempotency_key: Some("k2".to_owned()), ..Call::by(&ada) };
    let say = |body: &str| {
        let message = NewMessage {
            to: None,
            task: None,
            subject: None,
            body: body.to_owned(),
            severity: Severity::Info,
        };
        store.send(&letter, &message)
    };
    let sent = say("one").unwrap();
    assert_eq!(say("one").unwrap().message_id, sent.message_id);
    assert!(matches!(say("two"), Err(Error::KeyReused { .. })), "the second was not sent, and that is told");
    world.clock.pass(25 * 60 * 60);
    assert!(matches!(
        store.claim(&call, &world.main, &request).unwrap(),
        Claim::Granted { renewed: false, .. }
    ));
}
