//! `becket uninit`: takes back exactly what `init` wrote.

use std::process::ExitCode;

use becket_engine::{Error, setup};

use crate::{context::Context, ui::Report};

#[derive(Debug, clap::Args)]
pub(crate) struct Uninit {
    /// Only these hosts; everything that `init` wrote if left out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    hosts: Vec<String>,
    /// Show what would be taken back, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Uninit {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let result = self.act(context);
        context.ui.finish("uninit", result)
    }

    fn act(self, context: &Context) -> Result<Report<serde_json::Value>, Error> {
        let engine = context.engine(Vec::new());
        let plan = engine.plan_uninit(setup::machine(context.environment()), &self.hosts)?;
        let mut text = plan.listing();
        if !self.dry_run && self.hosts.is_empty() && engine.unregister_merge_driver()? {
            text.push_str("Git merges .lodestar/spec.yaml as text again.\n");
        }
        if plan.is_empty() {
            text.push_str("There is nothing of becket's to take back.\n");
        } else if self.dry_run {
            text.push_str("Nothing was written (--dry-run).\n");
        } else {
            setup::apply(&plan)?;
        }
        let mut data = serde_json::to_value(&plan)
            .map_err(|error| Error::internal("The plan could not be written as JSON.").with_source(error))?;
        data["applied"] = (!self.dry_run && !plan.is_empty()).into();
        Ok(Report::new(data, text))
    }
}
