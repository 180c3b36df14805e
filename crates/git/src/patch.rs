//! Running git for a patch: the options under which it always has one form, whatever is configured, and the reading of
//! it while it is printed.

use becket_diff::{Entry, Limits, Parser};

use crate::error::GitError;
use crate::process::{Command, Flow};

/// What an answer to a caller keeps of a patch: enough to read, little enough to send.
pub const ANSWER_LIMITS: Limits = Limits { line: 16 << 10, file: 1 << 20, total: 16 << 20 };

/// Every setting that changes a patch, fixed.
const OPTIONS: [&str; 15] = [
    "--patch",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--no-relative",
    "--submodule=short",
    "-l1000",
    "--diff-algorithm=default",
    "--indent-heuristic",
    "--inter-hunk-context=0",
    "--ws-error-highlight=none",
    "-O/dev/null",
];

/// Whether a deletion and an addition may be one rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renames {
    Find,
    Ignore,
}

/// `command`, which must be a `diff`, with the fixed options.
pub(crate) fn as_patch(command: Command<'_>, context: u32, renames: Renames) -> Command<'_> {
    let renames = match renames {
        Renames::Find => "--find-renames=50%",
        Renames::Ignore => "--no-renames",
    };
    command.options(OPTIONS).option(renames).option(format!("--unified={context}"))
}

/// Runs a command with a patch for an answer; entries are emitted while it is printed.
pub(crate) fn read_patch(
    command: Command<'_>,
    limits: Limits,
    emit: &mut dyn FnMut(Entry),
) -> Result<(), GitError> {
    let (dir, name) = (command.dir().to_path_buf(), command.name());
    let mut parser = Parser::new(limits);
    let mut failure = None;
    let finished = command.run(&mut |piece| {
        failure = parser.feed(piece, emit).err();
        if failure.is_some() { Flow::Enough } else { Flow::More }
    })?;
    let unreadable = |source| GitError::Patch { command: name, source };
    if let Some(source) = failure {
        return Err(unreadable(source));
    }
    if finished.code != Some(0) {
        return Err(GitError::from_exit(&dir, name, finished.code, &finished.stderr));
    }
    parser.finish(emit).map_err(unreadable)
}
