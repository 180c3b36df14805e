//! What a refused path is to a caller: each refusal with its own code and next step.

use becket_project::AdmitError;

use crate::{Error, repository::sentence};

impl From<AdmitError> for Error {
    fn from(error: AdmitError) -> Self {
        Error::denied(error.code(), sentence(&error.to_string())).with_hint(error.hint()).with_source(error)
    }
}
