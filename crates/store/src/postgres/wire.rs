//! The wire to a server, for callers that block. Requests that do not wait for each other's answers go out together, and the
//! calling thread itself reads what comes back. Knows nothing of what is asked.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{AsyncMessage, Client, Config, Error, Socket};

pub(super) struct Wire {
    client: Client,
    /// Nothing once it has ended.
    connection: Option<Box<Connection>>,
    runtime: Runtime,
    is_notified: bool,
}

/// Moves what is to be sent and what has come, and gives what was not asked for.
type Connection = dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<AsyncMessage, Error>>> + Send;

impl fmt::Debug for Wire {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Wire").field("is_closed", &self.is_closed()).finish_non_exhaustive()
    }
}

impl Wire {
    pub(super) fn connect<T>(config: &Config, tls: T) -> Result<Self, WireError>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
        T::TlsConnect: TlsConnect<Socket>,
    {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(WireError::Runtime)?;
        let (client, mut connection) = runtime.block_on(config.connect(tls)).map_err(WireError::Server)?;
        let connection: Box<Connection> = Box::new(move |context| connection.poll_message(context));
        Ok(Self { client, connection: Some(connection), runtime, is_notified: false })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.connection.is_none() || self.client.is_closed()
    }

    /// Waits for what `ask` asks for. What it begins before it first waits goes out in one piece.
    pub(super) fn run<T>(&mut self, ask: impl AsyncFnOnce(&Client) -> Result<T, Error>) -> Result<T, Error> {
        let Self { client, connection, runtime, is_notified } = self;
        let mut asked = pin!(ask(client));
        runtime.block_on(poll_fn(|context| {
            if let Poll::Ready(answer) = asked.as_mut().poll(context) {
                return Poll::Ready(answer);
            }
            drive(connection, is_notified, context)?;
            asked.as_mut().poll(context)
        }))
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.run(async |client| client.batch_execute(sql).await)
    }

    /// Whether the server has told of something since the last call. Waits no longer than `timeout`.
    pub(super) fn wait(&mut self, timeout: Duration) -> bool {
        let Self { connection, runtime, is_notified, .. } = self;
        runtime.block_on(async {
            let told = poll_fn(|context| {
                let alive = drive(connection, is_notified, context);
                if *is_notified || alive.is_err() || connection.is_none() {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            });
            _ = tokio::time::timeout(timeout, told).await;
        });
        std::mem::take(is_notified)
    }
}

/// As far as it goes without waiting. Of a connection that has ended nobody waits for an answer any more.
fn drive(
    connection: &mut Option<Box<Connection>>,
    is_notified: &mut bool,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    while let Some(open) = connection {
        match open(context) {
            Poll::Ready(Some(Ok(AsyncMessage::Notification(_)))) => *is_notified = true,
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(error))) => {
                *connection = None;
                return Err(error);
            }
            Poll::Ready(None) => *connection = None,
            Poll::Pending => break,
        }
    }
    Ok(())
}

/// All of them, begun in this order before any is waited for.
pub(super) async fn in_order<T>(asked: Vec<impl Future<Output = Result<T, Error>>>) -> Result<Vec<T>, Error> {
    let mut asked: Vec<_> = asked.into_iter().map(|one| (Box::pin(one), None)).collect();
    poll_fn(|context| {
        let mut is_waiting = false;
        for (one, answer) in asked.iter_mut().filter(|(_, answer)| answer.is_none()) {
            let one: Pin<&mut _> = one.as_mut();
            match one.poll(context) {
                Poll::Ready(given) => *answer = Some(given),
                Poll::Pending => is_waiting = true,
            }
        }
        if is_waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    asked.into_iter().filter_map(|(_, answer)| answer).collect()
}

/// Why there is no wire.
#[derive(Debug, thiserror::Error)]
pub(super) enum WireError {
    #[error("no thread of execution for the connection: {0}")]
    Runtime(#[source] io::Error),
    #[error(transparent)]
    Server(Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_begun_in_order_and_all_are_waited_for() {
        let begun = std::cell::RefCell::new(Vec::new());
        let ask = |number: u64, naps: u64| {
            let begun = &begun;
            async move {
                begun.borrow_mut().push(number);
                for _ in 0..naps {
                    tokio::task::yield_now().await;
                }
                Ok::<_, Error>(number)
            }
        };
        let runtime = Builder::new_current_thread().build().unwrap();
        let answers = runtime.block_on(in_order(vec![ask(1, 3), ask(2, 0), ask(3, 1)])).unwrap();
        assert_eq!((answers, begun.into_inner()), (vec![1, 2, 3], vec![1, 2, 3]));
    }
}
