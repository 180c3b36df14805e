//! Work that is shared out among threads, where there is enough of it: waking one costs more than a few small things.

use std::sync::Once;

use rayon::prelude::*;

/// Only what is used of it takes memory. With so much, few sources have to be measured before they are read.
const STACK: usize = 256 * 1024 * 1024;

/// Has the threads of this process made with room for deeply nested source; to be called before anything is shared out. One
/// set of them for all work: what a thread has learned of tokens, and its memory, serve every step.
///
/// A thread that waits for its own work takes up other work meanwhile. So what is shared out takes no lock that
/// somebody holds while sharing out.
pub fn prepare() {
    static MADE: Once = Once::new();
    // Where a program has made its own, sources are measured more often, and that is all.
    MADE.call_once(|| _ = rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global());
}

/// What `work` gives, done by one of the threads of all work from beginning to end. Whoever shares out from outside has to
/// wait at each turn, and where systems wake threads for a moment's work they are put on one processor and stay there for
/// milliseconds. Only where a process does nothing else meanwhile: a thread that waits for its own work, with a lock, would
/// take up the work of others who ask for it.
pub fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    prepare();
    rayon::scope(|_| work())
}

/// What `work` gives, which shares out while somebody holds a lock: on threads of its own, so that none that waits for it can
/// be given something that asks for the same.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
    let there = || match &pool {
        Ok(pool) => pool.install(work),
        // Without any more threads: those of the others have to do.
        Err(_) => work(),
    };
    std::thread::scope(|scope| match scope.spawn(there).join() {
        Ok(given) => given,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// So many things a thread takes at once, at most: where one takes more, the others wait for it at the end.
pub const AT_ONCE: usize = 4;

/// What is made of each, in their order; by several threads from `worth` items on.
pub fn each<T: Send, R: Send>(items: Vec<T>, worth: usize, make: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    if items.len() < worth {
        items.into_iter().map(make).collect()
    } else {
        items.into_par_iter().with_max_len(AT_ONCE).map(make).collect()
    }
}

/// What is made of each, in no order, by several threads from `worth` items on: the heaviest first, so that at the end nobody
/// waits for one that came last.
pub fn heaviest_first<T: Send, R: Send>(
    mut items: Vec<T>,
    worth: usize,
    weight: impl Fn(&T) -> usize,
    make: impl Fn(T) -> R + Send + Sync,
) -> Vec<R> {
    if items.len() < worth {
        return items.into_iter().map(make).collect();
    }
    items.sort_by_cached_key(|item| std::cmp::Reverse(weight(item)));
    items.into_iter().par_bridge().map(make).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;

    #[test]
    fn few_and_many_give_the_same() {
        for count in [0, 1, 3, 4, 1000] {
            let made = each((0..count).collect(), 4, |number: usize| number * 2);
            assert!(made.into_iter().eq((0..count).map(|number| number * 2)));
            let mut made = heaviest_first((0..count).collect(), 4, |number| *number, |number| number * 2);
            made.sort_unstable();
            assert!(made.into_iter().eq((0..count).map(|number| number * 2)));
        }
    }

    #[test]
    fn what_weighs_most_comes_first() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let seen = std::sync::Mutex::new(Vec::new());
        let weigh = |text: &&str| text.len();
        let see = |text: &'static str| seen.lock().unwrap().push(text);
        pool.install(|| heaviest_first(vec!["aa", "a", "aaaa", "aaa"], 2, weigh, see));
        assert_eq!(*seen.lock().unwrap(), ["aaaa", "aaa", "aa", "a"]);
    }

    #[test]
    fn whoever_makes_something_apart_is_not_handed_what_asks_for_it() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let made = OnceLock::new();
        // As a thread does that waits for others.
        let make = || rayon::yield_now().map(|_| 7);
        let ask = || *made.get_or_init(|| apart(make));
        assert_eq!(pool.install(|| rayon::join(ask, ask)), (Some(7), Some(7)));
    }
}
