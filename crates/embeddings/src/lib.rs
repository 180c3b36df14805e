//! Text to vectors through one OpenAI-compatible provider; the only crate that makes an outgoing connection.
