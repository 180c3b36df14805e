//! Real folders, real rule files.

use super::*;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn sources(walked: &Walked) -> Vec<&str> {
    walked.files.iter().filter(|file| file.role == Role::Source).map(|file| &*file.path).collect()
}

#[test]
fn defaults_leave_out_modules_output_and_tests() {
    let folder = tree(&[
        ("src/a.ts", ""),
        ("src/a.test.ts", ""),
        ("src/__tests__/b.ts", ""),
        ("src/c.e2e-spec.ts", ""),
        ("src/d.integration-test.ts", ""),
        ("src/d.contest.ts", ""),
        ("src/latest.ts", ""),
        ("src/types.d.ts", ""),
        ("src/m.mjs", ""),
        ("src/x.min.js", ""),
        ("node_modules/p/index.js", ""),
        ("packages/q/node_modules/r/index.ts", ""),
        ("dist/a.js", ""),
        (".hidden/z.ts", ""),
        ("src/style.css", ""),
        ("package.json", "{}"),
    ]);
    let walked = walk(folder.path(), Tests::LeftOut).unwrap();
    assert_eq!(
        sources(&walked),
        ["src/a.ts", "src/d.contest.ts", "src/latest.ts", "src/m.mjs", "src/types.d.ts"]
    );
    let included = walk(folder.path(), Tests::Included).unwrap();
    assert_eq!(
        sources(&included),
        [
            "src/__tests__/b.ts",
            "src/a.test.ts",
            "src/a.ts",
            "src/c.e2e-spec.ts",
            "src/d.contest.ts",
            "src/d.integration-test.ts",
            "src/latest.ts",
            "src/m.mjs",
            "src/types.d.ts"
        ]
    );
    let role = |path: &str| walked.files.iter().find(|file| *file.path == *path).map(|file| file.role);
    assert_eq!(role("src/style.css"), Some(Role::Asset));
    assert_eq!(role("package.json"), Some(Role::Control));
    assert_eq!(role("src/a.test.ts"), Some(Role::LeftOut));
}

#[test]
fn sources_that_no_build_writes_are_found_among_its_output() {
    let folder = tree(&[
        (".gitignore", "/dist/\n"),
        ("src/build/plan.ts", ""),
        ("src/build/deep/step.tsx", ""),
        ("src/build/plan.test.ts", ""),
        ("src/build/plan.d.ts", ""),
        ("src/build/style.d.css.ts", ""),
        ("src/build/plan.js", ""),
        ("src/build/plan.css", ""),
        ("src/build/package.json", "{}"),
        ("src/build/.gitignore", "made.ts\n"),
        ("src/build/made.ts", ""),
        ("src/build/node_modules/p/index.ts", ""),
        ("coverage/d.mts", ""),
        ("dist/a.ts", ""),
        ("app/dist/types.d.mts", ""),
        ("app/dist/d.cts", ""),
        ("storybook-static/a.ts", ""),
        (".next/a.ts", ""),
        (".storybook/preview.tsx", ""),
        ("app/.well-known/oauth/route.ts", ""),
        (".storybook/.cache/a.ts", ""),
    ]);
    let walked = walk(folder.path(), Tests::LeftOut).unwrap();
    let found: Vec<_> = walked.files.iter().map(|file| (&*file.path, file.role)).collect();
    assert_eq!(
        found,
        [
            (".gitignore", Role::Control),
            (".storybook/preview.tsx", Role::Source),
            ("app/.well-known/oauth/route.ts", Role::Source),
            ("app/dist/d.cts", Role::Source),
            ("coverage/d.mts", Role::Source),
            ("src/build/.gitignore", Role::Control),
            ("src/build/deep/step.tsx", Role::Source),
            ("src/build/package.json", Role::Control),
            ("src/build/plan.test.ts", Role::LeftOut),
            ("src/build/plan.ts", Role::Source),
        ]
    );
}

#[test]
fn only_scripts_are_minified() {
    for (path, reason) in [
        ("src/a.min.js", Some("minified")),
        ("src/a-min.mjs", Some("minified")),
        ("src/a.min.cjs", Some("minified")),
        ("src/min.js", None),
        ("src/pending-min.tsx", None),
        ("src/column.min.ts", None),
        ("src/column-min.jsx", None),
    ] {
        assert_eq!(rules::unreadable(path, 1), reason, "{path}");
        let role = if reason.is_some() { Role::LeftOut } else { Role::Source };
        assert_eq!(role_of(path, 1, Tests::LeftOut), role, "{path}");
    }
}

#[test]
fn gitignore_holds_in_its_folder_and_can_take_back() {
    let folder = tree(&[
        (".gitignore", "*.gen.ts\n/top/\n"),
        ("a.gen.ts", ""),
        ("top/a.ts", ""),
        ("src/top/a.ts", ""),
        ("src/.gitignore", "!kept.gen.ts\nlocal.ts\n"),
        ("src/kept.gen.ts", ""),
        ("src/local.ts", ""),
        ("src/deep/local.ts", ""),
        ("other/local.ts", ""),
    ]);
    let walked = walk(folder.path(), Tests::LeftOut).unwrap();
    assert_eq!(sources(&walked), ["other/local.ts", "src/kept.gen.ts", "src/top/a.ts"]);
}

#[test]
fn stampignore_takes_paths_names_folders_and_globs() {
    for (pattern, left) in [
        ("src/secrets/", vec!["keys.ts", "src/a.ts"]),
        ("src/secrets", vec!["keys.ts", "src/a.ts"]),
        ("**/keys.ts", vec!["src/a.ts"]),
        ("keys.ts", vec!["src/a.ts"]),
        ("./src/a.ts", vec!["keys.ts", "src/secrets/inner/keys.ts"]),
        ("src\\\\a.ts", vec!["keys.ts", "src/secrets/inner/keys.ts"]),
        ("src/**/*.ts", vec!["keys.ts"]),
    ] {
        let rules = format!("{{\"ignore\": [\"{pattern}\"]}}");
        let folder = tree(&[
            (".stampignore", rules.as_str()),
            ("src/secrets/inner/keys.ts", ""),
            ("src/a.ts", ""),
            ("keys.ts", ""),
        ]);
        let walked = walk(folder.path(), Tests::LeftOut).unwrap();
        assert_eq!(sources(&walked), left, "{pattern}");
        assert_eq!(walked.problems, [], "{pattern}");
    }
}

#[test]
fn brackets_are_those_of_a_path_or_of_a_glob() {
    let files = ["app/[id]/page.ts", "app/[...all]/page.ts", "app/i/page.ts", "app/x/page.ts"];
    for (pattern, left) in [
        ("app/[id]/page.ts", &["app/[...all]/page.ts", "app/x/page.ts"][..]),
        ("app/[...all]", &["app/[id]/page.ts", "app/i/page.ts", "app/x/page.ts"]),
        ("app/[ix]/*.ts", &["app/[...all]/page.ts", "app/[id]/page.ts"]),
    ] {
        let rules = format!("{{\"ignore\": [\"{pattern}\"]}}");
        let all: Vec<_> =
            files.iter().map(|file| (*file, "")).chain([(".stampignore", rules.as_str())]).collect();
        let folder = tree(&all);
        assert_eq!(sources(&walk(folder.path(), Tests::LeftOut).unwrap()), left, "{pattern}");
    }
}

#[test]
fn rules_that_ignore_their_own_file_are_seen_to_change() {
    for (name, text) in [
        (".gitignore", ".*\n"),
        (".gitignore", "/*\n!/src\n"),
        ("src/.gitignore", "*\n"),
        (".stampignore", "{\"ignore\": [\"**\"]}"),
    ] {
        let files = [(name, text), ("src/a.ts", "")];
        let walked = walk(tree(&files).path(), Tests::LeftOut).unwrap();
        let role = walked.files.iter().find(|file| *file.path == *name).map(|file| file.role);
        assert_eq!(role, Some(Role::Control), "{name} {text}");
    }
}

#[test]
fn a_broken_stampignore_is_named_and_ignores_nothing() {
    let folder = tree(&[(".stampignore", "src/secrets"), ("a.ts", "")]);
    let walked = walk(folder.path(), Tests::LeftOut).unwrap();
    assert_eq!(sources(&walked), ["a.ts"]);
    assert_eq!(walked.problems.len(), 1);
    assert_eq!(walked.problems[0].path, ".stampignore");
}

#[test]
fn a_list_of_paths_gives_what_the_disk_gives() {
    let files = [
        (".gitignore", "out/\n*.log.ts\n"),
        (".stampignore", "{\"ignore\": [\"gen\"]}"),
        ("src/.gitignore", "x.ts\n"),
        ("src/x.ts", ""),
        ("src/y.ts", "text"),
        ("src/gen/z.ts", ""),
        ("out/a.ts", ""),
        ("a.log.ts", ""),
        ("b.spec.ts", ""),
        ("node_modules/p/i.ts", ""),
        ("dist/i.ts", ""),
        ("dist/i.js", ""),
        ("dist/.gitignore", "j.ts\n"),
        ("dist/j.ts", ""),
        ("logo.svg", ""),
    ];
    let folder = tree(&files);
    for tests in [Tests::LeftOut, Tests::Included] {
        let disk = walk(folder.path(), tests).unwrap();
        let given =
            from_paths(files.iter().map(|(path, text)| (*path, text.len() as u64)), &[], tests, |path| {
                files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec())
            });
        let plain = |walked: &Walked| -> Vec<_> {
            walked.files.iter().map(|file| (file.path.clone(), file.role)).collect()
        };
        assert_eq!(plain(&disk), plain(&given));
        assert_eq!(disk.problems, given.problems);
    }
}

#[test]
fn own_output_does_not_look_like_news_and_a_new_name_does() {
    let folder = tree(&[("src/a.ts", "")]);
    let before = names_in(&folder.path().join("src"));
    fs::write(folder.path().join("src/context.json"), "[]").unwrap();
    assert_eq!(names_in(&folder.path().join("src")), before);
    fs::write(folder.path().join("src/b.ts"), "").unwrap();
    assert_ne!(names_in(&folder.path().join("src")), before);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_odd_names_are_names() {
    let folder = tree(&[("a b/[x] é.ts", ""), ("-rf.ts", "")]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    std::os::unix::fs::symlink("-rf.ts", folder.path().join("link.ts")).unwrap();
    let walked = walk(folder.path(), Tests::LeftOut).unwrap();
    assert_eq!(sources(&walked), ["-rf.ts", "a b/[x] é.ts"]);
}

#[cfg(unix)]
#[test]
fn links_are_known_unless_a_rule_ignores_them() {
    let files = [(".gitignore", "left.ts\n"), ("src/.gitignore", "out/\n")];
    let links = ["node_modules", "src/.hidden", "src/left.ts", "src/link.ts", "src/out"];
    let folder = tree(&files);
    for link in links {
        std::os::unix::fs::symlink("../real/a.ts", folder.path().join(link)).unwrap();
    }
    let walked = walk(folder.path(), Tests::LeftOut).unwrap();
    let link = |path: &str| Link { path: path.to_owned(), target: "../real/a.ts".to_owned() };
    assert_eq!(walked.links, [link("src/link.ts")]);
    let read =
        |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec());
    let given = from_paths(files.iter().map(|(path, _)| (*path, 1)), &links.map(link), Tests::LeftOut, read);
    assert_eq!(given.links, walked.links);
}

#[cfg(unix)]
#[test]
fn a_link_that_comes_in_again_is_inside() {
    use std::os::unix::fs::symlink;

    let around = tree(&[("tree/real/a.ts", ""), ("tree-evil/a.ts", ""), ("outside/a.ts", "")]);
    let root = around.path().join("tree");
    symlink(root.join("real"), around.path().join("outside/back")).unwrap();
    symlink(around.path(), around.path().join("tree/real/around")).unwrap();
    for (link, target) in [
        ("absolute.ts", root.join("real/a.ts")),
        ("real/gone.ts", root.join("real/gone too.ts")),
        ("real/root", root.clone()),
        ("real/round", "../../tree/real".into()),
        ("real/through", "../../outside/back/a.ts".into()),
        ("real/up", "../real/a.ts".into()),
        ("evil", "../tree-evil/a.ts".into()),
        ("out", around.path().join("outside/a.ts")),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    let walked = walk(&root, Tests::LeftOut).unwrap();
    let out = around.path().join("outside/a.ts");
    let found: Vec<_> = walked.links.iter().map(|link| (&*link.path, &*link.target)).collect();
    assert_eq!(
        found,
        [
            ("absolute.ts", "real/a.ts"),
            ("evil", "../tree-evil/a.ts"),
            ("out", out.to_str().unwrap()),
            ("real/around", around.path().to_str().unwrap()),
            ("real/gone.ts", "../real/gone too.ts"),
            ("real/root", ".."),
            ("real/round", "../real"),
            ("real/through", "../real/a.ts"),
            ("real/up", "../real/a.ts"),
        ]
    );
}

#[cfg(not(unix))]
#[test]
fn odd_names_are_names() {
    let folder = tree(&[("a b/[x] é.ts", "")]);
    assert_eq!(sources(&walk(folder.path(), Tests::LeftOut).unwrap()), ["a b/[x] é.ts"]);
}

#[test]
fn a_folder_that_cannot_be_read_is_known_by_its_stamp() {
    let folder = tree(&[("a.ts", "")]);
    let stamp = Stamp { size: 7, ..Stamp::default() };
    // What is no folder cannot be read as one, whoever asks.
    let visited = visit(&folder.path().join("a.ts"), "a.ts", stamp, &Arc::new(Rules::start(Tests::LeftOut)));
    assert_eq!(visited.problems.len(), 1);
    assert_eq!(visited.folders, [Folder { path: "a.ts".to_owned(), stamp, names: 0 }]);
}
