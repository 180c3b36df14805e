//! The whole transport under rmcp's own server loop, over in-memory streams.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};

use self::client::{Client, Probe, SOON, initialize_params, modern};
use super::*;
use crate::transport::Framing;

mod client;

#[tokio::test]
async fn both_framings_are_answered_in_kind() {
    for framing in [Framing::Newline, Framing::ContentLength] {
        let mut client = Client::start(framing);
        client.initialize("2025-06-18").await;
        client.call(1, "echo").await;
        client.expect_result(1).await;
        client.close_input();
        client.ends_cleanly().await;
    }
}

#[tokio::test]
async fn a_stream_may_come_byte_by_byte() {
    for framing in [Framing::Newline, Framing::ContentLength] {
        let mut client = Client::start_with(framing, Limits::default(), 1);
        client.raw(b" \r\n").await;
        client.initialize("2025-11-25").await;
        client.call(1, "echo").await;
        client.expect_result(1).await;
        client.close_input();
        client.ends_cleanly().await;
    }
}

#[tokio::test]
async fn the_stateless_era_is_served_on_the_same_streams() {
    let mut client = Client::start(Framing::Newline);
    client.request(1, "server/discover", modern(json!({}))).await;
    client.expect_result(1).await;
    client.request(2, "tools/call", modern(json!({"name": "echo"}))).await;
    assert_eq!(client.expect_result(2).await["result"]["resultType"], "complete");
    client.raw(b"nonsense\n").await;
    let error = client.receive().await;
    assert_eq!((error.get("id"), &error["error"]["code"]), (None, &json!(-32700)));
    client.send(json!([{"jsonrpc": "2.0", "id": 3, "method": "ping"}])).await;
    assert_eq!(client.receive().await["error"]["code"], -32600);
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn bad_input_is_answered_and_the_stream_goes_on() {
    let mut client = Client::start(Framing::Newline);
    client.raw(b"{nonsense\n").await;
    client.expect_error(Value::Null, -32700).await;
    client.initialize("2025-06-18").await;
    client.raw(b"\xFF\xFE\n\n5\n").await;
    assert!(client.expect_error(Value::Null, -32700).await.contains("UTF-8"));
    client.expect_error(Value::Null, -32600).await;
    client.raw(format!("{}\n", "[".repeat(4000)).as_bytes()).await;
    assert!(client.expect_error(Value::Null, -32700).await.contains("nested"));
    client.request(1, "tools/call", json!({"name": 5})).await;
    assert!(client.expect_error(json!(1), -32602).await.contains("tools/call"));
    client.request(2, "no/such", json!({})).await;
    client.expect_error(json!(2), -32601).await;
    client.request(3, "tools/call", json!({"name": "echo", "arguments": {"a": "x".repeat(5000)}})).await;
    assert!(client.expect_error(json!(3), -32600).await.contains("4096"));
    client.notify("notifications/progress", json!({"wrong": true})).await;
    client.call(4, "echo").await;
    client.expect_result(4).await;
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn bad_headers_are_answered_and_the_stream_goes_on() {
    let mut client = Client::start(Framing::ContentLength);
    client.initialize("2025-06-18").await;
    client.raw(b"Listening on 8080\r\n").await;
    client.expect_error(Value::Null, -32700).await;
    client.call(1, "echo").await;
    client.expect_result(1).await;
    client.raw(b"Content-Length: -1\r\n\r\n{}").await;
    assert!(client.expect_error(Value::Null, -32700).await.contains("Content-Length"));
    client.request(2, "tools/call", json!({"name": "echo", "arguments": {"a": "x".repeat(5000)}})).await;
    client.expect_error(json!(2), -32600).await;
    client.raw(b"Content-Length: 0\r\n\r\n").await;
    client.expect_error(Value::Null, -32700).await;
    client.call(3, "echo").await;
    client.expect_result(3).await;
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn a_first_line_that_is_no_message_is_answered_by_a_line_and_either_framing_may_follow() {
    for (first, code) in [
        ("null", -32600),
        ("5", -32600),
        ("\"x\"", -32600),
        ("hello", -32700),
        ("\0", -32700),
        ("nope: x", -32700),
    ] {
        for framing in [Framing::Newline, Framing::ContentLength] {
            let mut client = Client::start(Framing::Newline);
            client.raw(format!("{first}\n").as_bytes()).await;
            client.expect_error(Value::Null, code).await;
            client.framing = framing;
            client.initialize("2025-06-18").await;
            client.call(1, "echo").await;
            client.expect_result(1).await;
            client.close_input();
            client.ends_cleanly().await;
        }
    }
}

#[tokio::test]
async fn a_stray_line_is_answered_by_a_line_even_when_a_header_came_with_it() {
    let mut client = Client::start(Framing::Newline);
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    client.raw(&[b"nope: x\nContent-Length: 40\r\n\r\n".as_slice(), ping].concat()).await;
    client.expect_error(Value::Null, -32700).await;
    client.framing = Framing::ContentLength;
    client.expect_result(1).await;
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn a_batch_is_answered_as_one_array() {
    let mut client = Client::start(Framing::Newline);
    client.send(json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}])).await;
    let answer = client.receive().await;
    assert_eq!((&answer[0]["id"], &answer[1]["id"]), (&json!(1), &json!(2)), "before the handshake");
    client.initialize("2025-03-26").await;
    let call = |id: i64, tool: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}});
    client.send(json!([call(3, "until_cancelled"), call(4, "echo")])).await;
    client.call(5, "echo").await;
    client.expect_result(5).await;
    client.notify("notifications/cancelled", json!({"requestId": 3})).await;
    let answer = client.receive().await;
    assert_eq!((&answer[0]["id"], answer.as_array().unwrap().len()), (&json!(4), 1));
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn an_early_notification_or_answer_is_not_the_end() {
    let mut client = Client::start(Framing::Newline);
    client.notify("notifications/initialized", json!({})).await;
    client.notify("$/setTrace", json!({})).await;
    client.send(json!({"jsonrpc": "2.0", "id": 7, "result": {}})).await;
    client.send(json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "m"}})).await;
    client.request(9, "initialize", initialize_params("2025-06-18", "refused")).await;
    client.expect_error(json!(9), -32602).await;
    client.initialize("2025-06-18").await;
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn an_input_that_ends_at_once_is_a_clean_end() {
    for early in [b"".as_slice(), b"\n\n", b"\xEF\xBB\xBF"] {
        let mut client = Client::start(Framing::Newline);
        client.raw(early).await;
        client.close_input();
        client.ends_cleanly().await;
    }
}

#[tokio::test]
async fn a_last_message_without_its_line_end_is_answered() {
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    client.raw(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    client.close_input();
    let (rest, result) = client.end().await;
    result.unwrap();
    assert_eq!(rest, [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]);
}

#[tokio::test]
async fn answers_in_flight_are_delivered_at_the_end_of_input() {
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    client.call(1, "until_closing").await;
    client.call(2, "progress_at_the_end").await;
    client.close_input();
    let (rest, result) = client.end().await;
    result.unwrap();
    assert_eq!(rest.len(), 5, "{rest:?}");
    assert_eq!(rest.iter().filter(|value| value["method"] == "notifications/progress").count(), 3);
    for id in [1, 2] {
        assert!(rest.iter().any(|value| value["id"] == id && value.get("result").is_some()), "{rest:?}");
    }
}

#[tokio::test]
async fn a_call_that_never_ends_does_not_keep_the_server() {
    let limits = Limits { drain: Duration::from_millis(50), ..Limits::default() };
    let mut client = Client::start_with(Framing::Newline, limits, 64 * 1024);
    client.initialize("2025-03-26").await;
    client.call(1, "until_cancelled").await;
    let call = |id: i64, tool: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}});
    client.send(json!([call(2, "echo"), call(3, "never")])).await;
    client.call(4, "echo").await;
    client.expect_result(4).await;
    client.close_input();
    let (rest, result) = client.end().await;
    result.unwrap();
    let batch = rest.iter().find(|value| value.is_array()).expect("the batch gives what it has");
    assert_eq!((&batch[0]["id"], batch.as_array().unwrap().len()), (&json!(2), 1));
    assert!(
        rest.iter().any(|value| value["id"] == 1),
        "a handler that watches its token still answers: {rest:?}"
    );
}

#[tokio::test]
async fn shutdown_is_answered_and_exit_ends() {
    let mut client = Client::start(Framing::ContentLength);
    client.initialize("2025-06-18").await;
    client.call(1, "until_closing").await;
    client.request(2, "shutdown", json!(null)).await;
    assert_eq!(client.expect_result(2).await["result"], json!({}));
    client.call(3, "echo").await;
    assert!(client.expect_error(json!(3), -32600).await.contains("only exit is accepted"));
    client.notify("exit", json!(null)).await;
    let (rest, result) = client.end().await;
    result.unwrap();
    assert_eq!(rest.iter().map(|value| &value["id"]).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn exit_alone_is_a_clean_end_at_any_time() {
    let mut client = Client::start(Framing::Newline);
    client.notify("exit", json!([])).await;
    client.ends_cleanly().await;
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    client.notify("exit", json!({})).await;
    client.call(1, "echo").await;
    client.ends_cleanly().await;
}

#[tokio::test]
async fn the_operator_can_end_it_at_any_time() {
    let client = Client::start(Framing::Newline);
    client.closing.cancel();
    client.ends_cleanly().await;
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    client.call(1, "until_closing").await;
    client.call(2, "echo").await;
    client.expect_result(2).await;
    client.closing.cancel();
    let (rest, result) = client.end().await;
    result.unwrap();
    assert_eq!(rest.len(), 1, "{rest:?}");
}

#[tokio::test]
async fn a_client_that_is_gone_is_a_clean_end() {
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    client.call(1, "never").await;
    client.from_server = BufReader::new(tokio::io::duplex(1).0);
    client.call(2, "echo").await;
    let result =
        tokio::time::timeout(SOON, client.server).await.expect("ends with its input still open").unwrap();
    result.unwrap();
    assert!(client.closing.is_cancelled());
}

/// `serve` must end by itself: nothing is read, so nothing may depend on what it still wants to say.
async fn ends_unread(client: Client) {
    let ended = tokio::time::timeout(SOON, client.server).await.expect("ends though nobody reads");
    ended.unwrap().unwrap();
    assert!(client.closing.is_cancelled());
}

#[tokio::test]
async fn a_client_that_never_reads_does_not_keep_the_server() {
    let limits = Limits { drain: Duration::from_millis(50), ..Limits::default() };
    for by_signal in [false, true] {
        for tool in ["echo", "progress", "never"] {
            let mut client = Client::start_with(Framing::Newline, limits, 1024);
            client.initialize("2025-06-18").await;
            for id in 1..=40 {
                client.call(id, tool).await;
                client.call(id + 100, "progress").await;
            }
            if by_signal {
                client.closing.cancel();
            } else {
                client.close_input();
            }
            ends_unread(client).await;
        }
    }
}

#[tokio::test]
async fn a_client_that_never_reads_does_not_keep_the_server_before_the_handshake() {
    let limits = Limits { drain: Duration::from_millis(50), ..Limits::default() };
    for by_signal in [false, true] {
        let mut client = Client::start_with(Framing::Newline, limits, 256);
        for id in 1..=20 {
            client.request(id, "ping", json!({})).await;
            client.request(id + 100, "server/discover", modern(json!({}))).await;
        }
        if by_signal {
            client.closing.cancel();
        } else {
            client.close_input();
        }
        ends_unread(client).await;
    }
}

#[tokio::test]
async fn a_handshake_may_follow_requests_that_did_without() {
    let mut client = Client::start(Framing::Newline);
    client.request(1, "tools/call", modern(json!({"name": "echo"}))).await;
    client.expect_result(1).await;
    // Sent together: what is in flight is answered first, and nothing behind the handshake is lost.
    client.request(2, "tools/call", modern(json!({"name": "echo", "arguments": {"size": 9}}))).await;
    client.request(3, "initialize", initialize_params("2025-03-26", "test")).await;
    client.notify("notifications/initialized", json!({})).await;
    client.request(4, "tools/list", json!({})).await;
    client.expect_result(2).await;
    assert_eq!(client.expect_result(3).await["result"]["protocolVersion"], "2025-03-26");
    client.expect_result(4).await;
    client.send(json!([{"jsonrpc": "2.0", "id": 5, "method": "ping"}])).await;
    assert_eq!(client.receive().await[0]["id"], 5, "a batch, as its protocol has them");
    client.request(6, "tools/call", modern(json!({"name": "echo"}))).await;
    client.expect_result(6).await;
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn a_call_that_never_ends_does_not_keep_a_handshake_back() {
    let limits = Limits { drain: Duration::from_millis(50), ..Limits::default() };
    let mut client = Client::start_with(Framing::Newline, limits, 64 * 1024);
    client.request(1, "tools/call", modern(json!({"name": "never"}))).await;
    client.request(2, "tools/call", modern(json!({"name": "until_cancelled"}))).await;
    client.request(3, "initialize", initialize_params("2025-06-18", "test")).await;
    client.expect_result(2).await;
    client.expect_error(json!(1), -32603).await;
    client.expect_result(3).await;
    client.call(1, "echo").await;
    client.expect_result(1).await;
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn a_handler_that_panics_is_answered_for() {
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    client.call(1, "panic").await;
    assert!(client.expect_error(json!(1), -32603).await.contains("tools/call"));
    client.call(2, "echo").await;
    client.expect_result(2).await;
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test]
async fn an_id_in_flight_is_refused_and_the_first_still_answered() {
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    client.call(1, "until_closing").await;
    client.call(1, "echo").await;
    client.expect_error(json!(1), -32600).await;
    client.close_input();
    let (rest, _) = client.end().await;
    assert_eq!(rest.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn progress_comes_in_order_and_before_its_answer() {
    let mut client = Client::start(Framing::Newline);
    client.initialize("2025-06-18").await;
    for id in 1..=50 {
        client.call(id, "progress").await;
        for step in 1..=20 {
            let progress = client.receive().await;
            assert_eq!(progress["params"]["progress"].as_f64(), Some(f64::from(step)), "{progress}");
        }
        client.expect_result(id).await;
    }
    client.close_input();
    client.ends_cleanly().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_calls_at_once_are_never_mixed() {
    let mut client = Client::start_with(Framing::ContentLength, Limits::default(), 1000);
    client.initialize("2025-06-18").await;
    let mut to_server = client.to_server.take().unwrap();
    let writer = tokio::spawn(async move {
        for id in 1..=400_i64 {
            let params = json!({"name": "echo", "arguments": {"size": id * 37}});
            let text =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string();
            let mut bytes = Vec::new();
            Framing::ContentLength.encode(text.as_bytes(), &mut bytes);
            to_server.write_all(&bytes).await.unwrap();
        }
        to_server
    });
    let mut seen = std::collections::BTreeSet::new();
    for _ in 1..=400 {
        let answer = client.receive().await;
        let id = answer["id"].as_i64().unwrap();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(i64::try_from(text.len()).unwrap(), id * 37);
        assert!(seen.insert(id));
    }
    drop(writer.await.unwrap());
    client.ends_cleanly().await;
}

#[tokio::test]
async fn a_client_that_writes_before_it_reads_is_served() {
    let mut client = Client::start_with(Framing::Newline, Limits::default(), 1024);
    client.initialize("2025-06-18").await;
    // Far more than both pipes hold: each side would wait for the other if reading stopped while answers wait.
    for id in 1..=300 {
        client.request(id, "tools/call", json!({"name": "echo", "arguments": {"size": 1000}})).await;
    }
    client.close_input();
    let (rest, result) = client.end().await;
    result.unwrap();
    assert_eq!(rest.len(), 300);
}

#[tokio::test]
async fn a_stream_that_fails_is_reported() {
    let (to_server, input) = tokio::io::duplex(64);
    let reader = input.chain(Broken);
    let closing = CancellationToken::new();
    let probe = Probe { closing: closing.clone() };
    drop(to_server);
    let (output, _from_server) = tokio::io::duplex(64);
    let result = serve(probe, reader, output, Limits::default(), closing).await;
    assert!(matches!(result, Err(StdioError::Read { .. })), "{result:?}");
}

struct Broken;

impl AsyncRead for Broken {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::task::Poll::Ready(Err(io::Error::other("unplugged")))
    }
}
