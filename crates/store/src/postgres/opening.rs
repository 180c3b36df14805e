//! How a transaction begins: it takes its turn, and learns its time, its name and how its caller was last heard of, all in
//! one exchange. Owns what the next transaction may expect of that, by which its first statement goes along with it.

use std::time::Instant;

use postgres::{SimpleQueryMessage, SimpleQueryRow};

use super::connection::Failure;
use crate::model::AgentId;
use crate::sql::Seen;

/// The turn to write, until the end of the transaction. Such locks are handed from one to the next in the order in which
/// they were asked for; that of a row goes to whoever is quickest, which is whoever has just given it back.
pub(super) const TURN: &str = "SELECT CAST(pg_advisory_xact_lock(CAST(?1 AS BIGINT)) AS TEXT)";
/// Asked in a statement of its own after the turn was won: that one sees what was committed before.
pub(super) const NOW: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

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
    /// From the answers to what a transaction begins with.
    pub(super) fn read(told: &[SimpleQueryMessage], by: Option<&AgentId>) -> Result<Self, Failure> {
        // The row of the turn itself says nothing.
        let row = told.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) if row.len() > 1 => Some(row),
            _ => None,
        });
        let gone = || Failure::Lost("the repository's counter is gone".to_owned());
        let row = row.ok_or_else(gone)?;
        let text = |column: usize| row.try_get(column).ok().flatten().map(str::to_owned);
        let number = |column: usize| text(column).and_then(|text| text.parse::<i64>().ok());
        let seen = number(5).zip(text(6)).zip(text(7)).map(|((tick, epoch), wall)| Seen {
            tick,
            epoch,
            wall,
            has_left: text(8).is_some(),
        });
        Ok(Self {
            tick: number(0).ok_or_else(gone)?,
            first_expiry: number(1).ok_or_else(gone)?,
            clock_epoch: text(2).unwrap_or_default(),
            ticket: text(3).unwrap_or_default(),
            last_event: number(4).unwrap_or(0),
            caller: by.map(|agent| (agent.clone(), seen)),
        })
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

/// The rows of the last statement of an exchange, and how many it touched.
pub(super) fn last_answer(told: &[SimpleQueryMessage]) -> (Vec<&SimpleQueryRow>, u64) {
    let Some((SimpleQueryMessage::CommandComplete(touched), before)) = told.split_last() else {
        return (Vec::new(), 0);
    };
    let of_last = before.rsplit(|message| matches!(message, SimpleQueryMessage::CommandComplete(_))).next();
    let rows = of_last.unwrap_or_default().iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    (rows.collect(), *touched)
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
