//! The store itself: reset, snapshot, export, import, checks and repair.

use std::io::{BufRead, Write};
use std::path::Path;

use becket_base::{counted, verb};
use becket_store::{Error as StoreError, Inbox, spec_file::Edit};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    status::unwritten,
    views::{BEHIND, behind, placed_problems},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Serialize)]
pub struct ResetReport {
    pub reset_type: &'static str,
    pub runtime_deleted: bool,
    pub tasks_deleted: u64,
    pub agents_cleared: u64,
    pub leases_cleared: u64,
    pub messages_cleared: u64,
}

/// What `becket store status` prints.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreReport {
    pub engine: String,
    pub place: String,
    pub schema_version: i64,
    pub stream: String,
    pub repository: String,
    pub read_only: bool,
    pub bytes: Option<u64>,
    pub journal_bytes: Option<u64>,
    pub imported_from: Option<String>,
    pub worktrees: u64,
    /// Statuses that a `spec.yaml` does not say yet.
    pub waiting: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    pub name: String,
    pub status: CheckState,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Pass,
    Warn,
    Fail,
    Info,
}

impl Engine {
    /// What a reset would clear.
    pub fn lodestar_reset_preview(&self, hard: bool) -> Result<ResetReport, Error> {
        let board = self.board(None)?;
        let counts = board.store.counts(&board.worktree, None)?;
        let tasks = if hard {
            board.spec.read().map(|loaded| loaded.spec.tasks.len() as u64).unwrap_or_default()
        } else {
            0
        };
        Ok(ResetReport {
            reset_type: if hard { "hard" } else { "soft" },
            runtime_deleted: false,
            tasks_deleted: tasks,
            agents_cleared: counts.agents,
            leases_cleared: counts.active_leases,
            messages_cleared: counts.messages,
        })
    }

    /// Empties what agents did, statuses excepted, which `spec.yaml` keeps; with `hard` the tasks too. Event ids go on, so that no cursor points into the future.
    pub fn lodestar_reset(&self, hard: bool) -> Result<ResetReport, Error> {
        let preview = self.lodestar_reset_preview(hard)?;
        let board = self.board(None)?;
        match self.flush_board(&board) {
            // The file is all that is left of a status: what it does not say yet would be lost.
            Err(error) if !hard => return Err(error),
            _ => {}
        }
        let cleared = board.store.reset()?;
        if hard {
            board.spec.change::<Error>(|_| Ok(vec![Edit::Clear]))?;
        }
        Ok(ResetReport {
            runtime_deleted: true,
            agents_cleared: cleared.agents,
            leases_cleared: cleared.leases,
            messages_cleared: cleared.messages,
            ..preview
        })
    }

    /// Spec and runtime in one object, as `lodestar export snapshot` prints it.
    pub fn lodestar_snapshot(&self, include_messages: bool) -> Result<Value, Error> {
        let board = self.tasks_board(None)?;
        let loaded = board.spec.read()?;
        let tasks: serde_json::Map<String, Value> = loaded
            .spec
            .tasks
            .iter()
            .map(|task| {
                let value = json!({
                    "id": task.id, "title": task.title, "description": task.description,
                    "acceptance_criteria": task.acceptance_criteria, "depends_on": task.depends_on,
                    "labels": task.labels, "locks": task.locks, "priority": task.priority, "status": task.status,
                });
                (task.id.clone(), value)
            })
            .collect();
        let features: serde_json::Map<String, Value> =
            loaded.spec.features.iter().map(|(name, ids)| (name.clone(), json!(ids))).collect();
        let agents = self.agent_list(&super::AgentList::default())?.agents;
        let agents: Vec<Value> = agents.iter().map(super::agents::seed_row).collect();
        let leases: Vec<Value> = board
            .store
            .leases()?
            .into_iter()
            .map(|lease| {
                json!({"lease_id": lease.lease_id, "task_id": lease.task, "agent_id": lease.agent,
                       "created_at": lease.created_at, "expires_at": lease.expires_at})
            })
            .collect();
        let mut snapshot = json!({
            "spec": {
                "project": {"name": loaded.spec.project.name, "default_branch": loaded.spec.project.default_branch},
                "tasks": tasks, "features": features,
            },
            "runtime": {"agents": agents, "leases": leases, "active_leases": leases},
        });
        if include_messages {
            let mut messages = Vec::new();
            for (task, _) in board.store.messages_by_task()? {
                let mut inbox = Inbox { task: Some(task), limit: Some(200), ..Inbox::default() };
                loop {
                    let page = board.store.messages(&inbox)?;
                    messages.extend(page.messages.into_iter().map(|message| {
                        json!({"message_id": message.id, "created_at": message.created_at,
                            "from_agent_id": message.from, "task_id": message.task, "text": message.body,
                            "subject": message.subject, "severity": message.severity, "read_by": message.read_by,
                            "meta": {"subject": message.subject, "severity": message.severity}})
                    }));
                    inbox.since_id = page.next_cursor;
                    if inbox.since_id.is_none() {
                        break;
                    }
                }
            }
            snapshot["runtime"]["messages"] = json!(messages);
        }
        Ok(snapshot)
    }

    pub fn store_report(&self) -> Result<StoreReport, Error> {
        let board = self.board(None)?;
        let found = board.store.describe()?;
        let waiting = board.store.outbox_worktrees()?.iter().map(|(_, rows)| rows).sum();
        Ok(StoreReport {
            engine: found.engine.to_owned(),
            place: found.place,
            schema_version: found.schema_version,
            stream: found.stream,
            repository: found.repository,
            read_only: found.read_only,
            bytes: found.bytes,
            journal_bytes: found.journal_bytes,
            imported_from: found.imported_from,
            worktrees: found.worktrees,
            waiting,
        })
    }

    pub fn store_export(&self, output: &mut dyn Write) -> Result<(), Error> {
        Ok(self.board(None)?.store.export(output)?)
    }

    pub fn store_import(&self, input: &mut dyn BufRead) -> Result<u64, Error> {
        Ok(self.board(None)?.store.import(input)?)
    }

    /// What `lodestar doctor` and `becket doctor` look at; nothing where there is no `.lodestar/`.
    pub fn lodestar_checks(&self) -> Vec<Check> {
        let check = |name: &str, status, message: String, fix: Option<&str>| Check {
            name: name.to_owned(),
            status,
            message,
            fix: fix.map(str::to_owned),
        };
        let (root, workspace) = match self.board_root(None) {
            Ok(found) => found,
            Err(error) if error.code() == "path_link_outside_root" => {
                return vec![check(".lodestar", CheckState::Fail, error.message().to_owned(), error.hint())];
            }
            Err(_) => return Vec::new(),
        };
        let mut checks = vec![check(
            "repository",
            CheckState::Pass,
            format!("{} has a .lodestar/.", root.display()),
            None,
        )];
        let folder = root.join(".lodestar");
        let spec = becket_store::spec_file::SpecFile::new(&folder);
        match spec.read() {
            Ok(loaded) => {
                checks.push(check(
                    "spec.yaml",
                    CheckState::Pass,
                    format!("{}.", counted(loaded.spec.tasks.len(), "task")),
                    None,
                ));
                for odd in loaded.spec.problems.iter().take(5) {
                    let message = format!("spec.yaml:{}:{}: {}.", odd.line, odd.column, odd.message);
                    checks.push(check(
                        "spec.yaml",
                        CheckState::Warn,
                        message,
                        Some("Take one of the two out."),
                    ));
                }
            }
            Err(error) => {
                checks.push(check("spec.yaml", CheckState::Fail, format!("{error}."), Some(error.hint())));
            }
        }
        match self.board(None).and_then(|board| {
            let known = self.refresh(&board);
            let found = board.store.problems(&board.worktree, 20)?;
            let lagging = behind(&board.store.behind(&board.worktree, BEHIND)?);
            checks.extend(lagging.map(|message| check("statuses", CheckState::Warn, message, None)));
            if known.is_ok() {
                let written = self.flush_board(&board).err();
                checks.extend(
                    written.map(|error| check("statuses", CheckState::Warn, unwritten(&error), error.hint())),
                );
            }
            known.map(|_| found)
        }) {
            Ok(found) if found.is_empty() => {
                checks.push(check(
                    "dependencies",
                    CheckState::Pass,
                    "No cycles, nothing missing.".to_owned(),
                    None,
                ));
            }
            Ok(found) => {
                let text = self.spec_text().unwrap_or_default();
                checks.extend(placed_problems(&found, &text).into_iter().map(|message| {
                    check(
                        "dependencies",
                        CheckState::Fail,
                        message,
                        Some("Correct depends_on with `becket task update`."),
                    )
                }));
            }
            Err(error) => {
                tracing::debug!(%error, "dependencies are not checked");
            }
        }
        let runtime = self.runtime_file(&root, &workspace);
        if let Some(server) = runtime.as_ref().err() {
            checks.push(match self.store_report() {
                Ok(found) => {
                    let message = format!("{} answers (schema {}).", found.place, found.schema_version);
                    check("store", CheckState::Pass, message, None)
                }
                Err(error) => {
                    let message = format!("{server}: {}", error.message());
                    check("store", CheckState::Fail, message, error.hint())
                }
            });
        } else if let Some((runtime, within)) = runtime.ok().filter(|(file, _)| is_there(file)) {
            checks.push(match becket_store::check(&runtime, within.as_deref()) {
                Ok(()) => {
                    check("runtime.sqlite", CheckState::Pass, "The database is sound.".to_owned(), None)
                }
                Err(StoreError::Corrupt { place, detail }) => {
                    let message = format!("{place} is damaged: {detail}.");
                    check("runtime.sqlite", CheckState::Fail, message, Some("becket doctor --repair"))
                }
                Err(error) => {
                    let error = Error::from(error);
                    check("runtime.sqlite", CheckState::Fail, error.message().to_owned(), error.hint())
                }
            });
        } else {
            let message = "There is no runtime yet; it is made by the first call.".to_owned();
            checks.push(check("runtime.sqlite", CheckState::Info, message, None));
        }
        let ignored = becket_project::files::read(&folder.join(".gitignore"), 1 << 20)
            .ok()
            .flatten()
            .unwrap_or_default();
        let covers =
            String::from_utf8_lossy(&ignored).lines().any(|line| line.trim().starts_with("runtime.sqlite"));
        checks.push(if covers {
            check(".gitignore", CheckState::Pass, "The runtime is not committed.".to_owned(), None)
        } else {
            let message = ".lodestar/.gitignore does not name runtime.sqlite.".to_owned();
            check(".gitignore", CheckState::Warn, message, Some("Add the line `runtime.sqlite*` to it."))
        });
        if self.lacks_merge_driver() {
            let message =
                "This clone does not know the merge driver of .lodestar/.gitattributes: branches that each \
                           add or finish a task will conflict."
                    .to_owned();
            checks.push(check("merge driver", CheckState::Warn, message, Some("Run `becket init`.")));
        }
        checks
    }

    /// Keeps what can be read of a damaged database, and a backup; finishes writes that were cut off.
    pub fn lodestar_repair(&self) -> Result<Vec<String>, Error> {
        let Ok((root, workspace)) = self.board_root(None) else { return Ok(Vec::new()) };
        let mut done = Vec::new();
        let runtime = self.runtime_file(&root, &workspace).ok().filter(|(file, _)| is_there(file));
        if let Some((runtime, within)) = runtime
            && is_damaged(&runtime, within.as_deref())?
        {
            let repaired = becket_store::repair(&runtime, within.as_deref())?;
            let kept: Vec<String> =
                repaired.kept.iter().map(|(table, rows)| format!("{rows} {table}")).collect();
            done.push(format!(
                "runtime.sqlite was rebuilt with {}; the old one is {}.",
                kept.join(", "),
                repaired.backup.display()
            ));
            if !repaired.lost.is_empty() {
                done.push(format!("Lost: {}.", repaired.lost.join(", ")));
            }
        }
        let board = self.board(None)?;
        let swept = board.spec.sweep()?;
        if swept > 0 {
            done.push(format!(
                "{} that interrupted writes had left {} removed.",
                counted(swept, "file"),
                verb(swept, "was", "were")
            ));
        }
        self.refresh(&board)?;
        self.flush_board(&board)?;
        Ok(done)
    }
}

/// What is somebody else's, or elsewhere, is not mended.
fn is_damaged(file: &Path, within: Option<&Path>) -> Result<bool, Error> {
    match becket_store::check(file, within) {
        Ok(()) => Ok(false),
        Err(error @ (StoreError::Foreign { .. } | StoreError::File { .. })) => Err(error.into()),
        Err(_) => Ok(true),
    }
}

/// Also a link that leads nowhere.
fn is_there(file: &Path) -> bool {
    fs_err::symlink_metadata(file).is_ok_and(|metadata| !metadata.is_dir())
}
