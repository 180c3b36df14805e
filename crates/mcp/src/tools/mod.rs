//! Every tool. To add one: a file `<plane>_<verb>.rs` here and a row in [`TOOLS`].

mod becket_status;
mod commit_blame;
mod commit_diff_between_refs;
mod commit_list_changes;
mod commit_log;
mod commit_repo_status;
mod commit_show_commit;
mod context_create;
mod context_get;
mod context_list;
mod context_refs;
mod context_search;
mod context_verify;
mod lodestar_agent_heartbeat;
mod lodestar_agent_join;
mod lodestar_agent_leave;
mod lodestar_agent_list;
mod lodestar_events_pull;
mod lodestar_events_wait;
mod lodestar_message_ack;
mod lodestar_message_list;
mod lodestar_message_search;
mod lodestar_message_send;
mod lodestar_repo_status;
mod lodestar_task_claim;
mod lodestar_task_claim_next;
mod lodestar_task_complete;
mod lodestar_task_context;
mod lodestar_task_create;
mod lodestar_task_delete;
mod lodestar_task_done;
mod lodestar_task_get;
mod lodestar_task_graph;
mod lodestar_task_list;
mod lodestar_task_next;
mod lodestar_task_release;
mod lodestar_task_renew;
mod lodestar_task_update;
mod lodestar_task_verify;
mod logicstamp_compare_modes;
mod logicstamp_compare_snapshot;
mod logicstamp_get_last_compare_result;
mod logicstamp_impact;
mod logicstamp_list_bundles;
mod logicstamp_read_bundle;
mod logicstamp_read_logicstamp_docs;
mod logicstamp_refresh_snapshot;
mod logicstamp_search_components;
mod logicstamp_watch_status;

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::{
    route::{Route, route},
    toolset::Toolset,
};

/// In the order in which they are listed: becket's own first, then plane by plane.
const TOOLS: &[fn() -> Arc<dyn Route>] = &[
    route::<becket_status::BecketStatus>,
    route::<logicstamp_refresh_snapshot::LogicstampRefreshSnapshot>,
    route::<logicstamp_list_bundles::LogicstampListBundles>,
    route::<logicstamp_read_bundle::LogicstampReadBundle>,
    route::<logicstamp_compare_snapshot::LogicstampCompareSnapshot>,
    route::<logicstamp_compare_modes::LogicstampCompareModes>,
    route::<logicstamp_read_logicstamp_docs::LogicstampReadLogicstampDocs>,
    route::<logicstamp_get_last_compare_result::LogicstampGetLastCompareResult>,
    route::<logicstamp_watch_status::LogicstampWatchStatus>,
    route::<logicstamp_search_components::LogicstampSearchComponents>,
    route::<logicstamp_impact::LogicstampImpact>,
    route::<context_create::ContextCreate>,
    route::<context_get::ContextGet>,
    route::<context_list::ContextList>,
    route::<context_search::ContextSearch>,
    route::<context_refs::ContextRefs>,
    route::<context_verify::ContextVerify>,
    route::<lodestar_repo_status::LodestarRepoStatus>,
    route::<lodestar_agent_join::LodestarAgentJoin>,
    route::<lodestar_agent_heartbeat::LodestarAgentHeartbeat>,
    route::<lodestar_agent_leave::LodestarAgentLeave>,
    route::<lodestar_agent_list::LodestarAgentList>,
    route::<lodestar_task_list::LodestarTaskList>,
    route::<lodestar_task_get::LodestarTaskGet>,
    route::<lodestar_task_next::LodestarTaskNext>,
    route::<lodestar_task_claim::LodestarTaskClaim>,
    route::<lodestar_task_claim_next::LodestarTaskClaimNext>,
    route::<lodestar_task_renew::LodestarTaskRenew>,
    route::<lodestar_task_release::LodestarTaskRelease>,
    route::<lodestar_task_done::LodestarTaskDone>,
    route::<lodestar_task_verify::LodestarTaskVerify>,
    route::<lodestar_task_complete::LodestarTaskComplete>,
    route::<lodestar_task_context::LodestarTaskContext>,
    route::<lodestar_task_create::LodestarTaskCreate>,
    route::<lodestar_task_update::LodestarTaskUpdate>,
    route::<lodestar_task_delete::LodestarTaskDelete>,
    route::<lodestar_task_graph::LodestarTaskGraph>,
    route::<lodestar_message_send::LodestarMessageSend>,
    route::<lodestar_message_list::LodestarMessageList>,
    route::<lodestar_message_ack::LodestarMessageAck>,
    route::<lodestar_message_search::LodestarMessageSearch>,
    route::<lodestar_events_pull::LodestarEventsPull>,
    route::<lodestar_events_wait::LodestarEventsWait>,
    route::<commit_list_changes::CommitListChanges>,
    route::<commit_repo_status::CommitRepoStatus>,
    route::<commit_log::CommitLog>,
    route::<commit_show_commit::CommitShowCommit>,
    route::<commit_diff_between_refs::CommitDiffBetweenRefs>,
    route::<commit_blame::CommitBlame>,
];

/// The table, made once.
pub(crate) fn all() -> Vec<Arc<dyn Route>> {
    static ALL: OnceLock<Vec<Arc<dyn Route>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let every = TOOLS.iter().map(|make| make());
        #[cfg(test)]
        let every = every.chain(crate::probes::routes());
        #[cfg(feature = "conformance")]
        let every = every.chain(crate::conformance::tools());
        every.collect()
    })
    .clone()
}

/// How many tools a toolset has.
pub fn count(toolset: Toolset) -> usize {
    all().iter().filter(|route| route.toolset() == toolset).count()
}

/// Every tool with its toolset, for the generated reference.
pub fn reference() -> Vec<Value> {
    all().iter().map(|route| json!({"toolset": route.toolset(), "tool": route.definition()})).collect()
}
