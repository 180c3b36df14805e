//! Where the provider is, and one request to it: one address, no redirect, a deadline, a bounded answer.

use std::{net::IpAddr, time::Duration};

use ureq::{
    Agent,
    http::{Uri, uri::Scheme},
};

use crate::{ApiKey, EmbeddingError, answer};

#[derive(Debug)]
pub(crate) struct Endpoint {
    agent: Agent,
    url: String,
    /// Host and port, for messages.
    pub(crate) host: String,
    key: Option<ApiKey>,
}

/// How a request ended that may be worth another.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: EmbeddingError,
    pub(crate) retry: Retry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    No,
    Soon,
    After(Duration),
}

/// A batch of long vectors, written out in decimals, several times over.
const LARGEST_ANSWER: u64 = 32 * 1024 * 1024;

impl Endpoint {
    pub(crate) fn new(base_url: &str, key: Option<ApiKey>) -> Result<Self, EmbeddingError> {
        let bad = |expected| EmbeddingError::BadAddress { expected };
        let base = base_url.trim().trim_end_matches('/');
        let uri: Uri =
            base.parse().map_err(|_| bad("an http or https address such as https://api.openai.com/v1"))?;
        let encrypted = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(bad("an http or https address such as https://api.openai.com/v1")),
        };
        let authority = uri.authority().ok_or_else(|| bad("an address with a host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("without a user name or password; a key has its own variable"));
        }
        if uri.query().is_some() {
            return Err(bad("without a query"));
        }
        let host = authority.as_str().to_owned();
        let here = is_this_machine(authority.host());
        if key.is_some() && !encrypted && !here {
            return Err(EmbeddingError::KeyInTheClear { host });
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect could take the texts to a place that the user did not name.
            .max_redirects(0)
            .user_agent(concat!("becket/", env!("CARGO_PKG_VERSION")));
        if here {
            // A proxy cannot reach the loopback of this machine.
            config = config.proxy(None);
        }
        Ok(Self { agent: config.build().new_agent(), url: format!("{base}/embeddings"), host, key })
    }

    /// Sends one request and gives the body of a good answer.
    pub(crate) fn post(&self, body: &[u8], within: Duration) -> Result<Vec<u8>, Failed> {
        let mut request = self
            .agent
            .post(&self.url)
            .config()
            .timeout_global(Some(within))
            .build()
            .header("content-type", "application/json")
            .header("accept", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", key.bearer());
        }
        let mut response = request.send(body).map_err(|error| self.failed(&error, within))?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        let read = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_vec();
        if status == 200 {
            return read.map_err(|error| self.failed(&error, within));
        }
        let retry = match (status, retry_after) {
            (429 | 500..=599, Some(after)) => Retry::After(after),
            (408 | 429 | 500..=599, _) => Retry::Soon,
            _ => Retry::No,
        };
        // What is wrong with a key is known from the status, and providers like to repeat the key.
        let said = match status {
            401 | 403 => String::new(),
            _ => read.map(|body| answer::reason(&body)).unwrap_or_default(),
        };
        let told = self.key.as_ref().is_some_and(|key| key.is_told_by(&said));
        let detail = if told { String::new() } else { said };
        Err(Failed { error: EmbeddingError::Refused { host: self.host.clone(), status, detail }, retry })
    }

    fn failed(&self, error: &ureq::Error, within: Duration) -> Failed {
        let host = self.host.clone();
        let (error, retry) = match error {
            ureq::Error::Timeout(_) => {
                (EmbeddingError::TimedOut { host, seconds: within.as_secs().max(1) }, Retry::No)
            }
            ureq::Error::BodyExceedsLimit(limit) => {
                let reason = format!("more than {limit} bytes");
                (EmbeddingError::BadAnswer { host, reason }, Retry::No)
            }
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                let reason = "it is not HTTP".to_owned();
                (EmbeddingError::BadAnswer { host, reason }, Retry::No)
            }
            ureq::Error::Io(error) => {
                let retry = match error.kind() {
                    std::io::ErrorKind::ConnectionRefused => Retry::No,
                    _ => Retry::Soon,
                };
                (EmbeddingError::Unreachable { host, reason: error.kind().to_string() }, retry)
            }
            ureq::Error::HostNotFound => {
                let reason = "there is no such host".to_owned();
                (EmbeddingError::Unreachable { host, reason }, Retry::No)
            }
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
                let reason = "no encrypted connection came about".to_owned();
                (EmbeddingError::Unreachable { host, reason }, Retry::No)
            }
            _ => {
                let reason = "the connection failed".to_owned();
                (EmbeddingError::Unreachable { host, reason }, Retry::No)
            }
        };
        Failed { error, retry }
    }
}

fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str, key: Option<&str>) -> String {
        Endpoint::new(url, key.map(ApiKey::new)).unwrap_err().to_string()
    }

    #[test]
    fn only_addresses_that_are_safe_to_use_are_taken() {
        assert!(refusal("ftp://example.com", None).contains("http or https"));
        assert!(refusal("example.com/v1", None).contains("http or https"));
        assert!(refusal("https://", None).contains("http or https"));
        assert!(refusal("", None).contains("http or https"));
        let told = refusal("https://me:hunter2@example.com/v1", None);
        assert!(told.contains("password") && !told.contains("hunter2"), "{told}");
        assert!(refusal("https://example.com/v1?key=hunter2", None).ends_with("without a query"));
        let told = refusal("http://example.com/v1", Some("sk-secret-key"));
        assert!(told.contains("not encrypted") && !told.contains("secret"), "{told}");
        for fine in ["http://127.0.0.1:1/v1", "http://localhost/v1/", "http://[::1]:1", "https://example.com"]
        {
            Endpoint::new(fine, Some(ApiKey::new("sk-secret-key"))).unwrap();
        }
        assert_eq!(
            Endpoint::new("http://example.com/v1/", None).unwrap().url,
            "http://example.com/v1/embeddings"
        );
    }
}
