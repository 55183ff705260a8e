//! The shape of lists: an object with a list, followed by the number of its elements.

use std::convert::Infallible;
use std::fmt;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, Stream, StreamExt};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use serde::Serialize;

use super::writer::Writer;
use store::{CorruptFragment, Fragment};

use super::Encoding;

/// A response's body. Its error is [`Infallible`]: a response that cannot be completed ends early, because the runtime
/// would write an error into the body.
pub type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, Infallible>;

/// Number of bytes that are collected before they are sent, unless the next row is not available yet.
const CHUNK: usize = 64 * 1024;

/// A part of a list: JSON text, then a fragment, which together contain one or more complete elements.
#[derive(Debug, Clone)]
pub struct Row {
    /// Text before the fragment.
    pub text: String,
    /// The stored part of the row.
    pub fragment: Option<Fragment>,
    /// Number of elements in the row.
    pub elements: usize,
}

impl Row {
    /// Returns a row of one element, written now.
    pub fn element(element: &impl Serialize) -> Self {
        Self { text: plain_json(element), fragment: None, elements: 1 }
    }

    /// Returns a row of stored elements, separated by commas.
    pub fn stored(elements: usize, fragment: Fragment) -> Self {
        Self { text: String::new(), fragment: Some(fragment), elements }
    }

    /// Returns a row of one element whose first fields are written now and whose other fields are stored, up to the
    /// brace.
    pub fn continued(first_fields: &impl Serialize, others: Fragment) -> Self {
        Self { text: unclosed(first_fields), fragment: Some(others), elements: 1 }
    }

    /// Returns a body of only the row.
    ///
    /// # Errors
    /// If the fragment is damaged.
    pub fn send(self, encoding: Encoding) -> Result<Body, CorruptFragment> {
        let mut writer = Writer::new(encoding);
        writer.text(&self.text);
        if let Some(fragment) = &self.fragment {
            writer.fragment(fragment)?;
        }
        let chunk = stream::iter([Ok(Frame::data(writer.finish()))]);
        Ok(StreamBody::new(chunk).boxed_unsync())
    }
}

/// A JSON object that is sent as it is read: its first fields, a list, the number of the list's elements, its last
/// fields.
pub struct List<E> {
    /// The object's text up to and including the bracket that opens the list.
    open: String,
    rows: BoxStream<'static, Result<Vec<Row>, E>>,
    /// Name of the field that holds the number of elements.
    total: &'static str,
    /// Returns the object's text after that number, once the list has been read.
    end: End,
}

type End = Box<dyn Fn() -> String + Send>;

impl<E> List<E>
where
    E: From<CorruptFragment> + fmt::Display + Send + 'static,
{
    /// Returns an object of only a list, read in batches, and the number of its elements.
    pub fn new(
        name: &'static str,
        total: &'static str,
        rows: impl Stream<Item = Result<Vec<Row>, E>> + Send + 'static,
    ) -> Self {
        Self { open: format!("{{\"{name}\":["), rows: rows.boxed(), total, end: Box::new(|| "}".to_owned()) }
    }

    /// Returns the same with other fields before the list.
    pub fn after(
        first_fields: &impl Serialize,
        name: &'static str,
        total: &'static str,
        rows: impl Stream<Item = Result<Vec<Row>, E>> + Send + 'static,
    ) -> Self {
        let list = Self::new(name, total, rows);
        Self { open: format!("{}\"{name}\":[", unclosed(first_fields)), ..list }
    }

    /// Adds fields after the number of elements, which may depend on the list.
    #[must_use]
    pub fn ending<T: Serialize>(self, last_fields: impl Fn() -> T + Send + 'static) -> Self {
        Self { end: Box::new(move || plain_json(&last_fields()).replacen('{', ",", 1)), ..self }
    }

    /// Adds the position at which the next page begins, once the list has been read; null if there is none.
    #[must_use]
    pub fn paged(self, next_cursor: impl Fn() -> Option<String> + Send + 'static) -> Self {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Next {
            next_cursor: Option<String>,
        }
        self.ending(move || Next { next_cursor: next_cursor() })
    }

    /// Reads the first rows, so that most failures occur before a status is sent, and returns the body that sends them
    /// and reads on.
    ///
    /// # Errors
    /// If reading the first rows fails. A later failure is logged and cuts the body off.
    pub async fn send(self, encoding: Encoding) -> Result<Body, E> {
        let mut sender = Sender::new(self, encoding);
        let first = sender.next_chunk().await?;
        let rest = stream::unfold(sender, |mut sender| async move {
            match sender.next_chunk().await {
                Ok(chunk) => chunk.map(|chunk| (chunk, sender)),
                Err(error) => {
                    tracing::error!(error = %error, "a response was cut off");
                    None
                }
            }
        });
        let chunks = stream::iter(first).chain(rest).map(|chunk| Ok(Frame::data(chunk)));
        Ok(StreamBody::new(chunks).boxed_unsync())
    }
}

/// A list that is being sent.
struct Sender<E> {
    rows: BoxStream<'static, Result<Vec<Row>, E>>,
    /// Rows that are read but not yet written.
    read: std::vec::IntoIter<Row>,
    total: &'static str,
    end: End,
    sent: usize,
    /// `None` once the last bytes are written.
    writer: Option<Writer>,
}

impl<E: From<CorruptFragment>> Sender<E> {
    fn new(list: List<E>, encoding: Encoding) -> Self {
        let mut writer = Writer::new(encoding);
        writer.text(&list.open);
        let List { rows, total, end, .. } = list;
        Self { rows, read: Vec::new().into_iter(), total, end, sent: 0, writer: Some(writer) }
    }

    /// Returns the next bytes, or `None` after the last.
    async fn next_chunk(&mut self) -> Result<Option<Bytes>, E> {
        let Some(writer) = &mut self.writer else { return Ok(None) };
        loop {
            for row in self.read.by_ref() {
                if self.sent > 0 {
                    writer.text(",");
                }
                self.sent += row.elements;
                writer.text(&row.text);
                if let Some(fragment) = &row.fragment {
                    writer.fragment(fragment)?;
                }
                if writer.waiting() >= CHUNK {
                    return Ok(Some(writer.take()));
                }
            }
            // The opening alone is not sent: the first rows may still fail.
            let batch = match self.rows.next().now_or_never() {
                None if self.sent > 0 && writer.waiting() > 0 => return Ok(Some(writer.take())),
                None => self.rows.next().await,
                Some(batch) => batch,
            };
            match batch {
                Some(batch) => self.read = batch?.into_iter(),
                None => break,
            }
        }
        writer.text(&format!("],\"{}\":{}{}", self.total, self.sent, (self.end)()));
        Ok(self.writer.take().map(Writer::finish))
    }
}

fn plain_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the contract's models are plain data")
}

/// Returns an object that has fields and is open for more.
fn unclosed(fields: &impl Serialize) -> String {
    let mut text = plain_json(fields);
    text.pop();
    text.push(',');
    text
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use serde_json::{Value, json};

    use super::*;
    use store::StoreError;

    /// Two batches: written elements, then stored ones, and one that is both.
    fn batches(elements: usize) -> Vec<Result<Vec<Row>, StoreError>> {
        let written = (0..elements).map(|n| Row::element(&json!({ "n": n, "pad": "x".repeat(n % 3000) }))).collect();
        let stored = Fragment::stored(br#"{"n":1},{"n":2}"#);
        let continued = Row::continued(&json!({ "id": "a" }), Fragment::stored(br#""rest":[1,2]}"#));
        let chunk = Row { text: String::new(), fragment: Some(stored), elements: 2 };
        vec![Ok(written), Ok(vec![chunk, continued])]
    }

    async fn sent(batches: Vec<Result<Vec<Row>, StoreError>>, encoding: Encoding) -> Result<Vec<u8>, StoreError> {
        let list = List::after(&json!({ "as": 1 }), "rows", "total", stream::iter(batches));
        Ok(list.send(encoding).await?.collect().await.unwrap().to_bytes().to_vec())
    }

    fn gunzip(bytes: &[u8]) -> std::io::Result<String> {
        let mut text = String::new();
        GzDecoder::new(bytes).read_to_string(&mut text).map(|_| text)
    }

    #[tokio::test]
    async fn both_codings_say_the_same() {
        for elements in [0, 1, 5, 500] {
            let plain = String::from_utf8(sent(batches(elements), Encoding::Identity).await.unwrap()).unwrap();
            let gzip = sent(batches(elements), Encoding::Gzip).await.unwrap();
            assert_eq!(gunzip(&gzip).unwrap(), plain);
            let read: Value = serde_json::from_str(&plain).unwrap();
            assert_eq!(read["total"], elements + 3);
            assert_eq!(read["rows"].as_array().unwrap().len(), elements + 3);
            assert_eq!(read["rows"][elements + 2], json!({ "id": "a", "rest": [1, 2] }));
            assert!(plain.ends_with(&format!("],\"total\":{}}}", elements + 3)), "the number of elements comes last");
        }
    }

    #[tokio::test]
    async fn an_empty_list_is_complete() {
        assert_eq!(sent(vec![], Encoding::Identity).await.unwrap(), br#"{"as":1,"rows":[],"total":0}"#);
        assert_eq!(gunzip(&sent(vec![], Encoding::Gzip).await.unwrap()).unwrap(), r#"{"as":1,"rows":[],"total":0}"#);
    }

    #[tokio::test]
    async fn fields_can_follow_the_number() {
        let list = List::new("rows", "total", stream::iter(batches(1))).ending(|| json!({ "next": null }));
        let text = list.send(Encoding::Identity).await.unwrap().collect().await.unwrap().to_bytes();
        assert!(text.ends_with(br#"],"total":4,"next":null}"#), "{text:?}");
        assert_eq!(serde_json::from_slice::<Value>(&text).unwrap()["total"], 4);
    }

    #[tokio::test]
    async fn a_row_can_be_sent_alone() {
        let row = || Row::continued(&json!({ "id": "a" }), Fragment::stored(br#""rest":[1,2]}"#));
        let sent = |row: Row, encoding| async move { row.send(encoding).unwrap().collect().await.unwrap().to_bytes() };
        assert_eq!(sent(row(), Encoding::Identity).await, r#"{"id":"a","rest":[1,2]}"#);
        assert_eq!(gunzip(&sent(row(), Encoding::Gzip).await).unwrap(), r#"{"id":"a","rest":[1,2]}"#);
    }

    #[tokio::test]
    async fn rows_that_are_ready_are_sent_in_large_chunks() {
        let rows = (0..200).map(|_| Row::element(&"x".repeat(1000))).collect();
        let list = List::new("rows", "total", stream::iter([Ok::<_, StoreError>(rows)]));
        let chunks = list.send(Encoding::Identity).await.unwrap().into_data_stream().map(|chunk| chunk.unwrap().len());
        let chunks: Vec<_> = chunks.collect().await;
        assert_eq!(chunks.len(), 4, "{chunks:?}");
        assert!(chunks[..3].iter().all(|chunk| (65_536..66_600).contains(chunk)), "{chunks:?}");
    }

    #[tokio::test]
    async fn rows_do_not_wait_for_later_ones() {
        let first = stream::iter([Ok::<_, StoreError>(vec![Row::element(&1), Row::element(&2)])]);
        let list = List::new("rows", "total", first.chain(stream::pending()));
        let mut body = list.send(Encoding::Identity).now_or_never().unwrap().unwrap();
        let frame = body.frame().now_or_never().unwrap().unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), r#"{"rows":[1,2"#);
        assert!(body.frame().now_or_never().is_none(), "there is nothing to send");
    }

    #[tokio::test]
    async fn nothing_is_sent_before_the_first_rows() {
        let failing = stream::once(async {
            tokio::task::yield_now().await;
            Err::<Vec<Row>, _>(StoreError::Contended("a test"))
        });
        let sent = List::new("rows", "total", failing).send(Encoding::Identity).await;
        assert!(matches!(sent, Err(StoreError::Contended(_))));
    }

    #[tokio::test]
    async fn a_failure_before_the_first_rows_is_an_error() {
        let failing = vec![Err(StoreError::Contended("a test"))];
        assert!(matches!(sent(failing, Encoding::Gzip).await, Err(StoreError::Contended(_))));
        let mut fragment = Fragment::stored(b"1");
        fragment.crc32 = 0;
        let damaged = Row { fragment: Some(fragment), ..Row::element(&1) };
        assert!(matches!(sent(vec![Ok(vec![damaged])], Encoding::Identity).await, Err(StoreError::Corrupt(_))));
    }

    #[tokio::test]
    async fn a_later_failure_cuts_the_response_off_so_that_no_parser_accepts_it() {
        for rows in [1, 2_000] {
            let mut failing = batches(rows);
            failing.push(Err(StoreError::Contended("a test")));
            let plain = sent(failing, Encoding::Identity).await;
            let mut failing = batches(rows);
            failing.push(Err(StoreError::Contended("a test")));
            let gzip = sent(failing, Encoding::Gzip).await;
            match rows {
                // All rows fit a chunk, so nothing is sent yet when the failure comes.
                1 => assert!(plain.is_err() && gzip.is_err()),
                _ => {
                    assert!(serde_json::from_slice::<Value>(&plain.unwrap()).is_err());
                    assert!(gunzip(&gzip.unwrap()).is_err());
                }
            }
        }
    }
}
