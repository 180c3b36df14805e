//! A service that answers even when its handler panics.
//!
//! Owns that one rule: rmcp would leave such a request unanswered for ever, and the client waiting.

use std::any::Any;
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};

/// Wraps a service; clones share it.
#[derive(Debug)]
pub struct Guarded<S> {
    service: Arc<S>,
}

impl<S> Guarded<S> {
    pub fn new(service: S) -> Self {
        Self { service: Arc::new(service) }
    }
}

impl<S> Clone for Guarded<S> {
    fn clone(&self) -> Self {
        Self { service: Arc::clone(&self.service) }
    }
}

impl<S: Service<RoleServer>> Service<RoleServer> for Guarded<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let method = request.method().to_owned();
        AssertUnwindSafe(self.service.handle_request(request, context)).catch_unwind().await.unwrap_or_else(
            |panic| {
                tracing::error!(method, panic = panic_text(&*panic), "a handler panicked");
                Err(ErrorData::internal_error(format!("the server failed inside {method}; it goes on"), None))
            },
        )
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        AssertUnwindSafe(self.service.handle_notification(notification, context))
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                tracing::error!(panic = panic_text(&*panic), "a notification handler panicked");
                Ok(())
            })
    }

    fn get_info(&self) -> ServerConfig {
        self.service.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.service.supported_protocol_versions()
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
