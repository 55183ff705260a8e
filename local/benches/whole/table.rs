//! The tables of results: figures with their targets.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::BoxError;

/// Bytes of a mebibyte.
pub(crate) const MIB: f64 = 1024.0 * 1024.0;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/PERFORMANCE.md");
const BEGIN: &str = "<!-- Written by local/benches/run: begin -->\n";
const END: &str = "<!-- Written by local/benches/run: end -->\n";

/// A target.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// Everything that was found, in three tables.
pub(crate) struct Table {
    intro: String,
    figures: String,
    details: String,
    functions: String,
    sizes: String,
}

impl Table {
    /// Creates a table with only an introduction.
    pub(crate) fn new(intro: String) -> Self {
        Self {
            intro,
            figures: "| figure | target | measured |\n|---|---|---|\n".to_owned(),
            details: "| related values | measured |\n|---|---|\n".to_owned(),
            functions: "| function | start to first poll | compared with the bare one | warm, last byte | beyond the bare one | peak memory | zip \
                        |\n|---|---|---|---|---|---|---|\n"
                .to_owned(),
            sizes: "| request | of | time | items read | RCU | sent |\n|---|---|---|---|---|---|\n".to_owned(),
        }
    }

    /// Adds a figure; without a bound, it is only for comparison.
    pub(crate) fn figure(&mut self, what: impl AsRef<str>, bound: Option<Bound>, seen: f64, unit: &str) {
        let (target, met) = match bound {
            Some(Bound::AtMost(most)) => (format!("<= {most}{unit}"), seen <= most),
            Some(Bound::AtLeast(least)) => (format!(">= {least}{unit}"), seen >= least),
            None => ("".to_owned(), true),
        };
        let seen = format!("{seen:.2}{unit}");
        let seen = if met { seen } else { format!("**{seen}, missed**") };
        row(&mut self.figures, &[what.as_ref(), &target, &seen]);
    }

    /// Adds a detail of a figure.
    pub(crate) fn detail(&mut self, what: impl AsRef<str>, seen: String) {
        row(&mut self.details, &[what.as_ref(), &seen]);
    }

    /// Adds a function's figures.
    pub(crate) fn function(&mut self, cells: [&str; 7]) {
        row(&mut self.functions, &cells);
    }

    /// Adds the cost of a request at one size of the data.
    pub(crate) fn size(&mut self, cells: [&str; 6]) {
        row(&mut self.sizes, &cells);
    }

    fn text(&self) -> String {
        let Self { intro, figures, details, functions, sizes } = self;
        [intro, figures, details, functions, sizes].map(String::as_str).join("\n")
    }

    /// Shows the tables.
    #[allow(clippy::print_stdout, reason = "the program's output")]
    pub(crate) fn show(&self) {
        println!("{}", self.text());
    }

    /// Shows the tables, and writes them into the document where `UPDATE_PERFORMANCE` is set.
    pub(crate) fn write(&self) -> Result<(), BoxError> {
        self.show();
        if env::var_os("UPDATE_PERFORMANCE").is_none() {
            return Ok(());
        }
        let document = fs::read_to_string(DOCUMENT)?;
        let (before, rest) = document.split_once(BEGIN).ok_or("the document has no place for the tables")?;
        let (_, after) = rest.split_once(END).ok_or("the document has no place for the tables")?;
        Ok(fs::write(Path::new(DOCUMENT), format!("{before}{BEGIN}\n{}\n{END}{after}", self.text()))?)
    }
}

fn row(table: &mut String, cells: &[&str]) {
    writeln!(table, "| {} |", cells.join(" | ")).expect("a string takes it");
}

/// Returns the middle one of an odd number of values.
pub(crate) fn median<T: PartialOrd + Copy>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_by(|one, other| one.partial_cmp(other).expect("no value is missing"));
    values[values.len() / 2]
}

/// Returns a duration in a form to read.
pub(crate) fn milliseconds(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1e3)
}
