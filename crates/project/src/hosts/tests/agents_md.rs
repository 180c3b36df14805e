//! The block in `AGENTS.md`.

use super::super::*;
use super::{World, init_with, write};

fn with_agents_md(world: &World) -> InitRequest {
    InitRequest { agents_md: AgentsMd::Write, ..world.request(&["claude-code"]) }
}

fn step(plan: &SetupPlan) -> &Step {
    &plan.files.iter().find(|file| file.owner == "AGENTS.md").unwrap().step
}

#[test]
fn it_is_created_once_and_removed() {
    let world = World::new();
    let before = world.everything();
    assert_eq!(step(&init_with(&with_agents_md(&world))), &Step::Create);
    let text = fs_err::read_to_string(world.root.join("AGENTS.md")).unwrap();
    insta::assert_snapshot!(text, @r##"
    <!-- becket:begin -->
    ## becket

    The MCP server `becket` answers from this repository. Call `becket_status` first: it says what is ready.
    - Before an edit: `logicstamp_impact` (who uses it), `context_refs` (why it is so).
    - After an edit: `logicstamp_compare_snapshot` with baseline `git:HEAD` (what it breaks, and for whom).
    - After a decision: `context_create`, and the line `refer to context NNNNN` in the code.
    - Beside other agents: `lodestar_agent_join`, `lodestar_task_claim_next`, `lodestar_task_done`.
    - To commit: `group_changes`, `propose_commits`, `apply_all`; `undo` takes it back exactly.
    - No answer from the server: `becket doctor` names the command that mends it.
    <!-- becket:end -->
    "##);
    assert_eq!(step(&init_with(&with_agents_md(&world))), &Step::AlreadyThere);
    assert_eq!(step(&world.uninit()), &Step::Delete);
    assert_eq!(world.everything(), before);
}

#[test]
fn every_text_survives_under_any_spelling_of_the_name() {
    for name in ["AGENTS.md", "agents.md", "Agents.MD"] {
        for text in
            ["", "\n", "# Rules", "# Rules\n", "# Rules\n\n", "a\r\nb\r\n", "\u{feff}# Rules\n", "x\n\n\n"]
        {
            let world = World::new();
            let path = world.root.join(name);
            write(&path, text);
            let before = world.everything();
            assert_eq!(step(&init_with(&with_agents_md(&world))), &Step::Insert, "{name} {text:?}");
            let edited = fs_err::read_to_string(&path).unwrap();
            assert!(edited.starts_with(text), "{edited:?}");
            assert_eq!(edited.matches("<!-- becket:begin -->").count(), 1);
            if text.contains('\r') {
                assert!(!edited.replace("\r\n", "").contains('\n'));
            }
            assert_eq!(step(&init_with(&with_agents_md(&world))), &Step::AlreadyThere);
            world.uninit();
            assert_eq!(world.everything(), before, "{name} {text:?}");
        }
    }
}

#[test]
fn edits_around_the_block_survive() {
    let world = World::new();
    let path = world.root.join("AGENTS.md");
    write(&path, "# Rules\n");
    init_with(&with_agents_md(&world));
    let edited = fs_err::read_to_string(&path).unwrap();
    write(&path, &("New head\n\n".to_owned() + &edited + "\n## Tail\n"));
    assert_eq!(step(&init_with(&with_agents_md(&world))), &Step::AlreadyThere);
    assert_eq!(step(&world.uninit()), &Step::TakeOut);
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "New head\n\n# Rules\n\n## Tail\n");
}

#[test]
fn an_old_block_is_updated_in_place_and_given_back() {
    let world = World::new();
    let path = world.root.join("AGENTS.md");
    let old = "# Rules\n\n<!-- becket:begin -->\nCall `old_tool`.\n<!-- becket:end -->\n\nMore.\n";
    write(&path, old);
    assert_eq!(step(&init_with(&with_agents_md(&world))), &Step::Update);
    let edited = fs_err::read_to_string(&path).unwrap();
    assert!(edited.starts_with("# Rules\n\n<!-- becket:begin -->\n## becket\n"), "{edited}");
    assert!(edited.ends_with("<!-- becket:end -->\n\nMore.\n") && !edited.contains("old_tool"), "{edited}");
    write(&path, &edited.replace("More.", "Much more."));
    assert_eq!(step(&world.uninit()), &Step::TakeOut);
    assert_eq!(fs_err::read_to_string(&path).unwrap(), old.replace("More.", "Much more."));
}

#[test]
fn broken_markers_are_told_by_their_line() {
    for (text, line) in [
        ("a\n<!-- becket:begin -->\nb\n", "line 2"),
        ("a\nb\n<!-- becket:end -->\n", "line 3"),
        (
            "<!-- becket:begin -->\n<!-- becket:end -->\n<!-- becket:begin -->\n<!-- becket:end -->\n",
            "line 3",
        ),
        ("<!-- becket:end -->\n<!-- becket:begin -->\n", "line 1"),
    ] {
        let world = World::new();
        write(&world.root.join("AGENTS.md"), text);
        let before = world.everything();
        let error = plan_init(&with_agents_md(&world)).unwrap_err();
        assert!(error.to_string().contains(line), "{text:?}: {error}");
        assert_eq!(world.everything(), before);
        let plan = world.plan_uninit(None);
        assert!(matches!(step(&plan), Step::Left { .. }), "{}", plan.listing());
    }
}

#[test]
fn a_marker_in_a_sentence_is_not_a_marker() {
    let world = World::new();
    let path = world.root.join("AGENTS.md");
    write(&path, "The block begins with `<!-- becket:begin -->`.\n");
    assert_eq!(step(&init_with(&with_agents_md(&world))), &Step::Insert);
}

#[test]
fn a_claude_md_that_does_not_import_it_gets_a_hint_and_is_left_alone() {
    let hinted = |text: &str| {
        let world = World::new();
        let path = world.root.join("CLAUDE.md");
        write(&path, text);
        let plan = init_with(&with_agents_md(&world));
        assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
        plan.notes.iter().any(|note| note.contains("@AGENTS.md"))
    };
    assert!(hinted("# Rules\nSee AGENTS.md for more.\n"));
    assert!(!hinted("# Rules\n\n@AGENTS.md\n"));
    assert!(!hinted("Read @./agents.md, please\n"));
    assert!(!World::new().init(&["claude-code"]).notes.iter().any(|note| note.contains("@AGENTS.md")));
}

#[test]
fn without_a_record_the_block_is_found_by_its_markers() {
    let world = World::new();
    let path = world.root.join("AGENTS.md");
    write(&path, "# Rules\n");
    init_with(&with_agents_md(&world));
    fs_err::remove_dir_all(&world.cache).unwrap();
    assert_eq!(step(&world.uninit()), &Step::TakeOut);
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "# Rules\n");
    assert!(world.uninit().is_empty());
}
