//! `notifications/message`: who wants which. Before 2026-07-28 a session sets its level; from then on each request carries its own.
#![expect(deprecated, reason = "2026-07-28 deprecates logging, older peers still use it")]

use rmcp::{
    Peer, RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion},
    service::RequestContext,
};
use serde_json::Value;

use crate::session::Session;

/// How much a message matters, in syslog's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// The level below which nothing is sent for this request; `None` sends nothing at all.
pub(crate) fn of_request(context: &RequestContext<RoleServer>, session: &Session) -> Option<Level> {
    if is_modern(context) { context.meta.log_level().map(Level::from) } else { Some(session.level()) }
}

/// Whether the request speaks the stateless protocol.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

pub(crate) async fn send(peer: &Peer<RoleServer>, threshold: Level, level: Level, data: Value) {
    if level < threshold {
        return;
    }
    let param = LoggingMessageNotificationParam::new(level.into(), data).with_logger("becket");
    if let Err(error) = peer.notify_logging_message(param).await {
        tracing::debug!(%error, "log message not delivered");
    }
}

impl From<LoggingLevel> for Level {
    fn from(level: LoggingLevel) -> Self {
        match level {
            LoggingLevel::Debug => Level::Debug,
            LoggingLevel::Info => Level::Info,
            LoggingLevel::Notice => Level::Notice,
            LoggingLevel::Warning => Level::Warning,
            LoggingLevel::Error => Level::Error,
            LoggingLevel::Critical => Level::Critical,
            LoggingLevel::Alert => Level::Alert,
            LoggingLevel::Emergency => Level::Emergency,
        }
    }
}

impl From<Level> for LoggingLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Debug => LoggingLevel::Debug,
            Level::Info => LoggingLevel::Info,
            Level::Notice => LoggingLevel::Notice,
            Level::Warning => LoggingLevel::Warning,
            Level::Error => LoggingLevel::Error,
            Level::Critical => LoggingLevel::Critical,
            Level::Alert => LoggingLevel::Alert,
            Level::Emergency => LoggingLevel::Emergency,
        }
    }
}
