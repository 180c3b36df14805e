//! What tasks are called, read from `spec.yaml` alone: no store is opened for it, and none is made.

use std::collections::BTreeMap;

use becket_store::spec_file::SpecFile;

use super::board::FOLDER;
use crate::Engine;

impl Engine {
    /// Titles by id, as the worktree's file has them; nothing where there are no tasks or the file cannot be read.
    pub(crate) fn task_titles(&self, worktree: Option<&str>) -> BTreeMap<String, String> {
        let Ok((root, _)) = self.board_root(worktree) else { return BTreeMap::new() };
        match SpecFile::new(root.join(FOLDER)).read() {
            Ok(loaded) => loaded.spec.tasks.into_iter().map(|task| (task.id, task.title)).collect(),
            Err(error) => {
                tracing::debug!(%error, "tasks are named without their titles");
                BTreeMap::new()
            }
        }
    }
}
