//! `becket alias install|remove`.

use std::process::ExitCode;

use becket_engine::Error;

use crate::{
    alias::{self, LinkReport},
    context::Context,
    ui::Report,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Alias {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make a link for each of the six other names
    Install(Folder),
    /// Remove the links that `install` made
    Remove(Folder),
}

#[derive(Debug, clap::Args)]
struct Folder {
    /// Where the links live; the binary's own folder if left out
    #[arg(long, value_name = "DIR")]
    dir: Option<String>,
}

impl Alias {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let result = match &self.action {
            Action::Install(folder) => links(context, folder, alias::install),
            Action::Remove(folder) => links(context, folder, alias::remove),
        };
        context.ui.finish(
            "alias",
            result.map(|links| {
                let lines: Vec<_> = links
                    .iter()
                    .map(|link| format!("{:<15} {}  {}", link.name, link.path.display(), link.state.words()))
                    .collect();
                Report::new(links, lines.join("\n"))
            }),
        )
    }
}

fn links(
    context: &Context,
    folder: &Folder,
    act: fn(&std::path::Path, &std::path::Path) -> Result<Vec<LinkReport>, Error>,
) -> Result<Vec<LinkReport>, Error> {
    let binary = crate::context::own_binary()?;
    let folder = match &folder.dir {
        Some(dir) => context.environment().resolve(dir),
        None => binary.parent().map(std::path::Path::to_path_buf).unwrap_or_default(),
    };
    act(&binary, &folder)
}
