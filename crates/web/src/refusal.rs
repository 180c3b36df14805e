//! Every way in which a request is refused: status, stable code, message and next step, as one JSON body.

use std::borrow::Cow;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

/// What a refused header may add to a message; the rest would only fill logs and terminals.
const SHOWN_LENGTH: usize = 200;
const WHERE_THE_TOKEN_IS: &str =
    "Send `Authorization: Bearer TOKEN`; the server names its token file on stderr when it starts.";
const LOOK_AT_LOG: &str = "Look at the server's log on stderr.";

#[derive(Debug)]
pub(crate) enum Refusal {
    HostMissing,
    HostInvalid,
    HostNotAllowed {
        host: String,
    },
    OriginNotAllowed {
        origin: String,
    },
    TokenMissing,
    TokenUnusable,
    TokenWrong,
    TokenInUrl {
        status: StatusCode,
    },
    PathUnknown,
    MethodNotAllowed {
        allow: &'static str,
    },
    /// The feed was asked for without an upgrade.
    NotWebSocket,
    TooManyListeners {
        limit: usize,
    },
    BodyTooLarge {
        limit: usize,
    },
    BodyTooSlow,
    BodyBroken,
    ShuttingDown,
    Panicked,
    /// The mounted service answered with an error that is not JSON.
    Service {
        status: StatusCode,
        message: String,
    },
}

struct Description {
    status: StatusCode,
    code: &'static str,
    message: Cow<'static, str>,
    hint: Cow<'static, str>,
}

impl Refusal {
    fn describe(&self) -> Description {
        let row = |status, code, message, hint| Description {
            status,
            code,
            message: Cow::Borrowed(message),
            hint: Cow::Borrowed(hint),
        };
        match self {
            Self::HostMissing => row(
                StatusCode::BAD_REQUEST,
                "host_missing",
                "The request has no Host header, or more than one.",
                "Send one `Host: 127.0.0.1` with the port.",
            ),
            Self::HostInvalid => row(
                StatusCode::BAD_REQUEST,
                "host_invalid",
                "The Host header is not a host with an optional port.",
                "Send `Host: 127.0.0.1` with the port.",
            ),
            Self::HostNotAllowed { host } => Description {
                message: format!("The host `{}` is not allowed here.", shown(host)).into(),
                ..row(
                    // 421 would invite a client to try the same name on another connection.
                    StatusCode::FORBIDDEN,
                    "host_not_allowed",
                    "",
                    "Call it as localhost or 127.0.0.1, or add the host to the allowed hosts.",
                )
            },
            Self::OriginNotAllowed { origin } => Description {
                message: format!("Pages of the origin `{}` may not call this server.", shown(origin)).into(),
                ..row(
                    StatusCode::FORBIDDEN,
                    "origin_not_allowed",
                    "",
                    "Add the origin to the allowed origins if you trust it.",
                )
            },
            Self::TokenMissing => row(
                StatusCode::UNAUTHORIZED,
                "token_missing",
                "The request carries no bearer token.",
                WHERE_THE_TOKEN_IS,
            ),
            Self::TokenUnusable => row(
                StatusCode::UNAUTHORIZED,
                "token_unusable",
                "The Authorization header is not one bearer token.",
                WHERE_THE_TOKEN_IS,
            ),
            Self::TokenWrong => row(
                StatusCode::UNAUTHORIZED,
                "token_wrong",
                "The bearer token is not the one of this server.",
                "Read the token again: the server names its token file on stderr when it starts.",
            ),
            Self::TokenInUrl { status } => row(
                *status,
                "token_in_url",
                "A token in a URL is never accepted, because URLs end up in logs and histories.",
                "Send it as `Authorization: Bearer TOKEN`, and replace the token, for this one was exposed.",
            ),
            Self::PathUnknown => row(
                StatusCode::NOT_FOUND,
                "path_unknown",
                "There is nothing at this path.",
                "MCP is served at /mcp.",
            ),
            Self::MethodNotAllowed { allow } => Description {
                hint: format!("Use one of: {allow}.").into(),
                ..row(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "method_not_allowed",
                    "This path does not take that method.",
                    "",
                )
            },
            Self::NotWebSocket => row(
                StatusCode::UPGRADE_REQUIRED,
                "not_websocket",
                "The feed speaks WebSocket only.",
                "Connect with a WebSocket client, version 13, over HTTP/1.1.",
            ),
            Self::TooManyListeners { limit } => Description {
                message: format!("So many listeners are connected already: {limit}.").into(),
                ..row(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "too_many_listeners",
                    "",
                    "Let one of them go, or try again later.",
                )
            },
            Self::BodyTooLarge { limit } => Description {
                message: format!("The request body is larger than {limit} bytes.").into(),
                ..row(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "body_too_large",
                    "",
                    "Send less in one message, or name files by their path.",
                )
            },
            Self::BodyTooSlow => row(
                StatusCode::REQUEST_TIMEOUT,
                "body_too_slow",
                "The request body did not arrive in time.",
                "Send the request again.",
            ),
            Self::BodyBroken => row(
                StatusCode::BAD_REQUEST,
                "body_broken",
                "The request body ended early or is not well formed.",
                "Send the request again.",
            ),
            Self::ShuttingDown => row(
                StatusCode::SERVICE_UNAVAILABLE,
                "shutting_down",
                "The server is shutting down and did not finish this call.",
                "Call again when the server is back.",
            ),
            Self::Panicked => row(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "The server made a mistake while it handled this call.",
                LOOK_AT_LOG,
            ),
            Self::Service { status, message } => {
                let (code, hint) = service_error(*status);
                let message = match message.as_str() {
                    "" => status.canonical_reason().unwrap_or("The request failed.").into(),
                    message => message.to_owned().into(),
                };
                Description { message, ..row(*status, code, "", hint) }
            }
        }
    }

    /// RFC 6750: the challenge says what was wrong only when a token was presented.
    fn challenge(&self) -> Option<&'static str> {
        match self {
            Self::TokenMissing => Some("Bearer realm=\"becket\""),
            Self::TokenWrong => Some("Bearer realm=\"becket\", error=\"invalid_token\""),
            Self::TokenUnusable | Self::TokenInUrl { .. } => {
                Some("Bearer realm=\"becket\", error=\"invalid_request\"")
            }
            _ => None,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Description { status, code, message, hint } = self.describe();
        let body = json!({ "error": { "code": code, "message": message, "hint": hint } });
        let mut response = json_response(status, &body);
        if let Some(challenge) = self.challenge() {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        if matches!(self, Self::NotWebSocket) {
            response.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        }
        if let Self::MethodNotAllowed { allow } = self {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        response
    }
}

pub(crate) fn json_response(status: StatusCode, value: &serde_json::Value) -> Response {
    let mut response = Response::new(Body::from(format!("{value}\n")));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// What Streamable HTTP means by a status: code and next step.
fn service_error(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::NOT_FOUND => ("session_unknown", "Open a new session with `initialize`."),
        StatusCode::METHOD_NOT_ALLOWED => ("method_not_allowed", "Send messages with POST."),
        StatusCode::NOT_ACCEPTABLE => {
            ("not_acceptable", "Send `Accept: application/json, text/event-stream`.")
        }
        StatusCode::PAYLOAD_TOO_LARGE => ("body_too_large", "Send less in one message."),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            ("unsupported_media_type", "Send one JSON-RPC message with `Content-Type: application/json`.")
        }
        status if status.is_server_error() => ("internal", LOOK_AT_LOG),
        _ => ("bad_request", "Mend the request as the message says."),
    }
}

fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(SHOWN_LENGTH).collect()
}
