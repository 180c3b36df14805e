//! Which of several branches of a manifest is taken, and what stands for a file that only a build writes.

use super::*;

#[test]
fn modules_for_import_and_require_alike_are_exported() {
    let resolver = resolver(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        (
            "packages/sync/package.json",
            r#"{"name": "sync", "exports": {".": {"module-sync": "./sync.js", "default": "./other.js"}, "./late": {"default": "./other.js", "module-sync": "./sync.js"}}}"#,
        ),
        ("packages/sync/sync.js", ""),
        ("packages/sync/other.js", ""),
    ]);
    assert_eq!(resolver.resolve("a.ts", "sync"), file("packages/sync/sync.js"));
    assert_eq!(resolver.resolve("a.ts", "sync/late"), file("packages/sync/other.js"));
}

#[test]
fn what_is_required_takes_its_own_branch() {
    let branches = r#"{"import": "./src/x.mts", "require": "./src/x.cts"}"#;
    let manifest = format!(
        r##"{{"name": "self", "imports": {{"#y": {branches}}}, "exports": {{"./x": {branches}, "./one": {{"import": "./src/x.mts"}}}}}}"##
    );
    let files = [("package.json", &*manifest), ("src/x.mts", ""), ("src/x.cts", "")];
    let bundled =
        [&files[..], &[("tsconfig.json", r#"{"compilerOptions": {"moduleResolution": "bundler"}}"#)]];
    for resolver in [resolver(&files), resolver(&bundled.concat())] {
        for (loading, from, specifier, to) in [
            (None, "src/a.ts", "self/x", "src/x.mts"),
            (None, "src/b.mts", "self/x", "src/x.mts"),
            (None, "src/c.cts", "self/x", "src/x.cts"),
            (None, "src/c.cts", "#y", "src/x.cts"),
            (None, "src/c.cts", "self/one", "src/x.mts"),
            (Some(Loading::Require), "src/d.js", "self/x", "src/x.cts"),
            (Some(Loading::Require), "src/d.js", "#y", "src/x.cts"),
            (Some(Loading::Import), "src/c.cts", "self/x", "src/x.mts"),
        ] {
            let loading = loading.unwrap_or_else(|| Loading::within(from));
            assert_eq!(resolver.resolve_for(loading, from, specifier), file(to), "{from} {specifier}");
        }
    }
}

#[test]
fn lists_and_versions_in_exports_are_read() {
    let resolver = resolver(&[
        ("package.json", r#"{"workspaces": ["ui"]}"#),
        (
            "ui/package.json",
            r#"{"name": "ui", "exports": {
                "./icons/*": ["./nope/*.ts", "./none/*.ts", "./src/icons/*.tsx"],
                "./first": ["./src/first.ts", "./src/old.ts"],
                "./new": {"types@<5": "./src/old.ts", "types@>=5": "./src/new.ts", "types": "./src/old.ts"}
            }}"#,
        ),
        ("ui/src/icons/x.tsx", ""),
        ("ui/src/first.ts", ""),
        ("ui/src/new.ts", ""),
        ("ui/src/old.ts", ""),
    ]);
    assert_eq!(resolver.resolve("main.ts", "ui/icons/x"), file("ui/src/icons/x.tsx"));
    assert_eq!(resolver.resolve("main.ts", "ui/first"), file("ui/src/first.ts"));
    assert_eq!(resolver.resolve("main.ts", "ui/new"), file("ui/src/new.ts"));
    assert_eq!(resolver.resolve("main.ts", "ui/old"), Target::Unresolved(Reason::NotExported));
}

#[test]
fn what_is_no_script_may_only_be_declared() {
    let resolver = resolver(&[("s.d.css.ts", ""), ("both.css", ""), ("both.d.css.ts", "")]);
    assert_eq!(resolver.resolve("main.ts", "./s.css"), file("s.d.css.ts"));
    assert_eq!(resolver.resolve("main.ts", "./both.css"), Target::Asset("both.css".to_owned()));
    assert_eq!(resolver.resolve("main.ts", "./t.css"), Target::Unresolved(Reason::FileNotFound));
}

#[test]
fn a_tsconfig_of_before_exports_looks_into_packages_by_path() {
    for (options, knows) in [
        (r#""moduleResolution": "Node""#, false),
        (r#""moduleResolution": "node10""#, false),
        (r#""moduleResolution": "classic""#, false),
        (r#""moduleResolution": "bundler", "resolvePackageJsonExports": false"#, false),
        (r#""moduleResolution": "bundler""#, true),
        (r#""module": "commonjs""#, true),
    ] {
        let tsconfig = format!(r#"{{"compilerOptions": {{{options}}}}}"#);
        let resolver = resolver(&[
            ("package.json", r#"{"workspaces": ["packages/*"]}"#),
            ("tsconfig.json", &tsconfig),
            ("packages/a/package.json", r#"{"name": "@w/a", "exports": {"./y": "./inner/y.ts"}}"#),
            ("packages/a/index.ts", ""),
            ("packages/a/x.ts", ""),
            ("packages/a/y.ts", ""),
            ("packages/a/inner/y.ts", ""),
        ]);
        let lost = |path: &str| if knows { Target::Unresolved(Reason::NotExported) } else { file(path) };
        assert_eq!(resolver.resolve("a.ts", "@w/a"), lost("packages/a/index.ts"), "{options}");
        assert_eq!(resolver.resolve("a.ts", "@w/a/x"), lost("packages/a/x.ts"), "{options}");
        assert_eq!(resolver.resolve("a.ts", "@w/a/y"), file("packages/a/inner/y.ts"), "{options}");
        let none = resolver.resolve("a.ts", "@w/a/none");
        assert_eq!(none, Target::Unresolved(Reason::NotExported), "{options}");
    }
}
