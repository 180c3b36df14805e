//! The least that analysing a tree can cost: walk, read and parse the files that becket would, on as many threads, and do
//! nothing with them. `cargo xtask bench understand` runs it beside the real thing.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program that reads a tree and says what it cost"
)]

use std::process::ExitCode;

use becket_project::walk::{Role, Tests, walk};
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use rayon::prelude::*;

fn main() -> ExitCode {
    let Some(root) = std::env::args_os().nth(1) else { return ExitCode::FAILURE };
    let root = std::path::PathBuf::from(root);
    let Ok(walked) = walk(&root, Tests::LeftOut) else { return ExitCode::FAILURE };
    let sources: Vec<_> = walked.files.iter().filter(|file| file.role == Role::Source).collect();
    let parsed: Vec<(usize, usize)> = sources
        .par_iter()
        .map_init(Allocator::default, |allocator, file| {
            let bytes = std::fs::read(root.join(&*file.path)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            allocator.reset();
            let kind = SourceType::from_path(&*file.path).unwrap_or_default();
            let program = Parser::new(allocator, &text, kind).parse().program;
            (bytes.len(), program.body.len())
        })
        .collect();
    let (bytes, statements) = parsed.iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    println!("{{\"files\":{},\"bytes\":{bytes},\"statements\":{statements}}}", parsed.len());
    ExitCode::SUCCESS
}
