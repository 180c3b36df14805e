//! `blame`: which commit each line of a file comes from.

use becket_engine::{
    Error,
    commit::{BlameRequest, BlamedFile, Extent, Moves, Whitespace},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitBlame;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The file, relative to the root.
    path: String,
    /// Which commit's version of it: a branch, tag, id or expression; HEAD if left out.
    #[serde(rename = "ref")]
    revision: Option<String>,
    /// The first line, counted from 1.
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// The last line.
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
    /// Pass over commits that only changed spaces; false if left out.
    ignore_whitespace: Option<bool>,
    /// Follow lines to where they were moved or copied from; false if left out.
    detect_moves: Option<bool>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitBlame {
    const NAME: &'static str = "blame";
    const TITLE: &'static str = "Blame lines";
    const DESCRIPTION: &'static str = "For each line of a file the commit that wrote it, with author, time and subject. A long \
        file is cut and says with which start_line to go on.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = BlamedFile;

    async fn run(call: Call, params: Params) -> Result<BlamedFile, Error> {
        let ignore = params.ignore_whitespace == Some(true);
        let follow = params.detect_moves == Some(true);
        let request = BlameRequest {
            path: params.path,
            revision: params.revision,
            start_line: params.start_line,
            end_line: params.end_line,
            whitespace: if ignore { Whitespace::Ignore } else { Whitespace::Compare },
            moves: if follow { Moves::Follow } else { Moves::Ignore },
            worktree: params.worktree,
            extent: Extent::Answer,
        };
        call.blocking(move |engine| engine.blame(&request)).await
    }

    fn text(output: &BlamedFile) -> String {
        output.to_string()
    }
}
