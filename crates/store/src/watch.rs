//! Being told that something was committed, by this process or another.

use std::time::Duration;

use crate::backend::Watcher;
use crate::error::Result;

#[derive(Debug)]
pub struct Watch(pub(crate) Box<dyn Watcher>);

impl Watch {
    /// True as soon as anything was committed since the last call (or since the watch was made), false after `timeout`.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool> {
        self.0.wait(timeout)
    }
}
