//! How far a long run is, in one line of a terminal that is gone when the run is over. Owns the drawing; how far it is
//! comes from the engine.

use std::{
    io::{IsTerminal, Write},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use becket_engine::progress::{self, Progress};

/// A run that is over by then is not long.
const PATIENCE: Duration = Duration::from_millis(400);
const FRAME: Duration = Duration::from_millis(100);
const WIDTH: usize = 24;

/// Runs `work`, and shows how far it is where somebody can see it.
pub(super) fn shown<T>(is_wanted: bool, work: impl FnOnce() -> T) -> T {
    if !is_wanted || !std::io::stderr().is_terminal() {
        return work();
    }
    let told = Arc::new(Mutex::new(None));
    let drawing = Drawing::start(Arc::clone(&told));
    let listener = Arc::new(move |progress| {
        *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    });
    let answer = progress::followed(listener, work);
    drop(drawing);
    answer
}

/// Draws on a thread of its own until it is dropped.
struct Drawing {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drawing {
    fn start(told: Arc<Mutex<Option<Progress>>>) -> Self {
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || {
            let mut wait = PATIENCE;
            let mut drawn = false;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = FRAME;
                let progress = *told.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(progress) = progress {
                    // A terminal that is gone is no reason to end the run.
                    let _ = write!(std::io::stderr(), "\r\u{1b}[K{}", line(progress));
                    drawn = true;
                }
            }
            if drawn {
                let _ = write!(std::io::stderr(), "\r\u{1b}[K");
            }
        });
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn line(progress: Progress) -> String {
    let Progress { phase, done, total } = progress;
    match total.filter(|total| *total > 0) {
        None => format!("{phase} …"),
        Some(total) => {
            let filled = (done * WIDTH / total).min(WIDTH);
            let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH - filled));
            format!("{bar} {phase} {done}/{total}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_work_is_done() {
        let at = |done, total| line(Progress { phase: "writing", done, total });
        assert_eq!(at(0, None), "writing …");
        assert!(at(1, Some(2)).starts_with(&"█".repeat(12)));
        assert!(at(1, Some(2)).ends_with(" writing 1/2"));
        assert!(!at(9, Some(2)).contains('░'), "more than all is all");
    }

    #[test]
    fn without_a_terminal_nothing_is_drawn_and_the_answer_is_given() {
        assert_eq!(shown(true, || 7), 7);
        assert_eq!(shown(false, || 7), 7);
    }
}
