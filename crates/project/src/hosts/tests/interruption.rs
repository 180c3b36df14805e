//! A process that is killed between two steps, and a disk that refuses one.

use super::super::apply::steps;
use super::super::*;
use super::{World, init_with, write};

const SOME: &[&str] = &["claude-code", "cursor", "codex", "zed"];

fn request(world: &World) -> InitRequest {
    InitRequest { agents_md: AgentsMd::Write, ..world.request(SOME) }
}

/// Files in every state: missing with folders, present, in the home.
fn world() -> World {
    let world = World::new();
    write(&world.host_file("codex"), "model = \"x\"\n");
    write(&world.root.join("AGENTS.md"), "# Rules\n");
    fs_err::create_dir_all(&world.cache).unwrap();
    world
}

fn killed_after(plan: &SetupPlan, count: usize) -> bool {
    let steps = steps(plan).unwrap();
    for step in steps.iter().take(count) {
        step.perform().unwrap();
    }
    count < steps.len()
}

#[test]
fn uninit_takes_back_whatever_an_interrupted_init_did() {
    for count in 0.. {
        let world = world();
        let before = world.everything();
        let more = killed_after(&plan_init(&request(&world)).unwrap(), count);
        world.uninit();
        let mut expected = before.clone();
        expected.remove(&world.cache);
        assert_eq!(world.everything(), if count == 0 { before } else { expected }, "after {count} steps");
        if !more {
            assert!(count > 8, "{count} steps");
            break;
        }
    }
}

#[test]
fn init_goes_on_where_it_was_interrupted() {
    let whole = world();
    init_with(&request(&whole));
    for count in 0.. {
        let world = world();
        let before = world.everything();
        let more = killed_after(&plan_init(&request(&world)).unwrap(), count);
        init_with(&request(&world));
        for path in [".mcp.json", ".cursor/mcp.json", ".codex/config.toml", "AGENTS.md"] {
            let read = |world: &World| fs_err::read_to_string(world.root.join(path)).unwrap();
            assert_eq!(read(&world), read(&whole), "after {count} steps");
        }
        let again = init_with(&request(&world));
        assert!(again.files.iter().all(|file| file.step == Step::AlreadyThere), "{}", again.listing());
        world.uninit();
        let mut expected = before;
        expected.remove(&world.cache);
        assert_eq!(world.everything(), expected, "after {count} steps");
        if !more {
            break;
        }
    }
}

#[test]
fn an_interrupted_uninit_can_be_run_again() {
    for count in 0.. {
        let world = world();
        let mut before = world.everything();
        before.remove(&world.cache);
        init_with(&request(&world));
        let more = killed_after(&world.plan_uninit(None), count);
        world.uninit();
        // What the killed one had not come to: the lock and the folder that hold nothing any more.
        if !more {
            init_with(&request(&world));
            world.uninit();
            // Who made the folders around it was forgotten with the rest.
            for folder in [".local", ".local/state"] {
                before.insert(world.home.join(folder), None);
            }
        }
        assert_eq!(world.everything(), before, "after {count} steps");
        if !more {
            break;
        }
    }
}

#[test]
fn half_written_files_are_cleared_away() {
    let world = world();
    let mut before = world.everything();
    before.remove(&world.cache);
    killed_after(&plan_init(&request(&world)).unwrap(), 1);
    write(&world.root.join("..mcp.json.0123456789abcdef.tmp"), "{\"mcpSer");
    write(&world.cache.join(".setup.json.0123456789abcdef.tmp"), "{");
    write(&world.root.join("..mcp.json.mine.tmp"), "not ours");
    world.uninit();
    assert_eq!(fs_err::read_to_string(world.root.join("..mcp.json.mine.tmp")).unwrap(), "not ours");
    fs_err::remove_file(world.root.join("..mcp.json.mine.tmp")).unwrap();
    assert_eq!(world.everything(), before);
}

/// Keeps the name of a half-written file in step with the module that writes it.
#[test]
fn the_names_of_half_written_files_are_known() {
    let world = world();
    let target = world.root.join("big.json");
    let seen = std::thread::scope(|scope| {
        let bytes = vec![b' '; 32 << 20];
        let writer = scope.spawn({
            let target = target.clone();
            move || crate::files::write(&target, &bytes)
        });
        let mut seen = Vec::new();
        while !writer.is_finished() {
            let names = fs_err::read_dir(&world.root).unwrap().map(|entry| entry.unwrap().file_name());
            seen.extend(
                names.filter_map(|name| name.into_string().ok()).filter(|name| name.contains("big.json.")),
            );
        }
        writer.join().unwrap().unwrap();
        seen
    });
    assert!(!seen.is_empty(), "the writing was too fast to watch");
    for name in seen {
        assert!(crate::files::is_temporary_of(&name, "big.json"), "{name}");
    }
}

#[test]
fn a_failing_step_takes_the_others_back() {
    let world = world();
    let before = world.everything();
    let mut plan = plan_init(&request(&world)).unwrap();
    // The last file's folder cannot be made.
    let last = plan.files.last_mut().unwrap();
    last.folders.push(world.root.join("missing/folder"));
    let error = apply(&plan).unwrap_err();
    let SetupError::Undone { cause, left } = &error else { panic!("{error:?}") };
    assert!(matches!(&**cause, SetupError::Io { path, .. } if path.ends_with("missing/folder")), "{cause:?}");
    assert!(left.is_empty(), "{left:?}");
    let mut expected = before;
    expected.remove(&world.cache);
    assert_eq!(world.everything(), expected);
}

#[test]
fn a_disk_that_has_changed_is_seen_before_the_first_step() {
    let world = world();
    let plan = plan_init(&request(&world)).unwrap();
    for obstacle in [".cursor", ".cursor/mcp.json"] {
        fs_err::create_dir_all(world.root.join(".cursor")).unwrap();
        if obstacle == ".cursor" {
            fs_err::remove_dir(world.root.join(".cursor")).unwrap();
        }
        write(&world.root.join(obstacle), "in the way");
        let before = world.everything();
        assert!(!matches!(apply(&plan), Ok(()) | Err(SetupError::Undone { .. })));
        let mut expected = before;
        expected.remove(&world.cache);
        assert_eq!(world.everything(), expected);
        fs_err::remove_file(world.root.join(obstacle)).unwrap();
        fs_err::create_dir_all(&world.cache).unwrap();
    }
}
