//! One transaction on a connection, in as few exchanges as it takes.

use std::sync::Arc;

use super::connection::{COUNTED, EVENT, FIRST_EXPIRY, Failure, LAST_EVENT, NEXT_EXPIRY, SERVER, Session};
use super::opening::{Opening, Outlook};
use super::value::from_row;
use super::{Begin, Foresight};
use crate::address::ServerAddress;
use crate::clock::{LeaseClock, Moment};
use crate::error::{Error, Result};
use crate::model::AgentId;
use crate::sql::{NewEvent, Row, Seen, Transaction, Value, insert_by_statements};

pub(crate) struct PostgresTransaction<'a> {
    session: &'a mut Session,
    address: &'a ServerAddress,
    clock: Option<&'a dyn LeaseClock>,
    /// What is expected, as long as nothing was asked.
    foreseen: Option<Outlook>,
    is_misjudged: bool,
    moment: Moment,
    first_expiry: i64,
    ticket: String,
    /// Nobody else has the turn, so that the next numbers are this transaction's to give.
    last_event: i64,
    /// Whom the transaction was begun by, until it is asked for.
    caller: Option<(AgentId, Option<Seen>)>,
    /// What the next one may expect.
    outlook: Option<Outlook>,
    /// Sent with the commit, or before a statement that could see them.
    unsent: Vec<[Value; 8]>,
    has_events: bool,
    /// Of the leases of this transaction. Sent with the last event.
    next_expiry: i64,
    /// Those that were taken away for an import, as they are made.
    indexes: Vec<String>,
}

/// Names and makings of what only helps to find tasks; nothing once there are some.
const INDEXES: &str = "SELECT CAST(i.indexname AS TEXT), i.indexdef FROM pg_indexes i \
     WHERE i.schemaname = current_schema() AND i.tablename IN ('definitions', 'labels', 'dependencies', 'tasks') \
     AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname \
     AND c.connamespace = CAST(current_schema() AS regnamespace)) \
     AND NOT EXISTS (SELECT 1 FROM definitions) AND NOT EXISTS (SELECT 1 FROM tasks) ORDER BY i.indexname";

impl<'a> PostgresTransaction<'a> {
    pub(crate) fn begin(
        session: &'a mut Session,
        begin: Begin<'_>,
        foresight: Foresight,
        clock: Option<&'a dyn LeaseClock>,
        address: &'a ServerAddress,
    ) -> Result<Self, Failure> {
        let outlook = session.outlook.take().filter(|outlook| {
            foresight == Foresight::Allowed && matches!(begin, Begin::Write(Some(by)) if *by == outlook.agent)
        });
        let (first_expiry, epoch, tick, caller) = outlook.as_ref().map_or_else(
            || (i64::MIN, "", 0, None),
            |outlook| {
                let caller = (outlook.agent.clone(), Some(outlook.seen.clone()));
                (outlook.first_expiry, outlook.clock_epoch.as_str(), outlook.tick(), Some(caller))
            },
        );
        let moment = moment_at(tick, clock);
        let is_calm = epoch == &*moment.epoch && first_expiry > moment.tick;
        let mut transaction = Self {
            session,
            address,
            clock,
            foreseen: outlook.filter(|_| is_calm),
            is_misjudged: false,
            moment,
            first_expiry,
            ticket: String::new(),
            last_event: 0,
            caller,
            outlook: None,
            unsent: Vec::new(),
            has_events: false,
            next_expiry: i64::MAX,
            indexes: Vec::new(),
        };
        if transaction.foreseen.is_none() {
            match transaction.session.begin(begin) {
                Ok(opening) => transaction.open(opening),
                Err(failure) => {
                    let _ = transaction.session.batch("ROLLBACK");
                    return Err(failure);
                }
            }
        }
        Ok(transaction)
    }

    fn open(&mut self, opening: Opening) {
        self.outlook = opening.outlook();
        let Opening { tick, ticket, last_event, first_expiry, clock_epoch, caller } = opening;
        self.moment = moment_at(tick, self.clock);
        // What counts on another clock is looked at, and counts on this one from then on.
        self.first_expiry = if clock_epoch == *self.moment.epoch { first_expiry } else { i64::MIN };
        (self.ticket, self.last_event, self.caller) = (ticket, last_event, caller);
    }

    /// What was expected has been found, or the work is to be done again.
    fn compare(&mut self, foreseen: &Outlook, opening: Opening) -> Result<()> {
        let (now, expected) = match self.clock {
            Some(_) => (self.moment.tick, None),
            None => (opening.tick, Some(self.moment.tick)),
        };
        if !foreseen.came_true(&opening, now, expected) {
            return Err(self.misjudged());
        }
        self.open(opening);
        Ok(())
    }

    fn misjudged(&mut self) -> Error {
        self.is_misjudged = true;
        Error::unexpected("a transaction did not begin as expected")
    }

    /// Whether what the work has said rests on what was only expected.
    pub(crate) fn is_unfounded(&self) -> bool {
        self.is_misjudged || self.foreseen.is_some()
    }

    /// Asks for what was only expected, if nothing was asked yet.
    pub(crate) fn found(&mut self) -> Result<()> {
        let Some(foreseen) = self.foreseen.take() else { return Ok(()) };
        let begun = self.session.begin(Begin::Write(Some(&foreseen.agent)));
        let opening = begun.map_err(|_| self.misjudged())?;
        self.compare(&foreseen, opening)
    }

    /// The first statement goes along with the beginning, if nothing was asked yet and it is one of those that can.
    fn ask_first(&mut self, sql: &str, values: &[Value]) -> Result<Option<(Vec<Row>, u64)>> {
        if !self.session.is_prepared(sql) {
            self.found()?;
            return Ok(None);
        }
        let Some(foreseen) = self.foreseen.take() else { return Ok(None) };
        let begun = self.session.begin_with(&foreseen.agent, sql, values);
        // Of what failed, the work that is done again without foresight will tell.
        let (opening, rows, touched) = begun.map_err(|_| self.misjudged())?;
        self.compare(&foreseen, opening)?;
        Ok(Some((rows.iter().map(from_row).collect::<Result<_>>()?, touched)))
    }

    /// By which the server can be asked what became of it, and in which of its lives.
    pub(crate) fn ticket(&self) -> (String, String) {
        (self.ticket.clone(), self.session.began.clone())
    }

    /// The events, the word to the others and the commit are one exchange.
    pub(crate) fn commit(mut self, channel: &str) -> Result<(), Failure> {
        let mut parts: Vec<(&str, Vec<Value>)> = Vec::new();
        let mut unsent = std::mem::take(&mut self.unsent);
        if let Some(last) = unsent.pop() {
            parts.extend(unsent.into_iter().map(|event| (EVENT, event.into())));
            parts.push((LAST_EVENT, last.into_iter().chain([self.next_expiry.into()]).collect()));
        } else if self.next_expiry < i64::MAX {
            parts.push((NEXT_EXPIRY, vec![self.next_expiry.into()]));
        }
        let end = if self.has_events { format!("NOTIFY {channel}; COMMIT") } else { "COMMIT".to_owned() };
        let committed = self.session.end(&parts, &end);
        match &committed {
            Ok(()) => {
                let first_expiry = self.next_expiry.min(self.first_expiry);
                self.session.outlook = self.outlook.map(|outlook| outlook.until(first_expiry));
            }
            Err(Failure::Refused(_)) => self.roll_back(),
            Err(Failure::Lost(_)) => {}
        }
        committed
    }

    pub(crate) fn roll_back(self) {
        if self.foreseen.is_some() {
            return;
        }
        if let Err(error) = self.session.batch("ROLLBACK") {
            tracing::debug!(?error, "the server rolls back by itself what it lost");
        }
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn moment(&self) -> &Moment {
        &self.moment
    }

    fn first_expiry(&self) -> Option<i64> {
        Some(self.first_expiry)
    }

    fn lease_ends(&mut self, tick: i64) {
        self.next_expiry = self.next_expiry.min(tick);
    }

    fn leases_were_swept(&mut self) -> Result<()> {
        let epoch = Arc::clone(&self.moment.epoch);
        self.execute(FIRST_EXPIRY, &[(&*epoch).into()])?;
        Ok(())
    }

    fn seen(&mut self, agent: &AgentId) -> Result<Option<Seen>> {
        match self.caller.take_if(|(caller, _)| caller == agent) {
            Some((_, seen)) => Ok(seen),
            None => self.look_for(agent),
        }
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        if let Some((_, touched)) = self.ask_first(sql, values)? {
            return Ok(touched);
        }
        self.send_before(sql)?;
        let done = self.session.ask(sql, values).map_err(|failure| failure.into_error(self.address))?;
        Ok(done.1)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        if let Some((rows, _)) = self.ask_first(sql, values)? {
            return Ok(rows);
        }
        self.send_before(sql)?;
        let asked = self.session.ask(sql, values);
        let (rows, _) = asked.map_err(|failure| failure.into_error(self.address))?;
        rows.iter().map(from_row).collect()
    }

    /// Many rows are told to the server as a stream: of statements it would parse and plan each place.
    fn insert_all(&mut self, into: &str, rows: &[Vec<Value>], indexed: &[usize]) -> Result<()> {
        const MANY: usize = 100;
        if rows.len() < MANY {
            return insert_by_statements(self, into, rows);
        }
        self.found()?;
        self.send_before(into)?;
        let mut rows: Vec<&Vec<Value>> = rows.iter().collect();
        rows.sort_by(|one, other| {
            let (ours, theirs) =
                (indexed.iter().map(|at| one.get(*at)), indexed.iter().map(|at| other.get(*at)));
            ours.cmp(theirs)
        });
        self.session.copy(into, &rows).map_err(|failure| failure.into_error(self.address))
    }

    fn append(&mut self, event: &NewEvent<'_>) -> Result<i64> {
        self.found()?;
        self.has_events = true;
        self.last_event += 1;
        let [created_at, kind, actor, task, target, payload, correlation] = event.values(&self.moment);
        let id = self.last_event.into();
        self.unsent.push([id, created_at, kind, actor, task, target, payload, correlation]);
        Ok(self.last_event)
    }

    /// To sort what an index holds costs a fraction of putting tens of thousands of rows into it one by one. Only where there is
    /// nothing to find yet, nobody is looking, and the tables are this user's to change.
    fn definitions_will_be_imported(&mut self, count: usize) -> Result<()> {
        const WORTH_IT: usize = 5_000;
        if count < WORTH_IT {
            return Ok(());
        }
        let rows = self.query(INDEXES, &[])?;
        if rows.is_empty() {
            return Ok(());
        }
        let names = rows.iter().map(|row| row.text(0)).collect::<Result<Vec<_>>>()?.join(", ");
        let taken = self.session.batch(&format!(
            "SAVEPOINT import; LOCK TABLE definitions, labels, dependencies, tasks IN ACCESS EXCLUSIVE MODE NOWAIT; \
             DROP INDEX {names}; RELEASE SAVEPOINT import"
        ));
        match taken {
            Ok(()) => {
                self.indexes = rows.iter().map(|row| Ok(row.text(1)?.to_owned())).collect::<Result<_>>()?;
                Ok(())
            }
            Err(Failure::Refused(error)) => {
                tracing::debug!(%error, "the indexes stay while tasks are read");
                let undone = self.session.batch("ROLLBACK TO SAVEPOINT import");
                undone.map_err(|failure| failure.into_error(self.address))
            }
            Err(failure) => Err(failure.into_error(self.address)),
        }
    }

    /// The server counts by itself only after a while; until then it would choose the wrong index.
    fn definitions_were_imported(&mut self) -> Result<()> {
        self.found()?;
        for index in std::mem::take(&mut self.indexes) {
            self.session.batch(&index).map_err(|failure| failure.into_error(self.address))?;
        }
        // What no index has is not worth a look: a body is most of a row.
        let analyzed = self.session.batch(
            "ANALYZE definitions (worktree, task_id, sort_key, priority, status, unmet), labels, dependencies, tasks",
        );
        analyzed.map_err(|failure| failure.into_error(self.address))
    }

    fn rows_were_imported(&mut self) -> Result<()> {
        let rows = self.query(
            "UPDATE counter SET clock_epoch = '', \
             last_event = GREATEST(last_event, (SELECT COALESCE(MAX(id), 0) FROM events)) RETURNING last_event",
            &[],
        )?;
        self.last_event = rows.first().map_or(Ok(self.last_event), |row| row.integer(0))?;
        Ok(())
    }
}

impl PostgresTransaction<'_> {
    /// Events wait for the commit, unless a statement names their table.
    fn send_before(&mut self, sql: &str) -> Result<()> {
        if self.unsent.is_empty() || !(sql.contains("events") || sql.contains("counter")) {
            return Ok(());
        }
        let unsent = std::mem::take(&mut self.unsent);
        let counted = (COUNTED, vec![self.last_event.into(), self.next_expiry.into()]);
        let mut parts = unsent.into_iter().map(|event| (EVENT, event.into())).chain([counted]);
        let sent = parts.try_for_each(|(sql, values): (_, Vec<_>)| self.session.ask(sql, &values).map(drop));
        sent.map_err(|failure| failure.into_error(self.address))
    }
}

/// The server's own time, unless the leases count on another clock.
fn moment_at(tick: i64, clock: Option<&dyn LeaseClock>) -> Moment {
    let server_time = || {
        let wall = becket_base::Timestamp::from_millisecond(tick).unwrap_or_default();
        Moment { wall, tick, epoch: Arc::from(SERVER) }
    };
    clock.map_or_else(server_time, LeaseClock::now)
}
