//! What a `CommonJS` module exports without a declaration of its own is declared by its export.

use oxc_ast::ast::{Expression, ObjectExpression, Statement, VariableDeclarator};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use super::common_js::{self, CommonJs, Exported, Member, Value};
use super::component::Callable;
use super::declarations::{Collector, variable_kind};
use super::handed::{By, handed_on};
use super::modules::DEFAULT;
use super::print::listed;
use crate::model::{DeclarationDetail, DeclarationKind, Import, ImportKind};

impl<'a> Collector<'_, '_, 'a> {
    pub(super) fn common_js(&mut self, common_js: &CommonJs<'_, 'a>, statement: &Statement<'a>) {
        let exports = common_js.exports(statement);
        if let Some(called) = common_js::called_at_once(statement).filter(|_| !exports.is_empty()) {
            // What a function around the file declares is declared by the file.
            called.bodies().flatten().for_each(|inner| self.statement(inner));
            called.other_arguments().for_each(|argument| {
                self.walk(|walk| walk.visit_argument(argument));
            });
            return;
        }
        let is_walked = self.declare(exports, statement.span());
        if !is_walked || !is_one_value(statement) {
            self.walk(|walk| walk.visit_statement(statement));
        }
    }

    /// A variable whose members, or whose value, others have. Whether it is one.
    pub(super) fn exported_variable(
        &mut self,
        common_js: &CommonJs<'_, 'a>,
        keyword: &str,
        declarator: &VariableDeclarator<'a>,
        span: Span,
    ) -> bool {
        let Some((value, exports)) = common_js.variable(declarator) else { return false };
        let Some(name) = declarator.id.get_identifier_name() else { return false };
        let has_members = exports.iter().any(|export| matches!(export, Exported::Members(_)));
        let is_assigned = matches!(declarator.init, Some(Expression::AssignmentExpression(_)));
        if has_members {
            let signature = self.print.variable(keyword, declarator, &name);
            let kind = variable_kind(keyword);
            self.push(name.into_string(), kind, signature, span, DeclarationDetail::None);
            self.declare(exports, span);
            if !matches!(value, Expression::ObjectExpression(_)) {
                self.walk(|walk| walk.visit_expression(value));
            }
        } else if is_assigned {
            self.value(value, name.into_string(), None, None, keyword, span);
        }
        has_members || is_assigned
    }

    /// Whether values were walked on the way.
    fn declare(&mut self, exports: Vec<Exported<'_, 'a>>, span: Span) -> bool {
        // Before a walk takes it for something that is used here.
        for export in &exports {
            if let Exported::All(specifier, at) | Exported::Same(specifier, at) = export {
                if span.contains_inclusive(*at) {
                    self.hand_on(specifier, "*", *at);
                }
            }
        }
        let mut is_walked = false;
        for export in exports {
            match export {
                Exported::Named(member) => is_walked |= self.member(member),
                Exported::Members(object) => {
                    self.members(object, span);
                    is_walked = true;
                }
                Exported::Whole(value, DEFAULT) => {
                    let (name, value) = (DEFAULT.to_owned(), Value::Is(value));
                    is_walked |= self.member(Member { name, value, local: None, span });
                }
                Exported::Whole(value, name) if common_js::own_name(value) == Some(name) => {
                    match value {
                        Expression::ClassExpression(class) => self.class(class, name.to_owned(), span),
                        Expression::FunctionExpression(function) => {
                            self.function(function, name.to_owned(), span);
                        }
                        _ => {}
                    }
                    is_walked = true;
                }
                Exported::Whole(..) | Exported::All(..) | Exported::Same(..) => {}
            }
        }
        is_walked
    }

    /// `within` is the statement; what is written in another one is walked there.
    fn members(&mut self, object: &ObjectExpression<'a>, within: Span) {
        let is_here = within.contains_inclusive(object.span);
        for property in &object.properties {
            let is_walked = common_js::member(property).is_some_and(|member| self.member(member));
            if is_here && !is_walked {
                self.walk(|walk| walk.visit_object_property_kind(property));
            }
        }
    }

    /// `module.exports = require('…')` is `export *`, and `exports.name = require('…').name` is `export { name }`.
    fn hand_on(&mut self, specifier: &str, imported: &str, at: Span) {
        if self.file.named.insert(at.start) {
            let (kind, names) = (ImportKind::ReExport, vec![handed_on(imported)]);
            let line = self.print.source.line(at.start);
            self.file.imports.push(Import { specifier: specifier.to_owned(), kind, names, line });
        }
    }

    /// Whether its value was walked.
    fn member(&mut self, member: Member<'_, 'a>) -> bool {
        let Member { name, value, local, span } = member;
        if let Some(handed) = self.common_js.and_then(|common_js| common_js.handed(value)) {
            // What has a name here as well is used by that.
            if let (By::Place(at), None) = (handed.by, local) {
                self.hand_on(&handed.specifier, &handed.imported, at);
            }
            return false;
        }
        let is_told = match value {
            Value::Is(value) => !is_own(value),
            Value::Given(_) => false,
            Value::Unknown => true,
        };
        if is_told || local.is_some() || self.by_export.contains(&name) {
            return false;
        }
        // The file may have something else by that name, for itself.
        if self.print.source.origins.declared(&name).is_some() {
            if self.renamed.contains(name.as_str()) || self.is_made_of(value, &name) {
                return false;
            }
            self.declarations.retain(|one| one.name != name);
            self.places.forget();
        }
        self.by_export.insert(name.clone());
        match value {
            Value::Is(value) => self.value(value, name, None, None, "const", span),
            Value::Given(getter) => {
                let signature = format!("const {}: {}", listed(&name), self.print.given(getter, None));
                self.push(name, DeclarationKind::Constant, signature, span, DeclarationDetail::None);
            }
            Value::Unknown => {}
        }
        matches!(value, Value::Is(_))
    }

    /// `exports.Card = memo(Card)`
    fn is_made_of(&self, value: Value<'_, 'a>, name: &str) -> bool {
        match value {
            Value::Is(value) if Callable::of(value).is_none() => {
                self.print.source.slice(value.span()).contains(name)
            }
            _ => false,
        }
    }
}

/// A name is declared elsewhere.
fn is_own(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::Identifier(_) => false,
        other => !common_js::is_room(other),
    }
}

/// Whether there is nothing in a statement but what it exports.
fn is_one_value(statement: &Statement<'_>) -> bool {
    let Statement::ExpressionStatement(statement) = statement else { return false };
    matches!(statement.expression, Expression::AssignmentExpression(_))
        && match common_js::assigned(&statement.expression) {
            Expression::ConditionalExpression(_) => false,
            Expression::CallExpression(call) => !common_js::put_together(call),
            _ => true,
        }
}
