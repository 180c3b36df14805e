//! Whether the caller still wants the answer: set once around a piece of work, asked by every git that it starts.

use std::{cell::RefCell, sync::Arc};

/// Says yes once nobody waits any more.
pub type Cancelled = Arc<dyn Fn() -> bool + Send + Sync>;

thread_local! {
    static CURRENT: RefCell<Option<Cancelled>> = const { RefCell::new(None) };
}

/// Runs `work`; every [`crate::Git`] made on this thread meanwhile ends its process once `cancelled` says so.
pub fn cancellable<T>(cancelled: Cancelled, work: impl FnOnce() -> T) -> T {
    /// Puts back what was before, also when `work` panics.
    struct Restore(Option<Cancelled>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.with(|current| *current.borrow_mut() = self.0.take());
        }
    }
    let _restore = Restore(CURRENT.with(|current| current.borrow_mut().replace(cancelled)));
    work()
}

/// Whether the work on this thread is still wanted, for those who do something else than run git.
pub fn cancellation() -> Cancelled {
    CURRENT.with(|current| current.borrow().clone()).unwrap_or_else(|| Arc::new(|| false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Git, GitError, version};

    #[test]
    fn a_git_that_is_started_inside_ends_and_one_outside_does_not() {
        let git = || version(Git::at(std::env::temp_dir()));
        let inside = cancellable(Arc::new(|| true), git);
        assert!(matches!(inside, Err(GitError::Cancelled { .. })), "{inside:?}");
        git().unwrap();
        let nested = cancellable(Arc::new(|| true), || cancellable(Arc::new(|| false), git));
        nested.unwrap();
    }
}
