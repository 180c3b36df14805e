//! How far a piece of work is: a listener set once around it, told by the loops in it.
//!
//! Owns who is told. How often, and in which words of a protocol, is the face's.

use std::{cell::RefCell, sync::Arc};

use crate::Error;

/// A place in the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, as a person would say it; the same words for as long as `done` counts on.
    pub phase: &'static str,
    pub done: usize,
    /// Where it is known.
    pub total: Option<usize>,
}

/// Called on the thread that works, so it must be quick.
pub type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

thread_local! {
    static CURRENT: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Runs `work`; what it tells on this thread goes to `listener`.
pub fn followed<T>(listener: Listener, work: impl FnOnce() -> T) -> T {
    /// Puts back what was before, also when `work` panics.
    struct Restore(Option<Listener>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.with(|current| *current.borrow_mut() = self.0.take());
        }
    }
    let _restore = Restore(CURRENT.with(|current| current.borrow_mut().replace(listener)));
    work()
}

/// Who is told what happens on this thread, for work that goes on in others.
pub(crate) fn listener() -> Option<Listener> {
    CURRENT.with(|current| current.borrow().clone())
}

/// Says where the work on this thread is; costs nothing where nobody listens.
pub(crate) fn tell(phase: &'static str, done: usize, total: Option<usize>) {
    if let Some(listener) = listener() {
        listener(Progress { phase, done, total });
    }
}

/// Before something is changed: an error where nobody waits for it any more.
pub(crate) fn still_wanted() -> Result<(), Error> {
    if becket_git::cancellation()() {
        return Err(Error::unavailable("cancelled", "The call was cancelled before anything was written."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn only_what_is_told_inside_is_heard() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener: Listener = {
            let heard = Arc::clone(&heard);
            Arc::new(move |progress| heard.lock().unwrap().push((progress.phase, progress.done)))
        };
        tell("before", 0, None);
        followed(listener, || {
            tell("inside", 1, Some(2));
            followed(Arc::new(|_| {}), || tell("nested", 0, None));
            tell("inside", 2, Some(2));
        });
        tell("after", 0, None);
        assert_eq!(*heard.lock().unwrap(), [("inside", 1), ("inside", 2)]);
    }
}
