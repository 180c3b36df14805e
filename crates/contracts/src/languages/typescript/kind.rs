//! What a file is. From its content alone; the one rule that needs a path (`cli` folders) is in `link`.

use super::body::{FileUse, is_hook};
use super::modules::DEFAULT;
use super::routes::Routes;
use crate::model::{Declaration, DeclarationKind, Export, ExportOrigin, Import, Kind, Route, RouteFramework};

/// Packages that nothing but a command line uses.
const COMMAND_LINE: &[&str] = &[
    "@oclif/core",
    "arg",
    "cac",
    "citty",
    "clipanion",
    "command-line-args",
    "commander",
    "meow",
    "minimist",
    "sade",
    "yargs",
    "yargs-parser",
    "yargs/helpers",
    "yargs/yargs",
];

pub(super) fn of(
    text: &str,
    (exports, imports): (&[Export], &[Import]),
    declarations: &[Declaration],
    file: &FileUse,
    routes: &Routes,
) -> Kind {
    // A module of Nest leads to what answers, and answers nothing itself.
    // Who hands an application on answers nothing, either.
    let is_own = |route: &Route| route.framework != RouteFramework::NestJs && !route.is_handed();
    let makes = |route: &Route| route.application.is_some() && !route.handler.is_empty();
    let answers = |route: &Route| is_own(route) || makes(route) || route.is_told();
    if routes.table.iter().any(answers) || routes.is_controller {
        return Kind::NodeApi;
    }
    let declares = |kind: DeclarationKind| declarations.iter().any(|declaration| declaration.kind == kind);
    let exports_hook = exports.iter().any(|export| {
        let local = match &export.origin {
            ExportOrigin::Local(local) => local,
            ExportOrigin::Module { .. } => return false,
        };
        let declared = || declarations.iter().find(|one| one.name == *local).map(|one| one.kind);
        let is_hook_there = || declared() == Some(DeclarationKind::Hook);
        // What is called so and cannot be called is none.
        let can_be = || !matches!(declared(), Some(DeclarationKind::Constant | DeclarationKind::Variable));
        (is_hook(&export.name) || is_hook(local)) && can_be() || local == DEFAULT && is_hook_there()
    });
    if file.is_vue {
        if declares(DeclarationKind::Component) || file.has_jsx {
            return Kind::VueComponent;
        }
        if exports_hook {
            return Kind::VueComposable;
        }
    }
    if exports_hook && !file.has_jsx {
        return Kind::ReactHook;
    }
    if declares(DeclarationKind::Component) || file.has_jsx {
        return Kind::ReactComponent;
    }
    let parses_arguments = imports.iter().any(|import| {
        COMMAND_LINE.contains(&import.specifier.as_str())
            || (matches!(import.specifier.as_str(), "util" | "node:util")
                && import.names.iter().any(|name| name.imported == "parseArgs"))
    });
    // A configuration may look for a flag, too; a program takes all of them.
    let is_run = file.reads_arguments && (exports.is_empty() || text.contains("argv.slice("));
    if text.starts_with("#!") || is_run || parses_arguments {
        return Kind::NodeCli;
    }
    Kind::TsModule
}
