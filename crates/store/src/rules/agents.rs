//! Who is there. Any call by an agent is a sign of life, written at most once in ten seconds.

use serde_json::json;

use super::{Policy, leases, limits, needed, sweep};
use crate::clock::Moment;
use crate::error::{Error, Result};
use crate::model::{
    Agent, AgentFilter, AgentId, Call, EventType, Farewell, Heartbeat, Join, Joined, Presence,
};
use crate::random;
use crate::sql::{NewEvent, Row, Seen, Transaction, TransactionExt, Value};

/// A sign of life within this time of the last one is not written.
pub(crate) const QUIET_MILLISECONDS: i64 = 10_000;

const COLUMNS: &str = "a.agent_id, a.display_name, a.role, a.client, a.model, a.capabilities, a.session_meta, \
     a.created_at, a.last_seen_at, a.last_seen_tick, a.clock_epoch, a.ttl_seconds, a.left_at, \
     (SELECT COUNT(*) FROM leases l WHERE l.agent_id = a.agent_id)";

pub(crate) fn join(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    join: &Join,
    correlation_id: Option<&str>,
) -> Result<Joined> {
    let texts =
        [("name", &join.name), ("role", &join.role), ("client", &join.client), ("model", &join.model)];
    for (field, text) in texts {
        limits::text(field, text.as_deref(), limits::NAME_BYTES)?;
    }
    let meta = json!(join.session_meta).to_string();
    limits::text("session meta", Some(&meta), limits::SESSION_BYTES)?;
    if join.capabilities.len() > limits::CAPABILITIES {
        let most = limits::CAPABILITIES;
        return Err(Error::invalid("capabilities", format!("are more than {most}")));
    }
    for capability in &join.capabilities {
        limits::text("capability", Some(capability), limits::NAME_BYTES)?;
    }
    let id = AgentId::new(random::name("A", 8)?);
    let now = transaction.moment().clone();
    let told = super::events::last(transaction)?;
    transaction.execute(
        "INSERT INTO agents (agent_id, display_name, role, client, model, capabilities, session_meta, created_at, \
         last_seen_at, last_seen_tick, clock_epoch, ttl_seconds, left_at, told_event) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, NULL, ?13)",
        &[
            id.as_str().into(),
            join.name.as_deref().into(),
            join.role.as_deref().into(),
            join.client.as_deref().into(),
            join.model.as_deref().into(),
            json!(join.capabilities).to_string().into(),
            meta.into(),
            now.text().into(),
            now.text().into(),
            now.tick.into(),
            (&*now.epoch).into(),
            policy.lease.clamp(join.ttl_seconds).into(),
            told.into(),
        ],
    )?;
    transaction.append(&NewEvent {
        actor: Some(&id),
        correlation_id,
        payload: json!({ "name": join.name, "role": join.role, "client": join.client, "model": join.model }),
        ..NewEvent::new(EventType::AgentJoined)
    })?;
    let agent = get(transaction, &id)?;
    Ok(Joined { agent, lease_ttl_seconds: policy.lease.clamp(None), server_time: now.text() })
}

pub(crate) fn heartbeat(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<Heartbeat> {
    let now = transaction.moment().clone();
    let row = transaction.one(
        "UPDATE agents SET last_seen_at = ?2, last_seen_tick = ?3, clock_epoch = ?4, left_at = NULL \
         WHERE agent_id = ?1 RETURNING ttl_seconds",
        &[agent.as_str().into(), now.text().into(), now.tick.into(), (&*now.epoch).into()],
    )?;
    Ok(match row {
        Some(row) => Heartbeat::Alive { expires_at: now.text_in(row.integer(0)? * 1000) },
        None => Heartbeat::Unknown,
    })
}

pub(crate) fn leave(
    transaction: &mut dyn Transaction,
    call: &Call,
    reason: Option<&str>,
) -> Result<Farewell> {
    limits::text("reason", reason, limits::NOTE_BYTES)?;
    let agent = needed(call)?;
    let seen = transaction.seen(agent)?.ok_or_else(|| Error::UnknownAgent { agent: agent.clone() })?;
    // Whoever has left cannot leave again, and that is not told again; what it holds all the same is given back.
    let released = leases::of_agent(transaction, agent)?;
    if seen.has_left && released.is_empty() {
        return Ok(Farewell { agent: agent.clone(), released });
    }
    for lease in &released {
        leases::end(transaction, &lease.task)?;
        let payload =
            json!({ "generation": lease.generation, "leaseId": lease.lease_id, "reason": "agent left" });
        transaction
            .append(&NewEvent::of(EventType::TaskReleased, call).task(&lease.task).payload(payload))?;
    }
    let now = transaction.moment().text();
    transaction.execute(
        "UPDATE agents SET left_at = ?2 WHERE agent_id = ?1",
        &[agent.as_str().into(), now.into()],
    )?;
    let payload =
        json!({ "reason": reason, "released": super::words(released.iter().map(|lease| &lease.task)) });
    transaction.append(&NewEvent::of(EventType::AgentLeft, call).payload(payload))?;
    Ok(Farewell { agent: agent.clone(), released })
}

/// The agent of a call, if it has one: known, and hereby heard of.
pub(crate) fn acting<'a>(transaction: &mut dyn Transaction, call: &'a Call) -> Result<Option<&'a AgentId>> {
    sweep::expired(transaction)?;
    let Some(agent) = &call.agent else { return Ok(None) };
    known(transaction, agent)?;
    Ok(Some(agent))
}

/// Refuses an agent that never joined; writes a sign of life if the last one is old.
pub(crate) fn known(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<()> {
    if is_quiet(transaction, agent)? {
        heartbeat(transaction, agent)?;
    }
    Ok(())
}

/// Whether its last sign of life is old enough for another to be written.
fn is_quiet(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<bool> {
    let seen = transaction.seen(agent)?.ok_or_else(|| Error::UnknownAgent { agent: agent.clone() })?;
    Ok(seen.is_quiet(transaction.moment()))
}

impl Seen {
    pub(crate) fn is_quiet(&self, now: &Moment) -> bool {
        now.since(&self.epoch, self.tick, &self.wall) >= QUIET_MILLISECONDS || self.has_left
    }
}

pub(crate) fn get(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<Agent> {
    let sql = format!("SELECT {COLUMNS} FROM agents a WHERE a.agent_id = ?1");
    let row = transaction.one(&sql, &[agent.as_str().into()])?;
    let row = row.ok_or_else(|| Error::UnknownAgent { agent: agent.clone() })?;
    read(&row, transaction.moment())
}

/// The one heard of last comes first.
pub(crate) fn list(transaction: &mut dyn Transaction, filter: &AgentFilter) -> Result<Vec<Agent>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM agents a WHERE (CAST(?1 AS TEXT) IS NULL OR a.role = ?1) ORDER BY a.last_seen_at DESC, a.agent_id"
    );
    let rows = transaction.query(&sql, &[filter.role.as_deref().into()])?;
    let now = transaction.moment().clone();
    let mut agents = Vec::new();
    for row in &rows {
        let agent = read(row, &now)?;
        if filter.capability.as_ref().is_none_or(|wanted| agent.capabilities.contains(wanted)) {
            agents.push(agent);
        }
        if filter.limit.is_some_and(|limit| agents.len() >= limit) {
            break;
        }
    }
    Ok(agents)
}

fn read(row: &Row, now: &Moment) -> Result<Agent> {
    let idle = now.since(row.text(10)?, row.integer(9)?, row.text(8)?);
    let ttl = row.integer(11)? * 1000;
    let left_at = row.owned(12)?;
    let presence = match idle {
        _ if left_at.is_some() => Presence::Offline,
        idle if idle < ttl => Presence::Active,
        idle if idle < ttl * 4 => Presence::Idle,
        _ => Presence::Offline,
    };
    Ok(Agent {
        id: row.text(0)?.into(),
        name: row.owned(1)?,
        role: row.owned(2)?,
        client: row.owned(3)?,
        model: row.owned(4)?,
        capabilities: row.json(5)?,
        session_meta: row.json(6)?,
        created_at: row.text(7)?.to_owned(),
        last_seen_at: row.text(8)?.to_owned(),
        left_at,
        ttl_seconds: row.count(11)?,
        expires_at: now.text_in(ttl - idle),
        presence,
        idle_seconds: u64::try_from(idle / 1000).unwrap_or(0),
        leases: row.count(13)?,
    })
}

/// How many are present now, and how many there are in all.
pub(crate) fn presence(transaction: &mut dyn Transaction) -> Result<(u64, u64)> {
    let now = transaction.moment().clone();
    let all = transaction.number("SELECT COUNT(*) FROM agents", &[])?;
    let online = transaction.number(
        "SELECT COUNT(*) FROM agents WHERE left_at IS NULL AND clock_epoch = ?1 \
         AND last_seen_tick > ?2 - ttl_seconds * 1000",
        &[Value::from(&*now.epoch), now.tick.into()],
    )?;
    Ok((u64::try_from(online).unwrap_or(0), u64::try_from(all).unwrap_or(0)))
}
