//! Streamable HTTP as a plain tower service. Tokens, hosts, origins and limits are the mount's business (`becket-web`).

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::{
    model::{ClientJsonRpcMessage, ErrorCode, ErrorData},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::{
    server::{Connection, Server},
    transport::{Refusal, parse_message, parse_text},
};

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// One service for all clients; each session, and each stateless request, has its own [`Connection`].
///
/// `ended` drops every session and what it still has to say at once: it is for when the mount serves nobody any more.
/// What ends waits gently is the token of the [`Server`].
pub fn service(server: Server, max_body_bytes: usize, ended: CancellationToken) -> HttpService {
    let config = StreamableHttpServerConfig::default()
        // The mount has already checked Host and Origin against the settings.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(max_body_bytes)
        .with_cancellation_token(ended);
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
                Err(error) => {
                    let message = format!("the body cannot be read: {error}");
                    return Ok(refuse(&Refusal::new(None, ErrorData::parse_error(message, None))));
                }
            };
            // Of a body that does not say that it is JSON, rmcp says so.
            if parts.method == Method::POST && says_json(&parts.headers) {
                match check(&bytes) {
                    Ok(Some(_)) => {}
                    Ok(None) => return Ok(accepted()),
                    Err(refusal) => return Ok(refuse(&refusal)),
                }
            }
            Ok(inner.handle(Request::from_parts(parts, Full::new(bytes))).await)
        }
        .boxed()
    }
}

fn says_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.starts_with("application/json"))
}

/// The rules of stdio for one message: rmcp would take an ill-shaped `tools/call` for an unknown method, and what it
/// cannot read for another media type. `None`: there is nothing to do and nothing to answer.
fn check(body: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let value = parse_text(body)?;
    if value.is_array() {
        return Err(Refusal::invalid(
            None,
            "batches are answered on stdio for 2025-03-26 only; over HTTP send one message a request",
        ));
    }
    parse_message(value)
}

/// A request that was understood but for its parameters has an ordinary answer; anything else was no request.
fn refuse(refusal: &Refusal) -> Answer {
    let Refusal { id, error } = refusal;
    let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    let is_answer = id.is_some() && error.code == ErrorCode::INVALID_PARAMS;
    *answer.status_mut() = if is_answer { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    answer.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    answer
}

/// For a notification that is passed over.
fn accepted() -> Answer {
    let mut answer = Response::new(Full::new(Bytes::new()).boxed());
    *answer.status_mut() = StatusCode::ACCEPTED;
    answer
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::*;

    #[test]
    fn what_is_no_message_is_told_apart_from_what_is_no_json() {
        for body in [&b"{nope"[..], b"", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", b"{} {}"] {
            assert_eq!(check(body).unwrap_err().error.code.0, -32700, "{body:?}");
        }
        assert_eq!(check(&vec![b'['; 100_000]).unwrap_err().error.code.0, -32700);
        for (body, id) in [
            ("5", None),
            ("\"x\"", None),
            ("null", None),
            ("{}", None),
            ("[]", None),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, None),
            (r#"{"jsonrpc":"2.0","id":7}"#, Some(RequestId::Number(7))),
            (r#"{"id":"a","method":"ping"}"#, Some(RequestId::String("a".into()))),
            (r#"{"jsonrpc":"2.0","id":{},"method":5}"#, None),
        ] {
            let error = check(body.as_bytes()).unwrap_err();
            assert_eq!((error.error.code.0, error.id), (-32600, id), "{body}");
        }
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(check(body.as_bytes()).unwrap().is_some(), "{body}");
        }
        let passed_over = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#;
        assert!(check(passed_over.as_bytes()).unwrap().is_none());
    }

    #[test]
    fn an_ill_shaped_request_is_answered_as_on_stdio() {
        let body = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":["positional"]}"#;
        let refusal = check(body.as_bytes()).unwrap_err();
        assert_eq!(
            (refusal.error.code, &refusal.id),
            (ErrorCode::INVALID_PARAMS, &Some(RequestId::Number(3)))
        );
        assert_eq!(refuse(&refusal).status(), StatusCode::OK);
        assert_eq!(refuse(&check(b"{").unwrap_err()).status(), StatusCode::BAD_REQUEST);
    }
}
