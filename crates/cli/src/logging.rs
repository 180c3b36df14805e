//! Logs: on stderr, and in a file when asked. Never on stdout, and nothing secret.

use std::sync::{Arc, Mutex};

use becket_engine::{Engine, Error};
use tracing_subscriber::{EnvFilter, fmt::MakeWriter, layer::SubscriberExt, util::SubscriberInitExt};

/// Starts logging as the settings say.
pub(crate) fn start(engine: &Engine) -> Result<(), Error> {
    let settings = engine.log_settings();
    let filter = EnvFilter::try_new(filter_of(&settings.level))
        .map_err(|error| Error::internal("The log filter is wrong.").with_source(error))?;
    let file = settings.file.as_deref().map(open).transpose()?;
    let writer = Writer { file: file.map(|file| Arc::new(Mutex::new(file))) };
    let layer = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false);
    let registry = tracing_subscriber::registry().with(filter);
    // A second start in one process (tests) keeps the first logger.
    let _ =
        if settings.json { registry.with(layer.json()).try_init() } else { registry.with(layer).try_init() };
    Ok(())
}

/// rmcp logs whole requests at info and debug; those may hold what an agent wrote, so they need `trace`.
fn filter_of(level: &str) -> String {
    match level {
        "trace" => "trace".to_owned(),
        level => format!("{level},rmcp=error"),
    }
}

fn open(path: &std::path::Path) -> Result<std::fs::File, Error> {
    std::fs::OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
        Error::denied("log_file", format!("The log file {} cannot be written.", path.display()))
            .with_hint("Choose another file with --log-file or log.file in becket.toml.")
            .with_source(error)
    })
}

#[derive(Debug, Clone)]
struct Writer {
    file: Option<Arc<Mutex<std::fs::File>>>,
}

impl<'a> MakeWriter<'a> for Writer {
    type Writer = Tee;

    fn make_writer(&'a self) -> Tee {
        Tee { file: self.file.clone() }
    }
}

struct Tee {
    file: Option<Arc<Mutex<std::fs::File>>>,
}

impl std::io::Write for Tee {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            // A full disk must not stop the server; stderr still has the line.
            let _ = file.write_all(bytes);
        }
        // A host that closed stderr must not stop it either.
        let _ = std::io::stderr().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
