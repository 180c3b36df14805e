//! Entries in real repositories.
#![allow(clippy::disallowed_methods, reason = "tests make repositories and files")]

mod freshness;
mod lint;
mod meaning;
mod renumber;
mod writing;

use std::sync::Arc;

use becket_base::{Clock, Timestamp};
use becket_testing::TestRepo;

use super::{CreateRequest, CreatedEntry, EntryView, Freshness, RefsRequest};
use crate::{Engine, Environment, Error, OpenOptions};

/// A clock that stands still, so that answers are the same in every run.
#[derive(Debug)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_900_000_000).unwrap()
    }
}

/// A repository with a vault, and the engine on it.
struct Bench {
    repo: TestRepo,
    engine: Engine,
}

impl Bench {
    fn new() -> Self {
        let bench = Self::bare();
        bench.engine.context_init(None).unwrap();
        bench
    }

    fn bare() -> Self {
        Self::at(TestRepo::new())
    }

    fn at(repo: TestRepo) -> Self {
        // The engine runs in this process, whose environment may know no author.
        repo.git(["config", "user.name", "Test Author"]);
        repo.git(["config", "user.email", "author@example.com"]);
        let engine = engine(&repo);
        Self { repo, engine }
    }

    /// Another process on the same repository.
    fn again(&self) -> Engine {
        engine(&self.repo)
    }

    fn create(&self, markdown: &str) -> CreatedEntry {
        self.create_with(markdown, |_| {}).unwrap()
    }

    fn create_with(
        &self,
        markdown: &str,
        with: impl FnOnce(&mut CreateRequest),
    ) -> Result<CreatedEntry, Error> {
        let mut request = CreateRequest { markdown: markdown.to_owned(), ..CreateRequest::default() };
        with(&mut request);
        self.engine.context_create(&request)
    }

    fn get(&self, reference: &str) -> EntryView {
        self.engine.context_get(reference, None).unwrap()
    }

    fn state(&self, reference: &str) -> Freshness {
        self.get(reference).state
    }

    fn explained(&self, target: &str) -> Vec<String> {
        let request = RefsRequest { target: Some(target.to_owned()), ..RefsRequest::default() };
        let answer = self.engine.context_refs(&request).unwrap();
        answer.explanations.iter().map(|one| format!("{} {}", one.reference, one.place)).collect()
    }
}

fn engine(repo: &TestRepo) -> Engine {
    let engine = Engine::open(Environment::new(repo.root()), OpenOptions::default());
    engine.set_clock(Arc::new(Noon));
    engine
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.unwrap_err().code()
}
