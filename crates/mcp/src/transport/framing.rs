//! Bytes in, frames out: the incremental machine that cuts a byte stream into messages.
//!
//! Owns the two framings (newline-delimited and `Content-Length`), how they are told apart, the bounds on what is
//! kept in memory, and how the stream goes on after a frame that cannot be used. It does no I/O and knows nothing
//! of JSON-RPC: what a frame says is for `messages`.

use std::collections::VecDeque;

use serde::de::IgnoredAny;

use super::header::{self, HeaderBlock, HeaderFault};
use super::outline::{Outline, Outliner};

/// How messages are told apart on the stream, decided by the peer's first JSON object, array or header.
///
/// Other lines before it decide nothing: they are taken, and answered, as lines. A header is one of the two that the
/// framing has: `nope: x` is a stray line like any other, or it would lock out the lines that follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON text on each line.
    Newline,
    /// A header block with `Content-Length`, an empty line, then that many bytes.
    ContentLength,
}

impl Framing {
    /// Appends one complete message to `out`. `json` must hold no raw line feed, as compact JSON never does.
    pub fn encode(self, json: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Newline => {
                out.extend_from_slice(json);
                out.push(b'\n');
            }
            Self::ContentLength => {
                out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", json.len()).as_bytes());
                out.extend_from_slice(json);
            }
        }
    }
}

/// What the stream said next.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// How the peer frames what follows, and is to be answered. Comes before everything else, and again if a header
    /// decides otherwise than the stray lines before it.
    Framing(Framing),
    /// The bytes of one message, within the bound; nothing is known yet of what they hold.
    Message(Vec<u8>),
    /// A message over the bound. It was not kept, and is reported once.
    Oversized {
        /// The size the peer announced, when its framing announces one.
        announced: Option<u64>,
        /// Whose message it was, as far as its bytes told.
        outline: Outline,
    },
    /// A header block that breaks the rules. Reported once for each block.
    BadHeader(HeaderFault),
    /// The input ended inside a message.
    Truncated,
}

/// The incremental decoder. The events do not depend on how the stream was cut into pieces.
#[derive(Debug)]
pub struct Decoder {
    max_message_bytes: usize,
    framing: Option<Framing>,
    /// The framing is the peer's choice, and final.
    decided: bool,
    state: State,
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum State {
    /// No meaningful byte yet; `mark` bytes of a byte order mark have been seen.
    Detecting {
        mark: usize,
    },
    /// The beginning of a line that is neither object nor array: a header if a colon follows a header's name.
    Name,
    Line,
    SkippingLine(Skipped),
    Headers(HeaderBlock),
    Body {
        remaining: usize,
    },
    SkippingBody {
        remaining: u64,
        skipped: Skipped,
    },
    /// The length of the body is unknown: look for the next header.
    Seeking {
        matched: usize,
        previous: u8,
    },
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Decoder {
    pub fn new(max_message_bytes: usize) -> Self {
        Self {
            max_message_bytes,
            framing: None,
            decided: false,
            state: State::Detecting { mark: 0 },
            buffer: Vec::new(),
        }
    }

    /// Takes the next piece of the stream and appends what it completes to `events`.
    pub fn push(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let used = match &self.state {
                State::Detecting { mark } => self.detect(*mark, rest, events),
                State::Name => self.name(rest, events),
                State::Line => self.line(rest, events),
                State::SkippingLine(_) => self.skip_line(rest, events),
                State::Headers(_) => self.headers(rest, events),
                State::Body { remaining } => self.body(*remaining, rest, events),
                State::SkippingBody { .. } => self.skip_body(rest, events),
                State::Seeking { matched, previous } => self.seek(*matched, *previous, rest),
            };
            rest = rest.get(used..).unwrap_or_default();
        }
    }

    /// Tells the decoder that the stream has ended.
    pub fn finish(&mut self, events: &mut VecDeque<Event>) {
        let buffer = std::mem::take(&mut self.buffer);
        match std::mem::replace(&mut self.state, State::Detecting { mark: 0 }) {
            State::Detecting { .. } | State::Seeking { .. } => {}
            State::Name | State::Line => {
                self.frame(Framing::Newline, events);
                let line = without_carriage_return(buffer);
                if line.len() > self.max_message_bytes {
                    Skipped::line(&line).end(events);
                } else if serde_json::from_slice::<IgnoredAny>(without_byte_order_mark(&line)).is_ok() {
                    events.push_back(Event::Message(line));
                } else if !is_blank(&line) {
                    events.push_back(Event::Truncated);
                }
            }
            State::Headers(block) => {
                if block.is_open() {
                    events.push_back(Event::Truncated);
                }
            }
            State::Body { .. } => events.push_back(Event::Truncated),
            State::SkippingLine(skipped) | State::SkippingBody { skipped, .. } => skipped.end(events),
        }
    }

    /// Looks at bytes until one begins a line; that byte itself is left for whoever reads the line.
    fn detect(&mut self, mut mark: usize, bytes: &[u8], events: &mut VecDeque<Event>) -> usize {
        for (index, byte) in bytes.iter().enumerate() {
            if BYTE_ORDER_MARK.get(mark) == Some(byte) {
                mark = (mark + 1) % BYTE_ORDER_MARK.len();
            } else if mark > 0 || !byte.is_ascii_whitespace() {
                if mark == 0 && matches!(byte, b'{' | b'[') {
                    self.decided = true;
                    self.begin_line(events);
                } else {
                    self.buffer.extend_from_slice(&BYTE_ORDER_MARK[..mark]);
                    self.state = State::Name;
                }
                return index;
            }
        }
        self.state = State::Detecting { mark };
        bytes.len()
    }

    /// Keeps bytes until they are a header's name or cannot be one; what ends the name is left to be read.
    fn name(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) -> usize {
        let end = bytes.iter().position(|byte| matches!(byte, b':' | b'\n'));
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        if self.buffer.len() + piece.len() > self.max_message_bytes.min(header::MAX_HEADER_BYTES) {
            self.begin_line(events);
            return 0;
        }
        self.buffer.extend_from_slice(piece);
        let Some(end) = end else { return piece.len() };
        if bytes[end] == b':' && header::is_known_name(self.buffer.trim_ascii_end()) {
            let block = HeaderBlock::starting_with(&std::mem::take(&mut self.buffer));
            self.decided = true;
            self.frame(Framing::ContentLength, events);
            self.state = State::Headers(block);
        } else {
            self.begin_line(events);
        }
        end
    }

    fn begin_line(&mut self, events: &mut VecDeque<Event>) {
        self.frame(Framing::Newline, events);
        self.state = State::Line;
    }

    fn frame(&mut self, framing: Framing, events: &mut VecDeque<Event>) {
        if self.framing != Some(framing) {
            self.framing = Some(framing);
            events.push_back(Event::Framing(framing));
        }
    }

    /// A line that decided nothing leaves it to the next one.
    fn after_line(&self) -> State {
        if self.decided { State::Line } else { State::Detecting { mark: 0 } }
    }

    fn line(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) -> usize {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        // One byte of grace: the last one may be the carriage return of the line's end.
        if self.buffer.len() + piece.len() > self.max_message_bytes.saturating_add(1) {
            let mut skipped = Skipped::new(None);
            skipped.feed(&std::mem::take(&mut self.buffer), events);
            self.state = State::SkippingLine(skipped);
            return 0;
        }
        self.buffer.extend_from_slice(piece);
        if end.is_none() {
            return piece.len();
        }
        let line = without_carriage_return(std::mem::take(&mut self.buffer));
        if line.len() > self.max_message_bytes {
            Skipped::line(&line).end(events);
        } else if !is_blank(&line) {
            events.push_back(Event::Message(line));
        }
        self.state = self.after_line();
        piece.len() + 1
    }

    fn skip_line(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) -> usize {
        let State::SkippingLine(skipped) = &mut self.state else { return 0 };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        skipped.feed(piece, events);
        if end.is_none() {
            return piece.len();
        }
        let next = self.after_line();
        if let State::SkippingLine(skipped) = std::mem::replace(&mut self.state, next) {
            skipped.end(events);
        }
        piece.len() + 1
    }

    fn headers(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) -> usize {
        let State::Headers(block) = &mut self.state else { return 0 };
        let step = block.push(bytes);
        if let Some(fault) = step.fault {
            events.push_back(Event::BadHeader(fault));
        }
        match step.body {
            None => {}
            Some(header::Body::Read(length)) => match usize::try_from(length) {
                Ok(0) => {
                    events.push_back(Event::Message(Vec::new()));
                    self.state = State::Headers(HeaderBlock::default());
                }
                Ok(remaining) if remaining <= self.max_message_bytes => {
                    self.state = State::Body { remaining };
                }
                _ => {
                    self.state =
                        State::SkippingBody { remaining: length, skipped: Skipped::new(Some(length)) };
                }
            },
            Some(header::Body::Skip(0)) => self.state = State::Headers(HeaderBlock::default()),
            Some(header::Body::Skip(remaining)) => {
                self.state = State::SkippingBody { remaining, skipped: Skipped::Reported };
            }
            Some(header::Body::Unknown) => {
                self.state = State::Seeking { matched: 0, previous: b'\n' };
            }
        }
        step.used
    }

    fn body(&mut self, remaining: usize, bytes: &[u8], events: &mut VecDeque<Event>) -> usize {
        let piece = &bytes[..remaining.min(bytes.len())];
        self.buffer.extend_from_slice(piece);
        if piece.len() == remaining {
            events.push_back(Event::Message(std::mem::take(&mut self.buffer)));
            self.state = State::Headers(HeaderBlock::default());
        } else {
            self.state = State::Body { remaining: remaining - piece.len() };
        }
        piece.len()
    }

    fn skip_body(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) -> usize {
        let State::SkippingBody { remaining, skipped } = &mut self.state else { return 0 };
        let used = usize::try_from(*remaining).unwrap_or(usize::MAX).min(bytes.len());
        skipped.feed(&bytes[..used], events);
        *remaining -= used as u64;
        if *remaining == 0 {
            let next = State::Headers(HeaderBlock::default());
            if let State::SkippingBody { skipped, .. } = std::mem::replace(&mut self.state, next) {
                skipped.end(events);
            }
        }
        used
    }

    /// Finds `Content-Length:` where a header can begin: on a new line, or right behind a JSON text.
    ///
    /// A `c` stands only at the needle's start, so after a mismatch nothing but that byte can begin a match.
    fn seek(&mut self, mut matched: usize, mut previous: u8, bytes: &[u8]) -> usize {
        for (index, byte) in bytes.iter().enumerate() {
            let lower = byte.to_ascii_lowercase();
            if matched > 0 && header::CONTENT_LENGTH_FIELD[matched] == lower {
                matched += 1;
                if matched == header::CONTENT_LENGTH_FIELD.len() {
                    self.state = State::Headers(HeaderBlock::starting_with(header::CONTENT_LENGTH_FIELD));
                    return index + 1;
                }
            } else {
                matched = usize::from(lower == b'c' && matches!(previous, b'\n' | b'}' | b']'));
            }
            previous = *byte;
        }
        self.state = State::Seeking { matched, previous };
        bytes.len()
    }
}

/// A message that is read past, not kept.
#[derive(Debug)]
enum Skipped {
    Unreported { announced: Option<u64>, outliner: Outliner },
    Reported,
}

impl Skipped {
    fn new(announced: Option<u64>) -> Self {
        Self::Unreported { announced, outliner: Outliner::default() }
    }

    fn line(line: &[u8]) -> Self {
        let mut outliner = Outliner::default();
        outliner.feed(line);
        Self::Unreported { announced: None, outliner }
    }

    /// Reports as soon as it is known whose message it is: a peer that announced more than it sends still gets
    /// its answer.
    fn feed(&mut self, bytes: &[u8], events: &mut VecDeque<Event>) {
        if let Self::Unreported { outliner, .. } = self {
            outliner.feed(bytes);
            if outliner.is_complete() {
                std::mem::replace(self, Self::Reported).end(events);
            }
        }
    }

    fn end(self, events: &mut VecDeque<Event>) {
        if let Self::Unreported { announced, outliner } = self {
            events.push_back(Event::Oversized { announced, outline: outliner.into_outline() });
        }
    }
}

/// RFC 8259 lets a reader ignore a byte order mark, and some peers write one before every message.
pub(super) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

fn without_carriage_return(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    line
}

fn is_blank(line: &[u8]) -> bool {
    without_byte_order_mark(line).iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests;
