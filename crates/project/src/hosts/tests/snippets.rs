//! What a person pastes by hand, for every host, and what is written into an empty file.

use std::path::{Path, PathBuf};

use super::super::*;

fn text(host: &str) -> String {
    let machine = Machine {
        system: System::Linux,
        home: Some("/home/me".into()),
        config_home: None,
        app_data: None,
        state_home: None,
    };
    let launch = Launch { executable: Some(PathBuf::from("/opt/bin/becket")), ..Launch::default() };
    snippet(Host::named(host).unwrap(), &launch, &machine, Path::new("/code/shop")).unwrap().text
}

#[test]
fn claude_code() {
    insta::assert_snapshot!(text("claude-code"), @r##"
    {
      "mcpServers": {
        "becket": {
          "type": "stdio",
          "command": "becket",
          "args": ["mcp"],
          "env": {}
        }
      }
    }
    "##);
}

#[test]
fn cursor() {
    insta::assert_snapshot!(text("cursor"), @r##"
    {
      "mcpServers": {
        "becket": {
          "command": "becket",
          "args": ["mcp", "--repo", "${workspaceFolder}"]
        }
      }
    }
    "##);
}

#[test]
fn vscode() {
    insta::assert_snapshot!(text("vscode"), @r##"
    {
      "servers": {
        "becket": {
          "type": "stdio",
          "command": "becket",
          "args": ["mcp", "--repo", "${workspaceFolder}"]
        }
      }
    }
    "##);
}

#[test]
fn codex() {
    insta::assert_snapshot!(text("codex"), @r##"
    [mcp_servers.becket]
    command = "becket"
    args = ["mcp"]
    "##);
}

#[test]
fn gemini() {
    insta::assert_snapshot!(text("gemini"), @r##"
    {
      "mcpServers": {
        "becket": {
          "command": "becket",
          "args": ["mcp"]
        }
      }
    }
    "##);
}

#[test]
fn zed() {
    insta::assert_snapshot!(text("zed"), @r##"
    {
      "context_servers": {
        "becket": {
          "command": "/opt/bin/becket",
          "args": ["mcp"],
          "env": {}
        }
      }
    }
    "##);
}

#[test]
fn windsurf() {
    insta::assert_snapshot!(text("windsurf"), @r##"
    {
      "mcpServers": {
        "becket": {
          "command": "/opt/bin/becket",
          "args": ["mcp", "--repo", "/code/shop"]
        }
      }
    }
    "##);
}

#[test]
fn opencode() {
    insta::assert_snapshot!(text("opencode"), @r##"
    {
      "mcp": {
        "becket": {
          "type": "local",
          "command": ["becket", "mcp"]
        }
      }
    }
    "##);
}

#[test]
fn claude_desktop() {
    insta::assert_snapshot!(text("claude-desktop"), @r##"
    {
      "mcpServers": {
        "becket": {
          "command": "/opt/bin/becket",
          "args": ["mcp", "--repo", "/code/shop"]
        }
      }
    }
    "##);
}

#[test]
fn every_host_has_a_snippet_that_it_can_read() {
    for host in HOSTS {
        let text = text(host.name);
        let entry = super::super::launch::slot(host, SERVER_NAME).find(&text).unwrap();
        assert!(entry.is_some(), "{text}");
    }
}

#[test]
fn windows_paths_are_escaped() {
    let machine = Machine {
        system: System::Windows,
        home: Some(r"C:\Users\me".into()),
        config_home: None,
        app_data: None,
        state_home: None,
    };
    let launch = Launch { executable: Some(r"C:\Tools\becket.exe".into()), ..Launch::default() };
    let root = Path::new(r"D:\code\my shop");
    let host = Host::named("claude-desktop").unwrap();
    insta::assert_snapshot!(snippet(host, &launch, &machine, root).unwrap().text, @r##"
    {
      "mcpServers": {
        "becket": {
          "command": "C:\\Tools\\becket.exe",
          "args": ["mcp", "--repo", "D:\\code\\my shop"]
        }
      }
    }
    "##);
    let launch = Launch { command: Some(r"C:\Tools\becket.exe".into()), ..Launch::default() };
    let host = Host::named("codex").unwrap();
    insta::assert_snapshot!(snippet(host, &launch, &machine, root).unwrap().text, @r##"
    [mcp_servers.becket]
    command = 'C:\Tools\becket.exe'
    args = ["mcp"]
    "##);
}

#[test]
fn the_command_is_the_users_choice_everywhere() {
    let machine =
        Machine { system: System::Linux, home: None, config_home: None, app_data: None, state_home: None };
    let launch = Launch { command: Some("/usr/bin/other".into()), ..Launch::default() };
    for host in HOSTS {
        let snippet = snippet(host, &launch, &machine, Path::new("/code/shop")).unwrap();
        assert!(snippet.text.contains("/usr/bin/other"), "{}", snippet.text);
    }
}

#[test]
fn toolsets_stay_within_the_limit_of_the_host() {
    let size = |name: &str, tools| ToolsetSize { name: name.to_owned(), tools };
    let toolsets =
        vec![size("understand", 12), size("remember", 9), size("coordinate", 25), size("commit", 8)];
    let launch = Launch { toolsets, other_tools: 1, ..Launch::default() };
    let chosen = |host: &str| launch.toolsets_for(Host::named(host).unwrap());
    assert_eq!(chosen("claude-code"), None, "no limit");
    assert_eq!(chosen("vscode"), None, "55 of 128");
    assert_eq!(chosen("windsurf"), Some(vec!["understand".into(), "remember".into(), "coordinate".into()]));
    assert_eq!(chosen("cursor"), Some(vec!["understand".into(), "remember".into(), "commit".into()]));
    let machine =
        Machine { system: System::Linux, home: None, config_home: None, app_data: None, state_home: None };
    let text = snippet(Host::named("cursor").unwrap(), &launch, &machine, Path::new("/r")).unwrap().text;
    assert!(text.contains(r#""--toolsets", "understand,remember,commit""#), "{text}");

    let exact = Launch { toolsets: vec![size("understand", 39)], other_tools: 1, ..Launch::default() };
    assert_eq!(exact.toolsets_for(Host::named("cursor").unwrap()), None);
    let huge = vec![size("understand", 90), size("remember", 70)];
    let huge = Launch { toolsets: huge, other_tools: 1, ..Launch::default() };
    assert_eq!(huge.toolsets_for(Host::named("cursor").unwrap()), Some(vec!["remember".into()]));
}
