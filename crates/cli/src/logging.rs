//! Logs: on stderr, and in a file when asked. Never on stdout, and nothing secret.
//!
//! One thread writes; whoever logs never waits. A host that stops reading stderr costs log lines, not the server.

use std::{
    fs::File,
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    time::Duration,
};

use becket_engine::{Engine, Error};
use tracing_subscriber::{EnvFilter, fmt::MakeWriter, layer::SubscriberExt, util::SubscriberInitExt};

/// Lines that may wait for the writer.
const QUEUE: usize = 1_024;
/// How long the end of the process waits for the last lines.
const PATIENCE: Duration = Duration::from_millis(300);

/// Logs until it is dropped; then the lines that wait are written, if anybody reads them.
#[derive(Debug)]
pub(crate) struct Logging {
    queue: SyncSender<Item>,
}

/// Starts logging as the settings say.
pub(crate) fn start(engine: &Engine) -> Result<Logging, Error> {
    let settings = engine.log_settings();
    let filter = EnvFilter::try_new(filter_of(&settings.level))
        .map_err(|error| Error::internal("The log filter is wrong.").with_source(error))?;
    let file = settings.file.as_deref().map(open).transpose()?;
    let (queue, items) = sync_channel(QUEUE);
    let dropped = Arc::new(AtomicU64::new(0));
    let lines = Lines { queue: queue.clone(), dropped: Arc::clone(&dropped) };
    std::thread::spawn(move || write_all(&items, &dropped, file));
    let layer = tracing_subscriber::fmt::layer().with_writer(lines).with_ansi(false);
    let registry = tracing_subscriber::registry().with(filter);
    // A second start in one process (tests) keeps the first logger.
    let _ =
        if settings.json { registry.with(layer.json()).try_init() } else { registry.with(layer).try_init() };
    Ok(Logging { queue })
}

impl Drop for Logging {
    fn drop(&mut self) {
        let (done, written) = channel();
        if self.queue.try_send(Item::Flush(done)).is_ok() {
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}

/// rmcp logs whole requests at info and debug; those may hold what an agent wrote, so they need `trace`.
fn filter_of(level: &str) -> String {
    match level {
        "trace" => "trace".to_owned(),
        level => format!("{level},rmcp=error"),
    }
}

fn open(path: &std::path::Path) -> Result<File, Error> {
    std::fs::OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
        Error::denied("log_file", format!("The log file {} cannot be written.", path.display()))
            .with_hint("Choose another file with --log-file or log.file in becket.toml.")
            .with_source(error)
    })
}

enum Item {
    Line(Vec<u8>),
    Flush(Sender<()>),
}

/// Each event comes in one piece, ready to be written.
#[derive(Debug, Clone)]
struct Lines {
    queue: SyncSender<Item>,
    dropped: Arc<AtomicU64>,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Lines;

    fn make_writer(&'a self) -> Lines {
        self.clone()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.queue.try_send(Item::Line(bytes.to_vec())).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn write_all(items: &Receiver<Item>, dropped: &AtomicU64, mut file: Option<File>) {
    // A full disk or a closed stderr must not stop the server; the other one still has the line.
    let mut put = |bytes: &[u8]| {
        if let Some(file) = &mut file {
            let _ = file.write_all(bytes);
        }
        let _ = std::io::stderr().write_all(bytes);
    };
    while let Ok(item) = items.recv() {
        let lost = dropped.swap(0, Ordering::Relaxed);
        if lost > 0 {
            put(format!("{lost} log lines were dropped: stderr was not read\n").as_bytes());
        }
        match item {
            Item::Line(line) => put(&line),
            Item::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
