//! The schema of one repository in a shared database, made and led to the newest version under a lock.

use super::connection::{Failure, Session};
use crate::address::ServerAddress;
use crate::error::{Error, Result};
use crate::random;
use crate::sql::schema::{self, Spelling, VERSION};

const SPELLING: Spelling = Spelling {
    id: "BIGINT PRIMARY KEY",
    int: "BIGINT",
    text: "TEXT COLLATE \"C\"",
    keyed: "",
    // The rules take these rows away themselves, and SQLite, under the same suite, checks that they do.
    unchecked: "DO $$ DECLARE one RECORD; BEGIN \
         FOR one IN SELECT CAST(CAST(conrelid AS regclass) AS TEXT) AS place, conname FROM pg_constraint \
         WHERE contype = 'f' AND conrelid IN (CAST('definitions' AS regclass), CAST('dependencies' AS regclass), \
         CAST('labels' AS regclass), CAST('problems' AS regclass), CAST('tallies' AS regclass), \
         CAST('outbox' AS regclass)) \
         LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.place, one.conname); END LOOP; END $$;",
    // An index keeps what was released until it is vacuumed, and its first living entry stands behind all of that. Of no
    // clock: the first to look counts anew.
    first_expiry: "ALTER TABLE counter ADD COLUMN first_expiry BIGINT NOT NULL DEFAULT 0; \
         ALTER TABLE counter ADD COLUMN clock_epoch TEXT NOT NULL DEFAULT '';",
};

pub(crate) fn migrate(
    session: &mut Session,
    schema: &str,
    repository: &str,
    address: &ServerAddress,
) -> Result<()> {
    if version(session, schema).map_err(|failure| failure.into_error(address))? == Some(VERSION) {
        return Ok(());
    }
    // The lock is taken before the transaction begins: one that has begun may not see what another has made meanwhile.
    let lock = "SELECT CAST(pg_advisory_lock(hashtext(?1)) AS TEXT)";
    session.ask(lock, &[schema.into()]).map_err(|failure| failure.into_error(address))?;
    let result = under_lock(session, schema, repository, address);
    if result.is_err() {
        let _ = session.batch("ROLLBACK");
    }
    let unlock = "SELECT CAST(pg_advisory_unlock(hashtext(?1)) AS TEXT)";
    session.ask(unlock, &[schema.into()]).map_err(|failure| failure.into_error(address))?;
    result
}

fn under_lock(session: &mut Session, schema: &str, repository: &str, address: &ServerAddress) -> Result<()> {
    let failed = |failure: Failure| failure.into_error(address);
    let run =
        |session: &mut Session, sql: &str| session.batch(sql).map_err(|failure| failure.into_error(address));
    run(session, "BEGIN")?;
    let found = version(session, schema).map_err(failed)?;
    match found {
        Some(VERSION) => return run(session, "COMMIT"),
        Some(found) if found > VERSION => {
            return Err(Error::Newer { place: address.to_string(), found, known: VERSION });
        }
        _ => {}
    }
    if found.is_none() {
        let make = format!(
            "CREATE SCHEMA IF NOT EXISTS {schema}; \
             CREATE TABLE counter (last_event BIGINT NOT NULL); INSERT INTO counter VALUES (0);"
        );
        run(session, &make)?;
    }
    run(session, &schema::steps(found.unwrap_or(0), SPELLING))?;
    let stream = random::name("", 16)?.to_lowercase();
    let known = VERSION.to_string();
    for (key, value) in [("stream", stream.as_str()), ("repository", repository)] {
        session
            .ask(
                "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING",
                &[key.into(), value.into()],
            )
            .map_err(failed)?;
    }
    let sql = "INSERT INTO meta (key, value) VALUES ('schema_version', ?1) \
               ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    session.ask(sql, &[known.into()]).map_err(failed)?;
    run(session, "COMMIT")
}

fn version(session: &mut Session, schema: &str) -> Result<Option<i64>, Failure> {
    let (there, _) =
        session.ask("SELECT CAST(to_regclass(?1) AS TEXT)", &[format!("{schema}.meta").into()])?;
    if there.first().is_none_or(|row| row.get::<_, Option<String>>(0).is_none()) {
        return Ok(None);
    }
    let (rows, _) = session.ask("SELECT value FROM meta WHERE key = 'schema_version'", &[])?;
    Ok(rows.first().and_then(|row| row.get::<_, String>(0).parse().ok()))
}
