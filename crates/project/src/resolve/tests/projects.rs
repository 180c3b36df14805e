//! What a tsconfig extends, and which files belong to it.

use super::*;

#[test]
fn a_tsconfig_in_a_hidden_folder_is_extended() {
    let resolver = resolver(&[
        (".gitignore", "gen\n"),
        ("tsconfig.json", r#"{ "extends": "./.config/tsconfig.json" }"#),
        (".config/tsconfig.json", r#"{ "extends": "./base", "compilerOptions": { "baseUrl": "../src" } }"#),
        (".config/base.json", r#"{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } }"#),
        ("src/a.ts", ""),
        ("src/b.ts", ""),
        ("src/lib/c.ts", ""),
        ("kit/tsconfig.json", r#"{ "extends": ["./.svelte-kit/tsconfig.json", "./gen/base", "./none"] }"#),
        ("kit/.svelte-kit/tsconfig.json", r#"{ "compilerOptions": { "baseUrl": "." } }"#),
        ("kit/gen/base.json", "{}"),
        ("kit/a.ts", ""),
    ]);
    assert_eq!(resolver.resolve("src/a.ts", "b"), file("src/b.ts"));
    assert_eq!(resolver.resolve("src/a.ts", "@/c"), file("src/lib/c.ts"));
    assert_eq!(resolver.resolve("kit/b.ts", "a"), package("a", None, false));
    let lost: Vec<&str> = resolver.lost_extends().iter().map(|(_, what)| what.as_str()).collect();
    let left_out = "is not read: a rule leaves it out, or tools write there; its own rules hold";
    assert_eq!(
        lost,
        [
            &*format!("extends `./.svelte-kit/tsconfig.json`, which {left_out}"),
            &*format!("extends `./gen/base`, which {left_out}"),
            "extends `./none`, which is not there; its own rules hold",
        ]
    );
    let asked = |by: Way| -> Vec<&str> {
        let paths = resolver.unlisted().keys().filter(|(way, _)| *way == by);
        paths.map(|(_, path)| path.as_str()).collect()
    };
    let (hidden, left_out) = (asked(Way::Folders), asked(Way::Links));
    assert!(hidden.contains(&".config/tsconfig.json") && hidden.contains(&".config/base.json"));
    // Each is looked for where its rules have it alone, and noted where it is not there: it may come.
    assert!(!hidden.iter().any(|path| path.starts_with("kit/.svelte-kit")), "{hidden:?}");
    let made = ["kit/.svelte-kit/tsconfig.json", "kit/gen/base.json", "kit/gen/base/tsconfig.json"];
    assert_eq!(left_out, made);
}

#[test]
fn a_config_package_of_the_workspace_is_extended() {
    let resolver = resolver(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("packages/config/package.json", r#"{"name": "@x/tsconfig"}"#),
        ("packages/config/next.json", r#"{"compilerOptions": {"paths": {"~/*": ["${configDir}/src/*"]}}}"#),
        ("packages/app/package.json", r#"{"name": "app"}"#),
        ("packages/app/tsconfig.json", r#"{"extends": "@x/tsconfig/next.json"}"#),
        ("packages/app/src/a.ts", ""),
    ]);
    assert_eq!(resolver.resolve("packages/app/src/b.ts", "~/a"), file("packages/app/src/a.ts"));
    assert!(resolver.lost_extends().is_empty());
}

#[test]
fn a_solution_hands_a_file_to_the_project_that_includes_it() {
    let resolver = resolver(&[
        (
            "tsconfig.json",
            r#"{"files": [], "references": [{"path": "./tsconfig.node.json"}, {"path": "./tsconfig.app.json"}]}"#,
        ),
        (
            "tsconfig.node.json",
            r#"{"include": ["vite.config.ts"], "compilerOptions": {"paths": {"@/*": ["node/*"]}}}"#,
        ),
        ("tsconfig.app.json", r#"{"include": ["src"], "compilerOptions": {"paths": {"@/*": ["src/*"]}}}"#),
        ("src/deep/a.ts", ""),
        ("src/b.ts", ""),
        ("node/b.ts", ""),
        ("vite.config.ts", ""),
    ]);
    assert_eq!(resolver.resolve("src/deep/a.ts", "@/b"), file("src/b.ts"));
    assert_eq!(resolver.resolve("vite.config.ts", "@/b"), file("node/b.ts"));
}

#[test]
fn a_project_that_does_not_say_what_belongs_to_it_has_its_folder() {
    let options = r#""compilerOptions": {"paths": {"@/*": ["./src/*"]}}"#;
    let (a, b) = (format!("{{{options}}}"), format!(r#"{{"include": ["src"], {options}}}"#));
    let resolver = resolver(&[
        (
            "tsconfig.json",
            r#"{"files": [], "references": [{"path": "./packages/a"}, {"path": "./tsconfig.b.json"}]}"#,
        ),
        ("packages/a/tsconfig.json", &a),
        ("packages/a/src/y.ts", ""),
        ("tsconfig.b.json", &b),
        ("src/x.ts", ""),
        ("src/y.ts", ""),
    ]);
    assert_eq!(resolver.resolve("src/x.ts", "@/y"), file("src/y.ts"));
    assert_eq!(resolver.resolve("packages/a/src/x.ts", "@/y"), file("packages/a/src/y.ts"));
}
