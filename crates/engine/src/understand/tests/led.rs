//! Imports that settings lead elsewhere, in files that nobody touched.

use super::drift::{drift, verdict};
use super::*;

/// What is asked of `one/a.ts`, by an alias, a package of the workspace, and its map of imports.
fn project() -> TestRepo {
    let repo = TestRepo::new();
    repo.write(
        "package.json",
        r##"{"name": "shop", "workspaces": ["packages/*"], "imports": {"#a": "./one/a.ts"}}"##,
    );
    repo.write("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./one/*"]}}}"#);
    repo.write("one/a.ts", "export const a: number = 1;\nexport const b = 1;\n");
    repo.write("two/a.ts", "export const a: string = '';\nexport const b = 1;\n");
    repo.write("packages/ui/package.json", r#"{"name": "ui", "exports": {"./card": "./one.ts"}}"#);
    repo.write("packages/ui/one.ts", "export const card = (width: number): number => width;\n");
    repo.write("packages/ui/two.ts", "export const card = (width: string): string => width;\n");
    repo.write("src/alias.ts", "import { a } from '@/a';\nexport const of: number = a;\n");
    repo.write("src/same.ts", "import { b } from '@/a';\nexport const same: number = b;\n");
    repo.write("src/map.ts", "import { a } from '#a';\nexport const map: number = a;\n");
    repo.write("src/package.ts", "import { card } from 'ui/card';\nexport const shown: number = card(1);\n");
    repo.commit("all");
    repo
}

#[test]
fn who_is_led_elsewhere_by_settings_is_told_what_that_breaks() {
    for (file, from, to, told, users) in [
        (
            "tsconfig.json",
            "./one/*",
            "./two/*",
            "`a` comes from two/a.ts now, and came from one/a.ts",
            "src/alias.ts",
        ),
        (
            "package.json",
            "./one/a.ts",
            "./two/a.ts",
            "`a` comes from two/a.ts now, and came from one/a.ts",
            "src/map.ts",
        ),
        (
            "packages/ui/package.json",
            "./one.ts",
            "./two.ts",
            "`card` comes from packages/ui/two.ts now, and came from packages/ui/one.ts",
            "src/package.ts",
        ),
        ("packages/ui/package.json", "./card", "./other", "lead to no file now", "src/package.ts"),
        ("packages/ui/package.json", "\"ui\"", "\"other\"", "lead to no file now", "src/package.ts"),
        ("package.json", "packages/*", "libs/*", "lead to no file now", "src/package.ts"),
        ("tsconfig.json", "@/*", "~/*", "lead to no file now", "src/alias.ts"),
    ] {
        let repo = project();
        assert_eq!(verdict(&drift(&repo, Some("git:HEAD"))), "none");
        let text = fs_err::read_to_string(repo.path(file)).unwrap();
        repo.write(file, text.replace(from, to));
        let report = drift(&repo, Some("git:HEAD"));
        let said = report.compared.to_string();
        assert_eq!(verdict(&report), "breaking", "{file}: {from} to {to}: {said}");
        assert!(said.contains(told) && said.contains(users), "{file}: {from} to {to}: {said}");
    }
}

#[test]
fn who_finds_the_same_elsewhere_is_told_so() {
    let repo = project();
    repo.write("src/alias.ts", "export const of = 1;\n");
    repo.commit("less");
    repo.write("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./two/*"]}}}"#);
    let report = drift(&repo, Some("git:HEAD"));
    let said = report.compared.to_string();
    assert!(said.contains("imports find it in the place of one/a.ts now"), "{said}");
    assert_eq!(verdict(&report), "compatible", "{said}");
}
