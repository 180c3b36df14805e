//! `lodestar://spec`, `lodestar://status` and `lodestar://task/{taskId}`: the coordinate plane without a tool call.

use becket_engine::{
    Engine, Error,
    coordinate::{BoardStatusRequest, TaskGet},
};
use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::Source;
use crate::{call::Call, toolset::Toolset};

pub(crate) const SPEC: &str = "lodestar://spec";
pub(crate) const STATUS: &str = "lodestar://status";
const TASK: &str = "lodestar://task/";
const TEMPLATE: &str = "lodestar://task/{taskId}";

pub(super) struct Lodestar;

pub(crate) fn task_uri(task: &str) -> String {
    format!("{TASK}{task}")
}

impl Source for Lodestar {
    fn toolset(&self) -> Toolset {
        Toolset::Coordinate
    }

    fn resources(&self) -> Vec<Resource> {
        vec![
            Resource::new(SPEC, "spec")
                .with_title("Task definitions")
                .with_description("The content of .lodestar/spec.yaml.")
                .with_mime_type("text/yaml"),
            Resource::new(STATUS, "coordination status")
                .with_title("Where the work stands")
                .with_description("Tasks by status, leases, agents, unread messages.")
                .with_mime_type("application/json"),
        ]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new(TEMPLATE, "task")
                .with_title("Task")
                .with_description("One task: definition, status, lease, warnings.")
                .with_mime_type("application/json"),
        ]
    }

    fn read<'a>(
        &'a self,
        call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>> {
        async move {
            match uri {
                SPEC => {
                    let text = call.blocking(Engine::spec_text).await;
                    Some(text.map(|text| ResourceContents::text(text, SPEC).with_mime_type("text/yaml")))
                }
                STATUS => {
                    let status =
                        call.blocking(|engine| engine.lodestar_status(&BoardStatusRequest::default())).await;
                    Some(status.and_then(|status| super::json(STATUS, &status)))
                }
                _ => {
                    let task_id = decoded(uri.strip_prefix(TASK)?);
                    let request = TaskGet { task_id, ..TaskGet::default() };
                    let task = call.blocking(move |engine| engine.task_get(&request)).await;
                    Some(task.and_then(|task| super::json(uri, &task.answer)))
                }
            }
        }
        .boxed()
    }

    fn complete(&self, engine: &Engine, template: &str, argument: &str) -> Option<Vec<String>> {
        (template == TEMPLATE && argument == "taskId").then(|| engine.task_ids())
    }
}

/// An id as a URI carries it: `%20` and the like.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hexadecimal =
            after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = hexadecimal.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_a_uri_carries_them() {
        assert_eq!(decoded("T1"), "T1");
        assert_eq!(decoded("a%20b%2Fc"), "a b/c");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%E6%97%A5"), "日");
    }
}
