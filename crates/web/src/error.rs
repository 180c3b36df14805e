//! Why the HTTP face could not start. What a request can do wrong is in `refusal`.

use std::io;
use std::net::SocketAddr;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum WebError {
    #[error("`{text}` is not an address to listen on")]
    InvalidAddress { text: String },
    #[error("{address} is not a loopback address, so others on the network could reach it")]
    NotLoopback { address: SocketAddr },
    #[error("{address} is already in use by another process")]
    AddressInUse {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error("could not listen on {address}")]
    Bind {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error("the http token cannot be used: {reason}")]
    UnusableToken { reason: &'static str },
    #[error("allowed host `{entry}` is not a host name or address with an optional port")]
    InvalidAllowedHost { entry: String },
    #[error("allowed origin `{entry}` is not a scheme, a host and an optional port")]
    InvalidAllowedOrigin { entry: String },
}

impl WebError {
    /// Stable and machine-readable.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidAddress { .. } => "http_address_invalid",
            Self::NotLoopback { .. } => "http_not_loopback",
            Self::AddressInUse { .. } => "http_address_in_use",
            Self::Bind { .. } => "http_bind_failed",
            Self::UnusableToken { .. } => "http_token_unusable",
            Self::InvalidAllowedHost { .. } => "http_allowed_host_invalid",
            Self::InvalidAllowedOrigin { .. } => "http_allowed_origin_invalid",
        }
    }

    /// The next step.
    pub fn hint(&self) -> String {
        match self {
            Self::InvalidAddress { .. } => {
                "Give an address and a port, such as 127.0.0.1:8765, [::1]:8765 or 127.0.0.1:0 for a free port.".to_owned()
            }
            Self::NotLoopback { address } => format!(
                "Listen on 127.0.0.1:{port}, or start it with --http-expose and put a TLS proxy in front.",
                port = address.port()
            ),
            Self::AddressInUse { address, .. } => format!(
                "Use the server that already listens there, choose another port, or give {ip}:0 for a free one.",
                ip = bracketed(*address)
            ),
            Self::Bind { source, address } => match source.kind() {
                io::ErrorKind::PermissionDenied => "Choose a port from 1024 up.".to_owned(),
                io::ErrorKind::AddrNotAvailable => format!(
                    "No interface of this machine has the address {ip}: listen on 127.0.0.1.",
                    ip = address.ip()
                ),
                _ => "Choose another address or port.".to_owned(),
            },
            Self::UnusableToken { .. } => {
                "Use at least 32 letters and digits, or give none and one is generated.".to_owned()
            }
            Self::InvalidAllowedHost { .. } => {
                "Write it as it stands in a Host header: box.example or box.example:8443.".to_owned()
            }
            Self::InvalidAllowedOrigin { .. } => {
                "Write it as a browser sends it: https://app.example, or http://app.example:* for any port.".to_owned()
            }
        }
    }
}

fn bracketed(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}
