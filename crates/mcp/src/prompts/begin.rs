//! `becket_begin`: how an agent starts work in this repository.

use becket_engine::Engine;
use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, PromptArgument, PromptMessage,
        Role,
    },
    service::RequestContext,
};

use super::Template;
use crate::{call::Call, toolset::Toolset};

pub(super) struct Begin;

impl Template for Begin {
    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn definition(&self) -> Prompt {
        Prompt::new(
            "becket_begin",
            Some("Start work in this repository with becket's tools."),
            Some(vec![
                PromptArgument::new("goal")
                    .with_description("What is to be done, in a sentence.")
                    .with_required(false),
                PromptArgument::new("worktree")
                    .with_description("The worktree to work in; the server's own if left out.")
                    .with_required(false),
            ]),
        )
        .with_title("Begin")
    }

    fn get(
        &self,
        _call: Call,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ErrorData>> {
        async move {
            let goal = argument(&request, "goal");
            let worktree = argument(&request, "worktree");
            let mut text = String::from("Begin with the becket_status tool");
            if let Some(worktree) = worktree {
                text.push_str(" with ");
                text.push_str(&serde_json::json!({ "worktree": worktree }).to_string());
            }
            text.push_str(": it names the repository, the branch and the calls that make sense next. ");
            text.push_str("Say which worktree you mean in every call when there are several.");
            if let Some(goal) = goal {
                text.push_str("\n\nThe goal, in the person's own words:\n");
                text.push_str(goal);
            }
            let message = PromptMessage::new_text(Role::User, text);
            Ok(GetPromptResponse::Complete(GetPromptResult::new(vec![message])))
        }
        .boxed()
    }

    fn complete(&self, engine: &Engine, argument: &str) -> Option<Vec<String>> {
        (argument == "worktree").then(|| engine.worktree_paths())
    }
}

fn argument<'a>(request: &'a GetPromptRequestParams, name: &str) -> Option<&'a str> {
    request.arguments.as_ref()?.get(name)?.as_str()
}
