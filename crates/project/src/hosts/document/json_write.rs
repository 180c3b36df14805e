//! Writes our JSON in the manner of the document around it. Reads nothing.

use serde_json::Value;

/// How the neighbours are laid out.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layout<'a> {
    /// A member per line.
    Lines { newline: &'a str, indentation: &'a str, unit: &'a str },
    /// All on one line.
    OneLine { spaced: bool },
}

impl Layout<'_> {
    pub(super) fn member(self, key: &str, value: &Value) -> String {
        let mut out = String::new();
        self.write_member(key, value, 0, &mut out);
        out
    }

    pub(super) fn value(self, value: &Value) -> String {
        let mut out = String::new();
        self.write(value, 0, &mut out);
        out
    }

    fn write_member(self, key: &str, value: &Value, depth: usize, out: &mut String) {
        out.push_str(&Value::from(key).to_string());
        out.push_str(if self.spaced() { ": " } else { ":" });
        self.write(value, depth, out);
    }

    fn write(self, value: &Value, depth: usize, out: &mut String) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                out.push('{');
                for (index, (key, value)) in map.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.break_line(depth + 1, index > 0, out);
                    self.write_member(key, value, depth + 1, out);
                }
                self.break_line(depth, false, out);
                out.push('}');
            }
            Value::Array(values) => {
                out.push('[');
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.push_str(if self.spaced() { ", " } else { "," });
                    }
                    self.write(value, depth, out);
                }
                out.push(']');
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }

    fn break_line(self, depth: usize, after_comma: bool, out: &mut String) {
        match self {
            Layout::Lines { newline, indentation, unit } => {
                out.push_str(newline);
                out.push_str(indentation);
                out.push_str(&unit.repeat(depth));
            }
            Layout::OneLine { spaced } => out.push_str(if spaced && after_comma { " " } else { "" }),
        }
    }

    fn spaced(self) -> bool {
        match self {
            Layout::Lines { .. } => true,
            Layout::OneLine { spaced } => spaced,
        }
    }
}
