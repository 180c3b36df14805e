//! What decides where imports lead without being listed, and how a file loads what it names.

use super::*;

#[test]
fn what_a_tsconfig_extends_in_a_hidden_folder_is_seen_to_change() {
    let lib = r#"{"compilerOptions": {"baseUrl": "..", "paths": {"@/*": ["./lib/*"]}}}"#;
    let bench = Bench::new(&[
        ("tsconfig.json", r#"{"extends": "./.config/tsconfig.json"}"#),
        (".config/tsconfig.json", lib),
        ("src/a.ts", "import { b } from '@/b';\nexport const a = b;\n"),
        ("lib/b.ts", "export const b = 1;\n"),
        ("other/b.ts", "export const b = 1;\n"),
    ]);
    let place = bench.place("cache");
    let mut last = look(&place, None).unwrap();
    let edges = |index: &Index| -> Vec<String> {
        let targets = index.file("src/a.ts").unwrap().targets();
        targets.get("@/b").and_then(Target::file).map(str::to_owned).into_iter().collect()
    };
    assert_eq!(edges(&last), ["lib/b.ts"]);
    let other = lib.replace("./lib", "./other");
    for (text, expected) in [(Some(&*other), Some("other/b.ts")), (None, None), (Some(lib), Some("lib/b.ts"))]
    {
        match text {
            Some(text) => bench.write(".config/tsconfig.json", text),
            None => bench.remove(".config/tsconfig.json"),
        }
        // By an index in memory, by one that is told what was touched, and by one that is read back.
        let told = Index::after(&place, &last, &["src/a.ts".to_owned()]).unwrap();
        let next = Index::of(&place, Some(&last)).unwrap();
        let read_back = look(&place, None).unwrap();
        let cold = look(&bench.place("cold"), None).unwrap();
        Index::clear(&bench.folder.path().join("cold")).unwrap();
        for index in [&told, &next, &read_back, &cold] {
            assert_eq!(edges(index), expected.into_iter().collect::<Vec<_>>());
            assert_eq!((shown(index), index.lost_extends()), (shown(&cold), cold.lost_extends()));
            assert_eq!(index.id(), cold.id());
        }
        last = read_back;
    }
    let again = look(&place, None).unwrap();
    assert_eq!((again.work().parsed, again.id()), (0, last.id()));
}

#[cfg(unix)]
#[test]
fn what_a_tsconfig_extends_through_a_link_is_not_read() {
    let bench = Bench::new(&[
        ("tsconfig.json", r#"{"extends": "./.config/tsconfig.json"}"#),
        ("lib/tsconfig.json", r#"{"compilerOptions": {"baseUrl": "."}}"#),
    ]);
    let root = bench.place("cache").root;
    fs::os::unix::fs::symlink(root.join("lib"), root.join(".config")).unwrap();
    assert_eq!(look(&bench.place("cache"), None).unwrap().lost_extends().len(), 1);
}

#[test]
fn what_was_imported_and_is_required_now_takes_the_other_branch() {
    let bench = Bench::new(&[
        (
            "package.json",
            r#"{"name": "self", "exports": {"./x": {"import": "./x.mts", "require": "./x.cts"}}}"#,
        ),
        ("x.mts", "export const x = 1;\n"),
        ("x.cts", "export const x = 1;\n"),
        ("a.ts", ""),
    ]);
    let place = bench.place("cache");
    let mut last = look(&place, None).unwrap();
    let (import, require) = ("import { x } from 'self/x';\n", "const { x } = require('self/x');\n");
    let equals = "import x = require('self/x');\n";
    let both = [require, "import('self/x');\n"].concat();
    for (text, to) in
        [(import, "x.mts"), (require, "x.cts"), (&*both, "x.mts"), (equals, "x.cts"), (import, "x.mts")]
    {
        bench.write("a.ts", text);
        last = look(&place, Some(&last)).unwrap();
        let target = last.file("a.ts").unwrap().targets().get("self/x").cloned();
        assert_eq!(target, Some(Target::File(to.to_owned())), "{text}");
        assert_eq!(shown(&last), shown(&Index::without_cache(&place).unwrap()));
    }
}
