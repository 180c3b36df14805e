//! Leases as a state machine: any sequence of calls by several clients, each on a connection of its own, against a
//! model of a few lines, on a clock that the sequence moves.

use std::sync::Arc;

use becket_store::spec_file::{Definition, Status};
use becket_store::{
    AgentId, Call, Claim, ClaimRequest, Error, EventQuery, EventType, FakeClock, LeaseClock, Options, Origin,
    Place, SpecStamp, Store, TaskId,
};
use proptest::prelude::*;

use crate::worker::{join, main};

const CLIENTS: usize = 3;
const TASKS: usize = 2;

#[derive(Debug, Clone)]
enum Step {
    Claim { client: usize, task: usize, ttl: u64 },
    Renew { client: usize, task: usize, ttl: u64, stale: bool },
    Release { client: usize, task: usize, stale: bool },
    Done { client: usize, task: usize },
    Reopen { client: usize, task: usize },
    Pass(i64),
    Jump(i64),
    Look { client: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (client, task, ttl) = (0..CLIENTS, 0..TASKS, 30_u64..400);
    let step = prop_oneof![
        4 => (client.clone(), task.clone(), ttl.clone()).prop_map(|(client, task, ttl)| Step::Claim { client, task, ttl }),
        2 => (client.clone(), task.clone(), ttl, any::<bool>())
            .prop_map(|(client, task, ttl, stale)| Step::Renew { client, task, ttl, stale }),
        2 => (client.clone(), task.clone(), any::<bool>())
            .prop_map(|(client, task, stale)| Step::Release { client, task, stale }),
        1 => (client.clone(), task.clone()).prop_map(|(client, task)| Step::Done { client, task }),
        1 => (client.clone(), task).prop_map(|(client, task)| Step::Reopen { client, task }),
        3 => (1..200_i64).prop_map(Step::Pass),
        1 => (-100_000..100_000_i64).prop_map(Step::Jump),
        2 => client.prop_map(|client| Step::Look { client }),
    ];
    proptest::collection::vec(step, 1..40)
}

#[derive(Debug, Clone, Default)]
struct Model {
    holder: Option<usize>,
    ends: i64,
    generation: u64,
    is_done: bool,
    expired: usize,
}

impl Model {
    /// Time alone ends a lease, and that is told once.
    fn at(&mut self, now: i64) {
        if self.holder.is_some() && self.ends <= now {
            self.holder = None;
            self.expired += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if std::env::var_os("BECKET_FULL").is_some() { 1000 } else { 40 }, ..ProptestConfig::default() })]

    #[test]
    fn leases_follow_the_model(steps in steps()) {
        let folder = tempfile::TempDir::new().unwrap();
        let clock = Arc::new(FakeClock::new());
        let shared: Arc<dyn LeaseClock> = clock.clone();
        let place = Place::File(folder.path().join("runtime.sqlite"));
        let options = Options { clock: Some(shared), ..Options::new(place) };
        let stores: Vec<Store> = (0..CLIENTS).map(|_| Store::open(&options).unwrap()).collect();
        let agents: Vec<AgentId> = stores.iter().map(|store| join(store, "client")).collect();
        let ids: Vec<TaskId> = (0..TASKS).map(|n| TaskId::new(format!("T{n}"))).collect();
        let file: Vec<Definition> = ids.iter().map(|id| Definition {
            id: id.to_string(), title: "t".to_owned(), priority: 1, status: Status::Ready, ..Definition::default()
        }).collect();
        stores[0].sync(&main(), &SpecStamp::default(), Origin::Checkout, &file).unwrap();
        let mut models = vec![Model::default(); TASKS];
        let mut now = 0_i64;
        for step in steps {
            for model in &mut models {
                model.at(now);
            }
            match step {
                Step::Pass(seconds) => { clock.pass(seconds); now += seconds; }
                Step::Jump(seconds) => clock.jump(seconds),
                Step::Look { client } => {
                    let live = stores[client].leases().unwrap();
                    let expected = models.iter().filter(|model| model.holder.is_some()).count();
                    prop_assert_eq!(live.len(), expected);
                }
                Step::Claim { client, task, ttl } => {
                    let request = ClaimRequest { task: ids[task].clone(), ttl_seconds: Some(ttl) };
                    let answer = stores[client].claim(&Call::by(&agents[client]), &main(), &request);
                    let model = &mut models[task];
                    match (model.holder, model.is_done) {
                        (Some(holder), _) if holder != client => {
                            let Ok(Claim::Held(conflict)) = answer else { panic!("{answer:?}") };
                            prop_assert_eq!(conflict.holder, agents[holder].clone());
                        }
                        (_, true) => prop_assert!(matches!(answer, Err(Error::NotClaimable { .. })), "{answer:?}"),
                        (held, _) => {
                            let Ok(Claim::Granted { lease, renewed, .. }) = answer else { panic!("{answer:?}") };
                            prop_assert_eq!(renewed, held.is_some());
                            if held.is_none() { model.generation += 1; }
                            prop_assert_eq!(lease.generation, model.generation);
                            model.holder = Some(client);
                            model.ends = now + i64::try_from(ttl.max(60)).unwrap();
                        }
                    }
                }
                Step::Renew { client, task, ttl, stale } => {
                    let model = &mut models[task];
                    let shown = if stale { model.generation + 7 } else { model.generation };
                    let answer = stores[client].renew(&Call::by(&agents[client]), &ids[task], Some(shown), Some(ttl));
                    match model.holder {
                        Some(holder) if holder != client => prop_assert!(matches!(answer, Err(Error::Held(_)))),
                        _ if stale || model.generation == 0 => prop_assert!(matches!(answer, Err(Error::StaleLease { .. })), "{answer:?}"),
                        None => prop_assert!(matches!(answer, Err(Error::NotHeld { .. })), "{answer:?}"),
                        Some(_) => {
                            prop_assert_eq!(answer.unwrap().generation, model.generation);
                            model.ends = now + i64::try_from(ttl.max(60)).unwrap();
                        }
                    }
                }
                Step::Release { client, task, stale } => {
                    let model = &mut models[task];
                    let shown = stale.then_some(model.generation + 7);
                    let answer = stores[client].release(&Call::by(&agents[client]), &ids[task], shown, None);
                    match model.holder {
                        Some(holder) if holder != client => prop_assert!(matches!(answer, Err(Error::Held(_)))),
                        _ if stale => prop_assert!(matches!(answer, Err(Error::StaleLease { .. })), "{answer:?}"),
                        None => prop_assert!(matches!(answer, Err(Error::NotHeld { .. })), "{answer:?}"),
                        Some(_) => { prop_assert!(answer.is_ok()); model.holder = None; }
                    }
                }
                Step::Done { client, task } => {
                    let model = &mut models[task];
                    let answer = stores[client].done(&Call::by(&agents[client]), &main(), &ids[task], None, None);
                    match model.holder {
                        Some(holder) if holder != client => prop_assert!(matches!(answer, Err(Error::Held(_)))),
                        _ => { prop_assert!(answer.is_ok()); model.holder = None; model.is_done = true; }
                    }
                }
                Step::Reopen { client, task } => {
                    let model = &mut models[task];
                    let answer = stores[client].move_task(&Call::by(&agents[client]), &main(), &ids[task], Status::Ready);
                    match model.holder {
                        Some(holder) if holder != client => prop_assert!(matches!(answer, Err(Error::Held(_)))),
                        _ => { prop_assert!(answer.is_ok()); model.is_done = false; }
                    }
                }
            }
        }
        for model in &mut models {
            model.at(now);
        }
        stores[0].leases().unwrap();
        let types = vec![EventType::LeaseExpired];
        let told = stores[1].events(&EventQuery { types, ..EventQuery::default() }).unwrap().events.len();
        prop_assert_eq!(told, models.iter().map(|model| model.expired).sum::<usize>());
    }
}
