//! What manifests ask for: where ranges are said that stand elsewhere, and how Deno names packages.

use super::*;

#[test]
fn a_range_that_is_said_elsewhere_is_read_there() {
    let catalogs = "packages:\n  - 'apps/*'\ncatalog:\n  react: ^18.2.0 # ours\n  '@types/left': \"1.2\"\n  \"@s/x\": npm:other@^3\n\n\
        catalogs:\n  # old\n  old:\n    react: ^16.0.0\n  new:\n    'zod': ^4.0.0\nonlyBuiltDependencies:\n  - zod\n";
    let asked = r#"{"name": "web", "dependencies": {"react": "catalog:", "left": "catalog:", "@s/x": "catalog:default", "zod": "catalog:new",
        "gone": "catalog:", "lost": "catalog:none", "kit": "workspace:^", "set": "workspace:~2.0.0", "path": "workspace:../path",
        "absent": "workspace:*", "plain": "^1"}}"#;
    let resolver = resolver(&[
        ("package.json", "{}"),
        ("pnpm-workspace.yaml", catalogs),
        ("apps/web/package.json", asked),
        ("apps/web/a.ts", ""),
        ("apps/old/package.json", r#"{"dependencies": {"react": "catalog:old"}}"#),
        ("apps/old/a.ts", ""),
        ("kit/package.json", r#"{"name": "kit", "version": "5.1.0"}"#),
    ]);
    for (name, version) in [
        ("react", Some("^18.2.0")),
        ("left", Some("1.2")),
        ("zod", Some("^4.0.0")),
        ("gone", None),
        ("lost", None),
        ("kit", Some("5.1.0")),
        ("set", Some("~2.0.0")),
        ("path", None),
        ("absent", None),
        ("plain", Some("^1")),
    ] {
        assert_eq!(resolver.resolve("apps/web/a.ts", name), package(name, version, true), "{name}");
    }
    assert_eq!(resolver.resolve("apps/old/a.ts", "react"), package("react", Some("^16.0.0"), true));
    assert_eq!(resolver.resolve("apps/web/a.ts", "@s/x"), package("other", Some("^3"), true));
}

#[test]
fn a_range_that_says_more_than_versions_is_told_as_what_it_means() {
    let asked = r#"{"dependencies": {"aliased": "npm:real@^2", "@a/b": "npm:@s/real", "yarn": "npm:^1.2.0",
        "mended": "patch:mended@npm%3A1.2.0#~/.yarn/patches/mended.patch", "std": "jsr:@std/x@^1"}}"#;
    let resolver = resolver(&[("package.json", asked), ("a.ts", "")]);
    for (name, package) in [
        ("aliased/inner", package("real", Some("^2"), true)),
        ("@a/b", package("@s/real", None, true)),
        ("yarn", package("yarn", Some("^1.2.0"), true)),
        ("mended", package("mended", Some("1.2.0"), true)),
        ("std", package("@std/x", Some("^1"), true)),
    ] {
        assert_eq!(resolver.resolve("a.ts", name), package, "{name}");
    }
}

#[test]
fn a_package_of_the_workspace_is_found_by_its_registry_too() {
    let resolver = resolver(&[
        (
            "deno.json",
            r#"{"workspace": ["a"], "imports": {"by-map": "jsr:@w/a@^1.2", "@w/a": "jsr:@w/a@^1"}}"#,
        ),
        (
            "a/deno.json",
            r#"{"name": "@w/a", "version": "1.2.3", "exports": {".": "./mod.ts", "./extra": "./extra.ts"}}"#,
        ),
        ("a/mod.ts", ""),
        ("a/extra.ts", ""),
        ("b.ts", ""),
    ]);
    for (name, target) in [
        ("jsr:@w/a@^1.2/extra", file("a/extra.ts")),
        ("jsr:@w/a/extra", file("a/extra.ts")),
        ("jsr:@w/a", file("a/mod.ts")),
        ("jsr:/@w/a@1", file("a/mod.ts")),
        ("by-map/extra", file("a/extra.ts")),
        ("@w/a/extra", file("a/extra.ts")),
        ("jsr:@w/a/none", Target::Unresolved(Reason::NotExported)),
        ("jsr:@w/a@^2", package("@w/a", Some("^2"), true)),
        ("npm:@w/a@^1", package("@w/a", Some("^1"), true)),
    ] {
        assert_eq!(resolver.resolve("b.ts", name), target, "{name}");
    }
}

#[test]
fn catalogs_of_yarn_and_bun_and_in_braces() {
    let asked = r#"{"name": "web", "dependencies": {"react": "catalog:", "zod": "catalog:new"}}"#;
    let in_manifest = r#"{"workspaces": ["apps/*"], "catalog": {"react": "^19.0.0"}, "catalogs": {"new": {"zod": "^4.1.0", "no": 1}}}"#;
    let in_workspaces = r#"{"workspaces": {"packages": ["apps/*"], "catalog": {"react": "^19.0.0"}, "catalogs": {"new": {"zod": "^4.1.0"}}}}"#;
    let lines = "nodeLinker: node-modules\ncatalog:\n  react: ^19.0.0\ncatalogs:\n  new:\n    zod: ^4.1.0\n";
    let braces =
        "catalog: {react: ^19.0.0, 'vue': \"^3\"}\ncatalogs:\n  new: { zod: ^4.1.0 }\nother: {zod: ^1.0.0}\n";
    for (manifest, name, text) in [
        (in_manifest, "other.txt", ""),
        (in_workspaces, "other.txt", ""),
        ("{}", ".yarnrc.yml", lines),
        ("{}", "pnpm-workspace.yaml", lines),
        ("{}", "pnpm-workspace.yaml", braces),
    ] {
        let resolver = resolver(&[
            ("package.json", manifest),
            (name, text),
            ("apps/web/package.json", asked),
            ("apps/web/a.ts", ""),
        ]);
        let of = |name: &str| resolver.resolve("apps/web/a.ts", name);
        assert_eq!(of("react"), package("react", Some("^19.0.0"), true), "{manifest} {name} {text}");
        assert_eq!(of("zod"), package("zod", Some("^4.1.0"), true), "{manifest} {name} {text}");
    }
}

#[test]
fn deno_maps_names_and_names_registries() {
    let map = r#"{ // what is ours
        "imports": {"@/": "./src/", "@/deep/": "./src/inner/", "lib": "./src/lib.ts", "gone": "./gone.ts", "zod": "npm:zod@^3.22.0",
            "@std/path": "jsr:@std/path@^1.0.0", "web": "https://deno.land/x/web.ts", "both": "npm:both@1"},
        "workspace": ["./packages/*"]}"#;
    let lock = r#"{"version": "5", "specifiers": {"npm:zod@^3.22.0": "3.23.8_react@18.0.0", "npm:chalk@*": "5.6.0"}}"#;
    let resolver = resolver(&[
        ("deno.jsonc", map),
        ("deno.lock", lock),
        ("src/a.ts", ""),
        ("src/lib.ts", ""),
        ("src/inner/b.ts", ""),
        (
            "packages/ui/deno.json",
            r#"{"name": "@x/ui", "exports": {".": "./mod.ts", "./button": "./button.tsx"}}"#,
        ),
        ("packages/ui/mod.ts", ""),
        ("packages/ui/button.tsx", ""),
        (
            "packages/one/deno.json",
            r#"{"name": "@x/one", "exports": "./main.ts", "importMap": "../../import_map.json"}"#,
        ),
        ("packages/one/main.ts", ""),
        ("packages/one/package.json", r#"{"dependencies": {"both": "^2.0.0"}}"#),
        ("import_map.json", r#"{"imports": {"mapped": "./src/lib.ts"}}"#),
        ("else/tsconfig.json", "{}"),
    ]);
    let (absent, hidden) =
        (Target::Unresolved(Reason::FileNotFound), Target::Unresolved(Reason::NotExported));
    let of_web = package("https://deno.land/x/web.ts", None, true);
    for (from, name, target) in [
        ("src/a.ts", "lib", file("src/lib.ts")),
        ("src/a.ts", "@/lib.ts", file("src/lib.ts")),
        ("src/a.ts", "@/deep/b.ts", file("src/inner/b.ts")),
        ("src/a.ts", "@/none.ts", absent.clone()),
        ("src/a.ts", "gone", absent),
        ("src/a.ts", "zod", package("zod", Some("3.23.8"), true)),
        ("src/a.ts", "zod/mini", package("zod", Some("3.23.8"), true)),
        ("src/a.ts", "zodiac", package("zodiac", None, false)),
        ("src/a.ts", "@std/path/join", package("@std/path", Some("^1.0.0"), true)),
        ("src/a.ts", "web", of_web),
        ("src/a.ts", "npm:chalk", package("chalk", Some("5.6.0"), true)),
        ("src/a.ts", "npm:@s/x@2.0.0/inner", package("@s/x", Some("2.0.0"), true)),
        ("src/a.ts", "jsr:@std/assert@1/equals", package("@std/assert", Some("1"), true)),
        ("src/a.ts", "npm:", Target::Unresolved(Reason::InvalidSpecifier)),
        ("src/a.ts", "@x/ui", file("packages/ui/mod.ts")),
        ("src/a.ts", "@x/ui/button", file("packages/ui/button.tsx")),
        ("src/a.ts", "@x/ui/none", hidden),
        ("packages/ui/mod.ts", "@x/one", file("packages/one/main.ts")),
        ("packages/one/main.ts", "mapped", file("src/lib.ts")),
        ("packages/one/main.ts", "lib", file("src/lib.ts")),
        // A manifest beside it knows the package, too.
        ("packages/one/main.ts", "both", package("both", Some("^2.0.0"), true)),
    ] {
        assert_eq!(resolver.resolve(from, name), target, "{name} in {from}");
    }
}

#[test]
fn a_file_may_be_called_as_a_query_or_a_loader() {
    let resolver = resolver(&[
        ("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
        ("src/q?.ts", ""),
        ("src/!neg/a.ts", ""),
        ("src/!neg/deep/b.ts", ""),
        ("src/style.css", ""),
        ("src/a.ts", ""),
    ]);
    for (name, target) in [
        ("./q?", file("src/q?.ts")),
        ("./q?.js", file("src/q?.ts")),
        ("@/q?", file("src/q?.ts")),
        ("./!neg/a", file("src/!neg/a.ts")),
        ("./!neg/deep/b?raw", file("src/!neg/deep/b.ts")),
        ("@/!neg/a", file("src/!neg/a.ts")),
        ("./style.css?inline", Target::Asset("src/style.css".to_owned())),
        ("raw-loader!./style.css?inline", Target::Asset("src/style.css".to_owned())),
        ("!!raw-loader!./a", file("src/a.ts")),
        ("./a?worker", file("src/a.ts")),
    ] {
        assert_eq!(resolver.resolve("src/use.ts", name), target, "{name}");
    }
}

#[test]
fn names_may_end_with_what_a_tsconfig_adds() {
    let resolver = resolver(&[
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"moduleSuffixes": [".ios", ".native", ""], "paths": {"@/*": ["./src/*"]}}}"#,
        ),
        ("src/both.ts", ""),
        ("src/both.ios.ts", ""),
        ("src/only.native.tsx", ""),
        ("src/plain.ts", ""),
        // Which ending comes first is asked before which suffix does.
        ("src/order.ts", ""),
        ("src/order.ios.tsx", ""),
        ("src/dir/index.ios.ts", ""),
        ("src/dir/index.ts", ""),
        ("bare/tsconfig.json", r#"{"compilerOptions": {"moduleSuffixes": [".web"]}}"#),
        ("bare/a.ts", ""),
        ("bare/b.web.ts", ""),
    ]);
    for (from, specifier, target) in [
        ("src/x.ts", "./both", file("src/both.ios.ts")),
        ("src/x.ts", "./both.js", file("src/both.ios.ts")),
        ("src/x.ts", "@/both", file("src/both.ios.ts")),
        ("src/x.ts", "./only", file("src/only.native.tsx")),
        ("src/x.ts", "./plain", file("src/plain.ts")),
        ("src/x.ts", "./order", file("src/order.ts")),
        ("src/x.ts", "./dir", file("src/dir/index.ios.ts")),
        ("src/x.ts", "@/dir", file("src/dir/index.ios.ts")),
        ("bare/x.ts", "./b", file("bare/b.web.ts")),
        ("bare/x.ts", "./a", Target::Unresolved(Reason::FileNotFound)),
    ] {
        assert_eq!(resolver.resolve(from, specifier), target, "{specifier}");
    }
}

#[test]
fn a_name_of_the_manifest_may_stand_for_another_package() {
    let resolver = resolver(&[
        (
            "package.json",
            r##"{"name": "app", "dependencies": {"lodash": "^4.17.0", "@s/ui": "^1.0.0"}, "imports": {
                "#dep": "lodash", "#fs": {"node": "node:fs", "default": "./fs.js"}, "#ui/*": "@s/ui/*",
                "#ui/own/*": "./own/*.ts", "#none": null, "#a": "./a.ts", "#round": "#round"}}"##,
        ),
        ("own/x.ts", ""),
        ("a.ts", ""),
    ]);
    for (specifier, target) in [
        ("#dep", package("lodash", Some("^4.17.0"), true)),
        ("#ui/button", package("@s/ui", Some("^1.0.0"), true)),
        ("#ui/own/x", file("own/x.ts")),
        ("#a", file("a.ts")),
        ("#fs", Target::Builtin("node:fs".to_owned())),
    ] {
        assert_eq!(resolver.resolve("x.ts", specifier), target, "{specifier}");
    }
    for lost in ["#none", "#round", "#other"] {
        assert!(matches!(resolver.resolve("x.ts", lost), Target::Unresolved(_)), "{lost}");
    }
}

#[test]
fn a_package_of_the_tree_is_not_one_that_is_installed_under_its_name() {
    let resolver = resolver(&[
        ("package.json", r#"{"private": true}"#),
        ("pnpm-workspace.yaml", "packages:\n  - apps/*\n"),
        ("apps/storybook/package.json", r#"{"name": "storybook"}"#),
        ("apps/storybook/index.ts", ""),
        ("apps/web/package.json", r#"{"name": "web", "devDependencies": {"storybook": "10.3.6"}}"#),
        ("apps/docs/package.json", r#"{"name": "docs", "devDependencies": {"storybook": "workspace:*"}}"#),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\n\nimporters:\n\n  apps/docs:\n    devDependencies:\n      storybook:\n        \
             specifier: workspace:*\n        version: link:../storybook\n\n  apps/web:\n    devDependencies:\n      \
             storybook:\n        specifier: 10.3.6\n        version: 10.3.6(react@19.0.0)\n",
        ),
    ]);
    let installed = package("storybook", Some("10.3.6"), true);
    assert_eq!(resolver.resolve("apps/web/x.ts", "storybook/test"), installed);
    assert_eq!(resolver.resolve("apps/docs/x.ts", "storybook"), file("apps/storybook/index.ts"));
}

#[test]
fn the_first_lock_files_of_npm_name_what_an_alias_stands_for() {
    for text in [
        "{\n  \"lockfileVersion\": 1,\n  \"dependencies\": {\n    \"short\": {\n      \"version\": \"npm:@s/long@4.2.0\"\n    }\n  }\n}\n",
        r#"{"lockfileVersion": 1, "dependencies": {"short": {"version": "npm:@s/long@4.2.0"}}}"#,
    ] {
        let resolver = resolver(&[
            ("package.json", r#"{"dependencies": {"short": "npm:@s/long@^4.0.0"}}"#),
            ("package-lock.json", text),
        ]);
        assert_eq!(resolver.resolve("x.ts", "short"), package("@s/long", Some("4.2.0"), true));
    }
}

#[test]
fn archives_and_commits_have_their_version_where_pnpm_lists_packages() {
    let lock = "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      xlsx:\n        specifier: \
                file:vendor/xlsx.tgz\n        version: file:vendor/xlsx.tgz\n      '@s/oidc':\n        specifier: \
                github:s/oidc#513c\n        version: https://codeload.github.com/s/oidc/tar.gz/513c(koa@3.0.0)\n\n\
                packages:\n\n  xlsx@file:vendor/xlsx.tgz:\n    resolution: {tarball: file:vendor/xlsx.tgz}\n    \
                version: 0.20.3\n\n  '@s/oidc@https://codeload.github.com/s/oidc/tar.gz/513c':\n    version: 9.11.3\n\n  \
                other@1.0.0:\n    resolution: {integrity: x}\n\nsnapshots:\n\n  xlsx@file:vendor/xlsx.tgz: {}\n";
    let resolver = resolver(&[
        (
            "package.json",
            r#"{"dependencies": {"xlsx": "file:vendor/xlsx.tgz", "@s/oidc": "github:s/oidc#513c"}}"#,
        ),
        ("pnpm-lock.yaml", lock),
    ]);
    for (name, version) in [("xlsx", "0.20.3"), ("@s/oidc", "9.11.3")] {
        assert_eq!(resolver.resolve("x.ts", name), package(name, Some(version), true));
    }
}

#[test]
fn a_folder_of_what_a_build_writes_stands_for_its_source() {
    let resolver = resolver(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("packages/phrases/package.json", r#"{"name": "@s/phrases", "main": "lib/index.js"}"#),
        ("packages/phrases/src/locales/en/index.ts", ""),
        ("packages/phrases/src/locales/de.ts", ""),
    ]);
    for (name, path) in [
        ("@s/phrases/lib/locales/en", "packages/phrases/src/locales/en/index.ts"),
        ("@s/phrases/lib/locales/en/index.js", "packages/phrases/src/locales/en/index.ts"),
        ("@s/phrases/lib/locales/de", "packages/phrases/src/locales/de.ts"),
    ] {
        assert_eq!(resolver.resolve("x.ts", name), file(path), "{name}");
    }
}
