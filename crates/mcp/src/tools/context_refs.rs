//! `context.refs`: from code to reason and back.

use std::fmt::Write;

use becket_engine::{
    Error,
    remember::{RefsAnswer, RefsRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct ContextRefs;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// An entry: which code refers to it?
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// A place: which entries explain it? `file`, `folder`, `file:10-20` or `file#declaration`, relative to the root.
    target: Option<String>,
    /// The worktree that is meant: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for ContextRefs {
    const NAME: &'static str = "context.refs";
    const TITLE: &'static str = "Who refers to what";
    const DESCRIPTION: &'static str = "With `target`, the entries that explain a file, lines or a declaration: ask before you \
        edit. With `ref`, the code that refers to an entry; with neither, dangling references and entries that nothing refers to.";
    const TOOLSET: Toolset = Toolset::Remember;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = RefsAnswer;

    async fn run(call: Call, params: Params) -> Result<RefsAnswer, Error> {
        let request =
            RefsRequest { reference: params.reference, target: params.target, worktree: params.worktree };
        call.blocking(move |engine| engine.context_refs(&request)).await
    }

    fn text(output: &RefsAnswer) -> String {
        let mut text = String::new();
        let mut line = |words: std::fmt::Arguments<'_>| {
            // Writing to a string does not fail.
            writeln!(text, "{words}").ok();
        };
        for one in &output.explanations {
            line(format_args!(
                "{} explains {} [{}]: {}",
                one.reference,
                one.place,
                one.state.as_str(),
                one.title
            ));
        }
        for one in &output.references {
            line(format_args!(
                "{}:{} refers to {} [{}]",
                one.file,
                one.line,
                one.reference,
                one.state.as_str()
            ));
        }
        for one in &output.anchors {
            line(format_args!("it cites {} [{}]", one.anchor, one.state.as_str()));
        }
        for one in &output.dangling {
            line(format_args!("{}:{} refers to {}, which does not exist", one.file, one.line, one.reference));
        }
        for one in &output.orphans {
            line(format_args!("nothing refers to {}: {}", one.reference, one.title));
        }
        if text.is_empty() { "Nothing refers to it.".to_owned() } else { text.trim_end().to_owned() }
    }
}
