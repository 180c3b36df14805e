//! What a barrel hands on, and what it does not.

use super::*;

fn project() -> TestRepo {
    let repo = TestRepo::new();
    for (path, text) in [
        ("package.json", r#"{"name": "barrels"}"#),
        ("core/a.ts", "export const a1 = 1;\nexport const a2 = 2;\nexport default 3;\n"),
        ("core/b.ts", "export const b1 = 1;\nexport const b2 = 2;\n"),
        ("core/index.ts", "export * from './a';\nexport { b2 as renamed, b1 } from './b';\n"),
        ("all.ts", "export * from './core';\nexport * as core from './core/a';\n"),
        ("by-name.ts", "import { a2, b1 } from './core';\nexport const sum = a2 + b1;\n"),
        ("by-new-name.ts", "import { renamed } from './all';\nexport const more = renamed;\n"),
        ("whole.ts", "import * as Core from './core';\nexport const all = Core;\n"),
        ("last.ts", "import { sum } from './by-name';\nexport const twice = sum * 2;\n"),
        ("inner.ts", "import { core } from './all';\nexport const one = core.a1;\n"),
    ] {
        repo.write(path, text);
    }
    repo
}

#[test]
fn an_export_is_followed_through_barrels_under_its_names() {
    let repo = project();
    let engine = engine(&repo);
    let felt = |target: &str| -> Vec<String> {
        let request = ImpactRequest { target: target.to_owned(), ..ImpactRequest::default() };
        let report = engine.impact(&request).unwrap();
        assert_eq!(report.total, report.dependents.len());
        let mut paths: Vec<String> = report.dependents.into_iter().map(|one| one.path).collect();
        paths.sort();
        paths
    };
    assert_eq!(felt("core/b.ts#b2"), ["all.ts", "by-new-name.ts", "core/index.ts", "whole.ts"]);
    assert_eq!(felt("core/b.ts#b1"), ["all.ts", "by-name.ts", "core/index.ts", "last.ts", "whole.ts"]);
    assert_eq!(felt("core/a.ts#a1"), ["all.ts", "core/index.ts", "inner.ts", "whole.ts"]);
    assert_eq!(felt("core/a.ts#default"), ["all.ts", "inner.ts"]);
    assert_eq!(felt("core/index.ts#renamed"), ["all.ts", "by-new-name.ts", "whole.ts"]);
}
