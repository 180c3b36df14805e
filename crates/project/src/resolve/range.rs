//! What a manifest asks for by a range that says more than versions: another package under this name, the registry that it
//! comes from, a patch over it.

use becket_base::divided;

/// Words that stand for a version, and are no packages.
const TAGS: [&str; 8] = ["alpha", "beta", "canary", "experimental", "latest", "next", "nightly", "rc"];

/// The package that is meant by a name and a range, and the range alone; `None` where it says none.
pub(super) fn meant(package: &str, range: &str) -> (String, Option<String>) {
    if let Some(patched) = range.strip_prefix("patch:") {
        // Behind the mark is where the patch lies.
        let patched = decoded(divided::before_first(patched, b'#'));
        return match named(&patched) {
            (name, Some(range)) => meant(name, range),
            (name, None) => (name.to_owned(), None),
        };
    }
    let Some(said) = range.strip_prefix("npm:").or_else(|| range.strip_prefix("jsr:")) else {
        return (package.to_owned(), Some(range.to_owned()));
    };
    if is_range(said) {
        return (package.to_owned(), Some(said.to_owned()));
    }
    let (name, range) = named(said);
    (name.to_owned(), range.map(str::to_owned))
}

/// `@s/real@^2` in its parts. A scope begins with the sign that the range does.
fn named(said: &str) -> (&str, Option<&str>) {
    match said.get(1..).and_then(|rest| rest.find('@')) {
        Some(at) => (&said[..=at], Some(&said[at + 2..]).filter(|range| !range.is_empty())),
        None => (said, None),
    }
}

fn is_range(said: &str) -> bool {
    let of_version = said.strip_prefix('v').unwrap_or(said);
    !of_version.starts_with(|first: char| first.is_alphabetic() || first == '@')
        || of_version.len() == 1 && of_version.eq_ignore_ascii_case("x")
        || TAGS.contains(&said)
}

/// As Yarn writes what has signs of its own: `npm%3A1.2.0`.
fn decoded(text: &str) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = divided::around_first(rest, b'%') {
        whole.push_str(before);
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(code) = code.filter(u8::is_ascii) {
            whole.push(char::from(code));
            rest = &after[2..];
        } else {
            whole.push('%');
            rest = after;
        }
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn a_range_may_name_another_package() {
        for (range, name, expected) in [
            ("^1.2.0", "x", Some("^1.2.0")),
            ("npm:real@^2", "real", Some("^2")),
            ("npm:@s/real@~2.1", "@s/real", Some("~2.1")),
            ("npm:real", "real", None),
            ("npm:^1.2.0", "x", Some("^1.2.0")),
            ("npm:*", "x", Some("*")),
            ("npm:v1.2.0", "x", Some("v1.2.0")),
            ("npm:latest", "x", Some("latest")),
            ("npm:vue@2", "vue", Some("2")),
            ("jsr:^1", "x", Some("^1")),
            ("jsr:@std/path@1", "@std/path", Some("1")),
            ("patch:x@npm%3A1.2.0#~/.yarn/patches/x.patch", "x", Some("1.2.0")),
            ("patch:@s/x@npm:^1.0.0#./x.patch::version=1.0.0", "@s/x", Some("^1.0.0")),
            ("patch:x@1.0.0#./x.patch", "x", Some("1.0.0")),
            ("patch:x@npm%3Areal@1.0.0#./x.patch", "real", Some("1.0.0")),
            ("patch:x@patch%3Ax@npm%253A1.0.0%23one#two", "x", Some("1.0.0")),
            ("git+https://a.example/x.git#main", "x", Some("git+https://a.example/x.git#main")),
            ("100%", "x", Some("100%")),
        ] {
            assert_eq!(meant("x", range), (name.to_owned(), expected.map(str::to_owned)), "{range}");
        }
    }
}
