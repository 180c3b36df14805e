//! Which hosts are chosen, which file of theirs, and under which name.

use super::super::*;
use super::{World, init_with, only_step, write};

fn chosen(plan: &SetupPlan) -> Vec<&'static str> {
    plan.hosts.iter().map(|host| host.name).collect()
}

#[test]
fn nothing_found_gives_the_file_that_most_hosts_read() {
    let world = World::new();
    let plan = world.init(&[]);
    assert_eq!(chosen(&plan), ["claude-code"]);
    assert_eq!(plan.hosts[0].because, Because::Default);
    assert_eq!(plan.files[0].shown, ".mcp.json");
    let again = world.init(&[]);
    assert_eq!(again.hosts[0].because, Because::Found(".mcp.json".to_owned()));
    assert_eq!(only_step(&again), &Step::AlreadyThere);
}

#[test]
fn every_sign_of_every_host_is_seen() {
    for host in HOSTS {
        for sign in host.signs {
            let world = World::new();
            fs_err::create_dir_all(sign.on(&world.machine(), &world.root).unwrap()).unwrap();
            let request = world.request(&[]);
            let snippets = snippets(&request).unwrap();
            assert!(snippets.iter().any(|snippet| snippet.host == host.name), "{} {}", host.name, sign.path);
        }
    }
}

#[test]
fn several_hosts_are_written_at_once_and_taken_back_at_once() {
    let world = World::new();
    for folder in [".cursor", ".vscode", ".codex", ".gemini", ".zed", ".opencode", ".windsurf"] {
        fs_err::create_dir_all(world.root.join(folder)).unwrap();
    }
    fs_err::create_dir_all(world.home.join(".config/Claude")).unwrap();
    let before = world.everything();
    let plan = init_with(&InitRequest { agents_md: AgentsMd::Write, ..world.request(&[]) });
    let all: Vec<_> = HOSTS.iter().map(|host| host.name).filter(|name| *name != "claude-code").collect();
    assert_eq!(chosen(&plan), all);
    assert!(plan.files.iter().all(|file| file.step == Step::Create), "{}", plan.listing());
    assert_eq!(plan.files.len(), all.len() + 1);
    world.uninit();
    assert_eq!(world.everything(), before);
}

#[test]
fn names_are_read_in_the_tables_order_and_wrong_ones_are_told() {
    let parse = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        HostChoice::parse(&names).map(|hosts| hosts.iter().map(|host| host.name).collect::<Vec<_>>())
    };
    assert_eq!(parse(&["zed", "cursor", "zed"]).unwrap(), ["cursor", "zed"]);
    assert_eq!(parse(&["all"]).unwrap().len(), HOSTS.len());
    assert!(matches!(parse(&["emacs"]), Err(SetupError::UnknownHost { .. })));
}

#[test]
fn without_a_home_only_the_users_files_are_out_of_reach() {
    let world = World::new();
    let mut request = world.request(&["windsurf"]);
    request.machine.home = None;
    assert!(matches!(plan_init(&request), Err(SetupError::NoHome { host: "Windsurf" })));
    fs_err::create_dir_all(world.root.join(".windsurf")).unwrap();
    fs_err::create_dir_all(world.root.join(".cursor")).unwrap();
    request.hosts = HostChoice::Detected;
    let plan = plan_init(&request).unwrap();
    assert_eq!(plan.files.len(), 1);
    assert!(plan.notes.iter().any(|note| note.contains("Windsurf")), "{:?}", plan.notes);
}

#[test]
fn a_file_of_the_same_host_that_is_already_there_is_used() {
    let world = World::new();
    let own = world.root.join("opencode.jsonc");
    write(&own, "{\n  // ours\n}\n");
    assert_eq!(world.plan(&["opencode"]).files[0].shown, "opencode.jsonc");
    fs_err::remove_file(&own).unwrap();
    write(&world.home.join(".config/opencode/opencode.jsonc"), "{}");
    assert_eq!(world.plan(&["opencode"]).files[0].shown, "~/.config/opencode/opencode.jsonc");
    write(&world.home.join(".config/opencode/opencode.json"), "{}");
    assert_eq!(world.plan(&["opencode"]).files[0].shown, "~/.config/opencode/opencode.json");
}

#[test]
fn two_repositories_share_a_users_file() {
    let world = World::new();
    let other_root = world.outside();
    let other = InitRequest {
        root: other_root.clone(),
        cache: other_root.join(".becket"),
        ..world.request(&["claude-desktop"])
    };
    world.init(&["claude-desktop"]);
    let ours_alone = fs_err::read(world.host_file("claude-desktop")).unwrap();
    init_with(&other);
    let text = fs_err::read_to_string(world.host_file("claude-desktop")).unwrap();
    assert!(text.contains("\"becket\": {") && text.contains("\"becket-outside\": {"), "{text}");
    assert_eq!(only_step(&init_with(&other)), &Step::AlreadyThere);
    assert_eq!(only_step(&world.init(&["claude-desktop"])), &Step::AlreadyThere);

    let back = UninitRequest { root: other.root, cache: other.cache, machine: world.machine(), hosts: None };
    apply(&super::super::plan_uninit(&back).unwrap()).unwrap();
    assert_eq!(fs_err::read(world.host_file("claude-desktop")).unwrap(), ours_alone);
    assert!(!other_root.join(".becket").exists(), "an empty cache goes too");
}

#[test]
fn an_entry_that_init_did_not_write_is_left_unless_it_is_named() {
    let world = World::new();
    world.init(&["cursor"]);
    let committed = fs_err::read_to_string(world.host_file("cursor")).unwrap();
    world.forget();
    let again = world.init(&["cursor", "gemini"]);
    assert_eq!(again.files[0].step, Step::AlreadyThere);
    let plan = world.uninit();
    let step = |owner: &str| &plan.files.iter().find(|file| file.owner == owner).unwrap().step;
    assert_eq!(step("gemini"), &Step::Delete);
    assert!(matches!(step("cursor"), Step::Left { .. }));
    assert_eq!(fs_err::read_to_string(world.host_file("cursor")).unwrap(), committed);

    let plan = world.plan_uninit(Some(&["cursor"]));
    assert_eq!(only_step(&plan), &Step::TakeOut);
}

#[test]
fn a_users_file_for_all_repositories_is_left_without_a_record() {
    let world = World::new();
    world.init(&["opencode", "windsurf"]);
    world.forget();
    let plan = world.uninit();
    let step = |owner: &str| &plan.files.iter().find(|file| file.owner == owner).unwrap().step;
    assert!(matches!(step("opencode"), Step::Left { .. }), "{}", plan.listing());
    assert_eq!(step("windsurf"), &Step::TakeOut, "its entry names this repository");
}

#[test]
fn some_hosts_can_be_taken_back_and_the_rest_stays_known() {
    let world = World::new();
    let before = world.everything();
    init_with(&InitRequest { agents_md: AgentsMd::Write, ..world.request(&["cursor", "vscode", "zed"]) });
    let plan = world.plan_uninit(Some(&["vscode"]));
    assert_eq!(only_step(&plan), &Step::Delete);
    apply(&plan).unwrap();
    assert!(!world.root.join(".vscode").exists() && world.root.join(".cursor/mcp.json").exists());
    world.uninit();
    assert_eq!(world.everything(), before);
}

#[test]
fn the_listing_shows_what_would_be_done() {
    let world = World::new();
    write(
        &world.host_file("vscode"),
        "{\n  // mine\n  \"servers\": {\n    \"a\": {\"url\": \"x\"} // first\n  }\n}\n",
    );
    write(&world.host_file("cursor"), "{\"mcpServers\": {\"becket\": {\"command\": \"mine\"}}}");
    write(&world.root.join("AGENTS.md"), "# Rules\n");
    let mut request =
        InitRequest { agents_md: AgentsMd::Write, ..world.request(&["cursor", "vscode", "codex"]) };
    request.launch.toolsets = vec![
        ToolsetSize { name: "understand".to_owned(), tools: 30 },
        ToolsetSize { name: "commit".to_owned(), tools: 20 },
    ];
    insta::assert_snapshot!(plan_init(&request).unwrap().listing(), @r##"
    differs .cursor/mcp.json (cursor, toolsets within its limit: understand): kept as it is; becket would write {"command":"becket","args":["mcp","--repo","${workspaceFolder}","--toolsets","understand"]}
    insert .vscode/mcp.json (vscode)
           // mine
           "servers": {
        -    "a": {"url": "x"} // first
        +    "a": {"url": "x"}, // first
        +    "becket": {
        +      "type": "stdio",
        +      "command": "becket",
        +      "args": ["mcp", "--repo", "${workspaceFolder}"]
        +    }
           }
         }
    create .codex/config.toml (codex)
        +[mcp_servers.becket]
        +command = "becket"
        +args = ["mcp"]
    insert AGENTS.md
         # Rules
        +
        +<!-- becket:begin -->
        +## becket
        +
        +The MCP server `becket` answers from this repository. Call `becket_status` first: it says what is ready.
        +- Before an edit: `logicstamp_impact` (who uses it), `context_refs` (why it is so).
        +- After an edit: `logicstamp_compare_snapshot` with baseline `git:HEAD` (what it breaks, and for whom).
        +- After a decision: `context_create`, and the line `refer to context NNNNN` in the code.
        +- Beside other agents: `lodestar_agent_join`, `lodestar_task_claim_next`, `lodestar_task_done`.
        +- To commit: `group_changes`, `propose_commits`, `apply_all`; `undo` takes it back exactly.
        +- No answer from the server: `becket doctor` names the command that mends it.
        +<!-- becket:end -->
    note: Codex reads .codex/config.toml only in a project that you have marked as trusted.
    "##);
    init_with(&request);
    insta::assert_snapshot!(world.plan_uninit(None).listing(), @r##"
    restore .vscode/mcp.json (vscode)
           // mine
           "servers": {
        -    "a": {"url": "x"}, // first
        -    "becket": {
        -      "type": "stdio",
        -      "command": "becket",
        -      "args": ["mcp", "--repo", "${workspaceFolder}"]
        -    }
        +    "a": {"url": "x"} // first
           }
         }
    delete .codex/config.toml (codex)
        -[mcp_servers.becket]
        -command = "becket"
        -args = ["mcp"]
    restore AGENTS.md
         # Rules
        -
        -<!-- becket:begin -->
        -## becket
        -
        -The MCP server `becket` answers from this repository. Call `becket_status` first: it says what is ready.
        -- Before an edit: `logicstamp_impact` (who uses it), `context_refs` (why it is so).
        -- After an edit: `logicstamp_compare_snapshot` with baseline `git:HEAD` (what it breaks, and for whom).
        -- After a decision: `context_create`, and the line `refer to context NNNNN` in the code.
        -- Beside other agents: `lodestar_agent_join`, `lodestar_task_claim_next`, `lodestar_task_done`.
        -- To commit: `group_changes`, `propose_commits`, `apply_all`; `undo` takes it back exactly.
        -- No answer from the server: `becket doctor` names the command that mends it.
        -<!-- becket:end -->
    left .cursor/mcp.json (cursor): init did not write what bears becket's name there
    "##);
}
