//! `cargo xtask eval`: how well changes are grouped, measured on tangles made from real history, and the learning of the
//! weights that grouping uses. The protocol is described in `docs/evaluation.md`.

mod dataset;
mod eligible;
mod grow;
mod learn;
mod metrics;
mod random;
mod report;
mod repository;
mod tangle;
mod trace;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Tangle commits of a clone and see how well each method takes them apart again.
    Untangle(Sampling),
    /// Learn the weights of grouping, leaving each repository out once to see how well they do on it.
    Learn {
        #[command(flatten)]
        sampling: Sampling,
        /// Where to write the model that is learned from all of them.
        #[arg(long)]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
struct Sampling {
    /// A clone, bare or not; may be given several times. It is only read.
    #[arg(long, required = true)]
    repo: Vec<PathBuf>,
    /// Decides which commits are drawn.
    #[arg(long, default_value_t = 20_260_101)]
    seed: u64,
    /// How many tangles of each number of intents, in each regime.
    #[arg(long, default_value_t = 50)]
    each: usize,
    /// A folder to keep what was read, to be quicker the next time.
    #[arg(long)]
    cache: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum EvalError {
    #[error("`{command}` could not be run")]
    Start { command: String, source: io::Error },
    #[error("`git {command}` failed in {path}")]
    Git { command: String, path: PathBuf },
    #[error("learning needs at least two repositories, so that one can be left out")]
    TooFew,
    #[error("{path} cannot be written")]
    Write { path: PathBuf, source: io::Error },
    #[error("the model cannot be written as JSON")]
    Json { source: serde_json::Error },
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, EvalError> {
    match &arguments.what {
        What::Untangle(sampling) => report::untangle(sampling)?,
        What::Learn { sampling, output } => learn::learn(sampling, output.as_deref())?,
    }
    Ok(ExitCode::SUCCESS)
}
