//! `lodestar_agent_workflow` and `lodestar_task_execute`: how agents share the work.

use becket_engine::{
    Engine,
    coordinate::{TaskContext, TaskGet},
};
use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, PromptArgument, PromptMessage,
        Role,
    },
    service::RequestContext,
};
use serde_json::Value;

use super::Template;
use crate::{call::Call, route::protocol_error, toolset::Toolset};

pub(super) struct AgentWorkflow;
pub(super) struct TaskExecute;

const WORKFLOW: &str = "\
Work with the other agents of this repository through the lodestar tools:

1. lodestar_agent_join once; give the agentId with every later call.
2. lodestar_task_claim_next takes the best free task (or lodestar_task_next, then lodestar_task_claim). If ok is false, \
another agent has it: take another one.
3. lodestar_task_context and lodestar_task_get say what is wanted. Work only on what you hold; lodestar_task_renew before the \
lease ends, lodestar_task_release if you cannot go on.
4. When every acceptance criterion is met: lodestar_task_done. Check it, then lodestar_task_verify: that frees the tasks that \
depend on it.
5. lodestar_message_send with severity handoff or blocker, whenever somebody else must know; read yours with \
lodestar_message_list and lodestar_message_ack.
6. Nothing to do: lodestar_events_wait, then begin again at 2. At the end: lodestar_agent_leave.";

impl Template for AgentWorkflow {
    fn toolset(&self) -> Toolset {
        Toolset::Coordinate
    }

    fn definition(&self) -> Prompt {
        Prompt::new(
            "lodestar_agent_workflow",
            Some("Join, claim, finish, verify and hand off tasks that several agents share."),
            None,
        )
        .with_title("Agent workflow")
    }

    fn get(
        &self,
        _call: Call,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ErrorData>> {
        async move { Ok(said(WORKFLOW.to_owned())) }.boxed()
    }
}

impl Template for TaskExecute {
    fn toolset(&self) -> Toolset {
        Toolset::Coordinate
    }

    fn definition(&self) -> Prompt {
        let task = PromptArgument::new("taskId")
            .with_description("The task; the one you hold if left out.")
            .with_required(false);
        Prompt::new(
            "lodestar_task_execute",
            Some("Carry out a task by its acceptance criteria, and end with a checklist."),
            Some(vec![task]),
        )
        .with_title("Execute a task")
    }

    fn get(
        &self,
        call: Call,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ErrorData>> {
        async move {
            let named = ["taskId", "task_id"];
            let arguments = request.arguments.as_ref();
            let id = named.iter().find_map(|name| arguments?.get(*name)).and_then(Value::as_str).map(str::to_owned);
            let mut text = String::from(
                "Carry out the task you hold. Follow its acceptance criteria one by one, touch only the paths of its \
                 locks, and keep the lease alive with lodestar_task_renew. End with a verification checklist: each \
                 criterion, how you checked it, and what you saw. Only then call lodestar_task_done.",
            );
            if let Some(id) = id {
                let found = call
                    .blocking(move |engine| {
                        let task = engine.task_get(&TaskGet { task_id: id.clone(), ..TaskGet::default() })?.answer;
                        let context = engine.task_context(&TaskContext { task_id: id, ..TaskContext::default() })?.answer;
                        Ok((task, context))
                    })
                    .await
                    .map_err(|error| protocol_error(&error))?;
                let (task, context) = found;
                let criteria: Vec<String> =
                    task.task.acceptance_criteria.iter().map(|one| format!("- [ ] {one}")).collect();
                text = format!("{text}\n\n{}: {}", task.task.id, task.task.title);
                if !context.content.is_empty() {
                    text = format!("{text}\n\n{}", context.content);
                }
                if !criteria.is_empty() {
                    text = format!("{text}\n\nAcceptance criteria:\n{}", criteria.join("\n"));
                }
            }
            Ok(said(text))
        }
        .boxed()
    }

    fn complete(&self, engine: &Engine, argument: &str) -> Option<Vec<String>> {
        (argument == "taskId").then(|| engine.task_ids())
    }
}

fn said(text: String) -> GetPromptResponse {
    GetPromptResponse::Complete(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}
