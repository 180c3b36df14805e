//! What the store costs, for `cargo xtask bench coordinate`: one line of JSON per measure, on both engines, each rate
//! beside that of a bare transaction that makes the same writes in the same tables in the same run.
//!
//! With the name of an engine (`sqlite`, `postgres`) it measures that one alone, and with a number after it so many tasks.

#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measuring program: it starts itself, counts thousands, prints, and stops where it fails"
)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use becket_store::spec_file::{Definition, Status};
use becket_store::{
    AgentId, Call, Claim, ClaimRequest, Join, NextRequest, Options, Origin, Place, SpecStamp, Store, TaskId,
    TaskQuery, Worktree,
};
use becket_testing::postgres::{Cluster, Durability};
use serde_json::json;

const FEW: usize = 100;
const MANY: usize = 50_000;
const CALLS: usize = 200;
const PROCESSES: usize = 8;
const LOAD: Duration = Duration::from_secs(3);
const ROUNDS: usize = 41;
const PAIRS: usize = 25;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [place, repository, index] = &arguments[..] {
        return client(place, repository, index.parse().unwrap());
    }
    let only = arguments.first().map(String::as_str);
    let many = arguments.get(1).map_or(MANY, |number| number.parse().unwrap());
    if only != Some("postgres") {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (few, large, bare) = (path("few.sqlite"), path("many.sqlite"), path("bare.sqlite"));
        measure(&Engine { name: "SQLite", few, many: large, bare }, many);
    }
    if only != Some("sqlite") {
        let cluster = Cluster::start(Durability::Full);
        let url = cluster.url();
        measure(&Engine { name: "PostgreSQL", few: url.clone(), many: url.clone(), bare: url }, many);
    }
}

struct Engine {
    name: &'static str,
    few: String,
    many: String,
    bare: String,
}

fn measure(engine: &Engine, size: usize) {
    let name = engine.name;
    let few = open(&engine.few, "few");
    let many = open(&engine.many, "many");
    fill(&few, FEW);
    let began = Instant::now();
    fill(&many, size);
    say(
        &format!("{name}: {size} definitions read for the first time"),
        began.elapsed().as_secs_f64(),
        "s",
        None,
        Some(("most", 3.0)),
    );
    if name == "SQLite" {
        say("SQLite: peak memory by then (VmHWM)", peak_memory(), "MiB", None, None);
    }
    let list = median(CALLS, |_| {
        assert_eq!(many.tasks(&main_tree(), &TaskQuery::default()).unwrap().tasks.len(), 50);
    });
    say(&format!("{name}: `list` (50) of {size} tasks, p50"), list, "ms", None, Some(("most", 5.0)));
    for (what, small, large) in calls([(&few, FEW), (&many, size)]) {
        say(
            &format!("{name}: `{what}` at {size} tasks, p50"),
            large,
            "ms",
            Some((&format!("at {FEW}"), small)),
            None,
        );
        say(
            &format!("{name}: `{what}`, {size} tasks against {FEW}"),
            large / small,
            "×",
            None,
            Some(("most", 2.0)),
        );
    }
    rates(engine, &few);
    crowd(engine);
}

/// p50 of each call in either store, in milliseconds. In turns: what a disk still has to do after the tasks were read slows
/// down whoever comes first.
fn calls(stores: [(&Store, usize); 2]) -> Vec<(&'static str, f64, f64)> {
    let by = stores.map(|(store, _)| Call::by(&join(store)));
    let spread = |n: usize, tasks: usize| TaskId::new(format!("T{}", n * 7919 % (tasks / 2)));
    let both = |times: usize, call: &dyn Fn(&Store, &Call, usize, usize)| {
        let mut taken = [Vec::new(), Vec::new()];
        for n in 0..times {
            for (((store, tasks), by), taken) in stores.iter().zip(&by).zip(&mut taken) {
                let began = Instant::now();
                call(store, by, *tasks, n);
                taken.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
        taken.map(middle)
    };
    let claim = both(CALLS, &|store, call, tasks, n| {
        let request = ClaimRequest { task: spread(n, tasks), ttl_seconds: None };
        assert!(matches!(store.claim(call, &main_tree(), &request).unwrap(), Claim::Granted { .. }));
    });
    for ((store, _), call) in stores.iter().zip(&by) {
        for lease in store.leases().unwrap() {
            store.release(call, &lease.task, None, None).unwrap();
        }
    }
    let next = both(CALLS, &|store, _, _, _| {
        assert_eq!(store.next(&main_tree(), &NextRequest::default()).unwrap().candidates.len(), 5);
    });
    let get = both(CALLS, &|store, _, tasks, n| _ = store.task(&main_tree(), &spread(n, tasks)).unwrap());
    let done = both(FEW / 4, &|store, call, tasks, n| {
        let task = TaskId::new(format!("T{}", tasks / 2 + n));
        store.done(call, &main_tree(), &task, None, None).unwrap();
    });
    [("claim", claim), ("next", next), ("get", get), ("done", done)]
        .map(|(what, [small, large])| (what, small, large))
        .into()
}

/// Claims and releases per second by one client, beside the bare transactions.
fn rates(engine: &Engine, store: &Store) {
    let name = engine.name;
    let call = Call::by(&join(store));
    let mut bare: Box<dyn FnMut(usize)> = if name == "SQLite" {
        Box::new(bare_sqlite(&engine.bare))
    } else {
        Box::new(bare_postgres(&engine.bare))
    };
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    // In turns, so that whatever else the machine does meets both alike; and of each the middle one, because a checkpoint
    // or a neighbour that falls into one round says nothing about either.
    for round in 0..ROUNDS {
        let began = Instant::now();
        for n in 0..PAIRS {
            pair(store, &call, &TaskId::new(format!("T{}", (round + n) % 20)));
        }
        ours.push(began.elapsed());
        let began = Instant::now();
        for n in 0..PAIRS {
            bare((round + n) % 20);
        }
        floor.push(began.elapsed());
    }
    let per_second = |mut times: Vec<Duration>| {
        times.sort_unstable();
        PAIRS as f64 / times[ROUNDS / 2].as_secs_f64()
    };
    let (ours, floor) = (per_second(ours), per_second(floor));
    let floor_name = "bare transactions";
    say(
        &format!("{name}: claim + release per second, one client"),
        ours,
        "",
        Some((floor_name, floor)),
        None,
    );
    say(&format!("{name}: that rate against the bare one"), ours / floor, "×", None, Some(("least", 0.8)));
}

/// Eight processes that claim and release tasks of their own.
fn crowd(engine: &Engine) {
    let name = engine.name;
    let mut children: Vec<_> = (0..PROCESSES)
        .map(|index| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args([engine.many.as_str(), "many", &index.to_string()]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
        })
        .map(|mut child| (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()), child))
        .collect();
    // All are there before any begins: one that came later would have had the disk to itself.
    let mut line = String::new();
    for (_, said, _) in &mut children {
        said.read_line(&mut line).unwrap();
    }
    for (told, _, _) in &mut children {
        told.write_all(b"go\n").unwrap();
    }
    let mut counts: Vec<f64> = Vec::new();
    let mut times: Vec<f64> = Vec::new();
    for (_, mut said, mut child) in children {
        line.clear();
        said.read_line(&mut line).unwrap();
        assert!(child.wait().unwrap().success());
        let answer: Vec<f64> = serde_json::from_str(&line).unwrap();
        counts.push(answer.len() as f64);
        times.extend(answer);
    }
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let (least, most) =
        (counts.iter().copied().fold(f64::MAX, f64::min), counts.iter().copied().fold(0.0, f64::max));
    say(
        &format!("{name}: claim + release, {PROCESSES} processes without pause, p50"),
        at(50),
        "ms",
        None,
        None,
    );
    say(&format!("{name}: the same, p99"), at(99), "ms", None, Some(("most", 20.0)));
    say(&format!("{name}: the same, largest"), at(100), "ms", None, None);
    say(
        &format!("{name}: the same, pairs per second of all"),
        counts.iter().sum::<f64>() / LOAD.as_secs_f64(),
        "",
        None,
        None,
    );
    say(
        &format!("{name}: the same, slowest process against the fastest"),
        least / most,
        "×",
        None,
        Some(("least", 0.7)),
    );
}

fn client(place: &str, repository: &str, index: usize) {
    let store = open(place, repository);
    let call = Call::by(&join(&store));
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < LOAD {
        let task = TaskId::new(format!("T{}", index * 10 + times.len() % 10));
        let one = Instant::now();
        pair(&store, &call, &task);
        times.push(one.elapsed().as_secs_f64() * 1e3);
    }
    println!("{}", json!(times));
}

fn pair(store: &Store, call: &Call, task: &TaskId) {
    let request = ClaimRequest { task: task.clone(), ttl_seconds: None };
    assert!(matches!(store.claim(call, &main_tree(), &request).unwrap(), Claim::Granted { .. }));
    store.release(call, task, None, None).unwrap();
}

// What a claim and a release write, column by column, with values that the client sends; and nothing that they look at.
const BARE_CLAIM: &str = "INSERT INTO leases (task_id, generation, lease_id, agent_id, last_agent_id, created_at, \
     expires_at, expires_tick, clock_epoch, ttl_seconds, locks) VALUES ($1, 1, $2, $3, $3, $4, $5, $6, $7, $8, '[]') \
     ON CONFLICT (task_id) DO UPDATE SET generation = leases.generation + 1, lease_id = excluded.lease_id, \
     agent_id = excluded.agent_id, last_agent_id = excluded.last_agent_id, created_at = excluded.created_at, \
     expires_at = excluded.expires_at, expires_tick = excluded.expires_tick, clock_epoch = excluded.clock_epoch, \
     ttl_seconds = excluded.ttl_seconds, locks = excluded.locks";
const BARE_RELEASE: &str = "UPDATE leases SET agent_id = NULL WHERE task_id = $1";
const BARE_EVENT: &str = "INSERT INTO events (created_at, type, actor_agent_id, task_id, target_agent_id, payload_json, \
     correlation_id) VALUES ($1, $2, $3, $4, NULL, $5, NULL)";
const BARE_COUNTED: &str = "WITH counted AS (UPDATE counter SET last_event = last_event + 1, \
     first_expiry = LEAST(first_expiry, $6) RETURNING last_event) INSERT INTO events (id, created_at, type, \
     actor_agent_id, task_id, target_agent_id, payload_json, correlation_id) \
     SELECT last_event, $1, $2, $3, $4, NULL, $5, NULL FROM counted";
const BARE_AGENT: &str = "INSERT INTO agents (agent_id, capabilities, session_meta, created_at, last_seen_at, \
     last_seen_tick, clock_epoch, ttl_seconds, told_event) VALUES ('A', '[]', '{}', '', '', 0, '', 900, 0)";
const AT: &str = "2026-01-01T00:00:00.000Z";
const CLAIMED: &str = "{\"leaseId\":\"L12345678\",\"generation\":1,\"expiresAt\":\"2026-01-01T00:00:00.000Z\",\"ttlSeconds\":900}";
const RELEASED: &str = "{\"leaseId\":\"L12345678\",\"generation\":1,\"reason\":null}";
/// Far in the future, as all of them are when a claim is made.
const EXPIRY: i64 = 1 << 50;

fn bare_sqlite(place: &str) -> impl FnMut(usize) + use<> {
    fill(&open(place, "bare"), 20);
    let connection = rusqlite::Connection::open(place).unwrap();
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON").unwrap();
    connection.execute(BARE_AGENT, []).unwrap();
    move |n| {
        let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
            connection.prepare_cached(sql).unwrap().execute(values).unwrap();
        };
        let task = format!("T{n}");
        run("BEGIN IMMEDIATE", &[]);
        run(BARE_CLAIM, &[&task, &"L12345678", &"A", &AT, &AT, &EXPIRY, &"boot", &900]);
        run(BARE_EVENT, &[&AT, &"task.claimed", &"A", &task, &CLAIMED]);
        run("COMMIT", &[]);
        run("BEGIN IMMEDIATE", &[]);
        run(BARE_RELEASE, &[&task]);
        run(BARE_EVENT, &[&AT, &"task.released", &"A", &task, &RELEASED]);
        run("COMMIT", &[]);
    }
}

fn bare_postgres(url: &str) -> impl FnMut(usize) + use<> {
    let store = open(url, "bare");
    fill(&store, 20);
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let rows = client
        .query("SELECT table_schema FROM information_schema.tables WHERE table_name = 'meta'", &[])
        .unwrap();
    let mut end = String::new();
    for row in rows {
        let schema: String = row.get(0);
        client.batch_execute(&format!("SET search_path TO {schema}")).unwrap();
        let key: String =
            client.query_one("SELECT value FROM meta WHERE key = 'repository'", &[]).unwrap().get(0);
        if key == "bare" {
            end = format!("NOTIFY {schema}; COMMIT");
            break;
        }
    }
    client.execute(BARE_AGENT, &[]).unwrap();
    let [claim, release, event] =
        [BARE_CLAIM, BARE_RELEASE, BARE_COUNTED].map(|sql| client.prepare(sql).unwrap());
    move |n| {
        let task = format!("T{n}");
        client.batch_execute("BEGIN").unwrap();
        let values: [&(dyn postgres::types::ToSql + Sync); 8] =
            [&task, &"L12345678", &"A", &AT, &AT, &EXPIRY, &"server", &900_i64];
        client.execute(&claim, &values).unwrap();
        client.execute(&event, &[&AT, &"task.claimed", &"A", &task, &CLAIMED, &EXPIRY]).unwrap();
        client.batch_execute(&end).unwrap();
        client.batch_execute("BEGIN").unwrap();
        client.execute(&release, &[&task]).unwrap();
        client.execute(&event, &[&AT, &"task.released", &"A", &task, &RELEASED, &EXPIRY]).unwrap();
        client.batch_execute(&end).unwrap();
    }
}

fn open(place: &str, repository: &str) -> Store {
    let options = Options { repository: repository.to_owned(), ..Options::new(Place::parse(place).unwrap()) };
    Store::open(&options).unwrap()
}

fn main_tree() -> Worktree {
    Worktree::new("main")
}

fn join(store: &Store) -> AgentId {
    store.join(&Join::default(), None).unwrap().agent.id
}

/// Tasks as people write them; in the last fifth, every fourth depends on the one before it.
fn fill(store: &Store, tasks: usize) {
    let file: Vec<Definition> = (0..tasks)
        .map(|n| Definition {
            id: format!("T{n}"),
            title: format!("Do the thing number {n}"),
            description: "What is to be done, and why, in a sentence or two. ".repeat(3),
            acceptance_criteria: vec!["It works.".to_owned(), "It is tested.".to_owned()],
            depends_on: if n >= tasks * 4 / 5 && n % 4 == 3 {
                vec![format!("T{}", n - 1)]
            } else {
                Vec::new()
            },
            labels: vec![format!("area-{}", n % 20), "backend".to_owned()],
            locks: Vec::new(),
            priority: i64::try_from(n % 10).unwrap_or(0) * 10,
            status: Status::Ready,
            ..Definition::default()
        })
        .collect();
    store.sync(&main_tree(), &SpecStamp::default(), Origin::Checkout, &file).unwrap();
}

fn median(times: usize, mut call: impl FnMut(usize)) -> f64 {
    let taken = (0..times).map(|n| {
        let began = Instant::now();
        call(n);
        began.elapsed().as_secs_f64() * 1e3
    });
    middle(taken.collect())
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<f64>().unwrap_or(0.0) / 1024.0
}

fn say(measure: &str, value: f64, unit: &str, floor: Option<(&str, f64)>, goal: Option<(&str, f64)>) {
    println!("{}", json!({ "measure": measure, "value": value, "unit": unit, "floor": floor, "goal": goal }));
}
