//! `context://{ref}`: an entry as Markdown, with what a reader must know before relying on it.

use becket_engine::{Engine, Error};
use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{ResourceContents, ResourceTemplate};

use super::Source;
use crate::{call::Call, toolset::Toolset};

const PREFIX: &str = "context://";
const TEMPLATE: &str = "context://{ref}";

pub(super) struct ContextEntry;

impl Source for ContextEntry {
    fn toolset(&self) -> Toolset {
        Toolset::Remember
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new(TEMPLATE, "context entry")
                .with_title("Reason")
                .with_description("Why code is as it is: the entry that a comment refers to.")
                .with_mime_type("text/markdown"),
        ]
    }

    fn read<'a>(
        &'a self,
        call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>> {
        async move {
            let reference = uri.strip_prefix(PREFIX)?.to_owned();
            let entry = call.blocking(move |engine| engine.context_get(&reference, None)).await;
            Some(entry.map(|entry| {
                let mut lines: Vec<String> =
                    entry.notices.iter().map(|notice| format!("> {notice}")).collect();
                if !lines.is_empty() {
                    lines.push(String::new());
                }
                lines.push(entry.markdown);
                ResourceContents::text(lines.join("\n"), uri).with_mime_type("text/markdown")
            }))
        }
        .boxed()
    }

    fn complete(&self, engine: &Engine, template: &str, argument: &str) -> Option<Vec<String>> {
        // Without a vault there is nothing to complete, which is no error.
        (template == TEMPLATE && argument == "ref").then(|| engine.context_complete("").unwrap_or_default())
    }
}
