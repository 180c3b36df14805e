//! What a style sheet (CSS or SCSS) has: selectors, properties, and which features it uses. Read by its braces alone, so
//! whatever the text is, there is an answer; the indented syntax of Sass has none and says nothing.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Of all sheets of a kind that one file imports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    selectors: BTreeSet<String>,
    properties: BTreeSet<String>,
    has_variables: bool,
    has_nesting: bool,
    has_mixins: bool,
}

type Letters<'t> = std::iter::Peekable<std::str::Chars<'t>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Rule,
    Other,
}

impl Sheet {
    /// Takes in the text of one sheet.
    pub fn read(&mut self, text: &str) {
        let mut blocks: Vec<Block> = Vec::new();
        let mut piece = String::new();
        let mut rest: Letters<'_> = text.trim_start_matches('\u{feff}').chars().peekable();
        while let Some(letter) = rest.next() {
            match (letter, rest.peek()) {
                ('/', Some('*')) => {
                    rest.next();
                    skip(&mut rest, Some(('*', '/')));
                }
                // `//` is a comment of SCSS, and in CSS it stands in addresses only.
                ('/', Some('/')) if !piece.ends_with(':') => skip(&mut rest, None),
                ('"' | '\'', _) => {
                    piece.push(letter);
                    while let Some(inner) = rest.next() {
                        piece.push(inner);
                        match inner {
                            '\\' => piece.extend(rest.next()),
                            '\n' => break,
                            inner if inner == letter => break,
                            _ => {}
                        }
                    }
                }
                // `#{$name}` is part of what it stands in.
                ('#', Some('{')) => {
                    piece.push('#');
                    for inner in rest.by_ref() {
                        piece.push(inner);
                        if inner == '}' {
                            break;
                        }
                    }
                }
                ('{', _) => {
                    let block = self.open(piece.trim(), &blocks);
                    blocks.push(block);
                    piece.clear();
                }
                (';', _) => {
                    self.declare(piece.trim());
                    piece.clear();
                }
                ('}', _) => {
                    self.declare(piece.trim());
                    piece.clear();
                    blocks.pop();
                }
                (letter, _) => piece.push(letter),
            }
        }
        self.declare(piece.trim());
    }

    /// Lists in `full`, counts in `lean`; the features in both.
    pub(super) fn view(&self, full: bool) -> Option<Value> {
        if *self == Self::default() {
            return None;
        }
        let mut shown = Map::new();
        for (many, count, names) in [
            ("selectors", "selectorCount", &self.selectors),
            ("properties", "propertyCount", &self.properties),
        ] {
            let (key, value) = if full { (many, json!(names)) } else { (count, json!(names.len())) };
            shown.insert(key.to_owned(), value);
        }
        let features = json!({
            "variables": self.has_variables, "nesting": self.has_nesting, "mixins": self.has_mixins,
        });
        shown.insert("features".to_owned(), features);
        Some(Value::Object(shown))
    }

    fn open(&mut self, head: &str, around: &[Block]) -> Block {
        if let Some(rule) = head.strip_prefix('@') {
            self.has_mixins |= rule.starts_with("mixin") || rule.starts_with("include");
            return Block::Other;
        }
        self.has_nesting |= around.contains(&Block::Rule);
        for selector in head.split(',') {
            let selector = selector.split_whitespace().collect::<Vec<_>>().join(" ");
            // Steps of an animation, and properties that are grouped (`font: { … }`), select nothing.
            let is_step = selector.ends_with('%') || matches!(selector.as_str(), "from" | "to");
            if !selector.is_empty() && !is_step && !selector.ends_with(':') {
                self.selectors.insert(selector);
            }
        }
        Block::Rule
    }

    fn declare(&mut self, piece: &str) {
        if let Some(rule) = piece.strip_prefix('@') {
            self.has_mixins |= rule.starts_with("include");
            return;
        }
        let Some((name, _)) = piece.split_once(':') else { return };
        let name = name.trim();
        if name.starts_with('$') || name.starts_with("--") {
            self.has_variables = true;
        } else if !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-')
        {
            self.properties.insert(name.to_ascii_lowercase());
        }
    }
}

/// Up to the end of a comment: a pair of characters, or the end of the line.
fn skip(rest: &mut Letters<'_>, end: Option<(char, char)>) {
    let mut before = None;
    for letter in rest.by_ref() {
        match end {
            Some((first, last)) if before == Some(first) && letter == last => return,
            None if letter == '\n' => return,
            _ => before = Some(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Value {
        let mut sheet = Sheet::default();
        sheet.read(text);
        sheet.view(true).unwrap_or_default()
    }

    #[test]
    fn scss_is_read_by_its_braces() {
        let scss = "@use 'vars'; // not { this }\n$c: red;\n@mixin big($x) { font-size: $x; }\n/* .no { top: 0 } */\n\
            .a, .a > .b:hover { color: $c; @include big(2px); &__el { margin: 0 } .#{$name} { background: url(\"a;b{}\") } }\n\
            @keyframes in { from { opacity: 0 } 50% { opacity: 1 } }";
        assert_eq!(
            shown(scss),
            json!({
                "selectors": ["&__el", ".#{$name}", ".a", ".a > .b:hover"],
                "properties": ["background", "color", "font-size", "margin", "opacity"],
                "features": {"variables": true, "nesting": true, "mixins": true},
            })
        );
    }

    #[test]
    fn plain_css_has_neither_nesting_nor_mixins() {
        let css = ":root { --c: red }\n@media (min-width: 10px) { .a { COLOR: blue; background: url(http://x/y) } }";
        assert_eq!(
            shown(css),
            json!({
                "selectors": [".a", ":root"],
                "properties": ["background", "color"],
                "features": {"variables": true, "nesting": false, "mixins": false},
            })
        );
        assert_eq!(shown(""), Value::Null);
        assert_eq!(shown("}}{{\"'\\"), shown("}}{{\"'\\"));
    }
}
