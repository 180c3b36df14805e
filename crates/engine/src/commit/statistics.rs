//! What past commits say of names and files, counted once and then by increments, kept for the whole clone. A count can be
//! thrown away at any time and made again.

use becket_commits::{History, Touched};
use becket_git::past::{PastContent, PastOptions, is_ancestor, past_commits};
use becket_git::write::WritePlace;
use becket_git::{CommitId, Git, resolve};

use crate::Error;

/// Commits whose paths are counted, and the newest of them whose patches are read.
const COMMITS: usize = 10_000;
const PATCHES: usize = 1_500;
/// So many branches can be gone to and fro between without counting anew.
const SLOTS: usize = 4;

/// The counts for the history of `head`. A history that cannot be read is as good as none, since it only helps.
pub(super) fn statistics(git: &Git, place: &WritePlace, head: Option<&str>) -> History {
    let Some(head) = head else { return History::default() };
    match counted(git, place, head) {
        Ok(history) => history,
        Err(error) => {
            tracing::warn!(%error, "the history was not counted");
            History::default()
        }
    }
}

fn counted(git: &Git, place: &WritePlace, head: &str) -> Result<History, Error> {
    let kept: Vec<Option<(String, Vec<u8>)>> = (0..SLOTS).map(|slot| read(place, slot)).collect();
    let current = kept.iter().flatten().find(|(id, _)| id == head);
    if let Some(history) = current.and_then(|(_, bytes)| History::from_bytes(bytes).ok()) {
        return Ok(history);
    }
    let tip = resolve(git, head)?;
    let mut known = None;
    for (slot, (id, bytes)) in kept.iter().enumerate().filter_map(|(slot, kept)| Some((slot, kept.as_ref()?)))
    {
        if is_ancestor(git, id, &tip)? {
            if let Ok(history) = History::from_bytes(bytes) {
                known = Some((slot, resolve(git, id)?, history));
                break;
            }
        }
    }
    let (slot, history) = if let Some((slot, since, mut history)) = known {
        absorb(git, &tip, Some(&since), &mut history)?;
        (slot, history)
    } else {
        let mut history = History::default();
        absorb(git, &tip, None, &mut history)?;
        let free = kept.iter().position(Option::is_none);
        // Any will do, and the id of a commit is as good as chance.
        let some = usize::from(head.as_bytes().first().copied().unwrap_or_default()) % SLOTS;
        (free.unwrap_or(some), history)
    };
    let bytes = [head.as_bytes(), b"\n", &history.to_bytes()].concat();
    if let Err(error) = place.share(&name(slot), &bytes) {
        tracing::warn!(%error, "the counts of the history were not kept");
    }
    Ok(history)
}

fn absorb(git: &Git, tip: &CommitId, since: Option<&CommitId>, history: &mut History) -> Result<(), Error> {
    let options = |content, skip, limit| PastOptions { since: since.cloned(), skip, limit, content };
    past_commits(git, tip, &options(PastContent::Patches, 0, PATCHES), &mut |commit| {
        history.absorb(&Touched { paths: &commit.paths, patch: Some(&commit.patch) });
    })?;
    past_commits(git, tip, &options(PastContent::Paths, PATCHES, COMMITS - PATCHES), &mut |commit| {
        history.absorb(&Touched { paths: &commit.paths, patch: None });
    })?;
    Ok(())
}

fn read(place: &WritePlace, slot: usize) -> Option<(String, Vec<u8>)> {
    let bytes = place.shared(&name(slot)).ok().flatten()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let id = std::str::from_utf8(&bytes[..end]).ok()?.to_owned();
    let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| (id, bytes[end + 1..].to_vec()))
}

fn name(slot: usize) -> String {
    format!("history-{slot}.bin")
}
