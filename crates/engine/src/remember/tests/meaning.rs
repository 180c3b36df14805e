//! Search and comparison with embeddings, from a real server on the loopback; and without it, whatever it does.

use std::net::TcpListener;

use becket_testing::embeddings::{Behaviour, EmbeddingServer};

use super::*;
use crate::remember::{Match, SearchRequest, SearchResults};

const KEY: &str = "sk-test-0123456789abcdef";

fn with_embeddings(repo: &TestRepo, url: &str) -> Engine {
    let environment = Environment::new(repo.root())
        .with_variable("BECKET_EMBEDDING_PROVIDER", "openai")
        .with_variable("BECKET_EMBEDDING_URL", url)
        .with_variable("BECKET_EMBEDDING_TIMEOUT_SECONDS", "1")
        .with_variable("BECKET_EMBEDDING_KEY", KEY);
    let engine = Engine::open(environment, OpenOptions::default());
    engine.set_clock(Arc::new(Noon));
    engine
}

fn search(engine: &Engine, query: &str) -> SearchResults {
    engine.context_search(&SearchRequest { query: query.to_owned(), ..SearchRequest::default() }).unwrap()
}

fn found(results: &SearchResults) -> Vec<(&str, Match)> {
    results.results.iter().map(|one| (one.reference.as_str(), one.kind)).collect()
}

fn shelf() -> Bench {
    let bench = Bench::new();
    bench.create("# Motor\n\nThe automobile starts in second gear.");
    bench.create("# Money\n\nThe price is kept in cents: rounding lost a cent per invoice.");
    bench.create("# Looks\n\nThe palette comes from the paint on the wall.");
    bench.create("# Names\n\nA car-park is a lot.");
    bench
}

#[test]
fn what_means_the_same_is_found_and_only_new_entries_are_asked_for() {
    let (bench, server) = (shelf(), EmbeddingServer::start());
    let engine = with_embeddings(&bench.repo, &server.url());
    let results = search(&engine, "vehicle");
    assert_eq!(found(&results), [("00004", Match::Meaning), ("00001", Match::Meaning)]);
    assert!(results.warnings.is_empty(), "{:?}", results.warnings);
    assert_eq!(server.texts().len(), 5);
    let results = search(&engine, "car");
    assert_eq!(found(&results)[0], ("00004", Match::Literal));
    assert!(found(&results).contains(&("00001", Match::Meaning)));
    assert_eq!(server.texts().len(), 6, "the entries have their vectors");
    let another = with_embeddings(&bench.repo, &server.url());
    bench.create("# Clock\n\nThe timezone is that of the calendar.");
    search(&another, "car");
    assert_eq!(server.texts().len(), 7, "one new entry");
    assert!(found(&search(&bench.again(), "vehicle")).is_empty(), "off by default");
}

#[test]
fn every_literal_match_stays_and_comes_first() {
    let (bench, server) = (shelf(), EmbeddingServer::start());
    for number in 0..30 {
        bench.create(&format!("# Entry {number}\n\nA gear for the automobile, variant {number}."));
    }
    let with = with_embeddings(&bench.repo, &server.url());
    for query in ["gear", "The p", "variant 2", "car", "cents", "a"] {
        let literal = |results: &SearchResults| {
            let mut references: Vec<String> = results
                .results
                .iter()
                .filter(|one| one.kind == Match::Literal)
                .map(|one| one.reference.clone())
                .collect();
            references.sort();
            references
        };
        let blended = search(&with, query);
        assert_eq!(literal(&blended), literal(&search(&bench.engine, query)), "{query}");
        let kinds: Vec<bool> = blended.results.iter().map(|one| one.kind != Match::Literal).collect();
        assert!(kinds.is_sorted(), "{query}");
    }
}

#[test]
fn a_provider_that_fails_costs_a_warning_and_nothing_else() {
    let server = EmbeddingServer::start();
    let bench = shelf();
    let plain = found(&search(&bench.engine, "price of a car"))
        .iter()
        .map(|(one, _)| (*one).to_owned())
        .collect::<Vec<_>>();
    for (behaviour, words) in [
        (Behaviour::Status(500, "out of order".to_owned()), "answered 500: out of order"),
        (Behaviour::Status(401, format!("wrong key {KEY}")), "answered 401."),
        (Behaviour::Silent, "did not answer within 1 s"),
        (Behaviour::Body("<html>".to_owned()), "not understood"),
        (Behaviour::Body(r#"{"data":[{"embedding":[1.0]}]}"#.to_owned()), "1 vector for 5 texts"),
    ] {
        server.behave(behaviour);
        let engine = with_embeddings(&bench.repo, &server.url());
        let results = search(&engine, "price of a car");
        assert_eq!(found(&results).iter().map(|(one, _)| *one).collect::<Vec<_>>(), plain);
        let told = results.warnings.join("\n");
        assert!(
            told.starts_with("Compared by words alone: the embedding provider at") && told.contains(words),
            "{told}"
        );
        assert!(!format!("{results:?} {engine:?}").contains("0123456789"), "{told}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let told = search(&with_embeddings(&bench.repo, &nobody), "price").warnings;
    assert!(told[0].contains("connection refused"), "{told:?}");
    let told = search(&with_embeddings(&bench.repo, "gopher://somewhere"), "price").warnings;
    assert!(told[0].contains("http or https"), "{told:?}");
}

#[test]
fn vectors_of_another_length_are_made_anew() {
    let (bench, server) = (shelf(), EmbeddingServer::start());
    let engine = with_embeddings(&bench.repo, &server.url());
    search(&engine, "vehicle");
    server.behave(Behaviour::Dimensions(3));
    let results = search(&engine, "automobile");
    assert!(results.warnings.is_empty(), "{:?}", results.warnings);
    assert_eq!(found(&results)[0], ("00001", Match::Literal));
}

#[test]
fn a_new_entry_is_compared_by_meaning_and_a_secret_never_leaves() {
    let (bench, server) = (shelf(), EmbeddingServer::start());
    let engine = with_embeddings(&bench.repo, &server.url());
    search(&engine, "anything");
    let request =
        |markdown: &str| CreateRequest { markdown: markdown.to_owned(), ..CreateRequest::default() };
    let created = engine.context_create(&request("My vehicle has an engine.")).unwrap();
    assert_eq!(
        created.similar.iter().map(|one| one.reference.as_str()).collect::<Vec<_>>(),
        ["00001", "00004"]
    );
    assert!(created.warnings[0].contains("says nearly the same"), "{:?}", created.warnings);
    let asked = server.texts().len();
    search(&engine, "anything");
    assert_eq!(server.texts().len(), asked, "a new entry has its vector already");
    let secret = format!("The token is ghp_{}.", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(code(engine.context_create(&request(&secret))), "secret_found");
    bench.repo.write(".context/00099.md", &secret);
    search(&engine, "token");
    assert!(server.texts().iter().all(|text| !text.contains("ghp_")), "{:?}", server.texts());
    server.behave(Behaviour::Status(500, String::new()));
    let created = engine.context_create(&request("Something else entirely, unheard of.")).unwrap();
    assert!(created.warnings[0].starts_with("Compared by words alone"), "{:?}", created.warnings);
}
