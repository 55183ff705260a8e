//! Creates the PDF of a report's JSON, without a store: `render REPORT.json REPORT.pdf [LOGO]`, `TIMES` times. `KIND`,
//! `PAPER` and `FOREWORD` choose as a person does, `TOOL` names the tool. Prints the time and memory of each document.
#![allow(clippy::print_stdout, reason = "it prints its measurements")]

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use model::PostureReport;
use operations::brand::{self, Accent, Brand};
use operations::documents::{Choice, Document, Kind, Paper, Point};
use report_pdf::render;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(report), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("name the report's JSON file and the file to write".into());
    };
    let report = fs::read(report)?;
    let logo = arguments.next().map(fs::read).transpose()?.map(brand::logo).transpose()?;
    let accent: Accent = env::var("ACCENT").unwrap_or_else(|_| Accent::default().to_string()).parse()?;
    let (name, footer) = ("Northwind Managed IT".to_owned(), "Northwind Managed IT · Confidential".to_owned());
    let brand = Brand { name, footer, logo, accent: accent.readable_on_white() };
    let figures = serde_json::from_slice::<PostureReport>(&report)?.body.figures;
    let earlier = figures.baseline.and_then(|baseline| baseline.completed_at.zip(baseline.score));
    let scores = earlier.into_iter().chain([(figures.completed_at, figures.score)]);
    let history = scores.map(|(completed, score)| Point { completed, score }).collect();
    let tool = env::var("TOOL").unwrap_or_else(|_| "ScubaGear".to_owned());
    let document = Document { brand, tool, history, tasks: BTreeMap::new(), choice: choice()? };
    for _ in 0..env::var("TIMES").map_or(Ok(1), |times| times.parse())? {
        let started = Instant::now();
        let pdf = render(&report, &document)?;
        println!("{} ms, {} bytes, {}", started.elapsed().as_millis(), pdf.len(), memory());
        fs::write(&output, pdf)?;
    }
    Ok(())
}

fn choice() -> Result<Choice, Box<dyn Error>> {
    let chosen = |name| env::var(name).unwrap_or_default();
    Ok(Choice {
        kind: match chosen("KIND").as_str() {
            "board" => Kind::Board,
            "open" => Kind::Open,
            _ => Kind::Everything,
        },
        paper: if chosen("PAPER") == "letter" { Paper::Letter } else { Paper::A4 },
        foreword: chosen("FOREWORD").parse()?,
        ..Choice::default()
    })
}

/// Returns the memory in use and its peak, if the system provides them.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
