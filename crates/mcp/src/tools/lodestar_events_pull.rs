//! `lodestar.events.pull`: what happened.

use becket_engine::{
    Error,
    coordinate::{EventsAnswer, EventsPull},
};

use crate::{
    call::Call,
    coordinate_text::happened,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarEventsPull;

impl Tool for LodestarEventsPull {
    const NAME: &'static str = "lodestar.events.pull";
    const TITLE: &'static str = "What happened";
    const DESCRIPTION: &'static str =
        "Pull the event stream after a cursor; every event appears exactly once.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = EventsPull;
    type Output = EventsAnswer;

    async fn run(call: Call, params: EventsPull) -> Result<EventsAnswer, Error> {
        call.blocking(move |engine| engine.events_pull(&params)).await
    }

    fn text(output: &EventsAnswer) -> String {
        happened(output)
    }
}
