//! The signals that ask a process to end: SIGTERM, SIGINT and SIGHUP, or Ctrl-C. Owns catching them, from the moment of
//! asking on and not from that of waiting; what follows is each command's.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::runtime::Runtime;

/// Catches them from the moment it is made: one that comes before anybody waits is not lost.
#[derive(Debug)]
pub(crate) struct Signals(Sources);

impl Signals {
    pub(crate) fn catch(runtime: &Runtime) -> io::Result<Self> {
        let _context = runtime.enter();
        Sources::new().map(Self)
    }

    /// Resolves at the first of them.
    pub(crate) async fn asked_to_end(mut self) {
        self.0.first().await;
    }
}

/// Becomes true at the first of them, for a command that looks between its steps. The process no longer ends by itself.
pub(crate) fn noted() -> io::Result<Arc<AtomicBool>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let signals = Signals::catch(&runtime)?;
    let asked = Arc::new(AtomicBool::new(false));
    let note = Arc::clone(&asked);
    std::thread::spawn(move || {
        runtime.block_on(signals.asked_to_end());
        note.store(true, Ordering::Relaxed);
    });
    Ok(asked)
}

#[cfg(unix)]
#[derive(Debug)]
struct Sources {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Sources {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn first(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

#[cfg(windows)]
#[derive(Debug)]
struct Sources {
    interrupt: tokio::signal::windows::CtrlC,
    end: tokio::signal::windows::CtrlBreak,
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Sources {
    fn new() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
        Ok(Self { interrupt: ctrl_c()?, end: ctrl_break()?, close: ctrl_close()? })
    }

    async fn first(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.end.recv() => {}
            _ = self.close.recv() => {}
        }
    }
}
