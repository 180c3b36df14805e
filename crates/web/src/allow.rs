//! The two allow-lists: which Host a request may name, and which web page (Origin) may send one.
//!
//! A page that rebinds its own name to this machine passes no Host check, and a page elsewhere passes no Origin
//! check: together they keep browsers out, so that the token is not the only wall.

use std::net::IpAddr;

use crate::authority::{Authority, Host};
use crate::error::WebError;

/// Hosts that a request may name. Loopback and the bound address always pass, with any port.
#[derive(Debug)]
pub(crate) struct HostList {
    bound: IpAddr,
    configured: HostEntries,
}

/// The hosts that were configured, before it is known where the server listens.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostEntries(Vec<Authority>);

impl HostEntries {
    /// An entry is `host`, which passes with any port, or `host:port`, which passes with that one alone.
    pub(crate) fn parse(entries: &[String]) -> Result<Self, WebError> {
        let parse = |entry: &String| {
            Authority::parse(entry).ok_or_else(|| WebError::InvalidAllowedHost { entry: entry.clone() })
        };
        entries.iter().map(parse).collect::<Result<_, _>>().map(Self)
    }
}

impl HostList {
    pub(crate) fn new(bound: IpAddr, configured: HostEntries) -> Self {
        Self { bound: bound.to_canonical(), configured }
    }

    pub(crate) fn admits(&self, authority: &Authority) -> bool {
        authority.host.is_loopback()
            || self.is_bound(&authority.host)
            || self.configured.0.iter().any(|entry| {
                entry.host == authority.host && (entry.port.is_none() || entry.port == authority.port)
            })
    }

    /// On all interfaces any literal address may be ours; a literal cannot be rebound, so none is refused.
    fn is_bound(&self, host: &Host) -> bool {
        matches!(host, Host::Address(address) if self.bound.is_unspecified() || *address == self.bound)
    }
}

/// Origins that a browser may send from. Pages of this machine always pass, with any port.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginList {
    configured: Vec<OriginEntry>,
}

#[derive(Debug, Clone)]
struct OriginEntry {
    origin: Origin,
    any_port: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: Host,
    port: Option<u16>,
}

impl OriginList {
    /// An entry is `scheme://host`, `scheme://host:port` or `scheme://host:*`.
    pub(crate) fn parse(entries: &[String]) -> Result<Self, WebError> {
        let parse = |entry: &String| {
            let (text, any_port) = match entry.strip_suffix(":*") {
                Some(text) => (text, true),
                None => (entry.as_str(), false),
            };
            Origin::parse(text)
                .filter(|origin| !any_port || origin.port.is_none())
                .map(|origin| OriginEntry { origin: origin.with_default_port(), any_port })
                .ok_or_else(|| WebError::InvalidAllowedOrigin { entry: entry.clone() })
        };
        Ok(Self { configured: entries.iter().map(parse).collect::<Result<_, _>>()? })
    }

    pub(crate) fn admits(&self, text: &str) -> bool {
        let Some(origin) = Origin::parse(text).map(Origin::with_default_port) else { return false };
        let is_local_page = matches!(origin.scheme.as_str(), "http" | "https") && origin.host.is_loopback();
        is_local_page
            || self.configured.iter().any(|entry| {
                entry.origin.scheme == origin.scheme
                    && entry.origin.host == origin.host
                    && (entry.any_port || entry.origin.port == origin.port)
            })
    }
}

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        if !scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            || !scheme.bytes().all(is_scheme_byte)
        {
            return None;
        }
        let Authority { host, port } = Authority::parse(authority)?;
        Some(Self { scheme: scheme.to_ascii_lowercase(), host, port })
    }

    /// Browsers leave the default port out, people may write it.
    fn with_default_port(mut self) -> Self {
        self.port = self.port.or(match self.scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(bound: &str, entries: &[&str]) -> HostList {
        let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
        HostList::new(bound.parse().unwrap(), HostEntries::parse(&entries).unwrap())
    }

    fn origins(entries: &[&str]) -> OriginList {
        let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
        OriginList::parse(&entries).unwrap()
    }

    fn host_passes(list: &HostList, text: &str) -> bool {
        list.admits(&Authority::parse(text).unwrap())
    }

    #[test]
    fn a_host_entry_with_a_port_passes_with_that_port_alone() {
        let list = hosts("127.0.0.1", &["Box.Example", "other.example:8443"]);
        assert!(host_passes(&list, "box.example"));
        assert!(host_passes(&list, "box.example:1"));
        assert!(host_passes(&list, "other.example:8443"));
        assert!(!host_passes(&list, "other.example"));
        assert!(!host_passes(&list, "other.example:8444"));
        assert!(!host_passes(&list, "sub.box.example"));
    }

    #[test]
    fn the_bound_address_passes_and_a_neighbour_does_not() {
        let list = hosts("192.0.2.7", &[]);
        assert!(host_passes(&list, "192.0.2.7:9000"));
        assert!(!host_passes(&list, "192.0.2.8:9000"));
        assert!(!host_passes(&list, "rebound.example:9000"));
        let everywhere = hosts("0.0.0.0", &[]);
        assert!(host_passes(&everywhere, "192.0.2.8:9000"));
        assert!(!host_passes(&everywhere, "rebound.example:9000"));
    }

    #[test]
    fn pages_of_this_machine_pass_and_all_others_need_an_entry() {
        let list = origins(&["https://app.example", "vscode-webview://panel:*", "http://dev.example:*"]);
        for text in [
            "http://localhost:3000",
            "https://127.0.0.1",
            "http://[::1]:5173",
            "https://app.example",
            "https://APP.example:443",
            "vscode-webview://panel",
            "http://dev.example:81",
        ] {
            assert!(list.admits(text), "{text}");
        }
        for text in [
            "null",
            "",
            "localhost:3000",
            "http://localhost:3000/",
            "http://localhost@evil.example",
            "http://localhost.evil.example",
            "file://",
            "ftp://localhost",
            "http://app.example",
            "https://app.example:8443",
            "https://dev.example:81",
        ] {
            assert!(!list.admits(text), "{text}");
        }
    }

    #[test]
    fn an_entry_that_could_never_match_is_an_error() {
        for entry in ["", "*", "https://box.example", "box.example/path", "*.example", "box:port"] {
            let error = HostEntries::parse(&[entry.to_owned()]).unwrap_err();
            assert_eq!(error.code(), "http_allowed_host_invalid", "{entry}");
        }
        for entry in
            ["", "*", "null", "box.example", "https://", "https://*", "http://box:1:*", "http://box/"]
        {
            let error = OriginList::parse(&[entry.to_owned()]).unwrap_err();
            assert_eq!(error.code(), "http_allowed_origin_invalid", "{entry}");
        }
    }
}
