//! What can be told of a message that is too large to keep: whose it is, read while it passes by.
//!
//! Owns a scanner with constant memory that finds the top-level `id`, and whether the object is a call or an
//! answer, wherever they stand in it. It validates nothing.

use rmcp::model::RequestId;

/// Whose message it was, as far as is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    pub id: Option<RequestId>,
    pub kind: OutlineKind,
}

/// What the members of the object say that it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutlineKind {
    #[default]
    Unknown,
    /// It has a `method`.
    Call,
    /// It has a `result` or an `error`.
    Answer,
}

/// A longer id is not worth keeping: the message is answered without one.
const MAX_CAPTURE: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Outliner {
    outline: Outline,
    depth: u64,
    in_string: bool,
    escaped: bool,
    reading_value: bool,
    key_is_id: bool,
    capture: Vec<u8>,
    /// Nothing more is to be learnt: all is known, or the text is not one object.
    settled: bool,
}

impl Outliner {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.settled {
                return;
            }
            self.step(*byte);
            self.settled |= self.is_complete();
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.outline.id.is_some() && self.outline.kind != OutlineKind::Unknown
    }

    pub(super) fn into_outline(self) -> Outline {
        self.outline
    }

    fn step(&mut self, byte: u8) {
        let top_level = self.depth == 1;
        if self.in_string {
            if top_level {
                self.keep(byte);
            }
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if top_level {
                    self.keep(byte);
                }
            }
            b'{' | b'[' => {
                self.settled |= self.depth == 0 && byte == b'[';
                self.depth = self.depth.saturating_add(1);
                // An id is never a container, and its inner strings must not be taken for one.
                self.key_is_id &= !top_level;
            }
            b'}' | b']' => {
                if top_level {
                    self.end_member();
                    self.settled = true;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if top_level && !self.reading_value => self.end_key(),
            b',' if top_level => self.end_member(),
            _ if top_level && !byte.is_ascii_whitespace() => self.keep(byte),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        let wanted = !self.reading_value || self.key_is_id;
        // One byte over the bound marks the capture as unusable.
        if wanted && self.capture.len() <= MAX_CAPTURE {
            self.capture.push(byte);
        }
    }

    fn end_key(&mut self) {
        let key = std::mem::take(&mut self.capture);
        self.reading_value = true;
        self.key_is_id = key == b"\"id\"";
        match key.as_slice() {
            b"\"method\"" => self.outline.kind = OutlineKind::Call,
            b"\"result\"" | b"\"error\"" if self.outline.kind == OutlineKind::Unknown => {
                self.outline.kind = OutlineKind::Answer;
            }
            _ => {}
        }
    }

    fn end_member(&mut self) {
        let value = std::mem::take(&mut self.capture);
        if self.key_is_id && value.len() <= MAX_CAPTURE {
            self.outline.id = serde_json::from_slice(&value).ok();
        }
        self.key_is_id = false;
        self.reading_value = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Outline {
        let mut whole = Outliner::default();
        whole.feed(text.as_bytes());
        let mut bytewise = Outliner::default();
        for byte in text.as_bytes() {
            bytewise.feed(&[*byte]);
        }
        let outline = whole.into_outline();
        assert_eq!(outline, bytewise.into_outline(), "{text}");
        outline
    }

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        let first = outline(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":9}}"#);
        assert_eq!(first, Outline { id: Some(RequestId::Number(7)), kind: OutlineKind::Call });
        let last = outline(
            r#" { "method" : "x" , "params" : { "id" : [1,{"id":2}] , "s":"},\"id\":3" } , "id" : "a\"b" } "#,
        );
        assert_eq!(last, Outline { id: Some(RequestId::String("a\"b".into())), kind: OutlineKind::Call });
    }

    #[test]
    fn an_answer_is_not_a_call() {
        assert_eq!(outline(r#"{"id":0,"result":{"method":"x"}}"#).kind, OutlineKind::Answer);
        assert_eq!(outline(r#"{"id":0,"error":{}}"#).kind, OutlineKind::Answer);
    }

    #[test]
    fn what_is_not_known_stays_unknown() {
        for text in [
            "",
            "[",
            r#"[{"id":1,"method":"x"}]"#,
            "\"id\":1",
            r#"{"id":{"id":1}}"#,
            r#"{"id":["1"]}"#,
            r#"{"id":null}"#,
        ] {
            assert_eq!(outline(text).id, None, "{text}");
        }
        let long = format!(r#"{{"id":"{}","method":"x"}}"#, "a".repeat(MAX_CAPTURE));
        assert_eq!(outline(&long).id, None);
        assert_eq!(outline(r#"{"method":"notifications/x","params":{"id":1}}"#).id, None);
    }
}
