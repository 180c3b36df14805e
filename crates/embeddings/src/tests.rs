//! The provider against a real HTTP server on the loopback, in every way that it can fail.
#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::{
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use becket_testing::embeddings::{Behaviour, EmbeddingServer, concepts};

use crate::{ApiKey, EmbeddingError, Provider, ProviderOptions, VectorCache, cosine};

const KEY: &str = "sk-test-0123456789abcdef";

fn provider(server: &EmbeddingServer, timeout: Duration) -> Provider {
    at(&server.url(), timeout)
}

fn at(url: &str, timeout: Duration) -> Provider {
    let key = Some(ApiKey::new(KEY));
    let model = "toy".to_owned();
    Provider::new(ProviderOptions { base_url: url.to_owned(), model, key, timeout }).unwrap()
}

const GOES_ON: &dyn Fn() -> bool = &|| false;
const LONG: Duration = Duration::from_secs(20);

fn failure(server: &EmbeddingServer, behaviour: Behaviour) -> EmbeddingError {
    server.behave(behaviour);
    let provider = provider(server, LONG);
    let error = provider.embed(&["a text"], GOES_ON).unwrap_err();
    assert!(!format!("{error} {error:?} {provider:?}").contains("0123456789"), "{error:?}");
    error
}

#[test]
fn texts_come_back_as_vectors_in_their_order_and_in_batches() {
    let server = EmbeddingServer::start();
    let texts: Vec<String> = (0..150).map(|number| format!("{} car", "retry ".repeat(number % 7))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = provider(&server, LONG).embed(&texts, GOES_ON).unwrap();
    assert_eq!(vectors, texts.iter().map(|text| concepts(text)).collect::<Vec<_>>());
    let requests = server.received();
    assert_eq!(requests.iter().map(|request| request.inputs.len()).collect::<Vec<_>>(), [64, 64, 22]);
    for request in requests {
        assert_eq!((request.path.as_str(), request.model.as_str()), ("/v1/embeddings", "toy"));
        assert_eq!(request.authorization.as_deref(), Some(format!("Bearer {KEY}").as_str()));
    }
    assert!(cosine(&concepts("an automobile"), &concepts("my car")) > 0.99);
}

#[test]
fn a_busy_provider_is_asked_again_and_a_broken_one_not_for_ever() {
    let server = EmbeddingServer::start();
    for status in [429, 500, 503] {
        server.behave(Behaviour::Recovers { status, times: 2 });
        provider(&server, LONG).embed(&["a text"], GOES_ON).unwrap();
    }
    let before = server.received().len();
    let error = failure(&server, Behaviour::Status(500, "out of order".to_owned()));
    assert!(matches!(&error, EmbeddingError::Refused { status: 500, .. }), "{error:?}");
    assert!(error.to_string().ends_with("answered 500: out of order"), "{error}");
    assert_eq!(server.received().len() - before, 3);
}

#[test]
fn a_refusal_is_told_without_the_key() {
    let server = EmbeddingServer::start();
    let before = server.received().len();
    let error = failure(&server, Behaviour::Status(401, format!("bad key {KEY}")));
    assert!(error.to_string().ends_with("answered 401"), "{error}");
    assert_eq!(server.received().len() - before, 1, "no second attempt");
    let error = failure(&server, Behaviour::Status(400, "bad key sk-test-01***ef".to_owned()));
    assert!(error.to_string().ends_with("answered 400"), "{error}");
    let error = failure(&server, Behaviour::Status(404, "no such model".to_owned()));
    assert!(error.to_string().ends_with("answered 404: no such model"), "{error}");
}

#[test]
fn an_answer_that_is_not_one_is_refused() {
    let server = EmbeddingServer::start();
    for (body, part) in [
        ("<html>", "no list of vectors"),
        ("{}", "no list of vectors"),
        (r#"{"data":[]}"#, "0 vectors for 1 text"),
        (r#"{"data":[{"embedding":"AAAA"}]}"#, "no list of vectors"),
        (r#"{"data":[{"embedding":[]}]}"#, "a vector of 0 numbers"),
    ] {
        let error = failure(&server, Behaviour::Body(body.to_owned()));
        assert!(
            matches!(error, EmbeddingError::BadAnswer { .. }) && error.to_string().contains(part),
            "{error}"
        );
    }
    let large = format!(r#"{{"data":[{}]}}"#, " ".repeat(33 * 1024 * 1024));
    let error = failure(&server, Behaviour::Body(large));
    assert!(error.to_string().contains("more than"), "{error}");
}

#[test]
fn no_redirect_is_followed() {
    let (server, other) = (EmbeddingServer::start(), EmbeddingServer::start());
    let error = failure(&server, Behaviour::Redirect(format!("{}/embeddings", other.url())));
    assert!(matches!(error, EmbeddingError::Refused { status: 307, .. }), "{error:?}");
    assert!(other.received().is_empty());
}

#[test]
fn silence_ends_at_the_deadline_and_at_a_cancellation() {
    let server = EmbeddingServer::start();
    server.behave(Behaviour::Silent);
    let started = Instant::now();
    let error = provider(&server, Duration::from_secs(1)).embed(&["a text"], GOES_ON).unwrap_err();
    assert!(matches!(error, EmbeddingError::TimedOut { seconds: 1, .. }), "{error:?}");
    assert!(started.elapsed() < LONG / 2, "{:?}", started.elapsed());
    let gone = Arc::new(AtomicBool::new(false));
    let waiting = {
        let (gone, provider) = (Arc::clone(&gone), provider(&server, Duration::from_mins(10)));
        thread::spawn(move || provider.embed(&["a text"], &|| gone.load(Ordering::Relaxed)))
    };
    while server.received().len() < 2 {
        thread::yield_now();
    }
    gone.store(true, Ordering::Relaxed);
    let error = waiting.join().unwrap().unwrap_err();
    assert!(matches!(error, EmbeddingError::Cancelled), "{error:?}");
}

#[test]
fn nobody_there_is_said_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = at(&format!("http://{address}"), LONG).embed(&["a text"], GOES_ON).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the embedding provider at {address} cannot be reached: connection refused")
    );
}

#[test]
fn kept_vectors_are_not_asked_for_again() {
    let (server, folder) = (EmbeddingServer::start(), tempfile::tempdir().unwrap());
    let provider = provider(&server, LONG);
    let mut cache = VectorCache::open(folder.path(), &provider);
    assert!(cache.is_empty() && !cache.has("a car"));
    let first = cache.embed(&provider, &["a car", "a clock", "a car"], GOES_ON).unwrap();
    assert_eq!(first[0], first[2]);
    assert_eq!(server.texts(), ["a car", "a clock"]);
    let mut again = VectorCache::open(folder.path(), &provider);
    assert_eq!((again.len(), again.has("a car")), (2, true));
    assert_eq!(again.embed(&provider, &["a clock", "money"], GOES_ON).unwrap()[0], first[1]);
    assert_eq!(server.texts(), ["a car", "a clock", "money"]);
    assert_eq!(VectorCache::open(folder.path(), &provider).len(), 3);
    let other = at(&server.url().replace("/v1", "/v2"), LONG);
    assert!(VectorCache::open(folder.path(), &other).is_empty(), "vectors of another provider mean nothing");
}

#[test]
fn vectors_that_change_their_length_are_made_anew() {
    let (server, folder) = (EmbeddingServer::start(), tempfile::tempdir().unwrap());
    let provider = provider(&server, LONG);
    VectorCache::open(folder.path(), &provider).embed(&provider, &["a car"], GOES_ON).unwrap();
    server.behave(Behaviour::Dimensions(3));
    let mut cache = VectorCache::open(folder.path(), &provider);
    let vectors = cache.embed(&provider, &["a car", "a clock"], GOES_ON).unwrap();
    assert!(vectors.iter().all(|vector| vector.len() == 3));
    assert_eq!(VectorCache::open(folder.path(), &provider).len(), 2);
}

#[test]
fn a_damaged_file_is_read_as_far_as_it_is_whole_and_mended() {
    let (server, folder) = (EmbeddingServer::start(), tempfile::tempdir().unwrap());
    let provider = provider(&server, LONG);
    let texts = ["a car", "a clock", "money", "paint"];
    let whole = VectorCache::open(folder.path(), &provider).embed(&provider, &texts, GOES_ON).unwrap();
    let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&path).unwrap();
    for place in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        for damaged in [damaged, bytes[..place].to_vec()] {
            std::fs::write(&path, &damaged).unwrap();
            let mut cache = VectorCache::open(folder.path(), &provider);
            assert_eq!(cache.embed(&provider, &texts, GOES_ON).unwrap(), whole, "{place}");
            cache.embed(&provider, &["another"], GOES_ON).unwrap();
            let mended = VectorCache::open(folder.path(), &provider);
            assert!(["another"].iter().chain(&texts).all(|text| mended.has(text)), "{place}");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_costs_only_time() {
    let (server, folder) = (EmbeddingServer::start(), tempfile::tempdir().unwrap());
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let provider = provider(&server, LONG);
    let mut cache = VectorCache::open(&blocked.join("below"), &provider);
    cache.embed(&provider, &["a car"], GOES_ON).unwrap();
}

#[test]
fn the_local_provider_asks_nobody() {
    let provider = Provider::local();
    let vectors = provider.embed(&["retry a request", "requests are retried"], GOES_ON).unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) > 0.3);
}
