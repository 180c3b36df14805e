//! Holds "not designed out": a file that has code for Unix or Windows alone also says what the others do.
//!
//! A test may be about one platform; what it tests may not.

use super::Finding;
use crate::tokens;
use crate::tree::{Tree, is_test};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| !is_test(&file.path)) {
        let platforms = tokens::platforms(file.shipped_tokens());
        let mut told: Vec<&str> = Vec::new();
        for platform in platforms.iter().filter(|platform| platform.wanted) {
            let name = platform.name.as_str();
            let has_twin = platforms.iter().any(|other| {
                (other.name == name && !other.wanted)
                    || (other.wanted && Some(other.name.as_str()) == opposite(name))
            });
            if !has_twin && !told.contains(&name) {
                told.push(name);
                let message = format!("`cfg({name})` without its `cfg(not({name}))` in the same file");
                findings.push(Finding::at(&file.path, platform.line, message));
            }
        }
    }
    findings
}

fn opposite(platform: &str) -> Option<&'static str> {
    match platform {
        "unix" => Some("windows"),
        "windows" => Some("unix"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_platform_without_its_twin_fails() {
        let files = [
            ("crates/a/src/alone.rs", "\n#[cfg(unix)]\nfn a() {}\n#[cfg(unix)]\nfn b() {}\n"),
            ("crates/a/src/os.rs", "#[cfg(all(feature = \"a\", target_os = \"linux\"))]\nmod a {}\n"),
        ];
        assert_eq!(
            found(check, &files),
            [
                "crates/a/src/alone.rs:2: `cfg(unix)` without its `cfg(not(unix))` in the same file",
                "crates/a/src/os.rs:1: `cfg(target_os = \"linux\")` without its `cfg(not(target_os = \"linux\"))` \
                 in the same file",
            ]
        );
    }

    #[test]
    fn twins_and_negations_pass() {
        let files = [
            ("crates/a/src/not.rs", "#[cfg(unix)]\nfn a() {}\n#[cfg(not(unix))]\nfn a() {}\n"),
            ("crates/a/src/both.rs", "#[cfg(unix)]\nfn a() {}\n#[cfg(windows)]\nfn a() {}\n"),
            ("crates/a/src/tested.rs", "#[cfg(test)]\nmod tests { #[cfg(unix)] #[test] fn links() {} }\n"),
            ("crates/a/src/feature.rs", "#[cfg(feature = \"unix\")]\nfn a() { cfg!(unix); }\n"),
        ];
        assert_eq!(found(check, &files), Vec::<String>::new());
    }
}
