//! `lodestar.events.wait`: hosts do not wake an idle agent on a notification, a call that blocks does.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use becket_engine::{
    Error,
    coordinate::{Answer, EventsAnswer, EventsWait},
};

use crate::{
    call::Call,
    coordinate_text::happened,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarEventsWait;

impl Tool for LodestarEventsWait {
    const NAME: &'static str = "lodestar.events.wait";
    const TITLE: &'static str = "Wait for news";
    const DESCRIPTION: &'static str = "Block until something happens that concerns the agent, at most 55 seconds; an \
        empty answer means that the time is up. Call it again with sinceCursor set to nextCursor.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = EventsWait;
    type Output = Answer<EventsAnswer>;

    async fn run(call: Call, params: EventsWait) -> Result<Answer<EventsAnswer>, Error> {
        let unwanted = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&unwanted);
        let waiting =
            call.blocking(move |engine| engine.events_wait(&params, &|| asked.load(Ordering::Relaxed)));
        tokio::pin!(waiting);
        tokio::select! {
            answer = &mut waiting => return answer,
            () = call.cancelled() => unwanted.store(true, Ordering::Relaxed),
        }
        // The wait looks at the flag within a moment; a server that closes still answers with what there is.
        waiting.await
    }

    fn text(output: &Answer<EventsAnswer>) -> String {
        [happened(&output.answer), output.notice()].concat()
    }
}
