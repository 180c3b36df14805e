//! `host[:port]` as it stands in a Host header or an Origin, compared by what it names and not by its spelling.

use std::net::{IpAddr, Ipv6Addr};

/// A host and, if one was written, a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authority {
    pub(crate) host: Host,
    pub(crate) port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    Address(IpAddr),
    /// Lower case, without the trailing dot of an absolute name.
    Name(String),
}

impl Authority {
    /// Nothing but a host and a port: user names, paths, wildcards and shortened addresses (`127.1`) are no match
    /// for anything and so give `None` or a name that no list holds.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(bracketed) = text.strip_prefix('[') {
            let (address, rest) = bracketed.split_once(']')?;
            let address: Ipv6Addr = address.parse().ok()?;
            let port = match rest.strip_prefix(':') {
                Some(port) => Some(parse_port(port)?),
                None if rest.is_empty() => None,
                None => return None,
            };
            return Some(Self { host: Host::Address(IpAddr::V6(address).to_canonical()), port });
        }
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, Some(parse_port(port)?)),
            None => (text, None),
        };
        Some(Self { host: Host::parse_unbracketed(host)?, port })
    }
}

impl Host {
    fn parse_unbracketed(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self::Address(address));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        (!name.is_empty() && name.bytes().all(is_name_byte)).then(|| Self::Name(name.to_ascii_lowercase()))
    }

    /// What always means this machine, whatever a resolver says.
    pub(crate) fn is_loopback(&self) -> bool {
        match self {
            Self::Address(address) => address.is_loopback(),
            Self::Name(name) => name == "localhost",
        }
    }
}

/// Digits only: `u16::from_str` would also take a sign.
fn parse_port(text: &str) -> Option<u16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_loopback(text: &str) -> bool {
        Authority::parse(text).is_some_and(|authority| authority.host.is_loopback())
    }

    #[test]
    fn every_spelling_of_this_machine_is_loopback() {
        for text in [
            "localhost",
            "LocalHost:1",
            "localhost.:80",
            "127.0.0.1",
            "127.0.0.1:65535",
            "127.9.9.9",
            "[::1]",
            "[::1]:8080",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]:9",
        ] {
            assert!(is_loopback(text), "{text}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for text in [
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil-localhost",
            "user@localhost",
            "localhost@evil.example",
            "localhost:80@evil.example",
            "localhost/",
            "localhost:",
            "localhost:+80",
            "localhost:99999",
            "localhost:80:80",
            "local host",
            "::1",
            "[::1",
            "[::1]x",
            "[::1%lo]",
            "127.1",
            "2130706433",
            "",
            ".",
            ":80",
        ] {
            assert!(!is_loopback(text), "{text}");
        }
    }
}
