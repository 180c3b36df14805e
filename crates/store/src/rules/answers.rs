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
    let Some(key) = &call.idempotency_key else { return work(transaction) };
    super::limits::id("idempotency key", key)?;
    let full_key = format!("{}/{key}", call.agent.as_ref().map_or("", |agent| agent.as_str()));
    let oldest = transaction.moment().text_in(-KEPT_MILLISECONDS);
    let row = transaction.one(
        "SELECT operation, answer FROM answers WHERE key = ?1 AND created_at >= ?2",
        &[full_key.as_str().into(), oldest.as_str().into()],
    )?;
    if let Some(row) = row {
        if row.text(0)? != operation {
            return Err(Error::KeyReused { key: key.clone() });
        }
        return row.json(1);
    }
    let answer = work(transaction)?;
    let text = serde_json::to_string(&answer).map_err(|error| Error::unexpected(error.to_string()))?;
    transaction.execute("DELETE FROM answers WHERE created_at < ?1", &[oldest.into()])?;
    let now = transaction.moment().text();
    transaction.execute(
        "INSERT INTO answers (key, operation, answer, created_at) VALUES (?1, ?2, ?3, ?4)",
        &[full_key.into(), operation.into(), text.into(), now.into()],
    )?;
    Ok(answer)
}
