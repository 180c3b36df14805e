//! What a file takes of a module that it imports as a whole: `dom` of `import * as dom` is rarely all of it, nor is that of
//! `const dom = require('./dom')`. Who never names it only runs the other file.

use std::collections::BTreeSet;

use oxc_ast::ast::{
    Comment, Expression, IdentifierReference, JSXMemberExpression, JSXMemberExpressionObject,
    JSXOpeningElement, JSXOpeningFragment, Program, StaticMemberExpression, TSQualifiedName, TSTypeName,
};
use oxc_ast_visit::{Visit, walk};

use crate::model::{Export, ExportOrigin, Import, ImportKind, ImportedName};

/// Adds the members that a file names to each namespace of which it uses nothing else, and leaves out those of which it uses
/// nothing at all.
pub(super) fn name_members(program: &Program<'_>, imports: &mut [Import], exports: &[Export]) {
    let mut uses = Uses::default();
    for import in imports.iter().filter(|import| may_be_of_project(import)) {
        let whole = import.names.iter().filter(|name| name.imported == "*" && !name.local.is_empty());
        uses.namespaces.extend(whole.map(|name| Namespace::of(&name.local)));
    }
    if uses.namespaces.is_empty() {
        return;
    }
    uses.visit_program(program);
    if program.source_type.is_javascript() {
        uses.visit_types_in_comments(program);
    }
    for import in imports.iter_mut().filter(|import| may_be_of_project(import)) {
        let Some(whole) = import.names.iter().find(|name| name.imported == "*") else { continue };
        let Some(used) = uses.namespaces.iter().find(|one| one.local == whole.local) else { continue };
        let type_only = whole.type_only;
        if used.as_whole {
            continue;
        }
        // Several functions may each have one of this name: what is used is of any of them.
        let members = used.members.iter().cloned();
        let named = |imported| ImportedName { imported, local: String::new(), type_only };
        if !used.members.is_empty() {
            import.names.extend(members.map(named));
        } else if !uses.has_elements && runs(import) && !is_given(&used.local, import, exports) {
            import.names.retain(|name| name.imported != "*");
        }
    }
}

/// Whether a file that it takes nothing of is needed all the same.
fn runs(import: &Import) -> bool {
    let is_type = import.names.iter().any(|name| name.type_only);
    matches!(import.kind, ImportKind::Static | ImportKind::Require) && !is_type
}

/// `export import dom = require('./dom')`
fn is_given(local: &str, import: &Import, exports: &[Export]) -> bool {
    exports.iter().any(|export| match &export.origin {
        ExportOrigin::Local(name) => name == local,
        ExportOrigin::Module { specifier, imported } => *specifier == import.specifier && imported == "*",
    })
}

/// What surely is no file of the project is not worth a walk: half of all files that use React import it so.
fn may_be_of_project(import: &Import) -> bool {
    const PACKAGES: [&str; 11] =
        ["react", "react-dom", "vue", "fs", "path", "os", "url", "util", "http", "crypto", "child_process"];
    let is_package = PACKAGES.contains(&import.specifier.as_str()) || import.specifier.starts_with("node:");
    !is_package && matches!(import.kind, ImportKind::Static | ImportKind::TypeOnly | ImportKind::Require)
}

#[derive(Default)]
struct Uses {
    namespaces: Vec<Namespace>,
    /// What makes elements may be asked for without its name.
    has_elements: bool,
}

struct Namespace {
    local: String,
    members: BTreeSet<String>,
    /// Handed on, taken apart, or asked for a member that is known when it runs.
    as_whole: bool,
}

impl Namespace {
    fn of(local: &str) -> Self {
        Self { local: local.to_owned(), members: BTreeSet::new(), as_whole: false }
    }
}

impl Uses {
    /// In JavaScript comments have types; what of a namespace is among them is not read that closely.
    fn visit_types_in_comments(&mut self, program: &Program<'_>) {
        for namespace in &mut self.namespaces {
            let used = format!("{}.", namespace.local);
            let text = |comment: &Comment| comment.span.source_text(program.source_text);
            namespace.as_whole |= program.comments.iter().any(|comment| text(comment).contains(&used));
        }
    }

    /// Whether `object` is a namespace, of which `member` is used then.
    fn takes(&mut self, object: &str, member: &str) -> bool {
        let Some(namespace) = self.namespaces.iter_mut().find(|one| one.local == object) else {
            return false;
        };
        if !namespace.members.contains(member) {
            namespace.members.insert(member.to_owned());
        }
        true
    }
}

impl<'a> Visit<'a> for Uses {
    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        if let Some(namespace) = self.namespaces.iter_mut().find(|one| *one.local == *name.name) {
            namespace.as_whole = true;
        }
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        let is_taken = match &member.object {
            Expression::Identifier(object) => self.takes(&object.name, &member.property.name),
            _ => false,
        };
        if !is_taken {
            walk::walk_static_member_expression(self, member);
        }
    }

    fn visit_ts_qualified_name(&mut self, name: &TSQualifiedName<'a>) {
        let is_taken = match &name.left {
            TSTypeName::IdentifierReference(object) => self.takes(&object.name, &name.right.name),
            _ => false,
        };
        if !is_taken {
            walk::walk_ts_qualified_name(self, name);
        }
    }

    fn visit_jsx_opening_element(&mut self, element: &JSXOpeningElement<'a>) {
        self.has_elements = true;
        walk::walk_jsx_opening_element(self, element);
    }

    fn visit_jsx_opening_fragment(&mut self, fragment: &JSXOpeningFragment) {
        self.has_elements = true;
        walk::walk_jsx_opening_fragment(self, fragment);
    }

    fn visit_jsx_member_expression(&mut self, member: &JSXMemberExpression<'a>) {
        let is_taken = match &member.object {
            JSXMemberExpressionObject::IdentifierReference(object) => {
                self.takes(&object.name, &member.property.name)
            }
            _ => false,
        };
        if !is_taken {
            walk::walk_jsx_member_expression(self, member);
        }
    }
}
