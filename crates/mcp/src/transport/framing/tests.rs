//! The framing machine: what each kind of stream says, and that its cutting into pieces never matters.

use proptest::collection::vec;
use proptest::prelude::*;
use rmcp::model::RequestId;

use super::super::header::MAX_HEADER_BYTES;
use super::super::outline::OutlineKind;
use super::*;

const MAX: usize = 64;

fn decode_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Option<Framing>, Vec<Event>) {
    let mut decoder = Decoder::new(MAX);
    let mut events = VecDeque::new();
    for piece in pieces {
        decoder.push(piece, &mut events);
        let kept = decoder.buffer.len();
        assert!(kept <= MAX + 1, "{kept} bytes kept");
    }
    decoder.finish(&mut events);
    let said_first = matches!(events.front(), None | Some(Event::Framing(_)));
    assert!(said_first, "nothing can be answered before the framing is known: {events:?}");
    let mut framing = None;
    events.retain(|event| match event {
        Event::Framing(next) => {
            framing = Some(*next);
            false
        }
        _ => true,
    });
    (framing, events.into())
}

/// Decodes the stream whole and byte by byte, and expects the same.
fn decode(stream: impl AsRef<[u8]>) -> Vec<Event> {
    let stream = stream.as_ref();
    let whole = decode_pieces([stream]);
    assert_eq!(whole, decode_pieces(stream.chunks(1)), "{:?}", String::from_utf8_lossy(stream));
    whole.1
}

fn message(text: &str) -> Event {
    Event::Message(text.as_bytes().to_vec())
}

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn oversized(id: i64, kind: OutlineKind, announced: Option<u64>) -> Event {
    Event::Oversized { announced, outline: Outline { id: Some(RequestId::Number(id)), kind } }
}

#[test]
fn an_object_an_array_or_a_header_tells_the_framing() {
    for (stream, framing) in [
        ("", None),
        (" \r\n\t", None),
        ("\u{feff}", None),
        ("{", Some(Framing::Newline)),
        ("[", Some(Framing::Newline)),
        (" \r\n\u{feff} \n{", Some(Framing::Newline)),
        ("C", Some(Framing::Newline)),
        ("Content-Length:", Some(Framing::ContentLength)),
        ("\u{feff}content-length: 1", Some(Framing::ContentLength)),
        ("5", Some(Framing::Newline)),
        ("\"", Some(Framing::Newline)),
        ("hello\n", Some(Framing::Newline)),
        ("hello\nContent-Length : 1", Some(Framing::ContentLength)),
        ("hello\n{}\nContent-Length: 1", Some(Framing::Newline)),
    ] {
        assert_eq!(decode_pieces([stream.as_bytes()]).0, framing, "{stream:?}");
        assert_eq!(decode_pieces(stream.as_bytes().chunks(1)).0, framing, "{stream:?}");
    }
    assert_eq!(decode_pieces([b"\xEF{".as_slice()]).0, Some(Framing::Newline));
    assert_eq!(decode_pieces([b"\xEF\xBB".as_slice()]).0, None);
}

#[test]
fn a_first_line_that_is_no_header_is_a_line_and_decides_nothing() {
    for first in
        ["null", "5", "\"x: y\"", "hello", "\0", "a b: c", ": x", "\u{1b}[0m: x", "nope: x", "Content: 5"]
    {
        let mut decoder = Decoder::new(MAX);
        let mut events = VecDeque::new();
        decoder.push(first.as_bytes(), &mut events);
        assert!(!events.iter().any(|event| matches!(event, Event::Message(_))), "{first:?} is not whole");
        assert_eq!(decode(format!("{first}\r\n{{}}\n[1]\n")), [first, "{}", "[1]"].map(message));
        assert_eq!(decode(format!("{first}\n{first}\n{}", framed("{}"))), [first, first, "{}"].map(message));
    }
    let unknown = Event::Oversized { announced: None, outline: Outline::default() };
    assert_eq!(decode(format!("{}\n{}", "x".repeat(MAX * 3), framed("{}"))), [unknown, message("{}")]);
    assert_eq!(decode("5"), [message("5")]);
}

#[test]
fn what_decides_the_framing_is_said_before_what_it_holds_for() {
    let mut events = VecDeque::new();
    Decoder::new(MAX).push(format!("nope: x\n5\n{}", framed("[]")).as_bytes(), &mut events);
    let (lines, headers) = (Event::Framing(Framing::Newline), Event::Framing(Framing::ContentLength));
    assert_eq!(events, [lines, message("nope: x"), message("5"), headers, message("[]")]);
}

#[test]
fn lines_are_messages_and_blank_ones_are_not() {
    let events = decode("\n {\"a\":1}\r\n\r\n  \t\n[2]\n\u{feff}\nnot json\n\"\"\n");
    let expected = ["{\"a\":1}", "[2]", "not json", "\"\""];
    assert_eq!(events, expected.map(message));
}

#[test]
fn a_last_line_without_its_end_counts_when_it_is_whole() {
    assert_eq!(decode("{\"a\":1}\n{\"b\":2}"), [message("{\"a\":1}"), message("{\"b\":2}")]);
    assert_eq!(decode("{\"b\":2}\r"), [message("{\"b\":2}")]);
    assert_eq!(decode("{\"a\":1}\n{\"b\":"), [message("{\"a\":1}"), Event::Truncated]);
    assert_eq!(decode("{\"a\":1}\n  "), [message("{\"a\":1}")]);
    assert_eq!(decode("{\"a\":1"), [Event::Truncated]);
}

#[test]
fn a_line_over_the_bound_is_reported_once_and_the_stream_goes_on() {
    let filler = "x".repeat(MAX);
    let early = format!("{{\"id\":1,\"method\":\"m\",\"p\":\"{filler}\"}}");
    let late = format!("{{\"p\":\"{filler}\",\"result\":0,\"id\":2}}");
    let events = decode(format!("{{}}\n{early}\n{late}\r\n{{}}\n{early}"));
    let call = oversized(1, OutlineKind::Call, None);
    let answer = oversized(2, OutlineKind::Answer, None);
    assert_eq!(events, [message("{}"), call.clone(), answer, message("{}"), call]);
}

#[test]
fn the_bound_is_exact() {
    for end in ["\n", "\r\n", ""] {
        let fits = format!("[\"{}\"]", "x".repeat(MAX - 4));
        assert_eq!(decode(format!("{fits}{end}")), [message(&fits)]);
        let over = format!("[\"{}\"]", "x".repeat(MAX - 3));
        let unknown = Event::Oversized { announced: None, outline: Outline::default() };
        assert_eq!(decode(format!("{over}{end}")), [unknown]);
    }
    let fits = format!("[\"{}\"]", "x".repeat(MAX - 4));
    assert_eq!(decode(framed(&fits)), [message(&fits)]);
    let over = format!("[\"{}\"]", "x".repeat(MAX - 3));
    let unknown = Event::Oversized { announced: Some(MAX as u64 + 1), outline: Outline::default() };
    assert_eq!(decode(framed(&over)), [unknown]);
}

#[test]
fn headers_in_any_order_case_and_line_end() {
    let stream = "content-length:2\n\n{}\r\n\r\nX-Other: a:b\r\nContent-Type: application/vscode-jsonrpc; charset=UTF-8\r\n\
                  CONTENT-LENGTH :  0003 \r\n\r\n[1]Content-Length: 2\r\nContent-Type: application/json\r\n\r\n[]";
    assert_eq!(decode(stream), [message("{}"), message("[1]"), message("[]")]);
    let body = "{\n\"a\":\n1}\n";
    assert_eq!(decode(framed(body)), [message(body)]);
    assert_eq!(decode("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}"), [message(""), message("{}")]);
}

#[test]
fn a_bad_header_is_reported_and_the_next_message_is_found() {
    let invalid = |value: &str| HeaderFault::InvalidLength { value: value.to_owned() };
    let charset = HeaderFault::UnsupportedCharset { charset: "utf-16".to_owned() };
    for (block, fault, delivered) in [
        ("Content-Type: x\r\n", HeaderFault::MissingLength, false),
        ("Content-Length: -2\r\n", invalid("-2"), false),
        ("Content-Length: +2\r\n", invalid("+2"), false),
        ("Content-Length: two\r\n", invalid("two"), false),
        ("Content-Length:\r\n", invalid(""), false),
        ("Content-Length: 2, 2\r\n", invalid("2, 2"), false),
        ("Content-Length: 18446744073709551616\r\n", invalid("18446744073709551616"), false),
        ("Content-Length: 9\r\nContent-Length: 9\r\n", HeaderFault::DuplicateLength, false),
        ("Content-Length: 9\r\nContent-Length: 8\r\n", HeaderFault::DuplicateLength, false),
        ("Content-Type: a; charset=\"utf-16\"\r\nContent-Length: 9\r\n", charset, false),
        ("Server started\r\nContent-Length: 9\r\n", HeaderFault::NotAHeader, true),
        ("\u{1b}[0m: x\nContent-Length: 9\r\n", HeaderFault::NotAHeader, true),
    ] {
        let body = "{\"lost\":1"; // Not even JSON: nothing is read from it.
        let stream = format!("{}{block}\r\n{body}}}\r\n{}", framed("[]"), framed("{\"a\":1}"));
        let mut expected = vec![message("[]"), Event::BadHeader(fault)];
        if delivered {
            // The closing brace is then garbage before the next header.
            expected.extend([message(body), Event::BadHeader(HeaderFault::NotAHeader)]);
        } else if block.contains("utf-16") || block.contains("9\r\nContent-Length: 9") {
            expected.push(Event::BadHeader(HeaderFault::NotAHeader));
        }
        expected.push(message("{\"a\":1}"));
        assert_eq!(decode(stream), expected, "{block:?}");
    }
}

#[test]
fn the_next_header_is_found_right_behind_a_body_of_unknown_length() {
    let stream = format!("Content-Length: x\r\n\r\n{{\"t\":\"Content-Length: 3\"}}{}", framed("[1]"));
    let fault = HeaderFault::InvalidLength { value: "x".to_owned() };
    assert_eq!(decode(stream), [Event::BadHeader(fault), message("[1]")]);
}

#[test]
fn a_header_block_is_bounded() {
    for block in
        [format!("X: {}\n", "y".repeat(MAX_HEADER_BYTES)), "X: y\r\n".repeat(MAX_HEADER_BYTES / 6 + 1)]
    {
        let stream = format!("Content-Type: x\n{block}\n{}", framed("[1]"));
        assert_eq!(decode(stream), [Event::BadHeader(HeaderFault::TooLong), message("[1]")]);
    }
    let padding = " \r\n".repeat(MAX_HEADER_BYTES);
    assert_eq!(
        decode(format!("{}{padding}{}", framed("[1]"), framed("[2]"))),
        [message("[1]"), message("[2]")]
    );
}

#[test]
fn an_announced_size_over_the_bound_is_read_past() {
    let body = format!("{{\"id\":3,\"method\":\"m\",\"p\":\"{}\"}}", "x".repeat(500));
    let stream = format!("{}{}", framed(&body), framed("{}"));
    let call = oversized(3, OutlineKind::Call, Some(body.len() as u64));
    assert_eq!(decode(stream), [call, message("{}")]);
}

#[test]
fn a_lying_announcement_is_still_reported() {
    let stream = format!("Content-Length: {}\r\n\r\n{{\"method\":\"m\",\"id\":3}}", u64::MAX);
    let mut decoder = Decoder::new(MAX);
    let mut events = VecDeque::new();
    decoder.push(stream.as_bytes(), &mut events);
    let expected = [Event::Framing(Framing::ContentLength), oversized(3, OutlineKind::Call, Some(u64::MAX))];
    assert_eq!(events, expected, "before the input ends");
    assert_eq!(decode(stream).len(), 1);
}

#[test]
fn an_input_that_ends_early_is_reported() {
    assert_eq!(decode("Content-Length: 5\r\n\r\n{\"a"), [Event::Truncated]);
    assert_eq!(decode("Content-Length: 5"), [Event::Truncated]);
    assert_eq!(decode(format!("{}\r\n", framed("{}"))), [message("{}")]);
}

/// Every short sequence of the pieces that mean something, with a bound so small that each one can cross it.
#[test]
#[allow(clippy::disallowed_methods, reason = "the environment asks for the longer run")]
fn no_short_stream_depends_on_its_cutting() {
    const PIECES: [&[u8]; 18] = [
        b"\n",
        b"\r",
        b" ",
        b":",
        b"{",
        b"}",
        b"[",
        b"\"",
        b",",
        b"1",
        b"x",
        b"\xEF\xBB",
        b"\xBF",
        b"\"id\":1,\"method\":2",
        b"Content-Length",
        b"Content-Length: 3\n",
        b"Content-Length: 9\nContent-Type: a; charset=b\n",
        b"\nX: y\n",
    ];
    let length: u32 = if std::env::var_os("BECKET_FULL").is_some() { 5 } else { 3 };
    let decode = |cut: usize, stream: &[u8], bytewise: bool| -> Vec<Event> {
        let mut decoder = Decoder::new(6);
        let mut events = VecDeque::new();
        if bytewise {
            stream.chunks(1).for_each(|piece| decoder.push(piece, &mut events));
        } else {
            decoder.push(&stream[..cut], &mut events);
            decoder.push(&stream[cut..], &mut events);
        }
        decoder.finish(&mut events);
        events.into()
    };
    for number in 0..PIECES.len().pow(length) {
        let mut rest = number;
        let mut stream = Vec::new();
        for _ in 0..length {
            stream.extend_from_slice(PIECES[rest % PIECES.len()]);
            rest /= PIECES.len();
        }
        let whole = decode(0, &stream, false);
        assert_eq!(whole, decode(0, &stream, true), "byte by byte: {}", stream.escape_ascii());
        for cut in 1..stream.len() {
            assert_eq!(whole, decode(cut, &stream, false), "cut at {cut}: {}", stream.escape_ascii());
        }
    }
}

/// A piece of a stream: good, bad, too large or nonsense.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        Just("{}".to_owned()),
        "\\{\"id\":[0-9]{1,3},\"method\":\"[a-z/]{1,8}\"\\}",
        "\\[[0-9]{1,9}(,\"[a-zA-Z é]{0,9}\"){0,5}\\]",
        (0..40usize)
            .prop_map(|size| format!("{{\"p\":\"{}\",\"id\":4,\"method\":\"m\"}}", "x".repeat(size * 8))),
    ];
    prop_oneof![
        6 => text.clone().prop_map(|text| format!("{text}\n").into_bytes()),
        6 => text.prop_map(|text| framed(&text).into_bytes()),
        1 => "[Cc]ontent-[Ll]ength: ?[-0-9a]{0,22}\r?\n(\r?\n)?".prop_map(String::into_bytes),
        1 => "(Content-Type: [a-z/]{0,9}(; charset=utf-?[18])?|[a-z]{0,9}:?)\r?\n".prop_map(String::into_bytes),
        1 => "[ \r\n\t]{0,5}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..12),
    ]
}

proptest! {
    #[test]
    fn the_cutting_of_a_stream_never_matters(
        fragments in vec(fragment(), 0..12),
        cuts in vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let stream = fragments.concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]);
        prop_assert_eq!(decode_pieces([stream.as_slice()]), decode_pieces(pieces));
        prop_assert_eq!(decode_pieces([stream.as_slice()]), decode_pieces(stream.chunks(1)));
    }

    #[test]
    fn any_bytes_at_all_are_survived(stream in vec(any::<u8>(), 0..400)) {
        decode(stream);
    }

    #[test]
    fn what_is_encoded_is_decoded(numbers in vec(any::<u32>(), 1..20), newline in any::<bool>()) {
        let framing = if newline { Framing::Newline } else { Framing::ContentLength };
        let texts: Vec<String> = numbers.iter().map(|number| format!("{{\"é\":{number}}}")).collect();
        let mut stream = Vec::new();
        for text in &texts {
            framing.encode(text.as_bytes(), &mut stream);
        }
        let expected: Vec<Event> = texts.iter().map(|text| message(text)).collect();
        prop_assert_eq!(decode_pieces(stream.chunks(3)), (Some(framing), expected));
    }
}
