//! `import { run } from './run'; export { run };`: what a file imports to export it again, and does not use itself.

use std::collections::BTreeSet;

use oxc_ast::ast::Program;
use oxc_ast_visit::Visit;

use super::handed::{Uses, handed_on};
use crate::model::{Export, ExportOrigin, Import, ImportKind, ImportedName};

/// Says of such names that they are handed on, as `export { run } from './run'` does.
pub(super) fn hand_on(program: &Program<'_>, imports: &mut Vec<Import>, exports: &[Export]) {
    let passed: BTreeSet<(&str, &str)> = exports.iter().filter_map(source).collect();
    let is_passed =
        |import: &Import, name: &ImportedName| passed.contains(&(&*import.specifier, &*name.imported));
    let is_candidate = |import: &Import| {
        matches!(import.kind, ImportKind::Static | ImportKind::TypeOnly)
            && import.names.iter().any(|name| is_passed(import, name))
    };
    if passed.is_empty() || !imports.iter().any(is_candidate) {
        return;
    }
    let mut uses = Uses::default();
    uses.visit_program(program);
    // Comments name types where the language has none.
    let is_told = |name: &ImportedName| {
        program.source_type.is_javascript()
            && program
                .comments
                .iter()
                .any(|one| one.span.source_text(program.source_text).contains(&name.local))
    };
    let times = |import: &Import, name: &ImportedName| {
        let is_it = |export: &&Export| source(export) == Some((&*import.specifier, &*name.imported));
        exports.iter().filter(is_it).count()
    };
    let mut handed = Vec::new();
    for import in imports.iter_mut().filter(|import| is_candidate(import)) {
        let alike =
            |name: &ImportedName| import.names.iter().filter(|one| one.imported == name.imported).count();
        let is_for_others = |name: &ImportedName| {
            !name.local.is_empty()
                && is_passed(import, name)
                && alike(name) == 1
                && uses.count(&name.local) == times(import, name)
                && !is_told(name)
        };
        let (on, own): (Vec<_>, Vec<_>) = import.names.iter().cloned().partition(is_for_others);
        if on.is_empty() {
            continue;
        }
        let names = on
            .into_iter()
            .map(|name| ImportedName { type_only: name.type_only, ..handed_on(&name.imported) });
        let names = names.collect();
        if own.is_empty() {
            (import.kind, import.names) = (ImportKind::ReExport, names);
        } else {
            import.names = own;
            handed.push(Import { kind: ImportKind::ReExport, names, ..import.clone() });
        }
    }
    imports.extend(handed);
    imports.sort_by_key(|import| import.line);
}

/// The module that an export is of, and its name there.
fn source(export: &Export) -> Option<(&str, &str)> {
    match &export.origin {
        ExportOrigin::Module { specifier, imported } => Some((specifier, imported)),
        ExportOrigin::Local(_) => None,
    }
}
