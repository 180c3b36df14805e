//! A PostgreSQL server that is stopped and started while several clients work on it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use becket_store::{Call, Claim, Error, EventQuery, EventType, Options, Place, Store, TaskId, Watch};
use becket_testing::postgres::{Cluster, Durability};

use crate::counted;
use crate::worker::{claim, fill, join, main};

const CLIENTS: usize = 4;

#[test]
fn a_server_that_comes_and_goes_doubles_and_loses_nothing() {
    let mut cluster = Cluster::start(Durability::Full);
    let options = Options::new(Place::parse(&cluster.url()).unwrap());
    let store = Store::open(&options).unwrap();
    fill(&store, 4_000);
    let stop = AtomicBool::new(false);
    let progress = AtomicUsize::new(0);
    let (options, stop, progress) = (&options, &stop, &progress);
    let answered = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..CLIENTS).map(|client| scope.spawn(move || work(options, client, stop, progress))).collect();
        for round in 0..counted(3, 12) {
            advance(progress);
            cluster.down(if round % 2 == 0 { "immediate" } else { "fast" });
            cluster.up();
        }
        advance(progress);
        stop.store(true, Ordering::Relaxed);
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect::<Vec<String>>()
    });
    assert_nothing_is_doubled_or_lost(&store, &answered);
}

const OURS: &str =
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'becket' ORDER BY backend_start DESC";

fn retry_connect(url: &str) -> postgres::Client {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        match postgres::Client::connect(url, postgres::NoTls) {
            Ok(client) => return client,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn assert_nothing_is_doubled_or_lost(store: &Store, answered: &[String]) {
    assert!(answered.len() > 20, "{}", answered.len());
    // Each task was claimed by one client at most, each answered completion is there, each event once.
    let (mut since, mut ids, mut verified) = (0, BTreeSet::new(), Vec::new());
    loop {
        let page = store.events(&EventQuery { since, limit: Some(1000), ..EventQuery::default() }).unwrap();
        for event in &page.events {
            assert!(ids.insert(event.id));
            if event.kind == EventType::TaskVerified {
                verified.push(event.task.clone().unwrap().to_string());
            }
        }
        since = page.next_cursor;
        if !page.more {
            break;
        }
    }
    let distinct: BTreeSet<&String> = verified.iter().collect();
    assert_eq!(distinct.len(), verified.len(), "an event was doubled");
    for task in answered {
        assert!(distinct.contains(task), "{task} was answered and is lost");
    }
    assert_eq!(store.outbox(&main(), usize::MAX).unwrap().len(), verified.len());
}

/// A session that is ended takes nothing with it, and one that dies badly makes the server recover, under the same head: what a
/// client hears of the transaction that it was about to commit is what became of it.
#[test]
fn sessions_that_die_double_and_lose_nothing() {
    let cluster = Cluster::start(Durability::Full);
    let options = Options::new(Place::parse(&cluster.url()).unwrap());
    let store = Store::open(&options).unwrap();
    fill(&store, 4_000);
    let stop = AtomicBool::new(false);
    let progress = AtomicUsize::new(0);
    let (options, stop, progress) = (&options, &stop, &progress);
    let answered = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..CLIENTS).map(|client| scope.spawn(move || work(options, client, stop, progress))).collect();
        for round in 0..counted(6, 40) {
            advance(progress);
            let mut client = retry_connect(&cluster.url());
            let pids: Vec<i32> = client.query(OURS, &[]).unwrap().iter().map(|row| row.get(0)).collect();
            if round % 3 == 2 {
                // The server falls before it can answer.
                let killed = format!("COPY (SELECT 1) TO PROGRAM 'kill -9 {}'", pids.first().unwrap());
                let _ = client.batch_execute(&killed);
            } else {
                for pid in pids {
                    client.execute("SELECT pg_terminate_backend($1)", &[&pid]).unwrap();
                }
            }
        }
        advance(progress);
        stop.store(true, Ordering::Relaxed);
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect::<Vec<String>>()
    });
    assert_nothing_is_doubled_or_lost(&store, &answered);
}

/// Until some more calls were answered: the server goes away under load, however slow the machine is.
fn advance(progress: &AtomicUsize) {
    let (before, until) = (progress.load(Ordering::Relaxed), Instant::now() + Duration::from_mins(1));
    while progress.load(Ordering::Relaxed) < before + 10 {
        assert!(Instant::now() < until, "nothing goes on");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Completes tasks of a stretch of its own; half of them are wanted by its neighbour, too.
fn work(options: &Options, client: usize, stop: &AtomicBool, progress: &AtomicUsize) -> Vec<String> {
    let store = Store::open(options).unwrap();
    let agent = retry(|| Ok(store.join(&becket_store::Join::default(), None)?.agent.id));
    let call = Call::by(&agent);
    let mut completed = Vec::new();
    for n in (client / 2) * 2000.. {
        if stop.load(Ordering::Relaxed) {
            return completed;
        }
        let task = TaskId::new(format!("T{n}"));
        let answer = retry(|| match claim(&store, &call, &task) {
            Err(Error::NotClaimable { .. }) => Ok(None),
            other => other.map(Some),
        });
        if !matches!(answer, Some(Claim::Granted { .. })) {
            continue;
        }
        // A key makes the repetition of an unanswered call safe.
        let keyed = Call { idempotency_key: Some(format!("complete-{task}")), ..call.clone() };
        retry(|| store.complete(&keyed, &main(), &task, None, None));
        progress.fetch_add(1, Ordering::Relaxed);
        completed.push(task.to_string());
    }
    completed
}

fn retry<T>(mut work: impl FnMut() -> Result<T, Error>) -> T {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        match work() {
            Ok(answer) => return answer,
            Err(Error::Unavailable { .. } | Error::Unsure { .. }) if Instant::now() < until => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// All threads of a process share its connection: while one looks for the server, the others wait for what it finds.
#[test]
fn many_calls_on_a_lost_server_give_up_together() {
    let mut cluster = Cluster::start(Durability::None);
    let store = Store::open(&Options::new(Place::parse(&cluster.url()).unwrap())).unwrap();
    join(&store, "Ada");
    cluster.down("fast");
    let began = Instant::now();
    thread::scope(|scope| {
        let calls: Vec<_> = (0..8).map(|_| scope.spawn(|| store.last_event())).collect();
        for call in calls {
            assert!(matches!(call.join().unwrap(), Err(Error::Unavailable { .. })));
        }
    });
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    // Who holds the lock of a file does not wait at all.
    let began = Instant::now();
    assert!(matches!(store.spec_stamp_at_once(&main()), Err(Error::Unavailable { .. })));
    assert!(matches!(store.outbox_written(&main(), &[], None), Err(Error::Unavailable { .. })));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    cluster.up();
    assert_eq!(store.last_event().unwrap(), 1);
}

#[test]
fn the_address_says_what_a_server_has_to_show() {
    let cluster = Cluster::encrypted();
    let open = |query: &str| {
        let place = Place::parse(&format!("{}?{query}", cluster.url()))?;
        let store = Store::open(&Options::new(place))?;
        store.watch()?;
        store.last_event()
    };
    let roots = cluster.certificate().display().to_string();
    // Only encrypted logins are let in.
    let refused = open("sslmode=disable").unwrap_err();
    assert!(refused.to_string().contains("no encryption"), "{refused}");
    for query in ["", "sslmode=prefer", "sslmode=require"] {
        assert_eq!(open(query).unwrap(), 0, "{query}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        assert_eq!(open(&format!("sslmode={mode}&sslrootcert={roots}")).unwrap(), 0, "{mode}");
    }
    // Nobody that browsers trust has signed it: told at once, not after a search for another server.
    let began = Instant::now();
    let unknown = open("sslmode=verify-full").unwrap_err();
    assert!(matches!(unknown, Error::Unavailable { .. }), "{unknown:?}");
    assert!(unknown.to_string().contains("certificate"), "{unknown}");
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    // By its number the server has another name than its certificate.
    let by_number = cluster.url().replace("localhost", "127.0.0.1");
    let other = |mode: &str| {
        let url = format!("{by_number}?sslmode={mode}&sslrootcert={roots}");
        Store::open(&Options::new(Place::parse(&url)?))?.last_event()
    };
    assert_eq!(other("verify-ca").unwrap(), 0);
    assert!(other("verify-full").unwrap_err().to_string().contains("certificate"));
    let missing = open("sslmode=verify-full&sslrootcert=/nowhere/roots.pem").unwrap_err();
    assert!(missing.to_string().contains("/nowhere/roots.pem"), "{missing}");
}

#[test]
fn a_client_shows_who_it_is() {
    let cluster = Cluster::knowing_its_clients();
    let open = |query: &str| {
        let place = Place::parse(&format!("{}?sslmode=require{query}", cluster.url()))?;
        Store::open(&Options::new(place))?.last_event()
    };
    let (certificate, key) = cluster.client_certificate();
    let (certificate, key) = (certificate.display(), key.display());
    assert_eq!(open(&format!("&sslcert={certificate}&sslkey={key}")).unwrap(), 0);
    let nobody = open("").unwrap_err();
    assert!(
        matches!(nobody, Error::Unavailable { .. }) && nobody.to_string().contains("certificate"),
        "{nobody}"
    );
    for (query, told) in [
        (format!("&sslcert={certificate}"), "no sslkey"),
        (format!("&sslkey={key}"), "no sslcert"),
        (format!("&sslcert=/nowhere/me.pem&sslkey={key}"), "/nowhere/me.pem"),
        (format!("&sslcert={certificate}&sslkey=/nowhere/me.key"), "/nowhere/me.key"),
        (format!("&sslcert={certificate}&sslkey={certificate}"), "sslkey"),
    ] {
        let wrong = open(&query).unwrap_err();
        assert!(matches!(wrong, Error::Address { .. }) && wrong.to_string().contains(told), "{wrong}");
    }
}

/// Indexes are made anew for a first reading of many tasks, if nobody looks meanwhile, and are the same afterwards.
#[test]
fn a_first_reading_of_many_tasks_leaves_every_index_in_place() {
    let cluster = Cluster::start(Durability::None);
    let place = Place::parse(&cluster.url()).unwrap();
    let mut client = postgres::Client::connect(&cluster.url(), postgres::NoTls).unwrap();
    for name in ["alone", "watched"] {
        let store =
            Store::open(&Options { repository: name.to_owned(), ..Options::new(place.clone()) }).unwrap();
        let sql = "SELECT indexdef FROM pg_indexes WHERE schemaname LIKE 'becket_%' ORDER BY 1";
        let mut indexes =
            || -> Vec<String> { client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect() };
        let before = indexes();
        assert!(before.iter().any(|one| one.contains("definitions_open")), "{before:?}");
        let mut reader = postgres::Client::connect(&cluster.url(), postgres::NoTls).unwrap();
        if name == "watched" {
            let schemas = "SELECT CAST(schemaname AS TEXT) FROM pg_tables WHERE tablename = 'labels'";
            reader.batch_execute("BEGIN").unwrap();
            for schema in reader.query(schemas, &[]).unwrap() {
                let schema: String = schema.get(0);
                reader.query(&format!("SELECT FROM {schema}.labels"), &[]).unwrap();
            }
        }
        fill(&store, 6_000);
        assert_eq!(indexes(), before, "{name}");
        assert_eq!(store.counts(&main(), None).unwrap().claimable, 6_000);
        fill(&store, 6_001);
        assert_eq!(store.tasks(&main(), &becket_store::TaskQuery::default()).unwrap().total, 6_001);
    }
}

#[test]
fn repositories_share_a_server_and_nothing_else() {
    let mut cluster = Cluster::start(Durability::None);
    let place = Place::parse(&cluster.url()).unwrap();
    let open = |repository: &str| {
        Store::open(&Options { repository: repository.to_owned(), ..Options::new(place.clone()) }).unwrap()
    };
    // Many first contacts at once.
    thread::scope(|scope| {
        let opening: Vec<_> = (0..8).map(|_| scope.spawn(|| join(&open("one"), "cold"))).collect();
        for one in opening {
            one.join().unwrap();
        }
    });
    let (one, other) = (open("one"), open("other"));
    assert_eq!((one.last_event().unwrap(), other.last_event().unwrap()), (8, 0));
    fill(&other, 60);
    // What is not counted at the first reading makes a claim walk all tasks until the server counts by itself.
    let counted = "SELECT FROM pg_stats WHERE tablename = 'definitions' AND attname = 'worktree'";
    let mut client = postgres::Client::connect(&cluster.url(), postgres::NoTls).unwrap();
    assert_eq!(client.query(counted, &[]).unwrap().len(), 1);
    drop(client);
    let ada = join(&other, "Ada");
    // Server time: a lease lasts by the server's clock, and says so.
    let Ok(Claim::Granted { lease, .. }) = claim(&other, &Call::by(&ada), &"T1".into()) else {
        panic!("refused")
    };
    assert!((890..=900).contains(&lease.remaining_seconds));
    let mut watch: Watch = other.watch().unwrap();
    assert!(!watch.wait(Duration::ZERO).unwrap());
    join(&one, "elsewhere");
    assert!(!watch.wait(Duration::from_millis(50)).unwrap(), "told of another repository");
    cluster.down("fast");
    let began = Instant::now();
    assert!(matches!(other.join(&becket_store::Join::default(), None), Err(Error::Unavailable { .. })));
    assert!(began.elapsed() < Duration::from_secs(15));
    cluster.up();
    join(&other, "Bob");
    let until = Instant::now() + Duration::from_secs(20);
    while !watch.wait(Duration::from_millis(200)).unwrap() {
        assert!(Instant::now() < until, "the watch does not come back");
    }
    let secret = Place::parse(&cluster.url().replace("becket@", "becket:hunter2@")).unwrap();
    let wrong = Store::open(&Options::new(match secret {
        Place::Server(_) => secret,
        Place::File(_) => panic!(),
    }))
    .map(|store| store.describe().unwrap());
    assert!(!format!("{wrong:?}").contains("hunter2"));
}
