//! A limit on open connections. When it is reached, idle connections make room for new ones.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::Notify;

/// Maximum number of open connections of one listener. The whole service stays below the usual limit of 1,024
/// descriptors.
const MOST: usize = 200;

/// The open connections of one listener.
#[derive(Default)]
pub(super) struct Connections {
    state: Mutex<State>,
    /// Woken when a connection ends or becomes idle.
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// Open connections, without evicted ones.
    open: usize,
    /// Connections without a running request, ordered from the longest idle.
    idle: BTreeMap<u64, Arc<Notify>>,
    next: u64,
}

impl Connections {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another connection may open. If the limit is reached, closes the connection that has been idle
    /// longest.
    pub(super) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            if self.state().make_room() {
                return;
            }
            changed.await;
        }
    }

    /// Counts a new connection, which is idle until its first request.
    pub(super) fn enter(self: &Arc<Self>) -> Place {
        let mut state = self.state();
        state.open += 1;
        let evicted = Arc::new(Notify::new());
        let idle = Mutex::new(Some(state.rest(evicted.clone())));
        Place(Arc::new(Entry { connections: self.clone(), evicted, idle }))
    }
}

impl State {
    fn make_room(&mut self) -> bool {
        if self.open < MOST {
            return true;
        }
        let Some((_, evicted)) = self.idle.pop_first() else { return false };
        self.open -= 1;
        evicted.notify_one();
        true
    }

    /// Adds a connection to the idle ones and returns its position among them.
    fn rest(&mut self, evicted: Arc<Notify>) -> u64 {
        self.next += 1;
        self.idle.insert(self.next, evicted);
        self.next
    }
}

/// A connection's place among the open ones, released when the last clone is dropped.
#[derive(Clone)]
pub(super) struct Place(Arc<Entry>);

struct Entry {
    connections: Arc<Connections>,
    evicted: Arc<Notify>,
    /// Position among the idle connections; `None` while a request runs.
    idle: Mutex<Option<u64>>,
}

impl Place {
    /// Completes when the connection has to make room.
    pub(super) async fn evicted(&self) {
        self.0.evicted.notified().await;
    }

    /// Marks the connection as busy until the result is dropped.
    pub(super) fn busy(&self) -> Busy {
        let mut idle = self.0.idle();
        if let Some(place) = *idle
            && self.0.connections.state().idle.remove(&place).is_some()
        {
            *idle = None;
        }
        Busy(self.0.clone())
    }
}

impl Entry {
    fn idle(&self) -> MutexGuard<'_, Option<u64>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut state = self.connections.state();
        // An evicted connection is no longer among the idle ones, and has already been subtracted.
        let counted = self.idle().is_none_or(|place| state.idle.remove(&place).is_some());
        state.open -= usize::from(counted);
        drop(state);
        self.connections.changed.notify_one();
    }
}

/// A connection with a running request.
pub(super) struct Busy(Arc<Entry>);

impl Busy {
    /// Returns the body, which keeps the connection busy until it is sent or dropped.
    pub(super) fn until_end_of(self, body: Body) -> Body {
        Body::new(BusyBody { body, _busy: self })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut idle = self.0.idle();
        if idle.is_none() {
            *idle = Some(self.0.connections.state().rest(self.0.evicted.clone()));
            drop(idle);
            self.0.connections.changed.notify_one();
        }
    }
}

struct BusyBody {
    body: Body,
    _busy: Busy,
}

impl HttpBody for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn the_longest_idle_connection_makes_room_and_busy_ones_stay() {
        let connections = Arc::new(Connections::default());
        let places: Vec<_> = (0..MOST)
            .map(|_| {
                assert!(connections.room().now_or_never().is_some());
                connections.enter()
            })
            .collect();
        let first = places[0].busy();
        assert!(connections.room().now_or_never().is_some());
        let evicted = |place: &Place| place.evicted().now_or_never().is_some();
        assert_eq!((evicted(&places[0]), evicted(&places[1]), evicted(&places[2])), (false, true, false));
        drop(first);

        let newest = connections.enter();
        let busy: Vec<_> = places.iter().chain([&newest]).map(Place::busy).collect();
        assert!(connections.room().now_or_never().is_none(), "all connections are busy");
        drop(busy);
        assert!(connections.room().now_or_never().is_some());
    }

    #[test]
    fn every_connection_is_counted_out_once() {
        let connections = Arc::new(Connections::default());
        for _ in 0..3 * MOST {
            assert!(connections.room().now_or_never().is_some());
            let place = connections.enter();
            drop(place.busy());
        }
        assert_eq!(connections.state().open, 0);
        let places: Vec<_> = (0..MOST).map(|_| connections.enter()).collect();
        assert!(connections.room().now_or_never().is_some());
        assert_eq!(connections.state().open, MOST - 1);
        drop(places);
        assert_eq!(connections.state().open, 0);
        assert!(connections.state().idle.is_empty());
    }
}
