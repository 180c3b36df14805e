//! `becket store`: where tasks, leases and messages live.

use std::{
    io::{BufReader, Write},
    path::PathBuf,
    process::ExitCode,
};

use becket_base::counted;
use becket_engine::{Engine, Error};
use serde_json::json;

use crate::{context::Context, ui::Report};

#[derive(Debug, clap::Args)]
pub(crate) struct Store {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, clap::Subcommand)]
enum StoreCommand {
    /// Bring the store to the schema of this becket
    Migrate,
    /// Where it is, how large, what waits to be written
    Status,
    /// Write everything as JSON lines to a file, or to stdout
    Export {
        /// The file to write, which must not be there yet; stdout if left out
        file: Option<PathBuf>,
    },
    /// Read an export into an empty store
    Import {
        /// What `export` wrote
        file: PathBuf,
    },
}

impl Store {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let result = engine.settings_are_sound().and_then(|()| self.act(&engine));
        match result {
            Ok(Some(report)) => context.ui.finish("store", Ok(report)),
            Ok(None) => ExitCode::SUCCESS,
            Err(error) => context.ui.finish::<()>("store", Err(error)),
        }
    }

    fn act(self, engine: &Engine) -> Result<Option<Report<serde_json::Value>>, Error> {
        match self.command {
            StoreCommand::Migrate | StoreCommand::Status => {
                // Opening migrates.
                let report = engine.store_report()?;
                let size =
                    report.bytes.map(|bytes| format!(", {}", counted(bytes, "byte"))).unwrap_or_default();
                let text = format!(
                    "{} at {}, schema {}{size}\nstream {}, {}, {} for spec.yaml",
                    report.engine,
                    report.place,
                    report.schema_version,
                    report.stream,
                    counted(report.worktrees, "worktree"),
                    match report.waiting {
                        1 => "1 status waits".to_owned(),
                        waiting => format!("{waiting} statuses wait"),
                    }
                );
                Ok(Some(Report::new(json!(report), text)))
            }
            StoreCommand::Export { file: None } => {
                let mut output = std::io::stdout().lock();
                engine.store_export(&mut output)?;
                output.flush().map_err(|error| unusable("stdout", error))?;
                Ok(None)
            }
            StoreCommand::Export { file: Some(path) } => {
                let shown = path.display().to_string();
                let mut output = fs_err::File::create_new(&path).map_err(|error| unusable(&shown, error))?;
                engine.store_export(&mut output)?;
                output.sync_all().map_err(|error| unusable(&shown, error))?;
                Ok(Some(Report::new(json!({"file": shown}), format!("Exported to {shown}."))))
            }
            StoreCommand::Import { file } => {
                let shown = file.display().to_string();
                let input = fs_err::File::open(&file).map_err(|error| unusable(&shown, error))?;
                let rows = engine.store_import(&mut BufReader::new(input))?;
                Ok(Some(Report::new(
                    json!({"rows": rows}),
                    format!("Imported {} from {shown}.", counted(rows, "row")),
                )))
            }
        }
    }
}

fn unusable(name: &str, error: std::io::Error) -> Error {
    Error::unavailable("file_unusable", format!("{name} cannot be used: {error}."))
        .with_hint("Name a file that can be made or read.")
        .with_source(error)
}
