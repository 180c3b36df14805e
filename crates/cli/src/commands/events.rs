//! `becket events`: what happened, and with `--follow` what happens.

use std::{process::ExitCode, time::Duration};

use becket_engine::{
    Error,
    coordinate::{EventRow, EventsPull},
};
use serde_json::json;

use crate::{
    context::Context,
    ui::{Report, visible},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Events {
    /// Only events after this one
    #[arg(long, default_value_t = 0)]
    since: i64,
    /// At most so many, from the oldest
    #[arg(short = 'n', long, default_value_t = 200)]
    limit: usize,
    /// Only these types, such as task.done
    #[arg(short = 't', long = "type", value_delimiter = ',')]
    types: Vec<String>,
    /// Print what happens from now on, one line each, until stopped
    #[arg(short, long)]
    follow: bool,
}

impl Events {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let result = if self.follow { self.follow(context) } else { self.list(context) };
        context.ui.finish("events", result)
    }

    fn list(self, context: &Context) -> Result<Report<serde_json::Value>, Error> {
        let engine = context.engine(Vec::new());
        let found = engine.events_pull(&EventsPull {
            since_cursor: Some(self.since),
            limit: Some(self.limit),
            filter_types: self.types,
            stream: None,
        })?;
        let mut text: Vec<String> = found.events.iter().map(line).collect();
        if found.more {
            text.push(format!("(more: --since {})", found.next_cursor));
        }
        let text = if text.is_empty() { "Nothing happened.".to_owned() } else { text.join("\n") };
        Ok(Report::new(json!(found), visible(&text)))
    }

    /// Ends with its reader or by a signal.
    fn follow(self, context: &Context) -> Result<Report<serde_json::Value>, Error> {
        let engine = context.engine(Vec::new());
        let mut tail = engine.events_tail(std::time::Instant::now())?;
        let mut shown = self.since;
        loop {
            // Asked also where nothing before is wanted: a type that does not exist is refused and not waited for.
            let page = engine.events_pull(&EventsPull {
                since_cursor: Some(shown),
                limit: Some(if self.since > 0 { 1_000 } else { 1 }),
                filter_types: self.types.clone(),
                stream: None,
            })?;
            if self.since == 0 {
                break;
            }
            page.events.iter().for_each(|event| self.show(context, event));
            shown = page.next_cursor;
            if !page.more {
                break;
            }
        }
        loop {
            for event in tail.wait(Duration::from_secs(1))?.iter().filter(|event| event.id > shown) {
                self.show(context, event);
            }
            // What had come while the earlier ones were shown was in the first of these. From now on all is new, also where
            // the ids begin again.
            shown = 0;
        }
    }

    fn show(&self, context: &Context, event: &EventRow) {
        if !self.types.is_empty() && !self.types.contains(&event.kind) {
            return;
        }
        if context.global.json {
            context.ui.print(&json!(event).to_string());
        } else {
            context.ui.print(&visible(&line(event)));
        }
    }
}

fn line(event: &EventRow) -> String {
    format!("{:>6}  {}  {}", event.id, event.created_at, event.summary())
}
