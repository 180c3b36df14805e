//! `lodestar.message.search`: search messages.

use becket_engine::{
    Error,
    coordinate::{FoundMessages, MessageSearch},
};

use crate::{
    call::Call,
    coordinate_text::mail,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarMessageSearch;

impl Tool for LodestarMessageSearch {
    const NAME: &'static str = "lodestar.message.search";
    const TITLE: &'static str = "Search messages";
    const DESCRIPTION: &'static str = "Find messages by words, task, sender or time, newest first.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = MessageSearch;
    type Output = FoundMessages;

    async fn run(call: Call, params: MessageSearch) -> Result<FoundMessages, Error> {
        call.blocking(move |engine| engine.message_search(&params)).await
    }

    fn text(output: &FoundMessages) -> String {
        let older = output.next_cursor.as_ref().map(|id| format!("\nThere are older ones: beforeId {id}."));
        mail(&output.messages) + &older.unwrap_or_default()
    }
}
