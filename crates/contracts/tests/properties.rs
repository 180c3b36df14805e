//! Whatever the text is, there are facts; and the same text gives the same facts.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use becket_contracts::header;
use becket_contracts::language::Reader;
use becket_contracts::link::link_alone;
use becket_contracts::model::{LocalFacts, SchemaVersion};
use proptest::prelude::*;

const NAMES: &[&str] = &["a.ts", "a.tsx", "a.d.ts", "a.mts", "a.cts", "a.js", "a.jsx", "a.mjs", "a.cjs"];

/// Pieces that, thrown together, reach far into the grammar.
const PIECES: &[&str] = &[
    "import ",
    "export ",
    "default ",
    "const ",
    "let ",
    "function ",
    "class ",
    "interface ",
    "type ",
    "enum ",
    "namespace ",
    "declare ",
    "abstract ",
    "async ",
    "await ",
    "extends ",
    "implements ",
    "keyof ",
    "typeof ",
    "infer ",
    "readonly ",
    "Props",
    "Button",
    "useState",
    "useReducer",
    "React.",
    "memo",
    "forwardRef",
    "lazy",
    "express",
    "app.get",
    "@Controller",
    "@Get",
    "defineComponent",
    "props",
    "emits",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "</",
    "/>",
    "=>",
    "=",
    ":",
    ";",
    ",",
    ".",
    "?",
    "|",
    "&",
    "...",
    "'a'",
    "\"./b\"",
    "`x${",
    "`",
    " from ",
    " as ",
    "*",
    "1",
    "/",
    "//",
    "/*",
    "*/",
    "/** Doc. */",
    "\n",
    " ",
    "'use client';",
    "className=",
    "style={{",
    "on",
    "#!",
    "\u{feff}",
    "é",
    "module.exports",
    "require(",
    "import(",
    "password = 'S3cr3t!pass'",
    "sk_live_0123456789abcdefghij",
];

fn check(name: &str, text: &str) {
    let facts = Reader::new().read(name, text);
    let mut used = Reader::new();
    used.read("b.tsx", "export const a = <B c='d' />;");
    assert_eq!(used.read(name, text), facts, "a reader that was used before reads the same");
    let stored = serde_json::to_string(&facts).unwrap();
    assert_eq!(serde_json::from_str::<LocalFacts>(&stored).unwrap(), facts);
    let linked = link_alone("src/a.ts", &facts);
    let _ = linked.contract.to_json(SchemaVersion::V04);
    let _ = header::code_header(&facts, 400);
    for diagnostic in &facts.diagnostics {
        assert!(diagnostic.line >= 1 && diagnostic.column >= 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arbitrary_text_is_read(name in prop::sample::select(NAMES), text in "\\PC{0,200}") {
        check(name, &text);
    }

    #[test]
    fn arbitrary_bytes_are_read(name in prop::sample::select(NAMES), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(name, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_tokens_are_read(
        name in prop::sample::select(NAMES),
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60),
    ) {
        check(name, &pieces.concat());
    }
}

/// What is made of many alike is read, however many words and signs that takes.
#[test]
fn a_long_file_is_no_deep_one() {
    let page =
        |inside: &str| format!("export function A(p: {{ a: string }}) {{ return <div>{inside}</div> }}");
    for text in [
        page(&"<p>The quick brown fox jumps over the lazy dog and so on.</p>\n".repeat(4_000)),
        page(&"<path id=\"FR\" d=\"M1 2\" fill={p.a} />\n".repeat(4_000)),
        format!("{}export const A = 1;", "function f(a){return a}".repeat(20_000)),
        format!("export type A =\n{};", "  | 'arrow-left'\n".repeat(40_000)),
        format!("export const A = {}'';", "'a' +\n".repeat(15_000)),
        format!("export const A = `{}`;", "${a} b ".repeat(20_000)),
    ] {
        let facts = Reader::new().read("a.tsx", &text);
        assert_eq!((&*facts.diagnostics, facts.exports.len()), (&[][..], 1), "{}", &text[..80]);
    }
}

/// Deeper than any stack holds; said so, or read, but never a crash.
#[test]
fn deep_nesting_ends_no_process() {
    for piece in [
        "(", "[", "{", "!", "a=>", "a?b:", "typeof ", "if(a)", "a+", "<a>", "a.b.", "keyof ", "`${", "x=",
        "-", "new ", "A<", "{a:", "(a)=>",
    ] {
        for count in [60, 100_000] {
            let text = format!("type T = {p};\nlet x = {p}1;", p = piece.repeat(count));
            let facts = Reader::new().read("a.tsx", &text);
            assert!(!facts.diagnostics.is_empty() || count == 60, "{piece} {count}");
        }
    }
    let far = format!("import './b';\nconst c = require('./c');\nlet x = {}1;", "!".repeat(200_000));
    let specifiers: Vec<_> =
        Reader::new().read("a.ts", &far).imports.into_iter().map(|one| one.specifier).collect();
    assert_eq!(specifiers, ["./b", "./c"]);
    let sum = format!("export const sum = {}1;\nexport function after(): void {{}}", "a + ".repeat(4_000));
    assert_eq!(Reader::new().read("a.ts", &sum).exports.len(), 2);
    let chain =
        format!("export function f(a) {{ {} {{ return 0; }} }}", "if (a) { return 1; } else ".repeat(1_500));
    assert_eq!(Reader::new().read("a.ts", &chain).exports.len(), 1);
}
