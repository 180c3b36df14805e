//! Events: pulled by a cursor, waited for, or followed by a server that tells its clients.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use becket_store::{ALL_EVENT_TYPES, Event, EventPage, EventQuery, EventType, Store};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    answer::{Answer, agent_id},
    tasks::bounded,
};
use crate::{Engine, Error, progress::tell};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EventsPull {
    /// Events after this one; all if left out.
    pub since_cursor: Option<i64>,
    /// 1 to 1000; 200 if left out.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Only these, such as task.done.
    pub filter_types: Vec<String>,
    /// The stream of the answer before: a reset of the store is told instead of missed.
    pub stream: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventsWait {
    pub agent_id: String,
    /// Events after this one; if left out, what the agent was not told since its last call.
    #[serde(default)]
    pub since_cursor: Option<i64>,
    /// 1 to 55; 25 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 55))]
    pub timeout_seconds: Option<u64>,
    /// Only these, such as message.sent.
    #[serde(default)]
    pub filter_types: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventsAnswer {
    pub events: Vec<EventRow>,
    /// Give it as sinceCursor next time.
    pub next_cursor: i64,
    pub stream: String,
    /// The store was reset since your cursor: these are the events of the new stream.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
    /// There is more right now.
    pub more: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventRow {
    pub id: i64,
    pub created_at: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_agent_id: Option<String>,
    pub payload: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

impl EventRow {
    /// For a log line or a notification.
    pub fn summary(&self) -> String {
        let mut words = vec![self.kind.clone()];
        words.extend(self.task_id.clone());
        words.extend(self.actor_agent_id.as_ref().map(|agent| format!("by {agent}")));
        words.extend(self.target_agent_id.as_ref().map(|agent| format!("to {agent}")));
        words.join(" ")
    }
}

/// What a server tails: the store of its board, from now on.
#[derive(Debug)]
pub struct Tail {
    store: Arc<Store>,
    watch: becket_store::Watch,
    cursor: i64,
    stream: Option<String>,
    /// Something may have happened before the watch began.
    is_behind: bool,
}

const WAIT: u64 = 25;

impl Engine {
    pub fn events_pull(&self, request: &EventsPull) -> Result<EventsAnswer, Error> {
        bounded("limit", request.limit, 1_000)?;
        let board = self.board(None)?;
        let types = types(&request.filter_types)?;
        self.fitting(request.limit.unwrap_or(200), |limit| {
            Ok(EventsAnswer::from(board.store.events(&EventQuery {
                since: request.since_cursor.unwrap_or(0),
                stream: request.stream.clone(),
                limit: Some(limit),
                types: types.clone(),
                concerning: None,
            })?))
        })
    }

    /// Returns as soon as something happened that concerns the agent, or with nothing when the time is up.
    pub fn events_wait(
        &self,
        request: &EventsWait,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Answer<EventsAnswer>, Error> {
        let seconds = request.timeout_seconds.unwrap_or(WAIT);
        if !(1..=55).contains(&seconds) {
            return Err(Error::invalid("invalid_arguments", "`timeoutSeconds` is a number from 1 to 55.")
                .with_hint("Call again to wait longer."));
        }
        let agent = agent_id(&request.agent_id)?;
        let board = self.board(None)?;
        // Asked also where a cursor is given: an agent that never joined waits for nothing.
        let told = board.store.told(&agent)?;
        let since = request.since_cursor.unwrap_or(told);
        let query = EventQuery {
            since,
            types: types(&request.filter_types)?,
            concerning: Some(agent.clone()),
            ..EventQuery::default()
        };
        let begun = Instant::now();
        let whole = usize::try_from(seconds).ok();
        let unwanted = || {
            let waited = usize::try_from(begun.elapsed().as_secs()).unwrap_or(usize::MAX);
            tell("waiting for news", waited, whole);
            cancelled()
        };
        let page = board.store.wait(&query, Duration::from_secs(seconds), &unwanted)?;
        Ok(self.answered(&board, Some(&agent), EventsAnswer::from(page)))
    }

    /// Follows the store of this repository from where it was `then`; an error where there is none yet.
    pub fn events_tail(&self, then: Instant) -> Result<Tail, Error> {
        let board = self.board(None)?;
        // Watched before it is read: what is committed in between is looked for twice rather than never.
        let watch = board.store.watch()?;
        let cursor = board.store.event_at(then)?;
        Ok(Tail { watch, store: board.store, cursor, stream: None, is_behind: true })
    }
}

impl Tail {
    /// Waits at most `timeout` for somebody to commit something, and gives what is new. Time alone ends leases, so it is
    /// looked even if nobody did.
    pub fn wait(&mut self, timeout: Duration) -> Result<Vec<EventRow>, Error> {
        if !std::mem::take(&mut self.is_behind) {
            self.watch.wait(timeout)?;
        }
        self.news()
    }

    /// What is new, without waiting.
    pub fn news(&mut self) -> Result<Vec<EventRow>, Error> {
        let query = EventQuery {
            since: self.cursor,
            stream: self.stream.clone(),
            limit: Some(1_000),
            ..EventQuery::default()
        };
        let page = self.store.events(&query)?;
        self.cursor = page.next_cursor;
        self.stream = Some(page.stream.clone());
        Ok(EventsAnswer::from(page).events)
    }
}

fn types(words: &[String]) -> Result<Vec<EventType>, Error> {
    let parse = |word: &String| {
        EventType::parse(word).ok_or_else(|| {
            let known: Vec<&str> = ALL_EVENT_TYPES.iter().map(|one| one.word()).collect();
            let error = Error::invalid(
                "invalid_event_type",
                format!("`{}` is not a type of event.", becket_base::clip(word, 40)),
            );
            error.with_hint(format!("The types are {}.", known.join(", ")))
        })
    };
    words.iter().map(parse).collect()
}

impl From<EventPage> for EventsAnswer {
    fn from(page: EventPage) -> Self {
        Self {
            events: page.events.into_iter().map(EventRow::from).collect(),
            next_cursor: page.next_cursor,
            stream: page.stream,
            reset: page.reset,
            more: page.more,
        }
    }
}

impl From<Event> for EventRow {
    fn from(event: Event) -> Self {
        Self {
            id: event.id,
            created_at: event.created_at,
            kind: event.kind.word().to_owned(),
            actor_agent_id: event.actor.map(|agent| agent.to_string()),
            task_id: event.task.map(|task| task.to_string()),
            target_agent_id: event.target.map(|agent| agent.to_string()),
            payload: event.payload,
            correlation_id: event.correlation_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_type_is_refused_with_the_known_ones() {
        assert_eq!(types(&["task.done".to_owned()]).unwrap(), [EventType::TaskDone]);
        let error = types(&["task.finished".to_owned()]).unwrap_err();
        assert_eq!(error.code(), "invalid_event_type");
        assert!(error.hint().is_some_and(|hint| hint.contains("task.verified")));
    }

    #[test]
    fn a_summary_names_who_did_what_to_whom() {
        let event = EventRow {
            id: 1,
            created_at: String::new(),
            kind: "message.sent".to_owned(),
            actor_agent_id: Some("A1".to_owned()),
            task_id: Some("T1".to_owned()),
            target_agent_id: Some("A2".to_owned()),
            payload: json!({}),
            correlation_id: None,
        };
        assert_eq!(event.summary(), "message.sent T1 by A1 to A2");
    }
}
