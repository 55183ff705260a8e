//! Every option of every command is honoured or refused.

#[path = "../../tests/cli/command_lines.rs"]
mod command_lines;

use std::collections::BTreeSet;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, Parser};
use walkdir::WalkDir;

use super::Posture;
use command_lines::{COMMANDS, CommandLine, ON_DATA};

/// Returns every command that does something, with its names.
fn leaves(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
    let subcommands: Vec<_> = command.get_subcommands().filter(|command| command.get_name() != "help").collect();
    if subcommands.is_empty() {
        found.push((path.to_owned(), command.clone()));
    }
    for subcommand in subcommands {
        leaves(subcommand, format!("{path} {}", subcommand.get_name()).trim_start(), found);
    }
}

fn commands() -> Vec<(String, Command)> {
    let mut posture = Posture::command();
    posture.build();
    let mut found = Vec::new();
    leaves(&posture, "", &mut found);
    found
}

fn entry(path: &str) -> Option<&'static CommandLine> {
    COMMANDS.iter().find(|command| format!("{} ", command.line).starts_with(&format!("{path} ")))
}

fn parsed(line: &str, more: &str) -> Result<Posture, clap::Error> {
    Posture::try_parse_from(["posture"].into_iter().chain(line.split(' ')).chain(more.split_whitespace()))
}

/// Returns the names of a command's options, such as `--json`.
fn options(command: &Command) -> BTreeSet<String> {
    let names = command.get_arguments().filter_map(clap::Arg::get_long);
    names.filter(|name| !["help", "version"].contains(name)).map(|name| format!("--{name}")).collect()
}

fn names<'a>(options: impl IntoIterator<Item = &'a (&'a str, &'a str)>) -> BTreeSet<String> {
    options.into_iter().map(|(option, _)| option.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn every_option_of_every_command_is_in_the_table() {
    let commands = commands();
    for (path, command) in &commands {
        let entry = entry(path).unwrap_or_else(|| panic!("add `{path}` to tests/cli/command_lines.rs"));
        let mut expected = names(entry.options);
        if options(command).contains("--local") {
            expected.extend(names(&ON_DATA));
        }
        assert_eq!(options(command), expected, "tests/cli/command_lines.rs: {path}");
    }
    assert_eq!(commands.len(), COMMANDS.len(), "tests/cli/command_lines.rs has a command that does not exist");
}

#[test]
fn every_option_is_accepted_and_the_test_that_shows_its_effect_names_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["tests", "../infra/checks"].map(|name| WalkDir::new(folder.join(name)));
    let files = files.into_iter().flatten().map(|file| file.unwrap().into_path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "rs" || end == "py"));
    let files = files.filter(|path| !path.ends_with("command_lines.rs"));
    let sources: Vec<_> = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for command in COMMANDS {
        parsed(command.line, "").unwrap_or_else(|error| panic!("{}: {error}", command.line));
        for (option, test) in command.options.iter().chain(&ON_DATA) {
            let shown = |source: &&String| {
                source.contains(&format!("fn {test}(")) || source.contains(&format!("def test_{test}("))
            };
            let source = sources.iter().find(shown).unwrap_or_else(|| panic!("there is no test {test}"));
            let name = option.split(' ').next().unwrap();
            assert!(source.contains(&format!("\"{name}\"")), "the file of {test} does not use {name}");
        }
        for (option, _) in command.options {
            let alone = parsed(without(command.line, option).as_str(), option);
            let refused = alone.err().filter(|error| error.kind() != ErrorKind::ArgumentConflict);
            assert!(refused.is_none(), "{} {option}: {}", command.line, refused.unwrap());
        }
    }
}

/// Returns a line without those options that are to be added.
fn without(line: &str, option: &str) -> String {
    if option.is_empty() { line.to_owned() } else { line.replace(&format!(" {option}"), "") }
}

#[test]
fn options_that_conflict_are_refused() {
    let mut tried = Vec::new();
    for (path, command) in commands() {
        let entry = entry(&path).unwrap();
        let with_value = |name: &str| {
            let option = entry.options.iter().find(|(option, _)| option.split(' ').next() == Some(name));
            option.map(|(option, _)| *option).unwrap_or_default()
        };
        for argument in command.get_arguments() {
            let Some(name) = argument.get_long().map(|name| format!("--{name}")) else { continue };
            for other in command.get_arg_conflicts_with(argument) {
                // The arguments without a name are in the line.
                let other = other.get_long().map(|name| format!("--{name}")).unwrap_or_default();
                let both = [with_value(&name), with_value(&other)];
                let line = both.iter().fold(entry.line.to_owned(), |line, option| without(&line, option));
                let refused = parsed(&line, &both.join(" ")).unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::ArgumentConflict, "{line} {both:?}: {refused}");
                tried.push(format!("{path}: {name} {other}").trim_end().to_owned());
            }
        }
    }
    insta::assert_snapshot!(tried.join("\n"));
}
