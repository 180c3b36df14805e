//! What a refused path is to a caller: each refusal with its own code and next step.

use std::io;

use becket_project::AdmitError;

use crate::{Error, ErrorKind, engine::kind_of, repository::sentence};

impl From<AdmitError> for Error {
    fn from(error: AdmitError) -> Self {
        let kind = match &error {
            AdmitError::Root { source, .. } => kind_of(source),
            AdmitError::Spelling { .. } | AdmitError::NotUnicode { .. } | AdmitError::NotAFolder { .. } => {
                ErrorKind::Invalid
            }
            AdmitError::Unreadable { source, .. } if source.kind() == io::ErrorKind::InvalidFilename => {
                ErrorKind::Invalid
            }
            _ => ErrorKind::Denied,
        };
        Error::new(kind, error.code(), sentence(&error.to_string()))
            .with_hint(error.hint())
            .with_source(error)
    }
}
