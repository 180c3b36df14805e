//! Looking at tasks: order, pages, filters, what comes next, what is wrong.

use std::collections::BTreeSet;

use becket_store::spec_file::{Definition, Status};
use becket_store::{Call, Change, Error, NextRequest, Problem, TaskQuery};

use crate::world::{World, ids, join, join_able, stamp, task, with_status};

fn listed(world: &World, store: &becket_store::Store, query: &TaskQuery) -> Vec<String> {
    store.tasks(&world.main, query).unwrap().tasks.iter().map(|task| task.id.to_string()).collect()
}

pub fn order_is_priority_then_natural(world: &World) {
    let urgent = Definition { priority: -5, ..task("Z9", &[]) };
    let store = world.with(&[task("T10", &[]), task("T2", &[]), task("T1", &[]), urgent]);
    assert_eq!(listed(world, &store, &TaskQuery::default()), ["Z9", "T1", "T2", "T10"]);
}

pub fn pages_show_every_task_once_under_writes(world: &World) {
    let mut tasks: Vec<Definition> =
        (0..95_i64).map(|n| Definition { priority: 100 - n / 10, ..task(&format!("T{n}"), &[]) }).collect();
    let store = world.with(&tasks);
    let call = Call::by(&join(&store, "Ada"));
    let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let query = TaskQuery { limit: Some(10), cursor: cursor.clone(), ..TaskQuery::default() };
        let page = store.tasks(&world.main, &query).unwrap();
        seen.extend(page.tasks.iter().map(|task| task.id.to_string()));
        pages += 1;
        // Work goes on between the pages, also on tasks that were shown.
        store.complete(&call, &world.main, &page.tasks[0].id, None, None).unwrap();
        let new = Definition { priority: 0, ..task(&format!("N{pages}"), &[]) };
        tasks.push(new.clone());
        store.create_task(&call, &world.main, &stamp("x"), &new).unwrap();
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((seen.len(), seen.iter().collect::<BTreeSet<_>>().len(), pages), (95, 95, 10));
    let foreign = TaskQuery { cursor: Some("nonsense".to_owned()), ..TaskQuery::default() };
    assert!(matches!(store.tasks(&world.main, &foreign), Err(Error::Invalid { field: "cursor", .. })));
}

pub fn labels_and_statuses_filter(world: &World) {
    let labelled = |id: &str, labels: &[&str], status| Definition {
        labels: labels.iter().map(|one| (*one).to_owned()).collect(),
        ..with_status(task(id, &[]), status)
    };
    let store = world.with(&[
        labelled("T1", &["ui", "ui"], Status::Ready),
        labelled("T2", &["ui", "api"], Status::Done),
        labelled("T3", &["ui"], Status::Deleted),
        labelled("T4", &[], Status::Verified),
    ]);
    let ui = Some("ui".to_owned());
    assert_eq!(listed(world, &store, &TaskQuery::default()), ["T1", "T2", "T4"]);
    assert_eq!(listed(world, &store, &TaskQuery { include_deleted: true, ..TaskQuery::default() }).len(), 4);
    assert_eq!(listed(world, &store, &TaskQuery { label: ui.clone(), ..TaskQuery::default() }), ["T1", "T2"]);
    let deleted = TaskQuery { status: Some(Status::Deleted), label: ui.clone(), ..TaskQuery::default() };
    assert_eq!(listed(world, &store, &deleted), ["T3"]);
    let one = TaskQuery { label: ui, limit: Some(1), ..TaskQuery::default() };
    let page = store.tasks(&world.main, &one).unwrap();
    assert_eq!((page.tasks.len(), page.total), (1, 2));
    let rest = store.tasks(&world.main, &TaskQuery { cursor: page.next_cursor, ..one }).unwrap();
    assert_eq!((rest.tasks[0].id.as_str(), rest.next_cursor), ("T2", None));
}

pub fn next_prefers_capabilities_and_says_so(world: &World) {
    let rust = Definition { labels: vec!["rust".to_owned()], priority: 200, ..task("T9", &[]) };
    let store = world.with(&[task("T1", &[]), task("T2", &["T1"]), rust]);
    let bob = join_able(&store, "Bob", &["rust"]).id;
    let plain = store.next(&world.main, &NextRequest::default()).unwrap();
    let order = |next: &becket_store::Next| {
        next.candidates.iter().map(|one| one.task.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!((order(&plain), plain.total_claimable), (vec!["T1".to_owned(), "T9".to_owned()], 2));
    let for_bob = NextRequest { agent: Some(bob.clone()), ..NextRequest::default() };
    let personal = store.next(&world.main, &for_bob).unwrap();
    assert_eq!(order(&personal), ["T9", "T1"]);
    assert_eq!(personal.candidates[0].matched, ["rust"]);
    assert!(personal.rationale.contains("rust"), "{}", personal.rationale);
    world.claim(&store, &bob, "T9");
    assert_eq!(order(&store.next(&world.main, &for_bob).unwrap()), ["T1"]);
    let urgent = NextRequest { max_priority: Some(50), ..NextRequest::default() };
    assert!(store.next(&world.main, &urgent).unwrap().candidates.is_empty());
}

pub fn problems_are_reported(world: &World) {
    let store = world.with(&[
        task("T1", &["T2"]),
        task("T2", &["T1"]),
        task("T3", &["gone"]),
        with_status(task("T4", &[]), Status::Deleted),
        task("T5", &["T4"]),
        task("T6", &["T3"]),
    ]);
    let problems = store.problems(&world.main, 100).unwrap();
    let cycle = vec!["T1".into(), "T2".into()];
    assert_eq!(
        problems,
        [
            Problem::Cycle { task: "T1".into(), cycle: cycle.clone() },
            Problem::Cycle { task: "T2".into(), cycle },
            Problem::MissingDependency { task: "T3".into(), dependency: "gone".into() },
            Problem::DeletedDependency { task: "T5".into(), dependency: "T4".into() },
        ]
    );
    assert_eq!(store.tasks(&world.main, &TaskQuery::default()).unwrap().problems, problems);
    assert_eq!(store.next(&world.main, &NextRequest::default()).unwrap().problems, problems);
    assert_eq!(store.task(&world.main, &"T5".into()).unwrap().problems.len(), 1);
    assert_eq!(store.graph(&world.main).unwrap().problems.len(), 4);
    // The dependency comes into being, the cycle is cut.
    let call = Call::by(&join(&store, "Ada"));
    store.create_task(&call, &world.main, &stamp("2"), &task("gone", &[])).unwrap();
    store.update_task(&call, &world.main, &stamp("3"), &task("T1", &[])).unwrap();
    assert_eq!(store.problems(&world.main, 100).unwrap().len(), 1);
    store.move_task(&call, &world.main, &"T4".into(), Status::Ready).unwrap();
    assert!(store.problems(&world.main, 100).unwrap().is_empty());
}

pub fn a_task_is_shown_whole(world: &World) {
    let whole = Definition {
        description: "Ünïcode\nand lines".to_owned(),
        acceptance_criteria: vec!["it works".to_owned()],
        labels: vec!["ui".to_owned()],
        locks: vec!["src/**".to_owned()],
        ..task("T1", &[])
    };
    let store = world.with(&[whole.clone(), task("T2", &["T1"]), task("T10", &["T1"])]);
    let ada = join(&store, "Ada");
    let lease = world.claim(&store, &ada, "T1");
    let detail = store.task(&world.main, &"T1".into()).unwrap();
    assert_eq!(detail.definition, whole);
    assert_eq!((ids(&detail.dependents), detail.claimable), (vec!["T2", "T10"], false));
    assert_eq!(detail.lease, Some(lease));
    let waiting = store.task(&world.main, &"T2".into()).unwrap();
    assert_eq!((ids(&waiting.unmet), waiting.lease, waiting.claimable), (vec!["T1"], None, false));
    let graph = store.graph(&world.main).unwrap();
    assert_eq!((graph.nodes.len(), graph.edges.len()), (3, 2));
    assert_eq!((graph.nodes[0].claimed_by.as_ref(), graph.edges[1].dependent.as_str()), (Some(&ada), "T10"));
}

pub fn an_unknown_task_has_a_nearest_spelling(world: &World) {
    let store = world.with(&[task("login-form", &[])]);
    let unknown = store.task(&world.main, &"login_from".into());
    assert!(matches!(unknown, Err(Error::UnknownTask { nearest: Some(near), .. }) if near == "login-form"));
    assert!(matches!(store.task(&world.main, &"x".into()), Err(Error::UnknownTask { nearest: None, .. })));
}

pub fn counts_add_up(world: &World) {
    let store = world.with(&[
        task("T1", &[]),
        task("T2", &["T1"]),
        task("T3", &[]),
        with_status(task("T4", &[]), Status::Deleted),
    ]);
    let ada = join(&store, "Ada");
    world.claim(&store, &ada, "T3");
    let counts = store.counts(&world.main, Some(&ada)).unwrap();
    assert_eq!((counts.tasks, counts.claimable, counts.active_leases), (3, 1, 1));
    assert_eq!((counts.agents, counts.agents_online, counts.unread), (1, 1, 0));
    assert_eq!(counts.by_status, [(Status::Ready, 3), (Status::Deleted, 1)]);
    assert_eq!(counts.last_event, store.last_event().unwrap());
}

pub fn ids_are_reserved_once(world: &World) {
    let (store, other) =
        (world.with(&[task("T2", &[]), task("T041", &[]), task("Tx", &[]), task("T7b", &[])]), world.open());
    let reserve = |store: &becket_store::Store, call: &Call, id: &str, needs: &[&str]| {
        let wish = serde_json::json!([id, needs]);
        store.reserve_task(call, &wish, &world.main, &task(id, needs), "").map(|reserved| reserved.id)
    };
    let (nobody, keyed) =
        (Call::default(), Call { idempotency_key: Some("k".to_owned()), ..Call::default() });
    assert_eq!(reserve(&store, &nobody, "", &[]).unwrap().as_str(), "T042");
    assert_eq!(reserve(&other, &nobody, "", &[]).unwrap().as_str(), "T043");
    // What is refused uses up neither number nor key.
    for call in [&nobody, &keyed] {
        assert!(matches!(reserve(&store, call, "", &["T9"]), Err(Error::UnknownDependency { .. })));
        assert!(matches!(reserve(&store, call, "T041", &[]), Err(Error::TaskExists { .. })));
    }
    for _ in 0..2 {
        assert_eq!(reserve(&store, &keyed, "", &["T2"]).unwrap().as_str(), "T044");
    }
    assert!(matches!(reserve(&store, &keyed, "", &["T041"]), Err(Error::KeyReused { .. })));
    let taken = store.check_definition(&world.main, &task("T041", &[]), Change::Create);
    assert!(matches!(taken, Err(Error::TaskExists { .. })));
}

/// Totals are kept and not counted: whatever happens, they are what counting would give.
pub fn totals_are_what_counting_gives(world: &World) {
    let labelled = |id: &str, needs: &[&str], labels: &[&str]| Definition {
        labels: labels.iter().map(|one| (*one).to_owned()).collect(),
        ..task(id, needs)
    };
    let check = |store: &becket_store::Store, tree: &becket_store::Worktree, when: &str| {
        for label in [None, Some("ui"), Some("api"), Some(""), Some("none")] {
            for status in std::iter::once(None).chain(Status::ALL.map(Some)) {
                for include_deleted in [false, true] {
                    let label = label.map(str::to_owned);
                    let query = TaskQuery {
                        label,
                        status,
                        include_deleted,
                        limit: Some(200),
                        ..TaskQuery::default()
                    };
                    let page = store.tasks(tree, &query).unwrap();
                    assert_eq!(page.total, page.tasks.len() as u64, "{when}: {query:?}");
                }
            }
        }
        let next = store.next(tree, &NextRequest { limit: Some(20), ..NextRequest::default() }).unwrap();
        assert_eq!(next.total_claimable, next.candidates.len() as u64, "{when}");
    };
    let mut file = vec![
        labelled("T1", &[], &["ui", "ui", ""]),
        labelled("T2", &["T1"], &["api"]),
        labelled("T3", &["T1", "T2"], &["ui", "api"]),
        with_status(labelled("T4", &[], &["ui"]), Status::Deleted),
        with_status(labelled("T5", &[], &[]), Status::Verified),
        labelled("T6", &["T5"], &["api"]),
        labelled("T7", &["T9"], &["ui"]),
    ];
    let store = world.with(&file);
    let side: becket_store::Worktree = "side".into();
    store.sync(&side, &stamp("s"), becket_store::Origin::Checkout, &file[..3]).unwrap();
    let call = Call::by(&join(&store, "Ada"));
    let look = |when: &str| {
        check(&store, &world.main, when);
        check(&store, &side, when);
    };
    look("read");
    world.claim(&store, call.agent.as_ref().unwrap(), "T1");
    look("claimed");
    store.done(&call, &world.main, &"T1".into(), None, None).unwrap();
    look("done");
    store.verify(&call, &world.main, &"T1".into(), None, None).unwrap();
    look("verified");
    store.move_task(&call, &world.main, &"T1".into(), Status::Ready).unwrap();
    look("reopened");
    store.complete(&call, &world.main, &"T1".into(), None, None).unwrap();
    store.complete(&call, &world.main, &"T2".into(), None, None).unwrap();
    look("completed");
    store.create_task(&call, &world.main, &stamp("c"), &labelled("T8", &["T3"], &["ui"])).unwrap();
    look("created");
    let changed = labelled("T8", &[], &["api", "new"]);
    store.update_task(&call, &world.main, &stamp("u"), &changed).unwrap();
    look("updated");
    store.delete_task(&call, &world.main, &"T2".into(), becket_store::Cascade::Dependents).unwrap();
    look("deleted");
    file.retain(|one| one.id != "T3");
    file.push(with_status(labelled("T9", &[], &["ui"]), Status::Verified));
    world.sync(&store, "2", &file);
    look("read again");
    let mut exported = Vec::new();
    store.export(&mut exported).unwrap();
    let other = world.elsewhere();
    other.import(&mut exported.as_slice()).unwrap();
    check(&other, &world.main, "imported");
    store.forget_worktree(&side).unwrap();
    look("forgotten");
    store.reset().unwrap();
    world.sync(&store, "3", &file);
    look("reset");
}
