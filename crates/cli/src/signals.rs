//! The signals that ask a process to end: SIGTERM, SIGINT and SIGHUP, or Ctrl-C. Owns catching them, from the moment of
//! asking on and not from that of waiting; what follows is each command's.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
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
    pub(crate) async fn asked_to_end(mut self) -> Asked {
        Asked(self.0.first().await)
    }
}

/// By which exit code a shell knows the signal that ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked(u8);

/// What [`noted`] has heard so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Noted(Arc<AtomicU8>);

impl Noted {
    /// The exit code of the first one; `None` as long as there was none.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        Some(self.0.load(Ordering::Relaxed)).filter(|code| *code != 0)
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.exit_code().is_some()
    }
}

/// Becomes true at the first of them, for a command that looks between its steps. The process no longer ends by itself.
pub(crate) fn noted() -> io::Result<Noted> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let signals = Signals::catch(&runtime)?;
    let noted = Noted::default();
    let note = noted.clone();
    std::thread::spawn(move || {
        let Asked(code) = runtime.block_on(signals.asked_to_end());
        note.0.store(code, Ordering::Relaxed);
    });
    Ok(noted)
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

    async fn first(&mut self) -> u8 {
        tokio::select! {
            _ = self.terminate.recv() => 143,
            _ = self.interrupt.recv() => 130,
            _ = self.hangup.recv() => 129,
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

    async fn first(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.end.recv() => 143,
            _ = self.close.recv() => 129,
        }
    }
}
