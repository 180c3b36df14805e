//! Work that is shared out among threads, where there is enough of it: waking one costs more than a few small things.

use rayon::prelude::*;

/// What is made of each, in their order; by several threads from `worth` items on.
pub fn each<T: Send, R: Send>(items: Vec<T>, worth: usize, make: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    if items.len() < worth {
        items.into_iter().map(make).collect()
    } else {
        items.into_par_iter().map(make).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_give_the_same() {
        for count in [0, 1, 3, 4, 1000] {
            let made = each((0..count).collect(), 4, |number: usize| number * 2);
            assert!(made.into_iter().eq((0..count).map(|number| number * 2)));
        }
    }
}
