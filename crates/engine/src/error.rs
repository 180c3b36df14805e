//! The one error that a use case gives back. Faces map its kind, nothing else, to exit codes and results.

use std::fmt;

/// What sort of failure it is: a face decides exit code and status from this alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The thing that was named does not exist.
    NotFound,
    /// It exists, but somebody or something else holds it or changed it.
    Conflict,
    /// The request itself is wrong: a type, a range, a malformed file.
    Invalid,
    /// Understood and refused: outside the sandbox, read-only, no token.
    Denied,
    /// It may work later: a lost connection, a lock, a missing program.
    Unavailable,
    /// Our fault.
    Internal,
}

impl ErrorKind {
    /// The next step where nothing better is known.
    fn hint(self) -> &'static str {
        match self {
            Self::NotFound => "Look at what there is, and name one of it.",
            Self::Conflict => "Look at what changed meanwhile, and try again from there.",
            Self::Invalid => "Correct the request as the message says, and send it again.",
            Self::Denied => "Ask for something that is allowed; `becket config` shows what decides it.",
            Self::Unavailable => "Try again; `becket doctor` shows what is missing if that does not help.",
            Self::Internal => "This is a defect of becket; the log on stderr has more.",
        }
    }
}

/// A failure that a person or an agent can act on.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    code: &'static str,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// `code` is stable and machine-readable (`path_outside_root`); `message` is one sentence for a person.
    pub fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), hint: None, source: None }
    }

    pub fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, code, message)
    }

    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, code, message)
    }

    pub fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, code, message)
    }

    pub fn denied(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Denied, code, message)
    }

    pub fn unavailable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, code, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, "internal", message)
    }

    /// The next step, as a sentence or a command.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Something else was done before it failed, which the caller must know.
    #[must_use]
    pub(crate) fn after(mut self, done: &str) -> Self {
        self.hint = Some(format!("{} Before that: {done}", self.hint().unwrap_or_default()));
        self
    }

    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The same failure with its message and hint in other words.
    #[must_use]
    pub fn reworded(mut self, words: impl Fn(&str) -> String) -> Self {
        self.message = words(&self.message);
        self.hint = self.hint.as_deref().map(words);
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub fn code(&self) -> &'static str {
        self.code
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// Never absent: where nothing better is known, what helps with every failure of its kind.
    pub fn hint(&self) -> Option<&str> {
        Some(self.hint.as_deref().unwrap_or_else(|| self.kind.hint()))
    }

    /// What led to it, each in words that were not said before: a boundary's error often says the same in its own.
    pub fn causes(&self) -> Vec<String> {
        let mut told = self.message.to_lowercase();
        let mut causes = Vec::new();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            let words = cause.to_string();
            if !told.contains(&words.to_lowercase()) {
                told.push_str(&words.to_lowercase());
                causes.push(words);
            }
            source = cause.source();
        }
        causes
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [ErrorKind; 6] = [
        ErrorKind::NotFound,
        ErrorKind::Conflict,
        ErrorKind::Invalid,
        ErrorKind::Denied,
        ErrorKind::Unavailable,
        ErrorKind::Internal,
    ];

    #[test]
    fn every_failure_says_what_to_do_next() {
        for kind in KINDS {
            let error = Error::new(kind, "code", "It failed.");
            assert!(error.hint().is_some_and(|hint| !hint.is_empty()), "{kind:?}");
            assert_eq!(error.with_hint("This.").hint(), Some("This."));
        }
    }

    #[test]
    fn what_was_done_before_it_failed_is_added_to_the_hint() {
        let error = Error::conflict("code", "It failed.").with_hint("Look.").after("It was mended.");
        assert_eq!(error.hint(), Some("Look. Before that: It was mended."));
    }
}
