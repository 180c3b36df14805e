//! Reading the stream of events by cursor. Writing one is part of every rule that changes something.

use std::time::Instant;

use super::{limits, places};
use crate::error::{Error, Result};
use crate::model::{Event, EventPage, EventQuery, EventType};
use crate::sql::{Row, Transaction, TransactionExt, Value};

/// What an agent that waits should look up for.
const CONCERNING: [EventType; 8] = [
    EventType::MessageSent,
    EventType::TaskVerified,
    EventType::TaskDone,
    EventType::TaskReleased,
    EventType::LeaseExpired,
    EventType::TaskCreated,
    EventType::TaskUpdated,
    EventType::TaskDeleted,
];

pub(crate) fn pull(transaction: &mut dyn Transaction, query: &EventQuery) -> Result<EventPage> {
    let stream = stream(transaction)?;
    let last = last(transaction)?;
    let reset = query.since > last || query.stream.as_ref().is_some_and(|given| *given != stream);
    let since = if reset { 0 } else { query.since.max(0) };
    let limit = limits::page(query.limit, 200, 1000);

    let mut values: Vec<Value> = vec![since.into(), last.into(), (limit + 1).into()];
    let mut conditions = String::new();
    let types: &[EventType] = match (&query.types[..], &query.concerning) {
        ([], Some(_)) => &CONCERNING,
        (types, _) => types,
    };
    if !types.is_empty() {
        conditions = format!(" AND type IN ({})", places(values.len() + 1, types.len()));
        values.extend(types.iter().map(|one| Value::from(one.word())));
    }
    if let Some(agent) = &query.concerning {
        let place = values.len() + 1;
        conditions = format!(
            "{conditions} AND (actor_agent_id IS NULL OR actor_agent_id <> ?{place}) \
             AND (target_agent_id IS NULL OR target_agent_id = ?{place} OR type = 'lease.expired')"
        );
        values.push(agent.as_str().into());
    }
    let sql = format!(
        "SELECT id, created_at, type, actor_agent_id, task_id, target_agent_id, payload_json, correlation_id \
         FROM events WHERE id > ?1 AND id <= ?2{conditions} ORDER BY id LIMIT ?3"
    );
    let rows = transaction.query(&sql, &values)?;
    let more = rows.len() > limit;
    let events = rows.iter().take(limit).map(read).collect::<Result<Vec<_>>>()?;
    let next_cursor = events.last().map_or(since, |event| event.id);
    Ok(EventPage { events, next_cursor, stream, reset, more })
}

/// The id of the newest event; it never falls, not even when everything is emptied.
pub(crate) fn last(transaction: &mut dyn Transaction) -> Result<i64> {
    transaction.number("SELECT MAX(id) FROM events", &[])
}

/// The id of the last event that was there at that moment.
pub(crate) fn at(transaction: &mut dyn Transaction, then: Instant) -> Result<i64> {
    // Asked after the moment of the transaction was taken: what it is taken from is never too little.
    let past = i64::try_from(then.elapsed().as_millis()).unwrap_or(i64::MAX).saturating_add(1);
    let then = transaction.moment().text_in(past.saturating_neg());
    let row = transaction
        .one("SELECT id FROM events WHERE created_at < ?1 ORDER BY id DESC LIMIT 1", &[then.into()])?;
    row.map_or(Ok(0), |row| row.integer(0))
}

pub(crate) fn stream(transaction: &mut dyn Transaction) -> Result<String> {
    let row = transaction.one("SELECT value FROM meta WHERE key = 'stream'", &[])?;
    let row = row.ok_or_else(|| Error::unexpected("the store has no stream id"))?;
    Ok(row.text(0)?.to_owned())
}

fn read(row: &Row) -> Result<Event> {
    let kind = EventType::parse(row.text(2)?);
    Ok(Event {
        id: row.integer(0)?,
        created_at: row.text(1)?.to_owned(),
        kind: kind.ok_or_else(|| Error::unexpected(format!("no event is of type {:?}", row.text(2))))?,
        actor: row.optional_text(3)?.map(Into::into),
        task: row.optional_text(4)?.map(Into::into),
        target: row.optional_text(5)?.map(Into::into),
        payload: row.json(6)?,
        correlation_id: row.owned(7)?,
    })
}
