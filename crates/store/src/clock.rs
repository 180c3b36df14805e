//! The time that leases count on. Owns what a moment is and how this machine tells one; PostgreSQL tells its own.
//!
//! A wall clock jumps: set by hand, by NTP, by a suspended laptop. What counts therefore is a tick that only moves
//! forward within an epoch (the machine's time since boot, sleep included, and the id of that boot). Wall time is for
//! display.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use becket_base::Timestamp;

/// Now, told three ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    pub wall: Timestamp,
    /// Milliseconds on a clock that never goes back within `epoch`.
    pub tick: i64,
    /// Which clock `tick` belongs to; ticks of different epochs cannot be compared.
    pub epoch: Arc<str>,
}

impl Moment {
    /// Fixed width, so that texts compare as times do.
    pub(crate) fn text(&self) -> String {
        text(self.wall)
    }

    pub(crate) fn text_in(&self, milliseconds: i64) -> String {
        text(shifted(self.wall, milliseconds))
    }

    /// How long ago something was, by the tick where it can be told, else by the wall clock, never negative.
    pub(crate) fn since(&self, epoch: &str, tick: i64, wall: &str) -> i64 {
        if epoch == &*self.epoch {
            return (self.tick - tick).max(0);
        }
        let then = wall.parse::<Timestamp>().unwrap_or(self.wall);
        (self.wall.as_millisecond() - then.as_millisecond()).max(0)
    }
}

pub trait LeaseClock: Debug + Send + Sync {
    fn now(&self) -> Moment;
}

/// The clock of this machine.
#[derive(Debug)]
pub struct MachineClock {
    epoch: Arc<str>,
}

impl MachineClock {
    pub fn new() -> Self {
        Self { epoch: boot_id().into() }
    }
}

impl Default for MachineClock {
    fn default() -> Self {
        Self::new()
    }
}

impl LeaseClock for MachineClock {
    fn now(&self) -> Moment {
        Moment { wall: Timestamp::now(), tick: boot_milliseconds(), epoch: Arc::clone(&self.epoch) }
    }
}

/// A clock that stands until it is moved; each of its three readings by itself.
#[derive(Debug)]
pub struct FakeClock(Mutex<Moment>);

impl FakeClock {
    pub fn new() -> Self {
        let wall = Timestamp::from_millisecond(1_800_000_000_000).unwrap_or(Timestamp::UNIX_EPOCH);
        Self(Mutex::new(Moment { wall, tick: 1_000_000, epoch: "boot-1".into() }))
    }

    /// Time passes: both clocks move.
    pub fn pass(&self, seconds: i64) {
        self.change(|now| {
            now.tick += seconds * 1000;
            now.wall = shifted(now.wall, seconds * 1000);
        });
    }

    /// Somebody sets the wall clock.
    pub fn jump(&self, seconds: i64) {
        self.change(|now| now.wall = shifted(now.wall, seconds * 1000));
    }

    /// The machine starts again after being off for a while.
    pub fn reboot(&self, seconds_off: i64) {
        self.change(|now| {
            now.wall = shifted(now.wall, seconds_off * 1000);
            now.tick = 5_000;
            now.epoch = format!("{}+", now.epoch).into();
        });
    }

    fn change(&self, change: impl FnOnce(&mut Moment)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl LeaseClock for FakeClock {
    fn now(&self) -> Moment {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(crate) fn text(wall: Timestamp) -> String {
    format!("{wall:.3}")
}

pub(crate) fn shifted(wall: Timestamp, milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(wall.as_millisecond().saturating_add(milliseconds)).unwrap_or(wall)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn boot_milliseconds() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn boot_id() -> String {
    let read = fs_err::read_to_string("/proc/sys/kernel/random/boot_id");
    read.map(|text| text.trim().to_owned()).unwrap_or_else(|_| "unknown-boot".to_owned())
}

/// Elsewhere no clock that counts sleep is at hand without `unsafe`: the wall clock stands in, and a jump of it shows.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn boot_milliseconds() -> i64 {
    Timestamp::now().as_millisecond()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn boot_id() -> String {
    "wall".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_one_width_and_compare_as_times() {
        let clock = FakeClock::new();
        let before = clock.now().text();
        assert_eq!(before, "2027-01-15T08:00:00.000Z");
        clock.pass(1);
        assert!(before < clock.now().text());
        assert_eq!(clock.now().text_in(1), "2027-01-15T08:00:01.001Z");
    }

    #[test]
    fn a_jump_of_the_wall_clock_does_not_count() {
        let clock = FakeClock::new();
        let then = clock.now();
        clock.jump(-3600);
        clock.pass(10);
        assert_eq!(clock.now().since(&then.epoch, then.tick, &then.text()), 10_000);
        clock.reboot(3600);
        assert_eq!(clock.now().since(&then.epoch, then.tick, &then.text()), 10_000);
    }

    #[test]
    fn the_machine_goes_forward() {
        let clock = MachineClock::new();
        let (before, after) = (clock.now(), clock.now());
        assert!(after.tick >= before.tick && after.epoch == before.epoch && !after.epoch.is_empty());
    }
}
