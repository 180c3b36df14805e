//! What a `CommonJS` module exports of another one by a name: `exports.run = require('./run').run`, and whatever stands
//! for that.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Argument, AssignmentTargetPropertyIdentifier, Comment, Expression, IdentifierReference,
    SimpleAssignmentTarget,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;
use rustc_hash::FxHashMap;

use super::body::callee_name;
use super::common_js::{CommonJs, DEEPEST, Known, Value, required};
use super::component::Callable;
use super::maker;
use crate::model::{Declaration, Import, ImportKind, ImportedName};

/// Something of another module.
pub(super) struct Handed {
    pub(super) specifier: String,
    /// `*` for all of it.
    pub(super) imported: String,
    pub(super) by: By,
}

#[derive(Clone, Copy)]
pub(super) enum By {
    /// The `require` that stands there.
    Place(Span),
    /// A name for it, which stands there.
    Name(Span),
}

/// How often the names of a file stand somewhere.
#[derive(Default)]
pub(super) struct Uses<'a>(FxHashMap<&'a str, Use>);

#[derive(Default)]
struct Use {
    count: usize,
    is_assigned: bool,
}

impl<'x, 'a> CommonJs<'x, 'a> {
    /// What of another module a value is.
    pub(super) fn handed(&self, value: Value<'_, 'a>) -> Option<Handed> {
        match value {
            Value::Is(value) => self.of_module(value, 0),
            Value::Given(getter) => self.of_module(given(getter)?, 0),
            Value::Unknown => None,
        }
    }

    fn of_module(&self, value: &Expression<'a>, depth: usize) -> Option<Handed> {
        match value.get_inner_expression() {
            Expression::Identifier(name) if depth < DEEPEST => {
                let known = self.known(&name.name)?;
                let of = self.of_module(known.value, depth + 1)?;
                let of = Handed { by: By::Name(name.span), ..of };
                let of = match known.member {
                    Some(member) => of.member(member)?,
                    None => of,
                };
                (!self.uses().is_assigned(&name.name)).then_some(of)
            }
            Expression::StaticMemberExpression(member) => {
                self.of_module(&member.object, depth)?.member(&member.property.name)
            }
            Expression::CallExpression(call) => match required(value) {
                Some(specifier) => {
                    Some(Handed { specifier, imported: "*".to_owned(), by: By::Place(call.span) })
                }
                // As compilers write `import`.
                None if callee_name(&call.callee).is_some_and(|name| INTEROP.contains(&name)) => {
                    self.of_module(call.arguments.first().and_then(Argument::as_expression)?, depth)
                }
                None => None,
            },
            _ => None,
        }
    }

    /// What a variable begins with that is declared once.
    fn known(&self, name: &str) -> Option<&Known<'x, 'a>> {
        let named = |at: &usize| self.values.get(*at).map_or("", |one| one.name);
        let places = self.places.get_or_init(|| {
            let mut places: Vec<usize> = (0..self.values.len()).collect();
            places.sort_by_key(named);
            places
        });
        let first = places.partition_point(|at| named(at) < name);
        let is_again = places.get(first + 1).is_some_and(|at| named(at) == name);
        self.values.get(*places.get(first)?).filter(|one| one.name == name && !is_again)
    }

    /// Of a module of which nothing is used but what is exported again, everything is handed on, and names that are only
    /// there for that declare nothing.
    pub(super) fn hand_on(
        &self,
        handed: &[Handed],
        imports: &mut [Import],
        declarations: &mut Vec<Declaration>,
    ) {
        let mut by_name: FxHashMap<&str, BTreeMap<u32, &str>> = FxHashMap::default();
        for one in handed {
            if let By::Name(at) = one.by {
                let name = at.source_text(self.program.source_text);
                by_name.entry(name).or_default().insert(at.start, &one.imported);
            }
        }
        if by_name.is_empty() {
            return;
        }
        let mut locals: BTreeSet<String> = BTreeSet::new();
        for import in imports.iter_mut().filter(|import| import.kind == ImportKind::Require) {
            let places = import.names.iter().map(|name| {
                let places = by_name.get(name.local.as_str())?;
                let is_all = places.len() == self.uses().count(&name.local) && !self.is_in_comments(name);
                is_all.then_some(places)
            });
            let Some(places) = places.collect::<Option<Vec<_>>>() else { continue };
            let mut names: BTreeSet<&str> = places.into_iter().flat_map(BTreeMap::values).copied().collect();
            if names.contains("*") {
                names = BTreeSet::from(["*"]);
            }
            // `require('./setup')` takes nothing.
            if !names.is_empty() {
                import.kind = ImportKind::ReExport;
                let names = names.into_iter().map(handed_on).collect();
                let former = std::mem::replace(&mut import.names, names);
                locals.extend(former.into_iter().map(|name| name.local));
            }
        }
        if !locals.is_empty() {
            declarations.retain(|one| one.exported || !locals.contains(&one.name));
        }
    }

    /// In JavaScript comments have types, which may be of a module that has a name.
    fn is_in_comments(&self, name: &ImportedName) -> bool {
        let used = format!("{}.", name.local);
        let text = |comment: &Comment| comment.span.source_text(self.program.source_text);
        name.imported == "*" && self.program.comments.iter().any(|comment| text(comment).contains(&used))
    }

    fn uses(&self) -> &Uses<'a> {
        self.uses.get_or_init(|| {
            let mut uses = Uses::default();
            uses.visit_program(self.program);
            uses
        })
    }
}

/// What compilers put around a `require`.
const INTEROP: [&str; 4] =
    ["__importDefault", "__importStar", "_interopRequireDefault", "_interopRequireWildcard"];

impl Handed {
    /// A member of what a member is cannot be known.
    fn member(self, name: &str) -> Option<Self> {
        (self.imported == "*").then(|| Self { imported: name.to_owned(), ..self })
    }
}

/// As `export { imported } from` has it.
pub(super) fn handed_on(imported: &str) -> ImportedName {
    ImportedName { imported: imported.to_owned(), local: String::new(), type_only: false }
}

/// What a getter that does nothing else gives.
fn given<'x, 'a>(getter: Callable<'x, 'a>) -> Option<&'x Expression<'a>> {
    maker::last(getter).filter(|_| getter.statements().len() < 2)
}

impl Uses<'_> {
    pub(super) fn count(&self, name: &str) -> usize {
        self.0.get(name).map_or(0, |one| one.count)
    }

    fn is_assigned(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|one| one.is_assigned)
    }
}

impl<'a> Visit<'a> for Uses<'a> {
    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        self.0.entry(name.name.as_str()).or_default().count += 1;
    }

    fn visit_simple_assignment_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        if let SimpleAssignmentTarget::AssignmentTargetIdentifier(name) = target {
            self.0.entry(name.name.as_str()).or_default().is_assigned = true;
        }
        walk::walk_simple_assignment_target(self, target);
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        target: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        self.0.entry(target.binding.name.as_str()).or_default().is_assigned = true;
        walk::walk_assignment_target_property_identifier(self, target);
    }
}
