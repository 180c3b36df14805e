//! Hostile streams against the framing and against a whole server on in-memory pipes.
//!
//! A bounded number of cases in an ordinary run; for as many seconds as `BECKET_FUZZ_SECONDS` says when it is set.
//! A failure names its seed, with which `BECKET_FUZZ_SEED` runs the same cases again, and the smallest input found.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test: its length is asked for by the environment, and it says how much it did"
)]

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Duration;

use becket_mcp::transport::{Decoder, Event, Limits, serve};
use becket_testing::protocol::{initialize_params, modern_params, notification, request};
use becket_testing::{Framing, fuzz};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseError;
use rmcp::ServerHandler;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

const MAX_MESSAGE_BYTES: usize = 2000;

/// rmcp's default handler: it answers the lists and knows no tool.
#[derive(Debug, Clone)]
struct Plain;

impl ServerHandler for Plain {}

#[test]
fn the_cutting_of_a_hostile_stream_never_matters() {
    fuzz(2000, &(hostile_stream(), cuts()), |(Stream(stream), cuts)| {
        let whole = decode([stream.as_slice()]);
        prop_assert_eq!(&whole, &decode(pieces(&stream, &cuts)));
        prop_assert_eq!(&whole, &decode(stream.chunks(1)));
        Ok(())
    });
}

#[test]
fn a_hostile_stream_is_survived_and_answered_in_kind() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    fuzz(300, &(hostile_stream(), cuts()), |(Stream(stream), cuts)| {
        let output = runtime.block_on(converse(&stream, &cuts))?;
        let answers = match first_meaningful_byte(&stream) {
            None if output.is_empty() => return Ok(()),
            None => return Err(TestCaseError::fail("wrote before it read")),
            Some(b'{' | b'[') => read_all(Framing::Newline, &output)?,
            // Lines until a header decides otherwise, and never lines again.
            Some(_) => {
                let header = b"Content-Length: ";
                let lines = output
                    .split_inclusive(|byte| *byte == b'\n')
                    .take_while(|line| !line.starts_with(header));
                let (lines, framed) = output.split_at(lines.map(<[u8]>::len).sum());
                [read_all(Framing::Newline, lines)?, read_all(Framing::ContentLength, framed)?].concat()
            }
        };
        for answer in answers {
            prop_assert!(answer.is_object() || answer.is_array(), "{answer}");
        }
        Ok(())
    });
}

#[test]
fn every_request_is_answered_exactly_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let framing = select(vec![Framing::Newline, Framing::ContentLength]);
    let over_the_bound =
        (MAX_MESSAGE_BYTES..MAX_MESSAGE_BYTES * 3).prop_map(|size| vec![(Shape::Large(size), false)]);
    let group = prop_oneof![5 => vec(request_shape(), 1..5), 1 => over_the_bound];
    let conversation = (framing, vec(group, 1..10), cuts());
    fuzz(300, &conversation, |(framing, groups, cuts)| {
        let mut stream = framing.encode(&request(0, "initialize", initialize_params("2025-03-26")));
        let mut expected = BTreeMap::from([("0".to_owned(), 1)]);
        for group in groups {
            let mut members = Vec::new();
            for (shape, text_id) in group {
                let number = expected.len();
                let id = if text_id { json!(format!("r{number}")) } else { json!(number) };
                expected.insert(id.to_string(), 1);
                members.push(shape.message(&id));
            }
            let message = if members.len() == 1 { members.remove(0) } else { Value::Array(members) };
            stream.extend(framing.encode(&message));
        }
        let output = runtime.block_on(converse(&stream, &cuts))?;
        let mut answered = BTreeMap::new();
        for answer in read_all(framing, &output)? {
            let all = if let Value::Array(all) = answer { all } else { vec![answer] };
            for answer in all {
                *answered.entry(answer["id"].to_string()).or_insert(0) += 1;
            }
        }
        prop_assert_eq!(answered, expected);
        Ok(())
    });
}

/// Requests of every kind that is owed exactly one answer, alone and in a batch that fits the bound.
#[derive(Debug, Clone)]
enum Shape {
    Ping,
    List,
    IllShaped,
    Unknown,
    Modern,
    WrongVersion,
    Initialize,
    Large(usize),
}

impl Shape {
    fn message(&self, id: &Value) -> Value {
        match self {
            Self::Ping => request(id.clone(), "ping", Value::Null),
            Self::List => request(id.clone(), "tools/list", json!({})),
            Self::IllShaped => request(id.clone(), "tools/call", json!(["positional"])),
            Self::Unknown => request(id.clone(), "no/such/method", json!({"a": [1, {"b": "ü\n"}]})),
            Self::Modern => request(id.clone(), "prompts/list", modern_params(json!({}))),
            Self::WrongVersion => json!({"jsonrpc": "1.0", "id": id, "method": "ping"}),
            Self::Initialize => json!({"jsonrpc": "2.0", "id": id, "method": "initialize"}),
            // `id` behind the bulk, as one of the common clients writes it.
            Self::Large(size) => {
                json!({"method": "tools/call", "params": {"name": "x".repeat(*size)}, "jsonrpc": "2.0", "id": id})
            }
        }
    }
}

fn request_shape() -> impl Strategy<Value = (Shape, bool)> {
    let shape = prop_oneof![
        Just(Shape::Ping),
        Just(Shape::List),
        Just(Shape::IllShaped),
        Just(Shape::Unknown),
        Just(Shape::Modern),
        Just(Shape::WrongVersion),
        Just(Shape::Initialize),
        // A batch over the bound is answered as a whole, so the large ones stay under a quarter of it.
        (0..MAX_MESSAGE_BYTES / 8).prop_map(Shape::Large),
    ];
    (shape, any::<bool>())
}

/// A stream of good and bad frames in both framings, with bytes changed, added and taken away.
fn hostile_stream() -> impl Strategy<Value = Stream> {
    let frames = vec(frame(), 0..12).prop_map(|frames| frames.concat());
    let changes = vec((any::<Index>(), 0..3_u8, any::<u8>()), 0..6);
    (frames, changes).prop_map(|(mut stream, changes)| {
        for (index, kind, byte) in changes {
            let at = index.index(stream.len() + 1);
            match kind {
                0 => stream.insert(at, byte),
                1 if at < stream.len() => stream[at] = byte,
                _ if at < stream.len() => drop(stream.remove(at)),
                _ => {}
            }
        }
        Stream(stream)
    })
}

/// Bytes that a failure shows as they would be written in a test.
#[derive(Clone)]
struct Stream(Vec<u8>);

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "b\"{}\"", self.0.escape_ascii())
    }
}

fn frame() -> impl Strategy<Value = Vec<u8>> {
    let framing = select(vec![Framing::Newline, Framing::ContentLength]);
    prop_oneof![
        12 => (framing, message()).prop_map(|(framing, message)| framing.encode(&message)),
        1 => "[Cc]ontent-[Ll]ength: ?[-0-9a]{0,22}\r?\n(\r?\n)?".prop_map(String::into_bytes),
        1 => "(Content-Type: a/b(; charset=\"?utf-?(8|16)\"?)?|[a-z]{0,9}:?)\r?\n".prop_map(String::into_bytes),
        1 => "[ \r\n\t\u{feff}]{0,5}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..12),
        1 => (0..200_usize).prop_map(|depth| [b"{\"a\":[".repeat(depth), b"\n".to_vec()].concat()),
    ]
}

fn message() -> impl Strategy<Value = Value> {
    let id = prop_oneof![
        (0..6_i64).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
        Just(json!(null)),
        Just(json!(1.5))
    ];
    let method = select(vec![
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "server/discover",
        "subscriptions/listen",
        "resources/read",
        "shutdown",
        "exit",
        "notifications/cancelled",
        "notifications/initialized",
        "notifications/progress",
        "x",
    ]);
    let params = prop_oneof![
        Just(Value::Null),
        Just(json!([1])),
        select(vec!["2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28", "9"]).prop_map(initialize_params),
        Just(modern_params(json!({"name": "t", "uri": "a:b", "notifications": {}}))),
        (0..6).prop_map(|id| json!({"requestId": id})),
        (0..MAX_MESSAGE_BYTES * 2).prop_map(|size| json!({"name": "x".repeat(size)})),
    ];
    let single = prop_oneof![
        6 => (id.clone(), method, params).prop_map(|(id, method, params)| request(id, method, params)),
        2 => select(vec!["exit", "notifications/initialized", "$/x"]).prop_map(|method| notification(method, Value::Null)),
        1 => id.clone().prop_map(|id| json!({"jsonrpc": "2.0", "id": id, "result": {}})),
        1 => id.prop_map(|id| json!({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": "m"}})),
        1 => select(vec![json!(null), json!(5), json!("s"), json!({}), json!({"jsonrpc": "2.0"})]),
    ];
    prop_oneof![8 => single.clone(), 1 => vec(single, 0..5).prop_map(Value::Array)]
}

fn cuts() -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..12)
}

fn pieces<'a>(stream: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
    cuts.extend([0, stream.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect()
}

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
    let mut decoder = Decoder::new(MAX_MESSAGE_BYTES);
    let mut events = VecDeque::new();
    for piece in pieces {
        decoder.push(piece, &mut events);
    }
    decoder.finish(&mut events);
    events.into()
}

/// Feeds a server piece by piece, ends its input, and gives all it wrote. It must end, and cleanly.
async fn converse(stream: &[u8], cuts: &[Index]) -> Result<Vec<u8>, TestCaseError> {
    let (mut to_server, input) = tokio::io::duplex(512);
    let (output, mut from_server) = tokio::io::duplex(512);
    let limits =
        Limits { max_message_bytes: MAX_MESSAGE_BYTES, max_batch_messages: 4, drain: Duration::from_secs(5) };
    let server = tokio::spawn(serve(Plain, input, output, limits, CancellationToken::new()));
    let reader = tokio::spawn(async move {
        let mut bytes = Vec::new();
        from_server.read_to_end(&mut bytes).await.map(|_| bytes)
    });
    for piece in pieces(stream, cuts) {
        // A server that was told to exit takes no more.
        if to_server.write_all(piece).await.is_err() {
            break;
        }
        tokio::task::yield_now().await;
    }
    drop(to_server);
    let ended = tokio::time::timeout(Duration::from_secs(30), server).await;
    let result = ended.map_err(|_| TestCaseError::fail("the server did not end"))?;
    result
        .map_err(|error| TestCaseError::fail(format!("the server panicked: {error}")))?
        .map_err(|error| TestCaseError::fail(format!("the server failed: {error}")))?;
    Ok(reader.await.unwrap().unwrap())
}

fn read_all(framing: Framing, mut output: &[u8]) -> Result<Vec<Value>, TestCaseError> {
    let mut answers = Vec::new();
    while let Some(answer) =
        framing.read(&mut output).map_err(|error| TestCaseError::fail(error.to_string()))?
    {
        answers.push(answer);
    }
    Ok(answers)
}

/// Written again on purpose, in another way than the server does it.
fn first_meaningful_byte(stream: &[u8]) -> Option<u8> {
    let mut rest = stream;
    loop {
        let trimmed = rest.trim_ascii_start();
        let unmarked = trimmed.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(trimmed);
        if unmarked.len() == rest.len() {
            return if b"\xEF\xBB".starts_with(rest) { None } else { rest.first().copied() };
        }
        rest = unmarked;
    }
}
