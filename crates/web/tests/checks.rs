//! Who may knock: Host, Origin and token, on a real port.

mod wire;

use serde_json::json;
use wire::{RunningServer, TOKEN, head, options};

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}")
}

#[test]
fn the_right_token_reaches_the_service_and_goes_no_further() {
    let server = RunningServer::start();
    let reply = server.post(&[], "hello");
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json(), json!({ "method": "POST", "bytes": 5, "body": "hello", "saw_token": false }));
    for scheme in ["bearer", "BEARER", "Bearer  "] {
        let reply =
            server.send(head("GET /mcp", &["Host: localhost", &format!("Authorization: {scheme} {TOKEN}")]));
        assert_eq!(reply.status, 200, "{scheme}");
    }
    let reply = server.send(head("DELETE /mcp?trace=1", &["Host: localhost", &bearer(TOKEN)]));
    assert_eq!(reply.json()["method"], "DELETE");
}

#[test]
fn without_the_right_token_nothing_reaches_the_service() {
    let server = RunningServer::start();
    let longer = bearer(&format!("{TOKEN}x"));
    let shorter = bearer(&TOKEN[1..]);
    let right = bearer(TOKEN);
    for (headers, code, challenge) in [
        (vec![], "token_missing", "Bearer realm=\"becket\""),
        (
            vec!["Authorization: Bearer wrong"],
            "token_wrong",
            "Bearer realm=\"becket\", error=\"invalid_token\"",
        ),
        (vec![&longer], "token_wrong", "Bearer realm=\"becket\", error=\"invalid_token\""),
        (vec![&shorter], "token_wrong", "Bearer realm=\"becket\", error=\"invalid_token\""),
        (
            vec!["Authorization: Basic abc"],
            "token_unusable",
            "Bearer realm=\"becket\", error=\"invalid_request\"",
        ),
        (
            vec!["Authorization: Bearer"],
            "token_unusable",
            "Bearer realm=\"becket\", error=\"invalid_request\"",
        ),
        (vec![&right, &right], "token_unusable", "Bearer realm=\"becket\", error=\"invalid_request\""),
    ] {
        for method in ["POST", "GET", "DELETE", "PUT", "OPTIONS"] {
            let all = [&["Host: localhost", "Content-Length: 0"], &headers[..]].concat();
            let reply = server.send(head(&format!("{method} /mcp"), &all));
            assert_eq!((reply.status, reply.code().as_str()), (401, code), "{method} {headers:?}");
            assert_eq!(reply.header("www-authenticate"), Some(challenge));
        }
    }
}

#[test]
fn a_token_in_the_url_is_refused_even_beside_the_right_header() {
    let server = RunningServer::start();
    for query in [
        format!("token={TOKEN}"),
        format!("access_token={TOKEN}"),
        format!("x=1&Access_Token={TOKEN}"),
        format!("whatever={TOKEN}"),
        TOKEN.to_owned(),
        "token=wrong".to_owned(),
        "api_key=".to_owned(),
    ] {
        let alone = server.send(head(&format!("POST /mcp?{query}"), &["Host: localhost"]));
        assert_eq!((alone.status, alone.code().as_str()), (401, "token_in_url"), "{query}");
        let beside = server.send(head(&format!("POST /mcp?{query}"), &["Host: localhost", &bearer(TOKEN)]));
        assert_eq!((beside.status, beside.code().as_str()), (400, "token_in_url"), "{query}");
        assert!(!String::from_utf8_lossy(&beside.body).contains(TOKEN));
    }
}

#[test]
fn a_client_that_sends_its_body_late_still_reads_the_refusal() {
    use std::io::Write;
    let server = RunningServer::start();
    let mut stream = server.connect();
    stream.write_all(head("POST /mcp", &["Host: localhost", "Content-Length: 100000"]).as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(50));
    stream.write_all(&vec![b'x'; 100_000]).unwrap();
    assert_eq!(wire::read_reply(&mut stream).code(), "token_missing");
}

#[test]
fn only_known_hosts_are_served_with_any_port() {
    let hosts = vec!["box.example".to_owned(), "other.example:8443".to_owned()];
    let server = RunningServer::start_with(options().with_allowed_hosts(&hosts).unwrap());
    let bound = format!("Host: {}", server.address);
    for host in [
        "Host: localhost",
        "Host: LOCALHOST:1",
        "Host: 127.0.0.1",
        &bound,
        "Host: [::1]:80",
        "Host: box.example:99",
        "Host: other.example:8443",
    ] {
        assert_eq!(server.send(head("GET /mcp", &[host, &bearer(TOKEN)])).status, 200, "{host}");
    }
    for (host, status, code) in [
        ("Host: evil.example", 403, "host_not_allowed"),
        ("Host: evil.example:80", 403, "host_not_allowed"),
        ("Host: localhost.evil.example", 403, "host_not_allowed"),
        ("Host: 192.0.2.1", 403, "host_not_allowed"),
        ("Host: other.example", 403, "host_not_allowed"),
        ("Host: 127.0.0.1:99999", 400, "host_invalid"),
        ("Host: localhost@evil.example", 400, "host_invalid"),
        ("Host:", 400, "host_invalid"),
        ("Host: h\u{f6}st", 400, "host_invalid"),
        ("Host: localhost\r\nHost: localhost", 400, "host_missing"),
        ("X-Nothing: here", 400, "host_missing"),
    ] {
        for path in ["/mcp", "/healthz", "/nowhere"] {
            let reply = server.send(head(&format!("GET {path}"), &[host, &bearer(TOKEN)]));
            assert_eq!((reply.status, reply.code().as_str()), (status, code), "{host} {path}");
        }
    }
}

#[test]
fn the_target_of_a_proxy_style_request_line_counts_too() {
    let server = RunningServer::start();
    let headers = ["Host: localhost", &bearer(TOKEN)];
    assert_eq!(server.send(head("GET http://127.0.0.1:1/mcp", &headers)).status, 200);
    assert_eq!(server.send(head("GET http://evil.example/mcp", &headers)).code(), "host_not_allowed");
    assert_eq!(server.send(head("CONNECT evil.example:443", &headers)).code(), "host_not_allowed");
    assert_eq!(server.send(head("CONNECT localhost:443", &headers)).code(), "path_unknown");
    assert_eq!(server.send(head("OPTIONS *", &headers)).code(), "path_unknown");
}

#[test]
fn a_page_is_served_only_from_a_known_origin() {
    let origins = vec!["https://app.example".to_owned()];
    let server = RunningServer::start_with(options().with_allowed_origins(&origins).unwrap());
    for origin in ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443", "https://app.example"] {
        let reply = server.post(&[&format!("Origin: {origin}")], "{}");
        assert_eq!(reply.status, 200, "{origin}");
        assert_eq!(reply.header("access-control-allow-origin"), Some(origin));
        assert_eq!(reply.header("vary"), Some("origin"));
        assert!(reply.header("access-control-expose-headers").unwrap().contains("mcp-session-id"));
    }
    for origin in [
        "Origin: https://evil.example",
        "Origin: http://app.example",
        "Origin: http://localhost.evil.example",
        "Origin: null",
        "Origin:",
        "Origin: h\u{f6}st",
        "Origin: http://localhost\r\nOrigin: https://evil.example",
    ] {
        let reply = server.post(&[origin], "{}");
        assert_eq!((reply.status, reply.code().as_str()), (403, "origin_not_allowed"), "{origin}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    let reply = server.send(head("GET /mcp", &["Host: localhost", "Origin: http://localhost"]));
    assert_eq!(reply.status, 401);
    assert_eq!(reply.header("access-control-allow-origin"), Some("http://localhost"));
}

#[test]
fn a_preflight_needs_no_token_but_a_known_origin() {
    let server = RunningServer::start();
    let ask = |origin: &str| {
        let headers = [
            "Host: localhost",
            origin,
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: authorization, mcp-param-x",
        ];
        server.send(head("OPTIONS /mcp", &headers))
    };
    let reply = ask("Origin: http://localhost:6274");
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("http://localhost:6274"));
    assert_eq!(reply.header("access-control-allow-methods"), Some("GET, POST, DELETE"));
    assert_eq!(reply.header("access-control-allow-headers"), Some("authorization, mcp-param-x"));
    assert_eq!(ask("Origin: https://evil.example").code(), "origin_not_allowed");
    assert_eq!(ask("X-Nothing: here").code(), "token_missing");
}

#[test]
fn the_other_paths_say_what_they_are() {
    let server = RunningServer::start();
    let health = server.send(head("GET /healthz", &["Host: localhost"]));
    assert_eq!(health.status, 200);
    assert_eq!(health.json(), json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }));
    let reply = server.send(head("HEAD /healthz", &["Host: localhost"]));
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    let reply = server.send(head("POST /healthz", &["Host: localhost", "Content-Length: 0"]));
    assert_eq!((reply.status, reply.code().as_str()), (405, "method_not_allowed"));
    assert_eq!(reply.header("allow"), Some("GET, HEAD"));
    for path in
        ["/", "/mcp/", "/MCP", "//mcp", "/mcp/../mcp", "/sse", "/.well-known/oauth-protected-resource"]
    {
        let reply = server.send(head(&format!("GET {path}"), &["Host: localhost"]));
        assert_eq!((reply.status, reply.code().as_str()), (404, "path_unknown"), "{path}");
    }
    let reply = server.send(head("PUT /mcp", &["Host: localhost", &bearer(TOKEN), "Content-Length: 0"]));
    assert_eq!((reply.status, reply.code().as_str()), (405, "method_not_allowed"));
    assert_eq!(reply.header("allow"), Some("GET, POST, DELETE"));
}

#[test]
fn errors_of_the_service_get_the_one_shape_and_protocol_errors_stay() {
    let server = RunningServer::start();
    for (status, code) in [
        (400, "bad_request"),
        (404, "session_unknown"),
        (405, "method_not_allowed"),
        (406, "not_acceptable"),
        (413, "body_too_large"),
        (415, "unsupported_media_type"),
        (500, "internal"),
    ] {
        let reply = server.post(&[&format!("Do: fail {status}")], "");
        assert_eq!((reply.status, reply.code().as_str()), (status, code));
        assert_eq!(reply.json()["error"]["message"], "Because I say so");
        assert_eq!(reply.header("allow"), Some("POST"));
    }
    let reply = server.post(&["Do: rpc-error"], "");
    assert_eq!(reply.status, 400);
    assert_eq!(reply.json()["error"]["code"], -32602);
}

#[test]
fn a_broken_request_or_a_panic_harms_no_one_else() {
    let server = RunningServer::start();
    for bytes in
        [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"\r\n\r\n\0\0\0", b"GET /mcp HTTP/9.9\r\n\r\n", b"POST", b""]
    {
        use std::io::{Read, Write};
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert!(
            answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"),
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }
    let reply = server.post(&["Do: panic"], "");
    assert_eq!((reply.status, reply.code().as_str()), (500, "internal"));
    assert_eq!(server.post(&[], "still here").status, 200);
}
