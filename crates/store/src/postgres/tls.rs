//! Encryption on the way to the server. Owns what is trusted and the stream that the client library wants; the handshake
//! is the work of `rustls`.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{
    CertificateDer, InvalidDnsNameError, PrivateKeyDer, ServerName, UnixTime,
};
use tokio_rustls::rustls::{
    self, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    server::ParsedCertificate,
};

use crate::address::{ServerAddress, Trust};
use crate::error::{Error, Result};

/// Makes encrypted streams to one server.
#[derive(Debug, Clone)]
pub(crate) struct Tls(Arc<ClientConfig>);

impl Tls {
    pub(crate) fn new(address: &ServerAddress) -> Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let verifier = Arc::new(Verifier::new(address, &provider)?);
        let broken = |error: rustls::Error| Error::unexpected(format!("TLS: {error}"));
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(broken)?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match address.identity() {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let chain = certificates("sslcert", &identity.certificate)?;
                let wrong = |detail: String| Error::Address {
                    detail: format!("sslkey {}: {detail}", identity.key.display()),
                };
                let key =
                    PrivateKeyDer::from_pem_file(&identity.key).map_err(|error| wrong(error.to_string()))?;
                builder.with_client_auth_cert(chain, key).map_err(|error| wrong(error.to_string()))?
            }
        };
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self(Arc::new(config)))
    }
}

/// Whether a connection failed because of what the server showed: trying again does not help.
pub(crate) fn is_distrust(error: &tokio_postgres::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    matches!(cause.and_then(io::Error::get_ref), Some(cause) if cause.is::<rustls::Error>())
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Encrypted;
    type TlsConnect = Handshake;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Handshake, InvalidDnsNameError> {
        let name = ServerName::try_from(domain.to_owned())?;
        Ok(Handshake { connector: TlsConnector::from(Arc::clone(&self.0)), name })
    }
}

pub(crate) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, stream: Socket) -> Self::Future {
        Box::pin(async move { Ok(Encrypted(self.connector.connect(self.name, stream).await?)) })
    }
}

/// The client library's word for an encrypted stream, around that of `rustls`.
pub(crate) struct Encrypted(tokio_rustls::client::TlsStream<Socket>);

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// Looks at as much of a certificate as the address asks for.
#[derive(Debug)]
struct Verifier {
    trust: Trust,
    /// Nothing where anybody is trusted.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates that the address names: a server may show one of them itself, signed by nobody else.
    named: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn new(address: &ServerAddress, provider: &Arc<CryptoProvider>) -> Result<Self> {
        let trust = address.trust();
        let named = match trust {
            Trust::Plain | Trust::Anybody => Vec::new(),
            Trust::Issuer | Trust::Name => {
                let roots = address.roots().map(|path| certificates("sslrootcert", path));
                roots.transpose()?.unwrap_or_default()
            }
        };
        let chain = match trust {
            Trust::Plain | Trust::Anybody => None,
            Trust::Issuer | Trust::Name => {
                let roots = Arc::new(roots(&named)?);
                let built = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(provider)).build();
                Some(built.map_err(|error| Error::Address { detail: format!("sslrootcert: {error}") })?)
            }
        };
        Ok(Self { trust, chain, named, provider: Arc::clone(provider) })
    }
}

/// Those that the address names, or else those that browsers trust.
fn roots(named: &[CertificateDer<'static>]) -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    if named.is_empty() {
        store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for certificate in named {
        let added = store.add(certificate.clone());
        added.map_err(|error| Error::Address { detail: format!("sslrootcert: {error}") })?;
    }
    Ok(store)
}

/// Those of a file that the address names under `word`.
fn certificates(word: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let wrong = |detail: String| Error::Address { detail: format!("{word} {}: {detail}", path.display()) };
    let read = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
    let certificates: Vec<_> = read.collect::<Result<_, _>>().map_err(|error| wrong(error.to_string()))?;
    if certificates.is_empty() {
        return Err(wrong("it holds no certificate".to_owned()));
    }
    Ok(certificates)
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        if self.named.iter().any(|named| named == end_entity) {
            if self.trust == Trust::Name {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last: whoever fails by it alone was signed by somebody trusted.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.trust == Trust::Issuer => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
