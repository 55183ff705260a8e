//! The one shape of every answer: an object that holds a list, and last how many elements the list has.

use std::convert::Infallible;
use std::fmt;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, Stream, StreamExt};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use serde::Serialize;

use super::writer::Writer;
use super::{CorruptFragment, Encoding, Fragment};

/// An answer's body. Its error is [`Infallible`]: an answer that cannot be completed ends early, since the runtime
/// would write an error into the body.
pub type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, Infallible>;

/// Bytes gathered before they are sent, unless the next row has to be waited for.
const CHUNK: usize = 64 * 1024;

/// A part of a list: JSON text, then a fragment, holding one or more whole elements together.
#[derive(Debug, Clone)]
pub struct Row {
    /// Text before the fragment.
    pub text: String,
    /// What is stored of the row.
    pub fragment: Option<Fragment>,
    /// Number of elements in the row.
    pub elements: usize,
}

impl Row {
    /// One element, written now.
    pub fn element(element: &impl Serialize) -> Self {
        Self { text: plain_json(element), fragment: None, elements: 1 }
    }

    /// One element, whose first fields are written now and whose others are stored, up to the closing brace.
    pub fn continued(first_fields: &impl Serialize, others: Fragment) -> Self {
        Self { text: unclosed(first_fields), fragment: Some(others), elements: 1 }
    }
}

/// A JSON object that is sent as it is read: its first fields, a list, and last the number of the list's elements.
pub struct List<E> {
    /// The object's text up to and with the bracket that opens the list.
    open: String,
    rows: BoxStream<'static, Result<Vec<Row>, E>>,
    /// Name of the field that tells the number of elements.
    total: &'static str,
}

impl<E> List<E>
where
    E: From<CorruptFragment> + fmt::Display + Send + 'static,
{
    /// An object with nothing but a list, read in batches, and the number of its elements.
    pub fn new(
        name: &'static str,
        total: &'static str,
        rows: impl Stream<Item = Result<Vec<Row>, E>> + Send + 'static,
    ) -> Self {
        Self { open: format!("{{\"{name}\":["), rows: rows.boxed(), total }
    }

    /// The same, with other fields before the list.
    pub fn after(
        first_fields: &impl Serialize,
        name: &'static str,
        total: &'static str,
        rows: impl Stream<Item = Result<Vec<Row>, E>> + Send + 'static,
    ) -> Self {
        Self { open: format!("{}\"{name}\":[", unclosed(first_fields)), rows: rows.boxed(), total }
    }

    /// Reads the first rows, so that most failures show before a status is sent, and gives the body that sends them
    /// and reads on.
    ///
    /// # Errors
    /// What reading the first rows failed with. A later failure is logged and cuts the body off.
    pub async fn send(self, encoding: Encoding) -> Result<Body, E> {
        let mut sender = Sender::new(self, encoding);
        let first = sender.next_chunk().await?;
        let rest = stream::unfold(sender, |mut sender| async move {
            match sender.next_chunk().await {
                Ok(chunk) => chunk.map(|chunk| (chunk, sender)),
                Err(error) => {
                    tracing::error!(error = %error, "an answer was cut off");
                    None
                }
            }
        });
        let chunks = stream::iter(first).chain(rest).map(|chunk| Ok(Frame::data(chunk)));
        Ok(StreamBody::new(chunks).boxed_unsync())
    }
}

/// A list on its way out.
struct Sender<E> {
    rows: BoxStream<'static, Result<Vec<Row>, E>>,
    /// Rows that are read and not yet written.
    read: std::vec::IntoIter<Row>,
    total: &'static str,
    sent: usize,
    /// None once the last bytes are written.
    writer: Option<Writer>,
}

impl<E: From<CorruptFragment>> Sender<E> {
    fn new(list: List<E>, encoding: Encoding) -> Self {
        let mut writer = Writer::new(encoding);
        writer.text(&list.open);
        Self { rows: list.rows, read: Vec::new().into_iter(), total: list.total, sent: 0, writer: Some(writer) }
    }

    /// The next bytes; none after the last.
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
            // The opening alone is no reason to send: the first rows may yet fail.
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
        writer.text(&format!("],\"{}\":{}}}", self.total, self.sent));
        Ok(self.writer.take().map(Writer::finish))
    }
}

fn plain_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the contract's models are plain data")
}

/// An object that has fields, open for more.
fn unclosed(fields: &impl Serialize) -> String {
    let mut text = plain_json(fields);
    text.pop();
    text.push(',');
    text
}
