//! `becket impact FILE[#EXPORT]`: who would feel a change.

use std::process::ExitCode;

use becket_engine::understand::ImpactRequest;

use crate::{
    context::Context,
    ui::{Report, whole_number},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Impact {
    /// FILE or FILE#EXPORT
    target: String,
    /// How many steps away at most, 1 or more
    #[arg(long, short, value_name = "STEPS", allow_negative_numbers = true, value_parser = whole_number)]
    depth: Option<usize>,
    /// How many dependents to show at most, 1 to 1000
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, value_parser = whole_number)]
    limit: Option<usize>,
    /// Go on where the answer before ended: its `nextCursor`
    #[arg(long)]
    cursor: Option<String>,
    /// Count tests among them
    #[arg(long)]
    include_tests: bool,
}

impl Impact {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let request = ImpactRequest {
            project_path: None,
            target: context.path(&engine, self.target),
            depth: self.depth,
            limit: self.limit,
            include_tests: self.include_tests,
            cursor: self.cursor,
        };
        let report = engine.impact(&request);
        context.ui.finish("impact", report.map(|report| Report::new(report.clone(), report.to_string())))
    }
}
