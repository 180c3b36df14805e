//! The block in `AGENTS.md`: its text, which file it goes into, and what to say about a `CLAUDE.md` beside it.

use std::path::{Path, PathBuf};

use super::document::{BEGIN, END, Form, Slot};
use super::error::SetupError;
use super::target::LARGEST;
use crate::canonical::canonical;
use crate::files;

const FILE_NAME: &str = "AGENTS.md";

/// The block, at most twelve lines with its markers: global instructions cost every reader tokens.
pub(super) fn block() -> String {
    [
        BEGIN,
        "## becket",
        "",
        "The MCP server `becket` answers from this repository. Call `becket_status` first: it says what is ready.",
        "- Before an edit: `logicstamp_impact` (who uses it), `context_refs` (why it is so).",
        "- After an edit: `logicstamp_compare_snapshot` with baseline `git:HEAD` (what it breaks, and for whom).",
        "- After a decision: `context_create`, and the line `refer to context NNNNN` in the code.",
        "- Beside other agents: `lodestar_agent_join`, `lodestar_task_claim_next`, `lodestar_task_done`.",
        "- To commit: `group_changes`, `propose_commits`, `apply_all`; `undo` takes it back exactly.",
        "- No answer from the server: `becket doctor` names the command that mends it.",
        END,
        "",
    ]
    .join("\n")
}

pub(super) fn slot() -> Slot {
    Slot { form: Form::Markdown, container: Vec::new(), name: "becket".to_owned() }
}

/// The file in this folder, in whatever case its owner wrote the name.
pub(super) fn path(root: &Path) -> Result<PathBuf, SetupError> {
    let mut names = Vec::new();
    for entry in fs_err::read_dir(root).map_err(SetupError::io(root))? {
        let name = entry.map_err(SetupError::io(root))?.file_name();
        if name.eq_ignore_ascii_case(FILE_NAME) {
            names.push(name);
        }
    }
    names.sort_by_key(|name| (name != FILE_NAME, name.clone()));
    Ok(root.join(names.into_iter().next().unwrap_or_else(|| FILE_NAME.into())))
}

/// Claude Code reads `CLAUDE.md` alone, so one that does not import `AGENTS.md` hides the block from it.
pub(super) fn claude_md_hint(root: &Path, agents_md: &Path) -> Option<String> {
    let path = root.join("CLAUDE.md");
    if canonical(&path).ok()? == canonical(agents_md).unwrap_or_default() {
        return None;
    }
    let bytes = files::read(&path, LARGEST).ok()??;
    let imports = String::from_utf8_lossy(&bytes).split_whitespace().any(|word| {
        let word = word.trim_end_matches(['.', ',', ')', '*', '`']).to_ascii_lowercase();
        word.trim_start_matches(['(', '-', '*']).starts_with('@') && word.ends_with("agents.md")
    });
    (!imports).then(|| {
        "CLAUDE.md does not import AGENTS.md, and Claude Code reads only CLAUDE.md: add the line `@AGENTS.md` to it."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_short_and_marked() {
        let block = block();
        assert!(block.lines().count() <= 12, "{block}");
        assert!(block.lines().all(|line| line.len() <= 120), "{block}");
        assert_eq!(block.lines().next(), Some("<!-- becket:begin -->"));
        assert_eq!(block.lines().last(), Some("<!-- becket:end -->"));
        for call in ["`becket_status`", "`becket doctor`"] {
            assert!(block.contains(call));
        }
    }
}
