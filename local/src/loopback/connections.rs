//! A limit on open connections. When it is reached, idle connections make room for new ones, and busy ones do after
//! their response.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::Notify;

/// Maximum number of open connections of one listener. Together, the listeners of the service stay below the usual
/// limit of 1,024 descriptors.
const MOST: usize = 300;

/// The open connections of one listener.
#[derive(Default)]
pub(super) struct Connections {
    state: Mutex<State>,
    /// Woken when a connection ends, becomes idle, or stays although it was asked to leave.
    changed: Notify,
}

#[derive(Default)]
struct State {
    open: usize,
    /// Connections without a running request, ordered from the longest idle.
    idle: BTreeMap<u64, Arc<Notify>>,
    next: u64,
    /// The idle connection that was asked to leave, until it does so or has a request.
    leaving: Option<u64>,
    /// Whether a client waits, and every connection has a running request.
    is_crowded: bool,
}

impl Connections {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another connection may open. If the limit is reached, asks the connection that has been idle longest
    /// to leave.
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
        let asked = Arc::new(Notify::new());
        let idle = Mutex::new(Some(state.rest(asked.clone())));
        Place(Arc::new(Entry { connections: self.clone(), asked, idle }))
    }
}

impl State {
    /// Returns whether there is room; otherwise, an idle connection has been asked to leave, if there is one.
    fn make_room(&mut self) -> bool {
        let has_room = self.open < MOST;
        if !has_room
            && self.leaving.is_none()
            && let Some((place, asked)) = self.idle.pop_first()
        {
            self.leaving = Some(place);
            asked.notify_one();
        }
        self.is_crowded = !has_room && self.leaving.is_none();
        has_room
    }

    /// Adds a connection to the idle ones and returns its position among them.
    fn rest(&mut self, asked: Arc<Notify>) -> u64 {
        self.next += 1;
        self.idle.insert(self.next, asked);
        self.next
    }

    /// Removes a connection from the idle ones.
    fn rise(&mut self, place: u64) {
        if self.idle.remove(&place).is_none() && self.leaving == Some(place) {
            self.leaving = None;
        }
    }
}

/// A connection's place among the open ones, released when the last clone is dropped.
#[derive(Clone)]
pub(super) struct Place(Arc<Entry>);

struct Entry {
    connections: Arc<Connections>,
    /// Woken when the connection should leave.
    asked: Arc<Notify>,
    /// Position among the idle connections; `None` while a request runs.
    idle: Mutex<Option<u64>>,
}

impl Place {
    /// Completes when the connection should leave, unless a request has come.
    pub(super) async fn asked(&self) {
        self.0.asked.notified().await;
    }

    /// Returns whether a request runs.
    pub(super) fn is_busy(&self) -> bool {
        self.0.idle().is_none()
    }

    /// Marks the connection as busy until the result is dropped.
    pub(super) fn busy(&self) -> Busy {
        self.0.rise();
        Busy(self.0.clone())
    }
}

impl Entry {
    fn idle(&self) -> MutexGuard<'_, Option<u64>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rise(&self) {
        if let Some(place) = self.idle().take() {
            self.connections.state().rise(place);
            self.connections.changed.notify_one();
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.connections.state().open -= 1;
        self.rise();
        self.connections.changed.notify_one();
    }
}

/// A connection with a running request.
pub(super) struct Busy(Arc<Entry>);

impl Busy {
    /// Returns whether the connection should end with its response, because a client waits for one that does.
    pub(super) fn is_last(&self) -> bool {
        self.0.connections.state().is_crowded
    }

    /// Returns the body, which keeps the connection busy until it is sent or dropped.
    pub(super) fn until_end_of(self, body: Body) -> Body {
        Body::new(BusyBody { body, _busy: self })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut idle = self.0.idle();
        if idle.is_none() {
            *idle = Some(self.0.connections.state().rest(self.0.asked.clone()));
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

    /// Returns as many connections as possible.
    fn full(connections: &Arc<Connections>) -> Vec<Place> {
        let place = |_| {
            assert!(has_room(connections));
            connections.enter()
        };
        (0..MOST).map(place).collect()
    }

    fn has_room(connections: &Connections) -> bool {
        connections.room().now_or_never().is_some()
    }

    fn is_asked(place: &Place) -> bool {
        place.asked().now_or_never().is_some()
    }

    #[test]
    fn the_longest_idle_connection_makes_room_and_busy_ones_stay() {
        let connections = Arc::new(Connections::default());
        let mut places = full(&connections);
        let first = places[0].busy();
        assert!(!has_room(&connections) && !has_room(&connections));
        assert_eq!([0, 1, 2].map(|number| is_asked(&places[number])), [false, true, false]);
        assert!(!first.is_last(), "an idle connection is asked instead");
        places.remove(1);
        assert!(has_room(&connections));
    }

    #[test]
    fn a_connection_that_is_asked_while_its_request_arrives_stays_and_another_one_leaves() {
        let connections = Arc::new(Connections::default());
        let places = full(&connections);
        assert!(!has_room(&connections) && is_asked(&places[0]) && !places[0].is_busy());
        let _busy = places[0].busy();
        assert!(!has_room(&connections) && is_asked(&places[1]) && places[0].is_busy());
    }

    #[test]
    fn busy_connections_end_with_their_response_while_a_client_waits() {
        let connections = Arc::new(Connections::default());
        let mut places = full(&connections);
        let mut busy: Vec<_> = places.iter().map(Place::busy).collect();
        assert!(!busy[0].is_last(), "nobody waits");
        assert!(!has_room(&connections));
        assert!(busy[0].is_last(), "a client waits");
        drop((busy.remove(0), places.remove(0)));
        assert!(has_room(&connections));
        assert!(!busy[0].is_last(), "nobody waits");
    }

    #[test]
    fn every_connection_is_counted_out_once() {
        let connections = Arc::new(Connections::default());
        for _ in 0..3 * MOST {
            assert!(has_room(&connections));
            let place = connections.enter();
            drop(place.busy());
        }
        assert_eq!(connections.state().open, 0);
        let places = full(&connections);
        assert!(!has_room(&connections));
        drop(places);
        let state = connections.state();
        assert_eq!((state.open, state.idle.len(), state.leaving), (0, 0, None));
    }
}
