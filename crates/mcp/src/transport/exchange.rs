//! Who is still owed an answer, and what may be said now: the conversation's state, without I/O.
//!
//! Owns the requests in flight, the batches whose answers go out together, the peer's version as far as the
//! transport needs it, and the `shutdown`/`exit` life cycle. It decides what is delivered, what is answered at once
//! and what is held back; bytes are moved by `stdio`.

use std::collections::{BTreeMap, HashMap};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use serde_json::{Value, json};

use super::framing::{Event, Framing};
use super::messages::{self, Refusal};
use super::outline::{Outline, OutlineKind};

/// What follows from a frame.
#[derive(Debug)]
pub(super) enum Effect {
    Deliver(Box<ClientJsonRpcMessage>),
    /// A handshake from a peer that did without until now: to be readmitted once a new server stands before it.
    Renew(RequestId, Box<ClientRequest>),
    /// What is said from here on is framed so.
    Frame(Framing),
    /// A complete JSON text for the peer.
    Reply(Vec<u8>),
    /// The peer asked for the end.
    End,
}

#[derive(Debug)]
pub(super) struct Exchange {
    max_message_bytes: usize,
    max_batch_messages: usize,
    peer: Peer,
    shut_down: bool,
    in_flight: HashMap<RequestId, Place>,
    batches: BTreeMap<u64, Batch>,
    next_batch: u64,
}

/// What is known of the peer's protocol.
#[derive(Debug, PartialEq)]
enum Peer {
    Unknown,
    Handshake(ProtocolVersion),
    /// It sends its version with every request (2026-07-28 and later).
    Stateless,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Alone,
    InBatch { batch: u64, index: usize },
}

#[derive(Debug, Default)]
struct Batch {
    waiting: usize,
    /// By place in the batch; `None` for what gets no answer, or none yet.
    answers: Vec<Option<Vec<u8>>>,
}

impl Exchange {
    pub(super) fn new(max_message_bytes: usize, max_batch_messages: usize) -> Self {
        Self {
            max_message_bytes,
            max_batch_messages,
            peer: Peer::Unknown,
            shut_down: false,
            in_flight: HashMap::new(),
            batches: BTreeMap::new(),
            next_batch: 0,
        }
    }

    /// No request waits for an answer.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Takes what came from the peer.
    pub(super) fn accept(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Framing(framing) => vec![Effect::Frame(framing)],
            Event::Message(bytes) => match messages::parse_text(&bytes) {
                Ok(Value::Array(members)) => self.accept_batch(members),
                Ok(value) => self.accept_alone(value),
                Err(refusal) => vec![self.refuse(&refusal)],
            },
            Event::Oversized { announced, outline } => vec![self.oversized(announced, outline)],
            Event::BadHeader(fault) => {
                let error = ErrorData::parse_error(format!("bad message header: {fault}"), None);
                vec![self.refuse(&Refusal::new(None, error))]
            }
            Event::Truncated => {
                let error = ErrorData::parse_error("the input ended inside a message", None);
                vec![self.refuse(&Refusal::new(None, error))]
            }
        }
    }

    /// Takes what the server says and gives the JSON text to write now, if any.
    pub(super) fn answer(&mut self, message: &ServerJsonRpcMessage) -> Option<Vec<u8>> {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
        };
        if let ServerJsonRpcMessage::Response(response) = message
            && let ServerResult::InitializeResult(result) = &response.result
        {
            self.peer = Peer::Handshake(result.protocol_version.clone());
        }
        let Some(id) = id else { return Some(to_text(message)) };
        match self.in_flight.remove(id) {
            Some(Place::Alone) => Some(to_text(message)),
            Some(Place::InBatch { batch, index }) => self.settle(batch, Some((index, to_text(message)))),
            // Cancelled meanwhile: nothing more may be sent for it.
            None => None,
        }
    }

    /// Fails every request that still waits; for a server that cannot answer them any more.
    pub(super) fn fail_all(&mut self, error: &ErrorData) -> Vec<Vec<u8>> {
        let mut ids: Vec<RequestId> = self.in_flight.keys().cloned().collect();
        ids.sort_by_key(ToString::to_string);
        ids.into_iter()
            .filter_map(|id| self.answer(&ServerJsonRpcMessage::error(error.clone(), Some(id))))
            .collect()
    }

    /// At the end: the batches that will never be complete, with the answers they have.
    pub(super) fn unfinished_batches(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.batches).into_values().filter_map(Batch::into_text).collect()
    }

    /// Takes the request of a `Renew`; nothing is known of the peer any more.
    pub(super) fn readmit(&mut self, id: RequestId, request: ClientRequest) -> ClientJsonRpcMessage {
        self.peer = Peer::Unknown;
        self.enter(id, request)
    }

    fn enter(&mut self, id: RequestId, request: ClientRequest) -> ClientJsonRpcMessage {
        self.in_flight.insert(id.clone(), Place::Alone);
        ClientJsonRpcMessage::request(request, id)
    }

    fn accept_alone(&mut self, value: Value) -> Vec<Effect> {
        match messages::parse_message(value).and_then(|message| self.admit(message)) {
            Ok(Admitted::Ignored) => Vec::new(),
            Ok(Admitted::End) => vec![Effect::End],
            Ok(Admitted::Answered(answer)) => vec![Effect::Reply(to_text(&answer))],
            Ok(Admitted::Request(id, request))
                if self.peer == Peer::Stateless
                    && matches!(*request, ClientRequest::InitializeRequest(_)) =>
            {
                vec![Effect::Renew(id, request)]
            }
            Ok(Admitted::Request(id, request)) => {
                self.note_version(&request);
                vec![Effect::Deliver(Box::new(self.enter(id, *request)))]
            }
            Ok(Admitted::Cancellation(id, message)) => {
                let mut effects = vec![Effect::Deliver(message)];
                effects.extend(self.cancel(&id).map(Effect::Reply));
                effects
            }
            Ok(Admitted::Other(message)) => vec![Effect::Deliver(message)],
            Err(refusal) => vec![self.refuse(&refusal)],
        }
    }

    /// A batch is answered by one array, of peers whose protocol has batches.
    fn accept_batch(&mut self, members: Vec<Value>) -> Vec<Effect> {
        if let Err(message) = self.admit_batch(members.len()) {
            return vec![self.refuse(&Refusal::invalid(None, message))];
        }
        let key = self.next_batch;
        self.next_batch += 1;
        // It counts itself as waiting, so that it cannot be complete before its last member is read.
        self.batches.insert(key, Batch { waiting: 1, answers: vec![None; members.len()] });
        let mut effects = Vec::new();
        let mut end = false;
        for (index, member) in members.into_iter().enumerate() {
            let admitted = messages::parse_message(member)
                .and_then(|message| self.admit(message))
                .and_then(Admitted::within_batch);
            let answer = match admitted {
                Ok(Admitted::Request(id, request)) => {
                    self.in_flight.insert(id.clone(), Place::InBatch { batch: key, index });
                    if let Some(batch) = self.batches.get_mut(&key) {
                        batch.waiting += 1;
                    }
                    effects.push(Effect::Deliver(Box::new(ClientJsonRpcMessage::request(*request, id))));
                    None
                }
                Ok(Admitted::Cancellation(id, message)) => {
                    effects.push(Effect::Deliver(message));
                    effects.extend(self.cancel(&id).map(Effect::Reply));
                    None
                }
                Ok(Admitted::Other(message)) => {
                    effects.push(Effect::Deliver(message));
                    None
                }
                Ok(Admitted::Answered(answer)) => Some(to_text(&answer)),
                Ok(Admitted::Ignored) => None,
                Ok(Admitted::End) => {
                    end = true;
                    None
                }
                Err(refusal) => Some(to_text(&self.refusal_value(&refusal))),
            };
            if let (Some(batch), Some(answer)) = (self.batches.get_mut(&key), answer) {
                batch.answers[index] = Some(answer);
            }
        }
        effects.extend(self.settle(key, None).map(Effect::Reply));
        if end {
            effects.push(Effect::End);
        }
        effects
    }

    fn admit_batch(&self, members: usize) -> Result<(), String> {
        let version = match &self.peer {
            Peer::Unknown => None,
            Peer::Handshake(version) if version.as_str() <= ProtocolVersion::V_2025_03_26.as_str() => None,
            Peer::Handshake(version) => Some(version.as_str()),
            Peer::Stateless => Some("2026-07-28"),
        };
        if members == 0 {
            Err("a batch must not be empty".to_owned())
        } else if let Some(version) = version {
            Err(format!(
                "protocol {version} has no batches (they ended with 2025-03-26): send one message at a time"
            ))
        } else if members > self.max_batch_messages {
            Err(format!("a batch may hold {} messages, not {members}", self.max_batch_messages))
        } else {
            Ok(())
        }
    }

    /// What a message may do in the present state; the same for a batch's members.
    fn admit(&mut self, message: Option<ClientJsonRpcMessage>) -> Result<Admitted, Refusal> {
        let Some(message) = message else { return Ok(Admitted::Ignored) };
        match message {
            ClientJsonRpcMessage::Request(request) => {
                let (id, request) = (request.id, request.request);
                if self.in_flight.contains_key(&id) {
                    let text =
                        format!("a request with the id {id} is still in flight: ids must not be reused");
                    return Err(Refusal::invalid(Some(id), text));
                }
                if self.shut_down {
                    return Err(Refusal::invalid(
                        Some(id),
                        "the server is shutting down; only exit is accepted",
                    ));
                }
                if request.method() == "shutdown" {
                    self.shut_down = true;
                    let stateless =
                        self.peer == Peer::Stateless || request.get_meta().protocol_version().is_some();
                    let result = if stateless { json!({"resultType": "complete"}) } else { json!({}) };
                    return Ok(Admitted::Answered(json!({"jsonrpc": "2.0", "id": id, "result": result})));
                }
                Ok(Admitted::Request(id, Box::new(request)))
            }
            ClientJsonRpcMessage::Notification(notification) => match notification.notification {
                ClientNotification::CustomNotification(custom) if custom.method == "exit" => {
                    Ok(Admitted::End)
                }
                ClientNotification::CancelledNotification(cancelled) => {
                    let id = cancelled.params.request_id.clone();
                    let message = ClientJsonRpcMessage::notification(cancelled.into());
                    Ok(match id {
                        Some(id) => Admitted::Cancellation(id, Box::new(message)),
                        None => Admitted::Other(Box::new(message)),
                    })
                }
                _ if self.shut_down => Ok(Admitted::Ignored),
                other => Ok(Admitted::Other(Box::new(ClientJsonRpcMessage::notification(other)))),
            },
            answer => Ok(Admitted::Other(Box::new(answer))),
        }
    }

    /// `server/discover` is a probe: the peer may still choose either era after it.
    fn note_version(&mut self, request: &ClientRequest) {
        let probe =
            matches!(request, ClientRequest::DiscoverRequest(_) | ClientRequest::InitializeRequest(_));
        if self.peer == Peer::Unknown && !probe && request.get_meta().protocol_version().is_some() {
            self.peer = Peer::Stateless;
        }
    }

    /// A cancelled request gets no answer; a batch that waited only for it is complete.
    fn cancel(&mut self, id: &RequestId) -> Option<Vec<u8>> {
        match self.in_flight.remove(id)? {
            Place::Alone => None,
            Place::InBatch { batch, .. } => self.settle(batch, None),
        }
    }

    /// One thing less to wait for; the whole batch once there is none.
    fn settle(&mut self, key: u64, answer: Option<(usize, Vec<u8>)>) -> Option<Vec<u8>> {
        let batch = self.batches.get_mut(&key)?;
        if let Some((index, answer)) = answer {
            batch.answers[index] = Some(answer);
        }
        batch.waiting -= 1;
        if batch.waiting > 0 {
            return None;
        }
        self.batches.remove(&key).and_then(Batch::into_text)
    }

    fn oversized(&self, announced: Option<u64>, outline: Outline) -> Effect {
        let size = announced.map(|bytes| format!(" ({bytes} bytes)")).unwrap_or_default();
        let text =
            format!("the message is too large{size}: at most {} bytes are read", self.max_message_bytes);
        match outline {
            Outline { id: Some(id), kind: OutlineKind::Answer } => {
                Effect::Deliver(Box::new(messages::broken_answer(id, &text)))
            }
            Outline { id, .. } => {
                let data = json!({"maxMessageBytes": self.max_message_bytes});
                self.refuse(&Refusal::new(id, ErrorData::invalid_request(text, Some(data))))
            }
        }
    }

    fn refuse(&self, refusal: &Refusal) -> Effect {
        tracing::debug!(id = ?refusal.id, code = refusal.error.code.0, message = %refusal.error.message, "refused");
        Effect::Reply(to_text(&self.refusal_value(refusal)))
    }

    /// Without a readable id the answer has a null one, as JSON-RPC says; from 2026-07-28 on it has none.
    fn refusal_value(&self, refusal: &Refusal) -> Value {
        let error = &refusal.error;
        match &refusal.id {
            None if self.peer == Peer::Stateless => json!({"jsonrpc": "2.0", "error": error}),
            id => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        }
    }
}

/// A message that may have its effect.
enum Admitted {
    Ignored,
    End,
    Answered(Value),
    Request(RequestId, Box<ClientRequest>),
    Cancellation(RequestId, Box<ClientJsonRpcMessage>),
    Other(Box<ClientJsonRpcMessage>),
}

impl Admitted {
    /// What must not stand in a batch: the handshake, and a request of a protocol that has no batches.
    fn within_batch(self) -> Result<Self, Refusal> {
        let Self::Request(id, request) = &self else { return Ok(self) };
        if matches!(**request, ClientRequest::InitializeRequest(_)) {
            return Err(Refusal::invalid(Some(id.clone()), "initialize must not be part of a batch"));
        }
        match request.get_meta().protocol_version() {
            Some(version) if version.as_str() > ProtocolVersion::V_2025_03_26.as_str() => {
                Err(Refusal::invalid(
                    Some(id.clone()),
                    format!("protocol {version} has no batches (they ended with 2025-03-26)"),
                ))
            }
            _ => Ok(self),
        }
    }
}

impl Batch {
    /// One array, in the order of the requests; nothing at all when nobody is owed an answer.
    fn into_text(self) -> Option<Vec<u8>> {
        let answers: Vec<Vec<u8>> = self.answers.into_iter().flatten().collect();
        if answers.is_empty() { None } else { Some([b"[", answers.join(&b',').as_slice(), b"]"].concat()) }
    }
}

/// None of our types can fail to become JSON; should one ever, the peer gets valid JSON that says so.
fn to_text(message: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_else(|error| {
        tracing::error!(%error, "an answer could not be written as JSON");
        br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the answer could not be written as JSON"}}"#.to_vec()
    })
}

#[cfg(test)]
mod tests;
