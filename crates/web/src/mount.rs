//! The mounted service as HTTP sees it: a bounded body goes in, errors come out as JSON, and its event streams
//! end when the server does.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::{BoxError, body::to_bytes};
use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use http::{HeaderMap, Method, header};
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt};

use crate::body;
use crate::options::Limits;
use crate::refusal::Refusal;

/// The methods of Streamable HTTP.
pub(crate) const METHODS: &str = "GET, POST, DELETE";

/// An error text beyond this is cut.
const ERROR_TEXT_BYTES: usize = 64 * 1024;

/// When a server ends: first it is asked to, later everything that still runs is cut.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ending {
    /// A stream that no answer ends is ended now; calls in flight go on, and end by themselves.
    pub(crate) asked: CancellationToken,
    /// Calls in flight end too.
    pub(crate) cut: CancellationToken,
}

#[derive(Debug, Clone)]
pub(crate) struct Mount<S> {
    pub(crate) service: S,
    pub(crate) limits: Limits,
    pub(crate) ending: Ending,
}

impl<S, B> Mount<S>
where
    S: Service<Request, Response = http::Response<B>, Error = Infallible>,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    pub(crate) async fn answer(self, request: Request) -> Response {
        let Self { service, limits, ending } = self;
        let (parts, body) = request.into_parts();
        if ![Method::GET, Method::POST, Method::DELETE].contains(&parts.method) {
            body::drain(&parts.headers, body).await;
            return Refusal::MethodNotAllowed { allow: METHODS }.into_response();
        }
        // A GET asks for events until somebody hangs up. `subscriptions/listen` ends with a result, which must arrive.
        let stream_end = if parts.method == Method::GET { ending.asked } else { ending.cut.clone() };
        let call = async {
            let bytes = match body::read(&parts.headers, body, &limits).await {
                Ok(bytes) => bytes,
                Err(refusal) => return refusal.into_response(),
            };
            let answer = service.oneshot(Request::from_parts(parts, Body::from(bytes)));
            // A bug in one call must not look like a lost network to its client.
            match AssertUnwindSafe(answer).catch_unwind().await {
                Ok(Ok(response)) => with_json_error(response.map(Body::new)).await,
                Err(_) => Refusal::Panicked.into_response(),
            }
        };
        let Some(response) = ending.cut.run_until_cancelled(call).await else {
            return Refusal::ShuttingDown.into_response();
        };
        if has_type(response.headers(), "text/event-stream") {
            let end = stream_end.cancelled_owned();
            return response.map(|body| Body::from_stream(body.into_data_stream().take_until(end)));
        }
        response
    }
}

/// Puts a plain-text or empty error into the one shape of all errors; protocol errors are JSON already.
async fn with_json_error(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || has_type(response.headers(), "application/json") {
        return response;
    }
    let (parts, body) = response.into_parts();
    let text = to_bytes(body, ERROR_TEXT_BYTES).await.unwrap_or_default();
    let refusal = Refusal::Service { status, message: String::from_utf8_lossy(&text).trim().to_owned() };
    let mut response = refusal.into_response();
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = parts.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

fn has_type(headers: &HeaderMap, media_type: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(media_type))
}
