//! A provider of embeddings on the loopback: real HTTP, toy vectors that mean something, and every way to fail.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What the server does with the next requests.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Vectors of [`concepts`].
    Vectors,
    /// A status with an error of this message.
    Status(u16, String),
    /// This status so many times, vectors from then on.
    Recovers { status: u16, times: usize },
    /// Takes the request and never answers.
    Silent,
    /// This body with status 200.
    Body(String),
    /// Vectors of this length.
    Dimensions(usize),
    /// Another place to go.
    Redirect(String),
}

/// One request as it came in.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub authorization: Option<String>,
    pub model: String,
    pub inputs: Vec<String>,
}

/// Ends with the test.
#[derive(Debug)]
pub struct EmbeddingServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    behaviour: Behaviour,
    received: Vec<Received>,
    /// Connections that wait for ever.
    held: Vec<TcpStream>,
    over: bool,
}

/// Words of one row mean the same; each row is one dimension.
const CONCEPTS: &[&[&str]] = &[
    &["car", "automobile", "vehicle", "engine"],
    &["retry", "again", "backoff", "attempt"],
    &["login", "password", "authentication", "session"],
    &["colour", "palette", "theme", "paint"],
    &["clock", "time", "timezone", "calendar"],
    &["money", "price", "rounding", "invoice"],
];

/// How often the words of each concept stand in a text, and a little of everything.
pub fn concepts(text: &str) -> Vec<f32> {
    let lower = text.to_lowercase();
    let count = |words: &&[&str]| words.iter().map(|word| lower.matches(word).count()).sum::<usize>();
    let counts = CONCEPTS.iter().map(|words| f32::from(u16::try_from(count(words)).unwrap_or(u16::MAX)));
    counts.chain([0.1]).collect()
}

impl EmbeddingServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on the loopback");
        let address = listener.local_addr().expect("its address");
        let state =
            State { behaviour: Behaviour::Vectors, received: Vec::new(), held: Vec::new(), over: false };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.lock().unwrap().over {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let state = Arc::clone(&shared);
                thread::spawn(move || serve(stream, &state));
            }
        });
        Self { address, state }
    }

    /// What goes before `/embeddings`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn behave(&self, behaviour: Behaviour) {
        self.state.lock().unwrap().behaviour = behaviour;
    }

    pub fn received(&self) -> Vec<Received> {
        self.state.lock().unwrap().received.clone()
    }

    /// Every text that came in, in order.
    pub fn texts(&self) -> Vec<String> {
        self.received().into_iter().flat_map(|request| request.inputs).collect()
    }
}

impl Drop for EmbeddingServer {
    fn drop(&mut self) {
        let mut state = self.state.lock().unwrap();
        state.over = true;
        state.held.clear();
        drop(state);
        // Wakes the listener, so that its thread sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut authorization, mut length) = (None, 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).expect("a header");
        let Some((name, value)) = header.trim().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = Some(value.trim().to_owned()),
            "content-length" => length = value.trim().parse().expect("a length"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the body");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let inputs: Vec<String> = body["input"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    let mut state = state.lock().unwrap();
    state.received.push(Received {
        path,
        authorization,
        model: body["model"].as_str().expect("a model").to_owned(),
        inputs: inputs.clone(),
    });
    let refusal = |status: u16, message: &str| (status, json!({"error": {"message": message}}).to_string());
    let (status, body) = match &mut state.behaviour {
        Behaviour::Silent => {
            state.held.push(stream);
            return;
        }
        Behaviour::Recovers { status, times } if *times > 0 => {
            *times -= 1;
            refusal(*status, "not yet")
        }
        Behaviour::Vectors | Behaviour::Recovers { .. } => (200, vectors(&inputs, concepts)),
        Behaviour::Dimensions(count) => (200, vectors(&inputs, |_| vec![1.0; *count])),
        Behaviour::Status(status, message) => refusal(*status, message),
        Behaviour::Body(body) => (200, body.clone()),
        Behaviour::Redirect(place) => (307, format!("\u{0}{place}")),
    };
    drop(state);
    let (place, body) = match body.strip_prefix('\u{0}') {
        Some(place) => (format!("location: {place}\r\n"), ""),
        None => (String::new(), body.as_str()),
    };
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status} Toy\r\ncontent-type: application/json\r\n{place}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    // The caller may have gone.
    let _ = (&stream).write_all(answer.as_bytes());
}

/// Last first, so that a client has to look at the index.
fn vectors(inputs: &[String], vector: impl Fn(&str) -> Vec<f32>) -> String {
    let row = |(index, text): (usize, &String)| json!({"object": "embedding", "index": index, "embedding": vector(text)});
    let rows: Vec<Value> = inputs.iter().enumerate().map(row).rev().collect();
    json!({"object": "list", "data": rows, "usage": {"prompt_tokens": 1}}).to_string()
}
