//! What time it is, as a value that somebody hands in. It owns the trait alone: the clock of the machine is
//! `becket_engine`'s, and a test brings its own.

pub use jiff::Timestamp;

/// The one way to learn the time.
pub trait Clock: std::fmt::Debug + Send + Sync {
    fn now(&self) -> Timestamp;
}
