//! The store: one method per thing that can be done. Each opens one transaction and leaves the rule to `rules`.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::model::{
    Agent, AgentFilter, AgentId, Behind, Call, Claim, ClaimNext, ClaimRequest, Counts, Deleted, Description,
    Digest, EventPage, EventQuery, Farewell, Graph, Heartbeat, Inbox, Join, Joined, Lease, MessagePage,
    MessageSearch, NewMessage, Next, NextRequest, Outcome, Problem, Reservation, ResetCounts, Sent,
    SpecStamp, StatusRow, SyncReport, TaskDetail, TaskId, TaskPage, TaskQuery, Worktree,
};
use crate::open::Options;
use crate::random;
use crate::rules::definitions::{Change, Key};
use crate::rules::status::{Cascade, Finish};
use crate::rules::sync::Origin;
use crate::rules::{
    Policy, agents, answers, counts, definitions, digest, events, graph, leases, listing, messages, next,
    outbox, status, sweep, sync, transfer,
};
use crate::spec_file::{Definition, Status};
use crate::sql::Transaction;
use crate::watch::Watch;

/// What a key stands for: the thing that is done, and what it is done with, so that nobody who uses a key a second time for
/// something else is told that it was done.
fn asked(what: &str, with: &serde_json::Value) -> String {
    let digest = blake3::hash(with.to_string().as_bytes()).to_hex();
    format!("{what} {}", digest.get(..32).unwrap_or_default())
}

/// News are told often and at once; that they were told is written down as seldom as a sign of life.
const NOTED: Duration = Duration::from_secs(10);

/// While nothing is committed, how often a waiter looks whether a lease ran out or its caller went away.
const GLANCE: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub struct Store {
    pub(crate) backend: Box<dyn Backend>,
    policy: Policy,
    read_only: bool,
    /// Up to which event this process has told an agent.
    told: Mutex<BTreeMap<AgentId, Told>>,
}

#[derive(Debug, Clone, Copy)]
struct Told {
    event: i64,
    /// When that was last written down. Whoever dies in between makes its agent hear of a few things twice.
    noted: Option<Instant>,
}

impl Store {
    pub(crate) fn over(backend: Box<dyn Backend>, options: &Options) -> Self {
        Self {
            backend,
            policy: options.policy,
            read_only: options.read_only,
            told: Mutex::new(BTreeMap::new()),
        }
    }

    // ---- agents

    pub fn join(&self, join: &Join, correlation_id: Option<&str>) -> Result<Joined> {
        let call = Call {
            agent: None,
            correlation_id: correlation_id.map(str::to_owned),
            idempotency_key: join.idempotency_key.clone(),
        };
        let whom = json!([join.name, join.role, join.client, join.model, join.capabilities]);
        self.once(&call, &format!("join {whom}"), |transaction| {
            agents::join(transaction, &self.policy, join, correlation_id)
        })
    }

    pub fn heartbeat(&self, agent: &AgentId) -> Result<Heartbeat> {
        self.change(|transaction| agents::heartbeat(transaction, agent))
    }

    /// Its leases are given back.
    pub fn leave(&self, call: &Call, reason: Option<&str>) -> Result<Farewell> {
        self.once(call, "leave", |transaction| {
            sweep::expired(transaction)?;
            agents::leave(transaction, call, reason)
        })
    }

    pub fn agents(&self, filter: &AgentFilter) -> Result<Vec<Agent>> {
        self.read(|transaction| agents::list(transaction, filter))
    }

    pub fn agent(&self, agent: &AgentId) -> Result<Agent> {
        self.read(|transaction| agents::get(transaction, agent))
    }

    /// A sign of life of the agent, and what it should be told "since its last call".
    pub fn digest(&self, worktree: &Worktree, agent: &AgentId) -> Result<Digest> {
        Ok(self.news(worktree, agent, None)?.0)
    }

    /// The same, and what it has not read yet in the thread of a task, newest first.
    pub fn digest_with_thread(
        &self,
        worktree: &Worktree,
        agent: &AgentId,
        task: &TaskId,
    ) -> Result<(Digest, MessagePage)> {
        self.news(worktree, agent, Some(task))
    }

    fn news(
        &self,
        worktree: &Worktree,
        agent: &AgentId,
        thread: Option<&TaskId>,
    ) -> Result<(Digest, MessagePage)> {
        let key = Key::of(worktree);
        let told_here = self.told.lock().unwrap_or_else(PoisonError::into_inner).get(agent).copied();
        let (digest, thread, last, is_quiet) = self.read(|transaction| {
            let glance = digest::glance(transaction, agent)?;
            let told = glance.told.max(told_here.map_or(0, |told| told.event));
            let digest = digest::digest(transaction, &key, agent, &glance, told)?;
            let thread = match thread {
                Some(task) => messages::unread_in_thread(transaction, agent, task)?,
                None => MessagePage::default(),
            };
            Ok((digest, thread, glance.last, glance.is_quiet))
        })?;
        let has_news = !digest.newly_ready.is_empty() || !digest.lost.is_empty();
        let noted = told_here.and_then(|told| told.noted);
        let is_due = is_quiet || has_news && noted.is_none_or(|noted| noted.elapsed() >= NOTED);
        let told = Told { event: last, noted: if is_due { Some(Instant::now()) } else { noted } };
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(agent.clone(), told);
        if is_due && !self.is_read_only() {
            let noted = self.write(|transaction| {
                agents::heartbeat(transaction, agent)?;
                digest::tell(transaction, agent, last)
            });
            // What was asked for was answered; a full disk must not take that back.
            if let Err(error) = noted {
                tracing::warn!(%error, %agent, "a sign of life could not be written");
            }
        }
        Ok((digest, thread))
    }

    /// Up to which event an agent was told what happened, by this process or another.
    pub fn told(&self, agent: &AgentId) -> Result<i64> {
        let here = self.told.lock().unwrap_or_else(PoisonError::into_inner).get(agent).map(|told| told.event);
        let glance = self.read(|transaction| digest::glance(transaction, agent))?;
        Ok(glance.told.max(here.unwrap_or(0)))
    }

    // ---- definitions of a worktree

    /// What the worktree's `spec.yaml` was when it was last read; nothing when it never was.
    pub fn spec_stamp(&self, worktree: &Worktree) -> Result<Option<SpecStamp>> {
        self.read(|transaction| sync::stamp(transaction, &Key::of(worktree)))
    }

    /// The same for a caller who holds the file's lock: a server that is away is not waited for.
    pub fn spec_stamp_at_once(&self, worktree: &Worktree) -> Result<Option<SpecStamp>> {
        let mut stamp = None;
        self.backend.read_at_once(&mut |transaction| {
            stamp = sync::stamp(transaction, &Key::of(worktree))?;
            Ok(())
        })?;
        Ok(stamp)
    }

    /// The same content under a new stamp.
    pub fn touch_stamp(&self, worktree: &Worktree, stamp: &SpecStamp) -> Result<()> {
        self.mirror(|transaction| sync::set_stamp(transaction, worktree, stamp))
    }

    /// Reads a whole file into the mirror. Also where nothing else can be written: then it lasts as long as the process.
    pub fn sync(
        &self,
        worktree: &Worktree,
        stamp: &SpecStamp,
        origin: Origin,
        file: &[Definition],
    ) -> Result<SyncReport> {
        self.sync_from(worktree, stamp, &|| origin, file)
    }

    /// The same for a caller that has to find out where the content came from. It is asked only when that decides over a
    /// status, and while nobody waits for this transaction.
    pub fn sync_from(
        &self,
        worktree: &Worktree,
        stamp: &SpecStamp,
        origin: &dyn Fn() -> Origin,
        file: &[Definition],
    ) -> Result<SyncReport> {
        let mut known = None;
        loop {
            let done = self.mirror(|transaction| sync::sync(transaction, worktree, stamp, known, file))?;
            match done {
                Some(report) => return Ok(report),
                None => known = Some(origin()),
            }
        }
    }

    /// What a new task is called: as its definition says, or if that says nothing an id that no other worktree gets. The same
    /// for the same key, so that a task whose making was not answered can be told from a second one. A definition that may
    /// not be written uses up neither an id nor the key. `wish` is all that was asked for.
    pub fn reserve_task(
        &self,
        call: &Call,
        wish: &serde_json::Value,
        worktree: &Worktree,
        definition: &Definition,
        created_at: &str,
    ) -> Result<Reservation> {
        let key = Key::of(worktree);
        self.once(call, &asked("create", wish), |transaction| {
            sync::reserve(transaction, &key, definition, created_at)
        })
    }

    /// What a call with this key was given before, if there was one.
    pub fn reserved_task(&self, call: &Call, wish: &serde_json::Value) -> Result<Option<Reservation>> {
        let operation = asked("create", wish);
        self.read(|transaction| answers::earlier(transaction, call, &operation))
    }

    /// Whether the definition may be written to the file.
    pub fn check_definition(
        &self,
        worktree: &Worktree,
        definition: &Definition,
        change: Change,
    ) -> Result<()> {
        self.read(|transaction| definitions::check(transaction, &Key::of(worktree), definition, change))
    }

    /// Mirrors a task that the caller has just written to the file.
    pub fn create_task(
        &self,
        call: &Call,
        worktree: &Worktree,
        stamp: &SpecStamp,
        definition: &Definition,
    ) -> Result<()> {
        self.change(|transaction| sync::create(transaction, call, worktree, stamp, definition))
    }

    /// Mirrors a definition that the caller has just changed in the file. Gives the tasks that became claimable by it.
    pub fn update_task(
        &self,
        call: &Call,
        worktree: &Worktree,
        stamp: &SpecStamp,
        definition: &Definition,
    ) -> Result<Vec<TaskId>> {
        self.once(call, &format!("update {}", definition.id), |transaction| {
            sync::update(transaction, call, worktree, stamp, definition)
        })
    }

    pub fn delete_task(
        &self,
        call: &Call,
        worktree: &Worktree,
        task: &TaskId,
        cascade: Cascade,
    ) -> Result<Deleted> {
        self.once(call, &format!("delete {task}"), |transaction| {
            status::delete(transaction, call, &Key::of(worktree), task, cascade)
        })
    }

    /// Any legal move of a status.
    pub fn move_task(&self, call: &Call, worktree: &Worktree, task: &TaskId, to: Status) -> Result<Outcome> {
        let key = Key::of(worktree);
        self.once(call, &format!("move {task} {}", to.word()), |transaction| {
            let finish = Finish { worktree: &key, task, generation: None, note: None };
            status::go(transaction, &self.policy, call, finish, to)
        })
    }

    /// Statuses that the worktree's file does not say yet, oldest first.
    pub fn outbox(&self, worktree: &Worktree, limit: usize) -> Result<Vec<StatusRow>> {
        self.read(|transaction| outbox::list(transaction, &Key::of(worktree), limit))
    }

    /// Tasks of which the worktree's file says less than the store knows, as on a branch from before: the file's is not taken
    /// over, nor the store's written to it.
    pub fn behind(&self, worktree: &Worktree, limit: usize) -> Result<Vec<Behind>> {
        self.read(|transaction| sync::behind(transaction, &Key::of(worktree), limit))
    }

    /// Worktrees whose files lag, and by how many tasks.
    pub fn outbox_worktrees(&self) -> Result<Vec<(Worktree, u64)>> {
        self.read(outbox::worktrees)
    }

    /// The file says these rows now, and is as `stamp` says. Its lock is held meanwhile, and a row that stays because the
    /// server is away costs the next flush a look: no waiting.
    pub fn outbox_written(
        &self,
        worktree: &Worktree,
        rows: &[StatusRow],
        stamp: Option<&SpecStamp>,
    ) -> Result<()> {
        self.backend.write_at_once(&mut |transaction| outbox::written(transaction, worktree, rows, stamp))
    }

    pub fn forget_worktree(&self, worktree: &Worktree) -> Result<()> {
        self.change(|transaction| sync::forget(transaction, &Key::of(worktree)))
    }

    // ---- tasks

    pub fn tasks(&self, worktree: &Worktree, query: &TaskQuery) -> Result<TaskPage> {
        self.read(|transaction| listing::page(transaction, &Key::of(worktree), query))
    }

    pub fn task(&self, worktree: &Worktree, task: &TaskId) -> Result<TaskDetail> {
        self.read(|transaction| listing::detail(transaction, &Key::of(worktree), task))
    }

    pub fn next(&self, worktree: &Worktree, request: &NextRequest) -> Result<Next> {
        self.read(|transaction| next::next(transaction, &Key::of(worktree), request))
    }

    pub fn graph(&self, worktree: &Worktree) -> Result<Graph> {
        self.read(|transaction| graph::graph(transaction, &Key::of(worktree)))
    }

    pub fn problems(&self, worktree: &Worktree, limit: usize) -> Result<Vec<Problem>> {
        self.read(|transaction| graph::problems(transaction, &Key::of(worktree), limit))
    }

    pub fn counts(&self, worktree: &Worktree, agent: Option<&AgentId>) -> Result<Counts> {
        self.read(|transaction| counts::counts(transaction, &Key::of(worktree), agent))
    }

    // ---- leases

    pub fn claim(&self, call: &Call, worktree: &Worktree, request: &ClaimRequest) -> Result<Claim> {
        let key = Key::of(worktree);
        self.once(call, &format!("claim {}", request.task), |transaction| {
            leases::claim(transaction, &self.policy, call, &key, request)
        })
    }

    /// Finds and claims in one transaction.
    pub fn claim_next(
        &self,
        call: &Call,
        worktree: &Worktree,
        request: &NextRequest,
        ttl_seconds: Option<u64>,
    ) -> Result<ClaimNext> {
        let key = Key::of(worktree);
        let what = asked("claim next", &json!([request.labels, request.max_priority]));
        self.once(call, &what, |transaction| {
            next::claim_next(transaction, &self.policy, call, &key, request, ttl_seconds)
        })
    }

    pub fn renew(
        &self,
        call: &Call,
        task: &TaskId,
        generation: Option<u64>,
        ttl_seconds: Option<u64>,
    ) -> Result<Lease> {
        self.once(call, &format!("renew {task}"), |transaction| {
            leases::renew(transaction, &self.policy, call, task, generation, ttl_seconds)
        })
    }

    /// Gives the lease that was.
    pub fn release(
        &self,
        call: &Call,
        task: &TaskId,
        generation: Option<u64>,
        reason: Option<&str>,
    ) -> Result<Lease> {
        self.once(call, &format!("release {task}"), |transaction| {
            leases::release(transaction, call, task, generation, reason)
        })
    }

    /// The agent of the call works on the task: its lease is renewed if it is about to expire.
    pub fn activity(&self, call: &Call, task: &TaskId) -> Result<()> {
        let is_due = self.read(|transaction| leases::is_due_for_renewal(transaction, call, task))?;
        if is_due { self.change(|transaction| leases::activity(transaction, call, task)) } else { Ok(()) }
    }

    pub fn done(
        &self,
        call: &Call,
        worktree: &Worktree,
        task: &TaskId,
        generation: Option<u64>,
        note: Option<&str>,
    ) -> Result<Outcome> {
        let key = Key::of(worktree);
        let finish = Finish { worktree: &key, task, generation, note };
        self.once(call, &format!("done {task}"), |transaction| status::done(transaction, call, finish))
    }

    pub fn verify(
        &self,
        call: &Call,
        worktree: &Worktree,
        task: &TaskId,
        generation: Option<u64>,
        note: Option<&str>,
    ) -> Result<Outcome> {
        let key = Key::of(worktree);
        let finish = Finish { worktree: &key, task, generation, note };
        self.once(call, &format!("verify {task}"), |transaction| {
            status::verify(transaction, &self.policy, call, finish)
        })
    }

    /// Done and verified in one transaction.
    pub fn complete(
        &self,
        call: &Call,
        worktree: &Worktree,
        task: &TaskId,
        generation: Option<u64>,
        note: Option<&str>,
    ) -> Result<Outcome> {
        let key = Key::of(worktree);
        let finish = Finish { worktree: &key, task, generation, note };
        self.once(call, &format!("complete {task}"), |transaction| {
            status::complete(transaction, &self.policy, call, finish)
        })
    }

    pub fn leases(&self) -> Result<Vec<Lease>> {
        self.read(leases::live)
    }

    // ---- messages

    pub fn send(&self, call: &Call, message: &NewMessage) -> Result<Sent> {
        let NewMessage { to, task, subject, body, severity } = message;
        let what = asked("send", &json!([to, task, subject, body, severity]));
        self.once(call, &what, |transaction| messages::send(transaction, call, message))
    }

    pub fn messages(&self, inbox: &Inbox) -> Result<MessagePage> {
        self.read(|transaction| messages::list(transaction, inbox))
    }

    /// Gives how many were unread before.
    pub fn acknowledge(&self, call: &Call, messages: &[String]) -> Result<u64> {
        let what = asked("acknowledge", &json!(messages));
        self.once(call, &what, |transaction| messages::acknowledge(transaction, call, messages))
    }

    pub fn acknowledge_thread(&self, call: &Call, task: &TaskId) -> Result<u64> {
        self.once(call, &format!("acknowledge thread {task}"), |transaction| {
            messages::acknowledge_thread(transaction, call, task)
        })
    }

    pub fn search_messages(&self, search: &MessageSearch) -> Result<MessagePage> {
        self.read(|transaction| messages::search(transaction, search))
    }

    /// How many each thread has; tasks without any are left out.
    pub fn messages_by_task(&self) -> Result<Vec<(TaskId, u64)>> {
        self.read(messages::by_task)
    }

    // ---- events

    pub fn events(&self, query: &EventQuery) -> Result<EventPage> {
        self.read(|transaction| events::pull(transaction, query))
    }

    /// Blocks until there is something, `timeout` is over or `cancelled` says so. An empty page when there was nothing.
    pub fn wait(
        &self,
        query: &EventQuery,
        timeout: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<EventPage> {
        let until = Instant::now() + timeout;
        let mut watch = self.watch()?;
        loop {
            let page = self.events(query)?;
            let left = until.saturating_duration_since(Instant::now());
            if !page.events.is_empty() || page.reset || left.is_zero() || cancelled() {
                return Ok(page);
            }
            watch.wait(left.min(GLANCE))?;
        }
    }

    pub fn watch(&self) -> Result<Watch> {
        Ok(Watch(self.backend.watch()?))
    }

    pub fn last_event(&self) -> Result<i64> {
        self.read(events::last)
    }

    /// The last event that was there at that moment of this process; one too early rather than one too late.
    pub fn event_at(&self, then: Instant) -> Result<i64> {
        self.read(|transaction| events::at(transaction, then))
    }

    // ---- the store itself

    pub fn is_read_only(&self) -> bool {
        self.read_only || self.backend.is_read_only()
    }

    pub fn describe(&self) -> Result<Description> {
        let description = self.backend.describe()?;
        Ok(Description { read_only: self.is_read_only(), ..description })
    }

    /// Forgets agents, leases, messages, events and statuses. Running clients see a new stream.
    pub fn reset(&self) -> Result<ResetCounts> {
        let stream = random::name("", 16)?.to_lowercase();
        self.change(|transaction| counts::reset(transaction, &stream))
    }

    pub fn export(&self, out: &mut dyn Write) -> Result<()> {
        self.read(|transaction| transfer::export(transaction, out))
    }

    /// Into an empty store. Gives the number of rows.
    pub fn import(&self, lines: &mut dyn BufRead) -> Result<u64> {
        self.change(|transaction| transfer::import(transaction, lines))
    }

    // ---- transactions

    /// A change that a caller asked for, done once under its key.
    fn once<T: Serialize + DeserializeOwned>(
        &self,
        call: &Call,
        operation: &str,
        mut work: impl FnMut(&mut dyn Transaction) -> Result<T>,
    ) -> Result<T> {
        self.change_by(call.agent.as_ref(), |transaction| {
            answers::once(transaction, call, operation, &mut work)
        })
    }

    fn change<T>(&self, work: impl FnMut(&mut dyn Transaction) -> Result<T>) -> Result<T> {
        self.change_by(None, work)
    }

    fn change_by<T>(
        &self,
        by: Option<&AgentId>,
        work: impl FnMut(&mut dyn Transaction) -> Result<T>,
    ) -> Result<T> {
        if self.read_only {
            return Err(Error::ReadOnly { place: self.backend.describe()?.place });
        }
        match self.backend.refusal() {
            Some(refusal) => Err(refusal),
            None => self.write_by(by, work),
        }
    }

    /// What a file says. Whoever only reads needs it too, so a full disk does not keep it from being known.
    fn mirror<T>(&self, mut work: impl FnMut(&mut dyn Transaction) -> Result<T>) -> Result<T> {
        match self.write(&mut work) {
            Err(Error::Full { .. }) if self.backend.make_do()? => self.write(work),
            written => written,
        }
    }

    fn write<T>(&self, work: impl FnMut(&mut dyn Transaction) -> Result<T>) -> Result<T> {
        self.write_by(None, work)
    }

    fn write_by<T>(
        &self,
        by: Option<&AgentId>,
        mut work: impl FnMut(&mut dyn Transaction) -> Result<T>,
    ) -> Result<T> {
        let mut answer = None;
        self.backend.write(by, &mut |transaction| {
            answer = Some(work(transaction)?);
            Ok(())
        })?;
        answer.ok_or_else(|| Error::unexpected("a transaction did no work"))
    }

    /// A look that finds a lease run out writes that down first, if it can.
    fn read<T>(&self, mut work: impl FnMut(&mut dyn Transaction) -> Result<T>) -> Result<T> {
        let (mut answer, mut may_sweep) = (None, true);
        while answer.is_none() {
            self.backend.read(&mut |transaction| {
                if !(may_sweep && sweep::is_due(transaction)) {
                    answer = Some(work(transaction)?);
                }
                Ok(())
            })?;
            if answer.is_none() {
                may_sweep = false;
                if let Err(error) = self.write(sweep::expired) {
                    tracing::warn!(%error, "a lease has run out, and that could not be written down");
                }
            }
        }
        answer.ok_or_else(|| Error::unexpected("a transaction did no work"))
    }
}
