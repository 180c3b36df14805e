//! Settings from every source, and a workspace to read them from.

mod properties;
mod wrong;

use super::*;
use crate::root::discover;

struct Disk {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Disk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = crate::canonical::canonical(folder.path()).unwrap().join("repo");
        fs_err::create_dir(&root).unwrap();
        Self { _folder: folder, root }
    }

    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs_err::write(self.root.join(name), content).unwrap();
        self
    }

    fn environment(&self) -> Environment {
        Environment::new(self.root.join("here")).with_home("/home/ada")
    }

    fn load(&self) -> Loaded {
        self.load_with(&self.environment(), &[])
    }

    fn load_with(&self, environment: &Environment, flags: &[(&str, &str)]) -> Loaded {
        let flags: Vec<_> = flags.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        Settings::load(&discover(&self.root).unwrap(), environment, &flags)
    }

    fn told(&self, loaded: &Loaded) -> String {
        let root = self.root.to_string_lossy();
        let problems = loaded.problems.iter().map(|problem| format!("{} [{}]", problem, problem.code()));
        let notices = loaded.notices.iter().map(|notice| format!("note: {notice}"));
        problems.chain(notices).collect::<Vec<_>>().join("\n").replace(&*root, "ROOT")
    }
}

fn toml_says(content: &str) -> String {
    let disk = Disk::new().with(BECKET_TOML, content);
    disk.told(&disk.load())
}

fn json_says(content: &str) -> String {
    let disk = Disk::new().with(MCP_CONFIG, content);
    disk.told(&disk.load())
}

#[test]
fn without_files_everything_has_its_default() {
    let loaded = Disk::new().load();
    assert!(loaded.problems.is_empty() && loaded.notices.is_empty());
    let settings = loaded.settings;
    assert_eq!(settings.list(MCP_TOOLSETS), ["all"]);
    assert_eq!(settings.number(MCP_MAX_MESSAGE_BYTES), 16 * 1024 * 1024);
    assert_eq!(settings.text(MCP_TOOL_NAMES), "underscore");
    assert!(settings.flag(SNAPSHOTS_AUTO_CLEANUP));
    assert_eq!(settings.optional_text(SERVER_NAME), None);
    assert_eq!(settings.path(SNAPSHOTS_DIR), None);
    assert!(settings.secret(HTTP_TOKEN).is_none());
    assert!(settings.entries().iter().all(|entry| entry.source == Source::Default));
    assert_eq!(settings.entries().len(), KEYS.len());
}

#[test]
fn the_file_of_the_seed_is_understood_whole() {
    let disk = Disk::new().with(
        MCP_CONFIG,
        r#"{
  "server": {
    "name": "logicstamp-context",
    "version": "0.1.0",
    "defaultProfile": "ci-strict",
    "defaultMode": "full"
  },
  "snapshots": { "maxSnapshots": 3, "ttlMinutes": 5, "autoCleanup": false },
  "paths": { "cliPath": "stamp", "tempDir": ".logicstamp/mcp-snapshots" },
  "security": {
    "allowedPaths": ["/path/to/projects"],
    "maxBundleSize": 2048,
    "maxTokensPerRequest": 1234
  }
}"#,
    );
    let loaded = disk.load();
    insta::assert_snapshot!(disk.told(&loaded), @"
    note: mcp-config.json:4:5: `server.version` has no effect: the server always tells its real version
    note: mcp-config.json:9:14: `paths.cliPath` has no effect: becket is its own command line and starts no other
    note: mcp-config.json:11:5: callers may also name folders in /path/to/projects
    ");
    let settings = loaded.settings;
    assert_eq!(settings.optional_text(SERVER_NAME), Some("logicstamp-context"));
    assert_eq!(settings.text(UNDERSTAND_PROFILE), "ci-strict");
    assert_eq!(settings.text(UNDERSTAND_MODE), "full");
    assert_eq!(settings.number(SNAPSHOTS_MAX), 3);
    assert_eq!(settings.number(SNAPSHOTS_TTL_MINUTES), 5);
    assert!(!settings.flag(SNAPSHOTS_AUTO_CLEANUP));
    assert_eq!(settings.path(SNAPSHOTS_DIR), Some(&*disk.root.join(".logicstamp/mcp-snapshots")));
    assert_eq!(settings.paths(SECURITY_ALLOWED_PATHS), [PathBuf::from("/path/to/projects")]);
    assert_eq!(settings.number(SECURITY_MAX_BUNDLE_SIZE), 2048);
    assert_eq!(settings.number(SECURITY_MAX_TOKENS_PER_REQUEST), 1234);
}

#[test]
fn every_key_can_be_set_under_every_name_in_both_files() {
    for key in KEYS.iter().filter(|key| !key.is_secret() && !key.user_only) {
        let value = match key.kind {
            Kind::Text => "\"x\"",
            Kind::Choice(choices) => &format!("{:?}", choices.last().unwrap()),
            Kind::Number { most, .. } => &most.to_string(),
            Kind::Flag => "true",
            Kind::List(Items::Any) => "[\"x\"]",
            Kind::List(Items::Choice(choices)) => &format!("[{:?}]", choices[0]),
            Kind::Path => "\"x\"",
            Kind::Paths => "[\"x\"]",
            Kind::Address => "\"127.0.0.1:8080\"",
            Kind::Token => unreachable!(),
        };
        for name in key.names() {
            let (section, last) = name.split_once('.').unwrap();
            for disk in [
                Disk::new().with(BECKET_TOML, format!("[{section}]\n{last} = {value}\n")),
                Disk::new().with(BECKET_TOML, format!("{name} = {value}\n")),
                Disk::new().with(MCP_CONFIG, format!("{{\"{section}\": {{\"{last}\": {value}}}}}")),
            ] {
                let loaded = disk.load();
                assert!(loaded.problems.is_empty(), "{name}: {}", disk.told(&loaded));
                assert!(matches!(loaded.settings.source(key), Source::File { .. }), "{name}");
            }
        }
    }
}

#[test]
fn each_source_overrides_the_one_before() {
    let level = |toml: bool, json: bool, variable: bool, flag: bool| {
        let mut disk = Disk::new();
        if toml {
            disk = disk.with(BECKET_TOML, "\n[log]\nlevel = \"error\"\n");
        }
        if json {
            disk = disk.with(MCP_CONFIG, "{\"log\": {\"level\": \"off\"}}");
        }
        let mut environment = disk.environment();
        if variable {
            environment = environment.with_variable("BECKET_LOG", "debug");
        }
        let flags: &[(&str, &str)] = if flag { &[("--log-level", "trace")] } else { &[] };
        let loaded = disk.load_with(&environment, flags);
        let source = loaded.settings.source(LOG_LEVEL.key()).to_string();
        format!(
            "{} {}",
            loaded.settings.text(LOG_LEVEL),
            source.replace(&*disk.root.to_string_lossy(), "ROOT")
        )
    };
    assert_eq!(level(false, false, false, false), format!("{} default", LOG_LEVEL.key().default));
    assert_eq!(level(true, false, false, false), "error ROOT/becket.toml:3");
    assert_eq!(level(true, true, false, false), "off ROOT/mcp-config.json:1");
    assert_eq!(level(true, true, true, false), "debug BECKET_LOG");
    assert_eq!(level(true, true, true, true), "trace --log-level");
}

#[test]
fn what_json_people_write_is_read() {
    let disk = Disk::new().with(MCP_CONFIG, "// mine\n{\"log\": {\"level\": \"warn\", /* loud */ },}\n");
    let loaded = disk.load();
    assert!(loaded.problems.is_empty(), "{}", disk.told(&loaded));
    assert_eq!(loaded.settings.text(LOG_LEVEL), "warn");
    assert_eq!(json_says(""), "");
    assert_eq!(json_says("{}"), "");
    assert_eq!(toml_says(""), "");
    assert_eq!(toml_says("[log]\n[http]\n"), "");
}

#[test]
fn variables_and_flags_are_read_by_their_type() {
    let disk = Disk::new();
    let separator = if cfg!(windows) { ";" } else { ":" };
    let environment = disk
        .environment()
        .with_variable("BECKET_TOOLSETS", " understand, commit ,understand,")
        .with_variable("BECKET_READ_ONLY", "Yes")
        .with_variable("BECKET_JSON_LOGS", "0")
        .with_variable("BECKET_MAX_MESSAGE_BYTES", " 2048 ")
        .with_variable("BECKET_LOG", "")
        .with_variable("BECKET_HTTP_LISTEN", "localhost:0")
        .with_variable("BECKET_HTTP_TOKEN", "s3cret")
        .with_variable("BECKET_ALLOWED_PATHS", ["/a", "", "b", "~/c"].join(separator));
    let loaded = disk.load_with(
        &environment,
        &[
            ("tools", "a"),
            ("--tools", "b,a"),
            ("log-file", "x.log"),
            ("log-level", "warn"),
            ("log-level", "error"),
        ],
    );
    assert_eq!(disk.told(&loaded), "");
    let settings = loaded.settings;
    assert_eq!(settings.list(MCP_TOOLSETS), ["understand", "commit"]);
    assert!(settings.flag(MCP_READ_ONLY) && !settings.flag(LOG_JSON));
    assert_eq!(settings.number(MCP_MAX_MESSAGE_BYTES), 2048);
    assert_eq!(settings.optional_text(HTTP_LISTEN), Some("localhost:0"));
    assert_eq!(settings.secret(HTTP_TOKEN).unwrap().expose(), "s3cret");
    let here = disk.root.join("here");
    assert_eq!(
        settings.paths(SECURITY_ALLOWED_PATHS),
        [PathBuf::from("/a"), here.join("b"), PathBuf::from("/home/ada/c")]
    );
    assert_eq!(settings.list(MCP_TOOLS), ["a", "b"]);
    assert_eq!(settings.path(LOG_FILE), Some(&*here.join("x.log")));
    assert_eq!(settings.text(LOG_LEVEL), "error");
}

#[test]
fn what_sends_texts_away_is_the_users_to_set() {
    let disk = Disk::new().with(
        BECKET_TOML,
        "[embeddings]\nprovider = \"openai\"\nurl = \"https://example.com\"\nkey = \"k\"\nmodel = \"m\"\n",
    );
    let loaded = disk.load();
    let codes: Vec<_> = loaded.problems.iter().map(Problem::code).collect();
    assert_eq!(codes, ["setting_not_from_file", "setting_not_from_file", "setting_secret_in_file"]);
    assert_eq!(loaded.problems[0].hint(), "Set BECKET_EMBEDDING_PROVIDER in the environment.");
    assert_eq!(loaded.problems[2].hint(), "Set BECKET_EMBEDDING_KEY in the environment.");
    assert_eq!(loaded.settings.text(EMBEDDINGS_PROVIDER), "off");
    assert_eq!(loaded.settings.text(EMBEDDINGS_MODEL), "m");
}

#[test]
fn a_variable_of_others_is_weaker_than_our_own() {
    let disk = Disk::new();
    let environment = disk
        .environment()
        .with_variable("SEGMINT_EMBEDDING_PROVIDER", "local")
        .with_variable("OPENAI_API_KEY", "theirs");
    let loaded = disk.load_with(&environment, &[]);
    assert_eq!(loaded.settings.text(EMBEDDINGS_PROVIDER), "local");
    assert_eq!(loaded.settings.secret(EMBEDDINGS_KEY).unwrap().expose(), "theirs");
    let environment = environment
        .with_variable("BECKET_EMBEDDING_PROVIDER", "openai")
        .with_variable("BECKET_EMBEDDING_KEY", "ours");
    let loaded = disk.load_with(&environment, &[]);
    assert_eq!(loaded.settings.text(EMBEDDINGS_PROVIDER), "openai");
    assert_eq!(loaded.settings.secret(EMBEDDINGS_KEY).unwrap().expose(), "ours");
    let source = loaded.settings.source(EMBEDDINGS_KEY.key());
    assert_eq!(source, Source::Variable { name: "BECKET_EMBEDDING_KEY".to_owned() });
}

#[test]
fn a_variable_of_others_stops_nothing() {
    let disk = Disk::new();
    let environment = disk
        .environment()
        .with_variable("SEGMINT_EMBEDDING_PROVIDER", "dummy")
        .with_variable("OPENAI_API_KEY", "sk-hidden with a blank");
    let loaded = disk.load_with(&environment, &[]);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let told = loaded.notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(told.contains("SEGMINT_EMBEDDING_PROVIDER: passed over") && !told.contains("hidden"), "{told}");
    assert_eq!(loaded.settings.text(EMBEDDINGS_PROVIDER), "off");
}

#[test]
fn variables_and_flags_hold_without_a_workspace() {
    let environment = Environment::new("/here").with_variable("BECKET_LOG", "debug");
    let loaded = Settings::load_without_files(&environment, &[("tools", "x".to_owned())]);
    assert_eq!(loaded.settings.text(LOG_LEVEL), "debug");
    assert_eq!(loaded.settings.list(MCP_TOOLS), ["x"]);
}

#[test]
fn snapshots_may_go_to_a_root_that_the_user_allows() {
    let disk = Disk::new().with(MCP_CONFIG, r#"{"paths": {"tempDir": "../other/snapshots"}}"#);
    let other = disk.root.with_file_name("other");
    fs_err::create_dir(&other).unwrap();
    assert_eq!(disk.load().problems.len(), 1);
    let environment = disk.environment().with_variable("BECKET_ALLOWED_PATHS", other.to_str().unwrap());
    let loaded = disk.load_with(&environment, &[]);
    assert!(loaded.problems.is_empty(), "{}", disk.told(&loaded));
    assert_eq!(loaded.settings.path(SNAPSHOTS_DIR), Some(&*other.join("snapshots")));
}

#[test]
fn entries_tell_value_source_and_meaning() {
    let disk = Disk::new().with(BECKET_TOML, "[mcp]\nexclude = [\"a\", \"b\"]\n");
    let environment = disk.environment().with_variable("BECKET_LOG", "debug");
    let entries = disk.load_with(&environment, &[("read-only", "true")]).settings.entries();
    let lines: Vec<_> = entries
        .iter()
        .filter(|entry| entry.source != Source::Default || entry.value.is_null())
        .map(|entry| format!("{} = {} ({})", entry.key, entry.value, entry.source))
        .collect();
    insta::assert_snapshot!(lines.join("\n").replace(&*disk.root.to_string_lossy(), "ROOT"), @r#"
    server.name = null (default)
    server.version = null (default)
    mcp.exclude = ["a","b"] (ROOT/becket.toml:2)
    mcp.read_only = true (--read-only)
    http.listen = null (default)
    http.token = null (default)
    http.token_file = null (default)
    log.level = "debug" (BECKET_LOG)
    log.file = null (default)
    snapshots.dir = null (default)
    paths.cli_path = null (default)
    commit.pr_template = null (default)
    store.url = null (default)
    store.repository = null (default)
    embeddings.key = null (default)
    "#);
    insta::assert_snapshot!(serde_json::to_string(&entries[4]).unwrap().replace(&*disk.root.to_string_lossy(), "ROOT"), @r#"{"key":"mcp.exclude","value":["a","b"],"source":{"from":"file","path":"ROOT/becket.toml","line":2},"doc":"Tools to leave out, by name."}"#);
}
