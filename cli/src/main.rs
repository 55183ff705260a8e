//! `posture`, the operator's command.

fn main() {}
