//! What past commits touched, streamed newest first: paths of all, and patches where they are asked for. It keeps
//! nothing; what is learned from it is `becket_commits`'s.

use becket_diff::{Entry, FileChange, FilePath, Limits, Parser};

use crate::error::GitError;
use crate::patch::{Renames, as_patch};
use crate::process::{Flow, Git};
use crate::read::at_root_if_any;
use crate::revision::CommitId;

/// One past commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCommit {
    pub id: String,
    pub paths: Vec<FilePath>,
    /// What it changed, without context and without renames; nothing unless patches were asked for.
    pub patch: Vec<FileChange>,
}

#[derive(Debug, Clone)]
pub struct PastOptions {
    /// Only commits that are not reachable from here.
    pub since: Option<CommitId>,
    pub skip: usize,
    pub limit: usize,
    pub content: PastContent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastContent {
    Paths,
    Patches,
}

/// Bytes of one commit's patch that are read; what is beyond (a vendored library) tells nothing of how names are used.
const PATCH_LIMITS: Limits = Limits { line: 1 << 10, file: 64 << 10, total: 512 << 10 };

/// Hands out commits that lead to `tip`, without merges, newest first.
pub fn past_commits(
    git: impl Into<Git>,
    tip: &CommitId,
    options: &PastOptions,
    take: &mut dyn FnMut(PastCommit),
) -> Result<(), GitError> {
    let git = at_root_if_any(git.into())?;
    let command = git
        .command("log")
        .options(["--no-merges", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-color"])
        // Two NULs are in no path and begin no line of a patch.
        .option("--format=format:%x00%x00%H%x00")
        .option(format!("--max-count={}", options.limit))
        .option(format!("--skip={}", options.skip));
    let command = match options.content {
        PastContent::Paths => command.options(["--name-only", "-z", "--no-renames"]),
        PastContent::Patches => as_patch(command, 0, Renames::Ignore),
    };
    let command = match &options.since {
        Some(since) => command.revision(format!("{since}..{tip}")),
        None => command.revision(tip.as_str()),
    };
    let mut stream = Stream { content: options.content, buffer: Vec::new(), take };
    let finished = command.run(&mut |piece| {
        stream.feed(piece);
        Flow::More
    })?;
    if finished.code != Some(0) {
        return Err(GitError::from_exit(git.dir(), "log", finished.code, &finished.stderr));
    }
    stream.finish();
    Ok(())
}

/// Whether `ancestor` leads to `tip`; false also when it no longer exists.
pub fn is_ancestor(git: impl Into<Git>, ancestor: &str, tip: &CommitId) -> Result<bool, GitError> {
    let git = at_root_if_any(git.into())?;
    let command = git.command("merge-base").option("--is-ancestor").revision(ancestor).revision(tip.as_str());
    command.output_unless(&[1, 128]).map(|(code, _)| code == 0)
}

struct Stream<'a> {
    content: PastContent,
    /// From the beginning of a commit that has not ended.
    buffer: Vec<u8>,
    take: &'a mut dyn FnMut(PastCommit),
}

impl Stream<'_> {
    fn feed(&mut self, piece: &[u8]) {
        // The mark may stand across two pieces; of what was searched already only its last bytes count.
        let searched = self.buffer.len().saturating_sub(MARK);
        self.buffer.extend_from_slice(piece);
        let mut from = searched.max(1);
        while let Some(next) = find_mark(&self.buffer, from) {
            let commit: Vec<u8> = self.buffer.drain(..next).collect();
            self.hand_out(&commit);
            from = 1;
        }
    }

    fn finish(&mut self) {
        let commit = std::mem::take(&mut self.buffer);
        self.hand_out(&commit);
    }

    fn hand_out(&mut self, commit: &[u8]) {
        let Some(rest) = commit.strip_prefix(b"\0\0") else { return };
        let Some(end) = rest.iter().position(|byte| *byte == 0) else { return };
        let id = String::from_utf8_lossy(&rest[..end]).into_owned();
        let content = rest[end + 1..].strip_prefix(b"\n").unwrap_or(&rest[end + 1..]);
        let (paths, patch) = match self.content {
            PastContent::Paths => {
                let names = content.split(|byte| *byte == 0).filter(|name| !name.is_empty());
                (names.map(FilePath::new).collect(), Vec::new())
            }
            PastContent::Patches => {
                let patch = read(content);
                (patch.iter().filter_map(|change| change.path().cloned()).collect(), patch)
            }
        };
        (self.take)(PastCommit { id, paths, patch });
    }
}

/// A patch that cannot be read teaches nothing, and stops nothing.
fn read(patch: &[u8]) -> Vec<FileChange> {
    let mut changes = Vec::new();
    let mut keep = |entry| {
        if let Entry::File(change) = entry {
            changes.push(change);
        }
    };
    let mut parser = Parser::new(PATCH_LIMITS);
    let text = [patch.trim_ascii_end(), b"\n"].concat();
    if parser.feed(&text, &mut keep).is_ok() {
        parser.finish(&mut keep).ok();
    }
    changes
}

/// Two NULs, an id of at least 40 digits, a NUL.
const MARK: usize = 2 + 64 + 1;

fn find_mark(buffer: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = buffer.get(at..)?.windows(2).position(|pair| pair == b"\0\0") {
        let start = at + found;
        let rest = &buffer[start + 2..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        match rest.get(digits) {
            Some(0) if matches!(digits, 40 | 64) => return Some(start),
            // The end of the piece: what follows will tell.
            None => return None,
            _ => at = start + 1,
        }
    }
    None
}
