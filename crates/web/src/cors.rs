//! What a browser asks before and reads after a call from another origin. Only origins that already passed the
//! allow-list come here; nobody else is answered.

use axum::body::Body;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::mount::METHODS;

const EXPOSED: &str = "mcp-session-id, mcp-protocol-version, www-authenticate";
const MAX_AGE_SECONDS: &str = "600";

/// The answer to a preflight, or `None` for any other request.
pub(crate) fn preflight(parts: &Parts) -> Option<Response> {
    let asks = parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if parts.method != Method::OPTIONS || !asks || !parts.headers.contains_key(header::ORIGIN) {
        return None;
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE_SECONDS));
    // A tool may ask for headers of its own (`Mcp-Param-*`), so no fixed list would do.
    if let Some(wanted) = parts.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    Some(response)
}

/// Lets the page of `origin` read the answer, errors included.
pub(crate) fn expose(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
}
