//! What a file is called and, in the one case where its place in the repository says so, what it is.

use crate::model::{Kind, LocalFacts};

/// A plain module in a `cli` or `bin` folder of the repository is part of a command line. The entry id begins at the root
/// of the repository, so where the checkout lies has no say.
pub(super) fn kind(entry_id: &str, facts: &LocalFacts) -> Kind {
    let mut folders = entry_id.split('/').rev().skip(1);
    match facts.kind {
        Kind::TsModule if folders.any(|folder| matches!(folder, "cli" | "bin")) => Kind::NodeCli,
        kind => kind,
    }
}

pub(super) fn description(entry_id: &str, kind: Kind, facts: &LocalFacts) -> String {
    let file = entry_id.rsplit('/').next().unwrap_or(entry_id);
    let stem = file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file);
    let phrase = match kind {
        Kind::ReactComponent => "React component".to_owned(),
        Kind::ReactHook => "React hook".to_owned(),
        Kind::VueComponent => "Vue component".to_owned(),
        Kind::VueComposable => "Vue composable".to_owned(),
        Kind::NodeApi => format!("API, {}", counted(facts.routes.len(), "route")),
        Kind::NodeCli => "CLI entry point".to_owned(),
        Kind::TsModule if facts.declarations.is_empty() && !facts.exports.is_empty() => "Barrel".to_owned(),
        Kind::TsModule => "Module".to_owned(),
    };
    format!("{stem} - {phrase}")
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
