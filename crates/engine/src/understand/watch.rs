//! Whether somebody watches a project: what a watching process says of itself, and whether it is still there.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::session::{LOG, VIOLATIONS, is_watched, status_in};
use super::written;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct WatchRequest {
    pub project_path: Option<String>,
    pub include_recent_logs: bool,
    pub log_limit: Option<usize>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WatchStatus {
    pub project_path: String,
    pub watch_mode_active: bool,
    pub message: String,
    /// What the watching process wrote of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_watch: Option<Value>,
    /// Newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_logs: Option<Vec<Value>>,
}

impl Engine {
    pub fn watch_status(&self, request: &WatchRequest) -> Result<WatchStatus, Error> {
        let site = self.site(request.project_path.as_deref())?;
        let folder = site.folder();
        let read =
            |name: &str| -> Option<Value> { serde_json::from_str(&written::read(&folder.join(name))?).ok() };
        let status = status_in(&folder);
        let says_active = status.as_ref().is_some_and(|status| status["active"] == true);
        // A watcher of ours says it again soon when somebody removed what it said.
        let is_lost = status.is_none() && is_watched(&site);
        let pid = status.as_ref().and_then(|status| status["pid"].as_u64());
        // A number is given to another process one day; a lock is not. The original's watcher has only a number.
        let ours = status.as_ref().is_some_and(|status| status["watcher"].is_string());
        let active =
            is_lost || says_active && if ours { is_watched(&site) } else { pid.is_some_and(is_alive) };
        let message = match (active, says_active) {
            (true, _) => "A process watches this project; its context files follow every edit.",
            (false, true) => {
                "A process watched this project and has ended without saying so; nothing follows edits."
            }
            (false, false) => {
                "Nothing watches this project. Answers are made from the files as they are anyway."
            }
        };
        let logs = request.include_recent_logs.then(|| {
            let log = read(LOG).unwrap_or_default();
            let entries = log.get("entries").and_then(Value::as_array).or(log.as_array()).cloned();
            let limit = request.log_limit.unwrap_or(5).min(100);
            entries.unwrap_or_default().into_iter().take(limit).collect()
        });
        Ok(WatchStatus {
            project_path: site.shown(),
            watch_mode_active: active,
            message: message.to_owned(),
            status,
            strict_watch: read(VIOLATIONS),
            recent_logs: logs,
        })
    }
}

#[cfg(unix)]
fn is_alive(pid: u64) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    match rustix::process::test_kill_process(pid) {
        Ok(()) => true,
        // It is there, and somebody else's.
        Err(error) => error == rustix::io::Errno::PERM,
    }
}

/// There is no way to ask without the right to; what the file says is believed.
#[cfg(not(unix))]
fn is_alive(_pid: u64) -> bool {
    true
}
