//! Work on many entries at once, on as many threads as there are processors; results stay in order.

use std::thread;

/// Below this a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 64;

pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_chunks(items, |chunk| chunk.iter().map(&work).collect::<Vec<R>>()).into_iter().flatten().collect()
}

/// One call for each of a few long runs of items.
pub(super) fn in_chunks<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let threads =
        thread::available_parallelism().map_or(1, usize::from).min(items.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return vec![work(items)];
    }
    let share = items.len().div_ceil(threads);
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> = items.chunks(share).map(|chunk| scope.spawn(move || work(chunk))).collect();
        let join = |handle: thread::ScopedJoinHandle<'_, R>| match handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().map(join).collect()
    })
}
