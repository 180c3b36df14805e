//! The few lines that a host shows its model before any tool is loaded.

use crate::{catalogue::Catalogue, persona::Persona, toolset::Toolset};

/// At most twelve lines: which call to make when. Nothing where there is nothing to call.
pub(crate) fn of(persona: Persona, catalogue: &Catalogue) -> Option<String> {
    let mut lines = Vec::new();
    if persona.is_becket() {
        lines.push(
            "becket answers from this Git repository itself, for every agent that works in it.".to_owned(),
        );
    }
    for (toolset, line) in [
        (
            Toolset::Becket,
            "Call becket_status first: repository, worktree, branch, what is wrong, what to call next.",
        ),
        (
            Toolset::Understand,
            "Before an edit: logicstamp_refresh_snapshot; after it: logicstamp_compare_snapshot.",
        ),
        (
            Toolset::Remember,
            "Why is it so? context_search and context_refs; after a decision: context_create.",
        ),
        (
            Toolset::Coordinate,
            "Several agents: lodestar_agent_join, then lodestar_task_claim_next and lodestar_events_wait.",
        ),
        (
            Toolset::Commit,
            "To commit: list_changes, group_changes, propose_commits, apply_all (undo takes it back), generate_pr; the past: log, blame.",
        ),
    ] {
        if catalogue.count(toolset) > 0 {
            lines.push(line.to_owned());
        }
    }
    if lines.is_empty() {
        return None;
    }
    if persona.is_becket() {
        lines.push(
            "Several worktrees: name the one you mean with `worktree`; answers say which one they speak of."
                .to_owned(),
        );
        lines.push("A failed call has a stable code and a hint with the next step.".to_owned());
    }
    Some(lines.join("\n"))
}
