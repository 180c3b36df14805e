//! `lodestar.message.list`: read messages.

use becket_engine::{
    Error,
    coordinate::{Answer, MessageList, Messages},
};

use crate::{
    call::Call,
    coordinate_text::mail,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarMessageList;

impl Tool for LodestarMessageList {
    const NAME: &'static str = "lodestar.message.list";
    const TITLE: &'static str = "Read messages";
    const DESCRIPTION: &'static str = "List an agent's messages, unread ones unless told otherwise; reading does not mark them, lodestar_message_ack does.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = MessageList;
    type Output = Answer<Messages>;

    async fn run(call: Call, params: MessageList) -> Result<Answer<Messages>, Error> {
        call.blocking(move |engine| engine.message_list(&params)).await
    }

    fn text(output: &Answer<Messages>) -> String {
        [mail(&output.answer.messages), output.notice()].concat()
    }
}
