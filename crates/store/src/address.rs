//! Where a PostgreSQL server is, how to log in, and how much of its word is asked for on the way there.

use std::fmt;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};

/// Never shows its password.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// With the words for encryption that the client library knows.
    url: String,
    trust: Trust,
    /// Certificates to trust, instead of those that browsers do.
    roots: Option<PathBuf>,
    /// What the client shows of itself.
    identity: Option<Identity>,
}

/// A certificate and its key, for a server that lets in whom it knows by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// What the server has to show before it is talked to, as `sslmode` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Nothing, and nothing is encrypted.
    Plain,
    /// Encrypted (`prefer`: where the server can), whoever it is.
    Anybody,
    /// A certificate that a trusted one has signed.
    Issuer,
    /// And it is for the name in the address.
    Name,
}

impl ServerAddress {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut kept, mut mode, mut roots) = (Vec::new(), "prefer".to_owned(), None);
        let (mut certificate, mut private_key) = (None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy();
            match key {
                "sslmode" => mode = value.into_owned(),
                "sslrootcert" => roots = Some(PathBuf::from(&*value)),
                "sslcert" => certificate = Some(PathBuf::from(&*value)),
                "sslkey" => private_key = Some(PathBuf::from(&*value)),
                _ => kept.push(pair),
            }
        }
        let (told, trust) = match (mode.as_str(), &roots) {
            ("disable", _) => ("disable", Trust::Plain),
            ("allow" | "prefer", _) => ("prefer", Trust::Anybody),
            ("require", None) => ("require", Trust::Anybody),
            // As `libpq` has it: whoever names certificates wants them looked at.
            ("require" | "verify-ca", _) => ("require", Trust::Issuer),
            ("verify-full", _) => ("require", Trust::Name),
            (other, _) => {
                let detail = format!(
                    "its sslmode is `{other}`; disable, prefer, require, verify-ca and verify-full are known"
                );
                return Err(Error::Address { detail });
            }
        };
        let identity = match (certificate, private_key) {
            (Some(certificate), Some(key)) => Some(Identity { certificate, key }),
            (None, None) => None,
            (Some(_), None) => {
                return Err(Error::Address { detail: "it has sslcert and no sslkey".to_owned() });
            }
            (None, Some(_)) => {
                return Err(Error::Address { detail: "it has sslkey and no sslcert".to_owned() });
            }
        };
        let mode = format!("sslmode={told}");
        kept.push(&mode);
        let url = format!("{place}?{}", kept.join("&"));
        url.parse::<tokio_postgres::Config>()
            .map_err(|error| Error::Address { detail: error.to_string() })?;
        Ok(Self { url, trust, roots, identity })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn trust(&self) -> Trust {
        self.trust
    }

    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    pub(crate) fn roots(&self) -> Option<&Path> {
        self.roots.as_deref()
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("postgres", &self.url));
        let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
        let place = match rest.rsplit_once('@') {
            Some((login, place)) => {
                let user = login.split_once(':').map_or(login, |(user, _)| user);
                format!("{user}@{place}")
            }
            None => rest.to_owned(),
        };
        write!(formatter, "{scheme}://{place}")
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ServerAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_password_to_itself() {
        let address =
            ServerAddress::parse("postgres://ada:s3cret@db.example:5433/teams?password=x&sslmode=prefer")
                .unwrap();
        let shown = format!("{address:?} {address}");
        assert!(shown.contains("ada@db.example:5433/teams"), "{shown}");
        assert!(!shown.contains("s3cret") && !shown.contains("password"), "{shown}");
    }

    #[test]
    fn the_mode_says_what_is_trusted() {
        let trust = |query: &str| {
            let address = ServerAddress::parse(&format!("postgres://db.example/teams{query}")).unwrap();
            let roots = address.roots().map(|path| path.display().to_string());
            (address.trust(), roots)
        };
        assert_eq!(trust(""), (Trust::Anybody, None));
        assert_eq!(trust("?sslmode=disable"), (Trust::Plain, None));
        assert_eq!(trust("?sslmode=require&application_name=x"), (Trust::Anybody, None));
        let roots = Some("/etc/my roots.pem".to_owned());
        assert_eq!(trust("?sslrootcert=/etc/my%20roots.pem&sslmode=require"), (Trust::Issuer, roots.clone()));
        assert_eq!(trust("?sslmode=verify-full&sslrootcert=/etc/my%20roots.pem"), (Trust::Name, roots));
        let wrong = ServerAddress::parse("postgres://db.example/teams?sslmode=always").unwrap_err();
        assert!(wrong.to_string().contains("sslmode is `always`"), "{wrong}");
    }
}
