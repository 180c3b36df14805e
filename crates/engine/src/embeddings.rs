//! Vectors for the planes that can use them: the provider that the settings name, made once, and what it said before, kept
//! in the cache of the clone. Off unless the user turns it on; whoever asks goes on without vectors when there are none.

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use becket_embeddings::{ApiKey, EmbeddingError, Provider, ProviderOptions, VectorCache};
use becket_project::config;

use crate::Engine;

/// Kept by the engine between calls.
#[derive(Debug, Default)]
pub(crate) struct Embeddings {
    provider: OnceLock<Provider>,
    cache: Mutex<Option<VectorCache>>,
    failed: Mutex<Option<(Instant, String)>>,
}

/// What makes vectors of texts.
#[derive(Debug)]
pub(crate) struct Embedder<'a> {
    engine: &'a Engine,
    provider: &'a Provider,
}

/// A provider that is down is not waited for by every call.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(15);

impl Engine {
    /// Nothing when embeddings are off, which is the default. An error tells why they cannot be used: a warning for the
    /// answer, which is then made without.
    pub(crate) fn embedder(&self) -> Result<Option<Embedder<'_>>, EmbeddingError> {
        if self.workspace().is_err() {
            return Ok(None);
        }
        let made = match self.settings.text(config::EMBEDDINGS_PROVIDER) {
            "local" => Provider::local(),
            "openai" => match self.embeddings.provider.get() {
                Some(provider) => return Ok(Some(Embedder { engine: self, provider })),
                None => Provider::new(ProviderOptions {
                    base_url: self.settings.text(config::EMBEDDINGS_URL).to_owned(),
                    model: self.settings.text(config::EMBEDDINGS_MODEL).to_owned(),
                    key: self.settings.secret(config::EMBEDDINGS_KEY).map(|key| ApiKey::new(key.expose())),
                    timeout: Duration::from_secs(self.settings.number(config::EMBEDDINGS_TIMEOUT_SECONDS)),
                })?,
            },
            _ => return Ok(None),
        };
        Ok(Some(Embedder { engine: self, provider: self.embeddings.provider.get_or_init(|| made) }))
    }
}

impl Embedder<'_> {
    /// One vector for each text, in their order. Those made before come from the cache, so only new texts go out.
    pub(crate) fn embed(&self, texts: &[&str]) -> Result<Vec<Arc<[f32]>>, EmbeddingError> {
        let mut failed = lock(&self.engine.embeddings.failed).clone();
        if let Some((at, reason)) = failed.take() {
            if at.elapsed() < REST_AFTER_FAILURE && !texts.iter().all(|text| self.has(text)) {
                return Err(EmbeddingError::Resting { reason });
            }
        }
        let cancelled = becket_git::cancellation();
        let vectors = self.with_cache(|cache| cache.embed(self.provider, texts, &|| cancelled()));
        let mut failed = lock(&self.engine.embeddings.failed);
        match &vectors {
            Ok(_) => *failed = None,
            Err(EmbeddingError::Cancelled) => {}
            Err(error) => *failed = Some((Instant::now(), error.to_string())),
        }
        vectors
    }

    /// Whether a text has its vector already.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.with_cache(|cache| cache.has(text))
    }

    fn with_cache<T>(&self, work: impl FnOnce(&mut VectorCache) -> T) -> T {
        let mut cache = lock(&self.engine.embeddings.cache);
        let open = || {
            let folder = self.engine.workspace().map(|workspace| workspace.cache_dir.join("embeddings"));
            VectorCache::open(&folder.unwrap_or_default(), self.provider)
        };
        work(cache.get_or_insert_with(open))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use becket_project::Environment;
    use becket_testing::{
        TestRepo,
        embeddings::{Behaviour, EmbeddingServer},
    };

    use super::*;
    use crate::OpenOptions;

    fn engine(repo: &TestRepo, variables: &[(&str, &str)]) -> Engine {
        let environment =
            variables.iter().fold(Environment::new(repo.root()), |environment, (name, value)| {
                environment.with_variable(*name, *value)
            });
        Engine::open(environment, OpenOptions::default())
    }

    #[test]
    fn nothing_is_asked_unless_the_user_says_so() {
        let repo = TestRepo::new();
        let server = EmbeddingServer::start();
        let file = format!("[embeddings]\nprovider = \"openai\"\nurl = \"{}\"\n", server.url());
        repo.write("becket.toml", file);
        let key = ("OPENAI_API_KEY", "sk-test-0123456789");
        let silent = engine(&repo, &[key]);
        assert!(silent.embedder().unwrap().is_none());
        let told = format!("{silent:?} {:?}", silent.problems);
        assert!(told.contains("setting_not_from_file") && !told.contains("0123456789"), "{told}");
    }

    #[test]
    fn the_names_of_the_seed_count_and_a_failure_is_remembered_for_a_while() {
        let repo = TestRepo::new();
        let server = EmbeddingServer::start();
        let url = server.url();
        let variables = [("SEGMINT_EMBEDDING_PROVIDER", "openai"), ("OPENAI_BASE_URL", url.as_str())];
        let engine = engine(&repo, &variables);
        let embedder = engine.embedder().unwrap().unwrap();
        assert_eq!(embedder.embed(&["a car", "a clock"]).unwrap().len(), 2);
        assert_eq!(server.received()[0].model, "text-embedding-3-small");
        server.behave(Behaviour::Status(400, "no".to_owned()));
        let first = embedder.embed(&["money"]).unwrap_err();
        assert!(matches!(first, EmbeddingError::Refused { .. }), "{first:?}");
        let asked = server.received().len();
        let second = embedder.embed(&["money"]).unwrap_err();
        assert!(matches!(second, EmbeddingError::Resting { .. }), "{second:?}");
        assert_eq!(server.received().len(), asked);
        embedder.embed(&["a car"]).unwrap();
    }

    #[test]
    fn local_vectors_need_nobody() {
        let repo = TestRepo::new();
        let engine = engine(&repo, &[("SEGMINT_EMBEDDING_PROVIDER", "local")]);
        assert_eq!(engine.embedder().unwrap().unwrap().embed(&["a", "b"]).unwrap().len(), 2);
    }
}
