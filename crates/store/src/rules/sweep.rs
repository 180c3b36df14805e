//! What time alone does to leases. Whoever looks first writes it down, exactly once: the lease is ended in the same
//! transaction as its event.

use serde_json::json;

use super::leases;
use crate::error::Result;
use crate::model::{AgentId, EventType, TaskId};
use crate::sql::{NewEvent, Transaction};

/// Whether a look at `first_expiry` says that there is something to write.
pub(crate) fn is_due(transaction: &dyn Transaction) -> bool {
    transaction.first_expiry().is_some_and(|tick| tick <= transaction.moment().tick)
}

/// Ends every lease that has run out, and carries leases of an earlier boot over to this one's clock.
pub(crate) fn expired(transaction: &mut dyn Transaction) -> Result<()> {
    if !is_due(transaction) {
        return Ok(());
    }
    let now = transaction.moment().clone();
    let rows = transaction.query(
        "SELECT task_id, agent_id, generation, lease_id, expires_at, expires_tick, clock_epoch, ttl_seconds \
         FROM leases WHERE agent_id IS NOT NULL AND (clock_epoch <> ?1 OR expires_tick <= ?2) ORDER BY task_id",
        &[(&*now.epoch).into(), now.tick.into()],
    )?;
    for row in rows {
        let task = TaskId::from(row.text(0)?);
        if row.text(6)? != &*now.epoch {
            let left = remaining_by_wall(row.text(4)?, row.integer(7)? * 1000, now.wall);
            if left > 0 {
                transaction.execute(
                    "UPDATE leases SET clock_epoch = ?2, expires_tick = ?3, expires_at = ?4 WHERE task_id = ?1",
                    &[
                        task.as_str().into(),
                        (&*now.epoch).into(),
                        (now.tick + left).into(),
                        now.text_in(left).into(),
                    ],
                )?;
                continue;
            }
        }
        leases::end(transaction, &task)?;
        let holder = AgentId::from(row.text(1)?);
        let payload = json!({
            "agentId": holder,
            "generation": row.integer(2)?,
            "leaseId": row.text(3)?,
            "expiresAt": row.text(4)?,
        });
        let event = NewEvent::new(EventType::LeaseExpired).task(&task).payload(payload);
        transaction.append(&NewEvent { target: Some(&holder), ..event })?;
    }
    transaction.leases_were_swept()
}

/// The boot that the lease was counted on is over, so only the wall clock can tell what is left, and never more than
/// the lease had.
fn remaining_by_wall(expires_at: &str, ttl: i64, wall: becket_base::Timestamp) -> i64 {
    let Ok(expires) = expires_at.parse::<becket_base::Timestamp>() else { return 0 };
    (expires.as_millisecond() - wall.as_millisecond()).clamp(0, ttl)
}
