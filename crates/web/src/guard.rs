//! The checks in front of every request, in this order: Host, Origin, bearer token. Also the request log, which
//! says method, path, status and time, and never a header or a query.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::allow::{HostList, OriginList};
use crate::authority::Authority;
use crate::refusal::Refusal;
use crate::router::{FEED_PATH, MCP_PATH};
use crate::token::{Presented, Secret, presented, presented_to_feed, remove_from_protocols};
use crate::{body, cors};

const LOGGED_PATH_LENGTH: usize = 120;

#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) hosts: HostList,
    pub(crate) origins: OriginList,
    pub(crate) token: Secret,
}

pub(crate) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let path = guard.loggable_path(request.uri().path());
    let response = guard.pass(request, next).await;
    let status = response.status().as_u16();
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    // What a stranger can provoke must not fill the log: only those who hold the token can make the server fail.
    if status < 500 {
        tracing::debug!(%method, path, status, milliseconds, "http request");
    } else {
        tracing::warn!(%method, path, status, milliseconds, "http request failed");
    }
    response
}

impl Guard {
    async fn pass(&self, request: Request, next: Next) -> Response {
        let (mut parts, body) = request.into_parts();
        let origin = match self.check_host(&parts).and_then(|()| self.check_origin(&parts.headers)) {
            Ok(origin) => origin,
            Err(refusal) => {
                body::drain(&parts.headers, body).await;
                return refusal.into_response();
            }
        };
        let mut response = if let Some(answer) = cors::preflight(&parts) {
            answer
        } else if let Err(refusal) = self.check_token(&parts) {
            body::drain(&parts.headers, body).await;
            refusal.into_response()
        } else {
            // Nothing behind this point needs the token, and what is not there cannot be logged.
            parts.headers.remove(header::AUTHORIZATION);
            remove_from_protocols(&mut parts.headers);
            next.run(Request::from_parts(parts, body)).await
        };
        if let Some(origin) = origin {
            cors::expose(response.headers_mut(), origin);
        }
        response
    }

    /// The target of an absolute-form request line counts as much as the header: both must be allowed.
    fn check_host(&self, parts: &Parts) -> Result<(), Refusal> {
        let header = single(&parts.headers, header::HOST).ok_or(Refusal::HostMissing)?;
        let header = header.to_str().map_err(|_| Refusal::HostInvalid)?;
        let target = parts.uri.authority().map(http::uri::Authority::as_str);
        for text in [Some(header), target].into_iter().flatten() {
            let authority = Authority::parse(text).ok_or(Refusal::HostInvalid)?;
            if !self.hosts.admits(&authority) {
                return Err(Refusal::HostNotAllowed { host: text.to_owned() });
            }
        }
        Ok(())
    }

    /// Programs send no Origin and pass; a page must be listed. Gives back the origin to answer to.
    fn check_origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        if !headers.contains_key(header::ORIGIN) {
            return Ok(None);
        }
        let origin = single(headers, header::ORIGIN);
        match origin.filter(|origin| origin.to_str().is_ok_and(|text| self.origins.admits(text))) {
            Some(origin) => Ok(Some(origin.clone())),
            None => Err(Refusal::OriginNotAllowed {
                origin: origin
                    .map(|origin| String::from_utf8_lossy(origin.as_bytes()).into_owned())
                    .unwrap_or_default(),
            }),
        }
    }

    fn check_token(&self, parts: &Parts) -> Result<(), Refusal> {
        let presented = match parts.uri.path() {
            MCP_PATH => presented(&parts.headers),
            FEED_PATH => presented_to_feed(&parts.headers),
            _ => return Ok(()),
        };
        if parts.uri.query().is_some_and(|query| self.carries_token(query)) {
            let status = match presented {
                Presented::Nothing => StatusCode::UNAUTHORIZED,
                Presented::Bearer(_) | Presented::Unusable => StatusCode::BAD_REQUEST,
            };
            return Err(Refusal::TokenInUrl { status });
        }
        match presented {
            Presented::Nothing => Err(Refusal::TokenMissing),
            Presented::Unusable => Err(Refusal::TokenUnusable),
            Presented::Bearer(token) if self.token.matches(token) => Ok(()),
            Presented::Bearer(_) => Err(Refusal::TokenWrong),
        }
    }

    fn carries_token(&self, query: &str) -> bool {
        query.split(['&', ';']).any(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or(("", pair));
            let name = name.to_ascii_lowercase();
            name.ends_with("token")
                || matches!(name.as_str(), "auth" | "authorization" | "bearer" | "api_key" | "apikey")
                || self.token.matches(value.as_bytes())
        })
    }

    /// A token may also be put into the path by mistake.
    fn loggable_path(&self, path: &str) -> String {
        if path.split('/').any(|segment| self.token.matches(segment.as_bytes())) {
            return "(a path with the token in it)".to_owned();
        }
        path.chars().take(LOGGED_PATH_LENGTH).collect()
    }
}

/// The value of a header that is there exactly once.
fn single(headers: &HeaderMap, name: header::HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}
