//! What can be saved of a damaged `runtime.sqlite`: the file is kept as it is under another name, and every row that
//! can still be read goes into a new one.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::connection::failure;
use super::opening::{Opened, Wish, beside, connect, refuse_foreign};
use super::turnstile::Turnstile;
use super::{PATIENCE_SECONDS, file};
use crate::clock::{LeaseClock, MachineClock};
use crate::error::{Error, Result};
use crate::sql::schema::TABLES;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The damaged file, as it was.
    pub backup: PathBuf,
    /// Rows that were kept, by table.
    pub kept: Vec<(String, u64)>,
    /// Tables that could not be read to their end.
    pub lost: Vec<String>,
}

/// Whether SQLite finds nothing wrong with the file, which no link leads to from outside of `within`.
pub fn check(path: &Path, within: Option<&Path>) -> Result<()> {
    let place = path.display().to_string();
    let failed = |error| failure(&place, error);
    let file = file(path, within)?;
    refuse_foreign(&file)?;
    let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    let verdict: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
    if verdict == "ok" { Ok(()) } else { Err(Error::Corrupt { place, detail: verdict }) }
}

pub fn repair(path: &Path, within: Option<&Path>) -> Result<Repair> {
    let path = &*file(path, within)?;
    let place = path.display().to_string();
    let moved = |source| Error::File { path: place.clone(), source };
    let turnstile = Turnstile::open(path).map_err(moved)?;
    let turn = turnstile.enter(PATIENCE_SECONDS)?;
    let clock = MachineClock::new();
    let stamp: String = clock.now().text().chars().filter(char::is_ascii_digit).collect();
    let backup = beside(path, &format!(".damaged-{stamp}"));
    // Running processes notice that the file is another one, and open it anew.
    fs_err::rename(path, &backup).map_err(moved)?;
    for suffix in ["-wal", "-shm"] {
        if beside(path, suffix).exists() {
            fs_err::rename(beside(path, suffix), beside(&backup, suffix)).map_err(moved)?;
        }
    }
    drop(turn);
    let opened = Opened::open(path, "", &clock, Wish::Write)?;
    let mut report = Repair { backup, kept: Vec::new(), lost: Vec::new() };
    let damaged = connect(&report.backup, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let new = &opened.connection;
    let failed = |error| failure(&place, error);
    // Rows whose parents are lost would otherwise be lost too; what does not fit is taken out at the end.
    new.execute_batch("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE").map_err(failed)?;
    for (table, columns) in TABLES {
        let (count, is_whole) = match &damaged {
            Ok(damaged) => salvage(damaged, new, table, columns).map_err(failed)?,
            Err(_) => (0, false),
        };
        report.kept.push(((*table).to_owned(), count));
        if !is_whole {
            report.lost.push((*table).to_owned());
        }
    }
    find_agents(new).map_err(failed)?;
    drop_orphans(new).map_err(failed)?;
    new.execute_batch("COMMIT; PRAGMA foreign_keys = ON").map_err(failed)?;
    Ok(report)
}

/// Forwards to the first damage, then backwards from the end to the same place.
fn salvage(
    damaged: &Connection,
    new: &Connection,
    table: &str,
    columns: &[&str],
) -> rusqlite::Result<(u64, bool)> {
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
    let list = columns.join(", ");
    let insert = format!("INSERT OR IGNORE INTO {table} ({list}) VALUES ({})", places.join(", "));
    let (mut count, mut is_whole) = (0, true);
    for order in ["", " ORDER BY rowid DESC"] {
        let Ok(mut select) = damaged.prepare(&format!("SELECT {list} FROM {table}{order}")) else {
            return Ok((count, false));
        };
        let Ok(mut rows) = select.query([]) else { return Ok((count, false)) };
        loop {
            match rows.next() {
                Ok(Some(row)) => {
                    let cells = (0..columns.len()).map(|column| row.get::<_, rusqlite::types::Value>(column));
                    let Ok(cells) = cells.collect::<rusqlite::Result<Vec<_>>>() else { continue };
                    // A damaged row may break a rule of its table; it alone is left out.
                    count += new
                        .prepare_cached(&insert)?
                        .execute(rusqlite::params_from_iter(cells))
                        .ok()
                        .and_then(|changed| u64::try_from(changed).ok())
                        .unwrap_or(0);
                }
                Ok(None) => break,
                Err(_) => {
                    is_whole = false;
                    break;
                }
            }
        }
        if is_whole {
            break;
        }
    }
    Ok((count, is_whole))
}

/// An agent that is lost is known from what it did: what it holds, sent and was sent is not lost with it.
fn find_agents(new: &Connection) -> rusqlite::Result<()> {
    new.execute_batch(
        "INSERT OR IGNORE INTO agents SELECT e.actor_agent_id, json_extract(e.payload_json, '$.name'),
            json_extract(e.payload_json, '$.role'), json_extract(e.payload_json, '$.client'),
            json_extract(e.payload_json, '$.model'), '[]', '{}', e.created_at, e.created_at, 0, 'repaired', 900, NULL, 0
            FROM events e WHERE e.type = 'agent.joined' AND e.actor_agent_id IS NOT NULL AND json_valid(e.payload_json);
         INSERT OR IGNORE INTO agents SELECT agent_id, NULL, NULL, NULL, NULL, '[]', '{}', MIN(since), MAX(since), 0,
            'repaired', 900, NULL, 0 FROM (
               SELECT agent_id, created_at AS since FROM leases WHERE agent_id IS NOT NULL
               UNION ALL SELECT from_agent_id, created_at FROM messages
               UNION ALL SELECT x.agent_id, m.created_at FROM deliveries x JOIN messages m ON m.sequence = x.sequence
            ) GROUP BY agent_id;",
    )
}

fn drop_orphans(new: &Connection) -> rusqlite::Result<()> {
    new.execute_batch(
        "DELETE FROM deliveries WHERE sequence NOT IN (SELECT sequence FROM messages)
            OR agent_id NOT IN (SELECT agent_id FROM agents);
         DELETE FROM leases WHERE task_id NOT IN (SELECT task_id FROM tasks);
         -- Mirrors of files are read again from the files.
         DELETE FROM problems; DELETE FROM labels; DELETE FROM dependencies; DELETE FROM tallies;
         DELETE FROM definitions;
         UPDATE worktrees SET spec_stat = '', spec_hash = '';
         DELETE FROM outbox WHERE worktree NOT IN (SELECT worktree FROM worktrees)
            OR task_id NOT IN (SELECT task_id FROM tasks);",
    )
}
