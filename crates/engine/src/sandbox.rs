//! What a refused path is to a caller: each refusal with its own code and next step.

use std::io;

use becket_fence::Refused;
use becket_project::AdmitError;

use crate::{Error, ErrorKind, engine::kind_of, repository::sentence};

/// What a failure is to a caller whose cause is a file of becket's own that is a link to elsewhere; nothing for any other.
pub(crate) fn refused_link(error: &(dyn std::error::Error + 'static)) -> Option<Error> {
    let mut causes = std::iter::successors(Some(error), |cause| cause.source());
    let refused = causes.find_map(|cause| Refused::of(cause.downcast_ref()?))?;
    Some(Error::denied(refused.code(), sentence(&refused.to_string())).with_hint(refused.hint()))
}

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
