//! What can be known of a text that no parser reads: how Flow says what TypeScript says too, and which modules are named
//! in what was left out for its faults.

use crate::model::{Import, ImportKind, ImportedName};

use super::nesting::{comment_end, string_end};

/// With the imports of Flow as TypeScript has them, in as many bytes, so that positions stay.
pub(super) fn as_typescript(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut is_import = false;
    for line in text.split_inclusive('\n') {
        // It goes on to the name of the module, in which line ever that stands.
        is_import |= line.starts_with("import ") || line.starts_with("import{");
        let end = line.find(['\'', '"', '(']).unwrap_or(line.len());
        let (says, rest) = line.split_at(if is_import { end } else { 0 });
        is_import &= rest.is_empty();
        let says = says.replace("typeof ", "type   ");
        // `import type A, { B } from`
        let names_two = |says: &str| says.split('{').next().is_some_and(|head| head.contains(','));
        let with_default = says.starts_with("import type ") && names_two(&says);
        written.push_str(&if with_default { says.replacen("type", "    ", 1) } else { says });
        written.push_str(rest);
    }
    // The parser says of Flow only that it is Flow, and not where it stopped: without the word it does.
    written.replace("@flow", "_flow")
}

/// The modules that a text names as its own imports do, each with the place of its name.
pub(super) fn modules(text: &str) -> Vec<(usize, Import)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The last two things that are no blanks: words, or single letters of any other kind.
    let (mut before, mut last) = ("", "");
    let mut says_type = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b'/' if comment_end(bytes, at).is_some() => {
                at = comment_end(bytes, at).unwrap_or(bytes.len());
                continue;
            }
            b'\'' | b'"' => string_end(bytes, at),
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ if is_word(byte) => at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count(),
            _ => at + 1,
        };
        let piece = text.get(at..end).unwrap_or_default();
        if matches!(byte, b'\'' | b'"') {
            let kind = match (before, last) {
                (_, "from" | "import") if says_type => Some(ImportKind::TypeOnly),
                (_, "from" | "import") => Some(ImportKind::Static),
                ("require", "(") => Some(ImportKind::Require),
                ("import", "(") => Some(ImportKind::Dynamic),
                _ => None,
            };
            let name = piece.get(1..piece.len().saturating_sub(1)).filter(|name| !name.is_empty());
            if let (Some(kind), Some(name)) = (kind, name) {
                let type_only = kind == ImportKind::TypeOnly;
                let all = ImportedName { imported: "*".to_owned(), local: String::new(), type_only };
                found.push((at, Import { specifier: name.to_owned(), kind, names: vec![all], line: 0 }));
            }
        }
        match (last, piece) {
            ("import" | "export", "type" | "typeof") => says_type = true,
            (_, "import" | "export") => says_type = false,
            _ => {}
        }
        (before, last) = (last, piece);
        at = end.max(at + 1);
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_flow_are_those_of_typescript_in_as_many_bytes() {
        for (flow, typescript) in [
            ("import typeof A from './a';", "import type   A from './a';"),
            ("import { type A, typeof B } from './a';", "import { type A, type   B } from './a';"),
            ("import type A, { B } from './a';", "import      A, { B } from './a';"),
            ("import {\n  typeof B,\n} from './a';", "import {\n  type   B,\n} from './a';"),
            ("import type { A, B } from './a';", "import type { A, B } from './a';"),
            ("import {\n  a,\n} from './a';\n  typeof b;", "import {\n  a,\n} from './a';\n  typeof b;"),
            ("export function a(b: typeof c) {}", "export function a(b: typeof c) {}"),
            ("import('./a').then(typeof b);", "import('./a').then(typeof b);"),
            ("// @flow strict", "// _flow strict"),
        ] {
            assert_eq!(as_typescript(flow), typescript);
        }
    }

    #[test]
    fn modules_are_found_in_whatever_is_written() {
        let text = "import type A, {B} from './a';\nopaque type C = {| d: typeof require('./b') |};\n\
            // import './c'\nconst d = {| ...import(\"./d\") |}; './e'; x('./f'); import './g'; require('');";
        let found: Vec<_> = modules(text).into_iter().map(|(_, one)| (one.specifier, one.kind)).collect();
        let expected = [
            ("./a", ImportKind::TypeOnly),
            ("./b", ImportKind::Require),
            ("./d", ImportKind::Dynamic),
            ("./g", ImportKind::Static),
        ];
        assert_eq!(found, expected.map(|(module, kind)| (module.to_owned(), kind)));
        for broken in ["import '", "require(\"", "'\\", "é'", "/*", "from 'é"] {
            modules(broken);
        }
    }
}
