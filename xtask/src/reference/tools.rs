//! `docs/reference/tools.md`: every tool by toolset, with parameters, output fields and schemas, from the tool table.

use serde_json::Value;

use super::markdown::{code, fence, fold, heading, paragraph, sentence, table};
use super::schema;

pub(super) fn body() -> String {
    page(&becket_mcp::tools::reference())
}

fn page(tools: &[Value]) -> String {
    let mut page = String::from(
        "As `becket mcp` lists them. A call is accepted with dots or with underscores in the name. \
         A failed call is a result with `isError`; its `structuredContent` has only `error`, with a stable `code`, a `kind`, \
         a `message` and mostly a `hint`.\n\n",
    );
    let rows: Vec<Vec<String>> = tools
        .iter()
        .map(|tool| {
            let name = listed_name(tool);
            vec![
                text(&tool["toolset"]),
                format!("[{}](#{name})", code(&name)),
                effect(tool),
                sentence(&text(&tool["tool"]["title"])),
            ]
        })
        .collect();
    page.push_str(&table(&["Toolset", "Tool", "Effect", "Title"], &rows));
    let mut toolset = None;
    for tool in tools {
        if toolset != Some(&tool["toolset"]) {
            toolset = Some(&tool["toolset"]);
            page.push_str(&heading(2, &format!("Toolset {}", code(&text(&tool["toolset"])))));
        }
        section(tool, &mut page);
    }
    page
}

fn section(row: &Value, page: &mut String) {
    let tool = &row["tool"];
    page.push_str(&heading(3, &code(&listed_name(row))));
    page.push_str(&paragraph(&sentence(&text(&tool["description"]))));
    page.push_str(&paragraph(&format!("Effect: {}", sentence(&effect(row)))));
    let input = &tool["inputSchema"];
    let parameters: Vec<Vec<String>> = schema::fields(input)
        .into_iter()
        .map(|field| {
            let needed = if field.required { "yes" } else { "no" };
            vec![code(&field.path), field.kind, needed.to_owned(), field.default, field.description]
        })
        .collect();
    if parameters.is_empty() {
        page.push_str("No parameters.\n\n");
    }
    page.push_str(&table(&["Parameter", "Type", "Required", "Default", "Meaning"], &parameters));
    let output = &tool["outputSchema"];
    let fields: Vec<Vec<String>> = schema::fields(output)
        .into_iter()
        .map(|field| {
            // At the top everything but `error` is absent from a failure, so only deeper absence tells something.
            let absent = if field.required || !field.path.contains('.') { "" } else { ", may be absent" };
            vec![code(&field.path), format!("{}{absent}", field.kind), field.description]
        })
        .collect();
    page.push_str(&table(&["Output", "Type", "Meaning"], &fields));
    for (title, schema) in [("Input schema", input), ("Output schema", output)] {
        if !schema.is_null() {
            page.push_str(&fold(title, &fence("json", &format!("{schema:#}"))));
        }
    }
}

/// Some hosts refuse dots, so this is how the names are listed unless asked otherwise.
fn listed_name(row: &Value) -> String {
    text(&row["tool"]["name"]).replace('.', "_")
}

/// The annotations in words.
fn effect(row: &Value) -> String {
    let annotations = &row["tool"]["annotations"];
    let is = |name: &str| annotations[name].as_bool() == Some(true);
    if annotations.is_null() {
        return String::new();
    }
    match (is("readOnlyHint"), is("destructiveHint"), is("idempotentHint")) {
        (true, ..) => "reads only",
        (false, false, false) => "adds, never removes",
        (false, false, true) => "adds, never removes; repeating it changes nothing more",
        (false, true, true) => "changes or removes; repeating it changes nothing more",
        (false, true, false) => "changes or removes",
    }
    .to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_is_shown_with_its_parameters_and_output() {
        let tool = json!({"toolset": "remember", "tool": {
            "name": "context.get", "title": "One note", "description": "Reads a note",
            "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "description": "Which"}}, "required": ["id"]},
            "outputSchema": {"type": "object", "properties": {"note": {"properties": {"text": {"type": "string"}}}}},
        }});
        let page = page(&[tool]);
        for part in [
            "| remember | [`context_get`](#context_get) | reads only | One note. |",
            "## Toolset `remember`\n\n### `context_get`\n\nReads a note.\n\nEffect: reads only.\n",
            "| Parameter | Type | Required | Meaning |\n| --- | --- | --- | --- |\n| `id` | string | yes | Which. |\n",
            "| Output | Type |\n| --- | --- |\n| `note` | any |\n| `note.text` | string, may be absent |\n",
            "<summary>Output schema</summary>\n\n```json\n{\n  \"type\": \"object\",",
        ] {
            assert!(page.contains(part), "{part}\nnot in\n{page}");
        }
    }

    #[test]
    fn a_tool_without_parameters_says_so() {
        let tool = json!({"toolset": "becket", "tool": {"name": "a", "inputSchema": {"type": "object"}}});
        assert!(page(&[tool]).contains("No parameters."));
    }
}
