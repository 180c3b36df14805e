//! `import { run } from './run'; export { run };`: what a file imports to export it again, and does not use itself.

use std::collections::BTreeMap;

use oxc_ast::ast::{Program, Statement};
use oxc_ast_visit::Visit;

use super::handed::{Uses, handed_on};
use super::modules::name_of;
use crate::model::{Export, ExportOrigin, Import, ImportKind, ImportedName};

/// Says of such names that they are handed on, as `export { run } from './run'` does.
pub(super) fn hand_on(program: &Program<'_>, imports: &mut Vec<Import>, exports: &[Export]) {
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    for statement in &program.body {
        if let Statement::ExportNamedDeclaration(export) = statement {
            for specifier in &export.specifiers {
                *listed.entry(name_of(&specifier.local)).or_default() += 1;
            }
        }
    }
    let is_listed = |import: &Import, name: &ImportedName| {
        let is_it = |export: &Export| match &export.origin {
            ExportOrigin::Module { specifier, imported } => {
                *specifier == import.specifier && *imported == name.imported
            }
            ExportOrigin::Local(_) => false,
        };
        listed.contains_key(&*name.local) && exports.iter().any(is_it)
    };
    let is_candidate = |import: &Import| {
        matches!(import.kind, ImportKind::Static | ImportKind::TypeOnly)
            && import.names.iter().any(|name| is_listed(import, name))
    };
    if listed.is_empty() || !imports.iter().any(is_candidate) {
        return;
    }
    let mut uses = Uses::default();
    uses.visit_program(program);
    // Comments name types where the language has none.
    let is_told = |name: &ImportedName| {
        let mut texts = program.comments.iter().map(|one| one.span.source_text(program.source_text));
        program.source_type.is_javascript() && texts.any(|text| text.contains(&name.local))
    };
    let mut handed = Vec::new();
    for import in imports.iter_mut().filter(|import| is_candidate(import)) {
        let is_for_others = |name: &ImportedName| {
            let is_used = listed.get(&*name.local).copied() != Some(uses.count(&name.local));
            is_listed(import, name) && !is_used && !is_told(name)
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
