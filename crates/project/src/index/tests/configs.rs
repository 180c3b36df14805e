//! Configurations that no walk lists, since a rule leaves them out, a tool made them or they are installed: they are read
//! where a tsconfig asks for them, and seen to change.

use super::*;

const ROOT: &str = "tsconfig.json";
const SAYS_LIB: &str = r#"{"compilerOptions": {"paths": {"@/*": ["${configDir}/lib/*"]}}}"#;
const SAYS_OTHER: &str = r#"{"compilerOptions": {"paths": {"@/*": ["${configDir}/other/*"]}}}"#;

/// A tree of which one tsconfig extends what is said, with sources in two folders of the same names.
fn tree(extends: &str, files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(&[
        (".gitignore", "node_modules\n.nuxt\ngen\n"),
        (ROOT, &format!(r#"{{"extends": {extends}}}"#)),
        ("src/a.ts", "import { b } from '@/b';\nexport const a = b;\n"),
        ("lib/b.ts", "export const b = 1;\n"),
        ("other/b.ts", "export const b = 1;\n"),
    ]);
    for (path, text) in files {
        bench.write(path, text);
    }
    bench
}

/// Where `@/b` leads in `src/a.ts`.
fn led(index: &Index) -> Option<&str> {
    index.file("src/a.ts").unwrap().targets().get("@/b").and_then(Target::file)
}

fn cold(bench: &Bench) -> Index {
    Index::without_cache(&bench.place("cold")).unwrap()
}

/// By an index in memory, by one that is told what was touched, and by one that is read back: each as a cold look.
fn looks_as_cold(bench: &Bench, last: &Index) -> Index {
    let place = bench.place("cache");
    let told = Index::after(&place, last, &["src/a.ts".to_owned()]).unwrap();
    let next = Index::of(&place, Some(last)).unwrap();
    let read_back = look(&place, None).unwrap();
    let cold = cold(bench);
    for index in [&told, &next, &read_back] {
        assert_eq!((shown(index), index.lost_extends()), (shown(&cold), cold.lost_extends()));
        assert_eq!(index.id(), cold.id());
    }
    let again = look(&place, None).unwrap();
    assert_eq!((again.work().parsed, again.id()), (0, cold.id()));
    read_back
}

#[test]
fn what_a_tool_made_comes_changes_and_goes_as_in_a_cold_look() {
    let says = |folder: &str| format!(r#"{{"compilerOptions": {{"paths": {{"@/*": ["../{folder}/*"]}}}}}}"#);
    let bench = tree(r#""./.nuxt/tsconfig.json""#, &[]);
    let mut last = look(&bench.place("cache"), None).unwrap();
    assert_eq!((led(&last), last.lost_extends().len()), (None, 1));
    for to in [Some("lib"), Some("other"), None, Some("lib")] {
        match to {
            Some(folder) => bench.write(".nuxt/tsconfig.json", &says(folder)),
            None => bench.remove(".nuxt/tsconfig.json"),
        }
        last = looks_as_cold(&bench, &last);
        assert_eq!(led(&last), to.map(|folder| format!("{folder}/b.ts")).as_deref());
        assert_eq!(last.lost_extends().is_empty(), to.is_some());
    }
}

#[test]
fn a_package_is_installed_changed_and_removed_as_in_a_cold_look() {
    let bench = tree(r#""@acme/tsconfig/base.json""#, &[]);
    let base = "node_modules/@acme/tsconfig/base.json";
    let mut last = look(&bench.place("cache"), None).unwrap();
    let [(file, what)] = last.lost_extends() else { panic!("{:?}", last.lost_extends()) };
    assert_eq!(file, ROOT);
    let lost = "extends `@acme/tsconfig/base.json`, which is of no package of this tree";
    assert!(what.starts_with(lost), "{what}");
    for (text, to) in [
        (Some(SAYS_LIB), Some("lib/b.ts")),
        (Some(SAYS_OTHER), Some("other/b.ts")),
        (None, None),
        (Some(SAYS_LIB), Some("lib/b.ts")),
    ] {
        match text {
            Some(text) => bench.write(base, text),
            None => fs::remove_dir_all(bench.place("cache").root.join("node_modules")).unwrap(),
        }
        last = looks_as_cold(&bench, &last);
        assert_eq!(led(&last), to);
    }
}

#[test]
fn an_installed_configuration_is_found_as_typescript_finds_it() {
    let package = |name: &str, manifest: &str, file: &str| {
        vec![
            (format!("node_modules/{name}/package.json"), manifest.to_owned()),
            (format!("node_modules/{name}/{file}"), SAYS_LIB.to_owned()),
        ]
    };
    let branches = r#"{"exports": {"./a": {"import": "./none.json", "require": "./cfg/a.json"}}}"#;
    for (extends, files) in [
        ("@tsconfig/node20", package("@tsconfig/node20", "{}", "tsconfig.json")),
        ("@tsconfig/node20/tsconfig.json", package("@tsconfig/node20", "{}", "tsconfig.json")),
        ("named", package("named", r#"{"tsconfig": "cfg/main"}"#, "cfg/main.json")),
        ("plain/base", package("plain", "{ no json", "base.json")),
        ("folder/cfg", package("folder", "{}", "cfg/tsconfig.json")),
        ("exports/a", package("exports", branches, "cfg/a.json")),
        ("whole", package("whole", r#"{"exports": "./cfg.json", "tsconfig": "x"}"#, "cfg.json")),
    ] {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let found = cold(&tree(&format!("{extends:?}"), &files));
        assert_eq!((led(&found), found.lost_extends()), (Some("lib/b.ts"), &[][..]), "{extends}");
    }
    // What `exports` do not name is not there, whatever lies beside.
    let files = package("exports", branches, "cfg/a.json");
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let found = cold(&tree(r#""exports/cfg/a.json""#, &files));
    assert_eq!((led(&found), found.lost_extends().len()), (None, 1));
}

#[test]
fn what_is_installed_extends_what_is_installed_for_it() {
    let bench = tree(
        r#"["gone", "./gen/base"]"#,
        &[
            ("gen/base.json", r#"{"extends": "outer/tsconfig.json"}"#),
            ("gen/node_modules/outer/tsconfig.json", r#"{"extends": ["./more", "inner"]}"#),
            ("gen/node_modules/outer/more.json", r#"{"extends": "./tsconfig.json"}"#),
            ("gen/node_modules/outer/node_modules/inner/tsconfig.json", SAYS_LIB),
            ("node_modules/inner/tsconfig.json", SAYS_OTHER),
        ],
    );
    let found = cold(&bench);
    assert_eq!((led(&found), found.lost_extends().len()), (Some("lib/b.ts"), 1));
}

#[test]
fn a_circle_of_many_comes_to_an_end() {
    let names: Vec<String> = (0..40).map(|at| format!("./c{at}.json")).collect();
    let all = serde_json::to_string(&names).unwrap();
    let bench = tree(r#""./gen/c0.json""#, &[]);
    for at in 0..40 {
        let paths = if at == 39 { SAYS_LIB.trim_start_matches('{') } else { "\"x\": 1}" };
        bench.write(&format!("gen/c{at}.json"), &format!(r#"{{"extends": {all}, {paths}"#));
    }
    assert_eq!(led(&cold(&bench)), Some("lib/b.ts"));
}

#[test]
fn a_project_that_a_tool_made_is_referenced() {
    let bench =
        tree(r#""./none.json", "files": [], "references": [{"path": "./.nuxt/tsconfig.app.json"}]"#, &[]);
    let app = r#"{"include": ["../src/**/*"], "compilerOptions": {"paths": {"@/*": ["../lib/*"]}}}"#;
    let last = look(&bench.place("cache"), None).unwrap();
    assert_eq!(led(&last), None);
    bench.write(".nuxt/tsconfig.app.json", app);
    assert_eq!(led(&looks_as_cold(&bench, &last)), Some("lib/b.ts"));
}

#[test]
fn a_package_that_a_tool_maps_to_where_it_is_installed_stays_a_package() {
    let says = r#"{"compilerOptions": {"paths": {"h3": ["../node_modules/h3"]}}}"#;
    let bench = tree(r#""./.nuxt/tsconfig.json""#, &[(".nuxt/tsconfig.json", says)]);
    bench.write("src/a.ts", "import 'h3';\n");
    let found = cold(&bench);
    let target = found.file("src/a.ts").unwrap().targets().get("h3");
    assert_eq!(target, Some(&Target::Package { name: "h3".to_owned(), version: None, declared: false }));
}

#[test]
fn nothing_is_looked_for_that_no_tsconfig_asks_for() {
    let bench = tree(
        r#""./base.json""#,
        &[
            ("base.json", SAYS_LIB),
            (".nuxt/tsconfig.json", SAYS_OTHER),
            ("node_modules/x/tsconfig.json", "{"),
        ],
    );
    let found = cold(&bench);
    assert_eq!((led(&found), found.lost_extends().len()), (Some("lib/b.ts"), 0));
    assert!(found.known.walked.unlisted.is_empty());
}

#[test]
fn a_secret_is_no_configuration() {
    let bench = tree(r#"["./.env", "./.git/x.json"]"#, &[(".git/x.json", SAYS_LIB)]);
    bench.write(".gitignore", ".env\n");
    bench.write(".env", SAYS_LIB);
    let found = cold(&bench);
    assert_eq!((led(&found), found.lost_extends().len()), (None, 2));
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_of_the_tree_and_seen_to_lead_elsewhere() {
    use std::os::unix::fs::symlink;
    let bench = tree(r#""linked""#, &[]);
    let root = bench.place("cache").root;
    let store = |version: &str| format!("node_modules/.store/linked@{version}/node_modules/linked");
    let (one, two) = (store("1"), store("2"));
    for (home, says) in [(&one, SAYS_LIB), (&two, SAYS_OTHER)] {
        bench.write(&format!("{home}/tsconfig.json"), r#"{"extends": "./base.json"}"#);
        bench.write(&format!("{home}/base.json"), says);
    }
    // As pnpm has it: the same file twice.
    let entry = root.join(&two).join("tsconfig.json");
    fs::remove_file(&entry).unwrap();
    fs::hard_link(root.join(&one).join("tsconfig.json"), &entry).unwrap();
    let link = root.join("node_modules/linked");
    let mut last = look(&bench.place("cache"), None).unwrap();
    let outside = bench.folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("tsconfig.json"), SAYS_LIB).unwrap();
    for (target, to) in [
        (root.join(&one), Some("lib/b.ts")),
        (root.join(&two), Some("other/b.ts")),
        (outside, None),
        (root.join("nowhere"), None),
        (root.join(&one), Some("lib/b.ts")),
    ] {
        _ = fs::remove_file(&link);
        symlink(&target, &link).unwrap();
        last = looks_as_cold(&bench, &last);
        assert_eq!(led(&last), to, "{}", target.display());
    }
}

#[cfg(not(unix))]
#[test]
fn what_leads_out_of_the_tree_is_not_asked_for() {
    let bench = tree(r#""./C:/Windows/x.json""#, &[]);
    assert_eq!(cold(&bench).lost_extends().len(), 1);
}
