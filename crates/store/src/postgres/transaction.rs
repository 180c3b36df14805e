//! One transaction on a connection, in as few exchanges as it takes.

use std::sync::Arc;

use postgres::types::ToSql;

use super::Begin;
use super::connection::{COUNTED, EVENT, FIRST_EXPIRY, Failure, Opening, SERVER, Session};
use super::value::{from_row, literal};
use crate::address::ServerAddress;
use crate::clock::{LeaseClock, Moment};
use crate::error::Result;
use crate::model::AgentId;
use crate::sql::{NewEvent, Row, Seen, Transaction, Value, insert_by_statements};

pub(crate) struct PostgresTransaction<'a> {
    session: &'a mut Session,
    address: &'a ServerAddress,
    moment: Moment,
    first_expiry: i64,
    ticket: String,
    /// Nobody else has the turn, so that the next numbers are this transaction's to give.
    last_event: i64,
    /// Whom the transaction was begun by, until it is asked for.
    caller: Option<(AgentId, Option<Seen>)>,
    /// Sent with the commit, or before a statement that could see them.
    unsent: Vec<[Value; 8]>,
    has_events: bool,
    /// Of the leases of this transaction. Sent with the last event.
    next_expiry: i64,
}

impl<'a> PostgresTransaction<'a> {
    pub(crate) fn begin(
        session: &'a mut Session,
        begin: Begin<'_>,
        clock: Option<&dyn LeaseClock>,
        address: &'a ServerAddress,
    ) -> Result<Self, Failure> {
        let opening = match session.begin(begin) {
            Ok(opening) => opening,
            Err(failure) => {
                let _ = session.client.batch_execute("ROLLBACK");
                return Err(failure);
            }
        };
        let Opening { tick, ticket, last_event, first_expiry, clock_epoch, caller } = opening;
        let server_time = || {
            let wall = becket_base::Timestamp::from_millisecond(tick).unwrap_or_default();
            Moment { wall, tick, epoch: Arc::from(SERVER) }
        };
        let moment = clock.map_or_else(server_time, LeaseClock::now);
        // What counts on another clock is looked at, and counts on this one from then on.
        let first_expiry = if clock_epoch == *moment.epoch { first_expiry } else { i64::MIN };
        Ok(Self {
            session,
            address,
            moment,
            first_expiry,
            ticket,
            last_event,
            caller,
            unsent: Vec::new(),
            has_events: false,
            next_expiry: i64::MAX,
        })
    }

    /// By which the server can be asked what became of it.
    pub(crate) fn ticket(&self) -> &str {
        &self.ticket
    }

    /// The events, the word to the others and the commit are one exchange.
    pub(crate) fn commit(self, channel: &str) -> Result<(), Failure> {
        let mut parts = Vec::new();
        let spelled = |event: &[Value; 8]| event.iter().map(literal).collect::<Vec<_>>().join(", ");
        if let Some((last, others)) = self.unsent.split_last() {
            parts.extend(others.iter().map(|event| format!("EXECUTE becket_event({})", spelled(event))));
            parts.push(format!("EXECUTE becket_last({}, {})", spelled(last), self.next_expiry));
        } else if self.next_expiry < i64::MAX {
            parts
                .push(format!("UPDATE counter SET first_expiry = LEAST(first_expiry, {})", self.next_expiry));
        }
        if self.has_events {
            parts.push(format!("NOTIFY {channel}"));
        }
        parts.push("COMMIT".to_owned());
        let committed = self.session.client.batch_execute(&parts.join("; ")).map_err(Failure::of);
        if matches!(committed, Err(Failure::Refused(_))) {
            self.roll_back();
        }
        committed
    }

    pub(crate) fn roll_back(self) {
        if let Err(error) = self.session.client.batch_execute("ROLLBACK") {
            tracing::debug!(%error, "the server rolls back by itself what it lost");
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
        self.send_before(sql)?;
        let done = self.session.execute(sql, &borrowed(values));
        done.map_err(|failure| failure.into_error(self.address))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        self.send_before(sql)?;
        let rows = self.session.query(sql, &borrowed(values));
        let rows = rows.map_err(|failure| failure.into_error(self.address))?;
        rows.iter().map(from_row).collect()
    }

    /// Many rows are told to the server as a stream: of statements it would parse and plan each place.
    fn insert_all(&mut self, into: &str, rows: &[Vec<Value>]) -> Result<()> {
        const MANY: usize = 100;
        if rows.len() < MANY {
            return insert_by_statements(self, into, rows);
        }
        self.send_before(into)?;
        self.session.copy(into, rows).map_err(|failure| failure.into_error(self.address))
    }

    fn append(&mut self, event: &NewEvent<'_>) -> Result<i64> {
        self.has_events = true;
        self.last_event += 1;
        let [created_at, kind, actor, task, target, payload, correlation] = event.values(&self.moment);
        let id = self.last_event.into();
        self.unsent.push([id, created_at, kind, actor, task, target, payload, correlation]);
        Ok(self.last_event)
    }

    /// The server counts by itself only after a while; until then it would choose the wrong index.
    fn definitions_were_imported(&mut self) -> Result<()> {
        // What no index has is not worth a look: a body is most of a row.
        let analyzed = self.session.client.batch_execute(
            "ANALYZE definitions (worktree, task_id, sort_key, priority, status, unmet), labels, dependencies, tasks",
        );
        analyzed.map_err(|error| Failure::of(error).into_error(self.address))
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
        let sent = unsent
            .iter()
            .try_for_each(|event| self.session.execute(EVENT, &borrowed(event)).map(drop))
            .and_then(|()| self.session.execute(COUNTED, &[&self.last_event, &self.next_expiry]).map(drop));
        sent.map_err(|failure| failure.into_error(self.address))
    }
}

fn borrowed(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
