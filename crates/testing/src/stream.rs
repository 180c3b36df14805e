//! The client's own reading and writing of messages, in either framing.
//!
//! Strict where a server must be strict: whatever is not exactly one message is a failure of the server.

use std::io::{self, BufRead};

use serde_json::Value;

/// How messages are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON text on each line.
    Newline,
    /// `Content-Length: N`, an empty line, N bytes.
    ContentLength,
}

impl Framing {
    /// The bytes of one message.
    pub fn encode(self, message: &Value) -> Vec<u8> {
        let text = message.to_string();
        match self {
            Self::Newline => format!("{text}\n").into_bytes(),
            Self::ContentLength => format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes(),
        }
    }

    /// The next message, or `None` at a clean end of the stream; an error for anything that is not exactly a message.
    pub fn read(self, reader: &mut impl BufRead) -> io::Result<Option<Value>> {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = match self {
            Self::Newline => match line.strip_suffix(b"\n") {
                Some(text) => text.to_vec(),
                None => return Err(invalid("a last line without its end", &line)),
            },
            Self::ContentLength => {
                let length = std::str::from_utf8(&line)
                    .ok()
                    .and_then(|line| {
                        line.strip_prefix("Content-Length: ")?.strip_suffix("\r\n")?.parse::<usize>().ok()
                    })
                    .ok_or_else(|| invalid("not a Content-Length header", &line))?;
                let mut rest = vec![0; length + 2];
                reader.read_exact(&mut rest)?;
                match rest.strip_prefix(b"\r\n") {
                    Some(body) => body.to_vec(),
                    None => return Err(invalid("no empty line behind the header", &rest)),
                }
            }
        };
        serde_json::from_slice(&text).map(Some).map_err(|_| invalid("not JSON", &text))
    }
}

fn invalid(what: &str, bytes: &[u8]) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what}: {:?}", String::from_utf8_lossy(bytes)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for framing in [Framing::Newline, Framing::ContentLength] {
            let messages = [json!({"a": "ä\n"}), json!([1, 2])];
            let bytes: Vec<u8> = messages.iter().flat_map(|message| framing.encode(message)).collect();
            let mut reader = bytes.as_slice();
            for message in messages {
                assert_eq!(framing.read(&mut reader).unwrap(), Some(message));
            }
            assert_eq!(framing.read(&mut reader).unwrap(), None);
        }
    }

    #[test]
    fn anything_else_on_the_stream_is_a_failure() {
        for (framing, bytes) in [
            (Framing::Newline, "log line\n"),
            (Framing::Newline, "{}"),
            (Framing::Newline, "\n"),
            (Framing::ContentLength, "{}\n"),
            (Framing::ContentLength, "Content-Length: 2\n\n{}"),
            (Framing::ContentLength, "Content-Length: 2\r\n\n\r{}"),
            (Framing::ContentLength, "Content-Length: 3\r\n\r\n{}"),
        ] {
            assert!(framing.read(&mut bytes.as_bytes()).is_err(), "{bytes:?}");
        }
    }
}
