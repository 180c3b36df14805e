//! Doing a thing once. A call with a key that was answered before gets the same answer and changes nothing.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::model::Call;
use crate::sql::{Transaction, TransactionExt};

/// How long an answer is kept.
const KEPT_MILLISECONDS: i64 = 24 * 60 * 60 * 1000;

/// `operation` names what is done and to what, so that a key is not taken for another call's.
pub(crate) fn once<T: Serialize + DeserializeOwned>(
    transaction: &mut dyn Transaction,
    call: &Call,
    operation: &str,
    work: impl FnOnce(&mut dyn Transaction) -> Result<T>,
) -> Result<T> {
    let Some(key) = full_key(call)? else { return work(transaction) };
    if let Some(answer) = earlier(transaction, call, operation)? {
        return Ok(answer);
    }
    let answer = work(transaction)?;
    let text = serde_json::to_string(&answer).map_err(|error| Error::unexpected(error.to_string()))?;
    let oldest = oldest(transaction);
    transaction.execute("DELETE FROM answers WHERE created_at < ?1", &[oldest.into()])?;
    let now = transaction.moment().text();
    transaction.execute(
        "INSERT INTO answers (key, operation, answer, created_at) VALUES (?1, ?2, ?3, ?4)",
        &[key.into(), operation.into(), text.into(), now.into()],
    )?;
    Ok(answer)
}

/// What a call with this key was answered before.
pub(crate) fn earlier<T: DeserializeOwned>(
    transaction: &mut dyn Transaction,
    call: &Call,
    operation: &str,
) -> Result<Option<T>> {
    let Some(key) = full_key(call)? else { return Ok(None) };
    let oldest = oldest(transaction);
    let row = transaction.one(
        "SELECT operation, answer FROM answers WHERE key = ?1 AND created_at >= ?2",
        &[key.into(), oldest.into()],
    )?;
    let Some(row) = row else { return Ok(None) };
    if row.text(0)? != operation {
        return Err(Error::KeyReused { key: call.idempotency_key.clone().unwrap_or_default() });
    }
    row.json(1).map(Some)
}

/// Each agent has keys of its own.
fn full_key(call: &Call) -> Result<Option<String>> {
    let Some(key) = &call.idempotency_key else { return Ok(None) };
    super::limits::id("idempotency key", key)?;
    Ok(Some(format!("{}/{key}", call.agent.as_ref().map_or("", |agent| agent.as_str()))))
}

fn oldest(transaction: &dyn Transaction) -> String {
    transaction.moment().text_in(-KEPT_MILLISECONDS)
}
