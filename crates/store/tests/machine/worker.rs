//! What the other processes do: this very program, started again with a job in its environment.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use becket_store::spec_file::{Definition, Status};
use becket_store::{
    AgentId, Call, Claim, ClaimRequest, Error, Inbox, Join, NewMessage, Options, Origin, Place, Severity,
    SpecStamp, Store, TaskId, Worktree,
};

const JOB: &str = "BECKET_STORE_TEST_JOB";

/// Starts a process that does `job` on the store at `place` and says "ready" first; it begins when its input is closed.
pub fn start(place: &str, job: &str, index: usize, count: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "worker::job", "--nocapture", "--test-threads=1"])
        .env(JOB, format!("{place}\n{job}\n{index}\n{count}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets all begin at once, and gives what each said.
pub fn finish(mut children: Vec<Child>) -> Vec<Vec<String>> {
    let mut outputs: Vec<_> =
        children.iter_mut().map(|child| BufReader::new(child.stdout.take().unwrap())).collect();
    for output in &mut outputs {
        let mut line = String::new();
        while !line.trim_end().ends_with("ready") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "a worker ended before it was ready");
        }
    }
    for child in &mut children {
        drop(child.stdin.take());
    }
    let said = outputs
        .into_iter()
        .map(|output| {
            output.lines().map_while(Result::ok).filter(|line| !line.starts_with("test ")).collect()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success(), "a worker failed");
    }
    said
}

pub fn run_all(place: &str, job: &str, processes: usize, count: usize) -> Vec<Vec<String>> {
    finish((0..processes).map(|index| start(place, job, index, count)).collect())
}

#[test]
fn job() {
    let Ok(job) = std::env::var(JOB) else {
        // Not started as a worker: a job that nobody knows must not pass for one that was done.
        assert!(std::panic::catch_unwind(|| run("nowhere", "unknown", 0, 0)).is_err());
        return;
    };
    let mut lines = job.lines();
    let mut next = || lines.next().unwrap();
    let (place, job) = (next(), next());
    let (index, count) = (next().parse().unwrap(), next().parse().unwrap());
    run(place, job, index, count);
}

fn run(place: &str, job: &str, index: usize, count: usize) {
    match job {
        "cold" => cold(place),
        "contend" => contend(place, count),
        "complete" => complete(place, index, count),
        "acknowledge" => acknowledge(place),
        "work" => work(place, index),
        other => panic!("no job is called {other}"),
    }
}

pub fn open(place: &str) -> Store {
    Store::open(&Options::new(Place::parse(place).unwrap())).unwrap()
}

pub fn main() -> Worktree {
    Worktree::new("main")
}

pub fn fill(store: &Store, tasks: usize) {
    let tasks: Vec<Definition> = (0..tasks)
        .map(|n| Definition {
            id: format!("T{n}"),
            title: format!("Task {n}"),
            priority: 100,
            status: Status::Ready,
            ..Definition::default()
        })
        .collect();
    let stamp = SpecStamp { stat: "1".to_owned(), hash: "1".to_owned() };
    store.sync(&main(), &stamp, Origin::Checkout, &tasks).unwrap();
}

pub fn join(store: &Store, name: &str) -> AgentId {
    store.join(&Join { name: Some(name.to_owned()), ..Join::default() }, None).unwrap().agent.id
}

pub fn claim(store: &Store, call: &Call, task: &TaskId) -> Result<Claim, Error> {
    store.claim(call, &main(), &ClaimRequest { task: task.clone(), ttl_seconds: None })
}

fn ready() {
    say("ready");
    let mut rest = String::new();
    std::io::stdin().read_line(&mut rest).unwrap();
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// Everything from nothing: the file may not be there yet.
fn cold(place: &str) {
    ready();
    let store = open(place);
    fill(&store, 20);
    join(&store, "cold");
    assert_eq!(store.counts(&main(), None).unwrap().tasks, 20);
}

/// All want the same task, until each has had it so many times. A file that only one may make says whether two have it.
fn contend(place: &str, wins: usize) {
    let store = open(place);
    let agent = join(&store, "contender");
    let call = Call::by(&agent);
    let task = TaskId::from("T0");
    let flag = Path::new(place).with_extension("flag");
    ready();
    let (mut won, mut refused) = (0, 0);
    // However slow the machine is, nobody is starved for minutes.
    let starved = || Instant::now() + Duration::from_mins(2);
    let mut until = starved();
    while won < wins {
        assert!(Instant::now() < until, "won {won} of {wins}, and then nothing any more");
        match claim(&store, &call, &task) {
            Ok(Claim::Granted { lease, renewed, .. }) => {
                assert!(!renewed);
                let alone = OpenOptions::new().write(true).create_new(true).open(&flag);
                assert!(alone.is_ok(), "two hold the task");
                std::fs::remove_file(&flag).unwrap();
                store.release(&call, &task, Some(lease.generation), None).unwrap();
                won += 1;
                until = starved();
            }
            Ok(Claim::Held(_)) => refused += 1,
            Err(error) => panic!("an error that is no conflict: {error}"),
        }
    }
    say(&format!("{agent} {won} {refused}"));
}

fn complete(place: &str, index: usize, count: usize) {
    let store = open(place);
    let call = Call::by(&join(&store, "finisher"));
    ready();
    for n in index * count..(index + 1) * count {
        let task = TaskId::new(format!("T{n}"));
        assert!(matches!(claim(&store, &call, &task), Ok(Claim::Granted { .. })));
        store.complete(&call, &main(), &task, None, None).unwrap();
    }
}

fn acknowledge(place: &str) {
    let store = open(place);
    let agent = join(&store, "reader");
    ready();
    let inbox =
        Inbox { task: Some("T0".into()), agent: Some(agent.clone()), limit: Some(200), ..Inbox::default() };
    let messages: Vec<String> =
        store.messages(&inbox).unwrap().messages.into_iter().map(|one| one.id).collect();
    for message in messages.chunks(7) {
        store.acknowledge(&Call::by(&agent), message).unwrap();
    }
    say(agent.as_str());
}

/// Works until it is killed, and says what was answered. The numbers of its tasks do not meet those of another.
fn work(place: &str, index: usize) {
    let store = open(place);
    let agent = join(&store, "worker");
    let call = Call::by(&agent);
    ready();
    let mut numbers = index * 10_000..;
    loop {
        let task = TaskId::new(format!("T{}", numbers.next().unwrap() % 100_000));
        match claim(&store, &call, &task) {
            Ok(Claim::Granted { lease, .. }) => say(&format!("claimed {task} {} {agent}", lease.generation)),
            Ok(Claim::Held(_)) | Err(Error::NotClaimable { .. }) => continue,
            Err(Error::UnknownTask { .. }) => return,
            Err(error) => panic!("{error}"),
        }
        let message = NewMessage {
            to: None,
            task: Some(task.clone()),
            subject: None,
            body: "x".repeat(500),
            severity: Severity::Info,
        };
        let sent = store.send(&call, &message).unwrap();
        say(&format!("sent {} {task}", sent.message_id));
        store.complete(&call, &main(), &task, None, None).unwrap();
        say(&format!("completed {task}"));
    }
}

/// A file of its own that lives as long as the test.
pub fn place() -> (tempfile::TempDir, String) {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("runtime.sqlite").to_str().unwrap().to_owned();
    (folder, path)
}
