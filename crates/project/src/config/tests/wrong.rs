//! Everything that can be wrong with settings. Messages are snapshots: they are what a person has to work with.

use super::*;

#[test]
fn a_wrong_key_names_its_place_and_the_right_one() {
    insta::assert_snapshot!(toml_says("toolsets = [\"understand\"]\n\n[log]\nlevle = \"info\"\n  colour = 1\n[loging]\nlevel = \"info\"\n[empty]\n[security]\nallowedPath = []\n"), @"
    becket.toml:1:1: unknown key `toolsets`; did you mean `mcp.toolsets`? [setting_unknown]
    becket.toml:4:1: unknown key `log.levle`; did you mean `log.level`? [setting_unknown]
    becket.toml:5:3: unknown key `log.colour` [setting_unknown]
    becket.toml:7:1: unknown key `loging.level`; did you mean `log.level`? [setting_unknown]
    becket.toml:8:2: unknown key `empty` [setting_unknown]
    becket.toml:10:1: unknown key `security.allowedPath`; did you mean `security.allowedPaths`? [setting_unknown]
    ");
    insta::assert_snapshot!(json_says("{\n  \"snapshots\": {\"maxSnapshot\": 3},\n  \"é\": {\"ü\": 1}, \"$schema\": \"x\"\n}"), @"
    mcp-config.json:2:17: unknown key `snapshots.maxSnapshot`; did you mean `snapshots.maxSnapshots`? [setting_unknown]
    mcp-config.json:3:9: unknown key `é.ü` [setting_unknown]
    ");
}

#[test]
fn a_misspelt_section_names_the_right_one() {
    insta::assert_snapshot!(toml_says("[mpc]\n[secuirty]\nnothing_like_it = 1\n[htpp]\n[\"\u{202e}gol\"]\n"), @r"
    becket.toml:1:2: unknown key `mpc`; did you mean `mcp`? [setting_unknown]
    becket.toml:3:1: unknown key `secuirty.nothing_like_it`; did you mean `security`? [setting_unknown]
    becket.toml:4:2: unknown key `htpp`; did you mean `http`? [setting_unknown]
    becket.toml:5:2: unknown key `\u{202e}gol` [setting_unknown]
    ");
}

#[test]
fn a_wrong_value_names_its_place_and_what_is_right() {
    insta::assert_snapshot!(toml_says(r#"
[mcp]
toolsets = ["understand", "comit"]
tools = "one"
exclude = ["a", 3]
read_only = "yes"
tool_names = "dots"
max_message_bytes = 12
max_output_bytes = 1.5
[http]
listen = "example.org"
token = "hunter2"
max_body_bytes = -1
[log]
level = "verbose"
json = 2026-01-01
[snapshots]
max_snapshots = 9999999999999
dir = ""
[server]
name = { first = "x" }
"#), @"
    becket.toml:3:27: `mcp.toolsets` must be a list of `understand`, `remember`, `coordinate`, `commit`, `all`, not `comit`; did you mean `commit`? [setting_value]
    becket.toml:4:9: `mcp.tools` must be a list of texts, not text [setting_type]
    becket.toml:5:17: `mcp.exclude` must be a list of texts, not a list with a number [setting_type]
    becket.toml:6:13: `mcp.read_only` must be true or false, not text [setting_type]
    becket.toml:7:14: `mcp.tool_names` must be one of `underscore`, `dotted`, not `dots` [setting_value]
    becket.toml:8:21: `mcp.max_message_bytes` must be from 1024 to 1073741824, not 12 [setting_range]
    becket.toml:9:20: `mcp.max_output_bytes` must be a whole number from 1024 to 1073741824, not `1.5` [setting_value]
    becket.toml:11:10: `http.listen` must be an address and a port, such as 127.0.0.1:0, not `example.org` [setting_value]
    becket.toml:12:9: `http.token` is a secret and must not stand in a file of the repository [setting_secret_in_file]
    becket.toml:13:18: `http.max_body_bytes` must be from 1024 to 1073741824, not -1 [setting_range]
    becket.toml:15:9: `log.level` must be one of `off`, `error`, `warn`, `info`, `debug`, `trace`, not `verbose` [setting_value]
    becket.toml:16:8: `log.json` must be true or false, not a date or time [setting_type]
    becket.toml:18:17: `snapshots.max_snapshots` must be from 1 to 10000, not 9999999999999 [setting_range]
    becket.toml:19:7: `snapshots.dir` must be a path, not an empty text [setting_value]
    becket.toml:21:8: `server.name` must be text, not a table [setting_type]
    ");
    insta::assert_snapshot!(json_says(r#"{"log": 3, "snapshots": {"ttlMinutes": null, "maxSnapshots": 1e2, "autoCleanup": 1},
  "security": {"allowedPaths": ["ok", "", {}], "maxBundleSize": 18446744073709551616}}"#), @"
    mcp-config.json:1:9: `log` must be a table, not a number [setting_type]
    mcp-config.json:1:40: `snapshots.ttlMinutes` must be a whole number from 1 to 525600, not null [setting_type]
    mcp-config.json:1:62: `snapshots.maxSnapshots` must be a whole number from 1 to 10000, not `1e2` [setting_value]
    mcp-config.json:1:82: `snapshots.autoCleanup` must be true or false, not a number [setting_type]
    mcp-config.json:2:39: `security.allowedPaths` must be a list of paths, not an empty text [setting_value]
    mcp-config.json:2:65: `security.maxBundleSize` must be from 1024 to 1073741824, not 18446744073709551616 [setting_range]
    ");
}

#[test]
fn a_malformed_file_names_the_place_and_leaves_the_rest_usable() {
    insta::assert_snapshot!([
        toml_says("[log]\nlevel = \n"),
        toml_says("[log]\nlevel = \"info\"\nlevel = \"warn\"\n"),
        toml_says("[log\n"),
        toml_says("snapshots.max_snapshots = 99999999999999999999"),
        toml_says(&"[".repeat(100_000)),
        toml_says(&format!("x = {}", "[".repeat(100_000))),
        json_says("{\"log\": }"),
        json_says("{\"log\": {\"level\": \"info\"} "),
        json_says("[1]"),
        json_says("{} {}"),
        json_says(&"[".repeat(100_000)),
        json_says(&"{\"a\":".repeat(100_000)),
    ].join("\n"), @"
    becket.toml:2:9: not TOML: string values must be quoted, expected literal string [settings_malformed]
    becket.toml:3:1: not TOML: duplicate key `level` [settings_malformed]
    becket.toml:1:5: not TOML: unclosed table, expected `]` [settings_malformed]
    becket.toml:1:27: not TOML: integer number overflowed [settings_malformed]
    becket.toml:1:3: not TOML: unquoted keys cannot be empty, expected letters, numbers, `-`, `_` [settings_malformed]
    becket.toml:1:85: not TOML: cannot recurse further; max recursion depth met [settings_malformed]
    mcp-config.json:1:9: not JSON: unexpected close brace [settings_malformed]
    mcp-config.json:1:1: not JSON: unterminated object [settings_malformed]
    mcp-config.json:1:1: the file must hold one JSON object [settings_malformed]
    mcp-config.json:1:4: not JSON: text cannot contain more than one JSON value [settings_malformed]
    mcp-config.json:1:513: not JSON: maximum nesting depth exceeded [settings_malformed]
    mcp-config.json:1:1282: not JSON: maximum nesting depth exceeded [settings_malformed]
    ");
    let disk = Disk::new().with(BECKET_TOML, "[[[").with(MCP_CONFIG, "{\"server\": {\"name\": \"x\"}}");
    let environment = disk.environment().with_variable("BECKET_LOG", "debug");
    let loaded = disk.load_with(&environment, &[("toolsets", "commit")]);
    assert_eq!(loaded.problems.len(), 1);
    assert_eq!(loaded.settings.optional_text(SERVER_NAME), Some("x"));
    assert_eq!(loaded.settings.text(LOG_LEVEL), "debug");
    assert_eq!(loaded.settings.list(MCP_TOOLSETS), ["commit"]);
    assert_eq!(loaded.settings.number(SNAPSHOTS_MAX), 10);
}

#[test]
fn the_same_key_twice_is_told_and_the_first_holds() {
    let disk = Disk::new()
        .with(BECKET_TOML, "[snapshots]\nmax_snapshots = 2\nmaxSnapshots = 3\n")
        .with(MCP_CONFIG, "{\"log\": {\"level\": \"warn\",\n \"level\": \"debug\"}}");
    let loaded = disk.load();
    insta::assert_snapshot!(disk.told(&loaded), @"
    becket.toml:3:1: `snapshots.maxSnapshots` stands twice, first in line 2 [setting_duplicate]
    mcp-config.json:2:2: `log.level` stands twice, first in line 1 [setting_duplicate]
    ");
    assert_eq!(loaded.settings.number(SNAPSHOTS_MAX), 2);
    assert_eq!(loaded.settings.text(LOG_LEVEL), "warn");
}

#[test]
fn what_is_not_a_text_file_is_told() {
    let says = |content: &[u8]| {
        let disk = Disk::new().with(BECKET_TOML, content);
        disk.told(&disk.load())
    };
    let folder = Disk::new();
    fs_err::create_dir(folder.root.join(BECKET_TOML)).unwrap();
    insta::assert_snapshot!([
        says(b"[log]\nlevel = \"\xff\"\n"),
        says(b"\xff\xfe[\0l\0o\0g\0]\0"),
        says(&vec![b'#'; 2 * 1024 * 1024]),
        folder.told(&folder.load()),
    ].join("\n"), @"
    becket.toml:2:10: the file is not UTF-8 [settings_not_utf8]
    becket.toml: the file is UTF-16, not UTF-8 [settings_not_utf8]
    becket.toml: the file is larger than 1048576 bytes [settings_too_large]
    becket.toml: it is not a file [settings_unreadable]
    ");
    let disk = Disk::new().with(BECKET_TOML, "\u{feff}log.level = \"warn\"\r\nlog.levle = 1\r\n");
    insta::assert_snapshot!(disk.told(&disk.load()), @"becket.toml:2:5: unknown key `log.levle`; did you mean `log.level`? [setting_unknown]");
    assert_eq!(disk.load().settings.text(LOG_LEVEL), "warn");
}

#[test]
fn a_file_full_of_nonsense_is_told_in_a_few_lines() {
    let content = (0..500).map(|number| format!("nonsense_{number} = 1")).collect::<Vec<_>>().join("\n");
    let loaded = Disk::new().with(BECKET_TOML, content).load();
    assert_eq!(loaded.problems.len(), 51);
    assert_eq!(loaded.problems.last().unwrap().to_string(), "becket.toml: 450 other problems in this file");
    let long = toml_says(&format!("{} = 1\nlog.level = {:?}", "x".repeat(10_000), "y\u{1b}".repeat(10_000)));
    assert!(long.len() < 1_000 && !long.contains('\u{1b}'), "{long}");
}

#[test]
fn wrong_variables_and_flags_are_told_by_name() {
    let disk = Disk::new();
    let environment = disk
        .environment()
        .with_variable("BECKET_READ_ONLY", "maybe")
        .with_variable("BECKET_MAX_MESSAGE_BYTES", "lots")
        .with_variable("BECKET_HTTP_TOKEN", "two words")
        .with_variable("BECKET_TOOLSET", "commit")
        .with_variable("BECKET_SOMETHING_ELSE_ENTIRELY", "x")
        .with_variable("BECKET_REPO", "x");
    let flags = [("toolsets", "understnad"), ("--loglevel", "x"), ("--tool-names", "dotted")];
    let loaded = disk.load_with(&environment, &flags);
    insta::assert_snapshot!(disk.told(&loaded), @"
    BECKET_READ_ONLY: `mcp.read_only` must be true or false, not `maybe` [setting_value]
    BECKET_MAX_MESSAGE_BYTES: `mcp.max_message_bytes` must be a whole number from 1024 to 1073741824, not `lots` [setting_value]
    BECKET_HTTP_TOKEN: `http.token` must be a token of visible ASCII characters without blanks [setting_value]
    --toolsets: `mcp.toolsets` must be a list of `understand`, `remember`, `coordinate`, `commit`, `all`, not `understnad`; did you mean `understand`? [setting_value]
    --loglevel: unknown key `--loglevel`; did you mean `--log-level`? [setting_unknown]
    note: BECKET_TOOLSET: unknown variable; did you mean BECKET_TOOLSETS?
    ");
    assert_eq!(loaded.settings.text(MCP_TOOL_NAMES), "dotted");
}

#[test]
fn a_file_cannot_point_out_of_the_repository_but_the_user_can() {
    let disk = Disk::new().with(
        BECKET_TOML,
        "[log]\nfile = \"../log\"\n[http]\ntoken_file = \"/etc/token\"\n[snapshots]\ndir = \".git/hooks\"\n",
    );
    let loaded = disk.load();
    insta::assert_snapshot!(disk.told(&loaded), @"
    becket.toml:4:1: `http.token_file` is a place that becket must not use: `/etc/token` is outside of ROOT [setting_path_refused]
    becket.toml:2:1: `log.file` is a place that becket must not use: `ROOT/../log` leads out of ROOT with `..` [setting_path_refused]
    becket.toml:6:1: `snapshots.dir` is a place that becket must not use: `ROOT/.git/hooks` is inside of Git's own files [setting_path_refused]
    ");
    assert_eq!(loaded.settings.path(LOG_FILE), None);
    assert_eq!(loaded.settings.source(LOG_FILE.key()), Source::Default);

    let environment = disk.environment().with_variable("BECKET_LOG_FILE", "/elsewhere/log");
    let loaded = disk.load_with(&environment, &[("http-token-file", "~/token")]);
    assert_eq!(loaded.settings.path(LOG_FILE), Some(Path::new("/elsewhere/log")));
    assert_eq!(loaded.settings.path(HTTP_TOKEN_FILE), Some(Path::new("/home/ada/token")));
}

#[test]
fn a_file_cannot_allow_the_place_that_it_then_names() {
    let disk = Disk::new()
        .with(BECKET_TOML, "[security]\nallowed_paths = [\"/\"]\n[log]\nfile = \"/elsewhere/log\"\n");
    let loaded = disk.load();
    assert_eq!(loaded.settings.path(LOG_FILE), None);
    assert_eq!(loaded.problems[0].code(), "setting_path_refused");
    // What the user allows, a file may use.
    let environment = disk.environment().with_variable("BECKET_ALLOWED_PATHS", "/");
    let loaded = disk.load_with(&environment, &[]);
    assert_eq!(loaded.settings.path(LOG_FILE), Some(Path::new("/elsewhere/log")));
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_is_a_link_is_read_only_inside() {
    use fs_err::os::unix::fs::symlink;
    let disk = Disk::new().with("real.toml", "log.level = \"warn\"\n");
    symlink("real.toml", disk.root.join(BECKET_TOML)).unwrap();
    assert_eq!(disk.load().settings.text(LOG_LEVEL), "warn");
    symlink("/etc/passwd", disk.root.join(MCP_CONFIG)).unwrap();
    insta::assert_snapshot!(disk.told(&disk.load()), @"mcp-config.json: the file cannot be read: it is a link that leads out of the repository [settings_unreadable]");
    fs_err::remove_file(disk.root.join(MCP_CONFIG)).unwrap();
    symlink(MCP_CONFIG, disk.root.join(MCP_CONFIG)).unwrap();
    assert_eq!(disk.load().problems[0].code(), "settings_unreadable");
}

#[test]
fn a_secret_is_never_printed() {
    let disk = Disk::new().with(BECKET_TOML, "http.token = \"hunter2\"\n");
    let environment = disk.environment().with_variable("BECKET_HTTP_TOKEN", "hunter3");
    let loaded = disk.load_with(&environment, &[]);
    let printed =
        format!("{loaded:?} {} {:?}", disk.told(&loaded), serde_json::to_string(&loaded.settings.entries()));
    assert!(!printed.contains("hunter"), "{printed}");
    let entry = loaded.settings.entries().into_iter().find(|entry| entry.key == "http.token").unwrap();
    assert_eq!(entry.value, "(set)");
}
