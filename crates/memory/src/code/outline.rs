//! Declarations of a text: name, first and last line. Reads the shapes that most languages share (a keyword and a name, a
//! method's head, a function in a constant; braces, indentation, headings, keys), not their grammars.

use std::sync::LazyLock;

use regex::Regex;

use super::{Source, syntax::Blocks};

/// Lines are one-based, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// With the declarations around it: `Cart.total`.
    pub name: String,
    pub first: usize,
    pub last: usize,
}

/// The declarations in the order of their first lines; one that lies inside another follows it.
pub fn outline(source: &Source<'_>) -> Vec<Declaration> {
    let masked: Vec<&str> = source.mask.split('\n').collect();
    let heads: Vec<Head> = match source.syntax.blocks {
        Blocks::Braces => heads(&masked, &BRACE_HEADS, true),
        Blocks::Indentation => heads(&masked, &BRACE_HEADS[..1], false),
        Blocks::Statements => heads(&masked, &STATEMENT_HEADS, false),
        Blocks::Keys => heads(&source.lines, &KEY_HEADS, false),
        Blocks::Sections => heads(&source.lines, &SECTION_HEADS, false),
        Blocks::Headings => headings(&source.lines),
        Blocks::Unknown => heads(&masked, &BRACE_HEADS[..1], false),
    };
    let mut declarations: Vec<Declaration> = Vec::new();
    // Those that are still open around the next head.
    let mut around: Vec<usize> = Vec::new();
    for (index, head) in heads.iter().enumerate() {
        let last = match source.syntax.blocks {
            Blocks::Braces => brace_end(&masked, head),
            Blocks::Statements => masked_end(&masked, head.line, |line| line.contains(';')),
            Blocks::Headings => {
                section_end(&source.lines, &heads[index + 1..], |other| other.depth <= head.depth)
            }
            Blocks::Sections => section_end(&source.lines, &heads[index + 1..], |_| true),
            Blocks::Indentation | Blocks::Keys | Blocks::Unknown => indented_end(&masked, head.line),
        };
        while around.last().is_some_and(|outer| declarations[*outer].last < head.line) {
            around.pop();
        }
        let name = match around.last() {
            Some(outer) if source.syntax.blocks != Blocks::Headings => {
                format!("{}.{}", declarations[*outer].name, head.name)
            }
            _ => head.name.clone(),
        };
        around.push(declarations.len());
        declarations.push(Declaration { name, first: head.line, last });
    }
    declarations
}

#[derive(Debug)]
struct Head {
    name: String,
    line: usize,
    depth: usize,
}

type Pattern = LazyLock<Option<Regex>>;

static BRACE_HEADS: [Pattern; 4] = [
    LazyLock::new(|| {
        Regex::new(
            r"^\s*(?:[@#\[][^\s]*\s+)*(?:(?:pub(?:\([^)]*\))?|export|default|declare|public|private|protected|internal|static|final|abstract|sealed|open|override|virtual|async|unsafe|extern|const|inline|data|partial|readonly|local|suspend|crate|shared|actor)\s+)*(?:fn|func|fun|function\*?|def|defp|defmodule|defmacro|class|struct|enum|trait|interface|impl(?:<[^>]*>)?|type|module|mod|namespace|record|object|protocol|extension|union|macro_rules!|sub|proc|contract|message|service|rpc|resource|data|variable|test|procedure)\s*\*?\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*(?:(?:::|\.)[A-Za-z_$][\w$]*)*[?!]?)",
        )
        .ok()
    }),
    // A function, class or object kept in a constant, and any constant at the outermost level.
    LazyLock::new(|| {
        Regex::new(
            r"^\s*(?:export\s+)?(?:default\s+)?(?:const|let|var|static)\s+([A-Za-z_$][\w$]*)\s*(?::[^=]*)?=\s*(?:async\b|function\b|class\b|new\b|\(|[A-Za-z_$][\w$]*\s*=>|\{\s*$|[\w.]+\()",
        )
        .ok()
    }),
    LazyLock::new(|| {
        Regex::new(
            r"^(?:pub(?:\([^)]*\))?\s+|export\s+)?(?:const|let|var|static(?:\s+mut)?)\s+([A-Za-z_$][\w$]*)\s*[:=]",
        )
        .ok()
    }),
    // The head of a method: `async total(items) {`, `int main(void)`, `public List<X> all() throws E {`.
    LazyLock::new(|| {
        Regex::new(
            r"^\s*(?:[\w<>\[\],.*&?:~]+\s+){0,6}[*&]*#?~?([A-Za-z_$][\w$]*(?:::~?[A-Za-z_$][\w$]*)*)\s*(?:<[^>(]*>)?\([^;{}]*\)?[^;={}]*\{?\s*$",
        )
        .ok()
    }),
];

static STATEMENT_HEADS: [Pattern; 1] = [LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)*(?:table|view|function|procedure|trigger|index|type|schema|sequence)\s+(?:if\s+not\s+exists\s+)?([\w.]+)",
    )
    .ok()
})];

static KEY_HEADS: [Pattern; 1] =
    [LazyLock::new(|| Regex::new(r"^\s*(?:- )?([A-Za-z_][\w./-]*)\s*:(?:\s|$)").ok())];

static SECTION_HEADS: [Pattern; 1] =
    [LazyLock::new(|| Regex::new(r"^\s*\[+([^\]]+)\]+\s*(?:[#;].*)?$").ok())];

/// Words that stand before a parenthesis and declare nothing.
const CONTROL: [&str; 22] = [
    "if", "for", "while", "switch", "catch", "return", "else", "do", "match", "with", "foreach", "using",
    "lock", "fixed", "when", "unless", "elseif", "elif", "throw", "await", "new", "sizeof",
];

fn heads(lines: &[&str], patterns: &[Pattern], methods: bool) -> Vec<Head> {
    let mut heads = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let found = patterns.iter().enumerate().find_map(|(kind, pattern)| {
            let captures = (*pattern).as_ref()?.captures(line)?;
            let name = captures.get(1)?.as_str();
            let control = CONTROL.contains(&name)
                || line.split_whitespace().any(|word| matches!(word, "return" | "new" | "throw"));
            let is_method = kind == 3;
            if is_method && (!methods || control || !opens_block(lines, index)) {
                return None;
            }
            Some(name.to_owned())
        });
        if let Some(name) = found {
            heads.push(Head { name, line: index + 1, depth: 0 });
        }
    }
    heads
}

/// Whether a brace follows before anything else ends the line's statement.
fn opens_block(lines: &[&str], index: usize) -> bool {
    for line in lines.iter().skip(index).take(8) {
        match line.find(['{', ';']) {
            Some(position) if line[position..].starts_with('{') => return true,
            Some(_) => return false,
            None => {}
        }
    }
    false
}

fn headings(lines: &[&str]) -> Vec<Head> {
    let mut fenced = false;
    let mut heads = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        }
        let depth = line.len() - line.trim_start_matches('#').len();
        let name = line.trim_start_matches('#').trim().trim_end_matches('#').trim_end();
        if !fenced && (1..=6).contains(&depth) && line[depth..].starts_with(' ') && !name.is_empty() {
            heads.push(Head { name: name.to_owned(), line: index + 1, depth });
        }
    }
    heads
}

fn brace_end(lines: &[&str], head: &Head) -> usize {
    let mut depth = 0_usize;
    let mut round = 0_isize;
    let mut opened = false;
    for (index, line) in lines.iter().enumerate().skip(head.line - 1) {
        for byte in line.bytes() {
            match byte {
                b'{' => {
                    depth += 1;
                    opened = true;
                }
                b'}' => depth = depth.saturating_sub(1),
                b'(' | b'[' => round += 1,
                b')' | b']' => round -= 1,
                b';' if depth == 0 && round <= 0 && !opened => return index + 1,
                _ => {}
            }
        }
        // A brace block that ends inside parentheses (`({ a }) => …`) was an argument, not the body.
        if opened && depth == 0 && round <= 0 {
            let continues =
                lines.get(index).is_some_and(|line| line.trim_end().ends_with(['=', '>', ',', '(']));
            if !continues {
                return index + 1;
            }
        }
        if !opened && round <= 0 && lines.get(index + 1).is_none_or(|next| next.trim().is_empty()) {
            return index + 1;
        }
    }
    lines.len()
}

fn masked_end(lines: &[&str], first: usize, ends: impl Fn(&str) -> bool) -> usize {
    lines
        .iter()
        .enumerate()
        .skip(first - 1)
        .find(|(_, line)| ends(line))
        .map_or(lines.len(), |(index, _)| index + 1)
}

fn section_end(lines: &[&str], later: &[Head], ends: impl Fn(&Head) -> bool) -> usize {
    let end = later.iter().find(|head| ends(head)).map_or(lines.len(), |head| head.line - 1);
    last_with_text(lines, end)
}

/// Until a line that is indented no deeper than the first; a closing `end` or bracket on that level still belongs.
fn indented_end(lines: &[&str], first: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = lines.get(first - 1).map_or(0, |line| indent(line));
    let mut last = first;
    for (index, line) in lines.iter().enumerate().skip(first) {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        if indent(line) <= own {
            let closes = text == "end" || text.starts_with("end ") || text.starts_with([')', ']', '}']);
            // Python lets the parameters end on the first column: `) -> int:`.
            if !closes {
                break;
            }
            last = index + 1;
            if text.ends_with(':') {
                continue;
            }
            break;
        }
        last = index + 1;
    }
    last
}

fn last_with_text(lines: &[&str], end: usize) -> usize {
    (1..=end).rev().find(|line| !lines[line - 1].trim().is_empty()).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(path: &str, text: &str) -> String {
        outline(&Source::new(path, text))
            .into_iter()
            .map(|one| format!("{} {}-{}", one.name, one.first, one.last))
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn languages_with_braces() {
        let typescript = "import x from 'y';\n\nexport class Cart {\n  private items = [];\n\n  async total(a: number): Promise<number> {\n    if (a) {\n      return 1;\n    }\n  }\n}\n\nexport const add = (a, b) => {\n  return a;\n};\nexport const LIMIT = 5;\ninterface Shape { a: string }\n";
        assert_eq!(
            names("a.ts", typescript),
            "Cart 3-11, Cart.total 6-10, add 13-15, LIMIT 16-16, Shape 17-17"
        );
        let rust = "pub(crate) struct Mark {\n    next: u64,\n}\n\nimpl Mark {\n    fn load(&mut self) -> Option<u64> {\n        let x = \"}\";\n        None\n    }\n}\n\nconst A: u8 = 1;\nfn short() {}\n";
        assert_eq!(names("a.rs", rust), "Mark 1-3, Mark 5-10, Mark.load 6-9, A 12-12, short 13-13");
        let go = "package x\n\nfunc (s *Server) Run(ctx context.Context) error {\n\treturn nil\n}\n\ntype Server struct {\n\tport int\n}\n";
        assert_eq!(names("a.go", go), "Run 3-5, Server 7-9");
        let c = "static int\nadd(int a, int b)\n{\n  return a + b;\n}\n\nint main(void) {\n  return add(1, 2);\n}\n";
        assert_eq!(names("a.c", c), "add 2-5, main 7-9");
        let java = "public class Shop {\n  @Override\n  public List<Item> all(int n) throws IOException {\n    return new ArrayList<>();\n  }\n}\n";
        assert_eq!(names("A.java", java), "Shop 1-6, Shop.all 3-5");
    }

    #[test]
    fn languages_with_indentation_and_other_texts() {
        let python = "import os\n\nclass Cart:\n    def total(self,\n              items):\n        return 1\n\n    def empty(self): pass\n\nasync def main():\n    pass\nx = 1\n";
        assert_eq!(names("a.py", python), "Cart 3-8, Cart.total 4-6, Cart.empty 8-8, main 10-11");
        let ruby = "module Shop\n  def total(x)\n    x\n  end\nend\n";
        assert_eq!(names("a.rb", ruby), "Shop 1-5, Shop.total 2-4");
        let markdown = "# Top\ntext\n## Inner\n```\n# not\n```\n# Next\n";
        assert_eq!(names("a.md", markdown), "Top 1-6, Inner 3-6, Next 7-7");
        let yaml = "jobs:\n  build:\n    runs-on: x\n  test:\n    steps: y\n";
        assert_eq!(
            names("a.yml", yaml),
            "jobs 1-5, jobs.build 2-3, jobs.build.runs-on 3-3, jobs.test 4-5, jobs.test.steps 5-5"
        );
        assert_eq!(names("a.toml", "[a]\nx = 1\n\n[b.c]\ny = 2\n"), "a 1-2, b.c 4-5");
        let sql = "create table users (\n  id int\n);\nselect 1;\n";
        assert_eq!(names("a.sql", sql), "users 1-3");
    }

    #[test]
    fn control_flow_declares_nothing() {
        let text = "if (a) {\n}\nfor (const x of y) {\n}\nreturn call(x) {\n}\nswitch (z) {\n}\n";
        assert_eq!(names("a.ts", text), "");
    }

    #[test]
    fn every_pattern_compiles() {
        for pattern in BRACE_HEADS.iter().chain(&STATEMENT_HEADS).chain(&KEY_HEADS).chain(&SECTION_HEADS) {
            assert!(pattern.is_some());
        }
    }

    proptest! {
        #[test]
        fn any_text_has_an_outline(text in "(class |def |fn |function )?[a-z {}();:\n#\"'=>]{0,80}") {
            for path in ["a.ts", "a.py", "a.md", "a.yml", "a.toml", "a.sql", "a.x"] {
                let source = Source::new(path, &text);
                for one in outline(&source) {
                    prop_assert!(1 <= one.first && one.first <= one.last && one.last <= source.lines.len());
                }
            }
        }
    }
}
