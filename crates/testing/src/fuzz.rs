//! Random cases, each run with others, until the time asked for is over; a failure can be run again by its seed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Runs `cases` cases, or as many as fit into `BECKET_FUZZ_SECONDS`. A failure names its seed, and `BECKET_FUZZ_SEED` runs
/// it again.
#[allow(clippy::print_stdout, reason = "how much was tried is part of what a test tells")]
pub fn fuzz<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let deadline = number("BECKET_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut seed = number("BECKET_FUZZ_SEED").unwrap_or_else(any_seed);
    let mut done = 0_u64;
    loop {
        let config =
            Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
        let bytes = [seed.to_le_bytes(); 4].concat();
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        if let Err(error) = TestRunner::new_with_rng(config, rng).run(strategy, &test) {
            panic!("with BECKET_FUZZ_SEED={seed}: {error}");
        }
        done += u64::from(cases);
        seed = seed.wrapping_add(1);
        if deadline.is_none_or(|deadline| Instant::now() >= deadline) {
            break;
        }
    }
    println!("{done} cases");
}

/// Another one for each run and each test: the standard library seeds its hash maps so.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}
