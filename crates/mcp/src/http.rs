//! Streamable HTTP as a plain tower service. Tokens, hosts, origins and limits are the mount's business (`becket-web`).

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http::{Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use serde::de::IgnoredAny;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::server::{Connection, Server};

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// One service for all clients; each session, and each stateless request, has its own [`Connection`].
pub fn service(server: Server, max_body_bytes: usize, closing: CancellationToken) -> HttpService {
    let config = StreamableHttpServerConfig::default()
        // The mount has already checked Host and Origin against the settings.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(max_body_bytes)
        .with_cancellation_token(closing);
    let make = move || Ok(server.connection());
    HttpService { inner: StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config) }
}

/// What `becket-web` mounts: rmcp's service, with a JSON-RPC answer for what is not JSON-RPC.
#[derive(Clone)]
pub struct HttpService {
    inner: StreamableHttpService<Connection, LocalSessionManager>,
}

impl std::fmt::Debug for HttpService {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("HttpService")
    }
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::fmt::Display,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Answer, Infallible>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = self.inner.clone();
        async move {
            let (parts, body) = request.into_parts();
            let bytes = match body.collect().await {
                Ok(body) => body.to_bytes(),
                Err(error) => return Ok(refuse(StatusCode::BAD_REQUEST, -32700, &format!("The body cannot be read: {error}."))),
            };
            if parts.method == Method::POST {
                if let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes) {
                    return Ok(refuse(StatusCode::BAD_REQUEST, -32700, &format!("Parse error: the body is not JSON: {error}.")));
                }
                if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
                    let message = "Batches are answered on stdio for 2025-03-26 only; over HTTP send one message a request.";
                    return Ok(refuse(StatusCode::BAD_REQUEST, -32600, message));
                }
            }
            Ok(inner.handle(Request::from_parts(parts, Full::new(bytes))).await)
        }
        .boxed()
    }
}

fn refuse(status: StatusCode, code: i32, message: &str) -> Answer {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}}).to_string();
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    answer
}
