//! The conversation's rules, without a stream.

use rmcp::model::{InitializeResult, ServerCapabilities};

use super::super::header::HeaderFault;
use super::*;

fn exchange() -> Exchange {
    Exchange::new(1000, 4)
}

fn at_version(version: &str) -> Exchange {
    let mut exchange = exchange();
    let params =
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "n", "version": "1"}});
    let effects = send(&mut exchange, &request(0, "initialize", &params));
    assert_eq!(delivered(&effects), ["initialize"]);
    let mut result = InitializeResult::new(ServerCapabilities::default());
    result.protocol_version = serde_json::from_value(json!(version)).unwrap();
    let answer = ServerJsonRpcMessage::response(ServerResult::InitializeResult(result), RequestId::Number(0));
    assert!(exchange.answer(&answer).is_some());
    exchange
}

fn stateless() -> Exchange {
    let mut exchange = exchange();
    send(&mut exchange, &request(0, "tools/list", &modern_params()));
    answer(&mut exchange, 0);
    exchange
}

fn modern_params() -> Value {
    json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})
}

fn request(id: i64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn ping(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

fn cancelled(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

fn send(exchange: &mut Exchange, value: &Value) -> Vec<Effect> {
    exchange.accept(Event::Message(serde_json::to_vec(value).unwrap()))
}

fn answer(exchange: &mut Exchange, id: i64) -> Option<Value> {
    let message = ServerJsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(id));
    exchange.answer(&message).map(|text| serde_json::from_slice(&text).unwrap())
}

fn result(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {}})
}

fn delivered(effects: &[Effect]) -> Vec<String> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Deliver(message) => {
                let value = serde_json::to_value(message).unwrap();
                Some(value["method"].as_str().unwrap_or("answer").to_owned())
            }
            _ => None,
        })
        .collect()
}

fn replies(effects: &[Effect]) -> Vec<Value> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Reply(text) => Some(serde_json::from_slice(text).unwrap()),
            _ => None,
        })
        .collect()
}

fn reply(effects: &[Effect]) -> Value {
    let mut replies = replies(effects);
    assert_eq!((replies.len(), effects.len()), (1, 1), "{effects:?}");
    replies.remove(0)
}

#[test]
fn a_batch_is_answered_by_one_array_in_its_own_order() {
    for mut exchange in [exchange(), at_version("2024-11-05"), at_version("2025-03-26")] {
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let effects = send(&mut exchange, &json!([ping(1), notification, 5, ping(2)]));
        assert_eq!(delivered(&effects), ["ping", "notifications/initialized", "ping"]);
        assert!(replies(&effects).is_empty());
        assert_eq!(answer(&mut exchange, 2), None);
        let all = answer(&mut exchange, 1).unwrap();
        assert_eq!((&all[0], &all[2]), (&result(1), &result(2)));
        assert_eq!((&all[1]["id"], &all[1]["error"]["code"]), (&Value::Null, &json!(-32600)));
        assert_eq!(all.as_array().unwrap().len(), 3);
        assert!(exchange.is_idle() && exchange.batches.is_empty());
    }
}

#[test]
fn a_batch_that_owes_no_answer_gets_none() {
    let mut exchange = exchange();
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let effects = send(&mut exchange, &json!([notification, {"jsonrpc": "2.0", "id": 9, "result": {}}]));
    assert_eq!(delivered(&effects), ["notifications/initialized", "answer"]);
    assert!(replies(&effects).is_empty() && exchange.batches.is_empty());
}

#[test]
fn a_batch_of_nonsense_is_answered_member_by_member() {
    let reply = reply(&send(&mut exchange(), &json!([1, {}, "x"])));
    let codes: Vec<&Value> = reply.as_array().unwrap().iter().map(|error| &error["error"]["code"]).collect();
    assert_eq!(codes, [-32600, -32600, -32600]);
}

#[test]
fn a_batch_is_refused_where_there_are_none() {
    for (mut exchange, version) in [
        (at_version("2025-06-18"), "2025-06-18"),
        (at_version("2025-11-25"), "2025-11-25"),
        (stateless(), "2026-07-28"),
    ] {
        let reply = reply(&send(&mut exchange, &json!([ping(1)])));
        assert_eq!(reply["error"]["code"], -32600);
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains(version) && message.contains("batches"), "{message}");
    }
}

#[test]
fn an_empty_or_endless_batch_is_refused() {
    for mut exchange in [exchange(), at_version("2025-03-26"), at_version("2025-11-25")] {
        let reply = reply(&send(&mut exchange, &json!([])));
        assert_eq!((&reply["error"]["code"], &reply["id"]), (&json!(-32600), &Value::Null));
    }
    let reply = reply(&send(&mut exchange(), &json!([1, 2, 3, 4, 5])));
    assert!(reply["error"]["message"].as_str().unwrap().contains("4 messages"), "{reply}");
}

#[test]
fn what_must_not_stand_in_a_batch_is_refused_by_its_id() {
    let params = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "n", "version": "1"}});
    let members = json!([request(1, "initialize", &params), request(2, "tools/list", &modern_params())]);
    let reply = reply(&send(&mut exchange(), &members));
    for (index, id) in [(0, 1), (1, 2)] {
        assert_eq!((&reply[index]["id"], &reply[index]["error"]["code"]), (&json!(id), &json!(-32600)));
    }
}

#[test]
fn a_cancelled_request_leaves_nothing_behind() {
    let mut exchange = exchange();
    send(&mut exchange, &ping(1));
    assert_eq!(delivered(&send(&mut exchange, &cancelled(1))), ["notifications/cancelled"]);
    assert!(exchange.is_idle());
    assert_eq!(answer(&mut exchange, 1), None, "nothing more is sent for it");

    send(&mut exchange, &json!([ping(2), ping(3)]));
    assert_eq!(answer(&mut exchange, 2), None);
    assert_eq!(replies(&send(&mut exchange, &cancelled(3))), [json!([result(2)])]);
    assert!(exchange.is_idle() && exchange.batches.is_empty());

    let effects = send(&mut exchange, &json!([ping(4), cancelled(4)]));
    assert!(replies(&effects).is_empty());
    assert!(exchange.is_idle() && exchange.batches.is_empty());
    assert_eq!(delivered(&send(&mut exchange, &cancelled(77))), ["notifications/cancelled"]);
}

#[test]
fn an_id_in_flight_is_not_taken_twice() {
    let mut exchange = exchange();
    send(&mut exchange, &ping(1));
    let refused = reply(&send(&mut exchange, &ping(1)));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
    let text = json!({"jsonrpc": "2.0", "id": "1", "method": "ping"});
    assert_eq!(delivered(&send(&mut exchange, &text)), ["ping"], "a string is another id");
    assert_eq!(answer(&mut exchange, 1), Some(result(1)));
    assert_eq!(delivered(&send(&mut exchange, &ping(1))), ["ping"]);

    let mut exchange = self::exchange();
    send(&mut exchange, &json!([ping(1), ping(1)]));
    let all = answer(&mut exchange, 1).unwrap();
    assert_eq!((&all[0], &all[1]["error"]["code"]), (&result(1), &json!(-32600)));
}

#[test]
fn after_shutdown_only_exit_is_accepted() {
    let mut exchange = at_version("2025-06-18");
    send(&mut exchange, &ping(1));
    let shutdown = json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown", "params": null});
    assert_eq!(reply(&send(&mut exchange, &shutdown)), result(2));
    for id in [3, 4] {
        let refused = reply(&send(&mut exchange, &request(id, "shutdown", &json!({}))));
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32600)));
    }
    assert!(
        send(&mut exchange, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).is_empty()
    );
    assert_eq!(answer(&mut exchange, 1), Some(result(1)), "what was asked before is still answered");
    let exit = send(&mut exchange, &json!({"jsonrpc": "2.0", "method": "exit"}));
    assert!(matches!(exit.as_slice(), [Effect::End]));
}

#[test]
fn the_result_of_shutdown_is_of_the_peers_era() {
    let reply = reply(&send(&mut stateless(), &request(2, "shutdown", &modern_params())));
    assert_eq!(reply["result"], json!({"resultType": "complete"}));
}

#[test]
fn an_answer_without_a_readable_id_is_of_the_peers_era() {
    let parse_error = |mut exchange: Exchange| reply(&exchange.accept(Event::Message(b"nonsense".to_vec())));
    for exchange in [exchange(), at_version("2025-03-26"), at_version("2025-11-25")] {
        let reply = parse_error(exchange);
        assert_eq!((reply.get("id"), &reply["error"]["code"]), (Some(&Value::Null), &json!(-32700)));
    }
    assert_eq!(parse_error(stateless()).get("id"), None);
}

#[test]
fn a_probe_does_not_choose_the_era() {
    let mut exchange = exchange();
    send(&mut exchange, &request(1, "server/discover", &modern_params()));
    assert_eq!(exchange.peer, Peer::Unknown);
}

#[test]
fn frames_that_cannot_be_used_are_answered() {
    let mut exchange = exchange();
    let call = Outline { id: Some(RequestId::Number(5)), kind: OutlineKind::Call };
    let refused = reply(&exchange.accept(Event::Oversized { announced: Some(2000), outline: call }));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32600)));
    assert_eq!(refused["error"]["data"]["maxMessageBytes"], 1000);
    let refused = reply(&exchange.accept(Event::Oversized { announced: None, outline: Outline::default() }));
    assert_eq!(refused["id"], Value::Null);
    let refused = reply(&exchange.accept(Event::BadHeader(HeaderFault::MissingLength)));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32700)));
    assert_eq!(reply(&exchange.accept(Event::Truncated))["error"]["code"], -32700);
}

#[test]
fn an_answer_too_large_to_read_fails_the_request_of_ours() {
    let outline = Outline { id: Some(RequestId::Number(5)), kind: OutlineKind::Answer };
    let effects = exchange().accept(Event::Oversized { announced: None, outline });
    let [Effect::Deliver(message)] = effects.as_slice() else { panic!("{effects:?}") };
    let (_, id) = message.clone().into_error().unwrap();
    assert_eq!(id, Some(RequestId::Number(5)));
}

#[test]
fn at_the_end_a_batch_gives_what_it_has() {
    let mut exchange = exchange();
    send(&mut exchange, &json!([ping(1), ping(2)]));
    send(&mut exchange, &json!([ping(3)]));
    answer(&mut exchange, 1);
    let texts: Vec<Value> =
        exchange.unfinished_batches().iter().map(|text| serde_json::from_slice(text).unwrap()).collect();
    assert_eq!(texts, [json!([result(1)])]);
}
