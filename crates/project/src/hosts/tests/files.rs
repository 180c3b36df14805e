//! Files that are not what they seem: links, folders, read-only, huge, not text, changed meanwhile.

use serde_json::json;

use super::super::launch::slot;
use super::super::record::RecordFile;
use super::super::*;
use super::{World, init_with, only_step, write};
use crate::files::FileError;

fn refused(world: &World, host: &str) -> SetupError {
    let before = world.everything();
    let error = plan_init(&world.request(&["gemini", host])).unwrap_err();
    assert_eq!(world.everything(), before);
    error
}

#[test]
fn a_folder_of_that_name_is_refused() {
    let world = World::new();
    fs_err::create_dir_all(world.root.join(".mcp.json")).unwrap();
    let error = refused(&world, "claude-code");
    assert!(matches!(error, SetupError::File(FileError::NotAFile { .. })), "{error:?}");
}

#[test]
fn a_file_in_the_place_of_a_folder_is_refused() {
    let world = World::new();
    write(&world.root.join(".cursor"), "x");
    let error = refused(&world, "cursor");
    assert!(matches!(error, SetupError::NotAFolder { .. }), "{error:?}");
}

#[test]
fn a_huge_file_is_refused() {
    let world = World::new();
    let path = world.root.join(".mcp.json");
    fs_err::File::create(&path).unwrap().set_len((8 << 20) + 1).unwrap();
    let error = refused(&world, "claude-code");
    assert!(matches!(error, SetupError::File(FileError::TooLarge { .. })), "{error:?}");
}

#[test]
fn a_read_only_file_is_refused_when_it_would_be_written() {
    let world = World::new();
    let path = world.root.join(".mcp.json");
    let set = |read_only| {
        let mut permissions = fs_err::metadata(&path).unwrap().permissions();
        permissions.set_readonly(read_only);
        fs_err::set_permissions(&path, permissions).unwrap();
    };
    write(&path, "{}");
    set(true);
    let error = refused(&world, "claude-code");
    assert!(matches!(error, SetupError::File(FileError::ReadOnly { .. })), "{error:?}");
    set(false);
    world.init(&["claude-code"]);
    set(true);
    assert_eq!(only_step(&world.init(&["claude-code"])), &Step::AlreadyThere, "nothing to write");
    set(false);
}

#[test]
fn what_is_not_text_is_refused() {
    let world = World::new();
    fs_err::write(world.root.join(".mcp.json"), b"{\"a\": \"\xff\xfe\"}").unwrap();
    let error = refused(&world, "claude-code");
    assert!(matches!(error, SetupError::NotText { offset: 7, .. }), "{error:?}");
}

#[test]
fn deep_nesting_is_refused() {
    let world = World::new();
    write(&world.root.join(".mcp.json"), &"[".repeat(100_000));
    let error = refused(&world, "claude-code");
    assert!(
        matches!(error, SetupError::Document { source: DocumentError::Malformed { .. }, .. }),
        "{error:?}"
    );
    write(&world.root.join(".mcp.json"), "{}");
    write(&world.root.join(".codex/config.toml"), &format!("a = {}", "[".repeat(100_000)));
    let error = refused(&world, "codex");
    assert!(
        matches!(error, SetupError::Document { source: DocumentError::Malformed { .. }, .. }),
        "{error:?}"
    );
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_inside_the_repository_is_kept() {
        let world = World::new();
        write(&world.root.join("config/mcp.json"), "{ /* shared */ }\n");
        symlink("config/mcp.json", world.root.join(".mcp.json")).unwrap();
        let before = world.everything();
        assert_eq!(only_step(&world.init(&["claude-code"])), &Step::Insert);
        assert!(world.root.join(".mcp.json").is_symlink());
        assert!(fs_err::read_to_string(world.root.join("config/mcp.json")).unwrap().contains("becket"));
        assert_eq!(only_step(&world.init(&["claude-code"])), &Step::AlreadyThere);
        world.uninit();
        assert_eq!(world.everything(), before);
        assert!(world.root.join(".mcp.json").is_symlink());
    }

    #[test]
    fn a_link_out_of_the_repository_is_refused() {
        let world = World::new();
        let secret = world.outside().join("secret.json");
        write(&secret, "{}");
        symlink(&secret, world.root.join(".mcp.json")).unwrap();
        let error = refused(&world, "claude-code");
        assert!(matches!(error, SetupError::Outside { .. }), "{error:?}");

        let world = World::new();
        symlink(world.outside(), world.root.join(".cursor")).unwrap();
        let error = refused(&world, "cursor");
        assert!(matches!(error, SetupError::Outside { .. }), "{error:?}");

        let world = World::new();
        symlink(&world.home, world.root.join(".vscode")).unwrap();
        let error = refused(&world, "vscode");
        assert!(matches!(error, SetupError::Outside { .. }), "a project file is not the home's: {error:?}");
    }

    #[test]
    fn a_link_out_of_the_home_is_refused_and_one_inside_is_kept() {
        let world = World::new();
        fs_err::create_dir_all(world.home.join("dotfiles/zed")).unwrap();
        fs_err::create_dir_all(world.home.join(".config")).unwrap();
        symlink("../dotfiles/zed", world.home.join(".config/zed")).unwrap();
        world.init(&["zed"]);
        assert!(world.home.join("dotfiles/zed/settings.json").exists());
        world.uninit();
        assert!(!world.home.join("dotfiles/zed/settings.json").exists());

        symlink(world.outside(), world.home.join(".codeium")).unwrap();
        let error = refused(&world, "windsurf");
        assert!(matches!(error, SetupError::Outside { .. }), "{error:?}");
    }

    #[test]
    fn a_link_to_nothing_is_refused() {
        let world = World::new();
        symlink("nowhere.json", world.root.join(".mcp.json")).unwrap();
        let error = refused(&world, "claude-code");
        assert!(matches!(error, SetupError::DanglingLink { .. }), "{error:?}");
        fs_err::remove_file(world.root.join(".mcp.json")).unwrap();
        symlink(".mcp.json", world.root.join(".mcp.json")).unwrap();
        refused(&world, "claude-code");
    }

    #[test]
    fn two_hosts_with_one_file_get_one_entry() {
        let world = World::new();
        write(&world.root.join(".mcp.json"), "{}");
        fs_err::create_dir_all(world.root.join(".cursor")).unwrap();
        symlink("../.mcp.json", world.root.join(".cursor/mcp.json")).unwrap();
        let before = world.everything();
        let plan = world.init(&["claude-code", "cursor"]);
        assert_eq!(plan.files[1].step, Step::SameFile { owner: "claude-code".to_owned() });
        assert_eq!(
            fs_err::read_to_string(world.root.join(".mcp.json")).unwrap().matches("becket").count(),
            2
        );
        world.uninit();
        assert_eq!(world.everything(), before);
    }

    #[test]
    fn agents_md_and_claude_md_may_be_one_file() {
        let world = World::new();
        write(&world.root.join("CLAUDE.md"), "# Rules\n");
        symlink("CLAUDE.md", world.root.join("AGENTS.md")).unwrap();
        let before = world.everything();
        let request = InitRequest { agents_md: AgentsMd::Write, ..world.request(&["gemini"]) };
        let plan = init_with(&request);
        assert!(plan.notes.is_empty(), "{:?}", plan.notes);
        assert!(fs_err::read_to_string(world.root.join("CLAUDE.md")).unwrap().contains("becket_status"));
        assert!(world.root.join("AGENTS.md").is_symlink());
        world.uninit();
        assert_eq!(world.everything(), before);
    }

    #[test]
    fn the_mode_of_a_file_is_kept_and_the_record_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let world = World::new();
        let path = world.host_file("zed");
        write(&path, "{}");
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        world.init(&["zed"]);
        let mode = |path: &std::path::Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&RecordFile::path(&world.cache)), 0o600);
    }
}

#[test]
fn a_plan_that_has_become_old_is_not_applied() {
    let world = World::new();
    write(&world.host_file("vscode"), "{}");
    let plan = world.plan(&["claude-code", "vscode"]);
    write(&world.host_file("vscode"), "{ }");
    let before = world.everything();
    let error = apply(&plan).unwrap_err();
    assert!(
        matches!(&error, SetupError::Changed { path } if *path == world.host_file("vscode")),
        "{error:?}"
    );
    assert_eq!(world.everything(), before);
    assert!(!world.cache.exists());
}

#[test]
fn a_second_becket_waits_its_turn() {
    let world = World::new();
    let plan = world.plan(&["claude-code"]);
    fs_err::create_dir_all(&world.cache).unwrap();
    let holder = fs_err::File::create(world.cache.join("setup.lock")).unwrap();
    holder.file().lock().unwrap();
    assert!(matches!(apply(&plan), Err(SetupError::Busy { .. })));
    drop(holder);
    apply(&plan).unwrap();
}

#[test]
fn what_others_edited_meanwhile_is_kept() {
    let world = World::new();
    world.init(&["claude-code"]);
    let path = world.host_file("claude-code");
    let text = fs_err::read_to_string(&path).unwrap();
    let host = Host::named("claude-code").unwrap();
    let more = slot(host, "other").put(&text, &json!({"command": "x"})).unwrap().text;
    write(&path, &more);
    assert_eq!(only_step(&world.init(&["claude-code"])), &Step::AlreadyThere);
    assert_eq!(only_step(&world.uninit()), &Step::TakeOut);
    let rest = fs_err::read_to_string(&path).unwrap();
    insta::assert_snapshot!(rest, @r##"
    {
      "mcpServers": {
        "other": {
          "command": "x"
        }
      }
    }
    "##);
}

#[test]
fn a_file_of_ours_that_others_emptied_goes() {
    let world = World::new();
    let before = world.everything();
    world.init(&["claude-code"]);
    let path = world.host_file("claude-code");
    write(&path, &(fs_err::read_to_string(&path).unwrap() + "\n\n"));
    assert_eq!(only_step(&world.uninit()), &Step::Delete);
    assert_eq!(world.everything(), before);
}

#[test]
fn a_folder_of_ours_that_others_use_stays() {
    let world = World::new();
    world.init(&["cursor"]);
    write(&world.root.join(".cursor/rules"), "x");
    world.uninit();
    assert!(world.root.join(".cursor/rules").exists() && !world.root.join(".cursor/mcp.json").exists());
}

#[test]
fn a_newer_entry_of_ours_takes_the_place_of_the_old_one() {
    for edited_meanwhile in [false, true] {
        let world = World::new();
        let path = world.host_file("vscode");
        write(&path, "{\n  // mine\n  \"servers\": {}\n}\n");
        let before = world.everything();
        world.init(&["vscode"]);
        if edited_meanwhile {
            let text = fs_err::read_to_string(&path).unwrap();
            write(&path, &text.replace("// mine", "// still mine"));
        }
        let mut request = world.request(&["vscode"]);
        request.launch.command = Some("/new/becket".to_owned());
        assert_eq!(only_step(&init_with(&request)), &Step::Update);
        assert!(fs_err::read_to_string(&path).unwrap().contains("/new/becket"));
        assert_eq!(only_step(&init_with(&request)), &Step::AlreadyThere);
        world.uninit();
        if edited_meanwhile {
            let rest = fs_err::read_to_string(&path).unwrap();
            assert_eq!(rest, "{\n  // still mine\n  \"servers\": {}\n}\n");
        } else {
            assert_eq!(world.everything(), before);
        }
    }
}

#[test]
fn a_broken_record_is_told() {
    let world = World::new();
    write(&RecordFile::path(&world.cache), "{");
    assert!(matches!(plan_init(&world.request(&["zed"])), Err(SetupError::Record { .. })));
}
