//! Trees as lists of files: no disk is asked.

mod asked;
mod branches;
mod projects;
mod workspaces;

use super::*;
use crate::walk::{Link, Tests, from_paths};

fn resolver(files: &[(&str, &str)]) -> Resolver {
    resolver_with_links(files, &[])
}

fn resolver_with_links(files: &[(&str, &str)], links: &[(&str, &str)]) -> Resolver {
    let read =
        |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec());
    let sizes = files.iter().map(|(path, text)| (*path, text.len() as u64));
    let links: Vec<Link> = links
        .iter()
        .map(|(path, target)| Link { path: (*path).to_owned(), target: (*target).to_owned() })
        .collect();
    let walked = from_paths(sizes, &links, Tests::LeftOut, read);
    Resolver::new(Modules::of(&walked), &read)
}

fn file(path: &str) -> Target {
    Target::File(path.to_owned())
}

fn package(name: &str, version: Option<&str>, declared: bool) -> Target {
    Target::Package { name: name.to_owned(), version: version.map(str::to_owned), declared }
}

#[test]
fn relative_paths_with_and_without_endings() {
    let resolver = resolver(&[
        ("src/a.ts", ""),
        ("src/b.tsx", ""),
        ("src/both.js", ""),
        ("src/both.ts", ""),
        ("src/dir/index.tsx", ""),
        ("src/dir.ts", ""),
        ("src.ts", ""),
        ("src/Card.svelte", ""),
        ("src/Card.svelte.d.ts", ""),
        ("src/m.mts", ""),
        ("src/types.d.ts", ""),
        ("src/style.css", ""),
        ("src/x.spec.ts", ""),
        ("index.ts", ""),
        ("src/odd.name.ts", ""),
        ("src/context.json", "[]"),
        ("src/context/index.ts", ""),
        ("src/theme.json", "{}"),
        ("src/theme/index.ts", ""),
        ("src/data.json", "{}"),
        ("src/part/package.json", r#"{"main": "./begin.js"}"#),
        ("src/part/begin.ts", ""),
        ("src/made/package.json", r#"{"main": "./dist/bundle.cjs.js"}"#),
        ("src/made/src/index.ts", ""),
        ("src/made.css", ""),
        ("src/lost/package.json", r#"{"main": "out/bundle.js"}"#),
        ("src/gone/package.json", r#"{"main": "begin.js"}"#),
    ]);
    for (specifier, target) in [
        ("./a", file("src/a.ts")),
        ("./a.js", file("src/a.ts")),
        ("./a.ts", file("src/a.ts")),
        ("./b", file("src/b.tsx")),
        ("./b.jsx", file("src/b.tsx")),
        ("./both.js", file("src/both.ts")),
        ("./dir", file("src/dir.ts")),
        ("./dir/", file("src/dir/index.tsx")),
        ("./types.ts", file("src/types.d.ts")),
        ("./types.d.ts", file("src/types.d.ts")),
        ("./a.d.ts", file("src/a.ts")),
        ("./b.d.ts", file("src/b.tsx")),
        ("./m.d.mts", file("src/m.mts")),
        ("./Card.svelte", file("src/Card.svelte.d.ts")),
        ("./dir/index", file("src/dir/index.tsx")),
        ("./m.mjs", file("src/m.mts")),
        ("./types", file("src/types.d.ts")),
        ("./odd.name", file("src/odd.name.ts")),
        ("./context", file("src/context/index.ts")),
        ("./context.json", Target::Asset("src/context.json".to_owned())),
        ("./theme", file("src/theme/index.ts")),
        ("./data", Target::Asset("src/data.json".to_owned())),
        ("..", file("index.ts")),
        ("./style.css?inline", Target::Asset("src/style.css".to_owned())),
        ("./x.spec", Target::Asset("src/x.spec.ts".to_owned())),
        ("./part", file("src/part/begin.ts")),
        ("./made", file("src/made/src/index.ts")),
        ("./lost", Target::Unresolved(Reason::OutsideScanPath)),
        ("./gone", Target::Unresolved(Reason::FileNotFound)),
        ("./nothing", Target::Unresolved(Reason::FileNotFound)),
        ("./pages/${name}", Target::Unresolved(Reason::DecidedAtRunTime)),
        ("${name}", Target::Unresolved(Reason::DecidedAtRunTime)),
        ("../../outside", Target::Unresolved(Reason::OutsideScanPath)),
        ("../dist/a.js", Target::Unresolved(Reason::OutsideScanPath)),
        ("", Target::Unresolved(Reason::InvalidSpecifier)),
    ] {
        assert_eq!(resolver.resolve("src/from.ts", specifier), target, "{specifier}");
    }
}

#[test]
fn paths_and_base_url_through_extends() {
    let resolver = resolver(&[
        (
            "tsconfig.base.json",
            r#"{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"], "@/ui": ["src/ui/main.ts"], "~lib": ["lib/one.ts", "lib/two.ts"], "icons/*": ["lib/*.mjs"] } } }"#,
        ),
        ("app/tsconfig.json", "{ // comment\n \"extends\": \"../tsconfig.base\", }"),
        ("app/page.ts", ""),
        ("src/util.ts", ""),
        ("src/ui/main.ts", ""),
        ("src/ui/index.ts", ""),
        ("lib/two.ts", ""),
        ("lib/pen.mjs", ""),
        ("lib/pen.d.mts", ""),
        ("plain/name.ts", ""),
    ]);
    for (specifier, target) in [
        ("@/util", file("src/util.ts")),
        ("@/util.js", file("src/util.ts")),
        ("@/ui", file("src/ui/main.ts")),
        ("~lib", file("lib/two.ts")),
        ("icons/pen", file("lib/pen.mjs")),
        ("plain/name", file("plain/name.ts")),
        ("@/missing", Target::Unresolved(Reason::FileNotFound)),
        ("react", package("react", None, false)),
    ] {
        assert_eq!(resolver.resolve("app/page.ts", specifier), target, "{specifier}");
    }
}

#[test]
fn what_rules_speak_of_may_be_there() {
    let resolver = resolver(&[
        (".gitignore", "/made/\n*.gen.ts\n*.js\n!kept.js\n"),
        (".stampignore", r#"{"ignore": ["src/left.tsx"]}"#),
        ("src/deep/.gitignore", "own.ts\n"),
        (
            "tsconfig.json",
            r#"{ "compilerOptions": { "paths": { "@/*": ["./made/*"], "~/*": ["./dist/*"] } } }"#,
        ),
        ("src/a.ts", ""),
    ]);
    let ignored = Target::Unresolved(Reason::Ignored);
    let absent = Target::Unresolved(Reason::FileNotFound);
    for (specifier, target) in [
        ("../made/client", &ignored),
        ("../made", &ignored),
        ("./api.gen", &ignored),
        ("./left", &ignored),
        ("./out.js", &ignored),
        ("./deep/own", &ignored),
        ("@/client", &ignored),
        ("~/client", &Target::Unresolved(Reason::OutsideScanPath)),
        ("./own.ts", &absent),
        ("./gone", &absent),
        ("./style.css", &absent),
        ("../dist/x", &Target::Unresolved(Reason::OutsideScanPath)),
    ] {
        assert_eq!(resolver.resolve("src/a.ts", specifier), *target, "{specifier}");
    }
}

#[test]
fn sources_among_what_a_build_writes_are_led_to() {
    let resolver = resolver(&[
        ("src/a.ts", ""),
        ("src/build/plan.ts", ""),
        ("src/build/index.ts", ""),
        ("src/build/made.js", ""),
        ("src/build/made.d.ts", ""),
    ]);
    let left_out = Target::Unresolved(Reason::OutsideScanPath);
    for (specifier, target) in [
        ("./build/plan", file("src/build/plan.ts")),
        ("./build/plan.js", file("src/build/plan.ts")),
        ("./build", file("src/build/index.ts")),
        ("./build/made", left_out.clone()),
        ("./build/made.js", left_out.clone()),
        ("./build/gone.ts", Target::Unresolved(Reason::FileNotFound)),
        ("./dist", left_out),
    ] {
        assert_eq!(resolver.resolve("src/a.ts", specifier), target, "{specifier}");
    }
}

#[test]
fn links_lead_to_what_they_stand_for() {
    let resolver = resolver_with_links(
        &[
            ("src/a.ts", ""),
            ("real/impl.ts", ""),
            ("real/deep/index.ts", ""),
            ("real/package.json", r#"{"main": "./impl.js"}"#),
            ("hidden/.gitignore", "*.ts\n"),
        ],
        &[
            ("src/link.ts", "../real/impl.ts"),
            ("src/folder", "../real"),
            ("src/twice", "./folder/deep/"),
            ("src/one.ts", "two.ts"),
            ("src/two.ts", "./one.ts"),
            ("src/round", "round/and/round"),
            ("src/up", "../../beside"),
            ("src/away.ts", "/etc/away.ts"),
            ("src/package", "../node_modules/package"),
            ("src/gone.ts", "../real/gone.ts"),
            ("hidden/link.ts", "../real/impl.ts"),
            ("root", "."),
        ],
    );
    let outside = Target::Unresolved(Reason::OutsideScanPath);
    let absent = Target::Unresolved(Reason::FileNotFound);
    for (specifier, target) in [
        ("./link", file("real/impl.ts")),
        ("./link.js", file("real/impl.ts")),
        ("./folder/impl", file("real/impl.ts")),
        ("./folder", file("real/impl.ts")),
        ("./folder/deep", file("real/deep/index.ts")),
        ("./twice", file("real/deep/index.ts")),
        ("../root/root/src/a", file("src/a.ts")),
        ("./folder/gone", absent.clone()),
        ("./gone", absent.clone()),
        ("./one", absent.clone()),
        ("./round/x", absent),
        ("./up/x", outside.clone()),
        ("./up", outside.clone()),
        ("./away", outside.clone()),
        ("./package/x", outside),
        ("../hidden/link", Target::Unresolved(Reason::Ignored)),
    ] {
        assert_eq!(resolver.resolve("src/a.ts", specifier), target, "{specifier}");
    }
}

#[test]
fn root_dirs_are_one_folder_to_relative_imports() {
    let resolver = resolver(&[
        ("base.json", r#"{ "compilerOptions": { "rootDirs": ["src", "made", "src/deep", "dist"] } }"#),
        ("tsconfig.json", r#"{ "extends": "./base.json" }"#),
        ("src/views/a.ts", ""),
        ("src/views/own.ts", ""),
        ("made/views/b.ts", ""),
        ("made/views/own.ts", ""),
        ("src/deep/c.ts", ""),
        ("made/d.ts", ""),
        ("other/e.ts", ""),
    ]);
    let left_out = Target::Unresolved(Reason::OutsideScanPath);
    for (from, specifier, target) in [
        ("src/views/a.ts", "./b", file("made/views/b.ts")),
        ("src/views/a.ts", "./own", file("src/views/own.ts")),
        ("made/views/b.ts", "./a.js", file("src/views/a.ts")),
        ("made/views/b.ts", "../d", file("made/d.ts")),
        ("src/deep/c.ts", "./d", file("made/d.ts")),
        ("src/deep/c.ts", "./views/b", file("made/views/b.ts")),
        // It may have been made into a folder that nobody looks into.
        ("src/views/a.ts", "./nothing", left_out),
        ("other/e.ts", "./views/b", Target::Unresolved(Reason::FileNotFound)),
    ] {
        assert_eq!(resolver.resolve(from, specifier), target, "{from} {specifier}");
    }
}

#[test]
fn a_tsconfig_that_extends_an_absent_package_keeps_its_own() {
    let resolver = resolver(&[
        (
            "tsconfig.json",
            r#"{ "extends": "@absent/tsconfig/base.json", "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }"#,
        ),
        ("src/a.ts", ""),
        ("src/b.ts", ""),
    ]);
    assert_eq!(resolver.resolve("src/a.ts", "./b"), file("src/b.ts"));
    assert_eq!(resolver.resolve("src/a.ts", "@/b"), file("src/b.ts"));
    let [(path, what)] = resolver.lost_extends() else { panic!("{:?}", resolver.lost_extends()) };
    assert_eq!(path, "tsconfig.json");
    assert!(what.contains("`@absent/tsconfig/base.json`"), "{what}");
}

#[test]
fn a_tsconfig_that_cannot_be_read_is_told() {
    let resolver = resolver(&[
        ("tsconfig.json", r#"{ "compilerOptions": { "paths": { "@/*": ["./src/*"] }"#),
        ("src/a.ts", ""),
        ("src/b.ts", ""),
    ]);
    assert_eq!(resolver.resolve("src/a.ts", "./b"), file("src/b.ts"));
    let [(path, what)] = resolver.lost_extends() else { panic!("{:?}", resolver.lost_extends()) };
    assert_eq!(path, "tsconfig.json");
    assert!(what.starts_with("says nothing that can be read: "), "{what}");
}

#[test]
fn a_package_in_a_folder_that_builds_write_to_has_its_manifest() {
    let manifest = r#"{"name": "@x/build", "dependencies": {"magic-string": "^0.30.0"}}"#;
    let resolver = resolver(&[
        ("package.json", r#"{"workspaces": ["internal/**"]}"#),
        ("internal/build/package.json", manifest),
        ("internal/build/src/index.ts", ""),
        ("internal/tool/dist/package.json", r#"{"name": "@x/tool", "main": "index.js"}"#),
        ("internal/tool/package.json", r#"{"name": "@x/tool", "dependencies": {"@x/build": "*"}}"#),
        ("internal/tool/index.ts", ""),
    ]);
    let asked = Target::Package {
        name: "magic-string".to_owned(),
        version: Some("^0.30.0".to_owned()),
        declared: true,
    };
    assert_eq!(resolver.resolve("internal/build/src/a.ts", "magic-string"), asked);
    assert_eq!(resolver.resolve("internal/build/src/a.ts", "@x/tool"), file("internal/tool/index.ts"));
    assert_eq!(resolver.resolve("internal/tool/a.ts", "@x/build"), file("internal/build/src/index.ts"));
}

#[test]
fn packages_of_the_workspace_by_name_and_exports() {
    let resolver = resolver(&[
        ("package.json", r#"{"workspaces": {"packages": ["packages/*", "!packages/old"]}}"#),
        (
            "packages/ui/package.json",
            r#"{"name": "@x/ui", "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/index.mjs"}, "./button": "./src/button.tsx", "./icons/*": "./src/icons/*.tsx", "./secret": null}}"#,
        ),
        ("packages/ui/src/index.ts", ""),
        ("packages/ui/src/button.tsx", ""),
        ("packages/ui/src/icons/star.tsx", ""),
        (
            "packages/lib/package.json",
            r##"{"name": "lib", "main": "dist/main.js", "imports": {"#inner": "./src/inner.ts"}}"##,
        ),
        ("packages/lib/src/main.ts", ""),
        ("packages/lib/src/inner.ts", ""),
        ("packages/lib/util.ts", ""),
        ("elsewhere/package.json", r#"{"name": "outsider"}"#),
        ("elsewhere/index.ts", ""),
        (
            "packages/app/package.json",
            r#"{"name": "app", "dependencies": {"beside": "file:../../elsewhere"}}"#,
        ),
        ("packages/app/main.ts", ""),
    ]);
    for (specifier, target) in [
        ("@x/ui", file("packages/ui/src/index.ts")),
        ("@x/ui/button", file("packages/ui/src/button.tsx")),
        ("@x/ui/icons/star", file("packages/ui/src/icons/star.tsx")),
        ("@x/ui/secret", Target::Unresolved(Reason::NotExported)),
        ("@x/ui/src/button", Target::Unresolved(Reason::NotExported)),
        ("lib", file("packages/lib/src/main.ts")),
        ("lib/util", file("packages/lib/util.ts")),
        ("lib/nothing", Target::Unresolved(Reason::FileNotFound)),
        ("beside", file("elsewhere/index.ts")),
        ("outsider", package("outsider", None, false)),
    ] {
        assert_eq!(resolver.resolve("packages/app/main.ts", specifier), target, "{specifier}");
    }
    assert_eq!(resolver.resolve("packages/lib/src/main.ts", "#inner"), file("packages/lib/src/inner.ts"));
    assert_eq!(resolver.resolve("elsewhere/index.ts", "outsider"), file("elsewhere/index.ts"));
}

#[test]
fn a_package_that_is_asked_for_by_path_has_the_name_that_it_is_asked_for_by() {
    let resolver = resolver(&[
        (
            "app/package.json",
            r#"{"dependencies": {"one": "file:../ext", "@s/two": "link:../ext", "three": "portal:../ext/", "bare": "file:../bare"}}"#,
        ),
        ("app/src/a.ts", ""),
        (
            "ext/package.json",
            r#"{"name": "@x/ext-real", "exports": {".": "./index.js", "./entry": "./entry.js"}}"#,
        ),
        ("ext/index.js", ""),
        ("ext/entry.js", ""),
        ("bare/package.json", r#"{"exports": "./index.js"}"#),
        ("bare/index.js", ""),
        ("other/package.json", "{}"),
        ("other/a.ts", ""),
    ]);
    for (specifier, target) in [
        ("one", file("ext/index.js")),
        ("one/entry", file("ext/entry.js")),
        ("@s/two", file("ext/index.js")),
        ("@s/two/entry", file("ext/entry.js")),
        ("three/entry", file("ext/entry.js")),
        ("three/secret", Target::Unresolved(Reason::NotExported)),
        ("bare", file("bare/index.js")),
    ] {
        assert_eq!(resolver.resolve("app/src/a.ts", specifier), target, "{specifier}");
    }
    assert_eq!(resolver.resolve("other/a.ts", "one/entry"), package("one", None, false));
}

#[test]
fn a_root_may_have_the_name_of_one_of_its_packages() {
    let resolver = resolver(&[
        ("package.json", r#"{ "name": "@n/core", "workspaces": ["packages/*"] }"#),
        ("tools/build.ts", ""),
        ("packages/core/package.json", r#"{ "name": "@n/core", "exports": { ".": "./index.js" } }"#),
        ("packages/core/index.ts", ""),
        ("packages/core/nested/package.json", r#"{ "type": "module" }"#),
        ("packages/core/nested/own.ts", ""),
        (
            "packages/other/package.json",
            r#"{ "name": "@n/other", "devDependencies": { "@n/core": "1.0.0" } }"#,
        ),
        ("packages/other/index.ts", ""),
    ]);
    for from in
        ["packages/other/index.ts", "packages/core/index.ts", "packages/core/nested/own.ts", "tools/build.ts"]
    {
        assert_eq!(resolver.resolve(from, "@n/core"), file("packages/core/index.ts"), "{from}");
    }
}

#[test]
fn an_entry_of_the_wrong_kind_costs_no_other() {
    let manifest = r#"{
        "workspaces": ["packages/*", 7, null],
        "dependencies": { "zod": "^3.0.0", "odd": { "version": "1" }, "gone": null },
        "devDependencies": ["vite"],
        "peerDependencies": { "react": "19", "count": 2 }
    }"#;
    let resolver = resolver(&[
        ("package.json", manifest),
        (
            "packages/ui/package.json",
            r##"{ "name": "ui", "imports": { "#a": 7, "#b": "./b.ts" }, "exports": { "./a": 7, "./b": "./b.ts" } }"##,
        ),
        ("packages/ui/b.ts", ""),
        ("src/a.ts", ""),
    ]);
    assert_eq!(resolver.resolve("src/a.ts", "zod"), package("zod", Some("^3.0.0"), true));
    assert_eq!(resolver.resolve("src/a.ts", "react"), package("react", Some("19"), true));
    assert_eq!(resolver.resolve("src/a.ts", "odd"), package("odd", None, false));
    assert_eq!(resolver.resolve("src/a.ts", "ui/b"), file("packages/ui/b.ts"));
    assert_eq!(resolver.resolve("packages/ui/b.ts", "#b"), file("packages/ui/b.ts"));
}

#[test]
fn versions_come_from_the_lock_file_and_else_from_the_manifest() {
    let manifest = r#"{"name": "root", "dependencies": {"react": "^18.0.0", "left": "~1.0.0"}, "devDependencies": {"@types/node": "^20"}}"#;
    let npm = r#"{"lockfileVersion": 3, "packages": {"": {}, "node_modules/react": {"version": "18.3.1"}, "app/node_modules/react": {"version": "17.0.2"}}}"#;
    let npm_lines = "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"\": {\n      \"version\": \"1.0.0\",\n      \"dependencies\": {\n        \"react\": \"^18.0.0\"\n      }\n    },\n    \"node_modules/react\": {\n      \"version\": \"18.3.1\",\n      \"peer\": true\n    },\n    \"node_modules/left\": {\n      \"resolved\": \"left\",\n      \"link\": true\n    },\n    \"app/node_modules/react\": {\n      \"engines\": {\n        \"version\": \"9\"\n      },\n      \"version\": \"17.0.2\"\n    }\n  }\n}\n";
    let npm_before = "{\r\n  \"lockfileVersion\": 1,\r\n  \"dependencies\": {\r\n    \"react\": {\r\n      \"version\": \"18.3.1\",\r\n      \"dependencies\": {\r\n        \"left\": {\r\n          \"version\": \"1.0.1\"\r\n        }\r\n      }\r\n    }\r\n  }\r\n}\r\n";
    let yarn = "# yarn lockfile v1\n\n\"@s/x@^1\", react@^18.0.0:\n  version \"18.2.0\"\n  resolved \"u\"\n\nreact@^17.0.0:\n  version \"17.0.0\"\n";
    let berry = "\"react@npm:^18.0.0\":\n  version: 18.1.0\n  resolution: \"react@npm:18.1.0\"\n";
    let pnpm = "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      react:\n        specifier: ^18.0.0\n        version: 18.0.5(x@1.0.0)\n  app:\n    dependencies:\n      react:\n        specifier: ^17\n        version: 17.0.9\n\npackages:\n\n  react@18.0.5:\n    resolution: {}\n";
    let bun = "{ \"lockfileVersion\": 1, \"workspaces\": { \"\": { \"name\": \"root\" }, \"app\": { \"name\": \"@r/app\" } }, \"packages\": { \"react\": [\"react@18.9.9\", \"\", {}, \"sha\"], \"@r/app/react\": [\"react@17.0.3\"], } }";
    for (name, text, at_root, in_app) in [
        ("package-lock.json", npm, "18.3.1", "17.0.2"),
        ("package-lock.json", npm_lines, "18.3.1", "17.0.2"),
        ("npm-shrinkwrap.json", npm_before, "18.3.1", "18.3.1"),
        ("yarn.lock", yarn, "18.2.0", "18.2.0"),
        ("yarn.lock", berry, "18.1.0", "18.1.0"),
        ("pnpm-lock.yaml", pnpm, "18.0.5", "17.0.9"),
        ("bun.lock", bun, "18.9.9", "17.0.3"),
        ("other.txt", "", "^18.0.0", "^18.0.0"),
    ] {
        let resolver = resolver(&[
            ("package.json", manifest),
            (name, text),
            ("app/package.json", "{}"),
            ("app/a.ts", ""),
        ]);
        assert_eq!(
            resolver.resolve("a.ts", "react/jsx-runtime"),
            package("react", Some(at_root), true),
            "{name}"
        );
        assert_eq!(resolver.resolve("app/a.ts", "react"), package("react", Some(in_app), true), "{name}");
        assert_eq!(resolver.resolve("a.ts", "left"), package("left", Some("~1.0.0"), true), "{name}");
        assert_eq!(resolver.resolve("a.ts", "unknown"), package("unknown", None, false), "{name}");
    }
}

#[test]
fn a_package_by_another_name_has_its_own_version() {
    let manifest = r#"{"dependencies": {"as": "npm:@s/real@^1.0.0", "real": "^2.0.0"}}"#;
    let npm = "{\n  \"packages\": {\n    \"node_modules/as\": {\n      \"name\": \"@s/real\",\n      \"version\": \"1.2.3\"\n    },\n    \"node_modules/real\": {\n      \"version\": \"2.0.1\"\n    }\n  }\n}\n";
    let yarn = "\"as@npm:@s/real@^1.0.0\":\n  version \"1.2.3\"\n\nreal@^2.0.0:\n  version \"2.0.1\"\n";
    let berry = "\"as@npm:@s/real@^1.0.0\":\n  version: 1.2.3\n\n\"real@npm:^2.0.0\":\n  version: 2.0.1\n";
    let pnpm = "importers:\n  .:\n    dependencies:\n      as:\n        specifier: npm:@s/real@^1.0.0\n        version: '@s/real@1.2.3(x@1.0.0)'\n      real:\n        specifier: ^2.0.0\n        version: 2.0.1\n";
    let older = "dependencies:\n  as: /@s/real/1.2.3_x@1.0.0\n  real: 2.0.1\n";
    for (name, text) in [
        ("package-lock.json", npm),
        ("yarn.lock", yarn),
        ("yarn.lock", berry),
        ("pnpm-lock.yaml", pnpm),
        ("pnpm-lock.yaml", older),
    ] {
        let resolver = resolver(&[("package.json", manifest), (name, text), ("a.ts", "")]);
        assert_eq!(resolver.resolve("a.ts", "as/x"), package("@s/real", Some("1.2.3"), true), "{text}");
        assert_eq!(resolver.resolve("a.ts", "real"), package("real", Some("2.0.1"), true), "{text}");
    }
}

#[test]
fn modules_of_the_runtime() {
    let resolver = resolver(&[("package.json", r#"{"dependencies": {"events": "^3"}}"#), ("a.ts", "")]);
    assert_eq!(resolver.resolve("a.ts", "node:fs"), Target::Builtin("node:fs".to_owned()));
    assert_eq!(resolver.resolve("a.ts", "fs/promises"), Target::Builtin("node:fs/promises".to_owned()));
    assert_eq!(resolver.resolve("a.ts", "bun:test"), Target::Builtin("bun:test".to_owned()));
    assert_eq!(resolver.resolve("a.ts", "events"), package("events", Some("^3"), true));
}

#[test]
fn broken_control_files_cost_only_themselves() {
    let resolver = resolver(&[
        ("package.json", "{ not json"),
        ("tsconfig.json", "{ \"compilerOptions\": "),
        ("yarn.lock", "\0\0"),
        ("package-lock.json", "[]"),
        ("pnpm-lock.yaml", "importers"),
        ("a.ts", ""),
        ("b.ts", ""),
    ]);
    assert_eq!(resolver.resolve("a.ts", "./b"), file("b.ts"));
    assert_eq!(resolver.resolve("a.ts", "x"), package("x", None, false));
    let circular = super::tests::resolver(&[
        ("tsconfig.json", r#"{"extends": "./other.tsconfig.json"}"#),
        ("tsconfig.other.json", "{}"),
        ("a.ts", ""),
    ]);
    assert_eq!(circular.lost_extends().len(), 1);
}

#[test]
fn what_a_build_writes_stands_for_its_source() {
    let resolver = resolver(&[
        ("package.json", r#"{ "workspaces": ["packages/*"] }"#),
        (
            "packages/router/package.json",
            r#"{ "name": "@acme/router", "exports": {
                ".": { "types": "./dist/production/index.d.ts", "default": "./dist/production/index.js" },
                "./dom": { "development": "./dist/development/dom.mjs", "default": "./dist/production/dom.mjs" },
                "./entry": { "import": "./dist/entry/esm/server.js" },
                "./format": { "import": "./format.js" },
                "./parts/*": { "types": "./dist/types/router/*.d.ts" },
                "./wasm": "./dist/engine.wasm" } }"#,
        ),
        ("packages/router/index.ts", ""),
        ("packages/router/dom.ts", ""),
        ("packages/router/src/entry/server.ts", ""),
        ("packages/router/src/format/index.ts", ""),
        (
            "packages/acme/package.json",
            r#"{ "name": "acme", "main": "index.js", "exports": {
                ".": { "import": { "types": "./dist/acme.d.mts", "node": "./index.mjs" } } } }"#,
        ),
        ("packages/acme/index.mjs", ""),
        ("packages/acme/src/index.ts", ""),
        ("packages/app/package.json", r#"{ "name": "app" }"#),
        ("packages/app/a.ts", ""),
    ]);
    for (specifier, target) in [
        ("@acme/router", file("packages/router/index.ts")),
        ("@acme/router/dom", file("packages/router/dom.ts")),
        ("@acme/router/entry", file("packages/router/src/entry/server.ts")),
        ("@acme/router/format", file("packages/router/src/format/index.ts")),
        ("@acme/router/parts/dom", file("packages/router/dom.ts")),
        ("@acme/router/wasm", Target::Unresolved(Reason::OutsideScanPath)),
        ("@acme/router/nothing", Target::Unresolved(Reason::NotExported)),
        ("acme", file("packages/acme/src/index.ts")),
    ] {
        assert_eq!(resolver.resolve("packages/app/a.ts", specifier), target, "{specifier}");
    }
}

#[test]
fn names_that_a_framework_gives_a_meaning() {
    let kit = r#"{ "devDependencies": { "@sveltejs/kit": "^2.0.0" } }"#;
    let resolver = resolver(&[
        ("web/package.json", kit),
        ("web/src/lib/money.ts", ""),
        ("web/src/lib/index.ts", ""),
        ("web/src/routes/+page.ts", ""),
        ("shop/app/pages/a.ts", ""),
        ("plain/src/a.ts", ""),
        ("shop/package.json", r#"{ "dependencies": { "nuxt": "4.0.0" } }"#),
        ("shop/app/utils/money.ts", ""),
        ("shop/server/db.ts", ""),
        ("shop/shared/types.ts", ""),
        ("plain/package.json", "{}"),
        ("plain/src/lib/money.ts", ""),
    ]);
    for (from, specifier, target) in [
        ("web/src/routes/+page.ts", "$lib/money", file("web/src/lib/money.ts")),
        ("web/src/routes/+page.ts", "$lib", file("web/src/lib/index.ts")),
        ("web/src/routes/+page.ts", "$app/navigation", package("@sveltejs/kit", Some("^2.0.0"), true)),
        ("web/src/routes/+page.ts", "$lib/gone", Target::Unresolved(Reason::FileNotFound)),
        ("web/src/routes/+page.ts", "$library/x", Target::Unresolved(Reason::InvalidSpecifier)),
        ("shop/app/pages/a.ts", "~/utils/money", file("shop/app/utils/money.ts")),
        ("shop/app/pages/a.ts", "@/utils/money", file("shop/app/utils/money.ts")),
        ("shop/app/pages/a.ts", "~~/server/db", file("shop/server/db.ts")),
        ("shop/app/pages/a.ts", "#shared/types", file("shop/shared/types.ts")),
        ("shop/app/pages/a.ts", "#imports", package("nuxt", Some("4.0.0"), true)),
        ("plain/src/a.ts", "$lib/money", Target::Unresolved(Reason::InvalidSpecifier)),
    ] {
        assert_eq!(resolver.resolve(from, specifier), target, "{specifier} in {from}");
    }
}

#[test]
fn paths_may_lead_through_dots_and_to_packages() {
    let resolver = resolver(&[
        (
            "app/tsconfig.json",
            r#"{ "compilerOptions": { "paths": { "src/*": ["./src/*"], "@acme/*": ["../packages/*"] } } }"#,
        ),
        ("app/src/a.ts", ""),
        ("app/config.ts", ""),
        ("packages/ui/package.json", r#"{ "main": "./source/begin.js" }"#),
        ("packages/ui/source/begin.ts", ""),
        ("packages/ui/index.ts", ""),
    ]);
    for (specifier, target) in [
        ("src/../config", file("app/config.ts")),
        ("@acme/ui", file("packages/ui/source/begin.ts")),
        ("src/gone", Target::Unresolved(Reason::FileNotFound)),
    ] {
        assert_eq!(resolver.resolve("app/src/a.ts", specifier), target, "{specifier}");
    }
}

#[test]
fn manifests_are_read_by_the_conditions_of_the_tsconfig() {
    let resolver = resolver(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"customConditions": ["my-src"], "moduleResolution": "Bundler"}}"#,
        ),
        (
            "packages/core/package.json",
            r##"{"name": "@s/core", "exports": {".": {"my-src": "./src/index.ts", "import": {"types": "./built/index.d.ts"}}, "./old": {"import": "./build/modern/old.js"}}, "imports": {"#io": {"node": "./src/node.ts", "default": "./src/web.ts"}}}"##,
        ),
        ("packages/core/src/index.ts", ""),
        ("packages/core/src/old.ts", ""),
        ("packages/core/src/node.ts", ""),
        ("packages/core/src/web.ts", ""),
        ("packages/app/package.json", r#"{"name": "@s/app", "dependencies": {"@s/core": "workspace:*"}}"#),
        ("packages/app/a.ts", ""),
        ("packages/node/tsconfig.json", r#"{"compilerOptions": {"module": "nodenext"}}"#),
        (
            "packages/node/package.json",
            r##"{"name": "@s/node", "imports": {"#io": {"node": "./node.ts", "default": "./web.ts"}}}"##,
        ),
        ("packages/node/node.ts", ""),
        ("packages/node/web.ts", ""),
    ]);
    assert_eq!(resolver.resolve("packages/app/a.ts", "@s/core"), file("packages/core/src/index.ts"));
    assert_eq!(resolver.resolve("packages/app/a.ts", "@s/core/old"), file("packages/core/src/old.ts"));
    assert_eq!(resolver.resolve("packages/core/src/index.ts", "#io"), file("packages/core/src/web.ts"));
    assert_eq!(resolver.resolve("packages/node/web.ts", "#io"), file("packages/node/node.ts"));
    let without = resolver.resolve("packages/node/web.ts", "@s/core");
    assert_eq!(without, Target::Unresolved(Reason::OutsideScanPath), "not by a condition of another project");
}

#[test]
fn names_of_files_may_look_like_patterns() {
    let resolver = resolver(&[
        ("src/a.ts", ""),
        ("src/routes/{-$locale}/about.tsx", ""),
        ("src/routes/x.{-$cat}.tsx", ""),
        ("src/st*ar.ts", ""),
        ("src/{a,b}.ts", ""),
        ("src/b.ts", ""),
    ]);
    for (name, path) in [
        ("./routes/{-$locale}/about", "src/routes/{-$locale}/about.tsx"),
        ("./routes/x.{-$cat}", "src/routes/x.{-$cat}.tsx"),
        ("./st*ar", "src/st*ar.ts"),
        ("./{a,b}", "src/{a,b}.ts"),
    ] {
        assert_eq!(resolver.resolve("src/a.ts", name), file(path), "{name}");
    }
    let absent = Target::Unresolved(Reason::FileNotFound);
    assert_eq!(resolver.resolve("src/a.ts", "./routes/{-$none}"), absent);
    let both = vec!["src/a.ts".to_owned(), "src/b.ts".to_owned()];
    assert_eq!(resolver.resolve("src/a.ts", "./{a,b,c}.ts"), Target::Files(both));
}

#[test]
fn patterns_begin_beside_the_file_at_the_package_or_at_an_alias() {
    let resolver = resolver(&[
        ("web/package.json", "{}"),
        ("web/tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
        ("web/src/a.ts", ""),
        ("web/src/pages/one.ts", ""),
        ("web/src/pages/two.tsx", ""),
        ("web/src/pages/deep/three.ts", ""),
        ("web/src/pages/four.css", ""),
    ]);
    for (pattern, expected) in [
        ("./pages/*", &["pages/one.ts", "pages/two.tsx"][..]),
        ("./pages/**/*.ts", &["pages/deep/three.ts", "pages/one.ts"]),
        ("./pages/**/*.ts !./pages/deep/**", &["pages/one.ts"]),
        ("./pages/**/*.ts !**/one.ts", &["pages/deep/three.ts"]),
        ("./pages/{one,two}.*", &["pages/one.ts", "pages/two.tsx"]),
        ("/src/pages/*.tsx", &["pages/two.tsx"]),
        ("@/pages/*.tsx", &["pages/two.tsx"]),
        ("../../../*", &[]),
        ("other/*", &[]),
    ] {
        let expected = expected.iter().map(|path| format!("web/src/{path}")).collect();
        assert_eq!(resolver.resolve("web/src/a.ts", pattern), Target::Files(expected), "{pattern}");
    }
}
