//! How many files were read so far, for somebody who waits.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Called with how many of how many, from whichever thread reads; each call says more than the one before.
type Listener = Arc<dyn Fn(usize, usize) + Send + Sync>;

/// Told no more often than once for so many files.
const EVERY: usize = 64;

/// Somebody who is told, or nobody.
#[derive(Clone, Default)]
pub struct Reading(Option<Listener>);

impl Reading {
    pub fn told_to(listener: Listener) -> Self {
        Self(Some(listener))
    }

    /// Counts the files of one look.
    pub(super) fn of(&self, total: usize) -> Count<'_> {
        Count { reading: self, total, done: Mutex::new(0) }
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Reading").field(&self.0.is_some()).finish()
    }
}

pub(super) struct Count<'a> {
    reading: &'a Reading,
    total: usize,
    done: Mutex<usize>,
}

impl Count<'_> {
    pub(super) fn one_more(&self) {
        let Some(listener) = &self.reading.0 else { return };
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        // Under the lock, so that numbers only grow.
        if done.is_multiple_of(EVERY) {
            listener(*done, self.total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_whoever_counts() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = {
            let heard = Arc::clone(&heard);
            Arc::new(move |done, total| heard.lock().unwrap().push((done, total)))
        };
        let reading = Reading::told_to(listener);
        let count = reading.of(4 * 200);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| count.one_more()));
            }
        });
        let heard = heard.lock().unwrap();
        assert_eq!(heard.first(), Some(&(64, 800)));
        assert_eq!(heard.last(), Some(&(768, 800)));
        assert!(heard.is_sorted());
    }
}
