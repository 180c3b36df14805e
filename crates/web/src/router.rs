//! What stands at which path.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{BoxError, Router, middleware};
use bytes::Bytes;
use http::StatusCode;
use serde_json::json;
use tower::Service;

use crate::body;
use crate::feed::Feed;
use crate::guard::{Guard, guard};
use crate::mount::Mount;
use crate::refusal::{Refusal, json_response};

/// Where the mounted service answers.
pub const MCP_PATH: &str = "/mcp";
/// Where the live feed is, if there is one.
pub const FEED_PATH: &str = "/feed";
/// Whether the server lives, for those who have no token.
pub const HEALTH_PATH: &str = "/healthz";

pub(crate) fn router<S, B>(checks: Guard, mount: Mount<S>, feed: Option<Feed>) -> Router
where
    S: Service<Request, Response = http::Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let ending = mount.ending.asked.clone();
    let mut routes =
        Router::new().route(MCP_PATH, any(move |request: Request| mount.clone().answer(request)));
    if let Some(feed) = feed {
        let listen = move |request: Request| feed.clone().answer(request, ending.clone());
        routes = routes.route(FEED_PATH, any(listen));
    }
    routes
        .route(HEALTH_PATH, get(health).fallback(health_method_not_allowed))
        .fallback(path_unknown)
        .layer(middleware::from_fn_with_state(Arc::new(checks), guard))
}

async fn health() -> Response {
    json_response(StatusCode::OK, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

async fn health_method_not_allowed(request: Request) -> Response {
    refuse(request, Refusal::MethodNotAllowed { allow: "GET, HEAD" }).await
}

async fn path_unknown(request: Request) -> Response {
    refuse(request, Refusal::PathUnknown).await
}

async fn refuse(request: Request, refusal: Refusal) -> Response {
    let (parts, body) = request.into_parts();
    body::drain(&parts.headers, body).await;
    refusal.into_response()
}
