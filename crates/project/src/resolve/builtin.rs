//! The modules that come with Node, under the names that need no `node:`.

use becket_base::divided;

const NAMES: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Whether Node has it, subpaths such as `fs/promises` included.
pub(super) fn is_builtin(specifier: &str) -> bool {
    let first = divided::before_first(specifier, b'/');
    NAMES.binary_search(&first).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted_for_the_search() {
        assert!(NAMES.is_sorted());
        assert!(is_builtin("fs/promises") && is_builtin("zlib") && !is_builtin("fs-extra"));
    }
}
