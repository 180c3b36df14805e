//! The table of all settings. To add one, add a row: its doc comment is its line in the reference page.

use super::key::{
    DefaultValue, FlagKey, Items, Key, Kind, ListKey, NumberKey, OptionalTextKey, PathKey, PathsKey,
    SecretKey, TextKey,
};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;

/// The planes that can be served, and `all`.
pub const TOOLSETS: &[&str] = &["understand", "remember", "coordinate", "commit", "all"];

macro_rules! keys {
    ($($(#[doc = $doc:literal])+ $constant:ident: $typed:ident = $name:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        $($(#[doc = $doc])+
        pub const $constant: $typed = $typed::new(&Key {
            name: $name,
            doc: concat!($($doc),+).trim_ascii(),
            $($field: $value,)*
            ..Key::BLANK
        });)*

        /// Every setting, in the order in which it is shown.
        pub const KEYS: &[&Key] = &[$($constant.key()),*];
    };
}

keys! {
    /// The name the MCP server gives itself; unset, it is the name that becket was called by.
    SERVER_NAME: OptionalTextKey = "server.name" {
        kind: Kind::Text,
        variable: Some("BECKET_SERVER_NAME"),
    }
    /// Accepted for the sake of older files; the server always tells its real version.
    SERVER_VERSION: OptionalTextKey = "server.version" {
        kind: Kind::Text,
        notice: Some("the server always tells its real version"),
    }
    /// Toolsets to serve.
    MCP_TOOLSETS: ListKey = "mcp.toolsets" {
        kind: Kind::List(Items::Choice(TOOLSETS)),
        default: DefaultValue::List(&["all"]),
        variable: Some("BECKET_TOOLSETS"),
        flag: Some("--toolsets"),
    }
    /// Tools to serve in addition to the toolsets, by name.
    MCP_TOOLS: ListKey = "mcp.tools" {
        kind: Kind::List(Items::Any),
        default: DefaultValue::List(&[]),
        variable: Some("BECKET_TOOLS"),
        flag: Some("--tools"),
    }
    /// Tools to leave out, by name.
    MCP_EXCLUDE: ListKey = "mcp.exclude" {
        kind: Kind::List(Items::Any),
        default: DefaultValue::List(&[]),
        variable: Some("BECKET_EXCLUDE"),
        flag: Some("--exclude"),
    }
    /// Serve only tools that change nothing.
    MCP_READ_ONLY: FlagKey = "mcp.read_only" {
        kind: Kind::Flag,
        default: DefaultValue::Flag(false),
        variable: Some("BECKET_READ_ONLY"),
        flag: Some("--read-only"),
    }
    /// How tool names are listed: with underscores, or with dots; both are always accepted in a call.
    MCP_TOOL_NAMES: TextKey = "mcp.tool_names" {
        kind: Kind::Choice(&["underscore", "dotted"]),
        default: DefaultValue::Text("underscore"),
        variable: Some("BECKET_TOOL_NAMES"),
        flag: Some("--tool-names"),
    }
    /// Longest message that is read from a client, in bytes.
    MCP_MAX_MESSAGE_BYTES: NumberKey = "mcp.max_message_bytes" {
        kind: Kind::Number { least: KIB, most: GIB },
        default: DefaultValue::Number(16 * MIB),
        variable: Some("BECKET_MAX_MESSAGE_BYTES"),
    }
    /// Longest tool result, in bytes, its text included; more is cut, with a notice of how to get the rest. One entry is in each
    /// answer, which with what is said around it may take 2,000 bytes. Where the text is the result itself, it comes on top.
    MCP_MAX_OUTPUT_BYTES: NumberKey = "mcp.max_output_bytes" {
        kind: Kind::Number { least: KIB, most: GIB },
        default: DefaultValue::Number(100_000),
        variable: Some("BECKET_MAX_OUTPUT_BYTES"),
    }
    /// Address for HTTP; port 0 takes a free one. Only the flag or the variable starts HTTP, a file just says where.
    HTTP_LISTEN: OptionalTextKey = "http.listen" {
        kind: Kind::Address,
        variable: Some("BECKET_HTTP_LISTEN"),
        flag: Some("--http"),
    }
    /// The bearer token that HTTP clients must present; only from the environment.
    HTTP_TOKEN: SecretKey = "http.token" {
        kind: Kind::Token,
        variable: Some("BECKET_HTTP_TOKEN"),
    }
    /// File that holds the bearer token: one line, readable by its owner alone; unset, a token is made in the cache.
    HTTP_TOKEN_FILE: PathKey = "http.token_file" {
        kind: Kind::Path,
        variable: Some("BECKET_HTTP_TOKEN_FILE"),
        flag: Some("--http-token-file"),
    }
    /// Host names, besides those of the loopback, that HTTP requests may be addressed to.
    HTTP_ALLOWED_HOSTS: ListKey = "http.allowed_hosts" {
        kind: Kind::List(Items::Any),
        default: DefaultValue::List(&[]),
        variable: Some("BECKET_HTTP_ALLOWED_HOSTS"),
        flag: Some("--allowed-hosts"),
    }
    /// Origins, besides those of the loopback, that HTTP requests may come from.
    HTTP_ALLOWED_ORIGINS: ListKey = "http.allowed_origins" {
        kind: Kind::List(Items::Any),
        default: DefaultValue::List(&[]),
        variable: Some("BECKET_HTTP_ALLOWED_ORIGINS"),
        flag: Some("--allowed-origins"),
    }
    /// Longest HTTP request body, in bytes.
    HTTP_MAX_BODY_BYTES: NumberKey = "http.max_body_bytes" {
        kind: Kind::Number { least: KIB, most: GIB },
        default: DefaultValue::Number(4 * MIB),
        variable: Some("BECKET_HTTP_MAX_BODY_BYTES"),
    }
    /// What is logged.
    LOG_LEVEL: TextKey = "log.level" {
        kind: Kind::Choice(&["off", "error", "warn", "info", "debug", "trace"]),
        default: DefaultValue::Text("warn"),
        variable: Some("BECKET_LOG"),
        flag: Some("--log-level"),
    }
    /// Log to this file as well as to standard error.
    LOG_FILE: PathKey = "log.file" {
        kind: Kind::Path,
        variable: Some("BECKET_LOG_FILE"),
        flag: Some("--log-file"),
    }
    /// Log one JSON object a line.
    LOG_JSON: FlagKey = "log.json" {
        kind: Kind::Flag,
        default: DefaultValue::Flag(false),
        variable: Some("BECKET_JSON_LOGS"),
        flag: Some("--json-logs"),
    }
    /// Folders, besides the repository, that `projectPath` and `repo` arguments may name.
    SECURITY_ALLOWED_PATHS: PathsKey = "security.allowed_paths" {
        kind: Kind::Paths,
        default: DefaultValue::List(&[]),
        variable: Some("BECKET_ALLOWED_PATHS"),
        flag: Some("--allowed-paths"),
    }
    /// Longest answer that holds bundles, in bytes, unless a smaller `mcp.max_output_bytes` is set; a larger bundle comes in parts.
    SECURITY_MAX_BUNDLE_SIZE: NumberKey = "security.max_bundle_size" {
        kind: Kind::Number { least: KIB, most: GIB },
        default: DefaultValue::Number(MIB),
        variable: Some("BECKET_MAX_BUNDLE_SIZE"),
    }
    /// Most tokens of the bundles in one answer; other answers have at most three bytes for each.
    SECURITY_MAX_TOKENS_PER_REQUEST: NumberKey = "security.max_tokens_per_request" {
        kind: Kind::Number { least: 100, most: 100_000_000 },
        default: DefaultValue::Number(100_000),
        variable: Some("BECKET_MAX_TOKENS_PER_REQUEST"),
    }
    /// Most snapshots that are kept.
    SNAPSHOTS_MAX: NumberKey = "snapshots.max_snapshots" {
        kind: Kind::Number { least: 1, most: 10_000 },
        default: DefaultValue::Number(10),
        variable: Some("BECKET_MAX_SNAPSHOTS"),
    }
    /// Minutes after which a snapshot expires: then it cannot be read any more.
    SNAPSHOTS_TTL_MINUTES: NumberKey = "snapshots.ttl_minutes" {
        kind: Kind::Number { least: 1, most: 525_600 },
        default: DefaultValue::Number(60),
        variable: Some("BECKET_SNAPSHOT_TTL_MINUTES"),
    }
    /// Remove expired snapshots, and more than are kept, without being asked.
    SNAPSHOTS_AUTO_CLEANUP: FlagKey = "snapshots.auto_cleanup" {
        kind: Kind::Flag,
        default: DefaultValue::Flag(true),
        variable: Some("BECKET_SNAPSHOT_AUTO_CLEANUP"),
    }
    /// Folder for snapshots; unset, they are in becket's cache.
    SNAPSHOTS_DIR: PathKey = "snapshots.dir" {
        kind: Kind::Path,
        variable: Some("BECKET_SNAPSHOT_DIR"),
        aliases: &["paths.tempDir", "paths.temp_dir"],
    }
    /// Accepted for the sake of older files; becket is its own command line and starts none.
    PATHS_CLI_PATH: OptionalTextKey = "paths.cli_path" {
        kind: Kind::Text,
        notice: Some("becket is its own command line and starts no other"),
    }
    /// A minijinja template for the text of pull requests, relative to the root.
    COMMIT_PR_TEMPLATE: OptionalTextKey = "commit.pr_template" {
        kind: Kind::Text,
        variable: Some("BECKET_PR_TEMPLATE"),
    }
    /// Which contracts are extracted, and how strictly.
    UNDERSTAND_PROFILE: TextKey = "understand.profile" {
        kind: Kind::Choice(&["llm-chat", "llm-safe", "ci-strict", "watch-fast"]),
        default: DefaultValue::Text("llm-chat"),
        variable: Some("BECKET_PROFILE"),
        aliases: &["server.defaultProfile", "server.default_profile"],
    }
    /// How much code goes into a contract.
    UNDERSTAND_MODE: TextKey = "understand.mode" {
        kind: Kind::Choice(&["header", "full", "none"]),
        default: DefaultValue::Text("header"),
        variable: Some("BECKET_MODE"),
        aliases: &["server.defaultMode", "server.default_mode"],
    }
    /// Where tasks, leases and messages live: a path, or from the environment alone `postgres://user@host/database`; unset, `.lodestar/runtime.sqlite`.
    STORE_URL: OptionalTextKey = "store.url" {
        kind: Kind::Text,
        variable: Some("BECKET_STORE"),
    }
    /// Which repository of a PostgreSQL database this is; unset, its first commit says so.
    STORE_REPOSITORY: OptionalTextKey = "store.repository" {
        kind: Kind::Text,
        variable: Some("BECKET_STORE_REPOSITORY"),
    }
    /// Who may verify a task: anybody, or another agent than the one that completed it.
    COORDINATE_VERIFY: TextKey = "coordinate.verify" {
        kind: Kind::Choice(&["anyone", "other-agent"]),
        default: DefaultValue::Text("anyone"),
        variable: Some("BECKET_VERIFY"),
    }
    /// What overlapping locks do to a claim: warn, or refuse it.
    COORDINATE_LOCKS: TextKey = "coordinate.locks" {
        kind: Kind::Choice(&["warn", "enforce"]),
        default: DefaultValue::Text("warn"),
        variable: Some("BECKET_LOCKS"),
    }
    /// Seconds that a lease lasts when a claim does not say.
    COORDINATE_TTL: NumberKey = "coordinate.ttl_seconds" {
        kind: Kind::Number { least: 1, most: 604_800 },
        default: DefaultValue::Number(900),
        variable: Some("BECKET_LEASE_TTL"),
        variable_aliases: &["LODESTAR_LEASE_TTL"],
    }
    /// The shortest lease that is given, in seconds.
    COORDINATE_TTL_MIN: NumberKey = "coordinate.ttl_min_seconds" {
        kind: Kind::Number { least: 1, most: 604_800 },
        default: DefaultValue::Number(60),
        variable: Some("BECKET_LEASE_TTL_MIN"),
    }
    /// The longest lease that is given, in seconds.
    COORDINATE_TTL_MAX: NumberKey = "coordinate.ttl_max_seconds" {
        kind: Kind::Number { least: 1, most: 604_800 },
        default: DefaultValue::Number(7_200),
        variable: Some("BECKET_LEASE_TTL_MAX"),
    }
    /// Vectors for search and grouping: from an `openai`-compatible server, from the words alone (`local`), or not at all.
    EMBEDDINGS_PROVIDER: TextKey = "embeddings.provider" {
        kind: Kind::Choice(&["off", "openai", "local"]),
        default: DefaultValue::Text("off"),
        variable: Some("BECKET_EMBEDDING_PROVIDER"),
        variable_aliases: &["SEGMINT_EMBEDDING_PROVIDER"],
        user_only: true,
    }
    /// What stands before `/embeddings` in the address of an OpenAI-compatible server.
    EMBEDDINGS_URL: TextKey = "embeddings.url" {
        kind: Kind::Text,
        default: DefaultValue::Text("https://api.openai.com/v1"),
        variable: Some("BECKET_EMBEDDING_URL"),
        variable_aliases: &["OPENAI_BASE_URL"],
        user_only: true,
    }
    /// The model that the server is asked for.
    EMBEDDINGS_MODEL: TextKey = "embeddings.model" {
        kind: Kind::Text,
        default: DefaultValue::Text("text-embedding-3-small"),
        variable: Some("BECKET_EMBEDDING_MODEL"),
    }
    /// The key that the server wants, if it wants one; only from the environment.
    EMBEDDINGS_KEY: SecretKey = "embeddings.key" {
        kind: Kind::Token,
        variable: Some("BECKET_EMBEDDING_KEY"),
        variable_aliases: &["OPENAI_API_KEY"],
    }
    /// Seconds that one request for vectors may take, its repetitions included.
    EMBEDDINGS_TIMEOUT_SECONDS: NumberKey = "embeddings.timeout_seconds" {
        kind: Kind::Number { least: 1, most: 600 },
        default: DefaultValue::Number(10),
        variable: Some("BECKET_EMBEDDING_TIMEOUT_SECONDS"),
    }
}

/// The setting that a file calls `name`.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().copied().find(|key| key.names().any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn assert_unique(what: &str, names: impl Iterator<Item = String>) {
        let mut seen = BTreeSet::new();
        for name in names {
            assert!(seen.insert(name.clone()), "{what} {name} stands twice");
        }
    }

    #[test]
    fn nothing_stands_twice() {
        assert_unique("name", KEYS.iter().flat_map(|key| key.names()));
        assert_unique("variable", KEYS.iter().flat_map(|key| key.variables().map(str::to_owned)));
        assert_unique("flag", KEYS.iter().filter_map(|key| key.flag.map(str::to_owned)));
    }

    #[test]
    fn every_row_is_well_formed() {
        for key in KEYS {
            let (section, name) = key.name.split_once('.').unwrap();
            let plain = |text: &str| text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
            assert!(plain(section) && plain(name), "{}", key.name);
            assert!(key.doc.ends_with('.') && !key.doc.contains('\n'), "{}", key.name);
            assert!(key.variable.is_none_or(|variable| variable.starts_with("BECKET_")), "{}", key.name);
            assert!(key.flag.is_none_or(|flag| flag.starts_with("--")), "{}", key.name);
            assert!(!key.user_only || key.variable.is_some(), "{}", key.name);
            match (key.kind, key.default) {
                (Kind::Number { least, most }, DefaultValue::Number(number)) => {
                    assert!((least..=most).contains(&number), "{}", key.name);
                }
                (Kind::Choice(choices), DefaultValue::Text(text)) => {
                    assert!(choices.contains(&text), "{}", key.name);
                }
                (Kind::List(Items::Choice(choices)), DefaultValue::List(items)) => {
                    assert!(items.iter().all(|item| choices.contains(item)), "{}", key.name);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_names_of_the_seed_are_known() {
        for (name, key) in [
            ("server.name", "server.name"),
            ("server.version", "server.version"),
            ("server.defaultProfile", "understand.profile"),
            ("server.defaultMode", "understand.mode"),
            ("snapshots.maxSnapshots", "snapshots.max_snapshots"),
            ("snapshots.ttlMinutes", "snapshots.ttl_minutes"),
            ("snapshots.autoCleanup", "snapshots.auto_cleanup"),
            ("paths.cliPath", "paths.cli_path"),
            ("paths.tempDir", "snapshots.dir"),
            ("security.allowedPaths", "security.allowed_paths"),
            ("security.maxBundleSize", "security.max_bundle_size"),
            ("security.maxTokensPerRequest", "security.max_tokens_per_request"),
        ] {
            assert_eq!(find(name).map(|found| found.name), Some(key), "{name}");
        }
        assert!(find("log.levle").is_none());
    }
}
