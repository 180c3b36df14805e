//! The work on the tree itself: `cargo xtask tidy` checks it, `reference` writes its reference pages, `bench` measures it,
//! `eval` tells how well it groups changes.
//!
//! Owns the rules that no compiler checks and the pages that are derived from code. Nothing of it is shipped.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a terminal program for people who work on becket"
)]

mod bench;
mod eval;
mod manifest;
mod reference;
mod tidy;
mod tokens;
mod tree;
mod vocabulary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::tree::Tree;

/// Work on the becket tree.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the rules of the tree that no compiler checks.
    Tidy,
    /// Write the reference pages in docs/reference from the code.
    Reference {
        /// Write nothing; fail when a page is not what the code says.
        #[arg(long)]
        check: bool,
    },
    /// Write the table that tokens are counted with, from a vocabulary file of tiktoken (`o200k_base.tiktoken`).
    Vocabulary { file: PathBuf },
    /// Measure the release binary.
    Bench(bench::Arguments),
    /// Measure how well changes are grouped, and learn to do it better.
    Eval(eval::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Tidy => tidy(),
        Task::Reference { check } => reference(check),
        Task::Vocabulary { file } => vocabulary(&file),
        Task::Bench(arguments) => bench::run(&root(), &arguments).map_err(Into::into),
        Task::Eval(arguments) => eval::run(&arguments).map_err(Into::into),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprintln!("cause: {cause}");
                source = cause.source();
            }
            ExitCode::from(2)
        }
    }
}

fn tidy() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let tree = Tree::read(&root())?;
    let mut untidy = false;
    for check in tidy::CHECKS {
        let findings = (check.run)(&tree);
        if !findings.is_empty() {
            untidy = true;
            eprintln!("{}: {}", check.name, check.rule);
            for finding in findings {
                eprintln!("  {finding}");
            }
        }
    }
    if untidy {
        return Ok(ExitCode::FAILURE);
    }
    println!("tidy: {} checks passed", tidy::CHECKS.len());
    Ok(ExitCode::SUCCESS)
}

fn reference(check: bool) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let root = root();
    let tree = Tree::read(&root)?;
    if check {
        let stale = reference::stale(&tree);
        for page in &stale {
            eprintln!("{page} is not what the code says: run `cargo xtask reference`");
        }
        return Ok(if stale.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    for page in reference::write(&root, &tree)? {
        println!("wrote {page}");
    }
    Ok(ExitCode::SUCCESS)
}

fn vocabulary(file: &Path) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let count = vocabulary::write(&root(), file)?;
    println!("wrote {count} tokens");
    Ok(ExitCode::SUCCESS)
}

/// The workspace root, fixed when this program was built: it is only ever run from its own tree.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}
