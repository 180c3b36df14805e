//! What the refusals of store and `spec.yaml` mean to a caller: kind, stable code, next step.

use becket_base::clip;
use becket_store::{Error as StoreError, spec_file::SpecError};

use crate::{Error, repository::sentence, sandbox::refused_link};

/// A message names what a caller sent, which can be of any length.
const SHOWN: usize = 400;

fn told(error: &dyn std::fmt::Display) -> String {
    clip(&sentence(&error.to_string()), SHOWN).to_string()
}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Self {
        if let Some(refused) = refused_link(&error) {
            return refused.with_source(error);
        }
        let (code, hint) = (error.code(), error.hint());
        let message = told(&error);
        let mapped = match &error {
            SpecError::Missing { .. } | SpecError::UnknownTask { .. } => Error::not_found(code, message),
            SpecError::TaskExists { .. } => Error::conflict(code, message),
            SpecError::Busy { .. } | SpecError::Io { .. } => Error::unavailable(code, message),
            _ => Error::invalid(code, message),
        };
        mapped.with_hint(hint).with_source(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        if let Some(refused) = refused_link(&error) {
            return refused.with_source(error);
        }
        let message = told(&error);
        let mapped = match &error {
            StoreError::UnknownAgent { .. } => Error::not_found("unknown_agent", message)
                .with_hint("Call lodestar_agent_join first and use the agentId that it gives; lodestar_agent_list names the others."),
            StoreError::NoAgent => Error::invalid("agent_required", message)
                .with_hint("Give `agentId`: lodestar_agent_join gives one (`--agent ID` on the command line)."),
            StoreError::UnknownTask { nearest, .. } => {
                let hint = match nearest {
                    Some(meant) => format!("Did you mean `{meant}`? lodestar_task_list names all of them."),
                    None => "lodestar_task_list names all of them.".to_owned(),
                };
                Error::not_found("unknown_task", message).with_hint(hint)
            }
            StoreError::UnknownMessage { .. } => Error::not_found("unknown_message", message)
                .with_hint("lodestar_message_list gives the ids."),
            StoreError::Held(conflict) => Error::conflict("task_claimed", message).with_hint(format!(
                "Wait until {}, ask {} to release it (lodestar_message_send), or take another task.",
                conflict.expires_at, conflict.holder
            )),
            StoreError::StaleLease { .. } => Error::conflict("stale_lease", message)
                .with_hint("Somebody claimed the task after you; lodestar_task_get says who holds it now."),
            StoreError::NotHeld { .. } => Error::conflict("not_claimed", message)
                .with_hint("Claim it with lodestar_task_claim first."),
            StoreError::NotClaimable { unmet, .. } => Error::conflict("not_claimable", message).with_hint(if unmet.is_empty() {
                "Only a task that is ready can be claimed; lodestar_task_next names some."
            } else {
                "Its dependencies must be verified first; lodestar_task_next names tasks that are free."
            }),
            StoreError::IllegalMove { .. } => Error::conflict("illegal_move", message)
                .with_hint("lodestar_task_get says what status the task has."),
            StoreError::SelfVerification { .. } => Error::denied("other_agent_must_verify", message)
                .with_hint("Ask another agent to verify it; `[coordinate] verify` says so."),
            StoreError::LocksOverlap { .. } => Error::conflict("locks_overlap", message)
                .with_hint("Wait for that task, or take another one; `[coordinate] locks` says so."),
            StoreError::HasDependents { .. } => Error::conflict("has_dependents", message)
                .with_hint("Delete those too with `cascade`, or change their dependencies first."),
            StoreError::TaskExists { .. } => {
                Error::conflict("task_exists", message).with_hint("Choose another id, or leave it out.")
            }
            StoreError::UnknownDependency { .. } => Error::invalid("unknown_dependency", message)
                .with_hint("Create that task first, or leave it out of dependsOn."),
            StoreError::WouldCycle { .. } => Error::invalid("dependency_cycle", message)
                .with_hint("Leave one of these dependencies out."),
            StoreError::Invalid { .. } => {
                Error::invalid("invalid_arguments", message).with_hint("Correct that argument.")
            }
            StoreError::KeyReused { .. } => {
                Error::conflict("key_reused", message).with_hint("Choose another key: one key is for one call.")
            }
            StoreError::ReadOnly { .. } => Error::denied("store_read_only", message)
                .with_hint("Reading works; check the permissions of `.lodestar/` to change something."),
            StoreError::Full { .. } => Error::unavailable("disk_full", message)
                .with_hint("Nothing was kept. Make room on the disk and try again."),
            StoreError::Busy { .. } => Error::unavailable("store_busy", message).with_hint("Try again."),
            StoreError::Corrupt { .. } => Error::unavailable("store_corrupt", message)
                .with_hint("Run `becket doctor --repair`: it keeps what can be read, and a backup."),
            StoreError::Foreign { .. } => Error::denied("store_foreign", message).with_hint(
                "becket writes into no database that is not its own. Move that file away, or name another place for the store \
                 in BECKET_STORE or `[store] url`.",
            ),
            StoreError::Newer { .. } => Error::unavailable("store_newer", message).with_hint("Update becket."),
            StoreError::Unavailable { .. } => Error::unavailable("store_unavailable", message)
                .with_hint("Nothing was done. Check that the server of `[store] url` runs, and try again."),
            StoreError::Unsure { .. } => Error::unavailable("store_unsure", message).with_hint(
                "Look whether it was done (lodestar_task_get, lodestar_events_pull), or repeat the call with the same \
                 idempotencyKey: then it is done once.",
            ),
            StoreError::Address { .. } => Error::invalid("store_address", message)
                .with_hint("`[store] url` is postgres://user@host/database, or a path."),
            StoreError::Folder { .. } => Error::invalid("store_address", message).with_hint(
                "Name a file in it in BECKET_STORE or `[store] url`, such as `runtime.sqlite`; one that is not there is made.",
            ),
            StoreError::File { .. } => Error::unavailable("store_file", format!("The store cannot be opened: {message}"))
                .with_hint("Check the permissions of `.lodestar/`."),
            StoreError::Import { .. } => {
                Error::invalid("import_malformed", message).with_hint(
                    "Give a file that `becket store export` wrote; a store that is not empty is emptied by `lodestar reset`.",
                )
            }
            StoreError::Unexpected { .. } => Error::internal(message),
        };
        mapped.with_source(error)
    }
}
