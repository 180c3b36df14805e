//! Values for the arguments of prompts and resource templates.

use becket_engine::Error;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use crate::server::Shared;

/// What the protocol allows in one answer.
const MOST: usize = 100;

pub(crate) fn complete(shared: &Shared, request: &CompleteRequestParams) -> Result<CompleteResult, Error> {
    let argument = request.argument.name.as_str();
    let values = match &request.r#ref {
        Reference::Prompt(reference) => {
            let prompt = shared
                .prompts
                .iter()
                .find(|prompt| prompt.definition().name == reference.name)
                .ok_or_else(|| unknown("unknown_prompt", &reference.name))?;
            prompt.complete(&shared.engine, argument)
        }
        Reference::Resource(reference) => {
            let known = shared.sources.iter().any(|source| {
                source.templates().iter().any(|template| template.uri_template == reference.uri)
            });
            if !known {
                return Err(unknown("unknown_template", &reference.uri));
            }
            shared.sources.iter().find_map(|source| source.complete(&shared.engine, &reference.uri, argument))
        }
        _ => {
            return Err(Error::invalid(
                "unknown_reference",
                "Only prompts and resource templates can be completed.",
            ));
        }
    };
    let typed = request.argument.value.to_lowercase();
    let mut matching: Vec<String> = values.unwrap_or_default();
    matching.retain(|value| value.to_lowercase().contains(&typed));
    // What begins with the typed text comes first; otherwise the order stays.
    matching.sort_by_key(|value| !value.to_lowercase().starts_with(&typed));
    let total = matching.len();
    matching.truncate(MOST);
    let info = CompletionInfo::with_pagination(matching, u32::try_from(total).ok(), total > MOST)
        .map_err(Error::internal)?;
    Ok(CompleteResult::new(info))
}

fn unknown(code: &'static str, name: &str) -> Error {
    Error::invalid(code, format!("There is nothing called `{}` to complete.", becket_base::clip(name, 80)))
        .with_hint("prompts/list and resources/templates/list name what there is.")
}
