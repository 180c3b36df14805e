//! What hangs on the manifests around files, and on what other files say.

use super::*;

#[test]
fn a_page_is_a_route_where_the_package_depends_on_next() {
    let page = "export default function About() { return <p />; }\n";
    let bench = Bench::new(&[
        ("package.json", r#"{ "dependencies": { "react": "19" } }"#),
        ("pages/about.tsx", page),
        ("components/pages/part.tsx", page),
    ]);
    let place = bench.place("cache");
    let paths = |index: &Index| -> Vec<Option<String>> {
        let routes = index.files().iter().map(|file| file.contract().nextjs.clone()?.segment_path);
        routes.collect()
    };
    let first = look(&place, None).unwrap();
    assert_eq!(paths(&first), [None, None]);
    bench.write("package.json", r#"{ "dependencies": { "react": "19", "next": "15" } }"#);
    let second = look(&place, Some(&first)).unwrap();
    assert_eq!(paths(&second), [None, Some("/about".to_owned())]);
    bench.write("pages/about.tsx", &page.replace("<p />", "<b />"));
    let third = look(&place, Some(&second)).unwrap();
    assert_eq!(shown(&third), shown(&look(&bench.place("other"), None).unwrap()));
    assert_eq!(paths(&third), paths(&second));
}

#[test]
fn what_rules_are_taken_from_counts_whatever_it_is_called() {
    let import = "import { b } from '@/b';\nexport const a = b;\n";
    for (asks, asked) in [
        (("tsconfig.json", r#"{"extends": "./conf/base"}"#), "conf/base.json"),
        (("tsconfig.json", r#"{"extends": ["@shop/rules/base.json"]}"#), "rules/base.json"),
        (("deno.json", r#"{"importMap": "./conf/names.json"}"#), "conf/names.json"),
    ] {
        let says = |folder: &str| match asks.0 {
            "deno.json" => format!(r#"{{"imports": {{"@/": "../{folder}/"}}}}"#),
            _ => format!(r#"{{"compilerOptions": {{"paths": {{"@/*": ["../{folder}/*"]}}}}}}"#),
        };
        let bench = Bench::new(&[
            asks,
            (asked, &says("lib")),
            ("package.json", r#"{"workspaces": ["rules"]}"#),
            ("rules/package.json", r#"{"name": "@shop/rules"}"#),
            ("src/a.ts", if asks.0 == "deno.json" { "import { b } from '@/b.ts';\n" } else { import }),
            ("lib/b.ts", "export const b = 1;\n"),
            ("other/b.ts", "export const b = 2;\n"),
        ]);
        let place = bench.place("cache");
        let leads = |index: &Index| -> Vec<String> {
            let file = index.file("src/a.ts").unwrap();
            file.targets().iter().filter_map(|(_, target)| target.file().map(str::to_owned)).collect()
        };
        let mut first = look(&place, None).unwrap();
        assert_eq!(leads(&first), ["lib/b.ts"], "{asked}");
        // As if a while had passed since: what was written so shortly before a look is read again anyway.
        std::sync::Arc::make_mut(&mut first.known).taken += 1_000_000_000;
        bench.write(asked, &says("other"));
        assert_eq!(leads(&look(&place, Some(&first)).unwrap()), ["other/b.ts"], "{asked}");
    }
}

#[test]
fn hooks_and_components_are_of_the_library_that_their_package_asks_for() {
    let use_env = "export function useEnv() { return useConfig(); }\n";
    let card = "import Plain from './plain';\nexport const Card = withTheme(Plain);\n";
    let badge = "import { Card } from './card';\nexport const Badge = withInstall(Card);\n";
    let bench = Bench::new(&[
        ("package.json", r#"{ "devDependencies": { "typescript": "5" } }"#),
        ("api/package.json", r#"{ "dependencies": { "pino": "9" } }"#),
        ("api/env.ts", use_env),
        ("app/package.json", r#"{ "peerDependencies": { "vue": "3" } }"#),
        ("app/badge.ts", badge),
        ("app/card.ts", card),
        ("app/env.ts", use_env),
        ("web/package.json", r#"{ "dependencies": { "react": "19" } }"#),
        ("web/card.ts", card),
        ("web/env.ts", use_env),
        ("zero/env.ts", &format!("import {{ useMemo }} from 'react';\n{use_env}")),
    ]);
    let place = bench.place("cache");
    let kinds = |index: &Index| -> Vec<&str> {
        index.files().iter().map(|file| file.contract().kind.as_str()).collect()
    };
    let first = look(&place, None).unwrap();
    let vue = ["vue:component", "vue:component", "vue:composable"];
    let react = ["react:component", "react:hook", "react:hook"];
    assert_eq!(kinds(&first), [&["ts:module"], &vue[..], &react[..]].concat());
    bench.write("api/env.ts", &format!("{use_env}// More.\n"));
    assert_eq!(kinds(&look(&place, Some(&first)).unwrap())[0], "ts:module");
    bench.write("api/package.json", r#"{ "dependencies": { "preact": "10" } }"#);
    assert_eq!(kinds(&look(&place, Some(&first)).unwrap())[0], "react:hook");
}

#[test]
fn routes_are_where_the_manifest_of_an_app_says() {
    let page = "export default function Page() { return <p />; }\n";
    let get = "export const GET = 'get';\n";
    let gate = "export function proxy() {}\n";
    let next = r#"{ "dependencies": { "next": "16" } }"#;
    let bench = Bench::new(&[
        ("apps/nx/app/page.tsx", page),
        ("apps/other/app/page.tsx", page),
        ("apps/other/package.json", r#"{ "name": "other", "dependencies": { "react": "19" } }"#),
        ("apps/web/middleware.ts", "import 'next/server';\nexport function middleware() {}\n"),
        ("apps/web/package.json", next),
        ("services/front/web/app/(shop)/[id]/page.tsx", page),
        ("services/front/web/instrumentation-client.ts", "init();\n"),
        ("services/front/web/lib/app/error.tsx", page),
        ("services/front/web/lib/instrumentation.ts", "export function register() {}\n"),
        ("services/front/web/package.json", next),
        ("services/front/web/pages/about.tsx", page),
        ("services/front/web/pages/app/page.tsx", page),
        ("services/front/web/src/instrumentation.ts", "export function register() {}\n"),
        ("services/front/web/src/proxy.ts", gate),
        ("services/front/web/src/server/proxy.ts", gate),
        ("src/app/error.ts", "export default class AppError extends Error {}\n"),
        ("src/app/route.ts", get),
        ("src/proxy.ts", gate),
    ]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    let roles = |index: &Index| -> Vec<String> {
        let each = index.files().iter().filter_map(|file| {
            let next = file.contract().nextjs.clone()?;
            Some(format!("{} {:?} {}", file.path, next.route_role?, next.segment_path.unwrap_or_default()))
        });
        each.collect()
    };
    let sure = [
        "apps/web/middleware.ts Middleware /",
        "services/front/web/app/(shop)/[id]/page.tsx Page /[id]",
        "services/front/web/instrumentation-client.ts InstrumentationClient ",
        "services/front/web/pages/about.tsx Page /about",
        "services/front/web/pages/app/page.tsx Page /app/page",
        "services/front/web/src/instrumentation.ts Instrumentation ",
        "services/front/web/src/proxy.ts Middleware /",
    ];
    let by_name = ["apps/nx/app/page.tsx Page /", "src/app/error.ts Error /", "src/app/route.ts Route /"];
    let all = |more: &[&str]| {
        let mut all: Vec<String> = sure.iter().chain(more).map(|one| (*one).to_owned()).collect();
        all.sort();
        all
    };
    let in_root = [by_name.as_slice(), &["src/proxy.ts Middleware /"]].concat();
    // Where no manifest tells, names do.
    assert_eq!(roles(&index), all(&by_name));
    let steps: &[(&str, &str, Vec<String>)] = &[
        ("package.json", r#"{ "dependencies": { "@angular/core": "19" } }"#, all(&[])),
        ("src/app/route.ts", "export const GET = 'other';\n", all(&[])),
        ("package.json", next, all(&in_root)),
        ("src/app/route.ts", get, all(&in_root)),
    ];
    for (step, (path, text, expected)) in steps.iter().enumerate() {
        bench.write(path, text);
        index = look(&place, Some(&index)).unwrap();
        assert_eq!(roles(&index), *expected, "{step}");
        let process = look(&place, None).unwrap();
        let cold = look(&bench.place(&format!("cold{step}")), None).unwrap();
        assert_eq!((shown(&index), shown(&process)), (shown(&cold), shown(&cold)), "{step}");
    }
}

#[test]
fn a_route_follows_the_constants_of_other_files() {
    let paths =
        "import { ROOT } from './root';\nexport const ROUTES = { users: { list: `${ROOT}/list` } };\n";
    let app = "import express from 'express';\nimport { ROUTES } from './paths';\nconst app = express();\napp.get(ROUTES.users.list, f);\n";
    let root = "export enum Roots { A = '/a' }\nexport const ROOT = Roots.A;\n";
    let bench = Bench::new(&[("paths.ts", paths), ("app.ts", app), ("root.ts", root)]);
    let place = bench.place("cache");
    let mut index = look(&place, None).unwrap();
    let edits =
        [("root.ts", root.replace("/a", "/b"), "/b/list"), ("paths.ts", paths.replace("/list", "/"), "/b/")];
    for (path, text, expected) in edits {
        bench.write(path, &text);
        let before = index.file("app.ts").unwrap().contract().semantic_hash.clone();
        index = look(&place, Some(&index)).unwrap();
        let contract = index.file("app.ts").unwrap().contract();
        assert_eq!((&*contract.routes[0].path, contract.semantic_hash == before), (expected, false));
    }
}
