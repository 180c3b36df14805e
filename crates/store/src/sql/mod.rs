//! The narrow door between the rules and a database: texts of SQL with `?1`-style places, integers and texts in and
//! out, inside one transaction. Owns the trait and the schema; which database answers is `sqlite`'s and `postgres`'s.

pub(crate) mod schema;
mod value;

use serde_json::Value as Json;

pub(crate) use value::{Row, Value};

use crate::clock::Moment;
use crate::error::Result;
use crate::model::{AgentId, EventType, TaskId};

/// One transaction: all of it happens, or nothing. A writing one excludes every other writer of the repository, so the
/// rules may look before they write.
pub(crate) trait Transaction {
    /// The time of this transaction; it stands still in it.
    fn moment(&self) -> &Moment;

    /// No live lease ended before this tick when the transaction began.
    fn first_expiry(&self) -> Option<i64>;

    /// A lease was given or prolonged until then: for a database that keeps the first expiry instead of looking for it.
    fn lease_ends(&mut self, _tick: i64) {}

    /// Whatever had run out is ended, and every live lease counts on the clock of this transaction.
    fn leases_were_swept(&mut self) -> Result<()> {
        Ok(())
    }

    /// How an agent was last heard of; nothing for one that never joined.
    fn seen(&mut self, agent: &AgentId) -> Result<Option<Seen>> {
        self.look_for(agent)
    }

    /// What [`Self::seen`] says, from the table.
    fn look_for(&mut self, agent: &AgentId) -> Result<Option<Seen>> {
        let row = self.query(SEEN, &[agent.as_str().into()])?.into_iter().next();
        row.map(|row| {
            Ok(Seen {
                tick: row.integer(0)?,
                epoch: row.text(1)?.to_owned(),
                wall: row.text(2)?.to_owned(),
                has_left: row.optional_text(3)?.is_some(),
            })
        })
        .transpose()
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64>;

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>>;

    /// `into` is a table and its columns, which every row has. `indexed` are those by which most of its indexes are ordered,
    /// for a database on which tens of thousands of rows that come at random cost half as much again.
    fn insert_all(&mut self, into: &str, rows: &[Vec<Value>], indexed: &[usize]) -> Result<()>;

    /// Writes an event and tells its id, higher than that of every event that any reader can have seen.
    fn append(&mut self, event: &NewEvent<'_>) -> Result<i64>;

    /// So many definitions will be written, the first of their worktree: a database may make itself ready for them. What it did is
    /// undone by [`Self::definitions_were_imported`].
    fn definitions_will_be_imported(&mut self, _count: usize) -> Result<()> {
        Ok(())
    }

    /// Definitions were written by which what the database believes of its tables is wrong: the first ones, or many.
    fn definitions_were_imported(&mut self) -> Result<()>;

    /// Rows were written past the rules: the next event shall have a higher id than any of theirs, and the leases among them
    /// may end at any time.
    fn rows_were_imported(&mut self) -> Result<()>;
}

const SEEN: &str =
    "SELECT last_seen_tick, clock_epoch, last_seen_at, left_at FROM agents WHERE agent_id = ?1";

/// The last sign of life of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) tick: i64,
    pub(crate) epoch: String,
    pub(crate) wall: String,
    pub(crate) has_left: bool,
}

pub(crate) trait TransactionExt: Transaction {
    fn one(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// The single number of an aggregate; 0 where it has none.
    fn number(&mut self, sql: &str, values: &[Value]) -> Result<i64> {
        let row = self.one(sql, values)?;
        row.map_or(Ok(0), |row| Ok(row.optional_integer(0)?.unwrap_or(0)))
    }
}

impl<T: Transaction + ?Sized> TransactionExt for T {}

/// Rows in as few statements as the places of one statement allow.
pub(crate) fn insert_by_statements(
    transaction: &mut dyn Transaction,
    into: &str,
    rows: &[Vec<Value>],
) -> Result<()> {
    const PLACES: usize = 3000;
    let Some(width) = rows.first().map(Vec::len) else { return Ok(()) };
    for chunk in rows.chunks((PLACES / width.max(1)).max(1)) {
        let mut sql = format!("INSERT INTO {into} VALUES ");
        for (index, _) in chunk.iter().enumerate() {
            let places: Vec<String> =
                (1..=width).map(|place| format!("?{}", index * width + place)).collect();
            sql.push_str(if index == 0 { "(" } else { ", (" });
            sql.push_str(&places.join(", "));
            sql.push(')');
        }
        let values: Vec<Value> = chunk.iter().flatten().cloned().collect();
        transaction.execute(&sql, &values)?;
    }
    Ok(())
}

/// An event that is about to be written.
#[derive(Debug)]
pub(crate) struct NewEvent<'a> {
    pub(crate) kind: EventType,
    pub(crate) actor: Option<&'a AgentId>,
    pub(crate) task: Option<&'a TaskId>,
    pub(crate) target: Option<&'a AgentId>,
    pub(crate) payload: Json,
    pub(crate) correlation_id: Option<&'a str>,
    /// When it happened, if not now.
    pub(crate) created_at: Option<&'a str>,
}

impl<'a> NewEvent<'a> {
    pub(crate) fn new(kind: EventType) -> Self {
        Self {
            kind,
            actor: None,
            task: None,
            target: None,
            payload: Json::Object(serde_json::Map::new()),
            correlation_id: None,
            created_at: None,
        }
    }

    pub(crate) fn task(mut self, task: &'a TaskId) -> Self {
        self.task = Some(task);
        self
    }

    pub(crate) fn payload(mut self, payload: Json) -> Self {
        self.payload = payload;
        self
    }

    /// All columns after the id, in the order of the table.
    pub(crate) fn values(&self, moment: &Moment) -> [Value; 7] {
        [
            self.created_at.map_or_else(|| moment.text(), str::to_owned).into(),
            self.kind.word().into(),
            self.actor.map(AgentId::as_str).into(),
            self.task.map(TaskId::as_str).into(),
            self.target.map(AgentId::as_str).into(),
            self.payload.to_string().into(),
            self.correlation_id.into(),
        ]
    }
}
