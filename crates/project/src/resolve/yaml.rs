//! The small YAML files of package managers as values. Their forms are many (lists in brackets over lines, comments
//! anywhere, quoted keys, anchors), so that a parser reads them. What is read before a fault counts.

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, StrInput};
use serde_json::{Map, Value};

/// No honest file comes near it, and a hostile one must not exhaust the stack.
const DEEPEST: usize = 64;
/// In bytes, of a text that an alias may repeat: a few lines cannot become more than the memory holds.
const LONGEST_REPEATED: usize = 256;

/// What a text says, every single value as a text, and what is wrong with it.
pub(super) fn said(text: &str) -> (Value, Option<String>) {
    let parser = Parser::new_from_str(text.trim_start_matches('\u{feff}'));
    let mut reader = Reader { parser, repeated: FxHashMap::default(), fault: None };
    (reader.value(0).unwrap_or_default(), reader.fault)
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// Texts with an anchor, by its number.
    repeated: FxHashMap<usize, String>,
    fault: Option<String>,
}

impl<'t> Reader<'t> {
    /// Nothing where what is around it ends.
    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.next(depth)? {
            Event::Scalar(text, _, anchor, _) => {
                if anchor > 0 && text.len() <= LONGEST_REPEATED {
                    self.repeated.insert(anchor, text.clone().into_owned());
                }
                Some(Value::String(text.into_owned()))
            }
            Event::Alias(anchor) => Some(self.repeated.get(&anchor).cloned().into()),
            Event::SequenceStart(..) => {
                Some(Value::Array(std::iter::from_fn(|| self.value(depth + 1)).collect()))
            }
            Event::MappingStart(..) => {
                let mut entries = Map::new();
                while let Some(key) = self.value(depth + 1) {
                    let value = self.value(depth + 1).unwrap_or_default();
                    if let Value::String(key) = key {
                        entries.insert(key, value);
                    }
                }
                Some(Value::Object(entries))
            }
            _ => None,
        }
    }

    /// What comes next, unless it is the start of the text or of a document.
    fn next(&mut self, depth: usize) -> Option<Event<'t>> {
        while self.fault.is_none() {
            match self.parser.next_event()? {
                Ok((Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _)) => {}
                Ok((event, _)) if depth <= DEEPEST => return Some(event),
                Ok(_) => self.fault = Some("nested too deeply".to_owned()),
                Err(error) => self.fault = Some(error.to_string()),
            }
        }
        None
    }
}
