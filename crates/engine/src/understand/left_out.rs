//! Files that a comparison would call gone, and that stand where they stood: they are only not looked at any more, because a
//! rule names them, they count as tests now, or have grown too large.

use becket_contracts::compare::{Change, Comparison, FileChange, Verdict};
use becket_project::index::Index;
use becket_project::walk::rules::role_of;
use becket_project::walk::{Role, Tests};

use super::site::Site;

/// Whether a file that is called removed is there. Some file systems find a file also by a name that differs in case.
pub(super) fn is_there(site: &Site, now: &Index, file: &FileChange) -> bool {
    let is_renamed = || now.files().iter().any(|other| other.path.eq_ignore_ascii_case(&file.entry_id));
    file.change == Change::Removed && site.workspace.root.join(&file.entry_id).is_file() && !is_renamed()
}

/// Says so of each: who uses one finds what was there.
pub(super) fn tell_left_out(site: &Site, now: &Index, comparison: &mut Comparison) {
    for file in comparison.files.iter_mut().filter(|file| is_there(site, now, file)) {
        let unread = now.left_out().find(|(path, _)| *path == file.entry_id).map(|(_, reason)| reason);
        let is_test = role_of(&file.entry_id, 1, Tests::LeftOut) == Role::LeftOut;
        let why = unread.unwrap_or(if is_test { "a test" } else { "an ignore rule names it" });
        file.verdict = Verdict::Compatible;
        for change in &mut file.declarations {
            change.verdict = Verdict::Compatible;
            change.reason = format!("its file is there, and left out now: {why}");
            change.used_by.clear();
        }
    }
}
