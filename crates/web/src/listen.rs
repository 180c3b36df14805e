//! The listener: how it binds, accepts within bounds, and ends.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::{BoxError, Router};
use bytes::Bytes;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::allow::HostList;
use crate::error::WebError;
use crate::guard::Guard;
use crate::mount::{Ending, Mount};
use crate::options::{Limits, Options};
use crate::router::{MCP_PATH, router};

/// How long clients may take to read the last bytes of an answer that was cut.
const FLUSH_TIME: Duration = Duration::from_secs(1);
/// How long a request that was on its way when the end came may take to be seen; hyper closes what has sent nothing.
const ARRIVAL_TIME: Duration = Duration::from_millis(250);
/// How long to wait when the process has no file descriptor left for a new connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Who can reach the listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposure {
    /// Any address but a loopback one is refused.
    LoopbackOnly,
    /// Any address, because the user said so.
    Network,
}

/// A listener that holds its port and serves nothing yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

/// Reads `127.0.0.1:8765`, `[::1]:8765`, `localhost:8765` or a bare port, which means 127.0.0.1.
///
/// Other names are refused: what they resolve to, and so who can connect, is not in the user's hand.
pub fn parse_address(text: &str) -> Result<SocketAddr, WebError> {
    let local = |port: &str| {
        let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        digits
            .then(|| port.parse().ok())
            .flatten()
            .map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    };
    let text = text.trim();
    text.parse()
        .ok()
        .or_else(|| local(text.strip_prefix("localhost:").unwrap_or(text)))
        .ok_or_else(|| WebError::InvalidAddress { text: text.to_owned() })
}

pub async fn bind(address: SocketAddr, exposure: Exposure) -> Result<Bound, WebError> {
    if !address.ip().to_canonical().is_loopback() {
        if exposure == Exposure::LoopbackOnly {
            return Err(WebError::NotLoopback { address });
        }
        tracing::warn!(
            %address,
            "listening beyond this machine without TLS: token and code can be read on the way; \
             put a TLS proxy in front"
        );
    }
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => WebError::AddressInUse { address, source },
        _ => WebError::Bind { address, source },
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Bound { listener, address })
}

/// Serves until `shutdown`, then lets calls in flight finish within [`Limits::grace`] and returns.
///
/// `service` should end its own endless answers (`subscriptions/listen`) at the same `shutdown`, and must not end
/// anything else before this returns.
pub async fn serve<S, B>(bound: Bound, service: S, options: Options, shutdown: CancellationToken)
where
    S: Service<Request, Response = http::Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let Options { token, hosts, origins, limits, feed } = options;
    if token.is_weak() {
        tracing::warn!("the http token is short enough to be guessed; use 32 random bytes");
    }
    let checks = Guard { hosts: HostList::new(bound.address.ip(), hosts), origins, token };
    let ending = Ending { asked: shutdown, cut: CancellationToken::new() };
    let router = router(checks, Mount { service, limits, ending: ending.clone() }, feed.clone());
    bound.accept(router, limits, ending).await;
    // A listener has a connection of its own by now, which nothing above waits for.
    if let Some(feed) = feed {
        feed.ended().await;
    }
}

impl Bound {
    /// With the port that the system chose, if it was asked to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a client on this machine finds the mounted service.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}{MCP_PATH}", SocketAddr::new(ip, self.address.port()))
    }

    /// One permit per connection: they bound how many there are, and show when all have ended.
    async fn accept(self, router: Router, limits: Limits, ending: Ending) {
        let permits = u32::try_from(limits.connections).unwrap_or(u32::MAX).clamp(1, 1 << 20);
        let slots = Arc::new(Semaphore::new(permits as usize));
        let closed = CancellationToken::new();
        // Connections must not outlive this future, not even when it is dropped half-way.
        let _closing = closed.clone().drop_guard();
        let accepting = async {
            while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
                let stream = self.next_connection().await;
                let connection = drive(stream, router.clone(), limits, ending.asked.clone());
                let closed = closed.clone();
                tokio::spawn(async move {
                    closed.run_until_cancelled(connection).await;
                    drop(slot);
                });
            }
        };
        ending.asked.run_until_cancelled(accepting).await;
        drop(self.listener);
        let all_ended = || slots.acquire_many(permits);
        if timeout(limits.grace, all_ended()).await.is_err() {
            ending.cut.cancel();
            if timeout(FLUSH_TIME, all_ended()).await.is_err() {
                tracing::warn!("some http clients did not read their last answer in time");
            }
        }
    }

    async fn next_connection(&self) -> TcpStream {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => return stream,
                Err(error) => {
                    tracing::warn!(%error, "could not accept an http connection");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

/// One connection, until its client or the server ends it.
async fn drive(stream: TcpStream, router: Router, limits: Limits, shutdown: CancellationToken) {
    // Answers are small and waited for; without it they could be held back for a delayed acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "could not set TCP_NODELAY");
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = pin!(connection);
    let last_requests_seen = async {
        shutdown.cancelled().await;
        sleep(ARRIVAL_TIME).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = last_requests_seen => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "an http connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_in_every_sensible_spelling() {
        for (text, address) in [
            ("127.0.0.1:8765", "127.0.0.1:8765"),
            (" 127.0.0.1:0 ", "127.0.0.1:0"),
            ("[::1]:8765", "[::1]:8765"),
            ("localhost:8765", "127.0.0.1:8765"),
            ("8765", "127.0.0.1:8765"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(parse_address(text).unwrap(), address.parse().unwrap(), "{text}");
        }
        for text in [
            "",
            "127.0.0.1",
            "::1:80",
            "example.com:80",
            "localhost",
            "localhost:",
            "99999",
            "+80",
            "1.2.3.4:-1",
        ] {
            assert_eq!(parse_address(text).unwrap_err().code(), "http_address_invalid", "{text}");
        }
    }
}
