//! Reading a request body within bounds of size and time.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use http::{HeaderMap, header};
use tokio::time::timeout;

use crate::options::Limits;
use crate::refusal::Refusal;

/// A client that is refused while it still sends would see a reset connection instead of the answer, so what it
/// sends is read and thrown away for this long.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// The whole body, or why not. A body that is too large is drained before it is refused.
pub(crate) async fn read(headers: &HeaderMap, body: Body, limits: &Limits) -> Result<Bytes, Refusal> {
    let too_large = || Refusal::BodyTooLarge { limit: limits.body_bytes };
    if announced_length(headers).is_some_and(|length| length > limits.body_bytes as u64) {
        drain(headers, body).await;
        return Err(too_large());
    }
    let mut stream = body.into_data_stream();
    match timeout(limits.body_time, collect(&mut stream, limits.body_bytes)).await {
        Err(_) => Err(Refusal::BodyTooSlow),
        Ok(Collected::All(bytes)) => Ok(bytes),
        Ok(Collected::Broken) => Err(Refusal::BodyBroken),
        Ok(Collected::TooLarge) => {
            drain_stream(stream).await;
            Err(too_large())
        }
    }
}

/// Throws the rest of a refused request away. A client that waits for `100 Continue` is not asked for its body.
pub(crate) async fn drain(headers: &HeaderMap, body: Body) {
    if !headers.contains_key(header::EXPECT) {
        drain_stream(body.into_data_stream()).await;
    }
}

enum Collected {
    All(Bytes),
    TooLarge,
    Broken,
}

async fn collect(stream: &mut BodyDataStream, limit: usize) -> Collected {
    let mut collected = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let Ok(chunk) = chunk else { return Collected::Broken };
        if chunk.len() > limit - collected.len() {
            return Collected::TooLarge;
        }
        collected.extend_from_slice(&chunk);
    }
    Collected::All(collected.freeze())
}

async fn drain_stream(mut stream: BodyDataStream) {
    let rest = async { while let Some(Ok(_)) = stream.next().await {} };
    // Whether it ended or time did, the refusal is sent.
    let _ = timeout(DRAIN_TIME, rest).await;
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
