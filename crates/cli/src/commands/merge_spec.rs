//! `becket merge-spec`: what Git calls to merge `spec.yaml`, task by task. Not for people.

use std::{path::PathBuf, process::ExitCode};

use becket_engine::coordinate;

use crate::context::Context;

#[derive(Debug, clap::Args)]
pub(crate) struct MergeSpec {
    /// The common ancestor (%O)
    base: PathBuf,
    /// Our version, which becomes the result (%A)
    ours: PathBuf,
    /// The other version (%B)
    theirs: PathBuf,
    /// The path in the repository (%P)
    path: Option<String>,
}

impl MergeSpec {
    /// 0 when everything merged, 1 when conflict markers are left: what Git expects of a driver.
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        match coordinate::merge_spec(&self.base, &self.ours, &self.theirs) {
            Ok(0) => ExitCode::SUCCESS,
            Ok(conflicts) => {
                let path = self.path.as_deref().unwrap_or(".lodestar/spec.yaml");
                let are = becket_base::verb(conflicts, "is", "are");
                context
                    .ui
                    .say(format_args!("{path}: {} {are} left", becket_base::counted(conflicts, "conflict")));
                ExitCode::from(1)
            }
            Err(error) => context.ui.finish::<()>("merge-spec", Err(error)),
        }
    }
}
