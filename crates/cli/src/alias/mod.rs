//! The six other names: a link called `lodestar`, or `becket as lodestar …`, understands that seed's own command line.

mod context_stash;
mod links;
mod lodestar;
mod stamp;

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    process::ExitCode,
};

use becket_engine::Error;
use becket_mcp::{PERSONAS, Persona};
use clap::Parser;

pub(crate) use links::{LinkReport, install, remove};

use crate::{
    Global,
    commands::mcp::Mcp,
    context::Context,
    ui::{Color, Ui},
};

/// `becket as NAME …`.
#[derive(Debug, clap::Args)]
pub(crate) struct As {
    /// stamp, logicstamp-mcp, context-stash, lodestar, segmint or crinkle
    name: String,
    /// That program's own command line
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl As {
    /// Only for names that becket does not answer to: [`called_as`] has taken the others.
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let Some(persona) = Persona::named(&self.name) else {
            let names: Vec<_> = PERSONAS.iter().map(|persona| persona.name).collect();
            let mut error =
                Error::invalid("unknown_name", format!("becket does not answer to `{}`.", self.name));
            error = match becket_base::nearest(&self.name, names.iter().copied()) {
                Some(meant) => {
                    error.with_hint(format!("Did you mean `{meant}`? The names are {}.", names.join(", ")))
                }
                None => error.with_hint(format!("The names are {}.", names.join(", "))),
            };
            return context.ui.finish::<()>("as", Err(error));
        };
        let mut arguments = vec![OsString::from(&self.name)];
        arguments.extend(self.arguments);
        run(persona, &arguments)
    }
}

/// The seed that the process was called as, by a link's name or by `becket as NAME`, and the seed's own command line.
pub(crate) fn called_as(arguments: &[OsString]) -> Option<(Persona, Vec<OsString>)> {
    let stem = Path::new(arguments.first()?).file_stem().and_then(OsStr::to_str)?;
    if let Some(persona) = Persona::named(stem) {
        return Some((persona, arguments.to_vec()));
    }
    // Before any parsing of ours: what follows the name, `--help` included, is the seed's.
    let [_, verb, name, ..] = arguments else { return None };
    let persona = (verb == "as").then(|| Persona::named(name.to_str()?)).flatten()?;
    Some((persona, arguments.get(2..)?.to_vec()))
}

/// How each seed starts its server: the words before the options.
fn serving_words(persona: Persona) -> &'static [&'static [&'static str]] {
    match persona.name {
        "context-stash" => &[&["--serve"], &["mcp"]],
        "lodestar" => &[&["mcp", "serve"], &["mcp"]],
        // Their programs are nothing but the server.
        "segmint" | "logicstamp-mcp" => &[&["mcp"], &[]],
        _ => &[&["mcp"]],
    }
}

/// The whole process under another name.
pub(crate) fn run(persona: Persona, arguments: &[OsString]) -> ExitCode {
    let words = arguments.get(1..).unwrap_or_default();
    if persona.name == "context-stash" && context_stash::is_init(words) {
        return context_stash::init(Ui::new(
            words.iter().any(|word| word == "--json"),
            crate::ui::Color::Auto,
        ));
    }
    if persona.name == "stamp" && stamp::is_command(words) {
        return stamp::run(arguments);
    }
    for serving in serving_words(persona) {
        let matches =
            words.len() >= serving.len() && serving.iter().zip(words).all(|(word, given)| given == word);
        if matches && !is_help(persona, words) {
            let rest = words.get(serving.len()..).unwrap_or_default();
            if persona.name == "lodestar" {
                let asks = |word: &OsString| word == "--explain" || word == "--help" || word == "-h";
                if serving.len() < 2 || rest.iter().any(asks) {
                    continue;
                }
                return match lodestar::serve_options(rest) {
                    Ok(options) => serve(persona, arguments, &options),
                    Err(error) => {
                        Ui::new(false, Color::Auto).finish::<()>("mcp serve", Err(error));
                        ExitCode::from(2)
                    }
                };
            }
            return serve(persona, arguments, rest);
        }
    }
    if persona.name == "lodestar" {
        return lodestar::run(arguments);
    }
    usage(persona, words)
}

/// A bare program that serves by default still answers `--help` and `--version`.
fn is_help(persona: Persona, words: &[OsString]) -> bool {
    serving_words(persona).contains(&&[][..])
        && words
            .first()
            .is_some_and(|word| word == "--help" || word == "-h" || word == "--version" || word == "-V")
}

/// The command lines of those that have one of their own.
#[cfg(test)]
pub(crate) fn commands() -> [clap::Command; 2] {
    [stamp::command(), lodestar::command()]
}

/// The options of a seed's server are those of `becket mcp`.
#[derive(Debug, Parser)]
#[command(version)]
struct ServeCli {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    mcp: Mcp,
}

fn serve(persona: Persona, arguments: &[OsString], rest: &[OsString]) -> ExitCode {
    let name = arguments.first().cloned().unwrap_or_default();
    let cli = match ServeCli::try_parse_from(std::iter::once(name).chain(rest.iter().cloned())) {
        Ok(cli) => cli,
        Err(error) => return crate::usage(persona.name, &error),
    };
    let ui = Ui::new(cli.global.json, cli.global.color);
    cli.mcp.run_as(&Context::open(cli.global, ui), persona)
}

fn usage(persona: Persona, words: &[OsString]) -> ExitCode {
    let ui = Ui::new(false, crate::ui::Color::Auto);
    let init: &[&[&str]] = if persona.name == "context-stash" { &[&["--init"]] } else { &[] };
    let forms: Vec<String> = init
        .iter()
        .chain(serving_words(persona))
        .map(|words| format!("{} {}", persona.name, words.join(" ")).trim_end().to_owned())
        .collect();
    let help = format!(
        "{}\n\nUsage: {} [OPTIONS]\n\nThe options are those of `becket mcp`.",
        persona.title,
        forms.join(" | ")
    );
    match words.first().and_then(|word| word.to_str()) {
        Some("--version" | "-V") => {
            ui.print(&format!("{} (becket {})", persona.name, env!("CARGO_PKG_VERSION")));
            ExitCode::SUCCESS
        }
        Some("--help" | "-h") => {
            ui.print(&help);
            ExitCode::SUCCESS
        }
        _ => {
            let given: Vec<_> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let message = format!("`{} {}` is not a command of this build.", persona.name, given.join(" "));
            let error = Error::invalid("unknown_command", message.replace(" `", "`"))
                .with_hint(format!("Try: {}", forms.join(" | ")));
            ui.finish::<()>(persona.name, Err(error))
        }
    }
}
