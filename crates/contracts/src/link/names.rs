//! What a file is called and, in the one case where its place in the repository says so, what it is.

use std::borrow::Cow;
use std::collections::BTreeSet;

use becket_base::counted;
use becket_base::divided;

use crate::model::{
    ContractDeclaration, DeclarationKind, ExportOrigin, Kind, LocalFacts, NextFacts, Route, RouteRole, is_vue,
};

/// A command in a `cli` or `bin` folder of the repository is part of a command line, one that Next.js answers
/// requests with is an API, and one with a component that only other files tell has one. The entry id begins at the root of
/// the repository, so where the checkout lies has no say.
pub(super) fn kind(
    entry_id: &str,
    facts: &LocalFacts,
    declarations: &[ContractDeclaration],
    next: Option<&NextFacts>,
) -> Kind {
    let role = next.and_then(|next| next.route_role);
    match facts.kind {
        Kind::TsModule if matches!(role, Some(RouteRole::Api | RouteRole::Route)) => Kind::NodeApi,
        Kind::TsModule if declarations.iter().any(|one| one.kind == DeclarationKind::Component) => {
            let of_vue = facts.imports.iter().any(|import| is_vue(&import.specifier));
            if of_vue { Kind::VueComponent } else { Kind::ReactComponent }
        }
        Kind::TsModule if is_in_program(entry_id) && declarations.iter().any(is_command) => Kind::NodeCli,
        kind => kind,
    }
}

/// By its name: `cleanCommand`, `main`.
fn is_command(one: &ContractDeclaration) -> bool {
    let name = one.name.as_str();
    one.exported
        && one.kind == DeclarationKind::Function
        && (name.ends_with("Command") || matches!(name, "command" | "default" | "handler" | "main" | "run"))
}

fn is_in_program(entry_id: &str) -> bool {
    let mut start = 0;
    entry_id.bytes().enumerate().filter(|(_, byte)| *byte == b'/').any(|(end, _)| {
        let folder = &entry_id[std::mem::replace(&mut start, end + 1)..end];
        matches!(folder, "cli" | "bin")
    })
}

/// `routes` are those of the contract.
pub(super) fn description(entry_id: &str, kind: Kind, facts: &LocalFacts, routes: &[Route]) -> String {
    let file = divided::after_last(entry_id, b'/');
    // A segment of an address may have dots of its own: `[...all].tsx`.
    let segment = file.rfind(']').filter(|_| file.starts_with('[')).map_or(0, |end| end + 1);
    let end = file[segment..].find('.').map_or(file.len(), |dot| segment + dot);
    let stem = Some(&file[..end]).filter(|stem| !stem.is_empty()).unwrap_or(file);
    let phrase: Cow<'_, str> = match kind {
        Kind::ReactComponent => "React component".into(),
        Kind::ReactHook => "React hook".into(),
        Kind::VueComponent => "Vue component".into(),
        Kind::VueComposable => "Vue composable".into(),
        Kind::NodeApi => {
            match facts.routes.iter().filter(|one| one.is_told()).count() + inherited(facts, routes) {
                0 => "API".into(),
                routes => format!("API, {}", counted(routes, "route")).into(),
            }
        }
        Kind::NodeCli => "CLI entry point".into(),
        Kind::TsModule if is_barrel(facts) => "Barrel".into(),
        Kind::TsModule => "Module".into(),
    };
    [stem, " - ", &phrase].concat()
}

/// How many routes the controllers of a file have of the classes that they extend, and by decorators of other files.
fn inherited(facts: &LocalFacts, routes: &[Route]) -> usize {
    if !facts.routes.iter().any(|route| route.class.is_some() || route.method.is_empty()) {
        return 0;
    }
    let own = facts.routes.iter().filter(|route| !route.method.is_empty());
    let own: BTreeSet<&str> = own.map(|route| route.handler.as_str()).collect();
    let declared: BTreeSet<&str> = facts.declarations.iter().map(|one| one.name.as_str()).collect();
    let is_here = |route: &&Route| {
        let class = divided::around_first(&route.handler, b'.').map_or("", |(class, _)| class);
        !route.is_mount() && !own.contains(route.handler.as_str()) && declared.contains(class)
    };
    routes.iter().filter(is_here).count()
}

/// Declares nothing, and hands on what others declare.
fn is_barrel(facts: &LocalFacts) -> bool {
    let handed_on = |origin: &ExportOrigin| matches!(origin, ExportOrigin::Module { .. });
    facts.declarations.is_empty() && facts.exports.iter().any(|export| handed_on(&export.origin))
}
