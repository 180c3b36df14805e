//! The tables, once for all databases: `{id}`, `{int}` and `{text}` are spelled by each. A step is never changed once
//! it was released; a change of the schema is a new step.

/// How a database spells what differs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spelling {
    /// A key that rises by itself, or that the transaction counts.
    pub(crate) id: &'static str,
    pub(crate) int: &'static str,
    /// Compared byte by byte.
    pub(crate) text: &'static str,
    /// After a table whose key is all there is to it.
    pub(crate) keyed: &'static str,
    /// What ends the checks of rows that are written by tens of thousands, where each would be a look of its own.
    pub(crate) unchecked: &'static str,
    /// What makes a place to keep the first expiry in, where looking for it is dear.
    pub(crate) first_expiry: &'static str,
}

pub(crate) const VERSION: i64 = 4;

/// The statements that lead from `from` to the newest version.
pub(crate) fn steps(from: i64, spelling: Spelling) -> String {
    let from = usize::try_from(from).unwrap_or(0);
    let wanted = STEPS.iter().skip(from).copied().collect::<Vec<_>>().join("\n");
    wanted
        .replace("{id}", spelling.id)
        .replace("{int}", spelling.int)
        .replace("{text}", spelling.text)
        .replace("{keyed}", spelling.keyed)
        .replace("{unchecked}", spelling.unchecked)
        .replace("{first_expiry}", spelling.first_expiry)
}

/// All tables with rows that belong to the repository and their columns, in the order in which they can be filled.
pub(crate) const TABLES: &[(&str, &[&str])] = &[
    (
        "agents",
        &[
            "agent_id",
            "display_name",
            "role",
            "client",
            "model",
            "capabilities",
            "session_meta",
            "created_at",
            "last_seen_at",
            "last_seen_tick",
            "clock_epoch",
            "ttl_seconds",
            "left_at",
            "told_event",
        ],
    ),
    (
        "tasks",
        &[
            "task_id",
            "sort_key",
            "status",
            "updated_at",
            "completed_by",
            "completed_at",
            "verified_by",
            "verified_at",
        ],
    ),
    ("worktrees", &["worktree", "name", "spec_stat", "spec_hash", "synced_at"]),
    (
        "definitions",
        &[
            "worktree",
            "task_id",
            "sort_key",
            "priority",
            "status",
            "unmet",
            "seen_status",
            "title",
            "labels",
            "depends_on",
            "locks",
            "digest",
            "body",
        ],
    ),
    ("dependencies", &["worktree", "task_id", "dependency"]),
    ("labels", &["worktree", "label", "priority", "sort_key", "task_id", "claimable"]),
    ("problems", &["worktree", "task_id", "sort_key", "kind", "detail"]),
    (
        "leases",
        &[
            "task_id",
            "generation",
            "lease_id",
            "agent_id",
            "last_agent_id",
            "created_at",
            "expires_at",
            "expires_tick",
            "clock_epoch",
            "ttl_seconds",
            "locks",
        ],
    ),
    (
        "messages",
        &[
            "sequence",
            "message_id",
            "created_at",
            "from_agent_id",
            "to_agent_id",
            "task_id",
            "subject",
            "body",
            "severity",
        ],
    ),
    ("deliveries", &["agent_id", "sequence", "in_inbox", "read_at"]),
    (
        "events",
        &[
            "id",
            "created_at",
            "type",
            "actor_agent_id",
            "task_id",
            "target_agent_id",
            "payload_json",
            "correlation_id",
        ],
    ),
    ("outbox", &["worktree", "task_id", "sequence"]),
    ("answers", &["key", "operation", "answer", "created_at"]),
];

const STEPS: &[&str] = &["
CREATE TABLE meta (key {text} PRIMARY KEY, value {text} NOT NULL);
CREATE TABLE agents (
  agent_id {text} PRIMARY KEY,
  display_name {text},
  role {text},
  client {text},
  model {text},
  capabilities {text} NOT NULL,
  session_meta {text} NOT NULL,
  created_at {text} NOT NULL,
  last_seen_at {text} NOT NULL,
  last_seen_tick {int} NOT NULL,
  clock_epoch {text} NOT NULL,
  ttl_seconds {int} NOT NULL,
  left_at {text},
  told_event {int} NOT NULL
);
CREATE INDEX agents_seen ON agents (last_seen_at);
CREATE TABLE tasks (
  task_id {text} PRIMARY KEY,
  sort_key {text} NOT NULL,
  status {text} NOT NULL,
  updated_at {text},
  completed_by {text},
  completed_at {text},
  verified_by {text},
  verified_at {text}
);
CREATE INDEX tasks_order ON tasks (sort_key);
CREATE TABLE worktrees (
  worktree {text} PRIMARY KEY,
  name {text} NOT NULL,
  spec_stat {text} NOT NULL,
  spec_hash {text} NOT NULL,
  synced_at {text} NOT NULL
);
CREATE TABLE definitions (
  worktree {text} NOT NULL REFERENCES worktrees (worktree) ON DELETE CASCADE,
  task_id {text} NOT NULL REFERENCES tasks (task_id),
  sort_key {text} NOT NULL,
  priority {int} NOT NULL,
  status {text} NOT NULL,
  unmet {int} NOT NULL,
  seen_status {text} NOT NULL,
  title {text} NOT NULL,
  labels {text} NOT NULL,
  depends_on {text} NOT NULL,
  locks {text} NOT NULL,
  digest {text} NOT NULL,
  body {text} NOT NULL,
  PRIMARY KEY (worktree, task_id)
);
CREATE INDEX definitions_order ON definitions (worktree, priority, sort_key);
CREATE INDEX definitions_status ON definitions (worktree, status, priority, sort_key);
CREATE INDEX definitions_claimable ON definitions (worktree, priority, sort_key) WHERE status = 'ready' AND unmet = 0;
CREATE INDEX definitions_task ON definitions (task_id);
CREATE TABLE dependencies (
  worktree {text} NOT NULL,
  task_id {text} NOT NULL,
  dependency {text} NOT NULL,
  PRIMARY KEY (worktree, task_id, dependency),
  FOREIGN KEY (worktree, task_id) REFERENCES definitions (worktree, task_id) ON DELETE CASCADE
){keyed};
CREATE INDEX dependencies_of ON dependencies (dependency, worktree);
CREATE TABLE labels (
  worktree {text} NOT NULL,
  label {text} NOT NULL,
  priority {int} NOT NULL,
  sort_key {text} NOT NULL,
  task_id {text} NOT NULL,
  claimable {int} NOT NULL,
  PRIMARY KEY (worktree, label, priority, sort_key),
  FOREIGN KEY (worktree, task_id) REFERENCES definitions (worktree, task_id) ON DELETE CASCADE
){keyed};
CREATE INDEX labels_task ON labels (task_id, worktree);
CREATE INDEX labels_claimable ON labels (worktree, label, priority, sort_key) WHERE claimable = 1;
CREATE TABLE problems (
  worktree {text} NOT NULL,
  task_id {text} NOT NULL,
  sort_key {text} NOT NULL,
  kind {text} NOT NULL,
  detail {text} NOT NULL,
  PRIMARY KEY (worktree, task_id, kind, detail),
  FOREIGN KEY (worktree, task_id) REFERENCES definitions (worktree, task_id) ON DELETE CASCADE
);
CREATE TABLE leases (
  task_id {text} PRIMARY KEY REFERENCES tasks (task_id),
  generation {int} NOT NULL,
  lease_id {text} NOT NULL,
  agent_id {text} REFERENCES agents (agent_id),
  last_agent_id {text} NOT NULL,
  created_at {text} NOT NULL,
  expires_at {text} NOT NULL,
  expires_tick {int} NOT NULL,
  clock_epoch {text} NOT NULL,
  ttl_seconds {int} NOT NULL,
  locks {text} NOT NULL
);
CREATE INDEX leases_agent ON leases (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX leases_expiry ON leases (clock_epoch, expires_tick) WHERE agent_id IS NOT NULL;
CREATE TABLE messages (
  sequence {int} PRIMARY KEY,
  message_id {text} NOT NULL UNIQUE,
  created_at {text} NOT NULL,
  from_agent_id {text} NOT NULL REFERENCES agents (agent_id),
  to_agent_id {text},
  task_id {text},
  subject {text},
  body {text} NOT NULL,
  severity {text} NOT NULL
);
CREATE INDEX messages_task ON messages (task_id, sequence) WHERE task_id IS NOT NULL;
CREATE INDEX messages_from ON messages (from_agent_id, sequence);
CREATE INDEX messages_time ON messages (created_at);
CREATE TABLE deliveries (
  agent_id {text} NOT NULL REFERENCES agents (agent_id),
  sequence {int} NOT NULL REFERENCES messages (sequence),
  in_inbox {int} NOT NULL,
  read_at {text},
  PRIMARY KEY (agent_id, sequence)
){keyed};
CREATE INDEX deliveries_unread ON deliveries (agent_id, sequence) WHERE read_at IS NULL;
CREATE INDEX deliveries_message ON deliveries (sequence);
CREATE TABLE events (
  id {id},
  created_at {text} NOT NULL,
  type {text} NOT NULL,
  actor_agent_id {text},
  task_id {text},
  target_agent_id {text},
  payload_json {text} NOT NULL,
  correlation_id {text}
);
CREATE INDEX events_type ON events (type, id);
CREATE TABLE outbox (
  worktree {text} NOT NULL REFERENCES worktrees (worktree) ON DELETE CASCADE,
  task_id {text} NOT NULL,
  sequence {int} NOT NULL,
  PRIMARY KEY (worktree, task_id)
){keyed};
CREATE INDEX outbox_order ON outbox (worktree, sequence);
CREATE TABLE answers (
  key {text} PRIMARY KEY,
  operation {text} NOT NULL,
  answer {text} NOT NULL,
  created_at {text} NOT NULL
);
CREATE INDEX answers_time ON answers (created_at);
", "
CREATE TABLE tallies (
  worktree {text} NOT NULL REFERENCES worktrees (worktree) ON DELETE CASCADE,
  label {text} NOT NULL,
  status {text} NOT NULL,
  is_open {int} NOT NULL,
  amount {int} NOT NULL,
  PRIMARY KEY (worktree, label, status, is_open)
){keyed};
DROP INDEX definitions_claimable;
CREATE INDEX definitions_open ON definitions (worktree, status, unmet, priority, sort_key);
CREATE TABLE labels_by_task (
  worktree {text} NOT NULL,
  label {text} NOT NULL,
  priority {int} NOT NULL,
  sort_key {text} NOT NULL,
  task_id {text} NOT NULL,
  claimable {int} NOT NULL,
  PRIMARY KEY (task_id, worktree, label),
  FOREIGN KEY (worktree, task_id) REFERENCES definitions (worktree, task_id) ON DELETE CASCADE
){keyed};
INSERT INTO labels_by_task (worktree, label, priority, sort_key, task_id, claimable)
  SELECT worktree, label, priority, sort_key, task_id, claimable FROM labels;
DROP TABLE labels;
ALTER TABLE labels_by_task RENAME TO labels;
CREATE INDEX labels_order ON labels (worktree, label, priority, sort_key);
CREATE INDEX labels_open ON labels (worktree, label, claimable, priority, sort_key);
INSERT INTO tallies (worktree, label, status, is_open, amount)
  SELECT worktree, '', status, CASE WHEN unmet = 0 THEN 1 ELSE 0 END, COUNT(*) FROM definitions
  GROUP BY worktree, status, CASE WHEN unmet = 0 THEN 1 ELSE 0 END;
INSERT INTO tallies (worktree, label, status, is_open, amount)
  SELECT d.worktree, '=' || b.label, d.status, CASE WHEN d.unmet = 0 THEN 1 ELSE 0 END, COUNT(*)
  FROM definitions d JOIN labels b ON b.worktree = d.worktree AND b.task_id = d.task_id
  GROUP BY d.worktree, b.label, d.status, CASE WHEN d.unmet = 0 THEN 1 ELSE 0 END;
", "{unchecked}", "
CREATE INDEX definitions_behind ON definitions (worktree, sort_key) WHERE seen_status <> status;
{first_expiry}"];
