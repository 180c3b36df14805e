//! How large the pages are in which Linux gives out memory. A process that reads a whole project and ends asks for memory
//! hundreds of times less often with huge ones; one that stays would keep megabytes that it does not need. A system that does
//! not let itself be told changes nothing but the time.

/// From here on, small pages alone: to be called before much is asked for.
pub(crate) fn small() {
    are_small(true);
}

/// From here on, huge ones where the system has them.
pub(crate) fn huge() {
    are_small(false);
}

#[cfg(target_os = "linux")]
fn are_small(small: bool) {
    _ = rustix::thread::disable_transparent_huge_pages(small);
}

#[cfg(not(target_os = "linux"))]
fn are_small(_: bool) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::transparent_huge_pages_are_disabled;

    #[test]
    fn pages_are_small_until_they_are_wanted_huge() {
        super::small();
        assert!(transparent_huge_pages_are_disabled().unwrap());
        super::huge();
        assert!(!transparent_huge_pages_are_disabled().unwrap());
    }
}
