//! Several repositories of one user, and one file for all of them.

use std::path::PathBuf;

use super::super::apply::steps;
use super::super::*;
use super::matrix::{cases, for_every_host};
use super::{World, init_with, only_step, write};

/// The hosts whose file every repository of a user shares.
const SHARED: &[&str] = &["zed", "windsurf", "opencode", "claude-desktop"];

struct Repository<'a> {
    world: &'a World,
    root: PathBuf,
}

impl<'a> Repository<'a> {
    fn new(world: &'a World, name: &str) -> Self {
        let root = world.root.parent().unwrap().join(name);
        fs_err::create_dir_all(root.join(".git")).unwrap();
        Self { world, root }
    }

    fn request(&self, host: &str) -> InitRequest {
        InitRequest {
            root: self.root.clone(),
            cache: self.root.join(".git/becket"),
            ..self.world.request(&[host])
        }
    }

    fn init(&self, host: &str) -> SetupPlan {
        init_with(&self.request(host))
    }

    fn plan_uninit(&self, hosts: Option<&[&str]>) -> SetupPlan {
        let hosts = hosts.map(|names| names.iter().map(|name| Host::named(name).unwrap()).collect());
        let (root, cache) = (self.root.clone(), self.root.join(".git/becket"));
        plan_uninit(&UninitRequest { root, cache, machine: self.world.machine(), hosts }).unwrap()
    }

    fn uninit(&self) -> SetupPlan {
        let plan = self.plan_uninit(None);
        apply(&plan).unwrap();
        assert!(self.plan_uninit(None).is_empty(), "once is enough");
        assert!(!self.root.join(".git/becket").exists(), "an empty cache goes too");
        plan
    }
}

/// What a host starts for these: one entry for all, or one for each.
fn servers(world: &World, host: &str) -> Vec<String> {
    let text = fs_err::read_to_string(world.host_file(host)).unwrap_or_default();
    let host = Host::named(host).unwrap();
    let servers = launch::slot(host, SERVER_NAME).siblings(&text).unwrap();
    let ours = servers.iter().filter(|(name, _)| name.starts_with(SERVER_NAME));
    ours.map(|(_, server)| launch::named_repository(server).unwrap_or("every").to_owned()).collect()
}

fn check(host: &str, orders: &[[usize; 3]], prepare: impl Fn(&World)) {
    for order in orders {
        let world = World::new();
        let repositories = ["a", "b", "c"].map(|name| Repository::new(&world, name));
        prepare(&world);
        let before = world.everything();
        for repository in &repositories {
            repository.init(host);
            assert!(plan_init(&repository.request(host)).unwrap().is_empty(), "once is enough");
        }
        for (gone, index) in order.iter().enumerate() {
            let mut expected: Vec<String> =
                order[gone..].iter().map(|left| repositories[*left].root.to_string_lossy().into()).collect();
            expected.sort();
            if Host::named(host).unwrap().repository != RepositoryArgument::Path {
                expected = vec!["every".to_owned()];
            }
            let mut found = servers(&world, host);
            found.sort();
            assert_eq!(found, expected, "{host}, {order:?}, {gone} gone");
            repositories[*index].uninit();
        }
        assert_eq!(world.everything(), before, "{host}, {order:?}");
    }
}

#[test]
fn what_init_made_goes_with_the_last_repository_in_any_order() {
    for_every_host(|host| {
        if SHARED.contains(&host.name) {
            let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            check(host.name, &orders, |_| {});
        }
    });
}

#[test]
fn what_was_there_before_comes_back_to_the_byte() {
    for_every_host(|host| {
        if SHARED.contains(&host.name) {
            for (_, text) in cases(host) {
                // First come, first gone; and the middle one first.
                let orders = [[0, 1, 2], [1, 2, 0]];
                check(host.name, &orders, |world| write(&world.host_file(host.name), &text));
            }
        }
    });
}

#[test]
fn an_edit_in_between_stays_and_nothing_else_does() {
    for host in SHARED {
        for order in [[0, 1], [1, 0]] {
            let world = World::new();
            let repositories = ["a", "b"].map(|name| Repository::new(&world, name));
            let before = world.everything();
            for repository in &repositories {
                repository.init(host);
            }
            let path = world.host_file(host);
            let text = fs_err::read_to_string(&path).unwrap();
            write(&path, &text.replacen('{', "{\n  \"theme\": \"dark\",", 1));
            repositories[order[0]].uninit();
            assert_eq!(servers(&world, host).len(), 1, "{host}");
            repositories[order[1]].uninit();
            let text = fs_err::read_to_string(&path).unwrap();
            assert_eq!(
                text.split_whitespace().collect::<String>(),
                "{\"theme\":\"dark\"}",
                "{host}, {order:?}"
            );
            fs_err::remove_file(&path).unwrap();
            let mut folder = path.parent().unwrap();
            while folder != world.home {
                fs_err::remove_dir(folder).unwrap();
                folder = folder.parent().unwrap();
            }
            assert_eq!(world.everything(), before, "{host}, {order:?}");
        }
    }
}

#[test]
fn an_entry_of_the_users_own_is_neither_counted_nor_taken() {
    for host in ["zed", "opencode"] {
        let world = World::new();
        let repository = Repository::new(&world, "a");
        repository.init(host);
        let text = fs_err::read_to_string(world.host_file(host)).unwrap();
        repository.uninit();
        // As init writes it, but by hand.
        write(&world.host_file(host), &text);
        assert_eq!(only_step(&repository.init(host)), &Step::AlreadyThere);
        repository.uninit();
        assert_eq!(fs_err::read_to_string(world.host_file(host)).unwrap(), text);
    }
}

#[test]
fn a_new_command_is_written_under_what_came_later_and_can_still_be_taken_back() {
    for host in SHARED {
        let world = World::new();
        write(&world.host_file(host), "{\n  \"theme\": \"dark\" // mine\n}\n");
        let [a, b] = ["a", "b"].map(|name| Repository::new(&world, name));
        let before = world.everything();
        a.init(host);
        b.init(host);
        let mut again = a.request(host);
        again.launch.command = Some("/elsewhere/becket".to_owned());
        assert_eq!(only_step(&init_with(&again)), &Step::Update, "{host}");
        assert!(fs_err::read_to_string(world.host_file(host)).unwrap().contains("/elsewhere/becket"));
        a.uninit();
        b.uninit();
        assert_eq!(world.everything(), before, "{host}");
    }
}

#[test]
fn a_repository_that_was_moved_is_known_and_one_that_is_gone_is_not_waited_for() {
    for host in SHARED {
        let world = World::new();
        let [a, b] = ["a", "b"].map(|name| Repository::new(&world, name));
        let before = world.everything();
        a.init(host);
        b.init(host);
        let moved = Repository { world: &world, root: world.root.parent().unwrap().join("moved") };
        fs_err::rename(&a.root, &moved.root).unwrap();
        if host == &"zed" {
            fs_err::remove_dir_all(&b.root).unwrap();
        } else {
            b.uninit();
        }
        moved.init(host);
        assert_eq!(servers(&world, host).len(), 1, "{host}");
        moved.uninit();
        assert_eq!(world.everything(), before, "{host}");
    }
}

#[test]
fn a_copy_of_a_repository_does_not_take_away_what_the_first_one_wants() {
    for host in SHARED {
        let world = World::new();
        let a = Repository::new(&world, "a");
        let before = world.everything();
        a.init(host);
        let copy = Repository::new(&world, "copy");
        fs_err::create_dir_all(copy.root.join(".git/becket")).unwrap();
        for name in ["setup.json", "setup.lock"] {
            fs_err::copy(a.root.join(".git/becket").join(name), copy.root.join(".git/becket").join(name))
                .unwrap();
        }
        copy.uninit();
        assert_eq!(servers(&world, host).len(), 1, "{host}");
        a.uninit();
        assert_eq!(world.everything(), before, "{host}");
    }
}

#[test]
fn another_repository_takes_nothing_even_by_name() {
    let world = World::new();
    let [a, b] = ["a", "b"].map(|name| Repository::new(&world, name));
    a.init("zed");
    let plan = b.plan_uninit(Some(&["zed"]));
    assert!(matches!(only_step(&plan), Step::Left { .. }), "{}", plan.listing());
}

#[test]
fn an_interrupted_init_of_the_second_repository_is_taken_back_or_finished() {
    for host in SHARED {
        for count in 0.. {
            let world = World::new();
            let [a, b] = ["a", "b"].map(|name| Repository::new(&world, name));
            let before = world.everything();
            a.init(host);
            let plan = plan_init(&b.request(host)).unwrap();
            fs_err::create_dir_all(b.root.join(".git/becket")).unwrap();
            let steps = steps(&plan).unwrap();
            for step in steps.iter().take(count) {
                step.perform().unwrap();
            }
            if count % 2 == 0 {
                b.init(host);
            }
            b.uninit();
            assert_eq!(servers(&world, host).len(), 1, "{host} after {count} steps");
            a.uninit();
            assert_eq!(world.everything(), before, "{host} after {count} steps");
            if count >= steps.len() {
                break;
            }
        }
    }
}
