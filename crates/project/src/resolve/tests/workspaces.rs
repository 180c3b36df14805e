//! Which packages a workspace has, by the files that say so.

use super::*;

#[test]
fn pnpm_workspaces() {
    let resolver = resolver(&[
        ("pnpm-workspace.yaml", "# here\npackages:\n  - 'apps/*' # apps\n  - \"libs/**\"\ncatalog:\n  - x\n"),
        ("libs/deep/a/package.json", r#"{"name": "deep-a"}"#),
        ("libs/deep/a/index.ts", ""),
        ("apps/web/package.json", r#"{"name": "web"}"#),
        ("apps/web/a.ts", ""),
    ]);
    assert_eq!(resolver.resolve("apps/web/a.ts", "deep-a"), file("libs/deep/a/index.ts"));
}

/// Folders with a package each, which has the name of its folder.
const FOLDERS: [&str; 5] =
    ["packages/kit", "packages/skip", "packages/skip/inner", "packages/kit/fixtures", "fixtures/react"];

/// Which of these packages are of the workspace that a file of this name and text says.
fn members(name: &str, text: &str) -> Vec<&'static str> {
    fn name_of(folder: &str) -> &str {
        folder.rsplit('/').next().unwrap_or(folder)
    }
    let manifests = FOLDERS
        .map(|folder| (format!("{folder}/package.json"), format!(r#"{{"name": "{}"}}"#, name_of(folder))));
    let sources = FOLDERS.map(|folder| format!("{folder}/index.ts"));
    let mut files = vec![(name, text)];
    files.extend(manifests.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    files.extend(sources.iter().map(|path| (path.as_str(), "")));
    let resolver = resolver(&files);
    let leads = |folder: &&str| match resolver.resolve("a.ts", name_of(folder)) {
        Target::File(path) => path == format!("{folder}/index.ts"),
        _ => false,
    };
    FOLDERS.into_iter().filter(leads).collect()
}

#[test]
fn what_a_pattern_leaves_out_is_no_package_of_the_workspace() {
    let [kit, skip, inner, fixtures, react] = FOLDERS;
    for list in [
        "['**', '!**/fixtures/**']",
        "['!**/fixtures/**', '**']",
        "['**', '!**/fixtures/**', 'fixtures/react']",
    ] {
        let text = format!("packages: {list}\n");
        assert_eq!(members("pnpm-workspace.yaml", &text), [kit, skip, inner], "{list}");
    }
    for (list, found) in [
        (r#"["**", "!**/fixtures/**"]"#, vec![kit, skip, inner]),
        (r#"["!**/fixtures/**", "**"]"#, vec![kit, skip, inner]),
        (r#"["packages/*", "!packages/skip"]"#, vec![kit]),
        (r#"["packages/**", "!./packages/skip/"]"#, vec![kit, inner, fixtures]),
        (r#"["packages/**", "!packages/skip/**"]"#, vec![kit, fixtures]),
        // Named again behind it, a folder takes the whole pattern back.
        (r#"["**", "!**/skip/**", "packages/skip/inner"]"#, vec![kit, skip, inner, fixtures, react]),
        (r#"["!!packages/kit", "!"]"#, vec![kit]),
        (r#"["packages/+(kit|skip)"]"#, vec![kit, skip]),
        (r#"["packages/@(kit|skip)/?(inner)", "+(f)ixtures/*(react)"]"#, vec![inner, react]),
        (r#"["**", "!packages/s@(kip|ay)/@(inner|{a,b})", "!**/fixtures/*"]"#, vec![kit, skip, fixtures]),
    ] {
        let text = format!(r#"{{"workspaces": {list}}}"#);
        assert_eq!(members("package.json", &text), found, "{list}");
    }
}

#[test]
fn the_list_of_pnpm_is_read_in_every_form_of_yaml() {
    let [kit, skip, ..] = FOLDERS;
    for text in [
        "packages:\n- packages/*\n",
        "packages:\n  - nothing/*\n# here\n  - packages/*\n",
        "packages: [\n  'nothing/*', # no\n  \"packages/*\",\n]\n",
        "packages:\n  [packages/*]\n",
        "\"packages\":\n  - packages/*\n",
        "\u{feff}packages:\r\n  - packages/*\r\n",
        "packages :\n  - packages/*\n",
        "packages: &p\n  - &q packages/*\nother: *p\n",
        "packages:\n  -\n    packages/*\n",
        "%YAML 1.2\n---\npackages:\n  - packages/* # all\n...\n",
        "{packages: [packages/*, '']}",
        "all: &all packages/*\npackages: [*all, {no: 1}]\n",
    ] {
        assert_eq!(members("pnpm-workspace.yaml", text), [kit, skip], "{text}");
    }
    let text = "other:\n  packages:\n    - packages/*\n";
    assert_eq!(members("pnpm-workspace.yaml", text), Vec::<&str>::new(), "{text}");
}

#[test]
fn what_stands_before_a_fault_is_read_and_the_fault_told() {
    let deep = format!("packages:\n  - packages/*\nother:\n  {}x\n", "- ".repeat(100_000));
    for (text, fault) in [
        ("packages:\n  - packages/*\nother: [\n", "is read up to a fault: "),
        (&deep, "is read up to a fault: nested too deeply"),
    ] {
        let [kit, skip, ..] = FOLDERS;
        assert_eq!(members("pnpm-workspace.yaml", text), [kit, skip]);
        let resolver = resolver(&[("pnpm-workspace.yaml", text)]);
        let [(path, what)] = resolver.lost_extends() else { panic!("{:?}", resolver.lost_extends()) };
        assert!(path == "pnpm-workspace.yaml" && what.starts_with(fault), "{path} {what}");
    }
}

#[test]
fn the_last_of_several_entries_of_a_manifest_holds() {
    let text = r#"{"name": "r", "name": "q", "workspaces": ["nothing"], "workspaces": ["packages/*"],
        "devDependencies": {"left": "^1"}, "devDependencies": {"left": "^2", "left": "^3"}}"#;
    let ui = r#"{"name": "kit", "exports": "./other.ts", "exports": {"./a": "./src/a.ts"}, "main": "x", "main": "y"}"#;
    let resolver = resolver(&[
        ("package.json", text),
        ("packages/ui/package.json", ui),
        ("packages/ui/src/a.ts", ""),
        ("lerna.json", "\u{feff}{\"packages\": [\"nothing\"], \"packages\": [\"libs/*\"]}"),
        ("libs/b/package.json", "{\"name\": \"b\"}"),
        ("libs/b/index.ts", ""),
        ("a.ts", ""),
    ]);
    assert_eq!(resolver.resolve("a.ts", "left"), package("left", Some("^3"), true));
    assert_eq!(resolver.resolve("a.ts", "kit/a"), file("packages/ui/src/a.ts"));
    assert_eq!(resolver.resolve("a.ts", "b"), file("libs/b/index.ts"));
    assert!(resolver.lost_extends().is_empty());
}

#[test]
fn a_manifest_that_cannot_be_read_is_told() {
    let resolver = resolver(&[
        ("package.json", r#"{"name": "q", "workspaces": ["packages/*"#),
        ("packages/ui/package.json", r#"{"name": "q" "main": "a.js"}"#),
        ("empty/package.json", "\n"),
        ("lerna.json", "{"),
    ]);
    let told: Vec<&str> = resolver.lost_extends().iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(told, ["lerna.json", "package.json", "packages/ui/package.json"]);
    let unread = |(_, what): &(String, String)| what.starts_with("says nothing that can be read: ");
    assert!(resolver.lost_extends().iter().all(unread), "{:?}", resolver.lost_extends());
}
