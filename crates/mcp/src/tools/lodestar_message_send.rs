//! `lodestar.message.send`: send a message.

use becket_base::counted;
use becket_engine::{
    Error,
    coordinate::{Answer, MessageSend, SentMessage},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarMessageSend;

impl Tool for LodestarMessageSend {
    const NAME: &'static str = "lodestar.message.send";
    const TITLE: &'static str = "Send a message";
    const DESCRIPTION: &'static str =
        "Send a message to one agent, to all others, or into the thread of a task.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Adds;

    type Params = MessageSend;
    type Output = Answer<SentMessage>;

    async fn run(call: Call, params: MessageSend) -> Result<Answer<SentMessage>, Error> {
        call.blocking(move |engine| engine.message_send(&params)).await
    }

    fn text(output: &Answer<SentMessage>) -> String {
        format!(
            "Sent {} to {}.{}",
            output.answer.message_id,
            counted(output.answer.delivered_to.len(), "agent"),
            output.notice()
        )
    }
}
