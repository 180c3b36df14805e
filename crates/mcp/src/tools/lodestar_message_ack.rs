//! `lodestar.message.ack`: mark messages as read.

use becket_engine::{
    Error,
    coordinate::{AckedMessages, Answer, MessageAck},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarMessageAck;

impl Tool for LodestarMessageAck {
    const NAME: &'static str = "lodestar.message.ack";
    const TITLE: &'static str = "Mark messages as read";
    const DESCRIPTION: &'static str = "Mark messages as read by an agent.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = MessageAck;
    type Output = Answer<AckedMessages>;

    async fn run(call: Call, params: MessageAck) -> Result<Answer<AckedMessages>, Error> {
        call.blocking(move |engine| engine.message_ack(&params)).await
    }

    fn text(output: &Answer<AckedMessages>) -> String {
        format!("{} marked as read.{}", output.answer.updated, output.notice())
    }
}
