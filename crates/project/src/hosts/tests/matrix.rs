//! Every host with every state that its file may be in.

use serde_json::{Value, json};

use super::super::document::Form;
use super::super::launch::slot;
use super::super::*;
use super::{World, init_with, only_step, write};

/// A state of a file: its name and its bytes, where `SERVERS` stands for the host's container.
type Case = (&'static str, &'static str);

const JSON: &[Case] = &[
    ("empty", ""),
    ("white space", " \r\n\t"),
    ("object", "{}"),
    ("object on two lines", "{\n}\n"),
    ("object with spaces", "{   }"),
    ("only a comment", "// nothing yet"),
    ("comment in an object", "{\n  // nothing yet\n}\n"),
    ("comment after the brace", "{ // mine\n}\n"),
    ("comments", "// head\n{\n  /* a */ \"other\": 1, // b\n  \"last\": [1, 2] // c\n  // d\n}\n// tail"),
    ("trailing comma", "{\n  \"other\": {\"x\": 1,},\n}\n"),
    ("trailing comma and comment", "{\n  \"other\": 1, // why\n  // end\n}\n"),
    (
        "servers",
        "{\n  \"SERVERS\": {\n    \"github\": {\"command\": \"gh\", \"args\": []}\n  },\n  \"z\": null\n}\n",
    ),
    (
        "servers with comments",
        "{\n  \"SERVERS\": {\n    \"a\": {\"command\": \"x\"} // first\n    // \"b\": {}\n  }\n}",
    ),
    ("servers with a trailing comma", "{\"SERVERS\": {\n  \"a\": {\"command\": \"x\"},\n}, }"),
    ("no servers", "{\n  \"SERVERS\": {}\n}\n"),
    ("no servers, but a comment", "{\n  \"SERVERS\": { /* none */ }\n}\n"),
    ("windows", "{\r\n  \"SERVERS\": {\r\n    \"a\": {\r\n      \"command\": \"x\"\r\n    }\r\n  }\r\n}\r\n"),
    ("tabs", "{\n\t\"SERVERS\": {\n\t\t\"a\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n"),
    ("four spaces", "{\n    \"theme\": \"dark\"\n}\n"),
    ("mark", "\u{feff}{\n  \"theme\": \"dark\"\n}\n"),
    ("mark alone", "\u{feff}"),
    ("minified", r#"{"SERVERS":{"a":{"command":"x","args":["y"]}},"theme":"dark"}"#),
    ("minified without servers", r#"{"theme":"dark"}"#),
    ("minified with empty servers", r#"{"SERVERS":{}}"#),
    ("one line", r#"{ "SERVERS": { "a": { "command": "x" } } }"#),
    ("line comment on one line", "{ \"SERVERS\": { \"a\": {} // x\n } }"),
    ("odd", "{\n        \"b\":1   ,\n   \"SERVERS\"  :{\"a\" : {} ,\n \"c\":{}}   }"),
    ("twice", "{\"SERVERS\": {\"hidden\": {}}, \"SERVERS\": {\"seen\": {}}}"),
    ("unicode", "{\n  \"ключ\": \"Ünïcödé 🦀\\u0041\" // ← ☃\n}\n"),
    ("numbers", "{\"n\": 1e400, \"m\": 123456789012345678901234567890, \"f\": -0.0}"),
];

const TOML: &[Case] = &[
    ("empty", ""),
    ("white space", "\n \n"),
    ("only a comment", "# nothing yet"),
    ("settings", "model = \"x\"\n"),
    ("no end of line", "model = \"x\""),
    ("blank end", "model = \"x\"\n\n"),
    (
        "servers",
        "model = 'x' # why\n\n[SERVERS.github]\ncommand = \"gh\"\n\n[SERVERS.github.env]\nA = \"b\"\n",
    ),
    ("servers table", "[SERVERS]\na = { command = \"x\" } # inline\n\n[other]\nb = 1\n"),
    ("inline servers", "SERVERS = { a = { command = \"x\" } }\n[other]\n"),
    ("empty inline servers", "SERVERS = {}\n"),
    ("dotted servers", "SERVERS.a.command = \"x\"\nSERVERS.a.args = []\n"),
    ("windows", "model = \"x\"\r\n\r\n[SERVERS.a]\r\ncommand = \"x\"\r\n"),
    ("mark", "\u{feff}model = \"x\"\n"),
    ("tabs", "[a]\n\tb = 1\n\t[a.c]\n\td = [\n\t\t1, # one\n\t]\n"),
    ("unicode", "\"ключ\" = \"🦀\" # ☃\n"),
    ("dates", "when = 1979-05-27T07:32:00Z\nx = nan\ny = [[1], [\"a\"]]\n[[many]]\n[[many]]\nz = 1\n"),
    ("text", "t = '''\n[SERVERS.becket]\n'''\n"),
];

pub(super) fn cases(host: &Host) -> Vec<(&'static str, String)> {
    let cases = if host.form == Form::Toml { TOML } else { JSON };
    cases.iter().map(|(name, text)| (*name, text.replace("SERVERS", host.container[0]))).collect()
}

/// Hosts at the same time: the disk's syncing is what takes time.
pub(super) fn for_every_host(check: impl Fn(&'static Host) + Sync) {
    std::thread::scope(|scope| {
        let check = &check;
        for host in HOSTS {
            scope.spawn(move || check(host));
        }
    });
}

fn ours(world: &World, host: &Host) -> Value {
    world.request(&[host.name]).launch.entry(host, &world.root).unwrap()
}

/// The document with our entry taken out of the tree, for comparison with the one before.
fn without_ours(host: &Host, text: &str) -> Value {
    let mut tree = slot(host, SERVER_NAME).tree_of(text);
    let container = host.container[0];
    if let Some(servers) = tree.get_mut(container).and_then(Value::as_object_mut) {
        servers.shift_remove(SERVER_NAME).unwrap();
        if servers.is_empty() {
            tree.as_object_mut().unwrap().shift_remove(container);
        }
    }
    tree
}

fn without_empty_servers(host: &Host, text: &str) -> Value {
    let mut tree = slot(host, SERVER_NAME).tree_of(text);
    if tree.is_null() {
        tree = json!({});
    }
    if tree.get(host.container[0]) == Some(&json!({})) {
        tree.as_object_mut().unwrap().shift_remove(host.container[0]);
    }
    tree
}

#[test]
fn a_missing_file_is_made_and_removed_with_its_folders() {
    for_every_host(|host| {
        let world = World::new();
        let before = world.everything();
        let plan = world.plan(&[host.name]);
        assert_eq!(world.everything(), before, "planning writes nothing");
        assert_eq!(only_step(&plan), &Step::Create);
        apply(&plan).unwrap();
        let text = fs_err::read_to_string(world.host_file(host.name)).unwrap();
        assert_eq!(slot(host, SERVER_NAME).find(&text).unwrap(), Some(ours(&world, host)));

        let after = world.everything();
        assert_eq!(only_step(&world.init(&[host.name])), &Step::AlreadyThere);
        assert_eq!(world.everything(), after, "the second init writes nothing");

        assert_eq!(only_step(&world.uninit()), &Step::Delete);
        assert_eq!(world.everything(), before, "{}", host.name);
        assert!(world.uninit().is_empty());
    });
}

#[test]
fn every_state_of_a_file_survives() {
    for_every_host(|host| {
        for (name, text) in cases(host) {
            let what = format!("{}, {name}", host.name);
            let world = World::new();
            let path = world.host_file(host.name);
            write(&path, &text);
            let before = world.everything();

            let plan = world.init(&[host.name]);
            assert_eq!(only_step(&plan), &Step::Insert, "{what}");
            let edited = fs_err::read_to_string(&path).unwrap();
            assert_eq!(
                slot(host, SERVER_NAME).find(&edited).unwrap(),
                Some(ours(&world, host)),
                "{what}: {edited}"
            );
            assert_eq!(without_ours(host, &edited), without_empty_servers(host, &text), "{what}: {edited}");
            assert!(is_subsequence(&text, &edited), "{what}: bytes were lost\n{edited}");
            if text.contains("\r\n") && !text.trim().is_empty() {
                assert!(!edited.replace("\r\n", "").contains('\n'), "{what}: line endings\n{edited:?}");
            }

            assert_eq!(only_step(&world.init(&[host.name])), &Step::AlreadyThere, "{what}");
            assert_eq!(only_step(&world.uninit()), &Step::Restore, "{what}");
            assert_eq!(world.everything(), before, "{what}");
        }
    });
}

/// Taking out by name, without a record, loses nothing that was there.
#[test]
fn without_a_record_only_ours_goes() {
    for_every_host(|host| {
        for (name, text) in cases(host) {
            let what = format!("{}, {name}", host.name);
            let world = World::new();
            let path = world.host_file(host.name);
            write(&path, &text);
            world.init(&[host.name]);
            world.forget();

            let plan = world.plan_uninit(Some(&[host.name]));
            assert_eq!(only_step(&plan), &Step::TakeOut, "{what}");
            apply(&plan).unwrap();
            let rest = fs_err::read_to_string(&path).unwrap();
            assert_eq!(
                without_empty_servers(host, &rest),
                without_empty_servers(host, &text),
                "{what}: {rest}"
            );
            let comments = |text: &str| text.matches(['/', '#']).count();
            assert_eq!(comments(&rest), comments(&text), "{what}: {rest}");
        }
    });
}

#[test]
fn an_entry_that_somebody_changed_is_kept() {
    for_every_host(|host| {
        let world = World::new();
        let path = world.host_file(host.name);
        let theirs = json!({"command": "mine", "args": ["mcp", "--read-only"]});
        let text = slot(host, SERVER_NAME).put("", &theirs).unwrap().text;
        write(&path, &text);
        let before = world.everything();

        let plan = world.init(&[host.name]);
        let step = only_step(&plan);
        assert!(
            matches!(step, Step::Differs { found, ours } if *found == theirs && *ours == self::ours(&world, host)),
            "{step:?}"
        );
        assert!(plan.listing().contains("differs"), "{}", plan.listing());
        assert_eq!(world.everything(), before);

        let request = InitRequest { replace: Replace::Ours, ..world.request(&[host.name]) };
        assert_eq!(only_step(&init_with(&request)), &Step::Update);
        let edited = fs_err::read_to_string(&path).unwrap();
        assert_eq!(slot(host, SERVER_NAME).find(&edited).unwrap(), Some(self::ours(&world, host)));
        assert_eq!(only_step(&world.init(&[host.name])), &Step::AlreadyThere);
        assert_eq!(only_step(&world.uninit()), &Step::Restore);
        assert_eq!(world.everything(), before, "{}", host.name);
    });
}

#[test]
fn uninit_leaves_what_somebody_wrote_by_hand() {
    for_every_host(|host| {
        let world = World::new();
        let written = ours(&world, host);
        let slot = slot(host, SERVER_NAME);
        let mut more = written.clone();
        more.as_object_mut().unwrap().insert("timeout".to_owned(), json!(9));
        let words = json!([world.root.to_str().unwrap(), "--repo", world.root.to_str().unwrap()]);
        for theirs in [more, json!({"command": "mine", "args": words}), json!({"command": words})] {
            let text = slot.put("", &theirs).unwrap().text;
            for hosts in [None, Some(&[host.name][..])] {
                write(&world.host_file(host.name), &text);
                let before = world.everything();
                let plan = world.plan_uninit(hosts);
                assert!(
                    matches!(only_step(&plan), Step::Left { reason } if reason.contains("differs")),
                    "{}: {}",
                    host.name,
                    plan.listing()
                );
                apply(&plan).unwrap();
                assert_eq!(world.everything(), before);
            }
            fs_err::remove_file(world.host_file(host.name)).unwrap();

            world.init(&[host.name]);
            write(&world.host_file(host.name), &text);
            let plan = world.plan_uninit(None);
            assert!(matches!(only_step(&plan), Step::Left { .. }), "{}: {}", host.name, plan.listing());
            apply(&plan).unwrap();
            assert_eq!(fs_err::read_to_string(world.host_file(host.name)).unwrap(), text);
            fs_err::remove_file(world.host_file(host.name)).unwrap();
        }
    });
}

#[test]
fn every_variant_of_ours_is_known_without_a_record() {
    for_every_host(|host| {
        let world = World::new();
        let mut request = world.request(&[host.name]);
        request.launch.toolsets = ["understand", "remember", "commit"]
            .map(|name| ToolsetSize { name: name.to_owned(), tools: 60 })
            .to_vec();
        request.launch.executable = Some(world.home.join("bin/becket"));
        init_with(&request);
        world.forget();
        assert_eq!(only_step(&world.plan_uninit(Some(&[host.name]))), &Step::TakeOut, "{}", host.name);
    });
}

#[test]
fn a_malformed_file_stops_everything_before_it_begins() {
    for_every_host(|host| {
        let broken: &[(&str, &str)] = if host.form == Form::Toml {
            &[
                ("a = 1\nb = \n", "line 2, column 5"),
                ("[x\n", "line 1"),
                ("a = 1\na = 2\n", "line 2, column 1"),
            ]
        } else {
            &[
                ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column 9"),
                ("{\"a\": }", "line 1, column 7"),
                ("{", "line 1, column 1"),
                ("{} {}", "line 1, column 4"),
                ("{'a': 1}", "line 1, column 2"),
                ("{\"a\": 1} /*", "line 1, column 10"),
            ]
        };
        for (text, place) in broken {
            let world = World::new();
            write(&world.host_file(host.name), text);
            let before = world.everything();
            let mut names = vec!["claude-code", host.name];
            names.dedup();
            let error = plan_init(&world.request(&names)).unwrap_err();
            let SetupError::Document { path, source: DocumentError::Malformed { .. } } = &error else {
                panic!("{}: {text:?}: {error:?}", host.name)
            };
            assert_eq!(path, &world.host_file(host.name));
            assert!(error.to_string().contains(place), "{text:?}: {error}");
            assert_eq!(world.everything(), before);
        }
    });
}

#[test]
fn a_container_of_another_shape_is_an_error() {
    for host in HOSTS {
        let container = host.container[0];
        let wrong: &[String] = if host.form == Form::Toml {
            &[format!("{container} = 1\n"), format!("{container} = \"x\"\n"), format!("[[{container}]]\n")]
        } else {
            &[
                format!("{{\"{container}\": []}}"),
                format!("{{\"{container}\": null}}"),
                "[1]".into(),
                "7".into(),
            ]
        };
        for text in wrong {
            let world = World::new();
            write(&world.host_file(host.name), text);
            let error = plan_init(&world.request(&[host.name])).unwrap_err();
            assert!(
                matches!(&error, SetupError::Document { source: DocumentError::Shape { .. }, .. }),
                "{text}: {error:?}"
            );
        }
    }
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut rest = whole.bytes();
    part.bytes().all(|wanted| rest.any(|byte| byte == wanted))
}
