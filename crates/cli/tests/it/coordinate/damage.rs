//! What is broken: a database, a `spec.yaml`, a place that must not be written. Each is named, and the rest goes on.

use std::fs;

use becket_testing::TestRepo;
use serde_json::{Value, json};

use super::{ask, join, repository, serve, server};
use crate::{BECKET, becket, envelope};

fn error(answer: &Value) -> (String, String) {
    assert_eq!(answer["isError"], true, "{answer}");
    let error = &answer["structuredContent"]["error"];
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    (text("code"), format!("{} {}", text("message"), text("hint")))
}

#[test]
fn a_damaged_database_is_named_and_repaired() {
    for damage in [0..100, 30_000..60_000] {
        let repo = repository(3);
        let mut process = server(&repo);
        let agent = join(&mut process);
        ask(&mut process, "lodestar_task_complete", json!({"taskId": "T0", "agentId": agent}));
        process.close_stdin();
        assert!(process.wait().success());
        // A command that ends leaves everything in the one file.
        assert!(becket(&repo, ["task", "list"]).output().unwrap().status.success());
        assert!(!repo.path(".lodestar/runtime.sqlite-wal").exists());
        let path = repo.path(".lodestar/runtime.sqlite");
        let mut bytes = fs::read(&path).unwrap();
        assert!(bytes.len() > damage.end);
        bytes[damage.clone()].fill(0xA5);
        fs::write(&path, &bytes).unwrap();

        let doctor = envelope(&becket(&repo, ["doctor", "--json"]).output().unwrap());
        assert!(doctor.to_string().contains("becket doctor --repair"), "{damage:?}: {doctor}");
        if damage.start == 0 {
            let output = becket(&repo, ["task", "list", "--json"]).output().unwrap();
            let told = envelope(&output);
            assert_eq!(told["error"]["code"], "store_corrupt", "{told}");
            assert!(told["error"]["hint"].as_str().unwrap().contains("doctor --repair"), "{told}");
        }
        let repaired = becket(&repo, ["doctor", "--repair", "--json"]).output().unwrap();
        assert!(repaired.status.success(), "{damage:?}: {repaired:?}");
        let backup = fs::read_dir(repo.path(".lodestar")).unwrap().find_map(|file| {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            (name.contains(".damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm"))
                .then(|| file.path())
        });
        assert_eq!(fs::read(backup.expect("a backup")).unwrap(), bytes, "the damaged file is kept as it was");
        let listed = envelope(&becket(&repo, ["task", "list", "--json"]).output().unwrap());
        assert_eq!(listed["data"]["count"], 3, "{damage:?}: {listed}");
        // The status is in the file, whatever became of the database.
        let shown = envelope(&becket(&repo, ["task", "show", "T0", "--json"]).output().unwrap());
        assert_eq!(shown["data"]["status"], "verified", "{damage:?}: {shown}");
        let mut process = server(&repo);
        join(&mut process);
    }
}

#[test]
fn a_running_server_goes_on_with_a_repaired_database() {
    let repo = repository(1);
    let mut process = server(&repo);
    join(&mut process);
    fs::write(
        repo.path(".lodestar/runtime.sqlite"),
        "not a database at all, but long enough to be one. ".repeat(300),
    )
    .unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(repo.path(format!(".lodestar/runtime.sqlite{suffix}")));
    }
    assert!(becket(&repo, ["doctor", "--repair", "--json"]).output().unwrap().status.success());
    assert_eq!(ask(&mut process, "lodestar_task_list", json!({}))["total"], 1);
    join(&mut process);
    // And with one that somebody removed.
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(repo.path(format!(".lodestar/runtime.sqlite{suffix}")));
    }
    join(&mut process);
    assert_eq!(ask(&mut process, "lodestar_task_list", json!({}))["total"], 1);
}

#[test]
fn a_broken_file_is_named_with_its_place_and_the_rest_goes_on() {
    let repo = repository(1);
    let mut process = server(&repo);
    let agent = join(&mut process);
    let good = repo.read(".lodestar/spec.yaml");
    for (text, code, place) in [
        ("tasks:\n  T0:\n    title: a\n    priority: high\n", "spec_wrong_type", "4:15"),
        ("tasks:\n  T0:\n    title: [a\n", "spec_malformed", "spec.yaml:"),
        (
            "tasks:\n<<<<<<< ours\n  T0:\n    title: a\n=======\n>>>>>>> theirs\n",
            "spec_conflict_markers",
            "2:1",
        ),
        ("tasks:\n- T0\n", "spec_wrong_type", "spec.yaml:2:"),
        ("tasks:\n  T0:\n    title: a\n    status: finished\n", "spec_unknown_status", "4:13"),
    ] {
        repo.write(".lodestar/spec.yaml", text);
        let (found, told) = error(&process.call("lodestar_task_list", json!({})));
        assert_eq!(found, code, "{text}: {told}");
        assert!(told.contains(place), "{text}: {told}");
        ask(&mut process, "lodestar_message_send", json!({"fromAgentId": agent, "body": "still here"}));
        ask(&mut process, "lodestar_events_pull", json!({}));
        assert_eq!(ask(&mut process, "lodestar_agent_heartbeat", json!({"agentId": agent}))["ok"], true);
        let output = becket(&repo, ["task", "list", "--json"]).output().unwrap();
        assert_eq!(envelope(&output)["error"]["code"], code, "{output:?}");
        // A server that is started on it answers as well.
        let mut other = server(&repo);
        assert_eq!(error(&other.call("lodestar_task_next", json!({}))).0, code);
        other.finish();
    }
    repo.write(".lodestar/spec.yaml", good);
    assert_eq!(ask(&mut process, "lodestar_task_list", json!({}))["total"], 1);
}

#[test]
fn a_file_that_is_deleted_under_a_server_is_named_and_what_was_answered_waits_for_its_return() {
    let repo = repository(2);
    let mut process = server(&repo);
    let agent = join(&mut process);
    let good = repo.read(".lodestar/spec.yaml");
    assert_eq!(ask(&mut process, "lodestar_task_list", json!({}))["total"], 2);
    ask(&mut process, "lodestar_task_complete", json!({"taskId": "T0", "agentId": agent}));
    repo.remove(".lodestar/spec.yaml");
    for tool in ["lodestar_task_list", "lodestar_task_next"] {
        let (code, told) = error(&process.call(tool, json!({})));
        assert_eq!(code, "spec_missing", "{tool}: {told}");
        assert!(told.contains("spec.yaml") && told.contains("init"), "{told}");
    }
    // What needs no definitions goes on, and nobody makes an empty file in its place.
    ask(&mut process, "lodestar_message_send", json!({"fromAgentId": agent, "body": "where is it?"}));
    ask(&mut process, "lodestar_events_pull", json!({}));
    assert!(!repo.path(".lodestar/spec.yaml").exists());
    process.close_stdin();
    assert!(process.wait().success());
    repo.write(".lodestar/spec.yaml", good);
    let shown = envelope(&becket(&repo, ["task", "show", "T0", "--json"]).output().unwrap());
    assert_eq!(shown["data"]["status"], "verified", "{shown}");
    assert!(repo.read(".lodestar/spec.yaml").contains("status: verified"));
}

#[test]
fn tasks_that_can_never_be_claimed_are_named_everywhere() {
    let repo = repository(1);
    repo.write(
        ".lodestar/spec.yaml",
        "tasks:\n  A:\n    title: a\n    status: ready\n    depends_on: [B]\n  B:\n    title: b\n    status: ready\n    \
         depends_on: [A]\n  C:\n    title: c\n    status: ready\n    depends_on: [GONE]\n  D:\n    title: d\n    \
         status: ready\n    depends_on: [E]\n  E:\n    title: e\n    status: deleted\n  F:\n    title: f\n    status: ready\n",
    );
    let mut process = server(&repo);
    let named = |answer: &Value| {
        let text = answer["warnings"].to_string();
        assert!(
            text.contains("GONE") && text.contains("deleted") && text.contains("in a circle"),
            "{answer}"
        );
    };
    named(&ask(&mut process, "lodestar_task_list", json!({})));
    let next = ask(&mut process, "lodestar_task_next", json!({}));
    named(&next);
    assert_eq!(next["candidates"].as_array().unwrap().len(), 1, "{next}");
    let got = ask(&mut process, "lodestar_task_get", json!({"taskId": "A"}));
    assert!(got["warnings"].to_string().contains("in a circle"), "{got}");
    let doctor = envelope(&becket(&repo, ["doctor", "--json"]).output().unwrap()).to_string();
    assert!(doctor.contains("GONE") && doctor.contains("in a circle"), "{doctor}");
}

#[test]
fn a_store_that_is_a_folder_is_said_to_be_one() {
    let repo = repository(1);
    repo.write("becket.toml", "[store]\nurl = \"data\"\n");
    fs::create_dir(repo.path("data")).unwrap();
    let told = envelope(&becket(&repo, ["task", "list", "--json"]).output().unwrap());
    assert_eq!(told["error"]["code"], "store_address", "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains("data is a folder"), "{told}");
    for left in ["data.queue.lock", "data.writer.lock"] {
        assert!(!repo.path(left).exists(), "{left}");
    }
}

#[test]
fn a_lodestar_folder_without_tasks_is_initialised() {
    let repo = TestRepo::new();
    fs::create_dir(repo.path(".lodestar")).unwrap();
    let run = |command| envelope(&becket(&repo, ["task", command, "--json"]).output().unwrap());
    for command in ["init", "list"] {
        assert_eq!(run(command)["ok"], true, "{command}");
    }
    let again = run("init");
    assert_eq!(again["error"]["code"], "already_initialised", "{again}");
    assert!(again["error"]["hint"].as_str().unwrap().contains("`as lodestar` of becket"), "{again}");
}

#[test]
fn a_server_that_may_not_write_makes_nothing() {
    let read_only = |repo: &TestRepo| {
        let mut command = repo.command(BECKET);
        command.env("BECKET_READ_ONLY", "true");
        serve(command)
    };
    let repo = TestRepo::new();
    let mut process = read_only(&repo);
    assert_eq!(error(&process.call("lodestar_task_list", json!({}))).0, "lodestar_missing");
    process.finish();
    assert!(!repo.path(".lodestar").exists());

    repo.write(".lodestar/spec.yaml", "tasks:\n  T1:\n    title: a\n    status: ready\n");
    let mut process = read_only(&repo);
    assert_eq!(ask(&mut process, "lodestar_task_list", json!({}))["total"], 1);
    assert_eq!(ask(&mut process, "lodestar_task_get", json!({"taskId": "T1"}))["runtime"]["status"], "ready");
    ask(&mut process, "lodestar_repo_status", json!({}));
    process.finish();
    let names: Vec<_> =
        fs::read_dir(repo.path(".lodestar")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["spec.yaml"]);

    // In a linked worktree the runtime would be made beside the main one.
    repo.git(["add", "--all"]);
    repo.commit("tasks");
    let side = repo.worktree("side");
    fs::remove_dir_all(repo.path(".lodestar")).unwrap();
    let mut process = read_only(&side);
    assert_eq!(ask(&mut process, "lodestar_task_list", json!({}))["total"], 1);
    process.finish();
    assert!(!repo.path(".lodestar").exists());
}

#[test]
fn the_merge_driver_comes_and_goes() {
    let repo = repository(1);
    let driver = || {
        let output = repo.command("git").args(["config", "merge.becket-spec.driver"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert!(driver().ends_with("merge-spec %O %A %B %P"), "{}", driver());
    assert!(driver().starts_with('\''), "the program itself, as it is on no path: {}", driver());
    // Where the name leads to this program, the name is enough, and the program may move.
    let bin = repo.home().root().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let name = format!("becket{}", std::env::consts::EXE_SUFFIX);
    fs::copy(BECKET, bin.join(&name)).unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.clone()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let init = repo.command(bin.join(&name)).env("PATH", &path).args(["init"]).output().unwrap();
    assert!(init.status.success(), "{init:?}");
    assert_eq!(driver(), "becket merge-spec %O %A %B %P");
    assert!(repo.read(".lodestar/.gitattributes").contains("merge=becket-spec"));
    let uninit = repo.command(bin.join(&name)).env("PATH", &path).args(["uninit"]).output().unwrap();
    assert!(uninit.status.success(), "{uninit:?}");
    assert_eq!(driver(), "");
    assert!(!repo.path(".lodestar/.gitattributes").exists());
}
