//! A set of measured times and its percentiles.

use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Sample {
    times: Vec<Duration>,
}

impl Sample {
    pub(crate) fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.times.extend(other.times);
    }

    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    /// By nearest rank: a time that was really measured, and for 100 the largest. Of nothing it is zero.
    pub(crate) fn milliseconds(&self, percent: usize) -> f64 {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_values() {
        let mut sample = Sample::default();
        for milliseconds in (1..=200).rev() {
            sample.add(Duration::from_millis(milliseconds));
        }
        for (percent, expected) in [(50, 100.0), (95, 190.0), (99, 198.0), (100, 200.0), (0, 1.0)] {
            assert!((sample.milliseconds(percent) - expected).abs() < 1e-9, "p{percent}");
        }
        let mut one = Sample::default();
        assert!(one.milliseconds(99).abs() < 1e-9);
        one.add(Duration::from_millis(7));
        assert!((one.milliseconds(99) - 7.0).abs() < 1e-9);
    }
}
