//! How a transaction begins: it takes its turn, and learns its time, its name and how its caller was last heard of, all in
//! one exchange. Owns what the next transaction may expect of that, by which its first statement goes along with it.

use std::time::Instant;

use tokio_postgres::Row;

use super::connection::Failure;
use crate::model::AgentId;
use crate::sql::Seen;

/// The turn to write, until the end of the transaction. Such locks are handed from one to the next in the order in which
/// they were asked for; that of a row goes to whoever is quickest, which is whoever has just given it back.
pub(super) const TURN: &str = "SELECT CAST(pg_advisory_xact_lock(CAST(?1 AS BIGINT)) AS TEXT)";
/// Asked in a statement of its own after the turn was won: that one sees what was committed before.
pub(super) const WRITING: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), c.first_expiry, \
     c.clock_epoch, CAST(pg_current_xact_id() AS TEXT), c.last_event, a.last_seen_tick, a.clock_epoch, a.last_seen_at, \
     a.left_at FROM counter c LEFT JOIN agents a ON a.agent_id = ?1";
pub(super) const READING: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), first_expiry, \
     clock_epoch FROM counter";

/// How far the time that was expected may be from the server's own.
const MOST_OFF: u64 = 50;

/// What a transaction found when it began.
pub(super) struct Opening {
    pub(super) tick: i64,
    pub(super) ticket: String,
    pub(super) last_event: i64,
    pub(super) first_expiry: i64,
    /// The clock that the first expiry counts on.
    pub(super) clock_epoch: String,
    pub(super) caller: Option<(AgentId, Option<Seen>)>,
}

impl Opening {
    /// From the answer to what a transaction begins with.
    pub(super) fn read(rows: &[Row], by: Option<&AgentId>) -> Result<Self, Failure> {
        let Some(row) = rows.first() else {
            return Err(Failure::Lost("the repository's counter is gone".to_owned()));
        };
        let mut opening = Self {
            tick: row.try_get(0).map_err(Failure::of)?,
            first_expiry: row.try_get(1).map_err(Failure::of)?,
            clock_epoch: row.try_get(2).map_err(Failure::of)?,
            ticket: String::new(),
            last_event: 0,
            caller: None,
        };
        if row.len() > 3 {
            opening.ticket = row.try_get(3).map_err(Failure::of)?;
            opening.last_event = row.try_get(4).map_err(Failure::of)?;
            let seen = seen(row).map_err(Failure::of)?;
            opening.caller = by.map(|agent| (agent.clone(), seen));
        }
        Ok(opening)
    }

    /// What the next transaction of the same caller will find, unless somebody changes it before.
    pub(super) fn outlook(&self) -> Option<Outlook> {
        let (agent, seen) = self.caller.clone()?;
        Some(Outlook {
            agent,
            seen: seen?,
            first_expiry: self.first_expiry,
            clock_epoch: self.clock_epoch.clone(),
            tick: self.tick,
            told: Instant::now(),
        })
    }
}

/// What a transaction expects to find. Nothing rests on it alone: what was found is compared before anything is kept.
#[derive(Debug, Clone)]
pub(super) struct Outlook {
    pub(super) agent: AgentId,
    pub(super) seen: Seen,
    pub(super) first_expiry: i64,
    pub(super) clock_epoch: String,
    tick: i64,
    told: Instant,
}

impl Outlook {
    /// The server's time by now.
    pub(super) fn tick(&self) -> i64 {
        self.tick + i64::try_from(self.told.elapsed().as_millis()).unwrap_or(i64::MAX / 2)
    }

    /// The same with another first expiry.
    pub(super) fn until(self, first_expiry: i64) -> Self {
        Self { first_expiry, ..self }
    }

    /// Whether `opening` differs from it in nothing that a rule could have looked at: who calls, that no lease has run out
    /// by `now`, and the time if that is the server's, of which `expected` was thought.
    pub(super) fn came_true(&self, opening: &Opening, now: i64, expected: Option<i64>) -> bool {
        let is_caller = opening.caller.as_ref().is_some_and(|(agent, seen)| {
            *agent == self.agent && seen.as_ref().is_some_and(|seen| *seen == self.seen)
        });
        is_caller
            && opening.clock_epoch == self.clock_epoch
            && opening.first_expiry > now
            && expected.is_none_or(|tick| tick.abs_diff(opening.tick) <= MOST_OFF)
    }
}

fn seen(row: &Row) -> Result<Option<Seen>, tokio_postgres::Error> {
    let Some(tick) = row.try_get(5)? else { return Ok(None) };
    let left_at: Option<&str> = row.try_get(8)?;
    Ok(Some(Seen { tick, epoch: row.try_get(6)?, wall: row.try_get(7)?, has_left: left_at.is_some() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(tick: i64, first_expiry: i64, seen: i64) -> Opening {
        let seen = Seen { tick: seen, epoch: "server".to_owned(), wall: String::new(), has_left: false };
        Opening {
            tick,
            ticket: String::new(),
            last_event: 0,
            first_expiry,
            clock_epoch: "server".to_owned(),
            caller: Some((AgentId::from("A1"), Some(seen))),
        }
    }

    #[test]
    fn an_outlook_comes_true_only_where_nothing_that_matters_has_changed() {
        let outlook = opening(1000, 5000, 900).outlook().unwrap();
        let holds = |found: &Opening| outlook.came_true(found, found.tick, Some(1010));
        assert!(holds(&opening(1011, 5000, 900)));
        assert!(holds(&opening(1011, 4000, 900)), "another lease, which has not run out either");
        assert!(!holds(&opening(1011, 1011, 900)), "a lease that has run out");
        assert!(!holds(&opening(1011, 5000, 901)), "another sign of life");
        assert!(!holds(&opening(1500, 5000, 900)), "the server's clock was set");
        assert!(!holds(&Opening { clock_epoch: String::new(), ..opening(1011, 5000, 900) }), "another clock");
        assert!(!holds(&Opening { caller: None, ..opening(1011, 5000, 900) }), "a caller that is gone");
    }
}
