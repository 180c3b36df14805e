//! The YAML text as a tree in which every node knows its bytes. It knows YAML and nothing of tasks.
//!
//! Only what is asked for becomes a tree: of a file with 50,000 tasks one task at a time.

use std::{borrow::Cow, collections::BTreeMap};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, StrInput};

use super::error::{Place, SpecError};

#[derive(Debug, Clone)]
pub(super) struct Node<'t> {
    pub(super) kind: Kind<'t>,
    /// The bytes of its content: of a block scalar without its `|`, of a quoted one with its quotes.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) place: Place,
    /// It carries an anchor or a tag, or stands for another node: its bytes are not its alone.
    pub(super) entangled: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Kind<'t> {
    Scalar { text: Cow<'t, str>, style: Style },
    Sequence { items: Vec<Node<'t>>, flow: bool },
    Mapping { entries: Vec<(Node<'t>, Node<'t>)>, flow: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Nothing is written at all.
    Absent,
    Plain,
    Single,
    Double,
    Block,
}

impl Node<'_> {
    /// What it is, for a person.
    pub(super) fn found(&self) -> &'static str {
        match &self.kind {
            _ if self.is_null() => "empty",
            Kind::Scalar { .. } => "a single value",
            Kind::Sequence { .. } => "a list",
            Kind::Mapping { .. } => "a mapping",
        }
    }

    /// About the bytes that a copy takes.
    fn weight(&self) -> usize {
        let inside: usize = match &self.kind {
            Kind::Scalar { text, .. } => text.len(),
            Kind::Sequence { items, .. } => items.iter().map(Node::weight).sum(),
            Kind::Mapping { entries, .. } => {
                entries.iter().map(|(key, value)| key.weight() + value.weight()).sum()
            }
        };
        size_of::<Self>() / 2 + inside
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, style: Style::Plain | Style::Absent }
            if matches!(&**text, "" | "~" | "null" | "Null" | "NULL"))
    }
}

/// The events of one text, with byte positions.
pub(super) struct Events<'t> {
    parser: Parser<'t, StrInput<'t>>,
    text: &'t str,
    positions: Positions<'t>,
    anchors: BTreeMap<usize, Node<'t>>,
    /// What was copied for anchors and aliases so far, as [`Node::weight`].
    repeated: usize,
    is_entangled: bool,
}

/// One event and its bytes.
#[derive(Debug)]
pub(super) struct Step<'t> {
    pub(super) event: Event<'t>,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) place: Place,
}

/// No honest file comes near it, and a hostile one must not exhaust the stack.
const DEEPEST: usize = 64;
/// What may be copied for anchors and aliases, so that a few lines cannot exhaust the memory: a million values.
const MOST_REPEATED: usize = 64 << 20;

impl<'t> Events<'t> {
    /// `text` without its byte order mark.
    pub(super) fn new(text: &'t str) -> Self {
        let positions = Positions { text, ascii: text.is_ascii(), characters: 0, bytes: 0 };
        Self {
            parser: Parser::new_from_str(text),
            text,
            positions,
            anchors: BTreeMap::new(),
            repeated: 0,
            is_entangled: false,
        }
    }

    pub(super) fn next(&mut self) -> Result<Step<'t>, SpecError> {
        match self.parser.next_event() {
            None => Err(malformed(Place { line: 1, column: 1 }, "the text ends too early")),
            Some(Err(error)) => Err(malformed(place(*error.marker()), error.info())),
            Some(Ok((event, span))) => {
                let start = self.positions.byte(span.start.index());
                let end = self.positions.byte(span.end.index());
                self.is_entangled |= match &event {
                    Event::Alias(_) => true,
                    Event::Scalar(_, _, anchor, tag) => *anchor > 0 || tag.is_some(),
                    Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => {
                        *anchor > 0 || tag.is_some()
                    }
                    _ => false,
                };
                Ok(Step { event, start, end, place: place(span.start) })
            }
        }
    }

    /// Whether any node so far had an anchor or a tag, or stood for another.
    pub(super) fn is_entangled(&self) -> bool {
        self.is_entangled
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn node(&mut self) -> Result<Node<'t>, SpecError> {
        let step = self.next()?;
        self.node_from(step, 0)
    }

    /// The node that `step` begins.
    pub(super) fn node_from(&mut self, step: Step<'t>, depth: usize) -> Result<Node<'t>, SpecError> {
        let Step { event, start, end, place } = step;
        if depth > DEEPEST {
            return Err(malformed(place, "nested too deeply"));
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let (end, style) = self.extent(style, start, end, &text);
                let text = if style == Style::Absent { Cow::Borrowed("") } else { text };
                let node = Node {
                    kind: Kind::Scalar { text, style },
                    start,
                    end,
                    place,
                    entangled: anchor > 0 || tag.is_some(),
                };
                self.remember(anchor, node)
            }
            Event::Alias(anchor) => {
                let target = self.anchors.get(&anchor);
                let target = target.ok_or_else(|| malformed(place, "an alias without its anchor"))?;
                self.repeated = few(self.repeated + target.weight(), place)?;
                Ok(Node { start, end, place, entangled: true, ..target.clone() })
            }
            Event::SequenceStart(anchor, tag) => {
                let flow = end > start;
                let mut items = Vec::new();
                loop {
                    let step = self.next()?;
                    if matches!(step.event, Event::SequenceEnd) {
                        let end =
                            if flow { step.end } else { items.last().map_or(start, |last: &Node| last.end) };
                        let kind = Kind::Sequence { items, flow };
                        let entangled = anchor > 0 || tag.is_some();
                        return self.remember(anchor, Node { kind, start, end, place, entangled });
                    }
                    items.push(self.node_from(step, depth + 1)?);
                }
            }
            Event::MappingStart(anchor, tag) => {
                let flow = end > start;
                let mut entries = Vec::new();
                loop {
                    let step = self.next()?;
                    if matches!(step.event, Event::MappingEnd) {
                        let end = if flow {
                            step.end
                        } else {
                            entries.last().map_or(start, |(_, last): &(_, Node)| last.end)
                        };
                        let kind = Kind::Mapping { entries, flow };
                        let entangled = anchor > 0 || tag.is_some();
                        return self.remember(anchor, Node { kind, start, end, place, entangled });
                    }
                    let key = self.node_from(step, depth + 1)?;
                    let value = self.next()?;
                    let value = self.node_from(value, depth + 1)?;
                    entries.push((key, value));
                }
            }
            _ => Err(malformed(place, "a value is missing")),
        }
    }

    fn remember(&mut self, anchor: usize, node: Node<'t>) -> Result<Node<'t>, SpecError> {
        if anchor > 0 {
            self.repeated = few(self.repeated + node.weight(), node.place)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    /// Where a scalar's content really ends: the parser's spans run on over comments and into the next line.
    fn extent(&self, style: ScalarStyle, start: usize, end: usize, content: &str) -> (usize, Style) {
        let bytes = self.text.as_bytes();
        match style {
            ScalarStyle::Plain if start == end => (end, Style::Absent),
            ScalarStyle::Plain => (end, Style::Plain),
            ScalarStyle::SingleQuoted => (quoted_end(bytes, start, b'\''), Style::Single),
            ScalarStyle::DoubleQuoted => (quoted_end(bytes, start, b'"'), Style::Double),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let mut end = self.text.get(..end).and_then(|before| before.rfind('\n')).map_or(end, |at| {
                    // At the end of the file the last line may lack its break.
                    let rest = self.text.get(at + 1..end).unwrap_or_default();
                    if rest.trim().is_empty() { at + 1 } else { end }
                });
                end = end.max(start);
                // Blank lines that are no content belong to whoever comes next.
                if !content.ends_with("\n\n") && content != "\n" {
                    while let Some(shorter) = self.text.get(start..end).and_then(without_blank_line) {
                        end = start + shorter;
                    }
                }
                (end, Style::Block)
            }
        }
    }
}

fn few(repeated: usize, place: Place) -> Result<usize, SpecError> {
    if repeated <= MOST_REPEATED {
        return Ok(repeated);
    }
    Err(malformed(place, "the anchors and aliases up to here stand for more than a million values"))
}

/// The length of `text` without its last line, if that one is blank and not the only one.
fn without_blank_line(text: &str) -> Option<usize> {
    let body = text.strip_suffix('\n')?;
    let at = body.rfind('\n')?;
    body.get(at + 1..)?.trim().is_empty().then_some(at + 1)
}

/// The position after the closing quote.
fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' && quote == b'"' {
            at += 2;
        } else if byte == quote {
            if quote == b'\'' && bytes.get(at + 1) == Some(&quote) {
                at += 2;
            } else {
                return at + 1;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

pub(super) fn malformed(place: Place, problem: impl Into<String>) -> SpecError {
    SpecError::Malformed { place, problem: problem.into() }
}

fn place(marker: Marker) -> Place {
    Place { line: marker.line().max(1), column: marker.col() + 1 }
}

/// From the parser's counting in characters to bytes. The markers come nearly in order, so that the walk is short.
struct Positions<'t> {
    text: &'t str,
    ascii: bool,
    characters: usize,
    bytes: usize,
}

impl Positions<'_> {
    fn byte(&mut self, character: usize) -> usize {
        if self.ascii {
            return character.min(self.text.len());
        }
        while self.characters < character {
            let Some(next) = self.text.get(self.bytes..).and_then(|rest| rest.chars().next()) else { break };
            self.bytes += next.len_utf8();
            self.characters += 1;
        }
        while self.characters > character {
            let Some(last) = self.text.get(..self.bytes).and_then(|before| before.chars().next_back()) else {
                break;
            };
            self.bytes -= last.len_utf8();
            self.characters -= 1;
        }
        self.bytes
    }
}
