//! A repository's store, opened as often as a case wants, with a clock that stands.

use std::path::PathBuf;
use std::sync::Arc;

use becket_store::spec_file::{Definition, Status};
use becket_store::{
    Agent, AgentId, Call, Claim, ClaimRequest, Event, EventQuery, EventType, FakeClock, Join, Lease, Options,
    Origin, Place, Policy, SpecStamp, Store, SyncReport, TaskId, Worktree,
};
use tempfile::TempDir;

pub struct World {
    pub clock: Arc<FakeClock>,
    pub main: Worktree,
    place: Place,
    repository: String,
    folder: TempDir,
}

impl World {
    pub fn sqlite() -> Self {
        let folder = TempDir::new().unwrap();
        let place = Place::File(folder.path().join("runtime.sqlite"));
        Self::over(folder, place, "test")
    }

    pub fn postgres(url: &str, repository: &str) -> Self {
        Self::over(TempDir::new().unwrap(), Place::parse(url).unwrap(), repository)
    }

    fn over(folder: TempDir, place: Place, repository: &str) -> Self {
        let clock = Arc::new(FakeClock::new());
        Self { clock, main: "main".into(), place, repository: repository.to_owned(), folder }
    }

    pub fn options(&self) -> Options {
        let clock: Arc<dyn becket_store::LeaseClock> = self.clock.clone();
        Options {
            repository: self.repository.clone(),
            clock: Some(clock),
            ..Options::new(self.place.clone())
        }
    }

    pub fn open(&self) -> Store {
        Store::open(&self.options()).unwrap()
    }

    pub fn open_with(&self, policy: Policy) -> Store {
        Store::open(&Options { policy, ..self.options() }).unwrap()
    }

    /// The same engine with nothing in it.
    pub fn elsewhere(&self) -> Store {
        let place = match &self.place {
            Place::File(_) => Place::File(self.folder.path().join("other.sqlite")),
            server @ Place::Server(_) => server.clone(),
        };
        let repository = format!("{}-elsewhere", self.repository);
        Store::open(&Options { place, repository, ..self.options() }).unwrap()
    }

    #[allow(dead_code, reason = "for cases about the file alone")]
    pub fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// A store whose file has these tasks.
    pub fn with(&self, tasks: &[Definition]) -> Store {
        let store = self.open();
        self.sync(&store, "1", tasks);
        store
    }

    pub fn sync(&self, store: &Store, hash: &str, tasks: &[Definition]) -> SyncReport {
        store.sync(&self.main, &stamp(hash), Origin::Checkout, tasks).unwrap()
    }

    pub fn claim(&self, store: &Store, agent: &AgentId, task: &str) -> Lease {
        match self.try_claim(store, agent, task) {
            Claim::Granted { lease, .. } => lease,
            Claim::Held(conflict) => panic!("held: {conflict:?}"),
        }
    }

    pub fn try_claim(&self, store: &Store, agent: &AgentId, task: &str) -> Claim {
        let request = ClaimRequest { task: task.into(), ttl_seconds: None };
        store.claim(&Call::by(agent), &self.main, &request).unwrap()
    }
}

pub fn stamp(hash: &str) -> SpecStamp {
    SpecStamp { stat: format!("stat-{hash}"), hash: hash.to_owned() }
}

pub fn task(id: &str, needs: &[&str]) -> Definition {
    Definition {
        id: id.to_owned(),
        title: format!("Task {id}"),
        depends_on: needs.iter().map(|one| (*one).to_owned()).collect(),
        priority: 100,
        status: Status::Ready,
        ..Definition::default()
    }
}

pub fn with_status(definition: Definition, status: Status) -> Definition {
    Definition { status, ..definition }
}

pub fn join(store: &Store, name: &str) -> AgentId {
    join_able(store, name, &[]).id
}

pub fn join_able(store: &Store, name: &str, capabilities: &[&str]) -> Agent {
    let capabilities = capabilities.iter().map(|one| (*one).to_owned()).collect();
    store.join(&Join { name: Some(name.to_owned()), capabilities, ..Join::default() }, None).unwrap().agent
}

pub fn events(store: &Store) -> Vec<Event> {
    store.events(&EventQuery { limit: Some(1000), ..EventQuery::default() }).unwrap().events
}

pub fn kinds(store: &Store) -> Vec<EventType> {
    events(store).iter().map(|event| event.kind).collect()
}

pub fn count(store: &Store, kind: EventType) -> usize {
    kinds(store).into_iter().filter(|one| *one == kind).count()
}

pub fn ids(tasks: &[TaskId]) -> Vec<&str> {
    tasks.iter().map(TaskId::as_str).collect()
}
