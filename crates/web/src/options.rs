//! What the caller decides about the HTTP face, and the bounds on what one request may cost.

use std::time::Duration;

use crate::allow::{HostEntries, OriginList};
use crate::error::WebError;
use crate::feed::Feed;
use crate::token::Secret;

#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) token: Secret,
    pub(crate) hosts: HostEntries,
    pub(crate) origins: OriginList,
    pub(crate) limits: Limits,
    pub(crate) feed: Option<Feed>,
}

impl Options {
    /// Every request to the mounted service must present this token.
    pub fn new(token: Secret) -> Self {
        Self {
            token,
            hosts: HostEntries::default(),
            origins: OriginList::default(),
            limits: Limits::default(),
            feed: None,
        }
    }

    /// Also serves a feed, under the same checks.
    #[must_use]
    pub fn with_feed(mut self, feed: Feed) -> Self {
        self.feed = Some(feed);
        self
    }

    /// `host` or `host:port`, beside loopback and the bound address.
    pub fn with_allowed_hosts(mut self, hosts: &[String]) -> Result<Self, WebError> {
        self.hosts = HostEntries::parse(hosts)?;
        Ok(self)
    }

    /// `scheme://host`, `scheme://host:port` or `scheme://host:*`, beside the pages of this machine.
    pub fn with_allowed_origins(mut self, origins: &[String]) -> Result<Self, WebError> {
        self.origins = OriginList::parse(origins)?;
        Ok(self)
    }

    #[must_use]
    pub fn with_max_body_bytes(mut self, bytes: usize) -> Self {
        self.limits.body_bytes = bytes;
        self
    }

    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A larger request body is answered with 413.
    pub body_bytes: usize,
    /// How long a request head, or the silence before the next one, may take.
    pub head_time: Duration,
    /// How long a request body may take.
    pub body_time: Duration,
    /// Beyond it, new connections wait until another one ends.
    pub connections: usize,
    /// How long calls in flight may go on after the shutdown was asked for.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 4 * 1024 * 1024,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            connections: 512,
            grace: Duration::from_secs(5),
        }
    }
}
